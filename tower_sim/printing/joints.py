"""Pegs and holes that hold parts together, in ears on the outside of walls, where no cube gets.

upper part  |  |___            an ear on either side of the cut, on the wall's outer face;
            |  |   |           the peg stands on the lower part (or that of lower x or y), and has its
cut --------|--|_#_|------     clearance on every side in the hole
            |  | # |
lower part  |  |  /
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.printing import solid
from tower_sim.printing.cuts import Parting
from tower_sim.printing.mesh import Array
from tower_sim.printing.walls import Piece, for_cubes

CLEARANCE = 0.2
PEG, LONG = 4.0, 4.5  # mm: a square peg's edge and length
EAR, TALL, TAPER = 8.0, 7.0, 8.0  # mm: an ear's width and how far it stands off, its height, and a lower one's taper
_INTO = 1.0  # mm: so far an ear reaches into its wall
_DEEPER = 0.5  # mm a hole is deeper than its peg is long
_MOST = 4  # of a contact of two parts
_GROUND = 12.0  # mm: an ear that begins lower stands on the table
_WALL = 1.0  # mm of wall that is left between a hole and where cubes go
_TOUCH = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A peg between the parts numbered `low` and `high`: its ears, the peg and the hole as solids, and its middle."""

    low: int
    high: int
    ears: tuple[solid.Solid, solid.Solid]
    peg: solid.Solid
    hole: solid.Solid
    middle: Array

    def owned(self) -> list[tuple[int, solid.Solid]]:
        """The ears and the peg, each with the number of its part."""
        return [(self.low, self.ears[0]), (self.high, self.ears[1]), (self.low, self.peg)]


def joined(
    apparatus: Apparatus,
    bare: Sequence[solid.Solid],
    cuts: Sequence[Parting],
    found: Sequence[Piece],
    clearance: float = CLEARANCE,
) -> tuple[list[solid.Solid], list[Joint]]:
    """Return the parts with their pegs and holes, and the joints; `found` are the pieces that the solid was made of."""
    joints: list[Joint] = []
    hollows = list(_hollows(found))
    for (i, low), (j, high), cut in product(enumerate(bare), enumerate(bare), cuts):
        if i != j and _meet(low, high, cut):
            others = [part for k, part in enumerate(bare) if k not in (i, j)]
            others += [ear for joint in joints for k, ear in joint.owned() if k not in (i, j)]
            joints += _of_contact(apparatus, (i, j), (low, high), cut, others, hollows, clearance)
    made: list[solid.Solid] = []
    for k, part in enumerate(bare):
        whole = solid.union([part, *(own for joint in joints for number, own in joint.owned() if number == k)])
        for joint in joints:
            whole = whole - joint.hole if joint.high == k else whole
        made.append(solid.union([piece for piece in whole.decompose() if piece.volume() > _TOUCH]))
    return made, joints


def _hollows(found: Sequence[Piece]) -> Iterator[solid.Solid]:
    """Yield what the walls of a part enclose, of those parts whose walls stand all around."""
    for part in dict.fromkeys(piece.part for piece in found):
        walls = [piece for piece in found if piece.part == part and piece.is_wall]
        angles = np.sort([np.arctan2(wall.outward[1], wall.outward[0]) for wall in walls])
        if len(walls) < 3 or np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() > np.pi - 0.01:
            continue
        faces = np.concatenate([wall.corners for wall in walls])
        inner = np.concatenate([w.corners[w.corners @ w.outward < w.inner + 1e-6] for w in walls])
        low = np.append(faces.min(axis=0)[:2], inner[:, 2].min())
        high = np.append(faces.max(axis=0)[:2], inner[:, 2].max())
        hollow = solid.box((low + high) / 2, (high - low) / 2)
        for wall in walls:
            hollow = solid.halves(hollow, wall.outward, wall.inner)[1]
        yield hollow


def _meet(low: solid.Solid, high: solid.Solid, cut: Parting) -> bool:
    ends = float(solid.bounds(low)[1][cut.axis]), float(solid.bounds(high)[0][cut.axis])
    return all(abs(end - cut.at) < 0.01 for end in ends) and solid.contact(low, high, cut.axis, cut.at).area() > 1.0


def _of_contact(
    apparatus: Apparatus,
    numbers: tuple[int, int],
    both: tuple[solid.Solid, solid.Solid],
    cut: Parting,
    others: Sequence[solid.Solid],
    hollows: Sequence[solid.Solid],
    clearance: float,
) -> Iterator[Joint]:
    """Yield up to four joints of two parts, far from each other, at the outer edges of where they meet.

    Their ears keep out of `hollows` and of `others`, what belongs to other parts.
    """
    turn = solid.turn_of(cut.axis)
    taken: list[Array] = []
    for middle, outward in _spread(_edges(both, cut)):
        joint = _joint(numbers, both, cut, (middle, outward), clearance)
        if any(np.linalg.norm(middle - other) < 2 * EAR for other in taken) or len(taken) == _MOST:
            continue
        probes = [
            np.array([*(middle + away * outward), cut.at + over]) @ turn
            for away in (EAR / 2 - PEG / 2 - _WALL, EAR / 2 + PEG / 2, EAR)
            for over in (-LONG, -_TOUCH, LONG + _DEEPER)
        ]
        is_under_the_table = any(float(solid.bounds(ear)[0][2]) < -_TOUCH for ear in joint.ears)
        if is_under_the_table or for_cubes(apparatus, np.array(probes)).any():
            continue
        low, high = (ear - other for ear, other in zip(joint.ears, both[::-1], strict=True))
        for other in (*hollows, *others):
            low, high = (ear - other if solid.near(ear, other) else ear for ear in (low, high))
        wanted = solid.region([_square(middle, outward, PEG / 2 + 0.5)])
        around = _raised(wanted, cut, 0.0, LONG + _DEEPER)
        if (around - high - both[1]).volume() > 0.01 or (
            _raised(wanted, cut, -LONG, LONG) - low - both[0]
        ).volume() > 0.01:
            continue
        if any(
            len((ear + part).decompose()) > len(part.decompose()) for ear, part in zip((low, high), both, strict=True)
        ):
            continue
        taken.append(middle)
        yield Joint(joint.low, joint.high, (low, high), joint.peg, joint.hole, joint.middle)


def _edges(both: tuple[solid.Solid, solid.Solid], cut: Parting) -> list[tuple[Array, Array, float]]:
    """Return the straight edges, long enough for an ear, of where two parts meet: middle, outward normal, length."""
    found: list[tuple[Array, Array, float]] = []
    for ring in solid.rings(solid.contact(*both, cut.axis, cut.at)):
        side = np.roll(ring, -1, axis=0) - ring
        for start, way in zip(ring, side, strict=True):
            length = float(np.linalg.norm(way))
            if length >= EAR + 2.0:
                found.append((start + way / 2, np.array([way[1], -way[0]]) / length, length))
    return found


def _spread(edges: list[tuple[Array, Array, float]]) -> Iterator[tuple[Array, Array]]:
    """Yield edges from the longest on, each time that farthest from those before."""
    left = sorted(edges, key=lambda edge: (-round(edge[2], 3), *edge[0].round(3).tolist()))
    before: list[Array] = []
    while left:
        away = [min((float(np.linalg.norm(edge[0] - one)) for one in before), default=0.0) for edge in left]
        middle, outward, _ = left.pop(int(np.argmax(np.round(away, 3))))
        before.append(middle)
        yield middle, outward


def _joint(
    numbers: tuple[int, int],
    both: tuple[solid.Solid, solid.Solid],
    cut: Parting,
    place: tuple[Array, Array],
    clearance: float,
) -> Joint:
    middle, outward = place
    at = middle + outward * EAR / 2
    along = np.array([-outward[1], outward[0]])
    ends = [-EAR / 2, EAR / 2]
    ring = np.array([middle + i * along + j * outward for i, j in _around(ends, (-_INTO, EAR))])
    ring = _grounded(ring, cut)
    foot = np.array([middle + i * along + j * outward for i, j in _around(ends, (-_INTO, -_INTO / 2))])
    low = _raised(solid.region([ring]), cut, -TALL, TALL)
    if cut.axis == 2:
        low += solid.hull(np.concatenate([_placed(ring, cut, -TALL), _placed(foot, cut, -TALL - TAPER)]))
    high = _raised(solid.region([ring]), cut, 0.0, TALL)
    peg = solid.region([_square(middle, outward, PEG / 2)])
    hole = solid.region([_square(middle, outward, PEG / 2 + clearance)])
    return Joint(
        *numbers,
        (low, high),
        _raised(peg, cut, -1.0, 1.0 + LONG),
        _raised(hole, cut, -1.0, 1.0 + LONG + _DEEPER),
        np.array([*at, cut.at]) @ solid.turn_of(cut.axis),
    )


def _around(i: Sequence[float], j: Sequence[float]) -> list[tuple[float, float]]:
    """Return the corners of a rectangle, clockwise in (i, j): counter-clockwise where i is to the left of j."""
    return [(i[0], j[0]), (i[0], j[1]), (i[1], j[1]), (i[1], j[0])]


def _square(middle: Array, outward: Array, half: float) -> Array:
    at, along = middle + outward * EAR / 2, np.array([-outward[1], outward[0]])
    return np.array([at + i * along + j * outward for i, j in _around([-half, half], [-half, half])])


def _grounded(ring: Array, cut: Parting) -> Array:
    """Return an ear's outline, down to the table where it would hang just over it."""
    if cut.axis == 2:
        return ring
    up = 1 if cut.axis == 0 else 0  # which of the plane's axes is z
    low = ring[:, up].min()
    if 0 < low < _GROUND:
        ring = ring.copy()
        ring[ring[:, up] < low + 1e-6, up] = 0.0
    return ring


def _placed(ring: Array, cut: Parting, over: float) -> Array:
    return np.column_stack([ring, np.full(len(ring), cut.at + over)]) @ solid.turn_of(cut.axis)


def _raised(area: solid.Region, cut: Parting, start: float, height: float) -> solid.Solid:
    """Return a region of a cut's plane raised across it, from `start` mm over the cut on."""
    made = solid.prism(area, height).translate([0.0, 0.0, cut.at + start])
    return solid.turned(made, solid.turn_of(cut.axis).T)
