"""Pictures: what they must show, checked on the figures; and that nothing is hidden by what lies behind it."""

import errno
import itertools
import math
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower
from support.pictures import changed, crowded, faults, shades_of, words_of

from tests.support.towers import REFERENCE
from tower_sim.apparatus import Apparatus, Box, load, names, span, tilted_about_y, with_board
from tower_sim.drawing import Faces, View, apparatus_figure, check_path, draw_apparatus, make_faces, paints, save
from tower_sim.drawing.files import cube_colours
from tower_sim.drawing.sheet import spread
from tower_sim.drawing.sight import Sight, look_at
from tower_sim.drawing.solids import join, make_boxes
from tower_sim.drawing.surfaces import find_surface
from tower_sim.errors import UsageError
from tower_sim.games import Turn
from tower_sim.games.amerigo import GAME, Rules, game_figure
from tower_sim.games.amerigo.picture import draw_game
from tower_sim.games.board import draw_board, draw_densities
from tower_sim.tools import WritingFailed
from tower_sim.values import BoardState, Cube, Pose, Resident, TowerState

pytestmark = pytest.mark.slow

COLOURS = Rules().colours
SHIP = with_board(load("dead_reckoning"))


def amerigo_with(changes: Mapping[str, Mapping[str, Any]], name: str = "changed") -> Apparatus:
    """The reference tower, changed; its floors are set here first."""
    floors = {"pattern": "slots", "openings": 2, "opening_mm": 15.5, "length_mm": 60, "along": "x"}
    tables: dict[str, Any] = dict(load(REFERENCE).profile)
    for table, values in {"upper_floor": floors, "lower_floor": floors | {"along": "y"}}.items():
        kept = {key: tables[table][key] for key in ("top_mm", "thickness_mm")}
        tables[table] = kept | values
    return changed(tables, changes, name)


ODD: dict[str, dict[str, dict[str, Any]]] = {
    "slots": {},
    "short slots": {"upper_floor": {"length_mm": 30, "openings": 3, "opening_mm": 10, "along": "y"}},
    "squares": {
        "upper_floor": {"pattern": "squares", "openings": 3, "opening_mm": 12},
        "lower_floor": {"pattern": "squares", "openings": 2, "opening_mm": 20},
    },
    "ledges, offset": {
        "upper_floor": {"ledge_mm": 12.5, "offset_mm": -4.25, "opening_mm": 13},
        "lower_floor": {"pattern": "squares", "ledge_mm": 6.75, "openings": 3, "opening_mm": 11, "offset_mm": 2.5},
    },
    "sloping, rows": {
        "upper_floor": {"slope_deg": 24, "ledge_mm": 7.25, "openings": 3, "opening_mm": 10.5},
        "lower_floor": {"rows": 3, "length_mm": 12.25, "end_ledge_mm": 3, "along": "x"},
    },
    "both sloping": {
        "upper_floor": {"slope_deg": 30, "top_mm": 122, "along": "y"},
        "lower_floor": {"slope_deg": 17.5, "ledge_mm": 0, "openings": 3, "opening_mm": 14, "along": "x"},
    },
    "corners": {
        "upper_floor": {"pattern": "corners", "opening_mm": 16},
        "lower_floor": {"pattern": "corners", "opening_mm": 24},
    },
    "flat funnel": {
        "funnel": {"rim_mm": 400, "height_mm": 8, "rib_height_mm": 5},
        "tray": {"length_mm": 30, "width_mm": 300, "wall_mm": 100},
    },
    "tall, no ribs": {
        "tube": {"top_mm": 500},
        "upper_floor": {"top_mm": 480},
        "lower_floor": {"top_mm": 400},
        "funnel": {"rim_mm": 60, "height_mm": 300, "rib_height_mm": 0},
        "tray": {"length_mm": 500, "width_mm": 500, "wall_mm": 0},
        "ramp": {"angle_deg": 60},
    },
    "low and wide": {
        "cubes": {"edge_mm": 3},
        "tube": {"inside_mm": 200, "top_mm": 60},
        "funnel": {"rim_mm": 200, "height_mm": 100, "rib_height_mm": 100},
        "upper_floor": {"top_mm": 36, "length_mm": 100, "openings": 3, "opening_mm": 20, "along": "y"},
        "lower_floor": {"top_mm": 26, "thickness_mm": 0.5, "pattern": "squares", "openings": 6, "opening_mm": 15},
        "ramp": {"angle_deg": 5, "lip_mm": 0},
        "exit": {"height_mm": 6},
    },
    "narrow": {
        "cubes": {"edge_mm": 2},
        "tube": {"inside_mm": 20},
        "funnel": {"rim_mm": 50},
        "upper_floor": {"opening_mm": 5, "length_mm": 10},
        "lower_floor": {"opening_mm": 3, "length_mm": 20},
    },
}


@cache
def shipped_figure(name: str) -> Figure:
    return apparatus_figure(load(name))


def state_with(*residents: Resident) -> TowerState:
    return TowerState("physics", "amerigo", "digest", residents)


def a_cube_on_the_upper_floor(number: int, colour: str, x: float, y: float) -> Resident:
    shape = load("amerigo")
    z = next(box.centre[2] + box.half[2] for box in shape.boxes if box.part == "upper_floor") + shape.cube_edge / 2
    turn = 0.3 * number
    pose = Pose((x, y, z), (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2)))
    return Resident(Cube(number, colour, shape.cube_edge), "upper_floor", 0, pose)


ALL_COLOURS = state_with(
    *(a_cube_on_the_upper_floor(i, c, 0.008 * (i - 3), -0.02 - 0.002 * (i % 2)) for i, c in enumerate(COLOURS))
)


@each_case("name", names())
@each_case("suffix", ["png", "pdf", "svg"])
def test_a_shipped_apparatus_is_drawn_in_every_format(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tower.{suffix}"
    save(shipped_figure(name), path)
    assert path.stat().st_size > 10_000


@each_case("suffix", ["eps", "pdf", "png", "ps", "svg", "svgz"])
def test_a_picture_is_the_same_bytes_on_another_day(suffix: str, tmp_path: Path, monkeypatch) -> None:
    paths = [tmp_path / f"{day}.{suffix}" for day in "12"]
    for path in paths:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", f"{path.stem}00000")  # matplotlib dates a picture so
        monkeypatch.setattr(time, "time", lambda path=path: float(path.stem) * 1e5)
        figure: Any = Figure()
        figure.subplots().plot([1, 2], [2, 1], "o", label="a marker and a frame have random names")
        save(figure, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("name", ODD)
def test_an_odd_but_legal_tower_is_drawn_with_no_text_on_another(name: str, tmp_path: Path) -> None:
    figure = apparatus_figure(amerigo_with(ODD[name]))
    assert crowded(figure) == []
    save(figure, tmp_path / "tower.png")
    pixels = imread(tmp_path / "tower.png")[..., :3]
    assert pixels.shape[1] == 1800
    assert 0.01 < (pixels < 0.5).mean() < 0.3, "neither blank nor black"


@pytest.fixture(name="full", scope="module")
def _full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full") / "tower.png"
    draw_apparatus(load("amerigo"), path, ALL_COLOURS)
    return path


def test_cubes_show_their_colours_and_nothing_else_has_one(full: Path, tmp_path: Path) -> None:
    draw_apparatus(load("amerigo"), tmp_path / "tower.png")
    assert np.ptp(imread(tmp_path / "tower.png")[..., :3], axis=2).max() == 0
    pixels = imread(full)[..., :3].reshape(-1, 3)
    for colour, paint in cube_colours(COLOURS).items():
        assert shades_of(pixels, paint) > 50, colour


def test_a_name_is_never_read_as_a_formula(tmp_path: Path) -> None:
    name = "tower $\\frac$ of_mine^2"
    draw_apparatus(amerigo_with({}, name), tmp_path / "tower.png")
    rules = Rules(colours=("sea $x", "land_$_", "$"), substitute="", rounds=1)
    draw_game(list(GAME.start(CoinTower(), rules, 1)), rules, tmp_path / "game.png", title=name)


PARTS = ["funnel", "ribs", "upper floor", "lower floor", "ramp", "exit", "tray"]


def dimensions(profile: Mapping[str, Any]) -> list[str]:
    p, tray = profile, profile["tray"]
    sides = p["tube"].get("sides", 4)
    sizes = [
        (f"tube {'' if sides == 4 else f'of {sides} sides, '}inside", "tube", "inside_mm"),
        ("tube top", "tube", "top_mm"),
        ("funnel rim", "funnel", "rim_mm"),
        ("funnel", "funnel", "height_mm"),
        ("ribs", "funnel", "rib_height_mm"),
        ("exit", "exit", "height_mm"),
        ("wall", "tray", "wall_mm"),
        ("pillar", "pillar", "width_mm"),
        ("", "cubes", "edge_mm"),
    ]
    for part in ("upper_floor", "lower_floor"):
        sizes += [(part.replace("_", " "), part, "top_mm"), ("thickness", part, "thickness_mm")]
        keys = ("opening_mm", "length_mm") if p[part]["pattern"] == "slots" else ("opening_mm",)
        sizes += [("", part, key) for key in keys]
    if not p["funnel"]["height_mm"]:
        sizes.remove(("funnel rim", "funnel", "rim_mm"))
    values = [(words, p.get(table, {}).get(key, 0)) for words, table, key in sizes]
    texts = [f"{words} {value:g}".strip() for words, value in values if value]
    return [*texts, f"ramp {p['ramp']['angle_deg']:g}°", f"tray {tray['length_mm']:g}, {tray['width_mm']:g} wide"]


CHANGES: dict[str, dict[str, Any]] = {
    "cubes": {"edge_mm": 7.5},
    "tube": {"inside_mm": 61, "top_mm": 151},
    "funnel": {"rim_mm": 121, "height_mm": 71, "rib_height_mm": 14},
    "upper_floor": {"top_mm": 113.5, "thickness_mm": 3, "opening_mm": 14.25, "length_mm": 50},
    "lower_floor": {"top_mm": 77, "thickness_mm": 1.5, "opening_mm": 16, "length_mm": 52},
    "ramp": {"angle_deg": 31},
    "exit": {"height_mm": 29},
    "tray": {"length_mm": 111, "width_mm": 112, "wall_mm": 16},
}


def test_parts_and_dimensions_are_named_and_those_of_a_changed_profile_change() -> None:
    assert {*PARTS, *dimensions(load("amerigo").profile)} <= set(words_of(shipped_figure("amerigo")))
    tower = amerigo_with({})
    unchanged = sorted(words_of(apparatus_figure(tower)))
    for table, key, value in ((table, *item) for table, values in CHANGES.items() for item in values.items()):
        after = amerigo_with({table: {key: value}})
        assert tower.profile[table][key] != value
        expected, words = dimensions(after.profile), sorted(words_of(apparatus_figure(after)))
        assert sorted(expected) == [word for word in words if word in expected], key
        assert words != unchanged, key


def areas(faces: Faces) -> np.ndarray:
    """Return the area of each face, by its corners; it is negative if they run clockwise as seen from outside."""
    fans = [np.cross(ring[1:-1] - ring[0], ring[2:] - ring[0]).sum(axis=0) / 2 for ring in faces.rings()]
    return (np.array(fans) * faces.normal).sum(axis=1)


def seen(faces: Faces, view: View, pitch: float) -> Sight:
    """Look at faces with samples `pitch` mm apart, two of them beyond every side."""
    places = view.project(faces.corners)
    low, high = places.min(axis=0) - 2.37 * pitch, places.max(axis=0) + 2.37 * pitch
    columns, rows = ((high - low) / pitch).astype(int).tolist()
    return Sight(faces, view, (float(low[0]), float(high[1])), pitch, (rows, columns))


def line_length(sight: Sight, pitch: float) -> float:
    """Return the length of lines that run along rows and columns."""
    return pitch * len(sight.find_lines(np.ones(len(sight.faces)))[0])


# squares, 2 x 2 of 20 in 60: four holes lie inside the floor; corners of 24: a cross with a rim as long as the square's
@each_case(("name", "holes", "rim"), [("squares", 4 * 20 * 20, 4 * 60 + 4 * 4 * 20), ("corners", 4 * 24 * 24, 4 * 60)])
def test_a_floor_of_many_boxes_has_no_seams(name: str, holes: float, rim: float) -> None:
    apparatus, pitch = amerigo_with(ODD[name]), 0.1
    faces = find_surface(make_faces(apparatus.boxes), apparatus.dimensions(), parts=["lower_floor"])
    sight = seen(faces, View((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), pitch)
    assert pitch**2 * (sight.face >= 0).sum() == pytest.approx(60 * 60 - holes, rel=0.005)
    assert line_length(sight, pitch) == pytest.approx(rim, rel=0.005)


def upright_boxes(*boxes: tuple[tuple[float, float], ...]) -> Faces:
    """Boxes from their bounds in x, y and z, mm."""
    low, high = np.array(boxes, dtype=float).transpose(2, 0, 1)
    return make_boxes(["wall"] * len(boxes), (low + high) / 2, (high - low) / 2, [(0.0, 0.0, 0.0, 1.0)] * len(boxes))


def test_a_cut_solid_is_closed_by_a_face_where_it_is_cut() -> None:
    boxes = upright_boxes(((0, 2), (0, 3), (0, 4)), ((2, 5), (0, 3), (0, 1)), ((0, 9), (0, 1), (0, 9)))
    faces = boxes.clip((0.0, -1.0, 0.0), -1.0, np.array([True, True, True]), True)
    assert areas(faces.select(faces.is_cut)).tolist() == pytest.approx([2 * 4, 3 * 1])
    assert faces.corners[:, 1].min() == 1.0
    assert areas(faces).min() > 0, "corners run counter-clockwise seen from outside"
    some = boxes.clip((0.0, -1.0, 0.0), -1.0, np.array([False, True, False]), True)
    assert areas(some.select(some.is_cut)).tolist() == pytest.approx([3 * 1])


def test_what_a_slanting_cut_leaves_is_closed_and_has_its_volume() -> None:
    turned = (0.0, 0.0, math.sin(0.4), math.cos(0.4))
    faces = make_boxes(["wall"], (2.0, 1.0, 1.0), (2.0, 1.0, 1.0), turned)
    for normal in ((0.6, 0.0, 0.8), (-0.6, -0.8, 0.0), (0.0, 0.6, -0.8)):  # through the middle
        left = faces.clip(normal, float(np.dot(normal, (2.0, 1.0, 1.0))), np.array([True]), True)
        # the divergence theorem
        assert (left.corners[left.starts] * left.normal).sum(axis=1) @ areas(left) / 3 == pytest.approx(8)
        assert np.abs(areas(left) @ left.normal).max() < 1e-9, "closed"


def test_a_line_is_drawn_where_the_surface_turns_or_ends_and_only_there() -> None:
    wall = upright_boxes(((0, 4), (0, 2), (0, 2)), ((4.000_002, 6), (0, 2), (0, 1)), ((6, 8), (0.02, 2), (0, 1)))
    assert line_length(seen(wall, View((0.0, -1.0, 0.0)), 0.01), 0.01) == pytest.approx(
        8 + 1 + 4 + 1 + 4 + 2, rel=0.005
    )
    from_above = line_length(seen(wall, View((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)), 0.01), 0.01)
    assert from_above == pytest.approx(8 + 2 + 6 + 0.02 + 2 + 2 + 2, rel=0.005)  # and a step at x = 4


def test_a_round_thing_of_many_sides_has_an_outline_and_no_line_on_it() -> None:
    angles = np.arange(0, 2 * math.pi, math.pi / 24)
    turned = np.column_stack([np.zeros(48), np.zeros(48), np.sin(angles / 2), np.cos(angles / 2)])
    away = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(48)])
    slabs = make_boxes(["peg"] * 48, 4.5 * away, np.tile([0.5, 5 * math.tan(math.pi / 48), 8.0], (48, 1)), turned)
    length = line_length(seen(slabs, View((0.0, -1.0, 0.0)), 0.05), 0.05)
    assert length == pytest.approx(2 * 10 + 2 * 16, rel=0.01)


VIEW = View((0.36, -0.93, 0.45), target=(0.0, 0.0, 80.0), distance=1500.0)


def meet(ring: np.ndarray, normal: np.ndarray, view: View, points: np.ndarray) -> np.ndarray:
    """Return how far along the ray from the eye through each point a face is met, 1 at the sheet, inf if it is not."""
    eye = np.array(view.target) + view.distance * view.axes[:, 2]
    corners = view.project(ring)
    edges, to_points = np.roll(corners, -1, axis=0) - corners, points[:, None] - corners
    turn = edges[:, 0] * to_points[..., 1] - edges[:, 1] * to_points[..., 0]
    rays = points @ view.axes[:, :2].T - view.distance * view.axes[:, 2]
    length = np.linalg.norm(edges, axis=1)
    is_hit = ((turn > 1e-3 * length) | (length < 1e-5)).all(axis=1) & ((eye - ring[0]) @ normal > 1e-6)
    return np.where(is_hit, ((ring[0] - eye) @ normal) / (rays @ normal), np.inf)


@pytest.mark.parametrize("name", ["slots", "squares", "corners", "flat funnel", "low and wide"])
def test_what_is_seen_is_what_a_ray_meets_first(name: str) -> None:
    # oracle: of all faces that a ray from the eye meets, the nearest is the one seen
    apparatus = amerigo_with(ODD[name])
    faces = find_surface(make_faces(apparatus.boxes), apparatus.dimensions(), apparatus.dimensions().cuts)
    rng = np.random.default_rng(5)
    turns = rng.normal(size=(12, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    centres = np.column_stack([rng.uniform(-20, 20, (12, 2)), rng.uniform(20, 140, 12)])
    faces = join([faces, make_boxes(["cube red"] * 12, centres, np.full((12, 3), 4.0), turns)])
    pitch = 0.2
    sight = seen(faces, VIEW, pitch)
    low, high = VIEW.project(faces.corners).min(axis=0), VIEW.project(faces.corners).max(axis=0)
    row, column = rng.permutation(np.argwhere(sight.face >= 0))[:1500].T
    points = np.column_stack([low[0] + pitch * (column - 2.37), high[1] - pitch * (row - 2.37)])
    met = np.array([meet(*face, VIEW, points) for face in zip(faces.rings(), faces.normal, strict=True)])
    nearest, shown = met.min(axis=0), met[sight.face[row, column], np.arange(len(row))]
    both = np.isfinite(nearest) & np.isfinite(shown)  # a point within 0.001 mm of an edge is left out
    assert both.mean() > 0.98
    assert (np.abs(nearest[both] - shown[both]) > 1e-6).mean() < 0.005


def test_thirty_thousand_triangles_are_seen_in_three_seconds() -> None:
    """Mended: a printed tower of so many ended in a RecursionError."""
    rng = np.random.default_rng(2)
    turns = rng.normal(size=(2500, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    cubes = make_boxes(["tower"] * 2500, rng.uniform(-60, 60, (2500, 3)), np.full((2500, 3), 1.5), turns)
    start = time.process_time()
    assert len(np.unique(seen(cubes, look_at(cubes, VIEW.towards), 0.1).face)) > 2000
    assert time.process_time() - start < 3


def test_labels_keep_their_order_and_distance_and_move_no_further_than_they_must() -> None:
    assert spread([5.0, 0.0, 20.0], 3.0) == [5.0, 0.0, 20.0]
    assert spread([1.0, 1.0, 1.0], 3.0) == [-2.0, 1.0, 4.0]
    assert spread([0.0, 9.0, 1.0, 10.0], 2.0) == pytest.approx([-0.5, 8.5, 1.5, 10.5])


def barrel() -> Apparatus:
    """A kind that says nothing of how it is drawn: a box on four legs, open at the top, with a slanted floor."""
    legs = [span("leg", (x, x + 0.01), (y, y + 0.01), (0, 0.05), "oak") for x in (-0.04, 0.03) for y in (-0.03, 0.02)]
    walls = [span("side_wall", x, (-0.03, 0.03), (0.05, 0.12), "oak") for x in ((-0.04, -0.035), (0.035, 0.04))]
    ends = [span("side_wall", (-0.04, 0.04), y, (0.05, 0.12), "oak") for y in ((-0.03, -0.025), (0.025, 0.03))]
    floor = Box("floor", "oak", (0.0, 0.0, 0.07), (0.035, 0.025, 0.001), tilted_about_y(0.3))
    table = span("table", (-1, 1), (-1, 1), (-0.05, 0), "oak")
    values = {field.name: getattr(load("amerigo"), field.name) for field in fields(Apparatus)}
    return Apparatus(**values | {"name": "barrel", "boxes": (*legs, *walls, *ends, floor, table)})


def test_a_kind_that_says_nothing_is_drawn_with_its_parts_named_and_its_size_over_all(tmp_path: Path) -> None:
    figure = apparatus_figure(barrel())
    words = words_of(figure)
    assert {"leg", "side wall", "floor", "80", "60", "120"} <= set(words)
    assert "table" not in words
    assert words.count("120") == 2, "in both sections"
    assert crowded(figure) == []
    draw_apparatus(barrel(), tmp_path / "barrel.png", ALL_COLOURS)
    pixels = imread(tmp_path / "barrel.png")[..., :3]
    assert float(np.ptp(pixels, axis=2).max()) > 0.5, "the cubes are there"
    assert 0.005 < (pixels < 0.5).mean() < 0.3, "neither blank nor black"


ROUND: dict[str, dict[str, dict[str, Any]]] = {
    "shipped": {},
    "square, open": {
        "tube": {"sides": 4},
        "exit": {"walls": 1},
        "funnel": {"height_mm": 0, "rim_mm": 70},
        "tray": {"width_mm": 150, "wall_mm": 0},
        "release": {"spread_mm": 50},
    },
    "12 sides": {
        "tube": {"sides": 12},
        "exit": {"walls": 5},
        "upper_floor": {"along": "x", "openings": 3, "opening_mm": 15},
    },
    "24 sides": {"tube": {"sides": 24}, "exit": {"walls": 9}, "pillar": {"width_mm": 0}},
}


@pytest.mark.parametrize("name", ROUND)
def test_a_round_tower_is_drawn_with_its_dimensions_and_no_text_on_another(name: str) -> None:
    tower = changed(load("wallenstein").profile, ROUND[name], name)
    profile, figure = tower.profile, apparatus_figure(tower)
    words = words_of(figure)
    assert set(dimensions(profile)) <= set(words)
    for part, key, name in (("funnel", "height", "funnel"), ("tray", "wall", "wall"), ("pillar", "width", "pillar")):
        assert any(re.fullmatch(rf"{name} [\d.]+", word) for word in words) == (profile[part][f"{key}_mm"] > 0)
    assert crowded(figure) == []


def entries_of(rules: Rules, model: Any = None, seed: int = 3) -> list[Turn]:
    return list(GAME.start(model or CoinTower(), rules, seed))


def test_a_game_is_drawn_with_its_rounds_named_its_set_up_in_words_and_every_count_written() -> None:
    entries = entries_of(Rules())
    figure: Any = game_figure(entries, Rules(), "Amerigo, seed 3")
    words = words_of(figure)
    assert {"set-up", *(f"round {i}" for i in range(1, 6)), "Amerigo, seed 3", *COLOURS} <= set(words)
    assert f"set-up: 49 thrown, {sum(entries[0].out.values())} came out" in words
    lowest = min(figure.axes, key=lambda axes: axes.get_position().y0)
    counts = [text.get_text() for text in lowest.texts if text.get_text().isdecimal()]
    assert sorted(counts) == sorted(str(n) for entry in entries for n in entry.out.values() if n)


def test_bars_stand_for_the_cubes_inside_and_every_colour_has_a_letter_on_them_and_beside_its_row() -> None:
    entries = entries_of(Rules(rounds=2))
    figure: Any = game_figure(entries, Rules(rounds=2), "a game")
    lowest, *_, inside = sorted(figure.axes, key=lambda axes: axes.get_position().y0)
    bars = [patch for patch in inside.patches if patch.get_width() == pytest.approx(0.84)]
    for i, entry in enumerate(entries):
        heights = [bar.get_height() for bar in bars if bar.get_x() + 0.42 == pytest.approx(i)]
        assert sorted(heights) == sorted(entry.inside.get(colour, 0) for colour in COLOURS)
    letters = {of.name: of.letter for of in paints(COLOURS)}
    assert len({*letters.values()}) == len(COLOURS)
    expected = sorted(letters[colour] for entry in entries for colour, n in entry.inside.items() if n)
    assert sorted(text.get_text() for text in inside.texts if len(text.get_text()) == 1) == expected
    assert {*letters.values()} <= {text.get_text() for text in lowest.texts}
    assert [text.get_text() for text in lowest.get_yticklabels()] == [*COLOURS, "phase"]


def test_colours_that_never_appear_have_no_row() -> None:
    rules = Rules(rounds=1, cubes=dict.fromkeys(COLOURS, 3) | {"red": 0, "white": 0})
    panel: Any = min(game_figure(entries_of(rules), rules, "a game").axes, key=lambda axes: axes.get_position().y0)
    rows = [text.get_text() for text in panel.get_yticklabels()]
    assert rows == [*(colour for colour in COLOURS if colour not in ("red", "white")), "phase"]


def test_skipped_phases_are_marked() -> None:
    rules = Rules(rounds=1)
    nothing_ever_comes_out = ScriptedTower(({},) * 8)
    entries = entries_of(rules, nothing_ever_comes_out)
    skipped = sum(entry.facts["skipped"] for entry in entries)
    assert skipped == 8
    figure: Any = game_figure(entries, rules, "a game")
    assert f"hatched: {skipped} skipped" in " ".join(words_of(figure))
    hatched = [patch for axes in figure.axes for patch in axes.patches if patch.get_hatch()]
    assert len(hatched) == 3 * skipped


@each_case(
    "rules",
    [
        Rules(),
        Rules(rounds=0),
        Rules(rounds=1, cubes=1),
        Rules(rounds=32),
        Rules(colours=("red",), rounds=1, substitute=""),
        Rules(colours=("sea", "teal", "a very long name"), cubes=3, substitute="", rounds=20),
    ],
    ids=["published", "set-up only", "one cube each", "32 rounds", "one phase", "house colours"],
)
def test_games_of_any_size_are_drawn_and_nothing_hides_anything(rules: Rules, tmp_path: Path) -> None:
    entries = entries_of(rules)
    found = faults(game_figure(entries, rules, "a game"))
    found.pop("unnamed", None)  # the dashes between rounds: those are named above the picture
    assert found == {}
    draw_game(entries, rules, tmp_path / "game.png", title=f"tower {'x' * 60}, seed {2**128 - 1}")
    pixels = imread(tmp_path / "game.png")
    assert pixels.shape[1] <= 24 * 180
    assert float(np.ptp(pixels[..., :3], axis=2).max()) > 0.5


def test_a_write_that_fails_leaves_the_picture_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.png"
    path.write_bytes(b"a picture")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        WritingFailed, match=r"^picture '.*game\.png' cannot be written \(No space left on device\); make"
    ):
        draw_game(entries_of(Rules(rounds=0)), Rules(rounds=0), path, title="a game")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("game.png", b"a picture")]


def test_house_colours_are_told_apart() -> None:
    names_of_colours = [*COLOURS, "teal", "sea", "land", "none", "0.5"]
    paints = cube_colours(names_of_colours)
    assert list(paints) == names_of_colours
    shades = np.array([to_rgb(paint) for paint in paints.values()])
    apart = [np.abs(a - b).max() for a, b in itertools.combinations(shades, 2)]
    assert min(apart) > 0.1


REFUSED = ["tower", "tower.xyz", "tower.pgf", "missing/tower.png", "folder.png", "x" * 300 + ".png", "nul\0.png"]
BARE = Resident(Cube(3, "red", 0.008), "ramp", 0)
NO_POSE = r"cube 3 .* no pose; allowed .*; draw"
BATTLE = [(0.1, 0.0)], {zone.name: [1] for zone in SHIP.board.zones}, [9]


@each_case("name", REFUSED)
def test_a_bad_path_is_refused_in_one_line_and_nothing_is_left(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    path, rules = tmp_path / name, Rules(rounds=0)
    for draw in (
        lambda: check_path(path),
        lambda: draw_apparatus(load("amerigo"), path),
        lambda: draw_game(entries_of(rules), rules, path, title="a game"),
        lambda: draw_board(SHIP, TowerState("physics", "x", "y"), path, title="a board"),
        lambda: draw_densities(SHIP, *BATTLE, path, title="many"),
    ):
        with pytest.raises(UsageError, match=r"^picture .*; allowed .*; (try|make) "):
            draw()
    assert [file.name for file in tmp_path.iterdir()] == ["folder.png"]


def test_what_cannot_be_drawn_is_refused_in_one_line_and_nothing_is_left(tmp_path: Path) -> None:
    path, amerigo = tmp_path / "picture.png", load("amerigo")
    placed = Resident(Cube(4, "green", 0.008), "border", 0, Pose((0.1, 0.0, 0.006), (0.0, 0.0, 0.0, 1.0)))
    inside, lying = state_with(BARE), TowerState("physics", "x", "y", board=BoardState((BARE, placed)))
    refused: list[tuple[Callable[[], None], str]] = [
        (lambda: draw_apparatus(amerigo, path, inside), NO_POSE),
        (lambda: draw_apparatus(SHIP, path, inside), NO_POSE),
        (lambda: draw_apparatus(SHIP, path, lying), NO_POSE),
        (lambda: draw_board(SHIP, lying, path, title="none"), NO_POSE),
        (lambda: draw_game([], Rules(), path, title="none"), r"are 0; allowed is 1 or more; play"),
        (lambda: check_path("tower.xyz"), r"ends in '\.xyz'; allowed are .*\.pdf.*\.png.*\.svg.*; try \.png"),
    ]
    for draw, message in refused:
        with pytest.raises(UsageError, match=message):
            draw()
    assert list(tmp_path.iterdir()) == []


def test_checking_a_path_neither_makes_nor_harms_a_file(tmp_path: Path) -> None:
    check_path(tmp_path / "new.PNG")
    assert list(tmp_path.iterdir()) == []
    old = tmp_path / "old.png"
    old.write_bytes(b"a picture")
    check_path(old)
    assert old.read_bytes() == b"a picture"


def test_drawing_touches_no_global_state(tmp_path: Path) -> None:
    program = (
        "import sys, matplotlib; before = matplotlib.rcParams.copy()\n"
        "from tower_sim.apparatus.catalogue import load\n"
        "from tower_sim.drawing import draw_apparatus\nfrom tower_sim.games.amerigo.picture import draw_game\n"
        f"for name in ('amerigo', 'dead_reckoning'): draw_apparatus(load(name), {str(tmp_path / 'tower.png')!r})\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert matplotlib.rcParams.copy() == before\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_the_same_apparatus_gives_the_same_picture(full: Path, tmp_path: Path) -> None:
    draw_apparatus(load("amerigo"), tmp_path / "again.png", ALL_COLOURS)
    assert (tmp_path / "again.png").read_bytes() == full.read_bytes()
