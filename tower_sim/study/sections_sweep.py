"""The opening of a swept report: figures at every point, and what the varied fields do to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.statistics import FEWEST, Estimates
from tower_sim.study import plots_sweep
from tower_sim.study.data import Array, Campaign
from tower_sim.study.effects import FALLS, RISES, UNKNOWN, UNSEEN, Effect, Slice, effect, short, slices, told
from tower_sim.study.points import Varied, is_sampled, together, used_points, varied
from tower_sim.study.sections_sample import sampled_effects, strongest
from tower_sim.study.sensitivity import rank_correlation, smooth
from tower_sim.study.sheets import Cell, Sheets
from tower_sim.study.sweeps import BATTLE, OWN, PLAYERS, TOWER, Curve

TURNED = 8  # points up to which the table of figures has a column for each
SMOOTH_AT = 60  # places at which a smooth is drawn
HEADLINES = (
    "actions to choose from", "share of thrown out", "mean out of a drop", "mean inside", "battles with an explosion",
)  # fmt: skip
MINOR = (
    "phases with 0 actions", "phases with 2 actions", "phases with 3 or more actions", "thrown in a drop",
    "gold for passing with the token",
)  # fmt: skip


@dataclass(frozen=True)
class Swept:
    """A swept campaign, its figures by point, and its varied fields, those that move as one in a group."""

    campaign: Campaign
    curves: Sequence[Curve]
    fields: Sequence[Varied]
    groups: Sequence[Sequence[Varied]]
    slices: Sequence[Slice]
    points: Array
    runs: Array

    @property
    def alone(self) -> Slice | None:
        """All points as one slice, when one field (or several that move as one) is varied."""
        return self.slices[0] if len(self.groups) == 1 and len(self.slices) == 1 else None

    @property
    def each(self) -> str:
        """How many runs a point has."""
        few, many = int(self.runs.min()), int(self.runs.max())
        return f"{few if few == many else f'{few} to {many}'} {self.campaign.unit}{'' if many == 1 else 's'}"

    @property
    def labels(self) -> list[str]:
        """What each point is, in a few words."""
        one = len(self.groups) == 1
        shown = [group[0] for group in self.groups]
        return [
            ", ".join(f"{each.name.split('.')[-1]} = {each.at(i)}" for each in shown[:2])
            if one or len(shown) == 2
            else f"point {point}"
            for i, point in enumerate(self.points.tolist())
        ]


def swept_of(campaign: Campaign, found: Sequence[Curve]) -> Swept:
    """Put together what the sections tell; points that differ in nothing are told apart by their number."""
    points = used_points(campaign)
    numbered = Varied("point", False, np.arange(len(points), dtype=float), tuple(map(str, points.tolist())))
    fields = varied(campaign) or [numbered]
    groups = together(fields)
    alike = [] if is_sampled(campaign) and len(groups) > 1 else slices(groups)
    runs = np.bincount(campaign.run_point)[points]
    return Swept(campaign, found, fields, groups, alike, points, runs)


def plain(sheets: Sheets, swept: Swept) -> None:
    """Say in three sentences what was varied, what that does, and how sure it is."""
    unit = swept.campaign.unit
    few = int(swept.runs.min())
    what = "; ".join(_values(field) for field in swept.fields[:4]) + ("; ..." if len(swept.fields) > 4 else "")
    sheets.text(
        f"{len(swept.points)} settings were tried (points of a design), {swept.each} at each: "
        f"{what}. {_headline(swept)}Nothing in this report is averaged over points: every figure belongs to one."
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
    names = [name for name in HEADLINES if any(each.name == name for each in swept.curves)]
    won = [each.name for each in swept.curves if each.name.startswith("won by")]
    chosen = [each for each in swept.curves if each.name in [*won[:1], *names][:3]]
    words: list[str] = []
    for each in chosen:
        found = effect(each, swept.alone) if swept.alone else None
        if found and _moves(found):
            words.append(_with_name(found))
        elif np.isfinite(each.y.value).any():
            follows = strongest(each, swept.fields) if is_sampled(swept.campaign) and not swept.alone else ""
            words.append(f"{each.name}: {_range(each, swept)}{follows}")
    text = "; ".join(words)
    return f"{text[:1].upper()}{text[1:]}. " if text else ""


def _with_name(found: Effect, mark: str = "") -> str:
    says = told(found)
    return f"{mark}{found.curve.name}{mark}{'' if found.shape in (RISES, FALLS) else ':'} {says}"


def _moves(found: Effect) -> bool:
    return found.shape not in (UNSEEN, UNKNOWN)


def _range(each: Curve, swept: Swept) -> str:
    """Say the least and the greatest value over the points and, where it can be told, whether they differ."""
    least, most = int(np.nanargmin(each.y.value)), int(np.nanargmax(each.y.value))
    low, high = (each.y.at(i, int(each.n[i])) for i in (least, most))
    if low.value == high.value:
        return f"{short(low)} at every point"
    labels = swept.labels
    ends = f"from {short(low)} at {labels[least]} to {short(high)} at {labels[most]}"
    return f"{ends}, {UNSEEN}" if low.high >= high.low else ends


def figures_by_point(sheets: Sheets, swept: Swept) -> None:
    """Draw and list the main figures, every point by itself."""
    sheets.text("## 1. The main figures, point by point")
    words = ""
    if any(np.isfinite(each.y.low).any() for each in swept.curves):
        words = "Intervals are of 95 %, each from its point's own runs."
    if any(each.rule is not None for each in swept.curves):
        words += " The 2/3-1/3 rule was played with each point's own cubes, phases and rules."
    if words:
        sheets.text(words.strip())
    _pictures(sheets, swept)
    _tables(sheets, swept)


def _pictures(sheets: Sheets, swept: Swept) -> None:
    pair = _pair(swept)
    if pair is None:
        for number, each in enumerate(curve for curve in swept.curves if curve.name not in MINOR):
            slug = "".join(c if c.isalnum() else "_" for c in each.name)
            _by_field(sheets, swept, each, f"fields_{number}_{slug}")
        return
    x, family = pair
    for about, words in (
        (PLAYERS, "What players get"),
        (TOWER, "What the tower does"),
        (BATTLE, "Battles"),
        (OWN, "What the game tells"),
    ):
        some = [each for each in swept.curves if each.about == about and np.isfinite(each.y.value).any()]
        if some and family and len(family.levels) > plots_sweep.MOST_LINES:
            sheets.picture(f"curves_{about}", plots_sweep.contours(some, x, family), f"{words}, by point")
        elif some:
            also = next(group for group in swept.groups if group[0] is x)[1:]
            name = plots_sweep.trimmed(x.name) + (f" (moves with {len(also)} more)" if also else "")
            picture = plots_sweep.curves(some, x, family, name, swept.each)
            sheets.picture(f"curves_{about}", picture, f"{words}, by point")


def _pair(swept: Swept) -> tuple[Varied, Varied | None] | None:
    """Choose the field of the axis and that of the lines (or of the second axis); None: a panel for every field."""
    leaders = [group[0] for group in swept.groups]
    if len(leaders) == 1:
        return (leaders[0], None) if swept.alone and len(leaders[0].levels) <= 24 else None
    if len(leaders) != 2:
        return None
    x, family = sorted(leaders, key=lambda each: (not each.is_number, -len(each.levels)))
    if swept.slices and len(family.levels) <= plots_sweep.MOST_LINES:
        return x, family
    spread = np.linalg.matrix_rank(np.stack([x.numbers - x.numbers[0], family.numbers - family.numbers[0]]))
    return (x, family) if x.is_number and family.is_number and len(swept.points) >= 9 and spread == 2 else None


def _by_field(sheets: Sheets, swept: Swept, each: Curve, name: str) -> None:
    shown = [group[0] for group in swept.groups]
    known = np.isfinite(each.y.value)
    if not known.any():
        return
    if len(shown) > plots_sweep.MOST_FIELDS:
        strength = [abs(rank_correlation(field.numbers[known], each.y.value[known]).value) for field in shown]
        order = sorted(range(len(shown)), key=lambda i: -np.nan_to_num(strength[i]))
        shown = [shown[i] for i in order[: plots_sweep.MOST_FIELDS]]
    lines: list[tuple[Array, Estimates] | None] = []
    for field in shown:
        at: Array = np.linspace(float(field.numbers.min()), float(field.numbers.max()), SMOOTH_AT)
        rng = swept.campaign.rng(f"smooth {each.name} {field.name}")
        is_sample = field.is_number and is_sampled(swept.campaign)
        line = smooth(field.numbers[known], each.y.value[known], at, rng) if is_sample else None
        lines.append((at, line) if line is not None else None)
    sheets.picture(name, plots_sweep.fields(each, shown, lines), f"{each.name} against the varied fields")


def _tables(sheets: Sheets, swept: Swept) -> None:
    points = swept.points.tolist()
    rows: list[list[Cell]] = [
        [point, *(field.at(i) for field in swept.fields), int(swept.runs[i]), *(_cell(c, i) for c in swept.curves)]
        for i, point in enumerate(points)
    ]
    names = [field.name for field in swept.fields if field.name != "point"]
    if len(names) < len(swept.fields):
        rows = [[row[0], *row[2:]] for row in rows]
    head = ["point", *names, f"{swept.campaign.unit}s", *(each.title for each in swept.curves)]
    if len(points) > TURNED:
        sheets.table("points", head, rows, shown=12)
        return
    turned: list[list[Cell]] = [
        [each.name, each.unit, *(each.y.at(i, int(each.n[i])) for i in range(len(points)))] for each in swept.curves
    ]
    sheets.table("figures", ["figure", "unit", *swept.labels], turned)
    sheets.data("points", head, rows)


def _cell(each: Curve, i: int) -> Cell:
    """Return a value with its interval, or bare where no point has any."""
    return each.y.at(i, int(each.n[i])) if np.isfinite(each.y.low).any() else float(each.y.value[i])


def effects(sheets: Sheets, swept: Swept, tell: Callable[[float], None]) -> None:
    """Tell over which range each field moves each figure, and in which shape; `tell` hears what part is done."""
    sheets.text("## 2. What the varied fields do")
    for group in swept.groups:
        if len(group) > 1:
            names = ", ".join(f"`{each.name}`" for each in group)
            sheets.text(f"{names} move as one in this design: what they do cannot be told apart.")
    if is_sampled(swept.campaign):
        sampled_effects(sheets, swept.campaign, swept.curves, [group[0] for group in swept.groups], tell)
        return
    if not swept.slices:
        sheets.text(
            "No two points differ in one field only, so that no effect of a single field can be read off. A grid has "
            "such points; a Latin hypercube or Sobol design takes its points as a sample."
        )
        return
    found = [each for curve in swept.curves for along in swept.slices if (each := effect(curve, along))]
    sheets.text(
        "A range over points that differ in one field only, and its shape; no line is fitted. Points count as "
        f"different where their intervals do not meet. `{RISES}` allows steps back that the intervals do not show."
    )
    if swept.alone:
        for each in found:
            sheets.text(f"{_with_name(each, '**')}.")
    rows: list[list[Cell]] = [
        [
            each.curve.name, each.curve.unit, each.along.field.name, each.along.held, len(each.along.points),
            each.end(each.lowest), each.along.field.at(each.lowest), int(swept.points[each.lowest]),
            each.end(each.highest), each.along.field.at(each.highest), int(swept.points[each.highest]), each.shape,
        ]
        for each in found
    ]  # fmt: skip
    head = ["figure", "unit", "field", "others held at", "points", "lowest", "lowest at", "lowest at point", "highest",
            "highest at", "highest at point", "shape"]  # fmt: skip
    if swept.alone:
        sheets.data("effects", head, rows)
    else:
        sheets.table("effects", head, rows, shown=24)
