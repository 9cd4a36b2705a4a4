"""`tower-sim compare`: what house rules change."""

from __future__ import annotations

import argparse
from typing import Any

from tower_sim.cli.common import add_json, add_model, add_plot, add_seed, drawn_seed
from tower_sim.cli.common import whole as whole_number


def add(commands: Any) -> None:
    """Add the command."""
    compare = commands.add_parser("compare", help="compare two variants of Amerigo: what do house rules change?")
    told = "a rules file, also with its 'apparatus'; amerigo, as published; or another shipped tower, as amerigo-club"
    compare.add_argument("a", metavar="A", help=told)
    compare.add_argument("b", metavar="B", nargs="?", help="what to compare with it (default: A with --set)")
    compare.add_argument("--games", type=whole_number, required=True, metavar="N", help="pairs of games, 2 or more")
    told = "change a key of B, as in cubes=6; may be repeated"
    compare.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes", help=told)
    add_model(compare, "surrogate")
    add_seed(compare)
    add_json(compare)
    add_plot(compare, "it")
    compare.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    from tower_sim.compare import compare_command

    compare_command(
        (options.a, options.b),
        options.games,
        drawn_seed(options.seed),
        options.model,
        changes=options.changes,
        as_json=options.json,
        plot=options.save_plot,
    )
