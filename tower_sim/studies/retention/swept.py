"""The report on a design: each figure at each point, and the effects of the varied fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.report import Chart, Panel, Rows, Section, Table, charts, points
from tower_sim.results import FEWEST, HOW_SURE, INSIDE, OUT, THROWN_OUT, Array, capitalise, plainly, show
from tower_sim.studies.retention import effects as fx
from tower_sim.studies.retention.design import (
    BATTLE,
    IN_TOWER,
    OWN,
    PLAYERS,
    SweptCurve,
    Varied,
    is_sampled,
    list_varied,
    of_drops,
    together,
    used_points,
)
from tower_sim.studies.retention.effects import LEVEL, Effect, Slice

TURNED = 8  # points up to which the table of figures has a column for each
HEADLINED = 4  # figures in the first paragraph
MOST_LINES = 6  # curves in a panel
MOST_FIELDS = 9  # panels of a figure against each field, the strongest fields first
HIGH = 1.85  # in: a row of panels
ABOUT = {PLAYERS: "What players get", IN_TOWER: "What the tower does", BATTLE: "Battles", OWN: "What the game tells"}


@dataclass(frozen=True)
class Swept:
    """A swept campaign: figures by point, and the varied fields in groups that move together.

    `sure` has the p value of each figure and field after correction, by both names.
    """

    campaign: Campaign
    curves: Sequence[SweptCurve]
    fields: Sequence[Varied]
    groups: Sequence[Sequence[Varied]]
    slices: Sequence[Slice]
    points: Array
    sure: Mapping[tuple[str, str], float]

    @staticmethod
    def of(campaign: Campaign, curves: Sequence[SweptCurve]) -> Swept:
        """Return the swept campaign; points without any difference are told apart by their number."""
        used = used_points(campaign)
        numbered = Varied("point", False, np.arange(len(used), dtype=float), tuple(map(str, used.tolist())))
        fields = list_varied(campaign) or [numbered]
        groups = together(fields)
        alike = [] if is_sampled(campaign) and len(groups) > 1 else fx.slices(groups)
        leaders = [group[0] for group in groups]
        sure = fx.followed(curves, leaders) if is_sampled(campaign) else fx.changes(curves, alike, len(used))
        return Swept(campaign, curves, fields, groups, alike, used, sure)

    def movers(self, curve: SweptCurve) -> list[str]:
        """Return the fields that change a figure, the least p value first ("": all points compared)."""
        found = [(p, field) for (name, field), p in self.sure.items() if name == curve.name and p <= LEVEL]
        return [field for _, field in sorted(found, key=lambda one: one[0])]

    @property
    def alone(self) -> Slice | None:
        """All points as one slice, if one field or group of fields is varied."""
        return self.slices[0] if len(self.groups) == 1 and len(self.slices) == 1 else None

    @property
    def runs(self) -> Array:
        """The runs of each point."""
        return np.bincount(self.campaign.run_point)[self.points]

    @property
    def runs_a_point(self) -> str:
        """The runs at each point as text, such as `20 games`."""
        few, many = int(self.runs.min()), int(self.runs.max())
        return f"{few if few == many else f'{few} to {many}'} {self.campaign.unit}{'' if many == 1 else 's'}"

    @property
    def labels(self) -> list[str]:
        """A short name for each point."""
        leaders = [group[0] for group in self.groups]
        return [
            ", ".join(f"{field.name.split('.')[-1]} = {field.at(i)}" for field in leaders)
            if len(leaders) <= 2
            else f"point {point}"
            for i, point in enumerate(self.points.tolist())
        ]


def sections(swept: Swept) -> list[Section]:
    """Return the sections."""
    return [_main_figures(swept), _effects(swept)]


# The opening


def plain(swept: Swept) -> list[str]:
    """Return sentences on what was varied, the effect, and how sure it is."""
    unit, few = swept.campaign.unit, int(swept.runs.min())
    what = "; ".join(_values(field) for field in swept.fields[:4]) + ("; ..." if len(swept.fields) > 4 else "")
    sure = f"; {HOW_SURE}" if few >= FEWEST else ""
    says = (
        f"{len(swept.points)} settings were tried (points of a design), {swept.runs_a_point} at each: {what}. "
        f"{_headline(swept)}Nothing in this report is averaged over points: every figure belongs to one{sure}."
    )
    if few >= FEWEST:
        return [says]
    if is_sampled(swept.campaign):
        return [says, f"Points with fewer than {FEWEST} {unit}s have no intervals; here the points are the sample."]
    return [
        says,
        f"**Too few runs:** figures of a point with fewer than {FEWEST} {unit}s have no interval, so what differs "
        f"between points may be chance; ask for {FEWEST} {unit}s a point or more.",
    ]


def _values(field: Varied) -> str:
    if field.is_number and len(field.levels) > 8:
        return f"`{field.name}` from {field.levels[0]} to {field.levels[-1]}"
    levels = [_trimmed(level, 24) for level in field.levels[:8]]
    return f"`{field.name}` is {', '.join(levels[:-1])} or {levels[-1]}{' or another' if len(field.levels) > 8 else ''}"


def _headline(swept: Swept) -> str:
    known = [curve for curve in swept.curves if np.isfinite(curve.y.value).any() and not curve.minor]
    usual = _usual(known, swept.campaign)
    tested = {name for name, _ in swept.sure}
    if not tested:
        return _sentence("", [f"{curve.name}: {_range(curve, swept)}" for curve in usual])
    sure = moving(swept.curves, [pair for pair, p in swept.sure.items() if p <= LEVEL], swept.campaign)
    unseen = [curve for curve in (*usual, *known) if curve.name in tested and not swept.movers(curve)]
    listed = list({curve.name: f"{curve.name}: {_range(curve, swept)}" for curve in unseen}.values())
    opening = _sentence("Sure to change: ", [_describe_move(curve, swept) for curve in sure])
    return (
        f"{opening or 'No figure is sure to change. '}(If none did, at most 1 report in 20 would call any sure.) "
        f"{_sentence('Not shown to change: ', listed)}"
    )


def _sentence(start: str, parts: Sequence[str]) -> str:
    if not parts:
        return ""
    more = f"; and {len(parts) - HEADLINED} more (tables/effects.csv)" if len(parts) > HEADLINED else ""
    return capitalise(f"{start}{'; '.join(parts[:HEADLINED])}{more}. ")


def _describe_move(curve: SweptCurve, swept: Swept) -> str:
    movers, spread = swept.movers(curve), f"{curve.name}: {_range(curve, swept)}"
    if is_sampled(swept.campaign):
        ranks = [(fx.correlate_ranks(curve, field), field) for field in swept.fields if field.name in movers]
        rank, field = max(ranks, key=lambda one: abs(one[0].value))
        way = "more" if rank.value > 0 else "less"
        return f"{spread}, {way} with a greater `{field.name}` (rank correlation {show(rank)})"
    if swept.alone and (effect := next(iter(fx.estimate_effects([curve], [swept.alone], swept.sure)), None)):
        return _with_name(effect)
    names = [f"`{name}`" for name in movers if name]
    return f"{spread}{f', with {_and(names)}' if names else ''}"


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def moving(curves: Sequence[SweptCurve], sure: Collection[tuple[str, str]], campaign: Campaign) -> list[SweptCurve]:
    """Return the figures that change: the first usual one, then those with the widest range."""
    names = {name for name, _ in sure}
    known = [curve for curve in curves if curve.name in names and not curve.minor]
    return list({c.name: c for c in (*_usual(known, campaign)[:1], *sorted(known, key=_reach, reverse=True))}.values())


def _usual(known: Sequence[SweptCurve], campaign: Campaign) -> list[SweptCurve]:
    headlines = (THROWN_OUT.title, of_drops(campaign, OUT.title), INSIDE.title, "battles with an explosion")
    first = [curve.name for curve in known if curve.about == PLAYERS or curve.name.startswith("won by")][:1]
    place = {name: i for i, name in enumerate([*first, *headlines])}
    return sorted((curve for curve in known if curve.name in place), key=lambda curve: place[curve.name])


def _reach(curve: SweptCurve) -> float:
    low, high = float(np.nanmin(curve.y.value)), float(np.nanmax(curve.y.value))
    return high - low if curve.unit == "1" else (high - low) / (max(abs(low), abs(high)) or 1)


def _with_name(effect: Effect, mark: str = "") -> str:
    return f"{mark}{effect.curve.name}{mark}{'' if effect.shape in (fx.RISES, fx.FALLS) else ':'} {fx.describe(effect)}"


def _range(curve: SweptCurve, swept: Swept) -> str:
    least, most = int(np.nanargmin(curve.y.value)), int(np.nanargmax(curve.y.value))
    low, high = curve.y.at(least), curve.y.at(most)
    if low.value == high.value:
        return f"{plainly(low)} at every point"
    return f"from {plainly(low)} at {swept.labels[least]} to {plainly(high)} at {swept.labels[most]}"


# The figures, point by point


def _main_figures(swept: Swept) -> Section:
    says = ""
    has_intervals = any(np.isfinite(curve.y.low).any() for curve in swept.curves)
    if has_intervals:
        says = "Intervals are of 95 %, each from its point's own runs."
    if any(curve.rule is not None for curve in swept.curves):
        says += " The 2/3-1/3 rule was played with each point's own cubes, phases and rules."
    one = f"tower-sim campaign report DIR --point {int(swept.points[0])} -o REPORT"
    says += f" `{one}` makes the whole report of one point."
    rows: Rows = [
        [point, *(field.at(i) for field in swept.fields if field.name != "point"), int(swept.runs[i]),
         *(curve.y.at(i) if np.isfinite(curve.y.low).any() else float(curve.y.value[i]) for curve in swept.curves)]
        for i, point in enumerate(swept.points.tolist())
    ]  # fmt: skip
    names = [field.name for field in swept.fields if field.name != "point"]
    head = ["point", *names, f"{swept.campaign.unit}s", *(curve.title for curve in swept.curves)]
    is_long = len(swept.points) > TURNED
    parts = [Section("", chart=chart) for chart in _charts(swept)]
    if not is_long:
        turned: Rows = [[curve.name, curve.unit, *curve.y] for curve in swept.curves]
        parts.append(Section("", table=Table("figures", ["figure", "unit", *swept.labels], turned)))
    parts.append(Section("", table=Table("points", head, rows, 12 if is_long else 0)))
    return Section("1. The main figures, point by point", says.strip(), parts=parts)


def _charts(swept: Swept) -> list[Chart]:
    pair = _pair(swept)
    known = [curve for curve in swept.curves if np.isfinite(curve.y.value).any()]
    if pair is None:
        return [_against_fields(swept, curve, i) for i, curve in enumerate(c for c in known if not c.minor)]
    x, family = pair
    drawn: list[Chart] = []
    for about, words in ABOUT.items():
        some = [curve for curve in known if curve.about == about]
        if not some:
            continue
        name, caption = f"curves_{about}", f"{words}, by point"
        if family and len(family.levels) > MOST_LINES:
            drawn.append(Chart(name, caption, [_contours(curve, x, family) for curve in some], 2.1))
        else:
            also = len(next(group for group in swept.groups if group[0] is x)) - 1
            axis = _trimmed(x.name) + (f" (moves with {also} more)" if also else "")
            has_bars = any(np.isfinite(curve.y.low).any() for curve in some)
            head = f"{swept.runs_a_point} at each point{'; bars: 95 % intervals' if has_bars else ''}"
            panels = [_against(curve, x, family, axis) for curve in some]
            drawn.append(Chart(name, caption, panels, HIGH + 0.1, foot=True, head=head))
    return drawn


def _pair(swept: Swept) -> tuple[Varied, Varied | None] | None:
    leaders = [group[0] for group in swept.groups]
    if len(leaders) == 1:
        return (leaders[0], None) if swept.alone and len(leaders[0].levels) <= 24 else None
    if len(leaders) != 2:
        return None
    x, family = sorted(leaders, key=lambda field: (not field.is_number, -len(field.levels)))
    if swept.slices and len(family.levels) <= MOST_LINES:
        return x, family
    spread = np.linalg.matrix_rank(np.stack([x.numbers - x.numbers[0], family.numbers - family.numbers[0]]))
    return (x, family) if x.is_number and family.is_number and len(swept.points) >= 9 and spread == 2 else None


def _against(curve: SweptCurve, x: Varied, family: Varied | None, name: str) -> Panel:
    draws: list[charts.Draw] = []
    levels = np.unique(family.numbers) if family else np.zeros(1)
    for i, level in enumerate(levels):
        group = np.flatnonzero(family.numbers == level) if family else np.arange(len(x.numbers))
        order = group[np.argsort(x.numbers[group], kind="stable")]
        shift = 0.0 if x.is_number else 0.12 * (i - (len(levels) - 1) / 2)
        words = f"{family.name} = {family.at(int(order[0]))}" if family else "simulated, 95 % interval"
        draws.append(points(x.numbers[order] + shift, curve.y.take(order), words, i and i + 1, joined=x.is_number))
        if curve.rule is not None:
            draws.append(points(x.numbers[order], curve.rule[order], "2/3-1/3 rule", charts.RULE, joined=x.is_number))
    return Panel(
        name, "", draws, _name_curve(curve), [_trimmed(each, 16) for each in x.levels] if not x.is_number else ()
    )


def _contours(curve: SweptCurve, x: Varied, y: Varied) -> Panel:
    known = np.isfinite(curve.y.value)
    at, value = (x.numbers[known], y.numbers[known]), curve.y.value[known]

    def draw(axis: Any) -> None:
        axis.grid(visible=False)
        if np.ptp(value) > 0:
            low, high = float(value.min()), float(value.max())
            edges = [low + (high - low) * i / 7 for i in range(8)]
            for i, ends in enumerate(pairwise(edges)):
                axis.tricontourf(*at, value, levels=[*ends], colors=[charts.SOFT], alpha=0.1 * i)
            lines = axis.tricontour(*at, value, levels=edges[1:-1:2], colors=[charts.INK], linewidths=0.5)
            axis.clabel(lines, fontsize=6)
        axis.plot(*at, ls="none", marker="o", ms=2.5, mfc=charts.PAPER, mec=charts.INK, mew=0.6, clip_on=False)

    return Panel(_trimmed(x.name), _trimmed(y.name), [draw], _name_curve(curve))


def _against_fields(swept: Swept, curve: SweptCurve, number: int) -> Chart:
    fields = [group[0] for group in swept.groups]
    strength = {field.name: abs(fx.correlate_ranks(curve, field).value) for field in fields}
    if len(fields) > MOST_FIELDS:
        fields = sorted(fields, key=lambda field: -np.nan_to_num(strength[field.name]))[:MOST_FIELDS]
    panels: list[Panel] = []
    for field in fields:
        draws = [points(field.numbers, curve.y, joined=False)]
        names = [] if field.is_number else [_trimmed(level, 16) for level in field.levels]
        panels.append(Panel(_trimmed(field.name), _name_curve(curve) if field is fields[0] else "", draws, names=names))
    slug = "".join(c if c.isalnum() else "_" for c in curve.name)
    head = f"n = {len(curve.y)} points, each a mark"
    return Chart(f"fields_{number}_{slug}", f"{curve.name} against the varied fields", panels, HIGH, head=head)


def _trimmed(name: str, longest: int = 34) -> str:
    return name if len(name) <= longest else f"...{name[3 - longest :]}"


def _name_curve(curve: SweptCurve) -> str:
    return curve.name if curve.unit == "1" or curve.unit in curve.name else curve.title


# What the fields do


def _effects(swept: Swept) -> Section:
    moves = [", ".join(f"`{field.name}`" for field in group) for group in swept.groups if len(group) > 1]
    says = [f"{names} move as one in this design: what they do cannot be told apart." for names in moves]
    table = (_rank_fields if is_sampled(swept.campaign) else _list_effects)(swept, says)
    return Section("2. What the varied fields do", "\n\n".join(says), table)


def _list_effects(swept: Swept, says: list[str]) -> Table | None:
    if swept.sure:
        says.append(
            "Each figure and field has one test: do points that differ in that field alone (or, of points that share "
            "nothing, any points) differ at all, or along it where it is a number (Brunner, Dette and Munk's "
            f"statistic; a contrast in the order of its values). A figure counts as changed where p is {LEVEL:.2g} or "
            f"less after Holm's correction over all {len(swept.sure)} tests. Its shape is that of pairs of points "
            "that differ, so corrected, or of the trend."
        )
        for curve in () if swept.alone else swept.curves:
            fields = [f"`{name}` (p = {swept.sure[curve.name, name]:.2g})" for name in swept.movers(curve) if name]
            if fields:
                says.append(f"**{curve.name}** changes with {_and(fields)}.")
    if not swept.slices:
        says.append(
            "No two points differ in one field only, so that no effect of a single field can be read off. A grid has "
            "such points; a Latin hypercube or Sobol design takes its points as a sample."
        )
        return None
    seen = fx.estimate_effects(swept.curves, swept.slices, swept.sure)
    says.append(
        "A range over points that differ in one field only, and its shape; no line is fitted. "
        f"`{fx.RISES}` allows steps back that may be chance."
    )
    says += [f"{_with_name(effect, '**')}." for effect in seen if swept.alone]
    rows: Rows = [
        [
            effect.curve.name, effect.curve.unit, effect.along.field.name, effect.along.held, len(effect.along.points),
            *(cell for end, i in zip(effect.ends, (effect.lowest, effect.highest), strict=True)
              for cell in (end, effect.along.field.at(i), int(swept.points[i]))),
            effect.shape, effect.p if np.isfinite(effect.p) else None,
        ]
        for effect in seen
    ]  # fmt: skip
    head = ["figure", "unit", "field", "others held at", "points", "lowest", "lowest at", "lowest at point", "highest",
            "highest at", "highest at point", "shape", "p"]  # fmt: skip
    return Table("effects", head, rows, 0 if swept.alone else 24)


def _rank_fields(swept: Swept, says: list[str]) -> Table:
    fields = [group[0] for group in swept.groups]
    says.append(
        f"The {len(swept.points)} points are a sample of the fields' ranges. `rank` is Spearman's correlation over "
        f"points (-1 to 1; its interval needs {fx.FEWEST_FOR_RANKS} points): how steadily a figure goes up or down "
        "with a field, whatever the shape; it misses what goes up and down again, and words have none. A figure counts "
        f"as following a field where p is {LEVEL:.2g} or less after Holm's correction over all {len(swept.sure)} ranks."
    )
    rows: Rows = []
    for curve in swept.curves:
        known = np.isfinite(curve.y.value)
        sure: list[str] = []
        for field in fields:
            rank = fx.correlate_ranks(curve, field) if field.is_number and known.any() else None
            p = swept.sure.get((curve.name, field.name))
            if rank and p is not None and p <= LEVEL:
                sure.append(f"{'up' if rank.value > 0 else 'down'} with `{field.name}` ({show(rank)})")
            rows.append([curve.name, field.name, int(known.sum()), rank, p])
        says.append(f"**{curve.name}** goes {', '.join(sure) or 'surely with no field'}.")
    return Table("effects", ["figure", "field", "points", "rank", "p"], rows, 60)
