"""Matching: levels, distances and relabelling against the enumeration of every choice of colours."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from tower_sim import Cube, PhysicsModel, load, open_model, supply
from tower_sim.errors import UsageError
from tower_sim.outcome import Status
from tower_sim.replay.matching import (
    LEVELS,
    OUT,
    THROWN,
    Recorded,
    Sought,
    Wanted,
    distance,
    level_of,
    moves_of,
    moves_text,
    of_outcome,
    read_moves,
    relabelled,
)
from tower_sim.replay.stored import recorded_cubes
from tower_sim.replay.takes import Lying, Take, Track
from tower_sim.replay.transport import transport

A, B = "inside:upper_floor", "inside:lower_floor"
COLOURS = ("blue", "red", "white")
MOVES = [(before, after) for before in (A, B, THROWN) for after in (A, B, OUT)]

drops = st.lists(st.sampled_from(MOVES), max_size=6).map(
    lambda moves: [Recorded(10 + i, *move, still=move[0] == move[1]) for i, move in enumerate(moves)]
)


@st.composite
def wanteds(draw: st.DrawFn, told: bool = True) -> Wanted:
    moves = draw(st.lists(st.tuples(st.sampled_from(COLOURS), st.sampled_from(MOVES)), max_size=6))
    cubes = tuple(Sought(i, colour, *move) for i, (colour, move) in enumerate(moves))
    out = Counter(cube.colour for cube in cubes if cube.after == OUT)
    if not told:
        floors = (A, B, OUT)
        cubes = tuple(
            Sought(x.number, x.colour, THROWN if x.before == THROWN else "inside:", None if x.after in floors else "")
            for x in cubes
        )
    return Wanted(cubes, out)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Wanted, list[Recorded]]:
    """A wanted drop, and a recorded one that is often of as many cubes, so that all levels come up."""
    wanted, kind = draw(wanteds()), draw(st.integers(0, 3))
    if kind == 0:
        return wanted, draw(drops)
    moves = [(cube.before, cube.after or "") for cube in wanted.cubes]
    if kind > 1 and moves:
        outs = draw(st.permutations([move[1] for move in moves]))
        moves = [(move[0], after) for move, after in zip(moves, outs, strict=True)]
    if kind > 2 and moves:
        befores = [move[0] if move[0] == THROWN else draw(st.sampled_from([A, B])) for move in moves]
        moves = [(before, move[1]) for before, move in zip(befores, moves, strict=True)]
    moves = draw(st.permutations(moves))
    return wanted, [Recorded(10 + i, *move, still=move[0] == move[1]) for i, move in enumerate(moves)]


def colourings(wanted: Wanted, cubes: Sequence[Recorded]) -> Iterator[list[tuple[str | None, Recorded]]]:
    """Every way to show the recorded cubes: as a colour, or not at all where there are too many from inside."""
    hands = [cube for cube in cubes if cube.before == THROWN]
    others = [cube for cube in cubes if cube.before != THROWN]
    for thrown in set(itertools.permutations(wanted.thrown.elements())):
        for inside in _ways(list(wanted.inside.elements()), len(others)):
            yield [*zip(thrown, hands, strict=True), *zip(inside, others, strict=True)]


def _ways(colours: list[str], number: int) -> set[tuple[str | None, ...]]:
    """All orders of `number` of these colours; where they are fewer, some cubes are not shown."""
    padded: list[str | None] = [*colours, *[None] * (number - len(colours))]
    return set(itertools.permutations(padded, number))


def enumerated(wanted: Wanted, cubes: Sequence[Recorded]) -> str | None:
    """The best level of all colourings."""
    if (len(wanted.cubes), sum(wanted.thrown.values())) != (len(cubes), sum(x.before == THROWN for x in cubes)):
        return None
    best: list[str] = []
    for colouring in colourings(wanted, cubes):
        if Counter((colour, (x.before, x.after)) for colour, x in colouring) == wanted.moves:
            best.append("exact")
        elif Counter((colour, x.after) for colour, x in colouring) == wanted.after:
            best.append("floors")
        elif Counter(colour for colour, x in colouring if x.after == OUT) == wanted.out:
            best.append("counts")
    return min(best, key=LEVELS.index, default=None)


@given(pairs())
def test_a_level_is_the_best_of_all_colourings(pair: tuple[Wanted, list[Recorded]]):
    wanted, cubes = pair
    assert level_of(wanted, moves_of(cubes)) == enumerated(wanted, cubes)


def test_every_level_comes_up():
    """The pairs of the test above are of all kinds: each of these is one of its draws' shapes."""
    wanted = Wanted((Sought(0, "blue", A, OUT), Sought(1, "red", THROWN, B), Sought(2, "red", B, B)), {"blue": 1})
    shapes = {
        "exact": [(A, OUT), (THROWN, B), (B, B)],
        "floors": [(B, OUT), (THROWN, B), (B, B)],
        "counts": [(A, OUT), (THROWN, A), (B, A)],
        None: [(A, A), (THROWN, OUT), (B, B)],
    }
    for level, moves in shapes.items():
        assert level_of(wanted, Counter(moves)) == level


@given(wanteds(), drops)
def test_the_distance_is_the_least_of_all_colourings(wanted: Wanted, cubes: list[Recorded]):
    found = distance(wanted, moves_of(cubes))
    thrown = sum(cube.before == THROWN for cube in cubes)
    leaving = sum(cube.before != THROWN and cube.after == OUT for cube in cubes)
    if thrown != wanted.thrown.total() or leaving > wanted.inside.total():
        assert found is None
        return
    least = 1000
    for colouring in colourings(wanted, cubes):
        if any(colour is None and x.after == OUT for colour, x in colouring):
            continue  # one that leaves is never left out
        out = Counter(colour for colour, x in colouring if x.after == OUT)
        apart = sum(abs(out[colour] - wanted.out.get(colour, 0)) for colour in COLOURS)
        least = min(least, apart)
    assert found == least + abs(len(cubes) - thrown - wanted.inside.total())


@given(pairs())
def test_a_relabelled_drop_has_the_counts_of_its_level(pair: tuple[Wanted, list[Recorded]]):
    wanted, cubes = pair
    best = level_of(wanted, moves_of(cubes))
    for level in LEVELS[:-1]:
        if best is None or LEVELS.index(best) > LEVELS.index(level):
            with pytest.raises(ValueError, match="reaches"):
                relabelled(wanted, cubes, level)
            continue
        numbers = relabelled(wanted, cubes, level)
        sought = {cube.number: cube for cube in wanted.cubes}
        assert sorted(numbers) == [cube.number for cube in cubes]
        assert sorted(numbers.values()) == sorted(sought)
        shown = [(sought[numbers[cube.number]], cube) for cube in cubes]
        assert all((other.before == THROWN) == (cube.before == THROWN) for other, cube in shown)
        assert Counter(other.colour for other, cube in shown if cube.after == OUT) == wanted.out
        if level in ("exact", "floors"):
            assert Counter((other.colour, cube.after) for other, cube in shown) == wanted.after
        if level == "exact":
            assert all((other.before, other.after) == (cube.before, cube.after) for other, cube in shown)


@given(wanteds(), drops)
def test_the_nearest_shows_as_many_as_it_can_and_is_as_near_as_it_says(wanted: Wanted, cubes: list[Recorded]):
    far = distance(wanted, moves_of(cubes))
    if far is None:
        with pytest.raises(ValueError, match="another number"):
            relabelled(wanted, cubes, "nearest")
        return
    numbers = relabelled(wanted, cubes, "nearest")
    sought = {cube.number: cube for cube in wanted.cubes}
    assert len(set(numbers.values())) == len(numbers) == min(len(cubes), len(wanted.cubes))
    left = [cube for cube in cubes if cube.number not in numbers]
    assert all(cube.before != THROWN and cube.after != OUT for cube in left)
    stayed = [cube for cube in cubes if cube.before != THROWN and cube.after != OUT]
    moving = sum(not cube.still for cube in left)
    assert moving == max(0, len(left) - sum(cube.still for cube in stayed)), "those that lie still are left out first"
    out = Counter(sought[numbers[cube.number]].colour for cube in cubes if cube.after == OUT)
    apart = sum(abs(out[colour] - wanted.out.get(colour, 0)) for colour in COLOURS)
    assert apart + abs(len(cubes) - len(wanted.cubes)) == far


@given(wanteds(told=False), drops)
def test_counts_alone_reach_the_level_of_counts(wanted: Wanted, cubes: list[Recorded]):
    level = level_of(wanted, moves_of(cubes))
    assert level in (None, "counts" if wanted.cubes else "exact")
    if level:
        numbers = relabelled(wanted, cubes, "counts")
        colour = {cube.number: cube.colour for cube in wanted.cubes}
        assert Counter(colour[numbers[x.number]] for x in cubes if x.after == OUT) == wanted.out


@given(drops)
def test_moves_are_read_back(cubes: list[Recorded]):
    moves = moves_of(cubes)
    assert read_moves(moves_text(moves)) == moves
    assert moves_text(moves_of(reversed(cubes))) == moves_text(moves)


@each_case("text", ["{}", "[1]", '[["a","b"]]', '[["a","b",0]]', '[["a","b","c"]]', '[["a","b",1.5]]', "nope"])
def test_other_texts_are_no_moves(text: str):
    with pytest.raises(ValueError, match=r"move|Expecting"):
        read_moves(text)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.lists(st.integers(0, 2), min_size=9, max_size=9),
)
def test_a_flow_is_the_greatest(supply: list[int], demand: list[int], caps: list[int]):
    cells = {(i, j): caps[3 * i + j] for i in range(len(supply)) for j in range(len(demand))}
    flow = transport(dict(enumerate(supply)), dict(enumerate(demand)), cells)
    assert all(0 <= carried <= cells[cell] for cell, carried in flow.items())
    for i, most in enumerate(supply):
        assert sum(carried for cell, carried in flow.items() if cell[0] == i) <= most
    for j, most in enumerate(demand):
        assert sum(carried for cell, carried in flow.items() if cell[1] == j) <= most
    cuts = [  # the least cut of all: rows in `r` and columns in `c` on the side of the source
        sum(x for i, x in enumerate(supply) if i not in r)
        + sum(x for j, x in enumerate(demand) if j in c)
        + sum(x for (i, j), x in cells.items() if i in r and j not in c)
        for r in _subsets(len(supply))
        for c in _subsets(len(demand))
    ]
    assert sum(flow.values()) == min(cuts)


def _subsets(number: int) -> list[set[int]]:
    return [set(some) for size in range(number + 1) for some in itertools.combinations(range(number), size)]


def test_more_cubes_out_than_there_are_is_refused():
    with pytest.raises(UsageError, match=r"cubes of red that come out is 2; allowed is 0 to 1"):
        Wanted((Sought(0, "red", THROWN),), {"red": 2})
    with pytest.raises(UsageError, match="as the cubes have it"):
        Wanted((Sought(0, "red", THROWN, A),), {"red": 1})


def test_a_drop_of_physics_matches_itself_and_one_of_the_surrogate_is_known_cube_by_cube():
    shape = load("amerigo")
    for model in (PhysicsModel(shape), open_model(shape, "surrogate")):
        with model:
            before = model.drop(model.empty(), supply({"blue": 4, "red": 3}, model.cube_edge), np.random.default_rng(3))
            cubes = supply({"blue": 2, "white": 2}, model.cube_edge, first_id=before.state.next_id)
            outcome = model.drop(before.state, cubes, np.random.default_rng(4))
        wanted = of_outcome(before.state, outcome)
        assert wanted.thrown == {"blue": 2, "white": 2}
        assert wanted.inside.total() == len(before.state.cubes)
        cubes = [Recorded(x.number, x.before, x.after or "") for x in wanted.cubes]
        assert level_of(wanted, moves_of(cubes)) == "exact"
        assert relabelled(wanted, cubes, "exact") == {x.number: x.number for x in wanted.cubes}


def test_what_became_of_the_cubes_of_a_take():
    """0 stays where it is, 1 falls a floor, 2 is pushed out; 3 is thrown and stays, 4 is thrown and comes out."""
    cubes = [Cube(number, "red", 0.008) for number in range(5)]
    start = tuple(Lying(cube, place, None) for cube, place in zip(cubes, (B, A, B), strict=False))
    rest = tuple(Lying(cube, place, None) for cube, place in zip(cubes, (B, B, "tray", A, "table"), strict=True))
    tracks = tuple(Track(number, 0, np.zeros((2, 7))) for number in (1, 2, 3, 4))
    take = Take("drop", Status.SETTLED, 2, 0.0, (), tuple(cubes[3:]), start, rest, tracks, ())
    assert recorded_cubes(take) == [
        Recorded(0, B, B, still=True), Recorded(1, A, B), Recorded(2, B, OUT), Recorded(3, THROWN, A),
        Recorded(4, THROWN, OUT),
    ]  # fmt: skip
