"""What every shipped engine promises: `check_engine`, and how cubes bounce, lie and remember each other."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.touches import lay
from tower_sim.apparatus import Box, Surface, span
from tower_sim.apparatus.parts import Quaternion, Vector
from tower_sim.physics import GRAVITY, Motion, PhysicsSettings
from tower_sim.physics.bullet.engine import BulletEngine, Stepper
from tower_sim.physics.core import CoreEngine, machine
from tower_sim.testing import check_engine
from tower_sim.values import Pose, Touch

Array = npt.NDArray[np.float64]

EDGE = 0.008
MASS = 650.0 * EDGE**3
TIMESTEP = 1 / 2000
DOWN: Vector = (0.0, 0.0, -GRAVITY)
WEIGHTLESS: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
TURNED: Quaternion = (0.1, -0.3, 0.5, 0.8062257748298549)
WOOD = Surface(friction=0.4, restitution=0.4)
FLOOR = [span("wall", (1, 1.1), (-1, 1), (0, 1), "wood"), span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
GROUND = FLOOR[1:]
ON_FLOOR = -2  # the second of the fixed boxes
NOBODY = 10**6
ROUNDING = 1e-12  # edges: what a change of units may cost
RUNNERS = ["core", "core by wasmtime"]


class Lab:
    def __init__(self, kind: Any, settings: PhysicsSettings) -> None:
        self.kind, self.settings, self.open = kind, settings, ExitStack()

    def new(self) -> Any:
        return self.open.enter_context(closing(self.kind(self.settings)))


@pytest.fixture(name="lab", params=[pytest.param("bullet", marks=pytest.mark.bullet), *RUNNERS])
def _lab(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    if request.param == "core by wasmtime":
        by_wasm: Any = pytest.importorskip("tower_sim.compiled.by_wasm")
        monkeypatch.setattr(machine, "chosen_machine", lambda: machine.machine_in(by_wasm.WasmMemory))
    name = request.param.split()[0]
    lab = Lab({"bullet": BulletEngine, "core": CoreEngine}[name], PhysicsSettings(engine=name))
    with lab.open:
        yield lab


@pytest.fixture(name="engine")
def _engine(lab: Lab) -> Stepper:
    return lab.new()


@pytest.fixture(name="runner")
def _runner(lab: Lab) -> CoreEngine:
    return lab.new()


def of_runners(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.parametrize("lab", RUNNERS, indirect=True)(test)


def test_it_keeps_its_promises(lab: Lab):
    check_engine(lab.kind, lab.settings)


def test_a_pose_that_is_laid_to_rest_again_and_again_does_not_drift(engine: Stepper, lab: Lab):
    first = now = Pose((0.0123456789, -0.02 / 3, 0.1), TURNED)
    for _ in range(20):
        (body,) = set_up(engine, lab.settings, [now])
        engine.lay_to_rest({body: now})
        engine.step(TIMESTEP, 10)
        now = engine.motion([body]).pose(0)
    assert now.position == pytest.approx(first.position, abs=20 * ROUNDING * EDGE, rel=0)
    assert now.orientation == pytest.approx(first.orientation, abs=20 * ROUNDING, rel=0)


def test_a_cube_that_is_taken_out_changes_nothing_for_another_far_from_it(lab: Lab, engine: Stepper):
    poses = [Pose((0.0, 0.0, 1.0), TURNED), Pose((0.2, 0.0, 1.0), TURNED)]
    first, second = set_up(engine, lab.settings, poses)
    run(engine, [first], 0.05)
    engine.remove(first)
    with_another = run(engine, [second], 0.05)
    (alone,) = set_up(engine, lab.settings, poses[1:])
    assert same(run(engine, [alone], 0.1), with_another)


@pytest.mark.parametrize(("surface", "restitution"), [("wood", 0.4), ("felt", 0.2)])
def test_a_cube_that_falls_flat_bounces_as_its_pair_with_the_surface_says(
    lab: Lab, engine: Stepper, surface: str, restitution: float
):
    """To 0.03: five heights, so that the impact comes at several phases of a step."""
    ratios: list[float] = []
    for height in (0.03, 0.041, 0.05, 0.063, 0.08):
        floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), surface)]
        (body,) = set_up(engine, lab.settings, [Pose((0.0, 0.0, EDGE / 2 + height), UPRIGHT)], floor)
        fastest = highest = 0.0
        for _ in range(round(0.3 / TIMESTEP)):
            engine.step(TIMESTEP, 1)
            velocity = float(engine.motion([body]).velocity[0, 2])
            if velocity > 0:
                highest = velocity
                break
            fastest = max(fastest, -velocity)
        ratios.append(highest / fastest)
    assert np.mean(ratios) == pytest.approx(restitution, abs=0.03)


def test_a_cube_at_rest_stays_and_can_be_put_to_sleep_there(lab: Lab, engine: Stepper):
    """Within 0.02 of an edge of where it was put, and slower than what counts as quiet; then it does not move."""
    settings = lab.settings
    (body,) = set_up(engine, lab.settings, [Pose((0.0, 0.0, EDGE / 2), UPRIGHT)], GROUND)
    lying = run(engine, [body], 0.5)
    assert lying.position[0] == pytest.approx((0.0, 0.0, EDGE / 2), abs=0.02 * EDGE)
    assert np.abs(lying.velocity).max() < settings.quiet_speed
    assert np.abs(lying.spin).max() < settings.quiet_spin
    engine.put_to_sleep(body)
    engine.step(TIMESTEP, 2)
    asleep = engine.motion([body])
    assert asleep.position[0] == pytest.approx(lying.position[0], abs=1e-5 * EDGE, rel=0)
    assert not asleep.velocity.any()
    engine.step(TIMESTEP, 1000)
    assert same(engine.motion([body]), asleep)


def test_a_sleeping_cube_wakes_when_another_hits_it(lab: Lab, engine: Stepper):
    poses = [Pose((0.0, 0.0, EDGE / 2), UPRIGHT), Pose((-3 * EDGE, 0.0, 0.6 * EDGE), UPRIGHT)]
    lying, thrown = set_up(engine, lab.settings, poses, GROUND)
    engine.lay_to_rest({lying: poses[0]})
    engine.set_velocity(thrown, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert run(engine, [lying], 0.2).position[0, 0] > EDGE / 2


def test_a_removed_cube_is_not_in_the_way(lab: Lab, engine: Stepper):
    lower, upper = set_up(engine, lab.settings, [Pose((0.0, 0.0, EDGE * (0.5 + i)), UPRIGHT) for i in range(2)], GROUND)
    assert run(engine, [upper], 0.2).position[0, 2] == pytest.approx(1.5 * EDGE, abs=0.02 * EDGE)
    engine.remove(lower)
    engine.wake(upper)
    assert run(engine, [upper], 0.3).position[0, 2] == pytest.approx(0.5 * EDGE, abs=0.05 * EDGE)


@pytest.mark.parametrize("deep", [0.05, 0.15])
def test_overlap_is_told_as_deep_as_it_is(lab: Lab, engine: Stepper, deep: float):
    """To a tenth, of two cubes and of a cube in a box, after a step too short to correct it."""
    set_up(engine, lab.settings, [Pose((0.0, 0.0, EDGE * (0.5 - deep)), UPRIGHT)], GROUND, WEIGHTLESS)
    engine.step(1e-5, 1)
    assert engine.overlap() == pytest.approx(deep * EDGE, rel=0.1)
    apart = [Pose((0.0, 0.0, 1.0), UPRIGHT), Pose((0.0, EDGE * (1 - deep), 1.0), UPRIGHT)]
    set_up(engine, lab.settings, apart, gravity=WEIGHTLESS)
    engine.step(1e-5, 1)
    assert engine.overlap() == pytest.approx(deep * EDGE, rel=0.1)


def test_a_heap_falls_twice_to_the_same_bytes_in_one_engine_and_in_two(lab: Lab, engine: Stepper):
    first = heap(engine, lab.settings)
    other: Stepper = lab.open.enter_context(closing(lab.kind(replace(lab.settings, iterations=3))))
    heap(other, lab.settings)
    assert same(heap(engine, lab.settings), first)
    fresh = lab.new()
    assert same(heap(fresh, lab.settings), first)


@of_runners
def test_a_run_takes_the_windows_it_is_asked_for_in_steps_that_the_settings_allow(lab: Lab, runner: CoreEngine):
    (body,) = place(lab, runner, [Pose((0.0, 0.0, 0.5), UPRIGHT)], DOWN)
    assert runner.steps == 0
    assert runner.run(7) == 7
    seconds = 7 * lab.settings.window
    assert runner.steps >= 7 * math.ceil(lab.settings.window / lab.settings.timestep - 1e-9)
    assert runner.motion([body]).velocity[0, 2] == pytest.approx(-GRAVITY * seconds)


@of_runners
def test_no_cube_travels_further_in_a_step_than_allowed_until_it_has_passed_all(lab: Lab, runner: CoreEngine):
    taken: list[int] = []
    for passed in (-1.0, 1.0):
        (body,) = place(lab, runner, [Pose((0.0, 0.0, 0.5), UPRIGHT)], WEIGHTLESS)
        runner.set_passed(passed)
        runner.set_velocity(body, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        assert runner.run(1) == 1
        taken.append(runner.steps)
    edges = 3.0 * lab.settings.window / EDGE
    assert taken[0] >= edges / lab.settings.step_travel - 1e-6
    assert taken[1] >= edges / lab.settings.passed_travel - 1e-6
    assert taken[1] <= taken[0]


@of_runners
def test_a_run_ends_when_all_sleep_and_the_next_one_moves_nobody(lab: Lab, runner: CoreEngine):
    """Nobody sleeps before it has been quiet for long enough, and a fall takes its time too."""
    bodies = set_up_heap(lab, runner)
    assert not runner.all_sleep()
    longest = round(lab.settings.longest / lab.settings.window)
    seconds = runner.run(longest) * lab.settings.window
    fall = math.sqrt(2 * 0.1 * EDGE / GRAVITY)
    assert fall + lab.settings.quiet_time < seconds + 1e-9 < lab.settings.longest
    assert runner.all_sleep()
    asleep = runner.motion(bodies)
    assert not asleep.velocity.any()
    assert not asleep.spin.any()
    assert runner.run(5) == 1
    assert same(runner.motion(bodies), asleep)


@of_runners
def test_a_run_in_two_parts_is_one_run(lab: Lab, runner: CoreEngine):
    bodies = set_up_heap(lab, runner)
    assert runner.run(3) + runner.run(9) == 12
    parts = runner.motion(bodies)
    bodies = set_up_heap(lab, runner)
    assert runner.run(12) == 12
    assert same(runner.motion(bodies), parts)


@of_runners
def test_all_lie_still_where_they_are_until_they_are_woken(lab: Lab, runner: CoreEngine):
    """In the middle of a fall; then each falls from rest."""
    bodies = place(lab, runner, [Pose((0.0, 0.0, 0.5), TURNED), Pose((0.1, 0.0, 0.5), UPRIGHT)], DOWN)
    runner.run(5)
    falling = runner.motion(bodies)
    runner.lie_still()
    assert runner.all_sleep()
    runner.step(lab.settings.timestep, 50)
    still = runner.motion(bodies)
    assert np.array_equal(still.position, falling.position)
    assert np.array_equal(still.orientation, falling.orientation)
    assert not still.velocity.any()
    for body in bodies:
        runner.wake(body)
    assert not runner.all_sleep()
    runner.run(1)
    assert runner.motion(bodies).velocity[:, 2] == pytest.approx(-GRAVITY * lab.settings.window)


@of_runners
def test_of_cubes_that_lie_still_the_deepest_contact_is_told(lab: Lab, runner: CoreEngine):
    """One lies on another and 3 percent of an edge in it; nobody was awake."""
    poses = [Pose((0.0, 0.0, height * EDGE), UPRIGHT) for height in (0.5, 1.47)]
    bodies = place(lab, runner, poses, DOWN)
    runner.lay_to_rest(dict(zip(bodies, poses, strict=True)))
    runner.lie_still()
    assert runner.overlap() == pytest.approx(0.03 * EDGE, rel=1e-6)


@of_runners
def test_a_stack_at_rest_tells_who_touches_whom_and_how_it_presses(lab: Lab, runner: CoreEngine):
    """Forces on each cube carry its weight: to 2 percent, since it was quiet and no more when it fell asleep."""
    low, middle, top, alone = bodies = set_up_stack(lab, runner)
    lay_down(lab, runner)
    touches = runner.touches()
    assert {frozenset((touch.cube, touch.other)) for touch in touches} == {
        frozenset(pair) for pair in ((low, ON_FLOOR), (middle, low), (top, middle), (alone, ON_FLOOR))
    }
    assert all(touch.cube in bodies for touch in touches)
    for body in bodies:
        pressed = sum(_force(touch) for touch in touches if touch.cube == body)
        pressed = pressed - sum(_force(touch) for touch in touches if touch.other == body)
        assert pressed == pytest.approx((0.0, 0.0, MASS * GRAVITY), abs=0.02 * MASS * GRAVITY)


@of_runners
def test_nothing_touches_in_the_air(lab: Lab, runner: CoreEngine):
    place(lab, runner, [Pose((0.0, 0.0, 0.5), UPRIGHT), Pose((2 * EDGE, 0.0, 0.5), UPRIGHT)], DOWN)
    runner.lie_still()
    assert runner.touches() == ()


@of_runners
def test_a_world_made_anew_tells_the_same_touches(lab: Lab, runner: CoreEngine):
    bodies = set_up_heap(lab, runner)
    lay_down(lab, runner)
    fresh = lab.new()
    again = rebuild(lab, fresh, runner, bodies)
    assert _renumber(fresh.touches(), dict(zip(again, bodies, strict=True))) == runner.touches()
    assert fresh.all_sleep()


@of_runners
def test_a_world_made_anew_goes_on_as_the_one_it_was_taken_from(lab: Lab, runner: CoreEngine):
    """Two cubes fall onto the heap, window by window until all sleep: alike in it and in its copy's copy."""
    bodies = set_up_heap(lab, runner)
    lay_down(lab, runner)
    fresh, fresher = lab.new(), lab.new()
    again = rebuild(lab, fresh, runner, bodies)
    anew = rebuild(lab, fresher, fresh, again)
    worlds = ((runner, list(bodies)), (fresh, again), (fresher, anew))
    for world, there in worlds:
        for height in (8, 10):
            there.append(world.add_cube(Pose((0.002, 0.001, height * EDGE), TURNED)))
            world.set_velocity(there[-1], (0.1, 0.0, -1.0), (3.0, -20.0, 5.0))
    go_on_alike(lab, *worlds)


@of_runners
def test_what_touched_a_cube_that_is_gone_wakes_as_when_it_is_taken_out(lab: Lab, runner: CoreEngine):
    """The lowest of a stack is gone: those above fall by an edge; a cube beside sleeps on."""
    low, *others = set_up_stack(lab, runner)
    lay_down(lab, runner)
    fresh = lab.new()
    again = rebuild(lab, fresh, runner, others)
    assert not fresh.all_sleep()
    beside = runner.motion(others[-1:])
    runner.remove(low)
    go_on_alike(lab, (runner, others), (fresh, again))
    heights = fresh.motion(again).position[:, 2]
    assert heights == pytest.approx((EDGE / 2, 3 * EDGE / 2, EDGE / 2), abs=0.02 * EDGE)
    assert same(fresh.motion(again[-1:]), beside)


@of_runners
def test_touches_of_bodies_that_are_all_gone_wake_nobody(lab: Lab, runner: CoreEngine):
    motion = runner.motion(set_up_stack(lab, runner))
    poses = [motion.pose(i) for i in range(4)]
    gone = [Touch(NOBODY, NOBODY + 1, (0, 0, 0)), Touch(NOBODY, ON_FLOOR, (0, 0, 0))]
    place(lab, runner, [])
    lay(runner, poses, gone)
    assert runner.all_sleep()
    place(lab, runner, [])
    lay(runner, poses, [*gone, Touch(3, NOBODY, (0, 0, 0))])
    assert not runner.all_sleep()


def place(lab: Lab, runner: CoreEngine, poses: Sequence[Pose], gravity: Vector = DOWN) -> list[int]:
    """Set up the two boxes and cubes at `poses`; nothing has passed all before it is a metre under the floor."""
    bodies = set_up(runner, lab.settings, poses, FLOOR, gravity)
    runner.set_passed(-1.0)
    return bodies


def set_up_heap(lab: Lab, runner: CoreEngine) -> list[int]:
    poses = [Pose((0.001 * (i % 3), 0.0013 * (i % 2), EDGE * (1 + 1.8 * i)), TURNED) for i in range(7)]
    return place(lab, runner, poses)


def set_up_stack(lab: Lab, runner: CoreEngine) -> list[int]:
    poses = [Pose((0.2 * EDGE * i, 0.1 * EDGE * i, EDGE * (0.5 + i)), UPRIGHT) for i in range(3)]
    return place(lab, runner, [*poses, Pose((3 * EDGE, 0.0, EDGE / 2), UPRIGHT)])


def lay_down(lab: Lab, runner: CoreEngine) -> None:
    runner.run(round(lab.settings.longest / lab.settings.window))
    assert runner.all_sleep()
    runner.lie_still()


def rebuild(lab: Lab, fresh: CoreEngine, old: CoreEngine, bodies: Sequence[int]) -> list[int]:
    motion = old.motion(bodies)
    poses = [motion.pose(i) for i in range(len(bodies))]
    place(lab, fresh, [])
    return lay(fresh, poses, _renumber(old.touches(), {body: k for k, body in enumerate(bodies)}))


def go_on_alike(lab: Lab, first: tuple[CoreEngine, Sequence[int]], *others: tuple[CoreEngine, Sequence[int]]) -> None:
    """Go on window by window until all sleep, and see that bodies move alike in all worlds."""
    world, bodies = first
    for _ in range(round(lab.settings.longest / lab.settings.window)):
        world.run(1)
        for other, alike in others:
            other.run(1)
            assert same(other.motion(alike), world.motion(bodies))
            assert other.all_sleep() == world.all_sleep()
        if world.all_sleep():
            return
    raise AssertionError("some cube never sleeps")


def set_up(
    engine: Stepper,
    settings: PhysicsSettings,
    poses: Sequence[Pose],
    boxes: Sequence[Box] = (),
    gravity: Vector = DOWN,
    pair: Surface = WOOD,
) -> list[int]:
    """Clear the world as a scene does; put `boxes` and cubes at rest at `poses` there; returns the bodies."""
    engine.clear(EDGE)
    engine.set_effort(settings.iterations, settings.residual, settings.relaxation)
    engine.set_gravity(gravity)
    engine.add_boxes(boxes, {"wood": pair, "felt": Surface(pair.friction, pair.restitution / 2)}, pair)
    engine.set_cubes(MASS)
    return [engine.add_cube(pose) for pose in poses]


def run(engine: Stepper, bodies: Sequence[int], seconds: float) -> Motion:
    engine.step(TIMESTEP, round(seconds / TIMESTEP))
    return engine.motion(bodies)


def heap(engine: Stepper, settings: PhysicsSettings) -> Motion:
    poses = [Pose((0.001 * (i % 3), 0.0013 * (i % 2), EDGE * (1 + 1.8 * i)), TURNED) for i in range(8)]
    return run(engine, set_up(engine, settings, poses, GROUND), 0.25)


def same(one: Motion, other: Motion) -> bool:
    parts = ("position", "orientation", "velocity", "spin")
    return all(getattr(one, part).tobytes() == getattr(other, part).tobytes() for part in parts)


def _force(touch: Touch) -> Array:
    return np.array(touch.forces).reshape(-1, 3).sum(axis=0) * 1e-9


def _renumber(touches: Sequence[Touch], numbers: Mapping[int, int]) -> tuple[Touch, ...]:
    every = {**numbers, **{box: box for box in range(-1 - len(FLOOR), 0)}}
    return tuple(
        replace(touch, cube=every.get(touch.cube, NOBODY), other=every.get(touch.other, NOBODY)) for touch in touches
    )
