"""World: an engine of any kind for many drops, one at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Self

from tower_sim.apparatus import Apparatus
from tower_sim.errors import UsageError
from tower_sim.physics.bullet.engine import make_scene
from tower_sim.physics.engine import make
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import PhysicsSettings


class World:
    """An engine with its settings. It is a context manager."""

    def __init__(self, settings: PhysicsSettings) -> None:
        self.settings = settings
        self.engine = make(settings)
        self._locks: dict[int, threading.RLock] = {}
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
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
        # a forked process gets a lock of its own: the old one may be held by a thread that it does not have
        return self._locks.setdefault(os.getpid(), threading.RLock())

    def scene(self, apparatus: Apparatus) -> Scene:
        """Return an apparatus without cubes in this world, which is emptied."""
        return make_scene(self.engine, apparatus, self.settings)
