"""`tower-sim calibrate`: the tower fitted to what people saw."""

from __future__ import annotations

import argparse
from typing import Any

from tower_sim.cli.common import add_output, add_seed
from tower_sim.cli.common import whole as whole_number


def add(commands: Any) -> None:
    """Add the command."""
    calibrate = commands.add_parser("calibrate", help="fit the tower to observations or to your own recorded drops")
    calibrate.add_argument(
        "observations",
        nargs="+",
        metavar="OBSERVATIONS",
        help=".csv files of recorded drops, .toml files, or names that ship (my_tower, rulebook-setup, ...)",
    )
    add_output(calibrate, "PROFILE.toml", "the profile to write; beside it NAME.calibration/ with the report")
    effort = calibrate.add_mutually_exclusive_group()
    effort.add_argument("--quick", dest="mode", action="store_const", const="quick", help="minutes (default)")
    effort.add_argument("--full", dest="mode", action="store_const", const="full", help="hours: more towers simulated")
    add_seed(calibrate, 0)
    calibrate.add_argument("--workers", type=whole_number, metavar="N", help="processes, 1 to 512 (default: all cores)")
    calibrate.set_defaults(run=_calibrate, mode="quick")


def _calibrate(options: argparse.Namespace) -> int:
    from calibration.command import calibrate_command

    return calibrate_command(options.observations, options.output, options.mode, options.seed, options.workers)
