"""STL: loose triangles in single precision, as every slicer reads them; written in binary, read in either form."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tower_sim.errors import UsageError, shown
from tower_sim.printing.mesh import Mesh, normals, welded
from tower_sim.reading import read_bytes

LARGEST = 100_000_000
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def to_stl(mesh: Mesh, title: str) -> bytes:
    """Return a mesh as a binary STL."""
    corners = mesh.corners.astype("<f4")
    records = np.zeros(len(corners), dtype=_RECORD)
    records["normal"] = normals(corners.astype(float))[0]
    records["corners"] = corners
    header = title.encode("ascii", "replace")[:80].ljust(80)
    return header + np.array([len(records)], dtype="<u4").tobytes() + records.tobytes()


def read_stl(path: str | Path) -> Mesh:
    """Read an STL; corners at the very same place are one vertex. Raises UsageError for what is none."""
    data = read_bytes(path, "STL", limit=LARGEST, advice="give a file that export wrote")
    number = int(np.frombuffer(data[80:_HEADER], dtype="<u4")[0]) if len(data) >= _HEADER else -1
    if len(data) == _HEADER + number * _RECORD.itemsize:
        corners = np.frombuffer(data, dtype=_RECORD, offset=_HEADER)["corners"].astype(float)
    else:
        found = _VERTEX.findall(data) if data.lstrip()[:5] == b"solid" else []
        try:
            corners = np.array(found, dtype=float).reshape(-1, 3, 3)
        except ValueError:
            corners = np.empty((0, 3, 3))
    if not len(corners) or not np.isfinite(corners).all():
        raise UsageError(
            f"STL {shown(str(path))} holds no triangles of finite numbers; allowed is a binary or ASCII STL; write "
            "it anew"
        )
    return welded(corners)
