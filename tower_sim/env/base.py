"""The base class of all environments: immutable tables, masked actions, observations, copies, pictures.

    reset -> table -> mask -> action -> next table and reward -> ... -> a table whose mask allows nothing

A table is the complete situation of a game. All randomness follows from its seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tower_sim.apparatus import load
from tower_sim.drops import TooManyFailedDraws
from tower_sim.errors import UsageError, check_kind, check_one, fault
from tower_sim.games import Game, GameTower
from tower_sim.models import open_model
from tower_sim.runs import Array
from tower_sim.values import ZONE, check_seed

KNOWLEDGE = ("throw", "table", "state")
"""The observation: `throw` hides the cubes inside, `table` counts them by colour, `state` adds every place and age."""
ILLEGAL = ("error", "first")
"""What a forbidden action does: it raises UsageError, or the first allowed action replaces it."""
OLDEST = 255  # drops: the largest age of a cube in an observation
_FRAME = (7.0, 4.5)  # inches: the size of all pictures

T = TypeVar("T")
Seen = tuple[str, float, float]  # an element of the observation: name, value, largest value


class Actions(spaces.Discrete[np.int64]):
    """The numbered actions; `sample` draws by default one that is allowed now."""

    allowed: Array

    def sample(self, mask: Array | None = None, probability: Array | None = None) -> np.int64:
        return super().sample(self.allowed if mask is None and probability is None else mask, probability)


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A table that `clone` returned. `of` identifies its environment, rules and tower."""

    of: tuple[object, ...]
    table: T


class TowerEnv(gymnasium.Env[Array, Any], ABC, Generic[T]):
    """A game with a tower for one player, with the interface of Gymnasium; see `gymnasium.make`.

    `rules` are the rules to change. `model` and `apparatus` are arguments of `open_model`. The observation is a vector
    of float32 whose elements have the `names`. `info["action_mask"]` has a 1 for every action that is allowed. Five
    failed draws in a row truncate the episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}
    game: ClassVar[Game]
    actions: tuple[str, ...]

    def __init__(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        model: str = "surrogate",
        apparatus: str = "",
        knowledge: str = "table",
        illegal: str = "error",
        render_mode: str | None = None,
    ) -> None:
        self.knowledge = check_one("knowledge", knowledge, KNOWLEDGE)
        self.illegal = check_one("illegal", illegal, ILLEGAL)
        self.render_mode = None if render_mode is None else check_one("render_mode", render_mode, ["rgb_array"])
        self.rules: Any = self.game.read({self.game.tables[0]: rules or {}})
        self.shape = load(apparatus or self.game.apparatus)
        self.game.check(self.shape)
        self.model: Any = open_model(self.shape, model)
        self.cubes = dict(self.game.cubes(self.rules))
        zones = [ZONE + zone.name for zone in self.shape.board.zones] if self.shape.board else []
        self._places = {place: i for i, place in enumerate((*(x.name for x in self.shape.regions), *zones), 1)}
        self._tower = GameTower(self.model, self.cubes, 0)
        self._table: T | None = None
        self._failed = ""
        self.actions = self._actions()
        self._options = Actions(len(self.actions))
        self.action_space = self._options
        seen = [*self._numbers(self._begin(0))]
        self.names = tuple(name for name, _, _ in seen)
        self.observation_space = spaces.Box(0.0, np.array([most for _, _, most in seen], np.float32))

    # What an environment must define.

    @abstractmethod
    def _actions(self) -> tuple[str, ...]:
        pass

    @abstractmethod
    def _begin(self, seed: int) -> T:
        """Return the table at the first choice, with all randomness from `seed`."""

    @abstractmethod
    def _after(self, table: T, action: int) -> tuple[T, float]:
        """Return the table at the next choice or at the end, and the reward."""

    @abstractmethod
    def _mask(self, table: T) -> Iterable[Any]:
        """Return whether each action is allowed; at the end of the game none is."""

    @abstractmethod
    def _elements(self, table: T) -> Iterable[Seen]:
        """Return the elements of the observation; names of those about the cubes inside begin with `inside`."""

    @abstractmethod
    def _figure(self, table: T) -> Any:
        pass

    @abstractmethod
    def greedy(self) -> int:
        """Return the action of a player who does not look ahead."""

    # What all environments share.

    @property
    def table(self) -> T:
        """The current table. Raises UsageError before the first reset."""
        if self._table is None:
            raise fault("the environment", "not reset yet", "one that is", "call reset() first")
        return self._table

    @property
    def observation(self) -> Array:
        """The current observation, shape (names,)."""
        return np.array([min(value, most) for _, value, most in self._numbers(self.table)], np.float32)

    def action_masks(self) -> Array:
        """Return whether each action is allowed now, as booleans, for sb3-contrib."""
        return np.array([*self._mask(self.table)], bool) & (not self._failed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode. `options` are ignored."""
        super().reset(seed=None if seed is None else check_seed(seed))
        return self.put(self._begin(int(self.np_random.integers(1 << 63))))

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Raises UsageError after the end, or for an action outside the mask unless `illegal` is "first"."""
        number, reward = self.check_action(action), 0.0
        try:
            self._table, reward = self._after(self.table, number)
        except TooManyFailedDraws as error:
            self._failed = str(error)
        info = self._info()
        return self.observation, float(reward), not (self._failed or any(info["action_mask"])), bool(self._failed), info

    def clone(self) -> Kept[T]:
        """Return the current table for `restore`. It never changes."""
        return Kept(self._identity, self.table)

    def restore(self, kept: Kept[T], *, seed: int | None = None) -> tuple[Array, dict[str, Any]]:
        """Continue from a table that `clone` returned, with its own random numbers or with those of `seed`.

        Raises UsageError for a table of another environment, other rules or another tower.
        """
        check_kind("state", kept, Kept, "a state that clone() gave", "call env.unwrapped.clone()")
        if kept.of != self._identity:
            allowed = f"one of {self._identity[0]} with these rules and this tower"
            raise fault("state", kept.of[0], allowed, "take its clone")
        if seed is None:
            return self.put(kept.table)
        return self.put(cast("T", replace(cast("Any", kept.table), seed=check_seed(seed))))

    def render(self) -> Any:
        """Return a picture of the table as bytes, shape (height, width, 3), or None without a `render_mode`."""
        if self.render_mode is None:
            return None
        figure = self._figure(self.table)
        figure.set_size_inches(*_FRAME)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def close(self) -> None:
        self.model.close()

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.game.name, self.rules, self.model.empty()

    def put(self, table: T) -> tuple[Array, dict[str, Any]]:
        """Set the table without a check."""
        self._table, self._failed = table, ""
        return self.observation, self._info()

    def _info(self) -> dict[str, Any]:
        mask = self.action_masks().astype(np.int8)
        self._options.allowed = mask
        return {"action_mask": mask.copy()} | ({"failed": self._failed} if self._failed else {})

    def check_action(self, action: Any) -> int:
        """Return the number of an action that is allowed; raises UsageError as `step` does."""
        allowed = np.flatnonzero(self.action_masks()).tolist()
        if not allowed:
            raise UsageError("the step is one after the end of the episode; allowed is none; call reset()")
        if not self._options.contains(action) or int(action) not in allowed:
            if self.illegal == "first" and self._options.contains(action):
                return allowed[0]
            words = ", ".join(f"{number} ({self.actions[number]})" for number in allowed)
            raise fault("action", action, f"one of {words}", "look at info['action_mask']")
        return int(action)

    def _numbers(self, table: T) -> Iterable[Seen]:
        for name, value, most in self._elements(table):
            if self.knowledge != "throw" or not name.startswith("inside"):
                yield name, value, most
        if self.knowledge == "state":
            state = cast("Any", table).state
            there = {x.cube.id: x for x in (*state.residents, *state.board.lying)}
            for number in range(sum(self.cubes.values())):
                lying = there.get(number)
                yield f"cube_{number}_place", self._places.get(lying.region, 0) if lying else 0, len(self._places)
                yield f"cube_{number}_age", min(state.drops - lying.since, OLDEST) if lying else 0, OLDEST

    def _begin_turn(self, seed: int, turn: int, state: Any) -> GameTower:
        self._tower.own_seed = seed
        self._tower.follow(state)
        self._tower.begin(turn)
        return self._tower


def by_colour(what: str, counts: Mapping[str, int], colours: Mapping[str, int]) -> Sequence[Seen]:
    """Return elements of the observation by colour; `colours` has the largest possible counts."""
    return [(f"{what}_{colour}", counts.get(colour, 0), most) for colour, most in colours.items()]
