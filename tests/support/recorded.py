"""Games and laws for calibration, without physics."""

import numpy as np

from tower_sim.calibration import summaries
from tower_sim.calibration.emulator import Predicted
from tower_sim.calibration.records import Record
from tower_sim.calibration.summaries import Window
from tower_sim.calibration.watched import AgedDrop

COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white")


def game(rng: np.random.Generator, thrown_out: float = 0.71, sticky: float = 1.0) -> list[AgedDrop]:
    """Play Amerigo with cubes that toss coins: a thrown one leaves with `thrown_out`, one inside the less the older.

    The odds of white cubes are `sticky` times as great.
    """
    age = np.full(49, -1)  # -1: outside
    found: list[AgedDrop] = []
    colour = np.repeat(np.arange(7), 7)
    for drop in range(36):
        thrown = (age < 0) & ((colour == (drop - 1) % 7) | (drop == 0))
        if not thrown.any():
            continue
        age[thrown] = 0
        odds = np.where(age > 0, 0.3 / np.maximum(age, 1), thrown_out / (1 - thrown_out))
        odds = np.where(colour == 6, sticky, 1) * odds
        leaves = (age >= 0) & (rng.random(49) < odds / (1 + odds))
        stays = (age >= 0) & ~leaves
        thrown_by, out_by, inside_by = (
            {name: int((colour[rows] == i).sum()) for i, name in enumerate(COLOURS)} for rows in (thrown, leaves, stays)
        )
        out = tuple(age[leaves].tolist())
        now = Record(len(found), thrown_by, out_by, inside_by)
        found.append(AgedDrop(now, (*out, *age[stays].tolist()), out))
        age = np.where(stays, age + 1, -1)
    return found


class Line:
    """An emulator that knows: the log odds of cubes inside fall with the opening, nothing else matters."""

    slope = -4.0

    def __init__(self, error: float = 0.0, games: float = 0.3) -> None:
        self.error, self.games = error, games

    def at(self, window: Window, unit: np.ndarray) -> Predicted:
        mean = 1.0 + self.slope * unit[:, 0]
        if window.summary == "out":
            mean = summaries.seventh(mean)
        return Predicted(mean, np.full(len(unit), self.error), np.full(len(unit), self.games))

    def correlation(self, found: tuple[Window, ...]) -> np.ndarray:
        return np.eye(len(found))
