"""What a campaign holds, as arrays: its runs, the drops that landed, every cube of every drop, and failed attempts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.campaign.kinds import installed
from tower_sim.games.game import Game
from tower_sim.runs.by_drop import ByDrop, by_drop

Array = npt.NDArray[Any]

INSIDE = "inside:"
SETUP = "setup"  # the phase of a drop that only fills the tower
NOWHERE = -1  # the code of a null word


@dataclass(frozen=True)
class Words:
    """A column of words: `names[codes[i]]` is the i-th; code -1 is none."""

    names: tuple[str, ...]
    codes: Array

    def take(self, rows: Array) -> Words:
        """Return the column at `rows`."""
        return Words(self.names, self.codes[rows])

    def starts(self, prefix: str) -> Array:
        """Say for each row whether its word starts with `prefix`, shape (rows,)."""
        known = np.array([name.startswith(prefix) for name in self.names] + [False])
        return known[self.codes]

    def among(self, *words: str) -> Array:
        """Say for each row whether its word is one of `words`, shape (rows,)."""
        return np.array([name in words for name in self.names] + [False])[self.codes]

    def ordered(self, names: Sequence[str]) -> Words:
        """Return the same column with its names in the order of `names`, then any others by alphabet."""
        order = [*[name for name in names if name in self.names], *sorted(set(self.names) - set(names))]
        place = np.array([order.index(name) for name in self.names] + [NOWHERE])
        return Words(tuple(order), place[self.codes].astype(np.int16))

    @staticmethod
    def of(words: Sequence[str | None], names: Sequence[str] = ()) -> Words:
        """Make a column of a list of words."""
        every = [*names, *sorted({word for word in words if word is not None} - set(names))]
        place: dict[str | None, int] = {name: i for i, name in enumerate(every)} | {None: NOWHERE}
        return Words(tuple(every), np.array([place[word] for word in words], np.int16))


class Facts(dict[str, "Array | Words"]):
    """What a game tells of its drops, by the columns of its own table; an entry a drop, NaN or none where it is null.

    Numbers that are never null keep their type, others are real.
    """

    def take(self, rows: Array) -> Facts:
        """Return what is told at `rows`."""
        return Facts({name: column.take(rows) for name, column in self.items()})

    def words(self, name: str, drops: int) -> Words:
        """Return the words of a column; of one that is not there, or has none, a column of `drops` null words."""
        column = self.get(name)
        return column if isinstance(column, Words) else Words((), np.full(drops, NOWHERE, np.int16))

    def counts(self, name: str, drops: int) -> Array:
        """Return the whole numbers of a column, shape (drops,), 0 where it is null or the column is not there."""
        column = self.get(name)
        if column is None or isinstance(column, Words):
            return np.zeros(drops, np.int64)
        return np.nan_to_num(column).astype(np.int64)


@dataclass(frozen=True)
class Drops:
    """The drops (battles: steps) that landed, sorted by run and number; arrays of one entry a drop, counts in cubes.

    `run` counts the runs of the campaign from 0, whatever their design point; `drawn` says whether the model was asked.
    `facts` are what the game tells of each; some that many sections read are beside them, empty or 0 where they are
    not told.
    """

    run: Array
    drop: Array
    kind: Words
    thrown: Array
    inside_before: Array
    emerged: Array
    inside_after: Array
    phase: Words
    winner: Words
    drawn: Array
    facts: Facts = field(default_factory=Facts)

    def __len__(self) -> int:
        return len(self.run)


@dataclass(frozen=True)
class CubeEntries:
    """Every cube of every drop that landed: `row` is its drop's place in `Drops`; sorted by it."""

    row: Array
    cube: Array
    colour: Words
    thrown: Array
    age: Array
    before: Words
    after: Words

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def out(self) -> Array:
        """Whether the cube was out after the drop, shape (entries,)."""
        return ~self.after.starts(INSIDE)

    def take(self, rows: Array) -> CubeEntries:
        """Return the entries at `rows`."""
        columns: list[Any] = [getattr(self, each.name) for each in fields(self)]
        taken: list[Any] = [column.take(rows) if isinstance(column, Words) else column[rows] for column in columns]
        return CubeEntries(*taken)


@dataclass(frozen=True)
class Failed:
    """The attempts that were no landing; all but those of a run's last drop were drawn again."""

    run: Array
    drop: Array
    status: Words


@dataclass(frozen=True)
class Campaign:
    """One campaign's dataset: `run_point[r]` is the design point of run r, `points` what each point overrides.

    `digest` is the spec's and seeds all that is random in the study; `made_with` are the versions that made the data.
    Of `shards` planned those in `missing` were not run yet.
    """

    spec: Mapping[str, Any]
    points: Sequence[Mapping[str, Any]]
    run_point: Array
    drops: Drops
    cubes: CubeEntries
    failed: Failed
    digest: str = ""
    made_with: Mapping[str, str] = field(default_factory=dict[str, str])
    shards: int = 0
    missing: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """What a run is: `game`, `chain`, `battle` or the kind of another game."""
        return str(self.spec.get("kind", "game"))

    @cached_property
    def game(self) -> Game | None:
        """The game of its kind; None where it is not installed."""
        return installed(self.kind, self.spec.get("code"))

    @property
    def facts(self) -> Facts:
        """What the game tells of each drop."""
        return self.drops.facts

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """What the game is played by: the first of its tables, every default in it; empty where it is not installed."""
        if self.game is None:
            return {}
        name = self.game.tables[0]
        return self.game.plain(self.game.read({})).get(name, {}) | (self.spec.get(name) or {})

    @property
    def has_setup(self) -> bool:
        """Whether a run's first drop only fills the tower and is no phase of play."""
        return SETUP in self.drops.phase.names

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.run_point)

    @property
    def unit(self) -> str:
        """What people call a run."""
        return "run" if self.game is None else self.game.run

    @cached_property
    def unfinished(self) -> Array:
        """Which runs end in a drop that never landed, shape (runs,)."""
        last = np.full(self.runs, -1)
        np.maximum.at(last, self.drops.run, self.drops.drop)
        is_unfinished = np.zeros(self.runs, bool)
        is_unfinished[self.failed.run[self.failed.drop > last[self.failed.run]]] = True
        return is_unfinished

    @cached_property
    def strata(self) -> Array:
        """The stratum of each run, shape (runs,): its design point, or one for all when some point has a single run."""
        counts = np.bincount(self.run_point)
        if counts[counts > 0].min() < 2:
            return np.zeros(self.runs, np.int64)
        return np.unique(self.run_point, return_inverse=True)[1]

    @cached_property
    def phases(self) -> Array:
        """Which drops are studied as phases, shape (drops,): those with cubes thrown, a set-up left out."""
        is_phase = self.drops.thrown > 0
        return is_phase & (self.drops.drop > 0) if self.has_setup else is_phase

    @cached_property
    def colours(self) -> tuple[str, ...]:
        """The colours, a game's in the order of its phases."""
        return self.cubes.colour.names

    def rng(self, name: str) -> np.random.Generator:
        """Return the generator for the statistic `name`; it depends on the spec and the name only."""
        words = hashlib.sha256(f"{self.digest} {name}".encode()).digest()
        return np.random.default_rng(np.frombuffer(words, np.uint32))

    def by_run(self, values: Array, rows: Array | None = None) -> Array:
        """Add up `values`, one or K for each drop of `rows` (a mask; None: all), for every run: shape (runs, K)."""
        run = self.drops.run if rows is None else self.drops.run[rows]
        columns = values if values.ndim == 2 else values[:, None]
        return np.stack([np.bincount(run, column, self.runs) for column in columns.T.astype(float)], 1)

    def tally(self, run: Array, group: Array, groups: int, weights: Array | None = None) -> Array:
        """Count things (or add up their `weights`), each of one run and one group: shape (runs, groups)."""
        code = run.astype(np.int64) * groups + group
        return np.bincount(code, weights, self.runs * groups).reshape(self.runs, groups)

    @cached_property
    def longest(self) -> int:
        """How many drops the longest run has."""
        return int(self.drops.drop.max(initial=-1)) + 1

    def matrix(self, values: Array) -> Array:
        """Lay out one value a drop in shape (runs, drops of a run); NaN where a run has no such drop."""
        table = np.full((self.runs, self.longest), np.nan)
        table[self.drops.run, self.drops.drop] = values
        return table

    @cached_property
    def thrown_by_colour(self) -> Array:
        """How many cubes of each colour each drop throws, shape (drops, colours)."""
        return self._by_colour(self.cubes.thrown)

    @cached_property
    def out_by_colour(self) -> Array:
        """How many cubes of each colour came out in each drop, shape (drops, colours)."""
        return self._by_colour(self.cubes.out)

    @cached_property
    def inside_by_colour(self) -> Array:
        """How many cubes of each colour are inside after each drop, shape (drops, colours).

        A drop without any cube thrown changes nothing.
        """
        changed = np.where((self.drops.thrown > 0) | (self.drops.drop == 0), np.arange(len(self.drops)), 0)
        return self._by_colour(~self.cubes.out)[np.maximum.accumulate(changed)]

    @cached_property
    def by_drop(self) -> ByDrop:
        """The runs drop by drop, shape (runs, drops of the longest): what figures are taken from.

        Its terms are the numbers of the rules, its facts the numbers of the game's own table.
        """
        drops, cubes = self.drops, self.cubes
        old = cubes.out & ~cubes.thrown & (cubes.row >= 0)
        numbers = {name: column for name, column in self.facts.items() if not isinstance(column, Words)}
        played: Array = np.isfinite(self.matrix(drops.drop))
        phases: Array = np.ones(self.longest, bool)
        phases[: int(self.has_setup)] = False
        tables = (self._laid_out(each) for each in (self.thrown_by_colour, self.out_by_colour, self.inside_by_colour))
        return by_drop(
            *tables,
            played=played,
            old_out=self._laid_out(np.bincount(cubes.row[old], minlength=len(drops))),
            phases=phases,
            terms={name: float(x) for name, x in self.rules.items() if isinstance(x, int | float)},
            facts={name: self.matrix(column) for name, column in numbers.items()},
        )

    def _laid_out(self, values: Array) -> Array:
        """Lay out one or more numbers a drop in shape (runs, drops of the longest, ...); 0 where a run has no such."""
        table = np.zeros((self.runs, self.longest, *values.shape[1:]), np.int16)
        table[self.drops.run, self.drops.drop] = values
        return table

    def _by_colour(self, chosen: Array) -> Array:
        """Count the cubes `chosen`, shape (entries,), by drop and colour."""
        rows, width = np.flatnonzero(chosen & (self.cubes.row >= 0)), len(self.colours)
        code = self.cubes.row[rows].astype(np.int64) * width + self.cubes.colour.codes[rows]
        return np.bincount(code, minlength=len(self.drops) * width).reshape(-1, width)
