"""Sobol indices of what is told over the unit cube: which share of its variance a coordinate makes, with errors.

A first index is the variance of the mean along a coordinate, a total one what is left open when all others are known.
Errors are a jackknife over what is told without each of some groups of points; those of total indices also hold what
their sample leaves open. Sources: Sobol, Mathematics and Computers in Simulation 55 (2001) 271 (indices); Saltelli et
al., Computer Physics Communications 181 (2010) 259 (the design of samples); Jansen, Computer Physics Communications
117 (1999) 35 (the estimate of total indices).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Told = Callable[[Array], Array]
"""What is told at points of the unit cube, shape (n, columns), by a process of all and those without a group each:
shape (n, 1 + groups)."""

SAMPLE = 2048  # points of each of the two samples of Saltelli's design
STEPS = 9  # along a coordinate, for its first index
AVERAGED = 128  # points over which the mean there is taken


@dataclass(frozen=True)
class Index:
    """A share of the variance: its `value` and standard `error`."""

    value: float
    error: float


def jackknife(values: Array) -> Array:
    """Return the standard error of values of which the last axis is (all, without group 1, without group 2, ...)."""
    parts = values[..., 1:]
    groups = parts.shape[-1]
    centre = parts.mean(-1, keepdims=True)
    return np.sqrt((groups - 1) / groups * ((parts - centre) ** 2).sum(-1))


def totals(told: Told, columns: int, seed: int, sample: int = SAMPLE) -> tuple[Array, Array, Array]:
    """Return total indices, shape (columns, 1 + groups), the error of each that the sample makes, and the variance.

    The errors are of shape (columns,), the variance of what is told is of shape (1 + groups,). The two samples of the
    design are Latin hypercubes that know nothing of each other: of one Sobol sequence of as many columns some pairs of
    columns are not independent.
    """
    a, b = (points(columns, sample, seed + i, "LatinHypercube") for i in range(2))
    of_a = told(a)
    variance = np.concatenate([of_a, told(b)]).var(0)
    total, error = np.empty((columns, of_a.shape[1])), np.empty(columns)
    for i in range(columns):
        mixed = a.copy()
        mixed[:, i] = b[:, i]
        squares = (of_a - told(mixed)) ** 2 / (2 * variance)
        total[i], error[i] = squares.mean(0), squares[:, 0].std() / np.sqrt(sample)
    return total, error, variance


def averaged(told: Told, over: Array, columns: tuple[int, ...], at: Array) -> Array:
    """Return the mean over the points `over` with `columns` set to each row of `at`: shape (rows, 1 + groups)."""
    many = np.repeat(over[None], len(at), 0)
    many[:, :, list(columns)] = at[:, None, :]
    means = told(many.reshape(-1, over.shape[1]))
    return means.reshape(len(at), len(over), -1).mean(1)


def firsts(told: Told, columns: int, seed: int, variance: Array) -> Array:
    """Return first indices, shape (columns, 1 + groups), of what has the `variance` that `totals` gives."""
    over = points(columns, AVERAGED, seed)
    at = ((np.arange(STEPS) + 0.5) / STEPS)[:, None]
    return np.stack([averaged(told, over, (i,), at).var(0) / variance for i in range(columns)])


def points(columns: int, number: int, seed: int, method: str = "Sobol") -> Array:
    """Return a sample of the unit cube by a `method` of scipy.stats.qmc, shape (number, columns)."""
    qmc: Any = importlib.import_module("scipy.stats.qmc")  # half a second, so only where it is needed
    return np.asarray(getattr(qmc, method)(columns, seed=np.random.default_rng(seed)).random(number), float)
