"""Knocks of the tower's surrogate: the exact law, JavaScript, campaigns, the fit and its check, what is refused."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.amerigo import play, read
from support.cases import each_case
from support.command_line import refusal
from support.node import PORTS, answered
from vectors.renew import Resting, WordStream, move

from tower_sim.apparatus import load
from tower_sim.campaign import Campaign, parse, read_campaign, run
from tower_sim.clients import javascript
from tower_sim.drops import HARDEST
from tower_sim.errors import UsageError
from tower_sim.physics.core.drop import HOLD
from tower_sim.studies.fitting.tower.knocks import (
    CHECKED,
    FITTED,
    PlayedKnocks,
    check_knocks,
    fit_knocks,
    games_to_knock,
    play_knocks,
)
from tower_sim.surrogate import KNOCKS, Cascade, Fitted, Polyline, SurrogateModel, fitted_or_shipped, ship
from tower_sim.surrogate.kernel import OUT
from tower_sim.surrogate.table import LIMIT, UNIT, WORD
from tower_sim.testing import check_model
from tower_sim.values import Event, Resident, TowerState, supply

SHAPE = load("amerigo")
ODDS = np.array([-5.0, -4.0, -2.5, -0.5, 0.75, 1.5])
CURVES = tuple(Polyline(KNOCKS, tuple((ODDS + floor / 4).tolist()), (0.2,) * 6) for floor in range(4))
SHIPPED = replace(fitted_or_shipped("amerigo"), apparatus_digest=SHAPE.digest)  # whatever tower it was fitted to
LAW = replace(SHIPPED.cascade_of(SHAPE.digest), knocks=CURVES)
FILE = replace(SHIPPED, law=LAW)
OLDER = replace(FILE, law=replace(LAW, knocks=()))
MODEL = SurrogateModel(SHAPE, FILE)
LEVEL = 1e-4  # of a test's false alarms; its seed is fixed
Capture = pytest.CaptureFixture[str]


def laden(floors: Sequence[int], model: SurrogateModel = MODEL) -> TowerState:
    """A state with a cube on each of these floors, after a drop and an empty one."""
    cubes = supply({"red": len(floors)}, model.cube_edge)
    inside = [Resident(cube, model.table.regions[floor], 0) for cube, floor in zip(cubes, floors, strict=True)]
    drops = (Event("drop", "", cubes, ()), Event("drop", "", (), ()))
    return replace(model.empty(), residents=tuple(inside[::-1]), log=drops)


def rng(*number: int) -> np.random.Generator:
    return np.random.default_rng([46, *number])


def test_a_knock_keeps_what_every_model_promises():
    check_model(MODEL)


def test_the_weakest_and_the_strongest_knock_are_those_of_physics():
    assert (KNOCKS[0] / 100, KNOCKS[-1] / 100) == (HOLD, HARDEST)
    assert (FITTED[0], FITTED[-1]) == (KNOCKS[0], KNOCKS[-1])


def chance(floor: int, strength: float) -> Fraction:
    """The chance that the table gives a cube on a floor to come out."""
    odds = MODEL.table.knocks[floor][round(100 * strength)]
    entry = MODEL.table.thresholds[min(abs(odds), LIMIT)]
    return Fraction(entry if odds >= 0 else WORD - entry, WORD)


def knocked(floors: Sequence[int], strength: float, word: Callable[[], int]) -> list[bool]:
    """Whether each cube comes out of a knock."""
    step = max(math.floor(100 * strength + 0.5), 1)
    return [end == OUT for end in move(MODEL.table, [Resting(floor, 1, False) for floor in floors], word, step)]


@each_case("strength", [0.1, 0.35, 1.0, 5.0])
def test_the_chance_of_a_floor_is_that_of_its_curve(strength: float):
    for floor, curve in enumerate(CURVES):
        odds = float(np.interp(math.log(100 * strength), np.log(curve.knots), curve.values))
        assert chance(floor, strength) == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.25 / UNIT)


def test_outcomes_of_a_small_state_come_as_often_as_their_enumeration_says():
    floors, strength, count = (1, 2, 2), 0.8, 20_000
    chances = [chance(floor, strength) for floor in floors]
    every = product((False, True), repeat=3)
    law = {outs: math.prod(p if o else 1 - p for p, o in zip(chances, outs, strict=True)) for outs in every}
    assert sum(law.values()) == 1
    words = Counter(tuple(knocked(floors, strength, WordStream((1, 2, 3, 4), i))) for i in range(count))
    state, random = laden(floors), rng(1)
    outcomes = [MODEL.knock(state, strength, random) for _ in range(count // 5)]
    sample = Counter(tuple(x.cube not in each.inside for x in state.residents[::-1]) for each in outcomes)
    for observed in (words, sample):
        expected = [float(chance) * observed.total() for chance in law.values()]
        assert stats.chisquare([observed[outs] for outs in law], expected).pvalue > LEVEL


def test_a_knock_moves_no_cube_but_out_and_makes_none_older():
    state = laden([0, 1, 1, 2, 2, 2, 3] * 8)
    outcome = MODEL.knock(state, 1.0, rng(2))
    assert 0 < len(outcome.emerged) < len(state.residents)
    assert outcome.knocked_out == outcome.emerged
    assert sorted((*outcome.emerged, *outcome.inside)) == sorted(state.cubes)
    assert outcome.state.residents == tuple(x for x in state.residents if x.cube not in outcome.emerged)
    assert (outcome.state.drops, outcome.thrown) == (state.drops, ())
    assert outcome == MODEL.knock(state, 1.0, rng(2)) != MODEL.knock(state, 1.0, rng(3))


@each_case("strength", [0, 0.05, 0.09])
def test_a_weak_knock_moves_nothing_and_draws_no_word(strength: float):
    assert MODEL.knock(laden([0, 1, 2, 3]), strength, rng(4)).emerged == ()
    assert knocked((1, 2), strength, lambda: pytest.fail("a word was drawn")) == [False, False]


@each_case("strength", [-0.1, 5.01, math.nan, math.inf, "1", None, True])
def test_a_bad_strength_is_refused_in_one_line(strength: Any):
    with pytest.raises(
        UsageError, match=r"strength is .*; allowed is a number from 0 to 5 \(peak acc.* in g\)"
    ) as error:
        MODEL.knock(laden([1]), strength, rng(6))
    assert "\n" not in str(error.value)


def test_a_model_that_was_fitted_without_knocks_says_to_fit_it_again(tmp_path: Path):
    older = SurrogateModel(SHAPE, OLDER)
    with pytest.raises(UsageError, match=r"was fitted without knocks; .* fit the surrogate again"):
        older.knock(older.empty(), 0.5, rng(7))
    file = tmp_path / "older.json"
    file.write_text(OLDER.to_json(), "utf-8")
    line = refusal("play", "amerigo", "--model", str(file), "--set", "knocks.3=0.5")
    assert "fit the surrogate again (tower-sim model fit)" in line


def test_a_file_keeps_knocks_and_one_without_them_is_as_before():
    assert Fitted.from_json(FILE.to_json()) == FILE
    assert Fitted.from_json(OLDER.to_json()) == OLDER
    assert "knock" not in OLDER.to_json()
    assert "knock" not in json.dumps(ship.document(OLDER))
    assert len({FILE.digest, OLDER.digest, replace(FILE, law=replace(LAW, knocks=CURVES[::-1])).digest}) == 3


@each_case(
    ("knocks", "says"),
    [
        ([LAW.to_plain()["knocks"][0]], "number of knocks of law is 1; allowed is 4, one for each floor; fit it again"),
        ({}, "law, knocks of the model is {}; allowed is a list"),
        ([1, 2, 3, 4], "keys of law, knocks 0 of the model"),
    ],
)
def test_knocks_that_no_fit_can_have_made_are_refused(knocks: Any, says: str):
    with pytest.raises(UsageError, match=says):
        Cascade.from_plain({**LAW.to_plain(), "knocks": knocks})


# JavaScript

SCRIPT = """
import { readFileSync } from "node:fs";
import { knock, words, MODEL } from "./sampler.mjs";
import { seeded } from "./lib/generator.js";
import { towerOf } from "./lib/tower.js";
const four = [1, 2, 3, 4];
const tried = (call) => { try { return call(); } catch (error) { return [error.name, error.message]; } };
const knocked = ({ state, strength, stream }) => {
  const word = words(four, stream);
  const { generator, ...npm } = tried(() => towerOf(MODEL).knock(state, strength, seeded(four, stream)));
  return [tried(() => knock(state, strength, word)), npm, word.state(), generator?.state];
};
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map(knocked)));
"""


def in_javascript(fitted: Fitted, folder: Path, requests: Any) -> list[Any]:
    """Knock in the exported sampler and in the npm package; with each the state of its generator."""
    (folder / "lib").mkdir(parents=True)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    made = {name: getattr(javascript, f"{name}_module")() for name in ("words", "tower", "games")}
    modules = made | javascript.own_modules()
    for name, text in modules.items():
        (folder / "lib" / f"{name}.js").write_text(text, "utf-8")
    (folder / "ask.mjs").write_text(SCRIPT, "utf-8")
    (folder / "sampler.mjs").write_text(ship.js_text(ship.document(fitted)), "utf-8")
    return answered(folder / "ask.mjs", given=requests)


def plain_state(random: np.random.Generator) -> dict[str, Any]:
    """A state as JavaScript has it, with up to 30 cubes that are not in the order of their numbers."""
    numbers = random.permutation(60)[: random.integers(31)].tolist()
    floors, since = random.integers(0, 4, len(numbers)).tolist(), random.integers(0, 9, len(numbers)).tolist()
    head = [{"id": number, "colour": "red"} for number in numbers]
    rest = [{"floor": floor, "since": age, "inCrowd": age > 4} for floor, age in zip(floors, since, strict=True)]
    return {"drops": 9, "cubes": [a | b for a, b in zip(head, rest, strict=True)]}


class TestJavaScript:
    pytestmark = PORTS

    def test_it_knocks_as_python_does_byte_for_byte(self, tmp_path: Path):
        random = rng(8)
        edges = (0, 0.05, 0.094, 0.095, 0.1, 0.145, 0.285, 0.29, 1.005, 4.995, 5)
        strengths = [*edges, *random.uniform(0, 5, 489).tolist()]
        requests = [{"state": plain_state(random), "strength": x, "stream": i} for i, x in enumerate(strengths)]
        result = in_javascript(FILE, tmp_path, requests)
        regions, out = MODEL.table.regions, 0
        for request, (own, npm, *states) in zip(requests, result, strict=True):
            stream = WordStream((1, 2, 3, 4), request["stream"])
            cubes = sorted(request["state"]["cubes"], key=lambda cube: cube["id"])
            is_out = knocked([cube["floor"] for cube in cubes], request["strength"], stream)
            kept = [cube for cube, gone in zip(cubes, is_out, strict=True) if not gone]
            ends = [OUT if gone else cube["floor"] for cube, gone in zip(cubes, is_out, strict=True)]
            names = [{"id": cube["id"], "colour": "red"} for cube in cubes]
            places = ["tray" if end == OUT else f"inside:{regions[end]}" for end in ends]
            landed = zip(names, ends, places, strict=True)
            expected = {
                "state": {"drops": 9, "cubes": kept},
                "emerged": [name for name, gone in zip(names, is_out, strict=True) if gone],
                "landings": [name | {"floor": end, "place": place} for name, end, place in landed],
            }
            assert json.dumps(own) == json.dumps(npm) == json.dumps(expected)
            assert states == [list(stream.state)] * 2
            out += sum(is_out)
        assert out > 1000

    def test_bad_strengths_and_a_model_without_knocks_are_refused(self, tmp_path: Path):
        given = {-0.1: "RangeError", 5.001: "RangeError", "1": "TypeError", None: "TypeError"}
        requests = [{"state": {"drops": 0, "cubes": []}, "strength": strength, "stream": 0} for strength in given]
        result = in_javascript(FILE, tmp_path / "knocks", requests)
        for kind, (own, npm, *_) in zip(given.values(), result, strict=True):
            assert own[0] == kind
            assert npm["0"] == "RangeError"  # as everything in the package
            assert own[1] == npm["1"]
            assert own[1].startswith("strength is ")
            assert own[1].endswith("allowed is a number from 0 to 5 (peak acceleration in g)")
        ((own, npm, *_),) = in_javascript(OLDER, tmp_path / "older", requests[:1])
        assert own == [npm["0"], npm["1"]]
        assert own[1] == "strength is -0.1; allowed is none: this tower was fitted without knocks; fit it again"


@pytest.fixture(scope="module")
def as_shipped() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("campaign.spec", "surrogate.store"):
            patch.setattr(sys.modules[f"tower_sim.{module}"], "shipped", lambda *_: FILE)
        yield


SPEC = """
[campaign]
game = "amerigo"
apparatus = "amerigo"
model = "surrogate"
games = 60
shard = 60
seed = "46"
"""
KNOCKED = f"{SPEC.replace('60', '2')}[rules.knocks]\n0 = 2\n3 = 1\n"


@pytest.mark.usefixtures("as_shipped")
def test_a_campaign_with_a_surrogate_has_the_knocks_of_its_games():
    spec = parse(KNOCKED)
    entries = play(MODEL, spec.point(0).rules, spec.seed, 1)
    waiting = [sum(entry.waiting.values()) for entry in entries]
    assert waiting[0] > 0
    assert set(np.flatnonzero(waiting).tolist()) <= {0, 3}
    with spec.point(0).open_model() as model:
        turns = [*spec.game.start(model, spec.point(0).rules, spec.seed, 1)]
    assert [*read(iter(turns), spec.point(0).rules)] == entries


def test_a_campaign_with_knocks_of_a_model_without_is_refused_before_it_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules["tower_sim.campaign.spec"], "shipped", lambda *_: OLDER)
    with pytest.raises(UsageError, match="this surrogate was fitted without knocks"):
        parse(KNOCKED)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, as_shipped: None) -> Campaign:
    run(parse(SPEC), folder := tmp_path_factory.mktemp("knocks") / "games")
    return read_campaign(folder)


def played(campaign: Campaign, runs: range, strengths: Sequence[int]) -> PlayedKnocks:
    return play_knocks(games_to_knock([campaign], [np.array(runs)]), MODEL.table.regions, strengths)


@pytest.mark.slow
def test_knocks_are_on_the_states_of_the_games_themselves_and_come_again(campaign: Campaign):
    knocks = played(campaign, range(3, 6), FITTED)
    drops = campaign.rows
    assert knocks.lying.sum(1).tolist() == drops.inside[(drops.run >= 3) & (drops.run < 6)].tolist()
    assert np.all(knocks.out <= knocks.lying)
    assert np.bincount(knocks.run).tolist() == [36] * 3
    again = played(campaign, range(3, 6), FITTED)
    assert all(np.array_equal(getattr(knocks, name), getattr(again, name)) for name in ("strength", "lying", "out"))
    logs = np.log(knocks.strength / 10) / np.log(50)
    assert np.abs(np.sort(logs) - (np.arange(108) + 0.5) / 108).max() < 0.05  # spread evenly


@pytest.mark.slow
def test_the_games_come_in_turn_from_each_design_point_of_each_campaign(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys.modules["tower_sim.studies.fitting.tower.knocks"], "GAMES", 5)
    vary = '[vary]\ndesign = "grid"\n[vary.fields]\n"rules.rounds" = [1, 2]'
    run(parse(f"{SPEC.replace('60', '3')}{vary}"), folder := tmp_path / "two")
    two = read_campaign(folder)
    games = games_to_knock([campaign, two], [np.arange(7, 60), np.arange(1, 6)])
    knocks = play_knocks(games, MODEL.table.regions, FITTED)
    of = [(campaign, 7), (two, 1), (two, 3), (campaign, 8), (two, 2)]
    inside = [own.rows.inside[own.rows.run == run].tolist() for own, run in of]
    assert [knocks.lying.sum(1)[knocks.run == i].tolist() for i in range(len(of))] == inside


@pytest.mark.slow
def test_a_fit_to_knocks_of_a_known_law_finds_it_and_the_check_passes_it_and_no_other(campaign: Campaign):
    fitted = fit_knocks(played(campaign, range(30), FITTED))
    assert fitted == fit_knocks(played(campaign, range(30), FITTED))
    for curve, true in zip(fitted[1:3], CURVES[1:3], strict=True):  # hardly a cube lies on the others
        assert curve.knots == KNOCKS
        z = (np.array(curve.values) - true.values) / curve.errors
        assert np.abs(z).max() < 3.5
    held = played(campaign, range(30, 60), CHECKED)
    result = check_knocks(replace(LAW, knocks=fitted), held)
    assert len(result) == 2 * len(CHECKED)
    assert sum(mean.states for mean in result) == 2 * 30 * 36
    assert max(abs(mean.surrogate - mean.physics) / mean.error for mean in result) < 3.5
    harder = replace(LAW, knocks=tuple(replace(curve, values=tuple(x + 1 for x in curve.values)) for curve in fitted))
    assert max((mean.surrogate - mean.physics) / mean.error for mean in check_knocks(harder, held)) > 3.5


def test_the_check_compares_with_the_exact_means_of_its_states():
    lying = np.array([[0, 2, 1, 0], [0, 0, 3, 0], [0, 0, 0, 0], [0, 1, 1, 0]])
    out = np.array([[0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    knocks = PlayedKnocks(np.array([0, 0, 1, 1]), np.full(4, 100), lying, out)
    lost, share = check_knocks(LAW, knocks)
    p = [1 / (1 + math.exp(-curve.values[3])) for curve in CURVES]
    assert (lost.physics, share.physics, lost.states) == (0.75, 0.5, 4)
    assert lost.surrogate == pytest.approx((3 * p[1] + 5 * p[2]) / 4)
    none = [(1 - p[1]) ** 2 * (1 - p[2]), (1 - p[2]) ** 3, 1, (1 - p[1]) * (1 - p[2])]
    assert share.surrogate == pytest.approx(1 - sum(none) / 4)
    # two games: the ratio's error; and all curves higher by a small part of their errors
    foretold = 1 - np.array(none)
    apart = (foretold - [1, 1, 0, 0]).reshape(2, 2).sum(1)
    error_of_games = np.sqrt(((apart - apart.mean()) ** 2).sum() * 2) / 4
    higher = [replace(curve, values=tuple(np.add(curve.values, 1e-6 * np.array(curve.errors)))) for curve in LAW.knocks]
    moved = check_knocks(replace(LAW, knocks=tuple(higher)), knocks)[1].surrogate
    error_of_curves = (moved - share.surrogate) / 1e-6
    assert share.error == pytest.approx(math.hypot(error_of_games, error_of_curves), rel=1e-5)
    assert fit_knocks(PlayedKnocks(*np.zeros((2, 0), int), *np.zeros((2, 0, 4), int))) == ()
