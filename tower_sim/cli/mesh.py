"""Run `tower-sim tower import`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, check_one, quote
from tower_sim.tools.terminal import count_noun


def import_(file: Path, output: Path, unit: str, scale: float, up: str, edge: float, pane: float | None) -> None:
    """Import a mesh, or again that of a profile, draw the tower, and print what was found."""
    from tower_sim.apparatus.mesh import importing
    from tower_sim.drawing.files import render
    from tower_sim.drawing.picture import apparatus_figure

    check_one("--unit", unit, importing.UNITS)
    picture = output.with_suffix(".png")

    def draw(tower: Apparatus) -> dict[Path, bytes]:
        return {picture: render(apparatus_figure(tower), picture)}

    if file.suffix.lower() == ".toml":
        if (unit, scale, up, edge, pane) != ("mm", 1.0, "z", 8.0, None):
            raise UsageError(
                f"options are given for {quote(str(file))}, whose own numbers count; allowed with a profile is none; "
                "change [source], [cubes] or [[boxes]] in it"
            )
        result = importing.import_again(file, output, draw)
    else:
        factor = importing.UNITS[unit] * scale
        result = importing.import_mesh(file, output, scale=factor, up=up, edge=edge, pane=pane, beside=draw)
    tower, profile = result.tower, result.tower.given
    solids = [solid for solid in tower.solids if solid.part in profile.parts]
    low, high = np.array([solid.bounds for solid in solids]).transpose(1, 2, 0) * 1e3
    size = " x ".join(f"{b - a:.0f}" for a, b in zip(low.min(axis=1), high.max(axis=1), strict=True))
    bodies = f"{result.bodies} bodies" if result.bodies > 1 else "1 body"
    holes = f"{count_noun(result.open_edges, 'edge')} at holes" if result.open_edges else "no holes"
    mouth = np.ptp(np.array(profile.mouth.outline_mm), axis=0)
    print(f"mesh: {bodies}, {count_noun(result.triangles, 'triangle')}, {holes}; 1 unit is {profile.source.scale:g} mm")
    print(
        f"tower: {size} mm; cubes of {profile.cubes.edge * 1e3:g} mm can touch "
        f"{count_noun(result.touched, 'triangle')}, "
        f"which make {count_noun(len(solids), 'prism')}; {count_noun(result.slivers.number, 'sliver')} left "
        f"out, {result.slivers.area:.2g} mm2"
    )
    print(
        f"proposed: mouth {mouth[0]:.0f} x {mouth[1]:.0f} mm, {profile.mouth.height * 1e3:.0f} mm high; exit under "
        f"{profile.exit.top * 1e3:.0f} mm, {'to the front' if profile.exit.side == 'front' else 'all around'}; tray "
        f"{'in the mesh' if not profile.tray.walls else 'added'}"
    )
    if profile.exit.top > profile.mouth.height / 2:
        print("the front is open far up; if a sheet of glass belongs there, give --pane, the height of its lower edge")
    print(f"look at {picture}: are mouth, inside and exit right? Change them in {output}")
    print(f"then: tower-sim throw {output} --cubes red=7")
