"""Numbers with units, mistyped commands, names of files that nobody gave, and links: one line, or what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cases import each_case

from tower_sim.cli import main

G = "knock strength is {}; allowed is a number from 0 to 5 (peak acceleration in g); try 0.5 for a light and"
SEED = "; allowed is a whole number from 0 to 2^128 - 1, or its text; try 7"
LINK = "x.html#profile=amerigo&seed=7"


@each_case(("words", "says"), [
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
    ("compare amerigo --set cubes=6 --games 0", "--games is 0; allowed is a whole number from 2 to 100000000"),
    ("tower test my_tower --games 7", "games is 7; allowed is a whole number from 8 to 10000"),
    ("serve --http --port x", "port is 'x'; allowed is a whole number from 0 to 65535"),
    ("plya amerigo", "unknown command 'plya'; did you mean play?"),
    ("PLAY amerigo", "unknown command 'PLAY'; did you mean play?"),
    ("replay amerigo", "unknown command 'replay'; did you mean page replay?"),
    ("tower lst", "unknown command 'lst'; did you mean list?"),
])  # fmt: skip
def test_a_word_that_is_wrong_is_refused_with_unit_and_range_or_what_was_meant(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
):
    assert main(words.split()) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert says in told.err


@each_case(("words", "name"), [
    ("page lab", "lab.html"),
    ("page record", "record.html"),
    ("page live --tower amerigo", "live.html"),
    ("page replay amerigo --cubes blue=1 --seed 7", "amerigo.html"),
    ("tower export amerigo", "amerigo.stl"),
    ("tower show amerigo", "amerigo.png"),
])  # fmt: skip
def test_a_file_that_nobody_named_is_new_and_never_replaces_another(
    words: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("mine")
    assert main(words.split()) == 0
    second = Path(name).with_stem(f"{Path(name).stem}-2")
    assert (Path(name).read_text(), second.stat().st_size > 1000) == ("mine", True)
    assert second.name in capsys.readouterr().out
