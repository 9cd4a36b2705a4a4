r"""Make the printable peg tower of docs/printed again, and import it: docs/printed.md.

    \_________/     funnel
    | o  o  o |     pegs from the back wall to the front, which is open for a sheet of glass
    |  o  o   |
    |_________|     a ramp falls from the back to the exit, in front of it lies a walled tray

`python -m calibration.validation.printed` makes it. `--fine FILE.stl` writes one with
rounder pegs and knobs outside, of more than 30,000 triangles, which the figures on speed are of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import manifold3d
import numpy as np
import trimesh

from calibration.validation.script import ROOT, option, script
from tower_sim.apparatus import load
from tower_sim.cli.towers import import_
from tower_sim.drawing import draw_apparatus
from tower_sim.simulator import PhysicsModel
from tower_sim.values import supply

FOLDER = ROOT / "docs/printed"
CUBES = 20
# mm: half the inside across (y) and from back to front (x), height of the walls, their thickness, the pegs' radius
ACROSS, DEEP, TOP, WALL, PEG = 44.0, 13.0, 150.0, 3.0, 3.0
RAMP, LIP = 42.0, 4.0  # mm: the ramp's height at the back wall and at the exit
TRAY, RIM = 75.0, 12.0  # mm: the tray's length in front of the walls, the height of its rim
FUNNEL = (30.0, 60.0, 34.0)  # mm: half its width at the top along x and y, its height

_cube = manifold3d.Manifold.cube


def tower(is_fine: bool = False) -> trimesh.Trimesh:
    """Return the tower as one closed mesh in mm; the exit faces +x, the tower stands on z = 0."""
    body = manifold3d.Manifold.batch_boolean(list(_parts(is_fine)), manifold3d.OpType.Add)
    mesh = body.to_mesh64()
    return trimesh.Trimesh(mesh.vert_properties, mesh.tri_verts)


def _box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Any:
    low, high = np.array([x[0], y[0], z[0]]), np.array([x[1], y[1], z[1]])
    return _cube(high - low).translate(low)


def _parts(is_fine: bool) -> Iterator[Any]:
    wide, back = ACROSS + WALL, -DEEP - WALL
    yield _box((back, -DEEP), (-wide, wide), (0, TOP))
    for y in ((-wide, -ACROSS), (ACROSS, wide)):
        yield _box((back, DEEP), y, (0, TOP))
    segments = 64 if is_fine else 24
    for row, z in enumerate((66.0, 86.0, 106.0, 126.0)):
        for y in (-33.0, -11.0, 11.0, 33.0) if row % 2 else (-22.0, 0.0, 22.0):
            peg = manifold3d.Manifold.cylinder(2 * DEEP + WALL, PEG, PEG, segments).rotate((0, 90, 0))
            yield peg.translate((back, y, z))
    wedge = [(x, y, z) for y in (-wide, wide) for x, z in ((back, 0), (back, RAMP), (DEEP, LIP), (DEEP, 0))]
    yield manifold3d.Manifold.hull_points(np.array(wedge))
    end = DEEP + TRAY
    yield _box((DEEP - 1, end + WALL), (-wide, wide), (0, 2.0))
    yield _box((end, end + WALL), (-wide, wide), (0, RIM))
    for y in ((-wide, -ACROSS), (ACROSS, wide)):
        yield _box((DEEP - 1, end + WALL), y, (0, RIM))
    x, y, high = FUNNEL
    inner = [(-DEEP, DEEP, ACROSS, TOP - 1e-6), (-x, x, y, TOP + high)]
    outer = [(-DEEP - WALL, DEEP + WALL, ACROSS + WALL, TOP), (-x - WALL, x + WALL, y + WALL, TOP + high)]
    hulls = [
        manifold3d.Manifold.hull_points(
            np.array(
                [(a, b, z + (grow if z > TOP else -grow)) for x0, x1, w, z in rings for a in (x0, x1) for b in (-w, w)]
            )
        )
        for rings, grow in ((outer, 0.0), (inner, 0.01))
    ]
    yield hulls[0] - hulls[1]
    if is_fine:
        for y in np.arange(-42, 43, 6.0):
            for z in np.arange(8, 146, 6.0):
                knob = manifold3d.Manifold.cylinder(1.5, 2.6, 2.0, 16).rotate((0, -90, 0))
                yield knob.translate((back + 0.1, float(y), float(z)))


def make() -> None:
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / "pegs.stl"
    mesh: Any = tower()
    file.write_bytes(mesh.export(file_type="stl"))
    import_(file, FOLDER / "pegs.toml", "mm", 1.0, "z", 8.0, 42.0, None, None)
    with PhysicsModel(load(FOLDER / "pegs.toml")) as model:
        cubes = supply({"red": 10, "blue": 10}, model.cube_edge)
        outcome = model.drop(model.empty(), cubes, np.random.default_rng(1))
        draw_apparatus(model.shape, FOLDER / "thrown.png", outcome.state)


def run(fine: Path | None) -> None:
    if fine:
        mesh: Any = tower(is_fine=True)
        fine.write_bytes(mesh.export(file_type="stl"))
    else:
        make()


main = script(
    __doc__, run, option("--fine", type=Path, metavar="FILE.stl", help="only write the tower of many triangles")
)

if __name__ == "__main__":
    raise SystemExit(main())
