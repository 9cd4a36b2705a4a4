"""Checks for authors of a model, an engine or a game; each raises AssertionError with the broken promise."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, replace
from functools import partial
from typing import Any, cast

import numpy as np

from tower_sim.apparatus import Surface, load, span
from tower_sim.drops import MAX_ATTEMPTS, BoardModel, DropModel, Recorder, as_model, redo
from tower_sim.errors import UsageError, quote
from tower_sim.games import Game, Turn
from tower_sim.physics import GRAVITY, Motion, PhysicsSettings
from tower_sim.physics.bullet import Stepper
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate import TwoThirdsRule
from tower_sim.values import Cube, Event, Outcome, Pose, Status, TowerState, rng_text, supply

_PLACES = ("inside", "tray", "table", "border", "zone")
_KINDS = {"b": (bool, np.bool_), "i": (int, np.integer), "f": (int, float, np.floating), "s": str}
_EDGE, _STEP, _TURNED = 0.008, 1 / 2000, (0.1, -0.3, 0.5, 0.8062257748298549)  # m, s, x y z w


def check_model(model: DropModel) -> None:
    """Check the promises of `DropModel` and `BoardModel`.

    The check throws five of 20 cubes ten times, knocks and, on a board, places cubes.

    Args:
        model: The model. It may refuse all knocks, and some draws may fail.

    Raises:
        AssertionError: The model breaks a promise.

    >>> check_model(TwoThirdsRule(load("amerigo")))
    """
    state, queue = model.empty(), list(supply({"red": 10, "blue": 10}, model.cube_edge))
    _equal("empty()", state, TowerState(model.name, model.apparatus, state.digest))
    for seed in range(10):
        thrown = tuple(cube for cube in queue if cube not in state.cubes)[:5]
        state = _check_draw(model, state, Event("drop", "", thrown, ()), seed)
        queue = [cube for cube in queue if cube not in thrown] + [*thrown]
    _hold("at least one drop of ten lands", state.drops > 0)
    state = _check_draw(model, state, Event("drop", "", (), ()), 10)
    new, rng = Cube(state.next_id, "green", model.cube_edge), np.random.default_rng(0)
    for strength in (0.3, 2.0):
        with suppress(UsageError):  # a model may refuse knocks
            model.knock(state, strength, rng)
            state = _check_draw(model, state, Event("knock", "", (), (), strength), 11)
    for zone in cast("BoardModel", model).board.zones if state.board.lying else ():
        for cube in (new, *state.board.cubes[:1]):
            state = _check_draw(model, state, Event("place", "", (cube,), (), 0.0, zone.name), 12)
    _equal("redo() of the log", redo(model, state), state)
    refused: dict[str, Callable[[], object]] = {
        "a cube thrown twice": partial(model.drop, state, (new, new), rng),
        "a cube of another size": partial(model.drop, state, (replace(new, edge=0.5),), rng),
        "a cube that is inside already": partial(model.drop, state, state.cubes[:1] or (new, new), rng),
        "a state of another model": partial(model.drop, replace(state, model="another"), (new,), rng),
        "a state of another apparatus": partial(model.drop, replace(state, digest="another"), (new,), rng),
        "an rng other than PCG64": partial(model.drop, state, (new,), np.random.Generator(np.random.MT19937(1))),
        "a knock of strength -1": partial(model.knock, state, -1.0, rng),
    }
    _check_refused(refused)


def _check_draw(model: DropModel, state: TowerState, event: Event, seed: int) -> TowerState:
    kind, cubes, token = event.kind, event.thrown, state.token()
    rng, another, start = (np.random.default_rng([2013, seed]) for _ in range(3))
    arguments = {"drop": (cubes,), "knock": (event.strength,), "place": (*cubes, event.place)}[kind]
    outcome: Outcome = getattr(model, kind)(state, *arguments, rng)
    _equal(f"the token of the state given to a {kind}", state.token(), token)
    again = getattr(model, kind)(TowerState.from_token(token), *arguments, another)
    _equal(f"the outcome of the same {kind} from a token", again, outcome)
    _equal("rng after the same draw", rng_text(another), rng_text(rng))
    _hold("a drop of cubes draws from rng", kind != "drop" or not cubes or rng_text(rng) != rng_text(start))
    _equal("the type of the status", type(outcome.status), Status)
    is_landing, after = outcome.status.is_landing, outcome.state
    _equal("names in an outcome", (outcome.model, outcome.apparatus), (model.name, model.apparatus))
    _equal("the cubes thrown", sorted(outcome.thrown), sorted(cubes))
    every = sorted({*state.cubes, *state.board.cubes, *cubes})
    _equal("the cubes that landings account for", sorted(x.cube for x in outcome.landings), every)
    _equal("the cubes left lying on the board", {*outcome.lying}, {*state.board.cubes} - {*cubes})
    for x in outcome.landings:
        legal = x.place.partition(":")[0] in _PLACES or (x.place == "lost" and not is_landing)
        _hold(f"a place after a {kind} that {outcome.status} is legal, not {x.place!r}", legal)
    document = outcome.to_json(7)
    _equal("an outcome's JSON read back", json.loads(json.dumps(document, allow_nan=False)), document)
    _equal("a state read back from its token", TowerState.from_token(document["state"]), after)
    if not is_landing:
        _equal("the state after a failed draw", after, state)
        return state
    _equal("the cubes in the new state", sorted(after.cubes), sorted(outcome.inside))
    _equal("the cubes inside and out", sorted((*after.cubes, *outcome.emerged)), sorted({*state.cubes, *cubes}))
    out = {x.cube: x.place for x in outcome.landings if not x.inside}
    lying = {r.cube: r.region for r in after.board.lying}
    _equal("the cubes on the new board", lying, out if lying or "zone:" in str(out) else {})
    _equal("the log up to its last event", (len(after.log) - 1, after.log[:-1]), (len(state.log), state.log))
    last, out = after.log[-1], {cube.id for cube in outcome.emerged}
    facts = (last.kind, last.rng, {*last.thrown}, {*last.emerged}, last.strength, last.place)
    _equal("the last event of the log", facts, (kind, rng_text(start), {*cubes}, out, event.strength, event.place))
    return after


def check_engine(kind: Callable[[PhysicsSettings], Stepper], settings: PhysicsSettings | None = None) -> None:
    """Check the promises of `Engine` with cubes that fall, sleep, wake and pile up. Raises AssertionError.

    The default `settings` are Bullet's, which also apply to engines of other packages.
    """
    settings = settings or PhysicsSettings(engine="bullet")
    engine, other = kind(settings), kind(settings)
    _hold("an engine says its title and its distribution", bool(engine.title and engine.distribution))
    poses = [Pose((x, -x / 3, 1.0), _TURNED) for x in (0.0, 0.2, 0.1)]
    falling, other_cube, lying = bodies = _lay(engine, settings, poses)
    engine.lay_to_rest({lying: poses[2]})
    engine.set_velocity(falling, (0.3, -0.2, 0.5), (0.0, 0.0, 0.0))
    motion, speed = _move(engine, bodies, 400), 0.2 * GRAVITY
    _near("the speed of a falling cube", motion.velocity[0], (0.3, -0.2, 0.5 - speed), 1e-6)
    _near("the place of a falling cube", motion.position[0], (0.06, -0.04, 1.1 - 0.1 * speed), speed * _STEP)
    _near("the orientation of a falling cube", motion.orientation[0], _TURNED, 1e-9)
    _near("the place of a cube laid to rest", motion.position[2], poses[2].position, 1e-14)
    _near("places in the order asked for", engine.motion([lying, falling]).position, motion.position[[2, 0]], 0)
    _equal("the shape of the orientations of no cube", engine.motion([]).orientation.shape, (0, 4))
    _equal("the overlap of cubes in the air", engine.overlap(), 0.0)
    engine.remove(falling)
    engine.wake(lying)
    heights = _move(engine, [lying, other_cube], 200).position[:, 2]
    _near("heights once a cube is woken", heights, 1 - GRAVITY * np.array([0.005, 0.045]), speed * _STEP)
    (body,) = _lay(engine, settings, poses[:1])
    for pull in (5.0, -5.0):
        engine.set_gravity((pull, 0.0, 0.0))
        speed = _move(engine, [body], 200).velocity[0]
        _near("the speed after gravity swung", speed, (max(pull, 0.0) * 0.1, 0.0, 0.0), 1e-6)
    (body,) = _lay(engine, settings, [Pose((0.0, 0.0, 3 * _EDGE), (0.0, 0.0, 0.0, 1.0))])
    height = _move(engine, [body], 1000).position[0, 2]
    _near("the height of a cube that fell onto the floor", height, 0.7 * _EDGE, 0.3 * _EDGE)
    engine.put_to_sleep(body)
    asleep = _move(engine, [body], 2).position
    _near("the place of a cube put to sleep", _move(engine, [body], 200).position, asleep, 0)
    heap = [Pose((0.001 * (i % 3), 0.0013 * (i % 2), _EDGE * (1 + 1.8 * i)), _TURNED) for i in range(8)]
    for part in zip(*(astuple(_move(w, _lay(w, settings, heap), 500)) for w in (engine, engine, other)), strict=True):
        _hold("the same calls after clear() give the same bytes", len({array.tobytes() for array in part}) == 1)
    for each in (engine, engine, other):
        with each.lock, each.lock:
            each.close()


def check_game(game: Game, model: DropModel | None = None, tables: Mapping[str, Any] | None = None) -> None:
    """Check the promises of `Game` with a few runs, with and without failed draws.

    Args:
        game: The game.
        model: It plays the runs, by default the rule of two thirds, or physics for a game with a board, in the game's
            `apparatus`.
        tables: Rules for a short run.

    Raises:
        AssertionError: The game breaks a promise.

    >>> from tower_sim.tools import registry
    >>> check_game(registry.get("game", "push_your_luck"))
    """
    if game.apparatus:
        game.check(shape := load(game.apparatus))
        model = model or (PhysicsModel(shape) if game.board else TwoThirdsRule(shape))
    player = cast("DropModel", as_model(model))
    rules = game.read(tables or {})
    for read in (game.read({}), game.read(game.resolved(tables or {})), rules):
        plain = game.plain(read)
        _equal("plain() read back from JSON", json.loads(json.dumps(plain, allow_nan=False)), plain)
        _equal("rules read from their plain()", game.read(plain), read)
        _hold(f"plain() has tables of the game alone, not {[*plain]}", {*plain} <= {*game.tables})
    refused = {f"a key that {name} has not": partial(game.read, {name: {"no_such_key": 1}}) for name in game.tables}
    refused["a table that the game has not"] = partial(game.read, {"no_such_table": {}})
    _check_refused(
        {**refused, "start() with the seed -1, before its first turn,": partial(game.start, player, rules, -1)}
    )
    for run in (None, 3):
        plays = [game.start(player, read, seed, run) for read, seed in ((rules, 7), (rules, 8), (game.read(plain), 7))]
        first, _, again = ([(turn.kind, turn.facts, turn.state, str(turn.failed)) for turn in play] for play in plays)
        _equal("a run played again", again, first)
    _equal("the rules after a run", game.plain(rules), plain)
    for landings in (math.inf, 2, 0):
        recorder, turns = _Failing(player), list[Turn]()
        recorder.left = landings
        for turn in game.start(recorder.as_model, rules, 7):
            knocks = [draw.knock for draw in recorder.take_draws() if draw.outcome.status.is_landing]
            _hold("a turn has one drop and one knock at most", knocks.count(True) < 2 > knocks.count(False))
            there = sorted(cube.id for cube in (*turn.state.cubes, *turn.state.board.cubes))
            _equal("the cubes in a turn's state, each once", there, sorted({*there}))
            _equal("facts without a column", {*turn.facts} - {column.name for column in game.columns}, set[str]())
            for column in game.columns:
                fact = turn.facts.get(column.name)
                fits = isinstance(fact, _KINDS[column.kind[0]]) and isinstance(fact, bool) <= (column.kind == "bool")
                _hold(f"{column.name} is {column.kind}, not {fact!r}", fits or (fact is None and column.nullable))
            _equal("the lines of a turn", len(game.ways.line(turn, rules).strip().splitlines()), 1)
            turns.append(turn)
        _equal("the numbers of the turns", [turn.index for turn in turns], [*range(len(turns))])
        failed, end = [turn.index for turn in turns if turn.failed], [len(turns) - 1]
        _equal("the turns with failed set", failed, end if recorder.left <= -MAX_ATTEMPTS else [])
        _hold("summary() has a text", bool(game.summary(turns, rules).strip()))
        document = game.ways.document_of(turns, rules, apparatus="box", model="coin", seed=7)
        _equal("the document read back from JSON", json.loads(json.dumps(document, allow_nan=False)), document)
        _hold("the document says its schema and version", {"schema", "version"} <= {*document})
        if not failed:
            finite = [math.isfinite(value) for value in game.measured(turns, rules)]
            _equal("finite values of measured(), for each figure", finite, [True for _ in game.figures])


class _Failing(Recorder):
    left: float = math.inf

    def _keep(self, state: TowerState, outcome: Outcome, *, knock: bool = False) -> Outcome:
        self.left -= outcome.status.is_landing or self.left <= 0
        failed = replace(outcome, status=Status.TIMED_OUT, state=state)
        return super()._keep(state, failed if self.left < 0 else outcome, knock=knock)


def _lay(engine: Stepper, settings: PhysicsSettings, poses: Sequence[Pose]) -> list[int]:
    engine.clear(_EDGE)
    engine.set_effort(settings.iterations, settings.residual, settings.relaxation)
    engine.set_gravity((0.0, 0.0, -GRAVITY))
    pair = Surface(0.4, 0.4)
    engine.add_boxes([span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")], {"wood": pair}, pair)
    engine.set_cubes(650.0 * _EDGE**3)
    return [engine.add_cube(pose) for pose in poses]


def _move(engine: Stepper, bodies: Sequence[int], steps: int) -> Motion:
    engine.step(_STEP, steps)
    return engine.motion(bodies)


def _hold(promise: str, is_kept: bool) -> None:
    if not is_kept:
        raise AssertionError(f"broken promise: {promise}")


def _equal(what: str, got: object, expected: object) -> None:
    _hold(f"{what} must be {quote(expected)}, not {quote(got)}", got == expected)


def _near(what: str, got: Any, expected: Any, within: float) -> None:
    off = float(np.abs(np.subtract(got, expected)).max())
    _hold(f"{what} must be {quote(expected)} within {within:.2g}, not {quote(got)}", off <= within)


def _check_refused(calls: Mapping[str, Callable[[], object]]) -> None:
    for what, call in calls.items():
        try:
            call()
        except UsageError:
            continue
        _hold(f"{what} is refused with UsageError", False)
