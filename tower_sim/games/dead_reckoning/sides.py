"""The sides of a combat of Dead Reckoning, their cubes, and the rest of a player's turn after a combat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from tower_sim.errors import check_kind, check_whole, fault, unknown
from tower_sim.games.dead_reckoning.abilities import Ability, Rulings
from tower_sim.values import check_colour

Kind = Literal["ship", "merchant", "building", "tie_break"]
KINDS: tuple[str, ...] = get_args(Kind)

PLAYER_SUPPLY = 29  # one of the 30 cubes marks the sails; rulebook, lines 407-408
NON_PLAYER_SUPPLY = 20  # black cubes; rulebook, line 80
NON_PLAYER = "black"  # the colour of the non-player's cubes; rulebook, line 913
SINKS_AT = 5  # damage; rulebook, line 1107
LAST_TURN = 2  # additional cubes; rulebook, line 1213
MOST_ABILITIES = 50  # limit for one side; a player has fewer cards
Occasion = Literal["throw", "explosion", "ability"]  # when cubes are taken
OCCASIONS: tuple[Occasion, ...] = get_args(Occasion)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a combat.

    Source: rulebook, lines 407-408, 895, 913, 973 and 1107.

    Args:
        colour: The colour of its cubes.
        cubes: The number of cubes that it takes at first.
        supply: Its cubes at hand, including those taken. None means all that are not on islands.
        island: Cubes that it can take off islands without a change in their control.
        abilities: The abilities that it may use.
        damage: The damage that its ship already has.
        pirate: Whether its ship is in pirate mode.
        island_for: When it takes cubes off islands if the supply runs out.

    >>> Side("green", 3, abilities=(Ability.parse("throw:2"),)).abilities[0].count
    2
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
                object.__setattr__(self, name, check_whole(f"{name} of {self.colour}", getattr(self, name), 0))


_WORDS = ("supply", "island", "island_for", "damage", "pirate")  # settings of a side besides its cubes and abilities


def _demand(holds: object, what: str, value: object, allowed: str, advice: str = "change it or leave it out") -> None:
    if not holds:
        raise fault(what, value, allowed, advice)


def side_words(side: Side) -> Any:
    """Return the settings of a side besides its cubes and abilities."""
    return {key: getattr(side, key) for key in _WORDS} | {"island_for": list(side.island_for)}


@dataclass(frozen=True, slots=True)
class Setup:
    """A combat before the throw.

    Source: rulebook, lines 80, 534, 885, 913, 1043, 1052, 1056, 1213 and 1275.

    Args:
        kind: `ship`, `merchant`, `building` or `tie_break`.
        sides: Two, or all tied sides. The one that is not active is the non-player, or owns the buildings.
        active: The colour of a side, the first by default; none in a tie-break.
        rulings: The choices where the rulebook is silent.
        provoked: Whether the active ship ended its move at a ship in pirate mode.

    >>> Setup("ship", (Side("purple", 6), Side("green", 3))).active
    'purple'
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
            allowed = "false: its ship must be beaten before its buildings are attacked"
            _demand(not side.pirate, f"pirate of {colour}", side.pirate, allowed, "fight ship against ship first")
            buildings = ((False, True), (True, False), (True, True))
            usual = [building_cubes(fort=fort, garrison=garrison) for fort, garrison in buildings]
            more = last_turn_cubes("building", self.rulings, ship=False)
            later = [number + more for number in usual if more]
            allowed = f"{', '.join(map(str, usual))} (garrison, fort, both)"
            allowed += f", or {', '.join(map(str, later))} after its last turn" if later else ""
            advice = "say which buildings are attacked by their number"
            _demand(side.cubes in [*usual, *later], f"cubes of {colour}", side.cubes, allowed, advice)

    @property
    def colours(self) -> tuple[str, ...]:
        return tuple(side.colour for side in self.sides)

    @property
    def non_player(self) -> str:
        """The non-player's colour, or ""."""
        return self.opponent(self.active) if self.kind == "merchant" else ""

    @property
    def buildings(self) -> str:
        """The colour whose buildings are attacked, or ""."""
        return self.opponent(self.active) if self.kind == "building" else ""

    @property
    def ships(self) -> tuple[str, ...]:
        """The players who fight with a ship."""
        others = (self.non_player, self.buildings) if self.kind != "tie_break" else self.colours
        return tuple(colour for colour in self.colours if colour not in others)

    @property
    def can_sink(self) -> tuple[str, ...]:
        counted = self.non_player and self.rulings.damage_to_non_player == "counted"
        return (*self.ships, self.non_player) if counted else self.ships

    def side(self, colour: str) -> Side:
        """Raises KeyError if there is none."""
        return {side.colour: side for side in self.sides}[colour]

    def opponent(self, colour: str) -> str:
        return next(other for other in self.colours if other != colour)

    def owned(self, side: Side) -> int:
        """Source: rulebook, lines 80 and 407-408."""
        return NON_PLAYER_SUPPLY if side.colour == self.non_player else PLAYER_SUPPLY

    def stock(self, side: Side) -> tuple[int, int]:
        """Return the numbers of cubes in the supply and on islands."""
        return (self.owned(side) - side.island if side.supply is None else side.supply, side.island)


def last_turn_cubes(kind: str, rulings: Rulings, *, ship: bool = True) -> int:
    """Return how many more cubes a player takes in a combat after its last turn (line 1213; ruling `last_turn`).

    `ship` is whether the player fights with its ship.
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
    """Return how many cubes a player takes (rulebook, lines 825, 913, 949, 1078 and 1213).

    `cannons` are those that an active player uses, or all of an inactive player. Only where ship fights ship, a player
    takes more for its `buildings` on the island, or in port if it is attacked there.
    """
    most = 3 if kind == "ship" and not attacked_in_port else 0
    cubes = check_whole("cannons", cannons, 0)
    cubes += check_whole("buildings", buildings, 0, most, "they count where ship fights ship, and not in port")
    allowed = "false unless ship fights ship"
    _demand(kind == "ship" or not attacked_in_port, "attacked_in_port", attacked_in_port, allowed)
    more = last_turn_cubes(kind, rulings or Rulings()) if had_last_turn else 0
    return cubes + 4 * attacked_in_port + more


def building_cubes(*, fort: bool, garrison: bool, had_last_turn: bool = False, rulings: Rulings | None = None) -> int:
    """Return how many cubes the owner of attacked buildings takes (rulebook, lines 1052 and 1213)."""
    _demand(fort or garrison, "buildings", "none", "a fort, a garrison or both", "outposts cannot be attacked")
    more = last_turn_cubes("building", rulings or Rulings(), ship=False) if had_last_turn else 0
    return 5 * fort + 2 * garrison + more


# The rest of a turn

Target = Literal["ship", "fort", "garrison", "buildings"]
_PARTS: Mapping[str, tuple[str, ...]] = {"buildings": ("fort", "garrison")}


@dataclass(frozen=True, slots=True)
class TurnLeft:
    """The rest of one player's turn: cannons, abilities, and the opponents and targets that it has `fought`.

    `pirates` are the opponents whose ships are in pirate mode at the player's island. Each cannon, ability and target
    serves once in a turn. Source: rulebook, lines 887-889 and 1043.
    """

    cannons: int
    abilities: tuple[Ability, ...] = ()
    fought: tuple[tuple[str, str], ...] = ()
    pirates: tuple[str, ...] = ()

    def spend(
        self,
        opponent: str,
        cannons: int = 0,
        abilities: Iterable[Ability] = (),
        *,
        target: Target = "ship",
        merchant_mode: Collection[str] = (),
    ) -> TurnLeft:
        """Return the rest of the turn after a combat against a `target` of `opponent`.

        The ships of `merchant_mode` left pirate mode in it. The target of a non-player is `ship`; `buildings` is a fort
        and a garrison at once. Add the island to the name of an opponent with buildings on several. Raises UsageError
        if the turn does not allow the combat. Source: rulebook, lines 887-889, 1041 and 1043.
        """
        parts = _PARTS.get(target, (target,))
        _demand(target in get_args(Target), "target", target, f"one of {', '.join(get_args(Target))}")
        again = next((part for part in parts if (opponent, part) in self.fought), "")
        _demand(not again, f"opponent ({again})", opponent, "one not fought in this turn", "wait for the next turn")
        is_free = target == "ship" or not self.pirates
        _demand(is_free, f"pirates at the {target} of {opponent}", [*self.pirates], "none", "beat their ships first")
        cannons = check_whole("cannons", cannons, 0, self.cannons, "use only those left in this turn")
        left = list(self.abilities)
        for ability in abilities:
            allowed = f"what is left in this turn: {', '.join(its.text for its in left) or 'none'}"
            _demand(ability in left, "ability", ability.text, allowed, "leave it out")
            left.remove(ability)
        fought = (*self.fought, *((opponent, part) for part in parts))
        pirates = tuple(pirate for pirate in self.pirates if pirate not in merchant_mode)
        return TurnLeft(self.cannons - cannons, tuple(left), fought, pirates)
