"""The data of a campaign as arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tower_sim.campaign.spec import find_game
from tower_sim.games import Game
from tower_sim.runs import ByDrop, count_by_drop

Array = npt.NDArray[Any]

INSIDE = "inside:"
SETUP = "setup"  # the phase of a drop that only fills the tower
NOWHERE = -1  # the code of a null word


@dataclass(frozen=True)
class Words:
    """A column of words: row i is `names[codes[i]]`, null if the code is -1."""

    names: tuple[str, ...]
    codes: Array

    def take(self, rows: Array) -> Words:
        """Return the given rows."""
        return Words(self.names, self.codes[rows])

    def starts(self, prefix: str) -> Array:
        """Return for each row whether its word starts with `prefix`."""
        return np.array([name.startswith(prefix) for name in self.names] + [False])[self.codes]

    def among(self, *words: str) -> Array:
        """Return for each row whether its word is one of `words`."""
        return np.array([name in words for name in self.names] + [False])[self.codes]

    def ordered(self, names: Sequence[str]) -> Words:
        """Return the same column with `names` first, all others in alphabetical order."""
        order = [*[name for name in names if name in self.names], *sorted(set(self.names) - set(names))]
        place = np.array([order.index(name) for name in self.names] + [NOWHERE])
        return Words(tuple(order), place[self.codes].astype(np.int16))

    @staticmethod
    def of(words: Sequence[str | None], names: Sequence[str] = ()) -> Words:
        """Return a column of words; `names` come first in its list of names."""
        every = [*names, *sorted({word for word in words if word is not None} - set(names))]
        place: dict[str | None, int] = {name: i for i, name in enumerate(every)} | {None: NOWHERE}
        return Words(tuple(every), np.array([place[word] for word in words], np.int16))


class Facts(dict[str, "Array | Words"]):
    """The columns of the game's own table, by name, each of shape (drops,); a null is NaN or the code -1."""

    def take(self, rows: Array) -> Facts:
        """Return the given rows."""
        return Facts({name: column.take(rows) for name, column in self.items()})

    def words(self, name: str, drops: int) -> Words:
        """Return a column of words, or `drops` nulls."""
        column = self.get(name)
        return column if isinstance(column, Words) else Words((), np.full(drops, NOWHERE, np.int16))

    def counts(self, name: str, drops: int) -> Array:
        """Return a column as whole numbers (drops,); nulls and a missing column give 0."""
        column = self.get(name)
        if column is None or isinstance(column, Words):
            return np.zeros(drops, np.int64)
        return np.nan_to_num(column).astype(np.int64)


class _Rows:
    def take(self, rows: Array) -> Self:
        table: Any = self
        return replace(table, **{column.name: getattr(self, column.name).take(rows) for column in fields(table)})


@dataclass(frozen=True)
class Drops(_Rows):
    """The drops that succeeded (in battles: the steps), sorted by run and number; arrays have shape (drops,).

    `run` counts from 0 over all design points. `drawn` is whether the model was called. `phase` and `winner` are copied
    from `facts`, empty if the game has none.
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
class CubeEntries(_Rows):
    """All cubes of all drops that succeeded, sorted by `row`, the index of the drop in `Drops`."""

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


@dataclass(frozen=True)
class Failed(_Rows):
    """The failed attempts."""

    run: Array
    drop: Array
    status: Words


@dataclass(frozen=True)
class Campaign:
    """The dataset of one campaign.

    `run_point[r]` is the design point of run r; `points` has the values of the varied fields. `digest` is the spec's.
    `made_with` has the software versions. `missing` are the shards not run yet.
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
        """The kind of game, such as `chain`."""
        return str(self.spec.get("kind", "game"))

    @cached_property
    def game(self) -> Game | None:
        """The game of this kind; None if it is not installed."""
        return find_game(self.kind, self.spec.get("code"))

    @property
    def facts(self) -> Facts:
        """The columns of the game's own table."""
        return self.drops.facts

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """The rules with all defaults; empty if the game is not installed."""
        if self.game is None:
            return {}
        name = self.game.tables[0]
        return self.game.plain(self.game.read({})).get(name, {}) | (self.spec.get(name) or {})

    @property
    def has_setup(self) -> bool:
        """Whether the first drop of a run only fills the tower."""
        return SETUP in self.drops.phase.names

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.run_point)

    @property
    def unit(self) -> str:
        """The game's word for a run."""
        return "run" if self.game is None else self.game.run

    @cached_property
    def unfinished(self) -> Array:
        """Whether each run ends in a drop that never succeeded, shape (runs,)."""
        last = np.full(self.runs, -1)
        np.maximum.at(last, self.drops.run, self.drops.drop)
        is_unfinished = np.zeros(self.runs, bool)
        is_unfinished[self.failed.run[self.failed.drop > last[self.failed.run]]] = True
        return is_unfinished

    @cached_property
    def strata(self) -> Array:
        """The stratum of each run (runs,): its design point, or 0 for all if a point has only one run."""
        counts = np.bincount(self.run_point)
        if counts[counts > 0].min() < 2:
            return np.zeros(self.runs, np.int64)
        return np.unique(self.run_point, return_inverse=True)[1]

    @cached_property
    def is_phase(self) -> Array:
        """Whether each drop is studied as a phase, shape (drops,): it throws cubes and is no set-up."""
        is_phase = self.drops.thrown > 0
        return is_phase & (self.drops.drop > 0) if self.has_setup else is_phase

    @cached_property
    def colours(self) -> tuple[str, ...]:
        """The names of the colours, ordered by their least cube number."""
        return self.cubes.colour.names

    def rng(self, name: str) -> np.random.Generator:
        """Return a generator seeded only by the spec and `name`."""
        words = hashlib.sha256(f"{self.digest} {name}".encode()).digest()
        return np.random.default_rng(np.frombuffer(words, np.uint32))

    def by_run(self, values: Array, rows: Array | None = None) -> Array:
        """Return the sums of `values` (drops,) or (drops, K) over the drops of each run, shape (runs, K).

        `values` covers the drops of the mask `rows`, or all.
        """
        run = self.drops.run if rows is None else self.drops.run[rows]
        columns = values if values.ndim == 2 else values[:, None]
        return np.stack([np.bincount(run, column, self.runs) for column in columns.T.astype(float)], 1)

    def tally(self, run: Array, group: Array, groups: int, weights: Array | None = None) -> Array:
        """Return the number of things, or the sum of their `weights`, by run and group, shape (runs, groups)."""
        code = run.astype(np.int64) * groups + group
        return np.bincount(code, weights, self.runs * groups).reshape(self.runs, groups)

    @cached_property
    def longest(self) -> int:
        """The number of drops of the longest run."""
        return int(self.drops.drop.max(initial=-1)) + 1

    def matrix(self, values: Array, missing: float = np.nan, kind: type[Any] = float) -> Array:
        """Return values (drops, ...) in shape (runs, drops of the longest run, ...), else `missing`."""
        table = np.full((self.runs, self.longest, *values.shape[1:]), missing, kind)
        table[self.drops.run, self.drops.drop] = values
        return table

    @cached_property
    def thrown_by_colour(self) -> Array:
        """Cubes thrown, shape (drops, colours)."""
        return self._by_colour(self.cubes.thrown)

    @cached_property
    def out_by_colour(self) -> Array:
        """Cubes that came out, shape (drops, colours)."""
        return self._by_colour(self.cubes.out)

    @cached_property
    def inside_by_colour(self) -> Array:
        """Cubes inside afterwards, shape (drops, colours)."""
        changed = np.where((self.drops.thrown > 0) | (self.drops.drop == 0), np.arange(len(self.drops)), 0)
        return self._by_colour(~self.cubes.out)[np.maximum.accumulate(changed)]

    @cached_property
    def by_drop(self) -> ByDrop:
        """The runs for figures, with the numeric rules as terms and the game's numeric columns as facts."""
        drops, cubes = self.drops, self.cubes
        old = cubes.out & ~cubes.thrown & (cubes.row >= 0)
        numbers = {name: column for name, column in self.facts.items() if not isinstance(column, Words)}
        old_out = np.bincount(cubes.row[old], minlength=len(drops))
        counts = (self.thrown_by_colour, self.out_by_colour, self.inside_by_colour, old_out)
        *tables, old_out = (self.matrix(each, 0, np.int16) for each in counts)
        return count_by_drop(
            *tables,
            played=np.isfinite(self.matrix(drops.drop)),
            old_out=old_out,
            phases=np.arange(self.longest) >= self.has_setup,
            terms={name: float(x) for name, x in self.rules.items() if isinstance(x, int | float)},
            facts={name: self.matrix(column) for name, column in numbers.items()},
        )

    def _by_colour(self, chosen: Array) -> Array:
        rows, width = np.flatnonzero(chosen & (self.cubes.row >= 0)), len(self.colours)
        code = self.cubes.row[rows].astype(np.int64) * width + self.cubes.colour.codes[rows]
        return np.bincount(code, minlength=len(self.drops) * width).reshape(-1, width)
