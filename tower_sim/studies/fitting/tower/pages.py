"""The result of checking a tower's surrogate: what is asked of it, and the report with plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.report import Chart, Panel, Report, Section, Table, charts
from tower_sim.results import INSIDE, OUT, Array, Estimate, Estimates, Results, show
from tower_sim.studies.fitting.compared import HEAD, SideBySide, overview, pair
from tower_sim.studies.fitting.tower.knocks import KnockMeans
from tower_sim.studies.fitting.tower.whole_games import (
    ACCURACY_BELOW,
    ACCURACY_STRETCH,
    ENOUGH,
    FOLDS,
    POWER,
    SHIFT,
    Classification,
)
from tower_sim.surrogate import RungScore

NORMAL = 1.959964  # standard errors in half a 95 % interval
PASSES, FAILS, UNDECIDED = "passes", "does not pass", "is undecided"
WITHIN = {INSIDE.title: 0.3, OUT.title: 0.1}  # cubes: how close the means of a good surrogate must be
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class TowerCheck:
    """The results of checking a surrogate on `drops` drops of `games` held-out games, and `played` of its own.

    `fans` has QUANTILES of the number inside after each drop, shape (5, drops): of physics, then of the surrogate.
    `engines` is a sentence if the engines differ.
    """

    model: str
    data: str
    drops: int
    games: int
    played: int
    scores: Sequence[RungScore]
    figures: Sequence[SideBySide]
    fans: Sequence[Array]
    answers: Classification
    power: Estimate | None = None
    engines: str = ""
    knocks: Sequence[KnockMeans] = ()

    @property
    def means(self) -> list[SideBySide]:
        """The figures whose difference has a limit."""
        return [figure for figure in self.figures if figure.name in WITHIN]


def find_fan(games: Results) -> Array:
    """Return QUANTILES of the number inside after each drop, shape (5, drops)."""
    return np.quantile(games.each_colour("inside").sum(-1), QUANTILES, axis=0)


@dataclass(frozen=True)
class Claim:
    """One requirement on a surrogate, its `verdict` (PASSES, FAILS or UNDECIDED), and a sentence why."""

    name: str
    verdict: str
    why: str


def claims(check: TowerCheck) -> tuple[Claim, ...]:
    """Return all requirements on a surrogate, each with its verdict."""
    requirements = [_classifier(check.answers), _figures(check), *map(_mean, check.means)]
    if check.power is not None:
        requirements.append(_power(check.power, min(check.games, ENOUGH)))
    return (*requirements, *map(_knock, check.knocks))


def headline(check: TowerCheck) -> str:
    """Return a sentence with the number of requirements passed, and the others by name."""
    requirements = claims(check)
    parts = [f"{len([claim for claim in requirements if claim.verdict == PASSES])} of {len(requirements)} passed"]
    for verdict, words in ((FAILS, "not passed"), (UNDECIDED, "undecided")):
        names = [claim.name for claim in requirements if claim.verdict == verdict]
        parts += [f"{words}: {', '.join(names)}"] if names else []
    return "; ".join(parts) + "."


def report(check: TowerCheck) -> Report:
    """Return the report on a check."""
    says = [
        headline(check),
        f"Against {check.data}: {check.drops} drops of {check.games} held-out games. Whole games: "
        f"{check.games} with physics, {check.played} free-running with the surrogate. Differences "
        "are surrogate minus physics; intervals are of 95 %, by game.",
        *([check.engines] if check.engines else []),
    ]
    rows = [[claim.name, claim.verdict, claim.why] for claim in claims(check)]
    weakest = "\n".join(["Where it is weakest:", "", *(f"- {line}" for line in _weakest(check))])
    verdict = Section(
        "Verdict", "", Table("verdict", ["asked", "verdict", "found"], rows), parts=[Section("", weakest)]
    )
    return Report(f"Check of {check.model}", says, [verdict, _drops(check), _whole(check), _classifier_section(check)])


# Verdicts


def _classifier(answers: Classification) -> Claim:
    accuracy = show(answers.accuracy)
    verdict = PASSES if answers.accuracy.high < ACCURACY_BELOW else FAILS if answers.differs else UNDECIDED
    why = f"accuracy {accuracy} on games not seen, {answers.games} against {answers.games}, p = {answers.p:.2g}"
    if answers.accuracy.high < ACCURACY_STRETCH:
        why += f"; also under {ACCURACY_STRETCH:g}"
    if answers.games < ENOUGH:
        verdict = FAILS if verdict == FAILS else UNDECIDED
        why += f"; {ENOUGH} games a side or more are asked"
    return Claim(f"classifier: upper end of the accuracy under {ACCURACY_BELOW:g}", verdict, why)


def _figures(check: TowerCheck) -> Claim:
    flagged = [figure for figure in check.figures if figure.differs]
    why = "; ".join(f"{_size(figure)}, p by Holm {figure.holm:.2g}" for figure in flagged)
    if not flagged:
        least = min(check.figures, key=lambda figure: figure.p)
        why = f"the smallest corrected p is {least.holm:.2g} ({least.name})"
    n = f", {check.answers.games} against {check.answers.games} games"
    name = f"whole games: none of {len(check.figures)} figures differs beyond chance"
    return Claim(name, FAILS if flagged else PASSES, why + n)


def _mean(mean: SideBySide) -> Claim:
    within = WITHIN[mean.name]
    physics, surrogate, difference = (side.at(0) for side in (mean.physics, mean.surrogate, mean.difference))
    low, high = difference.low, difference.high
    verdict = PASSES if -within < low and high < within else FAILS if low >= within or high <= -within else UNDECIDED
    why = f"{_sign(show(difference))} cubes; physics {show(physics)}, surrogate {show(surrogate)}"
    needed = count_needed(physics, within)
    if verdict == UNDECIDED and physics.n < needed:
        why += f"; {physics.n} physics games are too few to say, {needed} or more are needed"
    return Claim(f"{mean.name}: within {within:g} cubes", verdict, why)


def count_needed(physics: Estimate, within: float) -> int:
    """Return roughly how many games give an interval of the mean within `within`."""
    return math.ceil(physics.n * ((physics.high - physics.low) / 2 / within) ** 2)


def _power(power: Estimate, games: int) -> Claim:
    hits = round(power.value * power.n)
    why = f"flagged in {hits} of {power.n} trials, {show(power)}, {games} games a side"
    trials = f"{100 * POWER:.0f} % of trials"
    name = f"classifier: flags {SHIFT:+g} in every thrown cube's chance of release in {trials}"
    return Claim(name, PASSES if power.value >= POWER else FAILS, why)


def _knock(mean: KnockMeans) -> Claim:
    verdict = PASSES if abs(mean.surrogate - mean.physics) <= 2 * mean.error else FAILS
    why = f"physics {mean.physics:.3f}, surrogate {mean.surrogate:.3f}, standard error {mean.error:.3f}"
    return Claim(f"{mean.name}: within 2 standard errors", verdict, f"{why}, {mean.states} states")


def _weakest(check: TowerCheck) -> list[str]:
    far = min(check.figures, key=lambda figure: figure.p)
    beyond = "beyond chance" if far.differs else "not beyond chance"
    best, largest = check.answers.different, float(np.sqrt(2 * np.log(2 * check.answers.features)))
    return [
        f"whole games: {_size(far)}, {beyond}",
        f"games: the feature that differs most of {check.answers.features} is {best.cells[0]!r}, by "
        f"{_sign(show(best.difference.at(0, 0)))}, {NORMAL * best.clearness[0]:.1f} standard errors (the largest of so "
        f"many is about {largest:.1f} or less by chance)",
    ]


def _size(figure: SideBySide) -> str:
    i = figure.farthest
    name = ", ".join(filter(None, [figure.name, figure.cells[i]]))
    return f"{name} {_sign(show(figure.difference.at(i, 0)))} {figure.unit}".rstrip()


def _sign(words: str) -> str:
    return words if words.startswith(("-", "0 ")) else f"+{words}"


def _normal(value: float, error: float, n: int) -> Estimate:
    return Estimate(value, value - NORMAL * error, value + NORMAL * error, n)


# Sections


def score_table(scores: Sequence[RungScore], drops: int = 0) -> Table:
    """Return the table of log scores of rungs, and of their gains over the first."""
    rungs = [
        [rung.title, _normal(rung.score, rung.se, drops), _normal(rung.gain, rung.gain_se, drops)] for rung in scores
    ]
    return Table("log_scores", ["rung", "log score [nats]", "gain [nats]"], rungs)


def _drops(check: TowerCheck) -> Section:
    return Section(
        "Single drops",
        "Log score: the logarithm of the chance that a rung gave to what came out, a drop (nats); the gain is over "
        "the first rung.",
        score_table(check.scores, check.drops),
        _ladder(check),
    )


def _whole(check: TowerCheck) -> Section:
    pictures = [_fans(check)]
    if memories := [pair(figure) for figure in check.figures if figure.name.startswith("autocorrelation")]:
        pictures.append(Chart("autocorrelation", "Autocorrelation by lag", memories, foot=True))
    return overview(
        "Whole games",
        f"{check.answers.games} games of each model are tested, {check.games} and {check.played} have the intervals. "
        "Numbers of cubes, colours and points are tested by phase, by the energy distance of their distributions "
        "(Szekely and Rizzo, 2013). ",
        check.figures,
        [Section("", chart=picture) for picture in pictures],
    )


def _classifier_section(check: TowerCheck) -> Section:
    x = check.answers
    rows = [x.different.row(i)[1:] for i in range(len(x.different.cells))]
    return Section(
        "A classifier",
        f"Gradient-boosted trees saw {x.features} features of {x.games} games of each model and told the model "
        f"of games they had not seen, in {FOLDS} folds of whole games: right in {show(x.accuracy)}, p = "
        f"{x.p:.2g} by tossing coins. The interval allows for folds that share most of their games. "
        f"{'They are told apart.' if x.differs else 'They are not told apart at 5 %.'}\n\n"
        "The features whose means differ most, not corrected for their number:",
        Table("features", ["feature", *HEAD[2:]], rows),
    )


# Charts


def _ladder(check: TowerCheck) -> Chart:
    gains = Estimates.of(_normal(rung.gain, rung.gain_se, check.drops) for rung in check.scores)
    marks = [charts.bars(np.arange(len(gains)), gains, width=0.6, across=True), charts.level(0, upright=True)]
    title = f"n = {check.drops} drops of {check.games} held-out games, 95 % intervals by game"
    names = [rung.title for rung in check.scores]
    panel = Panel("log score over the first rung [nats a drop]", "", marks, title, names, across=True)
    return Chart("log_scores", "Log score gained by rung", [panel], 0.9 + 0.25 * len(gains))


def _fans(check: TowerCheck) -> Chart:
    x = np.arange(len(check.fans[0][0]))
    outer = f"{100 * (QUANTILES[-1] - QUANTILES[0]):.0f} %"
    marks: list[charts.Draw] = []
    for role, (quantiles, name, n) in enumerate(
        zip(check.fans, ("physics", "surrogate"), (check.games, check.played), strict=True)
    ):
        marks.append(charts.band(x, quantiles[0], quantiles[-1], f"{name}, n = {n} games: {outer}", 3 * role))
        marks.append(charts.points(x, quantiles[2], f"{name}: median", role))
    panel = Panel("drop (0: set-up)", "inside after the drop [cubes]", marks, floor=True)
    return Chart("inside", "Quantiles of the number inside by drop", [panel], 3.2, foot=True)
