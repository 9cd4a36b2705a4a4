"""The tables that profiles of every kind have: cubes, surfaces, the hand; and how a profile's faults are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tower_sim.apparatus.parts import Hand, Surface
from tower_sim.errors import UsageError, shown
from tower_sim.fields import choice, number, read_table, refuse_unknown


@dataclass(frozen=True, slots=True)
class Cubes:
    """The cubes the apparatus is made for."""

    edge: float = number("mm", 2, 40)
    density: float = number("kg_m3", 100, 5000)


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """A pair of surfaces: Coulomb friction and Newton restitution."""

    friction: float = number("", 0, 2)
    restitution: float = number("", 0, 0.95)


@dataclass(frozen=True, slots=True)
class Release:
    """The hand: see `Hand`; `manner` is a `handful` at once or a `pour`, one cube every `interval`."""

    height: float = number("mm", 0, 500)
    spread: float = number("mm", 5, 400)
    speed: float = number("m_s", 0, 2)
    spin: float = number("rad_s", 0, 100)
    manner: str = choice("handful", "pour")
    interval: float = number("s", 0.01, 2)

    @property
    def hand(self) -> Hand:
        """The hand that lets go in this manner."""
        return Hand(self.height, self.spread, self.speed, self.spin, self.interval if self.manner == "pour" else 0.0)


def read_tables(tables: Mapping[str, object], known: Mapping[str, type], beside: Sequence[str]) -> dict[str, Any]:
    """Read the tables `known` (name -> its dataclass); the profile must have exactly these and those named `beside`.

    Raises UsageError for an unknown or missing table and as `read_table` does.
    """
    every = dict.fromkeys([*known, *beside])
    refuse_unknown(tables, every, "profile")
    for name in every:
        if name not in tables:
            raise UsageError(f"table [{name}] is missing; allowed are {', '.join(every)}; add it")
    return {name: read_table(cls, tables[name], name) for name, cls in known.items()}


def read_surfaces(tables: Mapping[str, object], names: Sequence[str]) -> dict[str, Surface]:
    """Read `[surfaces.NAME]`, the pair of a cube with each surface of `names`; raises UsageError as `read_tables`."""
    if not isinstance(tables["surfaces"], Mapping):
        raise UsageError(f"surfaces = {shown(tables['surfaces'])}; allowed is a table; write [surfaces.cube], ...")
    surfaces = cast("Mapping[str, object]", tables["surfaces"])
    refuse_unknown(surfaces, dict.fromkeys(names), "surfaces")
    pairs = {name: read_table(SurfaceTable, surfaces.get(name, {}), f"surfaces.{name}") for name in names}
    return {name: Surface(pair.friction, pair.restitution) for name, pair in pairs.items()}


def demand(holds: bool, message: str) -> None:
    """Raise UsageError with `message` unless it `holds`."""
    if not holds:
        raise UsageError(message)


def mm(metres: float) -> str:
    """Write a length in mm, without its unit."""
    return f"{metres * 1e3:g}"
