"""Paint: what the cubes of a colour look like in pictures and pages, also to those who tell colours badly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from matplotlib.colors import to_hex

from tower_sim.drawing.files import cube_colours, ink_on

PATTERNS = ("plain", "stripes", "dots", "cross", "rings", "checks", "diagonals", "bars")
_LIGHT, _DARK = "#ffffff", "#1a1a1a"


@dataclass(frozen=True, slots=True)
class Paint:
    """The colour called `name`: `rgb` and the `ink` that is read best on it (both #rrggbb), a letter, a pattern."""

    name: str
    rgb: str
    ink: str
    letter: str
    pattern: str


def paints(names: Sequence[str], given: Mapping[str, str] = MappingProxyType({})) -> list[Paint]:
    """Return what to paint each colour with; letters and patterns differ from each other as long as there are some.

    `given` has the #rrggbb of names that a game's file paints.
    """
    rgb = cube_colours(names, given)
    letters = _letters(names)
    return [
        Paint(
            name,
            to_hex(rgb[name]),
            _LIGHT if ink_on(rgb[name]) == "white" else _DARK,
            letters[name],
            PATTERNS[i % len(PATTERNS)],
        )
        for i, name in enumerate(names)
    ]


def _letters(names: Iterable[str]) -> dict[str, str]:
    """Return a letter or a digit for each name: the first of its own that is free, else the first that is."""
    taken: dict[str, str] = {}
    spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    for name in names:
        own = [letter for letter in name.upper() if letter.isalnum()]
        free = [letter for letter in (*own, *spare) if letter not in taken.values()]
        taken[name] = free[0] if free else "?"
    return taken
