"""The tower as data: the shipped profiles are sound, and what makes no sense is refused in one line."""

import hashlib
import itertools
import re
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from tests.support.hulls import count_boxes
from tests.support.towers import REFERENCE
from tower_sim.apparatus import load, parse, parts, where
from tower_sim.apparatus.amerigo import Floor
from tower_sim.apparatus.tower_parts import TowerOfFloors
from tower_sim.documents import read
from tower_sim.errors import UsageError
from tower_sim.physics import settings
from tower_sim.physics.core import drop

TEXT = REFERENCE.read_text("utf-8")


def edited(table: str, line: str, whole: str = TEXT) -> str:
    """Return the tower's profile with keys of a table, one a line, set anew (or added)."""
    first, _, more = line.partition("\n")
    if more:
        return edited(table, more, edited(table, first, whole))
    key = line.split("=")[0].strip()
    head, body = whole.split(f"[{table}]", 1)
    body, *rest = re.split(r"^\[", body, maxsplit=1, flags=re.M)
    body = (
        re.sub(rf"^{key} *=.*$", line, body, flags=re.M) if re.search(rf"^{key} *=", body, re.M) else f"{body}{line}\n"
    )
    return f"{head}[{table}]{body}" + "".join(f"[{text}" for text in rest)


NEW = r"^(ledge_mm|offset_mm|slope_deg|rows|end_ledge_mm) .*\n"  # keys that floors had not before
BEFORE = {  # digest, and of the boxes, with the floors' pattern of a tower read before there were these keys
    "slots": ("6894d9bae2dea4cd", "092702e75ff34283"),
    "squares": ("638ad9ed2cc0a839", "82e879547e60da4d"),
    "corners": ("d935d7a7a98a932d", "608130abbe164708"),
}


def test_numbers_that_the_compiled_files_repeat_are_those_of_the_rest():
    assert parts.HALF_TABLE == where.HALF_TABLE
    assert settings.GRAVITY == drop.GRAVITY


def floor_of(**values: object) -> Floor:
    """An Amerigo tower's floor, its lengths in mm and its slope in degrees as a profile has them."""
    return read(Floor, {"top_mm": 100, "thickness_mm": 2, "length_mm": 60, "along": "x"} | values, "upper_floor")


@each_case("pattern", BEFORE)
def test_a_profile_without_the_new_keys_has_the_digest_and_boxes_that_it_had(pattern: str):
    text = re.sub(r"^pattern = .*$", f'pattern = "{pattern}"', re.sub(NEW, "", TEXT, flags=re.M), flags=re.M)
    apparatus = parse(text, pattern)
    boxes = hashlib.sha256(repr(apparatus.boxes).encode()).hexdigest()[:16]
    assert (apparatus.digest, boxes) == BEFORE[pattern]


@given(
    openings=st.integers(2, 5),
    opening=st.floats(5, 12),
    ledge=st.floats(0, 1),
    offset=st.floats(-1, 1),
    along=st.sampled_from(["x", "y"]),
    slope=st.floats(0, 30),
)
def test_ledges_are_as_wide_as_they_say_and_bars_share_the_rest(openings, opening, ledge, offset, along, slope):
    closed = 64 - openings * opening
    wide = round(ledge * max(closed / 2 - 2 * (openings - 1), 0), 3)
    shift = round(offset * max(wide - 1.5, 0), 3)
    values = {"pattern": "slots", "openings": openings, "opening_mm": opening, "ledge_mm": wide, "offset_mm": shift}
    floor = floor_of(**values, length_mm=64, along=along, slope_deg=slope)
    places = [hole[2:] if along == "x" else hole[:2] for hole in floor.cut(0.064)]
    assert places[0][0] + 0.032 == pytest.approx((wide + shift) * 1e-3, abs=1e-9)
    assert 0.032 - places[-1][1] == pytest.approx((wide - shift) * 1e-3, abs=1e-9)
    bars = [after[0] - before[1] for before, after in itertools.pairwise(places)]
    assert bars == pytest.approx([(closed - 2 * wide) * 1e-3 / (openings - 1)] * len(bars), abs=1e-9)


@each_case("along", ["x", "y"])
@each_case("offset", [0, 4])
def test_sloping_bars_leave_their_openings_free_and_nothing_open_at_the_walls(along: str, offset: float):
    """A plumb line through an opening meets no floor, one beside it does; every upper face falls towards the middle."""
    text = edited("upper_floor", f'slope_deg = 25\nalong = "{along}"\noffset_mm = {offset}')
    apparatus = cast("TowerOfFloors", parse(text, "sloping"))
    floor, half = cast("Floor", apparatus.given.upper_floor), apparatus.given.half
    boxes = [box for box in apparatus.boxes if box.part == "upper_floor"]
    places = floor.across(2 * half)
    assert len(boxes) == len(places) + 1
    rng = np.random.default_rng(2)
    heights = np.linspace(floor.underside - 1e-3, floor.peak(2 * half) + 1e-3, 100)

    def met(across: float, other: float) -> np.ndarray:
        """The heights at which a plumb line meets the floor."""
        point = (other, across) if along == "x" else (across, other)
        line = np.array([(*point, z) for z in heights])
        return heights[count_boxes(boxes, line) > 0]

    for across, other in rng.uniform(-half, half, (24, 2)):
        heights_met = met(across, other)
        assert bool(len(heights_met)) != any(low < across < high for low, high in places)
        assert all(floor.underside <= height <= floor.peak(2 * half) for height in heights_met)
    assert met(-half + 1e-4, 0.0)[-1] > met(-half + 3e-3, 0.0)[-1]


@each_case(
    ("table", "line", "named"),
    [
        ("upper_floor", "opening_mm = 70", ["upper_floor.opening_mm is 70", "tube.inside_mm = 60"]),
        ("lower_floor", "openings = 6", ["lower_floor.openings = 6", "tube.inside_mm = 60"]),
        ("lower_floor", "length_mm = 61", ["lower_floor.length_mm is 61", "tube.inside_mm = 60"]),
        ("cubes", "edge_mm = 12", ["cubes.edge_mm is 12", "11.6"]),
        ("cubes", "edge_mm = 35", ["cubes.edge_mm is 35"]),
        ("cubes", "edge_mm = -8", ["cubes.edge_mm is -8", "from 2 to 40"]),
        ("cubes", "edge_mm = nan", ["cubes.edge_mm of the file is nan"]),
        ("cubes", 'edge_mm = "8"', ["cubes.edge_mm is '8'", "a number"]),
        ("cubes", "edge_mm = true", ["cubes.edge_mm is true"]),
        ("cubes", "colour = 3", ["cubes.colour is unknown", "edge_mm"]),
        ("upper_floor", "top_mm = 150", ["upper_floor.top_mm is 150", "tube.top_mm = 150"]),
        ("upper_floor", "top_mm = 80", ["upper_floor.top_mm is 80", "lower floor"]),
        ("lower_floor", "top_mm = 40", ["lower_floor.top_mm is 40", "ramp"]),
        ("upper_floor", 'pattern = "round"', ["upper_floor.pattern is 'round'", "slots, squares, corners"]),
        ("upper_floor", "ledge_mm = 14", ["upper_floor.ledge_mm is 14", "less than 14", "no bar is left"]),
        ("upper_floor", "ledge_mm = 6\nopenings = 1", ["upper_floor.ledge_mm is 6", "allowed is 22", "single opening"]),
        ("upper_floor", "offset_mm = -9.5", ["upper_floor.offset_mm is -9.5", "-9 to 9"]),
        ("upper_floor", "slope_deg = 50", ["upper_floor.slope_deg is 50", "from 0 to 45"]),
        (
            "upper_floor",
            "slope_deg = 20\nlength_mm = 50\nend_ledge_mm = 5",
            ["upper_floor.slope_deg is 20", "length_mm = 60"],
        ),
        (
            "upper_floor",
            "slope_deg = 30\nthickness_mm = 20",
            ["upper_floor.slope_deg is 30", "than 10 mm", "narrowest is 9"],
        ),
        ("upper_floor", "slope_deg = 45\ntop_mm = 145", ["upper_floor.slope_deg = 45", "tube.top_mm = 150"]),
        ("lower_floor", "slope_deg = 45\ntop_mm = 100", ["upper_floor.top_mm is 112"]),
        ("upper_floor", "rows = 2", ["upper_floor.rows = 2 of 60 mm take 120", "tube.inside_mm = 60"]),
        ("upper_floor", "rows = 2\nlength_mm = 20\nend_ledge_mm = 10", ["end_ledge_mm is 10", "less than 10"]),
        ("upper_floor", "end_ledge_mm = 3", ["upper_floor.end_ledge_mm is 3", "allowed is 0"]),
        ("upper_floor", 'pattern = "squares"\nrows = 2', ["rows is given", "'squares'", "ledge_mm and offset_mm"]),
        ("upper_floor", 'pattern = "corners"', ["upper_floor.ledge_mm is given", "'corners'", "none of these"]),
        ("upper_floor", "openings = 2.5", ["upper_floor.openings is 2.5", "a whole number"]),
        ("surfaces.cube", "friction = -0.1", ["surfaces.cube.friction is -0.1", "from 0 to 2"]),
        ("surfaces.funnel", "restitution = 1.5", ["surfaces.funnel.restitution is 1.5", "0.95"]),
        ("funnel", "rim_mm = 50", ["funnel.rim_mm is 50", "tube.inside_mm = 60"]),
        ("funnel", "rib_height_mm = 100", ["funnel.rib_height_mm is 100", "funnel.height_mm"]),
        ("exit", "height_mm = 10", ["exit.height_mm is 10", "11.3"]),
        ("exit", "height_mm = 90", ["exit.height_mm is 90"]),
        ("exit", 'emerged = "eaten"', ["exit.emerged is 'eaten'", "cleared, swept"]),
        ("release", "spread_mm = 300", ["release.spread_mm is 300", "funnel.rim_mm"]),
        ("release", "rate_per_s = 0", ["release.rate_per_s is 0", "a number from 1 to 1000"]),
        ("release", "rate_per_s = -5", ["release.rate_per_s is -5", "a number from 1 to 1000"]),
        ("release", "rate_per_s = inf", ["release.rate_per_s of the file is inf", "a finite number"]),
        ("release", 'rate_per_s = "fast"', ["release.rate_per_s is 'fast'", "a number from 1 to 1000"]),
        ("tray", "width_mm = 22", ["tray.width_mm is 22", "at least 24", "three cube edges"]),
        ("tube", "inside_m = 0.06", ["tube.inside_m is unknown", "inside_mm"]),
    ],
)
def test_parameters_that_make_no_sense_are_refused_in_one_line_with_field_value_and_what_is_allowed(table, line, named):
    with pytest.raises(UsageError) as error:
        parse(edited(table, line), "mine")
    assert str(error.value).startswith("profile mine: ")
    assert [text for text in ("allowed", *named) if text not in str(error.value)] == []


@each_case(
    ("text", "named"),
    [
        ("", "schema is nothing"),
        (TEXT.replace("version = 1", "version = 2"), "version is 2"),
        (TEXT.replace('"amerigo_tower"', '"dice_tower"'), "kind is 'dice_tower'"),
        (TEXT.replace("[tube]", "[tub]"), "tub is unknown"),
        (TEXT.split("[release]")[0], "release is missing; allowed is a table; add [release]"),
        (TEXT.replace("inside_mm = 60", ""), "tube.inside_mm is missing"),
        (TEXT.replace("[surfaces.cube]", "[surfaces.glass]"), "surfaces.glass is unknown"),
        ("[tube\n", "not TOML"),
    ],
)
def test_a_file_that_is_no_profile_is_refused_in_one_line(text: str, named: str):
    with pytest.raises(UsageError, match=re.escape(named)):
        parse(text, "mine")


def test_an_unknown_apparatus_is_refused_with_the_shipped_names():
    with pytest.raises(UsageError, match=r"'amerygo' is neither a shipped profile nor a file; allowed are .*amerigo"):
        load("amerygo")


def test_a_profile_from_a_file_is_the_shipped_one_but_for_its_name(tmp_path):
    (tmp_path / "mine.toml").write_text(TEXT)
    mine, shipped = load(tmp_path / "mine.toml"), load(REFERENCE)
    assert (mine.name, mine.digest, mine.boxes) == ("mine", shipped.digest, shipped.boxes)
