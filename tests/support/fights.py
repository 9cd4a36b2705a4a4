"""Boards laid by hand, for the rules of combat."""

from typing import Any

from support.ships import BOARD, ZONES

from tower_sim.cubes import Cube
from tower_sim.games.dead_reckoning.combat import resolve
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import (
    Setup,
    Side,
)

NAMES = [zone.name for zone in ZONES]


def lie(**zones):
    """Make cubes that lie in zones, by colour: lie(violet=["one"]); a name that is no zone is taken as a place."""
    words = [(colour, name) for colour, names in zones.items() for name in names]
    places = (f"zone:{name}" if name in NAMES else name for _, name in words)
    return {Cube(i, colour, 0.008): place for i, ((colour, _), place) in enumerate(zip(words, places, strict=True))}


def fight(
    kind: Any = "ship",
    rulings: Any = None,
    violet: Any = (),
    green: Any = (),
    used: Any = (),
    active: Any = "violet",
    **sides: Any,
):
    """Resolve cubes that lie in zones; `sides` are fields of a side, as in green={...}."""
    given_sides = tuple(
        Side(colour, 1 if colour == active else 2, **sides.get(f"{colour}_side", {})) for colour in ("violet", "green")
    )
    setup = Setup(kind, given_sides, active, rulings or Rulings())
    return resolve(setup, BOARD, lie(violet=violet, green=green), used)
