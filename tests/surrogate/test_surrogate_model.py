"""The tower's surrogate as a model: contract, games, symmetry, what the data do not cover, what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support.cases import each_case
from support.command_line import refusal
from vectors.renew import Resting, move

from tower_sim import cli
from tower_sim.apparatus import from_tables, load
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.models import open_model
from tower_sim.studies.fitting.tower.data import Rows
from tower_sim.studies.fitting.tower.fit import chances
from tower_sim.surrogate import Cascade, SurrogateModel, shipped, shipped_names
from tower_sim.surrogate.kernel import OUT
from tower_sim.values import Cube, Event, Resident, TowerState, supply

SHAPE = load("amerigo")
SHIPPED = shipped(SHAPE.name, SHAPE.digest)
MODEL = SurrogateModel(SHAPE, SHIPPED)
RULES = Rules()
LEVEL = 1e-4  # of a test's false alarms; its seed is fixed
Capture = pytest.CaptureFixture[str]


def rng(*number: int) -> np.random.Generator:
    return np.random.default_rng([2013, *number])


def laden(lying: Sequence[int], drops: int = 1) -> TowerState:
    """A state of the shipped model with so many cubes on each floor, thrown `drops` drops ago."""
    floors = np.repeat(MODEL.table.regions, lying).tolist()
    cubes = supply({"red": len(floors)}, MODEL.cube_edge)
    events = (Event("drop", "", cubes, ()), *[Event("drop", "", (), ())] * (drops - 1))
    inside = tuple(Resident(cube, floor, 0) for cube, floor in zip(cubes, floors, strict=True))
    return replace(MODEL.empty(), residents=inside, log=events)


def others(count: int, state: TowerState) -> tuple[Cube, ...]:
    return supply({"blue": count}, MODEL.cube_edge, first_id=state.next_id)


def played(capsys: Capture, *arguments: str) -> Any:
    assert cli.main(["play", "amerigo", "--seed", "7", "--json", *arguments]) == 0
    printed = capsys.readouterr()
    assert [
        line for line in printed.err.splitlines() if not line.startswith("...")
    ] == []  # progress, on a slow machine
    return json.loads(printed.out)


def shape(document: Any) -> Any:
    """The document with every value replaced by its type, and every list by the shapes in it."""
    if isinstance(document, dict):
        return {key: shape(value) for key, value in document.items()}
    if isinstance(document, list):
        return sorted({json.dumps(shape(value)) for value in document})
    return type(document).__name__


def test_a_game_has_the_same_document_as_with_physics(capsys: Capture):
    mine, theirs = (played(capsys, "--set", "rounds=1", "--model", model) for model in ("surrogate", "physics"))
    assert shape(mine) == shape(theirs)
    assert (mine.pop("model"), theirs.pop("model")) == ("surrogate", "physics")
    ours, others = mine.pop("turns"), theirs.pop("turns")
    assert mine == theirs
    assert [turn["facts"]["phase"] for turn in ours] == [turn["facts"]["phase"] for turn in others]


def test_a_whole_game_has_36_entries_and_keeps_every_cube_of_every_colour(capsys: Capture):
    document = played(capsys, "--model", "surrogate")
    assert document == played(capsys, "--model", "surrogate")
    assert len(document["turns"]) == 36
    before = dict.fromkeys(RULES.colours, 0)
    for entry in document["turns"]:
        for colour in RULES.colours:
            assert before[colour] + entry["thrown"][colour] == entry["out"][colour] + entry["inside"][colour]
        before = entry["inside"]
    assert 0 < sum(before.values()) < 49


@pytest.mark.slow
def test_a_hundred_thousand_games_keep_every_cube_and_throw_what_is_in_storage_and_nothing_else():
    games = sample_games(MODEL, RULES, 100_000, 3)
    assert games.each_colour("thrown").shape == (100_000, 36, 7)
    before = np.zeros_like(games.each_colour("inside"))
    before[:, 1:] = games.each_colour("inside")[:, :-1]
    assert np.array_equal(before + games.each_colour("thrown"), games.each_colour("out") + games.each_colour("inside"))
    phase = np.ones((36, 7), bool)  # the set-up throws all
    phase[1:] = [np.arange(7) == RULES.colours.index(colour) for colour in (*RULES.phases,) * RULES.rounds]
    # all that is in storage, which is what is not inside: never fewer than none
    assert np.array_equal(games.each_colour("thrown"), np.where(phase, 7 - before, 0))
    assert games.each_colour("out").min() == games.each_colour("inside").min() == 0
    assert games.each_colour("inside").max() == 7


def test_the_first_game_can_be_any_of_the_stream_and_other_seeds_give_other_games():
    requests = ((20, 5, 0), (8, 5, 12), (8, 6, 0))
    long, later, other = (sample_games(MODEL, RULES, n, seed, first=first) for n, seed, first in requests)
    for name in ("thrown", "out", "inside"):
        assert np.array_equal(later.each_colour(name), long.each_colour(name)[12:])
    assert not np.array_equal(other.each_colour("out"), long.each_colour("out")[:8])
    assert not np.array_equal(later.each_colour("out"), long.each_colour("out")[:8])


def test_a_shift_releases_so_many_more_of_the_cubes_thrown():
    """Of 49 thrown into the empty tower; 20,000 games a side, their shares independent, 4 standard errors."""
    only_setup = Rules(rounds=0)
    games = [sample_games(MODEL, only_setup, 20_000, seed, shift=shift) for seed, shift in ((1, 0.0), (2, 0.03))]
    share = [each.each_colour("out").sum((1, 2)) / 49 for each in games]
    error = math.sqrt(sum(each.var(ddof=1) for each in share) / 20_000)
    assert error < 0.03 / 10
    assert abs(share[1].mean() - share[0].mean() - 0.03) < 4 * error
    none, zero = sample_games(MODEL, RULES, 3, 4), sample_games(MODEL, RULES, 3, 4, shift=0.0)
    assert np.array_equal(none.each_colour("out"), zero.each_colour("out"))


@each_case(
    ("given", "message"),
    [
        ({"games": 0}, "games is 0; allowed is a whole number from 1"),
        ({"seed": -1}, "seed is -1; allowed is a whole number from 0"),
        ({"first": -1}, "first is -1; allowed is a whole number from 0"),
        ({"shift": -0.03}, "shift is -0.03; allowed is a number from 0 to 1"),
        ({"shift": math.nan}, "shift is nan; allowed is a number from 0 to 1"),
    ],
)
def test_games_that_cannot_be_asked_for_are_refused(given: dict[str, Any], message: str):
    with pytest.raises(UsageError, match=message):
        sample_games(MODEL, **{"rules": RULES, "games": 1, "seed": 1} | given)


def places(cubes: Sequence[Cube]) -> list[dict[int, str]]:
    """Where every cube is after each of ten drops of seven."""
    state, result = MODEL.empty(), []
    for number in range(10):
        outside = [cube for cube in cubes if cube not in state.cubes]
        outcome = MODEL.drop(state, outside[:7] if number else outside, rng(number))
        state = outcome.state
        result.append({landing.cube.id: landing.place for landing in outcome.landings})
    return result


def test_cubes_that_swap_colours_land_as_they_did():
    cubes = RULES.supply(MODEL.cube_edge)
    mixed = rng(1).permutation(len(cubes))
    swapped = [replace(cube, colour=cubes[i].colour) for cube, i in zip(cubes, mixed, strict=True)]
    assert places(swapped) == places(cubes)


def test_the_order_in_which_cubes_are_given_does_not_matter():
    state = laden([0, 6, 3, 0])
    thrown = others(9, state)
    one, other = (MODEL.drop(state, cubes, rng(2)) for cubes in (thrown, thrown[::-1]))
    assert sorted(one.landings, key=lambda x: x.cube) == sorted(other.landings, key=lambda x: x.cube)


def exchangeable(left: Any, size: int = 1) -> float:
    """Test that groups of `size` cubes each are equally likely to leave: Cochran's Q (Biometrika 37, 1950).

    `left` has how many of each group left, shape (drop, group). Given how many left in all, those are a random choice,
    whatever a drop's cubes have in common; for groups Q has the variance of the hypergeometric law.
    """
    groups = left.shape[1]
    every, total = groups * size, left.sum(1)
    variance = (size * total * (every - total) / (every * (every - 1))).sum()
    return float(stats.chi2.sf(((left.sum(0) - left.sum(0).mean()) ** 2).sum() / variance, groups - 1))


def test_cubes_alike_are_equally_likely_to_leave():
    """2,000 drops of 8 cubes onto 12 that came into the tower together and lie on one floor."""
    state = laden([0, 12, 0, 0], drops=3)
    thrown = others(8, state)
    left = np.zeros((2000, 20), int)
    for number in range(len(left)):
        left[number, [cube.id for cube in MODEL.drop(state, thrown, rng(number)).emerged]] = 1
    assert 0.02 < left[:, :12].mean() < left[:, 12:].mean() < 0.99
    assert exchangeable(left[:, :12]) > LEVEL
    assert exchangeable(left[:, 12:]) > LEVEL
    assert exchangeable(left) < LEVEL / 1000  # those inside and those thrown are not alike


def test_all_colours_are_equally_likely_to_leave_the_set_up():
    """50,000 set-ups of 7 cubes of each of 7 colours."""
    left = sample_games(MODEL, Rules(rounds=0), 50_000, 8).each_colour("out")[:, 0].astype(int)
    assert exchangeable(left, 7) > LEVEL


@given(st.integers(0, 500), st.lists(st.integers(0, 100), min_size=4, max_size=4), st.integers(1, 400))
@settings(max_examples=40, deadline=None)
def test_any_number_of_cubes_can_be_thrown_onto_any_number_inside(thrown: int, lying: list[int], drops: int):
    state = laden(lying, drops)
    cubes = others(thrown, state)
    outcome = MODEL.drop(state, cubes, rng(thrown, drops, *lying))
    assert sorted(x.cube for x in outcome.landings) == sorted((*state.cubes, *cubes))
    assert len(outcome.emerged) + len(outcome.state.residents) == thrown + sum(lying)
    floor = {region: i for i, region in enumerate(MODEL.table.regions)}
    before = {x.cube: floor[x.region] for x in state.residents}
    assert all(floor[x.region] >= before.get(x.cube, 0) for x in outcome.state.residents)  # nothing climbs
    assert outcome.state.drops == state.drops + 1
    if not thrown:
        assert outcome.state.residents == state.residents
        assert {x.cube: x.place for x in outcome.landings} == {x.cube: f"inside:{x.region}" for x in state.residents}
        assert not outcome.extrapolated


def expected_out(thrown: int, inside: int) -> float:
    """The exact mean number out; those inside came ten drops before, and of every 10 seven lie on the upper floor."""
    lying = [0, round(0.7 * inside), inside - round(0.7 * inside), 0]
    start = np.repeat([-1, 0, 1, 2, 3], [thrown, *lying])
    one, none = np.zeros(1, int), np.zeros(len(start), int)
    drops = {"run": one, "thrown": one + thrown, "lying": np.array([lying]), "fresh": np.zeros((1, 4), int)}
    cubes = {"drop": none, "start": start, "end": start, "age": none + 10, "in_crowd": none > 0}
    rows = Rows(regions=MODEL.table.regions, **drops, **cubes, cube=np.arange(len(start)))
    chance, weights = chances(SHIPPED.cascade_of(SHAPE.digest), rows)
    return float((chance @ weights).sum())


def test_more_come_out_the_more_are_thrown_and_the_more_are_inside():
    """In a game, where over 15 are seldom inside. More clog the tower, with physics and with the law."""
    thrown, inside = (1, 2, 3, 4, 5, 6, 7), (0, 5, 10, 15)
    mean = np.array([[expected_out(n, m) for m in inside] for n in thrown])
    assert np.all(np.diff(mean, axis=0) > 0)
    assert np.all(np.diff(mean, axis=1) > 0)
    assert np.all(mean < np.add.outer(thrown, inside))


@each_case("thrown", [0, 1, 4, 60, 61, 200])
def test_a_drop_takes_its_words_in_one_order_however_many_it_can_take(thrown: int):
    """The words of each 256 that are drawn are taken from the last to the first."""
    used, same = rng(thrown), rng(thrown)
    blocks = [same.integers(0, 1 << 32, 256, np.uint32).tolist() for _ in range(4)]
    words = [word for block in blocks for word in reversed(block)]
    state = laden([2, 0, 0, 1])
    taken = iter(words)
    resting = [Resting(MODEL.table.regions.index(each.region), 1, in_crowd=False) for each in state.residents]
    ends = move(MODEL.table, [*resting, *[None] * thrown], lambda: next(taken))
    outcome = MODEL.drop(state, others(thrown, state), used)
    regions = [f"inside:{region}" for region in MODEL.table.regions]
    assert [landing.place for landing in outcome.landings] == ["tray" if end == OUT else regions[end] for end in ends]
    sample = len(words) - len(list(taken))
    left = rng(thrown)
    left.integers(0, 1 << 32, 256 * math.ceil(sample / 256), np.uint32)
    assert used.bit_generator.state == left.bit_generator.state


def test_an_outcome_is_extrapolated_exactly_where_the_data_have_no_such_drop(capsys: Capture):
    (least, *_), (most, *_) = SHIPPED.covered[0], SHIPPED.covered[-1]
    inside_of = {n: (low, high) for n, low, high in SHIPPED.covered}
    assert least == 1
    assert inside_of[7][0] == 0
    upto = inside_of[7][1]
    cases = [(7, 0, False), (7, upto, False), (7, upto + 1, True), (most + 1, 0, True), (0, 400, False)]
    for thrown, inside, message in cases:
        state = laden([0, inside, 0, 0])
        assert MODEL.drop(state, others(thrown, state), rng(1)).extrapolated is message
    for count, message in ((7, False), (most + 1, True)):
        assert cli.main(["throw", "amerigo", "--model", "surrogate", "--cubes", f"blue={count}", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["extrapolated"] is message


def test_what_is_covered_is_told_by_the_nearest_number_thrown():
    covered = replace(SHIPPED, covered=((2, 0, 9), (8, 3, 5))).covers
    inside = {thrown: [m for m in range(12) if covered(thrown, m)] for thrown in (1, 2, 4, 7, 8, 9)}
    assert inside == {1: [], 2: [*range(10)], 4: [*range(10)], 7: [3, 4, 5], 8: [3, 4, 5], 9: []}
    assert covered(0, 100)
    assert not replace(SHIPPED, covered=()).covers(1, 0)


def test_a_state_of_another_law_is_refused():
    law = MODEL.fitted.cascade_of(SHAPE.digest)
    first = replace(law.floors[0], pushed=law.floors[0].pushed + 1e-6)
    other = SurrogateModel(SHAPE, replace(SHIPPED, law=Cascade((first, *law.floors[1:]))))
    with pytest.raises(UsageError, match="state belongs to surrogate"):
        MODEL.drop(other.empty(), others(1, other.empty()), rng(1))


def test_a_tower_with_one_other_measure_has_no_surrogate_but_advice(tmp_path: Path):
    profile = deepcopy(dict(SHAPE.profile))
    profile["funnel"]["rim_mm"] += 1
    changed = from_tables(profile, "amerigo")
    message = (
        r"profile amerigo is 'changed \(\w+\)'; allowed is as it ships \(\w+\), .*; take the model physics, or fit"
    )
    with pytest.raises(UsageError, match=message):
        open_model(changed, "surrogate")
    with pytest.raises(UsageError, match=r"was fitted for apparatus 'amerigo' .*; run a campaign with it and fit"):
        SurrogateModel(changed, SHIPPED)
    text = (Path(cli.__file__).parent.parent / "apparatus/amerigo/profiles/amerigo.toml").read_text("utf-8")
    assert "rim_mm = 120" in text
    (tmp_path / "mine.toml").write_text(text.replace("rim_mm = 120", "rim_mm = 121"), "utf-8")
    line = refusal("play", "amerigo", "--tower", str(tmp_path / "mine.toml"), "--model", "surrogate")
    allowed = ", ".join(shipped_names())
    assert f"apparatus is 'mine'; allowed is one with a surrogate: {allowed}; take" in line


def test_models_that_are_not_there_are_refused(tmp_path: Path):
    allowed = "allowed is one of physics, surrogate, two_thirds, or a .json file of `tower-sim model fit`"
    with pytest.raises(UsageError, match=f"model is 'nonsense'; {allowed}"):
        open_model(SHAPE, "nonsense")
    assert allowed in refusal("play", "amerigo", "--model", "nonsense")
    missing = str(tmp_path / "missing.json")
    assert "it is not there" in refusal("throw", "amerigo", "--cubes", "blue=1", "--model", missing)


def test_a_boards_law_is_refused_for_a_tower_and_a_towers_for_a_board(tmp_path: Path):
    ship = load("dead_reckoning")
    with pytest.raises(UsageError, match="kind of the surrogate is 'board'; allowed is tower"):
        SurrogateModel(SHAPE, shipped(ship.name, ship.digest))
    (tmp_path / "tower.json").write_text(SHIPPED.to_json(), "utf-8")
    with pytest.raises(UsageError, match="kind of the surrogate is 'tower'; allowed is board"):
        open_model(ship, str(tmp_path / "tower.json"))


def test_a_drop_lies_outside_of_the_fit_where_the_fit_does_not_cover_its_numbers():
    games = sample_games(MODEL, RULES.but(cubes=12), 200, 6)
    thrown, before = games.grid("thrown"), games.grid("before")
    expected = [not MODEL.fitted.covers(int(n), int(m)) for n, m in zip(thrown.flat, before.flat, strict=True)]
    assert MODEL.extrapolated(games).ravel().tolist() == expected
    assert 0 < sum(expected) < len(expected)
