"""Measure where the surrogate of `amerigo` is not like physics: memory, full towers, other numbers of cubes.

python -m calibration.validation.surrogate --games 300 --few 24

Prints figures of docs/surrogate.md. `--games` are games of physics with the published rules, `--few` those with each
other number of cubes. ± is one standard error over games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from calibration.validation.script import WORKERS, option, print_table, script
from calibration.validation.spread import FULL, SAMPLED, SEED, jackknife
from tests.support.pool import spread_out
from tower_sim import load
from tower_sim.games.amerigo import GAME, Rules, sample_games
from tower_sim.results import mean_error
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate import SurrogateModel, fitted_or_shipped

Array = npt.NDArray[np.float64]

LAGS = (3, 7)  # phases
OTHERS = ((5, 7), (8, 7), (10, 7), (7, 12))  # cubes of a colour, colours


def count_inside(rules: Rules, seed: int) -> list[int]:
    with PhysicsModel(load("amerigo")) as model:
        return [sum(turn.inside.values()) for turn in GAME.start(model, rules, seed)]


def both(rules: Rules, games: int, workers: int) -> tuple[Array, Array]:
    """Return the cubes inside after each drop (games, drops) of games with physics and of `SAMPLED` ones."""
    physics = np.array(list(spread_out(partial(count_inside, rules), range(games), workers, "games")), float)
    with SurrogateModel(load("amerigo"), fitted_or_shipped("amerigo")) as model:
        return physics, sample_games(model, rules, SAMPLED, SEED).each_colour("inside").sum(2).astype(float)


def correlation(inside: Array, lag: int) -> tuple[float, float]:
    """Return the correlation of the numbers inside `lag` phases apart, and its standard error.

    It is over all games and pairs of phases; the mean of each phase over the games is taken away first.
    """

    def correlate(games: Array) -> float:
        less = games[:, 1:] - games[:, 1:].mean(0)
        return float(np.corrcoef(less[:, :-lag].ravel(), less[:, lag:].ravel())[0, 1])

    return jackknife(correlate, inside)


def measure(games: int, few: int, workers: int) -> None:
    print_table(["figure", "physics", "surrogate"], _rows(games, few, workers))


def _rows(games: int, few: int, workers: int) -> Iterator[Sequence[str]]:
    sides = both(Rules(), games, workers)
    for lag in LAGS:
        physics, surrogate = ("{:.3f} ± {:.3f}".format(*correlation(side, lag)) for side in sides)
        yield f"correlation of the cubes inside {lag} phases apart", f"{physics} ({games} games)", surrogate
    full = ["{:.2%} ± {:.2%}".format(*mean_error(side[:, 1:].max(1) > FULL)) for side in sides]
    yield f"games in which more than {FULL} cubes are inside after some phase", *full
    for cubes, colours in OTHERS:
        rules = Rules(cubes=cubes, colours=tuple(map(str, range(colours))), substitute="")
        sides = both(rules, few, workers)
        physics, surrogate = ("{:.2f} ± {:.2f}".format(*mean_error(side[:, 1:].mean(1))) for side in sides)
        yield f"inside in play, {cubes} cubes of {colours} colours", f"{physics} ({few} games)", surrogate


main = script(
    __doc__,
    measure,
    option("--games", type=int, default=300, help="games with physics"),
    option("--few", type=int, default=24, help="games with physics of each other number of cubes"),
    WORKERS,
)

if __name__ == "__main__":
    raise SystemExit(main())
