"""The emulator: Gaussian processes that predict, anywhere in the prior, the mean and spread over games of a summary.

One process for each summary and moment, over what the free numbers make of the tower (`parameters.features`, each from
0 to 1), fitted to the games of a design. Sources: Kennedy and
O'Hagan, Journal of the Royal Statistical Society B 63 (2001) 425; Rasmussen and Williams, Gaussian Processes for
Machine Learning, 2006, chapter 2.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import digamma, polygamma

from tower_sim.calibration.design import Design
from tower_sim.calibration.parameters import features
from tower_sim.calibration.summaries import DROPS, Array, Window, seventh
from tower_sim.errors import UsageError
from tower_sim.gaussian import Matern, best_kernel

KERNELS = Path(__file__).with_name("kernels.json")  # of the design that ships
SOUGHT = 384  # design points at most from which a kernel is found; the time grows with their cube
CHUNK = 1024  # points predicted at once
LEAST = 30  # design points with two games or more, to fit a process
TINY = 0.03  # sd of a summary that never changed in the games seen
Kernels = Mapping[str, Sequence[float]]  # logarithms of a kernel's parameters, by `SUMMARY MOMENT`


@dataclass(frozen=True, slots=True)
class Predicted:
    """A summary at S points: `mean` over games, the `error` (sd) of that prediction, the sd between `games`."""

    mean: Array
    error: Array
    games: Array


class Emulator:
    """Predicts summaries of games from a design.

    Kernels are found by maximum likelihood for whole games, once for each summary and moment, from every second or
    third design point and so on where there are more than SOUGHT, unless `kernels` has them; other windows of the same
    summary use them too.
    """

    def __init__(self, design: Design, kernels: Kernels | None = None) -> None:
        self.design = design
        self._x = features(design.unit)
        self._kernels = {name: _of_logarithms(theta) for name, theta in (kernels or {}).items()}
        self._fitted: dict[tuple[Window, str], tuple[_Process, float, float]] = {}
        self._known: dict[tuple[Window, str, bytes], tuple[Array, Array]] = {}  # fits begin with the same points

    def kernels_of(self, window: Window) -> dict[str, list[float]]:
        """Return the kernels that `window` needs, found if they were not."""
        self.at(window, self.design.unit[:1])
        return self.kernels

    @property
    def kernels(self) -> dict[str, list[float]]:
        """The kernels found so far."""
        return {name: _logarithms(kernel) for name, kernel in sorted(self._kernels.items())}

    def at(self, window: Window, unit: Array) -> Predicted:
        """Predict the summary `window` of a game in the S towers at `unit`, shape (S, numbers).

        What comes out is predicted over what a tower that keeps so many can let out: the `error` is then of that ratio,
        beside the error of what stays inside. The variance between games is the mean over what the logarithm of it may
        be, not its middle: few towers whose games differ much matter most.
        """
        x = features(unit)
        spread, unsure = self._predict(window, "spread", x)
        if window.summary == "out":
            inside, _ = self._predict(replace(window, summary="inside"), "mean", x)
            turn, error = self._predict(replace(window, summary="turn"), "mean", x)
            mean = seventh(inside) + turn
        else:
            mean, error = self._predict(window, "mean", x)
        return Predicted(mean, error, np.exp(spread / 2 + unsure**2 / 4))

    def correlation(self, windows: Sequence[Window]) -> Array:
        """Return the correlation of n summaries over games of one tower, pooled over the design, shape (n, n)."""
        if len(windows) == 1:
            return np.ones((1, 1))
        columns = [window.of(self.design.games) for window in windows]
        rest = np.stack([column - _mean(column)[:, None] for column in columns], 2)
        sd = np.stack([np.exp(self._predict(window, "spread", self._x)[0] / 2) for window in windows], 1)
        rows = (rest / sd[:, None, :]).reshape(-1, len(windows))
        rows = np.clip(rows[~np.isnan(rows).any(1)], -3, 3)  # few games that jam must not decide it
        return 0.98 * np.corrcoef(rows.T) + 0.02 * np.eye(len(windows))

    def _predict(self, window: Window, moment: str, x: Array) -> tuple[Array, Array]:
        key = window, moment, hashlib.sha256(x.tobytes()).digest()
        if key not in self._known:
            process, centre, scale = self._fit(window, moment)
            mean, sd = process.at(x)
            self._known[key] = centre + scale * mean, scale * sd
        return self._known[key]

    def _fit(self, window: Window, moment: str) -> tuple[_Process, float, float]:
        key = (window, moment)
        if key not in self._fitted:
            x, values, noise = self._data(window, moment)
            centre, scale = float(values.mean()), float(values.std()) or 1.0
            process = _through(self._kernel(window, moment), x, (values - centre) / scale, noise / scale**2)
            self._fitted[key] = (process, centre, scale)
        return self._fitted[key]

    def _kernel(self, window: Window, moment: str) -> Matern:
        name = f"{window.summary} {moment}"
        if name not in self._kernels:
            x, values, noise = (each[:: -(-len(each) // SOUGHT)] for each in self._data(_whole(window), moment))
            scale = float(values.std()) or 1.0
            given = x, (values - values.mean()) / scale, noise / scale**2
            self._kernels[name] = best_kernel(*given, np.random.default_rng(0), (1.5,), len(x))
        return self._kernels[name]

    def _data(self, window: Window, moment: str) -> tuple[Array, Array, Array]:
        """Return coordinates, values and their noise variance, of the points with games enough."""
        of = window.of(self.design.games)
        count = (~np.isnan(of)).sum(1)
        mine = count >= 2
        if mine.sum() < LEAST:
            raise UsageError(
                f"design points with two games or more = {mine.sum()}; allowed is at least {LEAST}; play more of them"
            )
        x, of, count = self._x[mine], of[mine], count[mine]
        if moment == "spread":  # the log of a sample variance: its bias and noise, were games normal
            half = (count - 1) / 2
            variance = np.nanvar(of, axis=1, ddof=1) + TINY**2
            return x, np.log(variance) - digamma(half) + np.log(half), polygamma(1, half)
        smooth, _ = self._predict(window, "spread", x)
        return x, _mean(of), np.exp(smooth) / count


def shipped_kernels() -> Kernels:
    """Read the kernels found for the design that ships; raises UsageError when the file is damaged."""
    try:
        return json.loads(KERNELS.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"kernels {KERNELS} cannot be read ({error}); install tower_sim again") from error


def _whole(window: Window) -> Window:
    """Return the window of the same summary that takes in a whole game."""
    return Window(window.summary, 0, 1) if window.summary == "setup" else Window(window.summary, 1, DROPS)


def _mean(games: Array) -> Array:
    """Return the mean over games; NaN where there is none."""
    count = (~np.isnan(games)).sum(1)
    return np.where(count > 0, np.nansum(games, axis=1) / np.maximum(count, 1), np.nan)


def _of_logarithms(theta: Sequence[float]) -> Matern:
    variance, *lengths, nugget = np.exp(theta).tolist()
    return Matern(variance, np.array(lengths), nugget)


def _logarithms(kernel: Matern) -> list[float]:
    return np.round(np.log([kernel.variance, *kernel.lengths, kernel.nugget]), 6).tolist()


@dataclass(frozen=True, slots=True)
class _Process:
    """A process of mean 0 through points `x`: the `factor` of their covariance, and the `weights` of its mean."""

    kernel: Matern
    x: Array
    factor: Array
    weights: Array

    def at(self, x: Array) -> tuple[Array, Array]:
        """Return the mean and the sd, with the nugget, at `x`, shape (S, features): each (S,)."""
        mean, sd = np.empty(len(x)), np.empty(len(x))
        variance = self.kernel.variance + self.kernel.nugget
        for first in range(0, len(x), CHUNK):
            part = slice(first, first + CHUNK)
            covariance = self.kernel.between(x[part], self.x)
            mean[part] = covariance @ self.weights
            known = solve_triangular(self.factor, covariance.T, lower=True, check_finite=False)
            sd[part] = np.sqrt(np.maximum(variance - (known**2).sum(0), 1e-12))
        return mean, sd


def _through(kernel: Matern, x: Array, y: Array, noise: Array) -> _Process:
    """Return the process through values `y` at points `x`, shape (n, features); `noise` is the variance of each."""
    covariance = kernel.between(x, x) + np.diag(np.maximum(noise, 1e-8) + kernel.nugget)
    factor = cholesky(covariance, lower=True)
    return _Process(kernel, x, factor, cho_solve((factor, True), y))
