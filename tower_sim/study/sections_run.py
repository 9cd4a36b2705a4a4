"""The sections of every report on the campaign itself: what it is in plain words, what was run, what failed."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.campaign.dataset import spans
from tower_sim.campaign.vary import told
from tower_sim.statistics import FEWEST, Estimate, Resamples
from tower_sim.study import battles, retention
from tower_sim.study.points import at_point, used_points
from tower_sim.study.sheets import HOW_SURE, Cell, Sheets, plain_share, plainly, said

PACKAGES = ("tower_sim", "numpy", "scipy", "pyarrow", "matplotlib", "SALib")


def title(sheets: Sheets, campaign: Campaign, point: int | None) -> None:
    """Name the report, and the one design point that is studied, if any."""
    which = "" if point is None else f", point {point}: {told(dict(campaign.points[point]))}"
    sheets.text(f"# Study of a campaign of {campaign.unit}s{which}")


def missing(sheets: Sheets, campaign: Campaign) -> None:
    """Say which planned shards are not in the data."""
    if not campaign.missing:
        return
    one = len(campaign.missing) == 1
    planned = _planned(campaign.spec, len(campaign.points))
    sheets.text(
        f"**Not whole:** shard{'' if one else 's'} {spans(campaign.missing)} of {campaign.shards} planned "
        f"{'is' if one else 'are'} missing: {campaign.runs} of {planned} {campaign.unit}s are studied. Run the "
        "campaign again to do the rest; what is missing may be of some points only."
    )


def plain(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Say in a few words what chains or battles of one point come to, and how sure that is."""
    said_last = f"({campaign.runs} {campaign.unit}s; {HOW_SURE}.)"
    if battles.are_on_board(campaign):
        if not (len(campaign.cubes) and battles.have_winners(campaign)):
            return
        odds = battles.odds(campaign, boot)
        if len(odds.cubes) != 1:
            return
        width, n = len(odds.sides) + 1, int(odds.battles[0])
        wins = [f"{side} wins {plain_share(odds.wins.at(i, n))}" for i, side in enumerate(odds.sides)]
        words = f"With {' to '.join(map(str, odds.cubes[0].tolist()))} cubes " + " and ".join(wins) + " of battles"
        nobody = odds.wins.at(width - 1, n)
        sheets.text(f"{words}{f', nobody {plain_share(nobody)}' if nobody.value > 0 else ''}. {said_last}")
    elif campaign.phases.any():
        rows = campaign.phases
        share = retention.cube_share(campaign, boot, rows, of_thrown=True)
        residents = retention.cube_share(campaign, boot, rows, of_thrown=False)
        inside, _ = retention.moments(campaign, boot, campaign.drops.inside_after, rows)
        sheets.text(
            f"Of the cubes thrown {plain_share(share)} come out in the same drop, of those already inside "
            f"{plain_share(residents)}. After a drop {plainly(inside)} cubes are in the tower on average. {said_last}"
        )


def what_was_run(sheets: Sheets, campaign: Campaign, strata: str) -> None:
    """List the spec, the amount of data and the versions; `strata` says within what runs are resampled."""
    sheets.text("## What was run")
    spec, points = campaign.spec, len(used_points(campaign))
    rows: list[Sequence[Cell]] = [
        [key, str(spec[key])] for key in ("kind", "apparatus", "model", "seed", "design") if spec.get(key, "") != ""
    ]
    tables = ("rules", "chain", "battle") if campaign.game is None else campaign.game.tables
    declared = "" if campaign.game is None else campaign.game.declared
    for key in (*tables, "settings"):
        if spec.get(key) and key != declared:  # a whole game would be too long; its digest is the spec's
            rows.append([key, f"`{json.dumps(spec[key], default=str)}`"])
    if spec.get("settings"):
        rows.append(["engine", str(spec["settings"]["engine"])])
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
    sheets.text(
        f"Every interval is of 95 %, from resamples of whole {campaign.unit}s with replacement {strata} (expanded "
        "percentile) unless said otherwise; n is what a figure was taken from. Intervals are for one figure at a time."
    )
    if points == 1 and campaign.runs < FEWEST:
        sheets.text(
            f"Runs here: {campaign.runs}. Figures have no interval: that needs {FEWEST} {campaign.unit}s or more."
        )


def _planned(spec: Mapping[str, Any], points: int) -> int:
    runs = spec.get("runs")
    return runs * max(points, 1) if isinstance(runs, int) else 0


def _versions() -> dict[str, str]:
    versions: dict[str, str] = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def failures(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell how many draws of a campaign of one point were no landing."""
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


def failures_by_point(sheets: Sheets, campaign: Campaign) -> None:
    """Tell for every point how many draws were no landing."""
    sheets.text("## Failed attempts")
    rows: list[list[Cell]] = []
    for point in used_points(campaign).tolist():
        own = at_point(campaign, point)
        boot = Resamples(own.strata, own.rng("resamples"))
        landed = own.by_run(own.drops.drawn.astype(float))[:, 0]
        failed = np.bincount(own.failed.run, minlength=own.runs).astype(float)
        rate = boot.share(failed, landed + failed)
        rows.append([point, rate.n, len(own.failed.run), rate, int(own.unfinished.sum())])
    some = [row for row in rows if row[2]]
    sheets.text(
        f"Draws that were no landing and were drawn again: {len(campaign.failed.run)}, at {len(some)} of {len(rows)} "
        "points. Drawing again leaves out what failed, so a rate that is not small biases the point's figures."
    )
    head = ["point", "draws", "failed", "redraw rate", f"{campaign.unit}s that ended early"]
    rows.sort(key=lambda row: -float(row[3].value if isinstance(row[3], Estimate) else 0))
    if some:
        sheets.table("failed_by_point", head, rows, shown=8)
    else:
        sheets.data("failed_by_point", head, rows)
