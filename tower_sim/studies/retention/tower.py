"""The main figures of a campaign with one design point, and what the players get: the game's own, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.report import RULE, Chart, Draw, Panel, Rows, Section, Table, bars, points
from tower_sim.results import (
    INSIDE,
    INSIDE_SETUP,
    OUT,
    Array,
    Estimate,
    Estimates,
    Figure,
    Resamples,
    capitalise,
    how_sure,
    plain_share,
    plainly,
)
from tower_sim.studies.retention import retention
from tower_sim.studies.retention.baseline import play_beside
from tower_sim.studies.retention.design import estimate, other_figures, phase_figures
from tower_sim.studies.retention.retention import LATE, WITHIN, grouped, histogram

NAMES = "simulated", "2/3-1/3 rule"
DRAWN = 3  # figures of the game whose course is drawn


class TowerFigures:
    """The main figures of a campaign with one design point; `rule` has those of the 2/3-1/3 rule, if playable.

    Pairs are a mean and a standard deviation over phases. `lags` are autocorrelations of the number inside, in total
    and by colour, shape (1 + colours, lags).
    """

    def __init__(self, campaign: Campaign, boot: Resamples, rule: TowerFigures | None = None) -> None:
        d, rows = campaign.rows, campaign.is_phase
        self.campaign, self.boot, self.rule = campaign, boot, rule
        self.setup: Array = (d.drop == 0) & (d.thrown > 0) & campaign.has_setup
        self.inside_setup = self.moments(d.inside, self.setup) if self.setup.any() else None
        self.inside, self.out = self.moments(d.inside), self.moments(d.out)
        self.colours_out = self.moments(retention.colours_out(campaign))
        self.thrown_out, self.residents_out = (retention.cube_share(campaign, boot, rows, of) for of in (True, False))
        self.slopes = retention.slopes(campaign, boot, rows)
        self.stays = retention.survival(campaign, boot)
        counts = np.column_stack([d.inside, campaign.by_colour["inside"]])
        self.lags = retention.autocorrelation(campaign, boot, counts).reshape(-1, retention.LAGS)

    @staticmethod
    def of(campaign: Campaign, boot: Resamples) -> TowerFigures:
        """Return the figures of a campaign and of the rule."""
        played = play_beside(campaign, campaign.rng("rule"))
        rule = TowerFigures(played, Resamples(played.strata, campaign.rng("rule resamples"))) if played else None
        return TowerFigures(campaign, boot, rule)

    def moments(self, values: Array, rows: Array | None = None) -> tuple[Estimate, Estimate]:
        """Return the mean and standard deviation of `values` (drops,) over phases or the drops of a mask."""
        return retention.moments(self.campaign, self.boot, values, self.campaign.is_phase if rows is None else rows)

    def shares(self, values: Array, rows: Array | None = None) -> Estimates:
        """Return the share of phases (or of the drops of a mask) with each value 0, 1, ..."""
        chosen = self.campaign.is_phase if rows is None else rows
        return histogram(self.campaign, self.boot, self.campaign.rows.run[chosen], values[chosen].astype(np.int64))

    def figures(self) -> dict[str, tuple[str, Estimate]]:
        """Return the unit and the estimate of each figure, by name."""
        n, stay = int(self.campaign.is_phase.sum()), self.stays
        moments = ("inside after the set-up", self.inside_setup), ("inside after a drop", self.inside)
        every: dict[str, tuple[str, Estimate | None]] = {
            f"{what}, {name}": ("cubes", pair and pair[i])
            for what, pair in (*moments, ("out of a drop", self.out))
            for i, name in enumerate(("mean", "standard deviation"))
        }
        every |= {
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
        for lag in (1, 2, retention.LAGS):
            every[f"autocorrelation of the number inside, lag {lag}"] = "1", self.lags.at((0, lag - 1), n)
        return {name: (unit, value) for name, (unit, value) in every.items() if value}


# The opening


def plain(campaign: Campaign, boot: Resamples) -> list[str]:
    """Return up to three sentences on what a player experiences."""
    sure = how_sure(campaign.runs, campaign.unit)
    others = [
        f"{figure.title}: {plainly(estimate(campaign, boot, figure), '' if figure.is_share else figure.unit)}"
        for figure in other_figures(campaign)
    ]
    sentences = [f"{capitalise('; '.join(others))}. ({sure}.)"] if others else []
    d = campaign.rows
    if phase_figures(campaign):
        if (d.drop > 0).any():
            setup, out, stay = (plainly(estimate(campaign, boot, figure)) for figure in (INSIDE_SETUP, OUT, INSIDE))
            sentences.append(
                f"After the set-up {setup} of {d.thrown[d.drop == 0].mean():g} cubes are still in the tower; in a "
                f"phase {out} come out, and {stay} stay inside.{_own_sentences(campaign, boot)} These are means "
                f"over {sure}."
            )
    elif campaign.is_phase.any():
        rows = campaign.is_phase
        thrown, residents = (plain_share(retention.cube_share(campaign, boot, rows, of)) for of in (True, False))
        inside = plainly(retention.moments(campaign, boot, d.inside, rows)[0])
        sentences.append(
            f"Of the cubes thrown {thrown} come out in the same drop, of those already inside {residents}. After a "
            f"drop {inside} cubes are in the tower on average. ({sure}.)"
        )
    return sentences


@dataclass(frozen=True)
class PhaseMeans:
    """The means of one of the game's own figures, or the chances of a value, by kind of phase."""

    figure: Figure
    title: str
    is_chance: bool
    means: Estimates


def phase_means(campaign: Campaign, boot: Resamples, kind: Array | None = None, kinds: int = 1) -> list[PhaseMeans]:
    """Return the means of the game's own figures; `kind` (drops,) has the kind of each phase."""
    d, (first, *rest) = campaign.rows, phase_figures(campaign)
    rows = d.drop > 0
    group = np.zeros(rows.sum(), int) if kind is None else kind[rows]
    found: list[PhaseMeans] = []
    for figure in (first, *first.shares(), *rest):
        values = figure.by_row(campaign)[rows]
        is_chance = figure not in (first, *rest)
        title = figure.title.replace("phases with", "chance of") if is_chance else figure.title
        means = grouped(campaign, boot, d.run[rows], group, kinds, values, share=is_chance)
        found.append(PhaseMeans(figure, title, is_chance, means))
    return found


def _own_sentences(campaign: Campaign, boot: Resamples) -> str:
    first: list[str] = []
    rest: list[str] = []
    every, unit = phase_means(campaign, boot), campaign.unit
    for one in every:
        if one.is_chance or not one.figure.sentence:
            continue
        sentence = one.figure.sentence.format(plainly(one.means.at(0)))
        if one is every[0] and one.figure.chances:
            none, single = (chance.means.at(0) for chance in every[1:3])
            first.append(f"{sentence}; {phases_with(single, 'only one', unit)}, and {phases_with(none, 'none', unit)}")
        else:
            rest.append(sentence)
    return "".join(f" {capitalise(text)}." for text in (*first, "; ".join(rest)) if text)


def phases_with(share: Estimate, what: str, unit: str) -> str:
    """Return in words the share of phases that have `what`; if none, the most that the interval allows."""
    if share.value:
        return f"in {plain_share(share)} of phases there is {what}"
    most = f" (at most {100 * share.high:.2g} % of {unit}s have such a phase)" if share.high > 0 else ""
    return f"in no phase of {share.n} was there {what}{most}"


# What the players get


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
        draws = beside_rule(at, shares, at, of_rule.value, joined=False)
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
    note = f"{campaign.runs} {campaign.unit}s; bars: 95 % intervals"
    meaning = "; ".join(f"{figure.title}: {figure.meaning(campaign.terms)}" for figure in own if figure.says)
    colours = by_kind([d.phase.names[i] for i in used], by_colour)
    numbers = by_kind([str(i) for i in x], by_number)
    return Section(
        "What the players get",
        f"All phases after the set-up, also those with nothing to throw. {capitalise(meaning)}{'.' if meaning else ''}",
        Table("players", ["what", "unit", "every phase", NAMES[1]], rows),
        Chart("players", caption, panels, 2.3, 2, foot=True, head=note),
        [
            Section("", "By the colour of the phase:", Table("players_by_phase", ["phase of", *head], colours)),
            Section("", "By the number of the phase:", Table("players_by_number", ["phase", *head], numbers, 0)),
        ],
    )


def beside_rule(
    x: Array, mine: Estimates, x_rule: Array, theirs: Array, *, joined: bool = True, paint: Sequence[str] = ()
) -> list[Draw]:
    """Return what draws values as bars, in the colours `paint` if they are of cubes, and those of the rule."""
    rule = [points(x_rule, theirs, NAMES[1], RULE, joined=joined)] if len(theirs) else []
    return [bars(x, mine, "" if paint else NAMES[0], paint=paint), *rule]
