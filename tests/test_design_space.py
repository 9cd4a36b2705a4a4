"""The numbers of a tower: every choice is a tower, and campaigns vary them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each_case

from tower_sim.apparatus import space
from tower_sim.apparatus.catalogue import load
from tower_sim.campaign import parse
from tower_sim.campaign.tables import varied_columns
from tower_sim.design.features import features
from tower_sim.errors import UsageError
from tower_sim.study.sobol import points

BASE = load("amerigo").profile
AT = {name: i for i, name in enumerate(space.NAMES)}
POINTS = st.lists(st.floats(0, 1), min_size=len(space.NAMES), max_size=len(space.NAMES))
CAMPAIGN = """
[campaign]
kind = "game"
apparatus = "amerigo"
games = 1
seed = "7"

[vary]
design = "sobol"
points = 8

[vary.fields]
"tower.lower_opening" = { low = 1.2, high = 3.5 }
"tower.floors" = { low = 1, high = 2 }
"""


def numbers(unit: list[float]) -> dict[str, float]:
    return space.named(space.values(unit).tolist())


@settings(max_examples=40, deadline=None)
@given(POINTS)
def test_every_point_is_a_tower(unit: list[float]):
    made = space.tower(numbers(unit), BASE)
    assert made.cube_edge == pytest.approx(space.values(unit)[AT["edge_mm"]] / 1e3, abs=1e-6)


def test_every_corner_of_many_is_a_tower():
    corners = np.random.default_rng(0).integers(0, 2, (300, len(space.NAMES))).astype(float)
    for corner in corners.tolist():
        space.tower(numbers(corner), BASE)


def cut(*asked: float) -> tuple[float, ...]:
    """Openings, bar and ledge of one floor, by the width of the tube, the opening, the bar and the ledge."""
    made = space.cut(*(np.array([each]) for each in asked))
    return float(made.openings[0]), float(made.bar[0]), float(made.ledge[0])


def test_floors_are_cut_as_asked_and_what_is_closed_is_bars_and_ledges():
    assert cut(8.0, 1.5, 0.5, 0.0) == (4, pytest.approx(2 / 3), 0.0)
    assert cut(5.0, 3.4, 2.0, 1.0) == (1, 0.0, pytest.approx(0.8))


@given(st.tuples(st.floats(5, 10), st.floats(1.2, 3.5), st.floats(0.3, 2), st.floats(0, 1)))
def test_a_cut_fills_the_tube(asked: tuple[float, float, float, float]):
    openings, bar, ledge = cut(*asked)
    assert openings * asked[1] + (openings - 1) * bar + 2 * ledge == pytest.approx(asked[0])
    assert openings == 1 or bar >= space.LEAST_BAR - 1e-9


def test_shares_and_values_are_each_others_inverse():
    unit = points(len(space.NAMES), 64, 1)
    values = space.values(unit)
    np.testing.assert_allclose(space.values(space.shares(values)), values)
    counts = [i for i, each in enumerate(space.PARAMETERS) if each.is_count]
    assert set(np.unique(values[:, counts])) == {0.0, 1.0, 2.0}


def test_what_plays_no_part_in_a_tower_is_no_feature_of_it():
    usual = np.array([list(space.usual().values())], float)
    single, barred = usual.copy(), usual.copy()
    single[0, AT["floors"]], barred[0, AT["cross_bars"]] = 1, 1
    for start, name, plays in ((usual, "upper_opening", True), (single, "upper_opening", False),
                               (usual, "slope_deg", True), (barred, "slope_deg", False)):  # fmt: skip
        other = start.copy()
        other[0, AT[name]] = space.BY_NAME[name].high
        assert (features(start) != features(other)).any() == plays


def test_a_tower_of_one_floor_has_the_upper_one_open():
    made = space.tables({"floors": 1}, BASE)
    assert made["upper_floor"]["opening_mm"] > 0.99 * made["tube"]["inside_mm"]


@each_case(
    ("given_numbers", "told"),
    [
        ({"lower_openng": 2.0}, "allowed is one of edge_mm"),
        ({"lower_opening": 9.0}, "tower.lower_opening is 9.0; allowed is 1.2 to 3.5 edges"),
        ({"floors": 1.5}, "tower.floors is 1.5; allowed is a whole number 1 to 2"),
    ],
)
def test_numbers_that_are_not_allowed_are_refused(given_numbers: dict[str, float], told: str):
    with pytest.raises(UsageError) as error:
        space.tower(given_numbers, BASE)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("dead_reckoning", "the apparatus has no funnel, tube, upper_floor, lower_floor, ramp, exit; where tower.NAME"),
        ("wallenstein", "profile design: funnel.rib_height_mm is unknown; allowed are rim_mm, height_mm"),
    ],
)
def test_what_is_no_tower_of_a_funnel_a_tube_and_a_ramp_is_refused(name: str, told: str):
    with pytest.raises(UsageError) as error:
        space.tower({"floors": 1}, load(name).profile)
    assert str(error.value).startswith(told)


def test_a_campaign_varies_them():
    spec = parse(CAMPAIGN)
    assert {tuple(point) for point in spec.points} == {("tower.lower_opening", "tower.floors")}
    assert [column.name for column in varied_columns(spec.points)] == ["tower.lower_opening", "tower.floors"]
    point = spec.points[3]
    asked = {name.removeprefix(space.PREFIX): value for name, value in point.items()}
    assert spec.point(3).apparatus.boxes == space.tower(asked, BASE).boxes
    assert type(spec).from_canonical(spec.canonical).point(3).apparatus.digest == spec.point(3).apparatus.digest


def test_fields_of_the_profile_go_before_numbers_of_the_tower():
    text = CAMPAIGN + '"profile.cubes.density_kg_m3" = { low = 500.0, high = 600.0 }\n'
    made = parse(text).point(2).apparatus
    assert 500 <= made.cube_density <= 600


@each_case(
    ("old", "new", "told"),
    [
        ("tower.lower_opening", "tower.lower_openng", "one that is there: tower.... with edge_mm, tube"),
        ("high = 3.5", "high = 35.0", "allowed is 1.2 to 3.5 edges"),
        ('"game"\n', '"game"\nmodel = "two_thirds"\n', "is the same for every tower"),
    ],
)
def test_a_campaign_that_varies_what_is_no_tower_is_refused(old: str, new: str, told: str):
    with pytest.raises(UsageError) as error:
        parse(CAMPAIGN.replace(old, new))
    assert told in str(error.value)
