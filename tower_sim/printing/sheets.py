"""Sheets of panels as SVG, in mm: red lines are cut, blue numbers engraved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.errors import UsageError, fault
from tower_sim.printing import solid
from tower_sim.printing.mesh import Array
from tower_sim.printing.panels import Panel

LEAST_THICK, MOST_THICK = 0.8, 6.0
_GAP = 4.0  # mm between panels, and to the sheet's edge


@dataclass(frozen=True, slots=True)
class SheetChoice:
    """Sheets in mm: `width`, `depth`, how `thick` they are, and the `kerf` that a laser burns away."""

    width: float = 600.0
    depth: float = 400.0
    thickness: float = 3.0
    kerf: float = 0.15

    def __post_init__(self) -> None:
        """Refuse, with UsageError in one line, what no laser cuts."""
        if not LEAST_THICK <= self.thickness <= MOST_THICK:
            allowed = f"{LEAST_THICK:g} to {MOST_THICK:g} mm"
            raise fault("thickness", f"{self.thickness:g} mm", allowed, "measure your sheets")
        if not 0.0 <= self.kerf <= 1.0:
            raise fault("kerf", f"{self.kerf:g} mm", "0 to 1 mm", "0.15 mm suits most lasers, 0 a knife")
        if not (50.0 <= self.depth <= 3000.0 and 50.0 <= self.width <= 3000.0):
            raise fault("sheet", f"{self.width:g} x {self.depth:g} mm", "50 to 3000 mm a side", "measure your sheets")


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A panel where it lies on a sheet: its cut `rings` (the outer one first) and where its number is written."""

    panel: Panel
    rings: tuple[Array, ...]
    label: Array


def lay(panels: Sequence[Panel], choice: SheetChoice) -> list[list[Laid]]:
    """Lay panels out, the deepest first, in rows from left to right; returns the sheets.

    Outlines are moved by half the kerf, outwards around material. Raises UsageError for a panel larger than a sheet.
    """
    shapes: list[tuple[Panel, list[Array], Array]] = []
    for panel in panels:
        rings = sorted(solid.rings(solid.grown(panel.region, choice.kerf / 2)), key=solid.area_of, reverse=True)
        size = np.ptp(rings[0], axis=0)
        if size[1] > size[0]:  # it lies on its longer side
            rings = [np.stack([ring[:, 1], -ring[:, 0]], axis=1) for ring in rings]
            size = size[::-1]
        if size[0] > choice.width - 2 * _GAP or size[1] > choice.depth - 2 * _GAP:
            raise UsageError(
                f"panel {panel.number} ({panel.part}) is {size[0]:.0f} x {size[1]:.0f} mm and no sheet of "
                f"{choice.width:g} x {choice.depth:g} mm holds it; allowed are larger sheets; give --sheet"
            )
        low = rings[0].min(axis=0)
        shapes.append((panel, [ring - low for ring in rings], size))
    sheets: list[list[Laid]] = [[]]
    x = y = _GAP
    row = 0.0
    for panel, rings, size in sorted(shapes, key=lambda shape: (-shape[2][1], -shape[2][0], shape[0].number)):
        if x + size[0] > choice.width - _GAP:
            x, y, row = _GAP, y + row + _GAP, 0.0
        if y + size[1] > choice.depth - _GAP:
            sheets.append([])
            x, y, row = _GAP, _GAP, 0.0
        at = np.array([x, y])
        sheets[-1].append(Laid(panel, tuple(ring + at for ring in rings), at + _inner_point(rings)))
        x, row = x + float(size[0]) + _GAP, max(row, float(size[1]))
    return sheets


def _inner_point(rings: Sequence[Array]) -> Array:
    """Return a point of a panel far from all its edges, of a grid over it."""
    outer = rings[0]
    low, high = outer.min(axis=0), outer.max(axis=0)
    x, y = [np.linspace(float(low[i]), float(high[i]), 25)[1:-1] for i in (0, 1)]
    grid: Array = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    starts = np.concatenate(list(rings))
    ends = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    way, away = ends - starts, grid[:, None] - starts
    t = np.clip((away * way).sum(axis=2) / np.maximum((way * way).sum(axis=1), 1e-12), 0.0, 1.0)
    near = np.linalg.norm(away - t[..., None] * way, axis=2).min(axis=1)
    is_above = (starts[:, 1] > grid[:, 1, None]) != (ends[:, 1] > grid[:, 1, None])
    at = starts[:, 0] + (grid[:, 1, None] - starts[:, 1]) * way[:, 0] / np.where(way[:, 1] == 0, 1.0, way[:, 1])
    inside = (is_above & (grid[:, 0, None] < at)).sum(axis=1) % 2 == 1
    off = np.linalg.norm(grid - (low + high) / 2, axis=1) / max(float(np.linalg.norm(high - low)), 1e-9)
    return grid[int(np.argmax(np.where(inside, near * (1 - 0.3 * off), -1.0)))]


def to_svg(sheet: Sequence[Laid], choice: SheetChoice, title: str) -> str:
    """Return a sheet as SVG: each panel a group of one path whose every outline is closed, and its number."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{choice.width:g}mm" height="{choice.depth:g}mm" '
        f'viewBox="0 0 {choice.width:g} {choice.depth:g}">',
        f"<title>{''.join(c for c in title if c not in '<>&')}</title>",
    ]
    for laid in sheet:
        path = " ".join(_path(ring, choice.depth) for ring in laid.rings)
        x, y = laid.label
        size = min(5.0, 0.45 * min(float(side) for side in np.ptp(laid.rings[0], axis=0)))
        name = f"{laid.panel.number} {laid.panel.part.replace('_', ' ')}"
        is_long = float(np.ptp(laid.rings[0], axis=0)[0]) > 0.7 * size * len(name)
        words = name if is_long else str(laid.panel.number)
        lines += [
            f'<g id="panel-{laid.panel.number}">',
            f'<path d="{path}" fill="none" stroke="#ff0000" stroke-width="0.1" fill-rule="evenodd"/>',
            f'<text x="{x:.2f}" y="{choice.depth - y + 0.35 * size:.2f}" font-size="{size:.2f}" '
            f'font-family="sans-serif" text-anchor="middle" fill="#0000ff">{words}</text>',
            "</g>",
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _path(ring: Array, depth: float) -> str:
    return "M" + " L".join(f"{x:.4f},{depth - y:.4f}" for x, y in ring.tolist()) + " Z"
