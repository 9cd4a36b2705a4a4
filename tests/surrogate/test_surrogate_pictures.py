"""The pictures of a surrogate's check: nothing is hidden, every line is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.pictures import faults

from tower_sim.fitting import pages
from tower_sim.fitting.distances import Distance
from tower_sim.fitting.pit import Histogram, Reliability
from tower_sim.fitting.whole_games import Autocorrelation, WholeGames
from tower_sim.statistics import Estimate, Estimates
from tower_sim.surrogate.store import RungScore

pytestmark = pytest.mark.slow


def about(values: Any, spread: float) -> Estimates:
    values = np.asarray(values, dtype=float)
    return Estimates(values, values - spread, values + spread)


def a_distance(name: str, value: float) -> Distance:
    return Distance(name, value, 1.0, 0.8, 0.01, 0.09, Estimate(0.1, 0.0, 0.2, 9), "cubes")


FANS = np.array([[[26, 22, 18, 14, 11], [20, 18, 12, 9, 5], [12, 9, 8, 6, 3]]] * 2)[..., ::-1].transpose(0, 2, 1)
FULL = [0.99, 0.98, 0.97, 0.97, 0.96, 0.96, 0.95]
PICTURES = {
    "calibration": lambda: pages.calibration(
        Histogram(about([0.96, 1.03, 1.01], 0.02), 900, 9, 0.4),
        Reliability(np.array([4.3, 6.6, 14.2]), about([4, 6, 14], 1), about([0, 0.05, -0.1], 0.04), np.full(3, 300), 9),
    ),
    "ladder": lambda: pages.ladder([RungScore(str(n), f"{n} a rung", 1.0, 0.1, n / 9, 0.1) for n in range(3)], 900, 9),
    "fans": lambda: pages.fans(WholeGames(9, 90, 9, 99, (), (), (), FANS)),
    "distances": lambda: pages.distances([a_distance(f"statistic {x}", x) for x in (0.03, 0.96, 1.2, 2.2, 9)], 9),
    "memories": lambda: pages.memories(
        [Autocorrelation(n, about(FULL, 0.01), about(FULL, 0.02)) for n in ("in", "out")], 9, 90
    ),
}


@each_case("name", PICTURES)
def test_no_picture_of_a_surrogates_check_hides_anything_or_leaves_a_line_unnamed(name: str):
    assert faults(PICTURES[name]()) == {}
