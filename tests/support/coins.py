"""Towers of coins for calibration: games of Amerigo with them at points of the unit cube, and what predicts these."""

from collections.abc import Sequence

import numpy as np

from tower_sim.calibration.emulator import Predicted
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.summaries import CUBES, DROPS, SUMMARIES, Window, game_counts
from tower_sim.runs.by_drop import ByDrop

COLOUR = np.repeat(np.arange(7), 7)


def thrown_leave(unit: np.ndarray) -> np.ndarray:
    """The chance with which a cube that is thrown comes out, 0.4 to 0.95 by the first coordinate."""
    return 0.4 + 0.55 * unit[..., 0]


def residents_leave(unit: np.ndarray) -> np.ndarray:
    """The chance with which a cube inside comes out, 0.02 to 0.5 by the second coordinate."""
    return 0.02 + 0.48 * unit[..., 1]


def play(unit: np.ndarray, games: int, rng: np.random.Generator) -> ByDrop:
    """Play games at points of the unit cube, shape (points, numbers); all cubes toss their own coins."""
    shape = (len(unit), games, CUBES)
    is_in = np.zeros(shape, bool)
    columns: list[list[np.ndarray]] = []
    for drop in range(DROPS):
        is_thrown = ~is_in & ((drop == 0) | ((drop - 1) % 7 == COLOUR))
        coin = np.where(is_thrown, thrown_leave(unit)[:, None, None], residents_leave(unit)[:, None, None])
        was_in = is_in.copy()
        moves = is_thrown.any(-1, keepdims=True)
        leaves = (is_thrown | is_in) & (rng.random(shape) < coin) & moves
        is_in = (is_in | is_thrown) & ~leaves
        by_colour = leaves.reshape(*shape[:2], 7, 7).sum(-1)
        own = (drop == 0) | ((drop - 1) % 7 == COLOUR)
        others = np.delete(by_colour, (drop - 1) % 7, axis=-1).max(-1) if drop else np.zeros(shape[:2])
        counts = (
            is_thrown.sum(-1),
            leaves.sum(-1),
            is_in.sum(-1),
            ((was_in | is_thrown) & own & moves).sum(-1),
            (leaves & own).sum(-1),
            (by_colour > 0).sum(-1),
            others,
            (leaves & was_in).sum(-1),
        )
        columns.append([np.asarray(count) for count in counts])
    return game_counts(*(np.stack(column, -1).astype(np.int16) for column in zip(*columns, strict=True)))


def drawn(points: int, seed: int) -> np.ndarray:
    """Draw points of the unit cube."""
    return np.random.default_rng(seed).random((points, len(NUMBERS)))


class Quadratic:
    """Predicts summaries by a polynomial of the two coordinates that matter, fitted to games at points."""

    def __init__(self, unit: np.ndarray, games: ByDrop) -> None:
        self.unit, self.games = unit, games
        self._fitted: dict[Window, tuple[np.ndarray, float, float]] = {}

    def at(self, window: Window, unit: np.ndarray) -> Predicted:
        """Predict a summary."""
        weights, error, games = self._fit(window)
        return Predicted(_terms(unit) @ weights, np.full(len(unit), error), np.full(len(unit), games))

    def correlation(self, windows: Sequence[Window]) -> np.ndarray:
        """Return the correlation of summaries over games of one tower."""
        columns = [window.of(self.games) for window in windows]
        rest = np.stack([(x - x.mean(1, keepdims=True)).ravel() for x in columns])
        return np.corrcoef(rest).reshape(len(windows), len(windows))

    def _fit(self, window: Window) -> tuple[np.ndarray, float, float]:
        if window not in self._fitted:
            of = window.of(self.games)
            count = (~np.isnan(of)).sum(1)
            mean = np.nansum(of, axis=1) / np.maximum(count, 1)
            known = count > 1
            terms = _terms(self.unit[known])
            weights = np.linalg.lstsq(terms, mean[known], rcond=None)[0]
            variance = float(np.nanvar(of[known], axis=1, ddof=1).mean())
            miss = float(np.mean((mean[known] - terms @ weights) ** 2)) - variance / of.shape[1]
            self._fitted[window] = weights, max(miss, 1e-4) ** 0.5, variance**0.5
        return self._fitted[window]


def _terms(unit: np.ndarray) -> np.ndarray:
    x, y = unit[:, 0], unit[:, 1]
    return np.stack([x**i * y**j for i in range(4) for j in range(4 - i)], 1)


def told_by_hand(games: ByDrop, name: str) -> float:
    """Return the mean over games of a summary of whole games, in its own unit."""
    summary = SUMMARIES[name]
    return float(summary.back(float(np.nanmean(Window(name, 1, DROPS).of(games)))))
