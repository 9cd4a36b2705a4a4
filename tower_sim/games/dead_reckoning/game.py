"""Dead Reckoning as a game of the registry. A run is a battle, and a turn is one step of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from tower_sim.apparatus import Apparatus, with_board
from tower_sim.drops import BoardModel, TooManyFailedDraws
from tower_sim.games import Game, GameTower, Turn
from tower_sim.games.dead_reckoning import battle, words
from tower_sim.games.dead_reckoning.combat import RULES_VERSION, legible
from tower_sim.games.dead_reckoning.compared import FIGURES, ComparedBattles, figure_values
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.ways import Ways
from tower_sim.tools import Column

_STEPS = 100  # a guess: the number of explosions and shakes has no limit


class DeadReckoning(Game):
    """Combats of Dead Reckoning. The `entry` of a turn is the `Battle` after its step.

    Both sides use abilities while they are behind. If a run is cut short, the last entry is the battle before that
    step.
    """

    name, title, kind, run, apparatus = "dead_reckoning", "Dead Reckoning", "battle", "battle", "dead_reckoning"
    about = "a battle: cubes fall through a ship onto a board, whose zones say what each is worth"
    version, figures, shard = RULES_VERSION, FIGURES, 300
    tables, Rules = (BattleRules.table,), BattleRules
    columns = (
        Column("side", "string", True, "side that used the ability or passed; null in other steps"),
        Column("winner", "string", True, "winner, in the last row of a battle; null everywhere else"),
    )

    def check(self, apparatus: Apparatus) -> None:
        super().check(apparatus)
        legible(with_board(apparatus).board, apparatus.name)

    def cubes(self, rules: BattleRules) -> dict[str, int]:
        return {colour: sum(rules.stock(colour)) for colour in rules.colours}

    def play(self, tower: GameTower, rules: BattleRules) -> Iterator[Turn]:
        """Step i of run r draws from SeedSequence(seed, spawn_key=(r, i)); a run without a number has r = 0."""
        model = cast("BoardModel", tower.model)
        first = now = battle.start(model, rules, tower.seed, tower.run or 0)
        try:
            for now in battle.play(model, first, dict.fromkeys(rules.cubes, battle.when_behind)):
                step = now.steps[-1]
                facts = {"side": step.side or None, "winner": now.result().winner if now.over else None}
                tower.follow(now.state)
                yield Turn(facts=facts, kind=step.kind, entry=now)
        except TooManyFailedDraws as error:
            kind = battle.due(now)
            facts = {"side": now.turn} if kind == "ability" else {}
            yield Turn(facts=facts, kind=kind, entry=now, failed=error)

    def measured(self, turns: Sequence[Turn], rules: BattleRules) -> tuple[float, ...]:
        return figure_values(turns[-1].entry)

    def most_cubes(self, rules: BattleRules) -> int:
        return sum(rules.cubes.values())

    def turns(self, rules: BattleRules) -> int:
        return _STEPS

    def summary(self, turns: Sequence[Turn], rules: BattleRules) -> str:
        if turns[-1].failed is not None:
            return f"\nThe battle was cut short, and nobody won: {turns[-1].failed}."
        return words.battle_summary(turns[-1].entry)

    def draw(
        self, turns: Sequence[Turn], rules: BattleRules, apparatus: Apparatus, path: str | Path, *, title: str
    ) -> None:
        from tower_sim.games.dead_reckoning.picture import draw_board

        draw_board(with_board(apparatus), turns[-1].state, path, title=title)

    def compared(self, rules: tuple[BattleRules, BattleRules]) -> ComparedBattles:
        return ComparedBattles(self, rules)

    @property
    def ways(self) -> Ways:
        from tower_sim.games.dead_reckoning.ways import BattleWays

        return BattleWays(self)


GAME = DeadReckoning()
