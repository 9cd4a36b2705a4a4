"""What a calibration tells: the numbers that the data inform, what trades off, and what to be warned of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from tower_sim.calibration.evidence import GAMES, PHASE, Evidence
from tower_sim.calibration.fit import LEVEL, Interval, PredictiveCheck, interval
from tower_sim.calibration.parameters import NUMBERS, Parameter, readings
from tower_sim.calibration.result import Calibration, ConfirmedSummary
from tower_sim.calibration.summaries import DROPS, EVERY, SETUP, SUMMARIES, Array, Window
from tower_sim.statistics import chi2_tail

NARROWER = 0.9  # posterior over prior width, below which the data inform a number
MOVED = 0.1  # of the prior's limits, by which its median has moved where they inform it too
NAMED = 0.2  # a correlation that is worth naming
EDGE, PILED = 0.1, 0.3  # an end of a number's limits; the share of draws there from which they press against it
FEW = 40  # effective towers, below which intervals are rough
LOST = 0.01  # share of games that never ended, from which it is worth a warning
CHANCE = 0.05  # of a warning where all is well, for a count of misses
ODD = 0.05  # place of an observation in what is predicted, from either end, that needs a word
PERCENT = f"{100 * LEVEL:.0f} %"
SHORT = {
    "setup": "set-up",
    "inside": "inside",
    "out": "out",
    "own": "own colour",
    "spread": "spread",
    "turn": "turn",
    "colours": "colours",
    "single": "one colour",
    "many": "three or more",
    "points": "action points",
    "old": "old cubes out",
}
UNITS = {"turn": "ratio", "colours": "colours", "points": "points"}  # of summaries
IN_CUBES = ("setup", "inside", "out", "spread", "old")  # all others are shares
KEPT = {"setup": "inside after the set-up", "inside": "inside in play", "out": "out in a phase"}


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the data tell of a free number: its intervals of the prior and the posterior, in its own unit.

    `ratio` is of their widths, `moved` how far the median has moved, as a share of the prior's limits.
    """

    parameter: Parameter
    prior: Interval
    posterior: Interval
    ratio: float
    moved: float

    @property
    def informed(self) -> bool:
        """Whether the interval is narrower than NARROWER of the prior's, or the median moved by more than MOVED."""
        return self.ratio < NARROWER or abs(self.moved) > MOVED


@dataclass(frozen=True, slots=True)
class Correlations:
    """Draws, shape (draws, numbers), in their units, and their correlations `r`; NaN: one is fixed.

    `error` is the standard error of an r near 0, from the effective number of draws.
    """

    draws: Array
    r: Array
    error: float

    @property
    def least(self) -> float:
        """The |r| from which a correlation is named: NAMED, or 3 standard errors where these are more, at most 1."""
        return min(max(NAMED, 3 * self.error), 1.0)


@dataclass(frozen=True, slots=True)
class Simulated:
    """Means of a simulated tower by target, in cubes: one standard error below, the mean, one above."""

    means: Mapping[str, tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class ObservedTarget:
    """An observed value of a target, in cubes; `whole`: a mean over whole games, not of one phase or a part."""

    target: str
    value: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Singles:
    """How many single games of the chosen tower, `inside` of `games`, keep at the set-up what `span` predicts.

    `check`: the observation whose predictive interval it is; None: the posterior's of the long-run mean.
    """

    inside: int
    games: int
    span: Interval
    check: PredictiveCheck | None


def title(name: str) -> str:
    """Return a free number's name for people."""
    return name.replace("_", " ")


def learnt(calibration: Calibration) -> list[Learnt]:
    """Return what the data tell of each free number."""
    numbers: list[Learnt] = []
    before, after = (readings(each.unit) for each in (calibration.fit.prior, calibration.fit.posterior))
    for i, number in enumerate(NUMBERS):
        prior, posterior = interval(before[:, i]), interval(after[:, i])
        moved = (posterior.middle - prior.middle) / (number.high - number.low)
        numbers.append(Learnt(number, prior, posterior, posterior.width / prior.width, moved))
    return numbers


def pairs(calibration: Calibration) -> Correlations:
    """Return the posterior's draws and their correlations."""
    posterior = calibration.fit.posterior
    draws = readings(posterior.unit)
    moves = np.ptp(draws, axis=0) > 0
    r = np.full((len(NUMBERS), len(NUMBERS)), np.nan)
    if moves.any():
        r[np.ix_(moves, moves)] = np.corrcoef(draws[:, moves].T)
    sample = max(min(len(draws), posterior.effective), 1.0)
    return Correlations(draws, r, 1 / sample**0.5)


def simulated(compared: Sequence[ConfirmedSummary]) -> Simulated:
    """Return a confirmed tower's means, brought back from the scale of the fit."""
    means: dict[str, tuple[float, float, float]] = {}
    for one in compared:
        back = SUMMARIES[one.summary].back
        low, mean, high = (float(back(one.simulated + side * one.se)) for side in (-1, 0, 1))
        means[one.summary] = (low, mean, high)
    return Simulated(means)


def chosen(calibration: Calibration) -> Simulated:
    """Return the chosen tower's means."""
    means = calibration.chosen.simulated
    return Simulated({name: (x.mean - x.se, x.mean, x.mean + x.se) for name, x in means.items()})


def observed(calibration: Calibration) -> list[ObservedTarget]:
    """Return what was observed of the targets."""
    values: list[ObservedTarget] = []
    for entry in calibration.fit.evidence:
        for window, value in zip(entry.windows, entry.values, strict=True):
            whole = window == EVERY[window.summary] and entry.noise == GAMES
            values.append(ObservedTarget(window.summary, float(SUMMARIES[window.summary].back(value)), whole))
    return values


def singles(calibration: Calibration) -> Singles:
    """Count the single games of the chosen tower whose set-up is as predicted.

    The interval is that of an observed set-up of one game, else of the mean of several, else of the long-run mean.
    """
    fit, values = calibration.fit, np.array(calibration.chosen.single.get("setup", ()))
    of_setup = [check for check in fit.predictive if check.window == SETUP]
    of_setup.sort(key=lambda check: games_of(check, fit.evidence) or 0)
    span = of_setup[0].predicted if of_setup else fit.posterior.interval("setup")
    inside = int(((values >= span.low) & (values <= span.high)).sum())
    return Singles(inside, len(values), span, of_setup[0] if of_setup else None)


def entry_of(check: PredictiveCheck, evidence: Sequence[Evidence]) -> int | None:
    """Return the number, from 1, of the evidence that a check is about; None where it is about none of these."""
    back = SUMMARIES[check.window.summary].back
    for i, entry in enumerate(evidence, start=1):
        for window, value in zip(entry.windows, entry.values, strict=True):
            if (entry.name, window) == (check.name, check.window) and np.isclose(float(back(value)), check.observed):
                return i
    return None


def games_of(check: PredictiveCheck, evidence: Sequence[Evidence]) -> int | None:
    """Return over how many games an observed value is a mean; None where it is words, one phase, or not known."""
    number = entry_of(check, evidence)
    return evidence[number - 1].games if number and evidence[number - 1].noise == GAMES else None


def within(check: PredictiveCheck) -> bool:
    """Return whether the observed value lies in its predictive interval."""
    return check.predicted.low <= check.observed <= check.predicted.high


def summary_of(window: Window) -> str:
    """Return the short name of what a window sums up, with its phases where they are a part of a game."""
    part = "" if window in (EVERY.get(window.summary), SETUP) else f", {phases(window)}"
    return SHORT.get(window.summary, SUMMARIES[window.summary].words) + part


def what(check: PredictiveCheck, evidence: Sequence[Evidence]) -> str:
    """Return the short name of what a check is about."""
    number = entry_of(check, evidence)
    entry = evidence[number - 1] if number else None
    if entry is None or entry.noise != PHASE:
        return summary_of(check.window)
    return f"{summary_of(check.window)} of {'one phase' if entry.games == 1 else f'{entry.games} phases'}"


def unit_of(window: Window) -> str:
    """Return the unit of what a window sums up."""
    return UNITS.get(window.summary, "cubes" if window.summary in IN_CUBES else "share")


def phases(window: Window) -> str:
    """Return the phases of a game that a window is about, in words."""
    if window.stop <= 1:
        return "the set-up"
    return f"phases {max(window.start, 1)} to {min(window.stop, DROPS) - 1}"


def scores(calibration: Calibration) -> Array:
    """Return how many standard errors each simulated summary lies from the emulator's, shape (summaries,)."""
    z = np.array([compared.z for tower in calibration.confirmed for compared in tower.compared])
    return z[np.isfinite(z)]


def rms(values: Array) -> float:
    """Return the root mean square of `values`."""
    return float(np.sqrt((values**2).mean()))


def pressed(calibration: Calibration) -> dict[tuple[str, str], float]:
    """Return the ends of limits at which draws pile up (number, `lowest` or `highest`), with the share of draws."""
    unit = calibration.fit.posterior.unit
    ends: dict[tuple[str, str], float] = {}
    for i, number in enumerate(NUMBERS):
        for end, there in (("lowest", unit[:, i] < EDGE), ("highest", unit[:, i] > 1 - EDGE)):
            if there.mean() > PILED:
                ends[number.name, end] = float(there.mean())
    return ends


def warnings(calibration: Calibration) -> list[str]:
    """Return what a reader should be warned of, the gravest first; there is always one."""
    fit, budget = calibration.fit, calibration.budget
    told: list[str] = []
    if fit.posterior.effective < FEW:
        told.append(
            f"The posterior rests on an effective {fit.posterior.effective:.0f} towers that were played; it is rough."
        )
    outside = [check for check in fit.predictive if not within(check)]
    if outside:
        names = "; ".join(f"{check.name} ({summary_of(check.window)})" for check in outside)
        told.append(f"The fit does not explain {len(outside)} of the {len(fit.predictive)} values fitted: {names}.")
    against = [clue for clue in fit.clues if clue.chance < ODD]
    if against:
        names = "; ".join(f"{clue.name} ({clue.says})" for clue in against)
        told.append(f"The fit contradicts {len(against)} of {len(fit.clues)} clues: {names}.")
    missed = sum(not within(check) for check in fit.held_out)
    if missed and stats.binom.sf(missed - 1, len(fit.held_out), 1 - LEVEL) < CHANCE:
        told.append(
            f"{missed} of {len(fit.held_out)} held-out values lie outside their {PERCENT} intervals, more than chance."
        )
    told += _of_games(calibration)
    if budget.unfinished > LOST * budget.games:
        told.append(f"{budget.unfinished} of {budget.games} games never ended; the others may not be like them.")
    kinds = {entry.kind for entry in fit.evidence}
    if "measurement" not in kinds:
        seen = "a few photographs, and on others' examples" if "photograph" in kinds else "others' examples, pictures"
        told.append(f"Nothing here was measured: the fit rests on {seen} or words.")
    for (name, end), share in pressed(calibration).items():
        told.append(
            f"{100 * share:.0f} % of the draws of the {title(name)} lie in the {end} tenth of its limits, so "
            "these decide the fit too."
        )
    told.append(
        "How far the simulation is off a real tower is assumed: about what other physics moves it by (section 8)."
    )
    return told


def _of_games(calibration: Calibration) -> list[str]:
    """Warn of simulated games that are not as predicted."""
    told: list[str] = []
    z = scores(calibration)
    if len(z) and chi2_tail(len(z), float((z**2).sum())) < 0.001:
        told.append(
            f"Simulated games miss the emulator by {rms(z):.2g} standard errors (root mean square of {len(z)}; 1 is "
            "expected)."
        )
    for target, mean in calibration.chosen.simulated.items():
        span = calibration.fit.posterior.interval(target)
        if not span.low <= mean.mean <= span.high:
            told.append(
                f"The chosen tower has {mean.mean:.1f} cubes {KEPT[target]} (mean of {mean.games} games, standard "
                f"error {mean.se:.2f}), outside the predicted {span.low:.1f} to {span.high:.1f}."
            )
    return told
