"""The opening of a report on games: what the tower gives the players."""

from __future__ import annotations

import numpy as np

from tower_sim.statistics import Estimate, Resamples
from tower_sim.study import players, plots_players
from tower_sim.study.baseline import play_beside
from tower_sim.study.data import Array, Campaign
from tower_sim.study.players import CHANCES, PhaseYield
from tower_sim.study.sheets import HOW_SURE, Cell, Sheets, plain_share, plainly


def plain(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Say in three sentences what a player meets, and how sure that is."""
    given = players.over_all(campaign, boot)
    if not given.phases[0]:
        return
    n = int(given.phases[0])
    d = campaign.drops
    setup = d.drop == 0
    counts = campaign.by_run(d.inside_after[setup].astype(float), setup)[:, 0]
    inside = boot.ratio(counts, campaign.by_run((setup[setup]).astype(float), setup)[:, 0])
    out, stay = (_a_phase(campaign, boot, values) for values in (d.emerged, d.inside_after))
    sheets.text(
        f"After the set-up {plainly(inside)} of {d.thrown[setup].mean():g} cubes are still in the tower; in a phase "
        f"{plainly(out)} come out, and {plainly(stay)} stay inside. The players choose from "
        f"{plainly(given.actions.at(0, n))} actions; {_phases(given.chance(0, 1), 'only one')}, and "
        f"{_phases(given.chance(0, 0), 'none')}. The action they take has "
        f"{plainly(given.points.at(0, n))} action points; passing pays {plainly(given.gold.at(0, n))} gold. These are "
        f"means over {campaign.runs} games; {HOW_SURE}."
    )


def _phases(share: Estimate, what: str) -> str:
    """Say in which share of the phases there is `what`; of what never was, how often it may be all the same."""
    if share.value:
        return f"in {plain_share(share)} of phases there is {what}"
    most = f" (it may be up to {100 * share.high:.2g} % of them)" if share.high > 0 else ""
    return f"in no phase of {share.n} was there {what}{most}"


def _a_phase(campaign: Campaign, boot: Resamples, values: Array) -> Estimate:
    """Return the mean of a drop's `values` over the phases of play."""
    rows = campaign.drops.drop > 0
    sums = campaign.by_run(np.stack([values[rows], np.ones(int(rows.sum()))], 1), rows)
    return boot.ratio(sums[:, 0], sums[:, 1])


def first_figures(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell actions to choose from, action points and gold over all phases and phase by phase."""
    mine = players.over_all(campaign, boot)
    if not mine.phases[0]:
        return
    sheets.text("## What the players get")
    played = play_beside(campaign, campaign.rng("rule"))
    rule_boot = Resamples(played.strata, played.rng("rule resamples")) if played else None
    rule = players.over_all(played, rule_boot) if played and rule_boot else None
    without, with_token = players.divisors(campaign) or (1, 1)
    sheets.text(
        "All phases after the set-up, also those with nothing to throw; before any token. Each colour that comes out "
        f"is an action to choose from; action points are the cubes of the most numerous colour; passing pays the cubes "
        f"out divided by {without}, rounded up ({with_token} with the token)."
    )
    sheets.table("players", ["what", "unit", "every phase", "2/3-1/3 rule"], _rows(mine, rule))
    colours = players.by_colour(campaign, boot)
    sheets.text("By the colour whose phase it is:")
    sheets.table("players_by_phase", ["phase of", *_HEAD], _by_kind(colours))
    numbers = players.by_number(campaign, boot)
    sheets.text("By the number of the phase in the game:")
    sheets.data("players_by_number", ["phase", *_HEAD], _by_kind(numbers))
    of_rule = players.by_number(played, rule_boot) if played and rule_boot else None
    picture = plots_players.players(mine, rule, numbers, of_rule, campaign.runs)
    sheets.picture("players", picture, "Actions to choose from, action points and gold")


_HEAD = [
    "phases", "actions to choose from", *(f"chance of {words}" for words in CHANCES), "action points",
    "gold for passing", "with the token",
]  # fmt: skip


def _rows(mine: PhaseYield, rule: PhaseYield | None) -> list[list[Cell]]:
    def both(name: str, unit: str, pick: str, i: int = 0) -> list[Cell]:
        return [name, unit, *(getattr(g, pick).at(i, int(g.phases[0])) if g else None for g in (mine, rule))]

    chances = [f"chance of {words} action{'' if words == '1' else 's'}" for words in CHANCES]
    return [
        both("actions to choose from, mean", "actions", "actions"),
        *(both(name, "1", "chances", i) for i, name in enumerate(chances)),
        both("action points, mean", "points", "points"),
        both("gold for passing, mean", "gold", "gold"),
        both("gold for passing with the token, mean", "gold", "token_gold"),
    ]


def _by_kind(given: PhaseYield) -> list[list[Cell]]:
    return [
        [
            name,
            n,
            given.actions.at(i, n),
            *(given.chance(i, number) for number in range(len(CHANCES))),
            given.points.at(i, n),
            given.gold.at(i, n),
            given.token_gold.at(i, n),
        ]
        for i, (name, n) in enumerate(zip(given.names, given.phases.tolist(), strict=True))
    ]
