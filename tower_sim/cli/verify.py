"""`tower-sim verify`: were the draws in the log of a service what was agreed?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tower_sim.cli.common import add_json
from tower_sim.cli.parser import Parser
from tower_sim.terminal import say


def add(verify: Parser) -> None:
    """Add what the command takes."""
    verify.add_argument("log", type=Path, metavar="LOG", help="the log of verifiable draws, as the service sent it")
    verify.add_argument("--key", metavar="KEY", help="the server's public key, if you know it: 64 hexadecimal digits")
    verify.add_argument(
        "--noted",
        action="append",
        default=[],
        metavar="TEXT",
        help="what you have kept of your round: its commitment, your words, its number, the hash of a line; may be "
        "given again: all must be of one round, in which something was drawn, else the exit status is 3",
    )
    add_json(verify)
    verify.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    from tower_sim.service.verifiable import words

    report = words.verified(options.log, options.key, options.noted)
    if options.json:
        print(json.dumps(words.document(report, options.key), indent=2))
    else:
        say("\n".join(words.lines_of(report, options.key)))
    return words.status(report)
