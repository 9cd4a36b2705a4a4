"""The opening of a report on a game whose tower stands in for a deck, a bag or dice: does it keep the odds?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.statistics import Resamples
from tower_sim.study import plots_device
from tower_sim.study.data import Campaign
from tower_sim.study.points import at_point
from tower_sim.study.sections_sweep import Swept
from tower_sim.study.sheets import Cell, Sheets, percent, said
from tower_sim.study.stand_ins import Against, BesideExact, against, stand_in_of

MOST = plots_device.MOST  # points that are told beside each other


def of_one_point(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell how the tower does against what it stands in for; nothing where it stands in for nothing."""
    stand_in = stand_in_of(campaign)
    if stand_in is not None:
        _told(sheets, campaign, [against(campaign, boot, stand_in)])


def of_points(sheets: Sheets, swept: Swept) -> None:
    """Tell it of every point of a design with few points, such as a choice that is varied."""
    if len(swept.points) > MOST:
        return
    found: list[Against] = []
    for point, label in zip(swept.points.tolist(), swept.labels, strict=True):
        own = at_point(swept.campaign, point)
        stand_in = stand_in_of(own)
        if stand_in is not None:
            found.append(against(own, Resamples(own.strata, own.rng("resamples")), stand_in, label))
    if found:
        _told(sheets, swept.campaign, found)


def _told(sheets: Sheets, campaign: Campaign, found: Sequence[Against]) -> None:
    for each in found:
        sheets.text(_plain(each, campaign))
    one = found[0]
    kind, draws = one.stand_in.kind, one.stand_in.draws
    sheets.text(f"## The tower and the {kind}")
    what = f"the first {one.early} of {draws} draws" if one.stand_in.is_whole else "all draws"
    sheets.text(
        f"Each figure of the tower stands beside the exact one of the {kind}. Shares are of {what}; where an event "
        f"did not come in a {campaign.unit} its first draw is taken as {draws + 1}; the mean number of an event's "
        f"draws says whether it comes early or late. p is the chance of so large a difference if there were none, "
        "adjusted (Holm): for shares, first draws and order for all of these together, and below 0.01 a difference is "
        "called sure; for repeats below 0.05."
    )
    head = ["event", "tower", kind, "p"]
    for name, pick, words in (
        ("device_shares", "shares", f"Share of {what}:"),
        ("device_repeats", "twice", "Chance of the same event twice running:"),
        ("device_first", "first", "Mean first draw of each event:"),
        ("device_place", "place", "Mean number of each event's draws:"),
    ):
        sheets.text(words)
        _table(sheets, name, head, found, pick)
    sheets.text("The same event some draws apart, and how likely each draw is to be an event's first:")
    _table(sheets, "device_lags", ["the same as", *head[1:]], found, "repeats", is_shown=False)
    _laws(sheets, found, kind)
    names = [f"tower{f', {each.label}' if each.label else ''}, {each.runs} {campaign.unit}s" for each in found]
    picture = plots_device.devices(found, names)
    sheets.picture("device", picture, f"The tower and the {kind}: shares, repeats, first draws, order")


def _table(
    sheets: Sheets, name: str, head: Sequence[str], found: Sequence[Against], pick: str, *, is_shown: bool = True
) -> None:
    several = len(found) > 1
    rows: list[list[Cell]] = [
        [*([each.label] if several else []), row.name, row.tower, row.exact, _said_p(row.p)]
        for each in found
        for row in getattr(each, pick)
    ]
    (sheets.table if is_shown else sheets.data)(name, [*(["which"] if several else []), *head], rows)


def _laws(sheets: Sheets, found: Sequence[Against], kind: str) -> None:
    rows: list[list[Cell]] = [
        [each.label, event, draw, float(share), float(chance)]
        for each in found
        for event, (shares, chances) in each.laws.items()
        for draw, (share, chance) in enumerate(zip(shares, chances, strict=True), 1)
    ]
    sheets.data("device_first_law", ["which", "event", "first at draw", "tower", kind], rows)


# Words


def _said_p(p: float) -> str:
    return "" if np.isnan(p) else "<0.001" if p < 0.001 else f"{p:.2g}"


def _plain(one: Against, campaign: Campaign) -> str:
    """Say in a few sentences whether the tower keeps the odds, and what its memory does."""
    kind = one.stand_in.kind
    which = f"With {one.label}: " if one.label else ""
    if not np.isfinite(one.shares[0].tower.low):
        few = f"{one.runs} {campaign.unit}s are too few to say whether the tower keeps the odds of the {kind}."
        return f"{which}{few}"
    odds = _odds(one, kind)
    text = f"{odds} {_order(one, kind)} {_memory(one, kind)}"
    text = which + (text[0].lower() + text[1:] if which else text)
    return f"{text} ({one.runs} {campaign.unit}s; in brackets what 95 % intervals reach.)"


def _odds(one: Against, kind: str) -> str:
    if one.stand_in.is_whole:
        return f"Every event comes as often as in the {kind}, for each cube is drawn once."
    sure = [row for row in one.shares if row.differs]
    if not sure:
        most = max(row.farthest for row in one.shares)
        return (
            f"The tower keeps the odds of the {kind}: no event is seen to come more or less often, and none can be "
            f"off by more than {100 * most:.1f} percentage points."
        )
    row = _most(sure)
    return (
        f"The tower does not keep the odds of the {kind}: {row.name} comes in {percent(row.tower)} of draws, with the "
        f"{kind} in {100 * row.exact:.1f} %; {len(sure)} of {len(one.shares)} events differ."
    )


def _order(one: Against, kind: str) -> str:
    if not one.whole:
        return ""
    sure = [row for row in (*one.first, *one.place) if row.differs]
    if not sure:
        most = max(row.farthest for row in one.first)
        return (
            f"When they come is not seen to differ either: the mean first draw of each is at most {most:.2g} draws off."
        )
    firsts = [row for row in one.first if row.differs]
    if not firsts:
        row = _most(sure)
        numbers = f"{said(row.tower)} on average, with the {kind} {row.exact:.3g}"
        return f"But the order differs: the draws of {row.name} are number {numbers}."
    row = _most(firsts)
    return (
        f"But the order differs: {row.name} comes first at draw {said(row.tower)} on average, with the {kind} at "
        f"{row.exact:.3g}."
    )


def _memory(one: Against, kind: str) -> str:
    if not one.twice:
        return ""
    row = one.twice[0]
    figures = (
        f"{percent(row.tower)} of draws give the event of the draw before, with the {kind} {100 * row.exact:.1f} %"
    )
    if row.differs:
        more = "more" if row.tower.value > row.exact else "less"
        why = "which is the tower's memory, or the way the event is picked"
        return f"The same event comes twice running {more} often, {why}: {figures}."
    return f"The tower's memory does not show in events that come twice running: {figures}."


def _most(rows: Sequence[BesideExact]) -> BesideExact:
    """Return the row that is farthest off, by its interval's half width."""
    return max(rows, key=lambda row: abs(row.tower.value - row.exact) / (row.tower.high - row.tower.low or 1))
