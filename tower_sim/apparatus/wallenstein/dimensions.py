"""The dimensions of a Wallenstein-like tower, for its drawing."""

from __future__ import annotations

import math

from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import Cut, Dimensions, Label, Part, Section, Width, flare
from tower_sim.apparatus.tower_dimensions import parts, plan, section
from tower_sim.apparatus.tower_parts import WALL
from tower_sim.apparatus.wallenstein.profile import Given


def dimensions(given: Given) -> Dimensions:
    """Return what is drawn besides the boxes."""
    return Dimensions(
        _parts(given),
        (_section(given),),
        tuple(
            plan(name, floor, floor.cut(given.tube.inside)[0], given, -given.half, ["pillar"])
            for name, floor in given.floors.items()
        ),
        cuts=(Cut(((0.0, -1.0, 0.0), 0.0), ("tube", "funnel")),),
        labels=(Label("exit", (given.half + WALL, 0.0, (given.ramp_height(given.half) + given.exit_top) / 2)),),
        note="near half of tube and funnel cut away",
    )


def _parts(given: Given) -> dict[str, Part]:
    sides = given.tube.sides
    around = [(2 * math.pi * i / sides, given.half) for i in range(sides)]
    closed = [side for i, side in enumerate(around) if min(i, sides - i) > given.exit.walls // 2]  # no exit there
    of_all = parts(given, around, flare(around, 0.0, 1.0, 0.0), flare(closed, 0.0, 1.0, 0.0))
    return of_all | {"pillar": Part("pillar", 0.8, -1), "wing": Part("wings")}


def _section(given: Given) -> Section:
    pillar, tube = given.pillar.width, "inside" if given.tube.sides == 4 else f"of {given.tube.sides} sides, inside"
    widths = [Width(f"pillar {mm(pillar)}", -pillar / 2, pillar / 2)] if pillar else []
    return section(given, tube=tube, widths=widths)
