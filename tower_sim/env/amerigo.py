"""An environment for the phases of Amerigo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tower_sim.env.base import Seen, TowerEnv, by_colour
from tower_sim.errors import check_number, check_whole
from tower_sim.games import Turn
from tower_sim.games.amerigo import GAME, Tokens, game_figure, options, play_drop
from tower_sim.values import Cube, TowerState, count_by_colour

NEED, GOLD = 20, 0.5  # assumptions: see AmerigoPhasesEnv
_MOST_NEED = 1_000
_SHOWN = 14  # drops in a picture


@dataclass(frozen=True, slots=True)
class PhasesTable:
    """The situation at the choice of one phase.

    `turns` are the drops so far; the last is that of this phase. `need` has the action points that are still useful,
    by colour. `waiting` are the cubes that a knock released.
    """

    seed: int
    turns: tuple[Turn, ...]
    need: Mapping[str, int]
    waiting: tuple[Cube, ...] = ()
    has_token: bool = True
    is_over: bool = False

    @property
    def state(self) -> TowerState:
        return self.turns[-1].state


class AmerigoPhasesEnv(TowerEnv[PhasesTable]):
    """An environment in which one player chooses in every phase of Amerigo in which a cube comes out.

    The choices are an action of a colour that came out, gold, or once the token for victory points
    (`games.amerigo.options`). The rewards are our assumption: 1 for an action point until `need` points of its colour
    are reached, then 0; and `gold` for a piece of gold or a victory point.
    """

    game = GAME

    def __init__(
        self, rules: Mapping[str, Any] | None = None, *, need: int = NEED, gold: float = GOLD, **options: Any
    ) -> None:
        self._need, self._gold = check_whole("need", need, 0, _MOST_NEED), check_number("gold", gold, 0, _MOST_NEED)
        super().__init__(rules, **options)

    @property
    def _identity(self) -> tuple[object, ...]:
        return *super()._identity, self._need, self._gold

    def _actions(self) -> tuple[str, ...]:
        return "gold", *(f"action {colour}" for colour in self.rules.colours), "token"

    def _begin(self, seed: int) -> PhasesTable:
        need = dict.fromkeys(self.rules.colours, self._need)
        return self._next(self._drop(PhasesTable(seed, (), need), self.model.empty()))

    def _drop(self, table: PhasesTable, state: TowerState) -> PhasesTable:
        number = len(table.turns)
        tower = self._begin_turn(table.seed, number, state)
        turn, waiting = play_drop(tower, self.rules, number, table.waiting)
        turn = replace(turn, index=number, state=tower.state, outcomes=tower.outcomes)
        return replace(table, turns=(*table.turns, turn), waiting=waiting)

    def _next(self, table: PhasesTable) -> PhasesTable:
        while len(table.turns) < self.rules.drops:
            table = self._drop(table, table.state)
            if not table.turns[-1].facts["skipped"]:
                return table
        return replace(table, is_over=True)

    def _worths(self, table: PhasesTable) -> list[float | None]:
        if table.is_over:
            return [None] * len(self.actions)
        offer = options(table.turns[-1].thrown_out, self.rules, tokens=Tokens(victory_points=table.has_token))
        points = {choice.action: float(min(choice.points, table.need[choice.action])) for choice in offer.choices}
        token = self._gold * offer.victory_points if table.has_token else None
        return [self._gold * offer.gold, *(points.get(colour) for colour in self.rules.colours), token]

    def _after(self, table: PhasesTable, action: int) -> tuple[PhasesTable, float]:
        worth = self._worths(table)[action] or 0.0
        action_colour = self.rules.colours[action - 1] if 0 < action < len(self.actions) - 1 else ""
        need = {colour: left - int(worth) * (colour == action_colour) for colour, left in table.need.items()}
        has_token = table.has_token and action < len(self.actions) - 1
        return self._next(replace(table, need=need, has_token=has_token)), worth

    def _mask(self, table: PhasesTable) -> list[bool]:
        return [worth is not None for worth in self._worths(table)]

    def _elements(self, table: PhasesTable) -> Iterator[Seen]:
        yield "phase", table.turns[-1].index, self.rules.drops
        yield "token", table.has_token, 1
        yield from by_colour("need", table.need, dict.fromkeys(self.rules.colours, self._need))
        yield from by_colour("out", table.turns[-1].thrown_out, self.cubes)
        yield from by_colour("inside", count_by_colour(table.state.cubes), self.cubes)

    def _figure(self, table: PhasesTable) -> Any:
        now = table.turns[-1].facts
        return game_figure(table.turns[-_SHOWN:], self.rules, f"round {now['round']}, phase {now['phase']}")

    def greedy(self) -> int:
        worths = self._worths(self.table)
        return max(range(len(worths)), key=lambda action: -1.0 if worths[action] is None else worths[action] or 0.0)
