"""Throws whose launches are given, for example recorded from a player. Nothing is random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import Cube
from tower_sim.errors import fault
from tower_sim.physics.scene import Launch
from tower_sim.state import LAUNCH, Pose

LONGEST = 120.0  # s: the latest time at which a cube of a throw is let go
FASTEST, MOST_SPIN = 10.0, 300.0  # m/s and rad/s: the limits of a cube thrown by hand
_UNIT = 1e-6
_ADVICE = "take a throw that a page or a state has recorded"


def read(cubes: Sequence[Cube], launches: object, window: float, apparatus: Apparatus) -> list[Launch]:
    """Return the launches of `cubes` from a row of numbers for each: see `Event.launches`; `window` is in s."""
    if not isinstance(launches, (list, tuple)):
        raise fault("launches", launches, "a list of rows, one a cube", _ADVICE)
    rows = cast("Sequence[object]", launches)
    if not cubes or len(rows) != len(cubes):
        raise fault("launches", len(rows), f"one row for each of the {len(cubes)} cubes, at least one", _ADVICE)
    releases: list[Launch] = []
    for cube, row in zip(cubes, rows, strict=True):
        windows, *numbers = _numbers(row)
        at = windows * window
        if windows != int(windows) or not (releases[-1].windows if releases else 0) <= windows or not at <= LONGEST:
            allowed = f"whole windows of {window:g} s, none before the one before, up to {LONGEST:g} s"
            raise fault(f"time of the launch of cube {cube.id}", windows, allowed, _ADVICE)
        x, y, z, a, b, c, w, *speeds = numbers
        if abs(math.fsum(q * q for q in (a, b, c, w)) - 1) >= _UNIT:
            raise fault(f"orientation of cube {cube.id}", (a, b, c, w), "a unit quaternion", _ADVICE)
        u, v, s, p, q, r = speeds
        if max(map(abs, (u, v, s))) > FASTEST or max(map(abs, (p, q, r))) > MOST_SPIN:
            allowed = f"up to {FASTEST:g} m/s and {MOST_SPIN:g} rad/s along each axis"
            raise fault(f"speed of cube {cube.id}", speeds, allowed, "let it go more gently")
        at_place = np.array([[x, y, z]])
        if any(is_outside(at_place)[0] for is_outside in (apparatus.escaped, apparatus.emerged, apparatus.missed)):
            raise fault(f"place of cube {cube.id}", (x, y, z), "over or in the apparatus (m)", "let it go over the rim")
        releases.append(Launch(cube, int(windows), Pose((x, y, z), (a, b, c, w)), (u, v, s), (p, q, r)))
    return releases


def _numbers(row: object) -> list[float]:
    if isinstance(row, (list, tuple)):
        parts = cast("Sequence[object]", row)
        numbers = [float(x) for x in parts if isinstance(x, (int, float)) and not isinstance(x, bool)]
        if len(numbers) == len(parts) == LAUNCH and all(map(math.isfinite, numbers)):
            return numbers
    raise fault(
        "a launch", cast("object", row), f"{LAUNCH} numbers (windows; x, y, z; x, y, z, w; m/s; rad/s)", _ADVICE
    )
