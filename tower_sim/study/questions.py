"""What the players get, and the seven questions about a tower.

The questions are from gamesfanatic.pl, "Teoria wiezy", part 2, about the tower of Amerigo.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.report import RULE, Chart, Draw, Panel, Rows, Section, Table, bars, charts, level, points
from tower_sim.results import Array, Estimates, capitalise, plain_share, plainly, show
from tower_sim.study import retention
from tower_sim.study.design import phase_figures
from tower_sim.study.retention import DROPS_OF_A_CELL, by_group, grouped, list_counts, overall
from tower_sim.study.tower import NAMES, PhaseMeans, TowerFigures, phase_means
from tower_sim.surrogate import THROWN_OUT
from tower_sim.tools import count_noun

DRAWN = 3  # figures of the game whose course is drawn


def what_players_get(tower: TowerFigures) -> Section | None:
    """Return the section on the game's own figures, in all and phase by phase."""
    campaign, d, rule = tower.campaign, tower.campaign.rows, tower.rule
    own = phase_figures(campaign)
    if not own or not (d.drop > 0).any():
        return None
    mine = phase_means(campaign, tower.boot)
    theirs = phase_means(rule.campaign, rule.boot) if rule else None
    rows: Rows = [
        [one.title if one.is_chance else f"{one.title}, mean", one.figure.unit, one.means.at(0),
         theirs[i].means.at(0) if theirs else None]
        for i, one in enumerate(mine)
    ]  # fmt: skip
    used = [i for i in range(len(d.phase.names)) if (d.phase.codes[d.drop > 0] == i).any()]
    place = np.zeros(len(d.phase.names) + 1, int)
    place[used] = np.arange(len(used))
    last = int(d.drop.max())
    by_colour = phase_means(campaign, tower.boot, place[d.phase.codes], len(used))
    by_number = phase_means(campaign, tower.boot, np.maximum(d.drop - 1, 0), last)
    head = ["phases", mine[0].title, *(f"chance of {chance}" for chance in own[0].chances)]
    head += [one.title for one in mine[len(head) - 1 :]]

    def by_kind(names: Sequence[str], columns: Sequence[PhaseMeans]) -> Rows:
        return [[name, columns[0].means.at(i).n, *(one.means.at(i) for one in columns)] for i, name in enumerate(names)]

    x, drawn = np.arange(1, last + 1), own[:DRAWN]
    panels: list[Panel] = []
    if own[0].chances:
        shares, of_rule = (
            Estimates.of(one.means.at(0) for one in side[1 : len(own[0].chances) + 1]) for side in (mine, theirs or [])
        )
        at = np.arange(len(own[0].chances))
        draws = _beside(at, shares, at, of_rule.value, joined=False)
        note = f"n = {mine[0].means.at(0).n} phases"
        panels.append(Panel(own[0].title, "share of phases", draws, note, own[0].chances, floor=True))
    numbers_of_rule: list[PhaseMeans] = []
    if rule:
        numbers_of_rule = phase_means(rule.campaign, rule.boot, np.maximum(rule.campaign.rows.drop - 1, 0), last)
    for figure in drawn:
        i = [one.title for one in mine].index(figure.title)
        draws = [points(x, by_number[i].means, NAMES[0])]
        draws += [points(x, one.means.value, NAMES[1], RULE) for one in numbers_of_rule[i : i + 1]]
        panels.append(Panel("phase of the game", f"mean {figure.title}", draws, floor=True))
    titles = [figure.title for figure in drawn]
    caption = capitalise(" and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles))
    picture = charts.figure(panels, 2.3, 2, foot=True, head=f"{campaign.runs} {campaign.unit}s; bars: 95 % intervals")
    meaning = "; ".join(f"{figure.title}: {figure.meaning(campaign.terms)}" for figure in own if figure.says)
    colours = by_kind([d.phase.names[i] for i in used], by_colour)
    numbers = by_kind([str(i) for i in x], by_number)
    return Section(
        "What the players get",
        f"All phases after the set-up, also those with nothing to throw. {capitalise(meaning)}{'.' if meaning else ''}",
        Table("players", ["what", "unit", "every phase", NAMES[1]], rows),
        Chart("players", picture, caption),
        [
            Section("", "By the colour of the phase:", Table("players_by_phase", ["phase of", *head], colours)),
            Section("", "By the number of the phase:", Table("players_by_number", ["phase", *head], numbers, 0)),
        ],
    )


# The seven questions


def seven_questions(tower: TowerFigures) -> Section:
    """Return the section that answers the seven questions; chains have no answer to those about the set-up."""
    answers = [*_setup(tower), _course(tower), *_out(tower), *_share_and_colours(tower)]
    parts = [replace(section, title=f"{i}. {section.title}") for i, section in enumerate(answers, 1)]
    return Section("1. The seven questions", parts=parts)


def _pad(values: Array, size: int) -> Array:
    return np.append(values, np.full(size, np.nan))[:size]


def _distribution(
    tower: TowerFigures, name: str, x: str, values: Callable[[Campaign], Array], head: str = "", unit: str = "drop"
) -> tuple[Table, Panel]:
    def shares(side: TowerFigures) -> Estimates:
        return side.shares(values(side.campaign), side.setup if unit == "game" else None)

    mine, theirs = shares(tower), shares(tower.rule).value if tower.rule else np.zeros(0)
    n, rule = np.array(list_counts(mine)), _pad(theirs, len(mine))
    used, seen, of_rule = np.flatnonzero((n > 0) | (rule > 0)), np.flatnonzero(mine.value), np.flatnonzero(theirs)
    columns = {head or x: used, f"{unit}s": n[used], f"share of {unit}s": mine.take(used), "rule": rule[used]}
    draws = _beside(seen, mine.take(seen), of_rule, theirs[of_rule])
    panel = Panel(x, f"share of {unit}s", draws, f"n = {0 if mine.n is None else mine.n[0]} {unit}s", floor=True)
    return Table.of(name, columns), panel


def _beside(x: Array, mine: Estimates, x_rule: Array, theirs: Array, *, joined: bool = True) -> list[Draw]:
    rule = [points(x_rule, theirs, NAMES[1], RULE, joined=joined)] if len(theirs) else []
    return [bars(x, mine, NAMES[0]), *rule]


def _setup(tower: TowerFigures) -> list[Section]:
    titles = "How many{} cubes stay inside at set-up?", "How are their colours distributed?"
    if not tower.inside_setup:
        none = "This campaign has no set-up, so there is no answer."
        return [Section(title.format(""), none, short=none) for title in titles]
    campaign, d, rule = tower.campaign, tower.campaign.rows, tower.rule
    inside, thrown = d.inside[tower.setup].astype(np.int64), d.thrown[tower.setup]
    of = f"{thrown.min()}" if thrown.min() == thrown.max() else f"{thrown.min()} to {thrown.max()}"
    low, middle, high = np.quantile(inside, [0.05, 0.5, 0.95])
    mean, spread = tower.inside_setup
    x = "inside after the set-up [cubes]"
    distribution, number = _distribution(tower, "setup_inside", x, lambda one: one.rows.inside, unit="game")
    colours = retention.setup_colours(campaign, tower.boot, tower.setup)
    of_rule = retention.setup_colours(rule.campaign, rule.boot, rule.setup).means if rule else None
    ratio = colours.dispersion
    alike = "more alike" if ratio.high < 1 else "more unlike" if ratio.low > 1 else "neither more alike nor more unlike"
    least, most = float(colours.means.value.min()), float(colours.means.value.max())
    place = np.arange(len(campaign.colours))
    draws = _beside(place, colours.means, place, of_rule.value if of_rule else np.zeros(0), joined=False)
    by_colour = Panel(
        "", "mean inside [cubes]", draws, f"n = {count_noun(len(inside), 'game')}", campaign.colours, floor=True
    )
    columns = {"colour": campaign.colours, "mean inside [cubes]": colours.means}
    return [
        Section(
            titles[0].format(f" of the {of}"),
            f"{show(mean)} on average, standard deviation {show(spread)}. Half of the games have {middle:g} or fewer, "
            f"nine of ten between {low:g} and {high:g} ({count_noun(len(inside), 'game')}). The 2/3-1/3 rule expects "
            f"{(1 - THROWN_OUT) * thrown.mean():.2f}.",
            distribution,
            short=f"{plainly(mean)} on average; nine games of ten have {low:g} to {high:g}.",
        ),
        Section(
            titles[1],
            f"The means by colour span {most - least:.2g} cubes. All colours are present in a share of "
            f"{show(colours.all_present)} of games. The variance of a colour's count is {show(ratio)} times that of "
            f"drawing the cubes that stay at random, so colours are {alike} than chance makes them.",
            Table.of("setup_colours", columns | {"rule": of_rule or [None] * len(place)}),
            Chart("setup", charts.figure([number, by_colour]), "Cubes inside after the set-up"),
            short=f"From {least:.2g} to {most:.2g} of each colour on average, {alike} than chance makes them; all "
            f"colours are there in {plain_share(colours.all_present)} of games.",
        ),
    ]


def _course(tower: TowerFigures) -> Section:
    campaign, d = tower.campaign, tower.campaign.rows
    size = campaign.longest
    mean = by_group(campaign, tower.boot, d.inside, d.drop, np.ones(len(d), bool), size)
    low, high = np.nanquantile(campaign.grid(d.inside, np.nan), (0.05, 0.95), axis=0)
    rule = np.zeros(0)
    if tower.rule:
        r = tower.rule.campaign.rows
        rule = np.bincount(r.drop, r.inside) / np.bincount(r.drop)
    last = min(size, 8)
    late = tower.moments(d.inside, d.drop >= size - last)[0]
    start = f"from {show(mean.at(0))} after drop 0" if size > 1 else "after the only drop"
    n = np.array([one.n for one in mean])
    used = np.flatnonzero(n)
    columns = {"drop": used, "runs": n[used], "mean inside [cubes]": mean.take(used)}
    columns |= {"5 % of runs": low[used], "95 % of runs": high[used], "rule": _pad(rule, size)[used]}
    phases = len({code for code in d.phase.codes[d.drop > 0].tolist() if code >= 0})
    x, unit = np.arange(size), campaign.unit
    draws = [
        charts.band(x, low, high, f"90 % of {unit}s"),
        points(x, mean, f"mean, 95 % interval, n = {campaign.runs} {unit}s"),
    ]
    draws += [points(x[: len(rule)], rule[:size], NAMES[1], RULE)] if len(rule) else []
    ends = [0.5 + phases * i for i in range(size // phases + 1)] if phases and campaign.has_setup else []
    draws += [level(at, "between rounds", 2, upright=True) for at in ends]
    panel = Panel("drop (0 is the set-up)" if ends else "drop", "inside after the drop [cubes]", draws, floor=True)
    inside, spread = tower.inside
    return Section(
        "How does the number inside change during the game?",
        f"It goes {start} to {show(late)} on average over the last {count_noun(last, 'drop')}. Over all drops "
        f"studied it is "
        f"{show(inside)}, standard deviation {show(spread)} ({count_noun(inside.n, 'drop')}).",
        Table.of("inside_by_drop", columns),
        Chart("inside_by_drop", charts.figure([panel], 3.1, foot=True), "Cubes inside by drop"),
        short=f"It goes from {plainly(mean.at(0))} after the first drop to {plainly(late)} in the last {last}.",
    )


def _group_by_thrown(tower: TowerFigures) -> tuple[int, Array, Array]:
    """Return the least number thrown, how many more each phase throws, and the number of phases by that."""
    thrown = tower.campaign.rows.thrown[tower.campaign.is_phase].astype(np.int64)
    first = int(thrown.min())
    return first, thrown - first, np.bincount(thrown - first)


def _out(tower: TowerFigures) -> list[Section]:
    campaign, boot, d, rows = tower.campaign, tower.boot, tower.campaign.rows, tower.campaign.is_phase
    n = int(rows.sum())
    low, middle, high = np.quantile(d.out[rows], [0.05, 0.5, 0.95])
    mean, spread = tower.out
    empty = ""
    if campaign.has_setup:
        later = d.drop > 0
        share = overall(campaign, boot, d.run[later], d.thrown[later] == 0, share=True)
        empty = f" In {show(share)} of phases there was nothing to throw."
    x = "out of a drop [cubes]"
    distribution, left = _distribution(tower, "out_of_drop", x, lambda one: one.rows.out, "out [cubes]")
    first, group, drops = _group_by_thrown(tower)
    out, expected = (
        grouped(campaign, boot, d.run[rows], group, len(drops), values[rows])
        for values in (d.out, retention.by_the_rule(campaign))
    )
    used, enough = np.flatnonzero(drops), np.flatnonzero(drops >= DROPS_OF_A_CELL)
    columns = {"thrown [cubes]": first + used, "drops": drops[used], "mean out [cubes]": out.take(used)}
    columns["rule on the same drops"] = expected.value[used]
    right = [
        points(first + enough, out.take(enough), NAMES[0]),
        points(first + enough, expected.value[enough], f"{NAMES[1]}, same drops", RULE),
    ]
    panels = [
        left,
        Panel("thrown [cubes]", "mean out [cubes]", right, f"at least {DROPS_OF_A_CELL} drops a point", floor=True),
    ]
    thrown, inside, fit = (tower.slopes.at(i, n) for i in (1, 2, 3))
    return [
        Section(
            "How many come out in a phase?",
            f"{show(mean)} on average, standard deviation {show(spread)}. The median is {middle:g}, nine of ten lie "
            f"between {low:g} and {high:g} ({count_noun(n, 'drop')} with something thrown).{empty}",
            distribution,
            short=f"{plainly(mean)} on average; nine times of ten {low:g} to {high:g}.",
        ),
        Section(
            "Does that depend on how many were dropped, and how?",
            f"One cube more thrown brings {show(thrown)} more out, one more inside {show(inside)} (least squares on "
            f"both, R squared {show(fit)}; the rule has 2/3 and 1/3). The mean by the number thrown:",
            Table.of("out_by_thrown", columns),
            Chart("out_of_drop", charts.figure(panels), "Cubes out of a drop"),
            short=f"One cube more dropped brings {plainly(thrown)} more out, one more inside {plainly(inside)}.",
        ),
    ]


def _share_and_colours(tower: TowerFigures) -> list[Section]:
    campaign, d, rows, cubes = tower.campaign, tower.campaign.rows, tower.campaign.is_phase, tower.campaign.cubes
    out = np.bincount(cubes.row[cubes.thrown & cubes.out], minlength=len(d))
    first, group, drops = _group_by_thrown(tower)
    share = grouped(campaign, tower.boot, d.run[rows], group, len(drops), out[rows], d.thrown[rows], share=True)
    used, enough = np.flatnonzero(drops), np.flatnonzero(drops >= DROPS_OF_A_CELL)
    columns = {"thrown [cubes]": first + used, "drops": drops[used]}
    columns |= {"share of those thrown that come out": share.take(used)}
    x = "different colours out of a drop"
    distribution, right = _distribution(tower, "colours_out", x, retention.colours_out, "colours out")
    thrown, residents = tower.thrown_out, tower.residents_out
    mean, spread = tower.colours_out
    left = [points(first + enough, share.take(enough), NAMES[0]), level(THROWN_OUT, NAMES[1])]
    note = f"n = {rows.sum()} drops"
    panels = [Panel("thrown [cubes]", "share of these that come out", left, note, limits=(0, 1.03)), right]
    likeliest = max(distribution.rows, key=lambda row: row[1] if isinstance(row[1], int) else 0)[0]
    return [
        Section(
            "How many of the cubes just dropped come out?",
            f"A share of {show(thrown)} of {thrown.n} cubes thrown in phases. Of the cubes already inside "
            f"{show(residents)} come out in a drop ({residents.n} cube-drops).",
            Table.of("thrown_out", columns),
            short=f"{plain_share(thrown)} of them, and {plain_share(residents)} of those already inside.",
        ),
        Section(
            "How many different colours come out?",
            f"{show(mean)} on average, standard deviation {show(spread)} ({count_noun(mean.n, 'drop')}).",
            distribution,
            Chart("thrown_and_colours", charts.figure(panels), "Share of the thrown that come out; colours out"),
            short=f"{plainly(mean)} on average; most often {likeliest}.",
        ),
    ]
