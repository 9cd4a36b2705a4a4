"""Solids that can be joined, cut and measured: the one file that knows manifold3d, the extra `print`.

manifold3d (Apache 2.0, 1 MB a wheel) was taken since what it makes is always closed: it works on the order of what
meets, not on rounded places (Lalish's library, as in Blender and OpenSCAD).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.solids import axes
from tower_sim.extras import extra
from tower_sim.printing.mesh import Array, Mesh, cleaned, faults

Solid = Any
"""What `manifold3d` calls a Manifold: a closed solid, of any number of pieces."""
Region = Any
"""What `manifold3d` calls a CrossSection: a plane region, of any number of pieces, with holes."""
Ring = Array
"""The corners (k, 2) of a closed outline in mm: counter-clockwise around material, clockwise around a hole."""

_FINE = 1e-3  # mm: what is smaller is no detail
_FINER = (_FINE, 1e-4, 1e-5)  # mm, tried in this order
_HAIR = 1e-6  # mm
_DEPTH = 5e-4  # mm: so far from a plane its sections are taken


def _library() -> Any:
    return extra("manifold3d", "print")


def need() -> None:
    """Raise UsageError, with what to install, where solids cannot be joined."""
    _library()


def box(centre: npt.ArrayLike, half: npt.ArrayLike, orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0)) -> Solid:
    """Make a box, turned by the unit quaternion (x, y, z, w)."""
    turn = axes(np.array([orientation], dtype=float))[0]
    made = _library().Manifold.cube(2 * np.asarray(half, dtype=float), True)
    return made.transform(np.column_stack([turn, np.asarray(centre, dtype=float)]))


def hull(points: npt.ArrayLike) -> Solid:
    """Make the convex hull of points (n, 3)."""
    return _library().Manifold.hull_points(np.asarray(points, dtype=float))


def prism(region: Region, height: float) -> Solid:
    """Raise a region from z = 0 to `height`."""
    return _library().Manifold.extrude(region, height)


def union(solids: Iterable[Solid]) -> Solid:
    """Join solids."""
    library = _library()
    return library.Manifold.batch_boolean(list(solids), library.OpType.Add)


def halves(solid: Solid, normal: npt.ArrayLike, offset: float) -> tuple[Solid, Solid]:
    """Return what of a solid has normal . x > offset, and the rest."""
    beyond, rest = solid.split_by_plane(np.asarray(normal, dtype=float), offset)
    return beyond, rest


def above(solid: Solid, height: float) -> Solid:
    """Return what of a solid is over a height, without sheets as thin as nothing where faces look up just there.

    It is cut a millionth of a mm higher, and let down to the height.
    """
    cut = height + _HAIR

    def lower(places: Array) -> Array:
        places[np.abs(places[:, 2] - cut) < _HAIR / 100, 2] = height
        return places

    return halves(solid, (0.0, 0.0, 1.0), cut)[0].warp_batch(lower)


def bounds(solid: Solid) -> tuple[Array, Array]:
    """Return the lowest and the highest x, y and z."""
    ends = np.array(solid.bounding_box(), dtype=float)
    return ends[:3], ends[3:]


def middle(solid: Solid) -> Array:
    """Return the middle of the upright box around a solid."""
    low, high = bounds(solid)
    return (low + high) / 2


def near(one: Solid, other: Solid) -> bool:
    """Tell whether the upright boxes around two solids meet."""
    (low, high), (from_, to) = bounds(one), bounds(other)
    return bool((low <= to).all() and (high >= from_).all())


def to_mesh(solid: Solid) -> Mesh:
    """Return the surface of a solid without slivers: corners nearer than a thousandth of a mm, or less, made one.

    It is less where that would close a thin gap, so that what was watertight would be so no more.
    """
    mesh = raw_mesh(solid)
    tried = (cleaned(mesh, fine) for fine in _FINER)
    return next((found for found in tried if not faults(found)), cleaned(mesh, _FINE))


def raw_mesh(solid: Solid) -> Mesh:
    """Return the surface of a solid as it was computed; triangles may have no area."""
    made = solid.to_mesh64()
    return Mesh(np.array(made.vert_properties, dtype=float)[:, :3], np.array(made.tri_verts, dtype=np.int64))


def from_mesh(mesh: Mesh) -> Solid:
    """Return the solid of a closed surface; it is empty where the surface is not closed."""
    library = _library()
    return library.Manifold(library.Mesh64(np.ascontiguousarray(mesh.vertices), mesh.faces.astype(np.uint64)))


_TURNS = (np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]), np.eye(3))


def turn_of(axis: int) -> Array:
    """Return the matrix that turns the axis 0, 1 or 2 (x, y, z) upwards, to z."""
    return _TURNS[axis].astype(float)


def turned(solid: Solid, matrix: Array, by: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Solid:
    """Return a solid turned by a rotation matrix and then moved by a vector."""
    return solid.transform(np.column_stack([matrix, np.asarray(by, dtype=float)]))


def section(solid: Solid, axis: int, at: float) -> Region:
    """Return what a plane across `axis` cuts out, in the plane's axes: those that `turn_of` makes x and y."""
    return turned(solid, turn_of(axis)).slice(at)


def contact(low: Solid, high: Solid, axis: int, at: float) -> Region:
    """Return where two solids meet in a plane across `axis`."""
    return section(low, axis, at - _DEPTH) ^ section(high, axis, at + _DEPTH)


def region(rings: Iterable[npt.ArrayLike]) -> Region:
    """Make a region of outlines: counter-clockwise around material, clockwise around holes."""
    library = _library()
    return library.CrossSection([np.asarray(ring, dtype=float) for ring in rings], library.FillRule.Positive)


def joined(regions: Iterable[Region]) -> Region:
    """Join regions."""
    library = _library()
    return library.CrossSection.batch_boolean(list(regions), library.OpType.Add)


def grown(area: Region, by: float) -> Region:
    """Return a region whose outlines are moved outwards by so many mm, its corners kept sharp."""
    library = _library()
    return area.offset(by, library.JoinType.Miter, 4.0).simplify(_FINE) if by else area


def area_of(ring: Ring) -> float:
    """Return the area (mm^2) within an outline, less than 0 where it is clockwise."""
    x, y = ring.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def rings(area: Region) -> list[Ring]:
    """Return the outlines of a region."""
    return [np.array(ring, dtype=float) for ring in area.simplify(_FINE).to_polygons()]
