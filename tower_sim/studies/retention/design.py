"""A swept campaign split into its design points: the varied fields, and each figure at each point."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tower_sim.campaign import SAMPLED, Campaign, apply_values
from tower_sim.errors import check_whole, fault
from tower_sim.results import (
    FEWEST,
    GENERAL,
    MEAN,
    NOWHERE,
    PHASES,
    TOWER,
    Array,
    Estimate,
    Estimates,
    Figure,
    Resamples,
    Words,
    ratios_of_sums,
)
from tower_sim.studies.retention import battles
from tower_sim.studies.retention.baseline import GameKit, find_kit, play_rule

RULE_GAMES = 200  # of the 2/3-1/3 rule, for each set of cubes, phases and rules that a point has
MOST_KITS = 24  # such sets; with more, the rule is not played
MOST_WORDS = 8  # words in a game's own column; with more, their shares are no main figures
PLAYERS, IN_TOWER, BATTLE, OWN = "players", "tower", "battle", "own"  # what a figure is about


@dataclass(frozen=True)
class Varied:
    """A field that differs between design points.

    `levels` are its values: numbers from the least, words as they appear. `numbers` (points,) has the number, or the
    index of the word.
    """

    name: str
    is_number: bool
    numbers: Array
    levels: tuple[str, ...]

    def at(self, i: int) -> str:
        """Return the value at point i as text."""
        return _plain(self.numbers[i]) if self.is_number else self.levels[int(self.numbers[i])]


def used_points(campaign: Campaign) -> Array:
    """Return the numbers of the design points that have data."""
    return np.unique(campaign.run_point)


def is_sampled(campaign: Campaign) -> bool:
    """Return whether the design points are a random sample of the ranges."""
    return campaign.spec.get("design") in SAMPLED


def at_point(campaign: Campaign, point: int) -> Campaign:
    """Return the runs of one design point as a campaign of its own, numbered from 0.

    Its digest names the point, for the random numbers of a report. Raises UsageError for a point without data.
    """
    point = check_whole("point", point, 0)
    first, stop = (int(i) for i in np.searchsorted(campaign.run_point, [point, point + 1]))
    if first == stop:
        known = used_points(campaign)
        raise fault("point", point, f"one with data, from {known.min()} to {known.max()}", "see tables/points.csv")
    start, end = (int(i) for i in np.searchsorted(campaign.rows.run, [first, stop]))
    entries = slice(*(int(i) for i in np.searchsorted(campaign.cubes.row, [start, end])))
    failed = campaign.failed.take(campaign.run_point[campaign.failed.run] == point)
    values = {name: value for name, value in _values(campaign, point).items() if name.split(".")[0] in campaign.spec}
    rows, cubes = campaign.rows.take(slice(start, end)), campaign.cubes.take(entries)
    return campaign.changed(
        rows=rows.having(run=rows.run - first),
        cubes=cubes.having(row=cubes.row - start),
        facts=campaign.facts.take(slice(start, end)),
        spec=apply_values(campaign.spec, values) | {"design": "", "points": [{}]},
        points=[{}],
        run_point=np.zeros(stop - first, np.int64),
        failed=failed.having(run=failed.run - first),
        digest=f"{campaign.digest} point {point}",
        missing=(),
    )


def each_point(campaign: Campaign) -> Iterator[tuple[int, Campaign, Resamples]]:
    """Yield the number, the runs and the resamples of each design point with data."""
    for point in used_points(campaign).tolist():
        own = at_point(campaign, point)
        yield point, own, Resamples(own.strata, own.rng("resamples"))


def _values(campaign: Campaign, point: int) -> Mapping[str, Any]:
    return campaign.points[point] if point < len(campaign.points) else {}


def list_varied(campaign: Campaign) -> list[Varied]:
    """Return the fields that differ between points with data."""
    flat = [_flat(_values(campaign, point)) for point in used_points(campaign).tolist()]
    names = list(dict.fromkeys(name for point in flat for name in point))
    fields = [_make_varied(name, [point.get(name) for point in flat]) for name in names]
    return [field for field in fields if len(field.levels) > 1]


def _make_varied(name: str, values: list[Any]) -> Varied:
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
    """Group fields that always change together."""
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


# Figures


@dataclass(frozen=True)
class Quantity:
    """A figure as the ratio of two sums over runs, of shape (runs,); unit 1 means a share, `minor` tables only."""

    about: str
    name: str
    unit: str
    over: Array
    under: Array
    minor: bool = False

    def estimate(self, boot: Resamples) -> Estimate:
        """Return the figure over all runs."""
        return boot.ratio(self.over, self.under, share=self.unit == "1")


@dataclass(frozen=True)
class SweptCurve:
    """A figure at each point with data: `y` has values, intervals and sample sizes.

    `error` is the standard error, with `freedom` degrees of freedom. `rule` is the figure under the 2/3-1/3 rule with
    the kit of each point; None if it was not played.
    """

    about: str
    name: str
    unit: str
    y: Estimates
    error: Array
    freedom: Array
    rule: Array | None = None
    minor: bool = False

    @property
    def title(self) -> str:
        """The name with the unit."""
        return f"{self.name} [{self.unit}]"

    def means(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return the values, standard errors and degrees of freedom at some points."""
        return self.y.value[rows], self.error[rows], self.freedom[rows]


def phase_figures(campaign: Campaign) -> tuple[Figure, ...]:
    """Return the game's own figures that are means over phases, those with a distribution first.

    There are none without a set-up. Figures that every tower has are left out.
    """
    if campaign.game is None or not campaign.has_setup:
        return ()
    own = [
        figure
        for figure in campaign.game.figures
        if (figure.take, figure.at, figure.among, figure.where) == (MEAN, PHASES, "1", "1")
        and figure.key not in GENERAL
        and figure.is_known(campaign)
    ]
    return tuple(sorted(own, key=lambda figure: not figure.chances))


def other_figures(campaign: Campaign) -> tuple[Figure, ...]:
    """Return the game's other own figures; those of every tower are left out."""
    mine = phase_figures(campaign)
    own = () if campaign.game is None else campaign.game.figures
    return tuple(f for f in own if f.key not in GENERAL and f not in mine and f.is_known(campaign))


def estimate(campaign: Campaign, boot: Resamples, figure: Figure) -> Estimate:
    """Return a figure over all runs of a campaign."""
    return boot.ratio(*figure.sums(campaign), share=figure.is_share)


def quantities(campaign: Campaign) -> list[Quantity]:
    """Return the main figures of a campaign with one design point, the game's own first."""
    own = [part for _, _, parts in own_columns(campaign) if len(parts) <= MOST_WORDS for part in parts.values()]
    return [*(_of_board(campaign) if battles.are_on_board(campaign) else _of_tower(campaign)), *own]


def _of_tower(campaign: Campaign) -> list[Quantity]:
    runs, own = campaign, phase_figures(campaign)
    of_game = campaign.game.figures if campaign.game else ()
    others = [figure for figure in of_game if figure not in own and figure.is_known(runs)]
    known, taken = {figure.key for figure in others}, {figure.of for figure in own}
    general = [f for f in TOWER if f.key not in known and f.of not in taken and f.is_known(runs)]
    for_players = [each for figure in own for each in (figure, *figure.shares())]
    return [
        Quantity(about, of_drops(campaign, figure.title), figure.unit, *figure.sums(runs), figure.minor)
        for about, figures in ((PLAYERS, for_players), (IN_TOWER, (*general, *others)))
        for figure in figures
    ]


def of_drops(campaign: Campaign, title: str) -> str:
    """Return the title of a phase figure; without a set-up there are drops instead of phases."""
    return title if campaign.has_setup else title.replace("phase", "drop")


def _of_board(campaign: Campaign) -> list[Quantity]:
    figures: list[Quantity] = []
    if battles.have_winners(campaign):
        d, every = campaign.rows, np.ones(campaign.runs)
        done = (~campaign.unfinished).astype(float)
        explosions = np.bincount(d.run[d.kind.among("explosion")], minlength=campaign.runs).astype(float)
        for i, name in enumerate(d.winner.names):
            won = np.bincount(d.run[d.winner.codes == i], minlength=campaign.runs).astype(float)
            figures.append(Quantity(BATTLE, f"won by {name}", "1", won, done))
        figures.append(Quantity(BATTLE, "battles with an explosion", "1", (explosions > 0).astype(float), every))
        figures.append(Quantity(BATTLE, "explosions a battle", "explosions", explosions, every))
    moved = battles.moved_and_lying(campaign)
    return [*figures, Quantity(BATTLE, "share of lying cubes that a throw moves", "1", *moved)]


def own_columns(campaign: Campaign) -> list[tuple[str, str, dict[str, Quantity]]]:
    """Return the game's own columns that nothing else covers: name, meaning, and figures by name.

    These are the mean of a number, and the share of a truth value or of each word.
    """
    columns = {column.name: column for column in (campaign.game.columns if campaign.game else ())}
    about = {name for name, column in columns.items() if not column.studied}
    about |= {"side", battles.WINNER} if battles.have_winners(campaign) else set()
    own: list[tuple[str, str, dict[str, Quantity]]] = []
    for name, values in campaign.facts.by_name.items():
        if name in about:
            continue
        if isinstance(values, Words):
            there = values.codes != NOWHERE
            parts = {word: (f"{name} {word}", values.codes == i) for i, word in enumerate(values.names)}
        else:
            there = np.isfinite(values)
            is_share = values.dtype == bool or (name in columns and columns[name].kind == "bool")
            parts = {"share" if is_share else "mean": (name, np.where(there, values, 0))}
        figures: dict[str, Quantity] = {}
        for what, (title, part) in parts.items():
            sums = campaign.by_run(np.stack([part.astype(float), there.astype(float)], 1))
            figures[what] = Quantity(OWN, title, "mean" if what == "mean" else "1", sums[:, 0], sums[:, 1])
        own.append((name, columns[name].meaning if name in columns else "", figures))
    return own


def curves(campaign: Campaign, tell: Callable[[int], None] = lambda done: None) -> list[SweptCurve]:
    """Return the main figures at each point with data."""
    figures: list[list[Quantity]] = []
    parts: list[list[Estimate]] = []
    errors: list[tuple[Array, Array]] = []
    rules: list[Array | None] = []
    known: list[tuple[GameKit, Array]] = []
    for done, (_, own, boot) in enumerate(each_point(campaign)):
        figures.append(quantities(own))
        over, under = (np.stack([getattr(quantity, side) for quantity in figures[-1]], 1) for side in ("over", "under"))
        parts.append([*boot.ratios(over, under, share=np.array([quantity.unit == "1" for quantity in figures[-1]]))])
        _, error, freedom = ratios_of_sums(over, under)
        errors.append((np.where(freedom + 1 >= FEWEST, error, np.nan), freedom))
        rules.append(_rule(campaign, own, known))
        tell(done + 1)
    error, freedom = (np.stack(part) for part in zip(*errors, strict=True))
    rule = np.stack([values for values in rules if values is not None]) if all(p is not None for p in rules) else None
    return [
        SweptCurve(
            quantity.about,
            quantity.name,
            quantity.unit,
            Estimates.of(of_point[i] for of_point in parts),
            error[:, i],
            freedom[:, i],
            None if rule is None else rule[:, i],
            quantity.minor,
        )
        for i, quantity in enumerate(figures[0])
    ]


def _rule(campaign: Campaign, own: Campaign, known: list[tuple[GameKit, Array]]) -> Array | None:
    kit = find_kit(own)
    if kit is None or len(known) > MOST_KITS:
        return None
    for other, values in known:
        if kit.same(other):
            return values
    played = play_rule(kit, RULE_GAMES, campaign.rng("rule"))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.array([quantity.over.sum() / quantity.under.sum() for quantity in quantities(played)])
    known.append((kit, values))
    return values
