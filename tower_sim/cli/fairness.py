"""`tower-sim fairness`: does a real tower behave as a profile predicts?"""

from __future__ import annotations

import argparse

from tower_sim.cli.common import add_apparatus, add_games, add_json, add_physics, add_seed, seed_of
from tower_sim.cli.parser import Parser
from tower_sim.models import settings_of
from tower_sim.requests import PHYSICS, first_game


def add(fairness: Parser) -> None:
    """Add what the command takes."""
    fairness.add_argument(
        "records",
        metavar="RECORDS.csv",
        help="your recorded drops (docs/calibration.md says how), or the example my_tower",
    )
    add_apparatus(fairness, first_game().apparatus)
    add_games(fairness, "games to simulate, 8 to 10000", default=24)
    add_physics(fairness)
    add_seed(fairness)
    add_json(fairness)
    fairness.set_defaults(run=_fairness)


def _fairness(options: argparse.Namespace) -> int:
    from tower_sim.calibration.verdict import fairness_command

    settings = settings_of(PHYSICS, options.engine, options.accuracy)
    seed = seed_of(options)
    return fairness_command(options.records, options.apparatus, options.games, seed, options.json, settings)
