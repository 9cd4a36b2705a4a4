"""The default engine, and what was made with another: states go on there, what was fitted says where."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.command_line import tower_sim

import calibration
from tests.measure.renew import FITTED
from tower_sim.apparatus.catalogue import fitted_with, load, names, shipped
from tower_sim.cli.list import listed
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.model import until_landed
from tower_sim.models import ABOUT
from tower_sim.physics.settings import ENGINE, NUMBERS, STANDARD, UNNAMED, PhysicsSettings, accuracies, accuracy
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.surrogate.fitting.check import other_engine
from tower_sim.surrogate.store import Fitted, fitted_or_shipped, shipped_names
from tower_sim.token import pack

TOWER = Path(calibration.__file__).with_name("tower.toml")

SHAPE = load("amerigo")
VERSION_2 = json.loads((Path(__file__).parent / "vectors" / "tower2.json").read_text("utf-8"))[0]["token"]
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


def test_a_token_of_before_there_was_a_choice_given_to_the_default_says_in_one_line_to_try_bullet():
    done = tower_sim("drop", str(TOWER), "--cubes", "blue=1", "--state", VERSION_2)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("; go on with the engine that made it: try --engine bullet\n")


def test_a_state_without_touches_of_settings_that_are_no_more_may_be_bullets():
    with PhysicsModel(SHAPE) as model:
        told = refused(model, replace(model.empty(), digest="0123456789abcdef"))
    assert told.endswith(
        "; go on with the settings that made it; one of before there was a choice: try --engine bullet"
    )


@pytest.mark.bullet
def test_the_command_notes_that_a_token_of_the_older_kind_does_not_know_how_cubes_press():
    with PhysicsModel(SHAPE, PhysicsSettings(engine="bullet")) as model:
        outcome = model.drop(model.empty(), supply({"red": 20}, SHAPE.cube_edge), np.random.default_rng(1))
    new = outcome.state.token()
    body = new.split(".")[1]
    plain = json.loads(zlib.decompress(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))))
    old = pack("TOWER2", {key: value for key, value in plain.items() if key != "touches"})
    drop = ("drop", "amerigo", "--cubes", "blue=1", "--engine", "bullet", "--seed", "1", "--json", "--state")
    noted, silent = tower_sim(*drop, old), tower_sim(*drop, new)
    assert (noted.returncode, silent.returncode, silent.stderr) == (0, 0, "")
    assert noted.stdout == silent.stdout
    assert noted.stderr.startswith("tower-sim: this state is of the older kind: it remembers where cubes lie but not ")
    assert noted.stderr.count("\n") == 1


def test_what_ships_fitted_says_with_which_engine():
    for name in shipped_names():
        assert fitted_or_shipped(name).engine == ENGINE
    assert "of the core at its standard accuracy" in ABOUT["surrogate"]
    told = {name: fitted_with(shipped()[name]) for name in names()}
    assert {name for name, engine in told.items() if engine} == set(FITTED)
    fitted = {name: engine for entry in listed()["apparatus"] for name, engine in entry["fitted_with"].items()}
    assert fitted == dict.fromkeys(FITTED, ENGINE)


@each_case(("engine", "model"), [("core", "physics"), ("bullet", "physics"), ("core", "two_thirds")])
def test_a_check_against_games_of_another_engine_says_so(engine: str, model: str):
    campaign: Any = SimpleNamespace(spec={"model": model, "settings": PhysicsSettings(engine=engine).table()})
    told = other_engine(replace(fitted_or_shipped("amerigo"), engine="bullet"), [campaign, campaign])
    if (engine, model) == ("core", "physics"):
        assert told.startswith("The model was fitted to drops of the engine bullet, these are of core: ")
    else:
        assert told == ""


def test_a_surrogates_file_says_its_engine_and_one_that_says_none_is_bullets_with_the_same_digest():
    fitted = replace(fitted_or_shipped("amerigo"), engine=UNNAMED)
    text = fitted.to_json()
    assert json.loads(text)["engine"] == UNNAMED
    assert Fitted.from_json(text.replace(f' "engine": "{UNNAMED}",\n', "")) == fitted
    other = replace(fitted, engine="core")
    assert other.digest != fitted.digest
    assert Fitted.from_json(other.to_json()) == other
