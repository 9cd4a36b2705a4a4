"""Sums over pairs of runs, in memory that does not grow with the number of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tower_sim.compare.paired import Moments
from tower_sim.drops.repeat import TooManyFailedDraws
from tower_sim.games.compared import Compared, Values
from tower_sim.runs.array import Array

CHUNK = 4096  # pairs that are summed at once, so that the sums do not depend on the sizes of batches


@dataclass(frozen=True)
class Draws:
    """The number of draws that `landed` in the runs of a variant, and of failed draws that were repeated."""

    landed: int
    redrawn: int

    def __add__(self, more: Draws) -> Draws:
        return Draws(self.landed + more.landed, self.redrawn + more.redrawn)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of runs; run r of both has the same seed.

    `left_out` counts pairs with a failed run, `failure` is the error of one. `draws` are None if the model does not
    report them.
    """

    a: Values
    b: Values
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    failure: TooManyFailedDraws | None = None

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over all pairs so far, immutable; pairs of values are for A and B.

    `courses` are further counts of the game, `drops` and `beyond` as in `Values`. `waiting` has values not yet in
    `sums`.
    """

    compared: Compared
    courses: tuple[Any, Any]
    n: int = 0
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    drops: tuple[int, int] = (0, 0)
    beyond: tuple[int, int] | None = None
    interrupted: bool = False
    sums: Moments | None = None
    waiting: tuple[tuple[Array, Array], ...] = ()

    @staticmethod
    def empty(compared: Compared) -> Tally:
        return Tally(compared, (compared.none(0).course, compared.none(1).course))

    def __len__(self) -> int:
        return self.n

    @property
    def extrapolated(self) -> tuple[float, float] | None:
        """The shares of drops outside the training range of a fitted model, or None."""
        if self.beyond is None:
            return None
        return self.beyond[0] / self.drops[0], self.beyond[1] / self.drops[1]

    @property
    def total(self) -> Moments:
        if not self.waiting:
            assert self.sums is not None  # there are pairs, and all are added up
            return self.sums
        return _sum(self.sums, Moments.of(*_join(self.waiting)))

    def add(self, pairs: Pairs) -> Tally:
        draws = _sum_by_side(self.draws, pairs.draws)
        counted = replace(self, n=self.n + len(pairs), left_out=self.left_out + pairs.left_out, draws=draws)
        if not len(pairs):
            return counted
        a, b = pairs.a, pairs.b
        sums, waiting = self.sums, (*self.waiting, (a.values, b.values))
        if sum(len(values) for values, _ in waiting) >= CHUNK:
            every_a, every_b = _join(waiting)
            while len(every_a) >= CHUNK:
                sums = _sum(sums, Moments.of(every_a[:CHUNK], every_b[:CHUNK]))
                every_a, every_b = every_a[CHUNK:], every_b[CHUNK:]
            waiting = ((every_a, every_b),) if len(every_a) else ()
        beyond = None if a.beyond is None or b.beyond is None else (a.beyond, b.beyond)
        return replace(
            counted,
            courses=(_sum(self.courses[0], a.course), _sum(self.courses[1], b.course)),
            drops=_sum_by_side(self.drops, (a.drops, b.drops)),
            beyond=_sum_by_side(self.beyond, beyond),
            sums=sums,
            waiting=waiting,
        )


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other


def _sum_by_side(one: tuple[Any, Any] | None, other: tuple[Any, Any] | None) -> Any:
    return (one[0] + other[0], one[1] + other[1]) if one and other else one or other


def _join(waiting: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    return np.concatenate([a for a, _ in waiting]), np.concatenate([b for _, b in waiting])
