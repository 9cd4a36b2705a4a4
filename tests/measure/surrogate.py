"""Measure where the surrogate of `amerigo` is not like physics: memory, full towers, other numbers of cubes.

python -m tests.measure.surrogate --games 300 --few 24

Prints figures of docs/surrogate.md. `--games` are games of physics with the published rules, `--few` those with each
other number of cubes. ± is one standard error over games.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from tests.measure.script import ended
from tower_sim import load
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.amerigo.many import sample_games
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import mean_error
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.store import fitted_or_shipped
from tower_sim.tools.pool import spread_out

Array = npt.NDArray[np.float64]

LAGS = (3, 7)  # phases
FULL = 24  # cubes inside: more is a full tower
OTHERS = ((5, 7), (8, 7), (10, 7), (7, 12))  # cubes of a colour, colours
SAMPLED, SEED = 20_000, 46


def rules_of(cubes: int, colours: int) -> Rules:
    """Return the published rules with this number of cubes of each colour, and of colours."""
    return Rules(cubes=cubes, colours=tuple(map(str, range(colours))), substitute="")


def played(rules: Rules, seed: int) -> list[int]:
    """Play a game with physics; returns the cubes inside after each drop."""
    with PhysicsModel(load("amerigo")) as model:
        return [sum(entry.inside.values()) for entry in play(model, rules, seed)]


def both(rules: Rules, games: int, workers: int) -> tuple[Array, Array]:
    """Return the cubes inside after each drop (games, drops) of games with physics and of `SAMPLED` ones."""
    physics = np.array(list(spread_out(partial(played, rules), range(games), workers, "games")), float)
    with SurrogateModel(load("amerigo"), fitted_or_shipped("amerigo")) as model:
        return physics, sample_games(model, rules, SAMPLED, SEED).inside.sum(2).astype(float)


def correlation(inside: Array, lag: int) -> tuple[float, float]:
    """Return the correlation of the numbers inside `lag` phases apart, and its standard error.

    It is over all games and pairs of phases; the mean of each phase over the games is taken away first. The error is
    that of a jackknife over 50 groups of games.
    """

    def of(games: Array) -> float:
        less = games[:, 1:] - games[:, 1:].mean(0)
        return float(np.corrcoef(less[:, :-lag].ravel(), less[:, lag:].ravel())[0, 1])

    groups = np.arange(len(inside)) % 50
    without = np.array([of(inside[groups != group]) for group in range(50)])
    return of(inside), float(np.sqrt(49 * without.var()))


def measure(games: int, few: int, workers: int) -> None:
    """Print each figure with physics and with the surrogate."""
    print("| figure | physics | surrogate |\n|---|---|---|")
    sides = both(Rules(), games, workers)
    for lag in LAGS:
        told = ["{:.3f} ± {:.3f}".format(*correlation(side, lag)) for side in sides]
        print(f"| correlation of the cubes inside {lag} phases apart | {told[0]} ({games} games) | {told[1]} |")
    told = ["{:.2%} ± {:.2%}".format(*mean_error(side[:, 1:].max(1) > FULL)) for side in sides]
    print(f"| games in which more than {FULL} cubes are inside after some phase | {told[0]} | {told[1]} |", flush=True)
    for cubes, colours in OTHERS:
        sides = both(rules_of(cubes, colours), few, workers)
        told = ["{:.2f} ± {:.2f}".format(*mean_error(side[:, 1:].mean(1))) for side in sides]
        print(
            f"| inside in play, {cubes} cubes of {colours} colours | {told[0]} ({few} games) | {told[1]} |", flush=True
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=300, help="games with physics")
    parser.add_argument("--few", type=int, default=24, help="games with physics of each other number of cubes")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args(arguments)
    return ended("surrogate", lambda: measure(options.games, options.few, options.workers))


if __name__ == "__main__":
    sys.exit(main())
