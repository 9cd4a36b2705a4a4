"""Cubes and supplies of cubes: the things that are thrown, kept and counted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import cast

from tower_sim.errors import (
    UsageError,
    check_kind,
    check_number,
    check_table,
    check_whole,
    fault,
    prints,
    quote,
    word_list,
)

MAX_OF_A_COLOUR = 100_000
COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white", "purple")  # the colours of our games
EDGES = (1e-4, 1.0)  # m: the smallest and the largest edge of a cube
MAX_CUBES = 500  # in a game, or inside and thrown in one drop: a tower is full long before, and a drop takes minutes


@dataclass(frozen=True, slots=True, order=True)
class Cube:
    """One wooden cube; cubes sort by number.

    Args:
        id: Its number, unique within a game.
        colour: A word of characters that print.
        edge: Its edge (m).

    >>> Cube(3, "blue", 0.009)
    Cube(id=3, colour='blue', edge=0.009)
    """

    id: int
    colour: str
    edge: float


_KEY = attrgetter(*(each.name for each in fields(Cube)))


def in_order(cubes: Iterable[Cube]) -> list[Cube]:
    """Return cubes sorted by number, faster than `sorted`."""
    return sorted(cubes, key=_KEY)


def parse_counts(text: str, what: str, equals: str = "=") -> dict[str, int]:
    """Return the counts by colour in a text such as `blue=4,red=2`; errors call the text `what`.

    `equals` is the sign between a colour and its number.
    """
    counts: dict[str, int] = {}
    with suppress(UnicodeError):  # a command line in UTF-8 where the locale is another: its letters are its letters
        text = os.fsencode(text).decode()
    for item in filter(None, (part.strip() for part in text.split(","))):
        colour, _, number = (part.strip() for part in item.partition(equals))
        if not (colour and number.isascii() and number.isdecimal()) or colour in counts:
            allowed = f"COLOUR{equals}N, each colour once; try blue{equals}4,red{equals}2"
            raise UsageError(f"{what} item {quote(item)}; allowed is {allowed}")
        check_colour(f"a colour in {what}", colour)
        if len(number) > 9:
            raise UsageError(f"{what} {quote(item)}; allowed are up to {MAX_CUBES} in all; throw fewer")
        counts[colour] = int(number)
    return counts


def check_colour(what: str, colour: object) -> str:
    """Check that `colour` is a text of characters that print and return it."""
    if not isinstance(colour, str) or not prints(colour):
        raise fault(what, colour, "a word of characters that can be printed", "write another word")
    return colour


def supply(counts: Mapping[str, int], edge: float, *, first_id: int = 0) -> tuple[Cube, ...]:
    """Make new cubes.

    Args:
        counts: The number of cubes of each colour.
        edge: Their edge (m), such as the `cube_edge` of a model.
        first_id: The number of the first cube; the others follow.

    Returns:
        The cubes, ordered by number, the colours in the order of `counts`.

    >>> [(cube.id, cube.colour) for cube in supply({"blue": 2, "red": 1}, 0.009, first_id=5)]
    [(5, 'blue'), (6, 'blue'), (7, 'red')]
    """
    edge = check_number("edge", edge, *EDGES, "give the model's cube_edge, in metres")
    first_id = check_whole("first_id", first_id, 0)
    table = as_counts("cubes", counts, MAX_OF_A_COLOUR)
    colours = [colour for colour, count in table.items() for _ in range(count)]
    return tuple(Cube(first_id + i, colour, edge) for i, colour in enumerate(colours))


def as_counts(what: str, counts: object, most: int | None = None) -> dict[str, int]:
    """Check that `counts`, a dict or a series of pandas, has a number from 0 to `most` by colour; return it plain."""
    table = check_table(what, counts, 'write {"blue": 4}')
    for colour in table:
        check_colour(f"a colour of {what}", colour)
    return {colour: check_whole(f"{what} of {colour}", count, 0, most) for colour, count in table.items()}


def each_cube(what: str, cubes: Iterable[Cube]) -> list[Cube]:
    """Check that `cubes` are cubes and return them; errors call them `what`."""
    advice = "take some of a state's or an outcome's cubes"
    several = cast("Iterable[object]", check_kind(what, cubes, Iterable, "cubes", advice))
    return [check_kind(f"one of {what}", each, Cube, "a Cube", advice) for each in several]


def count_by_colour(cubes: Iterable[Cube], colours: Sequence[str] = ()) -> dict[str, int]:
    """Count cubes by colour.

    Args:
        cubes: Any cubes, such as those of a state or an outcome.
        colours: Colours that come first, zeros included.

    Returns:
        The counts: first those of `colours`, then any other colour present.

    >>> count_by_colour(supply({"blue": 2, "red": 1}, 0.009), ["white", "red"])
    {'white': 0, 'red': 1, 'blue': 2}
    """
    counts = dict.fromkeys(word_list("colours", colours), 0)
    for cube in each_cube("cubes", cubes):
        counts[cube.colour] = counts.get(cube.colour, 0) + 1
    return counts
