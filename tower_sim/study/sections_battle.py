"""The sections of a report on cubes that fall onto a board, and on the battles that are fought there."""

from __future__ import annotations

import numpy as np

from tower_sim.statistics import Resamples
from tower_sim.study import battles as facts
from tower_sim.study import plots_battle
from tower_sim.study.data import Campaign
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
    found = facts.landings(campaign, boot)
    thrown, final = int(found.counts.sum()), int(found.final_counts.sum())
    sheets.text("## 1. Where cubes land")
    if thrown:
        best = int(np.nanargmax(found.landed.value))
        sheets.text(
            f"{thrown} cubes went through the ship in {campaign.runs} {campaign.unit}s. Most often they land at "
            f"{found.places[best]}, a share of {said(found.landed.at(best, thrown))}. `At the end` counts each cube "
            "once, where it last lay."
        )
    rows: list[list[Cell]] = [
        [name, int(found.counts[i]), found.landed.at(i, thrown), int(found.final_counts[i]), found.final.at(i, final)]
        for i, name in enumerate(found.places)
    ]
    head = ["place", "landed [cubes]", "share of landings", "at the end [cubes]", "share at the end"]
    sheets.table("landings", head, rows)
    sheets.picture("landings", plots_battle.landings(found, campaign.runs), "Where cubes land")


def _knocks(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    sheets.text("## 2. Cubes knocked on")
    found = facts.knocks(campaign, boot)
    if found is None:
        sheets.text("No throw found cubes lying on the board.")
        return
    sheets.text(
        f"A throw onto a board with cubes moves {said(found.overall)} of them into another place "
        f"({found.overall.n} throws), a share of {said(found.lying)} of those that lay there ({found.lying.n} "
        "cube-throws)."
    )
    last = len(found.thrown) - 1
    sheets.table(
        "knocks",
        ["thrown [cubes]", "throws", "moved a throw [cubes]", "share of those lying"],
        [
            [
                f"{n}{' or more' if i == last and n == facts.MOST_THROWN else ''}",
                int(found.throws[i]),
                found.moved.at(i, int(found.throws[i])),
                found.share.at(i, int(found.throws[i])),
            ]
            for i, n in enumerate(found.thrown.tolist())
        ],
    )
    sheets.picture("knocks", plots_battle.knocks(found), "Cubes knocked on by a throw")


def _chains(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    sheets.text("## 3. Explosions")
    found = facts.chains(campaign, boot)
    if found is None:
        sheets.text("There was no throw.")
        return
    n = int(found.counts.sum())
    sheets.text(
        f"After a throw (or an ability that asked the model) {said(found.mean)} explosions follow on average; a share "
        f"of {said(found.any)} of {n} throws has any, the longest chain is {len(found.counts) - 1}."
    )
    sheets.table(
        "chains",
        ["explosions in a row", "throws", "share of throws"],
        [[i, int(found.counts[i]), found.lengths.at(i, n)] for i in range(len(found.counts)) if found.counts[i]],
    )
    sheets.picture("chains", plots_battle.chains(found), "Explosions in a row")


def _odds(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    sheets.text("## 4. Who wins")
    found = facts.odds(campaign, boot)
    width = len(found.sides) + 1
    rows: list[list[Cell]] = []
    for i, cubes in enumerate(found.cubes):
        n = int(found.battles[i])
        rows.append([*map(int, cubes), n, *(found.wins.at(i * width + k, n) for k in range(width))])
    if not rows:
        sheets.text("No battle was finished.")
        return
    low, high = (float(pick(found.wins.value[::width])) for pick in (np.nanmin, np.nanmax))
    sheets.text(
        f"{int(found.battles.sum())} battles were finished, with {len(rows)} different numbers of first cubes; "
        f"{found.sides[0]} wins a share of {low:.2f}{f' to {high:.2f}' if len(rows) > 1 else ''} of them."
        f"{' With one set-up only: ' + said(found.wins.at(0, int(found.battles[0]))) + '.' if len(rows) == 1 else ''}"
    )
    head = [*(f"{side} [cubes]" for side in found.sides), "battles", *(f"won by {side}" for side in found.sides)]
    sheets.table("odds", [*head, "no winner"], rows)
    sheets.picture("odds", plots_battle.odds(found), "Win shares by cubes on each side")
