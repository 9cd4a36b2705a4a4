"""Dead Reckoning as a game of the registry. A run is a battle, and a turn is one step of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus import Apparatus, with_board
from tower_sim.drops import BoardModel, TooManyFailedDraws
from tower_sim.errors import fault
from tower_sim.games import Game, GameTower, Turn
from tower_sim.games.compared import Compared, leaves
from tower_sim.games.dead_reckoning import battle
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.combat import RULES_VERSION, legible
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.dead_reckoning.words import (
    NUMBERS,
    describe_result,
    describe_rules,
    describe_step,
    list_consequences,
)
from tower_sim.games.ways import Ways
from tower_sim.runs import SUM, Figure
from tower_sim.tools import Column

_UNITS = {"choice": "goods", "damage_given": "damage", "damage_taken": "damage"}
_OF_SIDES = [(key, title, side) for key, title in NUMBERS.items() for side in ("active", "other")]

FIGURES = (
    Figure("active_wins", "the active side wins", "1", of="active_wins"),
    *(
        Figure(f"{key}_{side}", f"{title} ({side})", _UNITS.get(key, key), of=f"{key}_{side}")
        for key, title, side in _OF_SIDES
    ),
    Figure("explosions", "explosions", "explosions", of="explosion", take=SUM),
    Figure("throws", "throws into the ship", "throws", of="through_ship", take=SUM),
)


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
        *(Column(name, kind, True, text, studied=False) for name, kind, text in (
            ("ability", "string", "ability that the side used, as its rules write it"),
            ("zone", "string", "zone into which the ability moved a cube"),
            ("through_ship", "bool", "whether cubes were thrown into the ship"),
            ("explosion", "bool", "whether it is an explosive shot"),
            ("follows", "string", "what follows from the battle, in its last row as all below"),
            ("active_wins", "bool", "whether the active side wins; in a tie-break the first side is meant by it"),
            *((f"{key}_{side}", "int16", f"{title} ({side})") for key, title, side in _OF_SIDES),
        )),
    )  # fmt: skip
    facts = {column.name: {"string": str, "bool": bool}.get(column.kind, int) for column in columns}

    def check(self, apparatus: Apparatus) -> None:
        super().check(apparatus)
        legible(with_board(apparatus).board, apparatus.name)

    def cubes(self, rules: BattleRules) -> dict[str, int]:
        return {colour: sum(rules.stock(colour)) for colour in rules.colours}

    def most_cubes(self, rules: BattleRules) -> int:
        return sum(rules.cubes.values())

    def play(self, tower: GameTower, rules: BattleRules) -> Iterator[Turn]:
        """Step i of run r draws from SeedSequence(seed, spawn_key=(r, i)); a run without a number has r = 0."""
        model = cast("BoardModel", tower.model)
        first = now = battle.start(model, rules, tower.seed, tower.run or 0)
        try:
            for now in battle.play(model, first, dict.fromkeys(rules.cubes, battle.when_behind)):
                tower.follow(now.state, now.last)
                step = now.steps[-1]
                yield Turn(describe_step(step, rules), list_facts(now), kind=step.kind, entry=now)
        except TooManyFailedDraws as error:
            kind = battle.due(now)
            facts = {"side": now.turn} if kind == "ability" else {}
            yield Turn(facts=facts, kind=kind, entry=now, failed=error)

    def label(self, rules: BattleRules) -> str:
        return describe_rules(rules)

    def summary(self, turns: Sequence[Turn], rules: BattleRules) -> str:
        if turns[-1].failed is not None:
            return f"\nThe battle was cut short, and nobody won: {turns[-1].failed}."
        return describe_result(turns[-1].entry)

    def draw(
        self, turns: Sequence[Turn], rules: BattleRules, apparatus: Apparatus, path: str | Path, *, title: str
    ) -> None:
        from tower_sim.games.dead_reckoning.picture import draw_board

        draw_board(with_board(apparatus), turns[-1].state, path, title=title)

    def compared(self, rules: tuple[BattleRules, BattleRules]) -> ComparedBattles:
        return ComparedBattles(self, rules)

    @property
    def ways(self) -> Ways:
        from tower_sim.games.dead_reckoning.odds import BattleWays

        return BattleWays(self)


GAME = DeadReckoning()


def list_facts(now: Battle) -> dict[str, Any]:
    """Return the facts of the newest step of a battle, and after the last one of its result."""
    step, rules = now.steps[-1], now.rules
    facts: dict[str, Any] = {"through_ship": step.drawn and bool(step.thrown), "explosion": step.kind == "explosion"}
    facts |= {"side": step.side} if step.side else {}
    if step.use:
        facts |= {"ability": step.ability} | ({"zone": step.use.zone} if step.use.zone else {})
    if now.over:
        result, active = now.result(), rules.attacker or rules.colours[0]
        sides = {"active": result.sides[active], "other": result.sides[rules.opponent(active)]}
        facts |= {"winner": result.winner, "active_wins": result.winner == active}
        facts |= {f"{key}_{side}": getattr(sides[side], key) for key, _, side in _OF_SIDES}
        facts |= {"follows": "; ".join(list_consequences(result, rules))}
    return facts


class ComparedBattles(Compared):
    """Two variants of a battle for a comparison, which asks what both have of a side also if a file leaves it out."""

    def check(self, side: int) -> None:
        if (number := len(self.rules[side].cubes)) != 2:
            raise fault("number of sides", number, "2 in a comparison", "leave the others out")

    def document(self, side: int) -> dict[str, Any]:
        rules: BattleRules = self.rules[side]
        sides = {colour: rules.side(colour).model_dump(mode="json") for colour in rules.colours}
        return rules.model_dump(mode="json") | {"active": rules.attacker, "sides": sides}

    def keys(self, side: int) -> dict[str, Any]:
        return dict(leaves(self.document(side)))

    def label(self, side: int) -> str:
        return self.game.label(self.rules[side])
