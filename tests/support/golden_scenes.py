"""Forty small scenes of the core, each as bytes with every digit: what may not differ from one machine to the next.

`python -m tests.support.golden_scenes [NAME ...]` prints their digests, a line of JSON each. Those of this version are
kept in tests/vectors/core_hashes.json; `python -m calibration.validation.same renew` makes them anew.

Each scene is small, so that all of them also run as plain Python, a hundred times slower, in a minute.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.bench import GRAVITY, World
from tests.support.scenes import EDGE, TOWER_CUBE, Thing, core, floor, pose, set_up
from tests.support.touches import lay
from tests.support.towers import CLUB, RULEBOOK
from tower_sim.apparatus import Box, Surface, load, tilted_about_y
from tower_sim.apparatus.parts import Vector
from tower_sim.games.dead_reckoning import BattleRules, start, when_behind
from tower_sim.games.dead_reckoning.battle import play
from tower_sim.physics import PhysicsSettings, accuracy
from tower_sim.physics.core import CoreEngine
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import portable
from tower_sim.values import Cube, Outcome, Pose, Touch, TowerState, supply

HASHES = Path(__file__).parents[1] / "vectors" / "core_hashes.json"
STANDARD = accuracy("core", "standard")
ROUGH = replace(STANDARD, timestep=1 / 250, step_travel=0.25, passed_travel=0.25, quiet_time=0.05)
"""So coarse that a drop takes a few hundred steps: the same code, and fit for plain Python."""
JAMMING = replace(STANDARD, quiet_time=1.9, longest=2.0, creep=1.0)
"""No cube is quiet for long enough, so a drop ends when its time is up: cubes that lie still are jammed."""
ZERO: Vector = (0.0, 0.0, 0.0)
WOOD = Surface(0.4, 0.4)

Pieces = Iterator[bytes]


@dataclass(frozen=True)
class Start:
    """A cube to be: where, how turned (about z, then about x, rad), how fast (m/s), with which spin (rad/s)."""

    at: Vector
    turned: float = 0.0
    tilted: float = 0.0
    velocity: Vector = ZERO
    spin: Vector = ZERO

    def pose(self) -> Pose:
        """Return its pose; lengths are in edges of the tower's cubes."""
        (z, cz), (x, cx) = ((portable.sin(angle / 2), portable.cos(angle / 2)) for angle in (self.turned, self.tilted))
        return pose([EDGE * a for a in self.at], (cz * x, z * x, z * cx, cz * cx))


def motion_bytes(engine: CoreEngine, bodies: Sequence[int]) -> Pieces:
    motion = engine.motion(bodies)
    for table in (motion.position, motion.orientation, motion.velocity, motion.spin):
        yield np.ascontiguousarray(table, dtype="<f8").tobytes()


def touch_bytes(touches: Sequence[Touch]) -> bytes:
    return repr([(touch.cube, touch.other, touch.forces) for touch in touches]).encode()


# Scenes of the engine


def watch(engine: CoreEngine, bodies: Sequence[int], windows: int) -> Pieces:
    """Look at cubes after every window; in the end they lie still, and tell whom they touch."""
    for _ in range(windows):
        engine.run(1)
        yield from motion_bytes(engine, bodies)
    engine.lie_still()
    yield touch_bytes(engine.touches())


def let_go(world: World, starts: Sequence[Start], *setting: Any) -> tuple[CoreEngine, list[int]]:
    """Let cubes go among boxes, as `set_up` has them after the poses."""
    bodies = set_up(world, [each.pose() for each in starts], *setting)
    for body, each in zip(bodies, starts, strict=True):
        world.engine.set_velocity(body, each.velocity, each.spin)
    return core(world), bodies


def throw(
    *starts: Start,
    boxes: Sequence[Box] = (floor(),),
    pair: Surface = WOOD,
    windows: int = 12,
    gravity: Vector = (0.0, 0.0, -GRAVITY),
    thing: Thing = TOWER_CUBE,
) -> Pieces:
    with World(STANDARD) as world:
        yield from watch(*let_go(world, starts, pair, boxes, gravity, thing), windows)


def take_steps(*starts: Start, timestep: float, steps: int) -> Pieces:
    """Take steps of one length, as a caller of `step` does."""
    with World(STANDARD) as world:
        engine, bodies = let_go(world, starts, WOOD, (floor(),))
        for _ in range(steps):
            engine.step(timestep, 1)
            yield from motion_bytes(engine, bodies)


def hit_asleep(gone: bool) -> Pieces:
    """Lay a stack of three to sleep; take its lowest cube away (`gone`), or throw a fourth at it."""
    stack = [Start((0.0, 0.0, 0.5 + k), turned=0.1 * k).pose() for k in range(3)]
    with World(STANDARD) as world:
        engine, _ = let_go(world, [], WOOD, (floor(),))
        bodies = lay(engine, stack, [Touch(0, -1, (0, 0, 10**6) * 4)])
        if gone:
            engine.remove(bodies.pop(0))
        else:
            bodies.append(engine.add_cube(Start((-1.3, 0.1, 2.4), tilted=0.3).pose()))
            engine.set_velocity(bodies[-1], (1.0, 0.0, 0.0), (5.0, 0.0, 9.0))
        yield from watch(engine, bodies, 8)


def swing() -> Pieces:
    """Swing gravity about two cubes, one on the other, as a knock does."""
    starts = [Start((0.0, 0.0, 0.5)), Start((0.2, 0.1, 1.5), turned=0.3)]
    with World(STANDARD) as world:
        engine, bodies = let_go(world, starts, WOOD, (floor(),))
        for k in range(12):
            world.set_gravity((GRAVITY * (-1.0) ** (k // 3), 0.25 * k, -GRAVITY))
            engine.run(1)
            yield from motion_bytes(engine, bodies)


def plate() -> Box:
    """Return a plate of 1 mm across x, 10 cm wide."""
    return Box("plate", "floor", ZERO, (0.0005, 0.05, 0.05))


def wedge(angle: float) -> tuple[Box, Box]:
    """Return two walls that lean away from each other, so that a cube gets stuck between them."""
    half = (0.002, 0.05, 0.05)
    return (
        Box("left", "floor", (-1.2 * EDGE, 0.0, 0.0), half, tilted_about_y(-angle)),
        Box("right", "floor", (1.2 * EDGE, 0.0, 0.0), half, tilted_about_y(angle)),
    )


def slope(angle: float) -> Box:
    """Return a floor that descends towards +x (support's own asks the system for a sine)."""
    return Box("floor", "floor", (0.0, 0.0, -0.5), (2.0, 2.0, 0.5), tilted_about_y(angle))


def shaft(width: float) -> tuple[Box, ...]:
    """Return a floor and four walls around a square of so many edges."""
    inside, thick = 0.5 * width * EDGE, 0.01
    walls = (
        Box("wall", "floor", (sign * (inside + thick) * x, sign * (inside + thick) * y, 0.05), (0.01, 0.1, 0.05), turn)
        for x, y, turn in ((1.0, 0.0, (0.0, 0.0, 0.0, 1.0)), (0.0, 1.0, (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))))
        for sign in (-1.0, 1.0)
    )
    return (floor(), *walls)


def pour(number: int, width: float, windows: int) -> Pieces:
    """Let cubes fall into a shaft in which they hinder each other."""
    starts = [
        Start((0.31 * (k % 3 - 1), 0.23 * (k % 2), 0.9 + 1.3 * k), turned=0.4 * k, tilted=0.25 * k, spin=(4.0, k, -2.0))
        for k in range(number)
    ]
    return throw(*starts, boxes=shaft(width), windows=windows)


# Scenes of the public model


def outcome_bytes(model: PhysicsModel, outcome: Outcome) -> Pieces:
    """Yield how many steps the model has taken, how a drop ended, where cubes are, and the state's text."""
    landings = [(x.cube.id, x.place, x.pose, x.touches, x.on) for x in outcome.landings]
    steps, seconds = model.effort
    yield f"{steps} {seconds:.6f} {outcome.status} {landings!r}".encode()
    yield state_bytes(outcome.state)


def state_bytes(state: TowerState) -> bytes:
    """Return what a state's token holds, before it is packed: compressors differ, and so do the texts they make.

    The digest of apparatus and settings is left out: it says what was asked for, not what came of it.
    """
    return repr((state.residents, state.board, state.log)).encode() + touch_bytes(state.touches)


def through_text(state: TowerState) -> TowerState:
    return TowerState.from_token(state.token())


def seed_rng(*numbers: int) -> np.random.Generator:
    return np.random.default_rng(numbers)


def hand(model: PhysicsModel, number: int, first: int = 0) -> tuple[Cube, ...]:
    return supply({"any": number}, model.cube_edge, first_id=first)


def drop(
    profile: str, *numbers: int, settings: PhysicsSettings = ROUGH, seed: int = 1, interval: float = 0.0
) -> Pieces:
    """Drop so many new cubes, and so many more, each onto what the drop before left, through text.

    With an interval (s) they are poured. The first that come out of a tower lie on its table, so that all is told of
    them, or are swept away where more is thrown.
    """
    shape = load(profile)
    if len(numbers) == 1:
        shape = replace(shape, swept=False)
    if interval:
        shape = replace(shape, hand=replace(shape.hand, rate=1 / interval))
    with PhysicsModel(shape, settings) as model:
        state, first = model.empty(), 0
        for number in numbers:
            outcome = model.drop(through_text(state), hand(model, number, first), seed_rng(seed, first))
            yield from outcome_bytes(model, outcome)
            state, first = outcome.state, first + number


def knock(profile: str, number: int, *strengths: float) -> Pieces:
    """Drop cubes, then knock on the table."""
    with PhysicsModel(load(profile), ROUGH) as model:
        state = model.drop(model.empty(), hand(model, number), seed_rng(2)).state
        for k, strength in enumerate(strengths):
            outcome = model.knock(through_text(state), strength, seed_rng(3, k))
            yield from outcome_bytes(model, outcome)
            state = outcome.state


def take(profile: str, number: int) -> Pieces:
    """Drop cubes until two or more stay, take every other one out by hand, and drop one more."""
    with PhysicsModel(load(profile), ROUGH) as model:
        states = (model.drop(model.empty(), hand(model, number), seed_rng(4, turn)).state for turn in count())
        state = next(each for each in states if len(each.cubes) + len(each.board.cubes) > 1)
        state = through_text(state.take([*state.cubes, *state.board.cubes][::2]))
        yield state_bytes(state)
        yield from outcome_bytes(model, model.drop(state, hand(model, 1, number), seed_rng(5)))


def place(zones: Sequence[str]) -> Pieces:
    """Put cubes into zones of the ship's board, one on another, then throw two."""
    with PhysicsModel(load("dead_reckoning"), ROUGH) as model:
        state = model.empty()
        for k, zone in enumerate(zones):
            outcome = model.place(through_text(state), hand(model, 1, k)[0], zone, seed_rng(6, k))
            yield from outcome_bytes(model, outcome)
            state = outcome.state
        yield from outcome_bytes(model, model.drop(state, hand(model, 2, len(zones)), seed_rng(7)))


def fight(purple: int, green: int) -> Pieces:
    rules = BattleRules(cubes={"purple": purple, "green": green})
    policies = {"purple": when_behind, "green": when_behind}
    with PhysicsModel(load("dead_reckoning"), ROUGH) as model:
        for battle in play(model, start(model, rules, 8), policies):
            yield repr(sorted((cube.id, place) for cube, place in battle.places.items())).encode()
            yield state_bytes(battle.state)


_FLAT, _EDGE, _CORNER = 0.0, math.pi / 4, 0.9553166181245093  # tilts: on a face, an edge, and the steepest diagonal
_FALLING = Start((0.0, 0.0, 1.6), velocity=(0.1, 0.0, -0.5))

SCENES: dict[str, Callable[[], Pieces]] = {
    "falls flat": partial(throw, _FALLING),
    "falls on an edge": partial(throw, replace(_FALLING, tilted=_EDGE)),
    "falls on a corner, spinning": partial(
        throw, replace(_FALLING, turned=_EDGE, tilted=_CORNER, spin=(9.0, -7.0, 30.0))
    ),
    "never bounces": partial(throw, replace(_FALLING, tilted=0.4), pair=Surface(0.8, 0.0)),
    "hardly rubs": partial(throw, replace(_FALLING, tilted=0.4), pair=Surface(0.01, 0.9)),
    "edge across edge": partial(
        throw, Start((0.0, 0.0, 0.71), tilted=_EDGE), Start((0.1, 0.0, 2.4), turned=1.5, tilted=_EDGE), windows=8
    ),
    "stack of three": partial(throw, *(Start((0.05 * k, 0.0, 0.52 + 1.02 * k), turned=0.2 * k) for k in range(3))),
    "two under one": partial(
        throw, Start((-0.6, 0.0, 0.5)), Start((0.6, 0.0, 0.5)), Start((0.0, 0.0, 1.6), tilted=0.1), windows=8
    ),
    "sticks on a slope": partial(throw, Start((0.0, 0.0, 4.85), turned=0.3), boxes=(slope(0.35),)),
    "slides down a slope": partial(throw, Start((0.0, 0.0, 9.65), turned=0.3), boxes=(slope(0.5),)),
    "slides and spins": partial(throw, Start((0.0, 0.0, 0.5), velocity=(0.6, 0.2, 0.0), spin=(0.0, 0.0, 40.0))),
    "spins on a corner": partial(
        throw, Start((0.0, 0.0, 0.87), turned=_EDGE, tilted=_CORNER, spin=(0.0, 0.0, 60.0)), windows=10
    ),
    "stuck in a wedge": partial(
        throw, Start((0.05, 0.0, 1.2), tilted=0.2, velocity=(0.0, 0.0, -1.0)), boxes=wedge(0.3), windows=8
    ),
    "meet without weight": partial(
        throw,
        Start((-1.5, 0.0, 0.0), tilted=0.5, velocity=(1.0, 0.0, 0.0), spin=(0.0, 50.0, 0.0)),
        Start((1.5, 0.3, 0.2), turned=0.4, velocity=(-1.0, 0.1, 0.0)),
        boxes=(),
        gravity=ZERO,
        windows=3,
    ),
    "fast against a thin plate": partial(
        throw,
        Start((-3.0, 0.1, 0.2), tilted=0.7, velocity=(5.0, 0.0, 0.0), spin=(120.0, 100.0, 120.0)),
        boxes=(plate(),),
        gravity=ZERO,
        windows=2,
    ),
    "overlap is parted": partial(throw, Start((0.0, 0.0, 0.45)), Start((0.3, 0.1, 1.4), turned=0.5), windows=8),
    "another cube": partial(
        throw, replace(_FALLING, tilted=0.6, at=(0.0, 0.0, 2.5)), thing=Thing(0.016, 0.004, 2e-7), windows=8
    ),
    "steps of one length": partial(take_steps, replace(_FALLING, tilted=0.3), timestep=1 / 700, steps=40),
    "a sleeping stack is hit": partial(hit_asleep, gone=False),
    "a sleeping stack loses its lowest": partial(hit_asleep, gone=True),
    "gravity swings": swing,
    "six in a shaft": partial(pour, 6, 1.9, 12),
    "twelve jam in a shaft": partial(pour, 12, 2.3, 12),
    "rulebook, two": partial(drop, RULEBOOK, 2, settings=STANDARD, seed=2),
    "club, two": partial(drop, CLUB, 2, settings=STANDARD, seed=7),
    "wallenstein, two": partial(drop, "wallenstein", 2, settings=STANDARD, seed=6),
    "dead_reckoning, two": partial(drop, "dead_reckoning", 2, settings=STANDARD, seed=1),
    "rulebook, fine": partial(drop, RULEBOOK, 1, settings=accuracy("core", "fine"), seed=8),
    "wallenstein, fast": partial(drop, "wallenstein", 3, settings=accuracy("core", "fast"), seed=8),
    "dead_reckoning, fast": partial(drop, "dead_reckoning", 2, settings=accuracy("core", "fast")),
    "rulebook, a handful": partial(drop, RULEBOOK, 9, seed=3),
    "rulebook, carried over": partial(drop, RULEBOOK, 12, 3, 3, seed=8),
    "club, carried over": partial(drop, CLUB, 14, 3, seed=3),
    "rulebook, poured": partial(drop, RULEBOOK, 4, seed=9, interval=0.05),
    "rulebook, jammed": partial(drop, RULEBOOK, 10, 1, settings=JAMMING, seed=7),
    "rulebook, knocked": partial(knock, RULEBOOK, 12, 0.2, 1.5),
    "wallenstein, taken": partial(take, "wallenstein", 12),
    "dead_reckoning, thrown onto the board": partial(drop, "dead_reckoning", 3, 2, seed=8),
    "dead_reckoning, placed": partial(place, ("strength_2", "strength_2", "damage_fore")),
    "dead_reckoning, a battle": partial(fight, 2, 1),
}
TINY = (
    "falls on a corner, spinning",
    "edge across edge",
    "meet without weight",
    "fast against a thin plate",
    "a sleeping stack loses its lowest",
    "rulebook, fine",
)
"""Those that plain Python runs in half a second each."""


def digest(name: str) -> str:
    whole = hashlib.sha256()
    for piece in SCENES[name]():
        whole.update(len(piece).to_bytes(8, "little"))
        whole.update(piece)
    return whole.hexdigest()


def kept() -> dict[str, str]:
    return json.loads(HASHES.read_text("utf-8"))


def main(names: Sequence[str]) -> None:
    """Print the digests of some scenes, all if none is named, as they come: a line of JSON each."""
    for name in names or SCENES:
        print(json.dumps({name: digest(name)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
