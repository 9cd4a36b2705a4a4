"""Calls of the public Python door with wrong arguments: each works sensibly or raises UsageError, in one line.

Each call has good arguments, which pass; then every one of them is exchanged for every value of ODD. Nothing here drops
with physics.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import tower_sim
from tower_sim import campaign
from tower_sim.apparatus import load
from tower_sim.drops import redo, until_landed
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules, Tokens, action_points, actions_allowed, gold_for_passing, options
from tower_sim.games.amerigo.many import sample_games
from tower_sim.games.dead_reckoning import Ability, Battle, BattleRules, advance, start
from tower_sim.models import choose_settings, open_model
from tower_sim.physics import PhysicsSettings, accuracy, read_settings
from tower_sim.requests import Play, Throw, read_rules, read_variant
from tower_sim.requests.request import parse_rules
from tower_sim.simulator import PhysicsModel
from tower_sim.studies import study
from tower_sim.surrogate import fitted_or_shipped, load_fitted
from tower_sim.tools import get
from tower_sim.values import Cube, TowerState, count_by_colour, rng_from_text, rng_text, supply

ODD: Mapping[str, Any] = {
    "None": None, "True": True, "-1": -1, "0": 0, "5": 5, "1.5": 1.5, "nan": math.nan, "inf": math.inf, "1e308": 1e308,
    "2**128": 2**128, "10**400": 10**400, "1/4": np.float64(0.25), "array": np.zeros(3), "''": "", "nope": "nope",
    "NUL": "\0", "escape": "\x1b[31m", "surrogate": "\udc80", "bidi": "\u202e", "bytes": b"red", "list": [],
    "of None": [None], "of 5": [5, "x"], "table": {}, "table of 5": {"nope": 5}, "table of None": {None: None},
    "set": {1}, "object": object(), "type": int,
}  # fmt: skip
SPEC = '[campaign]\ngame = "amerigo"\nmodel = "two_thirds"\napparatus = "amerigo"\ngames = 6\nseed = "7"\n'
FINE: Mapping[str, str] = {  # names of ODD that an argument may be, as CALL.ARGUMENT; of any call as ARGUMENT
    name: odd
    for odd, names in {
        "0|5": "Rules.rounds seed first of_colour.count cube.id start.game",
        "None": "settings engine fineness accuracy Throw.state options.marker options.tokens",
        "5": "games Rules.cubes settings.iterations sample_runs.runs",
        "table": "Play.rules tables read_settings.table parse_rules.table chain.own amerigo.own own advance.policies"
        " BattleRules.sides options.emerged actions_allowed.emerged",
        "list": "colours changes drop.cubes",
        "table|table of 5": "supply.counts action_points.emerged gold.emerged Tokens.extra",
        "nope|''": "coloured.colour cube.colour",
        "None|0|5": "run Throw.seed Play.seed",
        "0|1/4": "shift",
        "list|''|table": "cubes",
        "1/4": "supply.edge",
        "0|5|2**128|10**400": "supply.first_id",
        "''": "Rules.substitute",
        "None|True|-1|0|5|1.5|nan|inf|1e308|2**128|10**400|1/4": "Throw.knock",
        "table of 5": "Throw.cubes",
        "None|nope|''|NUL|escape|surrogate|bidi": "Throw.apparatus Play.apparatus parse_rules.directory",
        "nope|''|NUL|escape|surrogate|bidi": "at.place parse.directory",
        "5|2**128|10**400": "gold.divisor",
        "0": "run_shard.index",
        "nope": "number",
        "": "state settings.timestep dead_reckoning.own Throw.model settings.engine",
    }.items()
    for name in names.split()
}


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def doors() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    shape, ship = load("amerigo"), load("dead_reckoning")
    of = ((shape, "surrogate"), (shape, "two_thirds"), (ship, "surrogate"))
    model, rule, board = cast("list[Any]", [open_model(*which) for which in of])
    edge, red = shape.cube_edge, supply({"red": 20}, shape.cube_edge)
    outcome = model.drop(model.empty(), red, rng())
    state, lying = outcome.state, board.drop(board.empty(), supply({"red": 4}, board.cube_edge), rng()).state
    battle = BattleRules()
    amerigo, spec = get("game", "amerigo"), campaign.parse(SPEC)

    def opened(**given: Any) -> None:
        open_model(**given).close()

    yield "load", load, {"name_or_file": "amerigo"}
    yield "open_model", opened, {"apparatus": shape, "name": "surrogate", "settings": None}
    yield "open_physics", opened, {"apparatus": shape, "name": "physics", "settings": PhysicsSettings()}
    yield ("PhysicsModel", lambda **given: PhysicsModel(**given).close(), {"apparatus": shape, "settings": None})
    yield "supply", supply, {"counts": {"red": 2}, "edge": edge, "first_id": 0}
    yield "of_colour", lambda count: supply({"red": count}, edge), {"count": 2}
    coloured = lambda colour: supply(cast("Any", {colour if isinstance(colour, Hashable) else None: 2}), edge)  # noqa: E731
    yield "coloured", coloured, {"colour": "red"}
    yield "count_by_colour", count_by_colour, {"cubes": state.cubes, "colours": ["red"]}
    yield "Rules", Rules, {"rounds": 5, "cubes": 7, "substitute": "white"}
    yield "settings", PhysicsSettings, {"timestep": 0.001, "iterations": 40, "engine": "core"}
    yield "accuracies", lambda engine, word: accuracy(engine, word), {"engine": "core", "word": "fast"}
    yield "read_settings", read_settings, {"table": {"iterations": 40}}
    yield "choose_settings", choose_settings, {"model": "physics", "engine": "core", "fineness": "fast"}
    for each, before in ((model, state), (rule, rule.empty()), (board, lying)):
        more = supply({"red": 2}, each.cube_edge, first_id=50)
        yield "drop", lambda each=each, **given: each.drop(**{"rng": rng(), **given}), {"state": before, "cubes": more}
        yield "drop", each.drop, {"state": before, "cubes": more, "rng": rng()}
    yield "place", board.place, {"state": lying, "cube": lying.board.cubes[0], "zone": "choice", "rng": rng()}
    many = {"seed": 1, "first": 0, "shift": 0.0}
    yield "sample_runs", model.sample_runs, {"plan": amerigo.plan(amerigo.read({})), "runs": 2, **many}
    one = lambda **given: model.drop(model.empty(), [Cube(**given)], rng())  # noqa: E731
    yield "cube", one, {"id": 1, "colour": "red", "edge": edge}
    yield "take", state.take, {"cubes": state.cubes[:1]}
    yield "from_token", TowerState.from_token, {"token": state.token()}
    yield "rng_text", rng_text, {"rng": rng()}
    yield "rng_from_text", rng_from_text, {"text": rng_text(rng())}
    yield "at", lying.board.at, {"place": "table"}
    yield "without", lying.board.without, {"cubes": lying.board.cubes[:1]}
    yield "until_landed", until_landed, {"draw": partial(model.drop, state, ()), "seed": np.random.SeedSequence(1)}
    yield "redo", redo, {"model": model, "state": state}
    named = {"apparatus": "amerigo", "model": "physics", "seed": 1, "engine": None, "accuracy": None}
    yield "Throw", Throw.of, {**named, "cubes": {"red": 2}, "state": None, "knock": None}
    yield "Play", Play.of, {**named, "game": "amerigo", "rules": {"rounds": 1}}
    yield "read_rules", read_rules, {"game": amerigo, "file": "amerigo"}
    yield "parse_rules", parse_rules, {"game": amerigo, "table": {"rounds": 3}, "directory": None}
    yield "game", partial(get, "game"), {"name": "amerigo"}
    for name in ("amerigo", "chain", "dead_reckoning", "wallenstein", "seafarers"):
        game = get("game", name)
        rules, by = game.read({}), board if game.board else model
        yield name, game.read, {"tables": {}}
        if not game.board:
            yield name, lambda own, game=game: game.read({game.tables[0]: own}), {"own": {}}
        yield name, game.check, {"apparatus": load(game.apparatus) if game.apparatus else shape}
        yield name, game.plain, {"rules": rules}
        if name in ("amerigo", "chain", "dead_reckoning"):
            few = lambda game=game, **given: [*islice(game.start(**given), 2)]  # noqa: E731
            yield name, few, {"model": by, "rules": rules, "seed": 1, "run": 0}
    emerged, tokens = {"white": 3, "green": 1}, Tokens(extra={"red": 2})
    yield "options", options, {"emerged": emerged, "rules": Rules(), "marker": "red", "tokens": tokens}
    yield "actions_allowed", actions_allowed, {"emerged": emerged, "rules": Rules()}
    yield "action_points", action_points, {"emerged": emerged}
    yield "gold", gold_for_passing, {"emerged": emerged, "divisor": 2}
    yield "Tokens", Tokens, {"extra": {"red": 2}}
    yield "sample_games", sample_games, {"model": model, "rules": Rules(), "games": 2, **many}
    yield "BattleRules", BattleRules, {"cubes": {"purple": 6, "green": 3}, "combat": "ship", "sides": {}}
    yield "Ability", Ability.parse, {"text": "throw:2"}
    yield "start", start, {"model": board, "rules": battle, "seed": 7, "game": 0}
    yield "advance", advance, {"model": board, "battle": start(board, battle, 7), "policies": {}}
    yield "Battle", Battle.from_token, {"token": start(board, battle, 7).token()}
    yield "parse", campaign.parse, {"text": SPEC, "directory": Path()}
    yield "run_shard", campaign.run_shard, {"spec": spec, "index": 0}
    yield "read_variant", read_variant, {"file": "amerigo", "changes": ("rounds=3",)}
    yield "fitted_or_shipped", fitted_or_shipped, {"name": "amerigo"}
    yield "to_json", outcome.to_json, {"seed": 1, "colours": ["red"]}


NO_FILES: Mapping[str, Callable[[Any], Any]] = {
    "load_fitted": load_fitted, "campaign.load": campaign.load, "campaign_status": campaign.campaign_status,
    "campaign_verify": campaign.campaign_verify, "study": lambda directory: study(directory, "/nowhere"),
}  # fmt: skip


def result_of(call: Callable[[], Any]) -> str:
    """Call, and return `fine`, `refused`, or what is wrong: another error than one of a line that can be printed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call()
    except UsageError as error:
        line = str(error)
        return "refused" if len(line) < 1000 and line.isprintable() and "; " in line else f"UsageError: {line!r}"
    except Exception as error:
        return repr(error)
    return "fine"


def test_a_wrong_argument_is_refused_in_one_line_or_does_what_it_says():
    wrong: list[str] = []
    counted: Counter[str] = Counter()
    for name, call, good in doors():
        call(**good)
        for argument in good:
            fine = FINE.get(f"{name}.{argument}", FINE.get(argument, "")).split("|")
            for odd, value in ODD.items():
                found = result_of(partial(call, **{**good, argument: value}))
                counted[found] += 1
                if found != "refused" and not (found == "fine" and odd in fine):
                    wrong.append(f"{name}({argument}={odd}): {found}")
    for name, call in NO_FILES.items():
        for odd, value in ODD.items():
            counted["refused"] += 1
            if (found := result_of(partial(call, value))) != "refused":
                wrong.append(f"{name}({odd}): {found}")
    assert wrong == [], "\n".join(wrong)
    assert counted.total() > 3_000
    assert 100 < counted["fine"] < 500


def of_numpy(value: Any) -> Any:
    """Return a good argument with its numbers as numpy has them, and a table of whole numbers as a series of pandas."""
    if isinstance(value, dict) and value and all(type(number) is int for number in value.values()):
        return pd.Series(cast("dict[str, int]", value))
    return {int: np.int64, float: np.float64}.get(type(value), lambda same: same)(value)


def test_numbers_of_numpy_and_series_of_pandas_do_as_pythons_own():
    calls = [(name, call, good, {key: of_numpy(value) for key, value in good.items()}) for name, call, good in doors()]
    wrong = [f"{name}: {found}" for name, call, _, own in calls if (found := result_of(partial(call, **own))) != "fine"]
    assert wrong == [], "\n".join(wrong)
    assert sum(own[key] is not good[key] for *_, good, own in calls for key in good) > 30
    for name in ("Rules", "options", "supply", "sample_games"):
        (same,) = {repr(call(**each)) for at, call, good, own in calls if at == name for each in (good, own)}
        assert "np." not in same


def test_a_model_is_opened_by_the_name_of_an_apparatus_too():
    with open_model("amerigo", "two_thirds") as model:
        assert model.empty().apparatus == "amerigo"
    with pytest.raises(UsageError, match=r"^apparatus 'amerig' is neither .*did you mean amerigo\?$"):
        tower_sim.open_model("amerig", "two_thirds")
