"""Many runs as counts of cubes by colour, and the plan of the cubes that their drops throw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError
from tower_sim.runs.by_drop import ByDrop, count_by_drop
from tower_sim.runs.figure import Figure

Array = npt.NDArray[Any]

EVERY = -1  # in `Plan.throws`: cubes of every colour


@dataclass(frozen=True, slots=True)
class Plan:
    """The drops of a run, for games in which each drop throws all cubes of one colour that are then outside.

    The first drop is the set-up.

    Args:
        colours: The colours.
        cubes: The number of cubes of each colour.
        throws: For each drop the index of the colour thrown, or EVERY for all.
        figures: The game's whole numbers for each drop but the first.
        terms: The numbers of its rules.

    >>> Plan(("blue", "red"), (7, 7), throws=(EVERY, 0, 1)).drops
    3
    """

    colours: tuple[str, ...]
    cubes: tuple[int, ...]
    throws: tuple[int, ...]
    figures: tuple[Figure, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def drops(self) -> int:
        """The number of drops in a run."""
        return len(self.throws)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one plan: counts of cubes, each of shape (run, drop, colour).

    `inside` counts after the drop. A drop with no cube to throw has zeros, and leaves `inside` as it was.
    """

    plan: Plan
    thrown: Array
    emerged: Array
    inside: Array

    def __len__(self) -> int:
        return len(self.thrown)

    @property
    def inside_before(self) -> Array:
        """Cubes of all colours inside before each drop, shape (run, drop)."""
        return (self.inside + self.emerged - self.thrown).sum(-1)

    @cached_property
    def by_drop(self) -> ByDrop:
        """The counts with all colours together."""
        return count_by_drop(self.thrown, self.emerged, self.inside, terms=self.plan.terms)

    def take(self, runs: Any) -> Runs:
        """Return the runs that an index, a slice or a mask selects."""
        return Runs(self.plan, self.thrown[runs], self.emerged[runs], self.inside[runs])

    @staticmethod
    def none(plan: Plan) -> Runs:
        """Return zero runs of a plan."""
        nothing = np.zeros((0, plan.drops, len(plan.colours)), np.int16)
        return Runs(plan, nothing, nothing, nothing)

    @staticmethod
    def together(parts: Sequence[Runs]) -> Runs:
        """Return the runs of all parts. Raises UsageError if they have different plans."""
        if any(part.plan != parts[0].plan for part in parts):
            raise UsageError("runs have several plans; allowed is one; keep them apart")
        names = ("thrown", "emerged", "inside")
        return Runs(parts[0].plan, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@runtime_checkable
class RunSampler(Protocol):
    """A model that plays many runs of a plan at once."""

    def sample_runs(self, plan: Plan, runs: int, seed: int, *, first: int = 0, shift: float = 0.0) -> Runs:
        """Play `runs` runs. Run r draws from stream number first + r of `seed`, for every plan.

        `shift` is added to each thrown cube's probability to come out, for tests.
        """
        ...

    def extrapolated(self, counts: Runs) -> Array:
        """Return whether each drop is outside the model's training range, shape (run, drop)."""
        ...
