"""The study of a campaign: read it, compute, and write the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tower_sim.campaign.data import Campaign
from tower_sim.campaign.reader import load
from tower_sim.progress import telling
from tower_sim.statistics import Resamples
from tower_sim.study import players, sections, sections_device, sections_players, sections_points, sections_sweep
from tower_sim.study.baseline import is_of_the_rule, play_beside
from tower_sim.study.battles import are_on_board
from tower_sim.study.figures import Figures, figures
from tower_sim.study.points import at_point, used_points
from tower_sim.study.sections_battle import battles
from tower_sim.study.sections_own import own_columns
from tower_sim.study.sections_run import failures, failures_by_point, missing, plain, title, what_was_run
from tower_sim.study.sheets import Sheets
from tower_sim.study.sweeps import curves

EFFECTS = 20  # steps that progress counts for the effects of the fields


SCHEMA = "tower-sim/study"


def study(directory: str | Path, out: str | Path, point: int | None = None) -> dict[str, Any]:
    """Write the study of the campaign in `directory` into `out`; returns its document: what it says and its tables.

    It writes report.html, which holds all, and report.md with tables/*.csv and plots/*.png.

    Of a campaign with several design points nothing is averaged over points; `point` studies the runs of one of them as
    a campaign of their own. Each file is written whole or not at all; a second call writes the same tables and text.
    What is random (resampled runs, permutations, folds) is drawn from the spec's digest.
    Raises UsageError when there is no campaign with a landed drop, a file of it is not as it was written, the point has
    no data, or `out` cannot be written.
    """
    campaign = load(directory)
    whole = campaign
    if point is not None:
        campaign = at_point(whole, point)
    sheets = Sheets(out)
    title(sheets, whole, point)
    missing(sheets, whole)
    if len(used_points(campaign)) > 1:
        _swept(sheets, campaign)
    else:
        _of_one_point(sheets, at_point(campaign, int(campaign.run_point[0])) if any(campaign.points) else campaign)
    sheets.close()
    return sheets.document(SCHEMA)


def _swept(sheets: Sheets, campaign: Campaign) -> None:
    """Tell what a design's points are like, and what its fields do."""
    points = len(used_points(campaign))
    with telling("steps", 2 * points + EFFECTS + 1) as tell:
        swept = sections_sweep.swept_of(campaign, curves(campaign, tell))
        sections_device.of_points(sheets, swept)
        sections_sweep.plain(sheets, swept)
        sections_sweep.figures_by_point(sheets, swept)
        sections_sweep.effects(sheets, swept, lambda part: tell(points + round(part * EFFECTS)))
        sections_points.details(sheets, swept, lambda done: tell(points + EFFECTS + done))
        what_was_run(sheets, campaign, "within its design point")
        failures_by_point(sheets, campaign)
        tell(2 * points + EFFECTS + 1)


def _of_one_point(sheets: Sheets, campaign: Campaign) -> None:
    """Tell all of a campaign whose runs are alike."""
    boot = Resamples(campaign.strata, campaign.rng("resamples"))
    sections_device.of_one_point(sheets, campaign, boot)
    if players.figures(campaign):
        sections_players.plain(sheets, campaign, boot)
        sections_players.first_figures(sheets, campaign, boot)
    else:
        plain(sheets, campaign, boot)
    what_was_run(sheets, campaign, "over all")
    failures(sheets, campaign, boot)
    if are_on_board(campaign):
        battles(sheets, campaign, boot)
    elif campaign.phases.any():
        _towers(sheets, campaign, boot)
    else:
        sheets.text("No drop after the set-up threw a cube, so there is nothing more to study.")
    own_columns(sheets, campaign, boot)


def _towers(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    mine: list[Figures] = []
    rules: list[Figures | None] = []

    def of_rule() -> None:
        played = play_beside(campaign, campaign.rng("rule"))
        rules.append(figures(played, Resamples(played.strata, campaign.rng("rule resamples"))) if played else None)

    steps: list[Callable[[], None]] = [
        lambda: mine.append(figures(campaign, boot)),
        of_rule,
        lambda: sections.seven_questions(sheets, mine[0], rules[0]),
        lambda: sections.thrown_and_inside(sheets, mine[0]),
        lambda: sections.stays(sheets, mine[0], rules[0]),
        lambda: sections.remembrance(sheets, mine[0], rules[0]),
        lambda: sections.alike(sheets, mine[0]),
        lambda: sections.against_rule(sheets, mine[0], rules[0], is_of_the_rule(campaign)),
    ]
    with telling("steps", len(steps)) as tell:
        for done, step in enumerate(steps):
            step()
            tell(done + 1)
