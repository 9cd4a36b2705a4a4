"""Games of Amerigo in towers whose cubes toss coins, as a table of played towers: no physics."""

from functools import cache

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from tower_sim.calibration.played import Table, draw_points
from tower_sim.calibration.prior import Towers
from tower_sim.calibration.summaries import DROPS, PLAN
from tower_sim.results import Results

COLOUR = np.repeat(np.arange(7), 7)
CLOGGED = 0.2  # of the chance to leave, once the tower clogged


def leaving(unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances with which a thrown cube, and one inside, comes out of the tower at `unit`, shape (N, 10).

    They rise with the friction's and the rate's coordinates. Each tower is off by what no regression on its numbers
    tells.
    """
    rough = 0.025 * np.clip(norm.ppf(997 * unit[:, 0] % 1), -3, 3)
    return 0.4 + 0.45 * unit[:, 7] + rough, 0.12 + 0.4 * unit[:, 9] - rough


def clogging(unit: np.ndarray) -> np.ndarray:
    """Return the share of games that clog of the tower at `unit`, shape (N, 10): most in few, some in many."""
    rough = 0.8 * np.clip(norm.ppf(997 * unit[:, 2] % 1), -3, 3)
    return expit(6 * unit[:, 1] - 5.5 + rough)


def play(
    thrown_leave: np.ndarray,
    residents_leave: np.ndarray,
    games: int,
    rng: np.random.Generator,
    clogs: np.ndarray | float = 0.0,
) -> Results:
    """Play games of towers with these chances, shape (N,): counts of shape (N, games, DROPS).

    In a share `clogs` of the games the chances fall to CLOGGED of them at one of the drops 2 to 20, and stay there.
    """
    shape = (len(thrown_leave), games, 49)
    other = rng.spawn(1)[0]
    begins = np.where(other.random(shape[:2]) < np.reshape(clogs, (-1, 1)), other.integers(2, 21, shape[:2]), DROPS)
    is_in = np.zeros(shape, bool)
    drops: list[tuple[np.ndarray, ...]] = []
    for drop in range(DROPS):
        is_thrown = ~is_in & ((drop == 0) | ((drop - 1) % 7 == COLOUR))
        chance = np.where(is_thrown, thrown_leave[:, None, None], residents_leave[:, None, None])
        chance = chance * np.where(drop < begins, 1.0, CLOGGED)[..., None]
        leaves = (is_thrown | is_in) & (rng.random(shape) < chance) & is_thrown.any(-1, keepdims=True)
        old_out = (leaves & is_in).sum(-1)
        is_in = (is_in | is_thrown) & ~leaves
        by_colour = (cubes.reshape(*shape[:2], 7, 7).sum(-1) for cubes in (is_thrown, leaves, is_in))
        drops.append((*by_colour, old_out))
    thrown, out, inside, old = (np.stack(column, 2) for column in zip(*drops, strict=True))
    return Results.of_counts({"thrown": thrown, "out": out, "inside": inside}, old_out=old, plan=PLAN)


@cache
def table(towers: int = 384, games: int = 2, seed: int = 1, clogs: bool = False) -> Table:
    unit = draw_points()[:towers]
    games_played = play(*leaving(unit), games, np.random.default_rng(seed), clogging(unit) if clogs else 0.0)
    return Table(unit, games_played, np.ones(towers))


@cache
def towers(number: int = 384, games: int = 2, seed: int = 1, clogs: bool = False) -> Towers:
    play_table = table(number, games, seed, clogs)
    return Towers(play_table.unit, play_table.games)
