"""What a calibration found: the fit, the real drops that confirm it, the tower chosen, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.fit import Fit


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
    """A tower drawn from the posterior and simulated: its `pattern`, free `numbers`, and each summary compared."""

    pattern: str
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
    """The tower of the profile: its `pattern`, free `numbers`, the `fields` it sets, and what its own games gave.

    `simulated` has the targets `setup`, `inside` and `out`; `single` lists, for each of them, the value of every game
    (set-up: cubes inside after it; the others: means over its phases).
    """

    pattern: str
    numbers: Mapping[str, float]
    fields: Mapping[str, object]
    simulated: Mapping[str, GamesMean]
    single: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Budget:
    """What it took: games simulated, seconds (of this run), draws that were no landing, games that never ended."""

    games: int
    seconds: float
    redrawn: int
    unfinished: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """All of it; `mode` is `quick` or `full`, `points` and `games` are the design's, `seed` the run's."""

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

    @property
    def digest(self) -> str:
        """The SHA-256 of the posterior's draws, in hexadecimal."""
        return self.fit.posterior.digest
