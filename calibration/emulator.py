"""The emulator: Gaussian processes that predict, anywhere in the prior, the mean and spread over games of a summary.

One process for each summary and moment, over what the free numbers make of the tower (`parameters.features`, each from
0 to 1), fitted to the games of a design. Sources: Kennedy and
O'Hagan, Journal of the Royal Statistical Society B 63 (2001) 425; Rasmussen and Williams, Gaussian Processes for
Machine Learning, 2006, chapter 2.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import digamma, polygamma

from tower_sim.calibration.design import Design
from tower_sim.calibration.parameters import FEATURES, features
from tower_sim.calibration.summaries import DROPS, Array, Window, seventh
from tower_sim.errors import UsageError
from tower_sim.extras import extra

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
        self._kernels: dict[str, Any] = {name: _start().clone_with_theta(x) for name, x in (kernels or {}).items()}
        self._fitted: dict[tuple[Window, str], tuple[Any, float, float]] = {}
        self._known: dict[tuple[Window, str, bytes], tuple[Array, Array]] = {}  # fits begin with the same points

    def kernels_of(self, window: Window) -> dict[str, list[float]]:
        """Return the kernels that `window` needs, found if they were not."""
        self.at(window, self.design.unit[:1])
        return self.kernels

    @property
    def kernels(self) -> dict[str, list[float]]:
        """The kernels found so far."""
        return {name: np.round(kernel.theta, 6).tolist() for name, kernel in sorted(self._kernels.items())}

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
            mean, sd = _predicted(process, x)
            self._known[key] = centre + scale * mean, scale * sd
        return self._known[key]

    def _fit(self, window: Window, moment: str) -> tuple[Any, float, float]:
        key = (window, moment)
        if key not in self._fitted:
            x, values, noise = self._data(window, moment)
            centre, scale = float(values.mean()), float(values.std()) or 1.0
            kernel = self._kernel(window, moment)
            process = _process(kernel, noise / scale**2, None).fit(x, (values - centre) / scale)
            self._fitted[key] = (process, centre, scale)
        return self._fitted[key]

    def _kernel(self, window: Window, moment: str) -> Any:
        name = f"{window.summary} {moment}"
        if name not in self._kernels:
            x, values, noise = (each[:: -(-len(each) // SOUGHT)] for each in self._data(_whole(window), moment))
            scale = float(values.std()) or 1.0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a length at its bound: the summary does not depend on that number
                process = _process(_start(), noise / scale**2, "fmin_l_bfgs_b").fit(x, (values - values.mean()) / scale)
            self._kernels[name] = process.kernel_
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


def _start() -> Any:
    kernels = extra("sklearn.gaussian_process.kernels", "calibrate")
    lengths = np.full(len(FEATURES), 1.5)
    smooth = kernels.Matern(lengths, (0.1, 30.0), nu=2.5)
    return kernels.ConstantKernel(1.0, (1e-3, 1e2)) * smooth + kernels.WhiteKernel(1e-2, (1e-5, 1.0))


def _predicted(process: Any, x: Array) -> tuple[Array, Array]:
    """Return the mean and sd of a process with the kernel of `_start` at `x`, shape (S, features): each (S,).

    The same as scikit-learn's to rounding, in half the time and a small part of the memory.
    """
    scale = np.asarray(process.kernel_.k1.k2.length_scale)
    variance, noise = process.kernel_.k1.k1.constant_value, process.kernel_.k2.noise_level
    seen = process.X_train_ / scale
    middle = seen.mean(0)
    seen = seen - middle
    mean, sd = np.empty(len(x)), np.empty(len(x))
    for first in range(0, len(x), CHUNK):
        part = slice(first, first + CHUNK)
        here = x[part] / scale - middle
        squares = (here**2).sum(1)[:, None] + (seen**2).sum(1) - 2 * here @ seen.T
        far = np.sqrt(5 * np.maximum(squares, 0))
        covariance = variance * (1 + far + far**2 / 3) * np.exp(-far)
        mean[part] = covariance @ process.alpha_
        known = solve_triangular(process.L_, covariance.T, lower=True, check_finite=False)
        sd[part] = np.sqrt(np.maximum(variance + noise - (known**2).sum(0), 1e-12))
    return mean, sd


def _process(kernel: Any, noise: Array, optimizer: str | None) -> Any:
    gaussian = extra("sklearn.gaussian_process", "calibrate")
    return gaussian.GaussianProcessRegressor(kernel, alpha=np.maximum(noise, 1e-8), optimizer=optimizer)
