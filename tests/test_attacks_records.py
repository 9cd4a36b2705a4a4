"""CSV files that nobody should write: each is read, or refused in one line; nothing follows from what is no number.

Every mutation goes through what the commands do with a file: `records check`, `calibrate` up to its evidence, and a
part of them through `fairness` against a cheap law and through the fit with a cheap emulator.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from support.fakes import CoinTower
from support.recorded import Line, game

from tests.measure.owners import recorded
from tower_sim.calibration import evidence, records
from tower_sim.calibration.e_values import check
from tower_sim.calibration.fit import fit
from tower_sim.calibration.records import Record
from tower_sim.calibration.reference import Reference, learn
from tower_sim.calibration.verdict import document, told
from tower_sim.errors import UsageError

LONGEST = 5.0  # seconds of the processor for one file
MOST = 2**30  # bytes
CELLS = (
    "", "0", "1", "7", "8", "49", "50", "400", "401", "500", "501", "900", "32767", "32768", "65536", "2147483648",
    "1e9", "9" * 9, "9" * 10, "9" * 5000, "-1", "+3", "1.5", "7,0", "7.0", "7.000", "nan", "inf", "None", "x", "²", "½",
    "0x7", "1_0", '"', '""', '"7', "'", "#", "=1+1", "\x00", "\n", "\r", ",", ";", "\t", "é" * 300, "y" * 2000, "drop",
    "٣", "thrown_blue", "out_blue", "thrown_", "note", "\x1b[2J", "\u2028", "\ufeff",
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "cp437")


@contextmanager
def bounded() -> Generator[None]:
    """Let this process have at most MOST bytes more than now; more is a MemoryError. Linux only."""
    if not Path("/proc/self/statm").exists():
        yield
        return
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
    import resource  # Linux has it

    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def written(drops: list[Record], path: Path) -> str:
    records.write(path, drops, ["a tower"])
    return path.read_text("utf-8")


@pytest.fixture(name="texts", scope="module")
def _texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Valid records: the shipped example, whole and begun games of other towers, one colour, many cubes."""
    path = tmp_path_factory.mktemp("valid") / "mine.csv"
    games = [list(recorded(CoinTower(p, p / 2), drops, lambda g: g)) for p, drops in ((0.7, 9), (0.4, 40), (0.95, 75))]
    one = [Record(0, {"any": 450}, {"any": 200}, {"any": 250}), Record(1, {"any": 30}, {"any": 90}, {"any": 190})]
    odd = [Record(0, {"blue": 450, 'r,"d': 49}, {"blue": 3, 'r,"d': 40}, {"blue": 447, 'r,"d': 9})]
    return [evidence.shipped()["my_tower"].read_text("utf-8"), *(written(drops, path) for drops in (*games, one, odd))]


@pytest.fixture(name="law", scope="module")
def _law() -> Reference:
    rng = np.random.default_rng(1)
    return learn("coins", [game(rng) for _ in range(8)], 0)


def spoilt(text: str, rng: random.Random) -> bytes:
    """A CSV with one to four cells, lines or bytes changed, in any dialect."""
    lines = [line.split(",") for line in text.splitlines()]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        row = rng.randrange(len(lines))
        if not lines[row]:
            continue
        cell, kind = rng.randrange(len(lines[row])), rng.randrange(10)
        if kind < 4:
            lines[row][cell] = rng.choice(CELLS) if kind > 1 else str(rng.randint(0, 9) if kind else rng.randint(0, 60))
        elif kind == 4:
            del lines[row][cell]
        elif kind == 5:
            lines[row].insert(cell, rng.choice(CELLS))
        elif kind == 6:
            del lines[row]
        elif kind == 7:
            lines.insert(rng.randrange(len(lines) + 1), list(lines[row]))
        elif kind == 8:
            other = rng.randrange(len(lines))
            lines[row], lines[other] = lines[other], lines[row]
        else:
            lines = lines[: row + 1]
        if not lines:
            lines = [[""]]
    separator = rng.choice((*",,,,,;\t", "|" if rng.random() < 0.2 else ","))
    text = rng.choice(("\n", "\n", "\r\n", "\r")).join(separator.join(cells) for cells in lines)
    data = bytearray(text.encode(rng.choice(("utf-8",) * 20 + ENCODINGS), "replace"))
    for _ in range(rng.choice((0, 0, 0, 0, 1, 3))):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.choice((0, 1, 1, 40))] = bytes(
            [rng.choice((*b"0123456789,;", rng.randrange(256)))]
        ) * rng.choice((0, 1, 1, 3))
    return bytes(data)


def read(data: bytes, path: Path) -> list[Record] | None:
    """What the commands read, after checking all they make of it; None for a refusal in one line."""
    path.unlink(missing_ok=True)  # some file systems write at once what takes the place of a file
    path.write_bytes(data)
    begun = time.process_time()
    found: list[Record] | None = None
    try:
        found = records.read(path)
        assert "nan" not in records.summary(found)
        for each in [*evidence.read(path), *evidence.read(path, split=True)]:
            assert np.isfinite(each.values).all()
    except UsageError as error:
        line = str(error)
    else:
        line = "read, without a complaint"
    assert "\n" not in line
    assert 10 < len(line) < 700
    assert time.process_time() - begun < LONGEST
    return found


@pytest.mark.whole
@pytest.mark.parametrize("number", [1000, pytest.param(3000, marks=pytest.mark.long)])
def test_no_csv_ends_in_anything_but_a_reading_or_one_line(
    number: int, texts: list[str], law: Reference, tmp_path: Path
):
    """The smaller number is the larger one's first files; a tenth is checked, a fiftieth goes through the fit."""
    rng = random.Random(2026)
    checked = fitted = refused = 0
    most_checked, most_fitted = number // 10, number // 50
    line = Line()
    with bounded():
        for i in range(number):
            data = spoilt(texts[i % len(texts)], rng)
            found = read(data, tmp_path / "mine.csv")
            if found is None:
                refused += 1
                continue
            total = sum(found[0].thrown.values())
            assert all(sum(drop.thrown.values()) + sum(drop.inside.values()) <= 1000 for drop in found)
            if checked < most_checked:
                checked += 1
                result = check(found, law)
                text = json.dumps(document(result), allow_nan=False) + told(result)
                assert "nan" not in text.lower()
            if total == 49 and fitted < most_fitted:
                try:
                    seen = evidence.of_records(found, "mine")
                except UsageError:  # a later game of another number of cubes
                    continue
                fitted += 1
                fit(line, list(islice(seen, 3)), np.random.default_rng(0), sample=32, checks=False)  # type: ignore[arg-type]
    assert number // 2 < refused < number - most_checked
    assert (checked, fitted) == (most_checked, most_fitted)
