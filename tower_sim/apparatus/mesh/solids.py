"""The file of solids: a mesh's prisms as OBJ, which viewers open. A profile names it, and states number its prisms.

A prism is its upper corners, then its lower ones, and one face with the upper ones: the surface that cubes touch. A
comment names what the solids were made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tower_sim.apparatus.hull import Hull, Vector
from tower_sim.errors import UsageError, fault

MOST = 20_000
"""So many prisms a tower may have."""
_MADE_FROM = "# made from "
_ADVICE = "import the mesh again with tower-sim tower import"


def text_of(prisms: Iterable[tuple[str, Sequence[Vector]]], made_from: str) -> str:
    """Return the text of prisms, given as part and corners in mm, the upper ones first; `made_from` is a digest."""
    lines = [
        "# prisms of tower_sim, lengths in mm: upper corners, lower corners, the upper face",
        _MADE_FROM + made_from,
    ]
    known, part = 0, ""
    for name, corners in prisms:
        if name != part:
            part = name
            lines.append(f"g {part}")
        lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in corners]
        lines.append("f " + " ".join(str(known + k + 1) for k in range(len(corners) // 2)))
        known += len(corners)
    return "\n".join([*lines, ""])


def made_from(text: str) -> str:
    """Return the digest of what solids were made from."""
    line = text.split("\n", 2)[1] if text.count("\n") > 1 else ""
    return line.removeprefix(_MADE_FROM)


def hulls(text: str, surfaces: Mapping[str, str]) -> tuple[Hull, ...]:
    """Return the prisms of a file as hulls in m; `surfaces` has the material of each part."""
    found: list[Hull] = []
    part, corners = "", list[Vector]()
    for number, line in enumerate(text.splitlines(), 1):
        word, *rest = line.split(" ")
        try:
            if word == "v":
                x, y, z = map(float, rest)
                corners.append((x * 1e-3, y * 1e-3, z * 1e-3))
            elif word == "g":
                part = rest[0]
            elif word == "f":
                found.append(prism(part, surfaces[part], corners))
                corners = []
        except (ValueError, IndexError, KeyError) as error:
            if isinstance(error, UsageError):
                raise
            raise fault(f"line {number} of the solids", line, "one that begins with v, g or f", _ADVICE) from None
    if len(found) > MOST:
        raise UsageError(f"the solids are {len(found)} prisms; allowed are up to {MOST}; simplify the mesh")
    return tuple(found)


def prism(part: str, surface: str, corners: Sequence[Vector]) -> Hull:
    """Return the hull of a prism whose first half of corners are the upper ones, counter-clockwise from outside."""
    number = len(corners) // 2
    sides = [(k, k + number, (k + 1) % number + number, (k + 1) % number) for k in range(number)]
    faces = (tuple(range(number)), tuple(range(2 * number - 1, number - 1, -1)), *sides)
    return Hull(part, surface, tuple(corners), faces)
