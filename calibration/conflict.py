"""The report's sections on single observations: which agree with the fit, which pull it where, and the colours out."""

from __future__ import annotations

from tower_sim.calibration import pictures
from tower_sim.calibration.answers import Verdict, sentence, verdicts
from tower_sim.calibration.bands import bands
from tower_sim.calibration.chapters import count, estimate
from tower_sim.calibration.findings import ODD, PERCENT, SHORT, unit_of
from tower_sim.calibration.fit import PULLED, TOLD, Pull
from tower_sim.calibration.leaving import AGES, Leaving
from tower_sim.calibration.result import Calibration, GamesMean
from tower_sim.calibration.sources import safe
from tower_sim.calibration.summaries import EVERY, SUMMARIES
from tower_sim.study.sheets import Cell, Sheets

MIDDLE = f"{ODD:.2g} to {1 - ODD:.2g}"


def one_by_one(sheets: Sheets, calibration: Calibration) -> None:
    """Give every observation that was used its place in what the fitted tower gives, and a sentence to odd ones."""
    found = verdicts(calibration.fit)
    if not found:
        return
    sheets.text(
        "### One by one",
        "The place of each observation in what the fitted tower gives: of a number the share of predictive draws below "
        "it, of a clue its chance. By the others: the same, had it not been used. From "
        f"{MIDDLE} is no surprise. A clue can be expected, so a high chance is no fault.",
    )
    rows: list[list[Cell]] = []
    for each in found:
        kind = "clue" if each.is_clue else "number"
        rows.append([each.entry, safe(each.name), safe(each.says), kind, each.place, each.others, _word(each)])
    sheets.table("observations", ["entry", "name", "says", "read as", "place", "by the others", "it is"], rows)
    odd = [f"- {safe(sentence(each))}" for each in found if each.is_odd]
    idle = list(dict.fromkeys(safe(each.name) for each in found if each.is_idle))
    sheets.text("\n".join(odd) or f"None lies outside {MIDDLE} but clues that were to be expected.")
    if idle:
        sheets.text(f"Expected of nearly all towers that are left, so they tell little: {', '.join(idle)}.")


def _word(verdict: Verdict) -> str:
    return "**outside**" if verdict.is_odd else "to be expected" if verdict.is_idle else "within"


def conflict(sheets: Sheets, calibration: Calibration) -> None:
    """Tell which evidence disagrees with all the rest, and where the fit would go without each."""
    fit = calibration.fit
    if not fit.pulls:
        return
    against = [each for each in verdicts(fit) if each.is_against]
    sheets.text("### What conflicts")
    if against:
        named = "; ".join(f"{safe(each.name)} ({safe(each.says)}, {each.by_others:.2g})" for each in against)
        sheets.text(
            f"All the other evidence speaks against {count(len(against), 'observation')}, which must give way where "
            f"they cannot be had together: {named}."
        )
    else:
        sheets.text(
            f"No observation is spoken against by all the others: each lies from {MIDDLE} of what they predict, or was "
            "expected by them. Towers of the prior can do all of it at once."
        )
    sheets.text(
        "What each source alone would say, and what all others say without it: medians of the long-run means "
        f"({PERCENT}), as towers that were played have them. Effective: the towers behind what goes without it."
    )
    whole, *others = fit.pulls
    rows = [_row("all of it", whole)]
    rows += [_row(safe(pull.name), pull) for pull in sorted(others, key=lambda pull: -_far(pull, whole))]
    head = [f"{SHORT[name]}, {which}" for name in PULLED for which in ("alone", "without")]
    sheets.table("pulls", ["source", *head, "effective"], rows)
    sheets.text("In the first row alone is the prior, of no source, and without is all evidence, nothing left out.")


def _row(name: str, pull: Pull) -> list[Cell]:
    spans = [estimate(span[target], 0) for target in PULLED for span in (pull.alone, pull.without)]
    return [name, *spans, round(pull.effective)]


def _far(pull: Pull, whole: Pull) -> float:
    """Return the largest move of a median, in widths of the interval by all evidence."""
    return max(
        abs(pull.without[target].middle - whole.without[target].middle) / max(whole.without[target].width, 1e-9)
        for target in PULLED
    )


def choice(sheets: Sheets, calibration: Calibration) -> None:
    """Tell which colours come out, so how many actions there are to choose from."""
    prior, posterior = calibration.fit.prior, calibration.fit.posterior
    if any(name not in towers.played for towers in (prior, posterior) for name in TOLD):
        return
    sheets.text(
        "### Of which colours",
        "Long-run means and shares of phases: how many actions there are to choose from, how many points each has, and "
        "how many cubes leave that lay inside before.",
    )
    rows: list[list[Cell]] = []
    for name in TOLD:
        before, after = prior.interval(name), posterior.interval(name)
        spans = estimate(before, len(prior.unit)), estimate(after, len(posterior.unit))
        rows.append([SUMMARIES[name].words, unit_of(EVERY[name]), *spans, after.width / max(before.width, 1e-9)])
    sheets.table(
        "colours", ["long-run", "unit", f"prior ({PERCENT})", f"posterior ({PERCENT})", "width over prior's"], rows
    )
    sheets.picture(
        "colours", pictures.colours(calibration.fit), "Shares of phases: prior, posterior, and what was said"
    )


def leaving(sheets: Sheets, calibration: Calibration) -> None:
    """Tell how fast residents of the chosen tower leave, by how long they have been inside."""
    rows = calibration.chosen.leaving
    if not rows:
        return
    soon, late = rows[0], rows[-1]
    sheets.text(
        "### How fast residents leave",
        f"In the chosen tower's games: of the cubes that stayed in the drop before, {_percent(soon.share.value)} leave "
        f"in the next; of those that stayed {late.first} drops ago or earlier, {_percent(late.share.value)} in each "
        "drop. A cube counts once for every drop that it was inside before.",
    )
    cells: list[list[Cell]] = [[_age(row), row.at_risk, row.share] for row in rows]
    sheets.table(
        "leaving", ["stayed, drops ago", "cubes inside before a drop", f"share that leaves ({PERCENT})"], cells
    )


def _age(row: Leaving) -> str:
    if row.last == AGES[-1][1]:
        return f"{row.first} or more"
    return f"{row.first}" if row.first == row.last else f"{row.first} to {row.last}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def what_was_said(sheets: Sheets, calibration: Calibration) -> None:
    """Hold what players say of many games against the games of the chosen tower."""
    found = bands(calibration.fit.evidence, calibration.chosen.played)
    if not found:
        return
    missed = [f"{safe(each.name)} ({safe(each.says)})" for each in found if not each.is_met]
    games = max(each.simulated.games for each in found)
    verdict = f"It does not do what {'; '.join(missed)} say." if missed else "It does all of it."
    sheets.text(
        "### What players say of many games",
        f"Held against the {games} games of the chosen tower (mean and one standard error). {verdict}",
    )
    rows: list[list[Cell]] = []
    for each in found:
        mean = each.simulated
        shown = f"{mean.mean:.3g}", f"{mean.se:.2g}", "within" if each.is_met else "**outside**"
        rows.append([safe(each.name), safe(each.says), each.low, each.high, *shown])
    head = ["said by", "what", "from", "to", "the chosen tower", "standard error", "it is"]
    sheets.table("said", head, rows)
    played = calibration.chosen.played
    if "colours" in played:
        sheets.text(
            f"It lets {_mean(played['colours'], 2)} colours out of a phase with something out; one colour in "
            f"{_percent(played['single'].mean)} of these phases, three or more in {_percent(played['many'].mean)}."
        )


def _mean(of: GamesMean, places: int) -> str:
    return f"{of.mean:.{places}f} +- {of.se:.{places}f}"
