"""An environment for any game that asks its player: questions, masked actions, observations, copies, pictures.

    reset -> question -> mask -> action = answer -> turns -> reward and next question -> ... -> a mask of zeros

All randomness follows from the seed of a run and the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tower_sim.apparatus import load, with_board
from tower_sim.drops import TooManyFailedDraws
from tower_sim.errors import UsageError, check_kind, check_one, fault
from tower_sim.games import Decision, Game, Turn, board_figure, figure
from tower_sim.models import open_model
from tower_sim.results import Array
from tower_sim.tools import registry
from tower_sim.values import Outcome, TowerState, check_seed

KNOWLEDGE = ("throw", "table", "state")
"""The observation: `throw` hides the cubes inside, `table` counts them by colour, `state` adds every place and age."""
ILLEGAL = ("error", "first")
"""What a forbidden action does: it raises UsageError, or the first allowed action replaces it."""
OLDEST = 255  # drops: the largest age of a cube in an observation
_FRAME = (7.0, 4.5)  # inches: the size of all pictures
_SHOWN = 14  # turns in a picture

Seen = tuple[str, float, float]  # an element of the observation: name, value, largest value
Reward = str | Callable[[Turn, str], float]


class Actions(spaces.Discrete[np.int64]):
    """The numbered actions; `sample` draws by default one that is allowed now."""

    allowed: Array

    def sample(self, mask: Array | None = None, probability: Array | None = None) -> np.int64:
        return super().sample(self.allowed if mask is None and probability is None else mask, probability)


@dataclass(frozen=True, slots=True)
class Position:
    """All of a game at a question, or at its end, where `question` is None.

    It is the run of `seed` with these `answers`: its `turns` so far, and the turn `now` in which the question comes.
    `outcomes` are those of the model. `seeds` replace the seed, each after a number of answers. `of` identifies the
    game, rules, tower and player.
    """

    of: tuple[object, ...]
    seed: int
    answers: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    turns: tuple[Turn, ...] = ()
    now: Turn = field(default_factory=Turn)
    question: Decision | None = None
    seeds: tuple[tuple[int, int], ...] = ()

    @property
    def state(self) -> TowerState:
        return self.now.state

    @property
    def seen(self) -> Mapping[str, tuple[float, float]]:
        return self.question.seen if self.question else {}


class Tape:
    """A model that repeats its recorded `outcomes` before it draws more; it keeps those."""

    def __init__(self, model: Any, outcomes: Sequence[Outcome]) -> None:
        self.outcomes = [*outcomes]
        self._model, self._done = model, 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._model, name)
        if name not in ("drop", "knock", "place"):
            return method

        def act(*arguments: Any) -> Outcome:
            if self._done == len(self.outcomes):
                self.outcomes.append(method(*arguments))
            self._done += 1
            return self.outcomes[self._done - 1]

        return act


class GameEnv(gymnasium.Env[Array, Any]):
    """An environment for a game that asks: one that ships, or a Python file of a user; see `gymnasium.Env`.

    An action is one of the game's options, in the order of `actions`. `info["action_mask"]` has a 1 for every one that
    is allowed. The observation is a vector of float32 whose elements have the `names`: the numbers that the question
    shows, 0 at the end, the cubes that came out last, those inside, and those on a board by place. Five failed draws in
    a row truncate the episode.

    Args:
        of: The game, its name or its file.
        reward: The fact whose sum over the turns after an answer is its reward, or a function of a turn and the player.
        rules: The rules to change.
        player: The player who acts, by default the game's first.
        others: A function that answers for the other players; by default they give the usual answers.
        model, apparatus: Arguments of `open_model`.
        knowledge, illegal: One of KNOWLEDGE and of ILLEGAL.
        render_mode: None or `rgb_array`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}

    def __init__(
        self,
        of: Game | str,
        reward: Reward,
        rules: Mapping[str, Any] | None = None,
        *,
        player: str = "",
        others: Callable[[Decision], str] = lambda question: question.usual,
        model: str = "surrogate",
        apparatus: str = "",
        knowledge: str = "table",
        illegal: str = "error",
        render_mode: str | None = None,
    ) -> None:
        self.game: Game = registry.get("game", of) if isinstance(of, str) else of
        self.knowledge = check_one("knowledge", knowledge, KNOWLEDGE)
        self.illegal = check_one("illegal", illegal, ILLEGAL)
        self.render_mode = None if render_mode is None else check_one("render_mode", render_mode, ["rgb_array"])
        numbers = [name for name, kind in self.game.facts.items() if kind in (int, float)]
        self.reward = check_one("reward", reward, numbers) if isinstance(reward, str) else reward
        self.rules: Any = self.game.read({self.game.tables[0]: rules or {}})
        self.players = self.game.players(self.rules) or ("",)
        self.player = check_one("player", player or self.players[0], self.players)
        self.asked, self._others = {self.player}, others
        self.shape = load(apparatus or self.game.apparatus)
        self.game.check(self.shape)
        self.model: Any = open_model(self.shape, model)
        self.actions = self.game.list_options(self.model, self.rules)
        if not self.actions:
            raise fault("game", self.game.name, "one that asks", "let its play yield a Decision, and list its options")
        self.cubes = dict(self.game.cubes(self.rules))
        self._board = self.shape.board.places if self.shape.board else ()
        regions = (region.name for region in self.shape.regions)
        self._places = {place: i for i, place in enumerate((*regions, *self._board[:-2]), 1)}
        self._position: Position | None = None
        self._live: Position | None = None
        self._failed, self._identity = "", (self.game.name, self.rules, self.model.empty(), self.player)
        self._options = Actions(len(self.actions))
        self.action_space = self._options
        first = self._begin(0)
        self._most = {name: most for name, (_, most) in first.seen.items()}
        elements = [*self._elements(first)]
        self.names = tuple(name for name, _, _ in elements)
        self.observation_space = spaces.Box(0.0, np.array([most for _, _, most in elements], np.float32))

    @property
    def position(self) -> Position:
        """The current position. Raises UsageError before the first reset."""
        if self._position is None:
            raise fault("the environment", "not reset yet", "one that is", "call reset() first")
        return self._position

    @property
    def observation(self) -> Array:
        """The current observation, shape (names,)."""
        return np.array([min(max(value, 0), most) for _, value, most in self._elements(self.position)], np.float32)

    def action_masks(self) -> Array:
        """Return whether each action is allowed now, as booleans, for sb3-contrib."""
        question = self.position.question
        options = () if question is None or self._failed else question.options
        return np.array([action in options for action in self.actions], bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode. `options` are ignored."""
        super().reset(seed=None if seed is None else check_seed(seed))
        return self._put(self._begin(int(self.np_random.integers(1 << 63))))

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Answer. Raises UsageError after the end, or for a forbidden action unless `illegal` is "first"."""
        number, before = self._check_action(action), self.position
        try:
            self._position = self._answer(before, self.actions[number])
        except TooManyFailedDraws as error:
            self._failed = str(error)
        new, info = self.position.turns[len(before.turns) :], self._info()
        is_over = self.position.question is None and not self._failed
        return self.observation, self.worth(new, self.player), is_over, bool(self._failed), info

    def worth(self, turns: Sequence[Turn], player: str) -> float:
        """Return the reward of `player` for these turns."""
        reward = self.reward
        of = [turn.facts.get(reward) or 0 if isinstance(reward, str) else reward(turn, player) for turn in turns]
        return float(sum(of))

    def usual(self) -> int:
        """Return the usual answer."""
        question = self.position.question
        return 0 if question is None else self.actions.index(question.usual)

    def clone(self) -> Position:
        """Return the current position for `restore`. It never changes."""
        return self.position

    def restore(self, position: Position, *, seed: int | None = None) -> tuple[Array, dict[str, Any]]:
        """Continue from a position that `clone` returned, with its own random numbers or with those of `seed`.

        Raises UsageError for a position of another environment, other rules or another tower.
        """
        check_kind("state", position, Position, "a state that clone() gave", "call env.unwrapped.clone()")
        if position.of != self._identity:
            allowed = f"one of {self.game.name} with these rules and this tower"
            raise fault("state", position.of[0], allowed, "take its clone")
        if seed is not None:
            position = replace(position, seeds=(*position.seeds, (len(position.answers), check_seed(seed))))
        return self._put(position)

    def render(self) -> Any:
        """Return a picture of the position as bytes, shape (height, width, 3), or None without a `render_mode`."""
        if self.render_mode is None:
            return None
        position = self.position
        turns = [*position.turns, *[position.now] * bool(position.now.outcomes or not position.turns)][-_SHOWN:]
        title = f"{self.game.title}, turn {turns[-1].index}"
        if self._board:
            picture = board_figure(with_board(self.shape), position.state, title)
        else:
            picture = figure(turns, [*self.cubes], title)
        picture.set_size_inches(*_FRAME)
        canvas = FigureCanvasAgg(picture)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def close(self) -> None:
        self.model.close()

    def _put(self, position: Position) -> tuple[Array, dict[str, Any]]:
        self._position, self._failed = position, ""
        return self.observation, self._info()

    def _info(self) -> dict[str, Any]:
        mask = self.action_masks().astype(np.int8)
        self._options.allowed = mask
        return {"action_mask": mask.copy()} | ({"failed": self._failed} if self._failed else {})

    def _check_action(self, action: Any) -> int:
        allowed = np.flatnonzero(self.action_masks()).tolist()
        if not allowed:
            raise UsageError("the step is one after the end of the episode; allowed is none; call reset()")
        if not self._options.contains(action) or int(action) not in allowed:
            if self.illegal == "first" and self._options.contains(action):
                return allowed[0]
            words = ", ".join(f"{number} ({self.actions[number]})" for number in allowed)
            raise fault("action", action, f"one of {words}", "look at info['action_mask']")
        return int(action)

    # The run goes on in a generator, which cannot be copied: another position is played again from its outcomes.

    def _begin(self, seed: int) -> Position:
        return self._answer(Position(self._identity, seed), None)

    def _answer(self, position: Position, answer: str | None) -> Position:
        """Return the position at the next question to the player, or at the end."""
        if position is not self._live:
            self._open(position)
        self._live, answers, turns = None, position.answers, position.turns
        while True:
            answers += () if answer is None else (answer,)
            new, question = self._send(answer)
            turns += new
            if question is None or question.player in self.asked:
                break
            answer = self._others(question)
        now = Turn(index=self._tower.turn, state=self._tower.state, outcomes=self._tower.outcomes)
        outcomes = (*self._tape.outcomes,)
        self._live = replace(position, answers=answers, outcomes=outcomes, turns=turns, now=now, question=question)
        return self._live

    def _open(self, position: Position) -> None:
        """Begin the run of a position, and play up to its question if it has one."""
        self._tape = Tape(self.model, position.outcomes)
        self._tower = self.game.open_tower(cast("Any", self._tape), self.rules, position.seed)
        self._run = self.game.ask(self._tower, self.rules)
        for number, answer in enumerate((None, *position.answers) if position.question else ()):
            self._send(answer)
            for seed in (seed for after, seed in position.seeds if after == number):
                self._tower.reseed(seed)

    def _send(self, answer: str | None) -> tuple[tuple[Turn, ...], Decision | None]:
        """Return the turns up to the next question, and that question, None at the end."""
        turns: list[Turn] = []
        try:
            event = self._run.send(answer)
            while isinstance(event, Turn):
                if event.failed is not None:
                    raise event.failed
                turns.append(event)
                event = self._run.send(None)
        except StopIteration:
            event = None
        return (*turns,), event

    def _elements(self, position: Position) -> Iterator[Seen]:
        seen, known = position.seen, [*self._most]
        if position.question and [*seen] != known:
            raise fault("numbers of a question", [*seen], f"those of the first: {known}", "show them in each")
        yield from ((name, seen[name][0] if seen else 0, most) for name, most in self._most.items())
        last = position.now if position.now.outcomes or not position.turns else position.turns[-1]
        if not self._board:
            yield from self._by_colour("out", last.out)
        if self.knowledge != "throw":
            yield from self._by_colour("inside", position.now.inside)
        by_place = position.state.board.by_place
        for place in self._board:
            yield from self._by_colour(place, by_place.get(place, {}))
        if self.knowledge == "state":
            there = {x.cube.id: x for x in (*position.state.residents, *position.state.board.lying)}
            for number in range(sum(self.cubes.values())):
                cube = there.get(number)
                yield f"cube_{number}_place", self._places.get(cube.region, 0) if cube else 0, len(self._places)
                yield f"cube_{number}_age", min(position.state.drops - cube.since, OLDEST) if cube else 0, OLDEST

    def _by_colour(self, what: str, counts: Mapping[str, int]) -> Iterator[Seen]:
        yield from ((f"{what}_{colour}", counts.get(colour, 0), most) for colour, most in self.cubes.items())
