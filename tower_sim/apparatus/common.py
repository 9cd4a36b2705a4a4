"""The tables that profiles of every kind have: cubes, surfaces and the hand."""

from __future__ import annotations

import operator
from typing import Annotated, Literal

from pydantic import Field

from tower_sim.apparatus.parts import Hand, Surface
from tower_sim.documents import Document, number
from tower_sim.errors import UsageError


class Cubes(Document, frozen=True):
    """The cubes that the apparatus is made for."""

    edge: float = number("edge_mm", 2, 40, "The edge of a cube.")
    density: float = number("density_kg_m3", 100, 5000, "The density of a cube.")


class SurfaceTable(Document, frozen=True):
    """The contact of two materials: Coulomb friction, Newton restitution."""

    friction: float = Field(ge=0, le=2, description="The coefficient of Coulomb friction.")
    restitution: float = Field(ge=0, le=0.95, description="The coefficient of Newton restitution.")


class Surfaces(Document, frozen=True):
    """The contacts of cubes: with cubes, and with each material."""

    cube: SurfaceTable

    @property
    def materials(self) -> dict[str, Surface]:
        """The contact with each material, by name."""
        return {name: Surface(pair.friction, pair.restitution) for name, pair in self if name != "cube"}


class Release(Document, frozen=True):
    """The hand; see `Hand`."""

    height: float = number("height_mm", 0, 500, "The lowest cube starts so high over the rim.")
    spread: float = number("spread_mm", 5, 400, "All cubes start in a circle of this diameter.")
    speed: float = number("speed_m_s", 0, 2, "The standard deviation of each component of a cube's own velocity.")
    spin: float = number("spin_rad_s", 0, 100, "The standard deviation of each component of a cube's spin.")
    rate: float | None = number(
        "rate_per_s", 1, 1000, "The hand pours so many cubes a second. Left out, it lets all go at once.", None
    )
    fall: float = number("fall_m_s", 0, 5, "All cubes move down at this speed when they are let go.", 0)

    @property
    def hand(self) -> Hand:
        """The hand with these parameters."""
        return Hand(self.height, self.spread, self.speed, self.spin, self.rate, self.fall)


Emerged = Annotated[
    Literal["cleared", "swept"],
    Field(
        description="When cubes that have come out are taken away. `cleared`: when all cubes are at rest, as players "
        "do, until no more come. `swept`: as they pass the inner face of the wall, which is faster."
    ),
]


class Parameters(Document, frozen=True):
    """The tables that every profile has; a kind adds its own."""

    cubes: Cubes
    surfaces: Surfaces
    release: Release
    accuracy: Literal["fast", "standard", "fine"] = Field(
        "standard", description="How finely the core computes, if the caller names no accuracy."
    )


def demand(holds: bool, message: str) -> None:
    """Raise UsageError with `message` unless `holds` is true."""
    if not holds:
        raise UsageError(message)


_COMPARISONS = {"at least": operator.ge, "more than": operator.gt, "at most": operator.le, "less than": operator.lt}


def demand_length(key: str, length: float, allowed: str, limit: float, advice: str, margin: float = 0.0) -> None:
    """Raise UsageError unless a length (m) is `allowed`, for example "at least {}, one cube".

    {} stands for `limit` + `margin` (m).
    """
    holds = next(compare for words, compare in _COMPARISONS.items() if allowed.startswith(words))
    message = f"{key}_mm is {mm(length)}; allowed is {allowed.format(mm(limit + margin))}; {advice}"
    demand(holds(length - margin, limit), message)


def mm(metres: float) -> str:
    """Return a length in mm, without the unit."""
    return f"{metres * 1e3:g}"
