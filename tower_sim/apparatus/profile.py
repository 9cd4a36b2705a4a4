"""A profile: the tables of a TOML file that describe an apparatus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tower_sim import typed
from tower_sim.apparatus.common import Parameters
from tower_sim.apparatus.parts import Surface

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as it was read: `digest` identifies its tables, and `file` is their file, if any."""

    name: str
    tables: dict[str, Any]
    digest: str
    file: Path | None = None

    @property
    def own(self) -> dict[str, Any]:
        """The kind's own tables: all fields except `schema`, `version` and `kind`."""
        return {key: table for key, table in self.tables.items() if key not in ("schema", "version", "kind")}

    def read(self, kind: type[P]) -> P:
        """Return the parameters, checked against the model `kind`."""
        return typed.read(kind, self.own)

    def shared(self, given: Parameters) -> dict[str, Any]:
        """Return the arguments of `Apparatus` that every kind takes from its parameters."""
        between = given.surfaces.cube
        return {
            "name": self.name,
            "profile": self.tables,
            "digest": self.digest,
            "file": self.file,
            "between_cubes": Surface(between.friction, between.restitution),
            "surfaces": given.surfaces.materials,
            "cube_edge": given.cubes.edge,
            "cube_density": given.cubes.density,
            "hand": given.release.hand,
        }
