"""docs/campaigns.md is true: its examples are read, its code runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.campaigns import GAMES
from support.cases import each_case

from tower_sim.campaign import parse, run
from tower_sim.campaign.spec import open_game
from tower_sim.campaign.vary import DESIGNS
from tower_sim.models import MODELS

TEXT = (Path(__file__).parents[2] / "docs/campaigns.md").read_text("utf-8")
FILES = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
RUNS = {name: open_game(name).runs for name in ("amerigo", "chain", "dead_reckoning")}
CODE = re.findall(r"```python\n(.*?)```", TEXT, re.S)


@each_case("text", FILES)
def test_an_example_is_a_campaign(text: str):
    spec = parse(text)
    assert spec.shards > 0


def test_there_is_an_example_of_every_kind_and_design_and_the_smallest():
    tables = [tomllib.loads(text) for text in FILES]
    assert {table["campaign"]["game"] for table in tables} == set(RUNS)
    designs = {table["vary"].get("design", "grid") for table in tables if "vary" in table}
    assert designs == set(DESIGNS)
    assert list(tables[0]) == ["campaign"]


def test_every_field_and_choice_is_named():
    words = [*RUNS, *RUNS.values(), *MODELS, *DESIGNS, "apparatus", "model", "seed", "shard", "points"]
    words += ["[rules]", "[chain]", "[battle]", "[settings]", "engine", "accuracy", "[vary.fields]"]
    for word in words:
        assert re.search(rf"`\"?{re.escape(word)}\"?`", TEXT), word


def test_the_python_runs(tmp_path: Path):
    pytest.importorskip("duckdb")
    run(parse(GAMES), tmp_path / "DIRECTORY")
    assert len(CODE) == 3
    commands = [[sys.executable, "-c", code] for code in CODE]
    printed = [subprocess.check_output(command, cwd=tmp_path, text=True) for command in commands]
    assert printed[:2] == ["432\n"] * 2
    assert re.fullmatch(r"[0-9a-f]{8} \{'drops': 216, 'cubes': \d+, 'amerigo': 216\}\n", printed[2])
