"""Where the command line prints: any encoding, a full disk, a closed output; one line and the right exit status."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import each_case

from tower_sim.cli import main, output

COMMAND = (sys.executable, "-m", "tower_sim")
GAME = ("play", "amerigo", "--model", "two_thirds", "--seed", "1")
DROP = ("throw", "amerigo", "--cubes", "blé=3,\U0001f9ca=2", "--model", "two_thirds", "--seed", "1")
FULL = Path("/dev/full")
NO_ROOM = "tower-sim: standard output cannot be written or read (No space left on device); make room"
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


def printed(arguments: tuple[str, ...], encoding: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    raw = io.BytesIO()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", wrapper := io.TextIOWrapper(raw, encoding=encoding))
        assert main(arguments) == 0
        wrapper.detach()
    return raw.getvalue()


@each_case("encoding", ["ascii", "cp1252", "latin-1", "cp437", "utf-8", "utf-16"])
def test_a_game_is_printed_in_every_encoding_with_its_bars(encoding: str, monkeypatch: pytest.MonkeyPatch):
    text = printed(GAME, encoding, monkeypatch).decode(encoding)
    line = next(line for line in text.splitlines() if line.startswith("inside"))
    bars = set(line.split()[1])
    assert len(bars) >= 4  # heights can be told apart
    assert bars <= set("▁▂▃▄▅▆▇█_.-=+*%#") - {"?"}


def test_names_that_an_encoding_lacks_are_printed_as_question_marks(monkeypatch: pytest.MonkeyPatch):
    assert b"bl?" in printed(DROP, "ascii", monkeypatch)
    assert "blé".encode("cp1252") in printed(DROP, "cp1252", monkeypatch)
    assert b"bl\\u00e9" in printed((*DROP, "--json"), "ascii", monkeypatch)


def test_in_the_c_locale_without_utf_8_a_game_and_a_mistake_are_printed():
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*COMMAND, *DROP], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"out" in done.stdout
    wrong = subprocess.run([*COMMAND, "drop", "blé\n\udc80"], capture_output=True, env=environment)
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count(b"\n")) == (2, b"", 1)


@needs_full
@each_case("arguments", [GAME, (*GAME, "--json"), DROP, ("--help",), ("play", "--help"), ("--version",)])
def test_a_full_output_is_one_line_and_status_1(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", FULL.open("w", encoding="utf-8"))
        assert main(arguments) == 1
    told = capsys.readouterr().err
    assert told.startswith(NO_ROOM)
    assert told.count("\n") == 1


@needs_full
def test_a_full_or_closed_output_is_one_line_also_when_the_process_ends():
    for end, says in ((">/dev/full", NO_ROOM), (">&-", "tower-sim: standard output is closed; allowed is a terminal")):
        command = f'"{sys.executable}" -m tower_sim {" ".join(GAME)} {end}'
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        assert done.returncode == 1
        assert done.stderr.startswith(says)
        assert done.stderr.count("\n") == 1


@needs_full
def test_without_standard_error_a_game_is_played_all_the_same():
    command = f'"{sys.executable}" -m tower_sim {" ".join(GAME)} 2>&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0
    assert "\n  35  5 white" in done.stdout


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
    arguments: tuple[str, ...], written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    """A pipe whose reader has gone, as of `| head -1`, each line being written as it is printed."""
    reading, writing = os.pipe()
    os.close(reading)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", os.fdopen(writing, "w", buffering=1, encoding="utf-8"))
        assert main([*arguments, str(tmp_path / written)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == [written]
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@needs_full
def test_a_file_is_written_though_the_output_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", FULL.open("w", buffering=1, encoding="utf-8"))
        assert main([*GAME, "--save-plot", str(tmp_path / "game.png")]) == 1
    assert (tmp_path / "game.png").exists()
    told = capsys.readouterr().err
    assert told.startswith(NO_ROOM)
    assert told.count("\n") == 1


def test_without_a_file_to_write_a_game_ends_when_nobody_reads_it(monkeypatch: pytest.MonkeyPatch):
    class Gone(io.StringIO):
        lines = 0

        def write(self, text: str) -> int:
            self.lines += 1
            raise BrokenPipeError

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", gone := Gone())
        assert main(GAME) == 1
    assert gone.lines == 1


@each_case(("status", "ends"), [(0, 1), (2, 2)])
def test_a_reader_that_has_gone_when_the_last_is_printed_is_no_success(
    status: int, ends: int, monkeypatch: pytest.MonkeyPatch
):
    class Gone(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Gone())
        assert output.end(status) == ends


@each_case("word", ["a\nb", "a\r\nb", "a\u2028b", "\x1b[2J", "x" * 5000, "\udc80", "a\x0bb\x0cc"])
def test_a_mistake_is_one_line_whatever_is_in_it(word: str, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    for arguments in (
        ("play", word), ("play", "amerigo", "--model", word), ("play", "amerigo", "--rules", word),
        ("tower", "show", word),
        ("play", "amerigo", "--tower", word), ("throw", "amerigo", "--cubes", f"{word}=x"), (word,),
        ("throw", "amerigo", "--state", word), ("campaign", "status", word), ("campaign", "run", word, "-o", word),
        ("play", "dead_reckoning", "--set", "cubes={a=1,b=1}", "--set", f"rulings={word}"),
        (f"--{word}",), ("campaign", "report", word, "-o", "r"),
    ):  # fmt: skip
        assert main(arguments) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.splitlines() == [told.err.rstrip("\n")]
        assert len(told.err) < 1100
        assert "\x1b" not in told.err
