"""Counts of runs by drop, with all colours together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

UNKNOWN = -1
"""The value of an unknown count, and of every count of a drop that a run lacks."""


@dataclass(frozen=True, slots=True)
class ByDrop:
    """Counts of cubes by drop, each of shape (..., drop). UNKNOWN marks drops that a run lacks and unknown counts.

    - `inside`: after the drop.
    - `own`: cubes of the thrown colours, thrown or inside before; `own_out`: those that came out.
    - `colours`: different colours that came out.
    - `lead`: cubes out of the most numerous colour that was not thrown.
    - `old_out`: cubes out that were inside before. Counts by colour do not determine this.
    - `phases`: which drops are phases of play and not a set-up, shape (drop,).
    - `terms`: numbers of the rules.
    - `facts`: what the game reports of each drop, shape (..., drop), NaN where it reports nothing.
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
        """Cubes inside before each drop, shape (..., drop)."""
        return self.inside + self.out - self.thrown

    def take(self, index: Any) -> ByDrop:
        """Return the runs at `index`, as in numpy."""
        counts = {name: getattr(self, name)[index] for name in COUNTS}
        return replace(self, **counts, facts={name: values[index] for name, values in self.facts.items()})

    def cut(self, start: int, stop: int) -> ByDrop:
        """Return the drops from `start` to before `stop`."""
        return replace(self.take((..., slice(start, stop))), phases=self.phases[start:stop])

    def after(self, others: ByDrop) -> ByDrop:
        """Return these points of a design, then those of `others`, shape (point, run, drop).

        Missing runs of the shorter one are UNKNOWN.
        """
        most = max(self.thrown.shape[1], others.thrown.shape[1])

        def pad(counts: Array) -> Array:
            return np.pad(counts, ((0, 0), (0, most - counts.shape[1]), (0, 0)), constant_values=UNKNOWN)

        parts = (self, others)
        return replace(self, **{name: np.concatenate([pad(getattr(x, name)) for x in parts]) for name in COUNTS})


COUNTS = tuple(column.name for column in fields(ByDrop))[:8]
"""The columns of ByDrop that are counts."""


def after_setup(drops: int) -> Array:
    """Return which drops are phases if the first drop is a set-up, shape (drop,)."""
    return np.arange(drops) > 0


def count_by_drop(
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
    """Return counts by drop from counts by colour, shape (..., drop, colour).

    `played` (..., drop) are by default all drops, `phases` (drop,) all but the first.
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
