"""The sections of a report on games or chains.

The seven questions about the tower of Amerigo are from gamesfanatic.pl, "Teoria wiezy", part 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.report import charts
from tower_sim.report.charts import RULE, Draw, Panel, bars, level, points
from tower_sim.report.numbers import how_sure, plain_share, plainly, show
from tower_sim.report.page import Chart, Rows, Section, Table
from tower_sim.runs.tower import INSIDE, INSIDE_SETUP, OUT
from tower_sim.statistics import Estimate, Estimates, Resamples, apart, holm
from tower_sim.study import fairness, memory, retention
from tower_sim.study.baseline import is_of_the_rule, play_beside
from tower_sim.study.design import estimate, other_figures, own_columns, phase_figures
from tower_sim.study.effects import LEVEL
from tower_sim.study.retention import FEWEST, LATE, WITHIN, by_group, counts_of, grouped, histogram
from tower_sim.surrogate.two_thirds import RESIDENT_OUT, THROWN_OUT

NAMES = "simulated", "2/3-1/3 rule"
DRAWN = 3  # figures of the game whose course is drawn
SHOWN = 12  # rows of long tables


class Studied:
    """The main figures of a campaign with one design point; `rule` has the same under the 2/3-1/3 rule, if playable.

    Pairs are a mean and a standard deviation over phases. `lags` are autocorrelations of the number inside, in total
    and then for each colour, shape (1 + colours, lags).
    """

    def __init__(self, campaign: Campaign, boot: Resamples, rule: Studied | None = None) -> None:
        d, rows = campaign.drops, campaign.phases
        self.campaign, self.boot, self.rule = campaign, boot, rule
        self.setup: Array = (d.drop == 0) & (d.thrown > 0) & campaign.has_setup
        self.inside_setup = self.moments(d.inside_after, self.setup) if self.setup.any() else None
        self.inside, self.out = self.moments(d.inside_after), self.moments(d.emerged)
        self.colours_out = self.moments(retention.colours_out(campaign))
        self.thrown_out, self.residents_out = (retention.cube_share(campaign, boot, rows, of) for of in (True, False))
        self.slopes = retention.slopes(campaign, boot, rows)
        self.stays = retention.survival(campaign, boot)
        counts = np.column_stack([d.inside_after, campaign.inside_by_colour])
        self.lags = memory.autocorrelation(campaign, boot, counts).reshape(-1, memory.LAGS)
        self.information = memory.successive_information(campaign, campaign.rng("information"))
        self.prediction = memory.prediction(campaign, boot, campaign.rng("folds"))

    @staticmethod
    def of(campaign: Campaign, boot: Resamples) -> Studied:
        """Return the figures of a campaign and of the rule."""
        played = play_beside(campaign, campaign.rng("rule"))
        rule = Studied(played, Resamples(played.strata, campaign.rng("rule resamples"))) if played else None
        return Studied(campaign, boot, rule)

    def moments(self, values: Array, rows: Array | None = None) -> tuple[Estimate, Estimate]:
        """Return the mean and standard deviation of `values` (drops,) over phases or the drops of a mask."""
        return retention.moments(self.campaign, self.boot, values, self.campaign.phases if rows is None else rows)

    def shares(self, values: Array, rows: Array | None = None) -> Estimates:
        """Return the share of phases (or of the drops of a mask) with each value 0, 1, ..."""
        chosen = self.campaign.phases if rows is None else rows
        return histogram(self.campaign, self.boot, self.campaign.drops.run[chosen], values[chosen].astype(np.int64))

    def figures(self) -> dict[str, tuple[str, Estimate]]:
        """Return the unit and the estimate of each main figure, by name."""
        n, stay = int(self.campaign.phases.sum()), self.stays
        found: dict[str, tuple[str, Estimate | None]] = {}
        for what, both in (("after the set-up", self.inside_setup), ("after a drop", self.inside), ("out", self.out)):
            for name, each in zip(("mean", "standard deviation"), both or (None, None), strict=True):
                found[f"{'out of a drop' if what == 'out' else f'inside {what}'}, {name}"] = "cubes", each
        found |= {
            "share of the cubes just thrown that come out": ("1", self.thrown_out),
            "share of the residents that come out": ("1", self.residents_out),
            "more cubes out for one more thrown": ("cubes/cube", self.slopes.at(1, n)),
            "more cubes out for one more inside": ("cubes/cube", self.slopes.at(2, n)),
            "colours out of a drop, mean": ("colours", self.colours_out[0]),
            "stay of a cube that stays, median": ("drops", stay and stay.median),
            f"stay, mean within {WITHIN} drops": ("drops", stay and stay.mean_within),
            "chance of release at age 1": ("1", stay and stay.hazard.at(0)),
            f"chance of release at age {LATE} or more": ("1", stay and stay.old_hazard),
        }
        for lag in (1, 2, memory.LAGS):
            found[f"autocorrelation of the number inside, lag {lag}"] = "1", self.lags.at((0, lag - 1), n)
        found["information of the number out on the next"] = "bits", self.information and self.information.bits
        for knows, gain in self.prediction.gains.items() if self.prediction else ():
            found[f"gain of knowing: {knows}"] = "bits/drop", gain
        return {name: (unit, each) for name, (unit, each) in found.items() if each}


# The opening


def plain(campaign: Campaign, boot: Resamples) -> list[str]:
    """Return up to three sentences on what a player experiences."""
    sure = how_sure(campaign.runs, campaign.unit)
    others = [
        f"{figure.title}: {plainly(estimate(campaign, boot, figure), '' if figure.is_share else figure.unit)}"
        for figure in other_figures(campaign)
    ]
    said_first = [f"{_upper('; '.join(others))}. ({sure}.)"] if others else []
    if phase_figures(campaign):
        if not (campaign.drops.drop > 0).any():
            return said_first
        setup, out, stay = (plainly(estimate(campaign, boot, figure)) for figure in (INSIDE_SETUP, OUT, INSIDE))
        thrown = campaign.drops.thrown[campaign.drops.drop == 0].mean()
        return [
            *said_first,
            f"After the set-up {setup} of {thrown:g} cubes are still in the tower; in a phase {out} come out, and "
            f"{stay} stay inside.{_sentences(campaign, boot)} These are means over {sure}.",
        ]
    if not campaign.phases.any():
        return said_first
    rows = campaign.phases
    thrown, residents = (plain_share(retention.cube_share(campaign, boot, rows, of)) for of in (True, False))
    inside = plainly(retention.moments(campaign, boot, campaign.drops.inside_after, rows)[0])
    return [
        *said_first,
        f"Of the cubes thrown {thrown} come out in the same drop, of those already inside {residents}. After a drop "
        f"{inside} cubes are in the tower on average. ({sure}.)",
    ]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentences(campaign: Campaign, boot: Resamples) -> str:
    first: list[str] = []
    rest: list[str] = []
    unit = campaign.unit
    for title, _, values in _of_phases(campaign, boot):
        figure = next((each for each in phase_figures(campaign) if each.title == title and each.sentence), None)
        if figure is None:
            continue
        words = figure.sentence.format(plainly(values.at(0)))
        if not figure.chances:
            rest.append(words)
            continue
        none, one = (shares.at(0) for _, _, shares in _of_phases(campaign, boot)[1:3])
        first.append(f"{words}; {phases_with(one, 'only one', unit)}, and {phases_with(none, 'none', unit)}")
    return "".join(f" {_upper(words)}." for words in (*first, "; ".join(rest)) if words)


def phases_with(share: Estimate, what: str, unit: str) -> str:
    """Return in words the share of phases that have `what`.

    If none has it, the upper end of its interval is Clopper and Pearson's by run.
    """
    if share.value:
        return f"in {plain_share(share)} of phases there is {what}"
    most = f" (at most {100 * share.high:.2g} % of {unit}s have such a phase)" if share.high > 0 else ""
    return f"in no phase of {share.n} was there {what}{most}"


# What the players get


def _of_phases(
    campaign: Campaign, boot: Resamples, kind: Array | None = None, kinds: int = 1
) -> list[tuple[str, str, Estimates]]:
    d, (first, *rest) = campaign.drops, phase_figures(campaign)
    rows = d.drop > 0
    group = np.zeros(rows.sum(), int) if kind is None else kind[rows]
    made: list[tuple[str, str, Estimates]] = []
    for figure in (first, *first.shares(), *rest):
        values = figure.by_phase(campaign.by_drop)[d.run[rows], d.drop[rows] - 1]
        is_chance = figure not in (first, *rest)
        means = grouped(campaign, boot, d.run[rows], group, kinds, values, share=is_chance)
        made.append(
            (figure.title.replace("phases with", "chance of") if is_chance else figure.title, figure.unit, means)
        )
    return made


def players(tower: Studied) -> list[Section]:
    """Return the section on the game's own figures, over all phases and phase by phase."""
    campaign, d = tower.campaign, tower.campaign.drops
    own = phase_figures(campaign)
    if not own or not (d.drop > 0).any():
        return []
    rule = tower.rule
    mine = _of_phases(campaign, tower.boot)
    theirs = _of_phases(rule.campaign, rule.boot) if rule else None
    meant = "; ".join(f"{figure.title}: {figure.meaning(campaign.by_drop.terms)}" for figure in own if figure.says)
    chances = len(own[0].chances)
    rows: Rows = [
        [title if 0 < i <= chances else f"{title}, mean", unit, values.at(0), theirs[i][2].at(0) if theirs else None]
        for i, (title, unit, values) in enumerate(mine)
    ]
    used = [i for i in range(len(d.phase.names)) if (d.phase.codes[d.drop > 0] == i).any()]
    place = np.zeros(len(d.phase.names) + 1, int)
    place[used] = np.arange(len(used))
    colour = _of_phases(campaign, tower.boot, place[d.phase.codes], len(used))
    last = int(d.drop.max())
    number = _of_phases(campaign, tower.boot, np.maximum(d.drop - 1, 0), last)
    words = [f"chance of {each}" for each in own[0].chances]
    head = ["phases", mine[0][0], *words, *(title for title, _, _ in mine[chances + 1 :])]

    def by_kind(names: Sequence[str], columns: list[tuple[str, str, Estimates]]) -> Rows:
        of_first = columns[0][2]
        return [[name, of_first.at(i).n, *(of.at(i) for _, _, of in columns)] for i, name in enumerate(names)]

    x, drawn = np.arange(1, last + 1), own[:DRAWN]
    colours, numbers = by_kind([d.phase.names[i] for i in used], colour), by_kind([str(i) for i in x], number)
    panels: list[Panel] = []
    if chances:
        shares, of_theirs = (
            Estimates.of(values.at(0) for _, _, values in side[1 : chances + 1]) for side in (mine, theirs or [])
        )
        draws = _beside(at := np.arange(chances), shares, at, of_theirs.value, joined=False)
        note = f"n = {mine[0][2].at(0).n} phases"
        panels.append(Panel(own[0].title, "share of phases", draws, note, own[0].chances, floor=True))
    of_rule = _of_phases(rule.campaign, rule.boot, np.maximum(rule.campaign.drops.drop - 1, 0), last) if rule else None
    for figure in drawn:
        i = [title for title, _, _ in mine].index(figure.title)
        draws = [points(x, number[i][2], NAMES[0])]
        draws += [points(x, of_rule[i][2].value, NAMES[1], RULE)] if of_rule else []
        panels.append(Panel("phase of the game", f"mean {figure.title}", draws, floor=True))
    titles = [figure.title for figure in drawn]
    caption = _upper(" and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles))
    made = charts.figure(panels, 2.3, 2, foot=True, head=f"{campaign.runs} {campaign.unit}s; bars: 95 % intervals")
    return [
        Section(
            "What the players get",
            f"All phases after the set-up, also those with nothing to throw. {_upper(meant)}{'.' if meant else ''}",
            Table("players", ["what", "unit", "every phase", NAMES[1]], rows),
            Chart("players", made, caption),
            [
                Section("", "By the colour of the phase:", Table("players_by_phase", ["phase of", *head], colours)),
                Section("", "By the number of the phase:", Table("players_by_number", ["phase", *head], numbers, 0)),
            ],
        )
    ]


# The seven questions


def seven_questions(tower: Studied) -> Section:
    """Return the section that answers the seven questions; chains have no answer to those about the set-up."""
    none = "This campaign has no set-up, so there is no answer."
    first = [
        Section("How many cubes stay inside at set-up?", none, short=none),
        Section("How are their colours distributed?", none, short=none),
    ]
    asked = [*(_setup(tower) or first), _course(tower), *_out(tower), *_share_and_colours(tower)]
    parts = [replace(section, title=f"{i}. {section.title}") for i, section in enumerate(asked, 1)]
    return Section("1. The seven questions", parts=parts)


def _distribution(
    tower: Studied, name: str, x: str, values: Callable[[Campaign], Array], head: str = "", unit: str = "drop"
) -> tuple[Table, Panel]:
    def shares(one: Studied) -> Estimates:
        return one.shares(values(one.campaign), one.setup if unit == "game" else None)

    mine, theirs = shares(tower), shares(tower.rule).value if tower.rule else np.zeros(0)
    told = np.append(theirs, np.full(max(len(mine) - len(theirs), 0), np.nan)).tolist()
    counted = enumerate(zip(counts_of(mine), mine, strict=True))
    rows: Rows = [[i, n, share, told[i]] for i, (n, share) in counted if n or told[i] > 0]
    seen, of_rule = np.flatnonzero(mine.value), np.flatnonzero(theirs)
    draws = _beside(seen, mine.take(seen), of_rule, theirs[of_rule])
    panel = Panel(x, f"share of {unit}s", draws, f"n = {0 if mine.n is None else mine.n[0]} {unit}s", floor=True)
    return Table(name, [head or x, f"{unit}s", f"share of {unit}s", "rule"], rows), panel


def _beside(x: Array, mine: Estimates, x_rule: Array, theirs: Array, *, joined: bool = True) -> list[Draw]:
    rule = [points(x_rule, theirs, NAMES[1], RULE, joined=joined)] if len(theirs) else []
    return [bars(x, mine, NAMES[0]), *rule]


def _setup(tower: Studied) -> list[Section]:
    if not tower.inside_setup:
        return []
    campaign, d, rule = tower.campaign, tower.campaign.drops, tower.rule
    inside, thrown = d.inside_after[tower.setup].astype(np.int64), d.thrown[tower.setup]
    of = f"{thrown.min()}" if thrown.min() == thrown.max() else f"{thrown.min()} to {thrown.max()}"
    low, middle, high = np.quantile(inside, [0.05, 0.5, 0.95])
    mean, spread = tower.inside_setup
    x = "inside after the set-up [cubes]"
    distribution, number = _distribution(tower, "setup_inside", x, lambda one: one.drops.inside_after, unit="game")
    colours = retention.setup_colours(campaign, tower.boot, tower.setup)
    of_rule = retention.setup_colours(rule.campaign, rule.boot, rule.setup) if rule else None
    ratio = colours.dispersion
    alike = "more alike" if ratio.high < 1 else "more unlike" if ratio.low > 1 else "neither more alike nor more unlike"
    least, most = float(colours.means.value.min()), float(colours.means.value.max())
    x, means = np.arange(len(campaign.colours)), of_rule.means.value if of_rule else np.zeros(0)
    draws = _beside(x, colours.means, x, means, joined=False)
    by_colour = Panel("", "mean inside [cubes]", draws, f"n = {len(inside)} games", campaign.colours, floor=True)
    of_colours = {"colour": campaign.colours, "mean inside [cubes]": colours.means}
    of_colours |= {"rule": of_rule.means if of_rule else [None] * len(x)}
    return [
        Section(
            f"How many of the {of} cubes stay inside at set-up?",
            f"{show(mean)} on average, standard deviation {show(spread)}. Half of the games have {middle:g} or fewer, "
            f"nine of ten between {low:g} and {high:g} ({len(inside)} games). The 2/3-1/3 rule expects "
            f"{(1 - THROWN_OUT) * thrown.mean():.2f}.",
            distribution,
            short=f"{plainly(mean)} on average; nine games of ten have {low:g} to {high:g}.",
        ),
        Section(
            "How are their colours distributed?",
            f"The means by colour span {most - least:.2g} cubes. All colours are present in a share of "
            f"{show(colours.all_present)} of games. The variance of a colour's count is {show(ratio)} times that of "
            f"drawing the cubes that stay at random, so colours are {alike} than chance makes them.",
            Table.of("setup_colours", of_colours),
            Chart("setup", charts.figure([number, by_colour]), "Cubes inside after the set-up"),
            short=f"From {least:.2g} to {most:.2g} of each colour on average, {alike} than chance makes them; all "
            f"colours are there in {plain_share(colours.all_present)} of games.",
        ),
    ]


def _course(tower: Studied) -> Section:
    campaign, d, rule = tower.campaign, tower.campaign.drops, tower.rule
    size, everything = campaign.longest, np.ones(len(d), bool)
    mean = by_group(campaign, tower.boot, d.inside_after, d.drop, everything, size)
    low, high = np.nanquantile(campaign.matrix(d.inside_after), (0.05, 0.95), axis=0)
    of_rule = None
    if rule:
        r = rule.campaign.drops
        of_rule = np.bincount(r.drop, r.inside_after) / np.bincount(r.drop)
    last = min(size, 8)
    late = tower.moments(d.inside_after, d.drop >= size - last)[0]
    start = f"from {show(mean.at(0))} after drop 0" if size > 1 else "after the only drop"
    rows: Rows = [
        [i, mean.at(i).n, mean.at(i), low[i], high[i], of_rule[i] if of_rule is not None and i < len(of_rule) else None]
        for i in range(size)
        if mean.at(i).n
    ]
    phases = len({code for code in d.phase.codes[d.drop > 0].tolist() if code >= 0})
    x, unit = np.arange(size), campaign.unit
    draws = [
        charts.band(x, low, high, f"90 % of {unit}s"),
        points(x, mean, f"mean, 95 % interval, n = {campaign.runs} {unit}s"),
    ]
    draws += [points(x[: len(of_rule)], of_rule[:size], NAMES[1], RULE)] if of_rule is not None else []
    ends = [0.5 + phases * i for i in range(size // phases + 1)] if phases and campaign.has_setup else []
    draws += [level(at, "between rounds", 2, upright=True) for at in ends]
    words = "drop (0 is the set-up)" if ends else "drop"
    panel = Panel(words, "inside after the drop [cubes]", draws, floor=True)
    inside, spread = tower.inside
    return Section(
        "How does the number inside change during the game?",
        f"It goes {start} to {show(late)} on average over the last {last} drops. Over all drops studied it is "
        f"{show(inside)}, standard deviation {show(spread)} ({inside.n} drops).",
        Table("inside_by_drop", ["drop", "runs", "mean inside [cubes]", "5 % of runs", "95 % of runs", "rule"], rows),
        Chart("inside_by_drop", charts.figure([panel], 3.1, foot=True), "Cubes inside by drop"),
        short=f"It goes from {plainly(mean.at(0))} after the first drop to {plainly(late)} in the last {last}.",
    )


def _out(tower: Studied) -> list[Section]:
    campaign, boot, d, rows = tower.campaign, tower.boot, tower.campaign.drops, tower.campaign.phases
    n = int(rows.sum())
    low, middle, high = np.quantile(d.emerged[rows], [0.05, 0.5, 0.95])
    mean, spread = tower.out
    empty = ""
    if campaign.has_setup:
        later = d.drop > 0
        one = np.zeros(later.sum(), int)
        share = grouped(campaign, boot, d.run[later], one, 1, d.thrown[later] == 0, share=True).at(0)
        empty = f" In {show(share)} of phases there was nothing to throw."
    x = "out of a drop [cubes]"
    distribution, left = _distribution(tower, "out_of_drop", x, lambda one: one.drops.emerged, "out [cubes]")
    first = int(d.thrown[rows].min())
    size = int(d.thrown[rows].max()) - first + 1
    by_thrown = by_group(campaign, boot, d.emerged, d.thrown - first, rows, size)
    expected = by_group(campaign, boot, retention.by_the_rule(campaign), d.thrown - first, rows, size).value
    used = [i for i in range(size) if by_thrown.at(i).n]
    enough = np.array([i for i in used if by_thrown.at(i).n >= FEWEST], int)
    right = [
        points(first + enough, by_thrown.take(enough), NAMES[0]),
        points(first + enough, expected[enough], f"{NAMES[1]}, same drops", RULE),
    ]
    panels = [
        left,
        Panel("thrown [cubes]", "mean out [cubes]", right, f"at least {FEWEST} drops a point", floor=True),
    ]
    thrown, inside, told = (tower.slopes.at(i, n) for i in (1, 2, 3))
    return [
        Section(
            "How many come out in a phase?",
            f"{show(mean)} on average, standard deviation {show(spread)}. The median is {middle:g}, nine of ten lie "
            f"between {low:g} and {high:g} ({n} drops with something thrown).{empty}",
            distribution,
            short=f"{plainly(mean)} on average; nine times of ten {low:g} to {high:g}.",
        ),
        Section(
            "Does that depend on how many were dropped, and how?",
            f"One cube more thrown brings {show(thrown)} more out, one more inside {show(inside)} (least squares on "
            f"both, R squared {show(told)}; the rule has 2/3 and 1/3). The mean by the number thrown:",
            Table(
                "out_by_thrown",
                ["thrown [cubes]", "drops", "mean out [cubes]", "rule on the same drops"],
                [[first + i, by_thrown.at(i).n, by_thrown.at(i), expected[i]] for i in used],
            ),
            Chart("out_of_drop", charts.figure(panels), "Cubes out of a drop"),
            short=f"One cube more dropped brings {plainly(thrown)} more out, one more inside {plainly(inside)}.",
        ),
    ]


def _share_and_colours(tower: Studied) -> list[Section]:
    campaign, boot, d, rows = tower.campaign, tower.boot, tower.campaign.drops, tower.campaign.phases
    first = int(d.thrown[rows].min())
    group, size = d.thrown[rows] - first, int(d.thrown[rows].max()) - first + 1
    cubes = campaign.cubes
    out = np.bincount(cubes.row[cubes.thrown & cubes.out], minlength=len(d))
    share = grouped(campaign, boot, d.run[rows], group, size, out[rows], d.thrown[rows], share=True)
    drops = np.bincount(group, minlength=size)
    x = "different colours out of a drop"
    distribution, right = _distribution(tower, "colours_out", x, retention.colours_out, "colours out")
    thrown, residents = tower.thrown_out, tower.residents_out
    mean, spread = tower.colours_out
    enough = np.flatnonzero(drops >= FEWEST)
    left = [points(first + enough, share.take(enough), NAMES[0]), level(THROWN_OUT, NAMES[1])]
    note = f"n = {rows.sum()} drops"
    panels = [Panel("thrown [cubes]", "share of these that come out", left, note, limits=(0, 1.03)), right]
    likeliest = max(distribution.rows, key=lambda row: row[1] if isinstance(row[1], int) else 0)[0]
    return [
        Section(
            "How many of the cubes just dropped come out?",
            f"A share of {show(thrown)} of {thrown.n} cubes thrown in phases. Of the cubes already inside "
            f"{show(residents)} come out in a drop ({residents.n} cube-drops).",
            Table(
                "thrown_out",
                ["thrown [cubes]", "drops", "share of those thrown that come out"],
                [[first + i, int(drops[i]), share.at(i)] for i in range(size) if drops[i]],
            ),
            short=f"{plain_share(thrown)} of them, and {plain_share(residents)} of those already inside.",
        ),
        Section(
            "How many different colours come out?",
            f"{show(mean)} on average, standard deviation {show(spread)} ({mean.n} drops).",
            distribution,
            Chart("thrown_and_colours", charts.figure(panels), "Share of the thrown that come out; colours out"),
            short=f"{plainly(mean)} on average; most often {likeliest}.",
        ),
    ]


# The other sections


def thrown_and_inside(tower: Studied) -> Section:
    """Return the section with the map of cubes out over cubes thrown and cubes inside."""
    campaign, d = tower.campaign, tower.campaign.drops
    binned = retention.emerged_map(campaign, tower.boot, campaign.phases)
    x, y = binned.thrown_edges, binned.inside_edges
    few = (binned.drops < FEWEST) | (binned.runs < FEWEST)
    off = (binned.excess.low > 0) | (binned.excess.high < 0)
    rows: Rows = [
        [_bin(x, i), _bin(y, j), n := int(binned.drops[i, j]), int(binned.runs[i, j]), binned.mean.at((i, j), n),
         float(binned.rule[i, j]), binned.excess.at((i, j), n)]
        for i, j in np.argwhere(binned.drops > 0).tolist()
    ]  # fmt: skip
    over = tower.moments(d.emerged - retention.by_the_rule(campaign))[0]
    is_few = (binned.drops > 0) & (binned.drops < FEWEST)
    all_of = charts.cells(x - 0.5, y - 0.5, binned.mean.value, few=is_few)
    beyond = charts.cells(x - 0.5, y - 0.5, binned.excess.value, "{:+.1f}", is_few, off & ~is_few)
    panels = [
        Panel("thrown [cubes]", "inside before [cubes]", [cells], title)
        for cells, title in ((all_of, "mean out [cubes]"), (beyond, f"mean out minus {NAMES[1]}'s [cubes]"))
    ]
    head = ["thrown [cubes]", "inside before [cubes]", "drops", "runs", "mean out [cubes]", "rule", "out minus rule"]
    return Section(
        "2. Cubes out by cubes thrown and cubes inside",
        f"The data reach from {x[0]} to {x[-1] - 1} cubes thrown and from {y[0]} to {y[-1] - 1} inside; {(~few).sum()} "
        f"cells have {FEWEST} or more drops and {campaign.unit}s. In {(off & ~few).sum()} of them the mean out differs "
        "from the 2/3-1/3 rule on the same drops by more than its interval (chance alone: about one cell in twenty). "
        f"Over all drops {show(over)} cubes more come out of a drop than the rule expects.",
        Table("map", head, rows, SHOWN),
        Chart("map", charts.figure(panels, 3.7), "Mean cubes out by cubes thrown and inside"),
    )


def _bin(edges: Array, i: int) -> str:
    low, high = int(edges[i]), int(edges[i + 1]) - 1
    return str(low) if low == high else f"{low} to {high}"


def stays(tower: Studied) -> Section:
    """Return the section on how long cubes stay."""
    title, mine, places = "3. How long a cube stays", tower.stays, retention.hazards(tower.campaign, tower.boot)
    if mine is None or places is None:
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
    ages = places.by_age.value.shape[1]
    head = ["region", "cube-drops", "chance of release"]
    head += [f"age {a + 1}{' or more' if a + 1 == ages else ''}" for a in range(ages)]
    by_region: Rows = [
        [name, each.n, each, *(places.by_age.at((i, a)) for a in range(ages))]
        for i, (name, each) in enumerate(zip(places.regions, places.by_region, strict=True))
    ]
    shown = mine.at_risk >= 20
    age, curve = np.append(0, mine.age[shown]), mine.survival.take(shown)
    low, high = (np.append(1.0, np.nan_to_num(end, nan=1)) for end in (curve.low, curve.high))
    left = [charts.band(age, low, high, step=True), charts.steps(age, np.append(1.0, curve.value), NAMES[0])]
    if tower.rule and (theirs := tower.rule.stays):
        there = theirs.at_risk >= 20
        there[len(mine.age) :] = False
        values = np.append(1.0, theirs.survival.value[there])
        left.append(charts.steps(np.append(0, theirs.age[there]), values, NAMES[1], RULE))
    third = level(RESIDENT_OUT, NAMES[1])
    names = [name.replace("_", " ") for name in places.regions]
    chance = "chance of release in a drop"
    panels = [
        Panel("age [drops since it stayed]", "still inside", left, f"n = {mine.entered} stays", limits=(0, 1.02)),
        Panel("age [drops]", chance, [points(mine.age[shown], mine.hazard.take(shown), NAMES[0]), third],
              f"n = {mine.at_risk.sum()} cube-drops", floor=True),
        Panel("", chance, [bars(np.arange(len(names)), places.by_region, NAMES[0], 0.6), third], "by region", names,
              floor=True),
    ]  # fmt: skip
    return Section(
        title,
        f"Of {mine.entered} stays the median length is {median}, the mean within {WITHIN} drops "
        f"{show(mine.mean_within, 'drops')} (Kaplan-Meier; stays that the end of a {tower.campaign.unit} cuts off are "
        f"censored). A resident's chance of release in a drop is {show(young)} at age 1"
        f"{f', at age {LATE} or more {show(late)}' if late else ''}: {trend}.",
        Table.of("survival", columns, SHOWN),
        Chart("stays", charts.figure(panels, 3.0), "How long cubes stay"),
        [Section("", "By the region in which a cube lies, and by age:", Table("release_by_region", head, by_region))],
    )


def remembrance(tower: Studied) -> Section:
    """Return the section on the tower's memory."""
    title, campaign, rule = "4. Memory", tower.campaign, tower.rule
    if campaign.runs < 2:
        return Section(title, "Memory is judged between runs: this needs two or more.")
    n, lags = int(campaign.phases.sum()), np.arange(1, memory.LAGS + 1)
    one, seven = (tower.lags.at((0, i), n) for i in (0, memory.LAGS - 1))
    says = [
        f"The number inside is correlated with itself by {show(one)} one drop later and {show(seven)} seven drops "
        "later, each number taken from the mean at its drop."
    ]
    if campaign.strata.max(initial=0) == 0 and len(np.unique(campaign.run_point)) > 1:
        says.append("There is a design point with one run only, so what differs between points counts as memory here.")
    rows: Rows = [
        [name, *(tower.lags.at((i, k), n) for k in range(memory.LAGS))]
        for i, name in enumerate(["all cubes", *campaign.colours])
    ]
    draws = [charts.line(lags, row, "" if i else "each colour", 2) for i, row in enumerate(tower.lags.value[1:])]
    draws.append(points(lags, tower.lags.take(0), "all cubes"))
    draws += [points(lags, rule.lags.value[0], NAMES[1], RULE)] if rule else []
    panels = [Panel("lag [drops]", "autocorrelation, number inside", [*draws, level(0)])]
    parts: list[Section] = []
    if info := tower.information:
        theirs = rule.information if rule else None
        beside = f" Under the 2/3-1/3 rule it is {show(theirs.bits)}." if theirs else ""
        says.append(
            f"The number out of one drop tells {show(info.bits, 'bits')} of the number out of the next, beyond what it "
            f"seems to tell of the next in another {campaign.unit} ({info.bits.n} pairs; Miller-Madow, jackknife "
            f"interval). With runs shuffled it is 0 +- {np.std(info.null):.2g} bits; p = {info.p:.3g} (Monte Carlo "
            f"error {info.p_error:.1g}).{beside}"
        )
        counts, edges = np.histogram(info.null, 21)
        shuffled = [
            charts.outline(edges, counts, "shuffled runs", filled=True),
            level(info.bits.value, "this campaign", 0, upright=True),
        ]
        panels.append(Panel("information [bits]", "shuffles", shuffled, f"n = {info.bits.n} pairs", floor=True))
    if scores := tower.prediction:
        base, gains = scores.memoryless, scores.gains
        best = max(gains, key=lambda knows: gains[knows].value)
        gain = gains[best]
        cost = Estimate(-base.value, -base.high, -base.low, base.n)
        verdict = (
            "the tower is not memoryless given the number thrown"
            if gain.low > 0
            else "no memory beyond the number thrown is shown"
            if gain.high >= 0
            else "it predicts worse, so none is shown"
        )
        of_rule: Mapping[str, Estimate] = rule.prediction.gains if rule and rule.prediction else {}
        columns = {"knows, beside the number thrown": gains, "gain [bits/drop]": gains.values()}
        columns |= {"rule": [of_rule.get(knows) for knows in gains]}
        parts.append(
            Section(
                "",
                f"Knowing only the number thrown, the number out of the next drop costs {show(cost)} bits a drop on "
                f"{campaign.unit}s not fitted. Of {len(gains)} richer predictors the best knows "
                f"*{best}* and gains {show(gain, 'bits')} a drop over it ({gain.n} drops); {verdict}.",
                Table.of("prediction", columns),
            )
        )
        names = [knows.replace(", ", ",\n") for knows in gains]
        each = bars(np.arange(len(gains)), Estimates.of(gains.values()), width=0.6, across=True)
        draws = [each, level(0, upright=True)]
        panels.append(Panel("gain [bits/drop]", "", draws, f"knows; n = {base.n} drops", names, across=True))
    else:
        parts.append(
            Section("", f"The gain of predictors is scored on runs left out: this needs {memory.FOLDS} runs or more.")
        )
    return Section(
        title,
        "\n\n".join(says),
        Table("autocorrelation", ["inside", *(f"lag {k}" for k in lags)], rows),
        Chart("memory", charts.figure(panels, 3.1), "Memory of the tower"),
        parts,
    )


def alike(tower: Studied) -> Section:
    """Return the section on whether colours are physically alike, and on the effect of the order of play on colours."""
    campaign, boot = tower.campaign, tower.boot
    tests: dict[str, fairness.Fairness] = {}
    says: list[str] = []
    for name, situations, words in (
        ("thrown", fairness.thrown_situations(campaign), "thrown in the same drop"),
        ("residents", fairness.resident_situations(campaign), "inside, of the same region and age in the same drop"),
    ):
        test = fairness.fairness(campaign, boot, situations, campaign.rng(f"fairness {name}"))
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
    order, x = fairness.by_phase(campaign, boot), np.arange(len(campaign.colours))
    most, least = int(np.argmax(order.mean.value)), int(np.argmin(order.mean.value))
    columns = {"colour": campaign.colours, "mean out of a drop [cubes]": order.mean}
    columns |= {"share of drops in which any comes out": order.present}
    parts = [
        Section(
            "",
            f"What the order of play does: most often {campaign.colours[most]} comes out, {show(order.mean.at(most))} "
            f"cubes a drop, least often {campaign.colours[least]}, {show(order.mean.at(least))}.",
            Table.of("colour_out", columns),
        )
    ]
    drawn = [
        points(x + 0.2 * (i - (len(tests) - 1) / 2), Estimates.of(each.times(100) for each in test.differences),
               f"{name}, n = {test.cubes} cubes", i, joined=False)
        for i, (name, test) in enumerate(tests.items())
    ]  # fmt: skip
    panels = [Panel("", "out minus expected [pp]", [*drawn, level(0)], "pp: percentage points", campaign.colours)]
    if order.names and order.table.n is not None:
        head = ["phase of", "phases", *(f"{name} out [cubes]" for name in campaign.colours)]
        rows: Rows = [
            [name, order.table.at((i, 0)).n, *(order.table.at((i, int(c))) for c in x)]
            for i, name in enumerate(order.names)
        ]
        parts.append(Section("", "", Table("colour_out_by_phase", head, rows)))
        across, up = np.arange(len(x) + 1) - 0.5, np.arange(len(order.names) + 1) - 0.5
        table = charts.cells(across, up, order.table.value.T, "{:.2f}")
        names = order.names

        def rows_named(axis: object) -> None:
            axis.set_yticks(range(len(names)), names)  # type: ignore[attr-defined]
            axis.invert_yaxis()  # type: ignore[attr-defined]

        note = f"mean out [cubes], n = {order.table.n[:, 0].sum()} phases"
        panels.append(Panel("colour that comes out", "phase of", [table, rows_named], note, campaign.colours))
    else:
        panels.append(
            Panel("", "mean out of a drop [cubes]", [bars(x, order.mean)], names=campaign.colours, floor=True)
        )
    of_test = ["cubes", "share out minus expected"]
    fair = Table(
        "fairness",
        ["colour", *(f"{name}: {what}" for name in tests for what in of_test)],
        [
            [colour, *(cell for test in tests.values() for cell in (test.differences.at(i).n, test.differences.at(i)))]
            for i, colour in enumerate(campaign.colours)
        ],
    )
    chart = Chart("fairness", charts.figure(panels, 3.0), "Colours")
    return Section("5. Fairness between colours", "\n\n".join(says), fair if tests else None, chart, parts)


def against_rule(tower: Studied) -> Section:
    """Return the section that compares the figures with those of the 2/3-1/3 rule."""
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
    p = holm(np.nan_to_num([apart(mine, other) for _, _, mine, other in rows], nan=1.0))
    differ = [name for (name, *_), each in zip(rows, p, strict=True) if each <= LEVEL]
    names = [(name if unit == "1" else f"{name} [{unit}]", mine, other) for name, unit, mine, other in rows]
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
        Chart("beside_the_rule", charts.beside(names, ("this campaign", NAMES[1])), "Figures beside the rule's"),
    )


def own(campaign: Campaign, boot: Resamples) -> list[Section]:
    """Return the section on the game's own figures and columns that no other section covers."""
    columns, figures = own_columns(campaign), other_figures(campaign)
    if not columns and not figures:
        return []
    of_runs: Rows = [[figure.title, figure.unit, estimate(campaign, boot, figure)] for figure in figures]
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
