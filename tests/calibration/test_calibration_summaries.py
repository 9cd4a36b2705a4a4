"""Summaries of a game, against loops over its phases, drop by drop and colour by colour."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from tower_sim.calibration.records import Record
from tower_sim.calibration.summaries import EVERY, SUMMARIES, WHOLE, Window, from_records
from tower_sim.results import TOTALS, many_key, single_key

COLOURS = ("red", "blue", "green", "white")


@st.composite
def games(draw: st.DrawFn) -> list[Record]:
    """A set-up of four colours and 8 to 20 drops of one colour each; any cubes inside or thrown may come out."""
    whole = {colour: draw(st.integers(3, 7)) for colour in COLOURS}
    inside = dict.fromkeys(COLOURS, 0)
    rows: list[Record] = []
    for number in range(draw(st.integers(9, 21))):
        thrown = whole
        if number:
            colour = COLOURS[number % 4]
            thrown = dict.fromkeys(COLOURS, 0) | {colour: whole[colour] - inside[colour]}
        out = {
            colour: draw(st.integers(0, thrown[colour] + inside[colour])) if any(thrown.values()) else 0
            for colour in COLOURS
        }
        inside = {colour: inside[colour] + thrown[colour] - out[colour] for colour in COLOURS}
        rows.append(Record(number, thrown, out, inside))
    return rows


def odds(part: int, of: int) -> float:
    return math.log((part + 0.5) / (of - part + 0.5)) if of else math.nan


def mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else math.nan


def by_loops(phases: list[Record]) -> dict[str, float]:
    """Every summary that a record tells of the colours."""
    colours: list[int] = []
    leads: list[bool] = []
    points: list[int] = []
    given: dict[tuple[int, int], list[int]] = {bounds: [] for bounds in TOTALS}
    own = total = ones = skipped = 0
    for phase in phases:
        (colour,) = [name for name, n in phase.thrown.items() if n] or [None]
        out = {name: n for name, n in phase.out.items() if n}
        cubes = sum(out.values())
        ones += cubes == 1
        skipped += colour is None or not out
        if not out:
            continue
        own += out.get(colour or "", 0)
        total += cubes
        colours.append(len(out))
        leads.append(all(n < out.get(colour or "", 0) for name, n in out.items() if name != colour))
        points.append(max(out.values()))
        for (low, high), result in given.items():
            if low <= cubes <= high:
                result.append(len(out))
    result = {
        "colours": math.log(mean(colours)) if colours else math.nan,
        "single": odds(colours.count(1), len(colours)),
        "many": odds(sum(n >= 3 for n in colours), len(colours)),
        "leads": odds(sum(leads), len(leads)),
        "share_own": odds(own, total),
        "ones": odds(ones, len(phases)),
        "skipped": odds(skipped, len(phases)),
        "points": math.log(mean(points) + 0.25) if points else math.nan,
    }
    for bounds, in_them in given.items():
        several = [n for n in in_them if n > 1]
        result[single_key(bounds)] = odds(in_them.count(1), len(in_them))
        result[many_key(bounds)] = odds(sum(n >= 3 for n in several), len(several))
    return result


@given(games())
def test_the_summaries_of_colours_are_those_of_loops_over_the_phases(rows: list[Record]):
    (game,) = from_records(rows)
    for name, expected in by_loops(rows[1:]).items():
        result = float(Window(name, 1, len(rows)).of(game))
        assert result == pytest.approx(expected, nan_ok=True), name


@given(games(), st.data())
def test_records_tell_how_many_old_cubes_came_out_only_where_they_can(rows: list[Record], data: st.DataObject):
    (game,) = from_records(rows)
    before = dict.fromkeys(COLOURS, 0)
    for i, row in enumerate(rows):
        possible = [
            range(max(0, row.out[colour] - row.thrown[colour]), min(row.out[colour], before[colour]) + 1)
            for colour in COLOURS
        ]
        old_out = sum(data.draw(st.sampled_from(numbers)) for numbers in possible)
        alone = all(len(numbers) == 1 for numbers in possible)
        assert game.grid("old_out")[i] == (old_out if alone else -1)
        before = row.inside


@given(st.floats(0.01, 0.99))
def test_shares_go_there_and_back(share: float):
    for name in ("own", "single", "many", "leads", "share_own", "ones", "skipped", single_key(TOTALS[0])):
        assert float(SUMMARIES[name].back(SUMMARIES[name].scale(share))) == pytest.approx(share)


@each_case("column", ["colours", "lead", "old_out"])
def test_games_of_which_a_column_is_not_known_have_all_other_summaries(column: str):
    rows = [Record(0, {"red": 7}, {"red": 4}, {"red": 3})] + [
        Record(n, {"red": 4}, {"red": 4}, {"red": 3}) for n in range(1, 36)
    ]
    (whole,) = from_records(rows)
    game = replace(whole, rows=whole.rows.having(**{column: np.full(36, -1)}))
    for name, window in EVERY.items():
        needs = SUMMARIES[name].needs
        is_known = column not in needs and "old_out" not in needs and not name.startswith("many_")
        is_known &= "8_10" not in name and "5_7" not in name  # never so many out
        assert np.isnan(window.of(game)) != is_known, name
    assert set(WHOLE) == {"setup", "inside", "out", "own", "spread", "single", "many"}
