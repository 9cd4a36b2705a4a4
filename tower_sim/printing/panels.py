"""A tower as flat panels to cut out of card or wood, with fingers where two meet squarely.

A panel keeps the face that cubes meet: a wall its inner one, a floor or ramp its upper one. Where two panels are square
to each other they interlock: at a corner in turn, in the middle of one by tabs through slots, where both go on by laps.
What meets a leaning panel, as those of a funnel, is cut straight; inner edges meet, and are glued.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError
from tower_sim.printing import solid
from tower_sim.printing.convex import remade
from tower_sim.printing.mesh import Array
from tower_sim.printing.walls import Piece, pieces, thinned

_SQUARE = 1e-6
_LEAST = 0.5  # mm^2: what is smaller is no panel
_OVER = 1e-2  # mm^3: what is less is no overlap
_FAR = 1e5
_CLOSED = 0.02  # mm: a crack narrower than twice that is none


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A panel: its `region` in its own plane, whose axes are the first two columns of `frame` (3, 3), from `origin` on.

    It is `thick` mm thick along the third, away from the cubes. `number` is written on it. Walls of a funnel lean.
    """

    number: int
    part: str
    frame: Array
    origin: Array
    thick: float
    region: solid.Region
    is_leaning: bool = False

    @property
    def normal(self) -> Array:
        """Away from the cubes, across it."""
        return self.frame[:, 2]

    @property
    def solid(self) -> solid.Solid:
        """The panel where it stands."""
        return solid.turned(solid.prism(self.region, self.thick), self.frame, self.origin)

    def section(self, other: solid.Solid) -> solid.Region:
        """Return what of a solid lies in the middle of this panel's thickness, in its plane."""
        turned = solid.turned(other, self.frame.T, -self.frame.T @ self.origin)
        return turned.slice(self.thick / 2)

    def without(self, other: solid.Solid) -> Panel:
        """Return the panel cut out, all through its thickness, wherever a solid is in it."""
        common = self.solid ^ other
        shadow = solid.turned(common, self.frame.T, -self.frame.T @ self.origin).project()
        return replace(self, region=self.region - solid.grown(shadow, _CLOSED / 2))

    def clipped(self, normal: Array, offset: float, *, far_too: bool) -> Panel:
        """Return what has normal . x <= offset, at the kept face; where `far_too`, at the far one as well."""
        line = self.frame.T @ normal
        room = offset - float(normal @ self.origin) - (max(0.0, float(line[2])) * self.thick if far_too else 0.0)
        size = float(np.linalg.norm(line[:2]))
        if size < _SQUARE:
            return self
        along = np.array([-line[1], line[0]]) / size
        end = line[:2] * room / size**2
        half = [end + _FAR * along, end - _FAR * along]
        ring = np.array([*half, half[1] - _FAR * line[:2] / size, half[0] - _FAR * line[:2] / size])
        return replace(self, region=self.region ^ solid.region([ring if solid.area_of(ring) > 0 else ring[::-1]]))


def panels(apparatus: Apparatus, thick: float) -> list[Panel]:
    """Return the panels of a tower, `thick` mm each, with their fingers, numbered from 1 on.

    Raises UsageError for an apparatus that is not made of flat panels, and where the extra `print` is missing.
    """
    solid.need()
    if apparatus.hulls or apparatus.board is not None:
        raise UsageError(
            f"apparatus {apparatus.name!r} is not made of flat panels alone; allowed is a tower of boxes; take --to stl"
        )
    found = [thinned(piece, thick) for piece in pieces(apparatus, None)]
    for part in dict.fromkeys(piece.part for piece in found):
        around = [p for p in found if p.part == part and p.is_wall]
        if len(around) > 4 or any(not p.is_upright and abs(float(p.turn[2, 2])) > 1 - 1e-9 for p in around):
            raise UsageError(
                f"part {part!r} has {len(around)} walls around a corner that is not square; allowed with --to svg are "
                "square tubes and funnels; take --to stl"
            )
    flat = _grouped([_panel(_to_the_floor(piece, found, thick), _across(piece, found), thick) for piece in found])
    flat = [_trimmed(panel, found, thick) for panel in flat]
    flat = [panel for panel in flat if panel.region.area() > _LEAST]
    return _numbered(_fingered(flat))


def built(apparatus: Apparatus, flat: Sequence[Panel]) -> Apparatus:
    """Return the apparatus made of its panels put together, as convex hulls, for the engine core.

    What the panels are thicker, and the exit shallower, than is simulated else, is so here. Raises UsageError as
    `remade` does.
    """
    surface = {box.part: box.surface for box in apparatus.boxes}
    return remade(apparatus, [(solid.to_mesh(panel.solid), panel.part, surface[panel.part]) for panel in flat])[0]


def _to_the_floor(piece: Piece, found: Sequence[Piece], thick: float) -> Piece:
    """Return a wall that stands on the table made longer, so that it goes as deep as the floor beside it."""
    low = float(piece.corners[:, 2].min())
    floors = [p for p in found if p.is_upright and p.axis == 2 and not p.is_wall]
    lowest = min((float(p.corners[:, 2].max()) - thick for p in floors), default=0.0)
    if not piece.is_upright or piece.axis == 2 or abs(low) > 0.01 or lowest >= 0:
        return piece
    up = int(np.argmax(np.abs(piece.turn[2])))
    half = piece.half.copy()
    half[up] -= lowest / 2
    return replace(piece, half=half, centre=piece.centre + np.array([0.0, 0.0, lowest / 2]))


def _across(piece: Piece, found: Sequence[Piece]) -> int:
    """Return the axis across a piece: its shortest, or that of its floor where it is a bar narrower than thick."""
    own = [other for other in found if other.part == piece.part and not other.is_wall]
    if piece.is_wall:
        return piece.axis
    largest = max(own, key=lambda other: float(np.prod(other.half)))
    is_as_thick = abs(float(piece.half[largest.axis] - largest.half[largest.axis])) < 1e-3
    return largest.axis if is_as_thick else piece.axis


def _panel(piece: Piece, axis: int, thick: float) -> Panel:
    """Return a piece as a panel; raises UsageError for what is no sheet, such as a pillar."""
    order = np.sort(piece.half)
    if axis == piece.axis and order[0] > 4.0 and order[1] < 1.2 * order[0]:
        raise UsageError(
            f"part {piece.part!r} is a post of {2 * order[0]:.3g} x {2 * order[1]:.3g} mm; allowed are flat panels; "
            "print this tower, or leave the post out"
        )
    across = piece.turn[:, axis]
    if piece.is_wall:
        normal = piece.outward
    else:
        normal = -across if across[2] > 1e-9 or (abs(across[2]) <= 1e-9 and across.sum() > 0) else across
    is_level = abs(float(normal[2])) > 1e-9
    u = piece.turn[:, (axis + 1) % 3]
    v = np.cross(normal, u)
    kept = piece.centre - normal * piece.half[axis]
    if not piece.is_wall and not is_level:
        kept = piece.centre - normal * thick / 2  # it stands upright, with cubes on both sides
    a, b = piece.half[(axis + 1) % 3], piece.half[(axis + 2) % 3]
    region = solid.region([np.array([(-a, -b), (a, -b), (a, b), (-a, b)])])
    is_leaning = piece.is_wall and not piece.is_upright
    return Panel(0, piece.part, np.stack([u, v, normal], axis=1), kept, thick, region, is_leaning)


def _grouped(flat: Sequence[Panel]) -> list[Panel]:
    """Join the panels of one part that lie in one plane."""
    made: list[Panel] = []
    for panel in flat:
        for k, other in enumerate(made):
            is_same = other.part == panel.part and float(other.normal @ panel.normal) > 1 - _SQUARE
            if is_same and abs(float(other.normal @ (panel.origin - other.origin))) < 0.01:
                moved = other.section(panel.solid)
                made[k] = replace(other, region=solid.joined([other.region, moved]))
                break
        else:
            made.append(panel)
    return made


def _trimmed(panel: Panel, found: Sequence[Piece], thick: float) -> Panel:
    """Return a panel that ends where walls do: at the outer face of one square to it, else at the inner one."""
    middle = solid.middle(panel.solid)
    own = [piece for piece in found if piece.part == panel.part and piece.is_wall]
    for wall in (piece for piece in found if piece.is_wall):
        is_square = abs(float(wall.outward @ panel.normal)) < _SQUARE
        if float(wall.outward @ middle) >= wall.inner - 0.01:
            continue
        if wall in own:
            panel = panel.clipped(wall.outward, wall.inner + (thick if is_square else 0.0), far_too=not is_square)
        elif not own and _faces(wall, panel):
            panel = panel.clipped(wall.outward, wall.inner, far_too=True)
    if abs(float(panel.normal[2])) in (0.0, 1.0) or not np.abs(panel.normal).max() < 1 - _SQUARE:
        return panel
    walls = [piece for piece in own if abs(float(piece.outward @ panel.normal) - 1) < _SQUARE]
    floors = [piece for piece in found if piece.is_upright and piece.axis == 2 and not piece.is_wall]
    low = min((_foot(wall) for wall in walls), default=min((float(p.corners[:, 2].max()) for p in floors), default=0.0))
    return panel.clipped(np.array([0.0, 0.0, -1.0]), -low, far_too=True)


def _foot(wall: Piece) -> float:
    """Return the height of the lower edge of a wall's inner face."""
    return float(wall.corners[wall.corners @ wall.outward < wall.inner + 1e-6, 2].min())


def _faces(wall: Piece, panel: Panel) -> bool:
    """Tell whether a panel within a wall's part reaches that wall."""
    return (panel.solid ^ wall.slab(0.0, wall.full + 30.0)).volume() > _OVER


def _fingered(flat: Sequence[Panel]) -> list[Panel]:
    """Return panels with fingers, tabs, slots and laps where two meet squarely."""
    solids = [panel.solid for panel in flat]
    whole = list(solids)
    taken: list[list[solid.Solid]] = [[] for _ in flat]
    for i, j in combinations(range(len(flat)), 2):
        one, other = flat[i], flat[j]
        if one.is_leaning or other.is_leaning or abs(float(one.normal @ other.normal)) > _SQUARE:
            continue
        longer = _longer(one, other), _longer(other, one)
        both = longer[0] ^ longer[1]
        if not solid.near(longer[0], longer[1]) or both.volume() < _OVER:
            continue
        whole[i], whole[j] = whole[i] + (longer[0] ^ both), whole[j] + (longer[1] ^ both)
        for common in both.decompose():
            for owner, finger in _fingers(common, one, other, longer):
                taken[(j, i)[owner]].append(finger)
    made = [solid.union([body]) - solid.union(cut) if cut else body for body, cut in zip(whole, taken, strict=True)]
    regions = [
        solid.grown(solid.grown(panel.section(body), _CLOSED), -_CLOSED) for panel, body in zip(flat, made, strict=True)
    ]
    done = [replace(panel, region=region) for panel, region in zip(flat, regions, strict=True)]
    for i, j in combinations(range(len(flat)), 2):
        if solid.near(done[i].solid, done[j].solid) and (done[i].solid ^ done[j].solid).volume() > _OVER:
            done[j] = done[j].without(done[i].solid)  # three meet in a corner
    return done


def _longer(panel: Panel, other: Panel) -> solid.Solid:
    """Return a panel as a solid, made longer into another one square to it, where it touches that."""
    across = panel.frame[:, :2].T @ other.normal * other.thick
    shifted = [panel.region.translate((step * across).tolist()) for step in (-1.0, -0.5, 0.5, 1.0)]
    more = solid.joined(shifted) ^ panel.section(other.solid)
    return replace(panel, region=solid.joined([panel.region, more])).solid


def _fingers(
    common: solid.Solid, one: Panel, other: Panel, longer: tuple[solid.Solid, solid.Solid]
) -> Iterator[tuple[int, solid.Solid]]:
    """Divide where two panels overlap: yield whose a piece is (0: the first panel's, 1: the other's), and the piece."""
    along = np.cross(one.normal, other.normal)
    places = solid.raw_mesh(common).vertices @ along
    low, high = float(places.min()), float(places.max())
    length, thick = high - low, one.thick
    at = solid.middle(common)
    goes_on = [_goes_on(body, at, panel.normal, thick) for body, panel in ((longer[0], other), (longer[1], one))]
    number = 2 * int((length / (4 * thick) - 1) / 2) + 1 if length >= 12 * thick else 3 if length >= 6 * thick else 1
    if all(goes_on):
        owners = [0, 1]
    elif goes_on[1]:  # tabs of the first through slots in the other
        owners = [1, *[0, 1] * (number // 2)] if number > 1 else [0]
    elif goes_on[0]:
        owners = [0, *[1, 0] * (number // 2)] if number > 1 else [1]
    else:
        owners = [0, *[1, 0] * (number // 2)]
    ends = np.linspace(low, high, len(owners) + 1)
    for k, owner in enumerate(owners):
        rest = solid.halves(common, along, float(ends[k]))[0] if k else common
        yield owner, solid.halves(rest, along, float(ends[k + 1]))[1] if k < len(owners) - 1 else rest


def _goes_on(body: solid.Solid, at: Array, normal: Array, thick: float) -> bool:
    """Tell whether a panel goes on, on both sides, past another one of this normal at a place."""
    small = np.full(3, 0.05 * thick)
    return all(
        (body ^ solid.box(at + side * normal * 0.8 * thick, small)).volume() > 0.5 * 8 * float(np.prod(small))
        for side in (-1.0, 1.0)
    )


def _numbered(flat: Sequence[Panel]) -> list[Panel]:
    """Number the panels from the lowest to the highest; what falls apart is several."""
    pieces_of = [replace(panel, region=piece) for panel in flat for piece in panel.region.decompose()]
    kept = [panel for panel in pieces_of if panel.region.area() > _LEAST]
    order = sorted(kept, key=lambda p: (tuple(solid.bounds(p.solid)[0][::-1].round(2)), p.part))
    return [replace(panel, number=k) for k, panel in enumerate(order, 1)]
