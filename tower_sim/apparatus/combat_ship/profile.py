r"""The combat ship: bulwarks, masts and decks in a hull, a gun deck that falls to port; the board beside it.

    seen from the stern                        seen from port
              |  masts                            |     |     |
         \    |    /   bulwarks              \____|_____|_____|____/
          |   |   |                          |       /\           |   upper deck
          | /   \ |    decks                 |    /\     /\       |   lower decks
          |`-.    |                          |                    |
          |   `-. |  gun deck                |    |    |    |     |   gun ports
          |______`-.   |__|____|___|         |____|____|____|_____|
        z ^
          +-> x (port)   y: along the ship, towards the stern; origin: the table under the middle of the ship

All lengths are parameters; which of them are known of the real ship and which are assumed is said in the profile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

from tower_sim import portable
from tower_sim.apparatus import zones
from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.common import Cubes, Release, demand, mm
from tower_sim.apparatus.profile import Profile
from tower_sim.errors import UsageError, shown
from tower_sim.fields import count, number, read_table

SHEET = 2e-3  # thickness of decks, m
WALL = 4e-3  # thickness of the hull, m
MAX_DECKS = 40


@dataclass(frozen=True, slots=True)
class Hull:
    """The hull: clear width `beam` and `length`; its upper edge at height `top` over the table."""

    beam: float = number("mm", 20, 200)
    length: float = number("mm", 40, 400)
    top: float = number("mm", 40, 400)


@dataclass(frozen=True, slots=True)
class Bulwarks:
    """The bulwarks on the hull: `height` of their own, leaning outwards by `flare` all round."""

    height: float = number("mm", 1, 200)
    flare: float = number("mm", 0, 200)


@dataclass(frozen=True, slots=True)
class Masts:
    """A row of `masts` square masts over the keel, `spacing` apart, from height `foot` to height `top`."""

    masts: int = count(0, 5)
    spacing: float = number("mm", 5, 200)
    thickness: float = number("mm", 1, 20)
    foot: float = number("mm", 1, 400)
    top: float = number("mm", 1, 600)


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck that scatters cubes: two planks across the beam that fall fore and aft from a ridge.

    The ridge is at `along` the ship (0: amidships) and at height `ridge`; each plank reaches `span` along the ship and
    falls at `slope`.
    """

    along: float = number("mm", -200, 200)
    ridge: float = number("mm", 1, 400)
    span: float = number("mm", 2, 200)
    slope: float = number("deg", 0, 80)


@dataclass(frozen=True, slots=True)
class GunDeck:
    """The deck that falls to port at `slope`, its lower edge `lip` over the table, and the ports it ends in.

    `ports` openings side by side, `port_height` high, parted by bulkheads `bulkhead` thick and `bulkhead_height` high.
    """

    slope: float = number("deg", 0, 80)
    lip: float = number("mm", 1, 100)
    ports: int = count(1, 12)
    port_height: float = number("mm", 1, 200)
    bulkhead: float = number("mm", 0.5, 20)
    bulkhead_height: float = number("mm", 0, 100)


@dataclass(frozen=True, slots=True)
class BoardTable:
    """The board on the ship's port side: `length` away from it, `width` along it, with its frame.

    The zones' floor is `floor` over the table, the borders rise by `border_height` and the frame by `frame_height` over
    it; `border_width` is the width of the borders and of the frame.
    """

    length: float = number("mm", 20, 600)
    width: float = number("mm", 20, 600)
    floor: float = number("mm", 0.5, 20)
    border_width: float = number("mm", 1, 20)
    border_height: float = number("mm", 0, 20)
    frame_height: float = number("mm", 0, 100)


@dataclass(frozen=True, slots=True)
class ShipAndBoard:
    """All parameters of a combat ship and its board; each part is one table of the profile, `decks` and `zones` many.

    `shared` are the arguments of `Apparatus` that follow from what every profile has. The zones' corners are in the
    board's own coordinates: x from the frame on the ship's side, y from amidships.
    """

    cubes: Cubes
    hull: Hull
    bulwarks: Bulwarks
    masts: Masts
    gun_deck: GunDeck
    board: BoardTable
    release: Release
    shared: dict[str, Any]
    decks: tuple[Deck, ...]
    zones: tuple[Zone, ...]
    neighbours: dict[str, tuple[str, ...]]

    @property
    def port(self) -> float:
        """The width (m) of a gun port."""
        return (self.hull.length - (self.gun_deck.ports - 1) * self.gun_deck.bulkhead) / self.gun_deck.ports

    @property
    def mast_places(self) -> list[float]:
        """Where (y, m) the masts are, from fore to aft."""
        return [(i - (self.masts.masts - 1) / 2) * self.masts.spacing for i in range(self.masts.masts)]

    def deck_height(self, x: float) -> float:
        """Height (m) of the gun deck's surface at `x`; its lower edge is the outer face of the hull's port side."""
        return self.gun_deck.lip + portable.tan(self.gun_deck.slope) * (self.hull.beam / 2 + WALL - x)


_PARTS: dict[str, type] = {
    "hull": Hull,
    "bulwarks": Bulwarks,
    "masts": Masts,
    "gun_deck": GunDeck,
    "board": BoardTable,
}


def read(profile: Profile) -> ShipAndBoard:
    """Read a profile of this kind; raises UsageError, in one line, for what makes no sense.

    The surfaces that cubes meet are the `ship` and the `board` (and the table).
    """
    parts, shared = profile.read(_PARTS, ("ship", "board"), ("decks", "zones"))
    of_board = zones.read(profile.tables["zones"])
    board, edge = cast("BoardTable", parts["board"]), parts["cubes"].edge
    border = board.border_width
    zones.check_places(of_board, ((0.0, board.length), (-board.width / 2, board.width / 2)), border)
    across = zones.neighbours(of_board, border, edge)
    decks = _decks(profile.tables["decks"])
    ship = ShipAndBoard(shared=shared, decks=decks, zones=of_board, neighbours=across, **parts)
    _check(ship)
    zones.check_reach(of_board, across, border, edge)
    return ship


def _decks(tables: object) -> tuple[Deck, ...]:
    if not isinstance(tables, list):
        raise UsageError(
            f"decks = {shown(tables)}; allowed is a list of tables; write [[decks]], or decks = [] for none"
        )
    decks = cast("list[object]", tables)
    demand(len(decks) <= MAX_DECKS, f"{len(decks)} decks; allowed are up to {MAX_DECKS}; build fewer")
    return tuple(read_table(Deck, table, f"decks[{i}]") for i, table in enumerate(decks))


def _check(ship: ShipAndBoard) -> None:
    """Refuse parameters that are each allowed but make no ship that cubes fall through."""
    edge, hull, gun_deck = ship.cubes.edge, ship.hull, ship.gun_deck
    passage = math.sqrt(3) * edge  # a cube gets through however it is turned
    friction = ship.shared["surfaces"]["ship"].friction
    slide = portable.atan2(friction, 1.0)
    for name, slope in [("gun_deck", gun_deck.slope), *((f"decks[{i}]", d.slope) for i, d in enumerate(ship.decks))]:
        demand(
            slope > slide,
            f"{name}.slope_deg = {math.degrees(slope):g}; allowed is more than {math.degrees(slide):.3g}, or cubes "
            f"stay on it at surfaces.ship.friction = {friction:g}; make it steeper",
        )
    demand(
        ship.port > passage,
        f"gun_deck.ports = {gun_deck.ports} are {mm(ship.port)} mm wide each; allowed is more than {mm(passage)} mm, "
        "or a cube gets stuck; cut fewer ports or make the ship longer",
    )
    lowest = (passage + gun_deck.bulkhead_height) / portable.cos(gun_deck.slope)
    demand(
        gun_deck.port_height > lowest,
        f"gun_deck.port_height_mm = {mm(gun_deck.port_height)}; allowed is more than {lowest * 1e3:.3g}, or a cube "
        "gets stuck over a bulkhead; make the ports higher",
    )
    inner_top = ship.deck_height(-hull.beam / 2)
    for i, deck in enumerate(ship.decks):
        low = deck.ridge - deck.span * portable.tan(deck.slope) - SHEET
        demand(
            low >= inner_top + passage,
            f"decks[{i}].ridge_mm = {mm(deck.ridge)}; allowed is at least "
            f"{mm(deck.ridge + inner_top + passage - low)}, or a cube gets stuck between it and the gun deck; raise it",
        )
        demand(
            deck.ridge <= hull.top,
            f"decks[{i}].ridge_mm = {mm(deck.ridge)}; allowed is at most hull.top_mm = {mm(hull.top)}; lower it",
        )
        end = abs(deck.along) + deck.span
        demand(
            end + passage <= hull.length / 2,
            f"decks[{i}] ends {mm(end)} mm from amidships; allowed is at most {mm(hull.length / 2 - passage)}, or a "
            "cube gets stuck between it and the hull; shorten or move it",
        )
    foot = ship.deck_height(hull.beam / 2)
    demand(
        foot + gun_deck.port_height < hull.top,
        f"gun_deck.port_height_mm = {mm(gun_deck.port_height)}; allowed is less than {mm(hull.top - foot)}, the "
        "hull's top over the deck; make the ports lower",
    )
    highest = ship.board.floor + max(ship.board.border_height, ship.board.frame_height)
    demand(
        gun_deck.lip >= highest,
        f"gun_deck.lip_mm = {mm(gun_deck.lip)}; allowed is at least the board's highest border, {mm(highest)}; "
        "raise the deck",
    )
    masts = ship.masts
    demand(
        (masts.masts - 1) * masts.spacing + masts.thickness < hull.length,
        f"masts.spacing_mm = {mm(masts.spacing)} for {masts.masts} masts; allowed is what fits into hull.length_mm = "
        f"{mm(hull.length)}; set them closer",
    )
    demand(
        masts.masts < 2 or masts.spacing - masts.thickness > passage,
        f"masts.spacing_mm = {mm(masts.spacing)}; allowed is more than {mm(passage + masts.thickness)}, or a cube gets "
        "stuck between them; set them wider",
    )
    demand(
        masts.masts == 0 or (hull.beam - masts.thickness) / 2 > passage,
        f"masts.thickness_mm = {mm(masts.thickness)}; allowed is less than {mm(hull.beam - 2 * passage)}, or a cube "
        "gets stuck between mast and hull; make them thinner or the beam wider",
    )
    demand(
        masts.masts == 0 or inner_top <= masts.foot < masts.top,
        f"masts.foot_mm = {mm(masts.foot)}; allowed is from {mm(inner_top)}, over the gun deck, to masts.top_mm = "
        f"{mm(masts.top)}; move it",
    )
    rim = min(hull.beam, hull.length) + 2 * ship.bulwarks.flare
    demand(
        ship.release.spread <= rim,
        f"release.spread_mm = {mm(ship.release.spread)}; allowed is at most the bulwarks' {mm(rim)} mm; hold the hand "
        "closer",
    )
