"""The meaning of a landing in Dead Reckoning, and the result of a combat, as pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tower_sim.apparatus import Board, Zone
from tower_sim.games.dead_reckoning.abilities import BORDER, TABLE, Ability, Rulings, zone_by_cube
from tower_sim.games.dead_reckoning.sides import SINKS_AT, Kind, Setup
from tower_sim.games.dead_reckoning.worths import DAMAGE, EXPLOSIVE, PLUNDER, STRENGTH, Worth, kind
from tower_sim.games.dead_reckoning.worths import worth as worth_of_zone
from tower_sim.values import Cube, Landing

RULES_VERSION = 2

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
    return sum((worth_of_zone(zone) for zone in counting[: 1 if counts == DAMAGE else None]), Worth())


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
    setup: Setup,
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
    own = dict.fromkeys(setup.colours, Worth())
    for cube, names in zones.items():
        own[cube.colour] += worth_in([board.zone(name) for name in names], setup.kind)
    if setup.non_player:  # it has no plunder
        own[setup.non_player] = replace(own[setup.non_player], coins=0, cargo=0, choice=0)
    to_place = {colour: replace(worth, strength=0, damage=0) for colour, worth in own.items()}
    without_goods = setup.kind == "building" and setup.rulings.goods_at_buildings == "none"
    changes = {"coins": 0, "cargo": 0} if without_goods else {}
    abilities = [(side, ability, replace(ability.worth, **changes)) for side, ability in used]
    for side, ability, worth in abilities:
        if ability.kind != "win_bonus":
            own[side] += worth
    if setup.kind == "tie_break":
        contenders = [colour for colour in setup.colours if not among or colour in among]
        best = max(own[colour].strength for colour in contenders)
        tied = tuple(colour for colour in contenders if own[colour].strength == best)
        sides = {side.colour: SideResult(own[side.colour].strength, 0, 0, 0, 0, 0, side.damage) for side in setup.sides}
        return Result(sides, tied[0], ()) if len(tied) == 1 else Result(sides, None, tied)

    other = setup.opponent(setup.active)
    winner = setup.active if own[setup.active].strength >= own[other].strength else other
    loser = setup.opponent(winner)
    for side, ability, worth in abilities:
        if ability.kind == "win_bonus" and side == winner:
            own[side] += worth
    relief = Counter[str]()
    for side, ability, _ in abilities:
        relief[side] += ability.spared
    sides = {colour: _side_result(setup, own, colour, loser, relief[colour]) for colour in setup.colours}
    by_ship = winner not in (setup.non_player, setup.buildings)
    sunk = tuple(colour for colour in setup.colours if sides[colour].damage >= SINKS_AT)
    for_losing = setup.rulings.who_sank == "dealt"  # damage for losing then does not count as the opponent's
    leaves = setup.kind == "building" and setup.rulings.beaten_by_building == "leaves"
    loses_mode = setup.kind == "ship" or leaves  # lines 973 and 1061
    return Result(
        sides,
        winner,
        legendary=winner if setup.kind != "building" and by_ship else None,
        encounter_effect=("win" if winner == setup.active else "lose") if setup.kind == "merchant" else None,
        merchant_mode=tuple(
            side.colour for side in setup.sides if side.pirate and side.colour in (*sunk, *[loser] * loses_mode)
        ),
        removed=loser == setup.buildings,
        sunk=sunk,
        terror=tuple(
            setup.opponent(colour)
            for colour in sunk
            if setup.kind != "merchant" and sides[colour].damage - (for_losing and colour == loser) >= SINKS_AT
        ),
        barred=loser if setup.provoked and loser == setup.active else None,
        to_place=to_place,
    )


def _side_result(setup: Setup, own: Mapping[str, Worth], colour: str, loser: str, spared: int) -> SideResult:
    mine, rulings, before = own[colour], setup.rulings, setup.side(colour).damage
    dealt, for_losing = own[setup.opponent(colour)].damage, int(colour == loser and setup.kind != "merchant")
    loss = max(0, dealt + for_losing - spared)
    if rulings.spared_damage == "dealt":
        loss = max(0, dealt - spared) + for_losing
    if colour == setup.buildings or (colour == setup.non_player and rulings.damage_to_non_player == "ignored"):
        loss = 0
    return SideResult(mine.strength, mine.coins, mine.cargo, mine.choice, mine.damage, loss, before + loss)
