"""Portable arithmetic: nearly as exact as a float can be, the same in every digit, and as it is when it is compiled."""

import hashlib
import importlib.util
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache
from itertools import pairwise, product
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.cases import each_case

from tower_sim.tools import portable, student

Function = Callable[..., float]
RNG = np.random.default_rng


DIGITS = 60
PRECISION = DIGITS + 20  # of the context that what is exact is worked out in
_SMALL = Decimal(10) ** -(DIGITS + 10)


def ulps(value: float, exact: Decimal) -> float:
    return float(abs(Decimal(value) - exact) / Decimal(math.ulp(float(exact))))


@cache
def exact_pi() -> Decimal:
    """Return pi (Machin: 4 atan(1/5) - atan(1/239) is a quarter of it)."""
    return 4 * (4 * _atan_series(Decimal(1) / 5) - _atan_series(Decimal(1) / 239))


def exact_cos(angle: float) -> Decimal:
    return exact_sin(Decimal(angle) + exact_pi() / 2)


def exact_atan2(y: float, x: float) -> Decimal:
    up = exact_pi() / 2 if y > 0 else -exact_pi() / 2
    if abs(y) > abs(x):
        return up - _atan(Decimal(x) / Decimal(y))
    angle = _atan(Decimal(y) / Decimal(x))
    return angle if x > 0 else angle + 2 * up


def exact_sin(angle: float | Decimal) -> Decimal:
    halves = (Decimal(angle) / exact_pi()).to_integral_value()
    total = term = left = Decimal(angle) - halves * exact_pi()
    k = 1
    while abs(term) > _SMALL * abs(total):
        term *= -left * left / (2 * k * (2 * k + 1))
        total += term
        k += 1
    return -total if halves % 2 else total


def _atan(slope: Decimal) -> Decimal:
    doubled = 0
    while abs(slope) > Decimal("0.01"):
        slope /= 1 + (1 + slope * slope).sqrt()
        doubled += 1
    return _atan_series(slope) * 2**doubled


def _atan_series(slope: Decimal) -> Decimal:
    total = power = slope
    k = 1
    while abs(power) > _SMALL * abs(total):
        power *= -slope * slope
        total += power / (2 * k + 1)
        k += 1
    return total


def angles() -> list[tuple[float]]:
    """Angles of every size there is, and the nearest to multiples of pi/4, where sines and cosines are smallest."""
    rng = RNG(1)
    spread = [x for most in (0.8, 7.0, 1e3, portable.MOST) for x in rng.uniform(-most, most, 400).tolist()]
    tiny = (10.0 ** rng.uniform(-300, 0, 200)).tolist()
    near = [k * math.pi / 4 for k in (*range(-60, 60), *rng.integers(0, 1_200_000, 200).tolist()) if k]
    return [(x,) for x in (*spread, *tiny, *near, portable.MOST, -portable.MOST)]


def directions() -> list[tuple[float, float]]:
    """Directions all round, of lengths and slopes of every size, and those at which another way of reckoning begins."""
    rng = RNG(2)
    pairs = rng.normal(size=(1000, 2)) * 10.0 ** rng.uniform(-4, 4, (1000, 2))
    sizes = [(s * 10.0**a, t * 10.0**b) for a, b in rng.uniform(-140, 140, (200, 2)) for s in (1, -1) for t in (1, -1)]
    slopes, signs = (0.0, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0, 2.0), (1, -1)
    borders = [
        (s * math.nextafter(slope * x, way), t * x)
        for slope in slopes
        for x, way, s, t in product(rng.uniform(0.5, 2, 20).tolist(), (0, 9), signs, signs)
    ]
    large = [(1e300, 1e300), (-1e308, 1e307), (1e-300, 1e-300)]
    sizes = [(y, x) for y, x in sizes if abs(y / x) > 1e-290]
    return [(y, x) for y, x in (*pairs.tolist(), *sizes, *borders, *large) if y]


def amounts() -> list[tuple[float]]:
    """Numbers of every size, most near 1, and those at which another power of 2 begins."""
    rng = RNG(3)
    near = [*rng.uniform(0.5, 2, 1000).tolist(), *(1 + s * 2.0**-k for k in range(1, 53) for s in (0.5, 1, -0.5))]
    far = (2.0 ** rng.uniform(-1070, 1023, 400)).tolist()
    borders = [math.nextafter(math.sqrt(0.5) * 2.0**k, way) for k in range(-3, 4) for way in (0, 99)]
    return [(x,) for x in (*near, *far, *borders, *rng.random(400).tolist(), 5e-324, 1.7e308)]


def powers() -> list[tuple[float]]:
    """Numbers whose exponential is finite and has all digits, most near 0, and those at which another power begins."""
    spread = [x for most in (0.4, 3.0, 40.0, 700.0) for x in RNG(4).uniform(-most, most, 400).tolist()]
    borders = [math.nextafter((k + 0.5) * math.log(2), way) for k in range(-20, 20) for way in (-99, 99)]
    return [(x,) for x in (*spread, *borders, 1e-300, -1e-20, 0.0)]


@each_case(
    ("function", "exact", "arguments"),
    [
        (portable.sin, exact_sin, angles),
        (portable.cos, exact_cos, angles),
        (portable.tan, lambda x: exact_sin(x) / exact_cos(x), angles),
        (portable.atan2, exact_atan2, directions),
        (portable.log, lambda x: Decimal(x).ln(), amounts),
        (portable.exp, lambda x: Decimal(x).exp(), powers),
    ],
)
def test_the_error_is_under_one_unit_in_the_last_place(
    function: Function, exact: Callable[..., Decimal], arguments: Callable[[], list[tuple[float, ...]]]
):
    with localcontext(prec=PRECISION):
        pairs = [(function(*each), exact(*each)) for each in arguments()]
        assert max(ulps(value, true) for value, true in pairs if true) < 0.9


def test_the_judge_of_errors_knows_what_is_known():
    known, small = Decimal("3.14159265358979323846264338327950288419716939937510582097494"), Decimal(10) ** -58
    with localcontext(prec=PRECISION):
        assert abs(exact_pi() - known) < small
        assert abs(exact_atan2(1.0, 1.0) * 4 - known) < small
        assert abs(exact_sin(1.0) ** 2 + exact_cos(1.0) ** 2 - 1) < small
        assert ulps(1.0, 1 + Decimal(math.ulp(1.0)) / 2) == 0.5
        assert ulps(math.sin(3.0), exact_sin(3.0)) < 1  # any library's


def test_where_the_result_is_a_float_it_is_that():
    assert [portable.sin(0.0), portable.cos(0.0), portable.tan(0.0), portable.log(1.0)] == [0, 1, 0, 0]
    assert [portable.exp(x) for x in (0.0, -0.0, -746.0, 710.0)] == [1, 1, 0, math.inf]
    assert [portable.atan2(0.0, x) for x in (0.0, 2.0, -2.0)] == [0, 0, math.pi]
    assert [portable.atan2(y, 0.0) for y in (3.0, -3.0)] == [math.pi / 2, -math.pi / 2]
    assert portable.atan2(0.3, 0.3) == math.pi / 4
    assert portable.length((3.0, 4.0)) == 5
    assert portable.length(()) == 0


def test_sine_and_tangent_are_odd_and_cosine_is_even_to_the_last_digit():
    for (x,) in angles():
        assert portable.sin(-x) == -portable.sin(x)
        assert portable.tan(-x) == -portable.tan(x)
        assert portable.cos(-x) == portable.cos(x)


@each_case("function", [portable.sin, portable.cos, portable.tan])
@each_case("angle", [math.nan, math.inf, -math.inf, 1.001e6])
def test_an_angle_that_cannot_be_reduced_exactly_is_refused(function: Function, angle: float):
    with pytest.raises(ValueError, match="up to 1e6 rad"):
        function(angle)


def test_the_laws_of_statistics_are_those_of_scipy():
    """Chances of up to 100,000 degrees of freedom differ by at most 1e-10 of what they are, points by 1e-12."""
    rng = RNG(5)
    for degrees in (10 ** rng.uniform(0.3, 5, 200)).astype(int).tolist():
        t, hits = 10 ** rng.uniform(-3, 1.2), int(rng.integers(1, degrees + 1))
        assert student.student_p(t, degrees) == pytest.approx(2 * stats.t.sf(t, degrees), rel=1e-10)
        assert student.student_p(-t, degrees) == student.student_p(t, degrees)
        for level in (0.025, 0.975):
            exact = stats.beta.ppf(level, hits, degrees - hits + 1)
            assert student.beta_quantile(hits, degrees - hits + 1, level) == pytest.approx(exact, rel=1e-12)
    for degrees in (1, 2, 30, 249, 99_999):
        assert student.student_point(0.95, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-12)
    assert student.student_p(0.0, 9) == 1


@each_case("x", [0.0, -1.0, math.nan, math.inf])
def test_the_logarithm_of_what_has_none_is_refused(x: float):
    with pytest.raises(ValueError, match="over 0"):
        portable.log(x)


def test_products_are_added_from_the_first_component_to_the_last_each_rounded_by_itself():
    rng = RNG(4)
    for k in (2, 3, 4, 8, 16):
        a, b = rng.normal(size=(2, 50, k))
        for one, other, got in zip(a.tolist(), b.tolist(), portable.dot(a, b).tolist(), strict=True):
            total = one[0] * other[0]
            for x, y in zip(one[1:], other[1:], strict=True):
                total += x * y
            assert got == total
        assert portable.lengths(a).tolist() == [portable.length(vector) for vector in a.tolist()]
    assert portable.dot(rng.normal(size=(5, 1, 3)), rng.normal(size=(7, 3))).shape == (5, 7)


def places() -> list[float]:
    rng = RNG(5)
    return [n / 2.0**k for k in range(10, 40) for n in rng.integers(-(10**9), 10**9, 50).tolist()]


def values(functions: Any) -> list[float]:
    found = [f(x) for f in (functions.sin, functions.cos, functions.tan) for x in places()]
    found += [functions.atan2(y, x) for y, x in pairwise(places())]
    return [*found, *(functions.log(abs(x)) for x in places())]


def test_every_digit_is_the_one_it_was_on_the_machine_where_this_was_written():
    digest = hashlib.sha256(" ".join(x.hex() for x in values(portable)).encode()).hexdigest()
    assert digest == "c13858ab57e10ee48e8cf4817c613d1d5a3f8b74c3eb0b69c3a9dcf38294f48c"


def test_compiled_by_numba_every_digit_is_the_same():
    numba = pytest.importorskip("numba")
    assert portable.__file__
    spec = importlib.util.spec_from_file_location("compiled", portable.__file__)
    assert spec
    assert spec.loader
    compiled = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compiled)
    own = [(name, f) for name, f in vars(compiled).items() if isinstance(f, FunctionType)]
    arrays = ("dot", "lengths", "length")
    for name, function in reversed([(name, f) for name, f in own if name not in arrays]):
        setattr(compiled, name, numba.njit(function))  # what is defined further down first: the others call it
    assert values(compiled) == values(portable)
