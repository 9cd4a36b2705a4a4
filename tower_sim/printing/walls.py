"""The boxes of an apparatus as a printer's: walls of a thickness, their inner faces where cubes meet them.

Physics has walls 6 mm thick, so that no fast cube gets through one, and lets them run past each other outside. What is
printed has the thickness that is asked for, and ends where the next wall does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from tower_sim.apparatus.parts import Apparatus, Box, over_table
from tower_sim.apparatus.solids import axes
from tower_sim.places import INSIDE, TRAY
from tower_sim.printing import solid
from tower_sim.printing.mesh import Array, across, cleaned, pinched

THICK = 5.0  # mm: a box at least so thick was made so for the physics, and may be thinner
WALL = 3.0
LEAST_WALL, MOST_WALL = 2.0, 6.0
_PROBE = 1.0  # mm off a face, where it is asked whether cubes go there
_BEYOND = 30.0  # mm behind a wall that nothing reaches that ends in it
_OVER = 1.0  # mm over the foot of other walls: a wall that begins higher is over an opening
_BESIDE = 0.4  # cosine of the angle between two walls, over which they meet at no corner
_SEAM = 0.3  # mm: how far a seam reaches
_GRID = 2.0**14  # places a mm: they are exact in any sum
FILLED = ("ramp", "gun_deck")  # parts with nothing under them but the table, where no cube gets


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A box in mm: `part` and `surface` as in Box; `turn` (3, 3), whose columns are its axes.

    Of a wall `outward` is the unit normal of its outer face, and `full` its thickness in the physics; else both are 0.
    """

    part: str
    surface: str
    centre: Array
    half: Array
    turn: Array
    orientation: tuple[float, float, float, float]
    outward: Array = field(default_factory=lambda: np.zeros(3))
    full: float = 0.0

    @property
    def is_wall(self) -> bool:
        """Whether it has an outer face."""
        return self.full > 0

    @property
    def thickness(self) -> float:
        """The extent (mm) along `outward`; of no wall the least extent."""
        return 2 * float(self.half[self.axis])

    @property
    def axis(self) -> int:
        """Which of its axes is across it: that of `outward`, else the shortest."""
        return int(np.argmax(np.abs(self.outward @ self.turn)) if self.is_wall else np.argmin(self.half))

    @property
    def corners(self) -> Array:
        """Its corners (8, 3)."""
        return self.centre + (np.array(list(product((-1, 1), repeat=3))) * self.half) @ self.turn.T

    @property
    def inner(self) -> float:
        """Where the inner face of a wall is: `outward` . x there."""
        return float(self.outward @ self.centre) - self.thickness / 2

    @property
    def is_upright(self) -> bool:
        """Whether its axes are those of the frame, in any order."""
        return bool(np.allclose(np.abs(self.turn).max(axis=0), 1.0, atol=1e-9))

    def solid(self) -> solid.Solid:
        """Return it as a solid."""
        return solid.box(self.centre, self.half, self.orientation)

    def slab(self, low: float, high: float) -> solid.Solid:
        """Return what lies behind the inner face of a wall, from `low` to `high` mm off it, as wide as the wall."""
        half = self.half.copy()
        half[self.axis] = (high - low) / 2
        at = self.centre + self.outward * ((low + high) / 2 - self.thickness / 2)
        return solid.box(at, half, self.orientation)


def printed(apparatus: Apparatus) -> list[Box]:
    """Return the boxes that are made: all but the table, and the board beside a ship."""
    table = {box.surface for box in apparatus.boxes if not over_table(box)} if apparatus.board else set[str]()
    return [box for box in apparatus.boxes if over_table(box) and box.surface not in table]


def pieces(apparatus: Apparatus, wall: float | None = WALL) -> list[Piece]:
    """Return the boxes as pieces, walls `wall` mm thick from their inner faces on; None: as thick as in the physics.

    Walls around the exit always are: on its sides, all through their thickness, cubes lie and jam.
    """
    found = [_piece(apparatus, box) for box in printed(apparatus)]
    if wall is None:
        return found
    kept = list(_around_exit(found))
    return [piece if piece in kept else thinned(piece, wall) for piece in found]


def _around_exit(found: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the upright walls that do not reach as low as others of their part, and those beside them at no corner."""
    for part in dict.fromkeys(piece.part for piece in found):
        own = [
            (float(piece.corners[:, 2].min()), piece.outward, piece)
            for piece in found
            if piece.part == part and piece.is_wall and abs(float(piece.outward[2])) < 1e-9
        ]
        lowest = min((low for low, _, _ in own), default=0.0)
        over = [outward for low, outward, _ in own if low > lowest + _OVER]
        yield from (piece for _, outward, piece in own if any(outward @ other > _BESIDE for other in over))


def _piece(apparatus: Apparatus, box: Box) -> Piece:
    turn = axes(np.array([box.orientation], dtype=float))[0]
    centre, half = 1e3 * np.array(box.centre), 1e3 * np.array(box.half)
    low, high = on_grid(centre - half), on_grid(centre + half)
    piece = Piece(box.part, box.surface, (low + high) / 2, (high - low) / 2, turn, box.orientation)
    across = piece.axis
    if piece.thickness < THICK or np.sort(piece.half)[1] < 1.5 * piece.half[across]:
        return piece
    ends = piece.centre + np.outer((1.0, -1.0), piece.turn[:, across]) * (piece.half[across] + _PROBE)
    there = for_cubes(apparatus, ends)
    if there.sum() != 1:
        return piece
    outward = piece.turn[:, across] * (-1.0 if there[0] else 1.0)
    return replace(piece, outward=outward, full=piece.thickness)


def on_grid(lengths: Array) -> Array:
    """Return lengths as sums of halves of a mm, so that boxes that touch are told the very same plane."""
    return np.round(lengths * _GRID) / _GRID


def thinned(piece: Piece, wall: float) -> Piece:
    """Return a wall `wall` mm thick from its inner face on, if it is a wall and thicker."""
    if not piece.is_wall or wall >= piece.thickness:
        return piece
    half = piece.half.copy()
    half[piece.axis] = wall / 2
    return replace(piece, half=half, centre=piece.centre - piece.outward * (piece.thickness - wall) / 2)


def for_cubes(apparatus: Apparatus, points: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which points (n, 3), mm, are where cubes may be: inside the apparatus, or in its tray."""
    still = np.tile((0.0, 0.0, 0.0, 1.0), (len(points), 1))
    return np.array(
        [found.place.startswith((INSIDE, TRAY)) for found in apparatus.find(1e-3 * points, still)], dtype=bool
    )


def whole(apparatus: Apparatus, wall: float | None = WALL) -> solid.Solid:
    """Return what is made of an apparatus, in one piece: its boxes, walls `wall` mm thick, hollows under ramps filled.

    A wall ends at the outer faces of the others of its part, and what runs into a wall ends at its outer face.
    Raises UsageError where the extra `print` is not installed.
    """
    found = pieces(apparatus, wall)
    walls = [piece for piece in found if piece.is_wall]
    made: list[solid.Solid] = []
    for part in dict.fromkeys(piece.part for piece in found):
        own = [piece for piece in found if piece.part == part]
        of_part = solid.union([shape for piece in own for shape in _with_foot(piece)])
        for each in _ends(own):
            of_part = solid.halves(of_part, each.outward, each.inner + each.thickness)[1]
        for each in walls:
            if each.part != part and all(
                not piece.is_wall and float(each.outward @ piece.centre) < each.inner for piece in own
            ):
                of_part -= each.slab(each.thickness, each.thickness + _BEYOND)
        made.append(of_part)
    made += [solid.hull(1e3 * np.array(each.vertices)) for each in apparatus.hulls]
    return _seamed(solid.halves(solid.union(made), (0.0, 0.0, 1.0), 0.0)[0])


def _with_foot(piece: Piece) -> Iterator[solid.Solid]:
    """Yield a piece, and what fills the hollow under it, if it is such a part."""
    yield piece.solid()
    if piece.part in FILLED and not piece.is_upright:
        corners = piece.corners
        yield solid.hull(np.concatenate([corners, corners * (1.0, 1.0, 0.0)]))


def _seamed(made: solid.Solid) -> solid.Solid:
    """Return a solid with a thin seam where two of its parts meet in an edge alone, which no printer could make."""
    mesh = cleaned(solid.raw_mesh(made))
    seams = [_seam(*mesh.vertices[list(edge)]) for edge in sorted(pinched(mesh))]
    return (solid.union([made, *seams])) if seams else made


def _seam(start: Array, end: Array) -> solid.Solid:
    along = (end - start) / np.linalg.norm(end - start)
    u = across(along)
    u /= np.linalg.norm(u)
    v = np.cross(along, u)
    ring = np.array([_SEAM * (i * u + j * v) for i, j in ((1, 0), (0, 1), (-1, 0), (0, -1))])
    return solid.hull(np.concatenate([start + ring, end + ring]))


def _ends(own: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the walls of a part at whose outer face all of it ends: those behind which no other of its walls begins."""
    walls = [piece for piece in own if piece.is_wall]
    for wall in walls:
        outer = wall.inner + wall.thickness
        inner = [other.centre - other.outward * other.thickness / 2 for other in walls if other is not wall]
        if all(float(wall.outward @ place) < outer for place in inner):
            yield wall
