"""The world as tables of records: rows of fixed boxes first, then rows of cubes; pairs of rows; numbers. SI units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tower_sim.apparatus.where import DESK
from tower_sim.compiled.marks import R, inner

MOST_POINTS = 8
"""A quadrilateral that is cut by the four sides of a rectangle has no more corners."""
PAIRS_A_CUBE = 24
CELLS_A_ROW, MORE_CELLS, LISTED_A_ROW, MORE_LISTED = 8, 4096, 64, 8192
"""For so many fixed rows the grid has room for so many cells, and for so many rows in all their lists."""

NO_DROP, ALONE, MIRRORED = range(3)
"""Ways of a drop: tables for single steps; the core moves the cubes; another engine does."""
RUNNING, SETTLED, JAMMED, TIMED_OUT, ESCAPED_FROM, ASKING, TAKEN = range(7)
"""Statuses of a drop; TAKEN: the place of a launch is not free."""
WAITING, THERE, CLEARED, SWEPT, CAUGHT = range(5)
"""States of a cube."""


def _field(name: str) -> property:
    def put(record: Any, value: Any) -> None:
        record[name] = value

    return property(itemgetter(name), put)


def record(number: type[np.number[Any]] | type[float], fields: str, **within: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a record, of numbers of 8 bytes each; plain Python has its fields as attributes, too.

    A line of `fields` has names, their shapes if they are arrays, and what they mean. `within` are records in it.
    """
    parts: list[Any] = []
    for field in " ".join(line.partition(" - ")[0] for line in fields.splitlines()).split():
        name, _, shape = field.partition(":")
        parts.append((name, within.get(name, number), tuple(map(int, shape.split("x"))) if shape else ()))
    plain = np.dtype(parts, align=True)
    return np.dtype((type("Record", (np.void,), {name: _field(name) for name in plain.names or ()}), plain))


NOW = record(np.int64, """
    fixed rows pairs - how many: fixed boxes are rows 0 to fixed - 1, cubes go on to rows - 1
    active - pairs in contact
    stale - 1 if pairs must be sought anew
    steps visits - so far; visits of the solver to a pair
    short - so many pairs need room: see `make`
    parts left - steps of the window; of these left
    shown filmed - `changes` of the drop at the start of a film; windows of the film so far
    look - looks at pairs so far
""")  # fmt: skip
SETTINGS = record(float, """
    gravity:3 - m/s2
    edge - of a cube (m)
    skin pad far - m: slack of the list of pairs; how far ahead contacts are sought at least, at most
    tolerance iterations - the solver stops when no speed (m/s) changes by more, or after so many sweeps
    restitution_speed - slower impacts (m/s) do not bounce
    slop relaxation_time - overlap (m) left alone; time (s) the rest is corrected in
    patch_radius - of the flat patch that a single point stands for (m)
    travel passed passed_travel - edges a step may carry a cube; the same below the height `passed` (m)
    longest_step window - s
    quiet_speed quiet_spin quiet_windows - m/s, rad/s; after so many windows below both a heap sleeps
    touching_gap - points nearer than this (m) touch
    corrections - sweeps of the correction of overlap
""")  # fmt: skip
BODY = record(float, """
    position:3 turn:4 - centre (m); unit quaternion x y z w
    axes:3x3 - rotation matrix; its columns are the axes
    velocity:3 spin:3 - m/s, rad/s
    inv_mass inv_inertia - 1/kg, 1/(kg m2); 0 for what is fixed; inv_inertia < 0: see cuboids.py
    mobile - 1 for what is awake, else 0
    friction restitution - of a cube with this body
    half:3 - half edges (m)
    radius - of the sphere around it (m)
    hull - of a fixed row: 0 for a box, else where in `hulls` its shape is told
    way - a bound on how far any point of it has come so far (m)
    reach - how far any point of it comes in this step (m)
    first_impact - when in the step (s) it first bounces off something
    sought_at:3 - where the body was when pairs were last sought
    push:3 push_spin:3 - m/s, rad/s, of the correction of overlap: they move a body and are forgotten
    shift:3 shift_turn:3 - m, rad: what a bounce later in the step than at its start takes off the way
    bounds:3 - of a fixed box: half extents of the upright box around it
    inv_inertias:3 - of a cuboid: 1/moment of inertia about each of its axes
""")  # fmt: skip
FLAGS = record(np.int64, """
    awake quiet - 1 awake or 0; quiet windows
    changed - when the velocity last changed (solver), whether it was pushed (correction); used by sleep, too
    island - the row that stands for all that touch each other
    number - the cube's row in `cubes`
""")  # fmt: skip
PAIR = record(np.int64, """
    first second - its rows, in this order; the first is always a cube
    points - how many are in contact
    clear - the sum of both ways (nm) up to which, less the look ahead, a pair without contact stays so
    looked - the look in which it was last looked at
""")  # fmt: skip
TOUCHES = record(float, "points:8", points=record(float, """
    place:3 - in the first's axes (m)
    force:3 - on the first, in the world's axes (N)
"""))  # fmt: skip
MEETING = record(float, "normal:3 points:8 - from the second to the first", points=record(float, """
    place:3 gap - m
"""))  # fmt: skip
TODO = record(np.int64, """
    pair one other - which pair is in contact; its rows
    start - its first row in `contacts`
    seen - when the solver last visited it; in correction: whether it overlaps
    has_impacts - whether a point of it bounces or waits
""")  # fmt: skip
CONTACT = record(float, """
    arm_a:3 arm_b:3 - from both centres (m)
    along:3 across:3 - directions of friction: principal axes of the inverse effective mass across the normal
    inv_mass_n inv_mass_1 inv_mass_2 - along the normal and these the inverse effective masses (1/kg)
    mass_n mass_1 mass_2 - and the effective masses (kg)
    coupling_1 coupling_2 - the velocity along these for a unit impulse along the normal (1/kg)
    target - of the normal velocity (m/s)
    p_n p_1 p_2 p_spin - the impulses (N s); that against spin (N m s)
    inv_inertia_n - the inverse inertia about the normal (1/(kg m2))
    role impact_time - see contacts.py; when in the step (s) it touches if it bounces
    facing:3 - the normal from the second body to the first
""")  # fmt: skip
GRID = record(float, """
    corner:3 per_metre cells:3 - the lowest (m); cells per metre, cells along each axis
    listed - how far (m) from a cube's centre fixed rows are listed; 0 where there is no grid
""")  # fmt: skip
DROP = record(np.int64, """
    run status passed_windows - one of the ways above; one of the statuses; how many windows have passed
    laid inside launches next - cubes at rest at the start, inside of these; launches, the next of them
    misses again again_first - cubes that missed; how many wait to fall again; where their queue begins
    goes is_near_the_end - further goes of wedged cubes; whether `earlier` is written
    is_open is_checked is_swept has_board - more cubes may come; launches need a free place; see Apparatus
    is_due is_answered - a look is due; `marks` has answers
    is_wedged - cubes are wedged (by a mirrored engine)
    changes wakes - how often a cube came or went; how often all were woken
""")  # fmt: skip
PLAN = record(float, """
    longest creep - s; edges in a second
    cube_friction cube_restitution cube_inv_mass cube_inv_inertia - of all cubes
    hand_height hand_spread hand_speed hand_spin hand_rate hand_fall - hand_rate 0: all at once
    rim - height of the tower's (m)
    last_at strength shake:2 - the last launch (s); a knock (g) and its direction
    depth - how deep (m) a launch that is not free is
""")  # fmt: skip
CUBE = record(float, """
    pose:7 let_at let_velocity:3 let_spin:3 - in which it lies or is let go; when (windows), and how it moves then
    earlier:3 - where it was a second before the end
    out_pose:7 - when it was taken away
""")  # fmt: skip
MARKS = record(np.int64, """
    id - the cube's number for people
    state listed queue - see above; as it was last listed; the cubes that fall again
    answer - what it did, in bits of where.py, for a kind that is asked
""")  # fmt: skip


class Tables(NamedTuple):
    """All that the engine works on, each with how many rows it has, a word stands for a number of `make`, and of what.

    Those of one row are read as `w.drop[0]`. Between two steps only whole, real, bodies, flags, pairs and touches say
    anything.
    """

    whole: R = (1, NOW)
    real: R = (1, SETTINGS)
    bodies: R = ("rows", BODY)
    flags: R = ("rows", FLAGS)
    pairs: R = ("pairs", PAIR)
    touches: R = ("pairs", TOUCHES)
    known_pairs: R = ("pairs", PAIR)
    known_touches: R = ("pairs", TOUCHES)
    meets: R = ("pairs", MEETING)
    todo: R = ("pairs and one", TODO)
    contacts: R = ("points", CONTACT)
    room: R = (4096, float)
    hulls: R = ("hulls", float)
    grid: R = (1, GRID)
    cells: R = ("cells", np.int64)
    listed: R = ("listed", np.int64)
    drop: R = (1, DROP)
    plan: R = (1, PLAN)
    cubes: R = ("cubes", CUBE)
    marks: R = ("cubes", MARKS)
    rule: R = ("rule", float)
    desk: R = (DESK, float)


LAYOUT: Mapping[str, tuple[str | int, Any]] = Tables._field_defaults


def make(
    fixed: int, cubes: int, hulls: int = 1, rule: int = 1, pairs: int = 0, table: Callable[..., R] = np.zeros
) -> Tables:
    """Return an empty world with room for so many fixed rows, cubes, numbers of hulls, and pairs (0: a few a cube).

    `rule` is how many numbers decide where cubes are. `table` makes one, of a shape and a type, all zeros. Where pairs
    need more room, a function stops with the world as it was, and `short` says how many; it is called again with that.
    """
    pairs = pairs or PAIRS_A_CUBE * cubes
    sizes: dict[str | int, int] = {"rows": fixed + cubes, "cubes": cubes, "hulls": hulls, "rule": rule}
    sizes |= {"pairs": pairs, "pairs and one": pairs + 1, "points": pairs * MOST_POINTS}
    sizes |= {"cells": CELLS_A_ROW * fixed + MORE_CELLS + 1, "listed": LISTED_A_ROW * fixed + MORE_LISTED}
    return Tables(**{name: table((sizes.get(rows, rows),), kind) for name, (rows, kind) in LAYOUT.items()})


def move_into(larger: Tables, world: Tables) -> None:
    """Put a world into tables with more room, in which its fixed parts have the same rows."""
    now = world.whole[0]
    used = {"rows": int(now.rows), "pairs": int(now.pairs)}
    for there, here, (rows, _) in zip(larger, world, LAYOUT.values(), strict=True):
        number = min(len(there), used.get(str(rows), len(here)))
        there[:number] = here[:number]
    larger.whole[0].active = 0


@inner
def copy_row(into: R, there: int, table: R, here: int) -> None:
    """Copy a record of a table to a row of another."""
    target, source, width = into.view(np.int64), table.view(np.int64), table.itemsize // 8
    for c in range(width):
        target[width * there + c] = source[width * here + c]


@inner
def clear_row(table: R, row: int) -> None:
    """Fill a record of a table with zeros."""
    numbers, width = table.view(np.int64), table.itemsize // 8
    for c in range(width):
        numbers[width * row + c] = 0
