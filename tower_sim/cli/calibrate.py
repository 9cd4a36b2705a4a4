"""`tower-sim calibrate`: the tower fitted to what people saw."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from tower_sim.cli.common import add_output, add_seed, add_workers, seed, seed_of
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError
from tower_sim.reading import json_value, read_text


def add(calibrate: Parser) -> None:
    """Add what the command takes."""
    calibrate.add_argument(
        "observations",
        nargs="+",
        metavar="OBSERVATIONS",
        help=".csv files of recorded drops, .toml files, or names that ship (my_tower, rulebook-setup, ...)",
    )
    about = "the profile to write; its surrogate and the folder NAME.calibration with the report go beside it"
    add_output(calibrate, "PROFILE.toml", about)
    calibrate.set_defaults(run=_calibrate, mode="quick")
    effort = calibrate.add_mutually_exclusive_group()
    for mode, told in (("quick", "take minutes (the default)"), ("full", "simulate more towers, which takes longer")):
        effort.add_argument(
            f"--{mode}", dest="mode", action="store_const", const=mode, default=argparse.SUPPRESS, help=told
        )
    add_seed(calibrate)
    add_workers(calibrate)


def _calibrate(options: argparse.Namespace) -> int:
    """Calibrate; without a seed a calibration that was begun goes on by its own."""
    from tower_sim.calibration.command import calibrate_command

    begun = _seed_begun(options.output) if options.seed is None else None
    root = seed_of(options) if begun is None else begun
    status = calibrate_command(options.observations, options.output, options.mode, root, options.workers)
    if status == 0:
        print(f"calibrate: done by the seed {root}", file=sys.stderr)
    return status


def _seed_begun(output: Path) -> int | None:
    """Return the seed of the calibration whose folder lies beside `output`; None where there is none to be read."""
    with suppress(UsageError, KeyError, TypeError, ValueError, argparse.ArgumentTypeError):
        text = read_text(output.with_suffix(".calibration") / "calibration.json", "calibration")
        return seed(str(json_value(text, "calibration")["inputs"]["seed"]))
    return None
