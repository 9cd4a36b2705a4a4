import string
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tower_sim.cubes import Cube, supply
from tower_sim.errors import UsageError
from tower_sim.state import Event, Pose, Resident, TowerState, rng_from_text, rng_text

finite = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(min_size=0, max_size=8)
cubes = st.builds(Cube, st.integers(0, 10**6), words, finite)
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
states = st.builds(
    TowerState,
    words,
    words,
    words,
    st.lists(residents, max_size=5).map(tuple),
    st.lists(events, max_size=3).map(tuple),
)


@given(states)
def test_a_state_read_back_from_its_token_equals_it_bit_for_bit(state: TowerState):
    again = TowerState.from_token(state.token())
    assert again == state
    assert again.token() == state.token()


@given(states, st.data())
def test_a_token_with_one_character_changed_lost_or_added_is_refused_in_one_line(state, data):
    token = state.token()
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from([c for c in string.ascii_letters + string.digits + "-_." if c != token[at]]))
    damaged = data.draw(
        st.sampled_from([token[:at] + other + token[at + 1 :], token[:at] + token[at + 1 :], token + other])
    )
    with pytest.raises(UsageError) as error:
        TowerState.from_token(damaged)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("text", ["", "hello", "TOWER1", "TOWER2.abc.def", "a.b.c", "TOWER1..", "x" * 10_000])
def test_what_is_no_token_is_refused_in_one_line_that_says_what_is_allowed(text: str):
    with pytest.raises(UsageError, match=r"^state token .* (allowed|damaged).*$"):
        TowerState.from_token(text)


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


@pytest.mark.parametrize(
    "counts", [None, 7, "red", ["red"], {"red": -1}, {"red": 2.0}, {"red": True}, {"red": 10**9}, {"red": "2"}]
)
def test_a_supply_of_what_are_no_counts_is_refused_in_one_line(counts: Any):
    with pytest.raises(UsageError, match=r"^(number of )?cubes [^\n]*; allowed is [^\n]*$"):
        supply(counts, 0.008)


def test_a_supply_takes_numbers_of_numpy():
    assert supply({"red": cast("int", np.int64(2))}, 0.008) == supply({"red": 2}, 0.008)


@pytest.mark.parametrize("text", ["", "1:2", "x:1:", "1:2:3:4", "1:" + "f" * 33 + ":", "-1:1:", "1:1:123456789"])
def test_a_generator_is_not_made_of_another_text(text: str):
    with pytest.raises(UsageError, match=r"generator in the log is"):
        rng_from_text(text)
