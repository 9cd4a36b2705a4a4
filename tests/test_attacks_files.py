"""Files that somebody gives us: faulty, special, endless, with names too long; each is refused in one line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import refusal

from tower_sim import Tower, campaign
from tower_sim.apparatus import parse, shipped
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.requests import request as requests
from tower_sim.surrogate import Fitted, fitted_or_shipped
from tower_sim.surrogate.store import _digest as digest  # pyright: ignore[reportPrivateUsage]
from tower_sim.tools import registry, toml_table

SPEC = '[campaign]\ngame = "amerigo"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 1\nseed = "1"\n'


def model(text: str) -> object:
    """Read a surrogate's file; where it is JSON its digest is made right, so that what it says is reached."""
    with suppress(ValueError, RecursionError):
        plain = json.loads(text)
        text = json.dumps(plain | {"digest": digest({key: plain[key] for key in plain if key != "digest"})})
    return Fitted.from_json(text)


def parse_rules(game: str) -> Callable[[str], object]:
    return lambda text: requests.parse_rules(registry.get("game", game), toml_table(text, "the text"))


TEXTS: dict[str, tuple[str, Callable[[str], object]]] = {
    "tower": (shipped()["amerigo"], lambda text: parse(text, "mine")),
    "ship": (shipped()["dead_reckoning"], lambda text: parse(text, "mine")),
    "rules": ((files("tower_sim.games.amerigo") / "amerigo.toml").read_text("utf-8"), parse_rules("amerigo")),
    "rulings": ('[rulings]\ntwo_zones = "nearest"\nleft_board = "lost"\n', parse_rules("dead_reckoning")),
    "campaign": (f'{SPEC}[rules]\ncubes = 6\n[vary.fields]\n"rules.cubes" = [5, 6]\n', campaign.parse),
    "model": (fitted_or_shipped("amerigo").to_json(), model),
}
BAD: dict[str, Callable[[str], str]] = {
    "nothing": lambda text: "",
    "half": lambda text: text[: len(text) // 2],
    "a line twice": lambda text: f"{text}\n{text.strip().splitlines()[-1]}\n",
    "a key more": lambda text: f"{'k' * 400} = 1\n{text}",
    "a long path": lambda text: f"{'a.' * 5000}b = 1\n{text}",
    "deep lists": lambda text: f"x = {'[' * 3000}\n{text}",
    "a zero byte": lambda text: text.replace("=", "=\0", 1).replace(":", ":\0", 1),
    "not a number": lambda text: re.sub(r"(?<=[=:,\[] )-?\d[\d.]*", "nan", text),
    "huge numbers": lambda text: re.sub(r"(?<=[=:,\[] )-?\d[\d.]*", "9" * 400, text),
    "negative numbers": lambda text: re.sub(r"(?<=[=:,\[] )(?=\d)", "-", text),
    "texts for numbers": lambda text: re.sub(r"(?<=[=:,\[] )-?\d[\d.]*", '"x"', text),
    "dates for texts": lambda text: re.sub(r'(?<== )"[^"]*"', "2026-01-02", text).replace(': "', ": 2026, "),
}


FINE = {("rules", "nothing"), ("rules", "half"), ("rulings", "nothing")}  # what is left out is as published
FAULTY = [
    (name, fault, read, spoilt)
    for name, (text, read) in TEXTS.items()
    for fault, spoil in BAD.items()
    if (spoilt := spoil(text)) != text and (name, fault) not in FINE
]


@each_case(("read", "text"), [(read, text) for _, _, read, text in FAULTY], ids=[f"{x[0]}: {x[1]}" for x in FAULTY])
def test_a_text_with_a_fault_is_refused_in_one_line(read: Callable[[str], object], text: str):
    with pytest.raises(UsageError) as refused:
        read(text)
    assert re.fullmatch(".{1,900}", str(refused.value))


@each_case(("text", "read"), TEXTS.values())
def test_the_same_text_without_a_fault_is_read(text: str, read: Callable[[str], object]):
    read(text)


READERS = {
    "profile": ("play", "amerigo", "--tower", "FILE", "--model", "two_thirds"),
    "profile shown": ("tower", "show", "FILE", "-o", "x.png"),
    "rules": ("play", "amerigo", "--rules", "FILE", "--model", "two_thirds"),
    "model": ("play", "amerigo", "--model", "FILE.json"),
    "state": ("throw", "amerigo", "--cubes", "blue=1", "--model", "two_thirds", "--state", "@FILE"),
    "battle": ("play", "dead_reckoning", "--model", "surrogate", "--rules", "FILE"),
    "game": ("play", "FILE.toml", "--model", "two_thirds"),
    "game compared": ("compare", "FILE.toml", "--set", "pick=most", "--games", "2"),
    "variant": ("compare", "FILE", "amerigo", "--games", "2"),
    "campaign file": ("campaign", "run", "FILE", "-o", "out"),
    "campaign status": ("campaign", "status", "FILE"),
    "manifest": ("campaign", "status", "HOLDER"),
    "study": ("campaign", "report", "HOLDER", "-o", "out"),
    "fit": ("model", "fit", "HOLDER", "-o", "m.json"),
    "checked model": ("model", "check", "FILE.json", "HOLDER"),
    "exported model": ("model", "export", "FILE.json", "--to", "js", "-o", "m.js"),
    "records": ("tower", "test", "FILE.csv"),
    "calibration": ("tower", "fit", "FILE.csv", "-o", "p.toml"),
    "observation": ("tower", "fit", "FILE.toml", "-o", "p.toml"),
}


@each_case("reader", READERS)
@each_case("kind", ["pipe", "endless", "large", "directory", "long name", "none", "latin", "zeros"])
def test_what_is_no_file_of_ours_is_refused_in_one_line(
    kind: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "HOLDER").mkdir()
    arguments = [word.replace("FILE", "n" * 300 if kind == "long name" else "FILE") for word in READERS[reader]]
    for name in ("FILE", "FILE.json", "FILE.csv", "FILE.toml", "HOLDER/manifest.jsonl"):
        if kind == "pipe":
            os.mkfifo(name)
        elif kind == "endless":
            os.symlink("/dev/zero", name)
        elif kind == "large":
            with open(name, "wb") as file:
                file.truncate(2**33)  # holes: takes no room
        elif kind == "directory":
            os.mkdir(name)
        elif kind == "latin":
            Path(name).write_bytes(b'x = "caf\xe9"\n')
        elif kind == "zeros":
            Path(name).write_bytes(bytes(1000))
    refusal(*arguments)


KINDS = {  # a file of each kind, and what its refusal says
    "profile": (TEXTS["tower"][0], "a profile of a tower or ship", "--tower"),
    "rules": (TEXTS["rules"][0], "rules of a game", "--rules"),
    "campaign": (SPEC, "a campaign file", "tower-sim campaign run"),
    "observation": ('says = "so"\nsource = "who"\nkind = "remark"\n', "an observation", "tower-sim tower fit"),
    "records": ("# my tower\ndrop,thrown_blue,out_blue\n1,3,2\n", "records of drops", "tower-sim tower fit or tower"),
    "model": (TEXTS["model"][0], "a fitted model", "--model"),
    "state": (Tower("amerigo", "two_thirds").save(), "a state", "--state as @FILE"),
}
TAKES = {  # what each kind of file is given to
    "profile": "play amerigo --model two_thirds --tower FILE",
    "rules": "play amerigo --model two_thirds --rules FILE",
    "campaign": "campaign run FILE -o out",
    "observation": "tower fit FILE.toml -o out.toml",
    "records": "tower test FILE.toml",
    "model": "play amerigo --model FILE.json",
    "state": "throw amerigo --cubes blue=1 --model two_thirds --state @FILE",
}


@each_case(("due", "other"), [(due, other) for due in TAKES for other in KINDS if due != other])
def test_a_file_of_another_kind_is_called_by_its_name_with_what_takes_it(due: str, other: str, tmp_path: Path):
    text, name, taker = KINDS[other]
    for file in ("FILE", "FILE.toml", "FILE.json"):
        (tmp_path / file).write_text(text, "utf-8")
    line = refusal(*TAKES[due].split(), cwd=tmp_path)
    assert f" is {name}; allowed is {KINDS[due][1]}; give it to {taker}" in line


@each_case("name", [":memory:", "file:x", "s3:x", "-"])
def test_a_name_is_a_files_whatever_it_looks_like(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("spec.toml").write_text(SPEC)
    for _ in range(2):
        assert main(["campaign", "run", "spec.toml", "-o", name]) == 0
    assert main(["campaign", "check", name]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"spec.toml", name}


WRITERS = {
    "picture": "tower show amerigo -o FILE.png",
    "game": "play amerigo --model two_thirds --save-plot FILE.png",
    "replay": "page replay amerigo --cubes blue=1 -o FILE.html",
    "export": "model export amerigo --to js -o FILE",
    "battle": "play dead_reckoning --set cubes={purple=2,green=1} --model surrogate --save-plot FILE.png",
    "comparison": "compare amerigo amerigo-club --games 2 --save-plot FILE.svg",
    "fitted model": "model fit spec.toml -o FILE.json",
    "campaign": "campaign run spec.toml -o FILE",
}


@each_case("writer", WRITERS)
def test_a_name_that_is_too_long_is_refused_in_one_line_before_any_work(writer: str, tmp_path: Path):
    (tmp_path / "spec.toml").write_text(SPEC)
    words = [word.replace("FILE", "n" * 300) for word in WRITERS[writer].split()]
    assert "File name too long" in refusal(*words, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["spec.toml"]
