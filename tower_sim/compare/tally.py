"""What pairs of games add up to, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tower_sim.compare.figures import Figure, colour_figures, main_figures, table
from tower_sim.compare.paired import Moments
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import Array, Games
from tower_sim.model import TooManyFailedDraws

CHUNK = 4096  # pairs that are summed up at once: so the sums do not depend on how games came in


@dataclass(frozen=True)
class Draws:
    """How the draws of one variant's games went: `landed` drops, and draws made again since they were no landing."""

    landed: int
    redrawn: int


@dataclass(frozen=True, eq=False)
class Pairs:
    """Some games of two variants, game g of `a` and of `b` from one seed; of failed pairs only the number, `left_out`.

    `draws` are of A and of B, None when the model does not tell; `beyond` how many of their drops are outside of what a
    fitted model covers, None for others; `failure` is why a pair was left out.
    """

    a: Games
    b: Games
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    beyond: tuple[int, int] | None = None
    failure: TooManyFailedDraws | None = None

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, eq=False)
class Course:
    """How games of one variant went, counted.

    `inside[i, n]` games had n cubes inside after drop i; in `actions[n]` phases there were n actions to choose from.
    """

    rules: Rules
    inside: Array
    actions: Array

    @staticmethod
    def of(games: Games) -> Course:
        """Count games, none or more."""
        most, drops = sum(games.rules.counts.values()) + 1, games.rules.drops
        inside = games.inside.sum(-1) + most * np.arange(drops)
        actions = games.actions[:, 1:].ravel()
        return Course(
            games.rules,
            np.bincount(inside.ravel(), minlength=drops * most).reshape(drops, most),
            np.bincount(actions, minlength=len(games.rules.colours) + 1),
        )

    def and_(self, more: Course) -> Course:
        """Return the counts of both, which have the same rules."""
        return Course(self.rules, self.inside + more.inside, self.actions + more.actions)

    @property
    def games(self) -> int:
        """How many games were counted."""
        return int(self.inside[0].sum())

    @property
    def mean(self) -> Array:
        """The mean number inside after each drop."""
        return np.asarray((self.inside * self._numbers).sum(1) / self.games)

    @property
    def sd(self) -> Array:
        """The standard deviation over games of the number inside after each drop."""
        off: Array = np.subtract(self._numbers, self.mean[:, None])
        return np.sqrt(np.asarray((self.inside * off * off).sum(1)) / (self.games - 1))

    def quantile(self, share: float) -> Array:
        """Return the number inside after each drop that so many games do not exceed, as numpy.quantile gives it."""
        place = share * (self.games - 1)
        below, above = (self._ranked(int(rank)) for rank in (np.floor(place), np.ceil(place)))
        return below + (above - below) * (place - np.floor(place))

    @property
    def with_a_choice(self) -> float:
        """The share of the phases in which there are two actions or more to choose from."""
        return float(self.actions[2:].sum() / self.actions.sum())

    @property
    def _numbers(self) -> Array:
        most: int = len(self.inside[0])
        return np.arange(most)

    def _ranked(self, rank: int) -> Array:
        """Return by drop the number inside of the game at `rank`, from 0, in rising order."""
        is_at_most: Array = np.less_equal(np.cumsum(self.inside, 1), rank)
        return is_at_most.sum(1).astype(float)


@dataclass(frozen=True, eq=False)
class Tally:
    """All pairs so far: `n` of them, sums over their figures, and how the games went; a new one for every batch added.

    `figures` and `colours` of each are judged together. `interrupted`: fewer pairs than were asked for.
    """

    courses: tuple[Course, Course]
    figures: tuple[Figure, ...]
    colours: tuple[Figure, ...]
    n: int = 0
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    beyond: tuple[int, int] | None = None
    interrupted: bool = False
    sums: Moments | None = None
    waiting: tuple[tuple[Array, Array], ...] = ()

    @staticmethod
    def empty(rules: tuple[Rules, Rules]) -> Tally:
        """Return the tally of no pairs."""
        none = tuple(Games.none(each) for each in rules)
        return Tally((Course.of(none[0]), Course.of(none[1])), main_figures(), colour_figures(*rules))

    @staticmethod
    def of(pairs: Pairs) -> Tally:
        """Return the tally of these pairs."""
        return Tally.empty((pairs.a.rules, pairs.b.rules)).add(pairs)

    def __len__(self) -> int:
        return self.n

    @property
    def extrapolated(self) -> tuple[float, float] | None:
        """The shares of the drops of A and B outside of what a fitted model covers, None for others."""
        if self.beyond is None:
            return None
        drops = [self.n * course.rules.drops for course in self.courses]
        return self.beyond[0] / drops[0], self.beyond[1] / drops[1]

    @property
    def total(self) -> Moments:
        """The sums over all pairs, figures first and then colours."""
        if not self.waiting:
            assert self.sums is not None  # there are pairs, and all are added up
            return self.sums
        rest = Moments.of(*_joined(self.waiting))
        return rest if self.sums is None else self.sums.and_(rest)

    def add(self, pairs: Pairs) -> Tally:
        """Return the tally with these pairs added."""
        counted = replace(
            self,
            n=self.n + len(pairs),
            left_out=self.left_out + pairs.left_out,
            draws=_drawn(self.draws, pairs.draws),
            beyond=_added(self.beyond, pairs.beyond),
        )
        if not len(pairs):
            return counted
        every = (*self.figures, *self.colours)
        sums, waiting = self.sums, (*self.waiting, (table(pairs.a, every), table(pairs.b, every)))
        if sum(len(a) for a, _ in waiting) >= CHUNK:
            sums, waiting = _summed(sums, waiting)
        new = Course.of(pairs.a), Course.of(pairs.b)
        courses = self.courses[0].and_(new[0]), self.courses[1].and_(new[1])
        return replace(counted, courses=courses, sums=sums, waiting=waiting)


def _summed(
    sums: Moments | None, waiting: Sequence[tuple[Array, Array]]
) -> tuple[Moments | None, tuple[tuple[Array, Array], ...]]:
    """Sum up every whole chunk of what waits; return the sums and the rest."""
    a, b = _joined(waiting)
    while len(a) >= CHUNK:
        chunk = Moments.of(a[:CHUNK], b[:CHUNK])
        sums = chunk if sums is None else sums.and_(chunk)
        a, b = a[CHUNK:], b[CHUNK:]
    return sums, ((a, b),) if len(a) else ()


def _joined(waiting: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    return np.concatenate([a for a, _ in waiting]), np.concatenate([b for _, b in waiting])


def _added(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    if one is None or other is None:
        return one or other
    return one[0] + other[0], one[1] + other[1]


def _drawn(one: tuple[Draws, Draws] | None, other: tuple[Draws, Draws] | None) -> tuple[Draws, Draws] | None:
    if one is None or other is None:
        return one or other
    sums = [Draws(x.landed + y.landed, x.redrawn + y.redrawn) for x, y in zip(one, other, strict=True)]
    return sums[0], sums[1]
