"""Run the world until every cube lies still, remove the cubes that came out, and repeat until no more come."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tower_sim import landing
from tower_sim.outcome import Status
from tower_sim.physics.by_hand import check_free
from tower_sim.physics.knock import HOLD, SECONDS, Shake
from tower_sim.physics.release import Launch
from tower_sim.physics.scene import Scene
from tower_sim.physics.world import GRAVITY, Motion
from tower_sim.portable import length

_CREEP_SECONDS = 1.0
_FIRM_GOES = 3
_MOST_MISSES = 3  # on average for each cube


def settle(scene: Scene, launches: Sequence[Launch], shake: Shake | None = None, *, is_checked: bool = False) -> Status:
    """Run until every cube is at rest and no cube is left outside, or until time is up; return how the drop ended.

    Each launch is made at its time. If `is_checked`, its place must be free then. `shake` swings gravity from the
    start, and wakes all cubes if it is strong enough. One turn of the loop runs one window of the settings, in which
    gravity is constant, or several windows in which nothing is due.

    When all cubes are at rest, cubes that missed the opening are thrown again, one at a time. Then the cubes outside
    are removed, as players do, and the cubes that they held up move on. This repeats until no more come out.

    If cubes are wedged into each other when all are at rest, up to three more runs follow, in which the solver works
    harder. While a cube overlaps another by more than a state may have, such runs follow until the time is up. The drop
    has then timed out.
    """
    settings = scene.world.settings
    scene.world.work_as_usual()
    if shake is not None and shake.strength >= HOLD:
        scene.wake_all()
    waiting = deque(launches)
    still = (0.0, 0.0, -GRAVITY)
    end = settings.longest + (launches[-1].at if launches else 0.0)
    near_the_end: dict[int, npt.NDArray[np.float64]] | None = None
    goes = 0
    passed = 0  # windows
    missed: deque[Launch] = deque()
    while True:
        time = passed * settings.window
        while waiting and waiting[0].at <= time + 1e-9:
            if is_checked:
                check_free(waiting[0], scene.motion(), scene.apparatus)
            scene.launch(waiting.popleft())
        motion = scene.motion()
        if caught := scene.catch(motion):
            missed.extend(caught)
            motion = scene.motion()
            if scene.missed > _MOST_MISSES * len(scene.cubes):
                return Status.ESCAPED
        if landing.escaped(motion.position, scene.apparatus).any():
            return Status.ESCAPED
        if scene.apparatus.swept and scene.sweep(motion):
            motion = scene.motion()
        shaking = shake is not None and time < SECONDS
        at_rest = scene.rest(motion)
        if at_rest and not waiting and not shaking:
            if (goes >= _FIRM_GOES or not scene.wedged()) and scene.is_sound(motion):
                if missed:
                    scene.launch(missed.popleft())
                elif not scene.clear(motion):
                    return Status.SETTLED
                end, near_the_end = time + settings.longest, None
                continue
            goes += 1
            scene.wake_all()
        if time >= end - _CREEP_SECONDS and near_the_end is None:
            near_the_end = dict(zip(scene.bodies, motion.position, strict=True))
        if time >= end:
            return Status.TIMED_OUT if missed else _stopped(scene, motion, near_the_end or {})
        due = waiting[0].at if waiting else end if near_the_end is not None else end - _CREEP_SECONDS
        windows = 1 if shaking else max(math.ceil((due - time) / settings.window - 1e-6), 1)
        gravity = shake.gravity(time + settings.window / 2) if shake else still
        passed += scene.advance(motion, gravity, windows)


def _stopped(scene: Scene, motion: Motion, earlier: dict[int, npt.NDArray[np.float64]]) -> Status:
    """Return the status at the end of time.

    It is JAMMED if no cube overlaps too deeply or has moved further than the creep bound in the last second, and
    otherwise TIMED_OUT.
    """
    if not scene.is_sound(motion):
        return Status.TIMED_OUT
    bound = scene.world.settings.creep * scene.apparatus.cube_edge
    for number, position in zip(scene.bodies, motion.position, strict=True):
        if number not in earlier or length((position - earlier[number]).tolist()) > bound:
            return Status.TIMED_OUT
    return Status.JAMMED
