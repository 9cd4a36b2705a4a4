"""An environment for push your luck: throw again, or stop and bank the points of the round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any

from tower_sim.cubes import count_by_colour
from tower_sim.env.base import Seen, TowerEnv, by_colour
from tower_sim.games import Turn
from tower_sim.games.picture import figure
from tower_sim.games.push_your_luck import GAME, MOST_THROWS, after, throw
from tower_sim.state import TowerState

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
        title = f"round {table.round}: {table.points} points, {table.banked} banked before"
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
