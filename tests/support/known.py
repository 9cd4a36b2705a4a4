"""Towers whose long-run means are known, for laws and fits that are worked out by hand."""

from collections.abc import Mapping, Sequence

import numpy as np

from tower_sim.calibration.prior import NAMES, Predicted
from tower_sim.calibration.summaries import Window


class KnownTowers:
    """Means by summary, each of all towers or of each one, on the scale of the fit; 0 for all others; none clogs."""

    def __init__(
        self, means: Mapping[str, float | Sequence[float]], error: float = 0.0, games: float = 0.1, number: int = 1
    ) -> None:
        self.means, self.error, self.games = means, error, games
        self.unit = np.full((number, len(NAMES)), 0.5)
        self.base = np.ones(number)
        self.clogs = np.tile([[1e-9], [1.0]], number)
        self.numbers = np.tile(np.arange(number, dtype=float)[:, None], (1, len(NAMES)))

    def at(self, window: Window) -> Predicted:
        values = self.means.get(window.summary, 0.0), self.error, self.games
        return Predicted(*(np.broadcast_to(np.asarray(value, float), len(self.unit)).copy() for value in values))

    def draw(
        self, windows: Sequence[Window], rows: np.ndarray, rng: np.random.Generator, *_: object
    ) -> tuple[np.ndarray, ...]:
        """Draw normal means."""
        normal = [rng.normal(at.mean[rows], at.error[rows]) for at in map(self.at, windows)]
        return np.stack(normal, 1), np.zeros(len(rows))

    def correlation(self, windows: Sequence[Window]) -> np.ndarray:
        """Return that summaries of a game vary independently."""
        return np.eye(len(windows))
