"""Laws of granular physics, which no fit has looked at: packing, hoppers, knocks. Figures: docs/granular.md."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.cases import each_case

from calibration.validation import granular
from calibration.validation import granular_statistics as statistics
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
from calibration.validation.granular_report import CRITICAL, DENSE, LOOSE, Line, against, area, trend
from calibration.validation.granular_runs import STUDIES, Row, Table, Unit, make
from calibration.validation.granular_statistics import (
    Counts,
    beta_geometric,
    draw_counts,
    geometric,
    likelihood,
    weibull,
)
from tests.support.bench import Motion
from tests.support.scenes import UPRIGHT, Array, pose, turns
from tower_sim.apparatus.parts import Surface, turned_about_z
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.outcome import Status
from tower_sim.physics.settings import GRAVITY, STANDARD, accuracy

pytestmark = pytest.mark.slow

FAST = accuracy("core", "fast")
WOOD = Surface(0.4, 0.4)
KEPT = Path(__file__).parents[2] / "docs" / "granular"
FITTED = {"tail", "other", "gain", "p"}
"""Where arches are alike the likelihood is flat in these."""


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


def test_what_is_beside_a_hole_is_so_by_its_distance_from_the_nearest_side():
    place = EDGE * np.array([[0.9, 0.9, 3.0], [1.5, 0.0, 3.0], [0.0, 2.5, 3.0], [2.0, 2.0, 3.0]])
    assert bed(6.0, WOOD, (2.0, 4.0)).beside(place) / EDGE == pytest.approx([0, 0.5, 0.5, 1])
    assert bed(6.0, WOOD, (2.0, 2.0), 8).beside(place) / EDGE == pytest.approx(
        [0.9 * math.sqrt(2) - 1, 0.5, 1.5, 2 * math.sqrt(2) - 1]
    )


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


def test_a_tilted_hopper_is_filled_again_where_its_pile_is_lowest():
    rng = np.random.default_rng(7)
    with pile(FAST, bed(4.0, WOOD, (2.0, 2.0))) as heap:
        heap.pour(30, rng)
        heap.give_back(rng)
        heap.tilt(40.0)
        heap.flow(rng, 40)
        assert len(heap.scene.there) == 30
        x, _, z = (heap.motion().position / EDGE).T
        assert x.mean() > 0.3
        assert z.max() < 8  # of a shaft 100 high: nothing has stayed on a wall


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


def counts(size: list[float], known: list[bool]) -> Counts:
    return Counts(np.array(size), np.array(known))


SOME = Counts(np.array([3.0, 5, 10, 2]), np.array([True, True, False, True]))


def test_the_mean_of_counts_cut_short_is_all_that_passed_by_what_ended():
    assert SOME.mean()[0] == pytest.approx(20 / 3)
    assert counts([10, 10], [False, False]).mean() == (math.inf, pytest.approx(20 / 3), math.inf)


def test_resampling_gives_the_interval_that_the_law_has():
    """400 geometric counts of mean 5: the delta method's interval and that by resampling agree within a tenth."""
    rng = np.random.default_rng(6)
    some = draw_counts(0.2, 1.0, 400, 100, rng)
    assert some.resampled(rng) == pytest.approx(some.mean()[1:], rel=0.1)


def test_the_survival_takes_counts_cut_short_as_larger():
    at, share = counts([1, 2, 2, 3], [True, True, False, True]).survival()
    assert at.tolist() == [1, 2, 3]
    assert share == pytest.approx([3 / 4, 3 / 4 * 2 / 3, 0])


@pytest.mark.parametrize(("law", "none"), [(weibull, 0.0), (beta_geometric, -11.9)])
def test_a_law_with_no_second_effect_is_the_geometric_one(law, none: float):
    plain = likelihood(SOME, geometric, np.array([-0.7]))
    assert likelihood(SOME, law, np.array([-0.7, none])) == pytest.approx(plain, abs=1e-3)


def test_the_test_of_memory_holds_its_level_and_has_the_power_it_states():
    """Of 60 samples of 80 with no memory at most 9 are refused at 5 % (chance of more: 0.1 %); of 20 with it, most."""
    rng = np.random.default_rng(11)

    def refused(chance: float, shape: float, samples: int) -> int:
        draws = [draw_counts(chance, shape, 80, 150, rng) for _ in range(samples)]
        return sum(statistics.memoryless(each, 150, rng, 200, ()).p <= 0.05 for each in draws)

    assert refused(0.2, 1.0, 60) <= 9
    assert refused(0.4, 0.6, 20) >= 16
    assert refused(0.4, 1.6, 20) >= 16


def test_verdicts_add_up_as_independent_ones_do():
    assert statistics.pooled([1.0, 1.0, 1.0, 1.0]) == (2.0, pytest.approx(0.0455, abs=1e-4))


def test_the_slope_is_that_of_the_likelihood():
    some = counts([1, 3, 5, 10, 2], [True, True, True, False, True])
    p, h = some.chance(), 1e-5
    logit = math.log(p / (1 - p))
    high, low = (likelihood(some, weibull, np.array([logit, math.log(1 + d)])) for d in (h, -h))
    assert statistics.slope(some) == pytest.approx((high - low) / (2 * h) / 5, rel=1e-5)


def test_chances_that_differ_between_arches_are_found_with_their_tail():
    """1,000 chances of a beta law with a = 1: the tail's power comes back within 0.25, and the gain is beyond doubt."""
    rng = np.random.default_rng(2)
    size = rng.geometric(np.maximum(rng.beta(1.0, 2.0, 1000), 1e-6)).astype(float)
    some = Counts(np.minimum(size, 40), size <= 40)
    logit, both = statistics.fit(some, beta_geometric)[0]
    assert math.exp(-both) / (1 + math.exp(-logit)) == pytest.approx(1.0, abs=0.25)
    assert statistics.gain(some, beta_geometric) > 50


def test_successive_counts_that_go_together_are_found():
    rng = np.random.default_rng(4)
    alone = [rng.geometric(0.2, 10).astype(float) for _ in range(20)]
    together = [np.repeat(rng.geometric(0.2, 5), 2).astype(float) for _ in range(20)]
    assert statistics.correlation(alone, rng, 300)[1] > 0.01
    assert statistics.correlation(together, rng, 300)[1] < 0.02


def test_counts_that_grow_along_their_chains_are_found():
    rng = np.random.default_rng(5)
    alone = [rng.geometric(0.2, 15).astype(float) for _ in range(4)]
    growing = [np.concatenate((rng.geometric(0.4, 5), rng.geometric(0.1, 10))).astype(float) for _ in range(4)]
    assert statistics.drift(alone, rng, 300)[1] > 0.01
    drift, chance = statistics.drift(growing, rng, 300)
    assert drift > 0.2
    assert chance < 0.02


def of_law(side: float, **more: float) -> Line:
    mean = 1000 * (CRITICAL - side) ** -5.0
    return {"friction": 0.4, "mean": mean, "low": mean / 1.2, "high": 1.2 * mean, "ended": 40, **more}


def test_a_hole_is_held_against_the_square_one_of_its_width_and_the_law_for_its_area():
    square = [of_law(side, outlet=side, length=side) | {"accuracy": "fast"} for side in (1.5, 2.0, 2.5, 3.0)]
    tilted = of_law(2.5 * math.sqrt(0.5), outlet=2.5, tilt=60.0)
    narrow = of_law(1.9, outlet=2.0, corners=16)
    one, other = against([tilted, narrow], square)
    assert one["area"] == pytest.approx(3.125)
    assert one["to_area"][0] == pytest.approx(1, abs=0.01)
    assert one["to_square"][0] == pytest.approx(tilted["mean"] / square[2]["mean"], abs=0.01)
    both = math.exp(math.log(1.2) * math.sqrt(2))
    assert one["to_square"][2] / one["to_square"][0] == pytest.approx(both, rel=0.03)
    assert other["area"] == pytest.approx(16 * math.tan(math.pi / 16), abs=0.001)
    assert other["to_area"][0] > 1  # it lets more through than the square of its area, 1.78 wide


def test_the_trend_with_the_tilt_is_found():
    means = {tilt: math.exp(3 - 0.02 * tilt) for tilt in (0.0, 15.0, 30.0, 45.0)}
    lines = [
        {"outlet": 2.5, "friction": 0.4, "mean": mean, "low": mean / 1.2, "high": 1.2 * mean} | {"tilt": tilt}
        for tilt, mean in means.items()
    ]
    (found,) = trend(lines[1:], [{**lines[0], "length": 2.5}])
    assert found["slope"] == pytest.approx(-0.2, abs=1e-3)
    assert found["z"] == pytest.approx(-0.2 / found["se"], abs=0.1)


def test_a_study_goes_on_where_it_was_left(tmp_path: Path):
    seeds: list[int] = []

    def work(unit: Unit) -> list[Row]:
        seeds.append(int(unit.key["seed"]))
        return [{"value": 2 * int(unit.key["seed"])}]

    units = [Unit({"seed": seed}, work) for seed in range(3)]
    path = tmp_path / "study.csv"
    assert make(units[:2], Table(path), 10)
    assert make(units, Table(path), 10)
    assert seeds == [0, 1, 2]
    assert Table(path).columns()["value"].tolist() == [0, 2, 4]
    assert not make([*units, Unit({"seed": 9}, work)], Table(path), -1)


def test_a_file_of_other_columns_is_refused(tmp_path: Path):
    table = Table(tmp_path / "study.csv")
    table.add([{"seed": 1, "value": 2}])
    with pytest.raises(UsageError, match="other columns"):
        table.add([{"seed": 1, "size": 2}])


@pytest.mark.parametrize("study", STUDIES)
def test_every_run_of_a_study_is_another(study: str):
    keys = [tuple(unit.key.items()) for unit in STUDIES[study]()]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem == "avalanches" else [])
        for path in sorted(KEPT.glob("*.csv"))
    ],
    ids=lambda path: path.stem,
)
def test_what_is_kept_is_summed_up_as_it_says(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The CSV that ships gives the JSON that ships, but for the last digits of fits."""
    (tmp_path / path.name).write_bytes(path.read_bytes())
    assert granular.main([path.stem, "-o", str(tmp_path), "--minutes", "-1"]) == 0
    assert "|---|" in capsys.readouterr().out
    fresh, kept = (json.loads((where / f"{path.stem}.json").read_text("utf-8")) for where in (tmp_path, KEPT))
    assert [list(line) for line in fresh["lines"]] == [list(line) for line in kept["lines"]]
    for one, other in zip(fresh["lines"], kept["lines"], strict=True):
        for name in one.keys() - FITTED:
            is_number = isinstance(other[name], int | float)
            assert one[name] == (pytest.approx(other[name], rel=0.02, abs=0.02) if is_number else other[name]), name


@pytest.mark.long
def test_500_cubes_pack_between_the_loosest_and_the_densest_that_real_cubes_do_and_more_loosely_with_friction():
    """One pile each of friction 0.1, 0.4 and 0.8: standard deviations of 0.01 to 0.015 against differences of 0.07."""
    of = {"cubes": 500, "pour": "brisk", "seed": 0}
    units = {unit.key["friction"]: unit for unit in STUDIES["packing"]() if of.items() <= unit.key.items()}
    found = [units[friction].work(units[friction])[0]["fraction_2"] for friction in (0.1, 0.4, 0.8)]
    assert found[0] > found[1] + 0.03
    assert all(LOOSE - 0.01 < fraction < DENSE + 0.01 for fraction in found)


@pytest.mark.long
def test_avalanches_grow_with_the_outlet():
    """Chains of 15 through outlets of 1.5, 2 and 3 edges: means of about 2, 5 and 40, each known to a third."""
    means: list[float] = []
    for outlet in (1.5, 2.0, 3.0):
        rows = [row for unit in _chains(outlet, 0.4)[:2] for row in unit.work(unit) if row["size"]]
        means.append(counts([row["size"] for row in rows], [row["ended"] > 0 for row in rows]).mean()[0])
    assert means == sorted(means)
    assert means[2] > 5 * means[0]


def _chains(outlet: float, friction: float) -> list[Unit]:
    want = {"outlet": outlet, "length": outlet, "friction": friction, "accuracy": "fast"}
    return [unit for unit in STUDIES["avalanches"]() if want.items() <= unit.key.items()]


@pytest.mark.long
def test_stronger_knocks_break_arches_sooner():
    """Eight arches each: with 0.7 g they take 37 knocks on average, with 2 g few."""
    units = {unit.key["strength"]: unit for unit in reversed(STUDIES["knocks"]())}
    weak, strong = (units[strength].work(units[strength]) for strength in (0.7, 2.0))
    assert sum(row["knocks"] for row in strong) < sum(row["knocks"] for row in weak)
