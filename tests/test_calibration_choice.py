"""The tower that becomes the profile is in the posterior's middle, and what it does is said in a player's words."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from tower_sim.calibration.choice import CLOSE, choose
from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.evidence import Evidence, Within
from tower_sim.calibration.fit import Fit, Posterior
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.plain import MOST, tower_in_words
from tower_sim.calibration.plain import NUMBERS as WORDS
from tower_sim.calibration.summaries import DROPS, EVERY, SUMMARIES, game_counts
from tower_sim.runs.by_drop import ByDrop

FRICTION = [number.name for number in NUMBERS].index("friction")


def fitted(unit: np.ndarray, slope: float) -> Fit:
    scale = 1.0 + slope * unit[:, FRICTION]
    targets = {name: np.asarray(SUMMARIES[name].back(scale)) for name in ("setup", "inside", "out")}
    towers = Posterior(unit, targets, float(len(unit)), 0.0, targets)
    return Fit((), Discrepancy(), towers, towers, (), ())


def two_kinds(rng: np.random.Generator) -> np.ndarray:
    """900 towers of one kind, close together, and 100 of another, far away and apart; friction is even in both."""
    likely, unlikely = rng.normal(0.3, 0.03, (900, len(NUMBERS))), rng.normal(0.8, 0.1, (100, len(NUMBERS)))
    unit = np.clip(np.concatenate([likely, unlikely]), 0, 0.999)
    unit[:, FRICTION] = rng.random(1000)
    return unit


@each_case("seed", range(4))
def test_the_tower_chosen_does_what_is_predicted_and_is_of_the_likely_kind(seed: int):
    unit = two_kinds(np.random.default_rng(seed))
    found = choose(fitted(unit, -4.0))
    middle = float(np.median(unit[:, FRICTION]))
    assert abs(found.point[FRICTION] - middle) < CLOSE
    assert np.mean([x for i, x in enumerate(found.point) if i != FRICTION]) < 0.4
    assert (found.towers, found.point in set(map(tuple, unit.tolist()))) == (1000, True)
    assert choose(fitted(unit, -4.0)) == found
    assert found.why.startswith("Of 1000 towers that were played and agree with the evidence it is, of the 10 %")


def test_where_all_towers_do_the_same_the_one_that_most_are_like_is_chosen():
    unit = two_kinds(np.random.default_rng(9))
    assert np.mean(choose(fitted(unit, 0.0)).point) < 0.4  # of the likely kind


def test_bounds_that_were_told_choose_no_tower_a_second_time():
    """They weigh in the fit; the choice is the same whether the evidence has them or not."""
    unit = np.random.default_rng(1).random((1000, len(NUMBERS)))
    free = fitted(unit, -4.0)
    bound = Evidence("few", "", "", "impression", (), (), clues=(Within(EVERY["single"], 0.0, 0.1),))
    assert choose(replace(free, evidence=(bound,))) == choose(free)


def test_a_tower_that_many_draws_are_of_counts_as_many():
    """A tower with half of the draws is in the middle; were it one of a thousand others it would not be."""
    unit = np.random.default_rng(3).random((1000, len(NUMBERS)))
    unit[:, FRICTION] *= 0.4
    unit[:500] = unit[0]
    unit[:500, FRICTION] = 0.9
    assert choose(fitted(unit, -4.0)).point[FRICTION] == 0.9


def games(setup: int, inside: int, out: int, colours: list[int]) -> ByDrop:
    """Twenty equal games; phase i lets cubes of colours[i % len] colours out."""
    of = np.resize(colours, DROPS - 1)
    kept = np.tile([setup, *[inside] * (DROPS - 1)], (20, 1))
    came = np.tile([49 - setup, *[out] * (DROPS - 1)], (20, 1))
    columns = np.tile([7, *of], (20, 1))
    return game_counts(np.full_like(kept, 5), came, kept, kept, came, columns, came, came)


@each_case(
    ("colours", "says"),
    [
        ([2], "two actions to choose from in most phases (100 % of those in which something comes out)"),
        ([1, 1, 1, 2, 3], "one action to choose from in most phases (60 %"),
        ([1, 2, 2, 3, 3], "two or three actions to choose from in most phases (80 %"),
        ([1, 2, 3, 4], "one or two actions to choose from in most phases (5"),
        ([1, 3, 5], "one to three actions to choose from in most phases (6"),
    ],
)
def test_a_tower_in_words(colours: list[int], says: str):
    told = tower_in_words(games(16, 11, 6, colours))
    assert told.startswith("The tower of the profile keeps about 16 cubes after the set-up and mostly 11 in play, lets")
    assert says in told


@given(st.lists(st.integers(1, 7), min_size=1, max_size=35))
def test_most_phases_are_most_phases(colours: list[int]):
    """Whatever the colours, the numbers named are those of more than half of the phases, and no fewer numbers would."""
    told = tower_in_words(games(16, 11, 6, colours)).split("and offers ")[1]
    said = [WORDS.index(word) for word in told.split(" action")[0].split() if word in WORDS]
    of = np.resize(colours, DROPS - 1)
    assert ((of >= said[0]) & (of <= said[-1])).mean() > MOST
    assert all(((of >= a) & (of < a + said[-1] - said[0])).mean() <= MOST for a in range(1, 8))


def test_without_a_whole_game_nothing_is_said():
    cut = games(16, 11, 6, [1])
    cut.thrown[:, -1] = -1
    assert tower_in_words(cut).endswith("none of its simulated games came to its end.")
