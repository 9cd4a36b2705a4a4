"""The tower as data: the shipped profiles are sound, and what makes no sense is refused in one line."""

import re
from typing import cast

import numpy as np
import pytest

from calibration.parameters import TOWER as REFERENCE
from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.catalogue import load, names, parse
from tower_sim.apparatus.parts import Box
from tower_sim.errors import UsageError

TEXT = REFERENCE.read_text("utf-8")


def edited(table: str, line: str) -> str:
    """Return the shipped profile with one key of a table set anew (or added)."""
    key = line.split("=")[0].strip()
    head, body = TEXT.split(f"[{table}]", 1)
    body, *rest = re.split(r"^\[", body, maxsplit=1, flags=re.M)
    body = (
        re.sub(rf"^{key} *=.*$", line, body, flags=re.M) if re.search(rf"^{key} *=", body, re.M) else f"{body}{line}\n"
    )
    return f"{head}[{table}]{body}" + "".join(f"[{text}" for text in rest)


def contains(box: Box, point: np.ndarray) -> bool:
    x, y, z, w = box.orientation
    v = np.array([x, y, z])
    local = point - np.array(box.centre)
    turned = local + 2 * np.cross(-v, np.cross(-v, local) + w * local)
    return bool((np.abs(turned) <= np.array(box.half) + 1e-12).all())


@pytest.mark.parametrize("name", names())
def test_every_shipped_profile_loads(name: str):
    apparatus = load(name)
    assert apparatus.name == name
    assert all(box.surface in apparatus.surfaces for box in apparatus.boxes)


@pytest.mark.parametrize("pattern", ["slots", "squares", "corners"])
@pytest.mark.parametrize("along", ["x", "y"])
def test_a_floor_is_solid_exactly_where_no_opening_is(pattern: str, along: str):
    text = TEXT
    for table in ("upper_floor", "lower_floor"):
        head, body = text.split(f"[{table}]", 1)
        body = re.sub(r"^pattern *=.*$", f'pattern = "{pattern}"', body, count=1, flags=re.M)
        body = re.sub(r"^along *=.*$", f'along = "{along}"', body, count=1, flags=re.M)
        body = re.sub(r"^length_mm *=.*$", "length_mm = 50", body, count=1, flags=re.M)
        text = f"{head}[{table}]{body}"
    apparatus = cast("SquareTower", parse(text, pattern))
    tower, half = apparatus.given, apparatus.given.half
    rng = np.random.default_rng(1)
    for name, floor in tower.floors.items():
        boxes = [box for box in apparatus.boxes if box.part == name]
        holes = floor.cut(2 * half)
        open_points = 0
        for x, y in rng.uniform(-half, half, (500, 2)):
            point = np.array([x, y, floor.top - floor.thickness / 2])
            hole = any(x0 < x < x1 and y0 < y < y1 for x0, x1, y0, y1 in holes)
            assert sum(contains(box, point) for box in boxes) == (0 if hole else 1)
            open_points += hole
        assert 50 < open_points < 450


def test_nothing_stands_in_the_way_inside_the_funnel_but_the_ribs(apparatus: SquareTower):
    given, rng = apparatus.given, np.random.default_rng(2)
    boxes = [box for box in apparatus.boxes if box.part not in ("rib",)]
    for _ in range(2000):
        z = rng.uniform(given.tube.top, given.rim_top)
        half = given.half + (z - given.tube.top) / given.funnel.height * (given.funnel.rim / 2 - given.half) - 1e-6
        point = np.array([*rng.uniform(-half, half, 2), z])
        assert not any(contains(box, point) for box in boxes)


def test_the_tube_and_funnel_are_closed_around_the_inside(apparatus: SquareTower):
    """Every level line out of the axis meets a wall, except through the exit."""
    rng = np.random.default_rng(3)
    for _ in range(500):
        z = rng.uniform(0.04, apparatus.rim_top - 1e-3)
        angle = rng.uniform(0, 2 * np.pi)
        ray = np.array([[r * np.cos(angle), r * np.sin(angle), z] for r in np.arange(0.02, 0.12, 0.001)])
        if z < apparatus.given.exit_top and np.cos(angle) > 0:
            continue
        walls = [box for box in apparatus.boxes if box.part in ("tube", "funnel")]
        assert any(contains(box, point) for point in ray for box in walls)


@pytest.fixture(name="apparatus")
def _apparatus() -> SquareTower:
    return cast("SquareTower", load(REFERENCE))


@pytest.mark.parametrize(
    ("table", "line", "named"),
    [
        ("upper_floor", "opening_mm = 70", ["upper_floor.opening_mm = 70", "tube.inside_mm = 60"]),
        ("lower_floor", "openings = 6", ["lower_floor.openings = 6", "tube.inside_mm = 60"]),
        ("lower_floor", "length_mm = 61", ["lower_floor.length_mm = 61", "tube.inside_mm = 60"]),
        ("cubes", "edge_mm = 12", ["cubes.edge_mm = 12", "11.6"]),
        ("cubes", "edge_mm = 35", ["cubes.edge_mm = 35"]),
        ("cubes", "edge_mm = -8", ["cubes.edge_mm = -8", "from 2 to 40"]),
        ("cubes", "edge_mm = nan", ["cubes.edge_mm of the file is nan"]),
        ("cubes", 'edge_mm = "8"', ["cubes.edge_mm = '8'", "a number"]),
        ("cubes", "edge_mm = true", ["cubes.edge_mm = true"]),
        ("cubes", "colour = 3", ["cubes.colour is unknown", "edge_mm"]),
        ("upper_floor", "top_mm = 150", ["upper_floor.top_mm = 150", "tube.top_mm = 150"]),
        ("upper_floor", "top_mm = 80", ["upper_floor.top_mm = 80", "lower floor"]),
        ("lower_floor", "top_mm = 40", ["lower_floor.top_mm = 40", "ramp"]),
        ("upper_floor", 'pattern = "round"', ["upper_floor.pattern = 'round'", "'slots', 'squares', 'corners'"]),
        ("upper_floor", "openings = 2.5", ["upper_floor.openings = 2.5", "a whole number"]),
        ("surfaces.cube", "friction = -0.1", ["surfaces.cube.friction = -0.1", "from 0 to 2"]),
        ("surfaces.funnel", "restitution = 1.5", ["surfaces.funnel.restitution = 1.5", "0.95"]),
        ("funnel", "rim_mm = 50", ["funnel.rim_mm = 50", "tube.inside_mm = 60"]),
        ("funnel", "rib_height_mm = 100", ["funnel.rib_height_mm = 100", "funnel.height_mm"]),
        ("exit", "height_mm = 10", ["exit.height_mm = 10", "11.3"]),
        ("exit", "height_mm = 90", ["exit.height_mm = 90"]),
        ("exit", 'emerged = "eaten"', ["exit.emerged = 'eaten'", "'swept', 'left'"]),
        ("release", "spread_mm = 300", ["release.spread_mm = 300", "funnel.rim_mm"]),
        ("release", 'manner = "thrown"', ["release.manner = 'thrown'", "'handful', 'pour'"]),
        ("tube", "inside_m = 0.06", ["tube.inside_m is unknown", "inside_mm"]),
    ],
)
def test_parameters_that_make_no_sense_are_refused_in_one_line_with_field_value_and_what_is_allowed(table, line, named):
    with pytest.raises(UsageError) as error:
        parse(edited(table, line), "mine")
    message = str(error.value)
    assert "\n" not in message
    assert message.startswith("profile mine: ")
    assert "allowed" in message
    for text in named:
        assert text in message


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "schema = nothing"),
        (TEXT.replace("version = 1", "version = 2"), "version = 2"),
        (TEXT.replace('"amerigo_tower"', '"dice_tower"'), "kind = 'dice_tower'"),
        (TEXT.replace("[tube]", "[tub]"), "profile.tub is unknown"),
        (TEXT.split("[release]")[0], "[release] is missing"),
        (TEXT.replace("inside_mm = 60", ""), "tube.inside_mm is missing"),
        (TEXT.replace("[surfaces.cube]", "[surfaces.glass]"), "surfaces.glass is unknown"),
        ("[tube\n", "not TOML"),
    ],
)
def test_a_file_that_is_no_profile_is_refused_in_one_line(text: str, named: str):
    with pytest.raises(UsageError) as error:
        parse(text, "mine")
    assert named in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_apparatus_is_refused_with_the_shipped_names():
    with pytest.raises(UsageError, match=r"'amerygo' is neither a shipped profile nor a file; allowed are .*amerigo"):
        load("amerygo")


def test_a_profile_from_a_file_is_the_shipped_one_but_for_its_name(tmp_path):
    (tmp_path / "mine.toml").write_text(TEXT)
    mine, shipped = load(tmp_path / "mine.toml"), load(REFERENCE)
    assert (mine.name, mine.digest, mine.boxes) == ("mine", shipped.digest, shipped.boxes)


def test_the_digest_tells_any_two_shapes_apart():
    digests = {parse(edited("cubes", f"edge_mm = {edge}"), "a").digest for edge in (7, 7.5, 8)}
    assert len(digests) == 3
