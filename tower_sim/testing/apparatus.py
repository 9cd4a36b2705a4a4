"""What every apparatus promises, as a test class that each kind's tests inherit; no physics runs here."""

from __future__ import annotations

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

from tower_sim import registry
from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.solids import reach
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.physics.overlap import with_boxes
from tower_sim.physics.release import release
from tower_sim.places import BORDER, INSIDE, LOST, TABLE, TRAY, ZONE

Array = npt.NDArray[np.float64]

POSES = 250  # drawn at random, in and around the apparatus
HANDS = 5  # drawn at random, of each number of cubes
_LARGE = 0.5  # m: a box with a longer half edge is the table
_SLACK = 1e-9  # m: rounding at a region's upper edge


class ApparatusContract:
    """Inherit, and override the `apparatus` fixture with scope "class" or wider, of one or of many profiles."""

    thrown = (1, 9, 49)

    @pytest.fixture(scope="class")
    @classmethod
    def apparatus(cls) -> Apparatus:
        raise AssertionError("override the apparatus fixture")

    @pytest.fixture(scope="class")
    @classmethod
    def poses(cls, apparatus: Apparatus) -> tuple[Array, Array]:
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

    # The shape

    def test_boxes_are_solid_and_every_surface_they_have_is_known(self, apparatus: Apparatus) -> None:
        assert apparatus.boxes
        for box in apparatus.boxes:
            assert box.part
            assert box.surface in apparatus.surfaces
            assert all(math.isfinite(x) for x in (*box.centre, *box.half))
            assert min(box.half) > 0
            assert math.hypot(*box.orientation) == pytest.approx(1, abs=1e-9)

    def test_numbers_are_those_of_something_that_can_be_thrown_into(self, apparatus: Apparatus) -> None:
        for pair in (*apparatus.surfaces.values(), apparatus.between_cubes):
            assert pair.friction >= 0
            assert 0 <= pair.restitution < 1
        hand = apparatus.hand
        assert min(apparatus.cube_edge, apparatus.cube_density, apparatus.rim_top, hand.spread) > 0
        assert min(hand.height, hand.speed, hand.spin, hand.interval) >= 0
        assert apparatus.passed < apparatus.rim_top

    def test_regions_are_parts_of_the_inside_from_top_to_bottom(self, apparatus: Apparatus) -> None:
        names = [region.name for region in apparatus.regions]
        assert names
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"\w+", name) for name in names)
        heights = [region.above for region in apparatus.regions]
        assert heights == sorted(heights, reverse=True)
        assert len(set(heights)) == len(heights)

    def test_zones_have_names_of_their_own_and_neighbours_that_are_zones_of_the_board(
        self, apparatus: Apparatus
    ) -> None:
        if apparatus.board is None:
            pytest.skip("an apparatus without a board")
        names = [zone.name for zone in apparatus.board.zones]
        assert names
        assert len(set(names)) == len(names)
        assert set(apparatus.board.neighbours) == set(names)
        for name, others in apparatus.board.neighbours.items():
            assert all(other != name and name in apparatus.board.neighbours[other] for other in others)

    def test_dimensions_are_of_parts_that_it_can_have(self, apparatus: Apparatus) -> None:
        said = apparatus.dimensions()
        parts = {*said.parts, *(box.part for box in apparatus.boxes)}  # one that this profile leaves out may be named
        assert said.sections
        for section in (*said.sections, *said.plans):
            assert section.axis in ("x", "y", "z")
            assert set(section.parts) <= parts
            assert all(width.low <= width.high for width in section.widths)
            assert all(height.low <= height.high for height in section.heights)
        assert all(set(cut.parts) <= parts for cut in said.cuts)

    # The profile

    def test_the_same_profile_makes_the_same_shape_whatever_it_is_called_and_however_its_keys_are_ordered(
        self, apparatus: Apparatus
    ) -> None:
        again = from_tables(_reversed(apparatus.profile), "another name")
        assert again.name == "another name"
        assert again.digest == apparatus.digest
        assert (again.boxes, again.surfaces, again.hand) == (apparatus.boxes, apparatus.surfaces, apparatus.hand)
        assert (again.regions, again.board, again.calm) == (apparatus.regions, apparatus.board, apparatus.calm)

    def test_another_profile_has_another_digest(self, apparatus: Apparatus) -> None:
        """Each number by itself is made a little larger; what is then refused is no profile."""
        digests: list[str] = []
        for changed in _changed(apparatus.profile):
            with contextlib.suppress(UsageError):
                digests.append(from_tables(changed, apparatus.name).digest)
        assert len({apparatus.digest, *digests}) == len(digests) + 1
        assert digests or not [*_changed(apparatus.profile)]

    def test_what_is_unknown_or_missing_in_a_profile_is_refused_in_one_line_that_names_it(
        self, apparatus: Apparatus
    ) -> None:
        kind = registry.get("apparatus", apparatus.profile["kind"])
        assert kind.name == apparatus.profile["kind"]
        for table in [key for key, value in apparatus.profile.items() if isinstance(value, Mapping)]:
            without = {key: value for key, value in apparatus.profile.items() if key != table}
            with_more: dict[str, Any] = {**apparatus.profile, f"{table}_more": {}}
            for profile, named in ((without, table), (with_more, f"{table}_more")):
                with pytest.raises(UsageError, match=re.escape(named)) as error:
                    from_tables(profile, apparatus.name)
                assert "\n" not in str(error.value)

    def test_a_copy_is_the_same_also_in_another_process(self, apparatus: Apparatus) -> None:
        for other in (copy.deepcopy(apparatus), pickle.loads(pickle.dumps(apparatus))):
            assert other == apparatus
            assert type(other) is type(apparatus)

    # Where cubes are

    @pytest.mark.parametrize("number", [0, 1, 7])
    def test_of_n_cubes_it_tells_n_truths(self, apparatus: Apparatus, poses: tuple[Array, Array], number: int) -> None:
        position, orientation = poses[0][:number], poses[1][:number]
        for told in (
            apparatus.emerged(position),
            apparatus.escaped(position),
            apparatus.loose(position, orientation),
        ):
            assert told.shape == (number,)
            assert told.dtype == np.bool_
        assert len(apparatus.find(position, orientation)) == number

    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_a_position_that_is_not_a_number_is_where_no_cube_can_be(
        self, apparatus: Apparatus, poses: tuple[Array, Array], axis: int
    ) -> None:
        position = poses[0].copy()
        position[:, axis] = math.nan
        assert apparatus.escaped(position).all()
        assert {place.place for place in apparatus.find(position[:5], poses[1][:5])} == {LOST}

    def test_no_cube_can_be_under_the_table_or_far_away_over_it(
        self, apparatus: Apparatus, poses: tuple[Array, Array]
    ) -> None:
        under, away = poses[0].copy(), poses[0].copy()
        under[:, 2] = -apparatus.cube_edge
        away[:, :2] += np.sign(away[:, :2]) * 100.0
        away[:, 2] += 100.0
        assert apparatus.escaped(under).all()
        assert apparatus.escaped(away).all()

    def test_every_pose_in_it_and_around_it_has_a_legal_place_which_agrees_with_what_else_is_told(
        self, apparatus: Apparatus, poses: tuple[Array, Array]
    ) -> None:
        position, orientation = poses
        zones = {ZONE + zone.name for zone in apparatus.board.zones} if apparatus.board else set[str]()
        out = {*zones, BORDER, TABLE} if apparatus.board else {TRAY, TABLE}
        regions = {INSIDE + region.name for region in apparatus.regions}
        escaped, emerged = apparatus.escaped(position), apparatus.emerged(position)
        seen: set[str] = set()
        for i, whereabouts in enumerate(apparatus.find(position, orientation)):
            assert whereabouts.place in {*regions, *out, LOST}
            assert (whereabouts.place == LOST) == escaped[i]
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
        self, apparatus: Apparatus, poses: tuple[Array, Array]
    ) -> None:
        position, orientation = poses
        top = position[:, 2] + reach(orientation, apparatus.cube_edge)[:, 2]
        for i, whereabouts in enumerate(apparatus.find(position, orientation)):
            if whereabouts.place.startswith(INSIDE):
                named = next(region for region in apparatus.regions if INSIDE + region.name == whereabouts.place)
                higher = [region.above for region in apparatus.regions if region.above > named.above]
                assert top[i] > named.above - _SLACK or named is apparatus.regions[-1]
                assert not higher or top[i] <= min(higher) + _SLACK

    def test_where_a_cube_is_does_not_depend_on_the_order_in_which_cubes_are_told(
        self, apparatus: Apparatus, poses: tuple[Array, Array]
    ) -> None:
        position, orientation = poses[0][::4], poses[1][::4]
        order = np.random.default_rng(2).permutation(len(position))
        places = [whereabouts.place for whereabouts in apparatus.find(position, orientation)]
        turned = [whereabouts.place for whereabouts in apparatus.find(position[order], orientation[order])]
        assert turned == [places[i] for i in order]

    def test_in_a_calm_box_and_on_its_faces_no_cube_has_escaped_nor_emerged_if_it_would_be_swept(
        self, apparatus: Apparatus
    ) -> None:
        rng = np.random.default_rng(3)
        for corners in apparatus.calm:
            low, high = np.array(corners)
            assert np.all(low < high)
            part = rng.random((POSES, 3))
            part[: POSES // 2] = part[: POSES // 2].round()  # corners
            position = np.clip(low + part * (high - low), low, high)
            assert not apparatus.escaped(position).any()
            assert not (apparatus.swept and apparatus.emerged(position).any())

    def test_the_poses_given_are_not_changed(self, apparatus: Apparatus, poses: tuple[Array, Array]) -> None:
        position, orientation = poses[0].copy(), poses[1].copy()
        apparatus.find(position, orientation)
        apparatus.loose(position, orientation)
        assert np.array_equal(position, poses[0])
        assert np.array_equal(orientation, poses[1])

    # The hand

    def test_the_hand_is_over_an_opening_and_clear_of_every_part(self, apparatus: Apparatus) -> None:
        """Cubes as they leave the hand, and straight down from there to the rim, are in nobody's way and not lost."""
        for number in self.thrown:
            for seed in range(HANDS):
                cubes = supply({"any": number}, apparatus.cube_edge)
                rng = np.random.default_rng(seed)
                launches = release(cubes, apparatus.hand, apparatus.rim_top, apparatus.cube_edge, rng)
                position = np.array([launch.pose.position for launch in launches])
                orientation = np.array([launch.pose.orientation for launch in launches])
                assert with_boxes(position, orientation, apparatus.cube_edge, apparatus.boxes) == 0
                for height in np.linspace(1, 0, 5)[:, None]:
                    falling = position.copy()
                    falling[:, 2:] = apparatus.rim_top + height * (position[:, 2:] - apparatus.rim_top)
                    assert not apparatus.escaped(falling).any()
                    assert not apparatus.emerged(falling).any()


def _turns(rng: np.random.Generator, number: int) -> Array:
    """Draw orientations uniformly over rotations: shape (number, 4)."""
    drawn = rng.normal(size=(number, 4))
    return drawn / np.linalg.norm(drawn, axis=1)[:, None]


def _reversed(value: Any) -> Any:
    """Return nested tables with their keys the other way round."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        return {key: _reversed(table[key]) for key in reversed([*table])}
    return [_reversed(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _changed(value: Any) -> Iterator[Any]:
    """Yield nested tables with one number by itself made a little larger."""
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
