"""Many runs as counts of cubes by colour, and the plan of what their drops throw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError
from tower_sim.runs.by_drop import ByDrop, by_drop
from tower_sim.runs.figure import Figure

Array = npt.NDArray[Any]

EVERY = -1  # in `Plan.throws`: cubes of every colour


@dataclass(frozen=True, slots=True)
class Plan:
    """What the drops of a run throw, where that is known before it: all cubes of one colour that are outside then.

    There are `cubes[k]` cubes of the colour `colours[k]`. Drop i throws those of `colours[throws[i]]`, or with EVERY
    those of all colours; the first drop is the set-up. `figures` are whole numbers that the game takes from every other
    drop; `terms` are the numbers of the rules that figures name.
    """

    colours: tuple[str, ...]
    cubes: tuple[int, ...]
    throws: tuple[int, ...]
    figures: tuple[Figure, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def drops(self) -> int:
        """How many drops a run has."""
        return len(self.throws)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one plan: counts of cubes, each of shape (run, drop, colour), in the order of the plan.

    `thrown` and `emerged` are those of the drop, `inside` is counted after it. A drop with nothing to throw has zeros
    and leaves `inside` as it was.
    """

    plan: Plan
    thrown: Array
    emerged: Array
    inside: Array

    def __len__(self) -> int:
        return len(self.thrown)

    @property
    def inside_before(self) -> Array:
        """How many cubes were inside before each drop, of any colour, shape (run, drop)."""
        return (self.inside + self.emerged - self.thrown).sum(-1)

    @cached_property
    def by_drop(self) -> ByDrop:
        """The runs drop by drop, all colours together."""
        return by_drop(self.thrown, self.emerged, self.inside, terms=self.plan.terms)

    def take(self, runs: Any) -> Runs:
        """Return the runs chosen by an index, a slice or a mask."""
        return Runs(self.plan, self.thrown[runs], self.emerged[runs], self.inside[runs])

    @staticmethod
    def none(plan: Plan) -> Runs:
        """Return no runs of a plan."""
        nothing = np.zeros((0, plan.drops, len(plan.colours)), np.int16)
        return Runs(plan, nothing, nothing, nothing)

    @staticmethod
    def together(parts: Sequence[Runs]) -> Runs:
        """Join runs of the same plan."""
        if any(part.plan != parts[0].plan for part in parts):
            raise UsageError("runs have several plans; allowed is one; keep them apart")
        names = ("thrown", "emerged", "inside")
        return Runs(parts[0].plan, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@runtime_checkable
class RunSampler(Protocol):
    """A model that plays many runs of a plan at once."""

    def sample_runs(self, plan: Plan, runs: int, seed: int, *, first: int = 0, shift: float = 0.0) -> Runs:
        """Play `runs` runs; run r draws from the stream first + r of `seed`, whatever the plan."""
        ...

    def extrapolated(self, counts: Runs) -> Array:
        """Say of each drop, shape (run, drop), whether it is outside of what the model was fitted to."""
        ...
