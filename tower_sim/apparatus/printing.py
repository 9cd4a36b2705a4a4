"""Export an apparatus as solids for a 3D printer: one closed body for each part, lengths in millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.apparatus.dimensions import Plane
from tower_sim.apparatus.parts import Apparatus, Box, Hull, over_table
from tower_sim.apparatus.shapes import axes
from tower_sim.errors import UsageError, quote
from tower_sim.tools import check, extra, write

FORMATS = (".stl", ".3mf", ".glb")
_PACKAGES = ("trimesh", "manifold3d", "lxml", "networkx")
_BODIES = {
    "board": ("board", "frame", "border"),
    "tray": ("tray", "wing"),
    "tower": (),
    "ship": (),
    "funnel": ("funnel", "rib"),
}
"""The parts of each body; others belong to the ship or the tower. Where bodies overlap, the first keeps the space."""
_GROWN = 0.01  # mm: each box is thicker by this on every side, so that boxes that only touch become one body
_FINE = 1e-3  # mm: shorter edges are removed
_CRUMB = 1.0  # mm3: smaller pieces are left-overs of rounding


def export(apparatus: Apparatus, path: str | Path) -> dict[str, Any]:
    """Write the bodies of an apparatus to a file.

    Args:
        apparatus: A tower or a ship.
        path: Its ending, one of FORMATS, says the format.

    Returns:
        The bodies, as `bodies` does.
    """
    path = Path(path)
    form = path.suffix.lower()
    if form not in FORMATS:
        raise UsageError(f"output {quote(str(path))} must end in {', '.join(FORMATS)}; try {apparatus.name}.stl")
    check(path, "output")
    meshes = bodies(apparatus)
    if form == ".stl":  # text, since the binary form has no names
        data = "".join(mesh.export(file_type="stl_ascii") for mesh in meshes.values())
    else:
        data = extra("trimesh", "print").Scene(meshes).export(file_type=form[1:])
    write(path, data, "output")
    return meshes


def bodies(apparatus: Apparatus) -> dict[str, Any]:
    """Make the bodies of an apparatus for a 3D printer. The table is left out.

    Args:
        apparatus: A tower (funnel, tower, tray) or a ship (ship, board).

    Returns:
        A closed `trimesh.Trimesh` (mm) for each part, by its name. Walls are as thick as simulated.

    >>> from tower_sim import load
    >>> [(name, body.is_watertight) for name, body in bodies(load("amerigo")).items()]
    [('tray', True), ('tower', True), ('funnel', True)]
    """
    trimesh, manifold, *_ = (extra(package, "print") for package in _PACKAGES)
    parts = apparatus.dimensions().parts
    main = "ship" if apparatus.board else "tower"
    body_of = {part: name for name, parts in _BODIES.items() for part in parts}
    solids: dict[str, list[Any]] = {}
    for shape in filter(over_table, apparatus.solids):
        planes = parts[shape.part].within if shape.part in parts else ()
        solids.setdefault(body_of.get(shape.part, main), []).append(_solid(manifold.Manifold, shape, planes))
    meshes: dict[str, Any] = {}
    earlier = manifold.Manifold()
    for name in (name for name in _BODIES if name in solids):
        joined = manifold.Manifold.batch_boolean(solids[name], manifold.OpType.Add)
        joined = (joined - earlier).trim_by_plane((0.0, 0.0, 1.0), 0.0).simplify(_FINE)
        pieces = [piece for piece in joined.decompose() if piece.volume() > _CRUMB]
        earlier += joined
        surface = manifold.Manifold.compose(pieces).to_mesh64()
        mesh = trimesh.Trimesh(surface.vert_properties, surface.tri_verts, metadata={"name": name})
        mesh.units = "millimeters"
        if not (mesh.is_watertight and mesh.volume > 0):
            raise UsageError(f"the {name} of {apparatus.name!r} is not one closed solid; change its profile a little")
        meshes[name] = mesh
    return meshes


def _solid(manifold: Any, shape: Box | Hull, planes: Sequence[Plane]) -> Any:
    if isinstance(shape, Box):
        turn = axes(np.array([shape.orientation]))[0]
        sizes = 2e3 * np.array(shape.half) + 2 * _GROWN
        solid = manifold.cube(sizes, True).transform(np.column_stack([turn, 1e3 * np.array(shape.centre)]))
    else:
        solid = manifold.hull_points(1e3 * np.array(shape.vertices))
    for normal, offset in planes:
        solid = solid.trim_by_plane(-np.array(normal), -1e3 * offset)
    return solid
