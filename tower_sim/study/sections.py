"""The sections of a report on games or chains: each writes its table, its plot and what they say."""

from __future__ import annotations

import math

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.statistics import Estimate, Estimates, Resamples, apart, holm
from tower_sim.study import fairness, memory, plots, retention, survival
from tower_sim.study.effects import LEVEL
from tower_sim.study.figures import LATE, Figures, colours_out
from tower_sim.study.plots_beside import beside
from tower_sim.study.plots_map import heat_map
from tower_sim.study.sheets import Cell, Sheets, said
from tower_sim.surrogate.two_thirds import RESIDENT_OUT, THROWN_OUT


def seven_questions(sheets: Sheets, mine: Figures, rule: Figures | None) -> None:
    """Answer the seven questions (chains: those that do not need a set-up)."""
    campaign, boot = mine.campaign, mine.boot
    sheets.text("## 1. The seven questions")
    if mine.inside_setup:
        _setup(sheets, mine, rule)
    else:
        sheets.text("Questions 1 and 2 are about a game's set-up; this campaign has none.")
    _course(sheets, mine, rule)
    _out(sheets, mine, rule)
    rows, d = campaign.phases, campaign.drops
    first = int(d.thrown[rows].min())
    size = int(d.thrown[rows].max()) - first + 1
    share, counts = _share_by_thrown(campaign, boot, rows, first, size)
    colours, _ = retention.histogram(campaign, boot, colours_out(campaign), rows)
    reference = _shares(rule, colours_out(rule.campaign)) if rule else np.zeros(0)
    sheets.text(
        f"**6. How many of the cubes just thrown come out?** A share of {said(mine.thrown_share)} of "
        f"{mine.thrown_share.n} cubes thrown in phases; of the cubes already inside {said(mine.resident_share)} "
        f"come out in a drop ({mine.resident_share.n} cube-drops)."
    )
    sheets.table(
        "thrown_out",
        ["thrown [cubes]", "drops", "share of those thrown that come out"],
        [[first + i, int(counts[i]), share.at(i, counts[i])] for i in range(size) if counts[i]],
    )
    sheets.text(
        f"**7. How many different colours come out?** {said(mine.colours_out[0])} on average, standard deviation "
        f"{said(mine.colours_out[1])} ({mine.colours_out[0].n} drops)."
    )
    sheets.table(
        "colours_out",
        ["colours out", "share of drops", "rule"],
        [
            [i, colours.at(i, mine.colours_out[0].n), float(reference[i]) if i < len(reference) else None]
            for i in range(len(colours.value))
            if colours.value[i] or reference[i : i + 1].any()
        ],
    )
    picture = plots.fresh_and_colours(share, counts, first, colours, reference, int(rows.sum()))
    sheets.picture("thrown_and_colours", picture, "Share of the thrown that come out; colours out")


def _shares(figures: Figures, values: Array) -> Array:
    chosen = values[figures.phases]
    return np.bincount(chosen) / max(len(chosen), 1)


def _setup(sheets: Sheets, mine: Figures, rule: Figures | None) -> None:
    assert mine.inside_setup
    campaign, d = mine.campaign, mine.campaign.drops
    inside = d.inside_after[mine.setup].astype(np.int64)
    thrown = d.thrown[mine.setup]
    of = f"{thrown.min()}" if thrown.min() == thrown.max() else f"{thrown.min()} to {thrown.max()}"
    low, middle, high = np.quantile(inside, [0.05, 0.5, 0.95])
    expected = f" The 2/3-1/3 rule expects {(1 - THROWN_OUT) * thrown.mean():.2f}."
    sheets.text(
        f"**1. How many of the {of} cubes stay inside at set-up?** {said(mine.inside_setup[0])} on average, standard "
        f"deviation {said(mine.inside_setup[1])}; half of the games have {middle:g} or fewer, nine of ten between "
        f"{low:g} and {high:g} ({len(inside)} games).{expected}"
    )
    shares, counts = retention.histogram(campaign, mine.boot, d.inside_after, mine.setup)
    sheets.table(
        "setup_inside",
        ["inside after the set-up [cubes]", "games", "share of games"],
        [[i, int(counts[i]), shares.at(i, len(inside))] for i in range(len(counts)) if counts[i]],
    )
    mine_colours = retention.setup_colours(campaign, mine.boot, mine.setup)
    rule_colours = retention.setup_colours(rule.campaign, rule.boot, rule.setup) if rule else None
    means = mine_colours.means
    spread = means.value.max() - means.value.min()
    sheets.text(
        f"**2. How are their colours distributed?** The means by colour span {spread:.2g} cubes; all colours are "
        f"present in a share of {said(mine_colours.all_present)} of games. The variance of a colour's count is "
        f"{said(mine_colours.dispersion)} times that of drawing the cubes that stay at random, so colours are "
        f"{_against_one(mine_colours.dispersion, 'more alike', 'more unlike', 'neither more alike nor more unlike')} "
        "than chance makes them."
    )
    sheets.table(
        "setup_colours",
        ["colour", "mean inside [cubes]", "rule"],
        [
            [name, means.at(i, len(inside)), rule_colours.means.at(i, 0) if rule_colours else None]
            for i, name in enumerate(campaign.colours)
        ],
    )
    of_rule = rule.campaign.drops.inside_after[rule.setup].astype(np.int64) if rule else np.zeros(0, np.int64)
    nothing = Estimates(*(np.zeros(0),) * 3)
    picture = plots.setup(inside, of_rule, campaign.colours, means, rule_colours.means if rule_colours else nothing)
    sheets.picture("setup", picture, "Cubes inside after the set-up")


def _against_one(ratio: Estimate, below: str, above: str, neither: str) -> str:
    return below if ratio.high < 1 else above if ratio.low > 1 else neither


def _course(sheets: Sheets, mine: Figures, rule: Figures | None) -> None:
    campaign, d = mine.campaign, mine.campaign.drops
    size = int(d.drop.max()) + 1
    everything = np.ones(len(d), bool)
    mean, counts = retention.grouped_mean(campaign, mine.boot, d.inside_after, d.drop, everything, size)
    quantiles = retention.band(campaign, d.inside_after, (0.05, 0.95))
    of_rule = None
    if rule:
        r = rule.campaign.drops
        of_rule = np.bincount(r.drop, r.inside_after) / np.bincount(r.drop)
    last = min(size, 8)
    tail = d.drop >= size - last
    late = retention.moments(campaign, mine.boot, d.inside_after, tail)[0]
    start = f"from {said(mean.at(0, int(counts[0])))} after drop 0" if size > 1 else "after the only drop"
    sheets.text(
        f"**3. How does the number inside change?** It goes {start} to {said(late)} on average over the last {last} "
        f"drops; over all drops studied it is {said(mine.inside[0])}, standard deviation {said(mine.inside[1])} "
        f"({mine.inside[0].n} drops)."
    )
    sheets.table(
        "inside_by_drop",
        ["drop", "runs", "mean inside [cubes]", "5 % of runs", "95 % of runs", "rule"],
        [
            [
                i, int(counts[i]), mean.at(i, counts[i]), float(quantiles[0, i]), float(quantiles[1, i]),
                float(of_rule[i]) if of_rule is not None and i < len(of_rule) else None,
            ]
            for i in range(size)
            if counts[i]
        ],
    )  # fmt: skip
    phases = len({code for code in d.phase.codes[d.drop > 0].tolist() if code >= 0})
    rounds = [0.5 + phases * i for i in range(size // max(phases, 1) + 1)] if phases and campaign.has_setup else []
    words = "drop (0 is the set-up)" if rounds else "drop"
    picture = plots.course(mean, quantiles, of_rule, campaign.runs, (campaign.unit, words), rounds)
    sheets.picture("inside_by_drop", picture, "Cubes inside by drop")


def _out(sheets: Sheets, mine: Figures, rule: Figures | None) -> None:
    campaign, boot, d = mine.campaign, mine.boot, mine.campaign.drops
    rows = mine.phases
    n = int(rows.sum())
    out = d.emerged[rows]
    low, middle, high = np.quantile(out, [0.05, 0.5, 0.95])
    empty = _empty(campaign, boot)
    beaten = f" In {said(empty)} of phases there was nothing to throw." if empty else ""
    sheets.text(
        f"**4. How many come out in a phase?** {said(mine.out[0])} on average, standard deviation {said(mine.out[1])}; "
        f"the median is {middle:g}, nine of ten lie between {low:g} and {high:g} ({n} drops with something "
        f"thrown).{beaten}"
    )
    shares, counts = retention.histogram(campaign, boot, d.emerged, rows)
    of_rule = _shares(rule, rule.campaign.drops.emerged) if rule else np.zeros(0)
    sheets.table(
        "out_of_drop",
        ["out [cubes]", "drops", "share of drops", "rule"],
        [
            [i, int(counts[i]), shares.at(i, n), float(of_rule[i]) if i < len(of_rule) else None]
            for i in range(len(counts))
            if counts[i]
        ],
    )
    slope, inside, r_squared = (mine.slopes.at(i, n) for i in (1, 2, 3))
    sheets.text(
        f"**5. Does that depend on how many were dropped, and how?** One cube more thrown brings {said(slope)} more "
        f"out, one more inside {said(inside)} (least squares on both, R squared {said(r_squared)}; the rule has 2/3 "
        "and 1/3). The mean by the number thrown:"
    )
    first = int(d.thrown[rows].min())
    size = int(d.thrown[rows].max()) - first + 1
    by_thrown, drops = retention.grouped_mean(campaign, boot, d.emerged, d.thrown - first, rows, size)
    expected = THROWN_OUT * d.thrown + RESIDENT_OUT * d.inside_before
    with np.errstate(invalid="ignore"):
        rule_mean = np.bincount(d.thrown[rows] - first, expected[rows], size) / drops
    sheets.table(
        "out_by_thrown",
        ["thrown [cubes]", "drops", "mean out [cubes]", "rule on the same drops"],
        [[first + i, int(drops[i]), by_thrown.at(i, drops[i]), float(rule_mean[i])] for i in range(size) if drops[i]],
    )
    picture = plots.out_of_drop(shares, of_rule, by_thrown, drops, rule_mean, first)
    sheets.picture("out_of_drop", picture, "Cubes out of a drop")


def _empty(campaign: Campaign, boot: Resamples) -> Estimate | None:
    if not campaign.has_setup:
        return None
    rows = campaign.drops.drop > 0
    sums = campaign.by_run(np.stack([campaign.drops.thrown[rows] == 0, np.ones(rows.sum())], 1), rows)
    return boot.share(sums[:, 0], sums[:, 1])


def _share_by_thrown(
    campaign: Campaign, boot: Resamples, rows: Array, first: int, size: int
) -> tuple[Estimates, Array]:
    d = campaign.drops
    run, thrown = d.run[rows], d.thrown[rows]
    over, under = (
        campaign.tally(run, thrown - first, size, cubes) for cubes in (retention.thrown_out(campaign)[rows], thrown)
    )
    return boot.shares(over, under), np.bincount(thrown - first, minlength=size)


def thrown_and_inside(sheets: Sheets, mine: Figures) -> None:
    """Map the cubes out over cubes thrown and cubes inside."""
    binned = retention.emerged_map(mine.campaign, mine.boot, mine.phases)
    sheets.text("## 2. Cubes out by cubes thrown and cubes inside")
    x, y = binned.thrown_edges, binned.inside_edges
    rows: list[list[Cell]] = []
    apart = counted = 0
    for i, j in np.argwhere(binned.drops > 0):
        n = int(binned.drops[i, j])
        mean, excess = binned.mean.at((i, j), n), binned.excess.at((i, j), n)
        if n >= retention.FEWEST and binned.runs[i, j] >= retention.FEWEST:
            counted += 1
            apart += bool(excess.low > 0 or excess.high < 0)
        rows.append([_bin(x, i), _bin(y, j), n, int(binned.runs[i, j]), mean, float(binned.rule[i, j]), excess])
    d = mine.campaign.drops
    expected = THROWN_OUT * d.thrown + RESIDENT_OUT * d.inside_before
    over = retention.moments(mine.campaign, mine.boot, d.emerged - expected, mine.phases)[0]
    sheets.text(
        f"The data reach from {x[0]} to {_last(x)} cubes thrown and from {y[0]} to {_last(y)} inside; "
        f"{counted} cells have {retention.FEWEST} or more drops and {mine.campaign.unit}s. In {apart} of them the "
        "mean out differs from the 2/3-1/3 rule on the same drops by more than its interval (chance alone: about one "
        f"cell in twenty). Over all drops {said(over)} cubes more come out of a drop than the rule expects."
    )
    head = ["thrown [cubes]", "inside before [cubes]", "drops", "runs", "mean out [cubes]", "rule", "out minus rule"]
    sheets.table("map", head, rows, shown=12)
    sheets.picture("map", heat_map(binned), "Mean cubes out by cubes thrown and inside")


def _bin(edges: Array, i: int) -> str:
    low, high = int(edges[i]), int(edges[i + 1]) - 1
    return str(low) if low == high else f"{low} to {high}"


def _last(edges: Array) -> int:
    return int(edges[-1]) - 1


def stays(sheets: Sheets, mine: Figures, rule: Figures | None) -> None:
    """Tell how long cubes stay."""
    sheets.text("## 3. How long a cube stays")
    residents, by_place = mine.survival, survival.hazards(mine.campaign, mine.boot)
    if residents is None or by_place is None:
        sheets.text("No cube was inside before a drop, so there is nothing to tell.")
        return
    old = f", at age {LATE} or more {said(mine.old_hazard)}" if mine.old_hazard else ""
    young = residents.hazard.at(0, int(residents.at_risk[0]))
    trend = "no trend with age is seen"
    if mine.old_hazard and math.isfinite(young.low) and math.isfinite(mine.old_hazard.low):
        if mine.old_hazard.high < young.low:
            trend = "the longer a cube has stayed, the less likely it is to go"
        elif mine.old_hazard.low > young.high:
            trend = "the longer a cube has stayed, the likelier it is to go"
    median = said(residents.median, "drops") if math.isfinite(residents.median.value) else "longer than the data reach"
    sheets.text(
        f"Of {residents.entered} stays the median length is {median}, the mean within {survival.WITHIN} drops "
        f"{said(residents.mean_within, 'drops')} (Kaplan-Meier; stays that the end of a {mine.campaign.unit} cuts off "
        f"are censored). A resident's chance of release in a drop is {said(young)} at age 1{old}: {trend}."
    )
    sheets.table(
        "survival",
        ["age [drops]", "at risk [cubes]", "released [cubes]", "chance of release", "still inside after it"],
        [
            [
                int(age), int(n), int(residents.released[i]), residents.hazard.at(i, int(n)),
                residents.survival.at(i, residents.entered),
            ]
            for i, (age, n) in enumerate(zip(residents.age, residents.at_risk, strict=True))
        ],
        shown=12,
    )  # fmt: skip
    head = ["region", "cube-drops", "chance of release"]
    head += [f"age {a + 1}{' or more' if a + 1 == by_place.ages else ''}" for a in range(by_place.ages)]
    rows: list[list[Cell]] = []
    for i, name in enumerate(by_place.regions):
        n = by_place.n_by_age[i]
        of_age: list[Cell] = [by_place.by_age.at(i * by_place.ages + a, int(n[a])) for a in range(by_place.ages)]
        rows.append([name, int(by_place.n[i]), by_place.by_region.at(i, int(by_place.n[i])), *of_age])
    sheets.text("By the region in which a cube lies, and by age:")
    sheets.table("release_by_region", head, rows)
    sheets.picture("stays", plots.stays(residents, by_place, rule.survival if rule else None), "How long cubes stay")


def remembrance(sheets: Sheets, mine: Figures, rule: Figures | None) -> None:
    """Tell whether, and how much, the past matters."""
    sheets.text("## 4. Memory")
    if mine.runs < 2:
        sheets.text("Memory is judged between runs: this needs two or more.")
        return
    campaign = mine.campaign
    n = int(mine.phases.sum())
    names = ["all cubes", *campaign.colours]
    lags = memory.LAGS
    rows = [[name, *(mine.acf.at(i * lags + k, n) for k in range(lags))] for i, name in enumerate(names)]
    one, seven = mine.acf.at(0, n), mine.acf.at(lags - 1, n)
    sheets.text(
        f"The number inside is correlated with itself by {said(one)} one drop later and {said(seven)} seven drops "
        "later, each number taken from the mean at its drop."
    )
    if campaign.strata.max(initial=0) == 0 and len(np.unique(campaign.run_point)) > 1:
        sheets.text("There is a design point with one run only, so what differs between points counts as memory here.")
    sheets.table("autocorrelation", ["inside", *(f"lag {k + 1}" for k in range(lags))], rows)
    if mine.information:
        info = mine.information
        beside = f" Under the 2/3-1/3 rule it is {said(rule.information.bits)}." if rule and rule.information else ""
        sheets.text(
            f"The number out of one drop tells {said(info.bits, 'bits')} of the number out of the next, beyond what it "
            f"seems to tell of the next in another {campaign.unit} ({info.bits.n} pairs; Miller-Madow, jackknife "
            f"interval); with runs shuffled it is 0 +- {np.std(info.null):.2g} bits; p = {info.p:.3g} (Monte Carlo "
            f"error {info.p_error:.1g}).{beside}"
        )
    if mine.prediction:
        scores = mine.prediction
        best, base = scores.best, scores.memoryless
        cost = Estimate(-base.value, -base.high, -base.low, base.n)
        sheets.text(
            f"Knowing only the number thrown, the number out of the next drop costs {said(cost)} bits a drop on "
            f"{campaign.unit}s not fitted. Of {len(scores.gains)} richer predictors the best knows "
            f"*{best.knows}* and gains {said(best.bits, 'bits')} a drop over it ({best.bits.n} drops); "
            f"{_judged(best.bits)}"
        )
        of_rule = {gain.knows: gain.bits for gain in rule.prediction.gains} if rule and rule.prediction else {}
        sheets.table(
            "prediction",
            ["knows, beside the number thrown", "gain [bits/drop]", "rule"],
            [[gain.knows, gain.bits, of_rule.get(gain.knows)] for gain in scores.gains],
        )
    else:
        sheets.text(f"The gain of predictors is scored on runs left out: this needs {memory.FOLDS} runs or more.")
    picture = plots.remembrance(
        mine.acf, rule.acf.value if rule else None, len(campaign.colours), mine.information, mine.prediction
    )
    sheets.picture("memory", picture, "Memory of the tower")


def _judged(gain: Estimate) -> str:
    if gain.low > 0:
        return "the tower is not memoryless given the number thrown."
    return "no memory beyond the number thrown is shown." if gain.high >= 0 else "it predicts worse, so none is shown."


def alike(sheets: Sheets, mine: Figures) -> None:
    """Test whether colours are physically alike, and tell what the order of play makes of them."""
    campaign, boot = mine.campaign, mine.boot
    sheets.text("## 5. Fairness between colours")
    tests: list[tuple[str, fairness.Fairness]] = []
    for name, situations, words in (
        ("thrown", fairness.thrown_situations(campaign), "thrown in the same drop"),
        ("residents", fairness.resident_situations(campaign), "inside, of the same region and age in the same drop"),
    ):
        test = fairness.fairness(campaign, boot, situations, campaign.rng(f"fairness {name}"))
        if test is None:
            sheets.text(f"Cubes {words}: no drop has cubes of two colours of which some came out, so no test.")
            continue
        tests.append((name, test))
        colour, largest = test.largest()
        hundred = largest.times(100)
        verdict = "colours differ" if test.p < 0.05 else "no difference between colours is shown"
        sheets.text(
            f"Cubes {words}: p = {test.p:.3g} (Monte Carlo error {test.p_error:.1g}, {test.permutations} "
            f"permutations; chi-squared limit {test.p_chi2:.3g}), {test.cubes} cubes in {test.situations} "
            f"situations that can tell: {verdict} at the 5 % level. The largest effect is {colour}: {said(hundred)} "
            "percentage points from what is expected (an interval for one colour; it is the largest of "
            f"{len(test.colours)})."
        )
    if tests:
        sheets.table(
            "fairness",
            ["colour", *(f"{name}: {what}" for name, _ in tests for what in ("cubes", "share out minus expected"))],
            [
                [
                    colour,
                    *(
                        cell
                        for _, test in tests
                        for cell in (int(test.counts[i]), test.differences.at(i, int(test.counts[i])))
                    ),
                ]
                for i, colour in enumerate(campaign.colours)
            ],
        )
    order = fairness.by_phase(campaign, boot)
    n = int(mine.phases.sum())
    most, least = int(np.argmax(order.mean.value)), int(np.argmin(order.mean.value))
    sheets.text(
        f"What the order of play does: most often {campaign.colours[most]} comes out, {said(order.mean.at(most, n))} "
        f"cubes a drop, least often {campaign.colours[least]}, {said(order.mean.at(least, n))}."
    )
    sheets.table(
        "colour_out",
        ["colour", "mean out of a drop [cubes]", "share of drops in which any comes out"],
        [[name, order.mean.at(i, n), order.present.at(i, n)] for i, name in enumerate(campaign.colours)],
    )
    if order.names:
        width = len(campaign.colours)
        sheets.table(
            "colour_out_by_phase",
            ["phase of", "phases", *(f"{name} out [cubes]" for name in campaign.colours)],
            [
                [name, int(n), *(order.table.at(i * width + c, int(n)) for c in range(width))]
                for i, (name, n) in enumerate(zip(order.names, order.phases, strict=True))
            ],
        )
    sheets.picture("fairness", plots.colours_alike(tests, order, campaign.colours), "Colours")


def against_rule(sheets: Sheets, mine: Figures, rule: Figures | None, of_the_rule: bool) -> None:
    """Put the figures beside those of the 2/3-1/3 rule."""
    sheets.text("## 6. Beside the 2/3-1/3 rule")
    if of_the_rule:
        sheets.text("This campaign is itself of the 2/3-1/3 rule; the comparison is a check that figures agree.")
    if rule is None:
        sheets.text(
            "The rule is played beside games only; for these drops section 2 compares it, throw by throw, on the same "
            "numbers thrown and inside."
        )
        return
    theirs = {name: figure for name, _, figure in rule.rows()}
    rows = [(name, unit, figure, theirs[name]) for name, unit, figure in mine.rows() if name in theirs]
    p = holm(np.nan_to_num([apart(mine_, rule_) for _, _, mine_, rule_ in rows], nan=1.0))
    differ = [name for (name, *_), each in zip(rows, p, strict=True) if each <= LEVEL]
    which = f": {'; '.join(differ)}" if differ else ""
    sheets.text(
        f"{rule.runs} games of the rule (a thrown cube comes out with 2/3, a resident with 1/3, independently) were "
        f"played with the same cubes and phases. {len(differ)} of {len(rows)} figures surely differ (p up to "
        f"{LEVEL:.2g}, Holm's correction over all){which}."
    )
    sheets.table(
        "beside_the_rule",
        ["figure", "unit", "this campaign", "n", "2/3-1/3 rule"],
        [[name, unit, mine_, mine_.n, rule_] for name, unit, mine_, rule_ in rows],
    )
    sheets.picture("beside_the_rule", beside(rows, ("this campaign", plots.RULE_NAME)), "Figures beside the rule's")
