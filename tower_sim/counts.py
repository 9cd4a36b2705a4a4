"""Many runs as counts of cubes by colour, and the plan of what their drops throw; no game is known here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError

Array = npt.NDArray[Any]

EVERY = -1  # in `Plan.throws`: cubes of every colour


@dataclass(frozen=True, slots=True)
class Series:
    """A whole number that a game takes from every drop after the first, such as what the players may then do.

    `of` takes the cubes that came out, shape (run, drop, colour), and returns shape (run, drop); `unit` is what one
    drop's is called in a sentence.
    """

    name: str
    unit: str
    of: Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the drops of a run throw, where that is known before it: all cubes of one colour that are outside then.

    There are `cubes[k]` cubes of the colour `colours[k]`. Drop i throws those of `colours[throws[i]]`, or with EVERY
    those of all colours; the first drop is the set-up. `series` are the numbers that the game takes from the others.
    """

    colours: tuple[str, ...]
    cubes: tuple[int, ...]
    throws: tuple[int, ...]
    series: tuple[Series, ...] = ()

    @property
    def drops(self) -> int:
        """How many drops a run has."""
        return len(self.throws)


@dataclass(frozen=True, eq=False)
class Counts:
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
        after = self.inside.sum(-1)
        return np.concatenate([np.zeros_like(after[:, :1]), after[:, :-1]], axis=1)

    def series(self, number: int) -> Array:
        """Return the plan's series of that number, shape (run, drop), for the drops after the first."""
        return self.plan.series[number].of(self.emerged[:, 1:])

    def take(self, runs: Any) -> Counts:
        """Return the runs chosen by an index, a slice or a mask."""
        return Counts(self.plan, self.thrown[runs], self.emerged[runs], self.inside[runs])

    @staticmethod
    def together(parts: Sequence[Counts]) -> Counts:
        """Put runs of one plan together; raises UsageError when the plans differ."""
        if any(part.plan != parts[0].plan for part in parts):
            raise UsageError("runs have several plans; allowed is one; keep them apart")
        names = ("thrown", "emerged", "inside")
        return Counts(parts[0].plan, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@runtime_checkable
class RunSampler(Protocol):
    """A model that plays many runs of a plan at once."""

    def sample_runs(self, plan: Plan, runs: int, seed: int, *, first: int = 0, shift: float = 0.0) -> Counts:
        """Play `runs` runs; run r draws from the stream first + r of `seed`, whatever the plan."""
        ...

    def extrapolated(self, counts: Counts) -> Array:
        """Say of each drop, shape (run, drop), whether it is outside of what the model was fitted to."""
        ...
