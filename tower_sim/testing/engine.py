"""What every Engine promises, as test classes that each engine's tests inherit.

`MotionContract` is what an engine without contacts keeps too; `EngineContract` adds floors, heaps and friction;
`RunnerContract` (runner.py) adds what one that runs by itself knows. All ask through the protocol only. Tolerances are
lengths in cube edges, or follow from the timestep.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tower_sim.apparatus.parts import Box, Quaternion, Surface, Vector, span, tilted_about_y
from tower_sim.physics.engine import Engine, Motion, runs_alone
from tower_sim.physics.settings import GRAVITY, PhysicsSettings
from tower_sim.state import Pose

Array = npt.NDArray[np.float64]

EDGE = 0.008
MASS = 650.0 * EDGE**3
TIMESTEP = 1 / 2000
DOWN: Vector = (0.0, 0.0, -GRAVITY)
WEIGHTLESS: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
TURNED: Quaternion = (0.1, -0.3, 0.5, 0.8062257748298549)
WOOD = Surface(friction=0.4, restitution=0.4)
ROUNDING = 1e-12  # edges: what a change of units may cost


class MotionContract:
    """Inherit, and say `kind = MyEngine`: cubes fly, swing, sleep, wake and go, and nothing else decides how.

    An engine with settings of its own says which the tests are to take: `settings = PhysicsSettings(engine="mine")`.
    """

    kind: Any = None
    settings: PhysicsSettings = PhysicsSettings(engine="bullet")
    runs_alone = False

    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        assert self.kind is not None, "say which engine: kind = MyEngine"
        engine: Engine = self.kind(self.settings)
        yield engine
        engine.close()

    def test_an_engine_says_what_it_is_called_and_which_package_it_is(self) -> None:
        assert self.kind.title
        assert self.kind.distribution

    def test_an_engine_that_runs_by_itself_is_asked_what_each_such_engine_promises(self, engine: Engine) -> None:
        """Its tests inherit RunnerContract."""
        assert runs_alone(engine) == self.runs_alone

    def test_a_cube_falls_as_galileo_says(self, engine: Engine) -> None:
        """Off by at most what a method of first order is: velocity times a timestep."""
        (body,) = set_up(engine, self.settings, [Pose((0.0, 0.0, 1.0), TURNED)])
        engine.set_velocity(body, (0.3, -0.2, 0.5), (0.0, 0.0, 0.0))
        seconds = 0.2
        motion = run(engine, [body], seconds)
        fallen = (0.3 * seconds, -0.2 * seconds, 1.0 + 0.5 * seconds - GRAVITY * seconds**2 / 2)
        assert motion.position[0] == pytest.approx(fallen, abs=GRAVITY * seconds * TIMESTEP)
        assert motion.velocity[0] == pytest.approx((0.3, -0.2, 0.5 - GRAVITY * seconds), abs=1e-6)
        assert motion.orientation[0] == pytest.approx(TURNED, abs=1e-9)

    def test_swinging_gravity_out_and_back_moves_a_cube_and_leaves_it_at_rest(self, engine: Engine) -> None:
        (body,) = set_up(engine, self.settings, [Pose((0.0, 0.0, 1.0), UPRIGHT)], gravity=WEIGHTLESS)
        pull, seconds = 5.0, 0.1
        for swing in (pull, -pull):
            engine.set_gravity((swing, 0.0, 0.0))
            motion = run(engine, [body], seconds)
        assert motion.position[0] == pytest.approx((pull * seconds**2, 0.0, 1.0), abs=2 * pull * seconds * TIMESTEP)
        assert motion.velocity[0] == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)

    def test_cubes_laid_to_rest_are_where_they_were_laid_and_stay_there(self, engine: Engine) -> None:
        poses = [Pose((0.0123456789, -0.02 / 3, 0.1), TURNED), Pose((0.1, 0.2, 0.3), UPRIGHT)]
        bodies = set_up(engine, self.settings, poses)
        engine.lay_to_rest(dict(zip(bodies, poses, strict=True)))
        laid = engine.motion(bodies)
        for i, pose in enumerate(poses):
            assert laid.position[i] == pytest.approx(pose.position, abs=ROUNDING * EDGE, rel=0)
            assert laid.orientation[i] == pytest.approx(pose.orientation, abs=ROUNDING, rel=0)
        engine.step(TIMESTEP, 200)
        assert same(engine.motion(bodies), laid)
        assert not laid.velocity.any()
        assert not laid.spin.any()

    def test_a_pose_that_is_laid_to_rest_again_and_again_does_not_drift(self, engine: Engine) -> None:
        first = now = Pose((0.0123456789, -0.02 / 3, 0.1), TURNED)
        for _ in range(20):
            (body,) = set_up(engine, self.settings, [now])
            engine.lay_to_rest({body: now})
            engine.step(TIMESTEP, 10)
            now = engine.motion([body]).pose(0)
        assert now.position == pytest.approx(first.position, abs=20 * ROUNDING * EDGE, rel=0)
        assert now.orientation == pytest.approx(first.orientation, abs=20 * ROUNDING, rel=0)

    def test_a_sleeping_cube_falls_once_it_is_woken(self, engine: Engine) -> None:
        pose = Pose((0.0, 0.0, 0.5), UPRIGHT)
        (body,) = set_up(engine, self.settings, [pose])
        engine.lay_to_rest({body: pose})
        engine.wake(body)
        assert run(engine, [body], 0.1).position[0, 2] < 0.5 - GRAVITY * 0.1**2 / 4

    def test_cubes_are_told_in_the_order_they_are_asked_for(self, engine: Engine) -> None:
        bodies = set_up(engine, self.settings, [Pose((0.05 * i, 0.0, 1.0), UPRIGHT) for i in range(4)])
        motion = engine.motion([bodies[2], bodies[0]])
        assert motion.position[:, 0] == pytest.approx((0.1, 0.0), abs=ROUNDING)
        shapes = [part.shape for part in (motion.position, motion.orientation, motion.velocity, motion.spin)]
        assert shapes == [(2, 3), (2, 4), (2, 3), (2, 3)]
        assert engine.motion([]).orientation.shape == (0, 4)

    def test_a_cube_that_is_taken_out_changes_nothing_for_another_far_from_it(self, engine: Engine) -> None:
        poses = [Pose((0.0, 0.0, 1.0), TURNED), Pose((0.2, 0.0, 1.0), TURNED)]
        first, second = set_up(engine, self.settings, poses)
        run(engine, [first], 0.05)
        engine.remove(first)
        with_another = run(engine, [second], 0.05)
        (alone,) = set_up(engine, self.settings, poses[1:])
        assert same(run(engine, [alone], 0.1), with_another)

    def test_a_cleared_world_is_empty_and_as_good_as_a_new_one(self, engine: Engine) -> None:
        shelf = [span("shelf", (-1, 1), (-1, 1), (0.9, 1.0), "wood")]
        set_up(engine, self.settings, [Pose((0.0, 0.0, 1 + EDGE * (1 + 2 * i)), TURNED) for i in range(5)], shelf)
        engine.step(TIMESTEP, 100)
        (body,) = set_up(engine, self.settings, [Pose((0.0, 0.0, 1 + EDGE), TURNED)])
        falling = run(engine, [body], 0.1)
        fallen = 1 + EDGE - GRAVITY * 0.1**2 / 2
        assert falling.position[0, 2] == pytest.approx(fallen, abs=GRAVITY * 0.1 * TIMESTEP)
        other: Engine = self.kind(self.settings)
        (body,) = set_up(other, self.settings, [Pose((0.0, 0.0, 1 + EDGE), TURNED)])
        assert same(run(other, [body], 0.1), falling)
        other.close()

    def test_nothing_overlaps_in_the_air(self, engine: Engine) -> None:
        set_up(engine, self.settings, [Pose((0.0, 0.0, 1.0), UPRIGHT), Pose((2 * EDGE, 0.0, 1.0), UPRIGHT)])
        engine.step(TIMESTEP, 1)
        assert engine.overlap() == 0

    def test_the_lock_can_be_taken_again_by_its_holder_and_an_engine_can_be_closed_twice(self, engine: Engine) -> None:
        with engine.lock, engine.lock:
            engine.close()
        engine.close()


class EngineContract(MotionContract):
    """Inherit, and say `kind = MyEngine`: cubes also turn, bounce, rub, lie, push and wake each other."""

    def test_a_spinning_cube_turns_as_fast_as_it_spins(self, engine: Engine) -> None:
        """To 0.2 degrees of 90; the axis is one of no symmetry."""
        (body,) = set_up(engine, self.settings, [Pose((0.0, 0.0, 1.0), UPRIGHT)], gravity=WEIGHTLESS)
        axis = np.array((2.0, -1.0, 2.0)) / 3
        engine.set_velocity(body, (0.0, 0.0, 0.0), 10 * axis)
        seconds = math.pi / 2 / 10
        steps = round(seconds / TIMESTEP)
        engine.step(seconds / steps, steps)
        motion = engine.motion([body])
        quarter = (*(math.sqrt(0.5) * axis), math.sqrt(0.5))
        assert abs(motion.orientation[0] @ quarter) > math.cos(math.radians(0.2) / 2)
        assert motion.spin[0] == pytest.approx(10 * axis, abs=0.02)

    @pytest.mark.parametrize(("surface", "restitution"), [("wood", 0.4), ("felt", 0.2)])
    def test_a_cube_that_falls_flat_bounces_as_its_pair_with_the_surface_says(
        self, engine: Engine, surface: str, restitution: float
    ) -> None:
        """To 0.03: five heights, so that the impact comes at several phases of a step."""
        ratios: list[float] = []
        for height in (0.03, 0.041, 0.05, 0.063, 0.08):
            floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), surface)]
            (body,) = set_up(engine, self.settings, [Pose((0.0, 0.0, EDGE / 2 + height), UPRIGHT)], floor)
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

    @pytest.mark.parametrize("friction", [0.3, 0.5])
    def test_a_cube_stays_on_a_slope_3_degrees_below_the_angle_of_friction(
        self, engine: Engine, friction: float
    ) -> None:
        """In half a second it goes less than 0.1 of an edge."""
        along, _ = slide(engine, self.settings, friction, math.atan(friction) - math.radians(3))
        assert abs(along) < 0.1 * EDGE

    @pytest.mark.parametrize("friction", [0.3, 0.5])
    def test_a_cube_slides_down_a_slope_4_degrees_above_it_as_fast_as_coulomb_says(
        self, engine: Engine, friction: float
    ) -> None:
        """To 5 percent of the speed after half a second."""
        slope = math.atan(friction) + math.radians(4)
        _, speed = slide(engine, self.settings, friction, slope)
        expected = 0.5 * GRAVITY * (math.sin(slope) - friction * math.cos(slope))
        assert speed == pytest.approx(expected, rel=0.05)

    def test_a_cube_at_rest_stays_and_can_be_put_to_sleep_there(self, engine: Engine) -> None:
        """Within 0.02 of an edge of where it was put, and slower than what counts as quiet; then it does not move."""
        settings = self.settings
        floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
        (body,) = set_up(engine, self.settings, [Pose((0.0, 0.0, EDGE / 2), UPRIGHT)], floor)
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

    def test_a_sleeping_cube_wakes_when_another_hits_it(self, engine: Engine) -> None:
        floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
        poses = [Pose((0.0, 0.0, EDGE / 2), UPRIGHT), Pose((-3 * EDGE, 0.0, 0.6 * EDGE), UPRIGHT)]
        lying, thrown = set_up(engine, self.settings, poses, floor)
        engine.lay_to_rest({lying: poses[0]})
        engine.set_velocity(thrown, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        assert run(engine, [lying], 0.2).position[0, 0] > EDGE / 2

    def test_a_removed_cube_is_not_in_the_way(self, engine: Engine) -> None:
        floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
        lower, upper = set_up(
            engine, self.settings, [Pose((0.0, 0.0, EDGE * (0.5 + i)), UPRIGHT) for i in range(2)], floor
        )
        assert run(engine, [upper], 0.2).position[0, 2] == pytest.approx(1.5 * EDGE, abs=0.02 * EDGE)
        engine.remove(lower)
        engine.wake(upper)
        assert run(engine, [upper], 0.3).position[0, 2] == pytest.approx(0.5 * EDGE, abs=0.05 * EDGE)

    @pytest.mark.parametrize("deep", [0.05, 0.15])
    def test_overlap_is_told_as_deep_as_it_is(self, engine: Engine, deep: float) -> None:
        """To a tenth, of two cubes and of a cube in a box, after a step too short to correct it."""
        floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
        set_up(engine, self.settings, [Pose((0.0, 0.0, EDGE * (0.5 - deep)), UPRIGHT)], floor, WEIGHTLESS)
        engine.step(1e-5, 1)
        assert engine.overlap() == pytest.approx(deep * EDGE, rel=0.1)
        apart = [Pose((0.0, 0.0, 1.0), UPRIGHT), Pose((0.0, EDGE * (1 - deep), 1.0), UPRIGHT)]
        set_up(engine, self.settings, apart, gravity=WEIGHTLESS)
        engine.step(1e-5, 1)
        assert engine.overlap() == pytest.approx(deep * EDGE, rel=0.1)

    def test_a_heap_falls_twice_to_the_same_bytes_in_one_engine_and_in_two(self, engine: Engine) -> None:
        first = heap(engine, self.settings)
        other: Engine = self.kind(replace(self.settings, iterations=3))
        heap(other, self.settings)
        assert same(heap(engine, self.settings), first)
        other.close()
        fresh: Engine = self.kind(self.settings)
        assert same(heap(fresh, self.settings), first)
        fresh.close()


def set_up(
    engine: Engine,
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


def run(engine: Engine, bodies: Sequence[int], seconds: float) -> Motion:
    """Go on for `seconds`, a whole number of timesteps; returns the motion then."""
    engine.step(TIMESTEP, round(seconds / TIMESTEP))
    return engine.motion(bodies)


def slide(engine: Engine, settings: PhysicsSettings, friction: float, slope: float) -> tuple[float, float]:
    """Let a cube go on a slope (rad) for half a second; return how far down it is (m) and how fast (m/s)."""
    across = np.array([math.sin(slope), 0.0, math.cos(slope)])
    down = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    x, y, z = (float(v) for v in -0.25 * across)
    plane = Box("floor", "wood", (x, y, z), (2.0, 2.0, 0.25), tilted_about_y(slope))
    x, y, z = (float(v) for v in EDGE / 2 * across)
    bodies = set_up(engine, settings, [Pose((x, y, z), tilted_about_y(slope))], [plane], pair=Surface(friction, 0.0))
    motion = run(engine, bodies, 0.5)
    return float(motion.position[0] @ down), float(motion.velocity[0] @ down)


def heap(engine: Engine, settings: PhysicsSettings) -> Motion:
    """Let eight turned cubes fall onto each other; returns how they move then."""
    floor = [span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
    poses = [Pose((0.001 * (i % 3), 0.0013 * (i % 2), EDGE * (1 + 1.8 * i)), TURNED) for i in range(8)]
    return run(engine, set_up(engine, settings, poses, floor), 0.25)


def same(one: Motion, other: Motion) -> bool:
    """Tell whether two motions are the same to the last byte."""
    parts = ("position", "orientation", "velocity", "spin")
    return all(getattr(one, part).tobytes() == getattr(other, part).tobytes() for part in parts)
