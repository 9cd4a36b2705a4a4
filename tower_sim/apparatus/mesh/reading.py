"""Read STL, and join the bodies of a file to one mesh; `package` reads 3MF.

A file is read whole or refused, and notes say what a person should know. Limits are checked before bodies are copied.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tower_sim.apparatus.mesh.prisms import Mesh
from tower_sim.errors import fault, quote

MOST_TRIANGLES = 300_000
_LINE = r"[^\r\n]*"
_SOLID, _END = (re.compile(rf"\s*{word}\b({_LINE})".encode(), re.I) for word in ("solid", r"end\s?solid"))
_FACET = re.compile(
    rb"\s*facet(?:\s+normal(?:\s+\S+){3})?\s+outer\s+loop"
    + 3 * rb"\s+vertex\s+(\S+)\s+(\S+)\s+(\S+)"
    + rb"\s+end\s?loop\s+end\s?facet\b",
    re.I,
)
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84  # bytes of a binary STL before its triangles


class Unreadable(Exception):
    """The reason why a file cannot be read, and advice."""

    def __init__(self, why: str, advice: str = "allowed is a whole STL or 3MF file; export it again") -> None:
        super().__init__(why)
        self.why, self.advice = why, advice


class Body(NamedTuple):
    """A body of a file: its name, its corners (n, 3) in the file's unit, and its triangles (m, 3), rows of corners."""

    name: str
    corners: Any
    triangles: Any


def check_count(triangles: int) -> None:
    """Refuse too many triangles."""
    if triangles > MOST_TRIANGLES:
        raise fault("mesh", f"{triangles} triangles", f"up to {MOST_TRIANGLES}", "simplify it, in Blender by Decimate")


def join(bodies: Sequence[Body]) -> tuple[Mesh, list[str]]:
    """Return one mesh of the corners in use, and notes of what was left out."""
    bodies = [body for body in bodies if len(body.triangles)]
    if not bodies:
        raise Unreadable("it has no triangles")
    corners = np.concatenate([np.asarray(body.corners, dtype=float) for body in bodies])
    starts = np.cumsum([0, *(len(body.corners) for body in bodies[:-1])])
    faces = np.concatenate([body.triangles + start for body, start in zip(bodies, starts, strict=True)])
    part = np.repeat(np.arange(len(bodies)), [len(body.triangles) for body in bodies])
    finite: Any = np.isfinite(corners)
    is_number = finite.all(axis=1)[faces].all(axis=1)
    if not is_number.any():
        raise Unreadable("its coordinates are no numbers")
    used, faces = np.unique(faces[is_number], return_inverse=True)
    mesh = Mesh(corners[used], faces.reshape(-1, 3), part[is_number], _name_parts([body.name for body in bodies]))
    missing = int((~is_number).sum())
    return mesh, [f"left out: {missing} triangles whose coordinates are no numbers"] if missing else []


def _name_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of letters, digits and _, each once."""
    if len(names) == 1:
        return ("tower",)
    plain = ["".join(c if c.isalnum() else "_" for c in name)[:30] for name in names]
    return tuple(f"{name or 'part'}_{k}" if plain.count(name) > 1 or not name else name for k, name in enumerate(plain))


def read_stl(data: bytes) -> tuple[list[Body], list[str]]:
    """Return the bodies of an STL file, text or binary, and notes."""
    count = int.from_bytes(data[_HEADER - 4 : _HEADER], "little")
    is_binary = b"\0" in data or (len(data) >= _HEADER and len(data) == _HEADER + _RECORD.itemsize * count)
    return _read_binary(data, count) if is_binary else _read_text(data)


def _read_binary(data: bytes, count: int) -> tuple[list[Body], list[str]]:
    whole, rest = divmod(max(0, len(data) - _HEADER), _RECORD.itemsize)
    counts = f"its header counts {count} triangles, and {whole} are there"
    if count > whole:
        raise Unreadable(f"{counts}: it is cut off, or it is no STL")
    if count < whole and rest:
        raise Unreadable(f"{counts}, then {rest} more bytes: it is no STL, or several in one")
    check_count(whole)
    corners = np.frombuffer(data, _RECORD, whole, _HEADER)["corners"].reshape(-1, 3)
    notes = [f"{counts}: all are read"] if count < whole else []
    notes += [f"{rest} bytes after the last triangle are left out"] if rest else []
    return [_without_sharing("tower", corners)], notes


def _read_text(data: bytes) -> tuple[list[Body], list[str]]:
    check_count(max(data.count(b"endfacet"), data.count(b"ENDFACET")))
    solids, notes = list[Body](), list[str]()
    name, corners, number = None, array("d"), 0
    for kind, found in _find_lines(data):
        if kind is _FACET:
            if name is None:
                raise Unreadable(f"{_tell_line(data, found.start())} is a facet outside a solid")
            number += 1
            check_count(number)
            try:
                corners.extend(map(float, found.groups()))
            except ValueError:
                line = _tell_line(data, found.start())
                raise Unreadable(f"the facet at {line} has a coordinate that is no number") from None
            continue
        if name is not None:
            solids.append(_without_sharing(name, np.array(corners).reshape(-1, 3)))
            if kind is not _END:
                notes.append(f"solid {quote(name)} has no end: the {len(corners) // 9} triangles before it are read")
        name, corners = (None if kind is _END else _decode(found[1]).strip() if kind is _SOLID else None), array("d")
    return solids, notes


def _find_lines(data: bytes) -> Iterator[tuple[re.Pattern[bytes] | None, Any]]:
    """Yield facets, beginnings and ends of solids, with their matches, and None for the end of the file."""
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while True:
        for kind in (_FACET, _END, _SOLID):
            if found := kind.match(data, at):
                yield kind, found
                at = found.end()
                break
        else:
            rest = data[at:].strip(b" \t\r\n\x1a")
            if rest:
                line = _tell_line(data, at)
                if not re.search(rb"end\s?(?:facet|solid)", rest, re.I):
                    raise Unreadable(f"it is cut off at {line}, or it is no STL")
                raise Unreadable(f"{line} is {quote(_decode(rest[:60]).splitlines()[0])}, no facet with three corners")
            yield None, None
            return


def _tell_line(data: bytes, at: int) -> str:
    """Return the number of the line on which the first word from `at` on stands."""
    start = at + len(data[at : at + 10_000]) - len(data[at : at + 10_000].lstrip())
    number = 1 + data.count(b"\n", 0, start)
    return f"line {number}"


def _decode(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")


def _without_sharing(name: str, corners: Any) -> Body:
    return Body(name, corners, np.arange(len(corners)).reshape(-1, 3))
