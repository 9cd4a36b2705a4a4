"""What a shard holds: the runs it should, every cube of every drop, the same bytes whoever does it."""

from __future__ import annotations

import io
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.amerigo import play
from support.campaigns import ALL, BATTLES, CHAINS, GAMES
from support.cases import each_case
from support.fakes import CoinTower
from support.ships import DiceShip

from tower_sim.apparatus import load as load_apparatus
from tower_sim.campaign import Shard, Spec, list_tables, parse, run, run_shard
from tower_sim.campaign.spec import Point
from tower_sim.campaign.tables import DROPS, TableKind
from tower_sim.games import amerigo
from tower_sim.games.chain import GAME as CHAIN
from tower_sim.games.chain import choose_cubes
from tower_sim.games.dead_reckoning import battle
from tower_sim.games.tower import game_seed
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate import TwoThirdsRule
from tower_sim.tools import Column

KEY = ["point", "run", "drop"]


def case(name: str, *others: Any) -> Any:
    return pytest.param(ALL[name], *others, id=name)


def frame(shard: Shard, table: str) -> Any:
    return pd.read_parquet(io.BytesIO(shard.tables[table]))


def both(spec: Spec) -> tuple[Any, Any]:
    """The drops, beside each what the game tells of it, and the cubes of all shards."""
    shards = [run_shard(spec, index) for index in range(spec.shards)]
    frames = [pd.concat([frame(shard, table) for shard in shards], ignore_index=True) for table in shards[0].rows]
    drops, cubes, *own = frames
    for table in own:
        drops = drops.merge(table, on=KEY, how="left", validate="many_to_one")
    return drops, cubes


@cache
def rows_of(text: str) -> tuple[Any, Any]:
    """The same of a campaign as it is written."""
    return both(parse(text))


@pytest.fixture(name="kind", params=[case(name) for name in ALL], scope="module")
def _kind(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return rows_of(request.param)


def test_every_cube_is_accounted_for_in_every_landed_drop(kind: tuple[Any, Any]):
    drops, _ = kind
    landed = drops[drops.emerged.notna()]
    assert len(landed) > 10
    assert (landed.inside_before + landed.thrown == landed.emerged + landed.inside_after).all()
    assert (landed.status.isin(["settled", "jammed"])).all()


def test_the_two_tables_count_the_same_cubes(kind: tuple[Any, Any]):
    drops, cubes = kind
    drawn = drops[drops.drawn & drops.emerged.notna()].set_index(KEY)
    assert not drawn.index.duplicated().any()
    by_drop = cubes.groupby(KEY)
    after_inside = cubes.after.str.startswith("inside:")
    before_inside = cubes.before.fillna("").str.startswith("inside:")
    for column, mine in (("thrown", cubes.thrown), ("inside_before", before_inside), ("inside_after", after_inside)):
        counted = mine.groupby([cubes[name] for name in KEY]).sum().reindex(drawn.index, fill_value=0)
        assert (counted == drawn[column]).all(), column
    assert not by_drop.cube.apply(lambda numbers: numbers.duplicated().any()).any()


def test_a_cube_is_where_the_drop_before_left_it(kind: tuple[Any, Any]):
    _, cubes = kind
    for _, of_run in cubes.groupby("run"):
        place: dict[int, str] = {}
        for row in of_run.itertuples():
            assert row.thrown == pd.isna(row.before)
            if not row.thrown:
                assert row.before == place[row.cube]
            assert (row.age == 0) >= row.thrown
            place[row.cube] = row.after


def test_the_age_of_a_cube_counts_the_drops_since_it_was_thrown():
    _, cubes = rows_of(CHAINS)
    last: dict[tuple[int, int], int] = {}
    for row in cubes.itertuples():
        thrown = last[row.run, row.cube] = row.drop if row.thrown else last[row.run, row.cube]
        assert row.age == row.drop - thrown


@each_case("text", [case(name) for name in ALL])
def test_a_shard_depends_on_the_spec_and_its_number_only(text: str):
    spec = parse(text)
    last = spec.shards - 1
    random.seed(1)
    np.random.seed(1)
    alone = run_shard(Spec.from_canonical(spec.canonical), last)
    run_shard(spec, 0)
    assert run_shard(spec, last) == alone


@each_case("text", [case("games"), case("chains"), case("battles")])
def test_the_size_of_a_shard_changes_no_row(text: str):
    one, other = (both(parse(text.replace(f"shard = {old}", new))) for old, new in ((0, ""), (2, "shard = 5")))
    for mine, theirs in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(mine, theirs)


def test_a_games_rows_are_those_of_the_game_played_alone_with_its_seed():
    spec = parse(GAMES + "\n[rules]\nrounds = 2\ngold_divisor = 2\n")
    drops, _ = both(spec)
    rules = amerigo.Rules(rounds=2, gold_divisor=2)
    for number in (0, 7):
        entries = play(TwoThirdsRule(load_apparatus("amerigo")), rules, game_seed(spec.seed, number))
        rows = drops[drops.run == number]
        assert rows["drop"].tolist() == [entry.index for entry in entries]
        assert rows.emerged.tolist() == [sum(entry.emerged.values()) for entry in entries]
        for column in ("round", "phase", "skipped", "action_points", "gold"):
            assert rows[column].tolist() == [getattr(entry, column) for entry in entries], column
        assert rows.colours_out.tolist()[1:] == [len(entry.actions) for entry in entries][1:]


def test_a_battles_rows_are_those_of_the_battle_fought_alone():
    spec = parse(BATTLES)
    drops, cubes = rows_of(BATTLES)
    setup = spec.point(0).rules
    with PhysicsModel(load_apparatus("dead_reckoning")) as model:
        for game in (0, 9):
            start = battle.start(model, setup, 7, game)
            *_, fought = battle.play(model, start, dict.fromkeys(setup.colours, battle.when_behind))
            rows = drops[drops.run == game]
            assert rows.kind.tolist() == [step.kind for step in fought.steps]
            assert rows.drawn.tolist() == [step.drawn for step in fought.steps]
            assert [side if isinstance(side, str) else "" for side in rows.side] == [s.side for s in fought.steps]
            assert rows.winner.tolist()[-1] == fought.result().winner
            assert rows.winner[:-1].isna().all()
            for number, step in enumerate(fought.steps):
                mine = cubes[(cubes.run == game) & (cubes["drop"] == number)]
                landings = [(x.cube.id, x.place) for x in step.landings] if step.drawn else []
                assert list(zip(mine.cube, mine.after, strict=True)) == landings


def test_runs_are_numbered_over_the_points_and_draw_from_their_own_number():
    spec = parse(GAMES.replace("games = 12", "games = 3") + '[vary.fields]\n"rules.cubes" = [5, 7]\n')
    drops, cubes = both(spec)
    assert sorted(set(zip(drops.point, drops.run, strict=True))) == [(r // 3, r) for r in range(6)]
    thrown = drops[drops["drop"] == 0].set_index("run").thrown
    assert thrown.tolist() == [35] * 3 + [49] * 3
    assert len({game_seed(spec.seed, number) for number in range(6)}) == 6
    assert all(game_seed(spec.seed, number) >= 2**64 for number in range(6))  # all but impossible with fewer bits
    outcomes = {tuple(group.after) for _, group in cubes[cubes["drop"] == 0].groupby("run")}
    assert len(outcomes) == 6


def fake(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    monkeypatch.setattr(Point, "open_model", lambda *_: model)


FAKES = [case("games", CoinTower), case("chains", CoinTower), case("battles", DiceShip)]


@each_case(("text", "model"), FAKES)
def test_every_failed_draw_is_a_row_without_results(monkeypatch: pytest.MonkeyPatch, text: str, model: Any):
    fake(monkeypatch, model(failure_rate=0.3))
    spec = parse(text)
    shard = run_shard(spec, 0)
    drops = frame(shard, "drops")
    failed = drops[drops.status == "timed_out"]
    assert len(failed) > 5
    assert failed[["emerged", "inside_after"]].isna().all().all()
    for _, attempts in drops.groupby(["run", "drop"]):
        assert attempts.attempt.tolist() == list(range(len(attempts)))
        assert attempts.status[:-1].eq("timed_out").all()
    again = drops[drops.attempt > 0]
    assert set(again.status) == {"settled", "timed_out"}
    for name in [*shard.rows][2:]:  # one row a drop, however often it was drawn
        pd.testing.assert_frame_equal(frame(shard, name)[KEY], drops.drop_duplicates(KEY)[KEY].reset_index(drop=True))


@each_case(("text", "model"), FAKES)
def test_a_run_ends_after_five_failed_draws_and_is_named(monkeypatch: pytest.MonkeyPatch, text: str, model: Any):
    fake(monkeypatch, model(failure_rate=1.0))
    spec = parse(text)
    shard = run_shard(spec, 1)
    drops = frame(shard, "drops")
    assert drops.groupby("run").size().eq(5).all()
    counts = {"drops": len(drops), "cubes": 0}
    own = {} if spec.kind == "chain" else {spec.game.name: len(spec.runs_of(1))}
    assert shard.rows == counts | own
    if spec.kind == "game":
        facts = frame(shard, spec.game.name)
        assert facts[["round", "phase", "skipped", "colours_out", "action_points", "gold"]].isna().all().all()


@each_case(("text", "own"), [case("games", ["amerigo"]), case("battles", ["dead_reckoning"]), case("chains", [])])
def test_the_files_have_the_documented_columns_types_and_metadata(text: str, own: list[str]):
    import pyarrow.parquet as parquet

    spec = parse(text)
    shard = run_shard(spec, 1)
    tables = list_tables(spec.game)
    assert [table.name for table in tables] == list(shard.tables) == ["drops", "cubes", *own]
    assert not {column.name for table in tables[2:] for column in table.columns[3:]} & {x.name for x in DROPS.columns}
    for table in tables:
        schema = parquet.read_schema(io.BytesIO(shard.tables[table.name]))
        assert schema.names == [column.name for column in table.columns]
        for column in table.columns:
            field = schema.field(column.name)
            assert (str(field.type), field.nullable) == (column.kind, column.nullable)
        metadata = {key.decode(): value.decode() for key, value in schema.metadata.items()}
        expected = {"schema": f"tower-sim/campaign-{table.name}", "version": "4", "spec": spec.family, "shard": "1"}
        assert {key: metadata[key] for key in metadata if not key.startswith("ARROW")} == expected


SPEC = parse(GAMES)


def write(kind: str, nullable: bool, values: list[Any]) -> bytes:
    return TableKind("t", (Column("x", kind, nullable, ""),)).to_parquet([(value,) for value in values], SPEC.family, 3)


COLUMNS: dict[str, list[Any]] = {
    "int8": [1, None, -128],
    "int16": [None, None, 32767],
    "int32": [3, -(2**31), None],
    "int64": [2**63 - 1, 0, -1],
    "float64": [0.5, 1, None],
    "bool": [True, None, False] * 5,
    "string": ["sea", "", None, "Götterdämmerung"],
    "binary": [b"", b"\0\xff", None],
}


@each_case("kind", COLUMNS)
@each_case("is_whole", [True, False])
def test_a_column_is_written_byte_for_byte_as_from_what_pyarrow_makes_of_its_values(kind: str, is_whole: bool):
    import pyarrow
    import pyarrow.parquet as parquet

    values = [value for value in COLUMNS[kind] if value is not None or not is_whole]
    for some in (values, []):
        column = pyarrow.array(some, kind)
        head = {"schema": "tower-sim/campaign-t", "version": "4", "spec": SPEC.family, "shard": "3"}
        schema = pyarrow.schema([pyarrow.field("x", column.type, not is_whole)], metadata=head)
        sink = pyarrow.BufferOutputStream()
        table = pyarrow.Table.from_arrays([column], schema=schema)
        parquet.write_table(table, sink, version="2.6", compression="zstd", compression_level=3, row_group_size=1 << 20)
        assert write(kind, not is_whole, some) == sink.getvalue().to_pybytes()


@each_case(
    ("kind", "value"),
    [("int8", 128), ("int32", 0.5), ("int16", "1"), ("float64", "1"), ("bool", 2), ("string", 1), ("binary", "a")],
)
def test_a_value_of_another_kind_than_its_columns_is_never_written(kind: str, value: Any):
    with pytest.raises((TypeError, OverflowError, AttributeError, KeyError)):
        write(kind, False, [value])


def test_the_dataset_opens_in_pandas_polars_and_duckdb(tmp_path: Path):
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    spec = parse(GAMES)
    run(spec, tmp_path / "out")
    for table, rows in (("drops", 12 * 36), ("cubes", len(rows_of(GAMES)[1]))):
        folder = tmp_path / "out" / table
        assert len(pd.read_parquet(folder)) == rows
        assert len(polars.read_parquet(f"{folder}/*.parquet")) == rows
        assert duckdb.sql(f"select count(*) from '{folder}/*.parquet'").fetchall() == [(rows,)]


def test_the_fixed_policy_throws_the_front_of_a_queue_that_what_came_out_joins():
    spec = parse(CHAINS.replace('policy = "cover"', "throw = 5\nsupply = 9\ndrops = 30"))
    _, cubes = both(spec)
    for _, of_run in cubes.groupby("run"):
        queue = list(range(9))
        for _, of_drop in of_run.groupby("drop"):
            expected, queue = queue[:5], queue[5:]
            assert sorted(of_drop[of_drop.thrown].cube) == sorted(expected)
            queue += sorted(of_drop[of_drop.after == "tray"].cube)


def test_the_uniform_policy_throws_every_number_up_to_most():
    drops, _ = both(parse(CHAINS.replace('policy = "cover"', 'policy = "uniform"\nmost = 4')))
    assert set(drops.thrown) == {1, 2, 3, 4}


def test_the_cover_policy_goes_beyond_what_games_visit():
    drops, cubes = both(parse(CHAINS.replace("chains = 6", "chains = 60") + "supply = 98\n"))
    games, _ = rows_of(GAMES)
    phases = games[games["drop"] > 0]
    assert drops.thrown.max() > 2 * phases.thrown.max()
    assert drops.inside_before.max() > 1.5 * phases.inside_before.max()
    full = drops[drops.inside_before > phases.inside_before.max()]
    assert full.thrown.max() > 2 * phases.thrown.max()
    assert drops.thrown.min() in (0, 1)
    circulation = cubes.groupby("run").cube.nunique()
    assert circulation.min() < 10
    assert circulation.max() > 80


def test_the_cover_policys_numbers_are_log_uniform():
    rng, chain = np.random.default_rng(1), CHAIN.read({"chain": {"policy": "cover"}})
    outside = range(15)
    counts = np.bincount([len(choose_cubes(chain, outside, rng)) for _ in range(8000)], minlength=16)  # type: ignore[arg-type]
    assert counts[0] == 0
    expected = 8000 * np.diff(np.log2(np.arange(1, 17))) / 4  # 1..15: share log((k + 1) / k) / log 16
    deviations = (counts[1:] - expected) / np.sqrt(expected)
    assert (abs(deviations) < 4.5).all()


def test_a_chain_with_nothing_outside_draws_nothing(monkeypatch: pytest.MonkeyPatch):
    fake(monkeypatch, CoinTower(p_out=0.0, p_resident=0.0))
    drops, _ = both(parse(CHAINS.replace('policy = "cover"', "supply = 7\ndrops = 3")))
    assert drops.drawn.tolist() == [True, False, False] * 6
    assert drops.inside_after.tolist() == [7] * 18
