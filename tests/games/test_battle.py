"""Dead Reckoning battles, step by step: the rulebook's example, chains, abilities, rulings, saving, the account."""

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.battles import ANY, ROUGH, able, at, kinds, numbers, run, scripted, setup
from support.cases import each_case
from support.ships import DiceShip, ScriptedShip

from tower_sim.cubes import count_by_colour
from tower_sim.drops.repeat import TooManyFailedDraws
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning.abilities import Ability, Use
from tower_sim.games.dead_reckoning.battle import SHAKES, Battle, advance, pass_always, play, start, when_behind
from tower_sim.games.dead_reckoning.combat import SideResult
from tower_sim.games.dead_reckoning.odds import BattleOdds
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import OCCASIONS, Setup, Side
from tower_sim.games.dead_reckoning.words import battle_json, battle_summary, head_words, step_line
from tower_sim.games.dead_reckoning.worths import Worth
from tower_sim.games.rules import questions
from tower_sim.outcome import Landing, Status


def test_the_complex_example_ends_3_to_3_won_by_the_active_side_with_its_plunder_and_damage():
    """Lines 1066-1101. The icons of zones are lost; this completion is one that fits every number that survives.

    violet 0-5 (6-7 thrown later), green 10-12 (13-14 and the extra 15 later); "both" is coins + cargo.
    """
    example = setup(6, 3, violet_side=able("throw:2", "strength:1"), green_side=able("throw:2"))
    script = [
        # the throw: violet 2 in strength, 3 coins, 1 cargo, the choice of 2; green 2 in strength and 1 coin
        {0: "one", 1: "one", 2: "both", 3: "coin", 4: "coin", 5: "choice", 10: "one", 11: "one", 12: "coin"},
        # green throws 2: one into explosive, one into plunder
        {13: "bang", 14: "both"},
        # the exploded one and an extra: strength, so that green leads 3-2, and damage
        {13: "one", 15: "damage"},
        # violet throws 2: one pushes green's out of coins + cargo (to cargo) and takes its place; the other coins
        {6: "both", 14: "cargo", 7: "coin"},
    ]
    after = []

    def watch(choices):
        chosen = scripted(choices)

        def policy(battle, side, uses):
            after.append((side, *(battle.result().sides[colour].strength for colour in ("violet", "green"))))
            return chosen(battle, side, uses)

        return policy

    model = ScriptedShip(script=tuple(script))
    policies = {"violet": watch([None, "throw:2", "strength:1"]), "green": watch(["throw:2"])}
    *_, battle = play(model, start(model, example, 1), policies)

    told = [(step.kind, step.side, step.ability, numbers(step.thrown)) for step in battle.steps]
    assert told == [
        ("throw", "", "", [0, 1, 2, 3, 4, 5, 10, 11, 12]),  # C, 9 cubes at once
        ("pass", "violet", "", []),
        ("ability", "green", "throw:2", [13, 14]),
        ("explosion", "", "", [13, 15]),
        ("ability", "violet", "throw:2", [6, 7]),
        ("pass", "green", "", []),  # has no ability left and must pass
        ("ability", "violet", "strength:1", []),
        ("pass", "green", "", []),
        ("pass", "violet", "", []),
    ]
    assert after == [("violet", 2, 2), ("green", 2, 2), ("violet", 2, 3), ("violet", 2, 3)]
    result = battle.result()
    assert result.winner == result.legendary == "violet"
    assert result.sides["violet"] == SideResult(3, 5, 2, 2, damage_given=0, damage_taken=1, damage=1)
    assert result.sides["green"] == SideResult(3, 1, 1, 0, damage_given=1, damage_taken=1, damage=1)
    # line 1101: "5, 2, and the choice of 2", which line 1015 lets it place
    assert result.to_place == {"violet": Worth(coins=5, cargo=2, choice=2), "green": Worth(coins=1, cargo=1)}


def test_stuck_cubes_are_shaken_out_first_then_borders_thrown_again_then_explosions_and_only_then_abilities():
    battle = run(
        [
            {0: "inside:ship", 1: "border", 2: "bang", 10: "one"},
            {0: "table"},  # the shake
            {0: "one", 1: "two"},  # the rethrow of both
            {2: "coin", 3: "border"},  # the explosion with an extra
            {3: "bang"},
            {3: "one", 4: "one"},
        ],
        setup(3, 1, violet_side=able("strength:1")),
        violet=[None],
    )
    assert kinds(battle) == ["throw", "shake", "rethrow", "explosion", "rethrow", "explosion", "pass", "pass"]
    assert [numbers(step.thrown) for step in battle.steps[:6]] == [[0, 1, 2, 10], [], [0, 1], [2, 3], [3], [3, 4]]
    assert at(battle) == {0: "one", 1: "two", 2: "coin", 3: "one", 4: "one", 10: "one"}


def test_all_cubes_in_explosive_zones_of_both_sides_go_together_with_an_extra_each_of_their_colour():
    battle = run(
        [
            {0: "bang", 1: "bang", 10: "bang"},
            {0: "one", 1: "one", 2: "bang", 3: "one", 10: "one", 11: "one"},
            {2: "one", 4: "one"},
        ],
        setup(2, 1),
    )
    assert [numbers(step.thrown) for step in battle.steps] == [[0, 1, 10], [0, 1, 10, 2, 3, 11], [2, 4]]
    assert [len(step.thrown) for step in battle.steps] == [3, 6, 2]


def test_a_cube_pushed_into_an_explosive_zone_by_a_later_throw_explodes_before_the_next_ability():
    battle = run(
        [{0: "one", 10: "one"}, {11: "coin", 0: "bang"}, {0: "two", 1: "two"}],
        setup(green_side=able("throw:1", "strength:1")),
        green=["throw:1", "strength:1"],
    )
    assert kinds(battle) == ["throw", "pass", "ability", "explosion", "pass", "ability", "pass", "pass"]


def test_a_cube_moved_into_an_explosive_zone_explodes():
    battle = run(
        [{0: "one", 10: "coin"}, {}, {10: "two", 11: "two"}], setup(violet_side=able("move")), ["move 10 bang"]
    )
    assert kinds(battle) == ["throw", "ability", "explosion", "pass", "pass"]
    assert (numbers(battle.steps[1].placed), battle.steps[1].thrown) == ([10], ())
    assert battle.result().winner == "green"


def test_the_extra_cubes_come_from_the_supply_then_from_islands_and_running_out_is_said():
    combat = setup(2, 1, violet_side={"supply": 3, "island": 1})  # violet 0-2, island 3; green 4-13
    battle = run(
        [{0: "bang", 1: "bang", 4: "one"}, {0: "bang", 1: "bang", 2: "bang", 3: "one"}, {0: "one", 1: "one", 2: "one"}],
        combat,
    )
    assert [numbers(step.thrown) for step in battle.steps[1:]] == [[0, 1, 2, 3], [0, 1, 2]]
    assert [step.short for step in battle.steps] == [{}, {}, {"violet": 3}]
    assert battle.account()["supply"] == {"violet": 0, "green": 9}
    assert battle.account()["island"] == {"violet": 0, "green": 0}


def test_a_side_with_fewer_cubes_than_cannons_throws_what_it_has_and_one_with_none_throws_none():
    battle = run([{0: "one", 1: "one", 2: "two"}], setup(5, 1, violet_side={"supply": 2}))
    assert battle.steps[0].short == {"violet": 3}
    one_side = run([{10: "one"}], setup(0, 1))
    assert (numbers(one_side.steps[0].thrown), one_side.result().winner) == ([10], "green")
    with pytest.raises(UsageError, match=r"cubes of a ship combat is 0; allowed is 1 or more"):
        setup(0, 0)


def test_a_throwing_ability_takes_from_the_supply_of_its_side_and_says_what_is_missing():
    combat = setup(1, 1, violet_side=able("throw:3", "throw:2") | {"supply": 3})
    battle = run([{0: "one", 3: "one"}, {1: "one", 2: "one"}], combat, ["throw:3"])
    assert battle.steps[1].short == {"violet": 1}
    assert kinds(battle) == ["throw", "ability", "pass", "pass"]  # the second throw is no longer possible


BLACK: Any = {"violet_side": {"supply": 9}, "green_side": {"supply": 1}, "kind": "merchant"}


def test_black_run_out_fewer_are_thrown_or_others_stand_in():
    fewer = run([{0: "one", 9: "bang"}, {9: "one"}], setup(1, 2, **BLACK))
    assert [step.short for step in fewer.steps] == [{"green": 1}, {"green": 1}]
    assert fewer.numbered == 10
    combat = setup(1, 2, **BLACK, rulings={"black_run_out": "substituted"})
    others = run([{0: "one", 9: "bang", 10: "one"}, {9: "one", 11: "one"}], combat)
    assert [step.short for step in others.steps] == [{}, {}]
    assert (others.numbered, others.account()["zone:one"]) == (12, {"violet": 1, "green": 3})


def test_a_players_cubes_are_substituted_at_an_explosion_only_and_only_if_ruled_so():
    """Lines 895 and 999: each cube that explodes is thrown again with one more, and there is none left."""
    first = {0: "bang", 1: "one"}
    fewer = setup(2, 1, violet_side={"supply": 1}, rulings={"black_run_out": "substituted"})
    assert [step.short for step in run([first, {0: "one"}], fewer).steps] == [{"violet": 1}, {"violet": 1}]
    substituted = setup(2, 1, violet_side={"supply": 1}, rulings={"extra_run_out": "substituted"})
    battle = run([first, {0: "one", 11: "one"}], substituted)  # of 1 + 10 cubes the new one has the next number
    assert [step.short for step in battle.steps] == [{"violet": 1}, {}]
    assert battle.numbered == 12


def test_stuck_cubes_are_shaken_until_they_are_free_or_taken_out_and_thrown_again():
    stuck = {0: "inside:ship", 10: "one"}
    shaken = run([stuck, {0: "inside:ship"}, {0: "two"}], setup())
    assert kinds(shaken) == ["throw", "shake", "shake"]
    again = run([stuck, {0: "inside:ship"}, {0: "two"}], setup(rulings={"stuck": "rethrown"}))
    assert kinds(again) == ["throw", "rethrow", "rethrow"]
    assert [numbers(step.thrown) for step in again.steps[1:]] == [[0], [0]]


def test_a_cube_that_no_shake_frees_is_taken_out_by_hand_in_the_end():
    battle = run([{0: "inside:ship", 10: "one"}, *[{}] * SHAKES, {0: "one"}], setup())
    assert kinds(battle) == ["throw", *["shake"] * SHAKES, "rethrow"]


def test_a_cube_off_the_board_is_thrown_again_or_lost():
    again = run([{0: "table", 10: "one"}, {0: "one"}], setup())
    assert (kinds(again), again.lost) == (["throw", "rethrow"], ())
    lost = run([{0: "table", 10: "one"}], setup(rulings={"left_board": "lost"}))
    assert numbers(lost.lost) == numbers(lost.steps[0].lost) == [0]
    assert lost.result().winner == "green"
    assert lost.account()["lost"] == {"violet": 1, "green": 0}


def test_a_cube_pushed_onto_a_border_is_thrown_again_or_stays_and_counts_again_when_pushed_into_a_zone():
    push = [{0: "two", 10: "one"}, {11: "coin", 0: "border"}]
    abilities = able("throw:1", "throw:2")
    again = run([*push, {0: "one"}], setup(green_side=abilities), green=["throw:1", None])
    assert kinds(again) == ["throw", "pass", "ability", "rethrow", "pass", "pass"]
    stays: Any = {"rulings": {"pushed_onto_border": "stays"}}
    lies = run(push, setup(green_side=abilities, **stays), green=["throw:1", None])
    assert kinds(lies) == ["throw", "pass", "ability", "pass", "pass"]
    assert (at(lies)[0], lies.result().winner) == ("border", "green")
    counts = run(
        [*push, {12: "coin", 13: "border", 0: "one"}, {13: "coin"}],
        setup(green_side=abilities, **stays),
        green=["throw:1", "throw:2"],
    )
    assert kinds(counts) == ["throw", "pass", "ability", "pass", "ability", "rethrow", "pass", "pass"]
    assert numbers(counts.steps[5].thrown) == [13]  # the thrown cube on a border, by the rule
    assert (at(counts)[0], counts.result().winner) == ("one", "violet")


def test_a_cube_that_stays_on_a_border_is_not_thrown_again_by_a_shake_or_a_rethrow_of_others():
    script = [{0: "two", 10: "one"}, {11: "inside:ship", 0: "border"}, {11: "border"}, {11: "one"}]
    battle = run(script, setup(green_side=able("throw:1"), rulings={"pushed_onto_border": "stays"}), green=["throw:1"])
    assert kinds(battle) == ["throw", "pass", "ability", "shake", "rethrow", "pass", "pass"]
    assert numbers(battle.steps[4].thrown) == [11]
    assert at(battle)[0] == "border"


def test_a_cube_that_explodes_and_lands_on_a_border_is_thrown_again_though_those_pushed_there_stay():
    script = [{0: "bang", 10: "one"}, {0: "border", 1: "one"}, {0: "two"}]
    battle = run(script, setup(rulings={"pushed_onto_border": "stays"}))
    assert kinds(battle)[:3] == ["throw", "explosion", "rethrow"]
    assert numbers(battle.steps[2].thrown) == [0]


@pytest.mark.parametrize(("ruling", "word"), [("two_zones", "one+two"), ("on_cube", "on:one")])
def test_a_cube_across_two_zones_or_on_another_is_in_the_place_given_or_thrown_again_be_it_new_or_pushed(ruling, word):
    assert kinds(run([{0: word, 10: "one"}], setup())) == ["throw"]
    again: Any = {"rulings": {ruling: "rethrown"}}
    assert kinds(run([{0: word, 10: "one"}, {0: "two"}], setup(**again))) == ["throw", "rethrow"]
    pushed = run(
        [{0: "one", 10: "one"}, {11: "one", 0: word}, {0: "one"}],
        setup(green_side=able("throw:1"), **again),
        green=["throw:1"],
    )
    assert kinds(pushed)[2:4] == ["ability", "rethrow"]
    assert numbers(pushed.steps[3].thrown) == [0]


def test_after_a_tie_only_the_tied_sides_throw_again_or_all_do():
    sides = (Side("violet", 1, 5), Side("green", 1, 5), Side("blue", 2, 5))  # from 0, from 5, from 10
    first = {0: "one", 5: "coin", 10: "one", 11: "coin"}
    tied = run([first, {0: "one", 10: "coin", 11: "coin"}], Setup("tie_break", sides))
    assert (kinds(tied), tied.contenders, tied.result().winner) == (["throw", "throw"], ("violet", "blue"), "violet")
    every = Setup("tie_break", sides, rulings=Rulings(tie_again="all"))
    everybody = run([first, {0: "one", 5: "two", 10: "coin", 11: "coin"}], every)
    assert (numbers(everybody.steps[1].thrown), everybody.result().winner) == ([0, 5, 10, 11], "green")


def test_a_tie_break_resolves_explosions_and_a_new_round_begins_with_an_empty_board_and_the_first_cubes():
    sides = (Side("violet", 1, 3), Side("green", 1, 3))
    script = [{0: "bang", 3: "coin"}, {0: "coin", 1: "coin"}, {0: "coin", 3: "bang"}, {3: "one", 4: "coin"}]
    battle = run(script, Setup("tie_break", sides))
    assert kinds(battle) == ["throw", "explosion", "throw", "explosion"]
    assert at(battle) == {0: "coin", 3: "one", 4: "coin"}
    assert battle.result().winner == "green"


def test_in_a_tie_break_of_all_zeros_nobody_out_of_it_wins():
    sides = (Side("violet", 1, 1), Side("green", 1, 1), Side("blue", 1, 1))
    battle = run(
        [{0: "one", 1: "one", 2: "coin"}, {0: "coin", 1: "coin"}, {0: "coin", 1: "one"}], Setup("tie_break", sides)
    )
    assert battle.result().winner == "green"


def test_ships_take_turns_from_the_active_side_until_both_pass_one_after_the_other():
    combat = setup(active="green", violet_side=able("strength:1", "strength:2"), green_side=able("strength:3"))
    battle = run([{0: "one", 10: "one"}], combat, violet=["strength:1", None, "strength:2"], green=[None, "strength:3"])
    told = [f"{step.side} {step.ability}" for step in battle.steps[1:]]
    assert told == ["green ", "violet strength:1", "green strength:3", "violet ", "green "]


@pytest.mark.parametrize("kind", ["merchant", "building"])
def test_against_others_only_the_active_side_uses_abilities_in_any_order_until_it_passes(kind):
    combat = setup(1, 2, kind=kind, violet_side=able("strength:1", "win_bonus:1", "strength:2"))
    battle = run([{0: "one", 10: "one", 11: "coin"}], combat, violet=["strength:2", "win_bonus:1:0:0", None])
    told = [f"{step.side} {step.ability}" for step in battle.steps[1:]]
    assert told == ["violet strength:2", "violet win_bonus:1:0:0", "violet "]
    assert battle.result().sides["violet"].damage_given == 1


def test_a_cube_taken_off_gives_damage_and_coins_and_counts_for_nothing_else():
    combat = setup(2, 1, violet_side=able("take_off"))
    battle = run([{0: "two", 1: "one", 10: "one"}, {}], combat, violet=["take_off:1:2 0"])
    assert numbers(battle.taken) == numbers(battle.steps[1].taken) == [0]
    assert battle.result().sides["violet"] == SideResult(1, 2, 0, 0, damage_given=1, damage_taken=0, damage=0)
    assert battle.account()["taken"] == {"violet": 1, "green": 0}


def test_what_lay_on_a_cube_taken_off_falls_and_counts_where_it_ends():
    combat = setup(2, 1, violet_side=able("take_off"))
    battle = run([{0: "two", 1: "one", 10: "one"}, {10: "two"}], combat, violet=["take_off:1:2 0"])
    assert battle.result().sides["green"].strength == 2


def test_a_barred_ability_cannot_be_used_against_a_building_and_a_wrong_use_is_refused():
    combat = setup(1, 2, kind="building", violet_side=able("strength:1!"))
    assert kinds(run([{0: "one", 10: "one", 11: "one"}], combat)) == ["throw", "pass"]
    model = ScriptedShip(script=({0: "one", 10: "one"},))
    thrown = advance(model, start(model, setup(violet_side=able("strength:1")), 1), {})
    for use in (Use(1), Use(0, 10), Use(-1)):
        with pytest.raises(UsageError, match="ability use of violet"):
            advance(model, thrown, {"violet": lambda battle, side, uses, use=use: use})


def test_a_card_without_cannons_is_used_up_and_throws_nothing():
    battle = run([{0: "one", 10: "one"}], setup(violet_side=able("card:0")), violet=["card:0"])
    assert (kinds(battle), battle.steps[1].attempts) == (["throw", "ability", "pass", "pass"], 0)


def policy_told(policy, places, violet=(), active="violet"):
    combat = setup(1, 2, active=active, violet_side=able(*violet), green_side=able("strength"))
    model = ScriptedShip(script=({0: places[0], 10: places[1], 11: places[2]},))
    battle = advance(model, start(model, combat, 1), {})
    use = policy(battle, "violet", battle.uses("violet"))
    return None if use is None else (battle.ability("violet", use).text, use.cube, use.zone)


def test_when_behind_passes_while_it_would_win_and_else_takes_the_surest_help():
    every = ["take_off", "card:1", "throw:2", "move", "strength:1"]
    assert policy_told(when_behind, ["one", "one", "coin"], every) is None  # wins the tie
    assert policy_told(when_behind, ["one", "one", "coin"], every, "green") == ("strength:1", None, None)
    behind = ["damage", "two", "one"]
    assert policy_told(when_behind, behind, every) == ("strength:1", None, None)
    assert policy_told(when_behind, behind, every[:4]) == ("move", 0, "one")
    assert policy_told(when_behind, ["coin", "two", "coin"], ["throw:2", "move"]) == ("move", 10, "one")
    assert policy_told(when_behind, behind, every[:3]) == ("throw:2", None, None)
    assert policy_told(when_behind, behind, every[:2]) == ("card:1", None, None)
    assert policy_told(when_behind, behind, every[:1]) == ("take_off:1:2", 0, None)
    assert policy_told(when_behind, ["one", "two", "one"], every[:1]) is None  # not its strength
    assert policy_told(when_behind, ["two", "one", "coin"], ["win_bonus:1:1:1"]) == ("win_bonus:1:1:1", None, None)
    assert policy_told(pass_always, behind, every) is None


def test_step_i_of_game_g_draws_from_its_own_stream_so_that_games_differ_and_repeat():
    model = DiceShip()
    played = [list(play(model, start(model, setup(3, 3), 5, game)))[-1] for game in (0, 1, 1)]
    assert played[1] == played[2]
    assert len({str(battle.steps) for battle in played}) == 2
    again = advance(model, start(model, setup(3, 3), 5, 1), {})
    assert again.steps == played[1].steps[:1]


def test_failed_draws_are_drawn_again_and_counted_and_five_in_a_row_end_the_battle():
    model = DiceShip({"one": 1.0}, failure_rate=0.5)
    first = [advance(model, start(model, setup(), 5, game), {}).steps[0] for game in range(20)]
    assert {len(step.failures) for step in first} > {0, 1}
    assert all(step.attempts == 1 + len(step.failures) for step in first)
    assert {status for step in first for status in step.failures} == {Status.TIMED_OUT}
    with pytest.raises(TooManyFailedDraws):
        advance(replace(model, failure_rate=1.0), start(replace(model, failure_rate=1.0), setup(), 5), {})


def test_a_battle_that_is_over_a_foreign_model_a_lost_cube_and_a_negative_seed_are_refused():
    class Thief(DiceShip):
        def drop(self, state, cubes, rng):
            outcome = super().drop(state, cubes, rng)
            return replace(outcome, landings=outcome.landings[1:])

    with pytest.raises(UsageError, match="cubes of the outcome"):
        advance(Thief(), start(Thief(), setup(), 1), {})
    over = run([{0: "one", 10: "one"}], setup())
    with pytest.raises(UsageError, match="over"):
        advance(ScriptedShip(), over, {})
    with pytest.raises(UsageError, match="state belongs to scripted"):
        advance(DiceShip(), start(ScriptedShip(), setup(), 1), {})
    for wrong in ((-1, 0), (0, -1)):
        with pytest.raises(UsageError, match="whole number"):
            start(DiceShip(), setup(), *wrong)


ABILITIES = ["throw:2", "throw:1!", "card:1", "card:0", "move", "strength:1", "take_off", "win_bonus:1:1:1"]
rulings_drawn = st.fixed_dictionaries(
    {name: st.sampled_from([*each.choices]) for name, each in questions(Rulings).items()}
)
sides_drawn = st.builds(
    Side,
    colour=st.just(""),
    cubes=st.integers(1, 4),
    supply=st.integers(1, 12),
    island=st.integers(0, 3),
    island_for=st.lists(st.sampled_from(OCCASIONS), unique=True).map(tuple),
    abilities=st.lists(st.sampled_from(ABILITIES).map(Ability.parse), max_size=4).map(tuple),
    damage=st.integers(0, 4),
    pirate=st.booleans(),
)


@st.composite
def setups(draw):
    kind = draw(st.sampled_from(["ship", "merchant", "building", "tie_break"]))
    colours = ["violet", "green", *["blue"] * (kind == "tie_break" and draw(st.booleans()))]
    active = "" if kind == "tie_break" else draw(st.sampled_from(colours[:2]))
    sides = [replace(draw(sides_drawn), colour=colour) for colour in colours]
    sides = [side if kind == "ship" or side.colour == active else replace(side, abilities=()) for side in sides]
    if kind == "merchant":
        sides = [s if s.colour == active else replace(s, island=0, pirate=False, damage=0) for s in sides]
    if kind == "building":
        cubes = draw(st.sampled_from([2, 5, 7]))
        sides = [s if s.colour == active else replace(s, cubes=cubes, pirate=False) for s in sides]
    provoked = kind == "ship" and all(side.pirate for side in sides) and draw(st.booleans())
    return Setup(kind, tuple(sides), active, Rulings().but(**draw(rulings_drawn)), provoked)


@settings(max_examples=150, deadline=None)
@given(setups(), st.integers(0, 10**6))
def test_every_cube_is_in_one_place_after_every_step_and_the_account_says_where(combat, seed):
    battle = start(ROUGH, combat, seed)
    brought = Counter({side.colour: sum(combat.stock(side)) for side in combat.sides})
    while True:
        every = (
            *(*battle.hand, *battle.supply, *battle.island, *battle.lost, *battle.taken),
            *(*battle.state.cubes, *battle.state.board.cubes),
        )
        assert sorted(numbers(every)) == list(range(battle.numbered))
        account = battle.account()
        for colour in combat.colours:
            ruling = combat.rulings.black_run_out if colour == combat.non_player else combat.rulings.extra_run_out
            extra = sum(place[colour] for place in account.values()) - brought[colour]
            assert extra == 0 or (extra > 0 and ruling == "substituted")
        assert sum(sum(place.values()) for place in account.values()) == battle.numbered
        assert account["zone:one"] == count_by_colour(battle.state.board.at("zone:one"), combat.colours)
        if battle.over:
            break
        battle = advance(ROUGH, battle, ANY)


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(0, 10**6))
def test_when_a_battle_is_over_every_cube_on_the_board_lies_where_the_rulings_let_it(combat, seed):
    *_, battle = play(ROUGH, start(ROUGH, combat, seed), ANY)
    places = Counter(at(battle).values())
    assert places["bang"] == places["table"] == 0
    assert not battle.state.residents
    assert not battle.hand
    if combat.rulings.pushed_onto_border == "rethrown":
        assert places["border"] == 0
    if combat.rulings.left_board == "rethrown":
        assert not battle.lost
    abilities = Counter((side, use.ability) for side, use in battle.used)
    assert all(count == 1 for count in abilities.values())
    assert battle.result().winner in combat.colours


@settings(max_examples=25, deadline=None)
@given(setups(), st.integers(0, 10**6))
def test_a_battle_saved_after_any_step_equals_one_that_was_not_and_goes_on_the_same(combat, seed):
    battle = saved = start(ROUGH, combat, seed)
    while not battle.over:
        saved = Battle.from_token(saved.token())
        assert saved == battle
        battle, saved = advance(ROUGH, battle, ANY), advance(ROUGH, saved, ANY)
    assert saved == battle
    assert Battle.from_token(saved.token()) == battle
    assert battle_json(saved) == battle_json(battle)


@settings(max_examples=40, deadline=None)
@given(setups(), st.integers(0, 10**6))
def test_people_read_the_rulebooks_words_and_never_an_identifier(combat, seed):
    odds = BattleOdds()
    *_, battle = play(ROUGH, start(ROUGH, combat, seed), ANY)
    odds.add_battle(battle)
    head = head_words(battle_json(battle))
    lines = [step_line(i, step, combat) for i, step in enumerate(battle.steps)]
    told = "\n".join([head, *lines, battle_summary(battle), odds.words()])
    assert not re.search(r"_(?!ship\b)|\w:\d|zone:|inside:|choice|rethrow|explosion\b", told.replace("fake_ship", ""))


def test_a_step_is_told_as_people_say_it():
    """The rulebook: "lancez 2 cubes", "tirs explosifs", "relancé"; an ability's number is written out."""
    battle = run(
        [{0: "border", 10: "one"}, {0: "coin"}, {11: "bang", 12: "two"}, {11: "two", 13: "choice"}, {11: "one"}],
        setup(violet_side=able("move:1"), green_side=able("throw:2")),
        violet=[None, "move:1 11 one"],
        green=["throw:2"],
    )
    lines = [" ".join(step_line(i, step, battle.setup).split()) for i, step in enumerate(battle.steps)]
    assert lines == [
        "0 throw 1+1 on a border 1+0, one 0+1",
        "1 thrown again 1+0 coin 1+0",
        "2 violet passes",
        "3 green throws two more cubes (ability) 0+2 bang 0+1, two 0+1",
        "4 explosive shot 0+2 coins or cargo 0+1, two 0+1",
        "5 violet moves a cube to one and takes one damage less (ability) 0+1 one 0+1",
        "6 green passes",
        "7 violet passes",
    ]
    assert "green places 2 coins or cargo in holds or on the island, or gives them back" in battle_summary(battle)
    assert "green can throw two more cubes\n" in head_words(battle_json(battle))


@each_case("harm", ["", "x", "TOWER3.a.b", "BATTLE2", "cut", "flip", "two lines\nof text"])
def test_a_damaged_token_is_refused_in_one_line(harm: str):
    token = start(DiceShip(), setup(), 1).token()
    assert "\n" not in token
    prefix, body, digest = token.split(".")
    middle = len(body) // 2
    flipped = body[:middle] + ("A" if body[middle] != "A" else "B") + body[middle + 1 :]
    harmed = {"cut": token[:-30], "flip": f"{prefix}.{flipped}.{digest}", "BATTLE2": token.replace("BATTLE3", harm)}
    with pytest.raises(UsageError, match=r"^battle token .*; (pass|copy) the token of the saved battle"):
        Battle.from_token(harmed.get(harm, harm))
    assert Battle.from_token(f" {token}\n") == start(DiceShip(), setup(), 1)


def test_the_document_of_a_battle_tells_its_steps_rulings_result_and_consequences():
    combat = setup(2, 1, violet_side=able("throw:1"), rulings={"left_board": "lost"})
    battle = run(
        [{0: "bang", 1: "table", 10: "one"}, {0: "one", 2: "both"}, {3: "damage"}], combat, ["throw:1"], seed=2**100
    )
    document = json.loads(json.dumps(battle_json(battle)))
    head = {
        "schema": "tower-sim/battle",
        "version": 4,
        "seed": str(2**100),
        "model": "scripted",
        "apparatus": "fake_ship",
        "kind": "ship",
        "active": "violet",
        "cubes": {"violet": 2, "green": 1},
    }
    assert document.items() >= head.items()
    assert document["rulings"] == Rulings(left_board="lost").choices
    assert document["abilities"] == {"violet": ["throw:1"], "green": []}
    every = ["throw", "explosion", "ability"]
    plain = {"supply": 10, "island": 0, "island_for": every, "damage": 0, "pirate": False}
    assert (document["sides"], document["provoked"]) == ({"violet": plain, "green": plain}, False)
    assert [step["kind"] for step in document["steps"]] == ["throw", "explosion", "ability", "pass", "pass"]
    nothing = {"violet": 0, "green": 0}
    assert document["steps"][0] == {
        "kind": "throw",
        "side": None,
        "use": None,
        "status": "settled",
        "attempts": 1,
        "failures": [],
        "cubes": [0, 1, 10],
        "thrown": {"violet": 2, "green": 1},
        "placed": nothing,
        "taken": nothing,
        "lost": {"violet": 1, "green": 0},
        "short": nothing,
        "landings": [
            {"cube": 0, "colour": "violet", "place": "zone:bang", "also": []},
            {"cube": 1, "colour": "violet", "place": "table", "also": []},
            {"cube": 10, "colour": "green", "place": "zone:one", "also": []},
        ],
    }
    assert document["steps"][2]["use"] == {"ability": "throw:1", "cube": None, "zone": None}

    def side(strength, plunder, given, taken):
        return {"strength": strength, "plunder": plunder, "damage_given": given, "damage_taken": taken}

    some, none = ({"coins": n, "cargo": n, "choice": 0} for n in (1, 0))
    assert document["result"] == {"violet": side(1, some, 1, 0), "green": side(1, none, 0, 2)}
    assert document["winner"] == "violet"
    assert document["consequences"] == {
        "legendary": "violet",
        "encounter_effect": None,
        "merchant_mode": [],
        "buildings_removed": False,
        "damage": {"violet": 0, "green": 2},
        "sunk": [],
        "terror": [],
        "barred": None,
        "to_place": {"violet": some, "green": none},
    }


def test_the_document_of_an_unfinished_battle_has_no_result_and_a_tie_break_no_active_side():
    document = battle_json(start(DiceShip(), Setup("tie_break", (Side("violet", 1), Side("green", 1))), 1))
    assert (document["result"], document["winner"], document["consequences"]) == (None, None, None)
    assert (document["active"], document["steps"]) == (None, [])


def test_each_step_lists_where_every_cube_lies_also_when_nothing_was_thrown():
    combat = setup(violet_side=able("strength:1"))
    battle = run([{0: "one", 10: "two"}], combat, ["strength:1"])
    lying = tuple(Landing(cube, place) for cube, place in sorted(battle.places.items()))
    assert all(step.landings == lying for step in battle.steps)
    assert len(battle.steps) == 4
