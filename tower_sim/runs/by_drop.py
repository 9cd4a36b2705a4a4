"""Runs drop by drop, all colours together: what figures are taken from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

UNKNOWN = -1
"""A drop that a run does not have, and what its counts leave open."""


@dataclass(frozen=True, slots=True)
class ByDrop:
    """What figures are taken from: counts of cubes by drop, each of shape (..., drop), UNKNOWN where there is none.

    `thrown`, `out` and, after the drop, `inside`; `own`: cubes of the colours thrown, thrown or inside before;
    `own_out`: how many of these came out. `colours`: how many colours came out; `lead`: cubes out of the most numerous
    colour that was not thrown; `old_out`: cubes out that were inside before, which counts by colour leave open. What is
    not known is UNKNOWN, as the whole drop where a run does not have it. `phases` is which drops are phases of play,
    shape (drop,): all but a set-up. `terms` are numbers of the rules; `facts` what the game says of each drop, of the
    same shape, NaN where it says nothing.
    """

    thrown: Array
    out: Array
    inside: Array
    own: Array
    own_out: Array
    colours: Array
    lead: Array
    old_out: Array
    phases: Array
    terms: Mapping[str, float] = field(default_factory=dict[str, float])
    facts: Mapping[str, Array] = field(default_factory=dict[str, Array])

    @property
    def before(self) -> Array:
        """How many cubes were inside before each drop, shape (..., drop): all after it but those thrown."""
        return self.inside + self.out - self.thrown

    def take(self, index: Any) -> ByDrop:
        """Return the runs at `index`, as numpy indexes arrays; for drops see `cut`."""
        return replace(
            self,
            **{name: getattr(self, name)[index] for name in COUNTS},
            facts={name: values[index] for name, values in self.facts.items()},
        )

    def cut(self, start: int, stop: int) -> ByDrop:
        """Return drops `start` to before `stop`."""
        there = (..., slice(start, stop))
        return replace(
            self,
            **{name: getattr(self, name)[there] for name in COUNTS},
            phases=self.phases[start:stop],
            facts={name: values[there] for name, values in self.facts.items()},
        )

    def after(self, others: ByDrop) -> ByDrop:
        """Return these points of a design, shape (point, run, drop), with `others` behind; runs that one lacks are
        missing.
        """
        most = max(self.thrown.shape[1], others.thrown.shape[1])
        both = {
            name: np.concatenate(
                [
                    np.pad(counts, ((0, 0), (0, most - counts.shape[1]), (0, 0)), constant_values=UNKNOWN)
                    for counts in (getattr(self, name), getattr(others, name))
                ]
            )
            for name in COUNTS
        }
        return replace(self, **both)


COUNTS = tuple(column.name for column in fields(ByDrop))[:8]
"""The columns of ByDrop that are counts."""


def after_setup(drops: int) -> Array:
    """Return which drops are phases where the first is a set-up, shape (drop,)."""
    return np.arange(drops) > 0


def by_drop(
    thrown: Array,
    emerged: Array,
    inside: Array,
    *,
    played: Array | None = None,
    old_out: Array | None = None,
    phases: Array | None = None,
    terms: Mapping[str, float] | None = None,
    facts: Mapping[str, Array] | None = None,
) -> ByDrop:
    """Return counts by colour, shape (..., drop, colour), drop by drop.

    `played` is which drops a run has, shape (..., drop), by default all; `phases` by default all but the first.
    """
    is_own = thrown > 0
    of_drops = (
        thrown.sum(-1),
        emerged.sum(-1),
        inside.sum(-1),
        (is_own * (emerged + inside)).sum(-1),
        (is_own * emerged).sum(-1),
        (emerged > 0).sum(-1),
        (~is_own * emerged).max(-1, initial=0),
        np.full(thrown.shape[:-1], UNKNOWN) if old_out is None else old_out,
    )
    counts = {
        name: (each if played is None else np.where(played, each, UNKNOWN)).astype(np.int16)
        for name, each in zip(COUNTS, of_drops, strict=True)
    }
    is_phase = after_setup(thrown.shape[-2]) if phases is None else phases
    return ByDrop(**counts, phases=is_phase, terms=terms or {}, facts=facts or {})
