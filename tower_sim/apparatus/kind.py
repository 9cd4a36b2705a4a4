"""What a kind of apparatus is, and what the apparatus it makes are: a tower, or a ship with a board beside it."""

from __future__ import annotations

import importlib.util
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.board import Board
from tower_sim.apparatus.common import Parameters
from tower_sim.apparatus.parts import HALF_TABLE, Apparatus, Surface, as_apparatus
from tower_sim.apparatus.shapes import reach
from tower_sim.documents import typed
from tower_sim.errors import UsageError
from tower_sim.values import INSIDE, LOST, TRAY, Place

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
            "accuracy": given.accuracy,
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


Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower(Apparatus):
    """A tower of any shape; a kind defines which cubes are `within` and which have `emerged`. Centres are in m."""

    @abstractmethod
    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is inside, or over the opening at the top, shape (n,)."""

    def outside(self, position: Array) -> list[str]:
        """Return the place of each cube that has emerged; by default the tray."""
        return [TRAY] * len(position)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is in a wall, under the table, or off it (nan included), shape (n,)."""
        allowed = self.within(position) | self.emerged(position) | self.missed(position)
        on_table = (np.abs(position[:, :2]).max(axis=1, initial=0.0) < HALF_TABLE) & (position[:, 2] >= 0)
        return ~(allowed & on_table & ~np.isnan(position).any(axis=1))

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube: `inside:REGION`, `doorway`, `tray`, `table` or `lost`."""
        top = position[:, 2] + reach(orientation, self.cube_edge)[:, 2]
        out, outside = self.emerged(position), self.outside(position)
        lost = self.escaped(position) | self.missed(position)
        places: list[Place] = []
        for i in range(len(position)):
            if lost[i]:
                places.append(Place(LOST))
            elif out[i]:
                places.append(Place(outside[i]))
            else:
                region = next((region for region in self.regions if top[i] > region.above), self.regions[-1])
                places.append(Place(INSIDE + region.name))
        return places


@dataclass(frozen=True, slots=True, kw_only=True)
class WithBoard(Apparatus):
    """An apparatus that cubes fall through, onto its `board`, where they stay until the game removes them."""

    board: Board  # pyright: ignore[reportGeneralTypeIssues]  # keyword only: it needs no default


def with_board(apparatus: object) -> WithBoard:
    """Return the apparatus; raise UsageError unless it has a board."""
    apparatus = as_apparatus(apparatus)
    if not isinstance(apparatus, WithBoard):
        raise UsageError(f"apparatus {apparatus.name!r} has no board; allowed is one with a board, such as a ship")
    return apparatus
