"""Dead Reckoning's combats: the rules that the ship and the board decide, as data and pure functions.

Where a docstring says "rulebook, line N" it means line N of the French rulebook as text; "silent" marks a ruling of
this project. `battle` plays these rules step by step with a model of the ship.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

from tower_sim.apparatus.board import DAMAGE, EXPLOSIVE, PLUNDER, STRENGTH, Board, Zone
from tower_sim.cubes import Cube
from tower_sim.errors import check_whole, fault
from tower_sim.games.rulings import Rulings
from tower_sim.outcome import Landing

RULES_VERSION = 1

Kind = Literal["ship", "merchant", "building", "tie_break"]
KINDS: tuple[str, ...] = get_args(Kind)

PLAYER_SUPPLY = 29  # of 30 cubes one marks the sails; rulebook, lines 407-408
NON_PLAYER_SUPPLY = 20  # black cubes; rulebook, line 80
SINKS_AT = 5  # damage; rulebook, line 1107
ZONE = "zone:"
BORDER = "border"
TABLE = "table"


# Abilities


@dataclass(frozen=True, slots=True)
class Worth:
    """What a cube in a zone, or an ability, brings; `choice` is so many of coins and cargo, as the owner likes.

    Source: rulebook, lines 1015, 1027 and 1035.
    """

    strength: int = 0
    coins: int = 0
    cargo: int = 0
    choice: int = 0
    damage: int = 0

    def __add__(self, other: Worth) -> Worth:
        """Add the two up, field by field."""
        return Worth(
            self.strength + other.strength,
            self.coins + other.coins,
            self.cargo + other.cargo,
            self.choice + other.choice,
            self.damage + other.damage,
        )


AbilityKind = Literal["throw", "card", "move", "strength", "take_off", "win_bonus"]
# The numbers of each kind, in the order of `text`, and their defaults.
_ABILITY_NUMBERS: Mapping[str, Mapping[str, int]] = {
    "throw": {"count": 2},
    "card": {"count": 0},
    "move": {},
    "strength": {"count": 1},
    "take_off": {"damage": 1, "coins": 2},
    "win_bonus": {"damage": 0, "coins": 0, "cargo": 0},
}


@dataclass(frozen=True, slots=True)
class Ability:
    """A combat ability: its kind and its numbers; each may be used once in a turn.

    `throw`: throw `count` cubes. `card`: draw a card and throw as many cubes as it has cannons (`count`; the caller
    draws). `move`: move any cube to an adjacent zone. `strength`: add `count`. `take_off`: take off one of one's own
    cubes for `damage` to the opponent and `coins`. `win_bonus`: `damage`, `coins` and `cargo` if one wins.
    Raises UsageError for an unknown kind, and for a number that is negative or that the kind does not have.
    Source: rulebook, lines 887, 891, 1064, 1096, 1438, 1475-1476 and 1523-1530.
    """

    kind: AbilityKind
    count: int = 0
    damage: int = 0
    coins: int = 0
    cargo: int = 0
    barred_against_buildings: bool = False

    def __post_init__(self) -> None:
        if self.kind not in _ABILITY_NUMBERS:
            raise fault("kind of an ability", self.kind, f"one of {', '.join(_ABILITY_NUMBERS)}")
        for name in ("count", "damage", "coins", "cargo"):
            check_whole(f"{name} of ability {self.kind}", getattr(self, name), 0)
            if getattr(self, name) and name not in _ABILITY_NUMBERS[self.kind]:
                raise fault(f"{name} of ability {self.kind}", getattr(self, name), "0")

    @staticmethod
    def parse(text: str) -> Ability:
        """Read an ability as `text` writes it: KIND or KIND:N or KIND:N:N..., with ! at the end if it is barred.

        `throw:2`, `card:1`, `move`, `strength:1`, `take_off:DAMAGE:COINS`, `win_bonus:DAMAGE:COINS:CARGO`; numbers left
        out are throw:2, card:0, strength:1, take_off:1:2, win_bonus:0:0:0.
        Raises UsageError for anything else. Source: that of `Ability`.
        """
        kind, *numbers = text.strip().removesuffix("!").split(":")
        if kind not in _ABILITY_NUMBERS:
            raise fault("ability", text, f"one of {', '.join(_ABILITY_NUMBERS)}", "write throw:2 or strength:1")
        default = _ABILITY_NUMBERS[kind]
        if len(numbers) > len(default) or not all(number.isdecimal() for number in numbers):
            form = ":".join([kind, *(name.upper() for name in default)])
            raise fault("ability", text, f"{form}, whole numbers from 0", "write throw:2 or strength:1")
        given = dict(zip(default, map(int, numbers), strict=False))
        barred = text.strip().endswith("!")
        return Ability(cast("AbilityKind", kind), **{**default, **given}, barred_against_buildings=barred)

    @property
    def text(self) -> str:
        """The ability as `parse` reads it."""
        numbers = [str(getattr(self, name)) for name in _ABILITY_NUMBERS[self.kind]]
        return ":".join([self.kind, *numbers]) + "!" * self.barred_against_buildings

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
    found: list[Use] = []
    for number, ability in enumerate(abilities):
        if number in used or (kind == "building" and ability.barred_against_buildings):
            continue
        if ability.kind == "move":
            for cube, zone in sorted(zones_of(places).items()):
                found += [Use(number, cube.id, next_to) for next_to in board.neighbours[zone]]
        elif ability.kind == "take_off":
            found += [Use(number, cube.id) for cube in sorted(places) if cube.colour == colour]
        elif ability.kind not in ("throw", "card") or can_throw or ability.count == 0:
            found.append(Use(number))
    return tuple(found)


# Sides and their cubes


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a combat: its `colour`, how many `cubes` it takes at first, and what else it has.

    `supply` are all its cubes at hand, those taken included (None: 29, or 20 for a non-player); `island` more that may
    be taken off islands without changing who controls them. A non-player's cubes are the number on its card.
    `damage` is what its ship has already; `pirate`: its ship is in pirate mode.
    Source: rulebook, lines 407-408, 895, 913, 973 and 1107.
    """

    colour: str
    cubes: int
    supply: int | None = None
    island: int = 0
    abilities: tuple[Ability, ...] = ()
    damage: int = 0
    pirate: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """A combat before the throw: its kind, its sides, whose turn it is, and the rulings.

    `active` is a side's colour (empty: the first); in a tie-break nobody is active. The other side of a `merchant`
    combat is the non-player, that of a `building` combat the buildings' owner.
    Raises UsageError for a combat that cannot be. Source: rulebook, lines 885, 1056 and 1275.
    """

    kind: Kind
    sides: tuple[Side, ...]
    active: str = ""
    rulings: Rulings = field(default_factory=Rulings)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise fault("kind of combat", self.kind, f"one of {', '.join(KINDS)}")
        if self.kind == "tie_break":
            if self.active:
                raise fault("active side of a tie-break", self.active, "none")
            if len(self.sides) < 2:
                raise fault("number of sides", len(self.sides), "2 or more", "name the tied sides")
        elif len(self.sides) != 2:
            raise fault("number of sides", len(self.sides), f"2 in a {self.kind} combat", "name both, as in purple=6")
        if len(set(self.colours)) < len(self.sides) or "" in self.colours:
            raise fault("colours", [*self.colours], "a different word for each side")
        if self.kind != "tie_break":
            object.__setattr__(self, "active", self.active or self.colours[0])
            if self.active not in self.colours:
                raise fault("active side", self.active, f"one of {', '.join(self.colours)}", "check its spelling")
        for side in self.sides:
            self._check_side(side)
        if self.kind == "tie_break" and not any(min(side.cubes, sum(self.stock(side))) for side in self.sides):
            raise fault("cubes of a tie-break", 0, "1 or more", "give a side some")

    def _check_side(self, side: Side) -> None:
        for name, value in (("cubes", side.cubes), ("supply", self.stock(side)[0]), ("island", side.island)):
            check_whole(f"{name} of {side.colour}", value, 0)
        if side.damage not in range(SINKS_AT):
            allowed = f"a whole number from 0 to {SINKS_AT - 1}"
            raise fault(f"damage of {side.colour}", side.damage, allowed, "a ship with more has sunk")
        if side.abilities and self.kind != "ship" and side.colour != self.active:
            who = (
                "nobody's in a tie-break"
                if self.kind == "tie_break"
                else f"only {self.active}'s in a {self.kind} combat"
            )
            raise fault(f"number of abilities of {side.colour}", len(side.abilities), f"0: {who}", "leave them out")

    @property
    def colours(self) -> tuple[str, ...]:
        """The sides, in order."""
        return tuple(side.colour for side in self.sides)

    @property
    def non_player(self) -> str:
        """The non-player's colour; empty in a combat between players."""
        return self.opponent(self.active) if self.kind == "merchant" else ""

    @property
    def buildings(self) -> str:
        """The colour whose buildings are attacked; empty in a combat of ships."""
        return self.opponent(self.active) if self.kind == "building" else ""

    def side(self, colour: str) -> Side:
        """Return the side of that colour; raises KeyError when there is none."""
        return {side.colour: side for side in self.sides}[colour]

    def opponent(self, colour: str) -> str:
        """Return the other one of two sides."""
        return next(other for other in self.colours if other != colour)

    def stock(self, side: Side) -> tuple[int, int]:
        """Return how many cubes a side has in its supply, and on islands."""
        usual = NON_PLAYER_SUPPLY if side.colour == self.non_player else PLAYER_SUPPLY
        return (usual if side.supply is None else side.supply, side.island)


def player_cubes(
    cannons: int, *, buildings: int = 0, attacked_in_port: bool = False, had_last_turn: bool = False
) -> int:
    """Return how many cubes a player takes for `cannons`: an active one those it chooses, an inactive one all it has.

    `buildings`: those on the island where it is, if it controls that island.
    Raises UsageError for a number that is negative. Source: rulebook, lines 913, 949, 1078 and 1213.
    """
    check_whole("cannons", cannons, 0)
    check_whole("buildings", buildings, 0)
    return cannons + buildings + 4 * attacked_in_port + 2 * had_last_turn


def building_cubes(*, fort: bool, garrison: bool, had_last_turn: bool = False) -> int:
    """Return how many cubes the owner of attacked buildings takes; it has no cannons there.

    Raises UsageError without a building. Source: rulebook, lines 1052 and 1213.
    """
    if not (fort or garrison):
        raise fault("buildings", "none", "a fort, a garrison or both", "outposts cannot be attacked")
    return 5 * fort + 2 * garrison + 2 * had_last_turn


@dataclass(frozen=True, slots=True)
class Turn:
    """What is left of one player's turn: cannons, abilities, and whom it has fought.

    Each cannon and ability serves once in a turn, and nobody is fought twice. Source: rulebook, lines 887-889.
    """

    cannons: int
    abilities: tuple[Ability, ...] = ()
    fought: tuple[str, ...] = ()

    def spend(self, opponent: str, cannons: int = 0, abilities: Iterable[Ability] = ()) -> Turn:
        """Return what is left after a combat with `opponent` that used these cannons and abilities.

        Raises UsageError for more than is left, and for an opponent fought before. Source: rulebook, lines 887-889.
        """
        if opponent in self.fought:
            raise fault("opponent", opponent, "one not fought in this turn", "wait for the next turn")
        if not isinstance(cast("object", cannons), int) or not 0 <= cannons <= self.cannons:
            raise fault("cannons", cannons, f"0 to {self.cannons}, those left in this turn", "use fewer")
        left = list(self.abilities)
        for ability in abilities:
            if ability not in left:
                allowed = ", ".join(each.text for each in left) or "none"
                raise fault("ability", ability.text, f"what is left in this turn: {allowed}", "leave it out")
            left.remove(ability)
        return Turn(self.cannons - cannons, tuple(left), (*self.fought, opponent))


# What a landing means

Verdict = Literal["rests", "again", "lost", "stuck"]


def verdict(landing: Landing, *, rested: bool, rulings: Rulings) -> Verdict:
    """Say what becomes of a cube that landed so: it rests, is thrown `again`, is lost, or is stuck in the ship.

    `rested`: it had come to rest on the board before, and was not thrown since.
    Source: rulebook, lines 983-985 and 1019; else the rulings.
    """
    if landing.inside:
        return "stuck"
    if landing.place == TABLE:
        return "lost" if rulings.left_board == "lost" else "again"
    if landing.place == BORDER:
        return "rests" if rested and rulings.pushed_onto_border == "stays" else "again"
    on_cubes_only = bool(landing.on) and not landing.touches
    thrown_again = (len(landing.touches) > 1 and rulings.two_zones == "rethrown") or (
        on_cubes_only and rulings.on_cube == "rethrown"
    )
    return "again" if thrown_again else "rests"


def zones_of(places: Mapping[Cube, str]) -> dict[Cube, str]:
    """Return the zone of each cube that is in one. Source: rulebook, line 983."""
    return {cube: place.removeprefix(ZONE) for cube, place in places.items() if place.startswith(ZONE)}


def in_explosive(places: Mapping[Cube, str], board: Board) -> tuple[Cube, ...]:
    """Return the cubes in explosive zones, by number: they are due to explode. Source: rulebook, line 999."""
    return tuple(sorted(cube for cube, zone in zones_of(places).items() if board.zone(zone).kind == EXPLOSIVE))


def worth(zone: Zone) -> Worth:
    """Return what a cube in `zone` brings its owner. Source: rulebook, lines 1015, 1027 and 1035."""
    if zone.kind == PLUNDER:
        return Worth(coins=zone.coins, cargo=zone.cargo, choice=zone.choice)
    if zone.kind == DAMAGE:
        return Worth(damage=1)
    return Worth(strength=zone.strength) if zone.kind == STRENGTH else Worth()


# Resolution


@dataclass(frozen=True, slots=True)
class SideResult:
    """What a combat brought one side, with what its abilities brought.

    `damage_given` counts what it gave by cubes and abilities, even to an opponent that takes none; `damage` is on its
    ship afterwards, with what was there before. Source: rulebook, lines 1009-1035.
    """

    strength: int
    coins: int
    cargo: int
    choice: int
    damage_given: int
    damage_taken: int
    damage: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a combat ended: each side's result, the winner, and what follows.

    `winner` is None while a tie-break is tied (`tied`: by whom). `legendary` won a combat of ships with a ship.
    `encounter_effect` is what the active side does with the encounter's card: `win` or `lose`. `merchant_mode` is
    the side whose ship leaves pirate mode. `removed`: the attacked buildings are. `sunk`: whose ships sink.
    Source: rulebook, lines 929-931, 971-977, 1062, 1107, 1133 and 1275.
    """

    sides: dict[str, SideResult]
    winner: str | None
    tied: tuple[str, ...] = ()
    legendary: str | None = None
    encounter_effect: str | None = None
    merchant_mode: str | None = None
    removed: bool = False
    sunk: tuple[str, ...] = ()


def resolve(
    setup: Setup,
    board: Board,
    places: Mapping[Cube, str],
    used: Iterable[tuple[str, Ability]] = (),
    among: Collection[str] = (),
) -> Result:
    """Resolve a combat from where the cubes lie and the abilities used, by side.

    Plunder comes first, then damage, then strength decides; ties go to the active side. In a tie-break strength is all
    that counts, of the sides `among` whom it is (empty: all).
    Source: rulebook, lines 987-993, 1009-1035, 1058-1062 and 1275.
    """
    used = tuple(used)
    own = {colour: _in_all(setup, board, places, used, colour) for colour in setup.colours}
    if setup.kind == "tie_break":
        contenders = [colour for colour in setup.colours if not among or colour in among]
        best = max(own[colour].strength for colour in contenders)
        tied = tuple(colour for colour in contenders if own[colour].strength == best)
        sides = {side.colour: SideResult(own[side.colour].strength, 0, 0, 0, 0, 0, side.damage) for side in setup.sides}
        return Result(sides, tied[0], ()) if len(tied) == 1 else Result(sides, None, tied)

    other = setup.opponent(setup.active)
    winner = setup.active if own[setup.active].strength >= own[other].strength else other
    loser = setup.opponent(winner)
    for colour, ability in used:
        if ability.kind == "win_bonus" and colour == winner:
            own[colour] += ability.worth
    sides = {colour: _side_result(setup, own, colour, loser) for colour in setup.colours}
    by_ship = winner not in (setup.non_player, setup.buildings)
    leaves = setup.kind != "merchant" and loser != setup.buildings and setup.side(loser).pirate
    return Result(
        sides,
        winner,
        legendary=winner if setup.kind != "building" and by_ship else None,
        encounter_effect=("win" if winner == setup.active else "lose") if setup.kind == "merchant" else None,
        merchant_mode=loser if leaves else None,
        removed=loser == setup.buildings,
        sunk=tuple(colour for colour in setup.colours if sides[colour].damage >= SINKS_AT),
    )


def _in_all(
    setup: Setup, board: Board, places: Mapping[Cube, str], used: Iterable[tuple[str, Ability]], colour: str
) -> Worth:
    """Add up what the cubes and the abilities of one side bring, win bonuses left out."""
    total = Worth()
    for cube, zone in zones_of(places).items():
        if cube.colour == colour:
            total += worth(board.zone(zone))
    if setup.kind == "building" or colour == setup.non_player:  # no plunder
        total = replace(total, coins=0, cargo=0, choice=0)
    for side, ability in used:
        if side == colour and ability.kind != "win_bonus":
            total += ability.worth
    return total


def _side_result(setup: Setup, own: Mapping[str, Worth], colour: str, loser: str) -> SideResult:
    mine = own[colour]
    taken = own[setup.opponent(colour)].damage + (colour == loser and setup.kind != "merchant")
    unharmed = colour == setup.non_player and setup.rulings.damage_to_non_player == "ignored"
    if unharmed or colour == setup.buildings:
        taken = 0
    before = setup.side(colour).damage
    return SideResult(mine.strength, mine.coins, mine.cargo, mine.choice, mine.damage, taken, before + taken)
