"""Sine, cosine, tangent, logarithm and the angle of a direction to 60 digits, by series of their own."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

DIGITS = 60
_SMALL = Decimal(10) ** -(DIGITS + 10)


def ulps(got: float, want: Decimal) -> float:
    """Return how far `got` is from `want`, in units in the last place of a float as large as `want`."""
    with localcontext(prec=DIGITS + 20):
        return float(abs(Decimal(got) - want) / Decimal(math.ulp(float(want))))


def pi() -> Decimal:
    """Return pi (Machin: 4 atan(1/5) - atan(1/239) is a quarter of it)."""
    with localcontext(prec=DIGITS + 20):
        return 4 * (4 * _atan_series(Decimal(1) / 5) - _atan_series(Decimal(1) / 239))


def sin(angle: float) -> Decimal:
    """Return the sine of an angle that is exactly `angle`."""
    return _sin(Decimal(angle))


def cos(angle: float) -> Decimal:
    """Return the cosine of an angle that is exactly `angle`."""
    with localcontext(prec=DIGITS + 20):
        return _sin(Decimal(angle) + pi() / 2)


def tan(angle: float) -> Decimal:
    """Return the tangent of an angle that is exactly `angle`."""
    with localcontext(prec=DIGITS + 20):
        return sin(angle) / cos(angle)


def atan2(y: float, x: float) -> Decimal:
    """Return the angle of the direction that is exactly (`x`, `y`)."""
    with localcontext(prec=DIGITS + 20):
        up = pi() / 2 if y > 0 else -pi() / 2
        if abs(y) > abs(x):
            return up - _atan(Decimal(x) / Decimal(y))
        angle = _atan(Decimal(y) / Decimal(x))
        return angle if x > 0 else angle + 2 * up


def log(x: float) -> Decimal:
    """Return the logarithm of exactly `x`."""
    with localcontext(prec=DIGITS):
        return Decimal(x).ln()


def _sin(angle: Decimal) -> Decimal:
    with localcontext(prec=DIGITS + 20):
        halves = (angle / pi()).to_integral_value()
        left = angle - halves * pi()
        total = term = left
        k = 1
        while abs(term) > _SMALL * abs(total):
            term *= -left * left / (2 * k * (2 * k + 1))
            total += term
            k += 1
        return -total if halves % 2 else total


def _atan(slope: Decimal) -> Decimal:
    """Halve the angle until the series is short."""
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
