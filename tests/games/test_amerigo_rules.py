"""Amerigo's rules against the rulebook's examples, against enumeration, and against any tower at all."""

from collections import Counter
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.amerigo import BLUE_PHASE_OUT, PUBLISHED, play
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower, brought_out

from tower_sim.drops import TooManyFailedDraws, redo
from tower_sim.errors import UsageError, quote
from tower_sim.games.amerigo import (
    GAME,
    Choice,
    Rules,
    Tokens,
    action_points,
    actions_allowed,
    gold_for_passing,
    on_gold_track,
    options,
)
from tower_sim.games.amerigo.rules import TokenRulings
from tower_sim.games.rules import questions

TWO_COLOURS = Rules(colours=("red", "blue"), cubes=2, rounds=1, substitute="")


def test_gold_example_pays_4_for_10_cubes():
    assert gold_for_passing({"blue": 4, "black": 3, "red": 3}, PUBLISHED.gold_divisor) == 4
    assert options({"blue": 4, "black": 3, "red": 3}, PUBLISHED).gold == 4


def test_the_gold_track_ends_at_12_and_each_gold_beyond_is_a_victory_point():
    """Lines 420 and 424: with 9 gold, 4 more fill the track, and one is left over."""
    assert on_gold_track(9, 4) == (12, 1)
    assert [on_gold_track(held, 3) for held in (0, 9, 10, 12)] == [(3, 0), (12, 0), (12, 1), (12, 3)]
    with pytest.raises(UsageError, match="held is 13; allowed is a whole number from 0 to 12"):
        on_gold_track(13, 1)


EXCHANGE = Tokens(exchange=("red", "green"))
STAND_IN = {"white": 3, "green": 1}
PAID = Tokens(extra={"red": 2, "white": 1}, once={"red": 5})
CHOICES: list[tuple[dict[str, int], dict[str, Any], str | None, Tokens, list[tuple[Any, ...]]]] = [
    # The blue phase's example.
    (BLUE_PHASE_OUT, {}, None, Tokens(), [(colour, colour, 4) for colour in ("blue", "black", "red", "green")]),
    # The white player's example: white cubes become red, for 5 points of planning.
    ({"white": 2, "blue": 5}, {}, "red", Tokens(), [("blue", "blue", 5), ("red", "white", 5), ("white", "white", 5)]),
    # The yellow player's example: it moves on with 5 points of the white action.
    ({"white": 5, "black": 1}, {}, "yellow", Tokens(),
     [("black", "black", 5), ("yellow", "white", 5), ("white", "white", 5)]),
    # An exchange names the cubes that are there.
    ({"green": 2}, {}, None, EXCHANGE, [("red", "green", 2), ("green", "green", 2)]),
    ({"red": 1}, {}, None, EXCHANGE, [("red", "red", 1), ("green", "red", 1)]),
    # Action tokens add points only to their own actions.
    ({"blue": 3, "red": 1, "white": 1}, {}, "brown", Tokens(extra={"red": 2, "brown": 1}, once={"blue": 5}),
     [("blue", "blue", 3, 5), ("red", "red", 5), ("brown", "white", 4), ("white", "white", 3)]),
    # Nothing emerged leaves nothing to choose, whatever the tokens.
    ({}, {}, "red", Tokens({"blue": 2}, {"blue": 5}, ("red", "green"), True, True), []),
    # House rules may have no substitute, or another.
    ({"white": 1}, {"substitute": ""}, "red", Tokens(), [("white", "white", 1)]),
    ({"blue": 1}, {"substitute": "blue"}, "red", Tokens(), [("blue", "blue", 1), ("red", "blue", 1)]),
    # Which tokens pay when white stands in is a ruling; there are tokens for red, white and ships.
    *(
        (STAND_IN, rulings, "red", PAID, [("red", "white", *paid), ("green", "green", 3), ("white", "white", 4)])
        for rulings, paid in (
            ({}, (5, 5)),
            ({"stand_in_tokens": "carried_out"}, (5, 5)),
            ({"stand_in_tokens": "chosen"}, (4, 0)),
            ({"stand_in_tokens": "both"}, (6, 5)),
        )
    ),
    # An exchange never asks whose tokens pay: the other action is chosen there (lines 611-615).
    *(
        (
            {"green": 1},
            {"stand_in_tokens": choice},
            None,
            Tokens(extra={"red": 2, "green": 7}, exchange=("red", "green")),
            [("red", "green", 3), ("green", "green", 8)],
        )
        for choice in questions(TokenRulings)["stand_in_tokens"].choices
    ),
    # Whether an exchange starts from white that stands in is a ruling.
    ({"white": 2}, {}, "red", EXCHANGE, [("red", "white", 2), ("white", "white", 2)]),
    ({"white": 2}, {"stand_in_exchange": "there"}, "red", EXCHANGE,
     [("red", "white", 2), ("green", "white", 2), ("white", "white", 2)]),
    ({"white": 2}, {"stand_in_exchange": "there"}, "blue", EXCHANGE, [("blue", "white", 2), ("white", "white", 2)]),
]  # fmt: skip


@each_case(("emerged", "changes", "marker", "tokens", "choices"), CHOICES)
def test_the_choices_are_those_of_the_rulebook_and_of_the_rulings(emerged, changes, marker, tokens, choices):
    rulings = {name: choice for name, choice in changes.items() if name in TokenRulings.model_fields}
    rules = PUBLISHED.but(**(changes if not rulings else {"rulings": TokenRulings(**rulings)}))
    assert options(emerged, rules, marker, tokens).choices == tuple(Choice(*choice) for choice in choices)


@each_case("marker", [None, *PUBLISHED.colours])
@each_case("exchange", [(), ("red", "green")])
def test_choices_equal_the_rulebook_read_out_over_every_small_central_area(marker, exchange):
    """Blue, red, green, white, 0 to 2 cubes of each: 81 central areas."""
    for counts in product(range(3), repeat=4):
        centre = [c for c, n in zip(("blue", "red", "green", "white"), counts, strict=True) for _ in range(n)]
        emerged = Counter(centre)
        now = options(emerged, PUBLISHED, marker, Tokens(exchange=exchange))
        may = set(centre)
        if marker is not None and marker not in centre and "white" in centre:
            may.add(marker)
        if exchange and "green" in centre and "red" not in centre:
            may.add("red")
        if exchange and "red" in centre and "green" not in centre:
            may.add("green")
        assert [choice.action for choice in now.choices] == [c for c in PUBLISHED.colours if c in may]
        most = max((centre.count(c) for c in centre), default=0)
        assert all(choice.points == most and choice.once == 0 for choice in now.choices)
        assert all(choice.cubes in centre for choice in now.choices)
        assert all(choice.cubes == choice.action for choice in now.choices if choice.action in centre)
        assert set(actions_allowed(emerged, PUBLISHED)) == set(centre)
        assert action_points(emerged) == most
        assert now.victory_points == 0


@each_case("divisor", [1, 2, 3, 4])
def test_gold_is_one_for_each_group_of_cubes_even_an_incomplete_one(divisor):
    for cubes in range(50):
        groups = [range(cubes)[i : i + divisor] for i in range(0, cubes, divisor)]
        assert gold_for_passing({"blue": cubes // 2, "red": cubes - cubes // 2}, divisor) == len(groups)


def test_gold_and_victory_point_tokens_change_what_the_central_area_pays():
    emerged = {"blue": 4, "green": 3}
    assert options(emerged, PUBLISHED).gold == 3
    with_tokens = options(emerged, PUBLISHED, tokens=Tokens(gold=True, victory_points=True))
    assert (with_tokens.gold, with_tokens.victory_points) == (4, 7)


@each_case(
    ("emerged", "marker", "tokens"),
    [
        ({"pink": 1}, None, None),
        ({"blue": 1}, "pink", None),
        ({"blue": 1}, None, Tokens(extra={"pink": 1})),
        ({"blue": 1}, None, Tokens(once={"pink": 1})),
        ({"blue": 1}, None, Tokens(exchange=("pink", "red"))),
    ],
)
def test_a_colour_that_the_game_does_not_have_is_refused(emerged, marker, tokens):
    with pytest.raises(UsageError, match=r"'pink'.*allowed is one of blue, black"):
        options(emerged, PUBLISHED, marker, tokens)


# The cubes that come out of the set-up, the red and the blue phase of a game with two cubes of each colour, those that
# a knock frees and the drop that it follows, and what is then so of each drop; counts are of red, then of blue.
NOTHING = {"skipped": True, "actions": (), "action_points": 0, "gold": 0}
DROPS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], int, list[dict[str, Any]]]] = {
    "a phase with empty storage is skipped without a drop": (
        ({"blue": 2}, {"blue": 1}), (), 0,
        [{"inside": (2, 0)}, NOTHING | {"attempts": 0, "thrown": (0, 0), "inside": (2, 0)},
         {"skipped": False, "attempts": 1, "thrown": (0, 2)}],
    ),
    "a phase from which nothing emerges is skipped and its cubes stay inside": (
        ({"red": 2, "blue": 2}, {}, {"red": 2}), (), 0,
        [{}, NOTHING | {"attempts": 1, "inside": (2, 0)},
         {"skipped": False, "actions": ("red",), "action_points": 2, "gold": 1}],
    ),
    "cubes knocked out wait and go with the next throw": (
        ({"red": 1, "blue": 1}, {"red": 1}, {}), ({"blue": 1},), 0,
        [{"emerged": (1, 1), "inside": (1, 0), "waiting": (0, 1)},
         {"thrown": (1, 1), "emerged": (1, 0), "inside": (1, 1), "waiting": (0, 0)}, {}],
    ),
    "red stays inside at the set-up; its own phase throws nothing, not even the red cube that a knock freed": (
        ({"blue": 2}, {"blue": 2}), ({"red": 1},), 0,
        [{}, {"thrown": (0, 0), "skipped": True, "waiting": (1, 0)}, {"thrown": (1, 2), "waiting": (0, 0)}],
    ),
    "knocked-out cubes give no actions in the phase they disturb": (
        ({"red": 1, "blue": 1}, {"red": 1}, {}), ({"blue": 1},), 1,
        [{}, {"emerged": (1, 0), "actions": ("red",), "waiting": (0, 1)}, {}],
    ),
}  # fmt: skip


@each_case("name", DROPS)
def test_a_small_game_goes_by_the_rules_drop_by_drop(name: str):
    drops, knocks, at, expected = DROPS[name]
    tower = ScriptedTower(drops=drops, knocks=knocks)
    entries = play(tower, TWO_COLOURS.but(knocks={at: 0.2} if knocks else {}), 1)
    for entry, values in zip(entries, expected, strict=True):
        found = {key: getattr(entry, key) for key in values}
        assert {key: (x["red"], x["blue"]) if isinstance(x, dict) else x for key, x in found.items()} == values


def test_failed_draws_are_recorded_and_their_cubes_thrown_again():
    entries = list(play(CoinTower(failure_rate=0.2), PUBLISHED.but(knocks=dict.fromkeys(range(1, 36), 0.1)), 2))
    assert {entry.attempts for entry in entries} >= {1, 2}
    with pytest.raises(TooManyFailedDraws):
        list(play(CoinTower(failure_rate=1.0), PUBLISHED, 2))


@st.composite
def house_rules(draw):
    colours = draw(st.lists(st.sampled_from(PUBLISHED.colours), min_size=1, max_size=4, unique=True))
    table = st.fixed_dictionaries({colour: st.integers(0, 4) for colour in colours})
    return Rules(
        name="house",
        colours=colours,
        phases=draw(st.lists(st.sampled_from(colours), max_size=5)),
        cubes=draw(st.integers(1, 4) | table.filter(lambda counts: any(counts.values()))),
        rounds=draw(st.integers(0, 3)),
        substitute="",
    )


@settings(max_examples=80, deadline=None)
@given(
    rules=house_rules(),
    seed=st.integers(0, 2**128 - 1),
    p_out=st.sampled_from([0.0, 0.3, 2 / 3, 1.0]),
    failure_rate=st.sampled_from([0.0, 0.02]),
    data=st.data(),
)
def test_every_cube_is_accounted_for_exactly_once_under_any_house_rules(rules, seed, p_out, failure_rate, data):
    knocks = data.draw(st.dictionaries(st.integers(0, rules.drops - 1), st.sampled_from([0.0, 0.5, 1.0]), max_size=6))
    tower = CoinTower(p_out=p_out, failure_rate=failure_rate)
    stored, inside, waiting = dict(rules.counts), dict.fromkeys(rules.colours, 0), dict.fromkeys(rules.colours, 0)
    entries = list(play(tower, rules.but(knocks=knocks), seed))
    assert len(entries) == rules.drops == 1 + rules.rounds * len(rules.phases)
    for entry in entries:
        from_storage = {c: n if entry.phase in ("setup", c) else 0 for c, n in stored.items()}
        carried = waiting if any(from_storage.values()) else dict.fromkeys(rules.colours, 0)
        assert entry.thrown == {c: from_storage[c] + carried[c] for c in rules.colours}
        for c in rules.colours:
            before = inside[c] + waiting[c] + from_storage[c]
            assert before == entry.emerged[c] + entry.inside[c] + entry.waiting[c]
        assert entry.skipped == (sum(entry.emerged.values()) == 0)
        assert entry.index in knocks or not any(entry.waiting.values()) or entry.attempts == 0
        stored = {c: stored[c] - from_storage[c] + entry.emerged[c] for c in rules.colours}
        inside, waiting = entry.inside, entry.waiting
    *_, last = GAME.start(tower, rules.but(knocks=knocks), seed)
    assert redo(tower, last.state) == last.state


def test_every_way_that_a_small_game_can_go_is_found_by_counting_too():
    """Two red cubes and a blue one, one round: every subset of the cubes that could come out, at every drop."""
    rules = Rules(colours=("red", "blue"), cubes={"red": 2, "blue": 1}, rounds=1, substitute="")
    unfinished: list[tuple[frozenset[int], ...]] = [()]
    leaves = 0
    while unfinished:
        script = unfinished.pop()
        asked: list[list[int]] = []

        class Scripted(CoinTower):
            def drop(self, state: Any, cubes: Any, rng: Any, script: Any = script, asked: Any = asked) -> Any:
                if state.drops == len(script):
                    asked.append([cube.id for cube in (*cubes, *state.cubes)])
                    raise RuntimeError
                return brought_out(state, cubes, rng, script[state.drops])

        try:
            list(GAME.start(Scripted(), rules, 1))
            leaves += 1
        except RuntimeError:
            (there,) = asked
            unfinished += [
                (*script, frozenset(out)) for size in range(len(there) + 1) for out in combinations(there, size)
            ]
    assert leaves == small_game_leaves()


def small_game_leaves():
    """Count the ends of the same tree from numbers of cubes alone."""
    total = 0
    for reds, blues in product(range(3), range(2)):  # in storage after the set-up
        ends = 0
        # Without a red cube in storage the red phase is skipped; with one, each cube inside or thrown may come out.
        after_red = [(0, blues, 1)] if reds == 0 else [
            (red, blues + blue, comb(2, red)) for red in range(3) for blue in range(2 - blues)
        ]  # fmt: skip
        for red, blue, ways in after_red:
            ends += ways * (2 ** (3 - red) if blue else 1)
        total += comb(2, reds) * ends
    return total


@each_case("count", [-1, 1.5, 2.0, "1", None, True, float("nan")])
@each_case("ask", ["emerged", "extra", "once", "gold", "points"])
def test_options_take_whole_numbers_from_0_only(ask, count):
    calls = {
        "emerged": lambda: options({"blue": count}, PUBLISHED),
        "extra": lambda: options({"blue": 1}, PUBLISHED, tokens=Tokens(extra={"red": count})),
        "once": lambda: options({"blue": 1}, PUBLISHED, tokens=Tokens(once={"red": count})),
        "gold": lambda: gold_for_passing({"blue": count}, 3),
        "points": lambda: action_points({"blue": count}),
    }
    with pytest.raises(UsageError, match=r"of (blue|red) is .*; allowed is a whole number from 0"):
        calls[ask]()


def test_numbers_of_numpy_are_counts_too():
    counts: Any = {"blue": np.int16(4), "red": np.int64(6)}
    assert options(counts, PUBLISHED).gold == 4


def test_a_model_with_a_board_plays_no_amerigo():
    class Ship(CoinTower):
        board = "zones"

    with pytest.raises(UsageError, match=r"apparatus is '.*'; allowed is a tower that keeps cubes"):
        play(Ship(), PUBLISHED, 1)


@each_case("strength", [-0.1, float("nan"), float("inf"), 1001, None, "1", True, 10**5000], ids=quote)
def test_a_knock_that_is_no_strength_is_refused_in_one_short_line(strength):
    with pytest.raises(UsageError, match=r"rules.knocks.3 is .*; allowed is a number from 0 to 5") as error:
        Rules(knocks={3: strength})
    assert len(str(error.value)) < 200
