"""The combat ship as a BoardModel: where cubes land, what later cubes do, no cube stuck."""

import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from tower_sim.apparatus import load
from tower_sim.apparatus.combat_ship.dimensions import CombatShip
from tower_sim.errors import UsageError
from tower_sim.simulator import PhysicsModel
from tower_sim.values import BoardState, Cube, Event, Landing, Pose, Resident, Status, TowerState, supply

SHIP = SHAPE = cast("CombatShip", load("dead_reckoning"))
EDGE = SHIP.cube_edge
FLAT = (0.0, 0.0, 0.0, 1.0)
THROWS, THROWN = 334, 9


@pytest.fixture(name="throws", scope="module")
def _throws(model: PhysicsModel) -> list[tuple[Status, tuple[Landing, ...]]]:
    cubes = supply({"purple": 6, "green": 3}, model.cube_edge)
    outcomes = [model.drop(model.empty(), cubes, np.random.default_rng([3, i])) for i in range(THROWS)]
    return [(outcome.status, outcome.landings) for outcome in outcomes]


@pytest.mark.slow
def test_no_cube_of_3006_gets_stuck_and_every_throw_settles(throws):
    """None of 3,006: with 95 % confidence fewer than 0.1 % are; a chance of 0.5 % is seen with a power of 81 %."""
    assert Counter(status for status, _ in throws) == {Status.SETTLED: THROWS}
    assert not [x for _, landings in throws for x in landings if x.inside]


def test_every_zone_receives_between_1_and_50_percent(throws):
    """At n = 3,006 a share of 1 % has a standard error of 0.18 %; the smallest measured one is about 3 %."""
    places = Counter(x.place for _, landings in throws for x in landings)
    for zone in SHIP.board.zones:
        assert 0.01 < places[f"zone:{zone.name}"] / (THROWS * THROWN) < 0.5, zone.name
    assert places["border"] / (THROWS * THROWN) < 0.1
    assert places["table"] / (THROWS * THROWN) < 0.02


def test_the_ship_is_even_to_both_sides(throws):
    """Mirror images fore and aft: the mean y is 0, with a standard error of at most 2.5 mm over 334 throws."""
    means = [np.mean([x.pose.position[1] for x in landings]) for _, landings in throws]
    assert abs(np.mean(means)) < 4 * np.std(means) / math.sqrt(THROWS) < 0.01


def test_colours_are_physically_identical(model):
    """Exact relabelling: other colours on the same numbers land in the same places, to the last digit."""
    ours = supply({"purple": 5, "green": 5}, EDGE)
    swapped = tuple(replace(cube, colour={"purple": "green", "green": "purple"}[cube.colour]) for cube in ours)
    for seed in range(5):
        one, other = (model.drop(model.empty(), cubes, np.random.default_rng(seed)) for cubes in (ours, swapped))
        ends = [[(x.cube.id, x.place, x.pose) for x in outcome.landings] for outcome in (one, other)]
        assert ends[0] == ends[1]


def test_which_side_a_cube_belongs_to_does_not_depend_on_its_number(throws):
    """A permutation of the numbers within each throw: a difference of 9 % in strength zones is seen with 90 % power."""
    strong = np.zeros((THROWS, THROWN))
    for i, (_, landings) in enumerate(throws):
        for x in landings:
            strong[i, x.cube.id] = x.place.startswith("zone:strength")
    difference = strong[:, :6].mean() - strong[:, 6:].mean()
    rng = np.random.default_rng(0)
    shuffled = [(mixed := rng.permuted(strong, axis=1))[:, :6].mean() - mixed[:, 6:].mean() for _ in range(2000)]
    assert np.mean(np.abs(shuffled) >= abs(difference)) > 0.001


def test_cubes_that_nothing_hits_stay_where_they_are_to_the_last_digit(model):
    state = model.drop(model.empty(), supply({"purple": 9}, EDGE), np.random.default_rng(6)).state
    outcome = model.drop(state, (), np.random.default_rng(5))
    flat = {r.cube for r in state.board.lying if abs(r.pose.position[2] - SHIP.board.floor - EDGE / 2) < 1e-4}
    assert len(flat) >= 5
    after = {r.cube: r for r in outcome.state.board.lying}
    assert all(after[r.cube] == r for r in state.board.lying if r.cube in flat)


def test_later_cubes_push_earlier_ones_into_other_zones(model):
    """40 throws of 9 onto 9: 1 in 20 earlier cubes moves, so about 18; as few as 5 has a chance below 0.001."""
    changed = 0
    for seed in range(40):
        before = model.drop(model.empty(), supply({"purple": 9}, EDGE), np.random.default_rng([6, seed])).state
        after = model.drop(before, supply({"green": 9}, EDGE, first_id=9), np.random.default_rng([7, seed]))
        then = {x.cube: x.place for x in after.landings}
        changed += sum(then[r.cube] != r.region for r in before.board.lying)
    assert changed > 5


def on_board(model: PhysicsModel, *cubes: tuple[float, float, float]) -> TowerState:
    """A board with cubes laid by hand: x, y in m, and how many cubes below."""
    residents = [
        Resident(Cube(i, "purple", EDGE), "zone:choice", 0, Pose((x, y, SHIP.board.floor + EDGE * (n + 0.5)), FLAT))
        for i, (x, y, n) in enumerate(cubes)
    ]
    event = Event("drop", "", tuple(resident.cube for resident in residents), ())
    return replace(model.empty(), log=(event,), board=BoardState(tuple(residents)))


def middle(zone: str) -> tuple[float, float]:
    x, y = np.mean(SHIP.board.zone(zone).corners, axis=0).tolist()
    return x, y


def test_a_cube_whose_support_was_taken_away_falls(model):
    state = on_board(model, (*middle("choice"), 0), (*middle("choice"), 1))
    kept = model.drop(state, (), np.random.default_rng(0))
    assert [math.floor(10 * r.pose.position[2] / EDGE) / 10 for r in kept.state.board.lying] == [0.7, 1.7]
    fallen = model.drop(kept.state.take([Cube(0, "purple", EDGE)]), (), np.random.default_rng(0))
    (top,) = fallen.state.board.lying
    assert top.pose.position[2] == pytest.approx(SHIP.board.floor + EDGE / 2, abs=0.02 * EDGE)
    assert top.region == "zone:choice"


def test_a_placed_cube_lies_flat_where_no_other_is(model):
    state = on_board(model, (*middle("explosive_shot"), 0))
    new = Cube(9, "green", EDGE)
    spots = set()
    for seed in range(30):
        outcome = model.place(state, new, "explosive_shot", np.random.default_rng(seed))
        poses = {x.cube.id: x.pose for x in outcome.landings}
        assert poses[0] == state.board.lying[0].pose
        assert poses[9].position[2] == pytest.approx(SHIP.board.floor + EDGE / 2, abs=0.01 * EDGE)
        spots.add(tuple(round(v, 5) for v in poses[9].position[:2]))
    assert len(spots) == 30


def test_a_cube_placed_in_a_full_zone_is_laid_upon_the_others(model):
    corners = np.array(SHIP.board.zone("explosive_shot").corners)
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    full = [
        (x, y, 0) for x in np.arange(x0 + EDGE / 2, x1 - EDGE / 2 + 1e-6, EDGE * 1.03)
        for y in np.arange(y0 + EDGE / 2, y1 - EDGE / 2 + 1e-6, EDGE * 1.03)
    ]  # fmt: skip
    new = Cube(99, "green", EDGE)
    outcome = model.place(on_board(model, *full), new, "explosive_shot", np.random.default_rng(1))
    assert outcome.status is Status.SETTLED
    landing = next(x for x in outcome.landings if x.cube == new)
    assert landing.pose.position[2] > SHIP.board.floor + EDGE
    assert landing.on


def test_a_cube_in_the_way_of_a_port_gets_stuck_is_inside_and_a_knock_is_accounted_for(model):
    blocked = replace(SHIP, boxes=(*SHIP.boxes, replace(SHIP.boxes[0], centre=(SHIP.hull_x + 0.002, 0.0, 0.06))))
    with PhysicsModel(blocked) as stuck:
        outcome = stuck.drop(stuck.empty(), supply({"purple": 3}, EDGE), np.random.default_rng(3))
        assert outcome.status is Status.SETTLED
        assert [x.place for x in outcome.landings] == ["inside:ship"] * 3
        assert outcome.emerged == ()
        knocked = stuck.knock(outcome.state, 1.0, np.random.default_rng(2))
        assert sorted((*knocked.inside, *knocked.emerged)) == sorted(outcome.thrown)


def test_a_tower_has_no_board():
    with PhysicsModel(load("amerigo")) as tower:
        with pytest.raises(UsageError, match="'amerigo' has no board"):
            tower.place(tower.empty(), Cube(0, "red", EDGE), "choice", np.random.default_rng(0))
        with pytest.raises(UsageError, match="no board"):
            _ = tower.board


def test_a_state_of_the_board_goes_on_in_another_process():
    def drop(*more: str):
        command = [sys.executable, "-m", "tower_sim", "throw", "dead_reckoning", "--json", *more]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    first = drop("--cubes", "purple=6,green=3", "--seed", "1")
    assert (first["emerged"], first["inside"]) == ({"purple": 6, "green": 3}, {"purple": 0, "green": 0})
    second = drop("--cubes", "green=2", "--seed", "2", "--state", first["state"])
    assert second["emerged"] == {"green": 2, "purple": 0}
    assert len(second["landings"]) == 11
    with PhysicsModel(SHIP) as model:
        state = TowerState.from_token(first["state"])
        cubes = supply({"green": 2}, EDGE, first_id=9)
        rng = np.random.default_rng(np.random.SeedSequence(2, spawn_key=(0,)))
        assert model.drop(state, cubes, rng).state.token() == second["state"]
