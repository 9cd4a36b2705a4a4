"""A trial of compiled functions: cubes fall on boxes and a prism, games are played; are all digits right?"""

from __future__ import annotations

import hashlib
import math
import os

import numpy as np
import numpy.typing as npt

from tower_sim.compiled import call
from tower_sim.compiled.marks import TRIAL, VARIABLE

RIGHT = "f2b7ff0590adf3c9626374aa1a359131263e2ed9a338fdb2e4fac929090703a1"
"""The digest of all results, as WebAssembly and plain Python compute them."""
_PRISM = ((2, 1, 0), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))


def digest() -> str:
    """Return the digest of the trial's results, as functions run in this process."""
    from tower_sim.apparatus.parts import Box, Hull, Surface, tilted_about_y
    from tower_sim.physics.core import CoreEngine
    from tower_sim.physics.settings import PhysicsSettings
    from tower_sim.state import Pose
    from tower_sim.surrogate import kernel

    engine, wood = CoreEngine(PhysicsSettings()), Surface(0.4, 0.4)
    engine.clear(0.01)
    engine.set_gravity((0.0, 0.0, -9.81))
    engine.set_passed(-1.0)
    boxes = (
        Box("floor", "wood", (0.0, 0.0, -0.01), (0.1, 0.1, 0.01)),
        Box("ramp", "wood", (0.03, 0.0, 0.02), (0.03, 0.03, 0.002), tilted_about_y(0.5)),
    )
    corners = tuple((-0.02 + x, y, z) for z in (0.0, 0.02) for x, y in ((-0.02, -0.02), (0.01, 0.0), (-0.01, 0.02)))
    engine.add_solids(boxes, (Hull("prism", "wood", corners, _PRISM),), {"wood": wood}, wood)
    engine.set_cubes(0.0005)
    for k in range(6):
        cube = engine.add_cube(Pose((0.012 * k - 0.03, 0.002 * k, 0.06), tilted_about_y(0.7 * k)))
        engine.set_velocity(cube, (0.1, 0.0, -0.5), (k, 9.0, 1.0))
    engine.run(30)
    engine.lie_still()
    motion = engine.motion(engine.bodies)
    tables = [motion.position, motion.orientation, motion.velocity, motion.spin]

    floors, cubes, drops, effects = 2, 12, 5, 32

    def spread(*shape: int) -> npt.NDArray[np.int64]:
        numbers = 37 * np.arange(math.prod(shape)) % 801 - 400
        return numbers.reshape(shape)

    law = kernel.Law(
        thrown=spread(2, floors, cubes + 1),
        onto=spread(2, floors, cubes + 1, effects).astype(np.int32),
        fresh=spread(floors, cubes + 1).astype(np.int32),
        age=spread(2 * floors, drops + 1).astype(np.int32),
        pushed=spread(floors).astype(np.int32),
        has_effect=np.array([True, False]),
        thresholds=np.linspace(1 << 29, 1 << 32, 2001, endpoint=False).astype(np.uint32),
        effect_shift=32 - effects.bit_length() + 1,
        crowd_from=8,
        fresh_to=1,
    )
    counts = [np.zeros((20, drops, 2), np.int16) for _ in range(3)]
    colour, low, phases = np.repeat(np.arange(2, dtype=np.uint32), 6), np.array([0, 6, 12]), np.array([-1, 0, 1, 0, 1])
    work = kernel.work_for(cubes, drops, floors)
    call(kernel.GAMES, "play", law, np.array([1, 2, 3, 4]), 0, colour, low, phases, 0.0, *counts, work)
    return hashlib.sha256(b"".join(table.tobytes() for table in (*tables, *counts))).hexdigest()


def main() -> None:
    """Print whether all digits are right, as the native library computes them."""
    os.environ[VARIABLE] = TRIAL
    print("right" if digest() == RIGHT else "wrong")
