"""A calibration that no simulation is behind, for tests of what is written of one."""

from collections.abc import Sequence

import numpy as np

from tower_sim.calibration.evidence import GAMES, PHASE, SAID, Evidence
from tower_sim.calibration.fit import TARGETS, Discrepancy, Fit, Interval, Posterior, PredictiveCheck
from tower_sim.calibration.parameters import NUMBERS, fields, values
from tower_sim.calibration.result import Budget, Calibration, Chosen, Confirmed, ConfirmedSummary, GamesMean
from tower_sim.calibration.summaries import SUMMARIES, WHOLE

DRAWS = 400
MIDDLE = {"setup": 20.0, "inside": 11.0, "out": 5.5, "own": 0.7, "spread": 1.8}


def scaled(summary: str, value: float) -> float:
    return float(SUMMARIES[summary].scale(value))


def evidence() -> tuple[Evidence, ...]:
    """Two recorded games, a worked example of a phase, and words."""
    games = tuple(WHOLE[name] for name in MIDDLE)
    return (
        Evidence("mine.csv, 2 games", "2 games of 36 recorded drops", "mine.csv", "measurement", games,
                 tuple(scaled(name, value) for name, value in MIDDLE.items()), GAMES, 2),
        Evidence("book", "8 | come\nout", "a book", "worked example", (WHOLE["out"],), (scaled("out", 8.0),), PHASE,
                 doubt=2.0),
        Evidence("club", "about 12 inside", "a club", "impression", (WHOLE["inside"],), (scaled("inside", 12.0),), SAID,
                 said=0.3),
    )  # fmt: skip


def posterior(rng: np.random.Generator, unit: np.ndarray, effective: float, wide: float) -> Posterior:
    targets = {name: MIDDLE[name] + wide * rng.normal(size=len(unit)) for name in TARGETS}
    return Posterior(unit, targets, effective, -3.5, targets)


def checks(found: Sequence[Evidence], width: float) -> tuple[PredictiveCheck, ...]:
    made: list[PredictiveCheck] = []
    for each in found:
        for window, value in zip(each.windows, each.values, strict=True):
            seen = float(SUMMARIES[window.summary].back(value))
            span = Interval(seen * (1 - width), seen * (1 + width / 3), seen * (1 + width))
            made.append(PredictiveCheck(each.name, window, seen, span, 0.4))
    return tuple(made)


def confirmed(rng: np.random.Generator, number: int) -> tuple[Confirmed, ...]:
    found: list[Confirmed] = []
    for _ in range(number):
        unit = rng.random(len(NUMBERS)).tolist()
        compared = [
            ConfirmedSummary(n, scaled(n, v), 0.1, scaled(n, v) + 0.2 * rng.normal(), 0.15, 4)
            for n, v in MIDDLE.items()
        ]
        found.append(Confirmed(values(unit), tuple(compared)))
    return tuple(found)


def calibration() -> Calibration:
    """A calibration in which the edge and the tube are known, together; nothing in it is of a simulation."""
    rng = np.random.default_rng(7)
    unit = rng.random((DRAWS, len(NUMBERS)))
    unit[:, 0] = 0.3 + 0.4 * unit[:, 1] + 0.05 * rng.normal(size=DRAWS)
    unit[:, 1] = 0.2 + 0.5 * unit[:, 1]
    known = evidence()
    fit = Fit(known, Discrepancy(), posterior(rng, rng.random((DRAWS, len(NUMBERS))), 24576.0, 3.0),
              posterior(rng, unit, 1234.0, 0.8), checks(known, 0.3), checks(known, 0.5))  # fmt: skip
    at = [0.5] * len(NUMBERS)
    single = {name: tuple((MIDDLE[name] + 2 * rng.normal(size=40)).tolist()) for name in TARGETS}
    means = {
        name: GamesMean(float(np.mean(x)), float(np.std(x, ddof=1) / np.sqrt(40)), 40) for name, x in single.items()
    }
    return Calibration(
        "mine", "quick", 5, 108, 430, "d" * 64, fit, confirmed(rng, 6),
        Chosen(values(at), fields(at), means, single),
        Budget(98, 431.25, 3, 0), {"tower_sim": "0.1.0", "numpy": "2"},
    )  # fmt: skip


MADE = calibration()
