"""The sections of a calibration's report: each writes its text, tables and pictures."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from tower_sim.calibration import pictures
from tower_sim.calibration.answers import in_plain_words
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.findings import (
    MOVED,
    NARROWER,
    PERCENT,
    SHORT,
    chosen,
    entry_of,
    games_of,
    learnt,
    observed,
    pairs,
    rms,
    scores,
    simulated,
    singles,
    title,
    unit_of,
    warnings,
    what,
    within,
)
from tower_sim.calibration.fit import LEVEL, TARGETS, Interval, PredictiveCheck
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.result import Calibration
from tower_sim.calibration.sources import of_what, read_as, safe
from tower_sim.calibration.summaries import CUBES, DROPS, SUMMARIES, expit, logit
from tower_sim.statistics import Estimate, clopper_pearson
from tower_sim.study.sheets import Cell, Sheets, digits, said

WORDS = {  # of each number: more of it, less of it
    "tube": ("a wider tube", "a narrower tube"),
    **{
        f"{floor}_{name}": (f"{more} {floor} {what}", f"{less} {floor} {what}")
        for floor in ("upper", "lower")
        for name, more, less, what in (
            ("openings", "more", "fewer", "slots"),
            ("opening", "wider", "narrower", "slots"),
            ("ledges", "broader", "narrower", "ledges"),
        )
    },
    "grid": ("more cross bars", "fewer cross bars"),
    "stagger": ("more stagger", "less stagger"),
    "slope": ("steeper bars", "flatter bars"),
    "lower_height": ("a higher lower floor", "a deeper lower floor"),
    "distance": ("floors farther apart", "floors closer together"),
    "rib_height": ("taller ribs", "lower ribs"),
    "friction": ("more friction", "less friction"),
    "restitution": ("more bounce", "less bounce"),
    "edge": ("larger cubes", "smaller cubes"),
    "release_height": ("a higher release", "a lower release"),
    "release_spread": ("a wider release", "a closer release"),
}


def short(sheets: Sheets, calibration: Calibration) -> None:
    """Tell in a few sentences what was fitted, what is predicted, and what to beware of."""
    fit = calibration.fit
    sheets.text(f"# Calibration of {safe(calibration.name)}", "## 1. In short")
    values = sum(len(entry.windows) for entry in fit.evidence)
    names = _and(list(map(safe, _inputs(fit.evidence))))
    silent = [title(number.parameter.name) for number in learnt(calibration) if not number.informed]
    of_that = f"The data do not inform {_and(silent, 'or')}." if silent else "The data inform every free number."
    sheets.text(" ".join(in_plain_words(calibration)))
    clues = sum(len(entry.clues) for entry in fit.evidence)
    seen = count(values, "value") + (f" and {count(clues, 'clue')}" if clues else "")
    sheets.text(f"{len(NUMBERS)} numbers of the tower were fitted to {seen} ({names}). {of_that}")
    first, *others = warnings(calibration)
    sheets.text(f"**The largest warning:** {safe(first)}")
    if others:
        sheets.text("Further warnings:\n\n" + "\n".join(f"- {safe(other)}" for other in others))
    sheets.text(
        f"Figures are a median and, in brackets, the {PERCENT} interval in the middle, unless said otherwise. [A] "
        "marks what is assumed."
    )


def numbers(sheets: Sheets, calibration: Calibration) -> None:
    """List what is free, and the priors."""
    sheets.text(
        "## 3. Free numbers and priors",
        "Each number lies between its limits: openings as wide and as many, ledges as broad as the floor has room for, "
        "each way to cut it equally likely, and all others equally likely anywhere. Everything else of the tower is "
        "fixed.",
    )
    sheets.table(
        "numbers",
        ["number", "unit", "from", "to", "reason"],
        [[title(number.name), number.unit or "1", number.low, number.high, number.reason] for number in NUMBERS],
    )


def posterior(sheets: Sheets, calibration: Calibration) -> None:
    """Tell what the data say of the numbers, and what trades off."""
    fit, numbers_learnt = calibration.fit, learnt(calibration)
    draws = len(fit.posterior.unit)
    sheets.text(
        "## 4. Posterior",
        f"n = {draws} draws, which stand for an effective {fit.posterior.effective:.0f} towers that were played; the "
        f"prior's for {fit.prior.effective:.0f}. The logarithm of the mean likelihood is {fit.posterior.fit:.2f}.",
    )
    head = ["number", "unit", f"prior ({PERCENT})", f"posterior ({PERCENT})", "width over prior's", "informed"]
    rows: list[list[Cell]] = []
    for number in numbers_learnt:
        spans = estimate(number.prior, draws), estimate(number.posterior, draws)
        rows.append(
            [
                title(number.parameter.name),
                number.parameter.unit or "1",
                *spans,
                number.ratio,
                "yes" if number.informed else "no",
            ]
        )
    sheets.table("posterior_numbers", head, rows)
    silent = [title(number.parameter.name) for number in numbers_learnt if not number.informed]
    rule = (
        f"A number counts as informed if its interval is narrower than {NARROWER} of the prior's or its median has "
        f"moved by more than {MOVED} of the way between its limits."
    )
    names = _and(silent, "or")
    sheets.text(f"{rule} " + (f"The data do not inform {names}." if silent else "The data inform every number."))
    sheets.picture("marginals", pictures.marginals(fit.prior, fit.posterior), "Prior and posterior of each free number")
    _trade_offs(sheets, calibration)


def _trade_offs(sheets: Sheets, calibration: Calibration) -> None:
    correlations, names = pairs(calibration), [number.name for number in NUMBERS]
    strong: list[tuple[float, str]] = []
    for i, j in zip(*np.tril_indices(len(names), -1), strict=True):
        r = float(correlations.r[i, j])
        if abs(r) >= correlations.least:
            strong.append((-abs(r), f"{WORDS[names[j]][0]} with {WORDS[names[i]][int(r < 0)]} (r = {r:+.2f})"))
    listed = f"No |r| is {correlations.least:.2g} or more: nothing trades off."
    if strong:
        listed = (
            f"What trades off (|r| >= {correlations.least:.2g}): {'; '.join(words for _, words in sorted(strong))}. "
        )
        listed += "Numbers that trade off can be known together though neither is known alone."
    sheets.text(
        f"Correlations r (n = {len(correlations.draws)} draws; standard error of an r near 0: "
        f"{correlations.error:.1g}); in the prior only what has to share a floor is correlated. {listed}"
    )
    rows: list[list[Cell]] = []
    for i in range(1, len(names)):
        rows.append([title(names[i]), *(float(correlations.r[i, j]) if j < i else None for j in range(len(names) - 1))])
    sheets.data("correlations", ["r", *map(title, names[:-1])], rows)
    sheets.picture("pairs", pictures.pairs(correlations), "The most correlated free numbers in the posterior, in pairs")


def predictive(sheets: Sheets, calibration: Calibration) -> None:
    """Put what was fitted beside what the fitted tower gives."""
    fit = calibration.fit
    sheets.text("## 5. Posterior predictive")
    if fit.predictive:
        sheets.text(
            "Each value beside what the fitted tower would give if it were observed once more, with as many games and "
            f"as much doubt. {_verdict(fit.predictive)} PIT is the share of predictive draws below the observed value. "
            "These values were fitted, so this shows a misfit but proves no fit."
        )
        _checks(sheets, "predictive", fit.predictive, fit.evidence)
    else:
        sheets.text("No value was checked.")


def held_out(sheets: Sheets, calibration: Calibration) -> None:
    """Put what was held out beside its prediction from the rest; draw both checks."""
    fit = calibration.fit
    sheets.text("## 6. Held out")
    if fit.held_out:
        later = any(any(entry.held) for entry in fit.evidence) or None in [
            entry_of(x, fit.evidence) for x in fit.held_out
        ]
        left = "the entries of section 2, one at a time, each predicted from all others"
        if later:
            left = "the later part of the recorded drops, predicted from the earlier part and all other entries"
        elif len(fit.evidence) == 1:
            left = "the only entry, so it is predicted from the prior alone"
        sheets.text(f"Left out: {left}. {_verdict(fit.held_out)} Values of one entry share their noise.")
        _checks(sheets, "held_out", fit.held_out, fit.evidence)
    else:
        sheets.text("Nothing was held out: the fit was not tried on values that it had not seen.")
    if fit.predictive or fit.held_out:
        kinds = fit.predictive, fit.held_out
        both = (list(zip(_labels(checks, fit.evidence), checks, strict=True)) for checks in kinds)
        sheets.picture("checks", pictures.checks(*both), "Observed values beside their predictive intervals")


def _labels(checks: Sequence[PredictiveCheck], evidence: Sequence[Evidence]) -> list[str]:
    """Name each check, no two alike; a check of the same entry and summary has the same name in every list."""
    labels: list[str] = []
    for check in checks:
        number = entry_of(check, evidence)
        label = f"{f'{number}: ' if number else ''}{check.name}, {what(check, evidence)}"
        same = sum(other.split(" (no. ")[0] == label for other in labels)
        labels.append(f"{label} (no. {same + 1})" if same else label)
    return labels


def _verdict(checks: Sequence[PredictiveCheck]) -> str:
    kept = sum(map(within, checks))
    return f"{kept} of {count(len(checks), 'value')} {'lies' if kept == 1 else 'lie'} within the {PERCENT} interval."


def _checks(sheets: Sheets, name: str, checks: Sequence[PredictiveCheck], evidence: Sequence[Evidence]) -> None:
    rows: list[list[Cell]] = []
    for check in checks:
        number, games = entry_of(check, evidence), games_of(check, evidence)
        read = read_as(evidence[number - 1]).split(",")[0] if number else "later drops"
        of = safe(check.name), *of_what(evidence[number - 1] if number else None, check.window), read
        predicted = estimate(check.predicted, games or 1)
        verdict = "within" if within(check) else "**outside**"
        rows.append([number, *of, check.observed, unit_of(check.window), predicted, check.tail, verdict])
    head = [
        "entry",
        "name",
        "summary",
        "of",
        "read as",
        "observed",
        "unit",
        f"predicted ({PERCENT})",
        "PIT",
        "observed is",
    ]
    sheets.table(name, head, rows)


def prediction(sheets: Sheets, calibration: Calibration) -> None:
    """Tell what the tower does in the long run."""
    fit = calibration.fit
    rows: list[list[Cell]] = []
    for target in TARGETS:
        spans = [towers_of_fit.interval(target) for towers_of_fit in (fit.prior, fit.posterior)]
        itself = fit.posterior.itself(target)
        n = len(fit.posterior.targets[target])
        rows.append(
            [
                SUMMARIES[target].words,
                "cubes",
                *(estimate(x, n) for x in (*spans, itself)),
                spans[1].width / spans[0].width,
            ]
        )
    sheets.text(
        "## 7. Prediction",
        f"Long-run means over whole games of {DROPS - 1} phases, of towers that were played, as their games have them. "
        "Of the real tower itself: with what the simulation may be off (section 8), as the evidence tells of it. "
        f"n = {len(fit.posterior.unit)} draws. Single games and phases scatter more.",
    )
    head = ["long-run mean", "unit", f"prior ({PERCENT})", f"posterior ({PERCENT})", "the real tower itself",
            "width over prior's"]  # fmt: skip
    sheets.table("prediction", head, rows)
    towers = [simulated(tower.compared) for tower in calibration.confirmed]
    picture = pictures.prediction(fit, towers, chosen(calibration), observed(calibration))
    sheets.picture("prediction", picture, "Long-run means: prior, posterior, simulated towers, observed values")
    sheets.text(
        f"Shaded: the draws; bars: {PERCENT} intervals and medians. Simulated means have bars of one standard error. "
        "Observed: full squares are means of whole games, open ones are one phase, words, or a part of a game."
    )


def discrepancy(sheets: Sheets, calibration: Calibration) -> None:
    """Tell how far the simulation may be off, in cubes."""
    off = calibration.fit.discrepancy
    setup, inside, out = (calibration.fit.posterior.interval(target).middle for target in TARGETS)
    at = [
        f"{_shift(cubes, sd):.2g} cubes at {cubes:.3g}"
        for cubes, sd in ((setup, off.setup), (inside, off.inside), (CUBES / 2, off.inside))
    ]
    sheets.text(
        "## 8. Discrepancy",
        "How far the simulation may be off a real tower of the same shape. The figures are measured: so far do towers "
        "of the design move when half the step, or the other engine, takes the place of the simulation's own "
        "(`docs/calibration.md`). That a real tower is about as far off as these is assumed [A]. It is the same for "
        "what was observed and for what is predicted, and is not fitted.",
    )
    rows: list[list[Cell]] = [
        ["setup", off.setup, "sd, log odds", at[0]],
        ["inside", off.inside, "sd, log odds", f"{at[1]}; the most is {at[2]}"],
        ["together", off.together, "correlation", "of the errors after the set-up and in play"],
        ["flow", off.flow, "sd, logarithm", f"{_share_of(off.flow)} of what comes out, {off.flow * out:.2g} cubes at "
         f"{out:.3g}, beside what follows from the number inside"],
        ["own", off.own, "sd, log odds", f"{25 * off.own:.2g} percentage points of a share of half; less elsewhere"],
        ["spread", off.spread, "sd, logarithm", f"{_share_of(off.spread)} of the spread over phases, "
         f"{2 * off.spread:.2g} cubes at a spread of 2"],
        ["share", off.share, "sd, log odds", f"{25 * off.share:.2g} percentage points of half of the phases"],
        ["colours", off.colours, "sd, logarithm", f"{_share_of(off.colours)} of the mean colours out, and of action "
         "points"],
    ]  # fmt: skip
    sheets.table("discrepancy", ["field", "value", "what it is", "what it means"], rows)


def _shift(cubes: float, off: float) -> float:
    """Return, in cubes, half the way from `off` log odds below to `off` above."""
    at = logit(float(np.clip(cubes, 0, CUBES)))
    return float(expit(at + off) - expit(at - off)) / 2


def _share_of(logarithm: float) -> str:
    return f"{100 * np.expm1(logarithm):.2g} %"


def confirmed(sheets: Sheets, calibration: Calibration) -> None:
    """Tell how simulated games agree with the emulator, and what the chosen tower does."""
    sheets.text("## 9. Confirmed by real drops", "Drops simulated with rigid bodies, not emulated.")
    towers, z = calibration.confirmed, scores(calibration)
    if len(z):
        beyond = int((np.abs(z) > 2).sum())
        sheets.text(
            f"{count(len(towers), 'tower')} of the posterior played games of their own. z is how many standard errors "
            f"these lie from the emulator's prediction. The root mean square of n = {len(z)} z is {rms(z):.2f}; were "
            f"they independent and the errors right it would be 1 +- {1 / np.sqrt(2 * len(z)):.2f}. Beyond 2 are "
            f"{_of(beyond, len(z))}; 5 % are expected."
        )
        names = list(dict.fromkeys(compared.summary for tower in towers for compared in tower.compared))
        rows: list[list[Cell]] = []
        numbers: list[list[Cell]] = []
        means: list[list[Cell]] = []
        for i, tower in enumerate(towers, start=1):
            by_name = {compared.summary: compared for compared in tower.compared}
            games = min((compared.games for compared in tower.compared), default=0)
            each_z = (float(by_name[name].z) if name in by_name else None for name in names)
            rows.append([i, games, *each_z])
            numbers.append([i, *(float(tower.numbers[n.name]) for n in NUMBERS)])
            for compared in tower.compared:
                scale = float(compared.predicted), float(compared.error), float(compared.simulated), float(compared.se)
                brought = [float(SUMMARIES[compared.summary].back(x)) for x in (compared.predicted, compared.simulated)]
                means.append(
                    [i, SUMMARIES[compared.summary].words, compared.games, *brought, *scale, float(compared.z)]
                )
        sheets.table("confirmed", ["tower", "games", *(f"z, {SHORT[name]}" for name in names)], rows)
        sheets.data("confirmed_numbers", ["tower", *(_axis(number.name) for number in NUMBERS)], numbers)
        sheets.text("Each mean in its own unit, and on the fit's scale with standard errors:")
        head = ["tower", "summary", "games", "emulator", "simulated", "emulator, fit's scale", "its error",
                "simulated, fit's scale", "its error", "z"]  # fmt: skip
        sheets.table("confirmed_means", head, means, shown=len(names))
    else:
        sheets.text("No tower of the posterior was simulated to confirm the emulator.")
    _chosen(sheets, calibration)


def _chosen(sheets: Sheets, calibration: Calibration) -> None:
    fit, tower = calibration.fit, calibration.chosen
    numbers = "; ".join(f"{_axis(name)} {value:.3g}" for name, value in tower.numbers.items())
    sheets.text(f"**The chosen tower**, which the profile holds: {numbers}.")
    said = [safe(words) for words in (tower.why, tower.does, *calibration.notes) if words]
    if said:
        sheets.text("\n".join(f"- {words}" for words in said))
    sheets.table("profile", ["field", "value"], [[name, _field(value)] for name, value in tower.fields.items()])
    rows: list[list[Cell]] = []
    for target in TARGETS:
        if target in tower.simulated:
            mean, span = tower.simulated[target], fit.posterior.interval(target)
            sd = float(np.std(tower.single[target], ddof=1)) if len(tower.single.get(target, ())) > 1 else None
            verdict = "within" if span.low <= mean.mean <= span.high else "**outside**"
            places = digits(mean.se, mean.mean)
            rows.append([SUMMARIES[target].words, mean.games, f"{mean.mean:.{places}f}", f"{mean.se:.2g}", sd,
                         estimate(span, len(fit.posterior.unit)), verdict])  # fmt: skip
    head = [
        "long-run mean [cubes]",
        "games",
        "simulated",
        "standard error",
        "sd of single games",
        f"posterior ({PERCENT})",
    ]
    sheets.table("chosen", [*head, "simulated is"], rows)
    counted = singles(calibration)
    if not counted.games:
        sheets.text("There are no single games of it.")
        return
    of = f"the {PERCENT} interval of the long-run mean; single games scatter more"
    if counted.check:
        number = entry_of(counted.check, fit.evidence)
        how = f" ({read_as(fit.evidence[number - 1])}, doubt {fit.evidence[number - 1].doubt:.3g})" if number else ""
        of = f"the {PERCENT} predictive interval of {safe(counted.check.name)}{how}"
    span = f"{counted.span.low:.1f} to {counted.span.high:.1f}"
    sheets.text(f"After the set-up, {_of(counted.inside, counted.games)} of its single games hold {span} cubes, {of}.")


def again(sheets: Sheets, calibration: Calibration) -> None:
    """Tell what it took, what failed, and how to make it again."""
    budget = calibration.budget
    sheets.text("## 10. Budget, failures, and how to make it again")
    names = " ".join(map(_quoted, _inputs(calibration.fit.evidence, ".toml")))
    output = _quoted(f"{calibration.name}.toml")
    sheets.text(
        "In the folder of the observations:",
        f"```sh\ntower-sim calibrate {names} -o {output} --{calibration.mode} --seed {calibration.seed}\n```",
    )
    drops = budget.games * DROPS
    rows: list[list[Cell]] = [
        ["games simulated", budget.games],
        ["seconds, this run", f"{budget.seconds:.0f}"],
        ["draws that were no landing, drawn again", f"{budget.redrawn} in about {drops} drops"],
        ["games that never ended", f"{budget.unfinished} of {budget.games}"],
        ["emulator's design: towers", calibration.points],
        ["emulator's design: games", calibration.games],
        ["SHA-256 of the design", calibration.design],
        ["SHA-256 of the posterior's draws", calibration.digest],
        ["seed", str(calibration.seed)],
        ["mode", calibration.mode],
    ]
    rows.extend([f"made with {name}", str(version)] for name, version in calibration.versions.items())
    sheets.table("made", ["what", "value"], rows)


# Words


def _inputs(evidence: Sequence[Evidence], ending: str = "") -> list[str]:
    """Return the files that evidence is from: records by the file's name, observations by their own and `ending`."""
    return list(dict.fromkeys(x.source if x.source.endswith(".csv") else x.name + ending for x in evidence))


def estimate(span: Interval, n: int) -> Estimate:
    """Return an interval as a cell of a table, of `n` draws."""
    return Estimate(span.middle, span.low, span.high, n)


def between(span: Interval) -> str:
    """Say an interval as `median (low to high)`."""
    return said(estimate(span, 0)) if span.width else f"{span.middle:.3g} (one value)"


def _axis(name: str) -> str:
    units = {number.name: number.unit for number in NUMBERS}
    return pictures.axis(name, units.get(name, ""))


def _field(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else safe(str(value))


def _of(hits: int, trials: int) -> str:
    """Say a share with its exact (Clopper-Pearson) interval."""
    share = clopper_pearson(hits, trials, LEVEL)
    percent = (f"{100 * x:.0f}" for x in (share.value, share.low, share.high))
    return "{} of {} ({} %; {} to {} %)".format(hits, trials, *percent)


def count(n: int, word: str) -> str:
    """Say how many there are of what `word` names."""
    return f"{n} {word}{'' if n == 1 else 's'}"


def _and(names: Sequence[str], word: str = "and") -> str:
    """List names as people do."""
    return " ".join([", ".join(names[:-1]), word, names[-1]]) if len(names) > 1 else "".join(names)


def _quoted(file: str) -> str:
    return shlex.quote(" ".join(file.split()))
