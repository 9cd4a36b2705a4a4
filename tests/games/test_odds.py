"""The summary of many battles: against counts by hand, against scipy, and exact where it must be exact."""

import json
import math
from collections import Counter
from typing import Any

import pytest
from scipy import stats
from support.battles import ANY, ROUGH, able, rules_of, run, setup
from support.ships import DiceShip, ScriptedShip

from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning import advance, start
from tower_sim.games.dead_reckoning.battle import play
from tower_sim.games.dead_reckoning.odds import BattleOdds, chains, shares
from tower_sim.games.odds import mean, proportion


def many(model, combat, games, policies=None):
    odds, battles = BattleOdds(), []
    for game in range(games):
        *_, battle = play(model, start(model, combat, 3, game), policies or {})
        odds.add_battle(battle)
        battles.append(battle)
    return odds, battles


@pytest.fixture(scope="module")
def rough():
    """60 battles with everything that can go wrong, and the battles themselves."""
    combat = setup(4, 3, violet_side=able("throw:2", "move"), green_side=able("take_off", "throw:1"))
    return many(ROUGH, combat, 60, ANY)


def test_chances_and_means_are_those_of_the_battles_with_their_intervals(rough):
    odds, battles = rough
    summary = odds.summary()
    assert summary["games"] == odds.runs == 60
    for colour in ("violet", "green"):
        wins = sum(battle.result().winner == colour for battle in battles)
        assert (summary["win"][colour]["count"], summary["win"][colour]["n"]) == (wins, 60)
        assert summary["win"][colour]["share"] == wins / 60
        for name in ("strength", "coins", "cargo", "choice", "damage_given", "damage_taken"):
            values = [getattr(battle.result().sides[colour], name) for battle in battles]
            answer = summary["means"][colour][name]
            assert answer["mean"] == pytest.approx(sum(values) / 60)
            low, high = stats.t.interval(0.95, 59, sum(values) / 60, stats.sem(values))
            assert answer["interval"] == pytest.approx([low, high])
    assert sum(summary["win"][colour]["count"] for colour in ("violet", "green")) == 60


@pytest.mark.parametrize(
    ("kind", "rulings", "can_sink", "legendary"),
    [
        ("ship", {}, ["violet", "green"], ["violet", "green"]),
        ("merchant", {}, ["violet"], ["violet"]),
        ("merchant", {"damage_to_non_player": "counted"}, ["violet", "green"], ["violet"]),
        ("building", {}, ["violet"], []),
        ("tie_break", {}, [], []),
    ],
)
def test_chances_of_sinking_of_the_legendary_cube_and_of_removed_buildings_are_those_of_the_battles(
    kind, rulings, can_sink, legendary
):
    """Lines 929, 931, 971, 977, 1062 and 1133: each is told of the sides that it can happen to, with its interval."""
    harmed: Any = {} if kind == "merchant" and not rulings else {"green_side": {"damage": 4}}
    combat = setup(3, 2, kind=kind, rulings=rulings, violet_side={"damage": 4}, **harmed)
    odds, battles = many(ROUGH, combat, 30)
    summary, results = odds.summary(), [battle.result() for battle in battles]
    assert (list(summary["sink"]), list(summary["legendary"])) == (can_sink, legendary)
    for colour in can_sink:
        assert summary["sink"][colour] == proportion(sum(colour in result.sunk for result in results), 30)
    for colour in legendary:
        assert summary["legendary"][colour] == proportion(sum(r.legendary == colour for r in results), 30)
    assert not can_sink or sum(summary["sink"][colour]["count"] for colour in can_sink) > 0
    removed = sum(result.removed for result in results)
    assert summary["buildings_removed"] == (proportion(removed, 30) if kind == "building" else None)
    words = odds.words()
    for part, is_there in (("sinks", can_sink), ("Legendary", legendary), ("buildings are", kind == "building")):
        assert (part in words) == bool(is_there)


def test_every_cube_brought_in_is_in_one_final_place(rough):
    odds, battles = rough
    cubes = odds.summary()["cubes"]
    assert cubes["brought"] == 60 * 20 == sum(cubes["by_place"].values())
    assert cubes["by_place"]["hand"] == cubes["by_place"]["stuck"] == cubes["by_place"]["zone:bang"] == 0
    assert cubes["by_place"]["taken"] == sum(len(battle.taken) for battle in battles) > 0


def test_draws_failures_and_steps_are_counted(rough):
    odds, battles = rough
    summary = odds.summary()
    steps = [step for battle in battles for step in battle.steps]
    drawn, redrawn = sum(step.drawn for step in steps), sum(len(step.failures) for step in steps)
    assert redrawn > 0
    assert summary["draws"] == {
        "landed": drawn,
        "redrawn": redrawn,
        "redraw_rate": redrawn / (drawn + redrawn),
        "failures": {"timed_out": redrawn},
    }
    for kind in ("shake", "rethrow", "explosion", "ability", "pass"):
        assert summary["steps"][kind] == sum(step.kind == kind for step in steps) > 0
    assert summary["steps"]["throw"] == 60


def test_shares_of_places_are_of_all_cubes_thrown_and_of_all_cubes_in_the_battle_at_the_end(rough):
    odds, battles = rough
    places = odds.summary()["places"]
    thrown = sum(len(step.thrown) for battle in battles for step in battle.steps)
    final = sum(len(battle.state.board.cubes) + len(battle.taken) for battle in battles)
    for name, total in (("landed", thrown), ("final", final)):
        assert sum(place["count"] for place in places[name].values()) == total
        assert sum(place["share"] for place in places[name].values()) == pytest.approx(1)
    assert places["landed"]["zone:bang"]["count"] > 0 == places["final"]["zone:bang"]["count"]
    assert places["landed"]["inside:ship"]["count"] > 0


def test_a_chain_is_the_explosions_after_a_throw_or_ability_whatever_is_thrown_again_in_between():
    battle = run(
        [
            {0: "bang", 10: "one"},
            {0: "border", 1: "one"},
            {0: "bang"},
            {0: "one", 2: "two"},
            {3: "one"},
            {4: "bang"},
            {4: "one", 5: "one"},
        ],
        setup(violet_side=able("throw:1", "strength:1", "card:1")),
        ["throw:1", "strength:1", "card:1"],
    )
    assert [step.kind for step in battle.steps[:4]] == ["throw", "explosion", "rethrow", "explosion"]
    assert chains(battle) == [2, 0, 1]
    odds = BattleOdds()
    odds.add_battle(battle)
    answer = odds.summary()["explosion_chains"]
    assert answer["histogram"] == {"0": 1, "1": 1, "2": 1}
    assert (answer["length"]["n"], answer["length"]["mean"]) == (3, 1)


@pytest.mark.slow
def test_the_mean_chain_and_the_share_of_the_explosive_zone_are_those_of_the_dice():
    """Each of 2 x 2 cubes explodes with chance 1/5, its extra may not (supply 1): 4 sigma of 1500 battles."""
    model = DiceShip({"bang": 0.2, "one": 0.8})
    combat = setup(1, 1, violet_side={"supply": 1}, green_side={"supply": 1})
    odds, _ = many(model, combat, 1500)
    # the chain goes on until the later of two geometric times: P(length >= k) = 1 - (1 - 0.2^k)^2
    tail = [1 - (1 - 0.2**k) ** 2 for k in range(1, 30)]
    expected = sum(tail)
    variance = sum((2 * k - 1) * p for k, p in enumerate(tail, start=1)) - expected**2
    length = odds.summary()["explosion_chains"]["length"]
    assert length["n"] == 1500
    assert abs(length["mean"] - expected) < 4 * math.sqrt(variance / 1500)
    landed = odds.summary()["places"]["landed"]["zone:bang"]
    n = sum(each.total() for each in odds.landed)
    assert abs(landed["share"] - 0.2) < 4 * math.sqrt(0.2 * 0.8 / n)


def test_the_share_of_a_place_has_the_interval_of_battles_not_of_cubes():
    """All cubes of a battle land together: 200 battles of 5 cubes tell as much as 200 cubes, not as 1,000."""
    together = [Counter({"here" if i % 2 else "there": 5}) for i in range(200)]
    apart = [Counter({"here": 2 + i % 2, "there": 3 - i % 2}) for i in range(200)]
    for battles, expected in ((together, 0.5), (apart, 0.1)):
        answer = shares(battles, ["here", "nowhere"])
        low, high = answer["here"]["interval"] or (0, 0)
        assert answer["here"]["share"] == pytest.approx(0.5)
        assert high - low == pytest.approx(2 * 1.972 * expected / math.sqrt(199), rel=1e-3)
        assert answer["nowhere"] == {"count": 0, "share": 0.0, "interval": [0.0, 0.0]}
    assert shares(together[:1], [])["there"] == {"count": 5, "share": 1.0, "interval": None}


@pytest.mark.slow
def test_the_chance_to_win_of_dice_is_that_of_an_enumeration_with_its_interval():
    """1 against 1 without explosive: violet wins with the tie; 4 sigma of 4000 battles."""
    chances, strength = {"coin": 0.5, "one": 0.3, "two": 0.2}, {"coin": 0, "one": 1, "two": 2}
    win = sum(p * q for a, p in chances.items() for b, q in chances.items() if strength[a] >= strength[b])
    answer = many(DiceShip(chances), setup(), 4000)[0].summary()["win"]["violet"]
    deviation = math.sqrt(win * (1 - win) / 4000)
    assert abs(answer["share"] - win) < 4 * deviation
    low, high = answer["interval"] or (0, 0)
    assert low < answer["share"] < high
    assert high - low == pytest.approx(2 * 1.96 * deviation, rel=0.15)


def test_wilson_intervals_stay_within_0_and_1_and_few_or_equal_values_have_none():
    none, every = proportion(0, 10), proportion(10, 10)
    z2 = stats.norm.ppf(0.975) ** 2
    assert none["interval"] == pytest.approx([0, z2 / (10 + z2)])
    assert every["interval"] == pytest.approx([10 / (10 + z2), 1])
    assert mean([3]) == {"n": 1, "mean": 3, "interval": None}
    assert mean([2] * 9)["interval"] is None  # equal values show no spread
    assert mean([0, 1, 2, 3, 4, 5, 6])["interval"] is None  # too few
    assert proportion(3, 7)["interval"] is None
    assert mean([0] * 9 + [1])["interval"] == [0, pytest.approx(0.1 + stats.t.ppf(0.975, 9) * 0.1)]  # none is below 0


def test_the_document_has_the_head_of_a_battle_and_the_summary_and_is_json(rough):
    odds, battles = rough
    document = json.loads(json.dumps(odds.document()))
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/battle-odds", 2, "3")
    assert (document["game"], document["model"]) == ("dead_reckoning", "dice")
    assert document["battle"]["cubes"] == {"violet": 4, "green": 3}
    assert document["summary"]["games"] == len(battles)


def test_a_tie_break_of_three_has_three_chances():
    sides: Any = {key: {"cubes": 2, "supply": 6} for key in ("violet", "green", "blue")}
    summary = many(DiceShip(), rules_of("tie_break", **sides), 30)[0].summary()
    assert sum(chance["count"] for chance in summary["win"].values()) == 30
    assert len(summary["win"]) == 3
    assert summary["steps"]["throw"] > 30  # some were tied


def test_unfinished_battles_those_of_another_kind_and_no_battle_are_refused():
    model = ScriptedShip(script=({0: "one", 10: "one"},))
    odds = BattleOdds()
    with pytest.raises(UsageError, match="not over"):
        odds.add_battle(start(model, setup(), 1))
    with pytest.raises(UsageError, match="number of battles is 0"):
        odds.summary()
    odds.add_battle(advance(model, start(model, setup(), 1), {}))
    for other in (start(model, setup(), 2), start(model, setup(violet_side={"supply": 10, "damage": 1}), 1)):
        with pytest.raises(UsageError, match="another set-up, model or seed"):
            odds.add_battle(advance(model, other, {}))
    assert odds.runs == 1
