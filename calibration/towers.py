"""Estimates of the long-run means of each simulated tower, from its own games and from similar towers.

The mean of a tower's few games and a quadratic regression on the free numbers are combined as normal: the estimator of
Fay and Herriot for small areas (Journal of the American Statistical Association 74, 1979, 269). Otherwise towers whose
few games agree with the evidence by chance would be preferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from tower_sim.calibration.prior import NAMES, numbers
from tower_sim.calibration.summaries import WHOLE, Array, Window
from tower_sim.runs.by_drop import ByDrop

NEAR = 120  # towers with about as many cubes inside, over which the variance between games is averaged
LEAST = 0.02  # sd of a summary between games, on the scale of the fit


@dataclass(frozen=True, slots=True)
class Predicted:
    """A summary of S towers: its long-run `mean`, the standard `error` of this mean, and the sd between `games`, each
    (S,).

    Source of the error: Prasad and Rao, Journal of the American Statistical Association 85 (1990) 163, first two terms.
    """

    mean: Array
    error: Array
    games: Array


class Towers:
    """The simulated towers with two or more complete games; `number` is the row of each in the table."""

    def __init__(self, unit: Array, games: ByDrop, base: Array | None = None) -> None:
        """Take points of the table, shape (N, 10), games, shape (N, games, drops), and how much each tower counts."""
        whole = (games.thrown[..., -1] >= 0).sum(1) >= 2
        self.number = np.flatnonzero(whole)
        self.unit = unit[whole]
        self.base = np.ones(len(self.unit)) if base is None else base[whole]
        self.games = games.take(whole)
        self._known: dict[Window, Predicted] = {}
        self._solutions: dict[bytes, Array] = {}

    @cached_property
    def numbers(self) -> Array:
        """Return the free numbers of each tower, in the order of NUMBERS, shape (S, 10)."""
        return np.array([list(numbers(unit).values()) for unit in self.unit])

    def at(self, window: Window) -> Predicted:
        if window not in self._known:
            self._known[window] = self._estimate(window)
        return self._known[window]

    def correlation(self, windows: Sequence[Window]) -> Array:
        """Return the correlation of n summaries over games of one tower, pooled over all towers, shape (n, n)."""
        columns = [(window.of(self.games), self.at(window).games) for window in windows]
        scores = np.stack([(of - _average(of)[:, None]) / sd[:, None] for of, sd in columns], 2)
        scores = scores.reshape(-1, len(windows))
        known = ~np.isnan(scores)
        clipped = np.where(known, np.clip(scores, -3, 3), 0.0)  # so that a few jammed games do not decide the result
        both = clipped.T @ clipped / np.maximum(known.T.astype(float) @ known, 1)
        sd = np.sqrt(np.maximum(np.diagonal(both), 1e-9))
        values, vectors = np.linalg.eigh(both / sd[:, None] / sd)
        positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
        sd = np.sqrt(np.diagonal(positive))
        return 0.98 * positive / sd[:, None] / sd + 0.02 * np.eye(len(sd))

    def deviations(self, windows: Sequence[Window]) -> Array:
        """Return how far a game of each tower is off its long-run means, in sd between games, shape (S, n).

        It is the difference of two games over the root of two, so both signs are as likely.
        """
        columns = [(window.of(self.games), self.at(window).games) for window in windows]
        return np.stack([np.nan_to_num(of[:, 0] - of[:, 1]) / (np.sqrt(2) * sd) for of, sd in columns], 1)

    def like(self, rows: Array, number: int, rng: np.random.Generator) -> Array:
        """Return `number` random towers for each of `rows` that keep about as many cubes, shape (rows, number)."""
        drawn = rng.integers(min(NEAR, len(self.unit)), size=(len(rows), number))
        return self._order[self._first[rows, None] + drawn]

    def _estimate(self, window: Window) -> Predicted:
        of = window.of(self.games)
        count, mean = (~np.isnan(of)).sum(1), _average(of)
        games = np.sqrt(np.maximum(self._pool(of), LEAST**2))
        is_known = count > 0
        own = np.where(is_known, games**2 / np.maximum(count, 1), np.inf)
        line = self._design @ self._solve(is_known)  # maps known means to the values of the regression
        alike = line @ mean[is_known]
        free = max(is_known.sum() - self._design.shape[1], 1)
        rest = ((mean - alike)[is_known] ** 2).sum() / free - own[is_known].mean()
        spread = max(rest, 1e-4)
        weight = spread / (spread + own)  # of the tower's own games
        both = np.where(is_known, weight * np.where(is_known, mean, 0.0) + (1 - weight) * alike, alike)
        of_line = line**2 @ (spread + own[is_known])  # the variance of the regression's values
        error = np.sqrt(spread * (1 - weight) + (1 - weight) ** 2 * of_line)
        return Predicted(both, error, games)

    def _solve(self, is_known: Array) -> Array:
        mask = is_known.tobytes()
        if mask not in self._solutions:
            x = self._design[is_known]
            self._solutions[mask] = np.linalg.pinv(x.T @ x, rcond=1e-10, hermitian=True) @ x.T
        return self._solutions[mask]

    @cached_property
    def _order(self) -> Array:
        return np.argsort(_average(WHOLE["inside"].of(self.games)), kind="stable")

    @cached_property
    def _first(self) -> npt.NDArray[np.int64]:
        place = np.empty(len(self.unit), np.int64)
        place[self._order] = np.arange(len(place))
        return np.clip(place - NEAR // 2, 0, max(len(place) - NEAR, 0))

    def _pool(self, of: Array) -> Array:
        """Return the variance between games of a tower, averaged over NEAR towers that keep about as many cubes."""
        rest = np.nan_to_num(of - _average(of)[:, None]) ** 2
        free = np.maximum((~np.isnan(of)).sum(1) - 1, 0)
        squares, degrees = (np.cumsum(np.concatenate([[0.0], each[self._order]])) for each in (rest.sum(1), free))
        low, high = self._first, np.minimum(self._first + NEAR, len(of))
        return (squares[high] - squares[low]) / np.maximum(degrees[high] - degrees[low], 1)

    @cached_property
    def _design(self) -> Array:
        table = self.numbers.copy()
        table[:, NAMES.index("rate")] = np.log(table[:, NAMES.index("rate")])
        grid = table[:, NAMES.index("grid")].astype(int)
        plain = np.column_stack([np.delete(table, NAMES.index("grid"), 1), grid & 1, grid >> 1])
        plain = (plain - plain.mean(0)) / plain.std(0)
        pairs = [plain[:, i] * plain[:, j] for i, j in combinations_with_replacement(range(plain.shape[1]), 2)]
        return np.column_stack([np.ones(len(plain)), plain, *pairs])


def _average(of: Array) -> Array:
    count = (~np.isnan(of)).sum(1)
    return np.where(count > 0, np.nansum(of, axis=1) / np.maximum(count, 1), np.nan)
