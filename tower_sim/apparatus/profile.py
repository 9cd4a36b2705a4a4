"""A profile: the tables of a TOML file from which a kind makes an apparatus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.common import Cubes, Release, read_surfaces, read_tables


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as it was read: the apparatus's `name`, all of its `tables`, the `digest` of them, and its file."""

    name: str
    tables: dict[str, Any]
    digest: str
    file: Path | None = None

    @property
    def own(self) -> dict[str, Any]:
        """The tables of the kind: without `schema`, `version` and `kind`."""
        return {key: table for key, table in self.tables.items() if key not in ("schema", "version", "kind")}

    def read(
        self, parts: Mapping[str, type], surfaces: Sequence[str], beside: Sequence[str] = ()
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Read the tables `parts` (name -> its dataclass), and what every profile has: cubes, release and surfaces.

        `surfaces` are the names of the materials, beside `cube`. Returns the parts by name (`cubes` and `release` among
        them) and the arguments of `Apparatus` that follow from what every profile has. The profile must have exactly
        these tables and those named `beside`, which are not read. Raises UsageError, in one line, for any other.
        """
        read = read_tables(self.own, {"cubes": Cubes, **parts, "release": Release}, ["surfaces", *beside])
        pairs = read_surfaces(self.own, ("cube", *surfaces))
        cubes, release = cast("Cubes", read["cubes"]), cast("Release", read["release"])
        return read, {
            "name": self.name,
            "profile": self.tables,
            "digest": self.digest,
            "file": self.file,
            "between_cubes": pairs.pop("cube"),
            "surfaces": pairs,
            "cube_edge": cubes.edge,
            "cube_density": cubes.density,
            "hand": release.hand,
        }
