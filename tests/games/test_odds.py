"""The statistics of many battles: against counts by hand, against scipy, and exact where they must be exact."""

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.battles import ROUGH, able, rules_of, run, setup
from support.ships import DiceShip

from tower_sim.games.dead_reckoning import GAME, Battle
from tower_sim.games.dead_reckoning.game import list_facts
from tower_sim.games.odds import mean_of, plain_mean, plain_shares, shares_of
from tower_sim.games.places import ManyBoards
from tower_sim.results import SHARE, Figure, wilson


def many(model: Any, rules: Any, games: int) -> tuple[ManyBoards, list[Battle], list[float]]:
    """The statistics, the battles at their ends, and the mean of the explosions in a row of each."""
    odds, battles, rows = ManyBoards(GAME, rules, 3), list[Battle](), list[float]()
    for game in range(games):
        turns = list(GAME.start(model, rules, 3, game))
        odds.add(turns)
        battles.append(turns[-1].entry)
        rows.append(float(np.mean([turn.facts["in_a_row"] for turn in turns if "in_a_row" in turn.facts])))
    return odds, battles, rows


@pytest.fixture(scope="module")
def rough():
    """60 battles with everything that can go wrong, and the battles themselves."""
    sides = {"violet_side": able("throw:2", "move") | {"damage": 4}, "green_side": able("take_off", "throw:1")}
    return many(ROUGH, setup(4, 3, **sides), 60)


def test_chances_and_means_are_those_of_the_battles_with_their_intervals(rough: Any):
    odds, battles, rows = rough
    document = odds.document()
    assert document["runs"] == odds.runs == 60
    wins = [battle.result().winner == "violet" for battle in battles]
    chance = document["means"]["active_wins"]
    assert (chance["n"], chance["mean"]) == (60, pytest.approx(sum(wins) / 60))
    share = wilson(sum(wins), 60)
    assert chance["interval"] == [share.low, share.high]
    for colour, side in (("violet", "active"), ("green", "other")):
        for name in ("strength", "coins", "cargo", "choice", "damage_given", "damage_taken"):
            values = [getattr(battle.result().sides[colour], name) for battle in battles]
            answer = document["means"][f"{name}_{side}"]
            assert answer["mean"] == pytest.approx(sum(values) / 60)
            low, high = stats.t.interval(0.95, 59, sum(values) / 60, stats.sem(values))
            assert answer["interval"] == pytest.approx([low, high])
        sunk = [colour in battle.result().sunk for battle in battles]
        assert document["means"][f"sinks_{side}"]["mean"] == pytest.approx(sum(sunk) / 60)
        assert any(sunk) == (colour == "violet")
    assert document["means"]["in_a_row"]["mean"] == pytest.approx(np.mean(rows)) != 0


def test_shares_of_places_are_of_all_cubes_thrown_and_of_all_that_lie_on_the_board_at_the_end(rough: Any):
    odds, battles, _ = rough
    places = odds.document()["places"]
    thrown = sum(len(step.thrown) for battle in battles for step in battle.steps)
    final = sum(len(battle.state.board.cubes) for battle in battles)
    for name, total in (("landed", thrown), ("final", final)):
        assert sum(place["count"] for place in places[name].values()) == total
        assert sum(place["share"] for place in places[name].values()) == pytest.approx(1)
    assert places["landed"]["zone:bang"]["count"] > 0
    assert "zone:bang" not in places["final"]
    assert places["landed"]["inside:ship"]["count"] > 0


def test_a_chain_is_the_explosions_after_a_throw_or_ability_whatever_is_thrown_again_in_between():
    script = [
        {0: "bang", 10: "one"},
        {0: "border", 1: "one"},
        {0: "bang"},
        {0: "one", 2: "two"},
        {3: "one"},
        {4: "bang"},
        {4: "one", 5: "one"},
    ]
    rules = setup(violet_side=able("throw:1", "strength:1", "card:1"))
    after: list[Battle] = []
    battle = run(script, rules, ["throw:1", "strength:1", "card:1"], after=after)
    assert [step.kind for step in battle.steps[:4]] == ["throw", "explosion", "rethrow", "explosion"]
    chains = [list_facts(now)["in_a_row"] for now in after if "in_a_row" in list_facts(now)]
    assert chains == [2, 0, 1]


def test_the_share_of_a_place_has_the_interval_of_battles_not_of_cubes():
    """All cubes of a battle land together: 200 battles of 5 cubes tell as much as 200 cubes, not as 1,000."""
    together = [Counter({"here" if i % 2 else "there": 5}) for i in range(200)]
    apart = [Counter({"here": 2 + i % 2, "there": 3 - i % 2}) for i in range(200)]
    for battles, expected in ((together, 0.5), (apart, 0.1)):
        here, nowhere = shares_of(
            np.array([[battle["here"], battle["nowhere"], battle["there"]] for battle in battles])
        )[:2]
        assert here.value == pytest.approx(0.5)
        assert here.high - here.low == pytest.approx(2 * 1.972 * expected / math.sqrt(199), rel=1e-3)
        assert (nowhere.n, nowhere.value, nowhere.low, nowhere.high) == (0, 0, 0, 0)
    (alone,) = plain_shares({"there": shares_of(np.array([[5]]))[0]}).values()
    assert alone == {"count": 5, "share": 1.0, "interval": None}


def test_intervals_of_means_stay_within_the_limits_of_a_figure_and_few_or_equal_values_have_none():
    number, share = (Figure("x", "x", unit, of="out") for unit in ("cubes", SHARE))
    z2 = stats.norm.ppf(0.975) ** 2
    assert plain_mean(mean_of(share, [0.0] * 10))["interval"] == pytest.approx([0, z2 / (10 + z2)])
    assert plain_mean(mean_of(share, [1.0] * 10))["interval"] == pytest.approx([10 / (10 + z2), 1])
    assert mean_of(share, [0.9] * 9 + [1.0]).high < 1 == mean_of(share, [0.5] + [1.0] * 9).high
    assert plain_mean(mean_of(number, [3])) == {"n": 1, "mean": 3, "interval": None}
    assert plain_mean(mean_of(number, [2] * 9))["interval"] is None  # equal values show no spread
    assert plain_mean(mean_of(number, [0, 1, 2, 3, 4, 5, 6]))["interval"] is None  # too few
    of_ten = plain_mean(mean_of(number, [0] * 9 + [1]))["interval"]
    assert of_ten == [0, pytest.approx(0.1 + stats.t.ppf(0.975, 9) * 0.1)]  # none is below 0


def test_the_document_has_the_rules_the_figures_and_the_places_and_is_json(rough: Any):
    odds, *_ = rough
    document = json.loads(json.dumps(odds.document()))
    assert (document["schema"], document["seed"], document["model"]) == ("tower-sim/game-odds", "3", "dice")
    assert document["battle"]["cubes"] == {"violet": 4, "green": 3}
    words = odds.words()
    assert "\nviolet 4 (active) against green 3, ship against ship" in words
    assert "\non a border " in words


def test_in_a_tie_break_the_chance_is_that_of_the_first_side():
    sides: Any = {colour: {"cubes": 2, "supply": 6} for colour in ("violet", "green", "blue")}
    odds, battles, _ = many(DiceShip(), rules_of("tie_break", **sides), 30)
    wins = sum(battle.result().winner == "violet" for battle in battles)
    assert odds.document()["means"]["active_wins"]["mean"] == pytest.approx(wins / 30)
