"""The description of Dead Reckoning for comparisons: figures of the active and the other side, and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tower_sim.errors import fault
from tower_sim.games.compared import Compared, Row, Sureness, how_sure, instead, leaves, number
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.dead_reckoning.words import NUMBERS
from tower_sim.runs import Figure

_UNITS = {"choice": "goods", "damage_given": "damage", "damage_taken": "damage"}
_OF_SIDES = [(key, title, side) for key, title in NUMBERS.items() for side in ("active", "other")]

FIGURES = (
    Figure("active_wins", "the active side wins", "1"),
    *(Figure(f"{key}_{side}", f"{title} ({side})", _UNITS.get(key, key)) for key, title, side in _OF_SIDES),
    Figure("explosions", "explosions", "explosions"),
    Figure("throws", "throws into the ship", "throws"),
)


def roles(rules: BattleRules) -> tuple[str, str]:
    """Return the active side and the other one; in a tie-break the first two sides."""
    active = rules.attacker or rules.colours[0]
    return active, next(colour for colour in rules.colours if colour != active)


def figure_values(battle: Battle) -> tuple[float, ...]:
    """Return the value of each of `FIGURES` for a finished battle."""
    active, other = roles(battle.rules)
    result = battle.result()
    sides = {"active": result.sides[active], "other": result.sides[other]}
    of_sides = (getattr(sides[side], key) for key, _, side in _OF_SIDES)
    explosions = sum(step.kind == "explosion" for step in battle.steps)
    throws = sum(bool(step.drawn and step.thrown) for step in battle.steps)
    return (float(result.winner == active), *map(float, of_sides), float(explosions), float(throws))


class ComparedBattles(Compared):
    """The description of two variants of a battle for a comparison."""

    def check(self, side: int) -> None:
        number = len(self.rules[side].cubes)
        if number != 2:
            raise fault("number of sides", number, "2 in a comparison", "leave the others out")

    def document(self, side: int) -> dict[str, Any]:
        rules: BattleRules = self.rules[side]
        sides = {colour: rules.side(colour).model_dump(mode="json") for colour in rules.colours}
        return rules.model_dump(mode="json") | {"active": rules.attacker, "sides": sides}

    def keys(self, side: int) -> dict[str, Any]:
        return dict(leaves(self.document(side)))

    def label(self, side: int) -> str:
        rules: BattleRules = self.rules[side]
        active = {rules.attacker: " (active)"}
        return " against ".join(f"{colour} {number}{active.get(colour, '')}" for colour, number in rules.cubes.items())

    def words(self, groups: Sequence[Sequence[Row]], courses: tuple[Any, Any]) -> str:
        rows = {row.key: row for row in groups[0]}
        alike, much = "about as in A", "about as much damage as in A"
        strength, of_other = rows["strength_active"], rows["strength_other"]
        loss, harm = rows["damage_taken_active"], rows["damage_given_active"]
        side = "the active side" if self.rules[1].attacker else "the first side"
        return (
            f"{_describe_winner(rows['active_wins'], side)} "
            f"{_describe(strength, 'Its strength is', alike)}; {_describe(of_other, 'that of the other is', alike)}. "
            f"{_describe(loss, 'It takes', much, ' damage')}; {_describe(harm, 'it gives', much, ' damage')}."
        )


def _describe_winner(row: Row, side: str) -> str:
    a, b = 100 * row.mean_a, 100 * row.mean_b
    how = how_sure(row, "battle", "battles", 100)
    if row.verdict is Sureness.ALIKE:
        return f"In B {side} wins about as often as in A ({a:.0f} of 100 battles): {how}."
    if row.verdict is Sureness.OPEN:
        means = f"{b:.0f} of 100 battles instead of {a:.0f}"
        return f"Whether {side} wins more or fewer battles in B is open ({means}): {how}."
    more = "more" if row.difference > 0 else "fewer"
    decimals = 0 if abs(b - a) >= 1 else 1 if abs(b - a) >= 0.1 else 3
    by, b_text, a_text = (f"{share:.{decimals}f}" for share in (abs(b - a), b, a))
    wins = f"B: {side} wins about {by} of 100 battles {more} ({b_text} instead of {a_text})"
    return f"{wins}: that is {'sure' if how == 'certain' else how}."


def _describe(row: Row, words: str, alike: str, what: str = "") -> str:
    if row.verdict is Sureness.ALIKE:
        return f"{words} {alike}{'' if what else f', {number(row.mean_a)}'}"
    return f"{words} {instead(row, what)}: {how_sure(row, 'battle')}"
