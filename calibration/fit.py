"""The fit: which of the simulated towers agree with the evidence, and what such a tower will do next.

A posterior weights the simulated towers by the likelihood (law.py) times the weight before any evidence. Source: Owen,
Monte Carlo theory, methods and examples, 2013, chapter 9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tower_sim.calibration.evidence import MOST_VALUES, Evidence, GamesClog
from tower_sim.calibration.law import TARGETS, TOLD, JointLaw, Keep, law, part
from tower_sim.calibration.prior import Towers
from tower_sim.calibration.summaries import EVERY, SUMMARIES, Array, Discrepancy, Window
from tower_sim.errors import UsageError
from tower_sim.results import Estimate

LEVEL = 0.90  # of all intervals
DRAWS = 4000  # of the posterior
CLOGS = "clogs"  # the share of games that clog, among the means of a posterior


@dataclass(frozen=True, slots=True)
class PredictiveCheck:
    """A value and its predictive interval, in the summary's unit; `tail` is the share of predictions below it."""

    name: str
    window: Window
    observed: float
    predicted: Estimate
    tail: float


@dataclass(frozen=True, slots=True)
class ClueCheck:
    """A clue and its probability, given all evidence (`chance`) and given all other entries (`others`)."""

    name: str
    says: str
    chance: float
    others: float


@dataclass(frozen=True, slots=True)
class Posterior:
    """DRAWS towers that agree with the evidence: their indices `tower` and free `numbers`.

    `weight` is that of each simulated tower, `effective` their effective number. `played` has the draws of long-run
    means of simulated towers by name, in their own units, and of their shares of games that clog; `targets` includes
    the discrepancy. `fit` is the logarithm of the mean likelihood over the prior.
    """

    tower: Array
    numbers: Array
    weight: Array
    targets: dict[str, Array]
    effective: float
    fit: float
    played: dict[str, Array] = field(default_factory=dict[str, Array])

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the weights, in hexadecimal."""
        return hashlib.sha256(np.round(self.weight, 12).tobytes()).hexdigest()

    def error(self, target: str, level: float) -> float:
        """Return the Monte Carlo standard error of the quantile `level` of a mean, from the effective number of towers.

        Source: Serfling, Approximation theorems, 1980, section 2.3.
        """
        draws = self.played[target]
        step = min(level / 2, (1 - level) / 2, 0.05)  # extreme draws say nothing about the density
        low, high = np.quantile(draws, [level - step, level + step])
        return float(np.sqrt(level * (1 - level) / self.effective) * (high - low) / (2 * step))

    def interval(self, target: str) -> Estimate:
        """Return the interval of a long-run mean of the simulated towers."""
        return interval(self.played[target])


@dataclass(frozen=True, slots=True)
class Fit:
    """Prior and posterior, and checks of each value of the evidence.

    `predictive` predicts each value for new games of the same tower from all evidence, `held_out` without it.
    """

    evidence: tuple[Evidence, ...]
    prior: Posterior
    posterior: Posterior
    predictive: tuple[PredictiveCheck, ...]
    held_out: tuple[PredictiveCheck, ...]
    clues: tuple[ClueCheck, ...] = ()


def interval(draws: Array) -> Estimate:
    """Return the median and the central interval of `draws` with probability LEVEL."""
    low, middle, high = np.quantile(draws, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return Estimate(float(middle), float(low), float(high), len(draws))


@dataclass(frozen=True, slots=True)
class DrawnPoints:
    """Towers drawn given the part `keep` of the evidence: `points` are their indices.

    `weight` and `effective` are of all towers; `fit` is the logarithm of the mean likelihood.
    """

    keep: Keep
    points: Array
    weight: Array
    effective: float
    fit: float


@dataclass(frozen=True, slots=True)
class Sampled:
    """All towers, and the joint distribution `law` of the evidence's `values` and then the long-run means `names`."""

    towers: Towers
    names: tuple[str, ...]
    law: JointLaw
    values: Array

    def weigh(self, keep: Keep, rng: np.random.Generator) -> DrawnPoints:
        """Weight the towers by the likelihood of the part `keep` of the evidence, and draw DRAWS of them."""
        scores = self.law.scores(self.values, keep) + np.log(self.towers.base)
        top = float(scores.max())
        weight = np.exp(scores - top)
        fit = top + float(np.log(weight.mean()))
        weight /= weight.sum()
        return DrawnPoints(keep, rng.choice(len(weight), DRAWS, p=weight), weight, count_effective(weight), fit)

    def draw(self, drawn: DrawnPoints, predict: Array, rng: np.random.Generator, fresh: bool = False) -> Array:
        """Draw the values or means with the indices `predict`, given the kept values, shape (points, predict).

        With `fresh` the values are from other games of the same tower.
        """
        towers, place = np.unique(drawn.points, return_inverse=True)  # a tower is drawn many times
        law, keep = self.law.take(towers), drawn.keep.values
        both = law.shared + law.noise
        cross = part(law.shared if fresh else both, predict, keep)
        gain = np.linalg.solve(part(both, keep, keep), cross.transpose(0, 2, 1)).transpose(0, 2, 1)
        miss = self.values[keep] - law.mean[:, keep]
        mean = law.mean[:, predict] + (gain @ miss[..., None])[..., 0]
        covariance = part(both, predict, predict) - gain @ cross.transpose(0, 2, 1) + 1e-9 * np.eye(len(predict))
        noise = rng.normal(size=(len(place), len(predict), 1))
        return mean[place] + (np.linalg.cholesky(covariance)[place] @ noise)[..., 0]

    def posterior(
        self, drawn: DrawnPoints, names: Sequence[str], rng: np.random.Generator, seen: Sequence[float] = (0, 0)
    ) -> Posterior:
        """Return the posterior with the long-run means `names`, after `seen` recorded games that clog, and others."""
        at = len(self.values) + np.array([self.names.index(name) for name in names])
        own, clogs = self.towers.draw([EVERY[name] for name in names], drawn.points, rng, seen)
        real = self.draw(drawn, at, rng)
        targets, played = (
            {name: SUMMARIES[name].back(draws[:, i]) for i, name in enumerate(names)} for draws in (real, own)
        )
        played[CLOGS] = clogs.round(6)
        return Posterior(
            drawn.points, self.towers.numbers[drawn.points], drawn.weight, targets, drawn.effective, drawn.fit, played
        )


def count_effective(weight: Array) -> float:
    """Return the effective number of towers behind weights (Kish, Survey sampling, 1965)."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def fit(
    towers: Towers,
    evidence: Sequence[Evidence],
    rng: np.random.Generator,
    discrepancy: Discrepancy | None = None,
    checks: bool = True,
) -> Fit:
    """Weight the towers by evidence.

    Args:
        towers: The simulated towers.
        evidence: The evidence, of up to MOST_VALUES values. Its `held` windows are predicted from the rest instead of
            used.
        rng: The source of the draws.
        discrepancy: How far a real tower may differ from the simulation.
        checks: Whether checks and the means TOLD are computed too.

    Returns:
        The fit.
    """
    values = np.array([value for entry in evidence for value in entry.values])
    if len(values) > MOST_VALUES:  # the memory grows with their square
        raise UsageError(
            f"the observations give {len(values)} values to fit; allowed are up to {MOST_VALUES} (recorded games of "
            "about as many drops are taken together); leave out short games, or some of the observations"
        )
    held = np.array([flag for entry in evidence for flag in (entry.held or (False,) * len(entry.windows))], bool)
    keep = Keep(np.flatnonzero(~held), np.arange(sum(len(entry.clues) for entry in evidence)))
    off = discrepancy or Discrepancy()
    names = (*TARGETS, *TOLD) if checks and not held.any() else TARGETS
    sampled = Sampled(towers, names, law(towers, evidence, off, names), values)
    drawn = sampled.weigh(keep, rng)
    nothing = Keep(keep.values[:0], keep.clues[:0])
    prior = sampled.posterior(sampled.weigh(nothing, rng), names, rng)
    games = [clue for entry in evidence for clue in entry.clues if isinstance(clue, GamesClog)]
    seen = [sum(clue.clogged for clue in games), sum(clue.usual for clue in games)]
    posterior = sampled.posterior(drawn, names, rng, seen)
    if not checks:
        return Fit(tuple(evidence), prior, posterior, (), ())
    of = _Checks(sampled, tuple(evidence), drawn, held)
    predictive, held_out = tuple(of.predictive(rng)), tuple(of.held_out(rng))
    return Fit(tuple(evidence), prior, posterior, predictive, held_out, tuple(of.clues(rng)))


@dataclass(frozen=True, slots=True)
class _Checks:
    sampled: Sampled
    evidence: tuple[Evidence, ...]
    drawn: DrawnPoints
    held: Array

    def predictive(self, rng: np.random.Generator) -> Iterator[PredictiveCheck]:
        keep = self.drawn.keep.values
        if len(keep):
            yield from self._check_values(keep, self.sampled.draw(self.drawn, keep, rng, fresh=True))

    def held_out(self, rng: np.random.Generator) -> Iterator[PredictiveCheck]:
        for entry in range(len(self.evidence)):
            mine = np.flatnonzero(self._find_owners("windows") == entry)
            out = mine[self.held[mine]] if self.held.any() else mine
            if len(out):
                keep = self.drawn.keep if self.held.any() else self._leave_out([entry])
                yield from self._check_values(out, self.sampled.draw(self.sampled.weigh(keep, rng), out, rng))

    def clues(self, rng: np.random.Generator) -> Iterator[ClueCheck]:
        owners = self._find_owners("clues")
        for i, entry in enumerate(self.evidence):
            if entry.clues:
                chances = np.exp(self.sampled.law.clues[:, owners == i] * entry.doubt)
                others = self.sampled.weigh(self._leave_out([i]), rng).weight @ chances
                for clue, *both in zip(entry.clues, self.drawn.weight @ chances, others, strict=True):
                    yield ClueCheck(entry.name, str(clue), *map(float, both))

    def _leave_out(self, entries: Sequence[int] | Array) -> Keep:
        keep = self.drawn.keep
        values = keep.values[~np.isin(self._find_owners("windows")[keep.values], entries)]
        return Keep(values, keep.clues[~np.isin(self._find_owners("clues")[keep.clues], entries)])

    def _find_owners(self, what: str) -> Array:
        return np.repeat(np.arange(len(self.evidence)), [len(getattr(entry, what)) for entry in self.evidence])

    def _check_values(self, values: Array, draws: Array) -> Iterator[PredictiveCheck]:
        entries = [(entry.name, window) for entry in self.evidence for window in entry.windows]
        for value, predicted in zip(values, draws.T, strict=True):
            name, window = entries[value]
            back, observed = SUMMARIES[window.summary].back, self.sampled.values[value]
            tail = float((predicted < observed).mean())
            yield PredictiveCheck(name, window, float(back(observed)), interval(back(predicted)), tail)
