"""Mistakes of the caller on the command line: exit status 2 and one line, and no file is written."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import here, refusal

from tower_sim import Tower

G = "knock strength is {}; allowed is a number from 0 to 5 (peak acceleration in g); try 0.5 for a light and"
SEED = "; allowed is a whole number from 0 to 2^128 - 1, or its text; try 7"
LINK = "x.html#profile=amerigo&seed=7"
TOKEN = Tower("amerigo", "surrogate").save()


@each_case(("words", "says"), [
    ("pley amerigo", "unknown command 'pley'; did you mean play?; see tower-sim --help"),
    ("play amerigo --sett a=3", "did you mean --set?; see tower-sim play --help"),
    ("play dead_reckoning --set combat=merchnt", "did you mean merchant?"),
    ("play dead_reckoning --set abilities.gren=['throw']", "did you mean green?"),
    ("play amerigo --set rouns=3", "did you mean rounds?"),
    ("compare amerigo --set cubez=6 --games 10", "did you mean cubes?"),
    ("compare amerigo --set rulings.stand_in_token=both --games 10", "did you mean stand_in_tokens?"),
    ("play amerigoo", "did you mean amerigo?"),
    ("play amerigo --sede 3", "unknown option '--sede'; did you mean --seed?; see tower-sim play --help"),
    ("play amerigo --seed x", "--seed is 'x'; allowed is a whole number from 0 to 2^128 - 1"),
    ("campaign run a.toml -o b --wokers 2", "did you mean --workers?; see tower-sim campaign run --help"),
    ("campaign report a -o b --out c", "did you mean --output?; see tower-sim campaign report --help"),
    ("campaign run none.toml -o x", "none.toml"),
    ("campaign status nowhere", "nowhere"),
    ("campaign check nowhere", "nowhere"),
    ("campaign report nowhere -o r", "nowhere"),
    ("campaign --", "Missing command"),
    ("campaign report a b -o c", "see tower-sim campaign report --help"),
    ("campaign ferify a", "unknown command 'ferify'"),
    ("--sede", "see tower-sim --help"),
    ("play amerigo --tower amerigoo", "did you mean amerigo?"),
    ("play amerigo --model surogate", "did you mean surrogate?"),
    ("play amerigo --engine bulet", "did you mean bullet?"),
    ("throw amerigo --cubes red=1 --accuracy standart", "did you mean standard?"),
    ("throw amerigo --cubes red=1 --times many", "--times is 'many'; allowed is a whole number from 2 to 1000000"),
    ("throw amerigo", "nothing to do: --cubes is empty and there is no --knock; try --cubes blue=4,red=2"),
    ("throw amerigo --cubes red=1 --cubes red=2", "allowed is one throw without --times; add --times 200"),
    ("throw amerigo --times 3", "there is no --cubes; allowed with --times are one or more"),
    ("tower test my_tower --accuracy standart", "did you mean standard?"),
    ("model export amerigo --to jss -o x", "did you mean js?"),
    ("--", "Missing command"),
    ("play amerigo --set rounds=-1", "rounds"),
    ("play chain", "no apparatus is named, and chain has none of its own; allowed is one of amerigo"),
    ("play mine", "push_your_luck or the path of a Python file"),
    ("play wallenstein --set attackers=41", "rules.attackers is 41; allowed is a whole number from 0 to 40"),
    ("play chain --tower amerigo --set drops=0", "chain.drops is 0; allowed is a whole number from 1 to 32767;"),
    ("play chain --tower amerigo --set drops", "'drops'; allowed is KEY=VALUE, each key once; the keys are"),
    ("play chain --tower amerigo --set policy=covr", "'covr'; allowed is one of fixed, uniform, cover;"),
    ("play amerigo --rules nowhere.toml", "nowhere.toml"),
    ("play amerigo --tower dead_reckoning", "apparatus 'dead_reckoning' is no tower that keeps cubes"),
    ("play amerigo --set rounds=" + "9" * 5000, "allowed is a whole number from 0 to 9999"),
    ("play amerigo --model two_thirds --set knocks.30=0.5", "two_thirds knows no knocks; take the model physics"),
    ("play amerigo --save-plot game.docx", "game.docx"),
    ("throw amerigo --cubes blue", "COLOUR=N"),
    ("throw amerigo --cubes blue=-3", "COLOUR=N"),
    ("throw amerigo --cubes blue=1,blue=2", "once"),
    ("throw amerigo --cubes blue=5000", "500"),
    ("throw amerigo --cubes blue=1 --state @/nowhere", "/nowhere"),
    ("throw amerigo --times 3 --cubes bleu=1", "did you mean blue"),
    ("throw amerigo --times 3 --cubes blue=1 --model nonsense", "nonsense"),
    ("throw amerigo --times 3 --state TOWER3.x --cubes blue=1", "token"),
    ("throw amerigo --times 3 --cubes blue=501", "501"),
    ("throw amerigo --times 3 --cubes blue=1 --knock 1", "--knock is 1; allowed is none with --times"),
    ("tower show amerigo -o /nowhere/tower.png", "/nowhere"),
    ("serve --port 3", "--port is of the service on the network; add --http, or leave it out"),
    ("throw amerigo --cubes blue=1 --knock 50%", G.format("'50%'")),
    ("throw amerigo --cubes blue=1 --knock -1", G.format("-1")),
    ("throw amerigo --cubes blue=1 --knock 50 --model two_thirds", G.format("50")),
    ("page replay amerigo --cubes blue=1 --knock nan", G.format("'nan'")),
    (f"redo {LINK}&throw=blue:4&knock=50%", G.format("'50%'")),
    (f"redo {LINK}&throw=blue=4", "throw of the link item 'blue=4'; allowed is COLOUR:N, each colour once"),
    (f"redo {LINK}x&throw=blue:4", f"seed of the link is '7x'{SEED}"),
    ("redo x.html#profle=amerigo", "allowed is one of profile, state, seed, throw, knock, game; copy the link again"),
    ("redo x.html#profle=amerigo", "did you mean profile?"),
    ("throw amerigo --cubes blue=1 --seed -1", f"--seed is '-1'{SEED}"),
    ("throw amerigo --cubes blue=1 --times 1.5", "--times is 1.5; allowed is a whole number from 2 to 1000000"),
    ("play amerigo --games x", "--games is 'x'; allowed is a whole number from 1 to 100000"),
    ("compare amerigo --set cubes=6 --games 0", "--games is 0; allowed is a whole number from 2 to 1000000"),
    ("tower test my_tower --games 7", "games is 7; allowed is a whole number from 8 to 10000"),
    ("serve --http --port x", "port is 'x'; allowed is a whole number from 0 to 65535"),
    ("PLAY amerigo", "unknown command 'PLAY'; did you mean play?"),
    ("replay amerigo", "unknown command 'replay'; did you mean page replay?"),
    ("tower lst", "unknown command 'lst'; did you mean list?"),
    (f"throw amerigo --times 3 --cubes blue=1 --state {TOKEN} --model two_thirds", "allowed is none with a state"),
    (f"throw amerigo --cubes blue=1 --state {TOKEN[:30]}!{TOKEN[31:]}", "damaged"),
])  # fmt: skip
def test_a_mistake_is_one_line_that_says_what_is_allowed_or_was_meant(words: str, says: str):
    assert says in refusal(*words.split())


NUMBERS = ("", "-1", "1.5", "nan", "9" * 5000, "٣")
NAMES = ("", "nope", "x" * 5000, "a\nb", "a\r\nb", "a\u2028b", "a\x0bb\x0cc", "\0", "\udc80", "\x1b[2J", "%s")
FILES = ("", "nope.toml", ".", "/dev/zero", "/dev/null", "\0", "x" * 300, "\udc80.toml", "a\nb", "a\u2028b")
FILES += ("text", "zeros.toml", "text.json")
OUTPUTS = ("", ".", "nowhere/x.html", "x" * 300, "\0", "text/x", "/dev/full/x")
PICTURES = (*OUTPUTS, "x.doc")
COUNTS = ("", "blue", "blue=", "=3", "blue=-1", "blue=1.5", "blue=99999", "blue=1,blue=2", "blue=1,,", "\x1b=1")
PAIRS = ("", "cubes", "=6", "nope=1", "cubes=" + "9" * 80, "cubes=[", "a.b.c.d=1", "cubes=6\n7")
STATES = ("", "x", "TOWER3.x.y", "TOWER9.AAAA.BBBB", "@", "@nope", "@/dev/zero", "@text", "@json", "\udc80")

FAST = "--model two_thirds --seed 1"
PAGES = ("x.html", *PICTURES)
BAD: Mapping[str, Mapping[str, Sequence[str]]] = {  # words, then an option with each of its values, or a word more
    "": {"": ("--nope", "-", "--version=1", "help", *NAMES[1:], *(f"--{name}" for name in NAMES[1:]))},
    f"play amerigo {FAST}": {
        "--tower": FILES, "--rules": FILES, "--model": (*NAMES, "nope.json", "text.json", "list.json"),
        "--engine": NAMES, "--accuracy": NAMES, "--seed": NUMBERS, "--games": ("0", "x", "99999999"),
        "--save-plot": PICTURES, "--kind": ("ship",),
        "--set": (*PAIRS, "rounds=99999", "knocks.3", "knocks.99=1", "knocks.3=-1", "knocks.1.5=1"),
    },
    "play": {"": (*NAMES, *FILES)},
    "play dead_reckoning --set cubes={a=1,b=1}": {"--set": [f"rulings={name}" for name in NAMES]},
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
    "campaign run spec.toml -o out": {"--workers": (*NUMBERS, "0", "100000000"), "--dask": ("", "x", "tcp://nope:1")},
    "campaign status": {"": NAMES},
    "campaign check": {"": NAMES},
    "campaign report -o out": {"": (*NAMES, ".", "text")},
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
FINE = {("--tower", ""), ("--rules", ""), ("--cubes", "blue=1,,"), ("--times", "٣"), ("--games", "٣")}


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
        try:
            if (option, value) not in FINE or here(*words.split(), *more, cwd=tmp_path).returncode:
                refusal(*words.split(), *more, cwd=tmp_path)
            assert {*tmp_path.rglob("*")} == before
        except AssertionError as error:
            wrong.append(f"{words} {option} {value[:30]!r}: {error}")
            before = {*tmp_path.rglob("*")}
    assert wrong == []
