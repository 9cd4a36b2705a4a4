"""The points of a swept campaign, each as a campaign of its own, and the fields that differ between them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from tower_sim.campaign.data import Array, Campaign, CubeEntries, Drops, Failed
from tower_sim.campaign.vary import SAMPLED, TOWER, designed
from tower_sim.errors import fault


@dataclass(frozen=True)
class Varied:
    """A field that differs between points: `numbers` at each of them, of words the number of the level.

    `levels` are all values, of numbers from the least, of words by their order of appearance.
    """

    name: str
    is_number: bool
    numbers: Array
    levels: tuple[str, ...]

    def at(self, i: int) -> str:
        """Say the value at the i-th point."""
        return _plain(self.numbers[i]) if self.is_number else self.levels[int(self.numbers[i])]


def used_points(campaign: Campaign) -> Array:
    """Return the numbers of the design points that have data, shape (points,)."""
    return np.unique(campaign.run_point)


def is_sampled(campaign: Campaign) -> bool:
    """Whether the design's points are a sample themselves, so that one run a point is allowed."""
    return campaign.spec.get("design") in SAMPLED


def at_point(campaign: Campaign, point: int) -> Campaign:
    """Return the runs of one design point as a campaign without a design; runs are numbered from 0 again.

    Its spec has the point's values, its digest names the point, so that what is random there depends on it alone.
    Raises UsageError for a point without data.
    """
    first, stop = (int(i) for i in np.searchsorted(campaign.run_point, [point, point + 1]))
    if first == stop:
        known = used_points(campaign)
        raise fault("point", point, f"one with data, from {known.min()} to {known.max()}", "see tables/points.csv")
    d, c, failed = campaign.drops, campaign.cubes, campaign.failed
    start, end = (int(i) for i in np.searchsorted(d.run, [first, stop]))
    from_entry, to_entry = (int(i) for i in np.searchsorted(c.row, [start, end]))
    mine = np.flatnonzero((failed.run >= first) & (failed.run < stop))
    nothing: Mapping[str, Any] = {}
    values = campaign.points[point] if point < len(campaign.points) else nothing
    return replace(
        campaign,
        spec=at_values(campaign.spec, values),
        points=[{}],
        run_point=np.zeros(stop - first, np.int64),
        drops=_drops(d, np.arange(start, end), first),
        cubes=_cubes(c, np.arange(from_entry, to_entry), start),
        failed=Failed(failed.run[mine] - first, failed.drop[mine], failed.status.take(mine)),
        digest=f"{campaign.digest} point {point}",
        missing=(),
    )


def at_values(spec: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of one point: its tables with the point's values, no design."""
    there = {name: value for name, value in values.items() if name.split(".")[0] in (*spec, TOWER)}
    return designed(spec, there) | {"design": "", "points": [{}]}


def _drops(d: Drops, rows: Array, first: int) -> Drops:
    columns: dict[str, Any] = {field.name: getattr(d, field.name) for field in dataclasses.fields(d)}
    taken = {name: column.take(rows) for name, column in columns.items()}  # both arrays and Words have it
    return Drops(**(taken | {"run": taken["run"] - first}))


def _cubes(c: CubeEntries, entries: Array, start: int) -> CubeEntries:
    taken = c.take(entries)
    return replace(taken, row=taken.row - start)


def varied(campaign: Campaign) -> list[Varied]:
    """Return the fields that differ between the points with data; `numbers` has an entry for each of these points."""
    nothing: Mapping[str, Any] = {}
    used: list[int] = used_points(campaign).tolist()
    points = [campaign.points[i] if i < len(campaign.points) else nothing for i in used]
    flat = [_flat(point) for point in points]
    names = list(dict.fromkeys(name for point in flat for name in point))
    fields = [_varied(name, [point.get(name) for point in flat]) for name in names]
    return [field for field in fields if len(field.levels) > 1]


def _varied(name: str, values: list[Any]) -> Varied:
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        numbers = np.array(values, float)
        return Varied(name, True, numbers, tuple(_plain(value) for value in np.unique(numbers)))
    words = [value if isinstance(value, str) else json.dumps(value) for value in values]
    levels = tuple(dict.fromkeys(words))
    return Varied(name, False, np.array([levels.index(word) for word in words], float), levels)


def _plain(value: float) -> str:
    return f"{value:.6g}"


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(cast("Mapping[str, Any]", value), f"{prefix}{key}.")
        else:
            flat[prefix + str(key)] = value
    return flat


def together(fields: list[Varied]) -> list[list[Varied]]:
    """Group fields that move as one: what a figure does cannot be told apart between them."""
    groups: list[list[Varied]] = []
    for field in fields:
        for group in groups:
            pairs = set(zip(group[0].numbers.tolist(), field.numbers.tolist(), strict=True))
            if len(pairs) == len(group[0].levels) == len(field.levels):
                group.append(field)
                break
        else:
            groups.append([field])
    return groups
