"""`tower-sim lab`: a page in which house rules are tried, without a server."""

from __future__ import annotations

import argparse

from tower_sim.apparatus.catalogue import names
from tower_sim.cli.common import add_output
from tower_sim.cli.parser import Parser


def add(lab: Parser) -> None:
    """Add what the command takes."""
    add_output(lab, "FILE.html", "the page, which opens from the disk")
    told = f"a shipped profile ({', '.join(names())}) or a TOML file (default: all with a surrogate; may be repeated)"
    lab.offer(lab.add_argument("--apparatus", action="append", metavar="NAME|FILE", help=told), names())
    lab.add_argument(
        "--game",
        action="append",
        metavar="FILE",
        help="a TOML file that declares a game, beside those that ship; may be repeated",
    )
    lab.set_defaults(run=_lab)


def _lab(options: argparse.Namespace) -> None:
    from tower_sim.lab import lab_command

    lab_command(options.output, options.apparatus or (), options.game or ())
    print(options.output)
