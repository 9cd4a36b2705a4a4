"""What was observed of real towers: small files with their sources, as strong or weak as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import fault
from tower_sim.games.amerigo.rules import Rules
from tower_sim.reading import read_text, toml_table

CUBES, COLOURS = sum(Rules().counts.values()), len(Rules().colours)  # of a game as published
LARGEST = 100_000  # bytes of a file
LONGEST = 2000  # letters of its words
FOLDER = Path(__file__).parent / "observations"
KINDS = ("measurement", "photograph", "worked example", "impression", "illustration", "qualitative")
# How many times the variance of chance a value may lie from the tower's own behaviour, by how strong it is. [A]
DOUBT = {"strong": 1.0, "moderate": 1.5, "weak": 2.0, "very weak": 4.0}
SHARES = {  # of phases with something out, by field: what they are a share of
    "share_single": "one colour",
    "share_several": "two colours or more",
    "share_leads": "the thrown colour the most numerous",
    "share_ones": "one cube, of all phases",
}
MOST_POINTS = 20  # phases whose action points an observation lists


@dataclass(frozen=True, slots=True)
class Observation:
    """One observation: what it `says`, its `source`, its `kind` (one of KINDS) and how strong it is (as in DOUBT).

    Numbers it may have, in cubes. Of one drop: what was `thrown` (so many at least) and came `out`, and what was
    `inside_after`, by colour (`from_empty`: into the empty tower); or only that `least_out` came out, of `colours_out`
    colours. Of phases: their action `points`. Of many drops, ends included: the range in which the number out of a drop
    (`out_total`) or inside between drops (`inside_in_play`) is said to lie; the most that stay after the set-up
    (`setup_at_most`); shares of phases, as in SHARES; bounds of any other of a game's `figures`, by key. `justifies`
    names what of the prior it is the reason for. What is not of use for the fit (`use` false) says why in `strength`.
    """

    name: str
    says: str
    source: str
    kind: str
    strength: str
    thrown: dict[str, int] = field(default_factory=dict[str, int])
    out: dict[str, int] = field(default_factory=dict[str, int])
    inside_after: dict[str, int] = field(default_factory=dict[str, int])
    from_empty: bool = False
    least_out: int | None = None
    colours_out: tuple[int, int] | None = None
    out_total: tuple[int, int] | None = None
    inside_in_play: tuple[int, int] | None = None
    setup_at_most: int | None = None
    points: tuple[int, ...] = ()
    share_single: tuple[float, float] | None = None
    share_several: tuple[float, float] | None = None
    share_leads: tuple[float, float] | None = None
    share_ones: tuple[float, float] | None = None
    figures: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    justifies: str = ""
    use: bool = True

    @property
    def doubt(self) -> float:
        """By how much it is doubted: 1 is not at all."""
        return DOUBT[_strength(self.strength)]

    @property
    def numbers(self) -> dict[str, tuple[int, int]]:
        """The totals it gives: `out` of a drop, `setup_inside` after all cubes were thrown in, `inside` in play."""
        totals: dict[str, tuple[int, int]] = {}
        if self.out:
            totals["out"] = (sum(self.out.values()), sum(self.out.values()))
        if self.out_total:
            totals["out"] = self.out_total
        if self.inside_after and self.from_empty:
            totals["setup_inside"] = (sum(self.inside_after.values()), sum(self.inside_after.values()))
        if self.inside_in_play:
            totals["inside"] = self.inside_in_play
        return totals

    @property
    def colours(self) -> tuple[int, int] | None:
        """How many colours came out of one drop, at least and at most; None where it does not tell."""
        of_out = sum(n > 0 for n in self.out.values())
        return (of_out, of_out) if of_out else self.colours_out

    @property
    def leads(self) -> bool | None:
        """Whether the colour thrown alone was the most numerous out; None where it does not tell."""
        colours = [colour for colour, n in self.thrown.items() if n]
        if len(colours) != 1 or not any(self.out.values()):
            return None
        rest = max((n for colour, n in self.out.items() if colour != colours[0]), default=0)
        return self.out.get(colours[0], 0) > rest

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """The shares of phases that it bounds, by field."""
        bounds = {name: getattr(self, name) for name in SHARES}
        return {name: ends for name, ends in bounds.items() if ends is not None}


def _strength(words: str) -> str:
    """Return the word of DOUBT that a strength begins with, nothing where there is none."""
    first = words.partition(":")[0].strip()
    return first if first in DOUBT else ""


def observations(folder: Path = FOLDER) -> list[Observation]:
    """Read every observation of a folder, by name; raises UsageError, in one line, for what is none."""
    return [read(file) for file in sorted(folder.glob("*.toml"))]


def read(file: Path) -> Observation:
    """Read one observation; raises UsageError, in one line that names the file."""
    text = read_text(file, "observation", limit=LARGEST, advice="give a TOML file in UTF-8")
    table = toml_table(text, f"observation {file}")
    known = [field.name for field in fields(Observation) if field.name != "name"]
    for key in table:
        if key not in known:
            raise fault(f"key of observation {file}", key, f"one of {', '.join(known)}", "correct or remove it")
    for key in ("says", "source", "kind", "strength"):
        words = table.get(key)
        if not isinstance(words, str) or not 0 < len(words) <= LONGEST:
            raise fault(f"{key} of observation {file}", words, f"words, up to {LONGEST} letters", "say it")
    if table["kind"] not in KINDS:
        raise fault(f"kind of observation {file}", table["kind"], f"one of {', '.join(KINDS)}")
    if not _strength(table["strength"]):
        allowed = f"{', '.join(DOUBT)}, with a colon and the reason behind it"
        raise fault(f"strength of observation {file}", table["strength"], allowed, "begin with one of them")
    for key, (is_right, allowed) in _ALLOWED.items():
        if key not in table:
            continue
        if not is_right(table[key]):
            raise fault(f"{key} of observation {file}", table[key], allowed)
        if isinstance(table[key], list):
            table[key] = tuple(table[key])
    _check_one_drop(table, file)
    return Observation(name=file.stem, **table)


def _check_one_drop(table: Mapping[str, Any], file: Path) -> None:
    """Refuse what says twice how many cubes, or how many colours, came out of a drop."""
    for pair in (("out", "out_total"), ("out", "least_out"), ("out_total", "least_out"), ("out", "colours_out")):
        if all(table.get(key) for key in pair):
            raise fault(f"observation {file}", " and ".join(pair), "one of them", "leave one out")


def _are_counts(counts: Any) -> bool:
    """Return whether these are numbers of cubes by colour, of a game at most."""
    if not isinstance(counts, dict):
        return False
    numbers: list[Any] = list(counts.values())
    return all(_is_whole(n, 0, CUBES) for n in numbers) and sum(numbers) <= CUBES


def _is_whole(number: Any, low: int, high: int) -> bool:
    return type(number) is int and low <= number <= high


def _are_ends(low: int, high: int) -> Callable[[Any], bool]:
    """Return what says of a value whether it is two whole numbers from `low` to `high`, the smaller first."""
    return lambda ends: (
        isinstance(ends, list) and len(ends) == 2 and all(_is_whole(n, low, high) for n in ends) and ends[0] <= ends[1]
    )


def _are_shares(ends: Any) -> bool:
    return _are_numbers(ends) and ends[1] <= 1


def _are_bounds(figures: Any) -> bool:
    return isinstance(figures, dict) and all(map(_are_numbers, cast("dict[str, Any]", figures).values()))


def _are_numbers(ends: Any) -> bool:
    if not isinstance(ends, list) or len(cast("list[Any]", ends)) != 2:
        return False
    return all(type(x) in (int, float) and math.isfinite(x) for x in ends) and 0 <= ends[0] < ends[1]


def _are_points(points: Any) -> bool:
    return isinstance(points, list) and 0 < len(points) <= MOST_POINTS and all(_is_whole(n, 1, CUBES) for n in points)


_COUNTS = _are_counts, f"whole numbers from 0 by colour, up to {CUBES} in all"
_ENDS = _are_ends(0, CUBES), f"two whole numbers from 0 to {CUBES}, the smaller first"
_SHARES = _are_shares, "two numbers from 0 to 1, the smaller first"
_BOOL = (lambda flag: isinstance(flag, bool)), "true or false"
_ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("thrown", "out", "inside_after"), _COUNTS),
    **dict.fromkeys(("out_total", "inside_in_play"), _ENDS),
    **dict.fromkeys(SHARES, _SHARES),
    "figures": (_are_bounds, "a table of figures, each with two numbers from 0, the smaller first"),
    **dict.fromkeys(("from_empty", "use"), _BOOL),
    "least_out": (lambda n: _is_whole(n, 1, CUBES), f"a whole number from 1 to {CUBES}"),
    "setup_at_most": (lambda n: _is_whole(n, 0, CUBES), f"a whole number from 0 to {CUBES}"),
    "colours_out": (_are_ends(1, COLOURS), f"two whole numbers from 1 to {COLOURS}, the smaller first"),
    "points": (_are_points, f"a list of up to {MOST_POINTS} whole numbers from 1 to {CUBES}"),
    "justifies": (lambda words: isinstance(words, str) and len(words) <= LONGEST, f"words, up to {LONGEST} letters"),
}
