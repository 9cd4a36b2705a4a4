"""How much a calibration simulates, and how long that takes on this machine, measured before it begins."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tower_sim.apparatus.catalogue import load
from tower_sim.calibration.parameters import ENGINE, TOWER
from tower_sim.games.amerigo import Rules, play
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.progress import in_words
from tower_sim.simulator import PhysicsModel

__all__ = ["BESIDE", "EFFORTS", "Effort", "in_words", "seconds", "seconds_a_game"]

TIMED = 2  # games
BESIDE = 24  # games played beside drops that the fit cannot use


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated: `rounds` of `towers` drawn from the posterior, `games` each, until an effective `enough`
    of all that were played agree; the games of the tower `chosen`, and of its surrogate.
    """

    rounds: int
    towers: int
    games: int
    enough: float
    chosen: int

    @property
    def played(self) -> int:
        """How many games it plays at most."""
        return self.rounds * self.towers * self.games + self.chosen


EFFORTS = {
    "quick": Effort(rounds=1, towers=48, games=4, enough=40, chosen=80),
    "full": Effort(rounds=6, towers=96, games=6, enough=200, chosen=200),
}

# What is not simulated takes as long as so many games: of a fit for each tower of the design the first time and again
# with drops held out, to choose; to write the report; the surrogate, and for each game that it is fitted to. Measured
# with 1,024 towers on two cores with nothing else to do, where a game took 0.6 s.
FIT, AGAIN, CHOOSE, REPORT, STAND_IN, STAND_IN_EACH = 0.045, 0.012, 0.0025, 3.0, 3.0, 0.17


def seconds_a_game() -> float:
    """Play TIMED games of an ordinary tower on this machine, after a drop that compiles; returns the shortest time."""
    times: list[float] = []
    with PhysicsModel(load(TOWER), accuracy(ENGINE, STANDARD)) as model:
        next(play(model, Rules(), 0))
        for seed in range(TIMED):
            begun = time.perf_counter()
            for _ in play(model, Rules(), seed):
                pass
            times.append(time.perf_counter() - begun)
    return min(times)


def seconds(
    effort: Effort, a_game: float, workers: int, towers: int, files_left: int = 0, with_halves: bool = True
) -> float:
    """Return about how long a calibration takes, in seconds, if a game takes `a_game`, on so many `workers`.

    The design has `towers`, `files_left` files have drops that the fit cannot use; `with_halves` says that fits are
    made twice.
    """
    each = FIT + (AGAIN if with_halves else 0.0)
    fits = sum(each * (towers + number * effort.towers) for number in range(1 + effort.rounds))
    alone = fits + CHOOSE * (towers + effort.rounds * effort.towers) + REPORT + STAND_IN + STAND_IN_EACH * effort.chosen
    return a_game * ((effort.played + files_left * BESIDE) / workers + alone)
