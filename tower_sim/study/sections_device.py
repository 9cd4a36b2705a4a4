"""The opening of a report on a game whose tower stands in for a deck, a bag or dice: does it keep the odds?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Resamples
from tower_sim.study import plots_device
from tower_sim.study.points import at_point
from tower_sim.study.sections_sweep import Swept
from tower_sim.study.sheets import Cell, Sheets, percent, said
from tower_sim.study.stand_ins import Against, BesideExact, against, stand_in_of
from tower_sim.study.without_memory import GAMES, Beside, without_memory

_UNSEEN = "for which the way an event is picked is not seen to be the reason"
MOST = plots_device.MOST  # points that are told beside each other


def of_one_point(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell how the tower does against what it stands in for; nothing where it stands in for nothing."""
    stand_in = stand_in_of(campaign)
    if stand_in is not None:
        one = against(campaign, boot, stand_in)
        _told(sheets, campaign, [one], [without_memory(campaign, one)])


def of_points(sheets: Sheets, swept: Swept) -> None:
    """Tell it of every point of a design with few points, such as a choice that is varied."""
    if len(swept.points) > MOST:
        return
    found: list[Against] = []
    beside: list[Beside | None] = []
    for point, label in zip(swept.points.tolist(), swept.labels, strict=True):
        own = at_point(swept.campaign, point)
        stand_in = stand_in_of(own)
        if stand_in is not None:
            found.append(against(own, Resamples(own.strata, own.rng("resamples")), stand_in, label))
            beside.append(without_memory(own, found[-1]))
    if found:
        _told(sheets, swept.campaign, found, beside)


def _told(sheets: Sheets, campaign: Campaign, found: Sequence[Against], beside: Sequence[Beside | None]) -> None:
    for each, other in zip(found, beside, strict=True):
        sheets.text(_plain(each, other, campaign))
    one = found[0]
    kind, draws = one.stand_in.kind, one.stand_in.draws
    sheets.text(f"## The tower and the {kind}")
    what = f"the first {one.early} of {draws} draws" if one.stand_in.is_whole else "all draws"
    sheets.text(
        f"Each figure of the tower stands beside the exact one of the {kind}. Shares are of {what}; the mean first "
        f"draw is of the {campaign.unit}s in which an event came, and the share of those in which it never came stands "
        "beside it; the mean number of an event's draws says whether it comes early or late. "
        "p is the chance of so large a difference if there were none, "
        "adjusted (Holm): for shares, first draws and order for all of these together, and below 0.01 a difference is "
        "called sure; for repeats below 0.05."
    )
    if any(beside):
        sheets.text(
            f"Where a difference is sure, {GAMES} {campaign.unit}s were played by the same rules in a tower without "
            "memory, from which every cube comes out by itself with one chance, that of this campaign: what differs "
            "there too is the way an event is picked, and what differs from there is the tower's own."
        )
    head = ["event", "tower", kind, "p"]
    for name, pick, words in (
        ("device_shares", "shares", f"Share of {what}:"),
        ("device_repeats", "twice", "Chance of the same event twice running:"),
        ("device_first", "first", f"Mean first draw of each event, in {campaign.unit}s in which it came:"),
        ("device_never", "never", f"Share of {campaign.unit}s in which the event never came:"),
        ("device_place", "place", "Mean number of each event's draws:"),
    ):
        if any(getattr(each, pick) for each in found):
            sheets.text(words)
            _table(sheets, name, head, found, pick, beside)
    sheets.text("The same event some draws apart, and how likely each draw is to be an event's first:")
    _table(sheets, "device_lags", ["the same as", *head[1:]], found, "repeats", beside, is_shown=False)
    _laws(sheets, found, kind)
    names = [f"tower{f', {each.label}' if each.label else ''}, {each.runs} {campaign.unit}s" for each in found]
    picture = plots_device.devices(found, names)
    sheets.picture("device", picture, f"The tower and the {kind}: shares, repeats, first draws, order")


def _table(
    sheets: Sheets,
    name: str,
    head: Sequence[str],
    found: Sequence[Against],
    pick: str,
    beside: Sequence[Beside | None],
    *,
    is_shown: bool = True,
) -> None:
    several, with_rule = len(found) > 1, any(beside)
    rows: list[list[Cell]] = []
    for each, other in zip(found, beside, strict=True):
        rule = {row.name: row.tower for row in getattr(other.rule, pick)} if other else {}
        for row in getattr(each, pick):
            cells = [*([each.label] if several else []), row.name, row.tower, row.exact, _said_p(row.p)]
            rows.append([*cells, *([rule.get(row.name)] if with_rule else [])])
    heads = [*(["which"] if several else []), *head, *(["without memory"] if with_rule else [])]
    (sheets.table if is_shown else sheets.data)(name, heads, rows)


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


def _plain(one: Against, beside: Beside | None, campaign: Campaign) -> str:
    """Say in a few sentences whether the odds are kept, and what of it is the tower's doing."""
    kind = one.stand_in.kind
    which = f"With {one.label}: " if one.label else ""
    if not np.isfinite(one.shares[0].tower.low):
        few = f"{one.runs} {campaign.unit}s are too few to say whether the tower keeps the odds of the {kind}."
        return f"{which}{few}"
    odds = _odds(one, beside, kind)
    text = " ".join(part for part in (odds, _order(one, beside, kind), _memory(one, beside, kind)) if part)
    text = which + (text[0].lower() + text[1:] if which else text)
    return f"{text} ({one.runs} {campaign.unit}s; in brackets what 95 % intervals reach.)"


def _odds(one: Against, beside: Beside | None, kind: str) -> str:
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
    who, why = "The tower does not keep", ""
    if beside and any(_is_off(other) for other in beside.rule.shares):
        who = "The way an event is picked does not keep"
        adds = [each for each in one.shares if each.name in beside.apart["shares"]]
        why = " The tower is not seen to add to that."
        if adds:
            changed = _most(adds)
            without = percent(_rule(beside, "shares", changed.name).tower)
            why = f" The tower adds to that: {changed.name} in {percent(changed.tower)}, without memory in {without}."
    return (
        f"{who} the odds of the {kind}: {row.name} comes in {percent(row.tower)} of draws, with the "
        f"{kind} in {100 * row.exact:.1f} %{_same_rule(beside, 'shares', row.name)}; {len(sure)} of {len(one.shares)} "
        f"events differ.{why}"
    )


def _order(one: Against, beside: Beside | None, kind: str) -> str:
    if not one.whole:
        return ""
    for pick in ("never", "first", "place"):
        rows = [row for row in getattr(one, pick) if row.differs]
        if not rows:
            continue
        row = _most(rows)
        if pick == "never":
            words = (
                f"{row.name} never comes in {percent(row.tower)} of runs, with the {kind} in {100 * row.exact:.3g} %"
            )
        elif pick == "first":
            words = f"{row.name} comes first at draw {said(row.tower)} on average, with the {kind} at {row.exact:.3g}"
        else:
            words = f"the draws of {row.name} are number {said(row.tower)} on average, with the {kind} {row.exact:.3g}"
        return f"When they come differs too: {words}{_same_rule(beside, pick, row.name)}{_whose(row, beside, pick)}."
    most = max((row.farthest for row in one.first if np.isfinite(row.farthest)), default=np.nan)
    off = f": the mean first draw of each is at most {most:.2g} draws off" if np.isfinite(most) else ""
    return f"When they come is not seen to differ either{off}."


def _same_rule(beside: Beside | None, pick: str, name: str) -> str:
    """Say a figure of the tower without memory; nothing where it has none."""
    if beside is None:
        return ""
    tower = _rule(beside, pick, name).tower
    return (
        f", by the same rule in a tower without memory {said(tower) if pick in ('first', 'place') else percent(tower)}"
    )


def _is_off(row: BesideExact) -> bool:
    """Whether a figure surely differs from the device's; one that is alike in all runs has an interval and no test."""
    return row.differs or bool(np.isnan(row.p) and (row.exact < row.tower.low or row.exact > row.tower.high))


def _rule(beside: Beside, pick: str, name: str) -> BesideExact:
    return next(row for row in getattr(beside.rule, pick) if row.name == name)


def _whose(row: BesideExact, beside: Beside | None, pick: str) -> str:
    """Say whether a sure difference is the way of picking, the tower's own doing or both."""
    if beside is None:
        return ", which is the tower's own doing or the way an event is picked"
    whose = ["the way an event is picked"] * _is_off(_rule(beside, pick, row.name))
    whose += ["the tower's own doing"] * (row.name in beside.apart[pick])
    return f", which is {' and '.join(whose)}" if whose else f", {_UNSEEN}"


def _memory(one: Against, beside: Beside | None, kind: str) -> str:
    if not one.twice:
        return ""
    row = one.twice[0]
    figures = (
        f"{percent(row.tower)} of draws give the event of the draw before, with the {kind} {100 * row.exact:.1f} %"
        f"{_same_rule(beside, 'twice', row.name)}"
    )
    if row.differs:
        more = "more" if row.tower.value > row.exact else "less"
        return f"The same event comes twice running {more} often{_whose(row, beside, 'twice')}: {figures}."
    shows = "shows" if beside and row.name in beside.apart["twice"] else "does not show"
    return f"The tower's memory {shows} in events that come twice running: {figures}."


def _most(rows: Sequence[BesideExact]) -> BesideExact:
    """Return the row that is farthest off, by its interval's half width."""
    return max(rows, key=lambda row: abs(row.tower.value - row.exact) / (row.tower.high - row.tower.low or 1))
