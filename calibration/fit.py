"""The fit: which towers of the prior agree with the evidence, and what such a tower will do next.

Points of the unit cube are weighted by the likelihood of the evidence at their tower (law.py), drawn evenly first and
then about those that weigh most (sampling.py), until enough of them weigh. Sources: Kennedy and O'Hagan, Journal of the
Royal Statistical Society B 63 (2001) 425; for importance sampling, Owen, Monte Carlo theory, methods and examples,
2013, chapter 9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.evidence import Evidence, check_amount
from tower_sim.calibration.law import TARGETS, TOLD, JointLaw, Keep, Predicts, law, part
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.sampling import Bell, bell_about, density_of_all, effective, even
from tower_sim.calibration.summaries import SUMMARIES, Array, Window

LEVEL = 0.90  # of all intervals
PULLED = (*TARGETS, "colours", "single")  # what single sources of the evidence are asked for
SAMPLE = 2**13  # points of the prior
FURTHER = 2**12  # points of a round about those that weigh most
ROUNDS = 6  # such rounds at most
ENOUGH = 400  # effective points
DRAWS = 4000  # of the posterior


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle LEVEL of a distribution, with its median."""

    low: float
    middle: float
    high: float

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class PredictiveCheck:
    """A value of the evidence beside its predictive interval, both in the summary's own unit; `tail`: its PIT."""

    name: str
    window: Window
    observed: float
    predicted: Interval
    tail: float


@dataclass(frozen=True, slots=True)
class ClueCheck:
    """A clue (what it `says`) and its chance: given all evidence, and given all other entries only."""

    name: str
    says: str
    chance: float
    others: float


@dataclass(frozen=True, slots=True)
class Pull:
    """What towers would do by one source of the evidence (`name`) `alone`, and `without` it, by all others.

    Intervals of the long-run means of PULLED; `effective` towers are behind the latter. Of all evidence the name is
    empty: alone is then the prior, without nothing left out.
    """

    name: str
    alone: dict[str, Interval]
    without: dict[str, Interval]
    effective: float


@dataclass(frozen=True, slots=True)
class Posterior:
    """DRAWS towers that agree with the evidence: `unit`, the point of each, and its long-run means, in cubes.

    `played` are the means of the tower itself, as its games give them (TARGETS and TOLD, each in its own unit).
    `targets` are those of the real tower, of which the simulation may be wrong in ways that the evidence tells of.
    `effective` is the effective number of points behind them, `fit` the log of the mean likelihood over the prior.
    """

    unit: Array
    targets: dict[str, Array]
    effective: float
    fit: float
    played: dict[str, Array] = field(default_factory=dict[str, Array])

    @property
    def digest(self) -> str:
        """The SHA-256 of the draws, in hexadecimal."""
        words = hashlib.sha256()
        for array in (self.unit, *self.targets.values(), *self.played.values()):
            words.update(np.ascontiguousarray(array).tobytes())
        return words.hexdigest()

    def document(self) -> dict[str, Any]:
        """The towers, how often each was drawn, and what is told of them; mean and sd on the scales of the fit."""
        unit, times = np.unique(self.unit, axis=0, return_counts=True)
        told: dict[str, dict[str, float]] = {}
        for name, draws in self.played.items():
            scaled, span = SUMMARIES[name].scale(draws), self.interval(name)
            ends = {"low": span.low, "middle": span.middle, "high": span.high}
            told[name] = ends | {"mean": float(scaled.mean()), "sd": float(scaled.std())}
        return {"unit": unit.tolist(), "times": times.tolist(), "told": told}

    def interval(self, target: str) -> Interval:
        """The interval of a long-run mean of the towers that agree, as their own games give it."""
        return interval(self.played[target])

    def itself(self, target: str) -> Interval:
        """The interval of the real tower's long-run mean, with what the simulation may be off."""
        return interval(self.targets[target])


@dataclass(frozen=True, slots=True)
class Fit:
    """The whole result: prior and posterior, and each value of the evidence beside what was predicted for it.

    `predictive` is conditional on all evidence (a new game of the same tower), `held_out` on all but that evidence;
    `clues` has the clues' chances both ways, `pulls` what would be without each entry.
    """

    evidence: tuple[Evidence, ...]
    discrepancy: Discrepancy
    prior: Posterior
    posterior: Posterior
    predictive: tuple[PredictiveCheck, ...]
    held_out: tuple[PredictiveCheck, ...]
    clues: tuple[ClueCheck, ...] = ()
    pulls: tuple[Pull, ...] = ()


def interval(draws: Array) -> Interval:
    """Return the middle LEVEL of `draws`."""
    low, middle, high = np.quantile(draws, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return Interval(float(low), float(middle), float(high))


@dataclass(frozen=True, slots=True)
class DrawnPoints:
    """Points drawn given what is kept of the evidence, the weights of all, their effective number, the log of the mean
    likelihood.
    """

    keep: Keep
    points: Array
    weight: Array
    effective: float
    fit: float


@dataclass(frozen=True, slots=True)
class Sampled:
    """Points that come with a `density` (over the even one), the `law` of the evidence's `values` at them.

    `further` gives the law at points (their numbers) with targets behind it; `tower` is the number of the tower that
    each point is of: a tower that was played is there many times, with means that its games allow.
    """

    law: JointLaw
    values: Array
    density: Array
    further: Callable[[Array, Sequence[str]], JointLaw]
    tower: Array

    def weigh(self, keep: Keep, rng: np.random.Generator) -> DrawnPoints:
        """Weight the points by the likelihood of what is kept, and draw among them."""
        scores = self.law.scores(self.values, keep) - np.log(self.density)
        top = float(scores.max())
        weight = np.exp(scores - top)
        fit = top + float(np.log(weight.mean()))
        weight /= weight.sum()
        by_tower = np.bincount(self.tower, weight)
        return DrawnPoints(keep, rng.choice(len(weight), DRAWS, p=weight), weight, effective(by_tower), fit)

    def given(self, law: JointLaw, keep: Array, predict: Array, rng: np.random.Generator, fresh: bool = False) -> Array:
        """Draw values or targets `predict` (their numbers) of a law given values `keep`, shape (points, predict).

        `fresh`: in other games of the same tower, with noise of their own.
        """
        both = law.shared + law.noise
        cross = part(law.shared if fresh else both, predict, keep)
        gain = np.linalg.solve(part(both, keep, keep), cross.transpose(0, 2, 1)).transpose(0, 2, 1)
        miss = self.values[keep] - law.mean[:, keep]
        mean = law.mean[:, predict] + (gain @ miss[..., None])[..., 0]
        covariance = part(both, predict, predict) - gain @ cross.transpose(0, 2, 1) + 1e-9 * np.eye(len(predict))
        return mean + (np.linalg.cholesky(covariance) @ rng.normal(size=(*mean.shape, 1)))[..., 0]

    def draw(self, drawn: DrawnPoints, predict: Array, rng: np.random.Generator, fresh: bool = False) -> Array:
        """Draw values of the evidence (their numbers) at the points drawn; see `given`."""
        return self.given(self.law.take(drawn.points), drawn.keep.values, predict, rng, fresh)

    def posterior(self, drawn: DrawnPoints, names: Sequence[str], rng: np.random.Generator) -> Posterior:
        """Return the posterior with the long-run means `names` of the towers drawn, and of the real tower."""
        rows, back = np.unique(drawn.points, return_inverse=True)
        law = self.further(rows, names).take(back)
        first = law.mean.shape[1] - len(names)
        own = law.mean[:, first:] + law.error[:, first:] * rng.normal(size=(len(back), len(names)))
        real = self.given(law, drawn.keep.values, first + np.arange(len(names)), rng)
        targets, played = (
            {name: SUMMARIES[name].back(draws[:, i]) for i, name in enumerate(names)} for draws in (real, own)
        )
        return Posterior(law.unit, targets, drawn.effective, drawn.fit, played)


def _about(
    at: Callable[[Array], JointLaw], values: Array, keep: Keep, sample: int, rng: np.random.Generator
) -> tuple[JointLaw, Array]:
    """Return the law at points whose weights, given what is kept, are enough, and their density."""
    unit = even(sample, len(NUMBERS))
    found, density = at(unit), np.ones(sample)
    bells: list[tuple[int, Bell]] = []
    while len(bells) < ROUNDS:
        scores = found.scores(values, keep) - np.log(density)
        weight = np.exp(scores - scores.max())
        if effective(weight) >= ENOUGH:
            break
        bell, number = bell_about(found.unit, weight, ENOUGH / 4), min(FURTHER, sample)
        bells.append((number, bell))
        found = found.and_of(at(bell.draw(number, rng)))
        density = density_of_all(found.unit, sample, bells)
    return found, density


def kept(evidence: Sequence[Evidence]) -> tuple[Array, Array, Keep]:
    """Return the evidence's values, which of them are held out, and what is kept: the others, and all clues."""
    values = np.array([value for entry in evidence for value in entry.values])
    held = np.array([flag for entry in evidence for flag in (entry.held or (False,) * len(entry.windows))], bool)
    return values, held, Keep(np.flatnonzero(~held), np.arange(sum(len(entry.clues) for entry in evidence)))


def fit(
    emulator: Predicts,
    evidence: Sequence[Evidence],
    rng: np.random.Generator,
    discrepancy: Discrepancy | None = None,
    sample: int = SAMPLE,
    checks: bool = True,
    further: int = 0,
) -> Fit:
    """Fit the tower to `evidence` by what an emulator predicts of every point of the prior; see `fit_sampled`.

    Random, from `rng`: points about the posterior, and the draws from it. The targets are means over `further` more
    games of the same tower, or, with 0, in the long run. Raises UsageError for more values than MOST_VALUES.
    """
    check_amount(evidence)
    off = discrepancy or Discrepancy()
    values, _, keep = kept(evidence)
    found, density = _about(lambda unit: law(emulator, evidence, off, unit), values, keep, sample, rng)

    def targets(rows: Array, names: Sequence[str]) -> JointLaw:
        return law(emulator, evidence, off, found.unit[rows], names, further)

    return fit_sampled(Sampled(found, values, density, targets, np.arange(len(density))), evidence, rng, off, checks)


def fit_sampled(
    sampled: Sampled,
    evidence: Sequence[Evidence],
    rng: np.random.Generator,
    off: Discrepancy,
    checks: bool = True,
) -> Fit:
    """Fit the tower to `evidence` by points whose law is known. Random, from `rng`: the draws.

    The evidence's `held` windows are not used for the posterior, but predicted from the rest. Without `checks` nothing
    but prior and posterior is found, and of these no TOLD.
    """
    _, held, keep = kept(evidence)
    drawn = sampled.weigh(keep, rng)
    nothing = Keep(keep.values[:0], keep.clues[:0])
    names = (*TARGETS, *TOLD) if checks and not held.any() else TARGETS
    prior = sampled.posterior(sampled.weigh(nothing, rng), names, rng)
    posterior = sampled.posterior(drawn, names, rng)
    if not checks:
        return Fit(tuple(evidence), off, prior, posterior, (), ())
    checked = _Checked(sampled, tuple(evidence), drawn, held)
    return Fit(
        tuple(evidence),
        off,
        prior,
        posterior,
        tuple(checked.predictive(rng)),
        tuple(checked.held_out(rng)),
        tuple(checked.clues(rng)),
        tuple(checked.pulls(rng)),
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """What the posterior says of its own evidence; `held` are the values that it was not fitted to."""

    sampled: Sampled
    evidence: tuple[Evidence, ...]
    drawn: DrawnPoints
    held: Array

    def predictive(self, rng: np.random.Generator) -> Iterator[PredictiveCheck]:
        keep = self.drawn.keep.values
        if len(keep):
            draws = self.sampled.draw(self.drawn, keep, rng, fresh=True)
            for k, i in enumerate(keep):
                yield self._check(i, draws[:, k])

    def held_out(self, rng: np.random.Generator) -> Iterator[PredictiveCheck]:
        for entry in range(len(self.evidence)):
            mine = np.flatnonzero(self._owners("windows") == entry)
            out = mine[self.held[mine]] if self.held.any() else mine
            if len(out):
                keep = self.drawn.keep if self.held.any() else self._without([entry])
                draws = self.sampled.draw(self.sampled.weigh(keep, rng), out, rng)
                for k, i in enumerate(out):
                    yield self._check(i, draws[:, k])

    def clues(self, rng: np.random.Generator) -> Iterator[ClueCheck]:
        owners = self._owners("clues")
        for entry, each in enumerate(self.evidence):
            mine = np.flatnonzero(owners == entry)
            if len(mine):
                chances = np.exp(self.sampled.law.clues[:, mine] * each.doubt)
                others = self.sampled.weigh(self._without([entry]), rng).weight @ chances
                for clue, *both in zip(each.clues, self.drawn.weight @ chances, others, strict=True):
                    yield ClueCheck(each.name, str(clue), *map(float, both))

    def pulls(self, rng: np.random.Generator) -> Iterator[Pull]:
        names = list(dict.fromkeys(entry.name for entry in self.evidence))
        if len(names) < 2 or self.held.any():
            return
        every = np.arange(len(self.evidence))
        for name in ("", *names):
            mine = [i for i, entry in enumerate(self.evidence) if entry.name == name]
            others = np.setdiff1d(every, mine)
            alone, without = (self.sampled.weigh(self._without(left), rng) for left in (others, mine))
            spans = [self.sampled.posterior(drawn, PULLED, rng) for drawn in (alone, without)]
            by_name = ({target: towers.interval(target) for target in PULLED} for towers in spans)
            first, second = by_name
            yield Pull(name, first, second, without.effective)

    def _without(self, entries: Sequence[int] | Array) -> Keep:
        """Return what is kept but for some entries."""
        keep = self.drawn.keep
        values = keep.values[~np.isin(self._owners("windows")[keep.values], entries)]
        return Keep(values, keep.clues[~np.isin(self._owners("clues")[keep.clues], entries)])

    def _owners(self, what: str) -> Array:
        """Return the entry that each value (`windows`) or clue (`clues`) is of."""
        return np.repeat(np.arange(len(self.evidence)), [len(getattr(entry, what)) for entry in self.evidence])

    def _check(self, value: np.intp, draws: Array) -> PredictiveCheck:
        entry = self.evidence[self._owners("windows")[value]]
        window = [window for each in self.evidence for window in each.windows][value]
        back, seen = SUMMARIES[window.summary].back, self.sampled.values[value]
        tail = float((draws < seen).mean())
        return PredictiveCheck(entry.name, window, float(back(seen)), interval(back(draws)), tail)
