"""A kind of apparatus: how its profiles are read, and which profiles ship with it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.profile import Profile
from tower_sim.errors import fault
from tower_sim.tools.reading import read_bytes

Maker = Callable[[Profile], Apparatus]
"""A function that makes an apparatus from a profile. It raises UsageError, in one line, for impossible values."""


@dataclass(frozen=True, slots=True)
class ApparatusKind:
    """A kind of apparatus.

    `name` is the `kind` field of its profiles. `package` is its `__name__`; shipped profiles are the TOML files in the
    package's folder `profiles`. `make` makes an apparatus from a profile. `attach` returns a profile's tables with what
    it names in other files, as `data` of a table that also has its `digest`.
    """

    name: str
    title: str
    package: str
    make: Maker
    attach: Callable[[dict[str, Any], Path | None], dict[str, Any]] = lambda tables, file: tables

    def profiles(self) -> dict[str, str]:
        """Return the texts of the kind's shipped profiles by name."""
        spec = importlib.util.find_spec(self.package)
        if spec is None or spec.submodule_search_locations is None:  # a module has no folder of its own
            return {}
        folder = resources.files(self.package).joinpath("profiles")
        if not folder.is_dir():
            return {}
        files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
        return {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}


def beside(package: str, file: Path | None, name: str, what: str, most: int) -> bytes:
    """Return the bytes of the file called `name` beside a profile's `file`, or beside the package's own profiles."""
    if Path(name).name != name:
        raise fault(what, name, "the name of a file beside the profile, without a folder", "put it there")
    if file is not None:
        return read_bytes(file.parent / name, what, limit=most, advice="put it beside the profile")
    own = resources.files(package).joinpath("profiles").joinpath(name)
    if not own.is_file():
        raise fault(what, name, "one beside the profile's file", "load the profile from its file")
    return own.read_bytes()
