"""`tower-sim design`: a tower that does what a designer wishes."""

from __future__ import annotations

import argparse
import math
import os
import re
from pathlib import Path

from tower_sim.cli.common import add_games, add_json, add_output, add_plot, add_seed, add_workers, check_plot, whole
from tower_sim.cli.parser import Parser
from tower_sim.errors import shown
from tower_sim.requests import first_game

_LENGTH = re.compile(r"(\d+(?:\.\d+)?) ?(?:mm)?")
_WISHES = {
    "keep": "cubes that stay inside when the set-up throws all 49 in, 0 to 49",
    "inside": "cubes inside after a phase of play, on average, 0 to 49 (about 49 minus 7 times --out)",
    "out": "cubes that come out in a phase, on average, 0 to 7",
    "colours": "colours that come out in a phase (actions to choose from), on average, 0 to 7",
    "exchange": "of the cubes that come out, the share that was inside before, 0 to 1",
    "clogged": "share of games that may end with more than half of the cubes inside, 0 to 1 (if left out, 0 is wished)",
}


def add(design: Parser) -> None:
    """Add what the command takes."""
    wishes = design.add_argument_group("wishes, one or more")
    for name, told in _WISHES.items():
        wishes.add_argument(f"--{name}", type=_number, metavar="X", help=told)
    design.add_argument("--cube", type=_length, metavar="MM", help="edge of the cubes, 7mm to 12mm (default: any)")
    told = "side of a square print bed that the funnel must fit, and the tube when cut under each floor (default: any)"
    design.add_argument("--print-bed", type=_length, metavar="MM", help=told)
    told = "what to leave as it is, with commas between: material, hand, or a number of the tower, as in tube=7.5"
    design.add_argument("--hold", metavar="WORDS", help=told)
    told = "how long to search at most, in rounds of 12 games, 1 to 500 (default: 12)"
    design.add_argument("--rounds", type=whole, metavar="N", help=told)
    add_games(design, "fresh games to confirm the tower with, 8 to 5000 (default: 120)")
    add_seed(design)
    add_workers(design)
    told = "table of towers to begin from (default: the one that ships)"
    design.add_argument("--atlas", type=Path, metavar="FILE", help=told)
    add_plot(design, "the known towers and the wishes")
    add_json(design)
    add_output(
        design, "PROFILE.toml", "the tower's profile; the search is kept beside it, and the same command continues it"
    )
    design.set_defaults(run=_design)


def _design(options: argparse.Namespace) -> int:
    from tower_sim.design.command import GAMES, ROUNDS, Commission, design_command
    from tower_sim.design.wishes import asked

    check_plot(options.save_plot)
    wished = {name: value for name in _WISHES if (value := getattr(options, name)) is not None}
    hold = [word.strip() for word in options.hold.split(",")] if options.hold else []
    job = Commission(
        asked(wished, cube=options.cube, bed=options.print_bed, hold=hold),
        options.output,
        first_game(),
        GAMES if options.games is None else options.games,
        ROUNDS if options.rounds is None else options.rounds,
        options.seed,
        (os.cpu_count() or 1) if options.workers is None else options.workers,
        options.atlas,
        options.save_plot,
        options.json,
    )
    return design_command(job)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{shown(text)}; allowed is a number")
    return value


def _length(text: str) -> float:
    found = _LENGTH.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{shown(text)}; allowed is a length in mm, such as 8mm")
    return float(found[1])
