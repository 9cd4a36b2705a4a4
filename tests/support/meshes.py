"""Small printable towers for tests, as trimesh meshes in mm: a square tube of 30 mm with a ramp to an exit at +x.

`package` packs them as a 3MF file, by the text of its parts.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
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


_OPC = "http://schemas.openxmlformats.org/package/2006"
_3MF = "http://schemas.microsoft.com/3dmanufacturing"
_TYPES = (
    f'<Types xmlns="{_OPC}/content-types"><Default Extension="model" ContentType="application/vnd.ms-package.'
    '3dmanufacturing-3dmodel+xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/></Types>'
)


def package(
    model: str | bytes, parts: Mapping[str, str | bytes] | None = None, root: str = "3D/3dmodel.model"
) -> bytes:
    """Return a 3MF file of a model and other parts."""
    relation = f'<Relationship Target="/{root}" Id="rel0" Type="{_3MF}/2013/01/3dmodel"/>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", _TYPES)
        packed.writestr("_rels/.rels", f'<Relationships xmlns="{_OPC}/relationships">{relation}</Relationships>')
        for name, text in {root: model, **(parts or {})}.items():
            packed.writestr(name, text)
    return file.getvalue()


def model(objects: str, items: str = '<item objectid="1"/>', **attributes: str) -> str:
    """Return a model of 3MF."""
    more = "".join(f' {name}="{value}"' for name, value in ({"unit": "millimeter"} | attributes).items())
    return (
        f'<model{more} xmlns="{_3MF}/core/2015/02" xmlns:p="{_3MF}/production/2015/06">'
        f"<resources>{objects}</resources><build>{items}</build></model>"
    )


def thing(number: int, content: Any, **attributes: str) -> str:
    """Return an object of 3MF: a mesh, or components as text."""
    if not isinstance(content, str):
        corners = "".join('<vertex x="{:g}" y="{:g}" z="{:g}"/>'.format(*corner) for corner in content.vertices)
        faces = "".join('<triangle v1="{}" v2="{}" v3="{}"/>'.format(*face) for face in content.faces)
        content = f"<mesh><vertices>{corners}</vertices><triangles>{faces}</triangles></mesh>"
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<object id="{number}"{more}>{content}</object>'
