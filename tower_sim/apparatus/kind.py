"""A kind of apparatus: how its profiles are read, and which profiles ship with it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.profile import Profile

Maker = Callable[[Profile], Apparatus]
"""A function that makes an apparatus from a profile. It raises UsageError, in one line, for impossible values."""


@dataclass(frozen=True, slots=True)
class ApparatusKind:
    """A kind of apparatus.

    `name` is the `kind` field of its profiles, `title` a short description for people. `package` is the kind's package
    (`__name__` in its `__init__.py`). Its shipped profiles are the TOML files in the package's folder `profiles`, if
    there is one. `make` makes an apparatus from a profile.
    """

    name: str
    title: str
    package: str
    make: Maker

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
