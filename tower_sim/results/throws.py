"""Throws of many runs as one table: a row is a throw, with the cubes counted and what the game tells of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol, Self, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError
from tower_sim.tools import extra

Array = npt.NDArray[Any]

EVERY = -1  # in `Plan.throws`: cubes of every colour
UNKNOWN = -1
"""The value of an unknown count."""
NOWHERE = -1  # the code of a null word


class PhaseFigure(Protocol):
    """A figure with a number in each phase, as `Figure` is."""

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def unit(self) -> str:
        """The unit of its values."""
        ...

    def by_phase(self, runs: Results) -> Array:
        """Return its value in each phase of play, shape (..., phase)."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """The drops of a run, for games in which each drop throws all cubes of one colour that are then outside.

    The first drop is the set-up.

    Args:
        colours: The colours.
        cubes: The number of cubes of each colour.
        throws: For each drop the index of the colour thrown, or EVERY for all.
        figures: The game's Figures of whole numbers for each drop but the first.
        terms: The numbers of its rules.

    >>> Plan(("blue", "red"), (7, 7), throws=(EVERY, 0, 1)).drops
    3
    """

    colours: tuple[str, ...]
    cubes: tuple[int, ...]
    throws: tuple[int, ...]
    figures: tuple[PhaseFigure, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def drops(self) -> int:
        """The number of drops in a run."""
        return len(self.throws)


@dataclass(frozen=True)
class Words:
    """A column of words: row i is `names[codes[i]]`, null if the code is -1."""

    names: tuple[str, ...]
    codes: Array

    def __getitem__(self, rows: Any) -> Words:
        return Words(self.names, self.codes[rows])

    def __len__(self) -> int:
        return len(self.codes)

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

    @staticmethod
    def none(rows: int) -> Words:
        """Return a column of nulls."""
        return Words((), np.full(rows, NOWHERE, np.int16))


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of equal length, by name and as attributes: numbers (NaN: nothing is told), or Words."""

    by_name: Mapping[str, Array | Words] = field(default_factory=dict[str, "Array | Words"])

    def __getattr__(self, name: str) -> Any:
        if name != "by_name" and name in self.by_name:
            return self.by_name[name]
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(next(iter(self.by_name.values()), ()))

    def take(self, rows: Any) -> Columns:
        """Return the given rows."""
        return Columns({name: column[rows] for name, column in self.by_name.items()})

    def having(self, **columns: Array | Words) -> Columns:
        """Return the table with further or other columns."""
        return Columns({**self.by_name, **columns})

    def frame(self) -> Any:
        """Return the columns as a pandas DataFrame; words are categories."""
        pandas: Any = extra("pandas", "campaign")

        def column(of: Array | Words) -> Any:
            return pandas.Categorical.from_codes(of.codes, of.names) if isinstance(of, Words) else of

        return pandas.DataFrame({name: column(of) for name, of in self.by_name.items()})


COUNTS = ("thrown", "out", "inside", "own", "own_out", "colours", "lead", "old_out")
"""The counts of cubes that a row may have."""
_BY_COLOUR: Mapping[str, Callable[[Array, Array, Array], Array]] = {
    "thrown": lambda thrown, out, inside: thrown.sum(-1),
    "out": lambda thrown, out, inside: out.sum(-1),
    "inside": lambda thrown, out, inside: inside.sum(-1),
    "own": lambda thrown, out, inside: ((thrown > 0) * (out + inside)).sum(-1),
    "own_out": lambda thrown, out, inside: ((thrown > 0) * out).sum(-1),
    "colours": lambda thrown, out, inside: (out > 0).sum(-1),
    "lead": lambda thrown, out, inside: ((thrown == 0) * out).max(-1, initial=0),
}


@dataclass(frozen=True, eq=False)
class Results:
    """Throws of many runs: a row is a throw (of a battle: a step), sorted by run and number. UNKNOWN marks a count
    that is not known, and a row with `thrown` UNKNOWN a throw that a run lacks.

    - `rows`: `run` and `drop`, both from 0; whether the drop is one of `play` and not a set-up; and counts of cubes:
      `thrown`, `out`, `inside` after it, `own` of the thrown colours, thrown or inside before, `own_out` of these,
      different `colours` out, `lead` out of the most numerous colour that was not thrown, and `old_out`, those out
      that were inside before. Counts by colour determine all but `old_out`.
    - `facts`: what the game tells of each row.
    - `by_colour`: `thrown`, `out` and `inside`, each of shape (rows, colours).
    - `shape`: of the runs, such as (runs,) or (towers, games); `run` counts through it, the last first.
    - `terms`: the numbers of the rules.
    """

    rows: Columns
    shape: tuple[int, ...]
    facts: Columns = field(default_factory=Columns)
    colours: tuple[str, ...] = ()
    by_colour: Mapping[str, Array] = field(default_factory=dict[str, Array])
    terms: Mapping[str, float] = field(default_factory=dict[str, float])
    plan: Plan = Plan((), (), ())

    def __len__(self) -> int:
        return self.runs

    @property
    def runs(self) -> int:
        """The number of runs."""
        return math.prod(self.shape)

    @cached_property
    def longest(self) -> int:
        """The number of drops of the longest run, or of the plan."""
        return self.plan.drops or int(self.rows.drop.max(initial=-1)) + 1

    def knows(self, name: str) -> bool:
        """Return whether there is a column, a fact or a term of this name."""
        is_counted = bool(self.by_colour) and name in _BY_COLOUR
        return is_counted or any(name in of for of in (self.rows.by_name, self.facts.by_name, self.terms))

    def column(self, name: str) -> Array | float:
        """Return a count, `before` (cubes inside before), or a fact of every row, words as their codes; or a term."""
        if name in self.rows.by_name:
            return cast("Array", self.rows.by_name[name])
        if name == "before":
            return self.column("inside") + self.column("out") - self.column("thrown")
        if name in _BY_COLOUR and self.by_colour:
            if name not in self._counted:
                self._counted[name] = _BY_COLOUR[name](*(self.by_colour[part] for part in ("thrown", "out", "inside")))
            return self._counted[name]
        if name in COUNTS:
            return np.full(len(self.rows), UNKNOWN)
        if name in self.facts.by_name:
            fact = self.facts.by_name[name]
            return np.where(fact.codes < 0, np.nan, fact.codes) if isinstance(fact, Words) else fact
        if name in self.terms:
            return self.terms[name]
        raise UsageError(f"a rule that a figure uses, {name}, is no number; allowed is a number; set it")

    @cached_property
    def _counted(self) -> dict[str, Array]:
        return {}

    def grid(self, values: Array | str, missing: float = UNKNOWN) -> Array:
        """Return a column, or values of each row, by run and drop, shape (*shape, longest, ...), else `missing`."""
        each = cast("Array", self.column(values)) if isinstance(values, str) else values
        if len(each) == self.runs * self.longest:
            return each.reshape(*self.shape, self.longest, *each.shape[1:])
        kind = float if math.isnan(missing) else each.dtype
        table = np.full((self.runs, self.longest, *each.shape[1:]), missing, kind)
        table[self.rows.run, self.rows.drop] = each
        return table.reshape(*self.shape, *table.shape[1:])

    def each_colour(self, name: str) -> Array:
        """Return the cubes of each colour that were `thrown`, came `out` or are `inside` afterwards.

        The shape is (*shape, drop, colour).
        """
        if name not in self.by_colour:
            allowed = "results with a count of each colour"
            raise UsageError(f'{name} is not counted by colour here; allowed are {allowed}; take grid("{name}")')
        return self.grid(self.by_colour[name], 0)

    def take(self, runs: Any) -> Self:
        """Return the runs that an index, a slice or a mask of the first axis of `shape` selects, numbered anew."""
        chosen = np.arange(self.runs).reshape(self.shape)[runs]
        number = np.full(self.runs, -1)
        number[chosen.ravel()] = np.arange(chosen.size)
        rows = np.flatnonzero(number[self.rows.run] >= 0)
        rows = rows[np.argsort(number[self.rows.run[rows]], kind="stable")]
        some = self.take_rows(rows)
        return replace(some, shape=chosen.shape, rows=some.rows.having(run=number[some.rows.run]))

    def take_rows(self, rows: Array) -> Self:
        """Return some rows of all runs."""
        by_colour = {name: counts[rows] for name, counts in self.by_colour.items()}
        return replace(self, rows=self.rows.take(rows), facts=self.facts.take(rows), by_colour=by_colour)

    def frame(self) -> Any:
        """Return the table as a pandas DataFrame: the rows, what the game tells, and the cubes by colour."""
        by_colour = {f"{name} {colour}": counts[:, i] for name, counts in self.by_colour.items()
                     for i, colour in enumerate(self.colours)}  # fmt: skip
        totals = {name: cast("Array", self.column(name)) for name in ("thrown", "out", "inside")}
        return Columns({**self.rows.by_name, **totals, **self.facts.by_name, **by_colour}).frame()

    @staticmethod
    def of_counts(
        by_colour: Mapping[str, Array] = MappingProxyType({}),
        *,
        plan: Plan = Plan((), (), ()),
        terms: Mapping[str, float] | None = None,
        **columns: Array,
    ) -> Results:
        """Return runs of equally many drops, the first of which is the set-up.

        `by_colour` has `thrown`, `out` and `inside`, each of shape (..., drop, colour); other counts (..., drop).
        """
        counts = {name: table.reshape(-1, table.shape[-1]) for name, table in by_colour.items()}
        *shape, drops = next(
            iter([*(table.shape[:-1] for table in by_colour.values()), *(x.shape for x in columns.values())])
        )
        runs = math.prod(shape)
        drop: Array = np.tile(cast("Array", np.arange(drops)), runs)
        rows: dict[str, Array] = {"run": np.repeat(np.arange(runs), drops), "drop": drop}
        rows |= {"play": drop > 0} | {name: column.reshape(-1) for name, column in columns.items()}
        every = plan.terms if terms is None else terms
        return Results(Columns(rows), tuple(shape), colours=plan.colours, by_colour=counts, terms=every, plan=plan)

    @staticmethod
    def together(parts: Sequence[Results]) -> Results:
        """Return the runs of all parts. Raises UsageError if they have different plans or colours."""
        first = parts[0]
        if any((part.plan, part.colours) != (first.plan, first.colours) for part in parts):
            raise UsageError("runs have several plans; allowed is one; keep them apart")
        start = np.cumsum([0, *(part.runs for part in parts)])
        moved = [part.rows.having(run=part.rows.run + at) for part, at in zip(parts, start[:-1], strict=True)]
        shape = (sum(part.shape[0] for part in parts), *first.shape[1:])
        by_colour = {name: np.concatenate([part.by_colour[name] for part in parts]) for name in first.by_colour}
        facts = join([part.facts for part in parts])
        return replace(first, rows=join(moved), facts=facts, by_colour=by_colour, shape=shape)


def join(parts: Sequence[Columns]) -> Columns:
    """Return tables with the same columns one below the other; words must have the same names."""

    def column(name: str) -> Array | Words:
        each = [part.by_name[name] for part in parts]
        if isinstance(each[0], Words):
            return Words(each[0].names, np.concatenate([cast("Words", one).codes for one in each]))
        return np.concatenate(cast("list[Array]", each))

    return Columns({name: column(name) for name in parts[0].by_name})


@runtime_checkable
class RunSampler(Protocol):
    """A model that plays many runs of a plan at once."""

    def sample_runs(self, plan: Plan, runs: int, seed: int, *, first: int = 0, shift: float = 0.0) -> Results:
        """Play `runs` runs. Run r draws from stream number first + r of `seed`, for every plan.

        `shift` is added to each thrown cube's probability to come out, for tests.
        """
        ...

    def extrapolated(self, counts: Results) -> Array:
        """Return whether each drop is outside the model's training range, shape (run, drop)."""
        ...
