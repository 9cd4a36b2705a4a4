"""The dimensions of an Amerigo tower, for its drawing."""

from __future__ import annotations

import math

from tower_sim.apparatus.amerigo.profile import AmerigoTower, Floor
from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import Cut, Dimensions, Height, Label, Part, Section, Width, flare
from tower_sim.apparatus.sheets import Opening
from tower_sim.apparatus.tower_dimensions import parts, plan, section
from tower_sim.apparatus.tower_parts import SHEET, WALL


def dimensions(tower: AmerigoTower) -> Dimensions:
    """Return what is drawn besides the boxes."""
    half, floors = tower.half, tower.floors
    cuts = {name: floor.cut(tower.tube.inside) for name, floor in floors.items()}
    of_parts = _parts(tower)
    return Dimensions(
        of_parts,
        (_section(tower, _place([hole for holes in cuts.values() for hole in holes], half)),),
        tuple(_plan(name, floor, cuts[name][0], tower) for name, floor in floors.items()),
        cuts=(
            # everything but the tray is cut at the near wall's inner face, and the exit's wall in its middle
            Cut(((0.0, -1.0, 0.0), half), tuple(name for name in of_parts if name != "tray")),
            Cut(((0.0, -1.0, 0.0), 0.0), ("tube", "funnel"), ((1.0, 0.0, 0.0), half)),
        ),
        labels=(Label("exit", (half + WALL, 0.0, 0.6 * (SHEET + tower.ramp.lip + tower.exit.height))),),
        note="near walls cut away",
    )


def _parts(tower: AmerigoTower) -> dict[str, Part]:
    around = [(i * math.pi / 2, tower.half) for i in range(4)]
    slant = flare(around, tower.tube.top, tower.funnel.height, tower.funnel.rim / 2 - tower.half)
    of_all = parts(tower, around, ramp=flare(around, 0.0, 1.0, 0.0))
    return of_all | {"rib": Part("ribs", hatch=0, within=slant)}


def _plan(name: str, floor: Floor, hole: Opening, tower: AmerigoTower) -> Section:
    half, (x0, _, y0, _) = tower.half, hole
    widths: tuple[Width, ...] = ()
    heights: tuple[Height, ...] = ()
    if floor.ledge is not None or floor.offset:
        if floor.along == "y" and x0 + half > 1e-9:
            widths = (Width(mm(x0 + half), -half, x0),)
        elif floor.along == "x" and y0 + half > 1e-9:
            heights = (Height(mm(y0 + half), -half, y0, x0, -half - WALL, is_left=True),)
    words = f", bars {math.degrees(floor.slope):.4g}°" if floor.slope else ""
    return plan(
        name, floor, hole, tower, at=x0, words=words, height=floor.peak(tower.tube.inside), ledges=(widths, heights)
    )


def _place(holes: list[Opening], half: float) -> float:
    def edges(y: float) -> int:
        return sum(abs(x) < half - 1e-9 for x0, x1, low, high in holes if low < y < high for x in (x0, x1))

    middles = {round((low + high) / 2, 9) for *_, low, high in holes} | {0.0}
    return max(middles, key=lambda y: (edges(y), -abs(y), -y))


def _section(tower: AmerigoTower, at: float) -> Section:
    top, ribs = tower.tube.top, tower.funnel.rib_height
    of_ribs = Height(f"ribs {mm(ribs)}", top, top + ribs, tower.half + WALL, tower.funnel.rim / 2 + WALL)
    words = "section through the middle" if at == 0 else f"section {-1e3 * at:.4g} mm in front of the middle"
    return section(tower, words, at, heights=(of_ribs,))
