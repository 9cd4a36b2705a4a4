"""The file of solids: a mesh's prisms as OBJ, which viewers open. States number its prisms.

A prism is its upper corners, then its lower ones, then a comment with the least cosines of its sides (see `Hull`), and
one face with the upper corners. Another comment has a digest of what the solids were made from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from tower_sim.apparatus.parts import Box, Hull, Quaternion, Vector, along
from tower_sim.errors import UsageError, fault
from tower_sim.tools import portable

MOST = 20_000
"""So many prisms a tower may have."""
_MADE_FROM = "# made from "
_COSINES = "# sides "
_ROUNDED = 3e-9  # m: corners of a file are rounded to a third of that
_ADVICE = "import the mesh again with tower-sim tower import"


class Prism(NamedTuple):
    """A prism: its upper `corners` (mm), counter-clockwise from outside, then its lower ones.

    `cosines` has each side's least cosine, as in `Hull`.
    """

    part: str
    corners: Sequence[Vector]
    cosines: Sequence[float]


def format_prisms(prisms: Iterable[Prism], digest: str) -> str:
    """Return the text of prisms; `digest` is of what they were made from."""
    lines = [
        "# prisms of tower_sim, lengths in mm: upper corners, lower corners, the upper face",
        _MADE_FROM + digest,
    ]
    known, part = 0, ""
    for name, corners, cosines in prisms:
        if name != part:
            part = name
            lines.append(f"g {part}")
        lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in corners]
        lines.append(_COSINES + " ".join(f"{cosine:g}" for cosine in cosines))
        lines.append("f " + " ".join(str(known + k + 1) for k in range(len(corners) // 2)))
        known += len(corners)
    return "\n".join([*lines, ""])


def read_digest(text: str) -> str:
    """Return the digest of what solids were made from."""
    return "".join(text.split("\n", 2)[1:2]).removeprefix(_MADE_FROM)


def read(text: str, surfaces: Mapping[str, str]) -> tuple[tuple[Box, ...], tuple[Hull, ...]]:
    """Return the prisms of a file, cuboids as boxes; `surfaces` has the material of each part."""
    boxes: list[Box] = []
    hulls: list[Hull] = []
    part, corners, cosines = "", list[Vector](), list[float]()
    for number, line in enumerate(text.splitlines(), 1):
        word, *rest = line.split(" ")
        try:
            if word == "v":
                x, y, z = map(float, rest)
                corners.append((x * 1e-3, y * 1e-3, z * 1e-3))
            elif word == "g":
                part = rest[0]
                if part not in surfaces:
                    raise UsageError(f"parts has no {part!r}; allowed is a material for each part of the mesh; add it")
            elif line.startswith(_COSINES):
                cosines = [float(each) for each in rest[1:]]
            elif word == "f":
                box = find_cuboid(part, surfaces[part], corners)
                if box and max(cosines) <= 0.0:  # no other piece is next in its plane, and none rises
                    boxes.append(box)
                else:
                    hulls.append(as_hull(part, surfaces[part], corners, cosines))
                corners = []
        except UsageError:
            raise
        except (ValueError, IndexError):
            raise fault(f"line {number} of the solids", line, "one that begins with v, g or f", _ADVICE) from None
    if len(boxes) + len(hulls) > MOST:
        raise UsageError(
            f"the solids are {len(boxes) + len(hulls)} prisms; allowed are up to {MOST}; simplify the mesh"
        )
    return tuple(boxes), tuple(hulls)


def find_cuboid(part: str, surface: str, corners: Sequence[Vector]) -> Box | None:
    """Return a prism as a box, if it is one but for the rounding of its corners (m)."""
    if len(corners) != 8:
        return None
    a = corners[0]
    ways = [_from(a, corners[k]) for k in (1, 3, 4)]
    for k, (i, j, m) in enumerate(((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0))):
        for corner, n in ((corners[k], m), (corners[k + 4], 1)):
            off = [corner[c] - a[c] - i * ways[0][c] - j * ways[1][c] - n * ways[2][c] for c in range(3)]
            if max(map(abs, off)) > _ROUNDED:
                return None
    sizes = [portable.length(way) for way in ways]
    if not all(sizes):
        return None
    x, y, z = ((way[0] / size, way[1] / size, way[2] / size) for way, size in zip(ways, sizes, strict=True))
    lean = (along(x, y) * min(sizes[:2]), along(x, z) * min(sizes[::2]), along(y, z) * min(sizes[1:]))
    if max(map(abs, lean)) > _ROUNDED:
        return None
    z = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])  # outwards
    turn = _turn(x, y, z)
    centre = tuple(a[c] + (ways[0][c] + ways[1][c] + ways[2][c]) / 2 for c in range(3))
    return Box(part, surface, cast("Vector", centre), (sizes[0] / 2, sizes[1] / 2, sizes[2] / 2), turn)


def _from(a: Vector, b: Vector) -> Vector:
    return (b[0] - a[0], b[1] - a[1], b[2] - a[2])


def _turn(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """Return the quaternion (x, y, z, w) of three axes; source: Shepperd, Quaternion from rotation matrix, 1978."""
    squares = [1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2], 1 - x[0] - y[1] + z[2], 1 + x[0] + y[1] + z[2]]
    most = squares.index(max(squares))
    pairs = {  # twice the products of two components, of the largest with each
        0: (squares[0], x[1] + y[0], x[2] + z[0], y[2] - z[1]),
        1: (x[1] + y[0], squares[1], y[2] + z[1], z[0] - x[2]),
        2: (x[2] + z[0], y[2] + z[1], squares[2], x[1] - y[0]),
        3: (y[2] - z[1], z[0] - x[2], x[1] - y[0], squares[3]),
    }[most]
    size = math.sqrt(math.fsum(each * each for each in pairs))
    return (pairs[0] / size, pairs[1] / size, pairs[2] / size, pairs[3] / size)


def as_hull(part: str, surface: str, corners: Sequence[Vector], cosines: Sequence[float]) -> Hull:
    """Return the hull of a prism, given as in `Prism` but in m."""
    number = len(corners) // 2
    around = [(k, k + number, (k + 1) % number + number, (k + 1) % number) for k in range(number)]
    faces = (tuple(range(number)), tuple(range(2 * number - 1, number - 1, -1)), *around)
    return Hull(part, surface, tuple(corners), faces, (1.0, 2.0, *cosines))
