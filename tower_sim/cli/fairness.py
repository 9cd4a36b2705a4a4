"""`tower-sim fairness`: does a real tower behave as a profile predicts?"""

from __future__ import annotations

import argparse
from typing import Any

from tower_sim.cli.common import add_apparatus, add_json, add_seed
from tower_sim.cli.common import whole as whole_number


def add(commands: Any) -> None:
    """Add the command."""
    fairness = commands.add_parser("fairness", help="does your recorded tower behave as a profile predicts?")
    fairness.add_argument("records", metavar="RECORDS.csv", help="your drops; see docs/calibration.md (or: my_tower)")
    add_apparatus(fairness, "amerigo")
    fairness.add_argument(
        "--games", type=whole_number, default=24, metavar="N", help="simulated to compare, 8 to 10000"
    )
    add_seed(fairness, 0)
    add_json(fairness)
    fairness.set_defaults(run=_fairness)


def _fairness(options: argparse.Namespace) -> int:
    from calibration.verdict import fairness_command

    return fairness_command(options.records, options.apparatus, options.games, options.seed, options.json)
