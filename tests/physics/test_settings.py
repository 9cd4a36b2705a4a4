"""The settings of physics: each engine's numbers, accuracies, what files say of them, states of another engine."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
from support.cases import each_case
from support.command_line import here

from tests.support.bench import drop_until_landed
from tower_sim import cli
from tower_sim.apparatus import Apparatus, fitted_with, load, names, shipped
from tower_sim.apparatus.common import Parameters
from tower_sim.calibration.readings import READINGS
from tower_sim.campaign import Spec, parse
from tower_sim.cli.towers import make_document
from tower_sim.errors import UsageError
from tower_sim.models import ABOUT, choose_settings
from tower_sim.physics import (
    ENGINE,
    STANDARD,
    PhysicsSettings,
    accuracies,
    accuracy,
    as_settings,
    document,
    read_settings,
)
from tower_sim.physics import settings as module
from tower_sim.physics.settings import NUMBERS, list_settings
from tower_sim.requests import Throw
from tower_sim.simulator import PhysicsModel
from tower_sim.studies.fitting.data import other_engine
from tower_sim.surrogate import Fitted, fitted_or_shipped, shipped_names
from tower_sim.tools import registry

SHAPE, SHIP = load("amerigo"), "dead_reckoning"
FILE = '[campaign]\ngame = "amerigo"\napparatus = "amerigo"\nseed = "7"\ngames = 2\n[rules]\nrounds = 1\n'
HAS_NOT = [(a, name) for a, b in permutations(NUMBERS, 2) for name in list_settings(b) if name not in list_settings(a)]
NAMED = [(engine, name) for engine in NUMBERS for name in accuracies(engine)]


def refused(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> str:
    with pytest.raises(UsageError) as error:
        call(*arguments, **keywords)
    return str(error.value)


@pytest.mark.parametrize("engine", NUMBERS)
def test_what_is_left_out_is_the_engines_own_number_and_what_is_given_is_kept(engine: str):
    settings = PhysicsSettings(engine=engine)
    assert settings.table() == {**NUMBERS[engine].standard, "engine": engine}
    for name in list_settings(engine):
        assert type(getattr(settings, name)) is (int if "iterations" in name else float)
    for name in list_settings(engine):
        value = getattr(settings, name)
        half = 0.3 if name == "restitution_speed" else value / 2 if isinstance(value, float) else value // 2
        other = PhysicsSettings(**{name: half, "engine": engine})
        assert {key for key, now in other.table().items() if now != settings.table()[key]} == {name}
        assert other.digest() != settings.digest()


@pytest.mark.parametrize("engine", NUMBERS)
def test_settings_are_changed_copied_and_compared_whatever_their_engine(engine: str):
    settings = PhysicsSettings(engine=engine)
    changed = replace(settings, timestep=0.0015)
    assert (changed.engine, changed.timestep) == (engine, 0.0015)
    assert replace(changed, timestep=settings.timestep) == settings != changed
    again = pickle.loads(pickle.dumps(changed))
    assert (again, hash(again), again.digest()) == (changed, hash(changed), changed.digest())


def test_engines_with_the_same_numbers_have_other_digests():
    digests = {name: PhysicsSettings(engine=name).digest() for name in registry.names("engine")}
    assert len(set(digests.values())) == len(digests) >= 2


@each_case(("engine", "name"), HAS_NOT)
def test_a_setting_that_the_engine_has_not_is_refused_and_changes_nothing(engine: str, name: str):
    settings = PhysicsSettings(engine=engine)
    assert name not in settings.table()
    table: Any = {name: 0.017, "engine": engine}
    for line in (refused(PhysicsSettings, **table), refused(read_settings, table)):
        assert line.startswith(f"settings.{name} is 0.017; allowed is none: the engine {engine} has no such setting; ")
    same: Any = {name: getattr(settings, name), "engine": engine}
    assert PhysicsSettings(**same) == settings  # so that a copy with a change can be made
    assert f"settings.{name} is " in refused(read_settings, same)


def test_an_engine_that_has_the_setting_is_suggested():
    line = refused(read_settings, {"engine": "bullet", "slop": 0.01})
    assert line.endswith("remove it, or name the engine core")
    assert "did you mean slop?" in refused(read_settings, {"engine": "core", "slopp": 0.01})
    assert "settings.firm_iterations is 5" in refused(read_settings, {"engine": "core", "firm_iterations": 5})


@each_case(("engine", "name"), NAMED)
def test_an_accuracy_is_settings_of_its_engine_and_the_finer_one_has_the_shorter_step(engine: str, name: str):
    settings = accuracy(engine, name)
    assert settings.engine == engine
    assert (settings == PhysicsSettings(engine=engine)) == (name == STANDARD)
    assert choose_settings("physics", engine, name) == settings == read_settings({"engine": engine, "accuracy": name})


def test_bullet_has_what_ships_and_the_core_three_accuracies_from_fast_to_fine():
    assert accuracies("bullet") == (STANDARD,)
    assert accuracies("core") == ("fast", STANDARD, "fine")
    for faster, finer in combinations((accuracy("core", name) for name in accuracies("core")), 2):
        assert faster.timestep > finer.timestep
        assert faster.step_travel > finer.step_travel


@each_case(
    ("engine", "name", "says"),
    [
        ("core", "fien", "one of fast, standard, fine with the engine core; check its spelling; did you mean fine?"),
        ("core", "", "accuracy is ''; allowed is one of fast, standard, fine"),
        ("core", 7, "accuracy is 7; allowed is one of"),
        ("core", ["fine"], "accuracy is ['fine']; allowed is one of"),
        ("bullet", "standart", "allowed is standard with the engine bullet; check its spelling; did you"),
        ("bullet", "fine", "accuracy is 'fine'; allowed is standard with the engine bullet; name the engine core"),
    ],
)
def test_an_accuracy_that_the_engine_has_not_is_refused_in_one_line(engine: str, name: object, says: str):
    assert says in refused(accuracy, engine, name)
    assert says in refused(read_settings, {"engine": engine, "accuracy": name})


def test_a_campaign_file_names_engine_and_accuracy_and_its_other_keys_go_before():
    spec = parse(FILE + '[settings]\nengine = "core"\naccuracy = "fine"\nslop = 0.002\ntimestep = 0.0012\n')
    settings = replace(accuracy("core", "fine"), slop=0.002, timestep=0.0012)
    assert spec.settings == settings.table()
    assert spec.point(0).settings == settings
    assert Spec.from_canonical(spec.canonical) == spec
    by_hand = "".join(f"{name} = {value}\n" for name, value in settings.table().items() if name != "engine")
    assert parse(FILE + '[settings]\nengine = "core"\n' + by_hand).digest == spec.digest


def test_a_profile_may_name_its_accuracy_which_holds_for_the_core_where_the_caller_names_none():
    assert {name: load(name).accuracy for name in names()} == dict.fromkeys(names(), STANDARD) | {SHIP: "fine"}
    assert get_args(Parameters.model_fields["accuracy"].annotation) == accuracies("core")
    campaign = f'[campaign]\ngame = "{SHIP}"\napparatus = "{SHIP}"\nseed = "7"\nbattles = 2\n'
    for table, settings in (
        ("", accuracy("core", "fine")),
        ('[settings]\naccuracy = "fast"\n', accuracy("core", "fast")),
        ('[settings]\nengine = "bullet"\n', PhysicsSettings(engine="bullet")),
    ):
        assert parse(campaign + table).point(0).settings == settings
    with PhysicsModel(load(SHIP)) as model, PhysicsModel(load(SHIP), PhysicsSettings()) as other:
        assert model.settings == accuracy("core", "fine")
        assert document(load(SHIP))["settings"] == model.settings.table()
        assert refused(model.drop, other.empty(), (), np.random.default_rng(1)).endswith("--accuracy standard")
        assert refused(other.drop, model.empty(), (), np.random.default_rng(1)).endswith("try --engine core")
    assert "accuracy" in refused(parse, campaign + '[vary.fields]\n"profile.accuracy" = ["fast", "fine"]\n')


def test_the_settings_of_a_campaign_vary_with_what_its_engine_has():
    core = FILE + '[settings]\nengine = "core"\n[vary.fields]\n'
    assert [parse(core + "settings.slop = [0, 0.01]").point(i).settings.slop for i in range(2)] == [0, 0.01]
    assert "settings.rest_overlap" in refused(parse, core + "settings.rest_overlap = [0.01, 0.02]")
    assert "settings.accuracy" in refused(parse, core + 'settings.accuracy = ["fast", "fine"]')


def test_a_spec_of_physics_names_its_engine_whatever_the_default(monkeypatch: pytest.MonkeyPatch):
    stored = parse(FILE + '[settings]\nengine = "bullet"\n')
    for default in NUMBERS:
        monkeypatch.setattr(module, "ENGINE", default)
        assert Spec.from_canonical(stored.canonical) == stored
        assert stored.point(0).settings == PhysicsSettings(engine="bullet")
        new = parse(FILE)
        assert new.point(0).settings == PhysicsSettings(engine=default)
        assert (new.digest == stored.digest) == (default == "bullet")
    unnamed = stored.canonical.replace(',"engine":"bullet"', "")
    assert unnamed != stored.canonical
    line = refused(Spec.from_canonical, unnamed)
    assert line.startswith("spec.settings.engine is nothing; allowed is the name of an engine; ")


@pytest.mark.parametrize("engine", NUMBERS)
def test_what_settings_store_gives_them_back(engine: str):
    for name in accuracies(engine):
        settings = replace(accuracy(engine, name), creep=0.2)
        assert read_settings(settings.table()) == settings


def test_a_request_has_the_settings_of_its_engine_and_accuracy_and_none_where_the_apparatus_decides():
    request = partial(Throw.of, cubes={"blue": 1})
    assert [request(model="physics", engine=engine).settings for engine in (None, ENGINE)] == [None] * 2
    assert request(model="physics", engine="bullet").settings == PhysicsSettings(engine="bullet")
    assert request(model="physics", engine="core", accuracy="fast").settings == accuracy("core", "fast")
    assert request(model="physics", accuracy=STANDARD).settings == PhysicsSettings(engine=ENGINE)
    assert [request(model=model).settings for model in ("surrogate", "two_thirds", "mine.json")] == [None] * 3


@each_case("model", ["surrogate", "two_thirds", "mine.json"])
def test_an_engine_or_accuracy_for_a_model_without_physics_is_refused_in_one_line(model: str):
    for what, physics in (("engine", ("core", None)), ("accuracy", (None, "fine"))):
        line = refused(choose_settings, model, *physics)
        assert line.startswith(f"{what} is '{physics[0] or physics[1]}'; allowed is none with the model '{model}'")
        assert line.endswith("leave it out, or take the model physics")
    assert refused(choose_settings, "surogate", "core", None).endswith("did you mean surrogate?")


COMMANDS = [
    ("play amerigo --set rounds=1 --seed 1", "tower_sim.cli.play.open_model"),
    ("throw amerigo --cubes red=3 --seed 1", "tower_sim.cli.throw.open_model"),
    ("play chain --tower amerigo --seed 1", "tower_sim.cli.play.open_model"),
    (
        "compare amerigo --set cubes=6 --games 2 --seed 1 --model physics",
        "tower_sim.studies.comparison.command.open_model",
    ),
    ("play dead_reckoning --set cubes={purple=2,green=2} --seed 1", "tower_sim.cli.play.open_model"),
    ("tower test my_tower --games 8", "tower_sim.calibration.summaries.open_model"),
]


class _Opened(Exception):
    """The settings that a model was to be opened with."""


@each_case(("command", "opens"), COMMANDS)
def test_every_command_that_drops_hands_its_engine_and_accuracy_to_physics(command: str, opens: str, monkeypatch):
    def open_model(shape: Apparatus, *arguments: Any) -> Any:
        settings = next((each for each in arguments if isinstance(each, PhysicsSettings)), None)
        raise _Opened(as_settings(settings, shape.accuracy))

    monkeypatch.setattr(opens, open_model)
    monkeypatch.setattr("tower_sim.calibration.summaries.in_threads", map)
    own = accuracy("core", "fine" if "dead_reckoning" in command else "standard")
    for words, settings in (
        ([], own),
        (["--engine", "core"], own),
        (["--engine", "core", "--accuracy", "fine"], accuracy("core", "fine")),
        (["--accuracy", "standard"], PhysicsSettings()),
        (["--engine", "bullet", "--accuracy", "standard"], PhysicsSettings(engine="bullet")),
    ):
        with pytest.raises(_Opened) as opened:
            cli.main([*command.split(), *words])
        assert opened.value.args == (settings,)


@each_case("command", [command for command, opens in COMMANDS if "calibration" not in opens])
def test_a_command_with_a_model_without_physics_refuses_an_engine_in_one_line(command: str, capsys):
    done = here(*command.replace("--model physics", "").split(), "--model", "surrogate", "--engine", "bullet")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("tower-sim: engine is 'bullet'; allowed is none with the model 'surrogate'")


def test_the_default_engine_named_or_not_gives_the_same_bytes():
    drop = ["throw", "amerigo", "--cubes", "red=3", "--seed", "1", "--json"]
    runs = [here(*drop, *words) for words in ([], ["--engine", ENGINE], ["--accuracy", STANDARD])]
    assert {(done.returncode, done.stdout) for done in runs} == {(0, runs[0].stdout)}


@each_case(("name", "text"), [("http", f"that of `engine` is `{ENGINE}`"), ("campaigns", f'default `"{ENGINE}"`')])
def test_the_docs_name_the_default_engine(name: str, text: str):
    assert text in (Path(__file__).parents[2] / f"docs/{name}.md").read_text("utf-8")


@each_case(("engine", "name"), [each for each in NAMED if each != (ENGINE, STANDARD)])
def test_a_state_of_another_engine_or_accuracy_is_refused_with_the_option_to_go_on_with(
    engine: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tower_sim.simulator.World", lambda settings: None)  # an engine that need not be there
    state = PhysicsModel(SHAPE, accuracy(engine, name)).empty()
    finer = "" if name == STANDARD else f" --accuracy {name}"
    advice = f"; go on with the engine that made it: try --engine {engine}{finer}"
    assert refused(PhysicsModel(SHAPE).drop, state, (), np.random.default_rng(1)).endswith(advice)


def test_a_state_of_settings_of_ones_own_is_refused_without_a_guess():
    with PhysicsModel(SHAPE) as model, PhysicsModel(SHAPE, PhysicsSettings(iterations=99)) as other:
        outcome = drop_until_landed(other, 30, 1)
        assert outcome.state.touches
        line = refused(model.drop, outcome.state, (), np.random.default_rng(1))
        assert line.endswith("; go on with the model that made it")


def test_what_ships_fitted_says_with_which_engine():
    for name in shipped_names():
        assert fitted_or_shipped(name).engine == ENGINE
    assert "of the core at the accuracy of the tower or ship" in ABOUT["surrogate"]
    assert {name for name in names() if fitted_with(shipped()[name])} == set(READINGS)
    fitted = {name: engine for entry in make_document()["apparatus"] for name, engine in entry["fitted_with"].items()}
    assert fitted == dict.fromkeys(READINGS, ENGINE)


@each_case(("engine", "model"), [("core", "physics"), ("bullet", "physics"), ("core", "two_thirds")])
def test_a_check_against_games_of_another_engine_says_so(engine: str, model: str):
    campaign: Any = SimpleNamespace(spec={"model": model, "settings": PhysicsSettings(engine=engine).table()})
    line = other_engine(replace(fitted_or_shipped("amerigo"), engine="bullet"), [campaign, campaign])
    start = "The model was fitted to drops of the engine bullet, these are of core: "
    assert line.startswith(start) if (engine, model) == ("core", "physics") else line == ""


def test_a_surrogates_file_says_its_engine():
    fitted = replace(fitted_or_shipped("amerigo"), engine="bullet")
    text = fitted.to_json()
    assert json.loads(text)["engine"] == "bullet"
    assert Fitted.from_json(text) == fitted
    assert fitted.digest != fitted_or_shipped("amerigo").digest
    with pytest.raises(UsageError, match="keys of the surrogate"):
        Fitted.from_json(text.replace(' "engine": "bullet",\n', ""))
