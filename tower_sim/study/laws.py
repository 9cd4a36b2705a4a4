"""Quantiles and tails of the laws that intervals and tests use."""

from __future__ import annotations

import importlib
from typing import Any

from tower_sim.study.data import Array

_special: Any = importlib.import_module("scipy.special")  # has no type stubs


def student_quantile(freedom: Array | int, level: float) -> Any:
    """Return the quantile of Student's law with so many degrees of freedom."""
    return _special.stdtrit(freedom, level)


def normal_share(z: Array) -> Any:
    """Return the chance that a standard normal number is at most `z`."""
    return _special.ndtr(z)


def chi2_tail(freedom: int, value: float) -> float:
    """Return the chance that a chi-squared number is greater than `value`."""
    return float(_special.chdtrc(freedom, value))
