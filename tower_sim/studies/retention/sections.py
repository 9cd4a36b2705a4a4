"""The other sections of a report on games or chains: the map, stays, memory, fairness, the rule, own columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.drawing import cube_colours
from tower_sim.report import RULE, Chart, Panel, Rows, Section, Table, bars, charts, level, points
from tower_sim.results import Array, Estimates, Resamples, difference, holm, show
from tower_sim.studies.retention import battles, retention
from tower_sim.studies.retention.baseline import is_of_the_rule
from tower_sim.studies.retention.design import estimate, other_figures, own_columns
from tower_sim.studies.retention.effects import LEVEL
from tower_sim.studies.retention.retention import DROPS_OF_A_CELL, LATE, WITHIN
from tower_sim.studies.retention.tower import NAMES, TowerFigures
from tower_sim.surrogate import RESIDENT_OUT

LONG = 12  # rows that a report shows of a long table
ENOUGH = 20  # cubes at risk, from which on an age is drawn


def thrown_and_inside(tower: TowerFigures) -> Section:
    """Return the section with the map of cubes out."""
    campaign, d = tower.campaign, tower.campaign.rows
    binned = retention.emerged_map(campaign, tower.boot, campaign.is_phase)
    x, y = binned.thrown_edges, binned.inside_edges
    few = (binned.drops < DROPS_OF_A_CELL) | (binned.runs < DROPS_OF_A_CELL)
    off = (binned.excess.low > 0) | (binned.excess.high < 0)
    rows: Rows = [
        [_bin(x, i), _bin(y, j), n := int(binned.drops[i, j]), int(binned.runs[i, j]), binned.mean.at((i, j), n),
         float(binned.rule[i, j]), binned.excess.at((i, j), n)]
        for i, j in np.argwhere(binned.drops > 0).tolist()
    ]  # fmt: skip
    over = tower.moments(d.out - retention.by_the_rule(campaign))[0]
    is_few = (binned.drops > 0) & (binned.drops < DROPS_OF_A_CELL)
    mean = charts.cells(x - 0.5, y - 0.5, binned.mean.value, few=is_few)
    excess = charts.cells(x - 0.5, y - 0.5, binned.excess.value, "{:+.1f}", is_few, off & ~is_few)
    panels = [
        Panel("thrown [cubes]", "inside before [cubes]", [cells], title)
        for cells, title in ((mean, "mean out [cubes]"), (excess, f"mean out minus {NAMES[1]}'s [cubes]"))
    ]
    head = ["thrown [cubes]", "inside before [cubes]", "drops", "runs", "mean out [cubes]", "rule", "out minus rule"]
    return Section(
        "2. Cubes out by cubes thrown and cubes inside",
        f"The data reach from {x[0]} to {x[-1] - 1} cubes thrown and from {y[0]} to {y[-1] - 1} inside; {(~few).sum()} "
        f"cells have {DROPS_OF_A_CELL} or more drops and {campaign.unit}s. In {(off & ~few).sum()} of them the mean "
        "out differs from the 2/3-1/3 rule on the same drops by more than its interval (chance alone: about one cell "
        "in twenty). "
        f"Over all drops {show(over)} cubes more come out of a drop than the rule expects.",
        Table("map", head, rows, LONG),
        Chart("map", "Mean cubes out by cubes thrown and inside", panels, 3.7),
    )


def _bin(edges: Array, i: int) -> str:
    low, high = int(edges[i]), int(edges[i + 1]) - 1
    return str(low) if low == high else f"{low} to {high}"


def stays(tower: TowerFigures) -> Section:
    """Return the section on how long cubes stay."""
    title, mine = "3. How long a cube stays", tower.stays
    if mine is None:
        return Section(title, "No cube was inside before a drop, so there is nothing to tell.")
    young, late = mine.hazard.at(0), mine.old_hazard
    trend = "no trend with age is seen"
    if late and late.high < young.low:
        trend = "the longer a cube has stayed, the less likely it is to go"
    elif late and late.low > young.high:
        trend = "the longer a cube has stayed, the likelier it is to go"
    median = show(mine.median, "drops") if math.isfinite(mine.median.value) else "longer than the data reach"
    columns = {
        "age [drops]": mine.age,
        "at risk [cubes]": mine.at_risk,
        "released [cubes]": mine.released,
        "chance of release": mine.hazard,
        "still inside after it": [mine.survival.at(i, mine.entered) for i in range(len(mine.age))],
    }
    head = ["region", "cube-drops", "chance of release"]
    by_region: Rows = [[name, each.n, each] for name, each in zip(mine.regions, mine.by_region, strict=True)]
    drawn = mine.at_risk >= ENOUGH
    age, curve = np.append(0, mine.age[drawn]), mine.survival.take(drawn)
    low, high = (np.append(1.0, np.nan_to_num(end, nan=1)) for end in (curve.low, curve.high))
    left = [charts.band(age, low, high, step=True), charts.steps(age, np.append(1.0, curve.value), NAMES[0])]
    if tower.rule and (theirs := tower.rule.stays):
        there = (theirs.at_risk >= ENOUGH) & (theirs.age <= len(mine.age))
        values = np.append(1.0, theirs.survival.value[there])
        left.append(charts.steps(np.append(0, theirs.age[there]), values, NAMES[1], RULE))
    third = level(RESIDENT_OUT, NAMES[1])
    names = [name.replace("_", " ") for name in mine.regions]
    chance = "chance of release in a drop"
    panels = [
        Panel("age [drops since it stayed]", "still inside", left, f"n = {mine.entered} stays", limits=(0, 1.02)),
        Panel("age [drops]", chance, [points(mine.age[drawn], mine.hazard.take(drawn), NAMES[0]), third],
              f"n = {mine.at_risk.sum()} cube-drops", floor=True),
        Panel("", chance, [bars(np.arange(len(names)), mine.by_region, NAMES[0], 0.6), third], "by region", names,
              floor=True),
    ]  # fmt: skip
    return Section(
        title,
        f"Of {mine.entered} stays the median length is {median}, the mean within {WITHIN} drops "
        f"{show(mine.mean_within, 'drops')} (Kaplan-Meier; stays that the end of a {tower.campaign.unit} cuts off are "
        f"censored). A resident's chance of release in a drop is {show(young)} at age 1"
        f"{f', at age {LATE} or more {show(late)}' if late else ''}: {trend}.",
        Table.of("survival", columns, LONG),
        Chart("stays", "How long cubes stay", panels, 3.0),
        [Section("", "By the region in which a cube lies:", Table("release_by_region", head, by_region))],
    )


def remembrance(tower: TowerFigures) -> Section:
    """Return the section on the tower's memory."""
    title, campaign, rule = "4. Memory", tower.campaign, tower.rule
    if campaign.runs < 2:
        return Section(title, "Memory is judged between runs: this needs two or more.")
    n, lags = int(campaign.is_phase.sum()), np.arange(1, retention.LAGS + 1)
    one, seven = (tower.lags.at((0, i), n) for i in (0, retention.LAGS - 1))
    says = [
        f"The number inside is correlated with itself by {show(one)} one drop later and {show(seven)} seven drops "
        "later, each number taken from the mean at its drop."
    ]
    if campaign.strata.max(initial=0) == 0 and len(np.unique(campaign.run_point)) > 1:
        says.append("There is a design point with one run only, so what differs between points counts as memory here.")
    rows: Rows = [
        [name, *(tower.lags.at((i, k), n) for k in range(retention.LAGS))]
        for i, name in enumerate(["all cubes", *campaign.colours])
    ]
    paints = cube_colours(campaign.colours).values()
    draws = [charts.line(lags, row, paint=paint) for row, paint in zip(tower.lags.value[1:], paints, strict=True)]
    draws.append(points(lags, tower.lags.take(0), "all cubes"))
    draws += [points(lags, rule.lags.value[0], NAMES[1], RULE)] if rule else []
    panels = [Panel("lag [drops]", "autocorrelation, number inside", [*draws, level(0)])]
    return Section(
        title,
        "\n\n".join(says),
        Table("autocorrelation", ["inside", *(f"lag {k}" for k in lags)], rows),
        Chart("memory", "Memory of the tower", panels, 3.1),
    )


def alike(tower: TowerFigures) -> Section:
    """Return the section on whether colours are alike."""
    campaign, boot = tower.campaign, tower.boot
    tests: dict[str, battles.Fairness] = {}
    says: list[str] = []
    for name, situations, words in (
        ("thrown", battles.thrown_situations(campaign), "thrown in the same drop"),
        ("residents", battles.resident_situations(campaign), "inside, of the same region and age in the same drop"),
    ):
        test = battles.compare_colours(campaign, boot, situations, campaign.rng(f"fairness {name}"))
        if test is None:
            says.append(f"Cubes {words}: no drop has cubes of two colours of which some came out, so no test.")
            continue
        tests[name] = test
        colour, largest = test.largest()
        verdict = "colours differ" if test.p < 0.05 else "no difference between colours is shown"
        says.append(
            f"Cubes {words}: {verdict} at the 5 % level, p = {test.p:.3g} (Monte Carlo error {test.p_error:.1g}, "
            f"{test.permutations} permutations; chi-squared limit {test.p_chi2:.3g}), {test.cubes} cubes in "
            f"{test.situations} situations that can tell. The largest effect is {colour}: {show(largest.times(100))} "
            "percentage points from what is expected (an interval for one colour; it is the largest of "
            f"{len(test.colours)})."
        )
    x = np.arange(len(campaign.colours))
    drawn = [
        points(x + 0.2 * (i - (len(tests) - 1) / 2), Estimates.of(each.times(100) for each in test.differences),
               f"{name}, n = {test.cubes} cubes", i, joined=False)
        for i, (name, test) in enumerate(tests.items())
    ]  # fmt: skip
    panels = [Panel("", "out minus expected [pp]", [*drawn, level(0)], "pp: percentage points", campaign.colours)]
    of_tests: dict[str, Any] = {"colour": campaign.colours}
    for name, test in tests.items():
        of_tests |= {f"{name}: cubes": test.differences.n, f"{name}: share out minus expected": test.differences}
    table = Table.of("fairness", of_tests) if tests else None
    chart = Chart("fairness", "Colours", panels, 3.0)
    return Section("5. Fairness between colours", "\n\n".join(says), table, chart)


def against_rule(tower: TowerFigures) -> Section:
    """Return the comparison with the 2/3-1/3 rule."""
    title = "6. Beside the 2/3-1/3 rule"
    itself = "This campaign is itself of the 2/3-1/3 rule; the comparison is a check that figures agree.\n\n"
    says = itself if is_of_the_rule(tower.campaign) else ""
    if tower.rule is None:
        return Section(
            title,
            f"{says}The rule is played beside games only; for these drops section 2 compares it, throw by throw, on "
            "the same numbers thrown and inside.",
        )
    theirs = tower.rule.figures()
    rows = [(name, unit, mine, theirs[name][1]) for name, (unit, mine) in tower.figures().items() if name in theirs]
    gaps = difference(Estimates.of(row[3] for row in rows), Estimates.of(row[2] for row in rows))
    p = holm(np.nan_to_num(gaps.p, nan=1.0))
    differ = [name for (name, *_), each in zip(rows, p, strict=True) if each <= LEVEL]
    pairs = [(name if unit == "1" else f"{name} [{unit}]", mine, other) for name, unit, mine, other in rows]
    return Section(
        title,
        f"{says}{tower.rule.campaign.runs} games of the rule (a thrown cube comes out with 2/3, a resident with 1/3, "
        f"independently) were played with the same cubes and phases. {len(differ)} of {len(rows)} figures surely "
        f"differ (p up to {LEVEL:.2g}, Holm's correction over all){': ' * bool(differ)}{'; '.join(differ)}.",
        Table(
            "beside_the_rule",
            ["figure", "unit", "this campaign", "n", NAMES[1]],
            [[name, unit, mine, mine.n, other] for name, unit, mine, other in rows],
        ),
        Chart("beside_the_rule", "Figures beside the rule's", *charts.beside(pairs, ("this campaign", NAMES[1]))),
    )


def own(campaign: Campaign, boot: Resamples) -> list[Section]:
    """Return the section on columns and figures that no other section covers."""
    columns, figures = own_columns(campaign), other_figures(campaign)
    if not columns and not figures:
        return []
    of_runs = [[figure.title, figure.unit, estimate(campaign, boot, figure)] for figure in figures]
    rows: Rows = [
        [name, meaning, what, (value := part.estimate(boot)), value.n]
        for name, meaning, parts in columns
        for what, part in parts.items()
    ]
    own_table = Table("own_figures", ["figure", "unit", f"mean of a {campaign.unit}"], of_runs)
    of_columns = Section(
        "",
        "Columns of the game's own table: of a number its mean over the drops that have it, of a word the share of "
        "those drops that have it; `drops` counts them.",
        Table("own_columns", ["column", "meaning", "what", "value", "drops"], rows),
    )
    title = f"What the game tells ({campaign.game.title if campaign.game else campaign.kind})"
    return [Section(title, table=own_table if of_runs else None, parts=[of_columns] if rows else [])]
