r"""The combat ship: bulwarks, masts and decks in a hull, and a gun deck that falls to port; the board next to it.

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

All lengths are parameters; the profile says which of them are known from the real ship.
"""

from __future__ import annotations

import math

from pydantic import Field

from tower_sim.apparatus.common import Parameters, Surfaces, SurfaceTable, demand, demand_length, mm
from tower_sim.apparatus.zones import MAX_ZONES, ZoneTable
from tower_sim.documents import Document, number
from tower_sim.tools import portable

SHEET = 2e-3  # thickness of decks, m
WALL = 4e-3  # thickness of the hull, m
MAX_DECKS = 40


class Hull(Document, frozen=True):
    """The hull of the ship."""

    beam: float = number("beam_mm", 20, 200, "The clear width.")
    length: float = number("length_mm", 40, 400, "The clear length.")
    top: float = number("top_mm", 40, 400, "The height of the upper edge over the table.")


class Bulwarks(Document, frozen=True):
    """The bulwarks on the hull."""

    height: float = number("height_mm", 1, 200, "The height of the bulwarks from the hull's upper edge.")
    flare: float = number("flare_mm", 0, 200, "The bulwarks lean outwards by so much all round.")


class Masts(Document, frozen=True):
    """A row of square masts over the keel."""

    masts: int = Field(ge=0, le=5, description="The number of masts.")
    spacing: float = number("spacing_mm", 5, 200, "The distance from one mast to the next.")
    thickness: float = number("thickness_mm", 1, 20, "The edge of a mast.")
    foot: float = number("foot_mm", 1, 400, "The height of a mast's foot over the table.")
    top: float = number("top_mm", 1, 600, "The height of a mast's top over the table.")


class Deck(Document, frozen=True):
    """A deck that scatters cubes: two planks that fall fore and aft from a ridge across the beam."""

    along: float = number("along_mm", -200, 200, "Where the ridge is along the ship. 0 is amidships.")
    ridge: float = number("ridge_mm", 1, 400, "The height of the ridge over the table.")
    span: float = number("span_mm", 2, 200, "Each plank reaches so far along the ship.")
    slope: float = number("slope_deg", 0, 80, "The angle at which each plank falls.")


class GunDeck(Document, frozen=True):
    """The deck that falls to port and ends in gun ports between bulkheads."""

    slope: float = number("slope_deg", 0, 80, "The angle at which the deck falls.")
    lip: float = number("lip_mm", 1, 100, "The height of the deck's lower edge over the table.")
    ports: int = Field(ge=1, le=12, description="The number of ports side by side.")
    port_height: float = number("port_height_mm", 1, 200, "The height of a port.")
    bulkhead: float = number("bulkhead_mm", 0.5, 20, "The thickness of a bulkhead.")
    bulkhead_height: float = number("bulkhead_height_mm", 0, 100, "The height of a bulkhead.")


class BoardTable(Document, frozen=True):
    """The board on the port side, with its frame."""

    length: float = number("length_mm", 20, 600, "The length of the board away from the ship.")
    width: float = number("width_mm", 20, 600, "The width of the board along the ship.")
    floor: float = number("floor_mm", 0.5, 20, "The height of the zones' floor over the table.")
    border_width: float = number("border_width_mm", 1, 20, "The width of the borders and of the frame.")
    border_height: float = number("border_height_mm", 0, 20, "The height of the borders over the floor.")
    frame_height: float = number("frame_height_mm", 0, 100, "The height of the frame over the floor.")


class ShipSurfaces(Surfaces, frozen=True):
    """The contacts of cubes; the table is like the `board`."""

    ship: SurfaceTable
    board: SurfaceTable


class ShipAndBoard(Parameters, frozen=True):
    """All parameters of a combat ship and its board.

    Zones' corners are in the board's coordinates: x from the frame on the ship's side, y from amidships.
    """

    surfaces: ShipSurfaces
    hull: Hull
    bulwarks: Bulwarks
    masts: Masts
    gun_deck: GunDeck
    board: BoardTable
    decks: tuple[Deck, ...] = Field(strict=False, max_length=MAX_DECKS)
    zones: tuple[ZoneTable, ...] = Field(strict=False, min_length=1, max_length=MAX_ZONES)

    @property
    def port(self) -> float:
        """The width (m) of a gun port."""
        return (self.hull.length - (self.gun_deck.ports - 1) * self.gun_deck.bulkhead) / self.gun_deck.ports

    @property
    def mast_places(self) -> list[float]:
        """The y (m) of the masts."""
        return [(i - (self.masts.masts - 1) / 2) * self.masts.spacing for i in range(self.masts.masts)]

    def deck_height(self, x: float) -> float:
        """Return the height (m) of the gun deck at `x` (m), lowest at the port side's outer face."""
        return self.gun_deck.lip + portable.tan(self.gun_deck.slope) * (self.hull.beam / 2 + WALL - x)

    def check(self) -> None:
        """Refuse parameters that do not fit together; zones are checked elsewhere."""
        edge, hull, gun_deck, masts, board = self.cubes.edge, self.hull, self.gun_deck, self.masts, self.board
        passage = math.sqrt(3) * edge  # a cube gets through however it is turned
        friction = self.surfaces.ship.friction
        slide = portable.atan2(friction, 1.0)
        sloping = {"gun_deck": gun_deck} | {f"decks[{i}]": deck for i, deck in enumerate(self.decks)}
        for name, deck in sloping.items():
            demand(
                deck.slope > slide,
                f"{name}.slope_deg is {math.degrees(deck.slope):g}; allowed is more than {math.degrees(slide):.3g}, or "
                f"cubes stay on it at surfaces.ship.friction = {friction:g}; make it steeper",
            )
        demand(
            self.port > passage,
            f"gun_deck.ports = {gun_deck.ports} are {mm(self.port)} mm wide each; allowed is more than {mm(passage)} "
            "mm, or a cube gets stuck; cut fewer ports or make the ship longer",
        )
        lowest = (passage + gun_deck.bulkhead_height) / portable.cos(gun_deck.slope)
        demand(
            gun_deck.port_height > lowest,
            f"gun_deck.port_height_mm is {mm(gun_deck.port_height)}; allowed is more than {lowest * 1e3:.3g}, or a "
            "cube gets stuck over a bulkhead; make the ports higher",
        )
        inner_top = self.deck_height(-hull.beam / 2)
        for i, deck in enumerate(self.decks):
            low, end = deck.ridge - deck.span * portable.tan(deck.slope) - SHEET, abs(deck.along) + deck.span
            demand(
                low >= inner_top + passage,
                f"decks[{i}].ridge_mm is {mm(deck.ridge)}; allowed is at least "
                f"{mm(deck.ridge + inner_top + passage - low)}, or a cube gets stuck between it and the gun deck; "
                "raise it",
            )
            demand_length(f"decks[{i}].ridge", deck.ridge, "at most hull.top_mm = {}", hull.top, "lower it")
            demand(
                end + passage <= hull.length / 2,
                f"decks[{i}] ends {mm(end)} mm from amidships; allowed is at most {mm(hull.length / 2 - passage)}, or "
                "a cube gets stuck between it and the hull; shorten or move it",
            )
        allowed, foot = "less than {}, the hull's top over the deck", self.deck_height(hull.beam / 2)
        demand_length("gun_deck.port_height", gun_deck.port_height, allowed, hull.top, "make the ports lower", -foot)
        highest = board.floor + max(board.border_height, board.frame_height)
        allowed = "at least the board's highest border, {}"
        demand_length("gun_deck.lip", gun_deck.lip, allowed, highest, "raise the deck")
        demand(
            (masts.masts - 1) * masts.spacing + masts.thickness < hull.length,
            f"masts.spacing_mm = {mm(masts.spacing)} for {masts.masts} masts; allowed is what fits into "
            f"hull.length_mm = {mm(hull.length)}; set them closer",
        )
        if masts.masts > 1:
            allowed, thickness = "more than {}, or a cube gets stuck between them", masts.thickness
            demand_length("masts.spacing", masts.spacing, allowed, passage, "set them wider", thickness)
        if masts.masts:
            allowed, most = "less than {}, or a cube gets stuck between mast and hull", hull.beam - 2 * passage
            advice = "make them thinner or the beam wider"
            demand_length("masts.thickness", masts.thickness, allowed, most, advice)
            demand(
                inner_top <= masts.foot < masts.top,
                f"masts.foot_mm is {mm(masts.foot)}; allowed is from {mm(inner_top)}, over the gun deck, to "
                f"masts.top_mm = {mm(masts.top)}; move it",
            )
        rim, allowed = min(hull.beam, hull.length) + 2 * self.bulwarks.flare, "at most the bulwarks' {} mm"
        demand_length("release.spread", self.release.spread, allowed, rim, "hold the hand closer")
