"""A kind of apparatus: how its profiles are read, and which of them ship with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Protocol

from tower_sim.apparatus.parts import Apparatus


class Maker(Protocol):
    """Makes an apparatus from the tables of a profile (`schema`, `version` and `kind` taken away)."""

    def __call__(self, tables: Mapping[str, object], name: str, profile: dict[str, Any], digest: str) -> Apparatus:
        """Make the apparatus called `name`; raises UsageError, in one line, for what makes no sense."""
        ...


@dataclass(frozen=True, slots=True)
class ApparatusKind:
    """A kind of apparatus: `name` is what its profiles say, `title` what people call it.

    `package` is the kind's own; the profiles that ship are the TOML files in its folder `profiles`.
    """

    name: str
    title: str
    package: str
    make: Maker

    def profiles(self) -> dict[str, str]:
        """Return the texts of the shipped profiles by name."""
        folder = resources.files(self.package).joinpath("profiles")
        files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
        return {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}
