"""Laws of granular physics, which no fit has looked at: packing, hoppers, knocks. Figures: docs/granular.md."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.cases import each_case

from calibration.validation.granular import (
    CRITICAL,
    DENSE,
    FOLDER,
    LOOSE,
    STUDIES,
    Counts,
    against_area,
    area,
    beta_geometric,
    geometric,
    trend,
    weibull,
)
from calibration.validation.granular_piles import (
    EDGE,
    Bed,
    Crosses,
    Pile,
    bed,
    bulk_fraction,
    deepest,
    fraction,
    pile,
    stir,
    wake_all,
)
from calibration.validation.script import go_on
from tests.support.bench import Motion
from tests.support.scenes import UPRIGHT, Array, pose, turns
from tower_sim.apparatus import Surface
from tower_sim.apparatus.parts import turned_about_z
from tower_sim.errors import UsageError
from tower_sim.physics import GRAVITY, STANDARD, accuracy
from tower_sim.values import Cube, Status

pytestmark = pytest.mark.slow

FAST = accuracy("core", "fast")
WOOD = Surface(0.4, 0.4)


def motion(position: np.ndarray, orientation: np.ndarray) -> Motion:
    still = np.zeros_like(position)
    return Motion(position * EDGE, orientation, still, still)


def test_the_fraction_of_a_lattice_of_cubes_is_what_it_is():
    """Cubes side by side fill all of a box between them, cubes 1.25 edges apart 0.8 cubed of whole cells."""
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), -1).reshape(-1, 3)
    upright = np.tile([0.0, 0.0, 0.0, 1.0], (64, 1))
    assert fraction(motion(grid, upright), (0, 0, 0), (3, 3, 3)) == 1.0
    apart = fraction(motion(1.25 * grid, upright), (0, 0, 0), (2.5, 2.5, 2.5), 0.05)
    assert apart == pytest.approx(0.8**3, abs=0.02)


def test_a_turned_cube_has_the_volume_of_a_cube():
    for turn in turns(np.random.default_rng(1), 5):
        found = fraction(motion(np.zeros((1, 3)), turn[None]), (-1, -1, -1), (1, 1, 1), 0.04)
        assert found == pytest.approx(1 / 8, rel=0.02)


def test_poured_cubes_lie_as_loosely_as_real_ones_do():
    """100 cubes fill 0.58 of the box; 0.56 to 0.62 from other seeds, 0.81 without friction, 0.70 if soft."""
    width = 5.5
    with pile(FAST, bed(width, WOOD)) as heap:
        heap.pour(100, np.random.default_rng(3))
        assert heap.status is Status.SETTLED
        assert 0.51 < bulk_fraction(heap.motion(), width, 0.5) < 0.66
        heap.scene.lie_still()
        assert deepest(heap.scene) < 0.02 * EDGE


def test_a_hopper_clogs_and_flows_on_when_its_arch_is_taken_away():
    """And the same seed gives the same avalanches; no cube is lost on the way."""

    def sizes() -> list[tuple[int, bool]]:
        rng = np.random.default_rng(5)
        with pile(FAST, bed(4.0, WOOD, (2.0, 2.0))) as heap:
            heap.pour(30, rng)
            heap.give_back(rng)
            heap.flow(rng, 20)
            found: list[tuple[int, bool]] = []
            for _ in range(3):
                heap.take_out(heap.arch())
                heap.give_back(rng)
                found.append(heap.flow(rng, 20))
                assert len(heap.scene.there) == 30
            return found

    first = sizes()
    assert any(fallen for fallen, _ in first)
    assert all(ended for _, ended in first)
    assert sizes() == first


def test_a_bed_has_no_gap_but_its_outlet():
    """Areas of the bottom add up to that of the box less the hole, also of a slit from wall to wall."""

    def closed(shape: Bed) -> float:
        boxes = [4 * box.half[0] * box.half[1] for box in shape.boxes if box.part == "floor"]
        corner = [np.array(hull.vertices)[:3, :2] for hull in shape.hulls]
        prisms = [float(np.linalg.det(np.stack((b - a, c - a)))) / 2 for a, b, c in corner]
        return sum(boxes + prisms) / EDGE**2

    assert closed(bed(6.0, WOOD)) == pytest.approx(36)
    assert closed(bed(6.0, WOOD, (2.0, 3.0))) == pytest.approx(30)
    assert closed(bed(6.0, WOOD, (2.0, 6.0))) == pytest.approx(24)
    for corners in (8, 16):
        round_hole = area({"outlet": 2.0, "corners": corners})
        assert math.pi < round_hole < 4
        assert closed(bed(6.0, WOOD, (2.0, 2.0), corners)) == pytest.approx(36 - round_hole)


def lay(heap: Pile, place: tuple[float, float, float], turn: Sequence[float] | Array = UPRIGHT) -> None:
    heap.scene.lay({Cube(0, "grain", EDGE): pose(EDGE * np.array(place), turn)}, {})
    wake_all(heap.scene)


@each_case("turn", [0.0, 15.0, 45.0])
def test_a_round_hole_lets_a_cube_fall_that_is_less_wide_than_it_from_corner_to_corner(turn: float):
    """However the cube is turned, as no square hole does; one a little narrower holds it."""
    for width, number in ((1.39, 0), (1.44, 1)):
        with pile(FAST, bed(4.0, WOOD, (width, width), 16)) as heap:
            lay(heap, (0.0, 0.0, 0.5), turned_about_z(math.radians(turn)))
            assert heap.flow(np.random.default_rng(1), 1)[0] == number


def test_a_cube_on_a_tilted_floor_slides_as_friction_lets_it_and_only_along_the_slope():
    """It lies still 2 degrees under the angle of friction, 21.8; over it goes t (t + step) / 2 of g (sin - 0.4 cos)."""
    for tilt in (19.8, 24.0, 45.0):
        with pile(FAST, bed(6.6, WOOD)) as heap:
            lay(heap, (-2.0, 0.0, 0.5))
            heap.tilt(tilt)
            pull = heap.pull
            assert math.hypot(*pull) == pytest.approx(GRAVITY)
            for _ in range(8):
                stir(heap.scene, pull)
            time, angle = 8 * FAST.window, math.radians(tilt)
            slides = max(GRAVITY * (math.sin(angle) - 0.4 * math.cos(angle)), 0.0)
            x, y, z = (heap.motion().position[0] / EDGE).tolist()
            assert x + 2 == pytest.approx(slides * time * (time + FAST.timestep) / 2 / EDGE, rel=0.02, abs=0.001)
            assert (y, z) == pytest.approx((0.0, 0.5), abs=0.001)
            assert heap.flow(np.random.default_rng(1), 1) == (0, True)
            end = heap.motion().position[0, 0] / EDGE
            assert end == pytest.approx(2.8 if slides else -2.0, abs=0.01)  # at the lower wall


def test_a_cross_hangs_by_its_arms_in_a_slit_that_a_bar_goes_through_and_lies_on_the_edges_of_two():
    rng = np.random.default_rng(1)
    with pile(accuracy("bullet", STANDARD), bed(4.0, WOOD, (0.5, 3.0)), Crosses) as heap:
        lay(heap, (0.0, 0.0, 0.6))
        assert heap.flow(rng, 1) == (0, True)
        assert heap.motion().position[0, 2] / EDGE == pytest.approx(1 / 6, abs=0.01)
    with pile(accuracy("bullet", STANDARD), bed(4.0, WOOD), Crosses) as heap:
        for turn in turns(rng, 3):
            lay(heap, (0.0, 0.0, 1.0), turn)
            assert heap.flow(rng, 1) == (0, True)
            assert heap.motion().position[0, 2] / EDGE == pytest.approx((1 / 2 + 1 / 6) / math.sqrt(2), abs=0.002)
            heap.take_out([0])


def cut(size: Any, known: Any) -> Counts:
    return Counts(np.array(size), np.array(known))


SOME = cut([3, 5, 10, 2], [True, True, False, True])


def test_the_mean_of_counts_cut_short_is_all_that_passed_by_what_ended():
    assert SOME.mean() == pytest.approx(20 / 3)
    nothing = cut([10, 10], [False, False])
    assert nothing.mean() == math.inf
    assert nothing.interval() == (pytest.approx(20 / 3), math.inf)


def test_the_interval_of_a_mean_is_that_which_its_law_has():
    """Of 400 geometric counts of mean 5: 3.92 standard errors wide."""
    some = np.random.default_rng(6).geometric(0.2, 400).astype(float)
    low, high = cut(some, some > 0).interval()
    assert (high - low) / 3.92 == pytest.approx(some.std() / 20, rel=0.05)
    assert low < 5 < high


@pytest.mark.parametrize(("law", "none"), [(weibull, 0.0), (beta_geometric, -11.9)])
def test_a_law_with_no_second_effect_is_the_geometric_one(law: Any, none: float):
    plain = SOME.likelihood(geometric, np.array([-0.7]))
    assert SOME.likelihood(law, np.array([-0.7, none])) == pytest.approx(plain, abs=1e-3)


@each_case("shape", [0.6, 1.0, 1.6])
def test_the_shape_of_the_weibull_law_is_found(shape: float):
    """800 counts: the shape comes back within a tenth, and the gain is beyond doubt unless it is 1."""
    size = np.ceil((np.log(np.random.default_rng(11).random(800)) / math.log(0.7)) ** (1 / shape))
    parameters, gain = cut(np.minimum(size, 100), size <= 100).fit(weibull)
    assert math.exp(parameters[1]) == pytest.approx(shape, rel=0.1)
    assert (gain > 20) == (shape != 1.0)


def test_chances_that_differ_between_arches_are_found_with_their_tail():
    """1,000 chances of a beta law with a = 1: the tail's power comes back within 0.25, and the gain is beyond doubt."""
    rng = np.random.default_rng(2)
    size = rng.geometric(np.maximum(rng.beta(1.0, 2.0, 1000), 1e-6)).astype(float)
    (logit, both), gain = cut(np.minimum(size, 40), size <= 40).fit(beta_geometric)
    assert math.exp(-both) / (1 + math.exp(-logit)) == pytest.approx(1.0, abs=0.25)
    assert gain > 50


def test_a_hole_is_held_against_the_law_for_its_area_and_the_trend_with_the_tilt_is_found():
    def of_law(side: float, **more: float) -> dict[str, float]:
        mean = 1000 * (CRITICAL - side) ** -5.0
        return {"mean": mean, "low": mean / 1.2, "high": 1.2 * mean, "ended": 40, **more}

    square = pd.DataFrame([of_law(side, outlet=side) for side in (1.5, 2.0, 2.5, 3.0)])
    alike, narrow = of_law(2.5 * math.sqrt(0.5), outlet=2.5, tilt=60.0), of_law(1.9, outlet=2.0, corners=16)
    assert against_area(pd.DataFrame([alike]), square)["to_area"][0] == pytest.approx(1, abs=0.01)
    assert against_area(pd.DataFrame([narrow]), square)["to_area"][0] > 1  # the square of its area is 1.78 wide
    means = [(tilt, of_law(2.5)["mean"] * math.exp(-0.02 * tilt)) for tilt in (15.0, 30.0, 45.0)]
    lines = [{"outlet": 2.5, "tilt": t, "mean": m, "low": m / 1.2, "high": 1.2 * m} for t, m in means]
    assert trend(pd.DataFrame(lines), square)[2.5][0] == pytest.approx(-0.2, abs=1e-3)


def summed(study: str, **of: float | str) -> Any:
    """Return the line of a study, as its CSV file in docs/granular gives it."""
    lines = STUDIES[study].sum_up(pd.read_csv(FOLDER / f"{study}.csv"))
    (line,) = lines[(lines[list(of)] == pd.Series(of)).all(axis=1)].to_dict("records")
    return line


def test_docs_granular_quotes_what_its_runs_sum_up_to():
    page = (FOLDER.parent / "granular.md").read_text("utf-8")
    of = {"friction": 0.4, "accuracy": "fast"}
    means = [summed("avalanches", outlet=side, length=side, **of)["mean"] for side in (1.5, 2.0, 2.5, 3.0)]
    assert ", ".join(f"{mean:.1f}" for mean in means) + " cubes" in page
    one = summed("avalanches", outlet=2.5, length=2.5, **of)
    assert f"{one['rest']:.1f} ({one['rest_low']:.1f} to {one['rest_high']:.1f})" in page
    ratios = [f"{ratio:.2f}" for ratio in STUDIES["holes"].sum_up(pd.read_csv(FOLDER / "holes.csv"))["to_area"]]
    assert "{}, {}, {} and {} times".format(*ratios) in page
    tilted = summed("tilt", outlet=2.5, tilt=15.0)
    assert f"falls by {-tilted['slope']:.2f} ± {tilted['slope_se']:.2f}" in page
    cross = summed("shapes", grain="cross", outlet=2.0, friction=0.4)
    assert f"{cross['mean']:.1f} ({cross['low']:.1f} to {cross['high']:.1f}, n {cross['n']})" in page
    weak = summed("knocks", strength=0.7)
    first, stand, alike = weak["at the first"], weak["arches"] - weak["broke"], f"{weak['p']:.0e}".replace("e-0", "e-")
    assert f"{first} of {weak['arches']} arches at the first, {stand} stand all 40 (p {alike} if alike)" in page


@pytest.mark.parametrize("study", STUDIES)
def test_every_run_of_a_study_is_another(study: str):
    keys = [tuple(key.items()) for key in STUDIES[study].plan()]
    assert len(keys) == len(set(keys))


def test_a_measurement_goes_on_where_it_was_left_and_refuses_another_file(tmp_path: Path):
    seeds: list[int] = []

    def work(key: Any) -> list[dict[str, Any]]:
        seeds.append(key["seed"])
        return [{"value": 2 * key["seed"]}]

    keys = [{"seed": seed} for seed in range(3)]
    file = tmp_path / "study.csv"
    go_on(file, keys[:2], work)
    assert go_on(file, keys, work, 10)["value"].tolist() == [0, 2, 4]
    assert seeds == [0, 1, 2]
    assert len(go_on(file, [*keys, {"seed": 9}], work, 0)) == 3
    with pytest.raises(UsageError, match="other columns"):
        go_on(file, [{"size": 3}], lambda _: [{"value": 1}])


@pytest.mark.long
def test_500_cubes_pack_between_the_loosest_and_the_densest_that_real_cubes_do_and_more_loosely_with_friction():
    """One pile each of friction 0.1 and 0.4: standard deviations of 0.01 to 0.015 against a difference of 0.07."""
    of = {"cubes": 500, "pour": "brisk", "seed": 0}
    keys = {key["friction"]: key for key in STUDIES["packing"].plan() if of.items() <= key.items()}
    found = [STUDIES["packing"].work(keys[friction])[0]["fraction_2"] for friction in (0.1, 0.4)]
    assert found[0] > found[1] + 0.03
    assert all(LOOSE - 0.01 < fraction < DENSE + 0.01 for fraction in found)


@pytest.mark.long
def test_avalanches_grow_with_the_outlet():
    """Chains of 15 through outlets of 1.5 and 3 edges: means of about 2 and 40, each known to a third."""
    means: list[float] = []
    for outlet in (1.5, 3.0):
        of = {"outlet": outlet, "length": outlet, "friction": 0.4, "accuracy": "fast"}
        keys = [key for key in STUDIES["avalanches"].plan() if of.items() <= key.items()][:2]
        rows = [row for key in keys for row in STUDIES["avalanches"].work(key) if row["size"]]
        means.append(cut([row["size"] for row in rows], [row["ended"] > 0 for row in rows]).mean())
    assert means[1] > 5 * means[0]
