"""The commands of Amerigo: its lines on the terminal and its JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tower_sim.games import Turn, telling
from tower_sim.games.amerigo import words
from tower_sim.games.amerigo.answers import AmerigoGame
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.amerigo.phases import game_json
from tower_sim.games.amerigo.rules import Rules
from tower_sim.games.ways import Ways


class AmerigoWays(Ways):
    """The reports and the document of Amerigo."""

    description = ComparedGames

    def types(self) -> list[Any]:
        return [AmerigoGame, telling.odds_type(self.game)]

    def head(self, rules: Rules, *, apparatus: str, model: str, seed: int) -> str:
        return f"{words.game_title(rules, apparatus, model, seed)}\n{words.game_head(rules)}"

    def line(self, turn: Turn, rules: Rules) -> str:
        return f"{turn.index:4} {turn.failed}" if turn.failed else words.game_line(turn.entry)

    def document_of(self, turns: Sequence[Turn], rules: Rules, *, apparatus: str, model: str, seed: int) -> AmerigoGame:
        entries = [turn.entry for turn in turns if turn.failed is None]
        return game_json(entries, seed=seed, model=model, apparatus=apparatus, rules=rules)

    def expected(self, rules: Rules) -> int:
        return rules.drops

    def caption(self, rules: Rules, *, apparatus: str, model: str, seed: int) -> str:
        return f"{self.game.title}, tower {apparatus}, {model}, seed {seed}"
