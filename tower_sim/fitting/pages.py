"""The check of a tower's surrogate, told: a verdict, then what it stands on, as text and as a report with plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tower_sim.fitting import plots
from tower_sim.fitting.classifier import (
    ACCURACY_BELOW,
    ACCURACY_STRETCH,
    ENOUGH,
    FOLDS,
    POWER,
    SHIFT,
    Power,
    Told,
)
from tower_sim.fitting.distances import LEVEL, Distance
from tower_sim.fitting.pit import Histogram, Reliability
from tower_sim.fitting.whole_games import ComparedMean, WholeGames
from tower_sim.statistics import Estimate
from tower_sim.study.sheets import Cell, Sheets, said
from tower_sim.surrogate.store import RungScore

PASSES, FAILS, UNDECIDED = "passes", "does not pass", "is undecided"


@dataclass(frozen=True, eq=False)
class TowerCheck:
    """All that was found of a surrogate on held-out games.

    `model` and `data` say what was checked against what; `scores` are over `drops` drops of `games` held-out games.
    `power` is None where it was not measured; `engines` a sentence where model and games are of different engines.
    """

    model: str
    data: str
    drops: int
    games: int
    scores: Sequence[RungScore]
    counts: Histogram
    reliability: Reliability
    whole: WholeGames
    told: Told
    power: Power | None = None
    engines: str = ""


@dataclass(frozen=True)
class Claim:
    """One thing asked of a surrogate: `verdict` is that it passes, does not pass or is undecided; `why` a sentence."""

    name: str
    verdict: str
    why: str


def claims(check: TowerCheck) -> tuple[Claim, ...]:
    """Return what is asked of a surrogate and whether this one keeps it."""
    asked = [_classifier(check.told), _distances(check.whole), *(_mean(mean) for mean in check.whole.means)]
    if check.power is not None:
        asked.append(_power(check.power))
    return tuple(asked)


def failure(check: TowerCheck) -> str:
    """Say why a surrogate is not to stand in for physics; empty where a mean is right, or nothing says otherwise.

    It is not where a mean does not pass, and where two things asked do not pass and none does [assumed: how often that
    accuses a sound one was not measured]. That single games can be told apart is no reason by itself: it is so of any
    surrogate, with games enough.
    """
    off = [mean for mean in check.whole.means if mean.is_apart]
    verdicts = [claim.verdict for claim in claims(check)]
    if not off and (PASSES in verdicts or verdicts.count(FAILS) < 2):
        return ""
    means = "; ".join(
        f"{mean.name} {said(mean.physics)} with physics, {said(mean.surrogate)} with the surrogate"
        for mean in off or check.whole.means
    )
    passed = f"{verdicts.count(PASSES)} of {len(verdicts)} passed"
    return f"It failed its check on {check.games} games that it was not fitted to ({passed}): {means}."


def headline(check: TowerCheck) -> str:
    """Return the verdict in a sentence."""
    asked = claims(check)
    parts = [f"{len([claim for claim in asked if claim.verdict == PASSES])} of {len(asked)} passed"]
    for verdict, words in ((FAILS, "not passed"), (UNDECIDED, "undecided")):
        names = [claim.name for claim in asked if claim.verdict == verdict]
        parts += [f"{words}: {', '.join(names)}"] if names else []
    return "; ".join(parts) + "."


def text(check: TowerCheck) -> str:
    """Return the check as lines for a terminal."""
    width = max(len(claim.name) for claim in claims(check))
    lines = [f"{check.model} against {check.data}: {check.drops} drops of {check.games} held-out games"]
    lines += [check.engines] if check.engines else []
    lines += [headline(check), ""]
    lines += [f"{claim.name:{width}s}  {claim.verdict}: {claim.why}" for claim in claims(check)]
    lines += ["", f"{'log score a drop, nats':34s} {'score':>18s} {'over the first':>18s}"]
    lines += [
        f"{rung.title:34s} {rung.score:9.4f} +- {rung.se:.4f} {rung.gain:+9.4f} +- {rung.gain_se:.4f}"
        for rung in check.scores
    ]
    whole = check.whole
    lines += ["", f"{f'{whole.compared} against {whole.compared} games':32s} distance  quantile  p (Holm)  difference"]
    for d in whole.distances:
        mark = "*" if d.is_seen else " "
        lines.append(f"{d.name:31s}{mark} {d.value:8.3g}  {d.quantile:8.3g}  {d.adjusted:8.2g}  {_size(d)}")
    lines += ["", *_weakest(check)]
    return "\n".join(lines)


def write_report(check: TowerCheck, out: str | Path) -> None:
    """Write `report.md`, tables/*.csv and plots/*.png to the directory `out`; raises UsageError when it cannot be."""
    sheets = Sheets(out)
    sheets.text(f"# Check of {check.model}")
    sheets.text(
        f"Against {check.data}: {check.drops} drops of {check.games} held-out games. Whole games: "
        f"{check.whole.physics} with physics, {check.whole.surrogate} free-running with the surrogate. Differences are "
        "surrogate minus physics; intervals are of 95 %, by game."
    )
    if check.engines:
        sheets.text(check.engines)
    sheets.text("## Verdict", headline(check))
    sheets.table(
        "verdict", ["asked", "verdict", "found"], [[claim.name, claim.verdict, claim.why] for claim in claims(check)]
    )
    sheets.text("Where it is weakest:", "\n".join(f"- {line}" for line in _weakest(check)))
    _drops(sheets, check)
    _whole(sheets, check.whole)
    _told(sheets, check)
    sheets.close()


# Verdicts


def _classifier(told: Told) -> Claim:
    accuracy = said(told.accuracy)
    verdict = PASSES if told.accuracy.high < ACCURACY_BELOW else FAILS if told.is_told_apart else UNDECIDED
    why = f"accuracy {accuracy} on games not seen, {told.games} against {told.games}, p = {told.p:.2g}"
    if told.accuracy.high < ACCURACY_STRETCH:
        why += f"; also under {ACCURACY_STRETCH:g}"
    if told.games < ENOUGH:
        verdict = FAILS if verdict == FAILS else UNDECIDED
        why += f"; {ENOUGH} games a side or more are asked"
    return Claim(f"classifier: upper end of the accuracy under {ACCURACY_BELOW:g}", verdict, why)


def _distances(whole: WholeGames) -> Claim:
    seen = [distance for distance in whole.distances if distance.is_seen]
    why = "; ".join(f"{d.name} is {d.value:.3g}, quantile {d.quantile:.3g} ({_size(d)})" for d in seen)
    if not seen:
        least = min(whole.distances, key=lambda distance: distance.p)
        why = f"the smallest corrected p is {least.adjusted:.2g} ({least.name})"
    n = f", {whole.compared} against {whole.compared} games"
    name = f"whole games: {len(whole.distances)} distances under their corrected 95 % quantiles"
    return Claim(name, FAILS if seen else PASSES, why + n)


def _mean(mean: ComparedMean) -> Claim:
    verdict = PASSES if mean.is_close else FAILS if mean.is_apart else UNDECIDED
    why = f"{_signed(said(mean.difference))} cubes; physics {said(mean.physics)}, surrogate {said(mean.surrogate)}"
    if verdict == UNDECIDED and mean.physics.n < mean.needed:
        why += f"; {mean.physics.n} physics games are too few to say, {mean.needed} or more are needed"
    return Claim(f"{mean.name}: within {mean.within:g} cubes", verdict, why)


def _power(power: Power) -> Claim:
    why = f"flagged in {power.hits} of {power.trials} trials, {said(power.rate)}, {power.games} games a side"
    asked = f"{100 * POWER:.0f} % of trials"
    name = f"classifier: flags {SHIFT:+g} in every thrown cube's chance of release in {asked}"
    return Claim(name, PASSES if power.rate.value >= POWER else FAILS, why)


def _weakest(check: TowerCheck) -> list[str]:
    """Say where the surrogate is farthest off, whether or not that is beyond chance."""
    far = max(check.whole.distances, key=lambda d: d.value / d.quantile if d.quantile > 0 else 0)
    beyond = "beyond chance" if far.is_seen else "not beyond chance"
    ratio = far.value / far.quantile if far.quantile > 0 else 0.0
    at, height = check.counts.worst
    bins = len(check.counts.heights.value)
    near, miss = check.reliability.worst
    best = check.told.telling[0] if check.told.telling else None
    lines = [
        f"whole games: {far.name}, {ratio:.2f} of its corrected quantile, {beyond}; {_size(far)}",
        f"counts: PIT from {at / bins:g} to {(at + 1) / bins:g} has density {said(height)} where 1 is right; a flat "
        f"histogram has p = {check.counts.p:.2g}",
        f"means: predicted minus observed is {_signed(said(miss))} cubes where {near:.2g} are predicted",
    ]
    if best:
        lines.append(
            f"games: the feature that differs most of {check.told.features} is {best.feature!r}, by "
            f"{_signed(said(best.difference))}, {abs(best.z):.1f} standard errors (the largest of so many is about "
            f"{_expected(check.told.features):.1f} or less by chance)"
        )
    return lines


def _expected(count: int) -> float:
    """Return about how large the greatest of so many independent standard normal numbers is, of either sign."""
    return float(np.sqrt(2 * np.log(2 * count)))


def _size(distance: Distance) -> str:
    return f"{_signed(said(distance.size))} {distance.unit}"


def _signed(words: str) -> str:
    return words if words.startswith(("-", "0 ")) else f"+{words}"


def _normal(value: float, error: float, n: int) -> Estimate:
    return Estimate(value, value - plots.NORMAL * error, value + plots.NORMAL * error, n)


# Sections


def _drops(sheets: Sheets, check: TowerCheck) -> None:
    sheets.text("## Single drops")
    sheets.text(
        "Log score: the logarithm of the chance that a rung gave to what came out, a drop (nats); the gain is over the "
        "first rung."
    )
    sheets.table(
        "log_scores",
        ["rung", "log score [nats]", "gain [nats]"],
        [
            [rung.title, _normal(rung.score, rung.se, check.drops), _normal(rung.gain, rung.gain_se, check.drops)]
            for rung in check.scores
        ],
    )
    sheets.picture("log_scores", plots.ladder(check.scores, check.drops, check.games), "Log score gained by rung")
    counts, means = check.counts, check.reliability
    sheets.text(
        "Calibration of the predicted number out: the non-randomised PIT histogram is flat where the predicted laws "
        "are right (Czado, Gneiting and Held, Biometrics 65, 2009). That this one is so far from flat by chance has "
        f"p = {counts.p:.2g}, by random signs of {counts.games} games. Beside it, predicted less observed means where "
        "about as many were predicted."
    )
    sheets.picture("calibration", plots.calibration(counts, means), "PIT histogram; predicted minus observed means")
    bins = len(counts.heights.value)
    sheets.table(
        "pit", ["PIT from", "to", "density"],
        [[i / bins, (i + 1) / bins, counts.heights.at(i, counts.drops)] for i in range(bins)],
    )  # fmt: skip
    sheets.table(
        "reliability",
        ["predicted [cubes]", "observed [cubes]", "predicted minus observed [cubes]", "drops"],
        [
            [float(means.predicted[i]), means.observed.at(i, n), means.difference.at(i, n), int(n)]
            for i, n in enumerate(means.drops)
        ],
    )


def _whole(sheets: Sheets, whole: WholeGames) -> None:
    sheets.text("## Whole games")
    sheets.text(
        f"Each distance is of {whole.compared} against {whole.compared} games, and held against {whole.permutations} "
        "exchanges of whole games between the sides. A distance of numbers by phase is the mean over phases of the "
        "energy distance (Szekely and Rizzo, 2013), in the units of the numbers; one of autocorrelations is the root "
        "mean square difference at lags 1 to 7 in standard errors. The quantiles are at the level that Holm's "
        f"procedure asks of each for {LEVEL:.0%} over all; the differences are of all games.".replace("%", " %")
    )
    rows: list[Sequence[Cell]] = [
        [d.name, d.value, d.quantile, d.single, d.p, d.adjusted, d.size, d.unit] for d in whole.distances
    ]
    head = ["statistic", "distance", "corrected quantile", "95 % quantile", "p", "p by Holm", "difference", "of"]
    sheets.table("distances", head, rows)
    sheets.picture("distances", plots.distances(whole.distances, whole.compared), "Distances and their quantiles")
    sheets.picture("inside", plots.fans(whole), "Quantiles of the number inside by drop")
    memories = plots.memories(whole.curves, whole.physics, whole.surrogate)
    sheets.picture("autocorrelation", memories, "Autocorrelation by lag")
    sheets.table(
        "means",
        ["mean", "physics [cubes]", "surrogate [cubes]", "difference [cubes]", "asked within", "physics games needed"],
        [[m.name, m.physics, m.surrogate, m.difference, m.within, m.needed] for m in whole.means],
    )


def _told(sheets: Sheets, check: TowerCheck) -> None:
    told = check.told
    sheets.text("## A classifier")
    sheets.text(
        f"Gradient-boosted trees saw {told.features} features of {told.games} games of each model and told the model "
        f"of games they had not seen, in {FOLDS} folds of whole games: right in {said(told.accuracy)}, "
        f"p = {told.p:.2g} by tossing coins. The interval allows for folds that share most of their games. "
        f"{'They are told apart.' if told.is_told_apart else 'They are not told apart at 5 %.'}"
    )
    if check.power is not None:
        claim = _power(check.power)
        sheets.text(f"{claim.name[0].upper()}{claim.name[1:]}: {claim.why}.")
    sheets.text("The features whose means differ most, not corrected for their number:")
    rows = [[feature.feature, feature.difference, feature.z] for feature in told.telling]
    sheets.table("features", ["feature", "difference", "standard errors"], rows)
