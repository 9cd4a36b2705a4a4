"""The prior: every point of the unit cube is a tower within the limits, rounded as its numbers say."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tower_sim.apparatus import from_tables
from tower_sim.calibration.prior import BASE, NAMES, NUMBERS, SURFACES, numbers, profile, tower

UNITS = st.lists(st.floats(0, 1), min_size=len(NUMBERS), max_size=len(NUMBERS)).map(np.array)
ENDS = 1e-9
ROUNDED = {"upper_opening": 0.05 / 9, "lower_opening": 0.05 / 9, "friction": 0.005}  # half of what each is rounded to


def is_rounded(value: float, places: int) -> bool:
    return math.isclose(value, round(value, places), abs_tol=1e-12)


@given(UNITS)
@example(np.zeros(len(NUMBERS)))
@example(np.ones(len(NUMBERS)))
def test_every_point_is_a_tower_whose_numbers_are_within_their_limits_and_rounded(unit: np.ndarray):
    tables, result = profile(unit), numbers(unit)
    shape = from_tables(tables, "prior")
    assert tower(unit).digest == shape.digest
    assert tuple(result) == NAMES
    for number in NUMBERS:
        slack = ROUNDED.get(number.name, ENDS)
        assert number.low - slack <= result[number.name] <= number.high + slack, number.name
    assert is_rounded(tables["tube"]["inside_mm"], 1)
    assert is_rounded(tables["tube"]["top_mm"], 1)
    for floor in ("upper_floor", "lower_floor"):
        lengths = {key: value for key, value in tables[floor].items() if key.endswith("_mm")}
        assert all(is_rounded(value, 1) for value in lengths.values()), lengths
        assert is_rounded(tables[floor]["slope_deg"], 0)
        assert tables[floor]["openings"] == result[f"{floor.partition('_')[0]}_openings"]
    assert is_rounded(tables["release"]["rate_per_s"], 0)
    for name in SURFACES:
        assert tables["surfaces"][name] == {"friction": result["friction"], "restitution": result["restitution"]}
        assert is_rounded(result["friction"], 2)
        assert is_rounded(result["restitution"], 2)


@given(UNITS)
def test_the_numbers_are_those_of_the_profile_and_openings_fit_the_tube(unit: np.ndarray):
    tables, result = profile(unit), numbers(unit)
    grid = sum(bit for bit, floor in ((1, "upper_floor"), (2, "lower_floor")) if tables[floor]["rows"] == 2)
    assert result["grid"] == grid
    slopes = {floor: tables[floor]["slope_deg"] for floor in ("upper_floor", "lower_floor")}
    assert result["slope"] == max(slopes.values())
    for floor in ("upper_floor", "lower_floor"):
        table = tables[floor]
        bars = tables["tube"]["inside_mm"] - table["openings"] * table["opening_mm"] - 2 * table["ledge_mm"]
        assert bars >= (table["openings"] - 1) * 0.5 * 9 - 0.5  # a bar is half an edge wide or more, but for rounding
        assert result[f"{floor.partition('_')[0]}_opening"] == pytest.approx(table["opening_mm"] / 9)
        assert table["rows"] == 1 or slopes[floor] == 0  # bars of a grid are flat


def test_the_ends_of_a_number_are_reached_and_the_rate_is_even_in_its_logarithm():
    rng = np.random.default_rng(1)
    observed = np.array([list(numbers(unit).values()) for unit in rng.random((2000, len(NUMBERS)))])
    for column, number in zip(observed.T, NUMBERS, strict=True):
        span = number.high - number.low
        assert column.min() < number.low + 0.05 * span, number.name
        assert column.max() > number.high - 0.1 * span, number.name
    logs = np.log(observed[:, NAMES.index("rate")])
    shares = np.histogram(logs, np.linspace(np.log(25), np.log(250), 6))[0] / len(logs)
    assert shares == pytest.approx([0.2] * 5, abs=4.5 * math.sqrt(0.2 * 0.8 / 2000) + 0.02)  # 0.02: whole numbers
    assert np.mean(observed[:, NAMES.index("grid")] == 0) == pytest.approx(0.5, abs=4.5 * 0.5 / 2000**0.5)


def test_what_is_fixed_stays_as_in_the_base_and_its_source_is_named():
    first, second = (profile(np.full(len(NUMBERS), at)) for at in (0.1, 0.9))
    for table in ("cubes", "funnel", "ramp", "exit", "tray"):
        assert first[table] == second[table]
    known = [line.partition("[K] ")[2] for line in BASE.read_text("utf-8").splitlines() if line.startswith("[")]
    assert all(words.startswith("gamesfanatic.pl: ") for words in known if words)
    assert sum(map(bool, known)) == 4
