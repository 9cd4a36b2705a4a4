"""Who fights in a combat of Dead Reckoning, with how many cubes, and what is left of a player's turn after it.

Where a docstring says "rulebook, line N" it means line N of the French rulebook as text; "silent" marks a ruling of
this project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from tower_sim.cubes import check_colour
from tower_sim.errors import check_kind, check_whole, fault, shown, unknown
from tower_sim.fields import refuse_unknown
from tower_sim.games.dead_reckoning.abilities import Ability
from tower_sim.games.dead_reckoning.rulings import Rulings

Kind = Literal["ship", "merchant", "building", "tie_break"]
KINDS: tuple[str, ...] = get_args(Kind)

PLAYER_SUPPLY = 29  # of 30 cubes one marks the sails; rulebook, lines 407-408
NON_PLAYER_SUPPLY = 20  # black cubes; rulebook, line 80
NON_PLAYER = "black"  # the colour of the non-player's cubes; rulebook, line 913
SINKS_AT = 5  # damage; rulebook, line 1107
LAST_TURN = 2  # cubes more; rulebook, line 1213
MOST_ABILITIES = 50  # of one side: more cards than a player has
OCCASIONS = ("throw", "explosion", "ability")  # when cubes are taken


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a combat: its `colour`, how many `cubes` it takes at first, and what else it has.

    `supply` are all its cubes at hand, those taken included (None: all it has that are not on islands); `island` more
    that can be taken off islands without changing who controls them, which it does when the supply runs out on the
    occasions `island_for` (it may, or not). A non-player's cubes are the number on its card. `damage` is what its ship
    has already; `pirate`: its ship is in pirate mode.
    Source: rulebook, lines 407-408, 895, 913, 973 and 1107.
    """

    colour: str
    cubes: int
    supply: int | None = None
    island: int = 0
    abilities: tuple[Ability, ...] = ()
    damage: int = 0
    pirate: bool = False
    island_for: tuple[str, ...] = OCCASIONS

    def __post_init__(self) -> None:
        check_colour("colour of a side", self.colour)
        check_whole(f"cubes of {self.colour}", self.cubes, 0)


_WORDS = ("supply", "island", "island_for", "damage", "pirate")  # what is said of a side beside cubes and abilities


def read_side(colour: str, cubes: int, said: object = None, abilities: tuple[Ability, ...] = ()) -> Side:
    """Make a side from what is `said` of it in a file or request: `supply`, `island`, `island_for`, `damage`, `pirate`.

    Raises UsageError for another word and for a value of another type. Source: that of `Side`.
    """
    if not isinstance(said, Mapping | None):
        raise fault(f"side {colour}", said, f"a table of some of {', '.join(_WORDS)}")
    table = cast("Mapping[str, Any]", said or {})
    refuse_unknown(table, dict.fromkeys(_WORDS), f"side {colour}")
    given = {key: value for key, value in table.items() if value is not None}
    for key in ("supply", "island", "damage"):
        check_whole(f"{key} of {colour}", given.get(key, 0), 0)
    if not isinstance(given.get("pirate", False), bool):
        raise fault(f"pirate of {colour}", given["pirate"], "true or false")
    occasions = given.get("island_for", OCCASIONS)
    if not isinstance(occasions, (list, tuple)):
        raise fault(f"island_for of {colour}", occasions, f"a list of some of {', '.join(OCCASIONS)}")
    given["island_for"] = tuple(cast("Iterable[str]", occasions))
    return Side(colour, cubes, abilities=abilities, **given)


def read_sides(
    cubes: Mapping[str, int], said: Mapping[str, object], abilities: Mapping[str, object], table: str = ""
) -> tuple[Side, ...]:
    """Make the sides from tables by colour, as `read_side` and `Ability.listed` take them; `table` holds these.

    Raises UsageError as these do. Source: that of `Side`.
    """
    return tuple(
        read_side(
            colour,
            number,
            said.get(colour),
            Ability.listed(abilities.get(colour, []), f"{table}abilities.{shown(colour)[1:-1]}"),
        )
        for colour, number in cubes.items()
    )


def parse_said(text: str) -> dict[str, object]:
    """Read what is said of a side in one text, as `read_side` takes it: words with numbers, separated by commas.

    As in `supply:20,island:2,damage:1,pirate`; `island_for` takes occasions joined by +, or `nothing`.
    Raises UsageError for anything else. Source: that of `Side`.
    """
    said: dict[str, object] = {}
    for item in text.split(","):
        word, _, value = (part.strip() for part in item.partition(":"))
        is_number = value.isascii() and value.isdecimal() and len(value) <= 3
        if word in said:
            raise fault("a side's word", item, f"each word once; {word} is there already", "leave one out")
        if word in ("supply", "island", "damage") and is_number:
            said[word] = int(value)
        elif word == "island_for" and value:
            said[word] = [] if value == "nothing" else value.split("+")
        elif item.strip() == "pirate":
            said[word] = True
        else:
            allowed = f"supply:N, island:N, damage:N, pirate or island_for:{'+'.join(OCCASIONS)}"
            raise fault("a side's word", item, allowed, "write supply:20,damage:1,pirate")
    return said


def side_words(side: Side) -> dict[str, Any]:
    """Return what `read_side` reads of a side, ready for `json.dumps`."""
    return {key: getattr(side, key) for key in _WORDS} | {"island_for": list(side.island_for)}


@dataclass(frozen=True, slots=True)
class Setup:
    """A combat before the throw: its kind, its sides, whose turn it is, and the rulings.

    `active` is a side's colour (empty: the first); in a tie-break nobody is active. The other side of a `merchant`
    combat is the non-player, that of a `building` combat the buildings' owner. `provoked`: the active ship ended its
    move where the other lies in pirate mode, and has to fight.
    Raises UsageError for a combat that cannot be.
    Source: rulebook, lines 80, 534, 885, 913, 1052, 1056, 1213 and 1275.
    """

    kind: Kind
    sides: tuple[Side, ...]
    active: str = ""
    rulings: Rulings = field(default_factory=Rulings)
    provoked: bool = False

    def __post_init__(self) -> None:
        check_kind("sides", self.sides, tuple, "a tuple of Side", 'write (Side("purple", 6), ...)')
        for side in self.sides:
            check_kind("one of sides", side, Side, "a Side", 'write Side("purple", 6)')
        if not isinstance(cast("object", self.kind), str) or self.kind not in KINDS:
            raise unknown("kind of combat", self.kind, KINDS, "change it or leave it out")
        if self.kind == "tie_break":
            if self.active:
                raise fault("active side of a tie-break", self.active, "none")
            if len(self.sides) < 2:
                raise fault("number of sides", len(self.sides), "2 or more", "name the tied sides")
        elif len(self.sides) != 2:
            advice = "name both, as in purple=6,green=3"
            raise fault("number of sides", len(self.sides), f"2 in a {self.kind} combat", advice)
        if len(set(self.colours)) < len(self.sides) or "" in self.colours:
            raise fault("colours", [*self.colours], "a different word for each side")
        if self.kind != "tie_break":
            object.__setattr__(self, "active", self.active or self.colours[0])
            if self.active not in self.colours:
                raise unknown("active side", self.active, self.colours)
        if self.kind == "merchant" and self.active == NON_PLAYER:
            player = self.opponent(NON_PLAYER)
            allowed = f"{player}: only players attack, and {NON_PLAYER} cubes are the non-player's"
            raise fault("active side", self.active, allowed, f"name {player} first, or as the active side")
        for side in self.sides:
            self._check_side(side)
        if not any(side.abilities or min(side.cubes, sum(self.stock(side))) for side in self.sides):
            raise fault(f"cubes of a {self.kind} combat", 0, "1 or more", "give a side some")
        if not isinstance(cast("object", self.provoked), bool):
            raise fault("provoked", self.provoked, "true or false")
        if self.provoked and not (self.kind == "ship" and self.side(self.opponent(self.active)).pirate):
            allowed = "false, unless ship fights ship and the other than the active one is in pirate mode"
            raise fault("provoked", True, allowed, "say that the other is a pirate, or leave it out")

    def _check_side(self, side: Side) -> None:
        _check_cubes(self, side)
        if side.damage not in range(SINKS_AT):
            allowed = f"a whole number from 0 to {SINKS_AT - 1}"
            raise fault(f"damage of {side.colour}", side.damage, allowed, "a ship with more has sunk")
        if len(side.abilities) > MOST_ABILITIES:
            raise fault(f"number of abilities of {side.colour}", len(side.abilities), f"up to {MOST_ABILITIES}")
        if side.abilities and self.kind != "ship" and side.colour != self.active:
            who = (
                "nobody's in a tie-break"
                if self.kind == "tie_break"
                else f"only {self.active}'s in a {self.kind} combat"
            )
            raise fault(f"number of abilities of {side.colour}", len(side.abilities), f"0: {who}", "leave them out")
        if side.colour == self.non_player:
            has_damage = side.damage and self.rulings.damage_to_non_player == "ignored"
            for name, value in (("island", side.island), ("pirate", side.pirate), ("damage", has_damage)):
                if value:
                    allowed = "none: it is the non-player"
                    raise fault(f"{name} of {side.colour}", getattr(side, name), allowed, "leave it out")

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

    def owned(self, side: Side) -> int:
        """Return how many cubes a side has for combats, wherever they are. Source: rulebook, lines 80 and 407-408."""
        return NON_PLAYER_SUPPLY if side.colour == self.non_player else PLAYER_SUPPLY

    def stock(self, side: Side) -> tuple[int, int]:
        """Return how many cubes a side has in its supply, and on islands."""
        return (self.owned(side) - side.island if side.supply is None else side.supply, side.island)


def _check_cubes(setup: Setup, side: Side) -> None:
    """Refuse more cubes than there are, and a number that no building gives."""
    owned, colour = setup.owned(side), side.colour
    for name, value in (("cubes", side.cubes), ("island", side.island), ("supply", side.supply or 0)):
        check_whole(f"{name} of {colour}", value, 0)
        if value > owned:
            raise fault(f"{name} of {colour}", value, f"up to {owned}, all that it has", "give fewer")
    if sum(setup.stock(side)) > owned:
        both = f"supply and island of {colour} together"
        raise fault(both, sum(setup.stock(side)), f"up to {owned}, all that it has", "give fewer")
    for occasion in side.island_for:
        if occasion not in OCCASIONS:
            raise fault(f"island_for of {colour}", occasion, f"some of {', '.join(OCCASIONS)}")
    if colour == setup.buildings:
        plain = sorted(building_cubes(fort=fort, garrison=garrison) for fort, garrison in _BUILDINGS)
        more = last_turn_cubes("building", setup.rulings, ship=False)
        allowed = plain + [number + more for number in plain if more]
        if side.cubes not in allowed:
            said = f"{', '.join(map(str, plain))} (garrison, fort, both)"
            said += f", or {', '.join(str(n + more) for n in plain)} after its last turn" if more else ""
            raise fault(f"cubes of {colour}", side.cubes, said, "say which buildings are attacked by their number")


_BUILDINGS = ((True, False), (False, True), (True, True))


def last_turn_cubes(kind: str, rulings: Rulings, *, ship: bool = True) -> int:
    """Return how many cubes more a player takes in a combat of `kind` after its last turn, with its `ship` or without.

    Source: rulebook, line 1213; in which combats is the ruling `last_turn`.
    """
    scope = rulings.last_turn
    if kind == "tie_break":
        return LAST_TURN if scope == "everywhere" else 0
    return LAST_TURN if ship or scope != "ships" else 0


def player_cubes(
    cannons: int,
    *,
    buildings: int = 0,
    attacked_in_port: bool = False,
    had_last_turn: bool = False,
    kind: Kind = "ship",
    rulings: Rulings | None = None,
) -> int:
    """Return how many cubes a player takes for `cannons`: an active one those it chooses, an inactive one all it has.

    `buildings`: those on the island where it is, if it controls that island; `kind` is that of the combat.
    Raises UsageError for a number that is negative. Source: rulebook, lines 913, 949, 1078 and 1213.
    """
    check_whole("cannons", cannons, 0)
    check_whole("buildings", buildings, 0)
    more = last_turn_cubes(kind, rulings or Rulings()) if had_last_turn else 0
    return cannons + buildings + 4 * attacked_in_port + more


def building_cubes(*, fort: bool, garrison: bool, had_last_turn: bool = False, rulings: Rulings | None = None) -> int:
    """Return how many cubes the owner of attacked buildings takes; it has no cannons there.

    Raises UsageError without a building. Source: rulebook, lines 1052 and 1213.
    """
    if not (fort or garrison):
        raise fault("buildings", "none", "a fort, a garrison or both", "outposts cannot be attacked")
    more = last_turn_cubes("building", rulings or Rulings(), ship=False) if had_last_turn else 0
    return 5 * fort + 2 * garrison + more


# What is left of a turn

Target = Literal["ship", "fort", "garrison", "buildings"]
_PARTS: Mapping[str, tuple[str, ...]] = {"buildings": ("fort", "garrison")}


@dataclass(frozen=True, slots=True)
class TurnLeft:
    """What is left of one player's turn: cannons, abilities, and what it has `fought`, as opponent and target.

    Each cannon and ability serves once in a turn, and no ship, building or non-player is fought twice.
    Source: rulebook, lines 887-889.
    """

    cannons: int
    abilities: tuple[Ability, ...] = ()
    fought: tuple[tuple[str, str], ...] = ()

    def spend(
        self, opponent: str, cannons: int = 0, abilities: Iterable[Ability] = (), *, target: Target = "ship"
    ) -> TurnLeft:
        """Return what is left after a combat against a `target` of `opponent` that used these cannons and abilities.

        A pirate's ship comes before the buildings on its island: `spend("green")`, then
        `spend("green", target="fort")`. A non-player is fought as a `ship`; `buildings` are a fort and a garrison at
        once. Name the island too where an opponent has buildings on several.
        Raises UsageError for more than is left, and for what was fought before.
        Source: rulebook, lines 887-889, 1041 and 1043.
        """
        parts = _PARTS.get(target, (target,))
        if target not in get_args(Target):
            raise fault("target", target, f"one of {', '.join(get_args(Target))}")
        if again := [part for part in parts if (opponent, part) in self.fought]:
            raise fault(f"opponent ({again[0]})", opponent, "one not fought in this turn", "wait for the next turn")
        if not isinstance(cast("object", cannons), int) or not 0 <= cannons <= self.cannons:
            raise fault("cannons", cannons, f"0 to {self.cannons}, those left in this turn", "use fewer")
        left = list(self.abilities)
        for ability in abilities:
            if ability not in left:
                allowed = ", ".join(its.text for its in left) or "none"
                raise fault("ability", ability.text, f"what is left in this turn: {allowed}", "leave it out")
            left.remove(ability)
        return TurnLeft(self.cannons - cannons, tuple(left), (*self.fought, *((opponent, part) for part in parts)))
