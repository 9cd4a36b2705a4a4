"""What every Game promises, as a test class that each game's tests inherit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.campaign.tables import CUBES, DROPS, ShardRows
from tower_sim.contract import DropModel
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.games.game import Game, Turn
from tower_sim.model import MAX_ATTEMPTS
from tower_sim.outcome import Landing, Outcome, Status
from tower_sim.recorder import Recorder
from tower_sim.state import TowerState

KINDS: Mapping[str, tuple[type, ...]] = {
    "bool": (bool, np.bool_),
    **dict.fromkeys(("int8", "int16", "int32", "int64"), (int, np.integer)),
    **dict.fromkeys(("float32", "float64"), (int, float, np.floating)),
    "string": (str,),
}
"""The types that a column of a game's table may have, and what a fact of it is in Python."""

_WORD = re.compile("[a-z][a-z0-9_]*")
_FILES = (DROPS.name, CUBES.name, "receipts", "set_aside")  # what else lies beside a game's table
_FILE_TABLES = ("campaign", "profile", "settings", "vary", "design", "points", "model", "seed", "runs", "shard")
_SEEDS = range(10)


class GameContract:
    """Inherit, say which `game`, and override the `model` fixture with scope "class"; its draws may fail now and then.

    `tables` are rules other than the default that make a short run; a game of which every run is alike, whatever the
    seed, sets `chance = False`.
    """

    game: Game
    tables: Mapping[str, Any] = {}
    chance = True

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> DropModel:
        raise AssertionError("override the model fixture")

    @pytest.fixture(scope="class")
    @classmethod
    def rules(cls) -> Any:
        return cls.game.read(cls.tables)

    @pytest.fixture(scope="class")
    @classmethod
    def turns(cls, model: DropModel, rules: Any) -> list[Turn]:
        """A run that came to its end, if one of the first seeds gives such a run."""
        runs = (list(cls.game.play(model, rules, seed)) for seed in _SEEDS)
        return next((run for run in runs if run[-1].failed is None), list(cls.game.play(model, rules, 0)))

    @pytest.fixture(scope="class", params=[0, 2], ids=["at once", "later"])
    @classmethod
    def cut(cls, request: pytest.FixtureRequest, model: DropModel, rules: Any) -> list[Turn]:
        """A run that five failed draws in a row end; before them a few draws land."""
        failing: Any = Failing(model, request.param)
        return list(cls.game.play(failing, rules, 0))

    def test_it_says_what_it_is_in_words_that_files_can_have(self) -> None:
        game = self.game
        assert all(_WORD.fullmatch(word) for word in (game.name, game.kind, game.run, *game.tables))
        assert game.title
        assert game.name not in _FILES
        assert not set(game.tables) & set(_FILE_TABLES)
        assert game.version >= 1
        assert game.shard >= 1

    def test_its_columns_have_names_of_their_own_types_and_a_meaning(self) -> None:
        names = [column.name for column in self.game.columns]
        assert len(set(names)) == len(names)
        assert not set(names) & {column.name for column in (*DROPS.columns, *CUBES.columns)}
        assert all(_WORD.fullmatch(name) for name in names)
        assert all(column.kind in KINDS for column in self.game.columns)
        assert all(column.meaning and "\n" not in column.meaning for column in self.game.columns)

    def test_no_table_at_all_is_the_default_and_rules_read_back_are_the_same(self, rules: Any) -> None:
        nothing: Mapping[str, Any] = {}
        for tables, read in ((nothing, self.game.read(nothing)), (self.tables, rules)):
            assert self.game.read(self.game.plain(read)) == read
            assert self.game.read(self.game.resolved(tables)) == read

    def test_plain_rules_are_plain_json_of_the_games_tables(self, rules: Any) -> None:
        for plain in (self.game.plain(rules), self.game.plain(self.game.read({})), self.game.resolved(self.tables)):
            assert json.loads(json.dumps(plain, allow_nan=False)) == plain
            assert set(plain) <= set(self.game.tables)

    def test_bound_to_its_own_tables_it_is_the_same_game(self, rules: Any) -> None:
        game = self.game
        assert game.declared in ("", *game.tables)
        for plain in (game.plain(rules), game.resolved(self.tables), {}):
            bound = game.bound(plain)
            assert (bound.name, bound.kind, bound.columns) == (game.name, game.kind, game.columns)
            assert bound.read(self.tables) == rules

    def test_an_unknown_table_or_key_is_refused_in_one_line(self) -> None:
        wrong: list[dict[str, Any]] = [{name: {"no_such_key": 1}} for name in self.game.tables]
        wrong.append({"no_such_table": {}})
        for tables in wrong:
            for read in (self.game.read, self.game.resolved):
                if tables == {"knocks": {"no_such_key": 1}} and read == self.game.resolved:
                    continue  # which drops there are a design may vary
                with pytest.raises(UsageError) as caught:
                    read(tables)
                assert "\n" not in str(caught.value)

    def test_a_seed_out_of_range_is_refused_at_once_in_one_line(self, model: DropModel, rules: Any) -> None:
        for run in (None, 3):
            with pytest.raises(UsageError) as caught:
                self.game.play(model, rules, -1, run)
            assert "\n" not in str(caught.value)

    def test_a_run_follows_from_its_seed_and_number_alone(self, model: DropModel, rules: Any) -> None:
        for run in (None, 0, 3):
            one = self._told(self.game.play(model, rules, 7, run))
            self._told(self.game.play(model, rules, 8, run))
            assert self._told(self.game.play(model, rules, 7, run)) == one
        plain = self.game.read(json.loads(json.dumps(self.game.plain(rules))))
        assert self._told(self.game.play(model, plain, 7)) == self._told(self.game.play(model, rules, 7))

    def test_other_seeds_and_other_runs_are_other_runs(self, model: DropModel, rules: Any) -> None:
        if not self.chance:
            pytest.skip("every run of this game is alike")
        for seeds in ([(seed, None) for seed in _SEEDS], [(7, run) for run in _SEEDS]):
            told = [self._told(self.game.play(model, rules, seed, run)) for seed, run in seeds]
            assert any(run != told[0] for run in told)

    def test_turns_are_counted_from_0_and_only_the_last_can_have_failed(
        self, turns: list[Turn], cut: list[Turn]
    ) -> None:
        for run in (turns, cut):
            assert [turn.index for turn in run] == list(range(len(run)))
            assert all(turn.failed is None for turn in run[:-1])
        assert turns[-1].failed is None
        assert cut[-1].failed is not None
        assert cut[-1].failed.outcome.attempts == MAX_ATTEMPTS

    def test_facts_are_of_its_columns_and_of_their_types(self, turns: list[Turn], cut: list[Turn]) -> None:
        columns = {column.name: column for column in self.game.columns}
        for turn in (*turns, *cut):
            assert set(turn.facts) <= set(columns)
            for name, column in columns.items():
                fact = turn.facts.get(name)
                assert isinstance(fact, KINDS[column.kind]) or (fact is None and column.nullable), (name, fact)
                assert column.kind == "bool" or not isinstance(fact, bool), name

    def test_a_turn_is_one_drop_at_most_and_a_cube_is_in_one_place(self, model: DropModel, rules: Any) -> None:
        recorder = Recorder(model)
        known: dict[int, Cube] = {}
        for turn in self.game.play(recorder.as_model, rules, 7):
            landed = [draw for draw in recorder.taken() if draw.outcome.status.is_landing]
            assert len([draw for draw in landed if not draw.knock]) <= 1
            assert len([draw for draw in landed if draw.knock]) <= 1
            for draw in landed:
                before = (*draw.state.cubes, *draw.outcome.thrown)
                assert sorted((*draw.outcome.state.cubes, *draw.outcome.emerged)) == sorted(before)
                known |= {cube.id: cube for cube in draw.outcome.thrown}
            there = (*turn.state.cubes, *turn.state.board.cubes)
            assert len({cube.id for cube in there}) == len(there)
            assert all(known[cube.id] == cube for cube in there)

    def test_its_rows_are_written_with_their_types(self, model: DropModel, rules: Any) -> None:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        rows, recorder = ShardRows(), Recorder(model)
        for turn in self.game.play(recorder.as_model, rules, 7):
            rows.add((0, 0, turn.index), turn.kind, recorder.taken()[-1:], turn.state)
            rows.tell((0, 0, turn.index), self.game, turn.facts)
        files = rows.to_parquet(self.game, "", 0, [{}])
        assert list(files) == [DROPS.name, CUBES.name, *([self.game.name] if self.game.columns else [])]
        assert all(parquet.read_table(arrow.BufferReader(data)).num_rows >= 0 for data in files.values())

    def test_words_are_one_line_a_turn(self, rules: Any, turns: list[Turn], cut: list[Turn]) -> None:
        for run in (turns, cut):
            said = [self.game.line(turn, rules) for turn in run]
            assert all(line.strip() and "\n" not in line for line in said)
            assert self.game.head(rules, apparatus="box", model="coin", seed=7).strip()
            assert self.game.summary(run, rules).strip()

    def test_the_document_of_a_run_is_json_with_its_schema_and_version(
        self, rules: Any, turns: list[Turn], cut: list[Turn]
    ) -> None:
        for run in (turns, cut):
            document = self.game.document(run, rules, apparatus="box", model="coin", seed=7)
            assert json.loads(json.dumps(document, allow_nan=False)) == document
            assert isinstance(document["schema"], str)
            assert isinstance(document["version"], int)

    def test_every_figure_is_measured(self, rules: Any, turns: list[Turn]) -> None:
        figures, measured = self.game.figures(), self.game.measured(turns, rules)
        assert len(figures) == len(measured)
        assert len({figure.key for figure in figures}) == len(figures)
        assert all(math.isfinite(value) for value in measured)

    def test_limits_are_counts_from_1(self, rules: Any) -> None:
        assert self.game.most_cubes(rules) >= 1
        assert self.game.most_turns(rules) >= 1

    def test_the_apparatus_it_is_played_with_by_default_passes(self) -> None:
        if not self.game.apparatus:
            pytest.skip("its apparatus has to be named")
        self.game.check(load_apparatus(self.game.apparatus))

    def _told(self, run: Iterator[Turn]) -> list[Any]:
        return [(turn.index, turn.kind, dict(turn.facts), turn.state, str(turn.failed)) for turn in run]


class Failing:
    """A model that passes calls on, until `landings` draws have landed: every draw after them times out."""

    def __init__(self, model: DropModel, landings: int) -> None:
        self._model = model
        self._left = landings

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._kept(self._model.drop(state, cubes, rng), state, cubes)

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._kept(self._model.knock(state, strength, rng), state, ())

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """See BoardModel."""
        model: Any = self._model
        return self._kept(model.place(state, cube, zone, rng), state, (cube,))

    def _kept(self, outcome: Outcome, state: TowerState, thrown: Sequence[Cube]) -> Outcome:
        if self._left > 0:
            self._left -= outcome.status.is_landing
            return outcome
        landings = [Landing(cube, "lost") for cube in thrown]
        landings += [Landing(resident.cube, f"inside:{resident.region}") for resident in state.residents]
        lying = tuple(cube for cube in state.board.cubes if cube not in thrown)
        landings += [Landing(r.cube, r.region) for r in state.board.lying if r.cube in lying]
        names = (outcome.model, outcome.apparatus, Status.TIMED_OUT)
        return Outcome(*names, tuple(thrown), tuple(landings), state, lying=lying)
