"""What a swept report tells of each point by itself beyond its main figures, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Estimates, Resamples
from tower_sim.study import battles, memory, plots_sweep, retention, survival
from tower_sim.study.points import at_point
from tower_sim.study.sections_sweep import Swept
from tower_sim.study.sheets import Cell, Sheets

MOST = 24  # points, beyond which only the main figures are told
MOST_DRAWN = 12  # points

CellRows = list[list[Cell]]


def details(sheets: Sheets, swept: Swept, tell: Callable[[int], None]) -> None:
    """Tell the distributions of every point; `tell` hears how many points are done."""
    sheets.text("## 3. Every point by itself")
    if len(swept.points) > MOST:
        sheets.text(
            f"Distributions by point are left out: there are {len(swept.points)} points, and they are told of up to "
            f"{MOST}. {_of_one_point(swept)}"
        )
        return
    if battles.are_on_board(swept.campaign):
        _landings(sheets, swept, tell)
    else:
        _drops(sheets, swept, tell)
    _left_out(sheets, swept)


def _of_one_point(swept: Swept) -> str:
    return f"`tower-sim study DIR --point {int(swept.points[0])} -o REPORT` makes the whole report of one point."


def _left_out(sheets: Sheets, swept: Swept) -> None:
    games = " and the table beside the 2/3-1/3 rule" if swept.campaign.has_setup else ""
    what = (
        "how cubes are knocked on by the number thrown, the lengths of chains of explosions, and who wins by the first "
        "cubes"
        if battles.are_on_board(swept.campaign)
        else "the map of cubes out by cubes thrown and inside, what one drop tells of the next and the gain of "
        f"predictors, the tests that colours are alike,{games}"
    )
    sheets.text(
        f"Left out here, since each takes the drops of a whole campaign and would mix points: {what.rstrip(',')}. "
        f"{_of_one_point(swept)}"
    )


def _drops(sheets: Sheets, swept: Swept, tell: Callable[[int], None]) -> None:
    out: CellRows = []
    inside: CellRows = []
    release: CellRows = []
    lags: CellRows = []
    shares: list[Estimates] = []
    courses: list[Estimates] = []
    counts: list[int] = []
    for done, (point, label) in enumerate(zip(swept.points.tolist(), swept.labels, strict=True)):
        own = at_point(swept.campaign, point)
        boot, d, rows = Resamples(own.strata, own.rng("resamples")), own.drops, own.phases
        if rows.any():
            by_number, count = retention.histogram(own, boot, d.emerged, rows)
            shares.append(by_number)
            counts.append(int(rows.sum()))
            head: list[Cell] = [point, label]
            out += [[*head, i, int(n), by_number.at(i, counts[-1])] for i, n in enumerate(count) if n]
            size = int(d.drop.max()) + 1
            mean, runs = retention.grouped_mean(own, boot, d.inside_after, d.drop, np.ones(len(d), bool), size)
            courses.append(mean)
            inside += [[*head, i, int(runs[i]), mean.at(i, runs[i])] for i in range(size) if runs[i]]
            release += [[*head, *row] for row in _release(own, boot)]
            acf = memory.autocorrelation(own, boot, d.inside_after)
            lags.append([*head, int(rows.sum()), *(acf.at(k, 0) for k in range(memory.LAGS))])
        tell(done + 1)
    if not out:
        sheets.text("No drop after the set-up threw a cube, so there is nothing more to tell.")
        return
    sheets.text("How many come out of a drop, the share of the point's drops with cubes thrown:")
    sheets.data("out_of_drop", ["point", "which", "out [cubes]", "drops", "share of drops"], out)
    if len(shares) <= MOST_DRAWN:
        names = swept.labels
        picture = plots_sweep.bars_by_point(shares, names, counts, "out of a drop [cubes]")
        sheets.picture("out_of_drop", picture, "Cubes out of a drop, by point")
    sheets.text("How the number inside changes with the drops, the mean over the point's runs:")
    sheets.data("inside_by_drop", ["point", "which", "drop", "runs", "mean inside [cubes]"], inside)
    if len(courses) <= MOST_DRAWN:
        picture = plots_sweep.courses_by_point(courses, swept.labels, "mean inside [cubes]")
        sheets.picture("inside_by_drop", picture, "Cubes inside by drop, by point")
    sheets.text("A resident's chance of release in a drop, by the drops since it was thrown in:")
    sheets.data("release", ["point", "which", "age [drops]", "at risk [cubes]", "chance of release"], release)
    sheets.text("How the number inside is correlated with itself some drops later (from the mean at each drop):")
    head_of = ["point", "which", "drops", *(f"lag {k + 1}" for k in range(memory.LAGS))]
    sheets.table("autocorrelation", head_of, lags, shown=MOST_DRAWN)


def _release(own: Campaign, boot: Resamples) -> CellRows:
    residents = survival.survival(own, boot)
    if residents is None:
        return []
    pairs = zip(residents.age.tolist(), residents.at_risk.tolist(), strict=True)
    return [[int(age), int(n), residents.hazard.at(i, int(n))] for i, (age, n) in enumerate(pairs)]


def _landings(sheets: Sheets, swept: Swept, tell: Callable[[int], None]) -> None:
    rows: CellRows = []
    for done, (point, label) in enumerate(zip(swept.points.tolist(), swept.labels, strict=True)):
        own = at_point(swept.campaign, point)
        if len(own.cubes):
            landings = battles.landings(own, Resamples(own.strata, own.rng("resamples")))
            thrown, final = int(landings.counts.sum()), int(landings.final_counts.sum())
            rows += [
                [
                    point,
                    label,
                    place,
                    int(landings.counts[i]),
                    landings.landed.at(i, thrown),
                    landings.final.at(i, final),
                ]
                for i, place in enumerate(landings.places)
            ]
        tell(done + 1)
    sheets.text("Where the cubes of a point's battles land, and where they lie at the end:")
    head = ["point", "which", "place", "landed [cubes]", "share of landings", "share at the end"]
    sheets.table("landings", head, rows)
