"""What every Runner promises beside what every Engine does, as a test class that its tests inherit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tower_sim.apparatus.parts import Upright, Vector, span
from tower_sim.physics.engine import Runner
from tower_sim.physics.film import Films
from tower_sim.physics.settings import GRAVITY
from tower_sim.state import Pose, Touch
from tower_sim.testing.engine import DOWN, EDGE, MASS, TURNED, UPRIGHT, WEIGHTLESS, Array, EngineContract, same, set_up

EVERYWHERE: tuple[Upright, ...] = (((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)),)
FLOOR = [span("wall", (1, 1.1), (-1, 1), (0, 1), "wood"), span("floor", (-1, 1), (-1, 1), (-0.1, 0), "wood")]
ON_FLOOR = -2  # the second of the fixed boxes
NOBODY = 10**6


class RunnerContract(EngineContract):
    """Inherit instead of EngineContract, and say `kind = MyEngine`: it runs by itself, and what it knows can be told.

    Scenes are heaps on the second of two fixed boxes. The same is the same to the last byte.
    """

    runs_alone = True

    @pytest.fixture
    def runner(self) -> Iterator[Runner]:
        made = self.new()
        yield made
        made.close()

    def new(self) -> Runner:
        """Return a new engine."""
        engine: Runner = self.kind(self.settings)
        return engine

    # Windows

    def test_a_run_takes_the_windows_it_is_asked_for_in_steps_that_the_settings_allow(self, runner: Runner) -> None:
        (body,) = self.there(runner, [Pose((0.0, 0.0, 0.5), UPRIGHT)], DOWN)
        assert runner.steps == 0
        assert runner.run(7, EVERYWHERE) == 7
        seconds = 7 * self.settings.window
        assert runner.steps >= 7 * math.ceil(self.settings.window / self.settings.timestep - 1e-9)
        assert runner.motion([body]).velocity[0, 2] == pytest.approx(-GRAVITY * seconds)

    def test_one_that_films_writes_down_where_cubes_are_after_each_window_and_does_nothing_else(self) -> None:
        """Of an engine that films; others are asked for one window at a time."""
        films, plain = self.new(), self.new()
        if isinstance(films, Films):
            poses = [Pose((0.03 * k, 0.0, 0.02), TURNED) for k in range(3)]
            bodies, others = self.there(films, poses), self.there(plain, poses)
            films.remove(bodies.pop(1))
            plain.remove(others.pop(1))
            frames = films.run_filmed(9, EVERYWHERE)
            assert frames.shape == (9, 2, 7)
            for frame in frames:
                assert plain.run(1, EVERYWHERE) == 1
                now = plain.motion(others)
                assert np.concatenate((now.position, now.orientation), axis=1).tobytes() == frame.tobytes()
            assert same(films.motion(bodies), plain.motion(others))
        films.close()
        plain.close()

    def test_no_cube_travels_further_in_a_step_than_allowed_until_it_has_passed_all(self, runner: Runner) -> None:
        taken: list[int] = []
        for passed in (-1.0, 1.0):
            (body,) = self.there(runner, [Pose((0.0, 0.0, 0.5), UPRIGHT)], WEIGHTLESS)
            runner.set_passed(passed)
            runner.set_velocity(body, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            assert runner.run(1, EVERYWHERE) == 1
            taken.append(runner.steps)
        edges = 3.0 * self.settings.window / EDGE
        assert taken[0] >= edges / self.settings.step_travel - 1e-6
        assert taken[1] >= edges / self.settings.passed_travel - 1e-6
        assert taken[1] <= taken[0]

    def test_a_run_ends_when_all_sleep_and_the_next_one_moves_nobody(self, runner: Runner) -> None:
        """Nobody sleeps before it has been quiet for long enough, and a fall takes its time too."""
        bodies = self.heaped(runner)
        assert not runner.all_sleep()
        longest = round(self.settings.longest / self.settings.window)
        seconds = runner.run(longest, EVERYWHERE) * self.settings.window
        fall = math.sqrt(2 * 0.1 * EDGE / GRAVITY)
        assert fall + self.settings.quiet_time < seconds + 1e-9 < self.settings.longest
        assert runner.all_sleep()
        asleep = runner.motion(bodies)
        assert not asleep.velocity.any()
        assert not asleep.spin.any()
        assert runner.run(5, EVERYWHERE) == 1
        assert same(runner.motion(bodies), asleep)

    def test_a_run_ends_with_the_first_window_after_which_a_cube_is_in_no_calm_box(self, runner: Runner) -> None:
        """It goes one metre a second through two boxes that overlap."""
        calm: tuple[Upright, ...] = (((-0.1, -0.1, 0.0), (0.05, 0.1, 1.0)), ((0.04, -0.1, 0.0), (0.095, 0.1, 1.0)))
        (body,) = self.there(runner, [Pose((0.0, 0.0, 0.5), UPRIGHT)], WEIGHTLESS)
        runner.set_velocity(body, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        assert runner.run(1000, calm) == math.ceil(0.095 / self.settings.window)
        assert runner.motion([body]).position[0, 0] > 0.095
        assert runner.run(1000, calm) == 1
        assert runner.run(1000, ()) == 1

    def test_a_run_in_two_parts_is_one_run(self, runner: Runner) -> None:
        bodies = self.heaped(runner)
        assert runner.run(3, EVERYWHERE) + runner.run(9, EVERYWHERE) == 12
        parts = runner.motion(bodies)
        bodies = self.heaped(runner)
        assert runner.run(12, EVERYWHERE) == 12
        assert same(runner.motion(bodies), parts)

    # Rest

    def test_all_lie_still_where_they_are_until_they_are_woken(self, runner: Runner) -> None:
        """In the middle of a fall; then each falls from rest."""
        bodies = self.there(runner, [Pose((0.0, 0.0, 0.5), TURNED), Pose((0.1, 0.0, 0.5), UPRIGHT)], DOWN)
        runner.run(5, EVERYWHERE)
        falling = runner.motion(bodies)
        runner.lie_still()
        assert runner.all_sleep()
        runner.step(self.settings.timestep, 50)
        still = runner.motion(bodies)
        assert np.array_equal(still.position, falling.position)
        assert np.array_equal(still.orientation, falling.orientation)
        assert not still.velocity.any()
        for body in bodies:
            runner.wake(body)
        assert not runner.all_sleep()
        runner.run(1, EVERYWHERE)
        assert runner.motion(bodies).velocity[:, 2] == pytest.approx(-GRAVITY * self.settings.window)

    def test_of_cubes_that_lie_still_the_deepest_contact_is_told(self, runner: Runner) -> None:
        """One lies on another and 3 percent of an edge in it; nobody was awake."""
        poses = [Pose((0.0, 0.0, height * EDGE), UPRIGHT) for height in (0.5, 1.47)]
        bodies = self.there(runner, poses, DOWN)
        runner.lay_to_rest(dict(zip(bodies, poses, strict=True)))
        runner.lie_still()
        assert runner.overlap() == pytest.approx(0.03 * EDGE, rel=1e-6)

    def test_a_stack_at_rest_tells_who_touches_whom_and_how_it_presses(self, runner: Runner) -> None:
        """Forces on each cube carry its weight: to 2 percent, since it was quiet and no more when it fell asleep."""
        low, middle, top, alone = bodies = self.stacked(runner)
        self.laid_down(runner)
        touches = runner.touches()
        assert {frozenset((touch.cube, touch.other)) for touch in touches} == {
            frozenset(pair) for pair in ((low, ON_FLOOR), (middle, low), (top, middle), (alone, ON_FLOOR))
        }
        assert all(touch.cube in bodies for touch in touches)
        for body in bodies:
            pressed = sum(_force(touch) for touch in touches if touch.cube == body)
            pressed = pressed - sum(_force(touch) for touch in touches if touch.other == body)
            assert pressed == pytest.approx((0.0, 0.0, MASS * GRAVITY), abs=0.02 * MASS * GRAVITY)

    def test_nothing_touches_in_the_air(self, runner: Runner) -> None:
        self.there(runner, [Pose((0.0, 0.0, 0.5), UPRIGHT), Pose((2 * EDGE, 0.0, 0.5), UPRIGHT)], DOWN)
        runner.lie_still()
        assert runner.touches() == ()

    # A world made anew

    def test_a_world_made_anew_tells_the_same_touches(self, runner: Runner) -> None:
        bodies = self.heaped(runner)
        self.laid_down(runner)
        fresh = self.new()
        again = self.made_anew(fresh, runner, bodies)
        assert _renumbered(fresh.touches(), dict(zip(again, bodies, strict=True))) == runner.touches()
        assert fresh.all_sleep()
        fresh.close()

    def test_a_world_made_anew_goes_on_as_the_one_it_was_taken_from(self, runner: Runner) -> None:
        """Two cubes fall onto the heap, window by window until all sleep: alike in it and in its copy's copy."""
        bodies = self.heaped(runner)
        self.laid_down(runner)
        fresh, fresher = self.new(), self.new()
        again = self.made_anew(fresh, runner, bodies)
        anew = self.made_anew(fresher, fresh, again)
        worlds = ((runner, list(bodies)), (fresh, again), (fresher, anew))
        for world, there in worlds:
            for height in (8, 10):
                there.append(world.add_cube(Pose((0.002, 0.001, height * EDGE), TURNED)))
                world.set_velocity(there[-1], (0.1, 0.0, -1.0), (3.0, -20.0, 5.0))
        self.go_on_alike(*worlds)
        fresh.close()
        fresher.close()

    def test_what_touched_a_cube_that_is_gone_wakes_as_when_it_is_taken_out(self, runner: Runner) -> None:
        """The lowest of a stack is gone: those above fall by an edge; a cube beside sleeps on."""
        low, *others = self.stacked(runner)
        self.laid_down(runner)
        fresh = self.new()
        again = self.made_anew(fresh, runner, others)
        assert not fresh.all_sleep()
        beside = runner.motion(others[-1:])
        runner.remove(low)
        self.go_on_alike((runner, others), (fresh, again))
        heights = fresh.motion(again).position[:, 2]
        assert heights == pytest.approx((EDGE / 2, 3 * EDGE / 2, EDGE / 2), abs=0.02 * EDGE)
        assert same(fresh.motion(again[-1:]), beside)
        fresh.close()

    def test_touches_of_bodies_that_are_all_gone_wake_nobody(self, runner: Runner) -> None:
        bodies = self.stacked(runner)
        self.laid_down(runner)
        gone = [Touch(NOBODY, NOBODY + 1, (0, 0, 0)), Touch(NOBODY, ON_FLOOR, (0, 0, 0))]
        runner.press(gone)
        assert runner.all_sleep()
        runner.press([*gone, Touch(bodies[-1], NOBODY, (0, 0, 0))])
        assert not runner.all_sleep()

    # Scenes

    def there(self, runner: Runner, poses: Sequence[Pose], gravity: Vector = DOWN) -> list[int]:
        """Set up the two boxes and cubes at `poses`; nothing has passed all before it is a metre under the floor."""
        bodies = set_up(runner, self.settings, poses, FLOOR, gravity)
        runner.set_passed(-1.0)
        return bodies

    def heaped(self, runner: Runner) -> list[int]:
        """Set up seven turned cubes that are about to fall onto each other."""
        poses = [Pose((0.001 * (i % 3), 0.0013 * (i % 2), EDGE * (1 + 1.8 * i)), TURNED) for i in range(7)]
        return self.there(runner, poses)

    def stacked(self, runner: Runner) -> list[int]:
        """Set up three cubes that stand on each other, each a bit aside, and one by itself."""
        poses = [Pose((0.2 * EDGE * i, 0.1 * EDGE * i, EDGE * (0.5 + i)), UPRIGHT) for i in range(3)]
        return self.there(runner, [*poses, Pose((3 * EDGE, 0.0, EDGE / 2), UPRIGHT)])

    def laid_down(self, runner: Runner) -> None:
        """Go on until all sleep, and let them lie still."""
        runner.run(round(self.settings.longest / self.settings.window), EVERYWHERE)
        assert runner.all_sleep()
        runner.lie_still()

    def made_anew(self, fresh: Runner, old: Runner, bodies: Sequence[int]) -> list[int]:
        """Lay `bodies` of an old world, where all lie still, into a fresh one; returns their numbers there."""
        motion = old.motion(bodies)
        poses = [motion.pose(i) for i in range(len(bodies))]
        again = self.there(fresh, poses)
        fresh.lay_to_rest(dict(zip(again, poses, strict=True)))
        fresh.press(_renumbered(old.touches(), dict(zip(bodies, again, strict=True))))
        return again

    def go_on_alike(self, first: tuple[Runner, Sequence[int]], *others: tuple[Runner, Sequence[int]]) -> None:
        """Go on window by window until all sleep, and see that bodies move alike in all worlds."""
        world, bodies = first
        for _ in range(round(self.settings.longest / self.settings.window)):
            world.run(1, EVERYWHERE)
            for other, alike in others:
                other.run(1, EVERYWHERE)
                assert same(other.motion(alike), world.motion(bodies))
                assert other.all_sleep() == world.all_sleep()
            if world.all_sleep():
                return
        raise AssertionError("some cube never sleeps")


def _force(touch: Touch) -> Array:
    """Return the force (N) on a touch's cube."""
    return np.array(touch.forces).reshape(-1, 3).sum(axis=0) * 1e-9


def _renumbered(touches: Sequence[Touch], numbers: Mapping[int, int]) -> tuple[Touch, ...]:
    """Return touches with other numbers of bodies; one that has none is nobody's."""
    every = {**numbers, **{box: box for box in range(-1 - len(FLOOR), 0)}}
    return tuple(
        replace(touch, cube=every.get(touch.cube, NOBODY), other=every.get(touch.other, NOBODY)) for touch in touches
    )
