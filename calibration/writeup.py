"""The report of a calibration, for people who study such towers: what was fitted to what, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tower_sim.calibration import chapters, conflict, pictures, sources
from tower_sim.calibration.answers import in_plain_words, sentence, verdicts
from tower_sim.calibration.chapters import between, count
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.findings import KEPT, PERCENT, learnt, unit_of, warnings, what, within
from tower_sim.calibration.fit import TARGETS, PredictiveCheck
from tower_sim.calibration.result import Calibration
from tower_sim.study.sheets import Sheets

LINES = 8  # numbers, and observations, that `in_short` lists one by one


def write(calibration: Calibration, directory: Path) -> Path:
    """Write report.md, tables/*.csv and plots/*.png into `directory`, each whole or not at all; returns the report.

    The same calibration gives the same bytes. Raises UsageError when the directory cannot be written.
    """
    sheets = Sheets(directory)
    for section in (
        chapters.short,
        sources.data,
        chapters.numbers,
        chapters.posterior,
        chapters.predictive,
        conflict.one_by_one,
        chapters.held_out,
        conflict.conflict,
        chapters.prediction,
        conflict.choice,
        chapters.discrepancy,
        chapters.confirmed,
        conflict.what_was_said,
        conflict.leaving,
        chapters.again,
    ):
        section(sheets, calibration)
    sheets.close()
    return sheets.out / "report.md"


def in_short(calibration: Calibration) -> str:
    """Return two plain sentences, the posterior as a table, predictions and predictive check, for a terminal."""
    fit = calibration.fit
    lines = [*in_plain_words(calibration), ""]
    lines += [f"{'':<33}{f'prior {PERCENT}':<18}{f'posterior {PERCENT}':<26}width  informed"]
    found = sorted(learnt(calibration), key=lambda number: number.ratio)
    for number in found[:LINES]:
        name = pictures.axis(number.parameter.name, number.parameter.unit)
        prior = f"{number.prior.low:.3g} to {number.prior.high:.3g}"
        informed = "yes" if number.informed else "no"
        lines.append(f"{name:<33}{prior:<18}{between(number.posterior):<26}{number.ratio:5.2f}  {informed}")
    others = found[LINES:]
    told = sum(number.informed for number in others)
    lines.append(f"{count(len(others), 'more number')}: {told} informed (the report has them)")
    lines += [f"{KEPT[target]}, long-run mean: {between(fit.posterior.interval(target))} cubes" for target in TARGETS]
    order = sorted(range(len(fit.predictive)), key=lambda i: within(fit.predictive[i]))  # those outside come first
    for i in sorted(order[:LINES]):
        lines.append(_line(fit.predictive[i], fit.evidence))
    rest = [within(fit.predictive[i]) for i in order[LINES:]]
    if rest:
        lines.append(f"{count(len(rest), 'more value')}: {sum(rest)} within")
    lines += [sentence(verdict) for verdict in verdicts(fit) if verdict.is_clue and verdict.is_odd]
    if fit.held_out:
        kept = sum(map(within, fit.held_out))
        lines.append(f"held out: {kept} of {count(len(fit.held_out), 'value')} within")
    lines.append(f"warning: {warnings(calibration)[0]}")
    return "\n".join(lines)


def _line(check: PredictiveCheck, evidence: Sequence[Evidence]) -> str:
    """Say a check as `set-up: 21 observed, 13 to 28 predicted (90 %): within`."""
    span, verdict = check.predicted, "within" if within(check) else "outside"
    places = 2 if unit_of(check.window) == "share" else 0 if span.width > 10 else 1
    return (
        f"{what(check, evidence)} ({check.name}): {check.observed:.3g} observed, {span.low:.{places}f} to "
        f"{span.high:.{places}f} predicted ({PERCENT}): {verdict}"
    )
