"""Where the command line prints: any encoding, a full disk, a closed output; one line and the right exit status."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TextIO

import pytest
from support.cases import each_case

from tower_sim.cli import main, output

COMMAND = (sys.executable, "-m", "tower_sim")
PROGRAM = f'"{sys.executable}" -m tower_sim'
GAME = ("play", "amerigo", "--model", "two_thirds", "--seed", "1")
DROP = ("throw", "amerigo", "--cubes", "blé=3,\U0001f9ca=2", "--model", "two_thirds", "--seed", "1")
FULL = Path("/dev/full")
NO_ROOM = "tower-sim: standard output cannot be written or read (No space left on device); make room"
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


def status_of(arguments: tuple[str, ...], stdout: TextIO) -> int:
    with redirect_stdout(stdout):
        return main(arguments)


def encode(arguments: tuple[str, ...], encoding: str) -> bytes:
    wrapper = io.TextIOWrapper(raw := io.BytesIO(), encoding=encoding)
    assert status_of(arguments, wrapper) == 0
    wrapper.detach()
    return raw.getvalue()


@each_case("encoding", ["ascii", "cp1252", "latin-1", "cp437", "utf-8", "utf-16"])
def test_a_game_is_printed_in_every_encoding(encoding: str):
    assert "Over this game, on average:" in encode(GAME, encoding).decode(encoding)


def test_names_that_an_encoding_lacks_are_printed_as_question_marks():
    assert b"bl?" in encode(DROP, "ascii")
    assert "blé".encode("cp1252") in encode(DROP, "cp1252")
    assert b"bl\\u00e9" in encode((*DROP, "--json"), "ascii")


def test_in_the_c_locale_without_utf_8_a_game_and_a_mistake_are_printed():
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*COMMAND, *DROP], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"out" in done.stdout
    wrong = subprocess.run([*COMMAND, "drop", "blé\n\udc80"], capture_output=True, env=environment)
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count(b"\n")) == (2, b"", 1)


@needs_full
@each_case("arguments", [GAME, (*GAME, "--json"), DROP, ("--help",), ("play", "--help"), ("--version",)])
def test_a_full_output_is_one_line_and_status_1(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]):
    assert status_of(arguments, FULL.open("w", encoding="utf-8")) == 1
    assert re.fullmatch(f"{re.escape(NO_ROOM)}.*\n", capsys.readouterr().err)


@needs_full
@pytest.mark.parametrize(
    ("arguments", "ends", "status", "says"),
    [
        (GAME, ">/dev/full", 1, NO_ROOM),
        (GAME, ">&-", 1, "tower-sim: standard output is closed; allowed is a terminal"),
        (("serve",), ">/dev/full", 1, NO_ROOM),
        (("serve",), ">&-", 1, "tower-sim: standard output is closed; allowed is a terminal"),
        (("serve",), "<&-", 2, "tower-sim: standard input is 'closed'; allowed is a pipe or a file of requests"),
    ],
)
def test_an_input_or_output_that_is_closed_or_full_is_one_line_also_when_the_process_ends(
    arguments: tuple[str, ...], ends: str, status: int, says: str
):
    done = shell(f'echo \'{{"do": "hello"}}\' | {PROGRAM} {" ".join(arguments)} {ends}')
    assert (done.returncode, done.stdout) == (status, "")
    assert re.fullmatch(f"{re.escape(says)}.*\n", done.stderr)


@needs_full
def test_without_standard_error_a_game_is_played_all_the_same():
    done = shell(f"{PROGRAM} {' '.join(GAME)} 2>&-")
    assert done.returncode == 0
    assert "\n  35:" in done.stdout


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True)


DRAWN = ("--model", "two_thirds", "--seed", "1", "--save-plot")
SHIP = ("--model", "surrogate", *DRAWN[2:])


@pytest.mark.slow
@each_case(
    ("arguments", "written"),
    [
        (("play", "amerigo", *DRAWN), "game.png"),
        (("play", "amerigo", "--json", *DRAWN), "game.png"),
        (("play", "dead_reckoning", "--set", "cubes={purple=1,green=1}", *SHIP), "ship.png"),
        (("compare", "amerigo", "--set", "cubes=6", "--games", "8", *DRAWN), "change.png"),
        (("page", "replay", "amerigo", "--cubes", "blue=1", "--seed", "1", "-o"), "page.html"),
        (("page", "lab", "--tower", "amerigo", "-o"), "lab.html"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[:3]),
)
def test_a_file_is_written_though_nobody_takes_what_is_printed(
    arguments: tuple[str, ...], written: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A pipe whose reader has gone, as of `| head -1`, each line being written as it is printed."""
    reading, writing = os.pipe()
    os.close(reading)
    assert status_of((*arguments, str(tmp_path / written)), os.fdopen(writing, "w", buffering=1, encoding="utf-8")) == 1
    assert [path.name for path in tmp_path.iterdir()] == [written]
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@needs_full
def test_a_file_is_written_though_the_output_is_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    plot = ("--save-plot", str(tmp_path / "game.png"))
    assert status_of((*GAME, *plot), FULL.open("w", buffering=1, encoding="utf-8")) == 1
    assert (tmp_path / "game.png").exists()
    assert re.fullmatch(f"{re.escape(NO_ROOM)}.*\n", capsys.readouterr().err)


class Gone(io.StringIO):
    lines = 0

    def write(self, text: str) -> int:
        self.lines += 1
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError


def test_without_a_file_to_write_a_game_ends_when_nobody_reads_it():
    gone = Gone()
    assert status_of(GAME, gone) == gone.lines == 1


@each_case(("status", "ends"), [(0, 1), (2, 2)])
def test_a_reader_that_has_gone_when_the_last_is_printed_is_no_success(status: int, ends: int):
    with redirect_stdout(Gone()):
        assert output.end(status) == ends
