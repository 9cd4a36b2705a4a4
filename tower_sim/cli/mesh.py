"""Run `tower-sim tower import`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, check_one, quote
from tower_sim.tools.terminal import count_noun


def import_(
    file: Path,
    output: Path,
    unit: str | None,
    scale: float,
    up: str,
    edge: float,
    pane: float | None,
    exit: float | None,
    only: int | None,
) -> None:
    """Import a mesh, or again that of a profile, draw the tower, and print what was found."""
    from tower_sim.apparatus.mesh import importing
    from tower_sim.drawing.files import render
    from tower_sim.drawing.picture import apparatus_figure

    if unit is not None:
        check_one("--unit", unit, importing.UNITS)
    picture = output.with_suffix(".png")

    def draw(tower: Apparatus) -> dict[Path, bytes]:
        return {picture: render(apparatus_figure(tower), picture)}

    if file.suffix.lower() == ".toml":
        if (unit, scale, up, edge, pane, exit, only) != (None, 1.0, "z", 8.0, None, None, None):
            raise UsageError(
                f"options are given for {quote(str(file))}, whose own numbers count; allowed with a profile is none; "
                "change [source], [cubes] or [[boxes]] in it"
            )
        result = importing.import_again(file, output, draw)
    else:
        result = importing.import_mesh(
            file, output, unit=unit, scale=scale, up=up, edge=edge, pane=pane, exit=exit, only=only, beside=draw
        )
    tower, profile = result.tower, result.tower.given
    solids = [solid for solid in tower.solids if solid.part in profile.parts]
    low, high = np.array([solid.bounds for solid in solids]).transpose(1, 2, 0) * 1e3
    size = " x ".join(f"{b - a:.0f}" for a, b in zip(low.min(axis=1), high.max(axis=1), strict=True))
    bodies = f"{result.bodies} bodies" if result.bodies > 1 else "1 body"
    opened = result.opened
    holes = f"{count_noun(opened.open_edges, 'edge')} at holes" if opened.open_edges else "no holes"
    mouth = np.ptp(np.array(profile.mouth.outline_mm), axis=0)
    print(f"mesh: {bodies}, {count_noun(len(opened.mesh.faces), 'triangle')}, {holes}; 1 unit is {opened.unit}")
    for note in opened.notes:
        print(f"note: {note}")
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
    if len(result.ways) > 1:
        print(
            f"ways out: {importing.tell_ways(result.ways)}; the exit is the lowest, or that whose height --exit gives; "
            "cubes may fly out of the others, too"
        )
    elif profile.exit.top > profile.mouth.height / 2:
        print("the front is open far up; if a sheet of glass belongs there, give --pane, the height of its lower edge")
    print(f"look at {picture}: are mouth, inside and exit right? Change them in {output}")
    print(f"then: tower-sim throw {output} --cubes red=7")
