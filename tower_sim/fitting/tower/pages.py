"""The result of checking a tower's surrogate, as text and as a report with plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tower_sim.fitting.numerics import LEVEL
from tower_sim.fitting.tower.distances import Distance
from tower_sim.fitting.tower.knocks import KnockMeans
from tower_sim.fitting.tower.whole_games import (
    ACCURACY_BELOW,
    ACCURACY_STRETCH,
    ENOUGH,
    FOLDS,
    POWER,
    QUANTILES,
    SHIFT,
    Autocorrelation,
    Classification,
    ComparedMean,
    Power,
    WholeGames,
)
from tower_sim.report import Chart, Panel, Report, Rows, Section, Table, charts
from tower_sim.results import Estimate, Estimates, show
from tower_sim.surrogate import RungScore

NORMAL = 1.959964  # standard errors in half a 95 % interval
_FARTHEST = 3.0  # times its quantile: the end of the axis of distances
PASSES, FAILS, UNDECIDED = "passes", "does not pass", "is undecided"


@dataclass(frozen=True, eq=False)
class TowerCheck:
    """The results of checking a surrogate on `drops` drops of `games` held-out games.

    `engines` is a sentence if the engines differ.
    """

    model: str
    data: str
    drops: int
    games: int
    scores: Sequence[RungScore]
    whole: WholeGames
    answers: Classification
    power: Power | None = None
    engines: str = ""
    knocks: Sequence[KnockMeans] = ()


@dataclass(frozen=True)
class Claim:
    """One requirement on a surrogate, its `verdict` (PASSES, FAILS or UNDECIDED), and a sentence why."""

    name: str
    verdict: str
    why: str


def claims(check: TowerCheck) -> tuple[Claim, ...]:
    """Return all requirements on a surrogate, each with its verdict."""
    requirements = [_classifier(check.answers), _distances(check.whole), *(_mean(mean) for mean in check.whole.means)]
    if check.power is not None:
        requirements.append(_power(check.power))
    return (*requirements, *map(_knock, check.knocks))


def failure(check: TowerCheck) -> str:
    """Return why a surrogate should not replace physics; an empty text if there is no such reason.

    A surrogate fails if a mean is certainly too far from that of physics, or if at least two requirements do not pass
    and none passes [assumed: we did not measure how often this rejects a good surrogate]. Knocks are not considered.
    """
    check = replace(check, knocks=())
    off = [mean for mean in check.whole.means if mean.is_apart]
    verdicts = [claim.verdict for claim in claims(check)]
    if not off and (PASSES in verdicts or verdicts.count(FAILS) < 2):
        return ""
    means = "; ".join(
        f"{mean.name} {show(mean.physics)} with physics, {show(mean.surrogate)} with the surrogate"
        for mean in off or check.whole.means
    )
    passed = f"{verdicts.count(PASSES)} of {len(verdicts)} passed"
    return f"It failed its check on {check.games} games that it was not fitted to ({passed}): {means}."


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
        f"{check.whole.physics} with physics, {check.whole.surrogate} free-running with the surrogate. Differences "
        "are surrogate minus physics; intervals are of 95 %, by game.",
        *([check.engines] if check.engines else []),
    ]
    rows = [[claim.name, claim.verdict, claim.why] for claim in claims(check)]
    weakest = "\n".join(["Where it is weakest:", "", *(f"- {line}" for line in _weakest(check))])
    verdict = Section(
        "Verdict", "", Table("verdict", ["asked", "verdict", "found"], rows), parts=[Section("", weakest)]
    )
    return Report(
        f"Check of {check.model}", says, [verdict, _drops(check), _whole(check.whole), _classifier_section(check)]
    )


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


def _distances(whole: WholeGames) -> Claim:
    flagged = [distance for distance in whole.distances if distance.is_seen]
    why = "; ".join(f"{d.name} is {d.value:.3g}, quantile {d.quantile:.3g} ({_size(d)})" for d in flagged)
    if not flagged:
        least = min(whole.distances, key=lambda distance: distance.p)
        why = f"the smallest corrected p is {least.adjusted:.2g} ({least.name})"
    n = f", {whole.compared} against {whole.compared} games"
    name = f"whole games: {len(whole.distances)} distances under their corrected 95 % quantiles"
    return Claim(name, FAILS if flagged else PASSES, why + n)


def _mean(mean: ComparedMean) -> Claim:
    verdict = PASSES if mean.is_close else FAILS if mean.is_apart else UNDECIDED
    why = f"{_sign(show(mean.difference))} cubes; physics {show(mean.physics)}, surrogate {show(mean.surrogate)}"
    if verdict == UNDECIDED and mean.physics.n < mean.needed:
        why += f"; {mean.physics.n} physics games are too few to say, {mean.needed} or more are needed"
    return Claim(f"{mean.name}: within {mean.within:g} cubes", verdict, why)


def _power(power: Power) -> Claim:
    why = f"flagged in {power.hits} of {power.trials} trials, {show(power.rate)}, {power.games} games a side"
    requirements = f"{100 * POWER:.0f} % of trials"
    name = f"classifier: flags {SHIFT:+g} in every thrown cube's chance of release in {requirements}"
    return Claim(name, PASSES if power.rate.value >= POWER else FAILS, why)


def _knock(mean: KnockMeans) -> Claim:
    verdict = PASSES if abs(mean.surrogate - mean.physics) <= 2 * mean.error else FAILS
    why = f"physics {mean.physics:.3f}, surrogate {mean.surrogate:.3f}, standard error {mean.error:.3f}"
    return Claim(f"{mean.name}: within 2 standard errors", verdict, f"{why}, {mean.states} states")


def _weakest(check: TowerCheck) -> list[str]:
    far = max(check.whole.distances, key=lambda d: d.value / d.quantile if d.quantile > 0 else 0)
    beyond = "beyond chance" if far.is_seen else "not beyond chance"
    ratio = far.value / far.quantile if far.quantile > 0 else 0.0
    best = check.answers.different[0] if check.answers.different else None
    lines = [
        f"whole games: {far.name}, {ratio:.2f} of its corrected quantile, {beyond}; {_size(far)}",
    ]
    if best:
        largest = float(np.sqrt(2 * np.log(2 * check.answers.features)))  # of so many standard normal numbers, roughly
        lines.append(
            f"games: the feature that differs most of {check.answers.features} is {best.feature!r}, by "
            f"{_sign(show(best.difference))}, {abs(best.z):.1f} standard errors (the largest of so many is about "
            f"{largest:.1f} or less by chance)"
        )
    return lines


def _size(distance: Distance) -> str:
    return f"{_sign(show(distance.size))} {distance.unit}"


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
        Chart("log_scores", ladder(check.scores, check.drops, check.games), "Log score gained by rung"),
    )


def _whole(whole: WholeGames) -> Section:
    rows: Rows = [[d.name, d.value, d.quantile, d.single, d.p, d.adjusted, d.size, d.unit] for d in whole.distances]
    head = ["statistic", "distance", "corrected quantile", "95 % quantile", "p", "p by Holm", "difference", "of"]
    means: Rows = [[m.name, m.physics, m.surrogate, m.difference, m.within, m.needed] for m in whole.means]
    of = ["mean", "physics [cubes]", "surrogate [cubes]", "difference [cubes]", "asked within", "physics games needed"]
    lags = memories(whole.curves, whole.physics, whole.surrogate)
    return Section(
        "Whole games",
        f"Each distance is of {whole.compared} against {whole.compared} games, and held against {whole.permutations} "
        "exchanges of whole games between the sides. A distance of numbers by phase is the mean over phases of the "
        "energy distance (Szekely and Rizzo, 2013), in the units of the numbers; one of autocorrelations is the root "
        "mean square difference at lags 1 to 7 in standard errors. The quantiles are at the level that Holm's "
        f"procedure asks of each for {100 * LEVEL:.0f} % over all; the differences are of all games.",
        Table("distances", head, rows),
        Chart("distances", distances(whole.distances, whole.compared), "Distances and their quantiles"),
        [
            Section("", chart=Chart("inside", fans(whole), "Quantiles of the number inside by drop")),
            Section(
                "", table=Table("means", of, means), chart=Chart("autocorrelation", lags, "Autocorrelation by lag")
            ),
        ],
    )


def _classifier_section(check: TowerCheck) -> Section:
    x = check.answers
    power = ""
    if check.power is not None:
        claim = _power(check.power)
        power = f"\n\n{claim.name[0].upper()}{claim.name[1:]}: {claim.why}."
    rows = [[feature.feature, feature.difference, feature.z] for feature in x.different]
    return Section(
        "A classifier",
        f"Gradient-boosted trees saw {x.features} features of {x.games} games of each model and told the model "
        f"of games they had not seen, in {FOLDS} folds of whole games: right in {show(x.accuracy)}, p = "
        f"{x.p:.2g} by tossing coins. The interval allows for folds that share most of their games. "
        f"{'They are told apart.' if x.differs else 'They are not told apart at 5 %.'}{power}\n\n"
        "The features whose means differ most, not corrected for their number:",
        Table("features", ["feature", "difference", "standard errors"], rows),
    )


# Charts


def ladder(scores: Sequence[RungScore], drops: int, games: int) -> Any:
    """Draw the gain of each rung's log score over the first rung, with intervals by game."""
    gains = Estimates.of(_normal(rung.gain, rung.gain_se, drops) for rung in scores)
    marks = [charts.bars(np.arange(len(scores)), gains, width=0.6, across=True), charts.level(0, upright=True)]
    title = f"n = {drops} drops of {games} held-out games, 95 % intervals by game"
    names = [rung.title for rung in scores]
    panel = Panel("log score over the first rung [nats a drop]", "", marks, title, names, across=True)
    return charts.figure([panel], 0.9 + 0.25 * len(scores))


def fans(games: WholeGames) -> Any:
    """Draw quantiles of the number of cubes inside by drop, for both models."""
    x = np.arange(len(games.fans[0][0]))
    outer = f"{100 * (QUANTILES[-1] - QUANTILES[0]):.0f} %"
    marks: list[charts.Draw] = []
    for role, (quantiles, name, n) in enumerate(
        zip(games.fans, ("physics", "surrogate"), (games.physics, games.surrogate), strict=True)
    ):
        marks.append(charts.band(x, quantiles[0], quantiles[-1], f"{name}, n = {n} games: {outer}", 3 * role))
        marks.append(charts.points(x, quantiles[2], f"{name}: median", role))
    panel = Panel("drop (0: set-up)", "inside after the drop [cubes]", marks, floor=True)
    return charts.figure([panel], 3.2, foot=True)


def distances(statistics: Sequence[Distance], games: int) -> Any:
    """Draw each distance as a multiple of its corrected quantile."""
    ratios = np.array([d.value / d.quantile if d.quantile > 0 else 0.0 for d in statistics])
    names = [f"{d.name}, p = {d.adjusted:.2g}" for d in statistics]
    marks = [
        charts.bars(np.arange(len(statistics)), np.minimum(ratios, _FARTHEST), width=0.5, across=True),
        charts.level(1, "what chance alone would pass once in twenty reports", upright=True),
    ]
    title = f"n = {games} against {games} games"
    beyond = f" (drawn up to {_FARTHEST:g})" if (ratios > _FARTHEST).any() else ""
    x = f"distance / its corrected 95 % permutation quantile{beyond}"
    return charts.figure([Panel(x, "", marks, title, names, across=True)], 1.0 + 0.24 * len(statistics))


def memories(curves: Sequence[Autocorrelation], physics: int, surrogate: int) -> Any:
    """Draw both models' autocorrelations by lag."""
    panels: list[Panel] = []
    for curve in curves:
        lags = np.arange(1, len(curve.physics.value) + 1)
        marks = [
            charts.points(lags - 0.08, curve.physics, f"physics, n = {physics} games"),
            charts.points(lags + 0.08, curve.surrogate, f"surrogate, n = {surrogate} games", charts.RULE),
            charts.level(0),
        ]
        panels.append(Panel("lag [drops]", "autocorrelation", marks, curve.name))
    return charts.figure(panels, 2.7, foot=True)
