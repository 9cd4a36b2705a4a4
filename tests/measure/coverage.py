"""Measure how often the study's intervals hold the truth and its sweeps see what is not there: docs/statistics.md.

python -m tests.measure.coverage sweeps information intervals --write docs/statistics.md

All is of processes that are known: games under the 2/3-1/3 rule, chances and chains drawn by numpy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.measure.script import ended, put
from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Estimate, Estimates, ratio_errors, wilson
from tower_sim.study import memory
from tower_sim.study.baseline import GameKit, play_rule
from tower_sim.study.effects import LEVEL, changes, slices
from tower_sim.study.points import Varied, at_point
from tower_sim.study.sweeps import Quantity, SweptCurve, quantities

Array = np.ndarray[Any, np.dtype[Any]]
COLOURS = ("red", "blue", "green", "yellow", "black", "pink", "grey")
SHIFTED = "mean inside in play"
AT_ONCE = 1600  # games played together


def kit(rounds: int = 5) -> GameKit:
    """Return what games of the rule are played with: seven cubes of seven colours."""
    return GameKit(COLOURS, np.repeat(np.arange(7), 7), [*range(7)] * rounds)


def share(hits: int, of: int) -> str:
    """Say a share with Wilson's interval, in percent."""
    found = wilson(hits, of)
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
        curves.append(SweptCurve(figure.about, figure.name, figure.unit, y, under.sum(0), *ratio_errors(over, under)))
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
    """Return the table of false alarms and of power."""
    rows = [
        "| points | games a point | figures | reports | any called changed, % | trend over 2 sd, seen in % | "
        "one point off by 2 sd, seen in % |",
        "|" + "---|" * 7,
    ]
    for points, games in ((2, 5), (5, 5), (20, 5), (5, 8), (20, 8), (5, 20), (20, 20)):
        alarms, _, width = sweeps(points, games, reports, seed)
        trend = 2 * np.arange(points) / (points - 1)
        off = 2.0 * (np.arange(points) == points // 2)
        power = [share(sweeps(points, games, reports // 4, seed + 1, shift)[1], reports // 4) for shift in (trend, off)]
        rows.append(f"| {points} | {games} | {width} | {reports} | {share(alarms, reports)} | {' | '.join(power)} |")
        print(rows[-1], flush=True)
    return "\n".join(rows)


# Information


def parts(reports: int, games: int, rounds: int, rng: np.random.Generator) -> Iterator[Campaign]:
    """Play reports of games under the rule, each a campaign of its own."""
    together = max(AT_ONCE // games, 1)
    for start in range(0, reports, together):
        some = min(together, reports - start)
        played = play_rule(kit(rounds), some * games, rng)
        split = replace(played, points=[{}] * some, run_point=np.arange(some * games) // games)
        yield from (at_point(split, i) for i in range(some))


def informations(games: int, reports: int, rounds: int, seed: int) -> list[Estimate]:
    """Return the information of successive drops that each of several reports has."""
    rng = np.random.default_rng([seed, games])
    found = (memory.successive_information(part, rng) for part in parts(reports, games, rounds, rng))
    return [each.bits for each in found if each]


def known_information(rounds: int, seed: int, games: int = 20_000) -> float:
    """Return the information of successive drops in so many games, far more than any report has."""
    rng = np.random.default_rng(seed)
    batches = [play_rule(kit(rounds), AT_ONCE, rng) for _ in range(games // AT_ONCE)]
    out = np.concatenate([batch.matrix(np.where(batch.phases, batch.drops.emerged, -1)) for batch in batches])
    out = out.astype(np.int64)
    size, others = int(out.max()) + 1, np.roll(out, 1, axis=0)

    def told(later: Array) -> float:
        there = (out[:, :-1] >= 0) & (later[:, 1:] >= 0)
        code = out[:, :-1][there] * size + later[:, 1:][there]
        return float(memory.mutual_information(np.bincount(code, minlength=size**2).reshape(size, size)))

    return told(out) - told(others)


def information_table(reports: int = 300, rounds: int = 5, seed: int = 2) -> str:
    """Return the table of the information between successive drops against its truth."""
    truth = known_information(rounds, seed)
    rows = ["| games | reports | truth | mean of estimates +- se | covered, % |", "|" + "---|" * 5]
    for games in (20, 50, 240):
        found = informations(games, reports if games < 240 else reports // 3, rounds, seed + 1)
        values = np.array([each.value for each in found])
        error = values.std(ddof=1) / np.sqrt(len(values))
        hits = sum(each.low <= truth <= each.high for each in found)
        mean = f"{values.mean():.4f} +- {error:.4f}"
        rows.append(f"| {games} | {len(found)} | {truth:.4f} | {mean} | {share(hits, len(found))} |")
    return "\n".join(rows)


TABLES: dict[str, Callable[[], str]] = {"sweeps": sweeps_table, "information": information_table}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure coverage; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", choices=[*TABLES], help="what to measure")
    parser.add_argument("--write", type=Path, help="the document that has the tables")
    options = parser.parse_args(arguments)

    def work() -> None:
        for name in options.tables:
            text = TABLES[name]()
            print(text)
            if options.write:
                put(options.write, name, text)

    return ended("coverage", work)


if __name__ == "__main__":
    sys.exit(main())
