"""Small printable towers for tests, as trimesh meshes in mm: a square tube of 30 mm with a ramp to an exit at +x."""

from __future__ import annotations

from typing import Any

import numpy as np


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Any:
    import manifold3d

    return manifold3d.Manifold.cube(np.subtract(high, low)).translate(low)


def small_tower(wall: float = 3.0) -> Any:
    """Return a tube 70 mm high with a wall across half of it, a ramp and an exit 20 mm high, without a tray."""
    import manifold3d
    import trimesh

    out = 15 + wall
    tube = box((-out, -out, 0), (out, out, 70)) - box((-15, -15, -1), (15, 15, 71))
    tube -= box((10, -15, 3), (out + 1, 15, 24))
    ramp = np.array([(x, y, z) for y in (-out, out) for x, z in ((-out, 0), (-out, 22), (out, 3), (out, 0))])
    shelf = box((-15, -15, 45), (-1, 15, 47))
    mesh = (tube + manifold3d.Manifold.hull_points(ramp) + shelf).to_mesh64()
    return trimesh.Trimesh(mesh.vert_properties, mesh.tri_verts)


def rough(mesh: Any, rng: np.random.Generator, share: float) -> Any:
    """Return a mesh without a random share of its triangles."""
    kept = rng.random(len(mesh.faces)) > share
    return type(mesh)(mesh.vertices, mesh.faces[kept])
