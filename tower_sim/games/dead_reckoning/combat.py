"""What a zone is worth, the meaning of a landing, and the result of a combat, as pure functions.

A zone prints its `kind` and what a cube in it gives: `strength`, or `coins`, `cargo` and `choice` for plunder. A damage
zone deals one damage to the opposing ship.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from operator import add, attrgetter
from typing import Literal

from pydantic import Field

from tower_sim.apparatus import Board, Zone, demand
from tower_sim.documents import typed
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning.rules import SINKS_AT, Ability, BattleRules, Kind, Rulings
from tower_sim.values import BORDER, TABLE, ZONE, Cube, Landing

RULES_VERSION = 2

EXPLOSIVE = "explosive"
PLUNDER = "plunder"
DAMAGE = "damage"
STRENGTH = "strength"
KINDS = (EXPLOSIVE, PLUNDER, DAMAGE, STRENGTH)

_GIVES = {PLUNDER: ("coins", "cargo", "choice"), STRENGTH: ("strength",)}


@dataclass(frozen=True, slots=True)
class Worth:
    """What a cube in a zone, or an ability, brings its owner; `choice` are goods, each a coin or a cargo."""

    strength: int = 0
    coins: int = 0
    cargo: int = 0
    choice: int = 0
    damage: int = 0

    def __add__(self, other: Worth) -> Worth:
        return Worth(*map(add, _amounts(self), _amounts(other)))


_amounts = attrgetter(*(item.name for item in fields(Worth)))


class _Printed(typed.Document, frozen=True):
    kind: Literal["explosive", "plunder", "damage", "strength"]
    strength: int = Field(default=0, ge=0, le=9)
    coins: int = Field(default=0, ge=0, le=99)
    cargo: int = Field(default=0, ge=0, le=99)
    choice: int = Field(default=0, ge=0, le=99)

    @property
    def amounts(self) -> dict[str, int]:
        return {key: amount for key, amount in self.model_dump(exclude={"kind"}).items() if amount}


def read(zone: Zone) -> _Printed:
    """Return the print of `zone`. Raises UsageError for numbers of another kind."""
    where = f"zone {zone.name}"
    printed = typed.read(_Printed, zone.printed, where)
    gives = _GIVES.get(printed.kind, ())
    for key, amount in printed.amounts.items():
        allowed = f"allowed for kind {printed.kind!r} is {' or '.join(gives) or 'no value'}"
        demand(key in gives, f"{where}.{key} = {amount}; {allowed}; remove it or change the kind")
    allowed = f"allowed is {' or '.join(gives)} of 1 or more"
    demand(not gives or bool(printed.amounts), f"{where} of kind {printed.kind!r} gives nothing; {allowed}; add it")
    return printed


_known = lru_cache(maxsize=4096)(read)  # cached, because a battle reads the zones many times


def legible(board: Board, apparatus: str) -> Board:
    """Return `board` with the print of its zones in the shortest form, without zeros.

    `apparatus` is a name for messages. Raises UsageError for a print that is not allowed.
    """
    try:
        prints = [(zone, read(zone)) for zone in board.zones]
    except UsageError as error:
        raise UsageError(f"profile {apparatus}: {error}") from None
    zones = (replace(zone, printed={"kind": printed.kind} | printed.amounts) for zone, printed in prints)
    return replace(board, zones=tuple(zones))


def kind(zone: Zone) -> str:
    """Return the kind of `zone`, one of KINDS."""
    return _known(zone).kind


@lru_cache(maxsize=4096)
def worth(zone: Zone) -> Worth:
    """Return what a cube in `zone` brings its owner (rulebook, lines 1015, 1027 and 1035)."""
    return Worth(damage=1) if kind(zone) == DAMAGE else Worth(**_known(zone).amounts)


def worth_of(ability: Ability) -> Worth:
    """Return what an ability itself brings; a win bonus only to the winner."""
    strength = ability.count if ability.kind == "strength" else 0
    return Worth(strength=strength, coins=ability.coins, cargo=ability.cargo, damage=ability.damage)


Across = Mapping[Cube, tuple[str, ...]]  # the zones of each cube that is in several zones (ruling `two_zones`)

Verdict = Literal["rests", "again", "lost", "stuck"]


def verdict(landing: Landing, *, rested: bool, rulings: Rulings) -> Verdict:
    """Return the fate of a cube after it landed (lines 983-985 and 1019, and the rulings).

    `rested`: it had come to rest before and was not thrown since.
    """
    if landing.inside:
        return "stuck"
    if landing.place == TABLE:
        return "lost" if rulings.left_board == "lost" else "again"
    if landing.place == BORDER:
        return "rests" if rested and rulings.pushed_onto_border == "stays" else "again"
    if len(landing.touches) > 1:
        return "again" if rulings.two_zones == "rethrown" else "rests"
    on_cubes_only = landing.on and not landing.touches
    return "again" if on_cubes_only and rulings.on_cube == "rethrown" else "rests"


def zone_by_cube(places: Mapping[Cube, str]) -> dict[Cube, str]:
    """Return the zone of each cube that lies in a zone (rulebook, line 983)."""
    return {cube: place.removeprefix(ZONE) for cube, place in places.items() if place.startswith(ZONE)}


def in_explosive(places: Mapping[Cube, str], board: Board, across: Across | None = None) -> tuple[Cube, ...]:
    """Return the cubes in explosive zones, by number (line 999)."""
    zones = {cube: (zone,) for cube, zone in zone_by_cube(places).items()} | dict(across or {})
    explosive = {zone.name for zone in board.zones if kind(zone) == EXPLOSIVE}
    return tuple(sorted(cube for cube, names in zones.items() if explosive & {*names}))


# The steps of resolution that take cubes off the board, in order. Strength comes last, from the cubes still there.
_STEPS = {"ship": (PLUNDER, DAMAGE), "merchant": (PLUNDER, DAMAGE), "building": (DAMAGE,), "tie_break": ()}


def worth_in(zones: Sequence[Zone], combat: Kind = "ship") -> Worth:
    """Return what a cube in all of `zones` at once brings its owner in this kind of combat.

    It counts for the first that its zones have: plunder (not against buildings), one damage, strength; in a tie-break
    for strength only. Source: rulebook, lines 983, 1013, 1015, 1027, 1035 and 1275.
    """
    of_zones = {kind(zone) for zone in zones}
    counts = next((step for step in _STEPS[combat] if step in of_zones), STRENGTH)
    counting = [zone for zone in zones if kind(zone) == counts]
    return sum((worth(zone) for zone in counting[: 1 if counts == DAMAGE else None]), Worth())


@dataclass(frozen=True, slots=True)
class SideResult:
    """The gains and losses of one side in a combat (rulebook, lines 1009-1035).

    `choice` are goods, each a coin or a cargo. `damage_given` counts even against an opponent that takes none. `damage`
    is the total on the side's ship afterwards.
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
    """The end of a combat: each side's result, the winner, and the consequences.

    - `winner`: None while a tie-break is tied between `tied`.
    - `legendary`: the player whose ship beat a ship or a non-player, and who may put a cube on Legendary.
    - `encounter_effect`: of the encounter's card for the active side, `win` or `lose`.
    - `merchant_mode`: sides whose ships leave pirate mode because they lost or sank.
    - `sunk`, `terror`: sides whose ships sink, and players who sank another player's.
    - `barred`: the side that moved onto a pirate and lost, and may not deal with the island.
    - `to_place`: each side's plunder from zones, for holds or the island. Goods from abilities go onto the ship.

    Source: rulebook, lines 929-931, 971-977, 1015, 1062, 1107, 1111, 1113, 1133, 1143, 1275 and 1476.
    """

    sides: dict[str, SideResult]
    winner: str | None
    tied: tuple[str, ...] = ()
    legendary: str | None = None
    encounter_effect: str | None = None
    merchant_mode: tuple[str, ...] = ()
    removed: bool = False
    sunk: tuple[str, ...] = ()
    terror: tuple[str, ...] = ()
    barred: str | None = None
    to_place: dict[str, Worth] = field(default_factory=dict[str, Worth])


def resolve(
    rules: BattleRules,
    board: Board,
    places: Mapping[Cube, str],
    used: Iterable[tuple[str, Ability]] = (),
    among: Collection[str] = (),
    across: Across | None = None,
) -> Result:
    """Return the result of a combat, from the places of the cubes and the abilities that each side used.

    In a tie-break strength decides among the sides `among`, or all if it is empty. `across` has the zones of cubes that
    are in several. Source: rulebook, lines 987-993, 1009-1035, 1058-1062 and 1275.
    """
    zones = {cube: (zone,) for cube, zone in zone_by_cube(places).items()} | dict(across or {})
    own = dict.fromkeys(rules.colours, Worth())
    for cube, names in zones.items():
        own[cube.colour] += worth_in([board.zone(name) for name in names], rules.combat)
    if rules.non_player:  # it has no plunder
        own[rules.non_player] = replace(own[rules.non_player], coins=0, cargo=0, choice=0)
    to_place = {colour: replace(worth, strength=0, damage=0) for colour, worth in own.items()}
    without_goods = rules.combat == "building" and rules.rulings.goods_at_buildings == "none"
    changes = {"coins": 0, "cargo": 0} if without_goods else {}
    abilities = [(side, ability, replace(worth_of(ability), **changes)) for side, ability in used]
    for side, ability, worth in abilities:
        if ability.kind != "win_bonus":
            own[side] += worth
    if rules.combat == "tie_break":
        contenders = [colour for colour in rules.colours if not among or colour in among]
        best = max(own[colour].strength for colour in contenders)
        tied = tuple(colour for colour in contenders if own[colour].strength == best)
        sides = {
            colour: SideResult(own[colour].strength, 0, 0, 0, 0, 0, rules.side(colour).damage)
            for colour in rules.colours
        }
        return Result(sides, tied[0], ()) if len(tied) == 1 else Result(sides, None, tied)

    other = rules.opponent(rules.attacker)
    winner = rules.attacker if own[rules.attacker].strength >= own[other].strength else other
    loser = rules.opponent(winner)
    for side, ability, worth in abilities:
        if ability.kind == "win_bonus" and side == winner:
            own[side] += worth
    relief = Counter[str]()
    for side, ability, _ in abilities:
        relief[side] += ability.spared
    sides = {colour: _side_result(rules, own, colour, loser, relief[colour]) for colour in rules.colours}
    by_ship = winner not in (rules.non_player, rules.buildings)
    sunk = tuple(colour for colour in rules.colours if sides[colour].damage >= SINKS_AT)
    for_losing = rules.rulings.who_sank == "dealt"  # damage for losing then does not count as the opponent's
    leaves = rules.combat == "building" and rules.rulings.beaten_by_building == "leaves"
    loses_mode = rules.combat == "ship" or leaves  # lines 973 and 1061
    return Result(
        sides,
        winner,
        legendary=winner if rules.combat != "building" and by_ship else None,
        encounter_effect=("win" if winner == rules.attacker else "lose") if rules.combat == "merchant" else None,
        merchant_mode=tuple(
            colour for colour in rules.colours if rules.side(colour).pirate and colour in (*sunk, *[loser] * loses_mode)
        ),
        removed=loser == rules.buildings,
        sunk=sunk,
        terror=tuple(
            rules.opponent(colour)
            for colour in sunk
            if rules.combat != "merchant" and sides[colour].damage - (for_losing and colour == loser) >= SINKS_AT
        ),
        barred=loser if rules.provoked and loser == rules.attacker else None,
        to_place=to_place,
    )


def _side_result(rules: BattleRules, own: Mapping[str, Worth], colour: str, loser: str, spared: int) -> SideResult:
    mine, rulings, before = own[colour], rules.rulings, rules.side(colour).damage
    dealt, for_losing = own[rules.opponent(colour)].damage, int(colour == loser and rules.combat != "merchant")
    loss = max(0, dealt + for_losing - spared)
    if rulings.spared_damage == "dealt":
        loss = max(0, dealt - spared) + for_losing
    if colour == rules.buildings or (colour == rules.non_player and rulings.damage_to_non_player == "ignored"):
        loss = 0
    return SideResult(mine.strength, mine.coins, mine.cargo, mine.choice, mine.damage, loss, before + loss)
