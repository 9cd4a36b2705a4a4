"""What the players get: the figures of the game, in all and phase by phase."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.report import RULE, Chart, Draw, Panel, Rows, Section, Table, bars, points
from tower_sim.results import Array, Estimates, capitalise
from tower_sim.studies.retention.design import phase_figures
from tower_sim.studies.retention.tower import NAMES, PhaseMeans, TowerFigures, phase_means

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
