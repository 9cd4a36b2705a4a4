"""The search for a tower: rounds of towers by expected improvement, the nearest played more, one confirmed afresh.

Source: Jones, Schonlau and Welch, Journal of Global Optimization 13 (1998) 455 (expected improvement); Ginsbourger, Le
Riche and Carraro, in Computational Intelligence in Expensive Optimization Problems, 2010, 131 (several points at once,
each believed to do what is expected of it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import space
from tower_sim.design.belief import Belief, OfAtlas, after, given, of_own, prior
from tower_sim.design.book import LAST, SEARCH, Book, RoundOfGames, Trial
from tower_sim.design.features import features
from tower_sim.design.played import TOLD, Row, Task
from tower_sim.design.towers import Towers
from tower_sim.design.wishes import Brief, largest
from tower_sim.gaussian import squares

Array = npt.NDArray[np.float64]
Evaluate = Callable[[Sequence[Task]], Iterable[Row]]
"""Plays tasks and gives what each came to, in order."""

BATCH, EACH = 4, 3  # towers a round, games in each
NEAREST, MORE = 3, 40  # towers that the last round plays more, and how many games
DRAWN = (
    1536  # towers looked at in a round: a third anywhere, a third near the atlas's best, a third near the best tried
)
KEPT = 256  # of these, for which improvement is computed; and as many of other kinds than those tried
STARTS, CENTRES = 24, 6  # the best of the atlas, and of those tried
SAME = 3e-5  # of the ranges: less differs in no tower by the third digit of any number
OTHER = 1.2  # of the ranges: as far from all tried a tower is of another kind; the atlas's lie about so far apart
KNOWN = 64  # towers of the atlas whose own games are told from the process, the nearest ones
SAMPLES = 128  # of what towers may do
SURPLUS = (
    0.15  # cubes: sd of a game's surplus about its tower's; two games each: 0.12 in 64 towers, 0.18 in clogging ones
)
SURE = 0.8  # grains: a tower is near enough when its miss is expected to be below, and
ENOUGH = 0.5  # that of each wish is told to be below, or with its sd below one grain
_TREE = {"prior": 0, "round": 1, "games": 2, "fresh": 3}  # of seeds
_STEPS = (0.02, 0.06, 0.15, 0.4)  # of a range, to towers near the best


@dataclass(frozen=True)
class Seen:
    """What is believed after the games so far: of each figure of `Brief.parted`, and of the tried towers, by wish,
    mean and sd, and their expected miss.
    """

    beliefs: tuple[Belief, ...]
    tried: tuple[int, ...]
    values: Array
    sd: Array
    expected: Array
    games: Array

    def best(self, number: int) -> list[int]:
        """Return the `number` trials of least expected miss, the nearest first."""
        return [self.tried[i] for i in np.argsort(self.expected, kind="stable")[:number]]

    def chosen(self) -> int:
        """Return the nearest of the trials that were played often, else of all: few games may have been lucky ones."""
        often = self.games > MORE
        return self.tried[int(np.argmin(np.where(often | ~often.any(), self.expected, np.inf)))]

    def of(self, trial: int) -> tuple[Array, Array, float]:
        """Return means, sd and expected miss of a trial."""
        i = self.tried.index(trial)
        return self.values[i], self.sd[i], float(self.expected[i])


def _is_off(x: Array, tried: Array, least: float) -> npt.NDArray[np.bool_]:
    """Say which towers at `x`, shape (n, F), are `least` or further from all `tried`, shape (m, F): shape (n,)."""
    return np.full(len(x), True) if not len(tried) else squares(x, tried).min(1) >= least**2


class Teller:
    """Tells how far a search is; this one tells nobody."""

    def game(self) -> None:
        """Say that a game was played."""

    def round(self, seen: Seen) -> None:
        """Say that a round is over, and what is believed now."""


class Search:
    """A search: what is `asked`, the towers of the atlas with their `errors`, and the `book` that it writes."""

    def __init__(self, asked: Brief, towers: Towers, errors: Mapping[str, Array], book: Book) -> None:
        self.asked, self.book = asked, book
        rng = np.random.default_rng([book.seed, _TREE["prior"]])
        figures = asked.parted(np.stack([towers.values[name] for name in asked.outputs], 1))
        error = np.stack([errors[name] for name in asked.outputs], 1)
        kernels = [towers.kernels.get(name) for name in asked.outputs]
        if asked.surplus is not None:
            error[:, asked.surplus] = SURPLUS / np.sqrt(towers.runs)
            kernels[asked.surplus] = None
        parts = zip(figures.T, error.T, kernels, strict=True)
        self.priors = tuple(prior(towers, value, each, rng, kernel) for value, each, kernel in parts)
        self.normals = np.random.default_rng([book.seed, _TREE["prior"], 1]).standard_normal(
            (SAMPLES, len(asked.wishes))
        )
        self.known, self.starts = self._from(towers, figures, error**2)

    def _from(self, towers: Towers, figures: Array, noise: Array) -> tuple[tuple[OfAtlas, ...], Array]:
        """Return what is known of the nearest towers of the atlas that may be chosen, and towers to start from.

        These are the most promising ones, what is held set: shape (at most STARTS, parameters).
        """
        may_be = np.flatnonzero(self.asked.allows(towers.numbers) & ~np.isnan(figures).any(1))
        x, value, noise = features(towers.numbers[may_be]), figures[may_be], noise[may_be]
        near = self._nearest([of_own(each, x, value[:, k], noise[:, k]) for k, each in enumerate(self.priors)])[:KNOWN]
        known = tuple(OfAtlas(x[near], value[near, k], noise[near, k]) for k in range(len(self.priors)))
        if len(near):
            return known, self._held(towers.numbers[may_be[near[:STARTS]]])
        held = self._held(towers.numbers)  # what is held is so in no tower of the atlas
        by_process = [each.emulator.means(features(held))[:, 0] for each in self.priors]
        return known, held[self._nearest(by_process)[:STARTS]]

    def _nearest(self, figures: Sequence[Array]) -> npt.NDArray[np.int64]:
        """Return the numbers of the towers that come to such `figures`, from the nearest to what was wished."""
        return np.argsort(self.asked.miss(self.asked.joined(np.stack(figures, 1))), kind="stable")

    def _held(self, numbers: Array) -> Array:
        """Set what is held, round what is not, and leave out towers whose pieces are too large for the bed."""
        numbers = np.round(numbers, 3)
        for name, value in self.asked.held.items():
            numbers[:, space.NAMES.index(name)] = value
        return numbers if self.asked.bed is None else numbers[largest(numbers) <= self.asked.bed]

    def task(self, trial: int, run: int, stream: str = "games") -> Task:
        """Return a game of a trial; towers of a search share the seeds of their games, fresh games have others."""
        seed = int(np.random.SeedSequence([self.book.seed, _TREE[stream]]).generate_state(2, np.uint64)[0])
        return Task(self.book.trials[trial].numbers, seed, run)

    def _told(self, trial: Trial) -> Array:
        """Return the figures of the games of a trial that tell all wishes, shape (games, wishes)."""
        columns = [TOLD.index(name) for name in self.asked.outputs]
        rows = np.array(trial.games, float).reshape(-1, len(TOLD))[:, columns]
        return self.asked.parted(rows[~np.isnan(rows).any(1)])

    def seen(self) -> Seen:
        """Return what is believed after the games in the book."""
        games = {i: told for i, trial in enumerate(self.book.trials) if len(told := self._told(trial))}
        numbers = np.array([self.book.trials[i].numbers for i in games], float).reshape(-1, len(space.NAMES))
        x = features(numbers)
        beliefs = tuple(
            after(each, x, [told[:, k] for told in games.values()], known)
            for k, (each, known) in enumerate(zip(self.priors, self.known, strict=True))
        )
        if not games:
            nothing = np.empty((0, len(self.priors)))
            return Seen(beliefs, (), nothing, nothing, np.empty(0), np.empty(0))
        of = [belief.of_tried() for belief in beliefs]
        mean, sd = np.stack([mean for mean, _ in of], 1), np.stack([sd for _, sd in of], 1)
        expected = self._distances(mean, sd).mean(0)
        played = np.array([len(told) for told in games.values()])
        return Seen(beliefs, tuple(games), self.asked.joined(mean), self.asked.joined_sd(sd), expected, played)

    def means(self, beliefs: Sequence[Belief], x: Array) -> Array:
        """Return what towers at `x`, shape (n, F), are believed to do, by wish: shape (n, wishes)."""
        return self.asked.joined(np.stack([belief.means(x) for belief in beliefs], 1))

    def _distances(self, mean: Array, sd: Array) -> Array:
        """Return samples of the miss of towers, by mean and sd of their figures: shape (samples, towers)."""
        return self.asked.miss(self.asked.joined(mean + sd * self.normals[:, None, :]))

    def _rough(self, beliefs: Sequence[Belief], x: Array) -> Array:
        """Return the miss of the means at `x`, shape (n,)."""
        return self.asked.miss(self.means(beliefs, x))

    def is_near(self, seen: Seen, trial: int) -> bool:
        """Say whether a tried tower is near enough to what was wished, as far as its games tell."""
        mean, sd, expected = seen.of(trial)
        off = np.abs(self.asked.misses(mean))
        return expected <= SURE and bool((off <= ENOUGH).all() or (off + sd / self.asked.grains <= 1.0).all())

    def drawn(self, seen: Seen, rng: np.random.Generator) -> Array:
        """Draw towers to choose from: over the whole space, near the best of the atlas, and of those tried."""
        anywhere = self._held(space.values(rng.random((DRAWN // 3, len(space.NAMES)))))
        best = np.array([self.book.trials[i].numbers for i in seen.best(CENTRES)], float)
        near = [self._near(centres, rng) for centres in (self.starts, best) if len(centres)]
        return np.vstack([anywhere, *near, self.starts])

    def _near(self, centres: Array, rng: np.random.Generator) -> Array:
        """Draw towers about `centres`, most of whose numbers stay."""
        shares = space.shares(centres)[rng.integers(len(centres), size=DRAWN // 3)]
        moved = rng.random(shares.shape) < rng.choice([0.1, 0.3, 1.0], size=(len(shares), 1))
        step = rng.choice(_STEPS, size=(len(shares), 1)) * rng.standard_normal(shares.shape)
        return self._held(space.values(np.clip(shares + np.where(moved, step, 0.0), 0.0, 1.0)))

    def propose(self, seen: Seen, number: int) -> list[tuple[float, ...]]:
        """Return so many towers to try, by expected improvement, each as if those before did what is believed.

        Where several are asked for, the last one is of another kind than all that were tried.
        """
        rng = np.random.default_rng([self.book.seed, _TREE["round"], len(self.book.rounds)])
        numbers = self.drawn(seen, rng)
        x = features(numbers)
        tried = features(np.array([trial.numbers for trial in self.book.trials], float).reshape(-1, len(space.NAMES)))
        _, first = np.unique(x, axis=0, return_index=True)  # towers that differ in what plays no part are one
        new = first[_is_off(x[first], tried, SAME)]
        numbers, x = numbers[new], x[new]
        order = np.argsort(self._rough(seen.beliefs, x), kind="stable")
        kept = np.union1d(order[:KEPT], order[_is_off(x[order], tried, OTHER)][:KEPT])
        numbers, x = numbers[kept], x[kept]
        means, covariances = zip(*(belief.together(x) for belief in seen.beliefs), strict=True)
        mean = np.stack(means, 1)
        chosen: list[int] = []
        goal = float(seen.expected.min()) if seen.tried else None
        for _ in range(min(number, len(numbers))):
            sd = np.sqrt(np.stack([np.maximum(np.diag(each), 0.0) for each in covariances], 1))
            distance = self._distances(mean, sd)
            gain = -distance.mean(0) if goal is None else np.maximum(goal - distance, 0.0).mean(0)
            gain[chosen] = -np.inf
            if len(chosen) == number - 1 > 0:
                others = _is_off(x, np.vstack([tried, x[chosen]]), OTHER)
                gain[others.any() & ~others] = -np.inf
            pick = int(np.argmax(gain))
            chosen.append(pick)
            # it is to do what is believed of it: no mean moves, and what goes with it is surer
            covariances = [given(each, pick, p.noise / EACH) for each, p in zip(covariances, self.priors, strict=True)]
        return [tuple(row) for row in numbers[chosen].tolist()]

    def next_round(self, seen: Seen, rounds: int) -> RoundOfGames | None:
        """Return what to play after what was `seen`, at most `rounds` of search in all; None when the search is done.

        New towers are added to the book.
        """
        book = self.book
        searched = sum(each.kind == SEARCH for each in book.rounds)
        is_last = bool(book.rounds) and book.rounds[-1].kind == LAST
        if is_last and (searched >= rounds or self.is_near(seen, seen.chosen())):
            return None
        if not is_last and book.rounds and (searched >= rounds or self.is_near(seen, seen.best(1)[0])):
            played = [(i, len(book.trials[i].games)) for i in seen.best(NEAREST)]
            return RoundOfGames(LAST, tuple((i, games + MORE) for i, games in played if games <= MORE))
        again = seen.best(1)
        games = [(i, len(book.trials[i].games) + EACH) for i in again]
        for numbers in self.propose(seen, BATCH - len(again)):
            games.append((len(book.trials), EACH))
            book.trials.append(Trial(numbers))
        return RoundOfGames(SEARCH, tuple(games))

    def run(self, evaluate: Evaluate, rounds: int, teller: Teller | None = None) -> Seen:
        """Play round after round until a tower is near enough or `rounds` of search are over; go on where it stood.

        The book is saved after each game. Returns what is believed at the end.
        """
        tell = teller or Teller()
        while True:
            due = self.book.due()
            for (trial, _), row in zip(due, evaluate([self.task(*each) for each in due]) if due else (), strict=True):
                self.book.trials[trial].games.append(row)
                self.book.save()
                tell.game()
            seen = self.seen()
            tell.round(seen)
            following = self.next_round(seen, rounds)
            if following is None:
                return seen
            self.book.rounds.append(following)
            self.book.save()

    def confirm(self, evaluate: Evaluate, trial: int, games: int, teller: Teller | None = None) -> list[Row]:
        """Play `games` fresh games in a trial, by seeds that no game of the search had; go on where it stood."""
        tell = teller or Teller()
        rows = self.book.fresh.setdefault(trial, [])
        due = [self.task(trial, run, "fresh") for run in range(len(rows), games)]
        for row in evaluate(due) if due else ():
            rows.append(row)
            self.book.save()
            tell.game()
        return rows[:games]
