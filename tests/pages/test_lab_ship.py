"""The ship's law in JavaScript: its chances, its draws, and battles by the default rulings. About 7 s."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from support.battles import CHANCES, rules_of
from support.node import PORTS, answered
from support.ships import ZONES, DiceShip
from vectors.renew import WordStream

from tower_sim import cli
from tower_sim.apparatus import load, with_board
from tower_sim.games.dead_reckoning import Battle, BattleRules, start
from tower_sim.games.dead_reckoning.battle import play
from tower_sim.games.dead_reckoning.game import NUMBERS
from tower_sim.surrogate import BoardLaw, ShipSurrogate, ship, shipped
from tower_sim.surrogate.ship import landing
from tower_sim.web import source

pytestmark = PORTS

WORD = 1 << 32
SHIP = with_board(load("dead_reckoning"))
FITTED = shipped(SHIP.name, SHIP.digest)
LAW: BoardLaw = FITTED.board_law_of(SHIP.digest)
PRINTED = {f"zone:{zone.name}": dict(zone.printed) for zone in SHIP.board.zones}

ASK = """
import { readFileSync } from "node:fs";
const { law, printed, requests } = JSON.parse(readFileSync(0, "utf8"));
const ANSWERS = {
  shares: ({ thrown, counts }) => shares(thrown, counts, law),
  changes: ({ thrown }) => changes(thrown, law),
  covers: ({ thrown, lying }) => covers(thrown, lying, law),
  landing({ thrown, here, seed, stream }) {
    const word = words(seed, stream);
    return [landing(thrown, here, word, law), word()];
  },
  told({ setup, zones, told }) {
    const landings = [...told];
    const wanted = [];
    const { steps, result } = battle.play(setup, zones, (thrown, lying) => {
      const of = landings.shift();
      wanted.push([thrown, lying.map(([cube]) => cube)]);
      return [...lying.map(([cube]) => cube), ...thrown].map((cube) => of[cube]);
    });
    return { steps, result, left: landings.length };
  },
  odds({ setup, seed, count }) {
    return battle.add(battle.none(law), setup, { law, zones: printed }, seed, 0, count);
  },
};
console.log(JSON.stringify(requests.map((each) => ANSWERS[each.do](each))));
"""

Ask = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    file = tmp_path_factory.mktemp("ship") / "ask.mjs"
    text = source("tower_sim.surrogate", "words.js", "ship.js") + source("tower_sim.games.dead_reckoning", "battle.js")
    file.write_text(text + ASK, "utf-8")
    law = ship.document(FITTED)["law"]

    def answers(*requests: Mapping[str, Any]) -> list[Any]:
        return answered(file, given={"law": law, "printed": PRINTED, "requests": requests})

    return answers


# The law


def test_the_chances_are_pythons_to_1e_12(ask: Ask):
    rng = np.random.default_rng(3)
    boards = [(int(rng.integers(0, 40)), rng.integers(0, 12, len(LAW.places)) * rng.integers(0, 2)) for _ in range(500)]
    boards += [(0, np.zeros(len(LAW.places), int)), (1, np.full(len(LAW.places), 40))]
    found = ask(*({"do": "shares", "thrown": n, "counts": m.tolist()} for n, m in boards))
    for (thrown, counts), chances in zip(boards, found, strict=True):
        assert np.abs(np.array(chances) - LAW.shares(thrown, counts)).max() < 1e-12
    found = ask(*({"do": "changes", "thrown": n} for n in range(60)))
    assert np.abs(np.array(found) - np.array([LAW.changes(n) for n in range(60)])).max() < 1e-12
    assert max(max(row) for row in found[1:20]) > 0.01


def test_what_the_data_cover_is_told_alike(ask: Ask):
    asked = [(n, m) for n in range(0, 45, 4) for m in range(0, 60, 5)]
    found = ask(*({"do": "covers", "thrown": n, "lying": m} for n, m in asked))
    assert found == [LAW.covers(n, m) for n, m in asked]
    assert {*found} == {True, False}


def test_the_same_words_give_the_same_draws(ask: Ask):
    rng = np.random.default_rng(4)
    cases: list[dict[str, Any]] = []
    for stream in range(2000):
        here = rng.integers(0, len(LAW.places), rng.integers(0, 25)).tolist()
        thrown = int(rng.integers(0, 25))
        cases.append({"do": "landing", "thrown": thrown, "here": here, "seed": [1, 2, 3, 4], "stream": stream})
    moved = 0
    for case, (found, after) in zip(cases, ask(*cases), strict=True):
        word = WordStream((1, 2, 3, 4), case["stream"])
        here = np.array(case["here"], int)
        u = np.array([word() for _ in range(case["thrown"] + 2 * len(here))]) / WORD
        landed, now = landing(LAW, case["thrown"], here, u)
        assert found == {"landed": landed.tolist(), "moved": now.tolist()}
        assert after == word()
        moved += int((now != here).sum())
    assert moved > 100


# The exported module


def test_the_ship_is_exported_as_a_module_that_drops_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for to, name in (("js", "ship.mjs"), ("json", "ship.json")):
        assert cli.main(["model", "export", "dead_reckoning", "--to", to, "-o", str(tmp_path / name)]) == 0
    stored = json.loads((tmp_path / "ship.json").read_text("utf-8"))
    assert (stored["schema"], stored["version"]) == ("tower-sim/surrogate-board", 1)
    assert (stored["apparatus_digest"], stored["model"]) == (SHIP.digest, FITTED.digest)
    assert stored["law"]["places"] == [*LAW.places]
    assert [stored["law"][key] for key in ("crowd", "slope", "quiet")] == [LAW.crowd, LAW.slope, LAW.quiet]
    (tmp_path / "ask.mjs").write_text(USE, "utf-8")
    found = answered(tmp_path / "ask.mjs")
    word = WordStream((1, 2, 3, 4), 9)
    first, _ = landing(LAW, 3, np.array([], int), np.array([word() for _ in range(3)]) / WORD)
    second, moved = landing(LAW, 2, first[[0, 2]], np.array([word() for _ in range(6)]) / WORD)
    expected = [[8, moved[0]], [2, moved[1]], [5, second[0]], [1, second[1]]]
    assert found["landings"] == [{"id": i, "colour": "red", "place": LAW.places[k]} for i, k in expected]
    assert found["before"] == [8, 5, 2]
    assert all("allowed is" in line for line in found["refused"])
    assert [line.split(":")[0] for line in found["refused"]] == ["TypeError", "RangeError", "RangeError", "TypeError"]


USE = """
import { empty, drop, words } from "./ship.mjs";
const red = (id) => ({ id, colour: "red" });
const word = words([1, 2, 3, 4], 9);
const first = drop(empty(), [red(8), red(5), red(2)], word);
const second = drop(first.state, [red(5), red(1)], word);
const refused = [
  () => drop(null, [], word), () => drop(empty(), [red(1), red(1)], word),
  () => drop({ cubes: [{ ...red(1), place: "zone:nowhere" }] }, [], word), () => drop(empty(), [red(1)], 5),
].map((call) => { try { call(); return "nothing"; } catch (error) { return `${error.name}: ${error.message}`; } });
console.log(JSON.stringify({ landings: second.landings, before: first.state.cubes.map((c) => c.id), refused }));
"""


# Battles by rule: the same landings give the same steps and the same result


def landings(battle: Battle) -> list[dict[int, str]]:
    return [{x.cube.id: x.place for x in step.landings} for step in battle.steps if step.drawn]


def setup_document(rules: BattleRules) -> dict[str, Any]:
    sides = [{"cubes": cubes, "damage": rules.side(colour).damage} for colour, cubes in rules.cubes.items()]
    return {"kind": rules.combat, "sides": sides}


def make_setup(kind: Any, cubes: tuple[int, int], damage: tuple[int, int]) -> BattleRules:
    """Violet, who is active, against green, or black where that is the non-player, whose ship has no damage."""
    violet = {"cubes": cubes[0], "damage": damage[0]}
    if kind == "merchant":
        return rules_of(kind, violet=violet, black=cubes[1])
    return rules_of(kind, violet=violet, green={"cubes": cubes[1], "damage": damage[1]})


def assert_agrees(found: Any, battle: Battle) -> None:
    """The steps, which cubes each throws, who is short of how many, and all that the result says."""
    assert found["left"] == 0
    assert [step["kind"] for step in found["steps"]] == [step.kind for step in battle.steps if step.kind != "pass"]
    for step, expected in zip(found["steps"], battle.steps, strict=True):
        assert step["thrown"] == [cube.id for cube in expected.thrown]
        assert step["short"] == [expected.short.get(colour, 0) for colour in battle.rules.colours]
        assert step["places"] == {str(x.cube.id): x.place for x in expected.landings}
    result, colours = battle.result(), battle.rules.colours
    assert colours[found["result"]["winner"]] == result.winner
    assert {colours[side] for side in found["result"]["sunk"]} == {*result.sunk}
    for side, colour in zip(found["result"]["sides"], colours, strict=True):
        assert {name: side[name] for name in (*NUMBERS, "damage")} == {
            name: getattr(result.sides[colour], name) for name in (*NUMBERS, "damage")
        }


ON_BOARD = {place: chance for place, chance in CHANCES.items() if place in {zone.name for zone in ZONES}}
DICE = DiceShip(ON_BOARD | {"border": 0.14, "table": 0.06}, pushed=0.15)
DICE_PRINTED = {f"zone:{zone.name}": dict(zone.printed) for zone in ZONES}
KINDS = ("ship", "merchant", "building")


@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_the_same_landings_give_the_same_steps_and_result(ask: Ask, data: st.DataObject):
    requests: list[dict[str, Any]] = []
    battles: list[Battle] = []
    for _ in range(25):  # in one process
        kind = data.draw(st.sampled_from(KINDS))
        other = st.sampled_from([2, 5, 7]) if kind == "building" else st.integers(0, 20)
        cubes = data.draw(st.tuples(st.integers(0, 20), other).filter(any))  # a battle without any is refused
        damage = (data.draw(st.integers(0, 4)), 0 if kind == "building" else data.draw(st.integers(0, 4)))
        setup = make_setup(kind, cubes, damage)
        seed = data.draw(st.integers(0, 10**6))
        model: Any = data.draw(st.sampled_from([DICE, ShipSurrogate(SHIP, LAW, FITTED.digest)]))
        *_, battle = play(model, start(model, setup, seed))
        zones = DICE_PRINTED if model is DICE else PRINTED
        requests.append({"do": "told", "setup": setup_document(setup), "zones": zones, "told": landings(battle)})
        battles.append(battle)
    for found, battle in zip(ask(*requests), battles, strict=True):
        assert_agrees(found, battle)


def test_a_force_that_runs_out_of_cubes_throws_what_it_has(ask: Ask):
    """A board on which nearly all explode: the supplies of 29 and 20 end, and the battle goes on without."""
    model = DiceShip({"bang": 0.7, "one": 0.3})
    for kind in ("ship", "merchant"):
        setup = make_setup(kind, (20, 15), (0, 0))
        *_, battle = play(model, start(model, setup, 5))
        assert any(step.short.get("violet") for step in battle.steps)
        (found,) = ask({"do": "told", "setup": setup_document(setup), "zones": DICE_PRINTED, "told": landings(battle)})
        assert_agrees(found, battle)


# Battles by statistics


LEVEL = 1e-3


@pytest.mark.parametrize("games", [300, pytest.param(1500, marks=pytest.mark.slow)])  # JavaScript's: ten times as many
@pytest.mark.parametrize(("kind", "cubes"), [("ship", (8, 6)), ("merchant", (6, 7))])
def test_the_odds_are_pythons(ask: Ask, kind: str, cubes: tuple[int, int], games: int):
    """Chances to win, means of every number, chains of explosions, shares of places; a battle is 10 to 30 draws.

    At a level of 0.001 over all figures together; a chance to win that is off by 0.145 would fail with a chance of
    90 %, and a mean strength that is off by 0.36 of its standard deviation; with 1,500 games 0.065 and 0.16.
    """
    setup = make_setup(kind, cubes, (0, 0))
    model = ShipSurrogate(SHIP, LAW, FITTED.digest)
    battles = [[*play(model, start(model, setup, 11, number))][-1] for number in range(games)]
    results = [battle.result() for battle in battles]
    explosions = [sum(step.kind == "explosion" for step in battle.steps) for battle in battles]
    final = [Counter(battle.places.values()) for battle in battles]
    (found,) = ask({"do": "odds", "setup": setup_document(setup), "seed": [5, 6, 7, 8], "count": 10 * games})
    assert found["games"] == 10 * games
    z: dict[str, float] = {}
    for i, colour in enumerate(setup.colours):
        p, q = sum(result.winner == colour for result in results) / games, found["wins"][i] / found["games"]
        both = (p * games + q * found["games"]) / (games + found["games"])
        z[f"win {colour}"] = (p - q) / math.sqrt(both * (1 - both) * (1 / games + 1 / found["games"]))
        for name in NUMBERS:
            mine = np.array([getattr(result.sides[colour], name) for result in results])
            sums = found["sides"][i][name]
            z[f"{name} {colour}"] = z_score(mine, sums["sum"], sums["squares"], found["games"])
    bangs = {int(k): n for k, n in found["explosions"].items()}
    total, squares = (sum(k**power * n for k, n in bangs.items()) for power in (1, 2))
    z["explosions"] = z_score(np.array(explosions), total, squares, found["games"])
    rest = sum(final, Counter[str]())
    for place in LAW.places:
        per = np.array([battle[place] for battle in final])
        if rest[place] > 100:
            mean = found["places"][place] / found["games"]
            z[place] = (per.mean() - mean) / (per.std() / math.sqrt(games) * math.sqrt(1.1))
    assert len(z) > 15
    border = norm.isf(LEVEL / 2 / len(z))
    assert {name: value for name, value in z.items() if abs(value) > border} == {}


def z_score(mine: Any, total: float, squares: float, games: int) -> float:
    """By how many standard errors two means differ; 0 where neither varies and they are equal."""
    mean = total / games
    spread = math.sqrt(max(squares / games - mean**2, 0) / games + mine.var() / len(mine))
    return 0.0 if spread == 0 and mine.mean() == mean else (mine.mean() - mean) / spread
