"""The tower that becomes the profile is in the posterior's middle, and what it does is said in a player's words."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from tower_sim.calibration.choice import CLOSE, choose, shortlist
from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.emulator import Predicted
from tower_sim.calibration.evidence import Evidence, Within
from tower_sim.calibration.fit import Fit, Posterior
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.plain import MOST, tower_in_words
from tower_sim.calibration.plain import NUMBERS as WORDS
from tower_sim.calibration.summaries import DROPS, EVERY, SUMMARIES, Window, game_counts
from tower_sim.runs.by_drop import ByDrop

FRICTION = [number.name for number in NUMBERS].index("friction")


class Slope:
    """An emulator of towers that keep the less the more friction: log odds from 1 on."""

    def __init__(self, slope: float) -> None:
        self.slope = slope

    def at(self, window: Window, unit: np.ndarray) -> Predicted:
        mean = 1.0 + self.slope * unit[:, FRICTION]
        return Predicted(mean, np.full(len(unit), 0.1), np.full(len(unit), 0.3))

    def correlation(self, windows: object) -> np.ndarray:
        raise NotImplementedError


def fitted(unit: np.ndarray, slope: float) -> Fit:
    scale = 1.0 + slope * unit[:, FRICTION]
    targets = {name: np.asarray(SUMMARIES[name].back(scale)) for name in ("setup", "inside", "out")}
    towers = Posterior(unit, targets, float(len(unit)), 0.0)
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
    found = shortlist(Slope(-4.0), fitted(unit, -4.0), [], 1)[0]
    middle = float(np.median(unit[:, FRICTION]))
    assert abs(found.point[FRICTION] - middle) < CLOSE
    assert np.mean([x for i, x in enumerate(found.point) if i != FRICTION]) < 0.4
    assert (found.towers, found.point in set(map(tuple, unit.tolist()))) == (1000, True)
    assert shortlist(Slope(-4.0), fitted(unit, -4.0), [], 1)[0] == found
    why = choose(Slope(-4.0), fitted(unit, -4.0), [found]).why
    assert why.startswith("Of 1000 towers that agree with the evidence one in the middle was played: of the 10 %")


def test_where_all_towers_do_the_same_the_one_that_most_are_like_is_chosen():
    unit = two_kinds(np.random.default_rng(9))
    found = shortlist(Slope(0.0), fitted(unit, 0.0), [], 1)[0]
    assert np.mean(found.point) < 0.4  # of the likely kind


class Coloured(Slope):
    """The same towers; the share of phases with one colour out falls with the first number that is not friction."""

    def at(self, window: Window, unit: np.ndarray) -> Predicted:
        if window.summary != "single":
            return super().at(window, unit)
        mean = 2.0 - 6.0 * unit[:, OTHER]
        return Predicted(mean, np.full(len(unit), 0.1), np.full(len(unit), 0.3))

    def correlation(self, windows: object) -> np.ndarray:
        return np.eye(1)


OTHER = 0 if FRICTION else 1


def test_of_towers_in_the_middle_one_is_chosen_that_the_clues_do_not_contradict():
    rng = np.random.default_rng(3)
    unit = rng.random((1000, len(NUMBERS)))
    said = Evidence("few", "", "", "impression", (), (), clues=(Within(EVERY["single"], 0.05, 0.2),))
    plain = fitted(unit, -4.0)
    for target, cubes in plain.posterior.targets.items():  # wrong by more than a little, each in its own way
        scaled = SUMMARIES[target].scale(cubes) + 0.3 * rng.normal(size=1000)
        plain.posterior.targets[target] = np.asarray(SUMMARIES[target].back(scaled))
    clued = shortlist(Coloured(-4.0), replace(plain, evidence=(said,)), [], 1)[0]
    share = 1 / (1 + np.exp(-(2.0 - 6.0 * clued.point[OTHER])))
    assert 0.04 < share < 0.25
    assert abs(clued.point[FRICTION] - float(np.median(unit[:, FRICTION]))) < 0.2


def test_of_a_shortlist_the_one_is_chosen_whose_own_games_come_nearest():
    unit = two_kinds(np.random.default_rng(2))
    fit = fitted(unit, -4.0)
    middle = shortlist(Slope(-4.0), fit, [], 20)
    assert len({each.point for each in middle}) == 20
    assert all(np.mean(each.point) < 0.5 for each in middle)
    told = middle[7].point

    class Played(Slope):
        """Knows that one of them alone does what is predicted, and all others keep more than they seemed to."""

        def at(self, window: Window, unit: np.ndarray) -> Predicted:
            seen = super().at(window, unit)
            more = np.where((unit == np.array(told)).all(1), 0.0, 1.5)
            return seen if len(unit) > 20 else replace(seen, mean=seen.mean + more)

    found = choose(Played(-4.0), fit, middle)
    assert (found.middle.point, found.played) == (told, 20)
    assert "20 in the middle were played: of the 10 % that do most nearly what is predicted" in found.why


@each_case("seed", range(4))
def test_where_bounds_are_told_a_tower_within_them_is_chosen_and_it_says_so(seed: int):
    unit = np.random.default_rng(seed).random((1000, len(NUMBERS)))
    free = fitted(unit, -4.0)

    def told(most: float) -> Fit:
        bound = Within(EVERY["single"], 0.0, most)
        return replace(free, evidence=(Evidence("few", "", "", "impression", (), (), clues=(bound,), doubt=4.0),))

    found = shortlist(Coloured(-4.0), told(0.1), [], 1)[0]
    kept = 2.0 - 6.0 * unit[:, OTHER] <= np.log(0.1 / 0.9)
    assert (found.bounded, found.towers) == (True, kept.sum())
    assert found.point in set(map(tuple, unit[kept].tolist()))
    assert "keep within every bound that was told" in choose(Coloured(-4.0), told(0.1), [found]).why
    assert "bound" not in choose(Coloured(-4.0), free, shortlist(Coloured(-4.0), free, [], 1)).why
    assert not shortlist(Coloured(-4.0), told(0.001), [], 1)[0].bounded  # none does


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
