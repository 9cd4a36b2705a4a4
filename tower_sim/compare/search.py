"""Search rules and towers for a wish: try many ways with the fast model, and judge the best by games played afresh.

    base, wishes, what varies --search--> few ways --choose, other games--> their order --judge, other games--> Tuned

The best of many means is too good by chance, so every reported number comes from games played after the choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tower_sim.compare.comparison import Comparison, compare, name_models
from tower_sim.compare.play import MAX_GAMES, play_pairs, play_side
from tower_sim.compare.tuned import Reached, Tuned
from tower_sim.compare.vary import RuleValues, Way, check_values, parse_vary, read_vary, usual, varied_by
from tower_sim.compare.wish import Verdict, Wish, check_known, parse_wishes, read_wishes
from tower_sim.compare.words import percent
from tower_sim.errors import UsageError, check_whole
from tower_sim.games.compared import Compared
from tower_sim.models import PHYSICS, Model, open_model
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.runs.array import Array
from tower_sim.state import check_seed
from tower_sim.statistics import CONFIDENCE, student_quantile
from tower_sim.surrogate.store import FAILED_NAME
from tower_sim.tools.pool import processes
from tower_sim.tools.progress import nothing, report_progress
from tower_sim.variants import Variant, read_variant

T = TypeVar("T")

BEYOND = 0.05  # share of drops outside of the fitted range from which on physics judges
BY_PHYSICS = 24  # pairs of games that physics plays
MOST_CHANGES = 4  # rules that a way changes
_BEAM = 8  # ways that are changed further
_FAR = 16  # values of a rule that are tried first
_SURE = 2.6  # standard errors by which a way should lie inside a range to be chosen for it


@dataclass(frozen=True)
class Budget:
    """How many games a search plays.

    Each of the `rungs` of successive halving has the games of a way so far, and the number of ways that go on. Then
    each of `finalists` ways plays `choose` games, and each of `reported` ways `judge` pairs of games.
    """

    rungs: tuple[tuple[int, int], ...]
    finalists: int
    choose: int
    judge: int
    reported: int


SAMPLED = Budget(((200, 600), (800, 60), (3200, 16)), finalists=8, choose=20_000, judge=5_000, reported=6)
"""For games that the model samples, 20,000 a second."""
ONE_BY_ONE = Budget(((40, 60), (250, 16), (700, 8)), finalists=4, choose=2000, judge=400, reported=3)
"""For games that are played drop by drop, 100 to 200 a second."""


@dataclass(eq=False)
class Tried:
    """A way that the search tried: its variant, and the figures of its games, shape (game, figure)."""

    way: Way
    variant: Variant
    compared: Compared
    values: Array

    @cached_property
    def place(self) -> dict[str, int]:
        keys = [figure.key for group in self.compared.groups for figure in group.figures]
        return {key: keys.index(key) for key in keys}

    def mean(self, key: str) -> float:
        return float(self.values[:, self.place[key]].mean())

    def sd(self, key: str) -> float:
        return float(self.values[:, self.place[key]].std(ddof=1))

    def error(self, key: str) -> float:
        return self.sd(key) / math.sqrt(len(self.values))


def tune(
    game: str | Path,
    wish: Mapping[str, Any],
    vary: Mapping[str, Any] | None = None,
    *,
    changes: Sequence[str] = (),
    games: int | None = None,
    model: str = "surrogate",
    settings: PhysicsSettings | None = None,
    seed: int = 0,
) -> Tuned:
    """Find the rules, and the tower, that come nearest to a wish with the fewest changes, and what they cost.

    Args:
        game: A game, its Python file, a rules file or a tower.
        wish: For each figure a number, a text such as ">=3" or "2.9..3.1", or a pair of ends.
        vary: For each rule its values: a range, a list, or a text such as "5..12". None is every rule that is a whole
            number, from half to twice its value.
        changes: Changes KEY=VALUE that apply before the search.
        games: The pairs of games that judge each reported way.
        model: Judges, and also searches unless it is physics; then the surrogate does.
        settings: Those of physics.
        seed: The source of all randomness.

    Returns:
        The chosen way and those that no way beats.

    >>> found = tune("amerigo", {"actions": "<=2.8"}, {"cubes": [6]}, changes=["rounds=1"], games=400)
    >>> found.changes, found.verdict.value
    ({'cubes': '6'}, 'met')
    """
    varied = None if vary is None else [parse_vary(key, values) for key, values in vary.items()]
    return search_rules(
        read_variant(game, changes), parse_wishes(wish), varied, games, model, settings, check_seed(seed)
    )


def tune_files(
    file: str,
    wish: Sequence[str],
    vary: Sequence[str],
    changes: Sequence[str],
    games: int | None,
    model: str,
    settings: PhysicsSettings | None,
    seed: int,
    workers: int = 1,
) -> Tuned:
    """Return what `tune` does for texts of the command line, and show the progress."""
    base = read_variant(file, changes)
    varied = [read_vary(text) for text in vary] or None
    with report_progress("games of the search", None) as tell:
        return search_rules(
            base, read_wishes(wish), varied, games, model, settings, check_seed(seed), tell.step, workers
        )


def search_rules(
    base: Variant,
    wishes: tuple[Wish, ...],
    varied: Sequence[RuleValues] | None,
    games: int | None,
    model: str,
    settings: PhysicsSettings | None,
    seed: int,
    note: Callable[[], None] = nothing,
    workers: int = 1,
) -> Tuned:
    """Search, choose and judge; see `tune`. `note` is called after each batch of games.

    `workers` processes search where games are played one by one; their number changes no result.
    """
    if games is not None:
        check_whole("games", games, 2, MAX_GAMES)
    with ExitStack() as opened:
        fast = "surrogate" if model == PHYSICS else model
        search = Search(base, wishes, seed, fast, opened, note, workers)
        check_known(wishes, search.base.place)
        space = check_values(base, usual(base) if varied is None else varied)
        search.look(space)
        finalists = search.finalists()
        chosen, best = search.choose(finalists)
        judge = Judge(search, games or (BY_PHYSICS if model == PHYSICS else search.budget.judge), model, settings)
        ways = [judge.reached(each) for each in chosen]
    return Tuned(
        base,
        wishes,
        tuple(space),
        ways[best],
        tuple(ways),
        len(search.tried),
        math.prod(1 + len(vary.values) for vary in space),
        {wish.key: search.span(wish.key) for wish in wishes},
        {wish.key: any(search.seems(wish, each) for each in search.tried.values()) for wish in wishes},
        search.model.name,
        seed,
    )


@dataclass(eq=False)
class Search:
    """A search for `wishes` from the rules of `start`.

    Game g of every way is drawn from stream g of the seed, so that ways differ by their rules and hardly by luck.
    """

    start: Variant
    wishes: tuple[Wish, ...]
    seed: int
    name: str
    opened: ExitStack
    note: Callable[[], None]
    workers: int = 1
    tried: dict[frozenset[tuple[str, str]], Tried] = field(default_factory=dict[Any, Tried])
    models: dict[str, Model] = field(default_factory=dict[str, Model])

    def __post_init__(self) -> None:
        compared = self.compared(self.start)
        self.model = self.model_of(self.start)
        self.budget = SAMPLED if compared.sampler(self.model) else ONE_BY_ONE
        is_alone = self.budget is SAMPLED or self.workers < 2
        self.pool = None if is_alone else self.opened.enter_context(processes(self.workers))
        first, _ = self.budget.rungs[-1]
        self.base = Tried({}, self.start, compared, self.play(self.start, compared, first, self.seed))
        self.tried[frozenset()] = self.base
        self.sds = {key: self.base.sd(key) for key in self.base.place}

    def compared(self, variant: Variant) -> Compared:
        compared = variant.game.ways.compared((self.start.rules, variant.rules))
        compared.check(1)
        return compared

    def model_of(self, variant: Variant) -> Model:
        if variant.apparatus.digest not in self.models:
            model = open_model(variant.apparatus, self.name)
            self.models[variant.apparatus.digest] = self.opened.enter_context(model)
        return self.models[variant.apparatus.digest]

    def play(self, variant: Variant, compared: Compared, games: int, seed: int, first: int = 0) -> Array:
        if self.pool is None:
            return play_side(compared, self.model_of(variant), games, seed, first, self.note)
        a, b = ((each.file, each.changes) for each in (self.start, variant))
        size = -(-games // (4 * self.workers))
        parts: list[Array] = []
        for part in self.pool.imap(
            _play_part, [(a, b, self.name, min(size, games - i), seed, first + i) for i in range(0, games, size)]
        ):
            parts.append(part)
            self.note()
        return np.concatenate(parts)

    def tries(self, way: Way) -> Tried | None:
        key = frozenset(way.items())
        if key not in self.tried:
            try:
                variant = varied_by(self.start, way)
                compared = self.compared(variant)
            except UsageError:
                if len(way) == 1:  # each value by itself is to be allowed
                    raise
                return None
            games, _ = self.budget.rungs[0]
            values = self.play(variant, compared, games, self.seed)
            found = Tried(dict(way), variant, compared, values)
            if len(values) < 2 or any(wish.key not in found.place for wish in self.wishes):
                return None
            self.tried[key] = found
        return self.tried[key]

    def look(self, space: Sequence[RuleValues]) -> None:
        """Try all ways if they are few; else single changes, then more changes of the best, and their neighbours."""
        most = self.budget.rungs[0][1]
        if math.prod(1 + len(vary.values) for vary in space) <= most:
            every = product(*([(vary.key, None), *((vary.key, value) for value in vary.values)] for vary in space))
            self.try_all({key: value for key, value in way if value is not None} for way in every)
            return
        levels = min(MOST_CHANGES, len(space))
        far = max(most // (2 * len(space)), 2)
        spread = [(vary.key, value) for vary in space for value in _pick_spread(vary.values, min(far, _FAR))]
        level: list[Tried] = [self.base]
        for changes in range(1, levels + 1):
            until = most * (levels + changes) // (2 * levels)  # half of them may be of one change
            ways = [dict(each.way) | {key: value} for each in level for key, value in spread if key not in each.way]
            self.try_all(_pick_spread(ways, max((until - len(self.tried)) * 2 // 3, 1) if changes > 1 else most), until)
            level = []
            while level != (level := self.nearest([x for x in self.tried.values() if len(x.way) == changes], _BEAM)):
                self.try_all((way for each in level for way in _list_neighbours(each.way, space)), until)

    def try_all(self, ways: Iterable[Way], until: float = math.inf) -> None:
        for way in ways:
            if len(self.tried) >= until:
                return
            self.tries(way)

    def finalists(self) -> list[Tried]:
        """Return the nearest ways of each number of changes, by successive halving."""
        left = list(self.tried.values())
        for games, ways in self.budget.rungs[1:]:
            left = self.by_changes(left, ways)
            for each in left:
                have = len(each.values)
                if have < games:
                    more = self.play(each.variant, each.compared, games - have, self.seed, have)
                    each.values = np.concatenate([each.values, more])
        return self.by_changes(left, self.budget.finalists)

    def by_changes(self, tried: Sequence[Tried], most: int) -> list[Tried]:
        """Return the nearest ways, about equally many of each number of changes."""
        levels = sorted({len(each.way) for each in tried})
        each_level = max(most // len(levels), 1)
        kept = [self.nearest([each for each in tried if len(each.way) == level], each_level) for level in levels]
        return [each for level in kept for each in level][:most]

    def nearest(self, tried: Sequence[Tried], most: int) -> list[Tried]:
        """Return the nearest ways; before them those that seem to meet every wish."""
        return sorted(tried, key=lambda x: (not self.seems_all(x), self.distance(x), self.cost(x)))[:most]

    def choose(self, finalists: Sequence[Tried]) -> tuple[list[Tried], int]:
        """Play other games of the finalists; return those that no other beats, and the index of the best."""
        games, seed = self.budget.choose, _derive_seed(self.seed, 1)
        again = [replace(each, values=self.play(each.variant, each.compared, games, seed)) for each in finalists]
        able = [each for each in again if self.seems_all(each, -_SURE)] or list(filter(self.seems_all, again)) or again
        least = min(able, key=self.distance)

        def is_near(each: Tried) -> bool:
            noise = 0.0 if each is least else math.hypot(self.noise(each), self.noise(least))
            return self.distance(each) <= self.distance(least) + noise / 2

        best = min(filter(is_near, able), key=lambda each: (len(each.way), self.cost(each)))
        ways = [each for each in again if each is best or not any(self.beats(other, each) for other in again)]
        ways.sort(key=lambda each: (each is not best, self.distance(each), len(each.way)))
        ways = sorted(ways[: self.budget.reported], key=lambda each: (len(each.way), self.distance(each)))
        return ways, ways.index(best)

    def beats(self, one: Tried, other: Tried) -> bool:
        """Return whether `one` is no worse in changes, nearness and cost, and better in one."""
        first, second = (
            (len(each.way), max(self.distance(each) - self.noise(each), 0.0), self.cost(each)) for each in (one, other)
        )
        return one is not other and first != second and all(a <= b for a, b in zip(first, second, strict=True))

    def distance(self, each: Tried) -> float:
        """Return the distance of the means from the wishes, in shares of these."""
        return math.hypot(*(wish.off(each.mean(wish.key)) / self.scale(wish) for wish in self.wishes))

    def noise(self, each: Tried) -> float:
        """Return the standard error of `distance`."""
        return math.hypot(*(each.error(wish.key) / self.scale(wish) for wish in self.wishes))

    def cost(self, each: Tried) -> float:
        """Return the root mean square change of all other figures, in standard deviations over games."""
        wished = {wish.key for wish in self.wishes}
        others = [key for key in each.place if key in self.sds and key not in wished and self.sds[key] > 0]
        moved = [(each.mean(key) - self.base.mean(key)) / self.sds[key] for key in others]
        return math.sqrt(sum(move * move for move in moved) / max(len(moved), 1))

    def seems(self, wish: Wish, each: Tried, slack: float = 2.0) -> bool:
        """Return whether a mean meets a wish to within `slack` standard errors."""
        least, most = wish.border(each.sd(wish.key))
        more = slack * each.error(wish.key)
        return least - more <= each.mean(wish.key) <= most + more

    def seems_all(self, each: Tried, slack: float = 2.0) -> bool:
        return all(self.seems(wish, each, slack) for wish in self.wishes)

    def scale(self, wish: Wish) -> float:
        ends = [abs(end) for end in (wish.low, wish.high) if math.isfinite(end)]
        return max(*ends, self.sds[wish.key]) or 1.0

    def span(self, key: str) -> tuple[tuple[float, Way], tuple[float, Way]]:
        means = [(each.mean(key), each.way) for each in self.tried.values()]
        return min(means, key=lambda each: each[0]), max(means, key=lambda each: each[0])


@dataclass(eq=False)
class Judge:
    """Judges ways by `games` pairs of games that neither the search nor the choice has seen."""

    search: Search
    games: int
    model: str
    settings: PhysicsSettings | None

    def reached(self, each: Tried) -> Reached:
        """Return a way as fresh games judge it, by physics if the fast model does not know such drops."""
        found = self._play(each, self.games, self.model, self.settings)
        shares, why = found.pairs.extrapolated or (0.0, 0.0), ""
        if shares[1] > BEYOND:
            why = f"{percent(shares[1])} of the drops lie outside of what the fast model was fitted to"
        elif FAILED_NAME in found.model:
            why = "the fast model failed its own check"
        if why and self.model != PHYSICS:
            found = self._play(each, BY_PHYSICS, PHYSICS, None)
        half = float(student_quantile(len(found.pairs) - 1, (1 + CONFIDENCE) / 2)) / math.sqrt(len(found.pairs))
        rows = {row.key: row for group in found.groups for row in group}
        means, verdicts = dict[str, Any](), dict[str, Verdict]()
        for wish in self.search.wishes:
            row = rows[wish.key]
            low, high = row.mean_b - half * row.sd_b, row.mean_b + half * row.sd_b
            means[wish.key] = row.mean_b, low, high, row.sd_b
            verdicts[wish.key] = wish.verdict(low, high, row.sd_b)
        return Reached(each.way, found, means, verdicts, why)

    def _play(self, each: Tried, games: int, model: str, settings: PhysicsSettings | None) -> Comparison:
        a, b = self.search.start, each.variant
        seed = _derive_seed(self.search.seed, 2)
        with open_model(a.apparatus, model, settings) as first, open_model(b.apparatus, model, settings) as second:
            pairs = play_pairs(each.compared, (first, second), games, seed, lambda done: self.search.note())
            return compare((a, b), pairs, model=name_models(first.name, second.name), seed=seed, asked=games)


_Named = tuple[str, tuple[str, ...]]  # a variant's file and changes, for other processes


def _play_part(task: tuple[_Named, _Named, str, int, int, int]) -> Array:
    start, variant, name, games, seed, first = task
    compared, model = _open(start, variant, name)
    return play_side(compared, model, games, seed, first)


@lru_cache(maxsize=64)
def _open(start: _Named, variant: _Named, name: str) -> tuple[Compared, Model]:
    a, b = read_variant(*start), read_variant(*variant)
    return b.game.ways.compared((a.rules, b.rules)), open_model(b.apparatus, name)


def _pick_spread(values: Sequence[T], most: int) -> list[T]:
    if len(values) <= most or most < 2:
        return [*values[:most]]
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def _list_neighbours(way: Way, space: Sequence[RuleValues]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for vary in space:
        if vary.key in way:
            at = vary.values.index(way[vary.key])
            places = (at + sign * step for step in (1, 2, 4, 8) for sign in (-1, 1))
            found += [dict(way) | {vary.key: vary.values[i]} for i in places if 0 <= i < len(vary.values)]
    return found


def _derive_seed(seed: int, number: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(1, np.uint64)[0])
