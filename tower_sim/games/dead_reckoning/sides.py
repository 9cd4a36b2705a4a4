"""Who fights in a combat of Dead Reckoning, with how many cubes, and what is left of a player's turn after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from tower_sim.cubes import check_colour
from tower_sim.errors import check_kind, check_whole, fault, unknown
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
Occasion = Literal["throw", "explosion", "ability"]  # when cubes are taken
OCCASIONS: tuple[Occasion, ...] = get_args(Occasion)


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
    island_for: tuple[Occasion, ...] = OCCASIONS

    def __post_init__(self) -> None:
        check_colour("colour of a side", self.colour)
        for name in ("cubes", "supply", "island", "damage"):
            if name != "supply" or self.supply is not None:
                check_whole(f"{name} of {self.colour}", getattr(self, name), 0)


_WORDS = ("supply", "island", "island_for", "damage", "pirate")  # what is said of a side beside cubes and abilities


def _demand(holds: object, what: str, value: object, allowed: str, advice: str = "change it or leave it out") -> None:
    if not holds:
        raise fault(what, value, allowed, advice)


def side_words(side: Side) -> dict[str, Any]:
    """Return what a battle's table says of a side beside cubes and abilities, ready for `json.dumps`."""
    return {key: getattr(side, key) for key in _WORDS} | {"island_for": list(side.island_for)}


@dataclass(frozen=True, slots=True)
class Setup:
    """A combat before the throw: its kind, its sides, whose turn it is, and the rulings.

    `active` is a side's colour (empty: the first); in a tie-break nobody is active. The other side of a `merchant`
    combat is the non-player, that of a `building` combat the buildings' owner. `provoked`: the active ship ended its
    move where the other lies in pirate mode, and has to fight.
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
        number = len(self.sides)
        if self.kind == "tie_break":
            _demand(not self.active, "active side of a tie-break", self.active, "none")
            _demand(number >= 2, "number of sides", number, "2 or more", "name the tied sides")
        else:
            advice = "name both, as in { purple = 6, green = 3 }"
            _demand(number == 2, "number of sides", number, f"2 in a {self.kind} combat", advice)
        are_words = len(set(self.colours)) == number and "" not in self.colours
        _demand(are_words, "colours", [*self.colours], "a different word for each side")
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
        can_throw = any(side.abilities or min(side.cubes, sum(self.stock(side))) for side in self.sides)
        _demand(can_throw, f"cubes of a {self.kind} combat", 0, "1 or more", "give a side some")
        if self.provoked:
            has_pirate = self.kind == "ship" and self.side(self.opponent(self.active)).pirate
            allowed = "false, unless ship fights ship and the other than the active one is in pirate mode"
            _demand(has_pirate, "provoked", True, allowed, "say that the other is a pirate, or leave it out")

    def _check_side(self, side: Side) -> None:
        """Refuse more than there is, and what this kind of combat does not have."""
        owned, colour, abilities = self.owned(side), side.colour, len(side.abilities)
        all_it_has = f"up to {owned}, all that it has"
        for name, value in (("cubes", side.cubes), ("island", side.island), ("supply", side.supply or 0)):
            _demand(value <= owned, f"{name} of {colour}", value, all_it_has, "give fewer")
        both = sum(self.stock(side))
        _demand(both <= owned, f"supply and island of {colour} together", both, all_it_has, "give fewer")
        allowed = f"a whole number from 0 to {SINKS_AT - 1}"
        _demand(side.damage < SINKS_AT, f"damage of {colour}", side.damage, allowed, "a ship with more has sunk")
        _demand(abilities <= MOST_ABILITIES, f"number of abilities of {colour}", abilities, f"up to {MOST_ABILITIES}")
        who = f"only {self.active}'s in a {self.kind} combat" if self.active else "nobody's in a tie-break"
        may = self.kind == "ship" or colour == self.active or not abilities
        _demand(may, f"number of abilities of {colour}", abilities, f"0: {who}", "leave them out")
        if colour == self.non_player:
            has_damage = side.damage and self.rulings.damage_to_non_player == "ignored"
            for name, has in (("island", side.island), ("pirate", side.pirate), ("damage", has_damage)):
                allowed = "none: it is the non-player"
                _demand(not has, f"{name} of {colour}", getattr(side, name), allowed, "leave it out")
        if colour == self.buildings:
            usual = sorted(building_cubes(fort=fort, garrison=garrison) for fort, garrison in _BUILDINGS)
            more = last_turn_cubes("building", self.rulings, ship=False)
            later = [number + more for number in usual if more]
            allowed = f"{', '.join(map(str, usual))} (garrison, fort, both)"
            allowed += f", or {', '.join(map(str, later))} after its last turn" if later else ""
            advice = "say which buildings are attacked by their number"
            _demand(side.cubes in [*usual, *later], f"cubes of {colour}", side.cubes, allowed, advice)

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

    @property
    def ships(self) -> tuple[str, ...]:
        """The players who fight with a ship; none in a tie-break."""
        others = (self.non_player, self.buildings) if self.kind != "tie_break" else self.colours
        return tuple(colour for colour in self.colours if colour not in others)

    @property
    def can_sink(self) -> tuple[str, ...]:
        """The sides whose ships can sink."""
        counted = self.non_player and self.rulings.damage_to_non_player == "counted"
        return (*self.ships, self.non_player) if counted else self.ships

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


_BUILDINGS = ((True, False), (False, True), (True, True))


def last_turn_cubes(kind: str, rulings: Rulings, *, ship: bool = True) -> int:
    """Return how many cubes more a player takes in a combat of `kind` after its last turn, with its `ship` or without.

    Source: rulebook, line 1213; in which combats is the ruling `last_turn`.
    """
    scope = rulings.last_turn
    takes = scope == "everywhere" if kind == "tie_break" else ship or scope != "ships"
    return LAST_TURN if takes else 0


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
    Source: rulebook, lines 913, 949, 1078 and 1213.
    """
    check_whole("cannons", cannons, 0)
    check_whole("buildings", buildings, 0)
    more = last_turn_cubes(kind, rulings or Rulings()) if had_last_turn else 0
    return cannons + buildings + 4 * attacked_in_port + more


def building_cubes(*, fort: bool, garrison: bool, had_last_turn: bool = False, rulings: Rulings | None = None) -> int:
    """Return how many cubes the owner of attacked buildings takes; it has no cannons there.

    Source: rulebook, lines 1052 and 1213.
    """
    _demand(fort or garrison, "buildings", "none", "a fort, a garrison or both", "outposts cannot be attacked")
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
        Source: rulebook, lines 887-889, 1041 and 1043.
        """
        parts = _PARTS.get(target, (target,))
        _demand(target in get_args(Target), "target", target, f"one of {', '.join(get_args(Target))}")
        again = next((part for part in parts if (opponent, part) in self.fought), "")
        _demand(not again, f"opponent ({again})", opponent, "one not fought in this turn", "wait for the next turn")
        check_whole("cannons", cannons, 0, self.cannons, "use only those left in this turn")
        left = list(self.abilities)
        for ability in abilities:
            allowed = f"what is left in this turn: {', '.join(its.text for its in left) or 'none'}"
            _demand(ability in left, "ability", ability.text, allowed, "leave it out")
            left.remove(ability)
        return TurnLeft(self.cannons - cannons, tuple(left), (*self.fought, *((opponent, part) for part in parts)))
