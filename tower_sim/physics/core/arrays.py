"""The world as flat arrays: rows of fixed boxes first, then rows of cubes; pairs of rows; numbers. SI units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

T = npt.NDArray[Any]
"""A table."""

MOST_POINTS = 8
"""A quadrilateral that is cut by the four sides of a rectangle has no more corners."""

# Whole numbers of a world, by place in `Tables.whole`.
FIXED, ROWS, PAIRS, ACTIVE, STALE, STEPS, VISITS = range(7)
# Numbers of a world, by place in `Tables.real`: what the settings and the scene say.
GRAVITY_X, GRAVITY_Y, GRAVITY_Z = range(3)  # m/s2
EDGE = 3  # of a cube (m)
SKIN, PAD, FAR = 4, 5, 6  # m: slack of the list of pairs; how far ahead contacts are sought at least, at most
TOLERANCE, ITERATIONS = 7, 8  # the solver stops when no speed (m/s) changes by more, or after so many sweeps
RESTITUTION_SPEED = 9  # slower impacts (m/s) do not bounce
SLOP, RELAXATION_TIME, CORRECTIONS = 10, 11, 22  # overlap (m) left alone; time (s) the rest is corrected in; sweeps
PATCH_RADIUS = 12  # of the flat patch that a single point stands for (m)
TRAVEL, PASSED_TRAVEL, PASSED = 13, 15, 14  # edges a step may carry a cube; the same below the height PASSED (m)
LONGEST_STEP, WINDOW = 16, 17  # s
QUIET_SPEED, QUIET_SPIN, QUIET_WINDOWS = 18, 19, 20  # m/s, rad/s; after so many windows below both a heap sleeps
TOUCHING_GAP = 21  # points nearer than this (m) touch
REALS = 23


# Columns of the table of bodies: fixed boxes are rows 0 to whole[FIXED] - 1, cubes go on to whole[ROWS] - 1.
POSITION = 0  # centre (m)
TURN = 3  # unit quaternion x y z w
AXES = 7  # rotation matrix, row by row; its columns are the axes
HALF = 16  # half edges (m)
VELOCITY, SPIN = 19, 22  # m/s, rad/s
PUSH, PUSH_SPIN = 25, 28  # the same, of the correction of overlap: they move a body and are forgotten
INV_MASS, INV_INERTIA = 31, 32  # 1/kg, 1/(kg m2); 0 for what is fixed; INV_INERTIA < 0: see cuboids.py
MOBILE = 33  # 1 for what is awake, else 0
FRICTION, RESTITUTION = 34, 35  # of a cube with this body
SOUGHT_AT = 36  # where the body was when pairs were last sought
REACH = 39  # how far any point of it comes in this step (m)
BOUNDS = 40  # of a fixed box: half extents of the upright box around it
RADIUS = 43  # of the sphere around it (m)
SHIFT, SHIFT_TURN = 44, 47  # m, rad: what a bounce later in the step than at its start takes off the way
FIRST_IMPACT = 50  # when in the step (s) it first bounces off something
INV_INERTIAS = 51  # of a cuboid: 1/moment of inertia about each of its axes
SHAPE = 54  # of a fixed row: 0 for a box, else where in `hulls` its shape is told
COLUMNS = 55

# Columns of the whole numbers of bodies: 1 awake or 0; quiet windows; CHANGED is set anew by the solver (when velocity
# last changed), by correction (whether it was pushed) and by sleep, which has ISLAND too.
AWAKE, QUIET, CHANGED, ISLAND = range(4)

# Columns of the table of pairs, in the order of (first, second); the first is always a cube. For each of its POINTS in
# contact `touches` has where it is in the first's axes (m), and the force (N) there on the first in the world's.
FIRST, SECOND, POINTS = range(3)

# Columns of `meets`, the contact of a pair in this step: normal from the second to the first, then of each point where
# it is (m) and the gap (m).
NORMAL, POINT = 0, 3

# Columns of `todo`: whether a pair was looked at in this step; then lists of the pairs in contact: which, its two rows,
# where its rows in `contacts` start (see solver.py), when it was last visited (in correction: it overlaps), whether
# a point of it bounces or waits.
DONE, PAIR, ONE, OTHER, START, SEEN, HAS_IMPACTS = range(7)


class Tables(NamedTuple):
    """All that the engine works on, as tables whose columns are named above; compiled functions take those they need.

    Between two steps only whole, real, bodies, flags, pairs and touches say anything.
    """

    whole: T
    real: T
    bodies: T
    flags: T
    pairs: T
    touches: T
    known_pairs: T
    known_touches: T
    meets: T
    todo: T
    contacts: T
    room: T
    hulls: T


def make(fixed: int, cubes: int, hulls: int = 1, table: Callable[..., T] = np.zeros) -> Tables:
    """Return an empty world with room for so many fixed rows and cubes, for all their pairs, and for numbers of hulls.

    Most of that room is never touched, and so takes no memory. `table` makes one, of a shape and a type, all zeros.
    """
    rows, pairs = fixed + cubes, cubes * (cubes - 1) // 2 + cubes * fixed
    return Tables(
        whole=table((7,), np.int64),
        real=table((REALS,), np.float64),
        bodies=table((rows, COLUMNS), np.float64),
        flags=table((rows, 4), np.int64),
        pairs=table((pairs, 3), np.int64),
        touches=table((pairs, MOST_POINTS, 6), np.float64),
        known_pairs=table((pairs, 3), np.int64),
        known_touches=table((pairs, MOST_POINTS, 6), np.float64),
        meets=table((pairs, 3 + 4 * MOST_POINTS), np.float64),
        todo=table((pairs + 1, 7), np.int64),
        contacts=table((pairs * MOST_POINTS, 28), np.float64),
        room=table((801,), np.float64),
        hulls=table((hulls,), np.float64),
    )


def move_into(larger: Tables, world: Tables) -> None:
    """Put all that is in a world into another one with more room."""
    rows, pairs = int(world.whole[ROWS]), int(world.whole[PAIRS])
    larger.whole[:], larger.real[:], larger.hulls[:] = world.whole, world.real, world.hulls
    larger.bodies[:rows], larger.flags[:rows] = world.bodies[:rows], world.flags[:rows]
    larger.pairs[:pairs], larger.touches[:pairs] = world.pairs[:pairs], world.touches[:pairs]
    larger.whole[ACTIVE] = 0
