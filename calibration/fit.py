"""The fit: which towers of the prior agree with the evidence, and what such a tower will do next.

Points of the unit cube are weighted by the likelihood of the evidence at their tower (law.py), drawn evenly first and
then about those that weigh most (sampling.py), until enough of them weigh. Sources: Kennedy and O'Hagan, Journal of the
Royal Statistical Society B 63 (2001) 425; for importance sampling, Owen, Monte Carlo theory, methods and examples,
2013, chapter 9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.evidence import Evidence, check_amount
from tower_sim.calibration.law import TARGETS, Emulated, JointLaw, Keep, Predicts, law, part
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.sampling import Bell, bell_about, density_of_all, effective, even
from tower_sim.calibration.summaries import EVERY, SUMMARIES, Array, Window

LEVEL = 0.90  # of all intervals
# what a fit tells beside: means and shares of phases, in the long run
TOLD = ("colours", "single", "many", "leads", "share_own", "old", "points", "ones", "skipped")
SAMPLE = 2**13  # points of the prior
FURTHER = 2**12  # points of a round about those that weigh most
ROUNDS = 6  # such rounds at most
ENOUGH = 400  # effective points
DRAWS = 4000  # of the posterior
TELLING = 1000  # draws of which TOLD is found


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
    """What the fit would say without one source of the evidence (all of it: an empty name).

    Medians of the long-run means by summary, and the mean of `colours` out of phases with something out.
    """

    name: str
    without: dict[str, float]
    colours: float


@dataclass(frozen=True, slots=True)
class Posterior:
    """DRAWS towers that agree with the evidence: `unit`, and the long-run means `targets` of each, in cubes.

    `effective` is the effective number of points behind them, `fit` the log of the mean likelihood over the prior.
    `told` has the intervals of TOLD, each in its own unit.
    """

    unit: Array
    targets: dict[str, Array]
    effective: float
    fit: float
    told: dict[str, Interval] = field(default_factory=dict[str, "Interval"])

    @property
    def digest(self) -> str:
        """The SHA-256 of the draws, in hexadecimal."""
        words = hashlib.sha256()
        for array in (self.unit, *self.targets.values()):
            words.update(np.ascontiguousarray(array).tobytes())
        return words.hexdigest()

    def interval(self, target: str) -> Interval:
        """The predictive interval of a long-run mean, in cubes."""
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
class _Drawn:
    """Points drawn given what is kept of the evidence, the weights of all, their effective number, the log of the mean
    likelihood.
    """

    keep: Keep
    points: Array
    weight: Array
    effective: float
    fit: float


@dataclass(frozen=True, slots=True)
class _Sampled:
    """The law at points that come with a `density` (over the even one), and the evidence's values."""

    law: JointLaw
    values: Array
    density: Array

    def weigh(self, keep: Keep, rng: np.random.Generator) -> _Drawn:
        """Weight the points by the likelihood of what is kept, and draw among them."""
        scores = self.law.scores(self.values, keep) - np.log(self.density)
        top = float(scores.max())
        weight = np.exp(scores - top)
        fit = top + float(np.log(weight.mean()))
        weight /= weight.sum()
        return _Drawn(keep, rng.choice(len(weight), DRAWS, p=weight), weight, effective(weight), fit)

    def draw(self, drawn: _Drawn, predict: Array, rng: np.random.Generator, fresh: bool = False) -> Array:
        """Draw the values or targets `predict` (their numbers), shape (draws, predict), given what drew the points.

        `fresh`: in other games of the same tower, with noise of their own.
        """
        at, keep = drawn.points, drawn.keep.values
        shared, both = self.law.shared[at], self.law.shared[at] + self.law.noise[at]
        cross = part(shared if fresh else both, predict, keep)
        gain = np.linalg.solve(part(both, keep, keep), cross.transpose(0, 2, 1)).transpose(0, 2, 1)
        miss = self.values[keep] - self.law.mean[at][:, keep]
        mean = self.law.mean[at][:, predict] + (gain @ miss[..., None])[..., 0]
        covariance = part(both, predict, predict) - gain @ cross.transpose(0, 2, 1) + 1e-9 * np.eye(len(predict))
        return mean + (np.linalg.cholesky(covariance) @ rng.normal(size=(*mean.shape, 1)))[..., 0]


def _sampled(
    at: Callable[[Array], JointLaw], values: Array, keep: Keep, sample: int, rng: np.random.Generator
) -> _Sampled:
    """Return points whose weights, given what is kept, are enough; `at` gives the law at points."""
    unit = even(sample, len(NUMBERS))
    found = _Sampled(at(unit), values, np.ones(sample))
    bells: list[tuple[int, Bell]] = []
    while len(bells) < ROUNDS:
        scores = found.law.scores(values, keep) - np.log(found.density)
        weight = np.exp(scores - scores.max())
        if effective(weight) >= ENOUGH:
            break
        bell, number = bell_about(found.law.unit, weight, ENOUGH / 4), min(FURTHER, sample)
        bells.append((number, bell))
        both = found.law.and_of(at(bell.draw(number, rng)))
        found = _Sampled(both, values, density_of_all(both.unit, sample, bells))
    return found


def fit(
    emulator: Predicts,
    evidence: Sequence[Evidence],
    rng: np.random.Generator,
    discrepancy: Discrepancy | None = None,
    sample: int = SAMPLE,
    checks: bool = True,
    further: int = 0,
) -> Fit:
    """Fit the tower to `evidence`. Random, from `rng`: points about the posterior, and the draws from it.

    The evidence's `held` windows are not used for the posterior, but predicted from the rest. Without `checks` nothing
    but prior and posterior is found; neither then has TOLD, nor where something is held. The targets are means over
    `further` more games of the same tower, or, with 0, in the long run. Raises UsageError for more values than
    MOST_VALUES.
    """
    check_amount(evidence)
    off = discrepancy or Discrepancy()
    values = np.array([value for entry in evidence for value in entry.values])
    held = np.array([flag for entry in evidence for flag in (entry.held or (False,) * len(entry.windows))], bool)
    keep = Keep(np.flatnonzero(~held), np.arange(sum(len(entry.clues) for entry in evidence)))
    sampled = _sampled(lambda unit: law(emulator, evidence, off, unit, further), values, keep, sample, rng)
    drawn = sampled.weigh(keep, rng)
    nothing = Keep(keep.values[:0], keep.clues[:0])
    prior = _posterior(sampled, sampled.weigh(nothing, rng), rng)
    posterior = _posterior(sampled, drawn, rng)
    if not checks:
        return Fit(tuple(evidence), off, prior, posterior, (), ())
    checked = _Checked(sampled, tuple(evidence), drawn, held)
    if not held.any():
        prior, posterior = (_with_told(emulator, towers, off, rng) for towers in (prior, posterior))
    return Fit(
        tuple(evidence),
        off,
        prior,
        posterior,
        tuple(checked.predictive(rng)),
        tuple(checked.held_out(rng)),
        tuple(checked.clues(rng)),
        tuple(checked.pulls(emulator, rng)),
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """What the posterior says of its own evidence; `held` are the values that it was not fitted to."""

    sampled: _Sampled
    evidence: tuple[Evidence, ...]
    drawn: _Drawn
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

    def pulls(self, emulator: Predicts, rng: np.random.Generator) -> Iterator[Pull]:
        names = list(dict.fromkeys(entry.name for entry in self.evidence))
        if len(names) < 2 or self.held.any():
            return
        window = EVERY["colours"]
        colours = SUMMARIES["colours"].back(emulator.at(window, self.sampled.law.unit).mean)
        for name in ("", *names):
            entries = [i for i, entry in enumerate(self.evidence) if entry.name == name]
            drawn = self.sampled.weigh(self._without(entries), rng)
            targets = _posterior(self.sampled, drawn, rng).targets
            medians = {target: float(np.median(draws)) for target, draws in targets.items()}
            yield Pull(name, medians, float(drawn.weight @ colours))

    def _without(self, entries: Sequence[int]) -> Keep:
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


def _posterior(sampled: _Sampled, drawn: _Drawn, rng: np.random.Generator) -> Posterior:
    draws = sampled.draw(drawn, len(sampled.values) + np.arange(len(TARGETS)), rng)
    targets = {name: SUMMARIES[name].back(draws[:, i]) for i, name in enumerate(TARGETS)}
    return Posterior(sampled.law.unit[drawn.points], targets, drawn.effective, drawn.fit)


def _with_told(emulator: Predicts, towers: Posterior, off: Discrepancy, rng: np.random.Generator) -> Posterior:
    """Return the posterior with the intervals of TOLD, each with what may be wrong with it, of the first draws."""
    unit, back = np.unique(towers.unit[:TELLING], axis=0, return_inverse=True)
    of = Emulated(emulator, unit, off)
    told: dict[str, Interval] = {}
    for name in TOLD:
        mean, wrong = of.at(EVERY[name]).mean[back], of.wrong(EVERY[name])[back]
        told[name] = interval(SUMMARIES[name].back(mean + wrong * rng.normal(size=len(back))))
    return replace(towers, told=told)
