"""What every kind of apparatus promises, asked of each shipped profile and of others; no physics runs here."""

import contextlib
import copy
import math
import pickle
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.bench import release
from tests.support.scenes import overlap_with_parts
from tower_sim.apparatus import Apparatus, from_tables, load, names
from tower_sim.apparatus.shapes import reach
from tower_sim.errors import UsageError
from tower_sim.tools import registry
from tower_sim.values import BORDER, DOORWAY, INSIDE, LOST, TABLE, TRAY, ZONE, supply

Array = npt.NDArray[np.float64]

POSES = 250  # drawn at random, in and around the apparatus
HANDS = 5  # drawn at random, of each number of cubes
_LARGE = 0.5  # m: a box with a longer half edge is the table
_SLACK = 1e-9  # m: rounding at a region's upper edge

Tables = dict[str, dict[str, Any]]
CHANGED: dict[str, tuple[str, Tables]] = {
    "swept": ("amerigo", {"exit": {"emerged": "swept"}}),
    "wide": ("amerigo", {"funnel": {"rim_mm": 400.0, "height_mm": 20.0, "rib_height_mm": 0}}),
    "high": ("amerigo", {"funnel": {"rim_mm": 130.0, "height_mm": 300.0}, "cubes": {"edge_mm": 4}}),
    "round and swept": ("wallenstein", {"exit": {"emerged": "swept"}}),
    "no funnel": ("wallenstein", {"funnel": {"rim_mm": 70.0, "height_mm": 0.0}, "release": {"spread_mm": 60}}),
    "square": ("wallenstein", {"tube": {"sides": 4}, "exit": {"walls": 1}}),
    "six sides": ("wallenstein", {"tube": {"sides": 6}, "exit": {"walls": 1}}),
    "twelve sides": ("wallenstein", {"tube": {"sides": 12}, "exit": {"walls": 3}}),
    "twenty-two sides": ("wallenstein", {"tube": {"sides": 22}, "exit": {"walls": 7}}),
    "no pillar, no tray wall": ("wallenstein", {"pillar": {"width_mm": 0}, "tray": {"wall_mm": 0}}),
    "bars along x over bars": (
        "wallenstein",
        {"upper_floor": {"along": "x"}, "lower_floor": {"pattern": "bars", "along": "y"}},
    ),
    "flat deck": ("dead_reckoning", {"gun_deck": {"slope_deg": 25.0}, "cubes": {"edge_mm": 5}}),
}
"""Profiles other than those that ship: towers whose cubes are swept away, other tubes and funnels, large cubes."""


@pytest.fixture(name="apparatus", scope="module", params=[*names(), *CHANGED])
def _apparatus(request: pytest.FixtureRequest) -> Apparatus:
    if request.param not in CHANGED:
        return load(request.param)
    name, tables = CHANGED[request.param]
    profile = load(name).profile
    return from_tables(profile | {table: profile[table] | values for table, values in tables.items()}, name)


@pytest.fixture(name="poses", scope="module")
def _poses(apparatus: Apparatus) -> tuple[Array, Array]:
    """Centres (m) in and around the apparatus, shape (n, 3), and orientations, uniform over all, (n, 4)."""
    rng = np.random.default_rng(1)
    boxes = [box for box in apparatus.boxes if max(box.half) < _LARGE]
    centre = np.array([box.centre for box in boxes])
    far = np.array([np.linalg.norm(box.half) for box in boxes])[:, None]
    low, high = (centre - far).min(axis=0) - 0.05, (centre + far).max(axis=0) + 0.05
    around = rng.uniform(low, high, (POSES, 3))
    half = apparatus.hand.spread / 2
    under_the_hand = rng.uniform((-half, -half, 0), (half, half, apparatus.rim_top), (POSES, 3))
    return np.concatenate([around, under_the_hand]), _turns(rng, 2 * POSES)


def test_boxes_are_solid_and_every_surface_they_have_is_known(apparatus: Apparatus):
    assert apparatus.boxes
    for box in apparatus.boxes:
        assert box.part
        assert box.surface in apparatus.surfaces
        assert all(math.isfinite(x) for x in (*box.centre, *box.half))
        assert min(box.half) > 0
        assert math.hypot(*box.orientation) == pytest.approx(1, abs=1e-9)


def test_numbers_are_those_of_something_that_can_be_thrown_into(apparatus: Apparatus):
    for pair in (*apparatus.surfaces.values(), apparatus.between_cubes):
        assert pair.friction >= 0
        assert 0 <= pair.restitution < 1
    hand = apparatus.hand
    assert min(apparatus.cube_edge, apparatus.cube_density, apparatus.rim_top, hand.spread) > 0
    assert min(hand.height, hand.speed, hand.spin, hand.fall) >= 0
    assert hand.rate is None or hand.rate > 0
    assert apparatus.passed < apparatus.rim_top


def test_regions_are_parts_of_the_inside_from_top_to_bottom(apparatus: Apparatus):
    names = [region.name for region in apparatus.regions]
    assert names
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"\w+", name) for name in names)
    heights = [region.above for region in apparatus.regions]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == len(heights)


@pytest.mark.parametrize("apparatus", ["dead_reckoning", "flat deck"], indirect=True)
def test_zones_have_names_of_their_own_and_neighbours_that_are_zones_of_the_board(apparatus: Apparatus):
    assert apparatus.board
    names = [zone.name for zone in apparatus.board.zones]
    assert names
    assert len(set(names)) == len(names)
    assert set(apparatus.board.neighbours) == set(names)
    for name, others in apparatus.board.neighbours.items():
        assert all(other != name and name in apparatus.board.neighbours[other] for other in others)


def test_dimensions_are_of_parts_that_it_can_have(apparatus: Apparatus):
    dimensions = apparatus.dimensions()
    parts = {*dimensions.parts, *(box.part for box in apparatus.boxes)}  # one that this profile leaves out may be named
    assert dimensions.sections
    for section in (*dimensions.sections, *dimensions.plans):
        assert section.axis in ("x", "y", "z")
        assert set(section.parts) <= parts
        assert all(width.low <= width.high for width in section.widths)
        assert all(height.low <= height.high for height in section.heights)
    assert all(set(cut.parts) <= parts for cut in dimensions.cuts)


def test_the_same_profile_makes_the_same_shape_whatever_it_is_called_and_however_its_keys_are_ordered(
    apparatus: Apparatus,
):
    again = from_tables(_reversed(apparatus.profile), "another name")
    assert again.name == "another name"
    assert again.digest == apparatus.digest
    assert (again.boxes, again.surfaces, again.hand) == (apparatus.boxes, apparatus.surfaces, apparatus.hand)
    assert (again.regions, again.board, again.rule) == (apparatus.regions, apparatus.board, apparatus.rule)


@pytest.mark.parametrize("apparatus", names(), indirect=True)
def test_another_profile_has_another_digest(apparatus: Apparatus):
    """Each number by itself is made a little larger; what is then refused is no profile."""
    digests: list[str] = []
    for changed in _changed(apparatus.profile):
        with contextlib.suppress(UsageError):
            digests.append(from_tables(changed, apparatus.name).digest)
    assert len({apparatus.digest, *digests}) == len(digests) + 1
    assert digests or not [*_changed(apparatus.profile)]


def test_what_is_unknown_or_missing_in_a_profile_is_refused_in_one_line_that_names_it(apparatus: Apparatus):
    kind = registry.get("apparatus", apparatus.profile["kind"])
    assert kind.name == apparatus.profile["kind"]
    for table in [key for key, value in apparatus.profile.items() if isinstance(value, Mapping)]:
        without = {key: value for key, value in apparatus.profile.items() if key != table}
        with_more: dict[str, Any] = {**apparatus.profile, f"{table}_more": {}}
        for profile, named in ((without, table), (with_more, f"{table}_more")):
            with pytest.raises(UsageError, match=re.escape(named)):
                from_tables(profile, apparatus.name)


def test_a_copy_is_the_same_also_in_another_process(apparatus: Apparatus):
    for other in (copy.deepcopy(apparatus), pickle.loads(pickle.dumps(apparatus))):
        assert other == apparatus
        assert type(other) is type(apparatus)


@pytest.mark.parametrize("number", [0, 1, 7])
def test_of_n_cubes_it_tells_n_truths(apparatus: Apparatus, poses: tuple[Array, Array], number: int):
    position, orientation = poses[0][:number], poses[1][:number]
    for truths in (apparatus.emerged(position), apparatus.escaped(position), apparatus.missed(position)):
        assert truths.shape == (number,)
        assert truths.dtype == np.bool_
    assert len(apparatus.find(position, orientation)) == number


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_position_that_is_not_a_number_is_where_no_cube_can_be(
    apparatus: Apparatus, poses: tuple[Array, Array], axis: int
):
    position = poses[0].copy()
    position[:, axis] = math.nan
    assert apparatus.escaped(position).all()
    assert {place.place for place in apparatus.find(position[:5], poses[1][:5])} == {LOST}


def test_no_cube_can_be_under_the_table_or_far_away_over_it(apparatus: Apparatus, poses: tuple[Array, Array]):
    under, away = poses[0].copy(), poses[0].copy()
    under[:, 2] = -apparatus.cube_edge
    away[:, :2] += np.sign(away[:, :2]) * 100.0
    away[:, 2] += 100.0
    assert apparatus.escaped(under).all()
    assert apparatus.escaped(away).all()


def test_every_pose_in_it_and_around_it_has_a_legal_place_which_agrees_with_what_else_is_told(
    apparatus: Apparatus, poses: tuple[Array, Array]
):
    position, orientation = poses
    zones = {ZONE + zone.name for zone in apparatus.board.zones} if apparatus.board else set[str]()
    out = {*zones, BORDER, TABLE} if apparatus.board else {DOORWAY, TRAY, TABLE}
    regions = {INSIDE + region.name for region in apparatus.regions}
    emerged, missed = apparatus.emerged(position), apparatus.missed(position)
    escaped = apparatus.escaped(position)
    assert not (missed & (emerged | escaped)).any()
    seen: set[str] = set()
    for i, whereabouts in enumerate(apparatus.find(position, orientation)):
        assert whereabouts.place in {*regions, *out, LOST}
        assert (whereabouts.place == LOST) == (escaped[i] or missed[i])
        if whereabouts.place in regions:
            assert not emerged[i]
        elif whereabouts.place != LOST and apparatus.board is None:
            assert emerged[i]
        assert {ZONE + name for name in whereabouts.touches} <= zones
        assert all(j != i and 0 <= j < len(position) for j in whereabouts.on)
        seen.add(whereabouts.place)
    assert LOST in seen, "the poses drawn are all where cubes can be: escaped() cannot tell any"
    assert seen & regions, "no pose drawn is inside"


def test_a_cube_inside_is_in_the_highest_region_that_any_part_of_it_reaches(
    apparatus: Apparatus, poses: tuple[Array, Array]
):
    position, orientation = poses
    top = position[:, 2] + reach(orientation, apparatus.cube_edge)[:, 2]
    for i, whereabouts in enumerate(apparatus.find(position, orientation)):
        if whereabouts.place.startswith(INSIDE):
            named = next(region for region in apparatus.regions if INSIDE + region.name == whereabouts.place)
            higher = [region.above for region in apparatus.regions if region.above > named.above]
            assert top[i] > named.above - _SLACK or named is apparatus.regions[-1]
            assert not higher or top[i] <= min(higher) + _SLACK


def test_where_a_cube_is_does_not_depend_on_the_order_in_which_cubes_are_told(
    apparatus: Apparatus, poses: tuple[Array, Array]
):
    position, orientation = poses[0][::4], poses[1][::4]
    order = np.random.default_rng(2).permutation(len(position))
    places = [whereabouts.place for whereabouts in apparatus.find(position, orientation)]
    turned = [whereabouts.place for whereabouts in apparatus.find(position[order], orientation[order])]
    assert turned == [places[i] for i in order]


def test_the_poses_given_are_not_changed(apparatus: Apparatus, poses: tuple[Array, Array]):
    position, orientation = poses[0].copy(), poses[1].copy()
    apparatus.find(position, orientation)
    for tell in (apparatus.emerged, apparatus.escaped, apparatus.missed):
        tell(position)
    assert np.array_equal(position, poses[0])
    assert np.array_equal(orientation, poses[1])


def test_the_hand_is_over_an_opening_and_clear_of_every_part(apparatus: Apparatus):
    """Cubes as they leave the hand, and straight down from there to the rim, are in nobody's way and not lost."""
    for number in (1, 9, 49):
        for seed in range(HANDS):
            cubes = supply({"any": number}, apparatus.cube_edge)
            rng = np.random.default_rng(seed)
            (launches,) = release(cubes, apparatus.hand, apparatus.rim_top, apparatus.cube_edge, 0.01, rng)
            position = np.array([launch.pose.position for launch in launches])
            assert overlap_with_parts(apparatus, [launch.pose for launch in launches]) == 0
            for height in np.linspace(1, 0, 5)[:, None]:
                falling = position.copy()
                falling[:, 2:] = apparatus.rim_top + height * (position[:, 2:] - apparatus.rim_top)
                assert not (apparatus.escaped(falling) | apparatus.missed(falling)).any()
                assert not apparatus.emerged(falling).any()


def _turns(rng: np.random.Generator, number: int) -> Array:
    quaternions = rng.normal(size=(number, 4))
    return quaternions / np.linalg.norm(quaternions, axis=1)[:, None]


def _reversed(value: Any) -> Any:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        return {key: _reversed(table[key]) for key in reversed([*table])}
    return [_reversed(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _changed(value: Any) -> Iterator[Any]:
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        yield value + 1 if isinstance(value, int) else value * 1.0001 + 1e-6
    elif isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        for key, item in table.items():
            yield from ({**table, key: changed} for changed in _changed(item) if key != "version")
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        for i, item in enumerate(items):
            yield from ([*items[:i], changed, *items[i + 1 :]] for changed in _changed(item))
