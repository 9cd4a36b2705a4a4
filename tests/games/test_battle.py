"""Dead Reckoning battles, step by step: the rulebook's example, chains, abilities, rulings, saving, the account."""

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.battles import ANY, ROUGH, able, at, numbers, rules_of, run, scripted, setup
from support.cases import each_case
from support.ships import DiceShip, ScriptedShip

from tower_sim.drops import TooManyFailedDraws
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning import GAME, Battle, Rulings, Use, advance, start, when_behind
from tower_sim.games.dead_reckoning.battle import SHAKES, pass_always, play
from tower_sim.games.dead_reckoning.combat import SideResult, Worth
from tower_sim.games.dead_reckoning.game import describe_result, describe_rules, describe_step
from tower_sim.games.dead_reckoning.rules import OCCASIONS
from tower_sim.games.rules import questions
from tower_sim.values import Status, count_by_colour


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

    steps = [(step.kind, step.side, step.ability, numbers(step.thrown)) for step in battle.steps]
    assert steps == [
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


BLACK: Any = {"violet_side": {"supply": 9}, "green_side": {"supply": 1}, "kind": "merchant"}
STAYS: Any = {"rulings": {"pushed_onto_border": "stays"}}
THREE: Any = {c: {"cubes": n, "supply": 5} for c, n in (("violet", 1), ("green", 1), ("blue", 2))}  # from 0, 5, 10

# The combat, where cubes fall at each draw, the steps (what the sides choose, and cubes by number), and the end.
BATTLES: dict[str, tuple[Any, ...]] = {
    "stuck cubes are shaken out first, then borders thrown again, then explosions, and only then abilities": (
        setup(3, 1, violet_side=able("strength:1")),
        "0 inside:ship, 1 border, 2 bang, 10 one; 0 table; 0 one, 1 two; 2 coin, 3 border; 3 bang; 3 one, 4 one",
        "throw 0 1 2 10; shake; rethrow 0 1; explosion 2 3; rethrow 3; explosion 3 4; violet passes; green passes",
        {"lying": "0 one, 1 two, 2 coin, 3 one, 4 one, 10 one"}),
    "all cubes in explosive zones of both sides go together, with an extra each of their colour": (
        setup(2, 1), "0 bang, 1 bang, 10 bang; 0 one, 1 one, 2 bang, 3 one, 10 one, 11 one; 2 one, 4 one",
        "throw 0 1 10; explosion 0 1 10 2 3 11; explosion 2 4"),
    "a cube pushed into an explosive zone by a later throw explodes before the next ability": (
        setup(green_side=able("throw:1", "strength:1")), "0 one, 10 one; 11 coin, 0 bang; 0 two, 1 two",
        "throw 0 10; violet passes; green throw:1 11; explosion 0 1; violet passes; green strength:1; violet passes; "
        "green passes"),
    "a cube moved into an explosive zone explodes": (
        setup(violet_side=able("move")), "0 one, 10 coin; ; 10 two, 11 two",
        "throw 0 10; violet move 10 bang; explosion 10 11; green passes; violet passes", {"winner": "green"}),
    "the extra cubes come from the supply, then from islands, and running out is said": (
        setup(2, 1, violet_side={"supply": 3, "island": 1}),
        "0 bang, 1 bang, 4 one; 0 bang, 1 bang, 2 bang, 3 one; 0 one, 1 one, 2 one",
        "throw 0 1 4; explosion 0 1 2 3; explosion 0 1 2 (3 violet short)",
        {"supply": {"violet": 0, "green": 9}, "island": {"violet": 0, "green": 0}}),
    "a side with fewer cubes than cannons throws what it has": (
        setup(5, 1, violet_side={"supply": 2}), "0 one, 1 one, 2 two", "throw 0 1 2 (3 violet short)"),
    "a side without a cube throws none": (setup(0, 1), "10 one", "throw 10", {"winner": "green"}),
    "a throwing ability takes from the supply of its side, and the next is no longer possible": (
        setup(1, 1, violet_side=able("throw:3", "throw:2") | {"supply": 3}), "0 one, 3 one; 1 one, 2 one",
        "throw 0 3; violet throw:3 1 2 (1 violet short); green passes; violet passes"),
    "if black cubes run out, fewer are thrown": (
        setup(1, 2, **BLACK), "0 one, 9 bang; 9 one", "throw 0 9 (1 green short); explosion 9 (1 green short)",
        {"numbered": 10}),
    "or others stand in": (
        setup(1, 2, **BLACK, rulings={"black_run_out": "substituted"}), "0 one, 9 bang, 10 one; 9 one, 11 one",
        "throw 0 9 10; explosion 9 11", {"numbered": 12, "zone:one": {"violet": 1, "green": 3}}),
    "a player's cubes are not substituted if only black ones are": (
        setup(2, 1, violet_side={"supply": 1}, rulings={"black_run_out": "substituted"}), "0 bang, 1 one; 0 one",
        "throw 0 1 (1 violet short); explosion 0 (1 violet short)"),
    "a player's cubes are substituted at an explosion only (lines 895 and 999)": (
        setup(2, 1, violet_side={"supply": 1}, rulings={"extra_run_out": "substituted"}),
        "0 bang, 1 one; 0 one, 11 one", "throw 0 1 (1 violet short); explosion 0 11", {"numbered": 12}),
    "stuck cubes are shaken until they are free": (
        setup(), "0 inside:ship, 10 one; 0 inside:ship; 0 two", "throw 0 10; shake; shake"),
    "or taken out and thrown again": (
        setup(rulings={"stuck": "rethrown"}), "0 inside:ship, 10 one; 0 inside:ship; 0 two",
        "throw 0 10; rethrow 0; rethrow 0"),
    "a cube that no shake frees is taken out by hand in the end": (
        setup(), f"0 inside:ship, 10 one; {'; ' * SHAKES}0 one", f"throw 0 10; {'shake; ' * SHAKES}rethrow 0"),
    "a cube off the board is thrown again": (
        setup(), "0 table, 10 one; 0 one", "throw 0 10; rethrow 0", {"lost": {"violet": 0, "green": 0}}),
    "or lost": (
        setup(rulings={"left_board": "lost"}), "0 table, 10 one", "throw 0 10 (0 lost)",
        {"winner": "green", "lost": {"violet": 1, "green": 0}}),
    "a cube pushed onto a border is thrown again": (
        setup(green_side=able("throw:1", "throw:2")), "0 two, 10 one; 11 coin, 0 border; 0 one",
        "throw 0 10; violet passes; green throw:1 11; rethrow 0; violet passes; green passes"),
    "or stays": (
        setup(green_side=able("throw:1", "throw:2"), **STAYS), "0 two, 10 one; 11 coin, 0 border",
        "throw 0 10; violet passes; green throw:1 11; violet passes; green passes",
        {"lying": "0 border, 10 one, 11 coin", "winner": "green"}),
    "it counts again when it is pushed into a zone; a cube thrown onto a border is thrown again": (
        setup(green_side=able("throw:1", "throw:2"), **STAYS),
        "0 two, 10 one; 11 coin, 0 border; 12 coin, 13 border, 0 one; 13 coin",
        "throw 0 10; violet passes; green throw:1 11; violet passes; green throw:2 12 13; rethrow 13; violet passes; "
        "green passes",
        {"lying": "0 one, 10 one, 11 coin, 12 coin, 13 coin", "winner": "violet"}),
    "a cube that stays on a border is not thrown again by a shake or a rethrow of others": (
        setup(green_side=able("throw:1"), **STAYS), "0 two, 10 one; 11 inside:ship, 0 border; 11 border; 11 one",
        "throw 0 10; violet passes; green throw:1 11; shake; rethrow 11; violet passes; green passes",
        {"lying": "0 border, 10 one, 11 one"}),
    "a cube that explodes and lands on a border is thrown again though those pushed there stay": (
        setup(**STAYS), "0 bang, 10 one; 0 border, 1 one; 0 two", "throw 0 10; explosion 0 1; rethrow 0"),
    **{
        f"{ruling}: {name}": (setup(rulings={ruling: choice}, green_side=able(*texts)), script, steps)
        for ruling, usual, place in (("two_zones", "nearest", "one+two"), ("on_cube", "below", "on:one"))
        for name, choice, texts, script, steps in (
            ("such a cube is in the place given", usual, [], f"0 {place}, 10 one", "throw 0 10"),
            ("or thrown again", "rethrown", [], f"0 {place}, 10 one; 0 two", "throw 0 10; rethrow 0"),
            ("also if it was pushed there", "rethrown", ["throw:1"],
             f"0 one, 10 one; 11 one, 0 {place}; 0 one",
             "throw 0 10; violet passes; green throw:1 11; rethrow 0; violet passes; green passes"),
        )
    },
    "after a tie only the tied sides throw again": (
        rules_of("tie_break", **THREE), "0 one, 5 coin, 10 one, 11 coin; 0 one, 10 coin, 11 coin",
        "throw 0 5 10 11; throw 0 10 11", {"contenders": ("violet", "blue"), "winner": "violet"}),
    "or all do": (
        rules_of("tie_break", rulings={"tie_again": "all"}, **THREE),
        "0 one, 5 coin, 10 one, 11 coin; 0 one, 5 two, 10 coin, 11 coin", "throw 0 5 10 11; throw 0 5 10 11",
        {"winner": "green"}),
    "a tie-break resolves explosions, and a new round begins with an empty board and the first cubes": (
        rules_of("tie_break", **{key: {"supply": 3} for key in ("violet", "green")}),
        "0 bang, 3 coin; 0 coin, 1 coin; 0 coin, 3 bang; 3 one, 4 coin",
        "throw 0 3; explosion 0 1; throw 0 3; explosion 3 4", {"lying": "0 coin, 3 one, 4 coin", "winner": "green"}),
    "in a tie-break of all zeros nobody out of it wins": (
        rules_of("tie_break", **{key: {"supply": 1} for key in THREE}),
        "0 one, 1 one, 2 coin; 0 coin, 1 coin; 0 coin, 1 one", "throw 0 1 2; throw 0 1; throw 0 1",
        {"winner": "green"}),
    "ships take turns from the active side until both pass one after the other": (
        setup(active="green", violet_side=able("strength:1", "strength:2"), green_side=able("strength:3")),
        "0 one, 10 one", "throw 0 10; green passes; violet strength:1; green strength:3; violet passes; green passes"),
    **{
        f"against a {kind} only the active side uses abilities, in any order, until it passes": (
            setup(1, 2, kind=kind, violet_side=able("strength:1", "win_bonus:1", "strength:2")),
            "0 one, 10 one, 11 coin", "throw 0 10 11; violet strength:2; violet win_bonus:1:0:0; violet passes",
            {"violet": SideResult(3, 0, 0, 0, damage_given=1, damage_taken=0, damage=0)})
        for kind in ("merchant", "building")
    },
    "a barred ability cannot be used against a building": (
        setup(1, 2, "building", violet_side=able("strength:1!")), "0 one, 10 one, 11 one",
        "throw 0 10 11; violet passes"),
    "a cube taken off gives damage and coins and counts for nothing else": (
        setup(2, 1, violet_side=able("take_off")), "0 two, 1 one, 10 one; ",
        "throw 0 1 10; violet take_off:1:2 0; green passes; violet passes",
        {"violet": SideResult(1, 2, 0, 0, damage_given=1, damage_taken=0, damage=0),
         "taken": {"violet": 1, "green": 0}}),
    "what lay on a cube taken off falls and counts where it ends": (
        setup(2, 1, violet_side=able("take_off")), "0 two, 1 one, 10 one; 10 two",
        "throw 0 1 10; violet take_off:1:2 0; green passes; violet passes",
        {"winner": "green", "lying": "1 one, 10 two"}),
    "a card without cannons is used up and throws nothing": (
        setup(violet_side=able("card:0")), "0 one, 10 one", "throw 0 10; violet card:0; green passes; violet passes"),
}  # fmt: skip


def where(text):
    """Read `0 one, 10 two`: the places of cubes by number."""
    return {int(number): place for number, place in (words.split() for words in text.split(", ") if words)}


def step_text(step):
    cubes = numbers((*step.thrown, *step.placed, *step.taken))
    words = [step.side or step.kind, "passes" if step.kind == "pass" else step.ability, *map(str, cubes)]
    words += [(step.use and step.use.zone) or "", *(f"({n} {colour} short)" for colour, n in step.short.items())]
    words += [f"({number} lost)" for number in numbers(step.lost)]
    return " ".join(word for word in words if word)


@each_case("name", BATTLES)
def test_a_battle_goes_by_the_rulebook_and_the_rulings(name):
    combat, script, steps, *ends = BATTLES[name]

    def choose(battle, side, uses):
        """Take the use that begins the words of the next step, or pass."""
        words = steps.split("; ")[len(battle.steps)].split()[1:]
        for use in uses:
            use_words = [battle.ability(side, use).text, *([] if use.cube is None else [str(use.cube)])]
            if use_words == words[: len(use_words)] and use.zone in (None, words[-1]):
                return use
        return None

    model = ScriptedShip(script=tuple(map(where, script.split("; "))))
    *_, battle = play(model, start(model, combat, 1), dict.fromkeys(combat.colours, choose))
    assert "; ".join(map(step_text, battle.steps)) == steps
    assert sum(step.drawn for step in battle.steps) == len(model.script)
    result = battle.result()
    state = battle.account() | result.sides | {"winner": result.winner, "lying": at(battle)}
    state |= {"numbered": battle.numbered, "contenders": battle.contenders}
    expected = ends[0] if ends else {}
    assert {key: state[key] for key in expected} == {k: where(x) if k == "lying" else x for k, x in expected.items()}


def test_a_run_of_the_game_goes_on_with_cubes_that_stand_in_for_others():
    """Mended: the run was refused, since the cubes that stood in were none of the game's."""
    rules = setup(2, 1, violet_side={"supply": 1}, rulings={"extra_run_out": "substituted"})
    model = ScriptedShip(script=({0: "bang", 1: "one"}, {0: "one", 11: "one"}))
    *_, last = GAME.start(model, rules, 1)
    assert last.state.board.by_place == {"zone:one": {"violet": 2, "green": 1}}


def test_a_use_that_was_not_offered_is_refused():
    model = ScriptedShip(script=({0: "one", 10: "one"},))
    thrown = advance(model, start(model, setup(violet_side=able("strength:1")), 1), {})
    for use in (Use(1), Use(0, 10), Use(-1)):
        with pytest.raises(UsageError, match="ability use of violet"):
            advance(model, thrown, {"violet": lambda battle, side, uses, use=use: use})


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


def test_failed_draws_are_drawn_again_and_counted_and_five_in_a_row_end_the_battle():
    model = DiceShip({"one": 1.0}, failure_rate=0.5)
    first = [advance(model, start(model, setup(), 5, game), {}).last for game in range(20)]
    assert {len(outcome.failures) for outcome in first} > {0, 1}
    assert {status for outcome in first for status in outcome.failures} == {Status.TIMED_OUT}
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
sides_drawn = st.fixed_dictionaries(
    {
        "cubes": st.integers(1, 4),
        "supply": st.integers(1, 12),
        "island": st.integers(0, 3),
        "island_for": st.lists(st.sampled_from(OCCASIONS), unique=True),
        "abilities": st.lists(st.sampled_from(ABILITIES), max_size=4),
        "damage": st.integers(0, 4),
        "pirate": st.booleans(),
    }
)


@st.composite
def setups(draw):
    kind = draw(st.sampled_from(["ship", "merchant", "building", "tie_break"]))
    colours = ["violet", "green", *["blue"] * (kind == "tie_break" and draw(st.booleans()))]
    active = "" if kind == "tie_break" else draw(st.sampled_from(colours[:2]))
    sides = {colour: draw(sides_drawn) for colour in colours}
    others = {
        "ship": {},
        "tie_break": {"abilities": []},
        "merchant": {"abilities": [], "island": 0, "pirate": False, "damage": 0},
        "building": {"abilities": [], "cubes": draw(st.sampled_from([2, 5, 7])), "pirate": False},
    }
    for colour in {*colours} - {active}:
        sides[colour] |= others[kind]
    provoked = kind == "ship" and all(side["pirate"] for side in sides.values()) and draw(st.booleans())
    return rules_of(kind, active, draw(rulings_drawn), provoked, **sides)


@settings(max_examples=150, deadline=None)
@given(setups(), st.integers(0, 10**6))
def test_every_cube_is_in_one_place_after_every_step_and_the_account_says_where(combat, seed):
    battle = start(ROUGH, combat, seed)
    brought = Counter({colour: sum(combat.stock(colour)) for colour in combat.colours})
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


@settings(max_examples=40, deadline=None)
@given(setups(), st.integers(0, 10**6))
def test_people_read_the_rulebooks_words_and_never_an_identifier(combat, seed):
    *_, battle = play(ROUGH, start(ROUGH, combat, seed), ANY)
    lines = [describe_step(step, combat) for step in battle.steps]
    text = "\n".join([describe_rules(combat), *lines, describe_result(battle)])
    assert not re.search(r"_(?!ship\b)|\w:\d|zone:|inside:|choice|rethrow|explosion\b", text.replace("fake_ship", ""))


def test_a_step_is_told_as_people_say_it():
    """The rulebook: "lancez 2 cubes", "tirs explosifs", "relancé"; an ability's number is written out."""
    battle = run(
        [{0: "border", 10: "one"}, {0: "coin"}, {11: "bang", 12: "two"}, {11: "two", 13: "choice"}, {11: "one"}],
        setup(violet_side=able("move:1"), green_side=able("throw:2")),
        violet=[None, "move:1 11 one"],
        green=["throw:2"],
    )
    assert [describe_step(step, battle.rules) for step in battle.steps] == [
        "throw (violet 1, green 1); on a border: violet 1; one: green 1",
        "thrown again (violet 1); coin: violet 1",
        "violet passes",
        "green throws two more cubes by an ability (green 2); bang: green 1; two: green 1",
        "explosive shot (green 2); coins or cargo: green 1; two: green 1",
        "violet moves a cube to one and takes one damage less by an ability (green 1); one: green 1",
        "green passes",
        "violet passes",
    ]
    assert "green places 2 coins or cargo in holds or on the island, or gives them back" in describe_result(battle)
    assert "; green can throw two more cubes" in describe_rules(battle.rules)


@each_case("harm", ["", "x", "TOWER3.a.b", "BATTLE3", "cut", "flip", "two lines\nof text"])
def test_a_damaged_token_is_refused_in_one_line(harm: str):
    token = start(DiceShip(), setup(), 1).token()
    assert "\n" not in token
    prefix, body, digest = token.split(".")
    middle = len(body) // 2
    other = body[:middle] + ("A" if body[middle] != "A" else "B") + body[middle + 1 :]
    tokens = {"cut": token[:-30], "flip": f"{prefix}.{other}.{digest}", "BATTLE3": token.replace("BATTLE4", harm)}
    with pytest.raises(UsageError, match=r"^battle token .*; (pass|copy) the token of the saved battle"):
        Battle.from_token(tokens.get(harm, harm))
    assert Battle.from_token(f" {token}\n") == start(DiceShip(), setup(), 1)


def test_the_document_of_a_battle_tells_its_rules_steps_board_and_result():
    rules = setup(2, 1, violet_side=able("throw:1"), rulings={"left_board": "lost"})
    model = ScriptedShip(script=({0: "bang", 1: "table", 10: "one"}, {0: "coin", 2: "both"}, {3: "two"}))
    turns = list(GAME.start(model, rules, 2**100))
    document = GAME.ways.document_of(turns, rules, apparatus="fake_ship", model="scripted", seed=2**100)
    document = json.loads(json.dumps(document))
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/game-run", 2, str(2**100))
    assert document["battle"] == GAME.plain(rules)["battle"]
    assert [turn["kind"] for turn in document["turns"]] == ["throw", "explosion", "ability", "pass", "pass"]
    first, _, ability, _, last = document["turns"]
    nothing = {"violet": 0, "green": 0}
    assert first == {
        "index": 0,
        "kind": "throw",
        "thrown": {"violet": 2, "green": 1},
        "out": {"violet": 2, "green": 1},
        "inside": nothing,
        "board": {"zone:bang": {"violet": 1}, "zone:one": {"green": 1}},
        "facts": {"through_ship": True},
        "says": "throw (violet 2, green 1); on the table: violet 1; bang: violet 1; one: green 1; 1 lost",
    }
    facts = {"through_ship": True, "in_a_row": 0, "side": "violet", "ability": "throw:1"}
    assert (ability["facts"], ability["says"]) == (
        facts,
        "violet throws one more cube by an ability (violet 1); two: violet 1",
    )
    board = {"both": {"violet": 1}, "coin": {"violet": 1}, "one": {"green": 1}, "two": {"violet": 1}}
    assert last["board"] == {f"zone:{zone}": counts for zone, counts in board.items()}
    numbers = {"strength": (2, 1), "coins": (2, 0), "cargo": (1, 0), "choice": (0, 0)}
    numbers |= {"damage_given": (0, 0), "damage_taken": (0, 1)}
    assert last["facts"] == {
        "through_ship": False,
        "side": "violet",
        "winner": "violet",
        "active_wins": True,
        "sinks_active": False,
        "sinks_other": False,
        **{f"{key}_{side}": of[i] for key, of in numbers.items() for i, side in enumerate(("active", "other"))},
        "follows": "violet places 2 coins, 1 cargo in holds or on the island, or gives them back; "
        "violet puts a cube on Legendary",
    }
