"""Combat abilities of Dead Reckoning: what they bring, how they are written, and every use that can be made of them.

Where a docstring says "rulebook, line N" it means line N of the French rulebook as text; "silent" marks a ruling of
this project.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tower_sim.apparatus.board import Board
from tower_sim.cubes import Cube
from tower_sim.errors import check_kind, check_whole, fault, unknown
from tower_sim.games.dead_reckoning.worths import Worth
from tower_sim.games.ways import MAX_WORD

ZONE = "zone:"
BORDER = "border"
TABLE = "table"
MOST = 99  # of anything that one ability brings: no card comes near it


AbilityKind = Literal["throw", "card", "move", "strength", "take_off", "win_bonus"]
# The numbers of each kind, in the order of `text`, and their defaults.
_NUMBERS: Mapping[str, Mapping[str, int]] = {
    "throw": {"count": 2},
    "card": {"count": 0},
    "move": {"spared": 0},
    "strength": {"count": 1},
    "take_off": {"damage": 1, "coins": 2},
    "win_bonus": {"damage": 0, "coins": 0, "cargo": 0},
}


@dataclass(frozen=True, slots=True)
class Ability:
    """A combat ability: its kind and its numbers; each may be used once in a turn.

    `throw`: throw `count` cubes. `card`: draw a card and throw as many cubes as it has cannons (`count`; the caller
    draws). `move`: move any cube to an adjacent zone, and take `spared` less damage in this combat. `strength`: add
    `count`. `take_off`: take off one of one's own cubes for `damage` to the opponent and `coins`. `win_bonus`:
    `damage`, `coins` and `cargo` if one wins.
    The icon of what a mover takes less of is lost in the text (lines 1523-1524): that it is damage is an assumption.
    Raises UsageError for an unknown kind, and for a number that is negative, over 99 or that the kind does not have.
    Source: rulebook, lines 887, 891, 1064, 1096, 1438, 1475-1476 and 1523-1532.
    """

    kind: AbilityKind
    count: int = 0
    damage: int = 0
    coins: int = 0
    cargo: int = 0
    barred_against_buildings: bool = False
    spared: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _NUMBERS:
            raise fault("kind of an ability", self.kind, f"one of {', '.join(_NUMBERS)}")
        for name in ("count", "damage", "coins", "cargo", "spared"):
            what, number = f"{name} of ability {self.kind}", getattr(self, name)
            check_whole(what, number, 0)
            if number and name not in _NUMBERS[self.kind]:
                raise fault(what, number, "0")
            if number > MOST:
                raise fault(what, number, f"up to {MOST}", "give a smaller one")

    @staticmethod
    def parse(text: str) -> Ability:
        """Read an ability as `text` writes it: KIND or KIND:N or KIND:N:N..., with ! at the end if it is barred.

        `throw:2`, `card:1`, `move:SPARED`, `strength:1`, `take_off:DAMAGE:COINS`, `win_bonus:DAMAGE:COINS:CARGO`;
        numbers left out are throw:2, card:0, move:0, strength:1, take_off:1:2, win_bonus:0:0:0.
        Raises UsageError for anything else. Source: that of `Ability`.
        """
        check_kind("ability", text, str, "a text", "write throw:2 or strength:1")
        kind, *numbers = text.strip().removesuffix("!").split(":")
        if kind not in _NUMBERS:
            raise unknown("ability", text, _NUMBERS, "write throw:2 or strength:1")
        default = _NUMBERS[kind]
        digits = len(str(MOST))
        are_numbers = all(number.isdecimal() and number.isascii() and len(number) <= digits for number in numbers)
        if len(numbers) > len(default) or not are_numbers:
            form = ":".join([kind, *(name.upper() for name in default)])
            raise fault("ability", text, f"{form}, whole numbers from 0 to {MOST}", "write throw:2 or strength:1")
        given = dict(zip(default, map(int, numbers), strict=False))
        barred = text.strip().endswith("!")
        return Ability(cast("AbilityKind", kind), **{**default, **given}, barred_against_buildings=barred)

    @staticmethod
    def listed(texts: object, where: str) -> tuple[Ability, ...]:
        """Read a list of such texts, called `where`; raises UsageError for anything else. Source: that of `Ability`."""
        given = cast("Sequence[object]", texts) if isinstance(texts, list) else [None]
        if not all(isinstance(text, str) and len(text) <= MAX_WORD for text in given):
            raise fault(
                where, cast("object", texts), f"a list of texts of up to {MAX_WORD} characters", 'write ["throw:2"]'
            )
        return tuple(Ability.parse(str(text)) for text in given)

    @property
    def text(self) -> str:
        """The ability as `parse` reads it."""
        numbers = [str(getattr(self, name)) for name in _NUMBERS[self.kind]]
        plain_move = self.kind == "move" and not self.spared
        return ":".join([self.kind, *([] if plain_move else numbers)]) + "!" * self.barred_against_buildings

    @property
    def worth(self) -> Worth:
        """What it brings by itself when it is used (a win bonus: if its side wins)."""
        strength = self.count if self.kind == "strength" else 0
        return Worth(strength=strength, coins=self.coins, cargo=self.cargo, damage=self.damage)


@dataclass(frozen=True, slots=True)
class Use:
    """One way to use an ability now: its number among its side's, and, if it needs them, a cube and a zone.

    Source: rulebook, line 921.
    """

    ability: int
    cube: int | None = None
    zone: str | None = None


def uses(
    abilities: Sequence[Ability],
    used: Collection[int],
    *,
    colour: str,
    kind: str,
    board: Board,
    places: Mapping[Cube, str],
    can_throw: bool = True,
) -> tuple[Use, ...]:
    """List every use that side `colour` may make of `abilities`, those in `used` (by number) excepted.

    `places` says where the cubes on the board lie. A cube that is in no zone has no adjacent zone, and cannot be moved
    (silent); abilities that throw need a cube to throw (`can_throw`), if only by a card without cannons.
    Source: rulebook, lines 887, 921, 1064 and 1530.
    """
    ways: list[Use] = []
    for number, ability in enumerate(abilities):
        if number in used or (kind == "building" and ability.barred_against_buildings):
            continue
        if ability.kind == "move":
            for cube, zone in sorted(zones_of(places).items()):
                ways += [Use(number, cube.id, next_to) for next_to in board.neighbours[zone]]
        elif ability.kind == "take_off":
            ways += [Use(number, cube.id) for cube in sorted(places) if cube.colour == colour]
        elif ability.kind not in ("throw", "card") or can_throw or ability.count == 0:
            ways.append(Use(number))
    return tuple(ways)


def zones_of(places: Mapping[Cube, str]) -> dict[Cube, str]:
    """Return the zone of each cube that is in one. Source: rulebook, line 983."""
    return {cube: place.removeprefix(ZONE) for cube, place in places.items() if place.startswith(ZONE)}
