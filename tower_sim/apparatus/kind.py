"""A kind of apparatus, and a profile: the tables of a TOML file that describe one of that kind."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from tower_sim import typed
from tower_sim.apparatus.common import Parameters
from tower_sim.apparatus.parts import Apparatus, Surface

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile: `digest` identifies its tables, `file` is their file, if any."""

    name: str
    tables: dict[str, Any]
    digest: str
    file: Path | None = None

    @property
    def own(self) -> dict[str, Any]:
        """The kind's own tables."""
        return {key: table for key, table in self.tables.items() if key not in ("schema", "version", "kind")}

    def read(self, kind: type[P]) -> P:
        """Return the parameters, checked against the model `kind`."""
        return typed.read(kind, self.own)

    def shared(self, given: Parameters) -> dict[str, Any]:
        """Return the arguments of `Apparatus` that every kind takes."""
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


Maker = Callable[[Profile], Apparatus]
"""A function that makes an apparatus from a profile. It raises UsageError, in one line, for impossible values."""


@dataclass(frozen=True, slots=True)
class ApparatusKind:
    """A kind of apparatus.

    `name` is the `kind` of its profiles. `package` is its `__name__`; its folder `profiles` has the shipped TOML files.
    `attach` returns a profile's tables with what it names in other files, as `data` of a table with its `digest`.
    """

    name: str
    title: str
    package: str
    make: Maker
    attach: Callable[[dict[str, Any], Path | None], dict[str, Any]] = lambda tables, file: tables

    def profiles(self) -> dict[str, str]:
        """Return the texts of the shipped profiles by name."""
        spec = importlib.util.find_spec(self.package)
        if spec is None or spec.submodule_search_locations is None:  # a module has no folder of its own
            return {}
        folder = resources.files(self.package).joinpath("profiles")
        if not folder.is_dir():
            return {}
        files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
        return {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}
