"""docs/campaigns.md is true: its examples are read, its code runs, its tables are the dataset's."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from support.campaigns import GAMES
from support.cases import each_case

from tower_sim.campaign import parse, run
from tower_sim.campaign.kinds import kinds
from tower_sim.campaign.tables import CUBES, DROPS, POSES, own_table
from tower_sim.campaign.vary import DESIGNS
from tower_sim.games.amerigo import Rules
from tower_sim.games.chain import POLICIES, Chain
from tower_sim.models import MODELS

TEXT = (Path(__file__).parent.parent / "docs/campaigns.md").read_text("utf-8")
FILES = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
RUNS = {kind: game.runs for kind, game in kinds().items() if kind in ("game", "chain", "battle")}
OWN = [table for kind in RUNS if (table := own_table(kinds()[kind]))]
CODE = re.findall(r"```python\n(.*?)```", TEXT, re.S)


@each_case("text", FILES)
def test_an_example_is_a_campaign(text: str):
    spec = parse(text)
    assert spec.shards > 0


def test_there_is_an_example_of_every_kind_and_design_and_the_smallest():
    tables = [tomllib.loads(text) for text in FILES]
    assert {table["campaign"]["kind"] for table in tables} == set(RUNS)
    designs = {table["vary"].get("design", "grid") for table in tables if "vary" in table}
    assert designs == set(DESIGNS)
    assert list(tables[0]) == ["campaign"]


def test_every_field_and_choice_is_named():
    words = [
        *RUNS,
        *RUNS.values(),
        *MODELS,
        *POLICIES,
        *DESIGNS,
        "apparatus",
        "model",
        "seed",
        "shard",
        "record",
        "points",
    ]
    words += [each.name for each in (*fields(Rules), *fields(Chain))]
    words += [
        "cubes",
        "combat",
        "active",
        "abilities",
        "[battle.sides.COLOUR]",
        "provoked",
        "[battle.rulings]",
        "[settings]",
        "engine",
        "accuracy",
        "[vary.fields]",
    ]
    for word in words:
        assert re.search(rf"`\"?{re.escape(word)}\"?`", TEXT), word


@each_case("table", [DROPS, CUBES, POSES, *OWN], ids=lambda table: table.name)
def test_every_column_is_described_as_it_is(table):
    _, _, section = TEXT.partition(f"### `{table.name}`")
    rows = re.findall(r"^\| (`.*) \|$", section.partition("###")[0], re.M)
    kinds = [f"{column.kind}, or null" if column.nullable else column.kind for column in table.columns]
    assert rows == [f"`{x.name}` | {kind} | {x.meaning}" for x, kind in zip(table.columns, kinds, strict=True)]


def test_the_python_runs(tmp_path: Path):
    pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    run(parse(GAMES), tmp_path / "DIRECTORY")
    assert len(CODE) == 4
    printed = [
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for code in CODE
    ]
    assert printed[:3] == ["432\n"] * 3
    assert re.fullmatch(r"[0-9a-f]{8} \{'drops': 216, 'cubes': \d+, 'amerigo': 216\}\n", printed[3])
