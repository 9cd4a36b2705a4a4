"""What of recorded drops the fit can use, what it leaves and says so."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.cases import each_case
from support.recorded import game, write_records

from tower_sim.calibration import evidence, records
from tower_sim.calibration.records import Record
from tower_sim.calibration.reference import Usable, read_usable
from tower_sim.calibration.summaries import DROPS
from tower_sim.errors import UsageError

COLOURS = tuple(game(np.random.default_rng(0))[0].record.thrown)


@pytest.fixture(name="written")
def _written(tmp_path: Path) -> Callable[..., Path]:
    def write(drops: list[Record], name: str = "mine.csv") -> Path:
        write_records(tmp_path / name, drops)
        return tmp_path / name

    return write


def a_game(seed: int, number: int = 1) -> list[Record]:
    return [replace(each.record, game=number) for each in game(np.random.default_rng(seed))]


def totals(drops: list[Record]) -> list[Record]:
    """The same drops without colours."""
    kinds = ("thrown", "out", "inside")
    sums = [{kind: {records.ANY: sum(getattr(drop, kind).values())} for kind in kinds} for drop in drops]
    return [replace(drop, **counts) for drop, counts in zip(drops, sums, strict=True)]


def shown(usable: Usable) -> list[object]:
    return [(entry.windows, entry.values, entry.held) for entry in usable.evidence + usable.halves]


def test_whole_records_are_used_as_they_are_and_nothing_is_said(written):
    file = written(a_game(1) + a_game(2, 2))
    result = read_usable([file])
    rows = records.read(file)
    assert result.games == tuple(evidence.of_records(rows, file.name))
    assert result.evidence == tuple(evidence.pool_games(result.games))
    assert result.halves == tuple(evidence.pool_games(evidence.of_records(rows, file.name, len(rows) // 2)))
    assert (result.left, result.notes) == ({}, ())


def test_games_of_other_numbers_are_left_and_do_not_change_what_is_fitted(written):
    none, two, four, six = (dict.fromkeys(COLOURS, number) for number in (0, 2, 4, 6))
    rows = [*a_game(1), Record(0, six, two, four, 2), Record(1, none, none, four, 2)]
    result = read_usable([written(rows)])
    alone = read_usable([written(a_game(1), "alone.csv")])
    assert shown(result) == shown(alone)
    assert result.left == {"mine.csv": tuple(rows[-2:])}
    count = len(rows) - 2
    line = f"{count} of {count + 2} drops can be fitted, 2 are of games of other than 49 cubes in 7 equal colours"
    assert result.notes == (f"records 'mine.csv': {line}",)


def test_49_cubes_in_other_colours_are_another_game(written):
    """Its phases throw other numbers, so what a phase brings says nothing of the published game's."""
    cubes = {"red": 25, "blue": 24}
    nothing = dict.fromkeys(cubes, 0)
    file = written([Record(0, cubes, nothing, cubes), Record(1, nothing, nothing, cubes)])
    with pytest.raises(UsageError, match="2 are of games of other than 49 cubes in 7 equal colours"):
        read_usable([file])


@each_case(
    ("marks", "kept"),
    [
        ({4: "miscount", 9: "beside", 20: "miscount"}, [*range(4), *range(5, 20), *range(21, 36)]),
        ({4: "miscount", 9: "knock"}, [*range(4), *range(5, 9)]),
        ({30: "spilled"}, [*range(30)]),
    ],
)
def test_marked_drops_are_left_out_and_named(written, marks: dict[int, str], kept: list[int]):
    whole = a_game(1)
    rows = [replace(row, marks=(marks[row.number],) if row.number in marks else ()) for row in whole]
    result = read_usable([written(rows)])
    assert result.evidence == tuple(evidence.of_records([whole[i] for i in kept], "mine.csv"))
    line = f"{len(kept)} of {len(rows)} drops can be fitted, {len(rows) - len(kept)} are miscounted, or from a knock, "
    assert line in result.notes[0]


def test_of_a_game_with_a_miscounted_set_up_the_phases_are_used(written):
    rows = a_game(1)
    result = read_usable([written([replace(rows[0], marks=("miscount",)), *rows[1:]])])
    (game,), (whole,) = result.games, evidence.of_records(rows, "mine.csv")
    assert (game.windows, game.values) == (whole.windows[1:], whole.values[1:])
    assert f"{len(rows) - 1} of {len(rows)} drops can be fitted, 1 is miscounted, or from" in result.notes[0]
    with pytest.raises(UsageError, match="0 of 2 drops can be fitted, 2 are miscounted"):
        read_usable([written([replace(row, marks=("miscount",)) for row in rows[:2]])])


def test_a_game_longer_than_published_is_used_as_far_as_that(written):
    rows = a_game(1)
    last = rows[-1]
    nothing = dict.fromkeys(COLOURS, 0)
    longer = [*rows, *(Record(n, nothing, nothing, last.inside) for n in range(len(rows), DROPS + 4))]
    result = read_usable([written(longer)])
    assert len(result.evidence) == 1
    assert result.evidence[0].words == f"{DROPS} recorded drops"
    line = f"{DROPS} of {DROPS + 4} drops can be fitted, 4 are beyond the 36 drops of a game"
    assert result.notes == (f"records 'mine.csv': {line}",)


OF_TOTALS = ("setup", "inside", "out", "spread")  # summaries that are told without colours


def test_without_colours_only_the_totals_are_fitted(written):
    with_colours, without = read_usable([written(a_game(3))]), read_usable([written(totals(a_game(3)), "totals.csv")])
    for whole, part in zip(with_colours.evidence + with_colours.halves, without.evidence + without.halves, strict=True):
        kept = [i for i, window in enumerate(whole.windows) if window.summary in OF_TOTALS]
        assert part.windows == tuple(whole.windows[i] for i in kept)
        assert part.values == tuple(whole.values[i] for i in kept)
        assert len(part.held) == len(part.windows)
    assert {window.summary for entry in without.evidence for window in entry.windows} == set(OF_TOTALS)
    assert "no colours were recorded, so only numbers are fitted" in without.notes[0]


def test_free_throws_alone_are_refused_in_a_line_and_beside_an_observation_left(written):
    counts = ((20, 9, 11), (30, 29, 12))
    throws = [Record(i, {"any": n}, {"any": out}, {"any": m}, 1, True) for i, (n, out, m) in enumerate(counts)]
    file = written(throws, "throws.tsv")
    with pytest.raises(
        UsageError, match="0 of 2 drops can be fitted, 2 are free throws; allowed is a game of 49"
    ) as no:
        read_usable([file])
    assert "\n" not in str(no.value)
    result = read_usable([file, evidence.shipped()["rulebook-setup"]])
    assert [entry.name for entry in result.evidence] == ["rulebook-setup"]
    assert result.left == {"throws.tsv": tuple(throws)}
