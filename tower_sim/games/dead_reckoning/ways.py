"""The commands of Dead Reckoning: its reports, JSON documents and statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tower_sim.games import Turn
from tower_sim.games.dead_reckoning import words
from tower_sim.games.dead_reckoning.answers import BattleAnswer, BattleOddsAnswer
from tower_sim.games.dead_reckoning.odds import BattleOdds
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.dead_reckoning.words import battle_json, setup_json
from tower_sim.games.odds import ManyRuns
from tower_sim.games.ways import Ways


class BattleWays(Ways):
    """The reports and documents of a battle."""

    turns = "steps"
    picture = "the board with the cubes"

    def head(self, rules: BattleRules, *, apparatus: str, model: str, seed: int) -> str:
        return words.head_words(setup_json(rules, seed=seed, model=model, apparatus=apparatus))

    def line(self, turn: Turn, rules: BattleRules) -> str:
        if turn.failed is not None:
            return f"{turn.index:3}  {turn.kind}: {turn.failed}"
        return words.step_line(turn.index, turn.entry.steps[-1], rules)

    def document_of(
        self, turns: Sequence[Turn], rules: BattleRules, *, apparatus: str, model: str, seed: int
    ) -> BattleAnswer:
        return battle_json(turns[-1].entry)

    def types(self) -> list[Any]:
        return [BattleAnswer, BattleOddsAnswer]

    def odds(self) -> ManyRuns:
        return BattleOdds()
