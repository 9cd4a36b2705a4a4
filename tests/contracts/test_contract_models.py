"""What every shipped model and every fake promises: `check_model`, and what else our own models do."""

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.fakes import CoinTower
from support.ships import DiceShip

from tests.support.towers import REFERENCE as TOWER
from tower_sim.apparatus import load
from tower_sim.drops import knock_then_drop, redo, until_landed
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate import TwoThirdsRule
from tower_sim.testing import check_model
from tower_sim.values import Cube, Outcome, TowerState, supply

REFERENCE = load(TOWER)
MODELS: Mapping[str, Callable[[], Any]] = {
    "coins": CoinTower,
    "coins that often fail": lambda: CoinTower(failure_rate=0.5),
    "coins, nothing stays": lambda: CoinTower(p_out=1.0, p_resident=1.0),
    "dice": lambda: DiceShip(pushed=0.2),
    "two thirds": lambda: TwoThirdsRule(load("amerigo")),
    "physics": lambda: PhysicsModel(REFERENCE),
    "physics, cubes cleared": lambda: PhysicsModel(replace(REFERENCE, swept=False)),
    "physics, a pour": lambda: PhysicsModel(replace(REFERENCE, hand=replace(REFERENCE.hand, rate=1 / 0.06))),
    "physics, Bullet": lambda: PhysicsModel(REFERENCE, PhysicsSettings(engine="bullet")),
    "physics, wallenstein": lambda: PhysicsModel(load("wallenstein")),
    "physics, the ship": lambda: PhysicsModel(load("dead_reckoning")),
    "surrogate": lambda: open_model(load("amerigo"), "surrogate"),
    "surrogate, the ship": lambda: open_model(load("dead_reckoning"), "surrogate"),
}
ODD: Mapping[str, Any] = {
    "None": None, "seven": 7, "minus one": -1, "a half": 0.5, "nan": math.nan, "inf": math.inf, "huge": 10**5000,
    "True": True, "complex": 1j, "text": "red", "empty text": "", "lines": "red\nblue", "bytes": b"red", "list": [],
    "list of None": [None], "table": {}, "set": set(), "object": object(), "array": np.zeros(2), "class": Cube,
    "RandomState": np.random.RandomState(1), "numpy int": np.int64(3), "numpy float": np.float64(0.5),
    "numpy single": np.float32(0.008), "module": np.random, "generator": (cube for cube in ()),
    "-inf": -math.inf,
}  # fmt: skip
MAY_PASS = {  # of the odd values, by the argument they are given for; every other one must be refused
    "cubes": {"list"},
    "strength": {"seven", "a half", "numpy int", "numpy float", "numpy single"},
    "id": {"seven", "numpy int"},
    "colour": {"text", "empty text", "lines"},
}


@pytest.fixture(
    name="model",
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.bullet] * ("Bullet" in name)) for name in MODELS],
)
def _model(request: pytest.FixtureRequest) -> Iterator[Any]:
    with MODELS[request.param]() as model:
        yield model


@pytest.fixture(name="cubes", scope="module")
def _cubes(model: Any) -> tuple[Cube, ...]:
    return supply({"red": 10, "blue": 10}, model.cube_edge)


@pytest.fixture(name="outcome", scope="module")
def _outcome(model: Any, cubes: Sequence[Cube]) -> Outcome:
    """The outcome of a fourth throw of all 20 cubes that are not inside."""
    state = model.empty()
    for number in range(3):
        thrown = [cube for cube in cubes if cube not in state.cubes]
        state = until_landed(lambda rng, s=state, c=thrown: model.drop(s, c, rng), seeds(number)).state
    thrown = [cube for cube in cubes if cube not in state.cubes]
    return until_landed(lambda rng: model.drop(state, thrown, rng), seeds(3))


@pytest.fixture(name="laden", scope="module")
def _laden(outcome: Outcome) -> TowerState:
    return outcome.state


def seeds(number: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(2013, spawn_key=(number,))


def rng(number: int = 0) -> np.random.Generator:
    return np.random.default_rng(seeds(number))


def test_it_keeps_its_promises(model: Any):
    check_model(model)


def test_another_rng_may_give_another_outcome(model: Any, cubes: Sequence[Cube]):
    outcomes = (str(model.drop(model.empty(), cubes[:5], rng(60 + i)).landings) for i in range(60))
    first = next(outcomes)
    assert any(other != first for other in outcomes) or getattr(model, "p_out", 0) == 1


def test_a_resident_remembers_the_last_drop_that_threw_it_counted_from_0(laden: TowerState):
    drops = [event for event in laden.log if event.kind == "drop"]
    for resident in laden.residents:
        assert resident.since == max(i for i, event in enumerate(drops) if resident.cube in event.thrown)


def test_the_json_document_has_the_documented_keys_and_counts_every_cube(outcome: Outcome):
    document = outcome.to_json(7, ["green"])
    assert list(document) == [
        "schema", "version", "seed", "model", "apparatus", "status", "attempts", "thrown", "emerged", "inside",
        "knocked_out", "extrapolated", "missed", "landings", "state",
    ]  # fmt: skip
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/outcome", 1, "7")
    assert all(document[key]["green"] == 0 for key in ("thrown", "emerged", "inside", "knocked_out"))
    assert sum(document["thrown"].values()) == len(outcome.thrown)
    counted = sum(document["inside"].values()) + sum(document["emerged"].values())
    assert counted + len(outcome.lying) == len(document["landings"])


def test_whatever_is_given_for_an_argument_is_refused_in_one_line_or_meant(model: Any, laden: TowerState):
    new, edge = Cube(laden.next_id, "green", model.cube_edge), model.cube_edge
    calls: dict[str, Callable[[Any], Any]] = {
        "drop.state": lambda x: model.drop(x, (new,), rng()),
        "drop.cubes": lambda x: model.drop(laden, x, rng()),
        "drop.rng": lambda x: model.drop(laden, (new,), x),
        "cube": lambda x: model.drop(laden, (new, x), rng()),
        "cube.id": lambda x: model.drop(laden, (Cube(x, "green", edge),), rng()),
        "cube.colour": lambda x: model.drop(laden, (Cube(new.id, x, edge),), rng()),
        "cube.edge": lambda x: model.drop(laden, (Cube(new.id, "green", x),), rng()),
        "knock.state": lambda x: model.knock(x, 0.5, rng()),
        "knock.strength": lambda x: model.knock(laden, x, rng()),
        "knock.rng": lambda x: model.knock(laden, 0.5, x),
        "until_landed.seed": lambda x: until_landed(lambda rng: model.drop(laden, (new,), rng), x),
        "knock_then_drop.seed": lambda x: knock_then_drop(model, laden, 0.5, (new,), x),
        "redo.state": lambda x: redo(model, x),
        "take": lambda x: laden.take([x]),
    }
    if laden.board.lying:
        zone = model.board.zones[0].name
        calls |= {
            "place.state": lambda x: model.place(x, new, zone, rng()),
            "place.cube": lambda x: model.place(laden, x, zone, rng()),
            "place.zone": lambda x: model.place(laden, new, x, rng()),
            "place.rng": lambda x: model.place(laden, new, zone, x),
        }
    wrong = [
        f"{slot} = {name}: {mistake}"
        for slot, call in calls.items()
        for name, value in ODD.items()
        if (mistake := mistake_of(call, value, name in MAY_PASS.get(slot.split(".")[-1], ())))
    ]
    assert wrong == []


def mistake_of(call: Callable[[Any], Any], value: Any, may_pass: bool) -> str:
    try:
        call(value)
    except UsageError as error:
        return "" if "\n" not in str(error) and len(str(error)) < 1000 else f"refused with {str(error)!r}"
    except Exception as error:
        return f"ended in {type(error).__name__}: {error}"
    return "" if may_pass else "was accepted"


def test_what_is_no_throw_and_no_knock_is_refused(model: Any, cubes: Sequence[Cube]):
    first, empty = cubes[0], model.empty()
    for edge in (0.5, first.edge * 1.000001, -first.edge, 10**400):
        with pytest.raises(UsageError, match="edge"):
            model.drop(empty, (replace(first, edge=edge),), rng())
    with pytest.raises(UsageError, match=r"cubes is <generator .*allowed is a list or tuple"):
        model.drop(empty, (cube for cube in cubes), rng())
    with pytest.raises(UsageError):
        model.drop(empty, (first, replace(first, colour="green")), rng())
    with pytest.raises(UsageError, match="state belongs to another"):
        redo(model, replace(empty, model="another"))


def test_numbers_of_numpy_are_as_good_as_others_and_can_be_written_down(model: Any, cubes: Sequence[Cube]):
    of_numpy: Any = [Cube(np.int64(c.id), np.str_(c.colour), np.float64(c.edge)) for c in cubes[:5]]  # type: ignore[arg-type]
    outcome = model.drop(model.empty(), of_numpy, rng())
    assert outcome == model.drop(model.empty(), cubes[:5], rng())
    assert TowerState.from_token(outcome.state.token()) == outcome.state
    json.dumps(outcome.to_json(1))


def test_a_copy_can_be_closed_twice_and_leaves_the_other_open(model: Any, cubes: Sequence[Cube]):
    before = model.drop(model.empty(), cubes[:1], rng())
    with copy.copy(model) as other:
        assert other.drop(other.empty(), cubes[:1], rng()) == before
    other.close()
    assert model.drop(model.empty(), cubes[:1], rng()) == before


@pytest.mark.parametrize("model", ["dice", "physics, the ship", "surrogate, the ship"], indirect=True)
def test_cubes_on_the_board_are_taken_off_thrown_and_placed(model: Any, laden: TowerState):
    first, second, *_ = laden.board.cubes
    outcome = model.drop(laden, (first, second), rng())
    assert set(outcome.lying) == {*laden.board.cubes} - {first, second}
    zone, other = model.board.zones[1].name, replace(first, colour="green")
    for call in (lambda: model.drop(laden, (other,), rng()), lambda: model.place(laden, other, zone, rng())):
        with pytest.raises(UsageError):
            call()
    with pytest.raises(UsageError, match="nowhere"):
        model.place(laden, first, "nowhere", rng())
    with pytest.raises(UsageError, match="does not lie on the board"):
        laden.take([Cube(999, "red", model.cube_edge)])
    outcome = model.place(laden.take([first]), second, zone, rng())
    assert {x.cube: x.place for x in outcome.landings}[second] == f"zone:{zone}"
    state = model.drop(outcome.state, [first], rng()).state
    assert redo(model, state) == state
    assert TowerState.from_token(state.token()) == state
