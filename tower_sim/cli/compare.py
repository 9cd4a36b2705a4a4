"""`tower-sim compare`: what house rules change."""

from __future__ import annotations

import argparse
from typing import Any

from tower_sim.cli.common import add_json, add_model, add_plot, add_seed, drawn_seed
from tower_sim.cli.common import whole as whole_number


def add(commands: Any) -> None:
    """Add the command."""
    compare = commands.add_parser("compare", help="compare two variants of Amerigo: what do house rules change?")
    compare.add_argument("a", metavar="A.toml", help="rules, and the tower under 'apparatus'; or amerigo, as published")
    compare.add_argument("b", metavar="B.toml", help="the variant to compare with it")
    compare.add_argument("--games", type=whole_number, required=True, metavar="N", help="pairs of games, 2 or more")
    add_model(compare, "surrogate")
    add_seed(compare)
    add_json(compare)
    add_plot(compare, "it")
    compare.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    from tower_sim.compare import compare_command

    files = (options.a, options.b)
    seed = drawn_seed(options.seed)
    compare_command(files, options.games, seed, options.model, as_json=options.json, plot=options.save_plot)
