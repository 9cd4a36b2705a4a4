"""The opening of a swept report: figures at every point, and what the varied fields do to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.runs.tower import INSIDE, OUT, THROWN_OUT
from tower_sim.statistics import FEWEST, Estimates
from tower_sim.study import plots_sweep
from tower_sim.study.effects import FALLS, LEVEL, RISES, Effect, Slice, changes, effects_of, slices, told
from tower_sim.study.points import Varied, is_sampled, together, used_points, varied
from tower_sim.study.sections_sample import followed, sampled_effects, strongest
from tower_sim.study.sensitivity import rank_correlation, smooth
from tower_sim.study.sheets import HOW_SURE, Cell, Sheets, plainly
from tower_sim.study.sweeps import BATTLE, IN_TOWER, OWN, PLAYERS, SweptCurve, of_drops

TURNED = 8  # points up to which the table of figures has a column for each
SMOOTH_AT = 60  # places at which a smooth is drawn
HEADLINED = 4  # figures told in the first paragraph
HEADLINES = (THROWN_OUT.title, OUT.title, of_drops(OUT.title), INSIDE.title, "battles with an explosion")


@dataclass(frozen=True)
class Swept:
    """A swept campaign, its figures by point, and its varied fields, those that move as one in a group.

    `sure` is how surely a field changes a figure: p values, corrected for their number, by the names of both.
    """

    campaign: Campaign
    curves: Sequence[SweptCurve]
    fields: Sequence[Varied]
    groups: Sequence[Sequence[Varied]]
    slices: Sequence[Slice]
    points: Array
    runs: Array
    sure: Mapping[tuple[str, str], float]

    def movers(self, curve: SweptCurve) -> list[str]:
        """Return the fields that surely change a figure, the surest first ("": the points, whatever their fields)."""
        found = [(p, field) for (name, field), p in self.sure.items() if name == curve.name and p <= LEVEL]
        return [field for _, field in sorted(found, key=lambda one: one[0])]

    @property
    def alone(self) -> Slice | None:
        """All points as one slice, when one field (or several that move as one) is varied."""
        return self.slices[0] if len(self.groups) == 1 and len(self.slices) == 1 else None

    @property
    def runs_a_point(self) -> str:
        """How many runs a point has."""
        few, many = int(self.runs.min()), int(self.runs.max())
        return f"{few if few == many else f'{few} to {many}'} {self.campaign.unit}{'' if many == 1 else 's'}"

    @property
    def labels(self) -> list[str]:
        """What each point is, in a few words."""
        one = len(self.groups) == 1
        shown = [group[0] for group in self.groups]
        return [
            ", ".join(f"{field.name.split('.')[-1]} = {field.at(i)}" for field in shown[:2])
            if one or len(shown) == 2
            else f"point {point}"
            for i, point in enumerate(self.points.tolist())
        ]


def swept_of(campaign: Campaign, curves: Sequence[SweptCurve]) -> Swept:
    """Put together what the sections tell; points that differ in nothing are told apart by their number."""
    points = used_points(campaign)
    numbered = Varied("point", False, np.arange(len(points), dtype=float), tuple(map(str, points.tolist())))
    fields = varied(campaign) or [numbered]
    groups = together(fields)
    alike = [] if is_sampled(campaign) and len(groups) > 1 else slices(groups)
    runs = np.bincount(campaign.run_point)[points]
    leaders = [group[0] for group in groups]
    sure = followed(curves, leaders) if is_sampled(campaign) else changes(curves, alike, len(points))
    return Swept(campaign, curves, fields, groups, alike, points, runs, sure)


def plain(sheets: Sheets, swept: Swept) -> None:
    """Say in three sentences what was varied, what that does, and how sure it is."""
    unit = swept.campaign.unit
    few = int(swept.runs.min())
    what = "; ".join(_values(field) for field in swept.fields[:4]) + ("; ..." if len(swept.fields) > 4 else "")
    sheets.text(
        f"{len(swept.points)} settings were tried (points of a design), {swept.runs_a_point} at each: "
        f"{what}. {_headline(swept)}Nothing in this report is averaged over points: every figure belongs to one"
        f"{f'; {HOW_SURE}' if few >= FEWEST else ''}."
    )
    if few >= FEWEST:
        return
    if is_sampled(swept.campaign):
        sheets.text(f"Points with fewer than {FEWEST} {unit}s have no intervals; here the points are the sample.")
    else:
        sheets.text(
            f"**Too few runs:** figures of a point with fewer than {FEWEST} {unit}s have no interval, so what differs "
            f"between points may be chance; ask for {FEWEST} {unit}s a point or more."
        )


def _values(field: Varied) -> str:
    if field.is_number and len(field.levels) > 8:
        return f"`{field.name}` from {field.levels[0]} to {field.levels[-1]}"
    shown = [plots_sweep.trimmed(level, 24) for level in field.levels[:8]]
    return f"`{field.name}` is {', '.join(shown[:-1])} or {shown[-1]}{' or another' if len(field.levels) > 8 else ''}"


def _headline(swept: Swept) -> str:
    """Say which figures surely change and how, how sure that is, and which do not show anything."""
    known = [curve for curve in swept.curves if np.isfinite(curve.y.value).any() and not curve.minor]
    usual = _usual(known)
    tested = {name for name, _ in swept.sure}
    if not tested:
        return _sentence("", [f"{curve.name}: {_range(curve, swept)}" for curve in usual], HEADLINED)
    sure = moving(swept.curves, [pair for pair, p in swept.sure.items() if p <= LEVEL])
    unseen = [curve for curve in (*usual, *known) if curve.name in tested and not swept.movers(curve)]
    listed = list({curve.name: f"{curve.name}: {_range(curve, swept)}" for curve in unseen}.values())
    opening = _sentence("Sure to change: ", [_moved(curve, swept) for curve in sure], HEADLINED)
    return (
        f"{opening or 'No figure is sure to change. '}(If none did, at most 1 report in 20 would call any sure.) "
        f"{_sentence('Not shown to change: ', listed, HEADLINED)}"
    )


def _sentence(start: str, parts: Sequence[str], most: int) -> str:
    if not parts:
        return ""
    more = f"; and {len(parts) - most} more (tables/effects.csv)" if len(parts) > most else ""
    text = f"{start}{'; '.join(parts[:most])}{more}. "
    return text[:1].upper() + text[1:]


def _moved(curve: SweptCurve, swept: Swept) -> str:
    """Say how a figure changes: along the one field, or over all points and with which fields."""
    if is_sampled(swept.campaign):
        return f"{curve.name}: {_range(curve, swept)}{strongest(curve, swept.fields, swept.movers(curve))}"
    effect = _along(curve, swept)
    if effect:
        return _with_name(effect)
    names = [f"`{name}`" for name in swept.movers(curve) if name]
    return f"{curve.name}: {_range(curve, swept)}{f', with {_and(names)}' if names else ''}"


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _along(curve: SweptCurve, swept: Swept) -> Effect | None:
    return next(iter(effects_of([curve], [swept.alone], swept.sure)), None) if swept.alone else None


def moving(curves: Sequence[SweptCurve], sure: Collection[tuple[str, str]]) -> list[SweptCurve]:
    """Return the main figures that some field surely changes: the first usual one, then the widest."""
    names = {name for name, _ in sure}
    known = [curve for curve in curves if curve.name in names and not curve.minor]
    lead = _usual(known)[:1]
    return list({curve.name: curve for curve in (*lead, *sorted(known, key=_reach, reverse=True))}.values())


def _usual(known: Sequence[SweptCurve]) -> list[SweptCurve]:
    """Return the figures that people ask for first, of those known."""
    first = [curve.name for curve in known if curve.about == PLAYERS or curve.name.startswith("won by")][:1]
    place = {name: i for i, name in enumerate([*first, *HEADLINES])}
    return sorted((curve for curve in known if curve.name in place), key=lambda curve: place[curve.name])


def _reach(curve: SweptCurve) -> float:
    """Return how far a figure moves over the points: of a share the difference, of others it over the greatest."""
    low, high = float(np.nanmin(curve.y.value)), float(np.nanmax(curve.y.value))
    return high - low if curve.unit == "1" else (high - low) / (max(abs(low), abs(high)) or 1)


def _with_name(effect: Effect, mark: str = "") -> str:
    says = told(effect)
    return f"{mark}{effect.curve.name}{mark}{'' if effect.shape in (RISES, FALLS) else ':'} {says}"


def _range(curve: SweptCurve, swept: Swept) -> str:
    """Say the least and the greatest value over the points."""
    least, most = int(np.nanargmin(curve.y.value)), int(np.nanargmax(curve.y.value))
    low, high = (curve.at(i) for i in (least, most))
    if low.value == high.value:
        return f"{plainly(low)} at every point"
    labels = swept.labels
    return f"from {plainly(low)} at {labels[least]} to {plainly(high)} at {labels[most]}"


def figures_by_point(sheets: Sheets, swept: Swept) -> None:
    """Draw and list the main figures, every point by itself."""
    sheets.text("## 1. The main figures, point by point")
    words = ""
    if any(np.isfinite(curve.y.low).any() for curve in swept.curves):
        words = "Intervals are of 95 %, each from its point's own runs."
    if any(curve.rule is not None for curve in swept.curves):
        words += " The 2/3-1/3 rule was played with each point's own cubes, phases and rules."
    if words:
        sheets.text(words.strip())
    _pictures(sheets, swept)
    _tables(sheets, swept)


def _pictures(sheets: Sheets, swept: Swept) -> None:
    pair = _pair(swept)
    if pair is None:
        for number, curve in enumerate(figure for figure in swept.curves if not figure.minor):
            slug = "".join(c if c.isalnum() else "_" for c in curve.name)
            _by_field(sheets, swept, curve, f"fields_{number}_{slug}")
        return
    x, family = pair
    for about, words in (
        (PLAYERS, "What players get"),
        (IN_TOWER, "What the tower does"),
        (BATTLE, "Battles"),
        (OWN, "What the game tells"),
    ):
        some = [curve for curve in swept.curves if curve.about == about and np.isfinite(curve.y.value).any()]
        if some and family and len(family.levels) > plots_sweep.MOST_LINES:
            sheets.picture(f"curves_{about}", plots_sweep.contours(some, x, family), f"{words}, by point")
        elif some:
            also = next(group for group in swept.groups if group[0] is x)[1:]
            name = plots_sweep.trimmed(x.name) + (f" (moves with {len(also)} more)" if also else "")
            picture = plots_sweep.curves(some, x, family, name, swept.runs_a_point)
            sheets.picture(f"curves_{about}", picture, f"{words}, by point")


def _pair(swept: Swept) -> tuple[Varied, Varied | None] | None:
    """Choose the field of the axis and that of the lines (or of the second axis); None: a panel for every field."""
    leaders = [group[0] for group in swept.groups]
    if len(leaders) == 1:
        return (leaders[0], None) if swept.alone and len(leaders[0].levels) <= 24 else None
    if len(leaders) != 2:
        return None
    x, family = sorted(leaders, key=lambda field: (not field.is_number, -len(field.levels)))
    if swept.slices and len(family.levels) <= plots_sweep.MOST_LINES:
        return x, family
    spread = np.linalg.matrix_rank(np.stack([x.numbers - x.numbers[0], family.numbers - family.numbers[0]]))
    return (x, family) if x.is_number and family.is_number and len(swept.points) >= 9 and spread == 2 else None


def _by_field(sheets: Sheets, swept: Swept, curve: SweptCurve, name: str) -> None:
    shown = [group[0] for group in swept.groups]
    known = np.isfinite(curve.y.value)
    if not known.any():
        return
    if len(shown) > plots_sweep.MOST_FIELDS:
        strength = [abs(rank_correlation(field.numbers[known], curve.y.value[known]).value) for field in shown]
        order = sorted(range(len(shown)), key=lambda i: -np.nan_to_num(strength[i]))
        shown = [shown[i] for i in order[: plots_sweep.MOST_FIELDS]]
    lines: list[tuple[Array, Estimates] | None] = []
    for field in shown:
        at: Array = np.linspace(float(field.numbers.min()), float(field.numbers.max()), SMOOTH_AT)
        rng = swept.campaign.rng(f"smooth {curve.name} {field.name}")
        is_sample = field.is_number and is_sampled(swept.campaign)
        line = smooth(field.numbers[known], curve.y.value[known], at, rng) if is_sample else None
        lines.append((at, line) if line is not None else None)
    sheets.picture(name, plots_sweep.fields(curve, shown, lines), f"{curve.name} against the varied fields")


def _tables(sheets: Sheets, swept: Swept) -> None:
    points = swept.points.tolist()
    rows: list[list[Cell]] = [
        [point, *(field.at(i) for field in swept.fields), int(swept.runs[i]), *(_cell(c, i) for c in swept.curves)]
        for i, point in enumerate(points)
    ]
    names = [field.name for field in swept.fields if field.name != "point"]
    if len(names) < len(swept.fields):
        rows = [[row[0], *row[2:]] for row in rows]
    head = ["point", *names, f"{swept.campaign.unit}s", *(curve.title for curve in swept.curves)]
    if len(points) > TURNED:
        sheets.table("points", head, rows, shown=12)
        return
    turned: list[list[Cell]] = [
        [curve.name, curve.unit, *(curve.at(i) for i in range(len(points)))] for curve in swept.curves
    ]
    sheets.table("figures", ["figure", "unit", *swept.labels], turned)
    sheets.data("points", head, rows)


def _cell(curve: SweptCurve, i: int) -> Cell:
    """Return a value with its interval, or bare where no point has any."""
    return curve.at(i) if np.isfinite(curve.y.low).any() else float(curve.y.value[i])


def effects(sheets: Sheets, swept: Swept, tell: Callable[[float], None]) -> None:
    """Tell over which range each field moves each figure, and in which shape; `tell` hears what part is done."""
    sheets.text("## 2. What the varied fields do")
    for group in swept.groups:
        if len(group) > 1:
            names = ", ".join(f"`{field.name}`" for field in group)
            sheets.text(f"{names} move as one in this design: what they do cannot be told apart.")
    if is_sampled(swept.campaign):
        sampled_effects(sheets, swept.campaign, swept.curves, [group[0] for group in swept.groups], swept.sure, tell)
        return
    if swept.sure:
        _which(sheets, swept)
    if not swept.slices:
        sheets.text(
            "No two points differ in one field only, so that no effect of a single field can be read off. A grid has "
            "such points; a Latin hypercube or Sobol design takes its points as a sample."
        )
        return
    seen = effects_of(swept.curves, swept.slices, swept.sure)
    sheets.text(
        "A range over points that differ in one field only, and its shape; no line is fitted. "
        f"`{RISES}` allows steps back that may be chance."
    )
    if swept.alone:
        for effect in seen:
            sheets.text(f"{_with_name(effect, '**')}.")
    rows: list[list[Cell]] = [
        [
            effect.curve.name, effect.curve.unit, effect.along.field.name, effect.along.held, len(effect.along.points),
            effect.end(effect.lowest), effect.along.field.at(effect.lowest), int(swept.points[effect.lowest]),
            effect.end(effect.highest), effect.along.field.at(effect.highest), int(swept.points[effect.highest]),
            effect.shape, effect.p if np.isfinite(effect.p) else None,
        ]
        for effect in seen
    ]  # fmt: skip
    head = ["figure", "unit", "field", "others held at", "points", "lowest", "lowest at", "lowest at point", "highest",
            "highest at", "highest at point", "shape", "p"]  # fmt: skip
    if swept.alone:
        sheets.data("effects", head, rows)
    else:
        sheets.table("effects", head, rows, shown=24)


def _which(sheets: Sheets, swept: Swept) -> None:
    """Say how figures were tested and, where several fields vary, which field changes which."""
    sheets.text(
        "Each figure and field has one test: do points that differ in that field alone (or, of points that share "
        "nothing, any points) differ at all, or along it where it is a number (Brunner, Dette and Munk's statistic; a "
        f"contrast in the order of its values). A figure counts as changed where p is {LEVEL:.2g} or less after Holm's "
        f"correction over all {len(swept.sure)} tests; its shape is that of pairs of points that differ, so corrected, "
        "or of the trend."
    )
    if swept.alone:
        return
    for curve in swept.curves:
        fields = [f"`{name}` (p = {swept.sure[curve.name, name]:.2g})" for name in swept.movers(curve) if name]
        if fields:
            sheets.text(f"**{curve.name}** changes with {_and(fields)}.")
