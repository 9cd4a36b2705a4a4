"""Measure how often the study's intervals hold the truth and its sweeps see what is not there.

python -m calibration.validation.coverage sweeps intervals ranks --write docs/statistics/report.md

All is of processes that are known: games under the 2/3-1/3 rule, games of the fast model, chances and chains drawn by
numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np

from calibration.validation.script import option, put, script, table_text
from tower_sim.campaign import Campaign
from tower_sim.games import Game
from tower_sim.games.amerigo import sample_games
from tower_sim.models import open_model
from tower_sim.results import Estimate, Estimates, Resamples, RunSampler, ratios_of_sums, wilson
from tower_sim.studies.retention import battles, effects, retention
from tower_sim.studies.retention.baseline import GameKit, play_rule
from tower_sim.studies.retention.design import Quantity, SweptCurve, Varied, at_point, quantities
from tower_sim.studies.retention.effects import LEVEL, changes, slices
from tower_sim.studies.retention.retention import colours_out
from tower_sim.surrogate import RESIDENT_OUT, THROWN_OUT
from tower_sim.tools import registry

Array = np.ndarray[Any, np.dtype[Any]]
COLOURS = ("red", "blue", "green", "yellow", "black", "pink", "grey")
SHIFTED = "mean inside in play"
AT_ONCE = 1600  # games played together


def kit(rounds: int) -> GameKit:
    return GameKit(COLOURS, np.repeat(np.arange(7), 7), [*range(7)] * rounds)


def percent(hits: int, trials: int) -> str:
    """Return a share with Wilson's interval, in percent."""
    found = wilson(hits, trials)
    return f"{100 * found.value:.1f} ({100 * found.low:.1f} to {100 * found.high:.1f})"


# Sweeps


def sweep(figures: Sequence[Quantity], points: int, games: int, first: int, shift: Array) -> list[SweptCurve]:
    """Return a swept report's curves of runs from `first` on; `shift` is added to SHIFTED in its sds between runs."""
    curves: list[SweptCurve] = []
    for figure in figures:
        over, under = (
            part[first : first + points * games].reshape(points, games).T.astype(float)
            for part in (figure.over, figure.under)
        )
        if figure.name == SHIFTED:
            over = over + under * shift * float((figure.over / figure.under).std())
        with np.errstate(divide="ignore", invalid="ignore"):
            value = over.sum(0) / under.sum(0)
        y = Estimates(value, value, value)
        curves.append(SweptCurve(figure.about, figure.name, figure.unit, y, *ratios_of_sums(over, under)[1:]))
    return curves


def sweeps(points: int, games: int, reports: int, seed: int, shift: Array | None = None) -> tuple[int, int, int]:
    """Play swept reports of which no field does anything; count those that call any figure changed, and SHIFTED.

    With `shift`, of shape (points,), SHIFTED has that effect, and only the others are false. Returns both counts and
    how many figures a report has.
    """
    rng = np.random.default_rng([seed, points, games])
    field = Varied("x", True, np.arange(float(points)), tuple(map(str, range(points))))
    alike = slices([[field]])
    any_false = seen = width = 0
    together = max(AT_ONCE // (points * games), 1)
    for start in range(0, reports, together):
        some = min(together, reports - start)
        figures = quantities(play_rule(kit(2), some * points * games, rng))
        for i in range(some):
            curves = sweep(figures, points, games, i * points * games, np.zeros(points) if shift is None else shift)
            sure = {name for (name, _), p in changes(curves, alike, points).items() if p <= LEVEL}
            seen += SHIFTED in sure
            any_false += bool(sure - ({SHIFTED} if shift is not None else set()))
            width = len(curves)
    return any_false, seen, width


def sweeps_table(reports: int = 400, seed: int = 1) -> str:
    rows: list[Sequence[object]] = []
    for points, games in ((5, 8), (20, 8), (5, 20), (20, 20)):
        alarms, _, width = sweeps(points, games, reports, seed)
        trend = 2 * np.arange(points) / (points - 1)
        off = 2.0 * (np.arange(points) == points // 2)
        some = reports // 4
        power = [percent(sweeps(points, games, some, seed + 1, shift)[1], some) for shift in (trend, off)]
        rows.append([points, games, width, reports, percent(alarms, reports), *power])
        print(*rows[-1], sep=" | ", flush=True)
    head = ["points", "games a point", "figures", "reports", "any called changed, %"]
    return table_text([*head, "trend over 2 sd, seen in %", "one point off by 2 sd, seen in %"], rows)


# Reports of some games


def parts(reports: int, games: int, rounds: int, rng: np.random.Generator) -> Iterator[Campaign]:
    together = max(AT_ONCE // games, 1)
    for start in range(0, reports, together):
        some = min(together, reports - start)
        played = play_rule(kit(rounds), some * games, rng)
        split = replace(played, points=[{}] * some, run_point=np.arange(some * games) // games)
        yield from (at_point(split, i) for i in range(some))


# Intervals

MISSING = Estimate(np.nan, np.nan, np.nan, 0)
ROUNDS = 3  # of games whose intervals are tried
AGES = (0, 2, 4)
DROPS = (0, 5, 14)


def intervals(part: Campaign) -> dict[str, list[Estimate]]:
    """Return a report's figures by kind, each in a place of its own; MISSING where it does not tell one."""
    boot, rows, d = Resamples(part.strata, part.rng("resamples"), 1000), part.is_phase, part.rows
    setup = d.drop == 0
    inside, out, colours, first = (
        retention.moments(part, boot, values, where)
        for values, where in (
            (d.inside, rows), (d.out, rows), (colours_out(part), rows), (d.inside, setup),
        )
    )  # fmt: skip
    course = retention.grouped(part, boot, d.run, d.drop, part.longest, d.inside)
    shares = retention.histogram(part, boot, d.run[rows], d.out[rows])
    plane = retention.slopes(part, boot, rows)
    stay = retention.survival(part, boot)
    lags = retention.autocorrelation(part, boot, np.column_stack([d.inside, part.by_colour["inside"]]))
    of_setup = retention.setup_colours(part, boot, setup)
    over = retention.moments(part, boot, d.out - THROWN_OUT * d.thrown - RESIDENT_OUT * d.before, rows)[0]
    with patch.object(battles, "PERMUTATIONS", 1), patch.object(battles, "FEWEST", 1):  # for its p alone
        alike = battles.compare_colours(part, boot, battles.thrown_situations(part), part.rng("fairness"))
    assert stay
    assert alike
    return {
        "mean of drops": [inside[0], out[0], colours[0]],
        "mean of one number a game": [first[0]],
        "mean at one drop": _pick(course, DROPS),
        "share of cubes": [retention.cube_share(part, boot, rows, of_thrown) for of_thrown in (True, False)],
        "share of drops": _pick(shares, range(20)),
        "share of games": [of_setup.all_present],
        "standard deviation of drops": [inside[1], out[1], colours[1]],
        "standard deviation of one number a game": [first[1]],
        "least squares, slopes": _pick(plane, (1, 2)),
        "least squares, R squared": _pick(plane, (3,)),
        "chance of release at an age": _pick(stay.hazard, AGES),
        "survival to an age": _pick(stay.survival, AGES),
        "stay, median": [stay.median],
        "stay, mean within 7 drops": [stay.mean_within],
        "autocorrelation, all cubes": _pick(lags, (0, 1, 6)),
        "autocorrelation, each colour": _pick(lags, range(7, 56, 7)),
        "difference from the rule": [over],
        "difference of a colour": _pick(alike.differences, range(7)),
        "ratio of variances": [of_setup.dispersion],
    }


def _pick(found: Estimates, places: Sequence[int]) -> list[Estimate]:
    return [found.at(i, 0) if i < len(found.value) else MISSING for i in places]


def ends(reports: Sequence[dict[str, list[Estimate]]], kind: str) -> Array:
    """Return values, lower and upper ends of a kind of figure, shape (3, reports, figures)."""
    return np.array([[[getattr(e, end) for e in one[kind]] for one in reports] for end in ("value", "low", "high")])


def truths(seed: int, batches: int = 4, games: int = 1_000) -> dict[str, Array]:
    """Return what the figures of a report are of so many games under the rule; of some it is known without."""
    rng = np.random.default_rng([seed, 0])
    found = [intervals(play_rule(kit(ROUNDS), games, rng)) for _ in range(batches)]
    known = {"difference from the rule": 0.0, "difference of a colour": 0.0, "ratio of variances": 1.0}
    means = {kind: np.nan_to_num(ends(found, kind)[0]).mean(0) for kind in found[0]}
    return {kind: mean if kind not in known else np.full_like(mean, known[kind]) for kind, mean in means.items()}


def covered(games: int, reports: int, truth: dict[str, Array], seed: int) -> dict[str, tuple[float, float, int]]:
    """Return, by kind, which share of intervals holds the truth, its standard error, and how many there are.

    A kind's figures within a report go together, so the error is over reports. Shares of under one drop
    in fifty are left out.
    """
    rng = np.random.default_rng([seed, games])
    found = [intervals(part) for part in parts(reports, games, ROUNDS, rng)]
    return {
        kind: _count_hits(ends(found, kind), right, right > (0.02 if kind == "share of drops" else -np.inf))
        for kind, right in truth.items()
    }


def _count_hits(estimates: Array, right: Array, counted: Array) -> tuple[float, float, int]:
    _, low, high = estimates
    there = np.isfinite(low) & counted
    hits, of = ((low <= right) & (right <= high) & there).sum(1), there.sum(1)
    ratio = hits.sum() / of.sum()
    error = np.sqrt(((hits - ratio * of) ** 2).sum()) / of.sum()
    return float(ratio), float(error), int(of.sum())


def intervals_table(reports: int = 200, seed: int = 3) -> str:
    sizes, truth = (8, 20, 50), truths(seed)
    by_size = [covered(games, reports, truth, seed) for games in sizes]
    rows = [
        [kind, *(f"{100 * s:.1f} +- {100 * e:.1f} ({n})" for s, e, n in (size[kind] for size in by_size))]
        for kind in by_size[0]
    ]
    return table_text(["kind of interval", *(f"{games} games, % (n)" for games in sizes)], rows)


# Rank correlations


RANKS = 1000  # designs


def hold_rank(points: int, rng: np.random.Generator) -> bool:
    """Return whether the interval of a rank correlation holds the known one of normal pairs of correlation 0.6."""
    x = rng.normal(size=points)
    found = effects.rank_correlation(x, 0.6 * x + 0.8 * rng.normal(size=points))
    return found.low <= 6 / np.pi * np.arcsin(0.3) <= found.high


def ranks_table(seed: int = 4) -> str:
    rows: list[Sequence[object]] = []
    for points in (12, 40):
        rng = np.random.default_rng([seed, points])
        held = [hold_rank(points, rng) for _ in range(RANKS)]
        share, error = np.mean(held), np.std(held, ddof=1) / np.sqrt(RANKS)
        rows.append([points, RANKS, f"{100 * share:.1f} +- {100 * error:.1f}"])
    return table_text(["points", "designs", "covered, %"], rows)


# Games of the fast model


SAMPLED = 400_000  # games whose figures are taken for the truth


def games_table(reports: int = 1_000, sizes: Sequence[int] = (30, 200), seed: int = 5) -> str:
    """Return how often the intervals of the figures of Amerigo hold the truth, in campaigns of the fast model."""
    game: Game = registry.get("game", "amerigo")
    with open_model("amerigo", "surrogate") as opened:
        model = cast("RunSampler", opened)
        every = sample_games(model, game.read({}), SAMPLED, seed)
        truth = [over.sum() / under.sum() for over, under in (figure.sums(every) for figure in game.figures)]
        held = np.zeros((len(truth), len(sizes)), int)
        for place, games in enumerate(sizes):
            for report in range(reports):
                some = sample_games(model, game.read({}), games, seed + 1 + place, first=report * games)
                boot = Resamples(np.zeros(games, int), np.random.default_rng([seed, games, report]))
                for i, figure in enumerate(game.figures):
                    found = boot.ratio(*figure.sums(some), share=figure.is_share)
                    held[i, place] += found.low <= truth[i] <= found.high
    rows = [
        [figure.title, f"{true:.4g}", *(percent(hits, reports) for hits in of)]
        for figure, true, of in zip(game.figures, truth, held.tolist(), strict=True)
    ]
    return table_text(["figure", f"mean of {SAMPLED:,} games", *(f"{games} games, %" for games in sizes)], rows)


TABLES: dict[str, Callable[[], str]] = {
    "sweeps": sweeps_table,
    "games": games_table,
    "intervals": intervals_table,
    "ranks": ranks_table,
}


def measure(tables: Sequence[str], write: Path | None) -> None:
    for name in tables:
        text = TABLES[name]()
        print(text)
        if write:
            put(write, name, text)


main = script(
    __doc__,
    measure,
    option("tables", nargs="+", choices=[*TABLES], help="what to measure"),
    option("--write", type=Path, help="the document that has the tables"),
)

if __name__ == "__main__":
    raise SystemExit(main())
