"""Shares and means over many runs, with confidence intervals, in the form that JSON documents use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.turn import Turn
from tower_sim.statistics import average, wilson


class ManyRuns(ABC):
    """Statistics over many runs with the same `rules` and the same root `seed`."""

    rules: Any = None
    seed: int = 0

    @abstractmethod
    def add(self, turns: Sequence[Turn]) -> None:
        """Add the turns of a complete run."""

    @property
    @abstractmethod
    def runs(self) -> int:
        """The number of runs that were added."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the JSON document, ready for `json.dumps`, with `schema` and `version`. It needs at least one run."""

    @abstractmethod
    def words(self) -> str:
        """Return the report for people. It begins with two plain sentences and needs at least one run."""

    @abstractmethod
    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        """Draw the statistics into the file `path`. This needs at least two runs."""


def proportion(hits: int, games: int) -> dict[str, Any]:
    """Return the share of `hits` in `games`, with its 95 % Wilson interval."""
    share = wilson(hits, games)
    return {"n": games, "count": hits, "share": share.value, "interval": [share.low, share.high]}


def mean(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of `values` with its 95 % Student interval, which is None for a single value."""
    estimate = average(values)
    interval = None if estimate.n < 2 else [estimate.low, estimate.high]
    return {"n": estimate.n, "mean": estimate.value, "interval": interval}


def said_mean(value: dict[str, Any]) -> str:
    """Return a result of `mean` as text."""
    if value["interval"] is None:
        return f"{value['mean']:.2f}"
    low, high = value["interval"]
    return f"{value['mean']:.2f} ({low:.2f} to {high:.2f})"


def said_proportion(value: dict[str, Any]) -> str:
    """Return a result of `proportion` as text, in percent."""
    low, high = value["interval"]
    return f"{value['share']:.1%} ({low:.1%} to {high:.1%})"
