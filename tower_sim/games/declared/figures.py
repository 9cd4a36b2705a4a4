"""The figures of a run of a declared game, for comparisons: of every reading, of the tower, of its throws."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tower_sim.cubes import count_by_colour
from tower_sim.games.declared.declaration import SETUP, Declaration
from tower_sim.games.declared.expressions import NUMBER
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.readings import SET, Reading
from tower_sim.games.game import Turn
from tower_sim.runs.by_drop import ByDrop, by_drop
from tower_sim.runs.figure import Figure

EFFECT, AMOUNT = "effect", "amount"


def figures_of(of: Declaration) -> tuple[Figure, ...]:
    """Return the figures of a game: what `measured` gives, in this order."""
    own: list[Figure] = []
    for name, reading in of.readings.items():
        if reading.kind in (NUMBER, SET):
            what = f"{name}" if reading.kind == NUMBER else f"colours in {name}"
            own.append(Figure(name, f"{what} (mean)", "1"))
        else:
            own.append(Figure(f"{name}_again", f"chance of {name} twice running", "1"))
    if any(phase.effects for phase in of.all_phases):
        own.append(Figure(AMOUNT, "amount of all effects", "1"))
    own += of.figures
    inside = Figure("inside", "cubes in the tower after a throw", "cubes")
    return (*own, inside, Figure("throws", "throws of the tower", "throws"))


def measured(of: Declaration, turns: Sequence[Turn]) -> tuple[float, ...]:
    """Return the figures of one run; 0 where no throw has what a figure is about."""
    facts = [turn.facts for turn in turns if turn.failed is None]
    own = [_of_reading(reading, [row[name] for row in facts if row.get(name) is not None])
           for name, reading in of.readings.items()]  # fmt: skip
    if any(phase.effects for phase in of.all_phases):
        own.append(float(sum(row.get(AMOUNT) or 0 for row in facts)))
    if of.figures:
        runs = counted(of, turns)
        own += [float(figure.value(runs, none=0.0)) for figure in of.figures]
    inside = [len(turn.state.residents) for turn in turns if turn.failed is None]
    return (*own, _mean(inside), float(sum(turn.entry.attempts > 0 for turn in turns if turn.failed is None)))


def counted(of: Declaration, turns: Sequence[Turn]) -> ByDrop:
    """Return a run drop by drop, shape (drops,), with the numbers that were read as facts."""
    throws: list[Throw] = [turn.entry for turn in turns if turn.failed is None]
    cubes = [(throw.thrown, throw.out, throw.table.tower.cubes) for throw in throws]
    counts = [[[*count_by_colour(each, of.colours).values()] for each in drop] for drop in cubes]
    thrown, out, inside = np.array(counts, np.int16).reshape(len(throws), 3, len(of.colours)).swapaxes(0, 1)
    numbers = [name for name, reading in of.readings.items() if reading.kind == NUMBER]
    return by_drop(
        thrown,
        out,
        inside,
        old_out=np.array([len({*throw.out} - {*throw.thrown}) for throw in throws], int),
        phases=np.array([throw.phase != SETUP for throw in throws], bool),
        facts={name: np.array([throw.facts.get(name) for throw in throws], float) for name in numbers},
    )


def again(values: Sequence[Any]) -> float:
    """Return the share of values that are the same as the one before; 0 of fewer than two."""
    return _mean([one == other for one, other in pairwise(values)])


def _of_reading(reading: Reading, values: Sequence[Any]) -> float:
    return _mean(values) if reading.kind in (NUMBER, SET) else again(values)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
