"""A figure: one number that runs come to, written once with its name, its unit, a sentence and how it is computed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError
from tower_sim.runs.by_drop import UNKNOWN, ByDrop
from tower_sim.runs.formula import Formula, formula

Array = npt.NDArray[Any]

SHARE = "1"
"""The unit of shares, which have the intervals of shares."""
MEAN, SUM, MOST, SPREAD = "mean", "sum", "most", "spread"
TAKES = (MEAN, SUM, MOST, SPREAD)
PHASES, SETUP = "phases", "setup"
COLUMNS = ("thrown", "out", "inside", "before", "own", "own_out", "colours", "lead", "old_out")
"""The columns of every drop that an expression may name; see ByDrop."""
OPEN = ("own", "own_out", "colours", "lead", "old_out")
"""Those that counts may leave open."""


@dataclass(frozen=True)
class Figure:
    """A number that runs come to, in `unit`: `key` names it in documents, `title` for people, `says` what it is.

    `of` is worked out for every drop of `at` (the phases of play, or the set-up) where `where` holds. A run's value is,
    as `take` says, their mean (the sum of `of` by the sum of `among`), their sum, the greatest, or their standard
    deviation. The names in these expressions are COLUMNS, the terms of the rules and what the game says of a drop. A
    figure without `of` is of no counts: its game measures it from the turns of a run. `sentence` says a mean, at {}, as
    a player would. With `chances`, how often it is 0, 1, ... is told too; the last of these words stands for more too.
    A `minor` one stands in tables, not in first paragraphs and pictures of studies.
    """

    key: str
    title: str
    unit: str
    says: str = ""
    of: str = ""
    among: str = "1"
    where: str = "1"
    take: str = MEAN
    at: str = PHASES
    sentence: str = ""
    chances: tuple[str, ...] = ()
    minor: bool = False

    @property
    def is_share(self) -> bool:
        """Whether it is a share, from 0 to 1."""
        return self.unit == SHARE

    @property
    def names(self) -> frozenset[str]:
        """The columns, terms and facts that it is made of."""
        return frozenset[str]().union(*(each.names for each in self.parts.values()))

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that counts may leave open among those it is made of."""
        return tuple(name for name in OPEN if name in self.names)

    def meaning(self, terms: Mapping[str, float]) -> str:
        """Return what it is by rules of these terms."""
        says = self.says  # of anybody, so that only the terms' own braces mean something
        for name, value in terms.items():
            says = says.replace(f"{{{name}}}", f"{value:g}")
        return says

    def shares(self) -> tuple[Figure, ...]:
        """Return how often it is each of its chances, as figures."""
        last = len(self.chances) - 1
        return tuple(
            Figure(
                f"{self.key}_{i}",
                f"phases with {words} {_one(self.unit, words)}",
                SHARE,
                of=f"min({self.of}, {last}) == {i}",
                minor=words != "1",
            )
            for i, words in enumerate(self.chances)
        )

    def by_phase(self, runs: ByDrop) -> Array:
        """Return the value of `of` at each phase of play, shape (..., phase); NaN where a run does not have it."""
        of, _, _ = self._columns(runs)
        return of

    def sums(self, runs: ByDrop) -> tuple[Array, Array]:
        """Return the two sums whose ratio is the mean over all runs, one of each for every run, shape (...).

        Of a figure that is no mean, its value and 1; both 0 for a run without a drop that it is of.
        """
        of, among, where = self._columns(runs)
        if self.take in (MEAN, SUM):
            over = np.where(where, of, 0).sum(-1)
            return over, np.where(where, among, 0).sum(-1) if self.take == MEAN else _any(where)
        values = np.where(where, of, np.nan)
        with np.errstate(all="ignore"):
            there = _any(where)
            if self.take == MOST:
                return np.where(there > 0, np.where(where, of, -np.inf).max(-1, initial=-np.inf), 0), there
            mean = np.where(where, of, 0).sum(-1, keepdims=True) / where.sum(-1, keepdims=True)
            square = np.where(where, (values - mean) ** 2, 0).sum(-1)
            return np.where(there > 0, np.sqrt(square / where.sum(-1)), 0), there

    def value(self, runs: ByDrop, none: float = np.nan) -> Array:
        """Return the value of every run, shape (...); `none` of a run without a drop that it is of."""
        over, under = self.sums(runs)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(under > 0, over / np.where(under > 0, under, 1), none)

    def is_told(self, runs: ByDrop) -> bool:
        """Say whether the runs have all that it is made of."""
        known = {*COLUMNS, *runs.terms, *runs.facts}
        if not self.of or not self.names <= known or (self.at == SETUP and runs.phases.all()):
            return False
        return all((getattr(runs, name) != UNKNOWN).any() for name in self.needs)

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number of every phase, where all that it names is."""
        return self.parts["of"].is_whole and (self.among, self.where) == ("1", "1")

    @property
    def parts(self) -> Mapping[str, Formula]:
        """Its expressions, by `of`, `among` and `where`."""
        texts = {"of": self.of, "among": self.among, "where": self.where}
        return {name: _read(text, self.key) for name, text in texts.items()}

    def _columns(self, runs: ByDrop) -> tuple[Array, Array, Array]:
        """Return `of`, `among` and where they count, by drop of `at`, each of shape (..., drop)."""
        drops = ~runs.phases if self.at == SETUP else runs.phases
        known = _Columns(runs, drops)
        played = runs.thrown[..., drops] != UNKNOWN
        of, among, where = (np.broadcast_to(part.of(known), played.shape).astype(float) for part in self.parts.values())
        where = (where != 0) & played & np.isfinite(of) & np.isfinite(among)
        for name in self.needs:
            where &= getattr(runs, name)[..., drops] != UNKNOWN
        return np.where(played, of, np.nan), among, where


class _Columns:
    """The columns of some drops, by name, as real numbers."""

    def __init__(self, runs: ByDrop, drops: Array) -> None:
        self._runs, self._drops = runs, drops

    def __call__(self, name: str) -> Array | float:
        if name in COLUMNS:
            return getattr(self._runs, name)[..., self._drops].astype(float)
        if name in self._runs.facts:
            return self._runs.facts[name][..., self._drops]
        if name in self._runs.terms:
            return float(self._runs.terms[name])
        allowed = ", ".join((*COLUMNS, *self._runs.terms, *self._runs.facts))
        raise UsageError(f"figure names {name!r}; allowed are {allowed}; mend it")


def _one(unit: str, words: str) -> str:
    return unit.removesuffix("s") if words == "1" else unit


def _any(where: Array) -> Array:
    return where.any(-1).astype(float)


@lru_cache(maxsize=512)
def _read(text: str, key: str) -> Formula:
    return formula(text, f"figure {key!r}")


def table(runs: ByDrop, figures: Sequence[Figure]) -> Array:
    """Return the values of every run, shape (run, figure); 0 where a run has no drop that a figure is of."""
    return np.stack([figure.value(runs, none=0.0) for figure in figures], 1)


def script(figures: Sequence[Figure], terms: Sequence[str]) -> str:
    """Return the figures as JavaScript: { key, title, unit, says, take, at, minor, isWhole, of, among, where } of each.

    The last three are functions of an object `d` with the columns of a drop and one `r` with the `terms` of the rules.
    `isWhole`: it is a whole number of every drop that counts.
    """

    def column(name: str) -> str:
        return f"r.{name}" if name in terms else f"d.{name}"

    def entry(figure: Figure) -> str:
        said = {name: getattr(figure, name) for name in ("key", "title", "unit", "says", "take", "at", "minor")}
        said["isWhole"] = figure.is_whole
        made = ", ".join(f"{name}: (d, r) => {part.javascript(column)}" for name, part in figure.parts.items())
        return f"{json.dumps(said)[:-1]}, {made}}}"

    entries = ",\n  ".join(map(entry, figures))
    return f"[\n  {entries},\n]"


def by_key(figures: Sequence[Figure]) -> Mapping[str, Figure]:
    """Return figures by their key."""
    return {figure.key: figure for figure in figures}
