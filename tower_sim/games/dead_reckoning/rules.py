"""The rules of a battle of Dead Reckoning as typed data: rulings, abilities, sides and their cubes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, cast, get_args

from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from tower_sim.documents import refuse_unknown
from tower_sim.errors import check_kind, check_whole, fault, unknown
from tower_sim.games.rules import Rules, ruling
from tower_sim.games.ways import MAX_WORD
from tower_sim.values import MAX_CUBES, check_colour


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
    def parse(text: str | Ability) -> Ability:
        """Read an ability; one that is read already stays.

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
        if isinstance(text, Ability):
            return text
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
        return phrase.replace("*", ending).replace("ZONE", zone or "an adjacent zone")


Kind = Literal["ship", "merchant", "building", "tie_break"]
Occasion = Literal["throw", "explosion", "ability"]  # when cubes are taken
OCCASIONS: tuple[Occasion, ...] = get_args(Occasion)
PLAYER_SUPPLY = 29  # one of the 30 cubes marks the sails; rulebook, lines 407-408
NON_PLAYER_SUPPLY = 20  # black cubes; rulebook, line 80
NON_PLAYER = "black"  # the colour of the non-player's cubes; rulebook, line 913
SINKS_AT = 5  # damage; rulebook, line 1107
LAST_TURN = 2  # additional cubes; rulebook, line 1213
MOST_ABILITIES = 50  # limit for one side; a player has fewer cards

Count = Annotated[int, Field(ge=0, le=PLAYER_SUPPLY)]
AbilityText = Annotated[
    Ability,
    PlainValidator(Ability.parse, json_schema_input_type=Annotated[str, Field(max_length=MAX_WORD)]),
    PlainSerializer(lambda ability: ability.text, return_type=Annotated[str, Field(max_length=MAX_WORD)]),
    Field(json_schema_extra={"allowed": f"a text of up to {MAX_WORD} characters"}),
]


class SideRules(Rules):
    """What a side has in addition to its cubes and abilities. Source: rulebook, lines 407-408, 895, 973 and 1107."""

    table: ClassVar[str] = "battle.sides"
    supply: Count | None = Field(
        default=None, description="cubes at hand, those taken included; else all but those on islands"
    )
    island: Count = Field(default=0, description="cubes that can be taken off islands when the supply runs out")
    island_for: Annotated[tuple[Occasion, ...], Field(strict=False)] = Field(
        default=OCCASIONS, description="when cubes are taken off islands"
    )
    damage: int = Field(default=0, ge=0, le=SINKS_AT - 1, description="damage that its ship has already")
    pirate: bool = Field(default=False, description="whether its ship is in pirate mode")


_NOTHING_ELSE = SideRules()


def _demand(holds: object, what: str, value: object, allowed: str, advice: str = "change it or leave it out") -> None:
    if not holds:
        raise fault(what, value, allowed, advice)


class BattleRules(Rules):
    """The sides of a battle, their cubes and abilities, and the rulings.

    Two sides fight, in a tie-break all that are tied. The one that is not active is the non-player, or owns the
    buildings. Source: rulebook, lines 80, 534, 885, 895, 913, 1043, 1052, 1056, 1213 and 1275.
    """

    table: ClassVar[str] = "battle"
    unsaid: ClassVar[tuple[str, ...]] = ("sides", "provoked")
    cubes: dict[str, Count] = Field(
        default={"purple": 6, "green": 3}, description="cubes that each side takes at first"
    )
    combat: Kind = Field(
        default="ship", description="ship against ship, a non-player (merchant) or buildings; or a tie-break"
    )
    active: str = Field(default="", description="the side whose turn it is; empty: the first")
    abilities: dict[str, Annotated[tuple[AbilityText, ...], Field(strict=False)]] = Field(
        default={}, description='abilities of a side, as in abilities.green = ["throw:2"]'
    )
    rulings: Rulings = Field(default=Rulings(), description="choices where the rulebook is silent or unclear")
    sides: dict[str, SideRules] = Field(
        default={}, description="what else a side has, as in sides.green = { damage = 1 }"
    )
    provoked: bool = Field(default=False, description="whether the active ship moved onto the other, a pirate")

    @model_validator(mode="after")
    def _one_form(self) -> BattleRules:
        if (number := sum(self.cubes.values())) > MAX_CUBES:
            raise fault("number of cubes in battle.cubes", number, f"up to {MAX_CUBES} in all", "take fewer")
        refuse_unknown({key: 0 for key, texts in self.abilities.items() if texts}, self.cubes, "battle.abilities")
        refuse_unknown({key: 0 for key, of in self.sides.items() if of != _NOTHING_ELSE}, self.cubes, "battle.sides")
        abilities = {colour: self.abilities.get(colour, ()) for colour in self.cubes}
        object.__setattr__(self, "abilities", abilities)
        self._check_combat()
        return self

    def _check_combat(self) -> None:
        number = len(self.cubes)
        for colour in self.cubes:
            check_colour("colour of a side", colour)
        _demand("" not in self.cubes, "colours", [*self.cubes], "a different word for each side")
        if self.combat == "tie_break":
            _demand(not self.active, "active side of a tie-break", self.active, "none")
            _demand(number >= 2, "number of sides", number, "2 or more", "name the tied sides")
        else:
            advice = "name both, as in { purple = 6, green = 3 }"
            _demand(number == 2, "number of sides", number, f"2 in a {self.combat} combat", advice)
            if self.attacker not in self.cubes:
                raise unknown("active side", self.active, self.cubes)
        if self.combat == "merchant" and self.attacker == NON_PLAYER:
            player = self.opponent(NON_PLAYER)
            allowed = f"{player}: only players attack, and {NON_PLAYER} cubes are the non-player's"
            raise fault("active side", NON_PLAYER, allowed, f"name {player} first, or as the active side")
        for colour in self.cubes:
            self._check_side(colour)
        can_throw = any(
            self.abilities[colour] or min(cubes, sum(self.stock(colour))) for colour, cubes in self.cubes.items()
        )
        _demand(can_throw, f"cubes of a {self.combat} combat", 0, "1 or more", "give a side some")
        if self.provoked:
            has_pirate = self.combat == "ship" and self.side(self.opponent(self.attacker)).pirate
            allowed = "false, unless ship fights ship and the other than the active one is in pirate mode"
            _demand(has_pirate, "provoked", True, allowed, "say that the other is a pirate, or leave it out")

    def _check_side(self, colour: str) -> None:
        side, owned = self.side(colour), self.owned(colour)
        cubes, abilities = self.cubes[colour], len(self.abilities[colour])
        all_it_has = f"up to {owned}, all that it has"
        for name, value in (("cubes", cubes), ("island", side.island), ("supply", side.supply or 0)):
            _demand(value <= owned, f"{name} of {colour}", value, all_it_has, "give fewer")
        both = sum(self.stock(colour))
        _demand(both <= owned, f"supply and island of {colour} together", both, all_it_has, "give fewer")
        _demand(abilities <= MOST_ABILITIES, f"number of abilities of {colour}", abilities, f"up to {MOST_ABILITIES}")
        who = f"only {self.attacker}'s in a {self.combat} combat" if self.attacker else "nobody's in a tie-break"
        may = self.combat == "ship" or colour == self.attacker or not abilities
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
            _demand(cubes in [*usual, *later], f"cubes of {colour}", cubes, allowed, advice)

    @property
    def colours(self) -> tuple[str, ...]:
        return tuple(self.cubes)

    @property
    def attacker(self) -> str:
        """The active side, or "" in a tie-break."""
        return "" if self.combat == "tie_break" else self.active or self.colours[0]

    @property
    def non_player(self) -> str:
        """The non-player's colour, or ""."""
        return self.opponent(self.attacker) if self.combat == "merchant" else ""

    @property
    def buildings(self) -> str:
        """The colour whose buildings are attacked, or ""."""
        return self.opponent(self.attacker) if self.combat == "building" else ""

    def side(self, colour: str) -> SideRules:
        """Return what a side has besides its cubes and abilities."""
        return self.sides.get(colour, _NOTHING_ELSE)

    def opponent(self, colour: str) -> str:
        return next(other for other in self.cubes if other != colour)

    def owned(self, colour: str) -> int:
        """Return how many cubes a side has in all (rulebook, lines 80 and 407-408)."""
        return NON_PLAYER_SUPPLY if colour == self.non_player else PLAYER_SUPPLY

    def stock(self, colour: str) -> tuple[int, int]:
        """Return the numbers of cubes in the supply and on islands."""
        side = self.side(colour)
        return (self.owned(colour) - side.island if side.supply is None else side.supply, side.island)


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
