"""Newton's method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tower_sim.results import Array

NEAR = 0.001  # a parameter nearer to its limit may go there; the others come nearer by up to nine tenths a step
LIFT = 0.01  # the least information where the function is not concave
Climb = Callable[[Array], tuple[float, Array, Array]]
"""A function to maximise: at parameters it returns the value, the slope and the information (minus the curvature)."""


def maximise(climb: Climb, begin: Array, least: Array | float = -np.inf) -> tuple[Array, Array]:
    """Return where a function has its maximum, and the covariance there: the inverse of the information.

    Newton's method goes to the last digits, so that equal data in any order give equal numbers when these are rounded.
    Parameters stay at `least` or above; one that ends there has covariance 0. A step that does not ascend is halved.
    Where the function is not concave, the information is made larger.
    """
    at = begin
    value, slope, information = climb(at)
    for _ in range(100):
        free = (at > least) | (slope > 0)
        inner = information[np.ix_(free, free)]
        lowest = float(np.linalg.eigvalsh(inner)[0])
        if lowest <= 0:
            inner = inner + (LIFT - 2 * lowest) * np.eye(len(inner))
        step = np.zeros(len(at))
        step[free] = np.linalg.solve(inner, slope[free])
        # the slope may be 0 at the limit, where a parameter would then stay
        limit = np.where(at - least > NEAR, at - 0.9 * (at - least), least)
        there = np.maximum(at + step, limit)
        new = climb(there)
        while new[0] < value - 1e-9 * abs(value) and np.abs(there - at).max() > 1e-9:
            step = step / 2
            there = np.maximum(at + step, limit)
            new = climb(there)
        change = float(np.abs(there - at).max())
        at, (value, slope, information) = there, new
        if change < 1e-8:
            break
    free = (at > least) | (slope > 0)
    covariance = np.zeros_like(information)
    covariance[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)])
    return at, covariance
