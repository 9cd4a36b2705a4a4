"""The fit: which towers of the prior agree with the evidence, and what such a tower will do next.

For a tower with the free numbers x, a summary over games is normal about m(x) + d: m is the emulator's mean, d what is
wrong with it, the simulation's discrepancy from every real tower and the emulator's own error. d is the same for the
evidence and for what the tower does next. Points drawn from the prior are weighted by their likelihood. Sources:
Kennedy and O'Hagan, Journal of the Royal Statistical Society B 63 (2001) 425; for importance sampling, Owen, Monte
Carlo theory, methods and examples, 2013, chapter 9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc

from calibration.emulator import Emulator
from calibration.evidence import GAMES, PHASE, Evidence, check_amount
from calibration.parameters import NUMBERS, PATTERNS
from calibration.summaries import CUBES, SUMMARIES, WHOLE, Array, Window, expit

LEVEL = 0.90  # of all intervals
TARGETS = ("setup", "inside", "out")  # what a fit predicts: long-run means over whole games
SAMPLE = 2**13  # points of the prior for each pattern
DRAWS = 4000  # of the posterior


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """How far the simulation may be off a real tower of the same shape, as standard deviations. [A]

    `inside`: in log odds, of the set-up and in play, correlated by `together`; 0.2 is 2.5 of 49 cubes where half stay
    inside, the size of what contact law and engine move the count (docs/calibration.md). What comes out follows from
    what stays, but for `flow` (in logarithm). `own` in log odds, `spread` in logarithm.
    """

    inside: float = 0.20
    together: float = 0.8
    flow: float = 0.03
    own: float = 0.20
    spread: float = 0.10

    def covariance(self, names: Sequence[str], inside: Array, errors: Array) -> Array:
        """Return the covariance of what is wrong with the summaries `names`, shape (S, n, n).

        For towers that keep `inside` cubes (S), the emulator's `errors` (S, n) added; windows of one summary err alike.
        """
        share = np.clip(inside / CUBES, 0.0, 1.0)
        error = {name: errors[:, i] for i, name in enumerate(names)}
        common = self.inside * np.sqrt(self.together)
        alone = self.inside * np.sqrt(1 - self.together)
        load = np.zeros((len(inside), len(names), 1 + len(SUMMARIES)))
        column = {name: 1 + i for i, name in enumerate(SUMMARIES)}
        for i, name in enumerate(names):
            if name in ("setup", "inside"):
                load[:, i, 0] = common
                load[:, i, column[name]] = np.hypot(alone, error[name])
            elif name == "out":  # in the long run a seventh of the cubes outside: d log(49 - inside) = -share d logit
                load[:, i, 0] = -share * common
                load[:, i, column["inside"]] = -share * np.hypot(alone, error["inside"])
                load[:, i, column["out"]] = np.hypot(self.flow, error["out"])
            else:
                load[:, i, column[name]] = np.hypot(self.own if name == "own" else self.spread, error[name])
        return load @ load.transpose(0, 2, 1)


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
class Posterior:
    """DRAWS towers that agree with the evidence: `pattern`, `unit`, and the long-run means `targets` of each, in cubes.

    `effective` is the effective number of prior points behind them, `fit` the log of the mean likelihood.
    """

    pattern: np.ndarray
    unit: Array
    targets: dict[str, Array]
    effective: float
    fit: float

    @property
    def digest(self) -> str:
        """The SHA-256 of the draws, in hexadecimal."""
        words = hashlib.sha256()
        for array in (self.pattern, self.unit, *self.targets.values()):
            words.update(np.ascontiguousarray(array).tobytes())
        return words.hexdigest()

    def interval(self, target: str) -> Interval:
        """The predictive interval of a long-run mean, in cubes."""
        return interval(self.targets[target])


@dataclass(frozen=True, slots=True)
class Fit:
    """The whole result: prior and posterior, and each value of the evidence beside what was predicted for it.

    `predictive` is conditional on all evidence (a new game of the same tower), `held_out` on all but that evidence.
    """

    evidence: tuple[Evidence, ...]
    discrepancy: Discrepancy
    prior: Posterior
    posterior: Posterior
    predictive: tuple[PredictiveCheck, ...]
    held_out: tuple[PredictiveCheck, ...]


def interval(draws: Array) -> Interval:
    """Return the middle LEVEL of `draws`."""
    low, middle, high = np.quantile(draws, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return Interval(float(low), float(middle), float(high))


class _Law:
    """The joint normal law of evidence and targets at each of S towers: `pattern` (S), `unit` (S, numbers)."""

    def __init__(
        self,
        emulator: Emulator,
        evidence: Sequence[Evidence],
        discrepancy: Discrepancy,
        pattern: Array,
        unit: Array,
        further: int = 0,
    ) -> None:
        self.pattern, self.unit = pattern, unit
        shared = [window for entry in evidence for window in entry.windows] + [WHOLE[name] for name in TARGETS]
        self._of = {window: emulator.at(window, self.pattern, self.unit) for window in {*shared, *WHOLE.values()}}
        inside = expit(self._of[WHOLE["inside"]].mean)
        self.mean = np.stack([self._of[window].mean for window in shared], 1)
        errors = np.stack([self._of[window].error for window in shared], 1)
        self.shared = discrepancy.covariance([window.summary for window in shared], inside, errors)
        self.values = np.array([value for entry in evidence for value in entry.values])
        self.noise = np.zeros_like(self.shared)
        first = 0
        for entry in evidence:
            block = slice(first, first := first + len(entry.windows))
            self.noise[:, block, block] = self._noise(emulator, entry)
        for i, name in enumerate(TARGETS, start=first):
            self.noise[:, i, i] = self._of[WHOLE[name]].games ** 2 / further if further else 0.0

    def _noise(self, emulator: Emulator, entry: Evidence) -> Array:
        if entry.noise == GAMES:
            sd = np.stack([self._of[window].games for window in entry.windows], 1)
            correlation = emulator.correlation(entry.windows)
            return correlation * sd[:, :, None] * sd[:, None, :] * entry.doubt / entry.games
        if entry.noise == PHASE:  # one phase varies about the mean by the spread over phases
            ratio = np.exp(self._of[WHOLE["spread"]].mean - self._of[WHOLE["out"]].mean)
            variance = ratio**2 + self._of[WHOLE["out"]].games ** 2
        else:
            variance = np.full(len(self.unit), entry.said**2)
        return (variance * entry.doubt)[:, None, None]

    def weigh(self, keep: Array, rng: np.random.Generator) -> _Drawn:
        """Weight the points by their likelihood of the values `keep` (their numbers), and draw among them."""
        miss = self.values[keep] - self.mean[:, keep]
        root = np.linalg.cholesky(_part(self.shared + self.noise, keep, keep))
        white = np.linalg.solve(root, miss[..., None])[..., 0]
        scores = -0.5 * (white**2 + np.log(2 * np.pi)).sum(1) - np.log(np.diagonal(root, axis1=1, axis2=2)).sum(1)
        top = float(scores.max())
        weight = np.exp(scores - top)
        fit = top + float(np.log(weight.mean()))
        weight /= weight.sum()
        return _Drawn(keep, rng.choice(len(weight), DRAWS, p=weight), float(1 / (weight**2).sum()), fit)

    def draw(self, drawn: _Drawn, predict: Array, rng: np.random.Generator, fresh: bool = False) -> Array:
        """Draw the values or targets `predict` (their numbers), shape (draws, predict), given what drew the points.

        `fresh`: in other games of the same tower, with noise of their own.
        """
        at, keep = drawn.points, drawn.keep
        shared, both = self.shared[at], self.shared[at] + self.noise[at]
        cross = _part(shared if fresh else both, predict, keep)
        gain = np.linalg.solve(_part(both, keep, keep), cross.transpose(0, 2, 1)).transpose(0, 2, 1)
        miss = self.values[keep] - self.mean[at][:, keep]
        mean = self.mean[at][:, predict] + (gain @ miss[..., None])[..., 0]
        covariance = _part(both, predict, predict) - gain @ cross.transpose(0, 2, 1) + 1e-9 * np.eye(len(predict))
        return mean + (np.linalg.cholesky(covariance) @ rng.normal(size=(*mean.shape, 1)))[..., 0]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Points drawn given the values `keep`, their effective number, the log of the mean likelihood."""

    keep: Array
    points: Array
    effective: float
    fit: float


def _part(matrices: Array, rows: Array, columns: Array) -> Array:
    return matrices[:, rows[:, None], columns]


def _prior(sample: int) -> tuple[np.ndarray, Array]:
    """Return `sample` points for each pattern: a Sobol sequence, always the same."""
    sobol: Any = qmc.Sobol
    unit: Array = sobol(len(NUMBERS), seed=np.random.default_rng(0)).random(sample)
    return np.repeat(np.arange(len(PATTERNS)), sample), np.tile(unit, (len(PATTERNS), 1))


def fit(
    emulator: Emulator,
    evidence: Sequence[Evidence],
    rng: np.random.Generator,
    discrepancy: Discrepancy | None = None,
    sample: int = SAMPLE,
    checks: bool = True,
    further: int = 0,
) -> Fit:
    """Fit the tower to `evidence`. Random, from `rng`: the draws from the posterior.

    The evidence's `held` windows are not used for the posterior, but predicted from the rest. Without `checks` neither
    predictive nor held-out checks are made. The targets are means over `further` more games of the same tower, or, with
    0, in the long run. Raises UsageError for more values than MOST_VALUES.
    """
    check_amount(evidence)
    discrepancy = discrepancy or Discrepancy()
    law = _Law(emulator, evidence, discrepancy, *_prior(sample), further)
    owner = [entry for entry in evidence for _ in entry.windows]
    window = [window for entry in evidence for window in entry.windows]
    block = np.array([i for i, entry in enumerate(evidence) for _ in entry.windows])
    held = np.array([flag for entry in evidence for flag in (entry.held or (False,) * len(entry.windows))], bool)
    every = np.arange(len(window))
    keep = every[~held]
    drawn = law.weigh(keep, rng)
    predictive: list[PredictiveCheck] = []
    held_out: list[PredictiveCheck] = []
    if checks:
        again = law.draw(drawn, keep, rng, fresh=True)
        predictive = [_check(owner[i], window[i], law.values[i], again[:, k]) for k, i in enumerate(keep)]
        for i in np.unique(block):
            out = every[(block == i) & held] if held.any() else every[block == i]
            if not len(out):
                continue
            draws = law.draw(law.weigh(np.setdiff1d(keep, out), rng), out, rng)
            held_out += [_check(owner[j], window[j], law.values[j], draws[:, k]) for k, j in enumerate(out)]
    prior = _posterior(law, law.weigh(keep[:0], rng), rng)
    return Fit(tuple(evidence), discrepancy, prior, _posterior(law, drawn, rng), tuple(predictive), tuple(held_out))


def misfit(emulator: Emulator, evidence: Sequence[Evidence], fitted: Fit, pattern: Array, unit: Array) -> Array:
    """Return, shape (S,), how far towers are from the evidence and, a tenth as much, from the prediction's middle.

    Squared Mahalanobis distances of what the simulation alone gives, in the mean covariance over these towers, so that
    one that varies much is not preferred; the emulator's error counts as distance.
    """
    law = _Law(emulator, evidence, fitted.discrepancy, pattern, unit)
    number = len(law.values)
    precision = np.linalg.inv((law.shared + law.noise)[:, :number, :number].mean(0))
    miss = law.values - law.mean[:, :number]
    distance: Array = ((miss @ precision) * miss).sum(1)
    for target in TARGETS:
        draws = SUMMARIES[target].scale(fitted.posterior.targets[target])
        at = emulator.at(WHOLE[target], pattern, unit)
        distance += (0.1 * (at.mean - np.median(draws)) ** 2 + at.error**2) / np.var(draws)
    return distance


def _posterior(law: _Law, drawn: _Drawn, rng: np.random.Generator) -> Posterior:
    draws = law.draw(drawn, len(law.values) + np.arange(len(TARGETS)), rng)
    targets = {name: SUMMARIES[name].back(draws[:, i]) for i, name in enumerate(TARGETS)}
    return Posterior(law.pattern[drawn.points], law.unit[drawn.points], targets, drawn.effective, drawn.fit)


def _check(evidence: Evidence, window: Window, value: Any, draws: Array) -> PredictiveCheck:
    back = SUMMARIES[window.summary].back
    tail = float((draws < value).mean())
    return PredictiveCheck(evidence.name, window, float(back(value)), interval(back(draws)), tail)
