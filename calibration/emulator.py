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
from tower_sim.calibration.summaries import DROPS, WHOLE, Array, Window, seventh
from tower_sim.errors import UsageError
from tower_sim.gaussian import Matern, best_kernel

KERNELS = Path(__file__).with_name("kernels.json")  # of the design that ships
SOUGHT = 384  # design points at most from which a kernel is found; the time grows with their cube
CHUNK = 1024  # points predicted at once
LEAST = 30  # design points with two games or more, to fit a process
GROUPS, GROUP = 8, 60  # at most so many groups of towers, of so many or more, in which games' spread is compared
PRIOR = 30  # towers that differ as much as the process says, added to each group: few games that clog must not decide
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
        self._ratios: dict[Window, tuple[Array, Array]] = {}
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
        return Predicted(mean, error, np.exp(spread / 2 + unsure**2 / 4) * self._wider(window, x))

    def _wider(self, window: Window, x: Array) -> Array:
        """Return how many times as much games differ as their process says, by what the tower keeps, shape (S,).

        A process through logarithms of variances is of the middle tower. Where towers of one kind differ (near
        clogging one game stops and the next does not), the mean variance is more: the ratio of the sums of both over
        towers that keep about as many, each predicted from all others.
        """
        if window not in self._ratios:
            self._ratios[window] = self._found_ratios(window)
        inside, _ = self._predict(WHOLE["inside"], "mean", x)
        return np.interp(inside, *self._ratios[window])

    def _found_ratios(self, window: Window) -> tuple[Array, Array]:
        """Return the middles of groups of towers by what they keep, and the ratio of each."""
        mine, _, values, noise = self._data(window, "spread")
        miss, own = self._missed(window, "spread")
        seen = np.nanvar(window.of(self.design.games)[mine], axis=1, ddof=1) + TINY**2
        said = np.exp(values - miss + np.maximum(own**2 - noise, 0) / 2)
        inside = self._predict(WHOLE["inside"], "mean", self._x[mine])[0]
        groups = np.array_split(np.argsort(inside, kind="stable"), max(min(GROUPS, len(seen) // GROUP), 1))
        middles = np.array([np.median(inside[group]) for group in groups])
        ratios = np.array([(PRIOR + seen[g].sum() / said[g].mean()) / (PRIOR + len(g)) for g in groups])
        return middles, np.sqrt(ratios)

    def _missed(self, window: Window, moment: str) -> tuple[Array, Array]:
        """Return how far each value lies from what all others say of it, and the sd of that with the value's noise.

        Source: Rasmussen and Williams, equations 5.10 to 5.12.
        """
        process, _, scale = self._fit(window, moment)
        own = 1 / np.diagonal(cho_solve((process.factor, True), np.eye(len(process.weights))))
        return scale * process.weights * own, scale * np.sqrt(own)

    def correlation(self, windows: Sequence[Window]) -> Array:
        """Return the correlation of n summaries over games of one tower, pooled over the design, shape (n, n)."""
        if len(windows) == 1:
            return np.ones((1, 1))
        columns = [window.of(self.design.games) for window in windows]
        rest = np.stack([column - _mean(column)[:, None] for column in columns], 2)
        sd = np.stack([np.exp(self._predict(window, "spread", self._x)[0] / 2) for window in windows], 1)
        return correlated((rest / sd[:, None, :]).reshape(-1, len(windows)))

    def left_out(self, window: Window) -> tuple[Array, Array, Array]:
        """Predict the mean of each tower of the design from all the others: mean, error, standard score of its games.

        The score is NaN where a tower has no two games.
        """
        mean, error = (each.copy() for each in self._predict(window, "mean", self._x))
        score = np.full(len(mean), np.nan)
        mine, _, values, noise = self._data(window, "mean")
        miss, own = self._missed(window, "mean")
        mean[mine] = values - miss
        error[mine] = np.sqrt(np.maximum(own**2 - noise, 1e-3 * own**2))
        score[mine] = miss / own
        return mean, error, score

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
            _, x, values, noise = self._data(window, moment)
            centre, scale = float(values.mean()), float(values.std()) or 1.0
            process = _through(self._kernel(window, moment), x, (values - centre) / scale, noise / scale**2)
            self._fitted[key] = (process, centre, scale)
        return self._fitted[key]

    def _kernel(self, window: Window, moment: str) -> Matern:
        name = f"{window.summary} {moment}"
        if name not in self._kernels:
            x, values, noise = (each[:: -(-len(each) // SOUGHT)] for each in self._data(_whole(window), moment)[1:])
            scale = float(values.std()) or 1.0
            given = x, (values - values.mean()) / scale, noise / scale**2
            self._kernels[name] = best_kernel(*given, np.random.default_rng(0), (1.5,), len(x))
        return self._kernels[name]

    def _data(self, window: Window, moment: str) -> tuple[Array, Array, Array, Array]:
        """Return which points have games enough, and their coordinates, values and noise variance."""
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
            return mine, x, np.log(variance) - digamma(half) + np.log(half), polygamma(1, half)
        smooth, _ = self._predict(window, "spread", x)
        return mine, x, _mean(of), np.exp(smooth) / count


def shipped_kernels() -> Kernels:
    """Read the kernels found for the design that ships; raises UsageError when the file is damaged."""
    try:
        return json.loads(KERNELS.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"kernels {KERNELS} cannot be read ({error}); install tower_sim again") from error


def correlated(rows: Array) -> Array:
    """Return the correlation of columns of standard scores, each pair over the rows that have both, made definite."""
    known = ~np.isnan(rows)
    held = np.where(known, np.clip(rows, -3, 3), 0.0)  # few games that jam must not decide it
    held -= held.sum(0) / np.maximum(known.sum(0), 1) * known
    both = held.T @ held / np.maximum(known.T.astype(float) @ known, 1)
    sd = np.sqrt(np.maximum(np.diagonal(both), 1e-9))
    values, vectors = np.linalg.eigh(both / sd[:, None] / sd)
    made = (vectors * np.maximum(values, 0.0)) @ vectors.T
    sd = np.sqrt(np.diagonal(made))
    return 0.98 * made / sd[:, None] / sd + 0.02 * np.eye(len(sd))


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
