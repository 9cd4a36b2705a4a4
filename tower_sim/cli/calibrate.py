"""`tower-sim calibrate`: the tower fitted to what people saw."""

from __future__ import annotations

import argparse

from tower_sim.cli.common import add_output, add_seed, add_workers
from tower_sim.cli.parser import Parser


def add(calibrate: Parser) -> None:
    """Add what the command takes."""
    calibrate.add_argument(
        "observations",
        nargs="+",
        metavar="OBSERVATIONS",
        help=".csv files of recorded drops, .toml files, or names that ship (my_tower, rulebook-setup, ...)",
    )
    about = "the profile to write; beside it its surrogate, and NAME.calibration/ with the report"
    add_output(calibrate, "PROFILE.toml", about)
    effort = calibrate.add_mutually_exclusive_group()
    effort.add_argument("--quick", dest="mode", action="store_const", const="quick", help="minutes (default)")
    effort.add_argument("--full", dest="mode", action="store_const", const="full", help="longer: more towers simulated")
    add_seed(calibrate, 0)
    add_workers(calibrate)
    calibrate.set_defaults(run=_calibrate, mode="quick")


def _calibrate(options: argparse.Namespace) -> int:
    from calibration.command import calibrate_command

    return calibrate_command(options.observations, options.output, options.mode, options.seed, options.workers)
