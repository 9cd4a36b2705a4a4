"""Archipelago: its crises are those of the rulebook, and its tower stands in for the backs of its cards."""

from collections import Counter
from collections.abc import Mapping
from math import sqrt

from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower

from tower_sim import registry
from tower_sim.contract import DropModel
from tower_sim.games import Turn
from tower_sim.games.archipelago import GAME, PRINTED

ONLY_CRISES = {"event": 0, "red": 0, "stays": 0}


def played(rules: Mapping[str, object], run: int = 0, model: DropModel | None = None) -> list[Turn]:
    return list(GAME.start(model or CoinTower(), GAME.read({"rules": rules}), 7, run))


def crises(rules: Mapping[str, object], runs: int = 30) -> list[Turn]:
    return [turn for run in range(runs) for turn in played(rules, run) if turn.facts.get("resource")]


def test_the_bank_is_all_82_cubes_but_one_of_each_on_the_market():
    assert registry.get("game", "archipelago") is GAME
    assert sum(PRINTED.values()) == 82
    assert GAME.cubes(GAME.read({})) == {"fruit": 14, "cattle": 14, "fish": 14, "wood": 14, "stone": 11, "iron": 9}


def test_a_larger_number_on_the_interior_market_is_easier():
    table = {"satisfies": 2, "citizens": 5, "players": 4, "temples": 2, "stock": 3, "sample": 30}
    seen = dict[int, tuple[int, int, int]]()
    for turn in crises(ONLY_CRISES | table):
        if turn.facts["crisis"] == "interior":
            out, facts = turn.out[turn.facts["resource"]], turn.facts
            assert (facts["per_cube"], facts["rebellion"]) == (2 * out, facts["revolting"])
            told = facts["asked"], facts["paid"], facts["revolting"]
            assert seen.setdefault(out, told) == told
    # 18 citizens lie down; each cube raises twice as many as cubes came out, and 3 cubes can be paid
    right = {1: (9, 3, 12), 2: (5, 3, 6), 3: (3, 3, 0), 4: (3, 3, 0), 5: (2, 2, 0), 6: (2, 2, 0), 7: (2, 2, 0)}
    assert {out: seen[out] for out in right} == right


def test_the_continent_asks_for_as_many_cubes_as_came_out_and_each_missing_one_is_rebellion():
    seen = Counter[int]()
    for turn in crises(ONLY_CRISES | {"stock": 2}):
        if turn.facts["crisis"] == "exterior":
            asked = turn.out[turn.facts["resource"]]
            told = tuple(turn.facts[key] for key in ("asked", "paid", "missing", "rebellion"))
            assert told == (asked, min(asked, 2), max(0, asked - 2), max(0, asked - 2))
            seen[asked] += 1
    assert {1, 2, 3, 4} <= seen.keys()


def test_phase_4_is_skipped_in_the_first_turn():
    told = [(turn.facts["turn"], turn.facts["phase"], turn.facts["crisis"]) for turn in crises(ONLY_CRISES, 1)]
    assert told == [(turn, 4, market) for turn in range(2, 11) for market in ("interior", "exterior")]


def test_a_card_that_stays_on_top_applies_again_each_turn():
    turns = played({**ONLY_CRISES, "stays": 100, "turns": 6})
    assert [bool(turn.outcomes) for turn in turns] == [True, True] + [False] * 8
    for first, later in ((turns[0], turns[2::2]), (turns[1], turns[3::2])):
        assert [turn.facts for turn in later] == [{**first.facts, "turn": turn} for turn in (3, 4, 5, 6)]


def test_an_event_that_stays_on_top_applies_again_each_turn():
    turns = played({"event": 100, "red": 0, "stays": 100, "turns": 4, "temples": 3})
    assert [turn.facts for turn in turns] == [{"turn": n, "phase": 4, "rebellion": -6} for n in (2, 2, 3, 3, 4, 4)]
    assert not any(turn.outcomes for turn in turns)


@each_case("event", [0, 100])
def test_red_events_and_red_crises_wait_for_phase_6(event: int):
    turns = played({"event": event, "red": 100, "stays": 0, "turns": 4})
    assert [(turn.facts["turn"], turn.facts["phase"]) for turn in turns] == [(n, 6) for n in (1, 1, 2, 2, 3, 3)]


@each_case("event", [0, 100])
def test_a_red_half_applies_once_however_long_its_card_stays(event: int):
    turns = played({"event": event, "red": 100, "stays": 100})
    assert [(turn.facts["turn"], turn.facts["phase"]) for turn in turns] == [(1, 6), (1, 6)]


def test_where_nothing_comes_out_it_is_thrown_again_and_a_tower_with_the_whole_bank_is_emptied():
    model = ScriptedTower(drops=({}, {}, {}, {"wood": 1}, {"fish": 1}))
    turns = played({**ONLY_CRISES, "sample": 30, "turns": 2}, model=model)
    assert [sum(turn.thrown.values()) for turn in turns] == [30, 30, 16, 30, 30]
    assert [sum(turn.inside.values()) for turn in turns] == [30, 60, 76, 29, 58]
    assert [turn.facts.get("resource") for turn in turns] == [None, None, None, "wood", "fish"]


def test_the_most_numerous_resource_is_asked_for_and_a_tie_is_drawn():
    ties = Counter[bool]()
    for turn in crises(ONLY_CRISES | {"pick": "most"}):
        best = [resource for resource, count in turn.out.items() if count == max(turn.out.values())]
        assert turn.facts["resource"] in best
        if len(best) == 2:
            ties[turn.facts["resource"] == best[0]] += 1
    assert abs(ties[True] - ties[False]) < 4 * sqrt(ties.total())


def test_each_cube_out_is_asked_for_with_the_same_chance():
    turns = crises(ONLY_CRISES, 60)
    for resource in PRINTED:
        shares = [turn.out.get(resource, 0) / sum(turn.out.values()) for turn in turns]
        picked = sum(turn.facts["resource"] == resource for turn in turns)
        assert abs(picked - sum(shares)) < 4 * sqrt(sum(share * (1 - share) for share in shares))


def test_figures_are_sums_over_a_game_and_people_read_the_rulebooks_words():
    rules = GAME.read({})
    turns = played({})
    values = dict(zip((figure.key for figure in GAME.figures), GAME.measured(turns, rules), strict=True))
    for key in ("revolting", "paid", "missing", "rebellion"):
        assert values[key] == sum(turn.facts.get(key) or 0 for turn in turns)
    said = GAME.summary(turns, rules)
    assert f"paid {values['paid']:.0f} of" in said
    assert not any("_" in text for text in (said, *(turn.says for turn in turns)))
