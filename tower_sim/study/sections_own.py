"""The section of a report on what a game tells in columns of its own, whatever they are."""

from __future__ import annotations

from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Resamples
from tower_sim.study import sweeps
from tower_sim.study.sheets import Cell, Sheets


def own_columns(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell the mean of each number and the share of each word, by run; nothing where other sections tell them all."""
    columns = sweeps.own_columns(campaign)
    if not columns:
        return
    title = campaign.game.title if campaign.game else campaign.kind
    sheets.text(f"## What the game tells ({title})")
    sheets.text(
        "Columns of the game's own table: of a number its mean over the drops that have it, of a word the share of "
        "those drops that have it; `drops` counts them."
    )
    rows: list[list[Cell]] = []
    for column in columns:
        for part, word in zip(column.parts, column.words or ("",), strict=True):
            is_share = part.unit == "1"
            estimate = (boot.share if is_share else boot.ratio)(part.over, part.under)
            what = word or ("share" if is_share else "mean")
            rows.append([column.name, column.meaning, what, estimate, estimate.n])
    sheets.table("own_columns", ["column", "meaning", "what", "value", "drops"], rows)
