"""The beta law and Student's, which intervals and p-values need: the same digits on every machine and in every page.

They are made of portable.py. Errors against scipy: tests/physics/test_portable.py. Pages call them compiled.
"""

from __future__ import annotations

import math

from tower_sim.tools.portable import exp, log

_MOST = 20_000  # terms of a fraction
_ENOUGH = 1e-16  # the change of a fraction with which it ends
_HALVINGS = 100


def student_p(t: float, degrees: float) -> float:
    """Return the chance that Student's t is as far from 0 as `t`, either way."""
    square = t * t
    return _beta_below(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square))


def student_point(level: float, degrees: float) -> float:
    """Return how far from 0 Student's t is at most, either way, with the chance `level`."""
    x = beta_quantile(0.5, degrees / 2, level)  # of t^2 / (degrees + t^2)
    return math.sqrt(degrees * x / (1 - x))


def beta_quantile(a: float, b: float, level: float) -> float:
    """Return the quantile of the beta law, by halving."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _beta_below(a, b, middle, 1 - middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta_below(a: float, b: float, x: float, y: float) -> float:
    """Return the chance of the beta law below `x`; `y` is 1 - x, with all its digits."""
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    if x * (a + b + 2) > a + 1:
        return 1 - _beta_part(b, a, y, x)
    return _beta_part(a, b, x, y)


def _beta_part(a: float, b: float, x: float, y: float) -> float:
    """Return the same for an `x` below about the mean, by a continued fraction.

    Source: W. J. Lentz, Applied Optics 15 (1976) 668. The factor before it is that of Stirling's formula, with what
    this lacks: nothing large is taken from what is as large.
    """
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction, change, m = d, 2.0, 1
    while m < _MOST and abs(change - 1) > _ENOUGH:
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + even * d), 1 + even / c
        fraction *= d * c
        d, c = 1 / (1 + odd * d), 1 + odd / c
        change = d * c
        fraction *= change
        m += 1
    both = a + b
    power = a * log(x * both / a) + b * log(y * both / b) + _lack(both) - _lack(a) - _lack(b)
    return exp(power) * math.sqrt(a * b / (both * (2 * math.pi))) * fraction / a


def _lack(x: float) -> float:
    """Return what Stirling's formula lacks of the logarithm of the gamma function of `x` > 0."""
    lack = 0.0
    while x < 12:
        lack += (x + 0.5) * log((x + 1) / x) - 1
        x += 1
    z = 1 / (x * x)
    return lack + (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z * (1 / 1188 - z * 691 / 360360))))) / x
