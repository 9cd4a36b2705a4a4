"""Study a campaign: read it, compute all figures, and write the report."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.campaign import Campaign, describe, read_campaign, spans
from tower_sim.report import SETTERS, Report, Rows, Section, Table, check_report
from tower_sim.results import FEWEST, Estimate, Resamples, how_sure, show
from tower_sim.studies.retention import battles, questions, sections, swept, tower
from tower_sim.studies.retention.design import at_point, curves, each_point, used_points
from tower_sim.tools import count_noun, need, report_progress

PACKAGES = ("tower_sim", "numpy", "scipy", "pyarrow", "matplotlib")
SCHEMA = "tower-sim/study"
FAILED = 0.01  # share of failed draws, above which the opening of the report mentions it


def study(directory: str | Path, out: str | Path, point: int | None = None) -> dict[str, Any]:
    """Write the report on a campaign.

    Args:
        directory: A campaign with a drop that succeeded; its files are unchanged.
        out: The folder of report.html and report.md with tables/*.csv and plots/*.svg, each written completely or not
            at all. Random: resampled runs, permutations and folds, all seeded by the spec's digest, so a second call
            writes the same.
        point: One design point; None is all.

    Returns:
        The text and the tables as a document.
    """
    need("campaign", "pyarrow", *SETTERS)
    whole = read_campaign(directory)
    campaign = whole if point is None else at_point(whole, point)
    check_report(out)
    which = "" if point is None else f", point {point}: {describe(dict(whole.points[point]))}"
    if len(used_points(campaign)) > 1:
        says, parts = _study_points(campaign)
    else:
        point_data = at_point(campaign, int(campaign.run_point[0])) if any(campaign.points) else campaign
        says, parts = _study_one(point_data)
    report = Report(f"Study of a campaign of {whole.unit}s{which}", [*_missing(whole), *says], parts)
    report.write(out)
    return report.document(SCHEMA)


def _study_points(campaign: Campaign) -> tuple[list[str], list[Section]]:
    points = len(used_points(campaign))
    with report_progress("steps", points + 1) as tell:
        sweep = swept.Swept.of(campaign, curves(campaign, tell))
        parts = swept.sections(sweep)
        rates = [(point, own, _failure_rate(own, boot)) for point, own, boot in each_point(campaign)]
        rates.sort(key=lambda row: -row[2].value)
        rows: Rows = [
            [point, rate.n, len(own.failed.run), rate, int(own.unfinished.sum())] for point, own, rate in rates
        ]
        some = sum(bool(row[2]) for row in rows)
        head = ["point", "draws", "failed", "redraw rate", f"{campaign.unit}s that ended early"]
        failed = Section(
            "Failed attempts",
            f"Draws that were no landing and were drawn again: {len(campaign.failed.run)}, at {some} of {len(rows)} "
            "points. Drawing again leaves out what failed, so a rate that is not small biases the point's figures.",
            Table("failed_by_point", head, rows, 8 if some else 0),
        )
        tell(points + 1)
    return swept.plain(sweep), [*parts, _what_was_run(campaign, "within its design point"), failed]


def _study_one(campaign: Campaign) -> tuple[list[str], list[Section]]:
    boot = Resamples(campaign.strata, campaign.rng("resamples"))
    says = tower.plain(campaign, boot) if not battles.are_on_board(campaign) else []
    if battles.are_on_board(campaign):
        parts = battles.sections(campaign, boot)
        says += [battles.plain(campaign, boot)] if battles.have_winners(campaign) and len(campaign.cubes) else []
    elif campaign.is_phase.any():
        parts = _tower_sections(campaign, boot)
    else:
        says.append("No drop after the set-up threw a cube, so there is nothing more to study.")
        parts = []
    failed, rate = _failures(campaign, boot)
    if rate.value > FAILED:
        says.append(f"**Failed attempts:** {show(rate.times(100), '%')} of draws were no landing and were drawn again.")
    parts += [*sections.own(campaign, boot), _what_was_run(campaign, "over all"), failed]
    return [words for words in says if words], parts


def _tower_sections(campaign: Campaign, boot: Resamples) -> list[Section]:
    steps: list[Callable[[tower.TowerFigures], Section | None]] = [
        tower.what_players_get,
        questions.seven_questions,
        sections.thrown_and_inside,
        sections.stays,
        sections.remembrance,
        sections.alike,
        sections.against_rule,
    ]
    parts: list[Section | None] = []
    with report_progress("steps", len(steps)) as tell:
        figures = tower.TowerFigures.of(campaign, boot)
        for done, step in enumerate(steps, start=1):
            parts.append(step(figures))
            tell(done)
    return [part for part in parts if part]


# The campaign itself


def _missing(campaign: Campaign) -> list[str]:
    if not campaign.missing:
        return []
    one = len(campaign.missing) == 1
    return [
        f"**Not whole:** shard{'' if one else 's'} {spans(campaign.missing)} of {campaign.shards} planned "
        f"{'is' if one else 'are'} missing: {campaign.runs} of {_count_planned(campaign)} {campaign.unit}s are "
        "studied. Run the campaign again to do the rest; what is missing may be of some points only."
    ]


def _count_planned(campaign: Campaign) -> int:
    runs = campaign.spec.get("runs")
    return runs * max(len(campaign.points), 1) if isinstance(runs, int) else 0


def _what_was_run(campaign: Campaign, strata: str) -> Section:
    spec, points, planned = campaign.spec, len(used_points(campaign)), _count_planned(campaign)
    rows: Rows = [
        [key, str(spec[key])] for key in ("kind", "apparatus", "model", "seed", "design") if spec.get(key, "") != ""
    ]
    own = [key for key, value in spec.items() if isinstance(value, dict) and key != "settings"]
    tables = own if campaign.game is None else campaign.game.tables
    rows += [[key, f"`{json.dumps(spec[key], default=str)}`"] for key in (*tables, "settings") if spec.get(key)]
    if spec.get("settings"):
        rows.append(["engine", str(spec["settings"]["engine"])])
    rows += [
        ["spec digest", campaign.digest],
        ["design points", points],
        [f"{campaign.unit}s", f"{campaign.runs}{f' of {planned} planned' if planned else ''}"],
        ["drops that landed", int(campaign.rows.drawn.sum())],
        ["entries of cubes", len(campaign.cubes)],
    ]
    rows += [[f"made with {name}", version] for name, version in campaign.made_with.items()]
    rows += [[f"studied with {name}", _version(name)] for name in PACKAGES]
    says = (
        f"Every interval is of 95 %, from resamples of whole {campaign.unit}s with replacement {strata} (expanded "
        "percentile) unless said otherwise; n is what a figure was taken from. Intervals are for one figure at a time."
    )
    if points == 1 and campaign.runs < FEWEST:
        says = f"{how_sure(campaign.runs, campaign.unit)}.\n\n{says}"
    return Section("What was run", says, Table("campaign", ["what", "value"], rows), folded=True)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _failure_rate(campaign: Campaign, boot: Resamples, status: int | None = None) -> Estimate:
    failed = campaign.failed
    landed = campaign.by_run(campaign.rows.drawn.astype(float))[:, 0]
    every = np.bincount(failed.run, minlength=campaign.runs).astype(float)
    chosen = failed.run if status is None else failed.run[failed.status.codes == status]
    return boot.ratio(np.bincount(chosen, minlength=campaign.runs).astype(float), landed + every, share=True)


def _failures(campaign: Campaign, boot: Resamples) -> tuple[Section, Estimate]:
    failed, rate = campaign.failed, _failure_rate(campaign, boot)
    rows: Rows = [["all failed", len(failed.run), rate]]
    for i, name in enumerate(failed.status.names):
        if count := int((failed.status.codes == i).sum()):
            rows.append([name, count, _failure_rate(campaign, boot, i)])
    were = "was" if len(failed.run) == 1 else "were"
    says = (
        f"{len(failed.run)} of {count_noun(rate.n, 'draw')} {were} no landing and {were} drawn again, a redraw rate of "
        f"{show(rate)}; {len(np.unique(failed.run))} of {count_noun(campaign.runs, campaign.unit)} had any, "
        f"{int(campaign.unfinished.sum())} "
        "ended early for it. Drawing again leaves out what failed, so a rate that is not small biases every figure."
    )
    return Section("Failed attempts", says, Table("failed_attempts", ["status", "draws", "share of draws"], rows)), rate
