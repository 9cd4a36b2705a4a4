"""A tower in printed parts: made of an apparatus, checked, and told in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, fault
from tower_sim.printing import cuts, joints, solid
from tower_sim.printing.cuts import Bed
from tower_sim.printing.joints import CLEARANCE, EAR, Joint
from tower_sim.printing.mesh import Array, Mesh, faults
from tower_sim.printing.walls import LEAST_WALL, MOST_WALL, WALL, Piece, pieces, whole

BED = Bed(180.0, 180.0, 180.0)
LEAST_BED, MOST_BED = 60.0, 1000.0
MOST_CLEARANCE = 1.0
_NOTHING = 1e-3  # mm^3
_PLAIN = ("tube", "tray", "rib", "wing", "pillar", "hull", "mast", "bulkhead")  # what no part is best known by


@dataclass(frozen=True, slots=True)
class PrintChoice:
    """What is chosen of a print, in mm: the thickness of walls, the print `bed`, the gap around a peg."""

    wall: float = WALL
    bed: Bed = BED
    clearance: float = CLEARANCE

    def __post_init__(self) -> None:
        """Refuse, with UsageError in one line, what no printer can make."""
        if not LEAST_WALL <= self.wall <= MOST_WALL:
            raise fault("wall", f"{self.wall:g} mm", f"{LEAST_WALL:g} to {MOST_WALL:g} mm", "choose a thickness")
        if not 0.0 <= self.clearance <= MOST_CLEARANCE:
            raise fault("clearance", f"{self.clearance:g} mm", f"0 to {MOST_CLEARANCE:g} mm", "0.2 mm suits most")
        if not all(LEAST_BED <= side <= MOST_BED for side in (self.bed.width, self.bed.depth, self.bed.height)):
            raise fault(
                "print bed", str(self.bed), f"{LEAST_BED:g} to {MOST_BED:g} mm a side", "measure your printer's"
            )


@dataclass(frozen=True, slots=True, eq=False)
class PrintedPart:
    """A part to print: its number from 1 on, a name, its surface where it stands in the tower, and what it is made of.

    `surface` is the surface, by its name in the profile, of the boxes that most of it is.
    """

    number: int
    name: str
    mesh: Mesh
    surface: str

    @property
    def title(self) -> str:
        """Number and name, as files are called."""
        return f"{self.number}-{self.name}"

    @property
    def size(self) -> Array:
        """How long it is along x, y and z (mm)."""
        low, high = self.mesh.bounds
        return high - low


@dataclass(frozen=True, slots=True, eq=False)
class TowerInParts:
    """A tower in parts; `tower` is what they make, `joints` hold them, `notes` say what a maker should know."""

    apparatus: Apparatus
    choice: PrintChoice
    tower: solid.Solid
    bare: tuple[solid.Solid, ...]
    parts: tuple[PrintedPart, ...]
    joints: tuple[Joint, ...]
    notes: tuple[str, ...]


def make(apparatus: Apparatus, choice: PrintChoice | None = None) -> TowerInParts:
    """Make the parts of an apparatus.

    Raises UsageError, in one line, where the extra `print` is not installed, where the print bed is too small, and for
    an apparatus of which no watertight parts can be made.
    """
    choice = choice or PrintChoice()
    solid.need()
    found = pieces(apparatus, choice.wall)
    tower = whole(apparatus, choice.wall)
    bare, made, held = _fitting(apparatus, found, tower, choice)
    parts = tuple(_named(made, found))
    for part in parts:
        if wrong := faults(part.mesh):
            raise UsageError(
                f"part {part.title} of {apparatus.name} is not watertight: {'; '.join(wrong)}; allowed are boxes whose "
                "union is a solid; change the profile a little, or the wall"
            )
    return TowerInParts(apparatus, choice, tower, tuple(bare), parts, tuple(held), tuple(_notes(parts, held, found)))


def _fitting(
    apparatus: Apparatus, found: Sequence[Piece], tower: solid.Solid, choice: PrintChoice
) -> tuple[list[solid.Solid], list[solid.Solid], list[Joint]]:
    """Cut so that parts with their ears fit the bed; what leaves one without a joint is not cut if it can be spared."""
    at = cuts.heights(apparatus, found)
    spare = 0.0
    while True:
        bare, planes = cuts.parts(tower, at, choice.bed, spare)
        made, held = joints.joined(apparatus, bare, planes, found, choice.clearance)
        joined = {k for joint in held for k in (joint.low, joint.high)}
        loose = [solid.bounds(part) for k, part in enumerate(bare) if k not in joined]
        spared = [height for height in at if not any(low[2] - 0.01 < height < high[2] + 0.01 for low, high in loose)]
        if len(bare) > 1 and len(spared) < len(at):
            at = spared
        elif not spare and not all(choice.bed.fits(np.subtract(*solid.bounds(part)[::-1])) for part in made):
            spare = EAR + 0.5
        else:
            return bare, made, held


def _named(made: Sequence[solid.Solid], found: Sequence[Piece]) -> list[PrintedPart]:
    """Name each part after the floor, ramp or funnel that it holds, else after the boxes that most of it is."""
    parts: list[PrintedPart] = []
    told = Counter[str]()
    solids = [piece.solid() for piece in found]
    for number, part in enumerate(made, 1):
        shares = Counter[tuple[str, str]]()
        for piece, own in zip(found, solids, strict=True):
            shares[piece.part, piece.surface] += (own ^ part).volume() if solid.near(own, part) else 0
        order = [key for key, _ in shares.most_common()]
        own = [key for key in order if key[0] not in _PLAIN and shares[key] > 0.6 * _volume(found, key[0])]
        (name, _), surface = (own or order)[0], order[0][1]
        told[name] += 1
        suffix = f"-{told[name]}" if told[name] > 1 else ""
        parts.append(
            PrintedPart(number, name.replace("_", "-") + suffix, _without_sheets(solid.to_mesh(part)), surface)
        )
    return parts


def _without_sheets(mesh: Mesh) -> Mesh:
    """Return a mesh without what hangs on it as thin as nothing, where that leaves it watertight."""
    found = solid.from_mesh(mesh).decompose()
    thick = [piece for piece in found if piece.volume() > _NOTHING]
    if len(thick) == len(found):
        return mesh
    left = solid.to_mesh(solid.union(thick))
    return mesh if faults(left) else left


def _volume(found: Sequence[Piece], part: str) -> float:
    return sum(8 * float(np.prod(piece.half)) for piece in found if piece.part == part)


def _notes(parts: Sequence[PrintedPart], held: Sequence[Joint], found: Sequence[Piece]) -> list[str]:
    """Say what a maker should know."""
    joined = {k for joint in held for k in (joint.low, joint.high)}
    notes = [
        f"part {part.title} has no peg: glue it" for k, part in enumerate(parts) if len(parts) > 1 and k not in joined
    ]
    if any(not piece.is_upright and not piece.is_wall and "floor" in piece.part for piece in found):
        notes.append("the bars of a floor slope: they need supports")
    steep = [piece for piece in found if piece.is_wall and -float(piece.outward[2]) > np.sin(np.pi / 4)]
    if steep:
        notes.append(f"the {steep[0].part} leans outwards by more than 45 degrees: it needs supports")
    return notes
