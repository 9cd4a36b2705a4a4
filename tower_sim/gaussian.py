"""A Gaussian process: what is told between points that were measured, with errors that leave groups of points out.

Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 and 5 (Matern kernel with
smoothness 5/2 and a length for each coordinate, found by maximum likelihood).
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SOUGHT = 400  # points at most from which lengths are found: the time grows with their cube
CHUNK = 2048  # points told at once
GROUPS = 10  # of points: each is told by the others, and left out for errors
_LINEAR: Any = np.linalg
_SHORTEST, _LONGEST = np.log(0.15), np.log(50.0)


@dataclass(frozen=True)
class Matern:
    """A Matern kernel: `variance`, a length for each of F features, and the variance of a `nugget` on the data."""

    variance: float
    lengths: Array
    nugget: float

    def between(self, x: Array, y: Array) -> Array:
        """Return the covariance of values at `x`, shape (n, F), and `y`, shape (m, F): shape (n, m)."""
        far = np.sqrt(5 * squares(x / self.lengths, y / self.lengths))
        return self.variance * (1 + far + far**2 / 3) * np.exp(-far)


def squares(x: Array, y: Array) -> Array:
    """Return the squares of the distances of points at `x`, shape (n, F), from those at `y`, shape (m, F): (n, m)."""
    middle = y.mean(0)
    x, y = x - middle, y - middle
    return np.maximum((x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T, 0.0)


@dataclass(frozen=True)
class GaussianProcess:
    """A process through T points, and GROUPS more, each without the points of one group.

    `x` are the points' features, shape (T, F); `weights`, shape (T, 1 + GROUPS), and `centres` make the means, first
    that of all; `group` is each point's.
    """

    kernel: Matern
    x: Array
    weights: Array
    centres: Array
    group: npt.NDArray[np.int64]

    def means(self, x: Array) -> Array:
        """Return what the processes tell at `x`, shape (n, F): shape (n, 1 + GROUPS)."""
        parts = [self.kernel.between(x[i : i + CHUNK], self.x) @ self.weights for i in range(0, max(len(x), 1), CHUNK)]
        return np.concatenate(parts) + self.centres

    def held_out(self) -> Array:
        """Return what each point is told to be by those of the other groups, shape (T,)."""
        return self.means(self.x)[np.arange(len(self.x)), 1 + self.group]


def fit(x: Array, y: Array, rng: np.random.Generator, starts: Sequence[float]) -> GaussianProcess:
    """Fit a process to `y`, shape (T,), at features `x`, shape (T, F).

    The kernel is sought from SOUGHT of the points where there are more: its likelihood is climbed from each length of
    `starts`. Random: the groups, and which points these are.
    """
    kernel = best_kernel(x, y, np.zeros(len(y)), rng, starts, SOUGHT)
    group = rng.permutation(np.arange(len(y)) % GROUPS)
    covariance = kernel.between(x, x) + np.diag(np.full(len(y), kernel.nugget))
    weights, centres = np.zeros((len(y), 1 + GROUPS)), np.zeros(1 + GROUPS)
    inverse: Array = _LINEAR.inv(covariance)
    centres[0] = y.mean()
    weights[:, 0] = inverse @ (y - centres[0])
    for k in range(GROUPS):
        mine, out = np.flatnonzero(group != k), np.flatnonzero(group == k)
        centres[1 + k] = y[mine].mean()
        rest = y[mine] - centres[1 + k]
        # the inverse without a group, from that of all: A^-1 = B_mm - B_mo B_oo^-1 B_om
        cross = inverse[np.ix_(mine, out)]
        weights[mine, 1 + k] = inverse[np.ix_(mine, mine)] @ rest - cross @ _LINEAR.solve(
            inverse[np.ix_(out, out)], cross.T @ rest
        )
    return GaussianProcess(kernel, x, weights, centres, group)


def best_kernel(
    x: Array, y: Array, noise: Array, rng: np.random.Generator, lengths: Sequence[float], points: int
) -> Matern:
    """Find the kernel of greatest likelihood, from so many of the points."""
    optimize: Any = importlib.import_module("scipy.optimize")  # a third of a second, so only where it is needed

    some = rng.permutation(len(y))[:points]
    scale = float(y[some].std()) or 1.0
    given = (x[some], (y[some] - y[some].mean()) / scale, noise[some] / scale**2)
    limits = [(-5.0, 4.0), *[(_SHORTEST, _LONGEST)] * x.shape[1], (np.log(1e-5), np.log(2.0))]
    options = {"maxiter": 60, "ftol": 1e-6}
    starts = [np.concatenate([[0.0], np.full(x.shape[1], np.log(length)), [np.log(0.05)]]) for length in lengths]
    tried = [
        optimize.minimize(_loss, start, given, jac=True, bounds=limits, method="L-BFGS-B", options=options)
        for start in starts
    ]
    found = min(tried, key=lambda one: float(one.fun))
    variance, *found_lengths, nugget = np.exp(found.x).tolist()
    return Matern(variance * scale**2, np.array(found_lengths), nugget * scale**2)


def _loss(theta: Array, x: Array, y: Array, noise: Array) -> tuple[float, Array]:
    """Return the negative logarithm of the likelihood over n, and its gradient; `theta` are logarithms."""
    variance, lengths, nugget = np.exp(theta[0]), np.exp(theta[1:-1]), np.exp(theta[-1])
    scaled = x / lengths
    far = np.sqrt(5 * squares(scaled, scaled))
    decay = np.exp(-far)
    covariance = variance * (1 + far + far**2 / 3) * decay
    whole = covariance + np.diag(noise + nugget + 1e-8)
    factor: Array = _LINEAR.cholesky(whole)
    inverse: Array = _LINEAR.inv(whole)
    weights: Array = inverse @ y
    n = len(y)
    value = (0.5 * y @ weights + np.log(np.diag(factor)).sum()) / n
    slope: Array = np.outer(weights, weights) - inverse
    gradient = np.empty_like(theta)
    gradient[0] = (slope * covariance).sum()
    shared: Array = slope * (variance * 5 / 3 * (1 + far) * decay)
    total: Array = shared.sum(1)
    # sum over pairs of shared * (a - b)^2, by coordinate
    gradient[1:-1] = 2 * ((scaled**2 * total[:, None]).sum(0) - (scaled * (shared @ scaled)).sum(0))
    gradient[-1] = np.trace(slope) * nugget
    return float(value), -0.5 * gradient / n
