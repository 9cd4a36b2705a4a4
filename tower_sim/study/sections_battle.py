"""The sections of a report on cubes that fall onto a board, and on the battles that are fought there."""

from __future__ import annotations

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Resamples
from tower_sim.study import battles as facts
from tower_sim.study import plots_battle
from tower_sim.study.sheets import Cell, Sheets, said


def battles(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell where cubes land, what they knock on, how explosions go on, and who wins."""
    if not len(campaign.cubes):
        sheets.text("No cube was thrown, so there is nothing more to study.")
        return
    _landings(sheets, campaign, boot)
    _knocks(sheets, campaign, boot)
    if facts.have_winners(campaign):
        _chains(sheets, campaign, boot)
        _odds(sheets, campaign, boot)


def _landings(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    landings = facts.landings(campaign, boot)
    thrown, final = int(landings.counts.sum()), int(landings.final_counts.sum())
    sheets.text("## 1. Where cubes land")
    if thrown:
        best = int(np.nanargmax(landings.landed.value))
        sheets.text(
            f"{thrown} cubes went through the ship in {campaign.runs} {campaign.unit}s. Most often they land at "
            f"{landings.places[best]}, a share of {said(landings.landed.at(best, thrown))}. `At the end` counts each "
            "cube once, where it last lay."
        )
    rows: list[list[Cell]] = [
        [
            name,
            int(landings.counts[i]),
            landings.landed.at(i, thrown),
            int(landings.final_counts[i]),
            landings.final.at(i, final),
        ]
        for i, name in enumerate(landings.places)
    ]
    head = ["place", "landed [cubes]", "share of landings", "at the end [cubes]", "share at the end"]
    sheets.table("landings", head, rows)
    sheets.picture("landings", plots_battle.landings(landings, campaign.runs), "Where cubes land")


def _knocks(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    sheets.text("## 2. Cubes knocked on")
    knocks = facts.knocks(campaign, boot)
    if knocks is None:
        sheets.text("No throw found cubes lying on the board.")
        return
    sheets.text(
        f"A throw onto a board with cubes moves {said(knocks.overall)} of them into another place "
        f"({knocks.overall.n} throws), a share of {said(knocks.lying)} of those that lay there ({knocks.lying.n} "
        "cube-throws)."
    )
    last = len(knocks.thrown) - 1
    sheets.table(
        "knocks",
        ["thrown [cubes]", "throws", "moved a throw [cubes]", "share of those lying"],
        [
            [
                f"{n}{' or more' if i == last and n == facts.MOST_THROWN else ''}",
                int(knocks.throws[i]),
                knocks.moved.at(i, int(knocks.throws[i])),
                knocks.share.at(i, int(knocks.throws[i])),
            ]
            for i, n in enumerate(knocks.thrown.tolist())
        ],
    )
    sheets.picture("knocks", plots_battle.knocks(knocks), "Cubes knocked on by a throw")


def _chains(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    sheets.text("## 3. Explosions")
    chains = facts.chains(campaign, boot)
    if chains is None:
        sheets.text("There was no throw.")
        return
    n = int(chains.counts.sum())
    sheets.text(
        f"After a throw (or an ability that asked the model) {said(chains.mean)} explosions follow on average; a share "
        f"of {said(chains.any)} of {n} throws has any, the longest chain is {len(chains.counts) - 1}."
    )
    sheets.table(
        "chains",
        ["explosions in a row", "throws", "share of throws"],
        [[i, int(chains.counts[i]), chains.lengths.at(i, n)] for i in range(len(chains.counts)) if chains.counts[i]],
    )
    sheets.picture("chains", plots_battle.chains(chains), "Explosions in a row")


def _odds(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    sheets.text("## 4. Who wins")
    odds = facts.odds(campaign, boot)
    width = len(odds.sides) + 1
    rows: list[list[Cell]] = []
    for i, cubes in enumerate(odds.cubes):
        n = int(odds.battles[i])
        rows.append([*map(int, cubes), n, *(odds.wins.at(i * width + k, n) for k in range(width))])
    if not rows:
        sheets.text("No battle was finished.")
        return
    low, high = (float(pick(odds.wins.value[::width])) for pick in (np.nanmin, np.nanmax))
    sheets.text(
        f"{int(odds.battles.sum())} battles were finished, with {len(rows)} different numbers of first cubes; "
        f"{odds.sides[0]} wins a share of {low:.2f}{f' to {high:.2f}' if len(rows) > 1 else ''} of them."
        f"{' With one set-up only: ' + said(odds.wins.at(0, int(odds.battles[0]))) + '.' if len(rows) == 1 else ''}"
    )
    head = [*(f"{side} [cubes]" for side in odds.sides), "battles", *(f"won by {side}" for side in odds.sides)]
    sheets.table("odds", [*head, "no winner"], rows)
    sheets.picture("odds", plots_battle.odds(odds), "Win shares by cubes on each side")
