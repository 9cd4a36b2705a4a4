"""What is read from an STL or a 3MF file, what is said of what is left out, and what is refused in time."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.meshes import model, package, small_tower, thing
from tower_sim.apparatus.mesh.importing import read
from tower_sim.errors import UsageError

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("manifold3d")
pytest.importorskip("lib3mf")

TOWER = small_tower()
BOX = trimesh.creation.box(extents=(10, 20, 30))
NUMBER = len(TOWER.faces)
MERGED = trimesh.util.concatenate([TOWER, BOX])
OBJECTS = "3D/Objects/object_1.model"
PARTS = "".join(f'<component p:path="/{OBJECTS}" objectid="{k}"/>' for k in (1, 2))


TWO_ITEMS = '<item objectid="1"/><item objectid="2"/>'


def _stl(mesh: Any = TOWER) -> bytes:
    return mesh.export(file_type="stl")


def _text(mesh: Any = TOWER, name: bytes = b"") -> bytes:
    return mesh.export(file_type="stl_ascii").encode().replace(b"solid", b"solid " + name, 1)


def _count(number: int) -> bytes:
    return _stl()[:80] + struct.pack("<I", number) + _stl()[84:]


def _settings(name: str, volumes: str) -> dict[str, str | bytes]:
    return {f"Metadata/{name}.config": f'<config><object id="1">{volumes}</object></config>'}


def _prusa(kind: str, first: int = NUMBER, last: int = NUMBER + 11) -> bytes:
    rows = f'<metadata type="volume" key="name" value="Box"/><metadata type="volume" {kind}/>'
    volume = f'<volume firstid="{first}" lastid="{last}">{rows}</volume>'
    return package(model(thing(1, MERGED)), _settings("Slic3r_PE_model", volume))


def _bambu(subtype: str) -> bytes:
    part = f'<part id="2" subtype="{subtype}"><metadata key="name" value="Box"/></part>'
    objects = model(thing(1, TOWER) + thing(2, BOX), "")
    root = model(thing(1, f"<components>{PARTS}</components>"))
    return package(root, {OBJECTS: objects, **_settings("model_settings", part)})


def _two(items: str = TWO_ITEMS, **attributes: str) -> bytes:
    """Return a tower with a box of other attributes."""
    return package(model(thing(1, TOWER) + thing(2, BOX, **attributes), items))


def _cura() -> bytes:
    group = '<metadatagroup><metadata name="cura:infill_mesh">True</metadata></metadatagroup>'
    box = thing(2, BOX).replace("<mesh>", group + "<mesh>")
    text = model(thing(1, TOWER) + box, TWO_ITEMS)
    return package(text.replace("<model ", '<model xmlns:cura="http://software.ultimaker.com/xml/cura/3mf/2015/10" '))


def _painted() -> bytes:
    texture = '<m:texture2d id="7" path="/3D/Textures/a.png" contenttype="image/png"/>'
    text = model(texture + thing(1, TOWER, thumbnail="/Metadata/a.jpg"))
    return package(
        text.replace("<model ", '<model xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02" ')
    )


WITH_BOX = {"triangles": NUMBER + 12, "size": (36, 36, 85)}
MODIFIER = "left out: 1 modifier 'Box'"
ELSEWHERE = f'<components><component p:path="/{OBJECTS}" objectid="1"/></components>'
TURNED = '<components><component objectid="1" transform="2 0 0 0 1 0 0 0 1 5 0 0"/></components>'


def _good(data: Callable[[], bytes], *notes: str, **other: Any) -> tuple[Callable[[], bytes], dict[str, Any]]:
    """A file that is read as the tower alone in mm, but for `other`."""
    return data, {"notes": [*notes], "unit": "mm", "triangles": NUMBER, "size": (36, 36, 70)} | other


GOOD: dict[str, dict[str, tuple[Callable[[], bytes], dict[str, Any]]]] = {
    "3mf": {
        "inch": _good(lambda: package(model(thing(1, TOWER), unit="inch")), unit="inch"),
        "centimetres": _good(lambda: package(model(thing(1, TOWER), unit="centimeter")), unit="cm"),
        "a support": _good(lambda: _two(type="support"), "left out: 1 support"),
        "a surface": _good(lambda: _two(type="surface", name="Sun"), "left out: 1 surface 'Sun'"),
        "another": _good(lambda: _two(type="other"), "left out: 1 other object"),
        "not printed": _good(
            lambda: _two('<item objectid="2" printable="0"/><item objectid="1"/>'),
            "left out: 1 item that is not printed",
        ),
        "PrusaSlicer's modifier": _good(lambda: _prusa('key="volume_type" value="ParameterModifier"'), MODIFIER),
        "Slic3r's modifier": _good(lambda: _prusa('key="modifier" value="1"'), MODIFIER),
        "Bambu's modifier": _good(lambda: _bambu("modifier_part"), MODIFIER),
        "Cura's modifier": _good(_cura, "left out: 1 infill mesh"),
        "parts in another file": _good(lambda: _bambu("normal_part"), **WITH_BOX),
        "equal numbers in two files": _good(
            lambda: package(
                model(thing(1, TOWER) + thing(2, ELSEWHERE), TWO_ITEMS), {OBJECTS: model(thing(1, BOX), "")}
            ),
            **WITH_BOX,
        ),
        "a model elsewhere": _good(
            lambda: package(model(thing(1, TOWER)), {"3D/3dmodel.model": model(thing(1, BOX))}, root="Own/tower.model")
        ),
        "pictures that are not there": _good(_painted),
        "moved components": _good(
            lambda: package(
                model(
                    thing(1, BOX) + thing(2, TURNED),
                    '<item objectid="2" transform="0 3 0 1 0 0 0 0 1 0 0 0"/><item objectid="1"/>',
                )
            ),
            triangles=24,
            size=(20, 60, 30),  # x from -10 to 10, y from -15 to 45
        ),
    },
    "stl": {
        "Latin-1": _good(lambda: _text(name="Würfelturm".encode("latin-1"))),
        "capitals and CRLF": _good(lambda: b"\xef\xbb\xbf" + _text().upper().replace(b"\n", b"\r\n")),
        "binary that begins as text": _good(lambda: b"solid of nobody".ljust(80) + _stl()[80:]),
        "two solids": _good(lambda: _text() + _text(BOX), **WITH_BOX),
        "a count too small": _good(
            lambda: _count(10), f"its header counts 10 triangles, and {NUMBER} are there: all are read"
        ),
        "bytes at the end": _good(lambda: _stl() + b"by me", "5 bytes after the last triangle are left out"),
        "a solid without an end": _good(
            lambda: _text(name=b"shell").partition(b"endsolid")[0] + _text(BOX),
            f"solid 'shell' has no end: the {NUMBER} triangles before it are read",
            **WITH_BOX,
        ),
    },
}


@pytest.mark.parametrize(("form", "case"), [(form, case) for form, cases in GOOD.items() for case in cases])
def test_a_file_is_read_as_it_was_meant(form: str, case: str, tmp_path: Path) -> None:
    data, expected = GOOD[form][case]
    file = tmp_path / f"a.{form}"
    file.write_bytes(data())
    mesh, unit, _, notes = read(file)
    assert unit == (expected["unit"] if form == "3mf" else None)  # an STL says none
    assert (len(mesh.faces), list(notes)) == (expected["triangles"], expected["notes"])
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx(expected["size"], abs=1e-4)
    if unit:  # an STL shares no corners yet
        assert mesh.closed()[2].all()  # outsides are outside, also of what is mirrored
    assert len(set(mesh.parts)) == len(mesh.parts)


def _with(old: str, new: str, mesh: Any = BOX) -> bytes:
    text = model(thing(1, mesh))
    assert old in text
    return package(text.replace(old, new, 1))


def _zip(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return file.getvalue()


def _lie(data: bytes, size: int) -> bytes:
    """Return a package whose directory gives its largest part a wrong size."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        largest = max(packed.infolist(), key=lambda info: info.file_size)
    return data.replace(struct.pack("<I", largest.file_size), struct.pack("<I", size))


BAD: dict[str, dict[str, tuple[Callable[[], bytes], str]]] = {
    "3mf": {
        "not packed": (lambda: b"hello", "File is not a zip file"),
        "no relations": (lambda: _zip({"3D/3dmodel.model": model(thing(1, BOX))}), "it has no part '_rels/.rels'"),
        "no model": (lambda: _zip({"_rels/.rels": "<Relationships/>"}), "it has no part that is a model"),
        "an absent part": (
            lambda: package(model(thing(1, f"<components>{PARTS}</components>"))),
            "it has no part '/3D/Objects/object_1.model'",
        ),
        "an absent vertex": (lambda: _with('v1="1"', 'v1="99"'), "Invalid model node index"),
        "a vertex of 1e38": (lambda: _with('x="-5"', 'x="1e38"'), "Invalid Model Coordinates"),
        "a decimal comma": (lambda: _with('x="-5"', 'x="-5,5"'), "non-numeric characters"),
        "entities": (lambda: _with("<model", '<!DOCTYPE x [<!ENTITY a "b">]><model'), "a type of document"),
        "broken": (lambda: _with("</mesh>", ""), "its XML is broken"),
        "a transform without numbers": (
            lambda: _with('"1"/></build', '"1" transform="nan 0 0 0 1 0 0 0 1 0 0 0"/></build'),
            "not finite",
        ),
        "nothing to print": (lambda: package(model(thing(1, BOX), "")), "nothing in it is printed"),
        "only a support": (lambda: package(model(thing(1, BOX, type="support"))), "left out: 1 support"),
        "an object in itself": (
            lambda: package(model(thing(1, '<components><component objectid="1"/></components>'))),
            "20 deep in each other",
        ),
        "an unknown extension": (
            lambda: _with("<model", '<model requiredextensions="q" xmlns:q="http://example.com/q"'),
            "it needs the extension 'q'",
        ),
        "PrusaSlicer's negative volume": (
            lambda: _prusa('key="volume_type" value="NegativeVolume"'),
            "'Box' is negative",
        ),
        "Bambu's negative volume": (lambda: _bambu("negative_part"), "'Box' is negative"),
        "marked triangles that are not there": (lambda: _prusa('key="modifier" value="1"', last=9999), "are not there"),
        "two parts of one name": (
            lambda: package(model(thing(1, BOX)), {"3D/3dmodel.modem": ""}).replace(b"modem", b"model"),
            "two parts of one name",
        ),
    },
    "stl": {
        "a count too large": (lambda: _count(99), f"counts 99 triangles, and {NUMBER} are there: it is cut off"),
        "cut off": (lambda: _stl()[:-30], f"and {NUMBER - 1} are there: it is cut off"),
        "two in one": (lambda: _stl() + _stl(), "or several in one"),
        "text cut off": (lambda: (_text() + _text(BOX))[:-300], "it is cut off at line"),
        "a facet with four corners": (
            lambda: _text().replace(b"endloop", b"vertex 0 0 0\nendloop", 1),
            "line 2 is 'facet normal",
        ),
        "a comma": (lambda: _text(BOX).replace(b"vertex -5", b"vertex -5,5", 1), "the facet at line 2 has"),
        "a facet outside": (lambda: _text().partition(b"\n")[2], "a facet outside a solid"),
        "a text": (lambda: b"Dear all,\nthis is the tower.", "it is cut off at line 1, or it is no STL"),
    },
}


@pytest.mark.parametrize(("form", "case"), [(form, case) for form, cases in BAD.items() for case in cases])
def test_a_file_that_is_not_whole_or_not_allowed_is_refused_in_one_line(form: str, case: str, tmp_path: Path) -> None:
    data, says = BAD[form][case]
    (tmp_path / f"a.{form}").write_bytes(data())
    with pytest.raises(UsageError, match="cannot be read: ") as error:
        read(tmp_path / f"a.{form}")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def _many(number: int) -> str:
    mesh = thing(1, BOX)
    return mesh.replace("</triangles>", '<triangle v1="0" v2="1" v3="2"/>' * number + "</triangles>")


def _double() -> str:
    """Return objects of which each holds the one before it twice."""
    components = (thing(k, 2 * f'<component objectid="{k - 1}"/>') for k in range(2, 40))
    return thing(1, BOX) + "".join(
        each.replace("><c", "><components><c", 1).replace("</o", "</components></o") for each in components
    )


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "unpacks to 150 MB": ("a.3mf", lambda: package(model(thing(1, BOX)), {"3D/b.model": bytes(150_000_000)})),
    "says that it is small": ("b.3mf", lambda: _lie(package(model(thing(1, BOX)) + " " * 90_000_000), 900)),
    "blank space": ("c.3mf", lambda: package(model(thing(1, BOX)) + " " * 90_000_000)),
    "a million triangles": ("d.3mf", lambda: package(model(_many(1_000_000)))),
    "two million tags": ("e.3mf", lambda: package(model(thing(1, BOX) + "<a/>" * 2_000_000))),
    "components that double": ("f.3mf", lambda: package(model(_double()))),
    "many bodies": ("g.3mf", lambda: package(model(thing(1, BOX), '<item objectid="1"/>' * 100_000))),
    "many files": ("h.3mf", lambda: package(model(thing(1, BOX))) + b"PK\1\2" * 1_000_000),
    "a long tag": ("i.3mf", lambda: _with("<mesh>", f"<!--{'<' * 90_000_000}--><mesh>")),
    "many triangles as text": ("j.stl", lambda: _text() + b"facet\nendfacet\n" * 2_000_000),
    "binary triangles": ("k.stl", lambda: bytes(80) + (1_900_000).to_bytes(4, "little") + bytes(95_000_000)),
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the most memory of a process is read there")
def test_bombs_are_refused_within_a_second_and_300_megabytes(tmp_path: Path) -> None:
    """In another process; seconds are those of its processor, as other tests run beside it."""
    for name, data in BOMBS.values():
        (tmp_path / name).write_bytes(data())
    script = (
        "import json, re, sys, time\nfrom pathlib import Path\nimport lib3mf\n"
        "from tower_sim.apparatus.mesh.importing import read\nfrom tower_sim.errors import UsageError\n"
        "for file in sys.argv[1:]:\n"
        "    start, says = time.process_time(), 'read'\n"
        "    try:\n        read(Path(file))\n"
        "    except UsageError as error:\n        says = str(error)\n"
        "    seconds = time.process_time() - start\n"
        "    most = int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) * 1024\n"
        "    print(json.dumps([says, seconds, most]))\n"
    )
    files = [str(tmp_path / name) for name, _ in BOMBS.values()]
    done = subprocess.run([sys.executable, "-c", script, *files], capture_output=True, text=True, check=True)
    for case, line in zip(BOMBS, done.stdout.splitlines(), strict=True):
        says, seconds, most = json.loads(line)
        print(f"{case}: {seconds:.2f} s, {most / 1e6:.0f} MB: {says[-200:]}")
        assert says != "read", case
        assert seconds < 1, (case, says)
        assert most < 300e6, (case, says)
