"""3MF: the parts that lie on a print bed together in one file, each with its name; XML in a zip (3MF Core 1.3)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from tower_sim.printing.cuts import SLACK, Bed
from tower_sim.printing.mesh import Mesh

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


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A named mesh on a print bed: its lowest corner at `x` and `y` (mm), turned by a quarter or not."""

    name: str
    mesh: Mesh
    x: float
    y: float
    is_turned: bool


@dataclass(slots=True)
class _Row:
    """Parts side by side: where it begins and how `deep` it is along y, and where along x the next part stands."""

    y: float
    deep: float
    x: float = 0.0


def on_beds(parts: Sequence[tuple[str, Mesh]], bed: Bed) -> list[list[Placed]]:
    """Lay parts that each fit the bed out on beds, in rows, the deepest first; returns what lies on each."""
    sides: list[tuple[float, float, bool, str, Mesh]] = []
    for name, mesh in parts:
        wide, deep, _ = (float(length) for length in mesh.bounds[1] - mesh.bounds[0])
        is_turned = wide > bed.width + SLACK or deep > bed.depth + SLACK
        sides.append((deep, wide, is_turned, name, mesh) if is_turned else (wide, deep, is_turned, name, mesh))
    beds: list[tuple[list[_Row], list[Placed]]] = []
    for wide, deep, is_turned, name, mesh in sorted(sides, key=lambda part: -part[1]):
        found = next((at for at in beds if _row_for(at[0], wide, deep, bed)), None)
        if found is None:
            beds.append(found := ([_Row(0.0, deep)], []))
        row = _row_for(found[0], wide, deep, bed)
        assert row is not None  # every part fits an empty bed
        found[1].append(Placed(name, mesh, row.x, row.y, is_turned))
        row.x += wide + _APART
    return [placed for _, placed in beds]


def _row_for(rows: list[_Row], wide: float, deep: float, bed: Bed) -> _Row | None:
    """Return the row of a bed, perhaps a new one, in which there is room for a part; None where there is none."""
    for row in rows:
        if deep <= row.deep and row.x + wide <= bed.width + SLACK:
            return row
    y = rows[-1].y + rows[-1].deep + _APART if rows else 0.0
    if y + deep > bed.depth + SLACK:
        return None
    rows.append(_Row(y, deep))
    return rows[-1]


def to_3mf(parts: Sequence[Placed], title: str) -> bytes:
    """Return meshes as a 3MF, each standing on z = 0 where it is placed."""
    objects: list[str] = []
    items: list[str] = []
    for number, part in enumerate(parts, 1):
        name, mesh = part.name, part.mesh
        low, high = mesh.bounds
        vertices = "".join(
            f'<vertex x="{a:.5f}" y="{b:.5f}" z="{c:.5f}"/>' for a, b, c in (mesh.vertices - low).tolist()
        )
        faces = "".join(f'<triangle v1="{i}" v2="{j}" v3="{k}"/>' for i, j, k in mesh.faces.tolist())
        objects.append(
            f'<object id="{number}" type="model" name={quoteattr(name)}><mesh><vertices>{vertices}</vertices>'
            f"<triangles>{faces}</triangles></mesh></object>"
        )
        turned = f"0 1 0 -1 0 0 0 0 1 {part.x + float(high[1] - low[1]):.3f}"  # x becomes y, y becomes -x
        turn = turned if part.is_turned else f"1 0 0 0 1 0 0 0 1 {part.x:.3f}"
        items.append(f'<item objectid="{number}" transform="{turn} {part.y:.3f} 0"/>')
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
