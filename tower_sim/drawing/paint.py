"""Paint: the look of a cube's colour in pictures and pages."""

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
    """The look of a colour: `rgb` and the `ink` to read on it (#rrggbb), a letter and a pattern."""

    name: str
    rgb: str
    ink: str
    letter: str
    pattern: str


def paints(names: Sequence[str], given: Mapping[str, str] = MappingProxyType({})) -> list[Paint]:
    """Return the paint of each colour name; letters and patterns differ until all are used.

    `given` has the #rrggbb of names from a game's file.
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
    taken: dict[str, str] = {}
    spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    for name in names:
        own = [letter for letter in name.upper() if letter.isalnum()]
        free = [letter for letter in (*own, *spare) if letter not in taken.values()]
        taken[name] = free[0] if free else "?"
    return taken
