"""docs/games.md is true: its walk from nothing to a study runs as it stands there, and its tables have every key."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import here
from support.declared import AMERIGO, DOC, dungeon

from tower_sim.games.declared import checked, grammar, phases, readings, stands_for, trees

pytestmark = pytest.mark.whole

COMMANDS = {name: text.strip().splitlines() for name, text in re.findall(r"<!-- (\w+) -->\n```sh\n(.*?)```", DOC, re.S)}


def block(name: str) -> str:
    (text,) = re.findall(rf"<!-- {name} -->\n```\n(.*?)```", DOC, re.S)
    return text


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of the document lie."""
    place = tmp_path_factory.mktemp("games")
    for name, text in re.findall(r"<!-- (\w+\.toml) -->\n```toml\n(.*?)```", DOC, re.S):
        (place / name).write_text(text)
    return place


@each_case("name", ["play", "compare", "study"])
def test_the_walk_from_nothing_to_a_study_runs_as_it_stands_there(name: str, place: Path):
    said = ""
    for command in COMMANDS[name]:
        done = here(*shlex.split(command)[1:], cwd=place)
        assert (done.returncode, done.stderr) == (0, "")
        said += done.stdout
    if name == "play":
        assert said.split() == block("its output").split()
        assert (place / "dungeon.png").stat().st_size > 10_000
    elif name == "compare":
        assert said.split("\n\n")[0].split() == block("its beginning").split()
    else:
        assert "100 of 100 planned" in (place / "report/report.md").read_text("utf-8")
        assert "1 done, 0 missing" in said
        assert re.search(r"\| room .*\| treasure \| 0.267", (place / "report/report.md").read_text("utf-8"))
        assert len(list((place / "rooms/dungeon").glob("*.parquet"))) == 1


def test_the_mistake_in_the_document_is_told_so(place: Path):
    (place / "wrong").mkdir()
    (place / "wrong/dungeon.toml").write_text(dungeon().replace('throw = ["deck"]', 'throw = ["dekc"]'))
    done = here("play", "dungeon.toml", cwd=place / "wrong")
    assert done.returncode == 2
    told = done.stderr.removeprefix("tower-sim: ").strip()
    assert f"`{told}`" in " ".join(DOC.split())


def test_the_games_are_as_short_as_the_document_says():
    assert len([line for line in dungeon().splitlines() if line]) <= 32
    assert "[written in 30 lines]" in DOC
    assert len([line for line in AMERIGO.read_text("utf-8").splitlines() if line]) == 30


def test_the_tables_have_every_key_way_and_function():
    keys = [
        *checked._HEAD,
        *phases._KEYS,
        *stands_for.KINDS,
        *stands_for._KEYS,
        *readings._WAYS,
        *readings.TIES,
        "number",
    ]
    for word in keys:
        assert re.search(rf"[`\[\"{{ ]{word}[`\]\".= ]", DOC), word
    for table in checked._TABLES:
        assert f"[{table}" in DOC
    for function in grammar.FUNCTIONS:
        assert f"`{function}(" in DOC
    for operator in trees.COMPARISONS:
        assert operator in DOC
