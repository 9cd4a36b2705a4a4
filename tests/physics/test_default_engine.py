"""The default engine, and what was made with another: states go on there, what was fitted says where."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.cases import each_case

from tower_sim.apparatus.catalogue import fitted_with, load, names, shipped
from tower_sim.calibration.readings import READINGS
from tower_sim.cli.listing import listed
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.fitting.check import other_engine
from tower_sim.model import until_landed
from tower_sim.models import ABOUT
from tower_sim.physics.settings import ENGINE, NUMBERS, STANDARD, PhysicsSettings, accuracies, accuracy
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.surrogate.store import Fitted, fitted_or_shipped, shipped_names

SHAPE = load("amerigo")
OTHERS = [(engine, name) for engine in NUMBERS for name in accuracies(engine) if (engine, name) != (ENGINE, STANDARD)]


def refused(model: PhysicsModel, state: TowerState) -> str:
    with pytest.raises(UsageError) as error:
        model.drop(state, (), np.random.default_rng(1))
    assert "\n" not in str(error.value)
    return str(error.value)


@each_case(("engine", "name"), OTHERS)
def test_a_state_of_another_engine_or_accuracy_is_refused_with_the_option_to_go_on_with(
    engine: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tower_sim.simulator.World", lambda settings: None)  # an engine that need not be there
    state = PhysicsModel(SHAPE, accuracy(engine, name)).empty()
    finer = "" if name == STANDARD else f" --accuracy {name}"
    advice = f"; go on with the engine that made it: try --engine {engine}{finer}"
    assert refused(PhysicsModel(SHAPE), state).endswith(advice)


def test_a_state_of_settings_of_ones_own_is_refused_without_a_guess():
    with PhysicsModel(SHAPE) as model, PhysicsModel(SHAPE, PhysicsSettings(iterations=99)) as other:
        cubes = supply({"red": 30}, SHAPE.cube_edge)
        outcome = until_landed(lambda rng: other.drop(other.empty(), cubes, rng), np.random.SeedSequence(1))
        assert outcome.state.touches
        assert refused(model, outcome.state).endswith("; go on with the model that made it")


def test_what_ships_fitted_says_with_which_engine():
    for name in shipped_names():
        assert fitted_or_shipped(name).engine == ENGINE
    assert "of the core at its standard accuracy" in ABOUT["surrogate"]
    told = {name: fitted_with(shipped()[name]) for name in names()}
    assert {name for name, engine in told.items() if engine} == set(READINGS)
    fitted = {name: engine for entry in listed()["apparatus"] for name, engine in entry["fitted_with"].items()}
    assert fitted == dict.fromkeys(READINGS, ENGINE)


@each_case(("engine", "model"), [("core", "physics"), ("bullet", "physics"), ("core", "two_thirds")])
def test_a_check_against_games_of_another_engine_says_so(engine: str, model: str):
    campaign: Any = SimpleNamespace(spec={"model": model, "settings": PhysicsSettings(engine=engine).table()})
    told = other_engine(replace(fitted_or_shipped("amerigo"), engine="bullet"), [campaign, campaign])
    if (engine, model) == ("core", "physics"):
        assert told.startswith("The model was fitted to drops of the engine bullet, these are of core: ")
    else:
        assert told == ""


def test_a_surrogates_file_says_its_engine():
    fitted = replace(fitted_or_shipped("amerigo"), engine="bullet")
    text = fitted.to_json()
    assert json.loads(text)["engine"] == "bullet"
    assert Fitted.from_json(text) == fitted
    assert fitted.digest != fitted_or_shipped("amerigo").digest
    with pytest.raises(UsageError, match="keys of the surrogate"):
        Fitted.from_json(text.replace(' "engine": "bullet",\n', ""))
