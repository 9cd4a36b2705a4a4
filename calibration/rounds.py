"""Rounds of towers played where the posterior is: drawn from the emulated one, played, and what they say is added.

What a tower was drawn from is known for every round, so all towers of all rounds, and those of the design, are weighted
together. A round is drawn from the posterior that all towers before it give, with the emulator's error in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tower_sim.calibration.design import Design, Point
from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.emulator import Emulator, Kernels
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.fit import Fit, Sampled, fit, kept
from tower_sim.calibration.law import law
from tower_sim.calibration.summaries import Array
from tower_sim.calibration.towers import sampled


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """Towers that one `emulator` proposed for evidence: `number` of them; `scale` is the log of the mean likelihood."""

    emulator: Emulator
    evidence: tuple[Evidence, ...]
    off: Discrepancy
    number: int
    scale: float

    def density(self, unit: Array) -> Array:
        """Return the density that it draws towers from, over the even one, shape (S,)."""
        values, _, keep = kept(self.evidence)
        return np.exp(law(self.emulator, self.evidence, self.off, unit).scores(values, keep) - self.scale)


@dataclass(slots=True)
class Pool:
    """All towers that were played: the `design`, its first `even` points drawn evenly and each of the `rounds` behind.

    `times` says how often a tower was drawn; it is played once.
    """

    design: Design
    kernels: Kernels
    even: int = 0
    rounds: list[PlayedRound] = field(default_factory=list[PlayedRound])
    times: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.even = self.even or len(self.design.unit)
        self.times = self.times if len(self.times) else np.ones(len(self.design.unit))

    def emulator(self) -> Emulator:
        """Return what all towers played say of others."""
        return Emulator(self.design, self.kernels)

    def density(self) -> Array:
        """Return the density that each tower was drawn from, over how often it was: of the mixture of all rounds."""
        total = np.full(len(self.design.unit), float(self.even))
        for each in self.rounds:
            total += each.number * each.density(self.design.unit)
        return total / (self.even + sum(each.number for each in self.rounds)) / self.times

    def add(
        self,
        evidence: Sequence[Evidence],
        off: Discrepancy,
        towers: int,
        rng: np.random.Generator,
        play: Callable[[Sequence[Point]], Design],
        fitting: Callable[..., Fit] = fit,
    ) -> tuple[Emulator, Design]:
        """Play `towers` drawn from the emulated posterior (fewer where some are drawn twice) and add them.

        Returns the emulator that knew nothing of them, and the new towers with their games. Random, from `rng`.
        """
        emulator = self.emulator()
        found = fitting(emulator, evidence, rng, off, checks=False).posterior
        unit, times = np.unique(found.unit[:towers], axis=0, return_counts=True)
        new = play([tuple(row.tolist()) for row in unit])
        self.rounds.append(PlayedRound(emulator, tuple(evidence), off, towers, found.fit))
        self.design = self.design.after(new)
        self.times = np.concatenate([self.times, times])
        return emulator, new

    def sampled(self, evidence: Sequence[Evidence], off: Discrepancy, rng: np.random.Generator) -> Sampled:
        """Return the towers played as points that a fit of `evidence` can weigh. Random, from `rng`."""
        return sampled(self.emulator(), self.density(), evidence, off, rng)
