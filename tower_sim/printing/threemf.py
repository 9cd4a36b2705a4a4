"""3MF: all parts in one file, each with its name, side by side; a zip of XML (3MF Core Specification 1.3)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np

from tower_sim.errors import UsageError, shown
from tower_sim.printing.mesh import Mesh
from tower_sim.reading import read_bytes

_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_MODEL = "3D/3dmodel.model"
_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Target="/{_MODEL}" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>'
    "</Relationships>"
)
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same parts make the same file
_APART = 10.0  # mm between parts
LARGEST = 200_000_000


def to_3mf(parts: Sequence[tuple[str, Mesh]], title: str) -> bytes:
    """Return named meshes as a 3MF, each standing on z = 0, side by side along x."""
    objects: list[str] = []
    items: list[str] = []
    x = 0.0
    for number, (name, mesh) in enumerate(parts, 1):
        low, high = mesh.bounds
        vertices = "".join(
            f'<vertex x="{a:.5f}" y="{b:.5f}" z="{c:.5f}"/>' for a, b, c in (mesh.vertices - low).tolist()
        )
        faces = "".join(f'<triangle v1="{i}" v2="{j}" v3="{k}"/>' for i, j, k in mesh.faces.tolist())
        objects.append(
            f'<object id="{number}" type="model" name={quoteattr(name)}><mesh><vertices>{vertices}</vertices>'
            f"<triangles>{faces}</triangles></mesh></object>"
        )
        items.append(f'<item objectid="{number}" transform="1 0 0 0 1 0 0 0 1 {x:.3f} 0 0"/>')
        x += float(high[0] - low[0]) + _APART
    model = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<model unit="millimeter" xml:lang="en" xmlns="{_CORE}">'
        f'<metadata name="Title">{quoteattr(title)[1:-1]}</metadata>'
        f"<resources>{''.join(objects)}</resources><build>{''.join(items)}</build></model>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in (("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS), (_MODEL, model)):
            file.writestr(zipfile.ZipInfo(name, _EPOCH), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def read_3mf(path: str | Path) -> list[tuple[str, Mesh]]:
    """Read the named meshes of a 3MF that `to_3mf` wrote; raises UsageError for what is none."""
    data = read_bytes(path, "3MF", limit=LARGEST, advice="give a file that export wrote")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if file.getinfo(_MODEL).file_size > LARGEST:
                raise ValueError("too large")
            root = ElementTree.fromstring(file.read(_MODEL))
        return [(each.get("name", ""), _mesh(each)) for each in root.iter(f"{{{_CORE}}}object")]
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, ElementTree.ParseError) as error:
        raise UsageError(
            f"3MF {shown(str(path))} cannot be read ({error}); allowed is one that export wrote; write it anew"
        ) from None


def _mesh(each: ElementTree.Element) -> Mesh:
    vertices = [[float(v.attrib[k]) for k in "xyz"] for v in each.iter(f"{{{_CORE}}}vertex")]
    faces = [[int(t.attrib[k]) for k in ("v1", "v2", "v3")] for t in each.iter(f"{{{_CORE}}}triangle")]
    return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
