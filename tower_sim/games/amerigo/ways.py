"""The commands of Amerigo: its lines on the terminal, its JSON document, and its request of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tower_sim.contract import DropModel
from tower_sim.games.amerigo import words
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.amerigo.phases import SCHEMA, VERSION, game_json
from tower_sim.games.amerigo.rules import Rules
from tower_sim.games.knocks import check_knocks
from tower_sim.games.turn import Turn
from tower_sim.games.ways import Asked, Ways, check_words


class AmerigoWays(Ways):
    """The reports, document and requests of Amerigo. A request also has the fields `rounds` and `knocks`."""

    request = "game"
    fields = ("rules", "rounds", "knocks")
    document = (SCHEMA, VERSION)

    def head(self, rules: Rules, *, apparatus: str, model: str, seed: int) -> str:
        """Return the heading of a game."""
        return f"{words.game_title(rules, apparatus, model, seed)}\n{words.game_head(rules)}"

    def line(self, turn: Turn, rules: Rules) -> str:
        """Return one drop as a line of text."""
        return f"{turn.index:4} {turn.failed}" if turn.failed else words.game_line(turn.entry, rules)

    def document_of(
        self, turns: Sequence[Turn], rules: Rules, *, apparatus: str, model: str, seed: int
    ) -> dict[str, Any]:
        """Return the JSON document of a game, without a failed turn."""
        entries = [turn.entry for turn in turns if turn.failed is None]
        return game_json(entries, seed=seed, model=model, apparatus=apparatus, rules=rules)

    def compared(self, rules: tuple[Rules, Rules]) -> ComparedGames:
        """Return the description of two variants of Amerigo for a comparison."""
        return ComparedGames(self.game, rules)

    def of_fields(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """Return the game that a request asks for, with its fields `rounds` and `knocks` in the rules."""
        base = super().of_fields(given, asked)
        rules: Rules = base.rules.but(**{name: given[name] for name in ("rounds", "knocks") if name in given})
        check_words("colours", rules.colours)
        return replace(base, rules=rules)

    def check(self, model: DropModel, rules: Rules) -> None:
        """Raise UsageError if `model` has no knocks or does not allow one of the strengths."""
        check_knocks(model, rules.knocks)

    def expected(self, rules: Rules) -> int:
        """Return the number of drops."""
        return rules.drops

    def caption(self, rules: Rules, *, apparatus: str, model: str, seed: int) -> str:
        """Return the title of the picture of a game."""
        return f"{self.game.title}, tower {apparatus}, {model}, seed {seed}"
