import random
import string
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case
from support.touches import plain

from tower_sim.errors import UsageError, prints
from tower_sim.tools import pack
from tower_sim.values import (
    BoardState,
    Cube,
    Event,
    Pose,
    Resident,
    Touch,
    TowerState,
    check_seed,
    rng_from_text,
    rng_text,
    supply,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(min_size=0, max_size=8)
cubes = st.builds(Cube, st.integers(0, 10**6), words.filter(prints), finite)
poses = st.builds(Pose, st.tuples(finite, finite, finite), st.tuples(finite, finite, finite, finite))
residents = st.builds(Resident, cubes, words, st.integers(0, 99), st.none() | poses)
events = st.builds(
    Event,
    st.sampled_from(["drop", "knock"]),
    words,
    st.lists(cubes, max_size=3).map(tuple),
    st.lists(st.integers(0, 99), max_size=3).map(tuple),
    finite,
)
points = st.lists(st.tuples(*[st.integers(-(10**15), 10**15)] * 3), min_size=1, max_size=8)
touches = st.builds(Touch, st.integers(0, 10**6), st.integers(-300, 10**6), points.map(lambda all: sum(all, ())))
states = st.builds(
    TowerState,
    words,
    words,
    words,
    st.lists(residents, max_size=5).map(tuple),
    st.lists(events, max_size=3).map(tuple),
    st.lists(residents, max_size=2).map(tuple).map(BoardState),
    st.lists(touches, max_size=5).map(tuple),
)


@given(states)
def test_a_state_read_back_from_its_token_equals_it_bit_for_bit(state: TowerState):
    again = TowerState.from_token(state.token())
    assert again == state
    assert again.token() == state.token()
    assert state.token().startswith("TOWER3.")


@given(states, st.data())
def test_a_token_with_one_character_changed_lost_or_added_is_refused_in_one_line(state, data):
    token = state.token()
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from([c for c in string.ascii_letters + string.digits + "-_." if c != token[at]]))
    damages = [token[:at] + other + token[at + 1 :], token[:at] + token[at + 1 :], token + other]
    with pytest.raises(UsageError) as error:
        TowerState.from_token(data.draw(st.sampled_from(damages)))
    assert len(str(error.value)) < 250


@each_case("text", ["TOWER3.abc.def", "TOWER3.\udc80.x", "TOWER3.\u00e9.x"])
def test_what_only_begins_as_a_state_token_is_refused(text: str):
    with pytest.raises(UsageError, match=r"^state token .* (allowed|damaged).*$"):
        TowerState.from_token(text)


def test_a_version_is_no_matter_of_the_beginning_alone():
    document = plain(TowerState("physics", "a", "b", touches=(Touch(0, -1, (0, 0, 1)),)))
    with pytest.raises(UsageError, match="damaged"):
        TowerState.from_token(pack("TOWER2", document).replace("TOWER2", "TOWER3"))
    del document["touches"]
    with pytest.raises(UsageError, match=r"does not hold a state .*touches"):
        TowerState.from_token(pack("TOWER3", document))


@each_case("text", [
    *("", "hello", "..", "a.b.c", "TOWER1", "TOWER1..", "TOWER1.a.b", "TOWER2.abc.def", pack("TOWER2", {}), "TOWER3"),
    *("TOWER4..", "BATTLE2.a.b", "x" * 10_000, "é" * 9999, "\ud800", None, 7, b"TOWER3.a.b"),
])  # fmt: skip
def test_what_does_not_begin_as_a_state_token_is_refused_in_one_line_that_says_how_one_begins(text: Any):
    with pytest.raises(UsageError, match=r"^state token .*; allowed is one line .*'TOWER3\.<state>\.<digest>'"):
        TowerState.from_token(text)


@each_case("row", [[], [0], 7, "ab", None, [0, 1.0], [0, True], [0, -1, None], [0, -1, "9"], [0, [1]]])
def test_what_is_no_row_of_whole_numbers_is_no_touch(row: Any):
    document = plain(TowerState("physics", "a", "b"))
    assert document["touches"] == []
    with pytest.raises(UsageError, match="does not hold a state"):
        TowerState.from_token(pack("TOWER3", document | {"touches": [row]}))


def test_touches_are_part_of_the_value_replaced_by_what_follows_and_kept_when_a_cube_is_taken():
    """Cube 0 lies on cube 1: when 1 is taken, that 0 touched it is what tells an engine to wake 0."""
    lower, upper = (Resident(Cube(number, "red", 0.008), "tower", 0) for number in (1, 0))
    touch = Touch(0, 1, (0, 0, 4_000_000))
    empty = TowerState("physics", "a", "b")
    both = empty.after((lower, upper), Event("drop", "", (lower.cube, upper.cube), ()), touches=[touch])
    assert both.touches == (touch,)
    assert both != empty.after((lower, upper), both.log[0])
    assert hash(both) != hash(empty.after((lower, upper), both.log[0]))
    taken = both.take([lower.cube])
    assert taken.cubes == (upper.cube,)
    assert taken.touches == (touch,)
    assert taken.after((upper,), Event("drop", "", (), ())).touches == ()


def test_the_next_number_is_above_those_of_all_cubes_that_were_ever_there():
    """0 is inside, 4 lies on the board, 7 was thrown and came out; then 4 is the highest that was ever seen."""
    inside, lying = (Resident(Cube(number, "red", 0.008), "x", 0) for number in (0, 4))
    event = Event("drop", "", (inside.cube, lying.cube, Cube(7, "red", 0.008)), (7,))
    empty = TowerState("physics", "a", "b")
    assert empty.next_id == 0
    assert empty.after((inside,), event, (lying,)).next_id == 8
    assert replace(empty, residents=(inside,), board=BoardState((lying,))).next_id == 5
    assert replace(empty, residents=(lying,), board=BoardState((inside,))).next_id == 5


def test_a_seed_is_a_whole_number_of_128_bits_or_its_text():
    for seed in (0, 1, 2**128 - 1):
        assert check_seed(seed) == check_seed(str(seed)) == seed
    for seed in (-1, 2**128, True, 1.0, "x", "1.0", None):
        with pytest.raises(UsageError, match=r"^seed is .*; allowed is a whole number from 0 to 2\^128 - 1"):
            check_seed(seed)


def test_a_force_takes_at_most_eight_characters_of_a_token():
    """20 residents, 50 touches of 4 points, forces of up to a tenth of a newton: 8 digits and a sign, 28 bits."""
    draw = random.Random(14)
    thrown = supply({"red": 49}, 0.008)
    pairs = draw.sample([(i, j) for i in range(20) for j in range(-20, i)], 50)
    touches = [Touch(*pair, tuple(draw.randint(-(10**8), 10**8) for _ in range(12))) for pair in pairs]
    inside = [Resident(cube, "lower_floor", 0) for cube in thrown[:20]]
    event = Event("drop", rng_text(np.random.default_rng(0)), thrown, tuple(range(20, 49)))
    empty = TowerState("physics", "amerigo", "0" * 16)
    state, bare = empty.after(inside, event, touches=touches), empty.after(inside, event)
    assert TowerState.from_token(state.token()) == state
    assert len(state.token()) - len(bare.token()) < 8 * 12 * 50


@given(st.integers(0, 2**128 - 1), st.integers(0, 5), st.booleans())
def test_a_generator_written_down_goes_on_exactly_there(seed: int, drawn: int, buffered: bool):
    rng = np.random.default_rng(seed)
    rng.normal(size=drawn)
    if buffered:
        rng.integers(0, 2**32, dtype=np.uint32)
    again = rng_from_text(rng_text(rng))
    assert again.integers(0, 2**32, 5, dtype=np.uint32).tolist() == rng.integers(0, 2**32, 5, dtype=np.uint32).tolist()
    assert again.normal() == rng.normal()


def test_a_generator_that_could_not_be_written_down_is_refused():
    with pytest.raises(UsageError, match="PCG64"):
        rng_text(np.random.Generator(np.random.MT19937(1)))


@each_case("counts", [None, 7, "red", ["red"], {"red": -1}, {"red": 2.0}, {"red": True}, {"red": 10**9}, {"red": "2"}])
def test_a_supply_of_what_are_no_counts_is_refused_in_one_line(counts: Any):
    with pytest.raises(UsageError, match=r"^(number of )?cubes [^\n]*; allowed is [^\n]*$"):
        supply(counts, 0.008)


def test_a_supply_takes_numbers_of_numpy():
    assert supply({"red": cast("int", np.int64(2))}, 0.008) == supply({"red": 2}, 0.008)


@each_case("text", ["", "1:2", "x:1:", "1:2:3:4", "1:" + "f" * 33 + ":", "-1:1:", "1:1:123456789"])
def test_a_generator_is_not_made_of_another_text(text: str):
    with pytest.raises(UsageError, match=r"generator in the log is"):
        rng_from_text(text)
