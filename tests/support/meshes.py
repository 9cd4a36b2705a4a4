"""Meshes looked at otherwise than the product does: which points lie within, and what a 3MF holds."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from tower_sim.printing.mesh import Array, Mesh

_AT_ONCE = 256  # points
_CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"


def contains(mesh: Mesh, points: Array) -> npt.NDArray[np.bool_]:
    """Tell which points (n, 3) lie within, by the solid angle of all triangles (van Oosterom and Strackee 1983)."""
    found = np.empty(len(points), dtype=bool)
    for begin in range(0, len(points), _AT_ONCE):
        some = points[begin : begin + _AT_ONCE].T[:, :, None]
        a, b, c = (corner.T[:, None] - some for corner in np.moveaxis(mesh.corners, 1, 0))  # x, y and z, (3, n, m)
        x, y, z = (np.sqrt((v * v).sum(axis=0)) for v in (a, b, c))
        over = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
        dots = [(u * v).sum(axis=0) for u, v in ((a, b), (b, c), (c, a))]
        angle = 2 * np.arctan2(over, x * y * z + dots[0] * z + dots[1] * x + dots[2] * y)
        found[begin : begin + _AT_ONCE] = np.abs(angle.sum(axis=1)) > 2 * np.pi
    return found


def read_3mf(path: Path) -> list[tuple[str, Mesh]]:
    """Read the named meshes of a 3MF."""
    with zipfile.ZipFile(path) as file:
        root = ElementTree.fromstring(file.read("3D/3dmodel.model"))
    return [(each.get("name", ""), _mesh(each)) for each in root.iter(f"{_CORE}object")]


def _mesh(each: ElementTree.Element) -> Mesh:
    vertices = [[float(v.attrib[k]) for k in "xyz"] for v in each.iter(f"{_CORE}vertex")]
    faces = [[int(t.attrib[k]) for k in ("v1", "v2", "v3")] for t in each.iter(f"{_CORE}triangle")]
    return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
