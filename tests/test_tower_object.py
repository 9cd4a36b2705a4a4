"""Tower: the same throws as the command's, cubes numbered on, undo, tokens, threads, refusals."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each_case

import tower_sim
from tower_sim import TooManyFailedDraws, Tower, TowerState, UsageError, cli, load

PROFILES = Path(tower_sim.__file__).parent / "apparatus/amerigo/profiles"


def test_a_throw_by_a_seed_is_that_of_the_command_line(capsys: pytest.CaptureFixture[str]):
    with Tower("amerigo") as tower:
        first = tower.throw(blue=3, red=2, seed=5)
        before = tower.save()
        second = tower.throw({"blue": 1})
        seed = tower.last_seed
    documents: list[dict[str, object]] = []
    for options in ("--cubes blue=3,red=2 --seed 5", f"--cubes blue=1 --seed {seed} --state {before}"):
        assert cli.main(["throw", "amerigo", *options.split(), "--json"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert [each["state"] for each in documents] == [first.state.token(), second.state.token()]
    assert documents[1]["emerged"] == {**dict.fromkeys(documents[1]["emerged"], 0), **tower.out}  # type: ignore[call-overload]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(["red", "blue", "own word"]), st.integers(0, 9), min_size=1), max_size=8),
    st.integers(0, 2**128 - 1),
)
def test_every_cube_has_a_number_of_its_own_and_is_inside_or_came_out(throws: list[dict[str, int]], seed: int):
    with Tower("amerigo", "surrogate", seed=seed) as tower:
        thrown: dict[str, int] = {}
        out: dict[str, int] = {}
        for counts in throws:
            tower.throw(counts)
            for total, more in ((thrown, counts), (out, tower.out)):
                for colour, count in more.items():
                    total[colour] = total.get(colour, 0) + count
        numbers = [cube.id for event in tower.state.log for cube in event.thrown]
        assert numbers == list(range(sum(thrown.values())))
        assert {colour: n for colour, n in thrown.items() if n} == {
            colour: out.get(colour, 0) + tower.inside.get(colour, 0) for colour in thrown if thrown[colour]
        }


def test_the_same_seed_or_a_generator_of_it_throws_the_same():
    tokens: set[str] = set()
    for seed in (7, np.random.default_rng(7)):
        with Tower("amerigo", "surrogate", seed=seed) as tower:
            tower.throw(blue=7)
            tower.throw(red=7)
            tokens.add(tower.save())
    assert len(tokens) == 1
    with Tower("amerigo", "surrogate") as one, Tower("amerigo", "surrogate") as other:
        one.throw(blue=7)
        other.throw(blue=7)
        assert one.last_seed != other.last_seed


def test_counts_seeds_and_strengths_may_be_numbers_of_numpy_and_pandas_or_a_seed_its_text():
    tokens: set[str] = set()
    half: Any = np.float32(0.5)
    kinds: Any = ((int, "0007"), (np.int64, np.uint8(7)), (np.int8, pd.Series([7])[0]))
    for whole, seed in kinds:
        series: Any = pd.Series({"blue": 4, "red": 2})
        for counts in ({"blue": whole(4), "red": whole(2)}, series):
            with Tower("amerigo", "surrogate", seed=seed) as tower:
                tower.throw(counts)
                tower.throw(red=whole(3), seed=np.int64(9))
                tower.knock(half)
                tokens.add(tower.save())
                assert type(tower.last_seed) is int
    assert len(tokens) == 1


@each_case("model", ["physics", "surrogate"])
def test_a_copy_a_pickle_and_a_tower_that_is_loaded_again_go_on_by_the_seeds_that_follow(model: str):
    with Tower("amerigo", model, seed=7) as tower:
        tower.throw(blue=9, red=9)
        tower.knock(0.5)
        again = [copy.copy(tower), copy.deepcopy(tower), pickle.loads(pickle.dumps(tower))]
        again.append(Tower.saved(tower.save(), seed=7))
        tower.throw(green=4)
    for each in again:  # the models of the copies are still open
        assert each.throw(green=4).state == tower.state
        assert (each.last_seed, each.undo(), each.inside) == (tower.last_seed, True, each.inside)
        each.close()


def test_every_error_can_be_copied_and_pickled():
    with Tower("amerigo", "surrogate", seed=7) as tower:
        outcome = tower.throw(blue=1)
    for error in (TooManyFailedDraws(outcome), UsageError("x is 1; allowed is 2; change it", "x", "field.invalid")):
        for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert (str(again), vars(again)) == (str(error), vars(error))


def test_undo_goes_back_throw_by_throw_and_a_token_goes_on():
    with Tower("amerigo", seed=1) as tower:
        assert not tower.undo()
        tower.throw(blue=9)
        before, inside, seed = tower.save(), tower.inside, tower.last_seed
        tower.knock(0.5)
        assert tower.reproduces()
        assert [event.kind for event in tower.state.log] == ["drop", "knock"]
        assert tower.undo()
        assert (tower.save(), tower.inside, tower.last_seed) == (before, inside, seed)
        tower.throw(red=2, seed=3)
        after = tower.save()
    with Tower.saved(before) as again:
        again.throw(red=2, seed=3)
        assert again.save() == after
        assert again.undo()
        assert not again.undo()


def test_a_ship_says_what_lies_on_its_board():
    with Tower("dead_reckoning", seed=2) as ship:
        ship.throw(purple=3)
        assert sum(sum(counts.values()) for counts in ship.board.values()) + sum(ship.inside.values()) == 3
        assert all(place.startswith(("zone:", "border", "table")) for place in ship.board)


def test_threads_that_share_a_tower_do_one_throw_after_the_other():
    with Tower("amerigo", "surrogate", seed=4) as tower, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: tower.throw(blue=1), range(200)))
        assert tower.state.drops == 200
        assert [cube.id for event in tower.state.log for cube in event.thrown] == list(range(200))
        assert tower.reproduces()


@each_case("refused,says", [
    (lambda tower: tower.throw(), "cubes"),
    (lambda tower: tower.throw({"blue": 1}, blue=1), "each colour once"),
    (lambda tower: tower.throw(bleu=1), "did you mean blue"),
    (lambda tower: tower.throw(blue=-1), "number of cubes|cubes of blue"),
    (lambda tower: tower.throw(blue=1, seed="7.0"), "seed is '7.0'; allowed is .*, or its text; try 7"),
    (lambda tower: tower.throw(blue=np.True_), "cubes of blue is true; allowed is a whole number"),
    (lambda tower: tower.throw(pd.Series({"blue": 2.5})), "cubes of blue is 2.5; allowed is a whole number"),
    (lambda tower: tower.knock(-1), "knock"),
    (lambda _: Tower("amerigo", seed=-1), "seed"),
    (lambda _: Tower("nowhere"), "nowhere"),
    (lambda _: Tower.saved("TOWER3.x.y"), "token"),
    (lambda tower: Tower.saved(tower.save(), "amerigo-club"), "go on with the model that made it"),
])  # fmt: skip
def test_what_is_refused_changes_nothing(refused: object, says: str):
    with Tower("amerigo", seed=3) as tower:
        tower.throw(blue=2)
        before = tower.save()
        with pytest.raises(UsageError, match=says) as error:
            refused(tower)  # type: ignore[operator]
        assert "\n" not in str(error.value)
        assert tower.save() == before
        assert len(tower.state.log) == 1


def test_a_tower_of_ones_own_is_saved_and_goes_on_by_its_file(tmp_path: Path):
    own = tmp_path / "own.toml"
    own.write_bytes((PROFILES / "amerigo.toml").read_bytes())
    with Tower(own, seed=1) as tower:
        tower.throw(blue=3)
        token = tower.save()
    with Tower.saved(token, own) as again:
        assert again.state == TowerState.from_token(token)
        assert again.model.apparatus == load(own).name
