"""`tower-sim compare`: what house rules change."""

from __future__ import annotations

import argparse

from tower_sim import registry
from tower_sim.apparatus.catalogue import names
from tower_sim.cli.common import add_games, add_json, add_model, add_physics, add_plot, add_seed, seed_of
from tower_sim.cli.parser import Parser
from tower_sim.models import settings_of


def add(compare: Parser) -> None:
    """Add what the command takes."""
    game = registry.names("game")[0]
    other = next(name for name in names() if name != game)
    told = (
        f"a rules file, also with its 'apparatus'; a game's file; {game}, as published; or a shipped tower, as {other}"
    )
    compare.add_argument("a", metavar="A", help=told)
    compare.add_argument("b", metavar="B", nargs="?", help="what to compare with it (default: A with --set)")
    add_games(compare, "pairs of games, 2 or more", required=True)
    told = "change a key of B, as in cubes=6; may be repeated for other keys"
    compare.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes", help=told)
    add_model(compare, "surrogate")
    add_physics(compare)
    add_seed(compare)
    add_json(compare)
    add_plot(compare, "the comparison")
    compare.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    from tower_sim.compare import compare_command

    compare_command(
        (options.a, options.b),
        options.games,
        seed_of(options),
        options.model,
        settings=settings_of(options.model, options.engine, options.accuracy),
        changes=options.changes,
        as_json=options.json,
        plot=options.save_plot,
    )
