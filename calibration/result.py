"""What a calibration found: the fit, the real drops that confirm it, the tower chosen, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tower_sim.calibration.fit import Fit
from tower_sim.calibration.leaving import Leaving


@dataclass(frozen=True, slots=True)
class ConfirmedSummary:
    """A summary at one tower: the emulator's `predicted` mean with its `error`, and what real drops gave, `simulated`
    with its standard error `se` over `games` games; all on the scale of the fit.
    """

    summary: str
    predicted: float
    error: float
    simulated: float
    se: float
    games: int

    @property
    def z(self) -> float:
        """How many standard errors apart they are."""
        return (self.simulated - self.predicted) / (self.error**2 + self.se**2) ** 0.5


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A tower drawn from the posterior and simulated: its free `numbers`, and each summary compared."""

    numbers: Mapping[str, float]
    compared: tuple[ConfirmedSummary, ...]


@dataclass(frozen=True, slots=True)
class GamesMean:
    """A mean in cubes over `games` games, with its standard error."""

    mean: float
    se: float
    games: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tower of the profile: its free `numbers`, the `fields` it sets, and what its own games gave.

    `simulated` has the targets `setup`, `inside` and `out`; `single` lists, for each of them, the value of every game
    (set-up: cubes inside after it; the others: means over its phases). `why` says why it was chosen, `does` what its
    games show, each in a sentence; `leaving` how fast residents leave by their age. `played`: means
    over its games of more summaries, each in its own unit (bands.py).
    """

    numbers: Mapping[str, float]
    fields: Mapping[str, object]
    simulated: Mapping[str, GamesMean]
    single: Mapping[str, tuple[float, ...]]
    why: str = ""
    does: str = ""
    leaving: tuple[Leaving, ...] = ()
    played: Mapping[str, GamesMean] = field(default_factory=dict[str, "GamesMean"])


@dataclass(frozen=True, slots=True)
class Budget:
    """What it took: games simulated, seconds (of this run), draws that were no landing, games that never ended."""

    games: int
    seconds: float
    redrawn: int
    unfinished: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """All of it; `mode` is `quick` or `full`, `points` and `games` are the design's, `seed` the run's.

    `notes` say in sentences what was left out of the fit and how that fared, and how good the surrogate is.
    """

    name: str
    mode: str
    seed: int
    points: int
    games: int
    design: str  # its digest
    fit: Fit
    confirmed: tuple[Confirmed, ...]
    chosen: Chosen
    budget: Budget
    versions: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The SHA-256 of the posterior's draws, in hexadecimal."""
        return self.fit.posterior.digest
