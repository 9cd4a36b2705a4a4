"""An environment for the phases of Amerigo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tower_sim.env.base import Seen, TowerEnv, by_colour
from tower_sim.errors import check_number, check_whole
from tower_sim.games.amerigo import GAME, DropEntry, Tokens, cleared, drop, game_figure, options, start
from tower_sim.values import TowerState, count_by_colour

NEED, GOLD = 20, 0.5  # assumptions: see AmerigoPhasesEnv
_MOST_NEED = 1_000
_SHOWN = 14  # drops in a picture


@dataclass(frozen=True, slots=True)
class PhasesTable:
    """The situation at the choice of one phase.

    `entries` are the drops so far; the last is that of this phase. `need` has the action points that are still useful,
    by colour.
    """

    seed: int
    entries: tuple[DropEntry, ...]
    need: Mapping[str, int]
    has_token: bool = True
    is_over: bool = False

    @property
    def state(self) -> TowerState:
        return self.entries[-1].state.tower


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
        game = start(self.model, self.rules)
        first = drop(self._begin_turn(seed, 0, game.tower), game)
        return self._next(PhasesTable(seed, (first,), dict.fromkeys(self.rules.colours, self._need)))

    def _next(self, table: PhasesTable) -> PhasesTable:
        while True:
            game = cleared(table.entries[-1].state)
            if game.over:
                return replace(table, is_over=True)
            entry = drop(self._begin_turn(table.seed, game.index, game.tower), game)
            table = replace(table, entries=(*table.entries, entry))
            if not entry.skipped:
                return table

    def _worths(self, table: PhasesTable) -> list[float | None]:
        if table.is_over:
            return [None] * len(self.actions)
        offer = options(table.entries[-1].emerged, self.rules, tokens=Tokens(victory_points=table.has_token))
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
        entry = table.entries[-1]
        yield "phase", entry.index, self.rules.drops
        yield "token", table.has_token, 1
        yield from by_colour("need", table.need, dict.fromkeys(self.rules.colours, self._need))
        yield from by_colour("out", entry.emerged, self.cubes)
        yield from by_colour("inside", count_by_colour(table.state.cubes), self.cubes)

    def _figure(self, table: PhasesTable) -> Any:
        entries = table.entries[-_SHOWN:]
        return game_figure(entries, self.rules, f"round {entries[-1].round}, phase {entries[-1].phase}")

    def greedy(self) -> int:
        worths = self._worths(self.table)
        return max(range(len(worths)), key=lambda action: -1.0 if worths[action] is None else worths[action] or 0.0)
