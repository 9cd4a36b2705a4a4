"""Command lines that nobody should write: each ends with 0, 1 or 2, a refusal is one line, nothing else is written."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import pytest

from tower_sim import cli

LONGEST = 60  # seconds, on a busy machine that compiles
FEWER = 7  # of so many values of an option one is tried every time

NUMBERS = ("", "-1", "0x10", "1.5", "nan", "1e3", "9" * 40, "9" * 5000, "٣", "--", "one")
NAMES = ("", " ", "nope", "x" * 5000, "a\nb", "\0", "\udc80", "\x1b[2J", "../nope", "/dev/zero", ".", "%s", "{}", "💥")
FILES = (
    "",
    "nope",
    "nope.toml",
    "nope.json",
    ".",
    "/dev/zero",
    "/dev/null",
    "\0",
    "x" * 300,
    "\udc80.toml",
    "text",
    "zeros.toml",
)
OUTPUTS = ("", ".", "nowhere/x", "x" * 300, "\0", "text/x", "/dev/full/x")
COUNTS = (
    "",
    "blue",
    "blue=",
    "=3",
    "blue=-1",
    "blue=1.5",
    "blue=99999",
    "blue=1,blue=2",
    "blue=1,,",
    "\x1b=1",
    "blue=1;red=2",
)
PAIRS = ("", "cubes", "=", "cubes=", "=6", "nope=1", "cubes=" + "9" * 80, "cubes=[", "a.b.c.d=1", "cubes=6\n7", "\0=1")
STATES = (
    "",
    "x",
    "TOWER3",
    "TOWER3.x.y",
    "TOWER9.AAAA.BBBB",
    "@",
    "@nope",
    "@.",
    "@/dev/zero",
    "@text",
    "@json",
    "\udc80",
)
LENGTHS = ("", "0", "-3mm", "3cm", "1x2x3x4", "nan", "99999mm", "x")
MODEL = (*NAMES, "nope.json", "text.json", "list.json", "/dev/zero.json")

FAST = "--model two_thirds --seed 1"
SEVERAL: Sequence[tuple[str, Mapping[str, Sequence[str]]]] = (
    ("", {"": ("", "nope", "--nope", "--", "-", "\0", "x" * 5000, "plya", "--version=1", "help")}),
    (
        f"play amerigo {FAST}",
        {
            "--apparatus": FILES, "--rules": FILES, "--model": MODEL, "--engine": NAMES, "--accuracy": NAMES,
            "--seed": NUMBERS, "--rounds": (*NUMBERS, "0", "-3", "99999"), "--save-plot": (*OUTPUTS, "x.doc", "text"),
            "--replay": (*OUTPUTS, "x.doc"), "--games": ("1",), "--kind": ("ship",), "--set": PAIRS,
            "--knock-after": ("", "3", "=", "3=", "=1", "99=1", "-1=1", "3=nan", "3=1e9", "3=-1", "1.5=1", "3=1",
                              "x" * 999),
        },
    ),
    ("play", {"": ("", *NAMES, *FILES)}),
    (f"play chain {FAST}", {"--apparatus": NAMES, "": ("", "--rounds=3", "--cubes=a=1")}),
    ("play amazonas --apparatus dead_reckoning", {"--set": PAIRS}),
    ("play amazonas --model two_thirds", {"--set": ("nope=1", "players=0", "players=99", "players=x", "players", "=")}),
    ("play wallenstein --model two_thirds", {"--attack": COUNTS, "--defend": COUNTS, "--rules": FILES}),
    (f"drop amerigo {FAST}", {"--cubes": COUNTS, "--state": STATES, "--knock": ("", "x", "nan", "-1", "inf", "1")}),
    (f"drop --cubes blue=1 {FAST}", {"": ("", *NAMES, *FILES)}),
    (f"drop amerigo --cubes blue=1 {FAST}", {"--replay": ("x.html", *OUTPUTS)}),
    (
        "battle --model surrogate --seed 1",
        {
            "--cubes": (*COUNTS, "purple=6", "purple=0,green=0", "a=1,b=1,c=1", "purple=30,green=1"),
            "--game": NAMES, "--attack": COUNTS, "": ("--provoked", "--set=players=3"),
        },
    ),
    (
        "battle --cubes purple=6,green=3 --model surrogate --seed 1",
        {
            "--kind": NAMES, "--active": NAMES,
            "--ability": ("", "green", "green=", "green=fly", "red=throw:2", "green=throw:999"),
            "--side": ("", "green=", "green=sails:1", "green=supply:-1", "green=supply:1,supply:2", "red=pirate"),
            "--rulings": FILES, "--games": ("0", "-1", "99999999", "x"), "--apparatus": ("amerigo", "nope"),
        },
    ),
    (
        f"compare amerigo --games 2 {FAST}",
        {"--set": PAIRS, "": ("", "nope", "dead_reckoning", *FILES), "--save-plot": ("x.doc",)},
    ),
    ("compare amerigo --set cubes=6 --model two_thirds", {"--games": (*NUMBERS, "0", "1", "999999999")}),
    ("compare amerigo --set cubes=6 --set cubes=7 --games 2", {"": ("",)}),
    ("campaign", {"": ("nope", "--nope", "run", "status", "verify", "--")}),
    ("campaign run", {"": FILES, "-o": OUTPUTS}),
    ("campaign run spec.toml -o out", {"--workers": (*NUMBERS, "0", "-1", "100000000"), "--dask": ("", "x", "tcp://nope:1")}),
    ("campaign status", {"": NAMES}),
    ("campaign verify", {"": NAMES}),
    ("study", {"": ("nope", ".", "text", "\0")}),
    ("study nope -o out", {"--point": (*NUMBERS, "-1")}),
    ("calibrate nope.csv -o out.toml", {"--seed": NUMBERS, "--workers": (*NUMBERS, "0", "100000000")}),
    ("calibrate nope.csv -o out.toml", {"": ("--quick --full",)}),
    ("calibrate -o out.toml", {"": ("", *FILES)}),
    ("calibrate rulebook-setup", {"-o": (*OUTPUTS, "x", "x.json")}),
    ("fairness nope.csv", {"--seed": NUMBERS, "--games": (*NUMBERS, "0"), "--engine": NAMES, "--apparatus": NAMES}),
    ("fairness", {"": ("", *FILES)}),
    ("fairness my_tower", {"--apparatus": ("nope", "dead_reckoning", "/dev/zero"), "--games": ("0", "7", "99999")}),
    (
        "design -o out.toml",
        {
            "--keep": ("", "-1", "50", "nan", "x"), "--exchange": ("2",), "": ("", "--json"), "--hold": ("material",),
        },
    ),
    (
        "design --keep 12 -o out.toml",
        {
            "--cube": LENGTHS, "--print-bed": LENGTHS, "--hold": ("legs", "tube", "tube=99", "tube=x", "=", ","),
            "--rounds": (*NUMBERS, "0", "9999"), "--games": (*NUMBERS, "0", "9999"), "--seed": NUMBERS,
            "--workers": (*NUMBERS, "0", "-1", "100000000"), "--atlas": FILES,
            "--save-plot": ("x.doc", "nowhere/x.png"),
        },
    ),
    ("design --keep 12", {"-o": (*OUTPUTS, "nowhere/x.toml")}),
    ("lab -o out.html", {"--apparatus": FILES, "--game": FILES}),
    ("lab", {"-o": ("", ".", "nowhere/x.html", "\0"), "": ("",)}),
    ("serve", {"--port": ("1", "x"), "": ("--rate=3", "--host=x", "nope")}),
    ("serve --http", {"--port": ("-1", "x", "99999"), "--max-body": ("x", "-1", "1"), "--token-file": FILES}),
    ("verify", {"": ("", *FILES), "--key": ("x",)}),
    ("verify text", {"--key": ("", "x", "0" * 64), "--noted": ("", "\0")}),
    ("surrogate", {"": ("nope", "fit", "check", "export", "--")}),
    ("surrogate fit -o out.json", {"": ("", *NAMES)}),
    ("surrogate check", {"": ("", "amerigo", "amerigo nope", "nope nope", "text.json nope", "dead_reckoning nope")}),
    ("surrogate export -o out.js --to js", {"": ("", "amerigo amerigo", *FILES)}),
    ("surrogate export amerigo -o out", {"--to": NAMES}),
    ("surrogate export amerigo --to json", {"-o": ("", ".", "nowhere/x", "\0", "text/x")}),
    ("export amerigo --to stl -o out", {"--wall": LENGTHS, "--print-bed": LENGTHS, "--kerf": ("1mm",)}),
    ("export amerigo --to svg -o out", {"--kerf": LENGTHS[2:], "--sheet": LENGTHS, "--wall": ("3mm",)}),
    ("export --to stl -o out", {"": ("", *FILES)}),
    ("export amerigo -o out", {"--to": NAMES}),
    ("show -o out.png", {"": ("", *FILES)}),
    ("show amerigo -o out.png", {"--state": STATES}),
    ("show amerigo", {"-o": (*OUTPUTS, "x.doc", "x")}),
    ("list", {"": ("nope", "--nope", "--json=1")}),
    ("completion", {"": ("", "nope", "bahs")}),
)  # fmt: skip


def command_lines(fewer: int = 1) -> Iterator[list[str]]:
    """Yield command lines: the words before, then an option with one of its values, or further words.

    Of the values the first is taken, and every one that is `fewer` further.
    """
    for before, options in SEVERAL:
        for option, values in options.items():
            for value in values[::fewer]:
                own = value.split(" ") if not option and value and value.strip() and len(value) < 99 else [value]
                yield [*before.split(), *([option, value] if option else own if value else [])]


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status, what it printed, and the files that came."""

    status: object
    out: str
    err: str
    came: frozenset[Path]

    def wrong(self) -> str:
        """Say what is wrong with that; nothing where it is as it should be."""
        lines = [line for line in self.err.splitlines() if not line.startswith("... ")]
        if self.status not in (0, 1, 2):
            return f"status {self.status}"
        if self.status != 0:
            if self.out or len(lines) != 1 or not self.err.endswith("\n"):
                return "not one line"
            if not lines[0].startswith("tower-sim: ") or len(lines[0]) > 1100 or not lines[0].isprintable():
                return "not a plain line"
        return f"wrote {sorted(map(str, self.came))}" if self.came else ""


def files() -> frozenset[Path]:
    return frozenset(Path().rglob("*"))


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """End a command that hangs."""

    def late(_: int, frame: FrameType | None) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def ended(words: Sequence[str]) -> Ended:
    """Run a command line in this process, in a folder of its own."""
    out, err = io.StringIO(), io.StringIO()
    before = files()
    status: object
    try:
        with at_most(LONGEST), redirect_stdout(out), redirect_stderr(err):
            status = cli.main(words)
    except SystemExit as left:
        status = left.code or 0
    except BaseException as error:
        status = f"{type(error).__name__}: {error}"
    return Ended(status, out.getvalue(), err.getvalue(), files() - before)


@pytest.fixture(name="_place")
def _placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    for name, text in (
        ("text", "no such thing\n"), ("text.json", "no"), ("list.json", "[]"), ("json", '{"state": 3}'),
        ("zeros.toml", "\0" * 100), ("spec.toml", "[campaign]\n"),
    ):  # fmt: skip
        Path(name).write_text(text)


def wrong_of(lines: Sequence[Sequence[str]]) -> list[str]:
    """Run command lines; return what was wrong with each."""
    wrong: list[str] = []
    for words in lines:
        end = ended(words)
        if said := end.wrong():
            shown = [word if len(word) < 60 else f"{word[:20]}..." for word in words]
            wrong.append(f"{shown}: {said}; {end.status}; {end.err[:300]!r}")
    return wrong


@pytest.mark.posix
@pytest.mark.usefixtures("_place")
def test_hostile_command_lines_end_as_the_documents_say():
    wrong = wrong_of([*command_lines(FEWER)])
    assert not wrong, os.linesep.join(wrong)


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.usefixtures("_place")
def test_every_hostile_command_line_ends_as_the_documents_say():
    wrong = wrong_of([*command_lines()])
    assert not wrong, os.linesep.join(wrong)
