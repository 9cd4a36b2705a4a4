"""What players say of many games, held against the games of the tower chosen: does it lie where they say?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.calibration.evidence import Evidence, Within
from tower_sim.calibration.result import GamesMean
from tower_sim.calibration.summaries import FIGURES
from tower_sim.runs.by_drop import ByDrop
from tower_sim.statistics import mean_error


@dataclass(frozen=True, slots=True)
class Band:
    """Bounds that an observation (its `name`) sets to a summary, in its own unit, and what the games gave for it."""

    name: str
    says: str
    low: float
    high: float
    simulated: GamesMean

    @property
    def is_met(self) -> bool:
        """Whether the mean over the games lies between the bounds."""
        return self.low <= self.simulated.mean <= self.high


def played(games: ByDrop) -> dict[str, GamesMean]:
    """Return what whole games of one tower, shape (games, drops), gave for the summaries that bounds are set to.

    Means over games, each in its own unit, with standard errors; games without a phase that tells it are left out.
    """
    found: dict[str, GamesMean] = {}
    for name in ("setup", "inside", "out", "colours", "single", "many", "leads", "ones"):
        values = FIGURES[name].value(games)
        told = values[np.isfinite(values)]
        if len(told) > 1:
            found[name] = GamesMean(*mean_error(told), len(told))
    return found


def bands(evidence: Sequence[Evidence], gave: Mapping[str, GamesMean]) -> list[Band]:
    """Return the bounds that the evidence sets to what the games `gave`."""
    return [
        Band(entry.name, str(clue), clue.low, clue.high, gave[clue.window.summary])
        for entry in evidence
        for clue in entry.clues
        if isinstance(clue, Within) and clue.window.summary in gave
    ]
