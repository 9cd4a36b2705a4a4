"""The report of a comparison on the terminal: the differing rules, the differences shown, and tables."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, cast

import numpy as np

from tower_sim.compare.paired import LEVEL, POWER, Comparison, differences, noun
from tower_sim.games import Row
from tower_sim.results import FEWEST, count_decimals, percent, too_few
from tower_sim.tools import count_noun

_TITLE = 27  # characters of the first column; longer titles continue on further lines
_MOST = 6  # differing keys that are listed


def compare_report(comparison: Comparison) -> str:
    """Return the report of a comparison. A paragraph is one line; tables are up to 80 characters wide.

    >>> from tower_sim.compare import compare_files
    >>> comparison = compare_files(("amerigo", None), 100, 1, "surrogate", ["cubes=6"])
    >>> print(compare_report(comparison).splitlines()[2])
    Amerigo, house rules compared: 100 pairs of games, model surrogate, seed 1
    """
    pairs, game = comparison.pairs, comparison.pairs.compared.game
    head = [
        comparison.in_plain_words,
        "",
        f"{game.title}, house rules compared: {len(pairs)} pairs of {game.run}s, model {comparison.model}, "
        f"seed {comparison.seed}",
        _variant(comparison, 0),
        _variant(comparison, 1),
        "",
        describe_differences(comparison),
        describe_significant(comparison),
        "",
    ]
    groups = [(group.head, [row for row in rows if not row.never])
              for group, rows in zip(pairs.compared.groups, comparison.groups, strict=True)]  # fmt: skip
    tables: list[str] = []
    for heading, line in ((_HEADING, _mean_rows), (_SURE_HEADING, _test_rows))[: 1 + (len(pairs) >= FEWEST)]:
        for title, rows in filter(itemgetter(1), groups):
            tables += [f"{title:<{_TITLE}} {heading}", *(each for row in rows for each in line(row)), ""]
    return "\n".join([*head, *tables, *notes(comparison)])


def describe_differences(comparison: Comparison) -> str:
    """Return a sentence about the differences between the variants."""
    differing = differences(comparison.pairs.compared, comparison.a, comparison.b)
    if not differing:
        what = noun(comparison.a.apparatus)
        return (
            f"The two variants play alike: equal rules, equal {what}; from equal seeds every difference is exactly 0."
        )
    changes = [f"{one.key} {_value(one.b)} (A: {_value(one.a)})" for one in differing[:_MOST]]
    changes += [f"{len(differing) - _MOST} more keys"] * (len(differing) > _MOST)
    compared = comparison.pairs.compared
    unseen = [difference.key for difference in differing if compared.is_unseen(difference.key)]
    rest = f" No figure below depends on {' and '.join(unseen)}." if unseen else ""
    return f"B differs from A in {'; '.join(changes)}.{rest}"


def _variant(comparison: Comparison, side: int) -> str:
    variant = (comparison.a, comparison.b)[side]
    file = " --set ".join([variant.file, *variant.changes])
    apparatus = f"{noun(variant.apparatus)} {variant.apparatus.name}"
    parts = [word for word in (comparison.pairs.compared.label(side), apparatus) if word]
    return f"{'AB'[side]}  {variant.name}: {', '.join(parts)} ({file})"


def _value(value: Any) -> str:
    if value is None:
        return "left out"
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_value(inner)}" for key, inner in cast("Mapping[str, Any]", value).items())
    if isinstance(value, list):
        return " ".join(map(_value, cast("list[Any]", value)))
    return str(value) or "none"


def describe_significant(comparison: Comparison) -> str:
    """Return a sentence about the differences that the pairs show."""
    figures = [replace(row, title=f"{group.of} {row.title}".strip())
               for group, rows in zip(comparison.pairs.compared.groups, comparison.groups, strict=True)
               if group is comparison.pairs.compared.groups[0] or group.of for row in rows]  # fmt: skip
    significant = [row for row in figures if row.shown]
    if not significant:
        return "No difference is shown."
    listed = ", ".join(f"{row.title} {_mean(row, row.difference, '+')}{_percent(row)}" for row in significant)
    rest = len(figures) - len(significant)
    others = f"of the other {rest} none" if rest > 1 else "of the other one none" if rest else "that is all of them"
    return f"Shown, B minus A: {listed}; {others}."


def _percent(row: Row) -> str:
    return f" ({row.relative[0]:+.1%})".replace("%", " %") if row.relative else ""


_HEADING = f"{'A':>7} {'B':>7} {'B - A':>8}  {'95 % interval':>18}  shown"
_SURE_HEADING = f"{'r':>5} {'p':>7}  {'shown from':>10}  a smaller one"


def _mean_rows(row: Row) -> list[str]:
    interval = "-" if row.interval is None else " to ".join(_mean(row, value, "+") for value in row.interval)
    return _with_title(
        row.title,
        f"{_mean(row, row.mean_a):>7} {_mean(row, row.mean_b):>7} {_mean(row, row.difference, '+'):>8}  "
        f"{interval:>18}  {'yes' if row.shown else 'no'}",
    )


def _test_rows(row: Row) -> list[str]:
    correlation = "-" if row.correlation is None else f"{row.correlation:.2f}"
    p = "<0.0001" if row.p_adjusted < 1e-4 else f"{row.p_adjusted:.4f}"
    least = "-" if row.shows_from is None else _mean(row, row.shows_from)
    smaller = "-" if row.smaller is None else f"{_mean(row, row.smaller[0])} in {_games(row.smaller[1])}"
    return _with_title(row.title, f"{correlation:>5} {p:>7}  {least:>10}  {smaller}")


def _with_title(title: str, cells: str) -> list[str]:
    first, *rest = textwrap.wrap(title, _TITLE)
    return [f"{first:<{_TITLE}} {cells}", *rest]


def notes(comparison: Comparison) -> list[str]:
    """Return notes that explain the tables and name what was left out."""
    level = f"{LEVEL:.0%}".replace("%", " %")
    power = f"{POWER:.0%}".replace("%", " %")
    run = comparison.pairs.compared.game.run
    explained = (
        f"A, B: means over {run}s. Interval: of this row by itself. r: correlation of A with B over the pairs. "
        "p: adjusted for all rows of its table (Holm); in the words above, at most 0.0001 is certain, up to "
        f"{LEVEL:g} is very likely, and above that likely, but not sure, where the row's own interval leaves out 0. "
        f"Shown: p is at most {level}; a table of two {run}s that do not differ shows any with at most that chance. "
        f"Shown from: the smallest difference that {len(comparison.pairs)} pairs show with a chance of {power}. "
        "A smaller one: half the difference (where none is shown, half of 'shown from'), and how many pairs show that."
    )
    pairs = comparison.pairs
    few = too_few(len(pairs), "pair")
    lines = [explained, f"{few}." if few else _describe_gain(comparison.figures, run)]
    if never := [row.title for rows in comparison.groups for row in rows if row.never]:
        lines.append(f"0 in every {run} of A and B, and so not in the tables: {', '.join(never)}.")
    if pairs.left_out:
        lines.append(f"{count_noun(pairs.left_out, 'pair')} left out: a drop of either {run} failed 5 times.")
    if pairs.extrapolated is not None and any(pairs.extrapolated):
        shares = " and ".join(map(percent, pairs.extrapolated))
        note = f"Drops outside of what the model was fitted to: {shares} (A and B); --model physics plays them too."
        lines.append(note)
    if pairs.a.draws and pairs.b.draws:
        redrawn = " and ".join(f"{again} of {landed + again}" for landed, again in (pairs.a.draws, pairs.b.draws))
        lines.append(f"Draws made again since they were no landing: {redrawn} (A and B).")
    if pairs.interrupted:
        lines.append(f"Interrupted: {comparison.asked} pairs were asked for.")
    return lines


def _describe_gain(figures: Sequence[Row], run: str) -> str:
    gains = [row.pairing_gain for row in figures if row.pairing_gain is not None]
    equal = len(figures) - len(gains)
    sentences = [f"No two pairs differ in {count_noun(equal, 'figure')}: no interval."] * bool(equal)
    if gains:
        low, middle, high = map(_times, (min(gains), float(np.median(gains)), max(gains)))
        sentences.append(
            f"Pairing: without pairs, equal intervals would need {middle} times as many {run}s (the middle figure; "
            f"{low} to {high}); 1 is no gain."
        )
    return " ".join(sentences)


def _times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}" if ratio < 1e6 else "over a million"


def _games(number: int) -> str:
    if number < 1_000_000:
        return str(number)
    return f"{number / 1e6:.3g} million" if number < 1e9 else "over 1e9"


def _mean(row: Row, value: float, sign: str = "") -> str:
    return f"{value:{sign}.{decimals(row)}f}"


def decimals(row: Row) -> int:
    """Return the number of decimals that show two digits of half the interval, at most four digits in all."""
    half = 0.0 if row.interval is None else (row.interval[1] - row.interval[0]) / 2
    largest = max(1.0, abs(row.mean_a), abs(row.mean_b))
    return max(min(count_decimals(half), 4 - math.floor(math.log10(largest))), 0)
