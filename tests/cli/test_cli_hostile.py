"""Command lines that nobody should write: each ends with 0, 1 or 2, a refusal is one line, nothing else is written."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.command_line import here

NUMBERS = ("", "-1", "1.5", "nan", "9" * 5000, "٣")
NAMES = ("", "nope", "x" * 5000, "a\nb", "\0", "\udc80", "\x1b[2J", "%s")
FILES = ("", "nope.toml", ".", "/dev/zero", "/dev/null", "\0", "x" * 300, "\udc80.toml")
FILES += ("text", "zeros.toml", "text.json")
OUTPUTS = ("", ".", "nowhere/x.html", "x" * 300, "\0", "text/x", "/dev/full/x")
PICTURES = (*OUTPUTS, "x.doc")
COUNTS = ("", "blue", "blue=", "=3", "blue=-1", "blue=1.5", "blue=99999", "blue=1,blue=2", "blue=1,,", "\x1b=1")
PAIRS = ("", "cubes", "=6", "nope=1", "cubes=" + "9" * 80, "cubes=[", "a.b.c.d=1", "cubes=6\n7")
STATES = ("", "x", "TOWER3.x.y", "TOWER9.AAAA.BBBB", "@", "@nope", "@/dev/zero", "@text", "@json", "\udc80")

FAST = "--model two_thirds --seed 1"
PAGES = ("x.html", *PICTURES)
BAD: Mapping[str, Mapping[str, Sequence[str]]] = {  # words, then an option with each of its values, or a word more
    "": {"": ("nope", "--nope", "-", "x" * 5000, "plya", "--version=1", "help")},
    f"play amerigo {FAST}": {
        "--tower": FILES, "--rules": FILES, "--model": (*NAMES, "nope.json", "text.json", "list.json"),
        "--engine": NAMES, "--accuracy": NAMES, "--seed": NUMBERS, "--games": ("0", "x", "99999999"),
        "--save-plot": PICTURES, "--kind": ("ship",),
        "--set": (*PAIRS, "rounds=99999", "knocks.3", "knocks.99=1", "knocks.3=-1", "knocks.1.5=1"),
    },
    "play": {"": (*NAMES, *FILES)},
    "play amazonas --model two_thirds": {"--set": ("nope=1", "saved=-1", "saved=x", "saved")},
    "play wallenstein --model two_thirds": {"--rules": FILES},
    "play dead_reckoning --model surrogate --seed 1": {
        "--set": (*PAIRS, "cubes.purple=30", "combat=nope", "active=red", "abilities.green=fly", "sides.green=1",
                  "rulings.nope=1", "provoked=maybe", "cubes={a=1,b=1,c=1}"),
        "--tower": ("amerigo", "nope"),
    },
    f"throw amerigo {FAST}": {"--cubes": COUNTS, "--state": STATES, "--knock": ("", "x", "nan", "-1", "inf")},
    f"throw amerigo --times 3 {FAST}": {"--cubes": COUNTS, "--state": STATES},
    f"throw amerigo --cubes blue=1 {FAST}": {"--times": (*NUMBERS, "0")},
    "page replay amerigo --cubes blue=1": {"-o": PAGES[1:], "--seed": NUMBERS},
    "redo": {"": (*STATES, "#", "#x=1", "#profile=amerigo&throw=blue:1")},
    f"compare amerigo --games 2 {FAST}": {"--set": PAIRS, "": ("dead_reckoning", *FILES), "--save-plot": PICTURES},
    "compare amerigo --set cubes=6 --model two_thirds": {"--games": (*NUMBERS, "0", "1", "999999999")},
    "campaign": {"": ("nope", "--nope", "run", "status", "check", "report")},
    "campaign run": {"": FILES, "-o": OUTPUTS},
    "campaign run spec.toml -o out": {"--workers": (*NUMBERS, "0"), "--dask": ("", "x", "tcp://nope:1")},
    "campaign status": {"": NAMES},
    "campaign check": {"": NAMES},
    "campaign report -o out": {"": ("nope", ".", "text", "\0")},
    "campaign report nope -o out": {"--point": NUMBERS},
    "tower": {"": ("nope", "list nope", "list --json=1", "show", "fit", "test", "export")},
    "tower fit nope.csv -o out.toml": {"--seed": NUMBERS, "": ("--quick --full",), "--wish": PAIRS},
    "tower fit -o out.toml": {"": FILES},
    "tower fit rulebook-setup": {"-o": (*OUTPUTS, "x.json")},
    "tower test": {"": FILES},
    "tower test my_tower": {"--tower": ("nope", "dead_reckoning"), "--games": ("0", "7", "99999")},
    "tower export -o out.stl": {"": FILES},
    "tower export amerigo": {"-o": PICTURES},
    "tower show -o out.png": {"": FILES},
    "tower show amerigo -o out.png": {"--state": STATES},
    "tower show amerigo": {"-o": PICTURES},
    "page live -o out.html": {"--tower": FILES},
    "page lab -o out.html": {"--tower": FILES},
    "page lab": {"-o": OUTPUTS},
    "serve": {"--port": ("1", "x"), "": ("--rate=3", "--host=x", "nope")},
    "serve --http": {"--port": ("-1", "x", "99999"), "--limits": FILES, "--token-file": FILES},
    "model": {"": ("nope", "fit", "check", "export")},
    "model fit -o out.json": {"": NAMES},
    "model check": {"": ("amerigo", "amerigo nope", "text.json nope", "dead_reckoning nope")},
    "model export -o out.js --to js": {"": ("amerigo amerigo", *FILES)},
    "model export amerigo -o out": {"--to": NAMES},
}  # fmt: skip


@pytest.mark.posix
def test_a_hostile_command_line_ends_in_one_line_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    for name, text in (
        ("text", "no such thing\n"), ("text.json", "no"), ("list.json", "[]"), ("json", '{"state": 3}'),
        ("zeros.toml", "\0" * 100), ("spec.toml", "[campaign]\n"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
    before, wrong = {*tmp_path.rglob("*")}, list[str]()
    for words, option, value in (
        (w, o, value) for w, options in BAD.items() for o, values in options.items() for value in values
    ):
        more = [option, value] if option else value.split(" ") if len(value) < 99 else [value]
        done = here(*words.split(), *more, cwd=tmp_path)
        is_line = done.stdout == "" and done.stderr.count("\n") == 1 and len(done.stderr) < 1100
        is_plain = done.stderr.startswith("tower-sim: ") and done.stderr[:-1].isprintable()
        if done.returncode not in (0, 1, 2) or (done.returncode and not (is_line and is_plain)):
            wrong.append(f"{words} {option} {value[:30]!r}: {done.returncode} {done.stderr[:300]!r}")
        if came := {*tmp_path.rglob("*")} - before:
            wrong.append(f"{words} {option} {value[:30]!r} wrote {came}")
            before |= came
    assert wrong == []
