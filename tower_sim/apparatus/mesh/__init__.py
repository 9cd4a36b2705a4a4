"""A tower from the file that people print: its surface as prisms, its inside as outlines."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus import where
from tower_sim.apparatus.dimensions import Dimensions
from tower_sim.apparatus.kind import ApparatusKind, Profile
from tower_sim.apparatus.mesh import solids
from tower_sim.apparatus.mesh.profile import MeshTable, boxes, check, dimensions, measure_sides
from tower_sim.apparatus.parts import Apparatus, Region, table
from tower_sim.errors import UsageError, fault
from tower_sim.tools import read_bytes

MOST_BYTES = 20_000_000  # of a file of solids


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshTower(Apparatus):
    """A tower from a mesh."""

    given: MeshTable

    @property
    def rule(self) -> tuple[float, ...]:
        """The numbers (m) of where.py."""
        given, front = self.given, self.given.exit.side == "front"
        tray = (x * 1e-3 for pair in (given.tray.x_mm, given.tray.y_mm) for x in pair)
        # over the rim the mouth's outline counts, below it those of the layers
        outlines = [measure_sides(layer.outline_mm) for layer in (given.mouth, *given.inside)]
        bottoms = [given.mouth.height, *(layer.bottom for layer in given.inside)]
        begins = where.MESH_BOUNDS + len(self.regions) + 3 * len(outlines)
        heads: list[float] = []
        for bottom, outline in zip(bottoms, outlines, strict=True):
            heads += [bottom, begins, len(outline)]
            begins += 3 * len(outline)
        return (
            *(where.MESH, given.mouth.height - 2 * self.cube_edge, given.exit.top, 0.0 if front else -10.0),
            *(given.exit.wall, *tray, len(self.regions), len(outlines)),
            *(region.above for region in self.regions),
            *heads,
            *(x for outline in outlines for side in outline for x in side),
        )

    def dimensions(self) -> Dimensions:
        """Return what is drawn besides the solids."""
        return dimensions(self.given, self.solids)


def make(profile: Profile) -> MeshTower:
    """Make the tower that a profile and its solids describe."""
    given = profile.read(MeshTable)
    check(given)
    text = given.solids.data
    if solids.read_digest(text) != given.solids_digest:
        raise UsageError(
            "source, boxes or cubes.edge_mm were changed after the import; allowed are those that the solids were made "
            f"for; try: tower-sim tower import {profile.name}.toml -o {profile.name}.toml --force"
        )
    cuboids, hulls = solids.read(text, given.parts)
    bottoms = {layer.name: layer.bottom for layer in given.inside}  # of each name the lowest, in the order of the first
    return MeshTower(
        **profile.shared(given),
        boxes=(*cuboids, *boxes(given), table("table")),
        hulls=hulls,
        given=given,
        swept=given.exit.emerged == "swept",
        regions=tuple(Region(name, bottom) for name, bottom in bottoms.items()),
        rim_top=given.mouth.height,
        passed=given.exit.passed,
    )


def attach(tables: dict[str, Any], file: Path | None) -> dict[str, Any]:
    """Return a profile's tables with the text of its solids."""
    table: Any = tables.get("solids")
    if not isinstance(table, dict) or "data" in table or not isinstance(cast("Any", table).get("file"), str):
        return tables  # the profile's check says what is wrong
    table = cast("dict[str, Any]", table)
    name, what, package = table["file"], "file of solids", resources.files(__name__).joinpath("profiles")
    if Path(name).name != name:
        raise fault(what, name, "the name of a file beside the profile, without a folder", "put it there")
    if file is not None:
        data = read_bytes(file.parent / name, what, limit=MOST_BYTES, advice="put it beside the profile")
    elif (package / name).is_file():
        data = (package / name).read_bytes()
    else:
        raise fault(what, name, "one beside the profile's file", "load the profile from its file")
    if hashlib.sha256(data).hexdigest()[:16] != table.get("digest"):
        raise UsageError(
            f"solids.file {name!r} is not the one that the profile was written with; allowed is the one of "
            "solids.digest; import the mesh again with tower-sim tower import"
        )
    return {**tables, "solids": {**table, "data": data.decode("utf-8")}}


KIND = ApparatusKind("mesh_tower", "a tower from a file that people print", __name__, make, attach)
