"""The world as flat arrays: rows of fixed boxes first, then rows of cubes; pairs of rows; numbers. SI units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from tower_sim.apparatus.where import DESK
from tower_sim.compiled.marks import T

MOST_POINTS = 8
"""A quadrilateral that is cut by the four sides of a rectangle has no more corners."""

# Whole numbers of a world, by place in `Tables.whole`.
FIXED, ROWS, PAIRS, ACTIVE, STALE, STEPS, VISITS = range(7)
SHORT, PARTS, LEFT, SHOWN, LOOK = range(7, 12)  # see `make`; steps of the window, of these left, its CHANGES; looks
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


# Columns of the table of bodies: fixed boxes are rows 0 to whole[FIXED] - 1, cubes go on to whole[ROWS] - 1. What is
# read together stands together.
POSITION = 0  # centre (m)
TURN = 3  # unit quaternion x y z w
AXES = 7  # rotation matrix, row by row; its columns are the axes
VELOCITY, SPIN = 16, 19  # m/s, rad/s
INV_MASS, INV_INERTIA = 22, 23  # 1/kg, 1/(kg m2); 0 for what is fixed; INV_INERTIA < 0: see cuboids.py
MOBILE = 24  # 1 for what is awake, else 0
FRICTION, RESTITUTION = 25, 26  # of a cube with this body
HALF = 27  # half edges (m)
RADIUS = 30  # of the sphere around it (m)
SHAPE = 31  # of a fixed row: 0 for a box, else where in `hulls` its shape is told
WAY = 32  # a bound on how far any point of it has come so far (m)
REACH = 33  # how far any point of it comes in this step (m)
FIRST_IMPACT = 34  # when in the step (s) it first bounces off something
SOUGHT_AT = 35  # where the body was when pairs were last sought
PUSH, PUSH_SPIN = 38, 41  # m/s, rad/s, of the correction of overlap: they move a body and are forgotten
SHIFT, SHIFT_TURN = 44, 47  # m, rad: what a bounce later in the step than at its start takes off the way
BOUNDS = 50  # of a fixed box: half extents of the upright box around it
INV_INERTIAS = 53  # of a cuboid: 1/moment of inertia about each of its axes
COLUMNS = 56

# Columns of the whole numbers of bodies: 1 awake or 0; quiet windows; CHANGED is set anew by the solver (when velocity
# last changed), by correction (whether it was pushed) and by sleep, which has ISLAND too. NUMBER is the cube's row in
# `Tables.cubes`.
AWAKE, QUIET, CHANGED, ISLAND, NUMBER = range(5)

# Columns of the table of pairs, in the order of (first, second); the first is always a cube. For each of its POINTS in
# contact `touches` has where it is in the first's axes (m), and the force (N) there on the first in the world's. CLEAR
# is the sum of both ways (nm) up to which, less the look ahead, a pair without contact stays so. LOOKED is the look, of
# those that whole[LOOK] counts, in which the pair was last looked at.
FIRST, SECOND, POINTS, CLEAR, LOOKED = range(5)

# Columns of `meets`, the contact of a pair in this step: normal from the second to the first, then of each point where
# it is (m) and the gap (m).
NORMAL, POINT = 0, 3

# Columns of `todo`, a list of the pairs in contact: which, its two rows, where its rows in `contacts` start (see
# solver.py), when it was last visited (in correction: it overlaps), whether a point of it bounces or waits.
PAIR, ONE, OTHER, START, SEEN, HAS_IMPACTS = range(6)

# Numbers of `grid`, see broad.py: its lowest corner (m), cells per metre, cells along each axis, and how far (m) from a
# cube's centre fixed rows are listed; 0 where there is no grid. For so many fixed rows it has room for so many cells,
# and for so many rows in all their lists.
CORNER, PER_METRE, CELLS, LISTED = 0, 3, 4, 7
PAIRS_A_CUBE = 24
CELLS_A_ROW, MORE_CELLS, LISTED_A_ROW, MORE_LISTED = 8, 4096, 64, 8192

# Whole numbers of a drop, by place in `Tables.drop`: how it runs; how far it is; what a caller may change.
RUN, STATUS, PASSED_WINDOWS = 0, 1, 2  # one of the ways below; one of the statuses below; how many windows have passed
LAID, INSIDE, LAUNCHES, NEXT = 3, 4, 5, 6  # cubes at rest at the start, inside of these; launches, the next of them
MISSES, AGAIN, AGAIN_FIRST = 7, 8, 9  # cubes that missed; how many wait to fall again; where their queue begins
GOES, IS_NEAR_THE_END = 10, 11  # further goes of wedged cubes; whether EARLIER is written
IS_OPEN, IS_CHECKED, IS_SWEPT, HAS_BOARD = (
    12,
    13,
    14,
    15,
)  # more cubes may come; launches need a free place; see Apparatus
IS_DUE, IS_ANSWERED, IS_WEDGED = (
    16,
    17,
    18,
)  # a look is due; `marks` has answers; cubes are wedged (by a mirrored engine)
CHANGES, WAKES = 19, 20  # how often a cube came or went; how often all were woken
WHOLES_OF_DROP = 21
NO_DROP, ALONE, MIRRORED = range(3)  # tables for single steps; the core moves the cubes; another engine does
RUNNING, SETTLED, JAMMED, TIMED_OUT, ESCAPED_FROM, ASKING, TAKEN = range(7)  # TAKEN: the place of a launch is not free

# Numbers of a drop, by place in `Tables.plan` (m, s, kg): from the settings and the apparatus, but for the last five.
LONGEST, CREEP = 0, 1
CUBE_FRICTION, CUBE_RESTITUTION, CUBE_INV_MASS, CUBE_INV_INERTIA = 2, 3, 4, 5
HAND_HEIGHT, HAND_SPREAD, HAND_SPEED, HAND_SPIN, HAND_RATE, HAND_FALL, RIM = range(6, 13)  # HAND_RATE 0: all at once
LAST_AT, STRENGTH, SHAKE_X, SHAKE_Y, DEPTH = range(13, 18)  # the last launch; a knock (g) and its direction; an overlap
PLAN = 18

# Columns of a drop's cubes, those at rest first, then in the order of their launches: the pose in which a cube lies or
# is let go; when (windows), velocity and spin; where it was a second before the end; the pose when it was taken away.
LET_AT, LET_VELOCITY, EARLIER, OUT_POSE = 7, 8, 14, 17
CUBE_COLUMNS = 24

# Columns of the whole numbers of a drop's cubes: where a cube is; the queue of those that fall again; what it did, in
# bits of where.py, for a kind that is asked; which of the thrown cubes a launch lets go.
STATE, QUEUE, ANSWER, WHICH = range(4)
WAITING, THERE, CLEARED, SWEPT, CAUGHT = range(5)


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
    grid: T
    cells: T
    listed: T
    drop: T
    plan: T
    cubes: T
    marks: T
    rule: T
    desk: T


SHAPES: Mapping[str, tuple[str | int, ...]] = {
    "whole": (12,),
    "real": (REALS,),
    "bodies": ("rows", COLUMNS),
    "flags": ("rows", 5),
    "pairs": ("pairs", 5),
    "touches": ("pairs", MOST_POINTS, 6),
    "known_pairs": ("pairs", 5),
    "known_touches": ("pairs", MOST_POINTS, 6),
    "meets": ("pairs", 3 + 4 * MOST_POINTS),
    "todo": ("pairs and one", 6),
    "contacts": ("points", 31),
    "room": (4096,),
    "hulls": ("hulls",),
    "grid": (8,),
    "cells": ("cells",),
    "listed": ("listed",),
    "drop": (WHOLES_OF_DROP,),
    "plan": (PLAN,),
    "cubes": ("cubes", CUBE_COLUMNS),
    "marks": ("cubes", 4),
    "rule": ("rule",),
    "desk": (DESK,),
}
"""The shape of each table; a word stands for a number of `make`. core.wasm has them, for other languages."""
WHOLE_NUMBERS = ("whole", "flags", "pairs", "known_pairs", "todo", "cells", "listed", "drop", "marks")


def make(
    fixed: int, cubes: int, hulls: int = 1, rule: int = 1, pairs: int = 0, table: Callable[..., T] = np.zeros
) -> Tables:
    """Return an empty world with room for so many fixed rows, cubes, numbers of hulls, and pairs (0: a few a cube).

    `rule` is how many numbers decide where cubes are. `table` makes one, of a shape and a type, all zeros. Where pairs
    need more room, a function stops with the world as it was, and SHORT says how many; it is called again with that.
    """
    pairs = pairs or PAIRS_A_CUBE * cubes
    sizes: dict[str | int, int] = {"rows": fixed + cubes, "cubes": cubes, "hulls": hulls, "rule": rule}
    sizes |= {"pairs": pairs, "pairs and one": pairs + 1, "points": pairs * MOST_POINTS}
    sizes |= {"cells": CELLS_A_ROW * fixed + MORE_CELLS + 1, "listed": LISTED_A_ROW * fixed + MORE_LISTED}
    kinds = {name: np.int64 if name in WHOLE_NUMBERS else np.float64 for name in SHAPES}
    return Tables(**{name: table((sizes.get(a, a), *rest), kinds[name]) for name, (a, *rest) in SHAPES.items()})


def move_into(larger: Tables, world: Tables) -> None:
    """Put a world into tables with more room, in which its fixed parts have the same rows."""
    rows, pairs = int(world.whole[ROWS]), int(world.whole[PAIRS])
    numbers = {"bodies": rows, "flags": rows, "pairs": pairs, "touches": pairs}
    for name in (
        "whole",
        "real",
        "bodies",
        "flags",
        "pairs",
        "touches",
        "hulls",
        "grid",
        "cells",
        "listed",
        "drop",
        "plan",
        "cubes",
        "marks",
        "rule",
    ):
        there, here = getattr(larger, name), getattr(world, name)
        number = min(len(there), numbers.get(name, len(here)))
        there[:number] = here[:number]
    larger.whole[ACTIVE] = 0
