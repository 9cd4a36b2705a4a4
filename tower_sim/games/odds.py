"""Shares and means over many runs, with confidence intervals, in the form that JSON documents use."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tower_sim.answers import Mean, Share
from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.turn import Turn
from tower_sim.statistics import CONFIDENCE, FEWEST, average, ratio_of_sums, student_quantile, wilson


class ManyRuns(ABC):
    """Statistics over many runs with the same `rules` and the same root `seed`."""

    rules: Any = None
    seed: int = 0

    @abstractmethod
    def add(self, turns: Sequence[Turn]) -> None:
        pass

    @property
    @abstractmethod
    def runs(self) -> int:
        pass

    @abstractmethod
    def document(self) -> Mapping[str, Any]:
        """Return the JSON document; it needs at least one run."""

    @abstractmethod
    def words(self) -> str:
        """Return the report; it needs at least one run."""

    @abstractmethod
    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        """Draw into the file `path`; it needs at least two runs."""


def proportion(hits: int, games: int) -> Share:
    """Return a share with its 95 % Wilson interval.

    Args:
        hits: The number of games that count.
        games: The number of games.

    Returns:
        The share. Its interval is None for fewer than FEWEST games.

    >>> proportion(1, 4)
    {'n': 4, 'count': 1, 'share': 0.25, 'interval': None}
    """
    share = wilson(hits, games)
    interval = None if games < FEWEST else [share.low, share.high]
    return {"n": games, "count": hits, "share": share.value, "interval": interval}


def mean(values: Sequence[float], runs: int | None = None) -> Mean:
    """Return a mean with its 95 % Student interval.

    Args:
        values: The values.
        runs: The number of runs that they are of; None is one of each.

    Returns:
        The mean. Its interval is None for fewer than FEWEST runs and for equal values.

    >>> mean([3, 4, 5])
    {'n': 3, 'mean': 4.0, 'interval': None}
    """
    estimate, least = average(values), min(values)
    has_none = (estimate.n if runs is None else runs) < FEWEST or least == max(values)
    low = max(estimate.low, 0.0) if least >= 0 else estimate.low
    return {"n": estimate.n, "mean": estimate.value, "interval": None if has_none else [low, estimate.high]}


def shares(runs: Sequence[Counter[str]], words: Iterable[str]) -> dict[str, Share]:
    """Return each word's count, its share of all counts, and the share's 95 % interval; `words` come first.

    The interval is Student's for a ratio of sums over runs; None for fewer than FEWEST runs.
    """
    totals = [run.total() for run in runs]
    every = [*words, *sorted({word for run in runs for word in run if run[word]} - set(words))]
    wide = float(student_quantile(len(runs) - 1, (1 + CONFIDENCE) / 2)) if len(runs) >= FEWEST else math.nan

    def share_of(counts: list[int]) -> Share:
        share, error = ratio_of_sums(counts, totals)
        half = wide * error
        interval = None if math.isnan(half) else [max(share - half, 0.0), min(share + half, 1.0)]
        return {"count": sum(counts), "share": share, "interval": interval}

    return {word: share_of([run[word] for run in runs]) for word in every}


def mean_text(result: Mean, form: str = ".2f") -> str:
    """Return a result of `mean` as text."""
    return _with_interval(result["mean"], result["interval"], form)


def share_text(result: Share) -> str:
    """Return a result of `proportion` or `shares` as text, in percent."""
    return _with_interval(result["share"], result["interval"], ".1%")


def _with_interval(value: float, interval: Sequence[float] | None, form: str) -> str:
    ends = f" ({interval[0]:{form}} to {interval[1]:{form}})" if interval else ""
    return f"{value:{form}}{ends}"
