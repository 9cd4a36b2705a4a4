"""The study of a campaign: read it, compute, and write the report."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.campaign.dataset import spans
from tower_sim.study import sections
from tower_sim.study.baseline import is_of_the_rule, play_beside
from tower_sim.study.bootstrap import FEWEST as FEWEST_RUNS
from tower_sim.study.bootstrap import Resamples
from tower_sim.study.data import Campaign
from tower_sim.study.figures import figures
from tower_sim.study.load import load
from tower_sim.study.sections_battle import battles
from tower_sim.study.sections_sweep import sweeps
from tower_sim.study.sheets import Cell, Sheets, said

PACKAGES = ("tower_sim", "numpy", "scipy", "pyarrow", "matplotlib", "SALib")


def study(directory: str | Path, out: str | Path) -> None:
    """Write the study of the campaign in `directory` into `out`: report.md, tables/*.csv, plots/*.png.

    Each file is written whole or not at all; a second call writes the same tables and text. What is random (resampled
    runs, permutations, folds) is drawn from the spec's digest.
    Raises UsageError when there is no campaign with a landed drop, or `out` cannot be written.
    """
    campaign = load(directory)
    boot = Resamples(campaign.strata, campaign.rng("resamples"))
    sheets = Sheets(out)
    _begin(sheets, campaign, boot)
    _redraws(sheets, campaign, boot)
    if campaign.kind == "battle":
        battles(sheets, campaign, boot)
    elif campaign.phases.any():
        _towers(sheets, campaign, boot)
    else:
        sheets.text("No drop after the set-up threw a cube, so there is nothing more to study.")
    if len(np.unique(campaign.run_point)) > 1:
        sweeps(sheets, campaign, boot)
    sheets.close()


def _towers(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    mine = figures(campaign, boot)
    played = play_beside(campaign, campaign.rng("rule")) if campaign.kind == "game" else None
    rule = figures(played, Resamples(played.strata, campaign.rng("rule resamples"))) if played else None
    sections.seven_questions(sheets, mine, rule)
    sections.thrown_and_inside(sheets, mine)
    sections.stays(sheets, mine, rule)
    sections.remembrance(sheets, mine, rule)
    sections.alike(sheets, mine)
    sections.against_rule(sheets, mine, rule, is_of_the_rule(campaign))


def _begin(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    spec, points = campaign.spec, len(np.unique(campaign.run_point))
    sheets.text(f"# Study of a campaign of {campaign.unit}s")
    _missing(sheets, campaign)
    sheets.text("## What was run")
    rows: list[Sequence[Cell]] = [
        [key, str(spec[key])] for key in ("kind", "apparatus", "model", "seed", "design") if spec.get(key, "") != ""
    ]
    for key in ("rules", "chain", "battle", "settings"):
        if spec.get(key):
            rows.append([key, f"`{json.dumps(spec[key], default=str)}`"])
    planned = _planned(spec, len(campaign.points))
    drops = int(campaign.drops.drawn.sum())
    rows += [
        ["spec digest", campaign.digest],
        ["design points", points],
        [f"{campaign.unit}s", f"{campaign.runs}{f' of {planned} planned' if planned else ''}"],
        ["drops that landed", drops],
        ["entries of cubes", len(campaign.cubes)],
    ]
    rows += [[f"made with {name}", version] for name, version in campaign.made_with.items()]
    rows += [[f"studied with {name}", version] for name, version in _versions().items()]
    sheets.table("campaign", ["what", "value"], rows)
    strata = "within each design point" if boot.strata > 1 else "over all"
    sheets.text(
        f"Every interval is of 95 %, from {boot.count} resamples of whole {campaign.unit}s with replacement {strata} "
        "(expanded percentile) unless said otherwise; n is what a figure was taken from. Intervals are for one figure "
        "at a time."
    )
    if not boot.has_intervals:
        sheets.text(
            f"Runs here: {campaign.runs}. Figures have no interval: that needs {FEWEST_RUNS} {campaign.unit}s or more."
        )
    elif points > 1:
        sheets.text(
            f"Sections before the last pool the {points} design points with the weights they have in the data; the "
            "last tells what the varied parameters do."
        )


def _missing(sheets: Sheets, campaign: Campaign) -> None:
    """Say which planned shards are not in the data."""
    if not campaign.missing:
        return
    one = len(campaign.missing) == 1
    planned = _planned(campaign.spec, len(campaign.points))
    sheets.text(
        f"**Not whole:** shard{'' if one else 's'} {spans(campaign.missing)} of {campaign.shards} planned "
        f"{'is' if one else 'are'} missing: {campaign.runs} of {planned} {campaign.unit}s are studied. Run the campaign "
        "again to do the rest; what is missing may be of some points only."
    )


def _planned(spec: Mapping[str, Any], points: int) -> int:
    runs = spec.get("runs")
    return runs * max(points, 1) if isinstance(runs, int) else 0


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _redraws(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    drops, failed = campaign.drops, campaign.failed
    landed = campaign.by_run(drops.drawn.astype(float))[:, 0]
    of_run = np.bincount(failed.run, minlength=campaign.runs).astype(float)
    rate = boot.share(of_run, landed + of_run)
    jammed = np.bincount(failed.status.codes[failed.status.codes >= 0], minlength=len(failed.status.names))
    hit = int((of_run > 0).sum())
    sheets.text("## Failed attempts")
    sheets.text(
        f"{len(failed.run)} of {rate.n} draws were no landing and were drawn again, a redraw rate of {said(rate)}; "
        f"{hit} of {campaign.runs} {campaign.unit}s had any, {int(campaign.unfinished.sum())} ended early for it. "
        "Drawing again leaves out what failed, so a rate that is not small biases every figure below."
    )
    rows: list[list[Cell]] = [["all failed", len(failed.run), rate]]
    for i, name in enumerate(failed.status.names):
        if jammed[i]:
            per_run = np.bincount(failed.run[failed.status.codes == i], minlength=campaign.runs).astype(float)
            rows.append([name, int(jammed[i]), boot.share(per_run, landed + of_run)])
    sheets.table("failed_attempts", ["status", "draws", "share of draws"], rows)
    _redraws_by_point(sheets, campaign, landed, of_run)


def _redraws_by_point(sheets: Sheets, campaign: Campaign, landed: Any, failed: Any) -> None:
    size = int(campaign.run_point.max()) + 1
    over, under = (np.bincount(campaign.run_point, each, size) for each in (failed, landed + failed))
    if np.count_nonzero(under) < 2 or not over.any():
        return
    rows = [[int(i), int(under[i]), int(over[i]), float(over[i] / under[i])] for i in np.flatnonzero(under)]
    rows.sort(key=lambda row: -cast("float", row[3]))
    sheets.text("By design point, the highest rate first:")
    sheets.table("failed_by_point", ["point", "draws", "failed", "redraw rate"], rows, shown=8)
