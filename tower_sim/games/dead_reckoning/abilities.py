"""Rulings of Dead Reckoning: decisions where the rulebook is silent or ambiguous."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from tower_sim.apparatus import Board
from tower_sim.errors import check_kind, check_whole, fault, unknown
from tower_sim.games.dead_reckoning.worths import Worth
from tower_sim.games.rules import Rules, ruling
from tower_sim.values import Cube


class Rulings(Rules):
    """The chosen answer to each question. Descriptions of fields give the meaning of the choices, and the source."""

    table: ClassVar[str] = "battle.rulings"
    unsaid: ClassVar[tuple[str, ...]] = ("extra_run_out", "adjacent", "spared_damage", "goods_at_buildings", "who_sank")
    two_zones: Literal["nearest", "both", "rethrown"] = ruling(
        "line 983",
        nearest="A cube that touches two zones is in the one nearest to its centre.",
        both="A cube that touches two zones is in both, until plunder or damage takes it off the board.",
        rethrown="A cube that touches two zones is thrown again.",
    )
    on_cube: Literal["below", "rethrown"] = ruling(
        "silent",
        below="A cube that lies on cubes only is where the cube under it is.",
        rethrown="A cube that lies on cubes only is thrown again.",
    )
    left_board: Literal["rethrown", "lost"] = ruling(
        "line 985",
        rethrown="A cube on the table is thrown again.",
        lost="A cube on the table counts for nothing and leaves the battle.",
    )
    pushed_onto_border: Literal["rethrown", "stays"] = ruling(
        "line 985",
        rethrown="A cube that lay in a zone and was pushed onto a border is thrown again.",
        stays="It lies on the border for nothing, until it is pushed elsewhere.",
    )
    stuck: Literal["shaken", "rethrown"] = ruling(
        "silent",
        shaken="A cube stuck in the ship is shaken out by knocks on the table.",
        rethrown="A cube stuck in the ship is taken out by hand and thrown again.",
    )
    damage_to_non_player: Literal["ignored", "counted"] = ruling(
        "silent",
        ignored="A non-player takes no damage; what was given is still reported.",
        counted="A non-player takes damage like a ship.",
    )
    black_run_out: Literal["fewer", "substituted"] = ruling(
        "silent",
        fewer="When the non-player's cubes run out, fewer are thrown.",
        substituted="When the non-player's cubes run out, others stand in for them.",
    )
    extra_run_out: Literal["fewer", "substituted"] = ruling(
        "lines 895 and 999",
        fewer="When a player's supply and islands run out, an explosion adds only the extra cubes that are left.",
        substituted="When a player's supply and islands run out, others stand in for the extra cubes of an explosion.",
    )
    placing: Literal["free"] = ruling(
        "silent", free="A cube moved to a zone is put down flat at a free place there, drawn at random."
    )
    adjacent: Literal["side"] = ruling(
        "lines 1523 and 1532",
        side="Zones are adjacent if one border lies between their sides: the text shows no board to read it otherwise.",
    )
    spared_damage: Literal["all", "dealt"] = ruling(
        "lines 971 and 1523",
        all="A mover takes less of all damage in this combat, that for losing included.",
        dealt="A mover takes less of the damage that the opponent deals, and that for losing in full.",
    )
    goods_at_buildings: Literal["counted", "none"] = ruling(
        "lines 1058 and 1476",
        counted="Abilities bring coins and cargo against buildings too, since only plunder is ruled out.",
        none="Abilities bring neither coins nor cargo against buildings.",
    )
    who_sank: Literal["opponent", "dealt"] = ruling(
        "lines 1113 and 1143",
        opponent="A player sank the other's ship if it sinks in their combat, even if both sink or losing sinks it.",
        dealt="A player sank the other's ship only if the damage dealt, without that for losing, is enough to sink it.",
    )
    tie_again: Literal["tied", "all"] = ruling(
        "line 1275", tied="After a tie only the sides still tied throw again.", all="After a tie all sides throw again."
    )
    last_turn: Literal["combats", "ships", "everywhere"] = ruling(
        "line 1213",
        combats="After its last turn a player takes 2 more cubes in every combat but a tie-break.",
        ships="After its last turn a player takes 2 more cubes where its own ship fights.",
        everywhere="After its last turn a player takes 2 more cubes in every combat and tie-break.",
    )
    beaten_by_building: Literal["leaves", "stays"] = ruling(
        "lines 973 and 1061",
        leaves="A pirate ship that a building beats leaves pirate mode.",
        stays="A pirate ship that a building beats stays in pirate mode.",
    )

    @property
    def choices(self) -> dict[str, str]:
        return self.model_dump()


ZONE = "zone:"
BORDER = "border"
TABLE = "table"
MOST = 99  # limit for each number of an ability; cards have far smaller numbers

AbilityKind = Literal["throw", "card", "move", "strength", "take_off", "win_bonus"]


# The default numbers of each kind, and a phrase: * is the end of a verb, "" or "s"; {count cube} becomes "two cubes".
_KINDS: Mapping[str, tuple[Mapping[str, int], str]] = {
    "throw": ({"count": 2}, "throw* {count more cube}"),
    "card": ({"count": 0}, "draw* a card with {count cannon} and throw* as many cubes"),
    "move": ({"spared": 0}, "move* a cube to ZONE and take* {spared} damage less"),
    "strength": ({"count": 1}, "add* {count} strength"),
    "take_off": ({"damage": 1, "coins": 2}, "take* off an own cube for {damage} damage and {coins coin}"),
    "win_bonus": (
        {"damage": 0, "coins": 0, "cargo": 0},
        "claim* {damage} damage, {coins coin} and {cargo} cargo for winning",
    ),
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Ability:
    """A combat ability, usable once in a turn.

    - `throw`: throw `count` cubes.
    - `card`: throw as many cubes as a card has cannons, `count`; the caller draws the card.
    - `move`: move any cube to an adjacent zone, and take `spared` less damage in this combat.
    - `strength`: add `count` to the strength.
    - `take_off`: take an own cube off the board; it deals `damage` and gives `coins`.
    - `win_bonus`: if the side wins, deal `damage` and get `coins` and `cargo`.

    The text of the rulebook lacks icons, so what a mover is spared (1523-1524), the cannons of a card (1523), the coins
    (1476) and the strength (1096) are assumed. Source: rulebook, lines 887, 891, 1064, 1096, 1438, 1475-1476 and
    1523-1532.
    """

    kind: AbilityKind
    count: int = 0
    damage: int = 0
    coins: int = 0
    cargo: int = 0
    barred_against_buildings: bool = False
    spared: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise fault("kind of an ability", self.kind, f"one of {', '.join(_KINDS)}")
        for name in ("count", "damage", "coins", "cargo", "spared"):
            what = f"{name} of ability {self.kind}"
            number = check_whole(what, getattr(self, name), 0)
            object.__setattr__(self, name, number)
            if number and name not in _KINDS[self.kind][0]:
                raise fault(what, number, "0")
            if number > MOST:
                raise fault(what, number, f"up to {MOST}", "give a smaller one")

    @staticmethod
    def parse(text: str) -> Ability:
        """Read an ability.

        Args:
            text: throw:COUNT, card:COUNT, move:SPARED, strength:COUNT, take_off:DAMAGE:COINS or
                win_bonus:DAMAGE:COINS:CARGO, with ! at the end if it is barred. The defaults are throw:2, card:0,
                move:0, strength:1, take_off:1:2 and win_bonus:0:0:0.

        Returns:
            The ability.

        >>> ability = Ability.parse("strength:3")
        >>> ability.kind, ability.count
        ('strength', 3)
        """
        check_kind("ability", text, str, "a text", advice := "write throw:2 or strength:1")
        kind, *words = text.strip().removesuffix("!").split(":")
        if kind not in _KINDS:
            raise unknown("ability", text, _KINDS, advice)
        numbers, _ = _KINDS[kind]
        are_whole = all(n.isdecimal() and n.isascii() and len(n) <= len(str(MOST)) for n in words)
        if len(words) > len(numbers) or not are_whole:
            form = ":".join([kind, *(name.upper() for name in numbers)])
            raise fault("ability", text, f"{form}, whole numbers from 0 to {MOST}", advice)
        values: dict[str, Any] = {**numbers, **dict(zip(numbers, map(int, words), strict=False))}
        return Ability(cast("AbilityKind", kind), **values, barred_against_buildings=text.strip().endswith("!"))

    @property
    def text(self) -> str:
        numbers = [str(getattr(self, name)) for name in _KINDS[self.kind][0]]
        plain_move = self.kind == "move" and not self.spared
        return ":".join([self.kind, *([] if plain_move else numbers)]) + "!" * self.barred_against_buildings

    def words(self, ending: str = "", zone: str = "") -> str:
        """Return a phrase such as `throw two more cubes`; with `ending` = "s" in the third person."""

        def count(match: re.Match[str]) -> str:
            number: int = getattr(self, match[1])
            word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
            return f"{word} {match[2]}{'s' * (number != 1)}" if match[2] else word

        _, phrase = _KINDS[self.kind]
        if self.kind == "move" and not self.spared:
            phrase = phrase.partition(" and")[0]
        phrase = re.sub(r"\{(\w+) ?([^}]*)\}", count, phrase)
        return phrase.replace("*", ending).replace("ZONE", zone.replace("_", " ") or "an adjacent zone")

    @property
    def worth(self) -> Worth:
        """What the ability itself brings; a win bonus only to the winner."""
        strength = self.count if self.kind == "strength" else 0
        return Worth(strength=strength, coins=self.coins, cargo=self.cargo, damage=self.damage)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of an ability, by its number among those of the side, with a cube's number and a zone if needed (line
    921).
    """

    ability: int
    cube: int | None = None
    zone: str | None = None


def list_places(board: Board) -> list[str]:
    """Return the zones of a board, the border and the table."""
    return [*(ZONE + zone.name for zone in board.zones), BORDER, TABLE]


def zone_by_cube(places: Mapping[Cube, str]) -> dict[Cube, str]:
    """Return the zone of each cube that lies in a zone (rulebook, line 983)."""
    return {cube: place.removeprefix(ZONE) for cube, place in places.items() if place.startswith(ZONE)}
