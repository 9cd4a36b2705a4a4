"""What `tower-sim tower export` writes, read back by trimesh."""

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.hulls import as_hull
from support.scenes import matrices

from tower_sim.apparatus import load, names, span
from tower_sim.apparatus.parts import over_table
from tower_sim.apparatus.printing import FORMATS, bodies
from tower_sim.cli import main
from tower_sim.errors import UsageError

trimesh: Any = pytest.importorskip("trimesh")
for package in ("manifold3d", "lxml", "networkx"):
    pytest.importorskip(package)

WALL, SHIP_WALL, SHEET = 6, 4, 2  # mm: how thick walls and tray floors are


def sizes(profile: dict[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Return the width, depth and height (mm) of each body, from the lengths in a profile."""
    if profile["kind"] == "combat_ship":
        hull, bulwarks, board = profile["hull"], profile["bulwarks"], profile["board"]
        lean = math.atan2(bulwarks["flare_mm"], bulwarks["height_mm"])
        flare = 2 * (bulwarks["flare_mm"] + SHIP_WALL * math.cos(lean))
        frame = 2 * board["border_width_mm"]
        return {
            "ship": (hull["beam_mm"] + flare, hull["length_mm"] + flare, profile["masts"]["top_mm"]),
            "board": (
                board["length_mm"] + frame,
                board["width_mm"] + frame,
                board["floor_mm"] + board["frame_height_mm"],
            ),
        }
    tube, funnel, tray = profile["tube"], profile["funnel"], profile["tray"]
    lean = math.atan2((funnel["rim_mm"] - tube["inside_mm"]) / 2, funnel["height_mm"])
    rim = funnel["rim_mm"] + 2 * WALL * math.cos(lean)
    has_wings = "splay_deg" in profile["exit"]
    tray_height = profile["ramp"]["lip_mm"] + profile["exit"]["height_mm"] if has_wings else tray["wall_mm"]
    return {
        "tower": (tube["inside_mm"] + 2 * WALL, tube["inside_mm"] + 2 * WALL, tube["top_mm"]),
        "funnel": (rim, rim, funnel["height_mm"]),
        "tray": (tube["inside_mm"] + tray["length_mm"] + WALL, tray["width_mm"] + 2 * WALL, tray_height + SHEET),
    }


@each_case(("name", "form"), [(name, form) for name in names() for form in FORMATS])
def test_each_body_is_closed_and_as_large_as_the_profile_says(name: str, form: str, tmp_path: Path, capsys):
    file = tmp_path / f"tower{form}"
    assert main(["tower", "export", name, "-o", str(file)]) == 0
    assert list(tmp_path.iterdir()) == [file]
    read = trimesh.load_scene(file).geometry
    expected = sizes(load(name).profile)
    assert set(read) == set(expected)
    *bodies, last = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in bodies] == list(read)
    assert last == str(file)
    for body, mesh in read.items():
        assert mesh.is_watertight
        assert mesh.volume > 0
        assert mesh.body_count == 1
        assert mesh.extents == pytest.approx(expected[body], abs=0.05)


@each_case("name", names())
def test_the_bodies_fill_what_the_boxes_fill(name: str):
    """400,000 random points (seed 1): the share in any box, cut off where drawings cut it, is known to 0.5 %."""
    shape = load(name)
    boxes = [box for box in shape.boxes if over_table(box)]
    low, high = np.min([box.bounds[0] for box in boxes], axis=0), np.max([box.bounds[1] for box in boxes], axis=0)
    points = np.random.default_rng(1).uniform(low, high, (400_000, 3))
    parts = shape.dimensions().parts
    filled = np.zeros(len(points), dtype=bool)
    for box in boxes:
        turn = matrices(np.array([box.orientation]))[0]
        inside = (np.abs((points - box.centre) @ turn) <= box.half).all(axis=1)
        for normal, offset in parts[box.part].within:
            inside &= points @ np.array(normal) <= offset
        filled |= inside & (points[:, 2] > 0)
    volume = 1e9 * float(np.prod(high - low)) * filled.mean()
    assert sum(mesh.volume for mesh in bodies(shape).values()) == pytest.approx(volume, rel=0.02)


def test_parts_that_are_hulls_are_exported_too():
    shape = load("amerigo")
    floors = [box for box in shape.boxes if "floor" in box.part]
    others = tuple(box for box in shape.boxes if box not in floors)
    expected = bodies(shape)["tower"].volume
    assert expected - bodies(replace(shape, boxes=others))["tower"].volume > 4_000  # mm3
    made = bodies(replace(shape, boxes=others, hulls=tuple(map(as_hull, floors))))["tower"]
    assert made.volume == pytest.approx(expected, rel=0.002)
    assert made.body_count == 1


def test_boxes_that_make_no_solid_are_refused():
    """Two boxes that meet in an edge alone, once they are grown."""
    shape = load("amerigo")
    near, far = (0.0, 0.02), (0.02002, 0.04)
    boxes = tuple(span("tube", along, along, near, "cardboard") for along in (near, far))
    with pytest.raises(UsageError, match="the tower of 'amerigo' is not one closed solid"):
        bodies(replace(shape, boxes=boxes))


@each_case(
    ("tower", "file", "missing", "said"),
    [
        ("amerigo", "tower.step", "", "must end in .stl, .3mf, .glb; try amerigo.stl"),
        ("amerigo", "tower", "", "must end in .stl, .3mf, .glb; try amerigo.stl"),
        ("amerigo", "nowhere/tower.stl", "", "allowed is a file in an existing folder"),
        ("amerig", "tower.stl", "", "did you mean amerigo?"),
        ("amerigo", "tower.stl", "trimesh", "trimesh is not installed"),
        ("amerigo", "tower.3mf", "networkx", "networkx is not installed"),
    ],
)
def test_bad_input_gets_one_line_and_leaves_nothing_behind(
    tower: str,
    file: str,
    missing: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    if missing:
        monkeypatch.setitem(sys.modules, missing, None)
    assert main(["tower", "export", tower, "-o", str(tmp_path / file)]) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1
    assert not list(tmp_path.iterdir())
