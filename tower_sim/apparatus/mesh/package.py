"""Read 3MF with lib3mf, the consortium's reader, which takes units, transforms, components and names.

lib3mf neither bounds its work nor knows what slicers mark. So the models of a package are surveyed while they are
unpacked, and lib3mf gets a package of these models alone:

    package --sizes--> models --expat: tags, bodies, what is printed--> models alone --lib3mf--> bodies

Source: 3MF Core Specification 1.4.0 and Production Extension 1.1.2, 3MF Consortium.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from tower_sim.apparatus.mesh.reading import MOST_TRIANGLES, Body, Unreadable, check_count
from tower_sim.errors import quote
from tower_sim.tools import MAX_BYTES, extra

MOST_UNPACKED = 100_000_000  # bytes of all models
MOST_BODIES, MOST_DEEP, MOST_FILES = 1000, 20, 10_000
_MOST_TAGS, _MOST_OTHERS = 8 * MOST_TRIANGLES, 200_000
_MANY = (b"vertex ", b"</vertex", b"</triangle", b"tex2coord ", b"color ", b"multi ")
_BITE = 1 << 20  # bytes that are unpacked at a time
_ROOT = "/tower.model"
_RELATION = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3d"
_THUMBNAIL = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"
_OPC = "http://schemas.openxmlformats.org/package/2006/"
_TYPE = "application/vnd.ms-package.3dmanufacturing-3dmodel+xml"
_HARMLESS = re.compile(r"/3dmanufacturing/(core|production|material|slice|trianglesets)/")  # extensions
_SETTINGS = re.compile(r"Metadata/(model_settings|\w+_model)\.config")
_NEGATIVE = "negative volume"
_KINDS = ("other object", "", "support", "support", "surface")  # lib3mf.ObjectType
_MARKS = {  # a volume's kind in the settings of PrusaSlicer, OrcaSlicer and Bambu Studio
    **dict.fromkeys(("ModelPart", "normal_part", ""), ""),
    **dict.fromkeys(("ParameterModifier", "modifier_part"), "modifier"),
    **dict.fromkeys(("NegativeVolume", "negative_part"), _NEGATIVE),
    **dict.fromkeys(("SupportEnforcer", "support_enforcer"), "support enforcer"),
    **dict.fromkeys(("SupportBlocker", "support_blocker"), "support blocker"),
}
_CURA = re.compile(r"\b(anti_overhang|cutting|infill|support)_mesh$")  # a mesh that Cura does not print as it is
_UNITS = ("micron", "mm", "cm", "inch", "foot", "m")  # lib3mf.ModelUnit
Key = tuple[str, str]  # a part of the package, and an object's number in it


@dataclass(slots=True)
class _Object:
    triangles: int = 0
    components: list[Key] = field(default_factory=list[Key])


@dataclass(slots=True)
class _Survey:
    """What the models of a package hold, counted before lib3mf reads them."""

    objects: dict[Key, _Object] = field(default_factory=dict[Key, _Object])
    items: list[tuple[Key, bool]] = field(default_factory=list[tuple[Key, bool]])  # what is printed
    pictures: dict[str, str] = field(default_factory=dict[str, str])  # files that models name, and their relation
    left_out: Counter[str] = field(default_factory=Counter[str])
    triangles: int = 0
    tags: int = 0
    others: int = 0
    bodies: int = 0

    def read(self, stream: Any, part: str, copy: Any) -> None:
        """Survey a model while it is unpacked and copied."""
        parser = expat.ParserCreate(namespace_separator=" ")
        current = _Object()
        spaces: dict[str, str] = {}

        def refuse(*_: Any) -> None:
            raise Unreadable("it declares a type of document, which 3MF does not allow")

        def target(attributes: dict[str, str]) -> Key:
            path = next((path for word, path in attributes.items() if word.endswith(" path")), part)
            return path, attributes.get("objectid", "")

        def begin(name: str, attributes: dict[str, str]) -> None:
            nonlocal current
            name = name.rpartition(" ")[2]
            if name == "triangle":
                current.triangles += 1
            elif name == "object":
                current = self.objects[part, attributes.get("id", "")] = _Object()
                if "thumbnail" in attributes:
                    self.pictures[attributes["thumbnail"]] = _THUMBNAIL
            elif name == "component":
                current.components.append(target(attributes))
            elif name == "item" and part == _ROOT:
                self.items.append((target(attributes), attributes.get("printable", "1") not in ("0", "false")))
            elif name == "texture2d":
                self.pictures[attributes.get("path", "")] = f"{_RELATION}texture"
            elif name == "beamlattice":
                self.left_out["beam lattice"] += 1
            elif name == "model":
                for word in attributes.get("requiredextensions", "").split():
                    if not _HARMLESS.search(spaces.get(word, word)):
                        raise Unreadable(f"it needs the extension {quote(word)} of 3MF", "export it as STL")
            if name in ("object", "component", "item"):
                self.bodies += 1
                if self.bodies > 3 * MOST_BODIES:
                    raise Unreadable(f"it has more than {MOST_BODIES} bodies", "join them")

        def name_space(prefix: str | None, address: str) -> None:
            spaces[prefix or ""] = address

        parser.StartDoctypeDeclHandler = refuse
        parser.StartNamespaceDeclHandler = name_space
        parser.StartElementHandler = begin
        done = 0
        while bite := stream.read(_BITE):
            parser.Parse(bite, False)
            done += len(bite)
            if done - parser.CurrentByteIndex > 2 * _BITE or b"<" not in bite:
                raise Unreadable("it has a tag of more than a megabyte, or as much blank space")
            copy.write(bite)
        parser.Parse(b"", True)

    def count(self, stream: Any) -> None:
        """Refuse too many tags before they are looked at."""
        while bite := stream.read(_BITE):
            triangles = bite.count(b"triangle ")
            self.triangles += triangles
            self.tags += bite.count(b"<")
            self.others += bite.count(b"<") - triangles - sum(map(bite.count, _MANY))
            for number, most, what in (
                (self.triangles, MOST_TRIANGLES, "triangles"),
                (self.tags, _MOST_TAGS, "tags"),
                (self.others, _MOST_OTHERS, "tags that are no triangle, corner or colour"),
            ):
                if number > most:
                    raise Unreadable(f"it has more than {most} {what}", "simplify it, in Blender by Decimate")

    def check(self) -> None:
        """Refuse components too deep in each other, and too many bodies or triangles, before any is copied."""
        known: dict[Key, tuple[int, int, int]] = {}

        def expand(key: Key, depth: int) -> tuple[int, int, int]:
            deep, bodies, triangles = known.get(key, (0, 0, 0))
            if depth + deep > MOST_DEEP:
                raise Unreadable(f"its components are more than {MOST_DEEP} deep in each other")
            if not deep:
                each = self.objects.get(key, _Object())
                bodies, triangles = 1, each.triangles
                for component in each.components:
                    inner = expand(component, depth + 1)
                    deep, bodies, triangles = max(deep, inner[0]), bodies + inner[1], triangles + inner[2]
                check_sums(bodies, triangles)
                known[key] = deep + 1, bodies, triangles
            return known[key]

        def check_sums(bodies: int, triangles: int) -> None:
            if bodies > MOST_BODIES:
                raise Unreadable(f"it has {bodies} bodies", f"allowed are up to {MOST_BODIES}; join them")
            check_count(triangles)

        for key in self.objects:
            expand(key, 0)
        items = [expand(key, 0) for key, _ in self.items]
        check_sums(sum(bodies for _, bodies, _ in items), sum(triangles for *_, triangles in items))


@dataclass(frozen=True, slots=True)
class _Mark:
    """A volume that a slicer does not print: its kind, its name, and which triangles of an object it is."""

    kind: str
    name: str
    rows: slice


def read(data: bytes) -> tuple[list[Body], str, list[str]]:
    """Return the bodies that a 3MF file prints, its unit, and notes of what was left out."""
    lib = extra("lib3mf", "print")
    if data.count(b"PK\1\2") > MOST_FILES:
        raise Unreadable(f"more than {MOST_FILES} files are packed in it")
    try:
        with TemporaryDirectory() as folder:
            file, survey = Path(folder, "models.3mf"), _Survey()
            with zipfile.ZipFile(io.BytesIO(data)) as package:
                _copy_models(package, file, survey)
                marks = _read_settings(package, survey)
            survey.check()
            model = lib.get_wrapper().CreateModel()
            reader = model.QueryReader("3mf")
            reader.SetStrictModeActive(False)
            reader.ReadFromFile(str(file))
        bodies = _Bodies(survey, marks).read(model)
    except lib.ELib3MFException as error:
        raise Unreadable(str(error).partition(": ")[2]) from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise Unreadable(" ".join(str(error).split())[:80] or "it is no package") from None
    except (expat.ExpatError, ElementTree.ParseError) as error:
        raise Unreadable(f"its XML is broken ({error})") from None
    left_out = ", ".join(f"{number} {what}" for what, number in survey.left_out.items())
    if not bodies:
        raise Unreadable(f"nothing in it is printed (left out: {left_out or 'nothing'})", "export the tower itself")
    return bodies, _UNITS[int(model.GetUnit())], [f"left out: {left_out}"] if left_out else []


def _copy_models(package: zipfile.ZipFile, file: Path, survey: _Survey) -> None:
    """Survey all models and write a package of them alone, with the relations that lib3mf asks for."""
    files = package.infolist()
    if len({info.filename for info in files}) < len(files):
        raise Unreadable("it has two parts of one name")
    size = sum(info.file_size for info in files if info.filename.lower().endswith((".model", ".rels", ".config")))
    if size > MOST_UNPACKED:
        raise Unreadable(
            f"its models unpack to {size / 1e6:.0f} MB; allowed are up to {MOST_UNPACKED / 1e6:.0f} MB",
            "simplify it, in Blender by Decimate",
        )
    relations = _read_xml(package, "_rels/.rels")
    targets = [row.get("Target", "") for row in relations if row.get("Type", "").endswith("/3dmodel")]
    root = unquote("".join(targets[:1]))
    parts, named = list[str](), [_ROOT]
    with zipfile.ZipFile(file, "w") as clean:
        while named:
            part = named.pop()
            if part in parts:
                continue
            parts.append(part)
            name = root if part == _ROOT else part
            with _open(package, name) as stream:
                survey.count(stream)
            with _open(package, name) as stream, clean.open(part[1:], "w") as copy:
                survey.read(stream, part, copy)
            named += [path for each in survey.objects.values() for path, _ in each.components]
            named += [path for (path, _), _ in survey.items]
        related = dict.fromkeys(parts, f"{_RELATION}model")
        pictures = {name: relation for name, relation in survey.pictures.items() if name not in related}
        for name in pictures:
            clean.writestr(name.lstrip("/"), b"")
        del related[_ROOT]
        clean.writestr("_rels/.rels", _relate({_ROOT: f"{_RELATION}model"}))
        clean.writestr("_rels/tower.model.rels", _relate(related | pictures))
        types = {name.rpartition(".")[2]: "image/png" for name in pictures}
        types |= {"rels": "application/vnd.openxmlformats-package.relationships+xml", "model": _TYPE}
        lines = [f"<Default Extension={quoteattr(end)} ContentType={quoteattr(of)}/>" for end, of in types.items()]
        clean.writestr("[Content_Types].xml", f'<Types xmlns="{_OPC}content-types">{"".join(lines)}</Types>')


def _open(package: zipfile.ZipFile, name: str) -> Any:
    try:
        return package.open(name.lstrip("/"))
    except KeyError:
        raise Unreadable(f"it has no part {quote(name) if name else 'that is a model'}") from None


def _relate(targets: dict[str, str]) -> str:
    lines = [
        f'<Relationship Target={quoteattr(name)} Id="r{k}" Type="{relation}"/>'
        for k, (name, relation) in enumerate(targets.items())
    ]
    return f'<Relationships xmlns="{_OPC}relationships">{"".join(lines)}</Relationships>'


def _read_xml(package: zipfile.ZipFile, name: str) -> Any:
    """Return the root of a small part's XML."""
    with _open(package, name) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES or b"<!DOCTYPE" in data:
        raise Unreadable(f"its part {name} has more than {MAX_BYTES} bytes or a type of document")
    return ElementTree.fromstring(data)


def _read_settings(package: zipfile.ZipFile, survey: _Survey) -> dict[Key, list[_Mark]]:
    """Return the volumes that the settings of a slicer mark, by object."""
    marks: dict[Key, list[_Mark]] = {}
    for name in filter(_SETTINGS.fullmatch, package.namelist()):
        for each in _read_xml(package, name).iter("object"):
            key = (_ROOT, each.get("id", ""))
            for volume in [*each.iter("volume"), *each.iter("part")]:
                values = {row.get("key"): row.get("value", "") for row in volume.iter("metadata")}
                kind = volume.get("subtype") or values.get("volume_type", "")
                kind = "modifier" if values.get("modifier") == "1" and not kind else _MARKS.get(kind, kind)
                if not kind:
                    continue
                if volume.tag == "volume":  # triangles of the object's own mesh
                    first, last = (int(volume.get(word, "-1")) for word in ("firstid", "lastid"))
                    if not 0 <= first <= last < survey.objects.get(key, _Object()).triangles:
                        raise Unreadable(f"{name} marks triangles {first} to {last}, which are not there")
                    marks.setdefault(key, []).append(_Mark(kind, values.get("name", ""), slice(first, last + 1)))
                    continue
                for component in survey.objects.get(key, _Object()).components:
                    if component[1] == volume.get("id"):
                        marks.setdefault(component, []).append(_Mark(kind, values.get("name", ""), slice(None)))
    return marks


class _Bodies:
    """The bodies of a model that are printed."""

    def __init__(self, survey: _Survey, marks: dict[Key, list[_Mark]]) -> None:
        self.survey, self.marks = survey, marks
        self.bodies: list[Body] = []

    def read(self, model: Any) -> list[Body]:
        """Return the bodies of all items that are printed."""
        items = model.GetBuildItems()
        for _, is_printed in self.survey.items:
            if not items.MoveNext():
                raise Unreadable("its list of what is printed is not that of its objects")
            item = items.GetCurrent()
            if is_printed:
                self._add(item.GetObjectResource(), _matrix(item.GetObjectTransform()))
            else:
                self._leave_out("item that is not printed", item.GetObjectResource().GetName())
        return self.bodies

    def _leave_out(self, kind: str, name: str) -> None:
        self.survey.left_out[f"{kind} {quote(name)}" if name else kind] += 1

    def _add(self, each: Any, matrix: Any) -> None:
        group, name = each.GetMetaDataGroup(), each.GetName()
        kind = _KINDS[int(each.GetType())]
        for k in range(group.GetMetaDataCount()):
            metadata = group.GetMetaData(k)
            if (mark := _CURA.search(metadata.GetName())) and metadata.GetValue().lower() == "true":
                kind = mark[0].replace("_", " ")
        if kind:
            self._leave_out(kind, name)
        elif each.IsComponentsObject():
            for k in range(each.GetComponentCount()):
                component = each.GetComponent(k)
                own = _matrix(component.GetTransform())
                inner = own[:3] @ matrix[:3], own[3] @ matrix[:3] + matrix[3]
                self._add(component.GetObjectResource(), np.vstack(inner))
        elif each.IsMeshObject():
            self._add_mesh(each, name, matrix)
        else:
            self._leave_out("object without triangles", name)

    def _add_mesh(self, each: Any, name: str, matrix: Any) -> None:
        points, indices = each.GetVertices(), each.GetTriangleIndices()
        if not indices:
            return
        # their lists hold pieces of one array of C
        corners = np.frombuffer(points[0]._b_base_, "<f4").reshape(-1, 3).astype(float)
        triangles = np.frombuffer(indices[0]._b_base_, "<u4").reshape(-1, 3).astype(np.intp)
        kept = np.ones(len(triangles), dtype=bool)
        for mark in self.marks.get((each.PackagePart().GetPath(), str(each.GetModelResourceID())), []):
            if mark.kind == _NEGATIVE:
                why = f"its volume {quote(mark.name)} is negative, which a slicer cuts out of others"
                raise Unreadable(why, "export the shape that is printed as STL")
            kept[mark.rows] = False
            self._leave_out(mark.kind, mark.name)
        if np.linalg.det(matrix[:3]) < 0:  # mirrored
            triangles = triangles[:, ::-1]
        self.bodies.append(Body(name, corners @ matrix[:3] + matrix[3], triangles[kept]))


def _matrix(transform: Any) -> Any:
    matrix = np.array([list(row) for row in transform.Fields], dtype=float)
    if not np.isfinite(matrix).all():
        raise Unreadable("a transform in it is not finite")
    return matrix
