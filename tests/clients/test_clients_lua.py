"""The sampler in Lua: what its interpreters draw is what Python draws, cube by cube."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.portable import EXPECTED, MADE_UP, SEED, VECTORS, model_of
from vectors.renew import Resting, WordStream, move

from tower_sim import cli
from tower_sim.clients import export_command, lua_file
from tower_sim.errors import UsageError
from tower_sim.surrogate import CROWD, SurrogateModel, ship
from tower_sim.surrogate.kernel import OUT
from tower_sim.surrogate.table import WORD

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LUAS = ("lua5.2", "lua5.4")
each_lua = pytest.mark.parametrize("lua", LUAS)

Ask = Callable[..., list[str]]


@pytest.fixture(scope="module")
def model() -> SurrogateModel:
    return model_of("amerigo")


def run(lua: str, *words: str, at: Path) -> list[str]:
    """Run a program and return the lines that it prints; skip the test where there is no such Lua."""
    if shutil.which(lua) is None:
        pytest.skip(f"no {lua}: apt-get install {lua}")
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run([lua, *words], capture_output=True, text=True, cwd=at, env=env)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


def sampler(document: Mapping[str, Any], folder: Path) -> Ask:
    path = folder / "tower.lua"
    path.write_text(lua_file.text(document), "utf-8")

    def ask(lua: str, what: str, *numbers: int, options: Sequence[str] = ()) -> list[str]:
        words = [*options, str(VECTORS / "ask.lua"), str(path), what, *map(str, numbers)]
        return run(lua, *words, at=folder)

    return ask


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    return sampler(MADE_UP, tmp_path_factory.mktemp("made_up"))


@each_lua
def test_the_words_are_the_generators(made_up: Ask, lua: str):
    most = WORD - 1
    for seed, stream in ((SEED, 3), ((0, 0, 0, 0), 0), ((most, most, most, most), most)):
        words = [int(line) for line in made_up(lua, "words", *seed, stream)]
        assert words == list(islice(iter(WordStream(seed, stream), None), 1000))


@pytest.mark.parametrize("options", [(), ("-e", "bit32 = nil")], ids=["", "without bit32"])
@each_lua
def test_the_stored_vectors_are_matched(made_up: Ask, lua: str, options: Sequence[str]):
    stored = (VECTORS / "vectors.jsonl").read_text("utf-8").splitlines()
    assert made_up(lua, "vectors", *SEED, len(stored), options=options) == stored


@pytest.mark.parametrize("lua", [LUAS[0], pytest.param(LUAS[1], marks=pytest.mark.slow)])
def test_all_ten_thousand_vectors_are_matched(made_up: Ask, lua: str):
    """Of two Luas, which run the same file, one by default."""
    assert EXPECTED["vectors"] == 10_000
    lines = made_up(lua, "vectors", *SEED, EXPECTED["vectors"])
    assert hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == EXPECTED["sha256"]


@each_lua
def test_drops_by_counts_carry_over_what_stays_inside(model: SurrogateModel, lua: str, tmp_path: Path):
    """Cubes are numbered as they are thrown, by colour in the order of the alphabet."""
    word = WordStream(SEED)
    inside: list[dict[str, Any]] = []
    lines = [json.loads(line) for line in sampler(ship.document(model.fitted), tmp_path)(lua, "drops", *SEED)]
    assert len(lines) == 6
    for drop in lines:
        thrown = dict(drop["thrown"])
        number = sum(thrown.values())
        colours = [colour for colour in sorted(thrown) for _ in range(thrown[colour])]
        new = [{"colour": colour, "age": 0, "crowd": number >= CROWD} for colour in colours]
        resting = [Resting(cube["floor"], cube["age"], cube["crowd"]) for cube in inside]
        ends = move(model.table, [*resting, *[None] * number], word)
        after = [{**cube, "floor": end} for cube, end in zip([*inside, *new], ends, strict=True)]
        inside = [{**cube, "age": cube["age"] + 1} for cube in after if cube["floor"] != OUT]
        assert drop["inside"] == inside
        assert dict(drop["out"]) == Counter(cube["colour"] for cube in after if cube["floor"] == OUT)
    assert inside
    assert any(drop["out"] for drop in lines)


@each_lua
def test_what_is_not_allowed_is_told_in_one_line(made_up: Ask, lua: str):
    lines = made_up(lua, "refused")
    assert len(lines) == 16
    for line in lines:
        name, _, message = line.partition("\t")
        assert name in message, line
        assert "; allowed is " in message, line


def test_a_board_has_no_table_for_lua(tmp_path: Path):
    with pytest.raises(UsageError, match=r"^what to export to lua is 'dead_reckoning'; allowed is a tower.*js or json"):
        export_command("dead_reckoning", "lua", tmp_path / "tower.lua")
    assert [*tmp_path.iterdir()] == []


@each_lua
def test_names_of_the_table_may_have_any_letters(lua: str, tmp_path: Path):
    """They are read back as they were: quotes, backslashes, line breaks, what lies beyond 16 bits."""
    odd = ['a"b', "c'd\\", "e\nf", "$g {h} %s", "ü→𝄞", "]]--", "\\u0022"]
    plain = json.loads(json.dumps(MADE_UP))
    plain["table"]["regions"] = odd[:3]
    plain["apparatus"] = "".join(odd)
    names = json.loads(sampler(plain, tmp_path)(lua, "names")[0])
    assert names == [plain["apparatus"], *odd[:3]]


@each_lua
def test_the_use_that_the_document_shows_runs_as_it_stands(lua: str, tmp_path: Path):
    text = (ROOT / "docs" / "surrogate.md").read_text("utf-8")
    (command,) = re.findall(r"`tower-sim (model export amerigo --to lua -o \S+)`", text)
    (code,) = re.findall(r"```lua\n(.*?)```", text, re.S)
    assert cli.main([*command.split()[:-1], str(tmp_path / "tower.lua")]) in (None, 0)
    (tmp_path / "use.lua").write_text(code, "utf-8")
    assert run(lua, "use.lua", at=tmp_path) == ["6 blue, 2 red, inside 4", "7 blue, 3 red, inside 2"]


def test_the_sampler_is_short_and_so_are_its_lines():
    plain = (ROOT / "tower_sim/clients/lua/tower.lua").read_text("utf-8")
    assert len(plain.splitlines()) <= 150
    assert max(map(len, lua_file.text(MADE_UP).splitlines())) <= 120
