"""Whole games of the lab by games.wasm: those of `sample_games`, count for count. About 8 s."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each_case
from support.node import PORTS, answered
from support.portable import made_up, model_of
from support.web import bundled

from tower_sim.apparatus import load
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import make_plan, sample_games
from tower_sim.surrogate import SurrogateModel, kernel, shipped_names
from tower_sim.surrogate.kernel import GAMES

pytestmark = PORTS

WORLD = 1 << 32

ASK = """
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { seedWords } from "made/lab.js";
import { openCompiled } from "SRC/common/compiled";
import { Player } from "SRC/lab/games";
const { tables, requests, wasm } = JSON.parse(readFileSync(0, "utf8"));
const games = await openCompiled(readFileSync(wasm));
const variantOf = ({ cubes, throws }) => ({ cubes, phases: throws.slice(1), rounds: 1 });
const NAMES = ["thrown", "emerged", "inside"];
const ANSWERS = {
  seeds: ({ seeds }) => seeds.map(seedWords),
  games({ table, plan, seed, first, games: count }) {
    const player = new Player(games, table, variantOf(plan));
    player.play(seedWords(seed), first, count);
    const digests = NAMES.map((name) => createHash("sha256").update(player[name]).digest("hex"));
    return [...digests, player.emerged.reduce((a, b) => a + b, 0)];
  },
  counts({ table, plan, four, stream }) {
    const player = new Player(games, table, variantOf(plan));
    player.play(four, stream, 1);
    return NAMES.map((name) => [...player[name]]);
  },
  places({ table, plan, four, stream }) {
    const player = new Player(games, table, variantOf(plan));
    const places = player.placesAfter(four, stream).flatMap((each) => [...each]);
    player.play(four, stream, 1);
    return { places, inside: [...player.inside] };
  },
};
console.log(JSON.stringify(requests.map((each) => ANSWERS[each.do]({ ...each, table: tables[each.table] }))));
"""

Ask = Callable[..., list[Any]]


def towers() -> dict[str, SurrogateModel]:
    return {name: model_of(name) for name in shipped_names() if not load(name).board}


TABLES = {"made_up": made_up()} | {name: model.table for name, model in towers().items()}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    file = bundled(tmp_path_factory.mktemp("many"), ASK)
    tables = {name: table.to_plain() for name, table in TABLES.items()}

    def answers(*requests: Mapping[str, Any]) -> list[Any]:
        return answered(file, given={"tables": tables, "requests": requests, "wasm": str(GAMES.path)})

    return answers


def plan(rules: Rules) -> dict[str, Any]:
    found = make_plan(rules)
    return {"cubes": found.cubes, "throws": found.throws}


ODD = {
    "published": Rules(),
    "odd": Rules(
        colours=("red", "white", "blue"),
        cubes={"red": 30, "white": 0, "blue": 1},
        phases=("blue", "red", "red", "white"),
        rounds=4,
    ),
    "one cube": Rules(colours=("red",), cubes=1, rounds=3, substitute=""),
    "only the set-up": Rules(rounds=0),
    "a long game of few": Rules(colours=("a", "b"), cubes={"a": 2, "b": 3}, rounds=150, substitute=""),
    "a crowd": Rules(cubes=40, rounds=3),
}


@each_case("name", sorted(towers()))
def test_three_thousand_games_are_those_of_sample_games(ask: Ask, name: str):
    models = towers()
    asked = [
        ("published", 7, 1000),
        ("odd", 0, 1000),
        ("one cube", 12345678901234567890, 300),
        ("a crowd", 2**127, 100),
    ]
    asked += [("only the set-up", 3, 100), ("a long game of few", 2**64, 500)]
    requests = [
        {"do": "games", "table": name, "plan": plan(ODD[rules]), "seed": str(seed), "first": 5, "games": games}
        for rules, seed, games in asked
    ]
    for (rules, seed, games), found in zip(asked, ask(*requests), strict=True):
        played = sample_games(models[name], ODD[rules], games, seed, first=5)
        counts = (played.each_colour("thrown"), played.each_colour("out"), played.each_colour("inside"))
        assert found[:3] == [hashlib.sha256(each.astype("<i2").tobytes()).hexdigest() for each in counts], rules
        assert found[3] == int(played.each_colour("out").sum()) > 0


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_plan_of_any_table_gives_the_kernels_games(ask: Ask, data: st.DataObject):
    requests: list[dict[str, Any]] = []
    expected: list[Any] = []
    for _ in range(20):  # in one process, which takes longer to begin than to play
        cubes = data.draw(st.lists(st.integers(0, 25), min_size=1, max_size=5).filter(any))
        throws = data.draw(st.lists(st.integers(-1, len(cubes) - 1), min_size=1, max_size=60))
        four = data.draw(st.lists(st.integers(0, WORLD - 1), min_size=4, max_size=4))
        stream = data.draw(st.integers(0, WORLD - 1))
        name = data.draw(st.sampled_from(sorted(TABLES)))
        throws = [-1, *throws]
        requests.append(
            {"do": "counts", "table": name, "plan": {"cubes": cubes, "throws": throws}, "four": four, "stream": stream}
        )
        colour = np.repeat(np.arange(len(cubes)), cubes)
        counts = kernel.play_games(
            kernel.law_of(TABLES[name]), colour, np.array(throws), 1, np.array(four, np.int64), stream, 0.0, len(cubes)
        )
        expected.append([each.ravel().tolist() for each in counts])
    assert ask(*requests) == expected


def test_seeds_become_the_words_that_numpy_makes_of_them(ask: Ask):
    seeds = [0, 1, 7, 2**32 - 1, 2**32, 2**53 + 1, 10**20, 2**100 + 5, 2**128 - 1]
    (found,) = ask({"do": "seeds", "seeds": [str(seed) for seed in seeds], "table": "made_up"})
    assert found == [cast("Any", np.random.SeedSequence(seed)).generate_state(4).tolist() for seed in seeds]


def test_the_floors_of_a_game_add_up_to_what_is_inside_after_every_drop(ask: Ask):
    rules = Rules()
    request = {"do": "places", "plan": plan(rules), "four": [1, 2, 3, 4], "stream": 9}
    for name in TABLES:
        (found,) = ask({**request, "table": name})
        places = np.array(found["places"]).reshape(rules.drops, -1)
        inside = (places >= 0).reshape(rules.drops, 7, 7).sum(-1)
        assert inside.ravel().tolist() == found["inside"]
        assert len({*places.ravel().tolist()}) >= 3  # some are out, others on several floors
