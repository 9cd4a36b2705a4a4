"""The commands of Dead Reckoning: its reports, JSON document, request of the service, and statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from tower_sim.games.dead_reckoning import words
from tower_sim.games.dead_reckoning.compared import ComparedBattles
from tower_sim.games.dead_reckoning.odds import BattleOdds
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.dead_reckoning.words import SCHEMA, VERSION, battle_json, setup_json
from tower_sim.games.odds import ManyRuns
from tower_sim.games.rules import read
from tower_sim.games.turn import Turn
from tower_sim.games.ways import Asked, Ways, check_words

_KEYS = {"kind": "combat"}  # fields of a request that have another name in the rules


class BattleWays(Ways):
    """The reports, document and requests of a battle.

    A request has the keys of the table `battle`, with `kind` in the place of `combat`.
    """

    request = "battle"
    fields = ("cubes", "kind", "active", "sides", "provoked", "abilities", "rulings")
    document = (SCHEMA, VERSION)
    turns = "steps"
    picture = "the board with the cubes"

    def head(self, rules: BattleRules, *, apparatus: str, model: str, seed: int) -> str:
        """Return the heading of a battle."""
        return words.head_words(setup_json(rules.setup, seed=seed, model=model, apparatus=apparatus))

    def line(self, turn: Turn, rules: BattleRules) -> str:
        """Return one step as a line of text."""
        if turn.failed is not None:
            return f"{turn.index:3}  {turn.kind}: {turn.failed}"
        return words.step_line(turn.index, turn.entry.steps[-1], rules.setup)

    def document_of(
        self, turns: Sequence[Turn], rules: BattleRules, *, apparatus: str, model: str, seed: int
    ) -> dict[str, Any]:
        """Return the JSON document of a battle."""
        return battle_json(turns[-1].entry)

    def compared(self, rules: tuple[BattleRules, BattleRules]) -> ComparedBattles:
        """Return the description of two variants of a battle for a comparison."""
        return ComparedBattles(self.game, rules)

    def of_fields(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """Return the battle that a request asks for.

        The field `kind` is the kind of combat. A null in a side counts as left out.
        """
        table: dict[str, Any] = {"cubes": {}, **{_KEYS.get(key, key): value for key, value in given.items()}}
        if isinstance(sides := table.get("sides"), dict):
            table["sides"] = {colour: _there(side) for colour, side in cast("dict[str, Any]", sides).items()}
        rules = read(BattleRules, table)
        check_words("cubes", [*rules.cubes])
        return Asked(rules)

    def expected(self, rules: BattleRules) -> None:
        """Return None: the number of explosions and shakes is not known."""

    def odds(self) -> ManyRuns:
        """Return statistics over battles, still without any battle."""
        return BattleOdds()


def _there(side: object) -> object:
    if not isinstance(side, dict):
        return side
    return {key: value for key, value in cast("dict[str, Any]", side).items() if value is not None}
