"""Throws by hand: what somebody let go is kept as it was, and done again to the last digit."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.command_line import here

from tower_sim.apparatus import load
from tower_sim.drops import redo
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Cube, Outcome, TowerState

SHAPE = load("amerigo")


def rows(model: PhysicsModel, number: int) -> list[list[float]]:
    z, turns = model.shape.rim_top + 0.03, [[0, 0, 0, 1], [0.6, 0, 0, 0.8], [0, 0.6, 0.8, 0]]
    return [[12 * i, 0.01 * (i % 3 - 1), 0, z, *turns[i % 3], 0.1, 0, -0.2, 1, 2, 3] for i in range(number)]


def cubes(model: PhysicsModel, number: int) -> list[Cube]:
    return [Cube(i, ("blue", "red", "green")[i % 3], model.cube_edge) for i in range(number)]


@pytest.fixture(name="thrown", scope="module")
def _thrown(model: PhysicsModel) -> Outcome:
    return model.throw_by_hand(model.empty(), cubes(model, 12), rows(model, 12))


def test_every_cube_is_accounted_for_and_the_same_throw_ends_the_same(model: PhysicsModel, thrown: Outcome):
    assert thrown.status.is_landing
    assert sorted(x.id for x in (*thrown.inside, *thrown.emerged)) == list(range(12))
    assert thrown.state.drops == 1
    assert model.throw_by_hand(model.empty(), cubes(model, 12), rows(model, 12)) == thrown


def test_its_token_holds_it_and_all_is_done_again(model: PhysicsModel, thrown: Outcome):
    later = model.drop(thrown.state, [Cube(20, "blue", model.cube_edge)], np.random.default_rng(1)).state
    read = TowerState.from_token(later.token())
    assert read == later
    assert redo(model, read) == later
    assert {resident.since for resident in read.residents} <= {0, 1}


def test_a_cube_is_let_go_when_its_time_comes(model: PhysicsModel):
    (one,), (two,) = rows(model, 1), rows(model, 1)
    with pytest.raises(UsageError, match=r"let go .* mm deep in another"):
        model.throw_by_hand(model.empty(), cubes(model, 2), [one, two])
    two[0] = 30
    assert model.throw_by_hand(model.empty(), cubes(model, 2), [one, two]).status.is_landing


def test_what_nobody_can_let_go_is_refused_in_one_line(model: PhysicsModel):
    good = rows(model, 1)[0]
    bad = {
        "launches is": ([], [good, good], None, "x"),
        "a launch is": ([good[:13]], [[*good[:13], float("nan")]], [[*good[:13], "1"]], [7], [[True, *good[1:]]]),
        "time of the launch": ([[0.5, *good[1:]]], [[-1, *good[1:]]], [[12_001, *good[1:]]]),
        "orientation of cube": ([[*good[:4], 0, 0, 0, 2, *good[8:]]],),
        "speed of cube": ([[*good[:8], 11, *good[9:]]], [[*good[:13], 301]]),
        "place of cube": ([[0, 5, 0, 0.1, *good[4:]]],),
        "in a part": ([[0, 0, 0, 0.15, *good[4:]]],),
    }
    for message, cases in bad.items():
        for launches in cases:
            with pytest.raises(UsageError, match=message):
                model.throw_by_hand(model.empty(), cubes(model, 1), launches)  # pyright: ignore[reportArgumentType]


def test_only_physics_knows_hands(model: PhysicsModel, thrown: Outcome):
    law = open_model("amerigo", "surrogate")
    event = replace(thrown.state.log[0], emerged=tuple(range(12)))
    state = replace(law.empty(), log=(event,))
    assert not hasattr(law, "throw_by_hand")
    with pytest.raises(UsageError, match="in the log is"):
        redo(law, state)
    assert redo(model, thrown.state) == thrown.state


def test_the_command_does_it_again_and_the_throw_of_a_link(thrown: Outcome):
    token = thrown.state.token()
    done = here("redo", token)
    line = "Done again: 1 step, and every cube lies where the state says, to the last digit."
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, line)
    link = f"file:///tower.html#profile=amerigo&state={token}&seed=7&throw=blue:4"
    answer = json.loads(here("redo", link, "--json").stdout)
    straight = here("throw", "amerigo", "--state", token, "--cubes", "blue=4", "--seed", "7", "--json").stdout
    assert (answer["same"], answer["throw"]) == (True, json.loads(straight))
    assert answer["events"][0]["kind"] == "hand"


def test_a_state_that_was_changed_is_not_done_again(model: PhysicsModel, thrown: Outcome):
    moved = [tuple(row) for row in thrown.state.log[0].launches]
    moved[3] = (*moved[3][:1], 0.001, *moved[3][2:])
    log = (replace(thrown.state.log[0], launches=tuple(moved)),)
    done = here("redo", replace(thrown.state, log=log).token())
    assert (done.returncode, "elsewhere than the state says" in done.stdout) == (1, True)


def test_a_broken_link_is_refused_in_one_line():
    for link in ("#", "x#profil=a", "x#profile=amerigo&throw=blue:2", "x#profile=nope&seed=1&throw=blue:2", "x#seed=1"):
        done = here("redo", link)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), link
