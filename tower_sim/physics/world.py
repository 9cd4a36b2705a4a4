"""World: an engine of any kind, the time that it has simulated, and the choice of its steps."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import TracebackType

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Upright
from tower_sim.errors import UsageError
from tower_sim.physics.engine import Motion, make, runs_alone
from tower_sim.physics.settings import GRAVITY, PhysicsSettings

__all__ = ["GRAVITY", "Motion", "World"]

Array = npt.NDArray[np.float64]


class World:
    """An engine with its settings, used for many drops: `clear` empties it. It is a context manager.

    `steps` and `seconds` count all its engine steps and all its simulated time.
    """

    def __init__(self, settings: PhysicsSettings) -> None:
        self.settings = settings
        self.engine = make(settings)
        self.steps = 0
        self.seconds = 0.0
        self._locks: dict[int, threading.RLock] = {}
        self._is_open = True
        self._edge = 0.0
        self._pull = 0.0

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the engine after the drop under way; a second call does nothing."""
        with self._turn(), self.engine.lock:
            self._is_open = False
            self.engine.close()

    @contextmanager
    def alone(self) -> Generator[None]:
        """Lock this world for the block, and the engine as far as it needs that."""
        with self._turn(), self.engine.lock:
            if not self._is_open:
                raise UsageError(
                    "model is closed; allowed is one that is open; use it in its `with` block, or make it anew"
                )
            yield

    def _turn(self) -> threading.RLock:
        """Return the lock of this world in this process; threads that share the world take turns.

        A forked process gets a new lock, because the old one may be held by a thread that the fork does not have.
        """
        return self._locks.setdefault(os.getpid(), threading.RLock())

    def clear(self, edge: float, gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY)) -> None:
        """Empty the world and set up the engine for cubes of edge `edge` (m) under `gravity` (m/s2)."""
        self._edge = edge
        self.engine.clear(edge)
        self.work_as_usual()
        self.set_gravity(gravity)

    def work_as_usual(self) -> None:
        """Let the contact solver take at most the settings' `iterations` a step, and stop early."""
        self.engine.set_effort(self.settings.iterations, self.settings.residual, self.settings.relaxation)

    def work_harder(self) -> None:
        """Let the contact solver take the settings' `firm_iterations` a step, without an early stop."""
        self.engine.set_effort(self.settings.firm_iterations, 0.0, self.settings.firm_relaxation)

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2); swinging gravity is the same as moving the apparatus."""
        self._pull = math.hypot(*gravity)
        self.engine.set_gravity(gravity)

    def advance(self, motion: Motion, windows: int = 1, calm: Sequence[Upright] = (), passed: float = -math.inf) -> int:
        """Run up to `windows` windows of the settings from `motion`, the motion of all cubes; return how many.

        In one step no cube travels further than the settings allow. A cube lower than `passed` (m), which nothing can
        hold any more, may travel further. An engine that does not run alone runs one window. An engine that runs alone
        may stop early: see `Runner.run`, which also explains `calm`.
        """
        engine, settings = self.engine, self.settings
        if runs_alone(engine):
            engine.set_passed(passed)
            before = engine.steps
            taken = engine.run(windows, calm)
            self.steps += engine.steps - before
            self.seconds += taken * settings.window
            return taken
        travel = np.where(motion.position[:, 2] < passed, settings.passed_travel, settings.step_travel) * self._edge
        speed = np.linalg.norm(motion.velocity, axis=1) + self._pull * settings.window
        rate = float((speed / travel).max(initial=1 / settings.timestep))
        steps = math.ceil(settings.window * rate - 1e-9)
        self.step(settings.window / steps, steps)
        return 1

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` engine steps of `timestep` seconds each, and count them."""
        self.engine.step(timestep, steps)
        self.steps += steps
        self.seconds += steps * timestep
