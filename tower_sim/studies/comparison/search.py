"""Search rules and towers for a wish: try many ways with the fast model, and judge the best by games played afresh.

    base, wishes, what varies --search--> few ways --choose, other games--> their order --judge, other games--> Tuned

The best of many means is too good by chance, so every reported number comes from games played after the choice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tower_sim.errors import UsageError, check_whole
from tower_sim.games import Compared
from tower_sim.models import PHYSICS, Model, open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.requests import Variant, read_variant
from tower_sim.results import FEWEST, Array, Estimate, percent
from tower_sim.studies.comparison.play import (
    MAX_GAMES,
    RuleValues,
    Way,
    check_values,
    compare,
    parse_vary,
    play_side,
    usual,
    varied_by,
)
from tower_sim.studies.comparison.tuned import (
    BEYOND,
    Reached,
    Tuned,
    Verdict,
    Wish,
    check_known,
    find_best,
    parse_wishes,
)
from tower_sim.surrogate import FAILED_NAME
from tower_sim.tools import Telling, processes, report_progress
from tower_sim.values import check_seed, derive_seed

T = TypeVar("T")

GAMES = (20_000, 2_000)  # games of a search if nobody asks for others: those that are sampled, or played drop by drop
BY_PHYSICS = 120  # games of physics that judge if nobody asks for others
LEAST = 100  # games that anybody may ask for
SECONDS = 60.0  # that the search of a command takes if nobody asks for a number of games
MOST_CHANGES = 4  # rules that a way changes
_MOST_MEASURED = 1_000_000  # games for which a minute is asked
_SILENTLY = partial(report_progress, stream=StringIO())
_HURRY = 2.0  # seconds that judge a way after Ctrl-C
_HALVING = ((8, 0.12), (4, 0.14))  # a round plays one way in so many, with this share of the games left
_CHOICE = 0.4  # share of the games left after the search that choose; the rest judges
_BEAM = 8  # ways that are changed further
_FAR = 16  # values of a rule that are tried first
_SURE = 2.6  # standard errors by which a way should lie inside a range to be chosen for it


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
    """Find the rules, and the tower, that come nearest to a wish with the fewest changes, and what else changes.

    Args:
        game: A game, its Python file, a rules file or a tower.
        wish: For each figure a number, a text such as ">=3" or "2.9..3.1", or a pair of ends.
        vary: For each rule its values: a range, a list, or a text such as "5..12". None is every rule that is a whole
            number, from half to twice its value.
        changes: Changes KEY=VALUE that apply before the search.
        games: All games that the model plays, from 100. None is 20,000, 2,000 of a game that is played drop by
            drop, or 120 of physics.
        model: Searches and judges. Physics only judges; before it the surrogate searches, with 20,000
            games or 2,000.
        settings: Those of physics.
        seed: The source of all randomness.

    Returns:
        The chosen way and those that no way beats.

    >>> found = tune("amerigo", {"actions": "<=2.8"}, {"cubes": [6]}, changes=["rounds=1"])
    >>> found.changes, found.verdict.value
    ({'cubes': '6'}, 'met')
    """
    varied = None if vary is None else [parse_vary(key, values) for key, values in vary.items()]
    return search_rules(
        read_variant(game, changes), parse_wishes(wish), varied, games, model, settings, check_seed(seed)
    )


def search_rules(
    base: Variant,
    wishes: tuple[Wish, ...],
    varied: Sequence[RuleValues] | None,
    games: int | None,
    model: str,
    settings: PhysicsSettings | None,
    seed: int,
    workers: int = 1,
    report: Callable[[str, int], AbstractContextManager[Telling]] = _SILENTLY,
    seconds: float | None = None,
) -> Tuned:
    """Search, choose and judge; see `tune`. After Ctrl-C judge the best so far by a few games.

    `workers` processes search where games are played one by one; their number changes no result. `report` shows the
    progress. If `games` is None, `seconds` stands for as many as take so long, as measured; the result names them.
    """
    if games is not None:
        check_whole("games", games, LEAST, MAX_GAMES)
    with ExitStack() as opened, ExitStack() as shown:
        search = Search(base, wishes, seed, "surrogate" if model == PHYSICS else model, opened, workers)
        check_known(wishes, search.base.place)
        space = check_values(base, usual(base) if varied is None else varied)
        for variant in (varied_by(base, {vary.key: value}) for vary in space for value in vary.values):
            search.compared(variant)  # each value by itself is to be allowed
            search.open(variant, search.name)
        few = GAMES[not search.is_sampled]
        asked = games or (BY_PHYSICS if model == PHYSICS else search.count_games(seconds) if seconds else few)
        budget = few if model == PHYSICS else asked
        search.begin(budget, tell := shown.enter_context(report("games of the search", budget)))
        chosen, ways, stopped = list[Tried](), list[Reached](), None
        try:
            chosen = search.choose(space)
            most = min(max(search.left // 2000, 2), 6)
            if model == PHYSICS:
                shown.close()
                search.begin(asked, tell := shown.enter_context(report("games of physics", asked)))
                most = 3
            chosen = chosen[:most]
            pairs = search.left // (2 * len(chosen) - 1)  # no change is among them, and plays each game once
            for tried in chosen:
                ways.append(search.judge(tried, pairs, model, settings))
                if ways[-1].comparison.interrupted:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            if not search.tried:
                raise
            stopped = search.total - search.left, search.total
            search.begin(0, lambda done: None)
            tell.note("... stopping: a few fresh games judge what was found")
            for tried in [] if ways else chosen[:2] or search.pick(search.nearest([*search.tried.values()], 1)):
                ways.append(search.judge(tried, GAMES[0], search.name, None, _HURRY))
    return Tuned(
        base,
        wishes,
        tuple(space),
        find_best(ways),
        tuple(sorted(ways, key=lambda way: (len(way.changes), way.distance))),
        len(search.tried),
        math.prod(1 + len(vary.values) for vary in space),
        {wish.key: search.span(wish.key) for wish in wishes},
        {wish.key: any(search.seems(wish, each) for each in search.tried.values()) for wish in wishes},
        search.model.name,
        seed,
        asked,
        model,
        settings,
        stopped,
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
    workers: int = 1
    tried: dict[frozenset[tuple[str, str]], Tried] = field(default_factory=dict[Any, Tried])
    models: dict[tuple[str, str], Model] = field(default_factory=dict[Any, Model])
    total: int = 0
    left: int = 0
    tell: Callable[[int], None] = lambda done: None

    def __post_init__(self) -> None:
        compared = self.compared(self.start)
        self.base = Tried({}, self.start, compared, np.zeros((0, compared.width)))
        self.model = self.open(self.start, self.name)
        self.is_sampled = compared.sampler(self.model) is not None
        many = self.workers > 1 and not self.is_sampled
        self.pool = self.opened.enter_context(processes(self.workers)) if many else None

    def compared(self, variant: Variant) -> Compared:
        compared = variant.game.compared((self.start.rules, variant.rules))
        compared.check(1)
        return compared

    def open(self, variant: Variant, name: str, settings: PhysicsSettings | None = None) -> Model:
        key = variant.apparatus.digest, name
        if key not in self.models:
            self.models[key] = self.opened.enter_context(open_model(variant.apparatus, name, settings))
        return self.models[key]

    def begin(self, games: int, tell: Callable[[int], None]) -> None:
        """Set the number of games that may be played from now on; `tell` is called with the number played."""
        self.total, self.left, self.tell = games, games, tell

    def count(self, games: int) -> None:
        self.left -= games
        self.tell(self.total - self.left)

    def count_games(self, seconds: float) -> int:
        """Return how many games take about so long: 1, 2 or 5 times a power of ten.

        It measures for a second or a game, after games in which processes start and functions are compiled.
        """
        games, took = self.workers, 0.0
        self.play(self.base, games, self.seed)
        while took < 1:
            games, began = 2 * games, time.monotonic()
            self.play(self.base, games, self.seed)
            took = time.monotonic() - began
        size = min(max(games / took * seconds, LEAST), _MOST_MEASURED)
        unit = 10 ** int(math.log10(size))
        return unit * max(step for step in (1, 2, 5) if step * unit <= size)

    def play(self, each: Tried, games: int, seed: int, first: int = 0) -> Array:
        if self.pool is None:
            return play_side(each.compared, self.open(each.variant, self.name), games, seed, first, self.count)
        a, b = ((variant.file, variant.changes) for variant in (self.start, each.variant))
        size = -(-games // (4 * self.workers))
        tasks = [(a, b, self.name, min(size, games - i), seed, first + i) for i in range(0, games, size)]
        parts: list[Array] = []
        for part, task in zip(self.pool.map(_play_part, tasks), tasks, strict=True):
            parts.append(part)
            self.count(task[3])
        return np.concatenate(parts)

    def tries(self, way: Way) -> Tried | None:
        key = frozenset(way.items())
        if key not in self.tried:
            try:
                variant = varied_by(self.start, way)
                compared = self.compared(variant)
            except UsageError:  # two values that are allowed, but not together
                return None
            found = Tried(dict(way), variant, compared, np.zeros((0, compared.width)))
            found.values = self.play(found, self.first, self.seed)
            if len(found.values) < 2 or any(wish.key not in found.place for wish in self.wishes):
                return None
            self.tried[key] = found
        return self.tried[key]

    def look(self, space: Sequence[RuleValues]) -> None:
        """Try all ways if they are few; else single changes, then more changes of the best, and their neighbours."""
        of = math.prod(1 + len(vary.values) for vary in space)
        most = min(of, max(8, int(0.8 * math.sqrt(self.left))))
        self.first = max(2, int(0.3 * self.left) // most)  # games of each way
        self.base.values = self.play(self.base, max(self.first, self.left // 20), self.seed)
        self.sds = {key: self.base.sd(key) for key in self.base.place}
        self.tried[frozenset()] = self.base
        if of <= most:
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

    def choose(self, space: Sequence[RuleValues]) -> list[Tried]:
        """Search by successive halving, and play other games of the best; return `pick` of these."""
        self.look(space)
        left = list(self.tried.values())
        for one_in, share in _HALVING:
            left = self.by_changes(left, max(len(left) // one_in, 4))
            until = len(left[-1].values) + int(share * self.left) // len(left)
            for each in left:
                if (have := len(each.values)) < until:
                    each.values = np.concatenate([each.values, self.play(each, until - have, self.seed, have)])
        left = self.by_changes(left, min(max(len(left) // 2, 4), 8))
        games, seed = max(int(_CHOICE * self.left) // len(left), 2), derive_seed(self.seed, 1)
        return self.pick([replace(each, values=self.play(each, games, seed)) for each in left])

    def by_changes(self, tried: Sequence[Tried], most: int) -> list[Tried]:
        """Return the nearest ways, about equally many of each number of changes, and at least one."""
        levels = sorted({len(each.way) for each in tried})
        each_level = max(most // len(levels), 1)
        kept = [self.nearest([each for each in tried if len(each.way) == level], each_level) for level in levels]
        return [each for level in kept for each in level]

    def nearest(self, tried: Sequence[Tried], most: int) -> list[Tried]:
        """Return the nearest ways; before them those that seem to meet every wish."""
        return sorted(tried, key=lambda x: (not self.seems_all(x), self.distance(x), self.side_effect(x)))[:most]

    def pick(self, tried: Sequence[Tried]) -> list[Tried]:
        """Return the best, no change, and then the ways that no other beats, the nearest first."""
        able = [each for each in tried if self.seems_all(each, -_SURE)] or list(filter(self.seems_all, tried)) or tried
        least = min(able, key=self.distance)

        def is_near(each: Tried) -> bool:
            noise = 0.0 if each is least else math.hypot(self.noise(each), self.noise(least))
            return self.distance(each) <= self.distance(least) + noise / 2

        best = min(filter(is_near, able), key=lambda each: (len(each.way), self.side_effect(each)))
        base = best if not best.way else next((each for each in tried if not each.way), self.base)
        others = [each for each in tried if each not in (best, base) and not any(self.beats(x, each) for x in tried)]
        others.sort(key=lambda each: (self.distance(each), len(each.way)))
        return [best, *[base] * (base is not best), *others]

    def beats(self, one: Tried, other: Tried) -> bool:
        """Return whether `one` is no worse in changes, distance and side effect, and better in one."""
        first, second = (
            (len(each.way), max(self.distance(each) - self.noise(each), 0.0), self.side_effect(each))
            for each in (one, other)
        )
        return one is not other and first != second and all(a <= b for a, b in zip(first, second, strict=True))

    def distance(self, each: Tried) -> float:
        """Return the distance of the means from the wishes, in shares of these."""
        return math.hypot(*(wish.off(each.mean(wish.key)) / self.scale(wish) for wish in self.wishes))

    def noise(self, each: Tried) -> float:
        """Return the standard error of `distance`."""
        return math.hypot(*(each.error(wish.key) / self.scale(wish) for wish in self.wishes))

    def side_effect(self, each: Tried) -> float:
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

    def judge(
        self, each: Tried, pairs: int, model: str, settings: PhysicsSettings | None, seconds: float = math.inf
    ) -> Reached:
        """Return a way as judged by pairs of games that neither the search nor the choice has seen.

        After so many seconds no pair begins any more, if there are enough for an interval.
        """
        a, b, seed, done, end = self.start, each.variant, derive_seed(self.seed, 2), 0, time.monotonic() + seconds
        games = 2 if each.way else 1

        def note(now: int) -> None:
            nonlocal done
            self.count(games * (now - done))
            done = now
            if now >= FEWEST and time.monotonic() > end:
                raise KeyboardInterrupt

        models = self.open(a, model, settings), self.open(b, model, settings)
        found, doubt = compare((a, b), models, pairs, seed, note), ""
        if (beyond := (found.extrapolated or (0.0, 0.0))[1]) > BEYOND:
            doubt = f"{percent(beyond)} of the drops lie outside of what the fast model was fitted to"
        elif FAILED_NAME in found.model:
            doubt = "the fast model failed its own check"
        rows = {row.key: row for group in found.groups for row in group}
        means, verdicts = dict[str, Estimate](), dict[str, Verdict]()
        for wish in self.wishes:
            row = rows[wish.key]
            mean = Estimate(row.mean_b, row.mean_b - row.half_b, row.mean_b + row.half_b, len(found))
            means[wish.key] = mean
            verdicts[wish.key] = Verdict.OPEN if doubt else wish.verdict(mean.low, mean.high, row.sd_b)
        off = math.hypot(*(wish.off(rows[wish.key].mean_b) / self.scale(wish) for wish in self.wishes))
        return Reached(each.way, found, means, verdicts, off, doubt)


_Named = tuple[str, tuple[str, ...]]  # a variant's file and changes, for other processes


def _play_part(task: tuple[_Named, _Named, str, int, int, int]) -> Array:
    start, variant, name, games, seed, first = task
    compared, model = _open(start, variant, name)
    return play_side(compared, model, games, seed, first)


@lru_cache(maxsize=64)
def _open(start: _Named, variant: _Named, name: str) -> tuple[Compared, Model]:
    a, b = read_variant(*start), read_variant(*variant)
    return b.game.compared((a.rules, b.rules)), open_model(b.apparatus, name)


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
