"""Archipelago: its crises are those of the rulebook, and its tower stands in for the backs of its cards."""

from collections import Counter
from collections.abc import Mapping
from itertools import takewhile
from math import sqrt
from statistics import fmean, pstdev

from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower

from tower_sim.drops import DropModel
from tower_sim.games import Turn
from tower_sim.games.archipelago import GAME, PRINTED
from tower_sim.tools import registry

ONLY_CRISES = {"event": 0, "red": 0}
PEACE = {"stock": 15, "satisfies": 10, "sample": 1, "event": 0}  # every crisis is paid


def play_turns(rules: Mapping[str, object], run: int = 0, model: DropModel | None = None) -> list[Turn]:
    return list(GAME.start(model or CoinTower(), GAME.read({"rules": rules}), 7, run))


def crises(rules: Mapping[str, object], runs: int = 30) -> list[Turn]:
    return [turn for run in range(runs) for turn in play_turns(rules, run) if turn.facts.get("resource")]


def places(turns: list[Turn]) -> list[tuple[int, int]]:
    """The turn and the phase of each half that is resolved."""
    return [(turn.facts["turn"], turn.facts["phase"]) for turn in turns if "phase" in turn.facts]


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
            values = facts["asked"], facts["paid"], facts["revolting"]
            assert seen.setdefault(out, values) == values
    # Of 20 citizens 2 stand on temples and 2 are raised by them: 16 lie. A cube raises twice as many as cubes came out.
    right = {1: (8, 3, 10), 2: (4, 3, 4), 3: (3, 3, 0), 4: (2, 2, 0), 5: (2, 2, 0), 6: (2, 2, 0), 7: (2, 2, 0)}
    assert {out: seen[out] for out in right} == right


def test_the_continent_asks_for_as_many_cubes_as_came_out_and_each_missing_one_is_rebellion():
    seen = Counter[int]()
    for turn in crises(ONLY_CRISES | {"stock": 2}):
        if turn.facts["crisis"] == "exterior":
            asked = turn.out[turn.facts["resource"]]
            values = tuple(turn.facts[key] for key in ("asked", "paid", "missing", "rebellion"))
            assert values == (asked, min(asked, 2), max(0, asked - 2), max(0, asked - 2))
            seen[asked] += 1
    assert {1, 2, 3, 4} <= seen.keys()


def test_phase_4_is_skipped_in_the_first_turn():
    values = [
        (turn.facts["turn"], turn.facts["phase"], turn.facts["crisis"]) for turn in crises(PEACE | ONLY_CRISES, 1)
    ]
    assert values == [(turn, 4, market) for turn in range(2, 11) for market in ("interior", "exterior")]


def test_a_card_that_stays_on_top_applies_again_each_turn():
    kept = Counter[bool]()
    for run in range(40):
        turns = play_turns(PEACE | ONLY_CRISES | {"players": 2, "buys": 0, "turns": 4}, run)
        rows = [turn for turn in turns if turn.facts.get("resource")]
        for before, after in zip(rows, rows[2:], strict=False):  # of the same market, one turn later
            kept["as before" in after.says] += 1
            if "as before" in after.says:
                assert not after.outcomes
                assert after.facts == {**before.facts, "turn": before.facts["turn"] + 1}
    assert min(kept[True], kept[False]) > 10


def test_a_red_half_applies_once_in_phase_6_and_never_in_phase_4():
    for run in range(20):
        turns = [turn for turn in play_turns(PEACE | {"red": 100}, run) if "phase" in turn.facts]
        seen = places(turns)
        assert seen == sorted(seen)
        assert [seen.count((turn, 4)) for turn in range(1, 11)] == [0] + [1] * 9  # a card has one half that is not red
        assert min(seen.count((turn, 6)) for turn in range(3, 11)) >= 1  # the last turn has a phase 6, too
        assert all(turn.outcomes and "(red)" in turn.says for turn in turns if turn.facts["phase"] == 6)


@each_case(("players", "buys", "cards"), [
    (2, 100, 2),  # one for each purchase
    (3, 0, 5 * (2 / 5) ** 3),  # the rulebook's Pirate: three players turn the same card
    (4, 0, 5 * (4 * 0.4**3 * 0.6 + 0.4**4)),  # three or four of four players turn it
])  # fmt: skip
def test_every_player_uncovers_the_cards_that_are_bought_or_turned_to_the_skull(players: int, buys: int, cards: float):
    rules, counts = GAME.read({"rules": PEACE | {"players": players, "buys": buys, "red": 100}}), list[int]()
    for run in range(400):
        rows = (turn for turn in GAME.start(CoinTower(), rules, 7, run) if "phase" in turn.facts)
        counts.append(sum(turn.facts["phase"] == 6 for turn in takewhile(lambda turn: turn.facts["turn"] == 1, rows)))
    assert abs(fmean(counts) - cards) <= 4 * pstdev(counts) / sqrt(400)


def test_three_quarter_turns_discard_a_card():
    turns = play_turns(PEACE | {"players": 5, "buys": 0, "red": 100, "turns": 40})
    left = sum(phase == 6 for _, phase in places(turns))
    assert 390 <= 3 * left <= 400  # 2 cards for each of 5 players and 40 turns; 5 cards stay with up to 2 quarter turns


def test_events_move_the_marker_for_each_temple_or_town_and_never_below_0():
    seen = Counter[tuple[int, int]]()
    for run in range(60):
        marker = 0
        for turn in play_turns(PEACE | {"event": 100, "red": 50, "temples": 2, "towns": 3}, run):
            if "marker" in turn.facts and "crisis" not in turn.facts:
                steps = 3 if "+1 for each town" in turn.says else -2 if "-1 for each temple" in turn.says else -4
                seen[turn.facts["phase"], steps] += 1
                assert turn.facts["rebellion"] == max(steps, -marker)
                marker += turn.facts["rebellion"]
            assert turn.facts.get("marker", marker) == marker >= 0
    assert seen.keys() == {(4, -4), (6, -2), (6, 3)}  # only in phase 4, and only in phase 6
    assert abs(seen[6, -2] - seen[6, 3]) < 4 * sqrt(seen[6, -2] + seen[6, 3])


def test_independence_ends_the_game_once_the_marker_is_beyond_the_population():
    model = ScriptedTower(drops=({"wood": 1}, {"fish": 1}))
    turns = play_turns({**ONLY_CRISES, "players": 2, "stock": 0, "temples": 0}, model=model)
    values = [(turn.facts["marker"], turn.facts["independence"]) for turn in turns]
    assert values == [(10, False), (11, True)]  # all 10 citizens revolt, then the continent lacks a cube
    assert GAME.summary(turns, GAME.read({"rules": {"players": 2}})).endswith("ends at 11: independence.")


def test_where_nothing_comes_out_it_is_thrown_again_and_a_tower_with_the_whole_bank_is_emptied():
    model = ScriptedTower(drops=({}, {}, {}, {"wood": 1}, {"fish": 1}))
    turns = play_turns({**ONLY_CRISES, "sample": 30, "turns": 2}, model=model)
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
    turns = play_turns({})
    values = dict(zip((figure.key for figure in GAME.figures), GAME.measured(turns, rules), strict=True))
    for key in ("revolting", "paid", "missing", "rebellion"):
        assert values[key] == sum(turn.facts.get(key) or 0 for turn in turns)
    summary = GAME.summary(turns, rules)
    assert f"paid {values['paid']:.0f} of" in summary
    assert values["rebellion"] == turns[-1].facts["marker"]
    assert not any("_" in text for text in (summary, *(turn.says for turn in turns)))
