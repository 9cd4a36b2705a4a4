"""How comparisons see Dead Reckoning: numbers of the active side and of the other, and words for players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tower_sim.errors import fault
from tower_sim.games.compared import Compared, Row, Sureness, how_sure, instead, number
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.sides import Setup
from tower_sim.runs.figure import Figure

_OF_SIDES = (
    ("strength", "strength", "strength"),
    ("coins", "coins", "coins"),
    ("cargo", "cargo", "cargo"),
    ("choice", "coins or cargo", "goods"),
    ("damage_given", "damage given", "damage"),
    ("damage_taken", "damage taken", "damage"),
)

FIGURES = (
    Figure("active_wins", "the active side wins", "1"),
    *(
        Figure(f"{key}_{side}", f"{title} ({side})", unit)
        for key, title, unit in _OF_SIDES
        for side in ("active", "other")
    ),
    Figure("explosions", "explosions", "explosions"),
    Figure("throws", "throws into the ship", "throws"),
)


def roles(setup: Setup) -> tuple[str, str]:
    """Return the active side and the other; of a tie-break, in which nobody is active, the first and the second."""
    active = setup.active or setup.colours[0]
    return active, next(colour for colour in setup.colours if colour != active)


def measured(battle: Battle) -> tuple[float, ...]:
    """Return the value of each of `FIGURES` for a battle that is over."""
    active, other = roles(battle.setup)
    result = battle.result()
    of_sides = (getattr(result.sides[side], key) for key, _, _ in _OF_SIDES for side in (active, other))
    explosions = sum(step.kind == "explosion" for step in battle.steps)
    throws = sum(bool(step.drawn and step.thrown) for step in battle.steps)
    return (float(result.winner == active), *map(float, of_sides), float(explosions), float(throws))


class ComparedBattles(Compared):
    """Two variants of a battle."""

    def check(self, side: int) -> None:
        """See Compared; the figures are of two sides."""
        setup: Setup = self.rules[side]
        if len(setup.sides) != 2:
            raise fault("number of sides", len(setup.sides), "2 in a comparison", "leave the others out")

    def named(self, side: int) -> str:
        """See Compared."""
        setup: Setup = self.rules[side]
        active = {setup.active: " (active)"}
        return " against ".join(f"{of.colour} {of.cubes}{active.get(of.colour, '')}" for of in setup.sides)

    def words(self, groups: Sequence[Sequence[Row]], courses: tuple[Any, Any]) -> str:
        """See Compared; who wins, with what strengths, and what it costs the active side."""
        rows = {row.key: row for row in groups[0]}
        return " ".join(
            [
                _wins(rows["active_wins"], "the first side" if not self.rules[1].active else "the active side"),
                _strengths(rows["strength_active"], rows["strength_other"]),
                _damage(rows["damage_taken_active"], rows["damage_given_active"]),
            ]
        )


def _wins(row: Row, side: str) -> str:
    a, b = 100 * row.mean_a, 100 * row.mean_b
    how = how_sure(row, "battle", "battles", 100)
    if row.verdict is Sureness.ALIKE:
        return f"In B {side} wins about as often as in A ({a:.0f} of 100 battles): {how}."
    if row.verdict is Sureness.OPEN:
        means = f"{b:.0f} of 100 battles instead of {a:.0f}"
        return f"Whether {side} wins more or fewer battles in B is open ({means}): {how}."
    more = "more" if row.difference > 0 else "fewer"
    decimals = 0 if abs(b - a) >= 1 else 1 if abs(b - a) >= 0.1 else 3
    said = (f"{share:.{decimals}f}" for share in (abs(b - a), b, a))
    told = "B: {} wins about {} of 100 battles {} ({} instead of {})".format(side, next(said), more, *said)
    return f"{told}: that is {'sure' if how == 'certain' else how}."


def _strengths(active: Row, other: Row) -> str:
    return f"{_of(active, 'Its strength is', 'about as in A')}; {_of(other, 'that of the other is', 'about as in A')}."


def _damage(taken: Row, given: Row) -> str:
    alike = "about as much damage as in A"
    return f"{_of(taken, 'It takes', alike, ' damage')}; {_of(given, 'it gives', alike, ' damage')}."


def _of(row: Row, words: str, alike: str, what: str = "") -> str:
    if row.verdict is Sureness.ALIKE:
        return f"{words} {alike}{'' if what else f', {number(row.mean_a)}'}"
    return f"{words} {instead(row, what)}: {how_sure(row, 'battle')}"
