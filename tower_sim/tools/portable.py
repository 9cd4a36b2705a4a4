"""Portable arithmetic: sines, logarithms and lengths whose last digit is the same on every machine.

A library's sin, cos, tan, atan2, log, hypot or pow may differ in the last digit from one system to the next; what goes
through BLAS (`@`, `norm`), `einsum` or a compiler that fuses products and sums differs from one processor to the next;
even `sum` of floats differs from Python 3.11 to 3.12. Drops are chaotic, so these digits are seen. What decides
a drop is therefore made here of +, -, *, / and square roots only, each rounded as IEEE 754 says, in an order that is
written down: of Python's floats, which are never fused, and of numpy's elementwise operations, which do one at a time.

Errors, in units in the last place, against 50 digits (tests/test_portable.py; a library's own are about 0.5): `sin`,
`cos`, `tan`, `atan2`, `log` and `exp` stay under 1. The scalar functions can be compiled by numba as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

MOST = 1e6
"""The largest angle (rad), either way, that `sin`, `cos` and `tan` take."""

# pi / 2 in three parts of 33, 33 and 53 bits: up to 2^20 times the first two are exact
_HALF_PI = (float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a6p-34"), float.fromhex("0x1.3198a2e037073p-69"))
_PER_HALF_PI = 2 / math.pi

# ln 2 in parts of 40 and 53 bits, so that the first times an exponent is exact
_LN_2 = (float.fromhex("0x1.62e42fefa2p-1"), float.fromhex("0x1.9ef35793c7673p-41"))
_ROOT_HALF = math.sqrt(0.5)

# angles as a float and what it lacks
_PI = (math.pi, float.fromhex("0x1.1a62633145c07p-53"))
_RIGHT = (math.pi / 2, float.fromhex("0x1.1a62633145c07p-54"))
_TO_HALF = (float.fromhex("0x1.dac670561bb4fp-2"), float.fromhex("0x1.a2b7f222f65e2p-56"))  # atan(1/2)
_TO_ONE = (math.pi / 4, float.fromhex("0x1.1a62633145c07p-55"))  # atan(1)

# Taylor's series, from the highest power down; each goes on until what is left out is under 1/50 of the last place
_SIGN = (1, -1)
_SIN = tuple(_SIGN[k % 2] / math.factorial(2 * k + 1) for k in range(8, 0, -1))  # of (sin r - r) / r^3 in r^2
_COS = tuple(_SIGN[k % 2] / math.factorial(2 * k) for k in range(9, 1, -1))  # of (cos r - 1 + r^2 / 2) / r^4 in r^2
_LOG = tuple(2 / (2 * k + 1) for k in range(11, 0, -1))  # of (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2
_EXP = tuple(1 / math.factorial(k) for k in range(14, 1, -1))  # of (e^r - 1 - r) / r^2 in r
_ATAN = tuple(_SIGN[k % 2] / (2 * k + 1) for k in range(13, 0, -1))  # of (atan r - r) / r^3 in r^2


def sin(angle: float) -> float:
    """Return the sine of an `angle` (rad) of up to `MOST`; raises ValueError beyond."""
    quarter, r, rest = _reduce(abs(angle))
    high, low = _cos_sum(r, rest) if quarter % 2 else _sin_sum(r, rest)
    return -(high + low) if (quarter >= 2) != (angle < 0) else high + low


def cos(angle: float) -> float:
    """Return the cosine of an `angle` (rad) of up to `MOST`; raises ValueError beyond."""
    quarter, r, rest = _reduce(abs(angle))
    high, low = _sin_sum(r, rest) if quarter % 2 else _cos_sum(r, rest)
    return -(high + low) if 1 <= quarter <= 2 else high + low


def tan(angle: float) -> float:
    """Return the tangent of an `angle` (rad) of up to `MOST`; raises ValueError beyond."""
    quarter, r, rest = _reduce(abs(angle))
    a, a_low = _sin_sum(r, rest)
    b, b_low = _cos_sum(r, rest)
    ratio = -_ratio(b, b_low, a, a_low) if quarter % 2 else _ratio(a, a_low, b, b_low)
    return -ratio if angle < 0 else ratio


def atan2(y: float, x: float) -> float:
    """Return the angle (rad, -pi to pi) of the direction (`x`, `y`), finite numbers; 0 where both are 0.

    The slope's angle is a known one (of 0, 1/2 or 1) and the angle of the small slope between the two, whose numerator
    is exact, since x / 2, and a difference of numbers within a factor of 2, are.
    """
    along, across = abs(x), abs(y)
    is_steep = across > along
    if is_steep:
        along, across = across, along
    scale = -math.frexp(along)[1]  # so that no product gets too large
    along, across = math.ldexp(along, scale), math.ldexp(across, scale)
    if across == 0:
        high, low = 0.0, 0.0
    elif 4 * across < along:
        high, low = _atan_sum(across, along)
    elif 4 * across < 3 * along:
        high, low = _add(_TO_HALF, _atan_sum(across - along / 2, along + across / 2))
    else:
        high, low = _add(_TO_ONE, _atan_sum(across - along, along + across))
    if is_steep:
        high, low = _add(_RIGHT, (-high, -low))
    if x < 0:
        high, low = _add(_PI, (-high, -low))
    return math.copysign(high + low, y)


def log(x: float) -> float:
    """Return the natural logarithm of a finite `x` > 0; raises ValueError for another.

    Source: log m = f - (f^2/2 - s (f^2/2 + R)) with f = m - 1, s = f / (2 + f), R the series of log((1 + s) / (1 - s))
    without its first term (K. C. Ng, fdlibm, 1993): what is rounded is small beside f.
    """
    if not 0 < x < math.inf:
        raise ValueError("log of what is no finite number over 0")
    m, exponent = math.frexp(x)
    if m < _ROOT_HALF:
        m, exponent = 2 * m, exponent - 1
    f = m - 1  # exact, as m is within a factor of 2 of 1
    s = f / (2 + f)
    z = s * s
    half = f * f / 2
    return exponent * _LN_2[0] - ((half - (s * (half + z * _series(_LOG, z)) + exponent * _LN_2[1])) - f)


def exp(x: float) -> float:
    """Return e to the power `x`; 0 below -745.2, infinity above 709."""
    if not -745.2 < x < 709.0:
        return math.inf if x > 0 else 0.0 if x < 0 else x
    times = math.floor(x / _LN_2[0] + 0.5)
    r = (x - times * _LN_2[0]) - times * _LN_2[1]
    power = 1 + (r + r * r * _series(_EXP, r))
    factor, left = 0.5 if times < 0 else 2.0, abs(times)
    while left > 0:  # times 2^times, exactly; of numbers under 2^-1022 the last product is rounded
        if left % 2 == 1:
            power *= factor
        factor *= factor
        left //= 2
    return power


def length(vector: Sequence[float]) -> float:
    """Return the length of a vector, its squares added from the first to the last."""
    total = 0.0
    for x in vector:
        total += x * x
    return math.sqrt(total)


def dot(a: Array, b: Array) -> Array:
    """Return the scalar products of vectors along the last axis, added from the first component to the last.

    Shapes (..., k) and (..., k), the others as numpy broadcasts them.
    """
    total = a[..., 0] * b[..., 0]
    for i in range(1, a.shape[-1]):
        total = total + a[..., i] * b[..., i]
    return total


def lengths(vectors: Array) -> Array:
    """Return the lengths of vectors along the last axis: shape (...) of (..., k)."""
    return np.sqrt(dot(vectors, vectors))


def _reduce(angle: float) -> tuple[int, float, float]:
    """Return the quarter (0 to 3) nearest to an `angle` >= 0, and what is left of it, at most pi/4, as a sum of two.

    Multiples of pi/2 are taken off in three parts (W. J. Cody, W. Waite, Software Manual for the Elementary Functions,
    1980); the first two products are exact, and so is the first difference.
    """
    if not angle <= MOST:  # False for nan too
        raise ValueError("an angle that is no number or too large; allowed is up to 1e6 rad")
    times = math.floor(angle * _PER_HALF_PI + 0.5)
    left = angle - times * _HALF_PI[0]
    second = times * _HALF_PI[1]
    high = left - second
    back = left - high  # what was taken off, but for rounding (D. E. Knuth's two-sum)
    lost = (left - (high + back)) + (back - second)
    low = lost - times * _HALF_PI[2]
    r = high + low
    return times % 4, r, (high - r) + low


def _sin_sum(r: float, rest: float) -> tuple[float, float]:
    """Return the sine of `r` + `rest`, within pi/4, as the sum of a float and a small rest."""
    z = r * r
    return r, r * z * _series(_SIN, z) + rest * (1 - z / 2)


def _cos_sum(r: float, rest: float) -> tuple[float, float]:
    """Return the cosine of `r` + `rest`, within pi/4, as the sum of a float and a small rest."""
    z = r * r
    high = 1 - z / 2
    return high, ((1 - high) - z / 2) + (z * z * _series(_COS, z) - r * rest)


def _atan_sum(across: float, along: float) -> tuple[float, float]:
    """Return the angle of the slope `across` / `along`, at most 1/4 either way, as the sum of a float and a rest."""
    r = across / along
    high, low = _product(r, along)
    z = r * r
    return r, r * z * _series(_ATAN, z) + ((across - high) - low) / along


def _add(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Add two sums of a float and a small rest, the first the larger (T. J. Dekker, Numerische Mathematik 18, 1971)."""
    high = one[0] + other[0]
    return high, ((one[0] - high) + other[0]) + (one[1] + other[1])


def _ratio(a: float, a_low: float, b: float, b_low: float) -> float:
    """Return (`a` + `a_low`) / (`b` + `b_low`), rounded little more than once."""
    top, bottom = a + a_low, b + b_low
    top_low, bottom_low = (a - top) + a_low, (b - bottom) + b_low
    ratio = top / bottom
    high, low = _product(ratio, bottom)
    return ratio + (((top - high) - low) + (top_low - ratio * bottom_low)) / bottom


def _product(a: float, b: float) -> tuple[float, float]:
    """Return a product exactly, as the sum of two floats (T. J. Dekker, Numerische Mathematik 18, 1971)."""
    a_top, b_top = a * 134217729.0, b * 134217729.0  # 2^27 + 1: halves the digits
    a_top, b_top = a_top - (a_top - a), b_top - (b_top - b)
    a_rest, b_rest = a - a_top, b - b_top
    high = a * b
    return high, ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest


def _series(coefficients: tuple[float, ...], x: float) -> float:
    """Return a polynomial in `x`, its coefficients from the highest power down."""
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total
