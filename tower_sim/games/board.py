"""Pictures of a ship's board: the cubes of one run of a game, or the density of the cubes of many runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tower_sim.apparatus import WithBoard
from tower_sim.drawing import (
    FONT,
    GREY,
    INK,
    Paint,
    check_path,
    describe_cubes,
    draw_plan,
    find_near_cubes,
    measure_width,
    paints,
    project_on_plan,
    save,
)
from tower_sim.results import ratios_of_sums
from tower_sim.tools import count_noun
from tower_sim.values import ZONE, TowerState, count_by_colour

Array = npt.NDArray[np.float64]

_SIZE = (7.2, 6.4)  # inches: the size of the plan with its title
_SCALE = 0.9  # inches for the colour bar
_GREYS = LinearSegmentedColormap.from_list("paper", ["1.0", "0.5"])


def draw_board(ship: WithBoard, state: TowerState, path: str | Path, *, title: str) -> None:
    """Draw the board with the cubes that lie on it in `state` into the file `path`.

    Cubes without a pose, from a model without physics, appear as numbers in each zone.
    """
    check_path(path)
    save(board_figure(ship, state, title), path)


Positions = Sequence[tuple[float, float]] | Array  # (n, 2)
Counts = Mapping[str, Sequence[int]]


def draw_densities(
    ship: WithBoard,
    positions: Positions,
    counts: Counts,
    thrown: Sequence[int],
    path: str | Path,
    *,
    title: str,
    run: str = "run",
) -> None:
    """Draw where the cubes of many runs came to rest, and the share of each zone, into the file `path`.

    `positions`, shape (n, 2), are the x and y (m) of all cubes that came to rest outside the ship; without any, each
    zone is shaded evenly. `counts` has each zone's cubes, and `thrown` the cubes thrown, by run. `run` is the word for
    one.
    """
    check_path(path)
    save(densities_figure(ship, positions, counts, thrown, title, run), path)


def board_figure(ship: WithBoard, state: TowerState, title: str) -> Figure:
    """Return the matplotlib figure that `draw_board` writes."""
    lying = state.board.lying
    plan = ship.dimensions().board
    says = {name: looks.words for name, looks in plan.printed.items()} if plan else {}
    zones_only = bool(lying) and all(resident.pose is None for resident in lying)
    cubes, far = (None, 0) if zones_only else find_near_cubes(ship, lying)
    subtitle = describe_cubes(ship, state, far)
    if zones_only:
        subtitle += "; the model tells their zones, not where in them they lie"
        says = {z.name: f"{says.get(z.name, '')}\n{_describe_cubes(state, z.name)}".strip() for z in ship.board.zones}
    figure = _new_figure(title, subtitle, _SIZE[0])
    paint = {of.name: of for of in paints(sorted(count_by_colour(state.board.cubes)))}
    _draw_colours(figure, state, paint)
    drawn = draw_plan(figure, (0.0, 0.0, 1.0, 0.89), ship, says, cubes)
    drawn.mark(lying if cubes else (), paint)
    return figure


def _describe_cubes(state: TowerState, zone: str) -> str:
    counts = count_by_colour(state.board.at(ZONE + zone))
    return "here: " + ", ".join(f"{count} {colour}" for colour, count in counts.items()) if counts else ""


def densities_figure(
    ship: WithBoard, positions: Positions, counts: Counts, thrown: Sequence[int], title: str, run: str = "run"
) -> Figure:
    """Return the matplotlib figure that `draw_densities` writes."""
    points = np.array(positions, dtype=np.float64).reshape(-1, 2)
    names = [zone.name for zone in ship.board.zones]
    share, error, _ = ratios_of_sums(np.array([counts[name] for name in names]).T, np.array([thrown]).T)
    of_zone = dict(zip(names, zip(share.tolist(), error.tolist(), strict=True), strict=True))
    n = sum(thrown)
    zones_only = not len(points) and any(share for share, _ in of_zone.values())
    x_edges, y_edges, cells = density(ship, points, n)
    cell = f"cells {y_edges[1] - y_edges[0]:.2g} × {x_edges[1] - x_edges[0]:.2g} mm"
    cell = "the model tells zones, not places in them" if zones_only else cell
    elsewhere = 1 - sum(share for share, _ in of_zone.values())
    subtitle = (
        f"{count_noun(n, 'cube')} thrown in {count_noun(len(thrown), run)}, {100 * elsewhere:.1f} % "
        f"of them in no zone; {cell}"
    )
    width = _SIZE[0] + _SCALE
    figure: Any = _new_figure(title, subtitle, width)
    says = {name: f"{100 * share:.1f} ± {100 * error:.1f} %" for name, (share, error) in of_zone.items()}
    where = (0.0, 0.0, _SIZE[0] / width, 0.91)
    plan = draw_plan(figure, where, ship, says, is_painted=False)
    axes = plan.sheet.axes
    if zones_only:
        mesh: Any = _shade_zones(ship, of_zone)
        axes.add_collection(mesh)
    else:
        scale: dict[str, Any] = {"cmap": _GREYS, "vmin": 0, "vmax": float(cells.max()) or 1.0}
        corners = np.stack(np.meshgrid(x_edges, y_edges, indexing="ij"), axis=-1)
        across, up = project_on_plan(ship.board, corners).reshape(corners.shape).transpose(2, 0, 1)
        mesh = axes.pcolormesh(across, up, cells, **scale, zorder=1, rasterized=True)
    bar = figure.add_axes((_SIZE[0] / width, 0.22, 0.16 / width, 0.5))
    figure.colorbar(mesh, cax=bar)
    bar.tick_params(labelsize=FONT)
    bar.set_ylabel("cubes per cm² for 100 thrown", fontsize=FONT)
    return figure


def _shade_zones(ship: WithBoard, of_zone: Mapping[str, tuple[float, float]]) -> PolyCollection:
    rings = [project_on_plan(ship.board, 1e3 * np.array(zone.corners)) for zone in ship.board.zones]
    areas = [_area(ring) / 100 for ring in rings]  # cm²
    shades = [100 * of_zone[zone.name][0] / area for zone, area in zip(ship.board.zones, areas, strict=True)]
    return PolyCollection(rings, array=np.array(shades), cmap=_GREYS, clim=(0.0, max(shades)), zorder=1)


def _area(ring: Array) -> float:
    after = np.roll(ring, -1, axis=0)
    return abs(float((ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]).sum())) / 2


def density(ship: WithBoard, points: Array, thrown: int) -> tuple[Array, Array, Array]:
    """Return the density of cubes on a grid over the board: edges in x and in y (mm), and the cells, shape (x, y).

    Cells have cubes per cm² for 100 cubes `thrown`. Their side falls from two edges of a cube to a quarter of one as
    the number of `points` (m), shape (n, 2), grows.
    """
    bounds = 1e3 * np.array([ship.board.x, ship.board.y])
    sides = bounds[:, 1] - bounds[:, 0]
    wanted = math.sqrt(4 * float(sides.prod()) / max(1, len(points)))  # mm: four cubes in a cell
    side = min(max(wanted, 250 * ship.cube_edge), 2000 * ship.cube_edge)
    numbers = [max(1, round(float(wide) / side)) for wide in sides]
    x_edges, y_edges = (
        float(low) + float(wide) / n * np.arange(n + 1.0)
        for low, wide, n in zip(bounds[:, 0], sides, numbers, strict=True)
    )
    cells: Any = np.histogram2d(1e3 * points[:, 0], 1e3 * points[:, 1], bins=(x_edges, y_edges))[0]
    area = float(x_edges[1] - x_edges[0]) * (y_edges[1] - y_edges[0]) / 100  # cm²
    return x_edges, y_edges, np.asarray(cells * (100 / thrown / area), dtype=np.float64)


def _new_figure(title: str, subtitle: str, width: float) -> Figure:
    figure: Any = Figure(figsize=(width, _SIZE[1]))
    size = min(10.0, 10.0 * (width - 0.4) * 72 / max(1.0, measure_width(title, 10.0, True)))
    figure.text(0.02, 0.985, title, fontsize=size, color=INK, va="top", weight="bold")
    figure.text(0.02, 0.95, subtitle, fontsize=FONT, color=GREY, va="top")
    return figure


def _draw_colours(figure: Any, state: TowerState, paint: Mapping[str, Paint]) -> None:
    of_colour = count_by_colour(state.board.cubes)
    x, y, side = 0.02 * _SIZE[0], 0.905 * _SIZE[1], 0.13  # inches
    for colour, count in of_colour.items():
        words = f"{count} {colour}"
        wide = side + 0.06 + measure_width(words, FONT, False) / 72
        if x + wide > 0.98 * _SIZE[0]:
            break
        where: dict[str, Any] = {
            "transform": figure.dpi_scale_trans,
            "facecolor": paint[colour].rgb,
            "edgecolor": INK,
            "linewidth": 0.6,
        }
        figure.add_artist(Rectangle((x, y - side / 2), side, side, **where))
        at = ((x + side / 2) / _SIZE[0], y / _SIZE[1])
        inside: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": FONT - 2, "weight": "bold"}
        figure.text(*at, paint[colour].letter, color=paint[colour].ink, **inside)
        figure.text((x + side + 0.06) / _SIZE[0], y / _SIZE[1], words, fontsize=FONT, color=INK, va="center_baseline")
        x += wide + 0.15
