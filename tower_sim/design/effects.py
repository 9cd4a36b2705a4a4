"""What each number of a tower does to an output: main effects, pairs, first and total Sobol indices, with errors.

All are of an emulator through the towers, averaged over the whole design space, in which every number is uniform and
independent of the others. Errors are a jackknife over groups of towers: they hold what the choice of towers and the
chance in their games leave open, not what the emulator cannot follow, which its quality tells. Those of total indices
also hold what their sample leaves open. A first index is the variance of the main effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import space
from tower_sim.design.features import features
from tower_sim.gaussian import GaussianProcess
from tower_sim.study.sobol import Index, Told, averaged, jackknife, points, totals

Array = npt.NDArray[np.float64]

DUMMY = "dummy"
COLUMNS = (*space.NAMES, DUMMY)
"""The numbers of a tower, and one that is random and means nothing: what it comes to is the floor of all others."""
_DUMMY = space.DesignNumber(DUMMY, 0.0, 1.0, "", 0.5, "nothing")

STEPS = 9  # along a main effect; a count has its own values
AVERAGED = 128  # points over which a main effect is averaged
PAIRED = 6  # numbers of which all pairs are tried
CELLS = 6  # along each side of a pair
AVERAGED_PAIR = 64


@dataclass(frozen=True)
class MainEffect:
    """The mean output along a number of a tower, all else averaged: `at` its values, `mean` and `error` there."""

    name: str
    at: Array
    mean: Array
    error: Array


@dataclass(frozen=True)
class Pair:
    """Two numbers together: the mean output over the grid `x` by `y`, shape (x, y), and the `index` of what they do
    together beyond what each does alone.
    """

    names: tuple[str, str]
    x: Array
    y: Array
    mean: Array
    index: Index


@dataclass(frozen=True)
class Influences:
    """What COLUMNS do to an output: indices by name, main effects, and pairs from the strongest."""

    first: dict[str, Index]
    total: dict[str, Index]
    main: dict[str, MainEffect]
    pairs: tuple[Pair, ...]


def told_by(emulator: GaussianProcess) -> Told:
    """Return what an emulator over features and the dummy column tells."""
    return lambda unit: emulator.means(with_dummy(space.values(unit[:, :-1]), unit[:, -1]))


def with_dummy(numbers: Array, dummy: Array) -> Array:
    """Return the features of towers and their dummy column, shape (T, features + 1)."""
    return np.concatenate([features(numbers), dummy[:, None]], 1)


def effects(told: Told, seed: int) -> Influences:
    """Return what COLUMNS do, of an output that `told` tells; pairs are tried of the PAIRED of greatest total index.

    Random: the samples, from `seed`.
    """
    total, sampled, variance = totals(told, len(COLUMNS), seed)
    over = points(len(COLUMNS), AVERAGED, seed + 2)
    lines = {each.name: _line(told, each, over) for each in (*space.PARAMETERS, _DUMMY)}
    first = np.stack([means.var(0) / variance for _, means in lines.values()])
    by_total = sorted(space.NAMES, key=lambda name: -total[COLUMNS.index(name), 0])
    pairs = _pairs(told, by_total[:PAIRED], over[:AVERAGED_PAIR], variance)
    main = {name: MainEffect(name, at, means[:, 0], jackknife(means)) for name, (at, means) in lines.items()}
    nothing = np.zeros(len(COLUMNS))
    return Influences(first=_by_name(first, nothing), total=_by_name(total, sampled), main=main, pairs=pairs)


def _by_name(values: Array, sampled: Array) -> dict[str, Index]:
    errors = np.hypot(jackknife(values), sampled)
    return {name: Index(float(values[i, 0]), float(errors[i])) for i, name in enumerate(COLUMNS)}


def grid(parameter: space.DesignNumber, steps: int) -> tuple[Array, Array]:
    """Return shares and values of a number along its range, `steps` of them; of a count each of its values."""
    if parameter.is_count:
        values = np.arange(parameter.low, parameter.high + 1)
        return parameter.share(values), values
    shares = (np.arange(steps) + 0.5) / steps
    return shares, parameter.at(shares)


def _line(told: Told, parameter: space.DesignNumber, over: Array) -> tuple[Array, Array]:
    """Return values along a number, and the means there, all else averaged: shape (values, 1 + groups)."""
    shares, values = grid(parameter, STEPS)
    return values, averaged(told, over, (COLUMNS.index(parameter.name),), shares[:, None])


def _pairs(told: Told, names: Sequence[str], over: Array, variance: Array) -> tuple[Pair, ...]:
    made = [_pair(told, (one, other), over, variance) for i, one in enumerate(names) for other in names[i + 1 :]]
    return tuple(sorted(made, key=lambda pair: -pair.index.value))


def _pair(told: Told, names: tuple[str, str], over: Array, variance: Array) -> Pair:
    (x_shares, x), (y_shares, y) = (grid(space.BY_NAME[name], CELLS) for name in names)
    at = np.array([(u, v) for u in x_shares for v in y_shares])
    means = averaged(told, over, (COLUMNS.index(names[0]), COLUMNS.index(names[1])), at)
    cells = means.reshape(len(x), len(y), -1)
    together = cells - cells.mean(0) - cells.mean(1)[:, None] + cells.mean((0, 1))
    index = (together**2).mean((0, 1)) / variance
    return Pair(names, x, y, cells[..., 0], Index(float(index[0]), float(jackknife(index))))
