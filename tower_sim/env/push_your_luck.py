"""Environments for push your luck: one game, or many at once by the kernel of the surrogate (the fast fitted model)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tower_sim.env.base import Seen, TowerEnv, by_colour
from tower_sim.errors import check_whole, fault
from tower_sim.games import Turn, figure
from tower_sim.games.push_your_luck import GAME, MOST_THROWS, LuckRules, after, throw
from tower_sim.runs import Array
from tower_sim.surrogate import ManyTowers
from tower_sim.tools import count_noun
from tower_sim.values import TowerState, check_seed, count_by_colour

THROW, STOP = 0, 1
_SHOWN = 14  # throws in a picture


@dataclass(frozen=True, slots=True)
class LuckTable:
    """The situation at a choice. `points` and `throws` count in the current round, `banked` in all rounds before."""

    seed: int
    state: TowerState
    round: int = 1
    points: int = 0
    throws: int = 0
    banked: int = 0
    turns: tuple[Turn, ...] = ()

    def ended(self, banked: int) -> LuckTable:
        return replace(self, round=self.round + 1, points=0, throws=0, banked=self.banked + banked)


class PushYourLuckEnv(TowerEnv[LuckTable]):
    """An environment in which the player throws again for gold, or stops before black cubes come out.

    The reward is the points banked. The rules `policy` and `at` have no effect.
    """

    game = GAME

    def _actions(self) -> tuple[str, ...]:
        return "throw", "stop"

    def _begin(self, seed: int) -> LuckTable:
        return LuckTable(seed, self.model.empty())

    def _after(self, table: LuckTable, action: int) -> tuple[LuckTable, float]:
        if action == STOP:
            return table.ended(table.points), table.points
        tower = self._begin_turn(table.seed, len(table.turns), table.state)
        points, is_lost = after(table.points, *throw(tower, self.rules), self.rules)
        turn = Turn(index=len(table.turns), state=tower.state, outcomes=tower.outcomes)
        thrown = replace(table, state=tower.state, points=points, throws=table.throws + 1, turns=(*table.turns, turn))
        return (thrown.ended(0) if is_lost else thrown), 0.0

    def _mask(self, table: LuckTable) -> tuple[bool, bool]:
        is_on = table.round <= self.rules.rounds
        return is_on and table.throws < MOST_THROWS, is_on and table.throws > 0

    def _elements(self, table: LuckTable) -> Iterator[Seen]:
        yield "round", table.round, self.rules.rounds + 1
        yield "points", table.points, MOST_THROWS * self.rules.gold
        yield "throws", table.throws, MOST_THROWS
        yield from by_colour("out", table.turns[-1].out if table.turns else {}, self.cubes)
        yield from by_colour("inside", count_by_colour(table.state.cubes), self.cubes)

    def _figure(self, table: LuckTable) -> Any:
        turns = table.turns[-_SHOWN:] or (Turn(state=table.state),)
        title = f"round {table.round}: {count_noun(table.points, 'point')}, {table.banked} banked before"
        return figure(turns, [*self.cubes], title)

    def greedy(self) -> int:
        """Return the action with more points on average, if every thrown cube came straight out."""
        table, rules = self.table, self.rules
        inside = count_by_colour(table.state.cubes)
        gold, black = (count - inside.get(colour, 0) for colour, count in self.cubes.items())
        number = min(rules.throw, gold + black)
        ways = {k: comb(black, k) * comb(gold, number - k) for k in range(min(rules.curse, number + 1))}  # not lost
        ahead = sum(way * (table.points + number - k) for k, way in ways.items()) / comb(gold + black, number)
        throws_again = table.throws == 0 or (ahead > table.points and table.throws < MOST_THROWS)
        return THROW if throws_again else STOP


MOST_ENVS = 1_000_000
_ACTIONS = (THROW, STOP)


class PushYourLuckVectorEnv(VectorEnv[Array, Array, Array]):
    """A vector of `num_envs` games of `PushYourLuckEnv` with the knowledge "table"; see `gymnasium.make_vec`.

    A finished game begins again in the next step (`AutoresetMode.NEXT_STEP`). `info["action_mask"]` has shape
    (num_envs, 2). With the same seed the games differ from those of `PushYourLuckEnv`.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        rules: Mapping[str, Any] | None = None,
        *,
        apparatus: str = "",
        model: str = "surrogate",
    ) -> None:
        alone: Any = PushYourLuckEnv(rules, apparatus=apparatus, model=model)
        if not hasattr(alone.model, "table"):
            raise fault("model", model, "a surrogate: many games are played by its kernel", "leave it out")
        self.num_envs, self._model = check_whole("num_envs", num_envs, 1, MOST_ENVS), alone.model
        self.rules: LuckRules = alone.rules
        self.names: tuple[str, ...] = alone.names
        self.single_observation_space, self.single_action_space = alone.observation_space, spaces.Discrete(2)
        self.observation_space = batch_space(alone.observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._cubes = np.array([*alone.cubes.values()])
        self._towers: ManyTowers | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """`options` are ignored."""
        super().reset(seed=None if seed is None else check_seed(seed))
        most = self.rules.rounds * MOST_THROWS
        total = int(self._cubes.sum())
        self._towers = ManyTowers(self._model, self.num_envs, total, 2, most, self.np_random)
        self._round = np.ones(self.num_envs, int)
        self._points, self._throws = np.zeros((2, self.num_envs), int)
        self._out = np.zeros((self.num_envs, 2), int)
        return self._observation(), self._info()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Raises UsageError if the mask of a game that is not over forbids its action."""
        if self._towers is None:
            raise fault("the environment", "not reset yet", "one that is", "call reset() first")
        argument = actions
        try:
            actions = np.asarray(argument)
        except ValueError:  # lists of several lengths
            actions = np.array(None)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "biu" or not np.isin(actions, _ACTIONS).all():
            allowed = f"{self.num_envs} whole numbers or booleans, each 0 (throw) or 1 (stop)"
            raise fault("actions", cast("object", argument), allowed, "give one for each game")
        actions = actions.astype(int)
        over, mask = self._over, self._mask()
        if (wrong := np.flatnonzero(~mask[np.arange(self.num_envs), actions] & ~over)).size:
            what = f"action of game {wrong[0]}"
            raise fault(what, int(actions[wrong[0]]), "one of its mask", "look at info['action_mask']")
        stops, throws = (actions == STOP) & ~over, (actions == THROW) & ~over
        self._towers.empty(over)
        self._round[over] = 1
        self._out[over] = 0
        outside = self._cubes - self._towers.inside
        number = np.where(throws, np.minimum(self.rules.throw, outside.sum(1)), 0)
        gold = self.np_random.hypergeometric(outside[:, 0], outside[:, 1], number)
        out = self._towers.throw(np.stack([gold, number - gold], 1))
        self._out = np.where(throws[:, None], out, self._out)
        points, is_lost = after(self._points, out[:, 0], out[:, 1], self.rules)
        rewards = np.where(stops, self._points, 0).astype(float)
        is_round_over = stops | (throws & is_lost)
        self._round += is_round_over
        self._points = np.where(is_round_over | over, 0, points)
        self._throws = np.where(is_round_over | over, 0, self._throws + throws)
        return self._observation(), rewards, self._over, np.zeros(self.num_envs, bool), self._info()

    @property
    def _over(self) -> Array:
        return self._round > self.rules.rounds

    def _mask(self) -> Array:
        return np.stack([self._throws < MOST_THROWS, self._throws > 0], 1) & ~self._over[:, None]

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask().astype(np.int8)}

    def _observation(self) -> Array:
        assert self._towers is not None
        table = np.stack([self._round, self._points, self._throws], 1)
        return np.hstack([table, self._out, self._towers.inside]).astype(np.float32)
