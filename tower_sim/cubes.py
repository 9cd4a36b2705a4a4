"""Cubes and supplies of cubes: the things that are thrown, kept and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Cube:
    """One wooden cube: `id` is unique within a game, `colour` a word of the game, `edge` in metres."""

    id: int
    colour: str
    edge: float


def supply(counts: dict[str, int], edge: float, *, first_id: int = 0) -> tuple[Cube, ...]:
    """Make `counts[colour]` cubes of each colour, of edge `edge` (m), numbered on from `first_id`."""
    colours = [colour for colour, count in counts.items() for _ in range(count)]
    return tuple(Cube(first_id + i, colour, edge) for i, colour in enumerate(colours))


def count_by_colour(cubes: Iterable[Cube], colours: Sequence[str] = ()) -> dict[str, int]:
    """Count cubes by colour: first every colour of `colours` (zeros included), then any other present."""
    counts = dict.fromkeys(colours, 0)
    for cube in cubes:
        counts[cube.colour] = counts.get(cube.colour, 0) + 1
    return counts
