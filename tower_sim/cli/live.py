"""`tower-sim live`: a page in which one plays with a tower by hand, with real physics."""

from __future__ import annotations

import argparse

from tower_sim.apparatus.catalogue import names
from tower_sim.cli.common import add_output
from tower_sim.cli.parser import Parser


def add(live: Parser) -> None:
    """Add what the command takes."""
    add_output(live, "FILE.html", "the page, which opens from the disk")
    told = f"a shipped profile ({', '.join(names())}) or a TOML file (default: all that ship; may be repeated)"
    live.offer(live.add_argument("--apparatus", action="append", metavar="NAME|FILE", help=told), names())
    live.add_argument(
        "--game",
        action="append",
        metavar="FILE",
        help="a TOML file that declares a game, beside those that ship; may be repeated",
    )
    live.set_defaults(run=_live)


def _live(options: argparse.Namespace) -> None:
    from tower_sim.live import live_command

    live_command(options.output, options.apparatus or (), options.game or ())
    print(options.output)
