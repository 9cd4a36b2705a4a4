"""The same figures of physics and of a surrogate side by side, each with one permutation test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from tower_sim.errors import fault
from tower_sim.report import Chart, Panel, Rows, Section, Table, charts
from tower_sim.results import (
    CONFIDENCE,
    Array,
    Cell,
    Estimates,
    Resamples,
    difference,
    holm,
    permutation_p,
    permuted,
    ratio_gaps,
)

LEVEL = 0.05  # probability of flagging any difference if the models are equal
PERMUTATIONS = 5000
HEAD = ["figure", "number", "physics", "surrogate", "difference"]


@dataclass(frozen=True, eq=False)
class Measured:
    """Numbers of runs, one for each of `cells`: the sum over runs of `over`, divided by that of `under`.

    Both have shape (runs, cells). `steps`, shape (runs, K), is what is tested instead, if it is there: whether a value
    of each phase, or of each run, is at most each possible value.
    """

    name: str
    unit: str
    cells: Sequence[str]
    over: Array
    under: Array
    steps: Array | None = None

    @staticmethod
    def together(parts: Sequence[Measured]) -> Measured:
        """Return the runs of all parts, which have the same cells."""
        first = parts[0]
        for part in parts:
            if part.cells != first.cells:
                raise fault(f"numbers of {part.name}", part.cells, str(first.cells), "compare runs of the same rules")
        over, under = (np.concatenate([getattr(part, side) for part in parts]) for side in ("over", "under"))
        return replace(first, over=over, under=under)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """A figure of both models in its `cells`; `difference` is surrogate minus physics.

    `p` is that of one test for all cells, `holm` is corrected for all figures.
    """

    name: str
    unit: str
    cells: Sequence[str]
    physics: Estimates
    surrogate: Estimates
    difference: Estimates
    p: float = 1.0
    holm: float = 1.0

    @property
    def differs(self) -> bool:
        """Whether `holm` is at most 0.05."""
        return self.holm <= LEVEL

    @property
    def is_apart(self) -> Array:
        """Whether the interval of each difference excludes 0, shape (cells,)."""
        return (self.difference.low > 0) | (self.difference.high < 0)

    @property
    def clearness(self) -> Array:
        """Each difference in halves of its interval, on the side of 0, shape (cells,); 0 without an interval."""
        return np.nan_to_num(self.difference.clearness)

    @property
    def farthest(self) -> int:
        """The cell whose difference is clearest."""
        return int(np.argmax(self.clearness))

    def row(self, i: int) -> list[Cell]:
        """Return the cells of a table below HEAD."""
        return [self.name, self.cells[i], *(side.at(i, 0) for side in (self.physics, self.surrogate, self.difference))]


def compare(
    figures: Sequence[Measured],
    is_physics: Array,
    strata: Array,
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
    tested: Array | slice = slice(None),
) -> tuple[SideBySide, ...]:
    """Compare figures of runs of physics with those of the others, within `strata`, shape (runs,).

    A test exchanges whole runs among those `tested`, since the throws of one run are not independent. Its statistic is
    the sum over cells of the squared differences, each in its standard deviation by chance. With `steps` it is the
    energy distance, summed over phases. Intervals are over runs. The permutations and the intervals are random.

    Source: Szekely and Rizzo, Journal of Statistical Planning and Inference 143 (2013), section 2.
    """
    labels = np.stack([*islice(permuted(is_physics[tested], strata[tested], rng), 1 + permutations)])
    p = [_test(figure, labels, tested) for figure in figures]
    sides = [(side, Resamples(strata[side], rng)) for side in (is_physics, ~is_physics)]
    compared: list[SideBySide] = []
    for figure, *ps in zip(figures, p, holm(p).tolist(), strict=True):
        physics, surrogate = (
            boot.ratios(figure.over[side], figure.under[side], share=figure.unit.startswith("share"))
            for side, boot in sides
        )
        of = difference(physics, surrogate)
        compared.append(SideBySide(figure.name, figure.unit, figure.cells, physics, surrogate, of, *ps))
    return tuple(compared)


def _test(figure: Measured, labels: Array, tested: Array | slice) -> float:
    if figure.steps is not None:
        steps = figure.steps[tested]
        return permutation_p((ratio_gaps(steps, np.ones((len(steps), 1)), labels) ** 2).sum(1).tolist())[0]
    gaps = ratio_gaps(figure.over[tested], figure.under[tested], labels)
    spread = np.sqrt((gaps**2).mean(0))
    return permutation_p(((gaps / np.where(spread > 0, spread, 1)) ** 2).sum(1).tolist())[0]


# For reports


def overview(title: str, says: str, figures: Sequence[SideBySide], parts: Sequence[Section] = ()) -> Section:
    """Return the section with all figures, each with the number that is farthest apart."""
    rows: Rows = [[*figure.row(figure.farthest), figure.unit, figure.p, figure.holm] for figure in figures]
    pairs = [
        (", ".join(filter(None, [figure.name, figure.cells[i]])), figure.surrogate.at(i), figure.physics.at(i))
        for figure in figures
        for i in [figure.farthest]
    ]
    return Section(
        title,
        f"{says}Intervals are of {100 * CONFIDENCE:.0f} %, over runs. p is that of one test for all numbers of a "
        f"figure, by {PERMUTATIONS} exchanges of whole runs between the models; Holm's method corrects it for the "
        f"{len(figures)} figures. Of each figure the number is shown that is farthest apart.",
        Table("figures", [*HEAD, "unit", "p", "p by Holm"], rows),
        Chart("figures", "Surrogate beside physics, by figure", *charts.beside(pairs, ("surrogate", "physics"))),
        parts,
    )


def pair(figure: SideBySide, shown: Array | None = None) -> Panel:
    """Return a panel with both models' numbers, those of the cells `shown` (None: of all)."""
    rows = np.arange(len(figure.cells)) if shown is None else shown
    at = np.arange(len(rows))
    marks = [
        charts.bars(at, figure.physics.take(rows), "physics", 0.7),
        charts.points(at + 0.12, figure.surrogate.take(rows), "surrogate", charts.RULE, joined=False),
    ]
    return Panel("", figure.unit, marks, figure.name, [figure.cells[i] for i in rows.tolist()], floor=True)
