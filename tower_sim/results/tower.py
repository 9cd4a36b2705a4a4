"""The figures that apply to every tower.

A phase of play is any drop but the set-up, if there is one.
"""

from __future__ import annotations

from tower_sim.results.figure import MOST, SETUP, SHARE, SPREAD, SUM, Figure

INSIDE_SETUP = Figure("setup", "inside after the set-up", "cubes", "cubes inside after the set-up", "inside", at=SETUP)
INSIDE = Figure("inside", "mean inside in play", "cubes", "cubes inside after a phase", "inside")
MOST_INSIDE = Figure(
    "most_inside", "most inside in play", "cubes", "most cubes inside after a phase", "inside", take=MOST, minor=True
)
OUT = Figure("out", "mean out in a phase", "cubes", "cubes that come out in a phase", "out")
_COULD = "of the cubes that a phase could bring out, thrown or inside before, those that come out"
SHARE_OUT = Figure("share_out", "share out of a phase", SHARE, _COULD, "out", among="thrown + before", minor=True)
SKIPPED = Figure(
    "skipped", "phases skipped", "phases", "phases in which nothing comes out", "out == 0", take=SUM, minor=True
)
THROWN = Figure("thrown", "thrown in a phase", "cubes", "cubes thrown in a phase", "thrown", minor=True)
COLOURS = Figure("colours_out", "colours out in a phase", "colours", "different colours out in a phase", "colours")
_AT_ONCE = "of the cubes thrown, those that come out at once"
THROWN_OUT = Figure("thrown_out", "share of thrown out", SHARE, _AT_ONCE, "out - old_out", among="thrown")
_LATER = "of the cubes inside when others are thrown in, those that come out"
RESIDENTS_OUT = Figure(
    "residents_out", "share of residents out", SHARE, _LATER, "old_out", among="before", where="thrown > 0"
)
_BEFORE = "of the cubes that come out, those that were inside before"
EXCHANGE = Figure("exchange", "exchange", SHARE, _BEFORE, "old_out", among="out")

TOWER = (INSIDE_SETUP, THROWN, INSIDE, OUT, THROWN_OUT, RESIDENTS_OUT, COLOURS)
"""The figures that a study of any tower reports, in addition to those of its game."""
GENERAL = frozenset(figure.key for figure in (*TOWER, MOST_INSIDE, SHARE_OUT, SKIPPED, EXCHANGE))
"""The keys of all figures above. A figure with another key is a game's own."""


def some_out(
    key: str, title: str, unit: str, of: str, least: int = 1, most: int | None = None, where: str = ""
) -> Figure:
    """Return a figure for the phases with `least` to `most` cubes out in which `where` is true."""
    limits = [f"out >= {least}", *([] if most is None else [f"out <= {most}"])]
    many = f"{least} or more" if least != 1 else "something"
    what = f"phases with {many if most is None else f'{least} to {most}'} out"
    rest = " and two or more colours" if where else ""
    return Figure(key, f"{title}, of {what}{rest}", unit, of=of, where=" and ".join([*limits, *filter(None, [where])]))


ONE, MANY = "colours == 1", "colours >= 3"
TOTALS = ((5, 7), (8, 10))
"""Ranges of the number of cubes out, limits included. Figures about colours group phases by them."""


def single_key(out: tuple[int, int]) -> str:
    """Return the key of the share with one colour out, among phases with out[0] to out[1] cubes out."""
    return f"single_{out[0]}_{out[1]}"


def many_key(out: tuple[int, int]) -> str:
    """Return the key of the share with three or more colours out of two or more, among such phases."""
    return f"many_{out[0]}_{out[1]}"


DETAILS = (
    Figure("own", "share out of the thrown colour", SHARE, of="own_out", among="own"),
    Figure("spread", "spread (sd) of out over phases", "cubes", of="out", take=SPREAD),
    some_out("colours", "mean colours out", "colours", "colours"),
    some_out("single", "share with one colour", SHARE, ONE),
    some_out("many", "share with three colours or more", SHARE, MANY),
    some_out("leads", "share in which the thrown colour is the most numerous", SHARE, "own_out > lead"),
    Figure("share_own", "share of the thrown colour among cubes out", SHARE, of="own_out", among="out"),
    Figure("old", "cubes out of a phase that were inside before", "cubes", of="old_out"),
    Figure("ones", "share of phases in which one cube comes out", SHARE, of="out == 1"),
    *(
        some_out(key(total), title, SHARE, of, *total, where)
        for total in TOTALS
        for key, title, of, where in (
            (single_key, "share with one colour", ONE, ""),
            (many_key, "share with three colours or more", MANY, "colours >= 2"),
        )
    ),
)
"""Figures that fits of a model to tower data compare. Studies do not report them."""
