"""Chances and means of many runs, with their intervals, as documents have them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.turn import Turn
from tower_sim.statistics import average, wilson


class ManyRuns(ABC):
    """What many runs of the same `rules` and root `seed` came to."""

    rules: Any = None
    seed: int = 0

    @abstractmethod
    def add(self, turns: Sequence[Turn]) -> None:
        """Add a whole run."""

    @property
    @abstractmethod
    def runs(self) -> int:
        """How many runs were added."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the JSON document, ready for `json.dumps`, with `schema` and `version`; of one run or more."""

    @abstractmethod
    def words(self) -> str:
        """Return what people read: first two plain sentences; of one run or more."""

    @abstractmethod
    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        """Draw them into the file `path`, of two runs or more."""


def proportion(hits: int, games: int) -> dict[str, Any]:
    """Return a chance estimated from `hits` of `games`, with its Wilson interval."""
    share = wilson(hits, games)
    return {"n": games, "count": hits, "share": share.value, "interval": [share.low, share.high]}


def mean(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of `values` with its t-interval."""
    estimate = average(values)
    interval = None if estimate.n < 2 else [estimate.low, estimate.high]
    return {"n": estimate.n, "mean": estimate.value, "interval": interval}


def said_mean(value: dict[str, Any]) -> str:
    """Say what `mean` returned."""
    if value["interval"] is None:
        return f"{value['mean']:.2f}"
    low, high = value["interval"]
    return f"{value['mean']:.2f} ({low:.2f} to {high:.2f})"


def said_proportion(value: dict[str, Any]) -> str:
    """Say what `proportion` returned."""
    low, high = value["interval"]
    return f"{value['share']:.1%} ({low:.1%} to {high:.1%})"
