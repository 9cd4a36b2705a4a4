"""The command line: one module a command, each with `add` (its options) and what it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from tower_sim.cli import (
    battle,
    calibrate,
    campaign,
    compare,
    drop,
    fairness,
    play,
    serve,
    show,
    study,
    surrogate,
)
from tower_sim.cli.common import version
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError
from tower_sim.model import TooManyFailedDraws

__all__ = ["main"]

_COMMANDS = (play, drop, battle, compare, campaign, study, calibrate, fairness, serve, surrogate, show)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 2 the caller's mistake, 1 anything else."""
    try:
        options = _parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int | None] = options.run
        return run(options) or 0
    except UsageError as error:
        return _told(str(error), 2)
    except TooManyFailedDraws as error:
        return _told(f"{error}; throw fewer cubes or change the apparatus", 1)
    except KeyboardInterrupt:
        return _told("interrupted", 1)
    except BrokenPipeError:  # the reader of our output has gone; Python would complain while it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _told(text: str, status: int) -> int:
    """Write one line on standard error, whatever is in it, and return the exit status."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
    print(f"tower-sim: {line}", file=sys.stderr)
    return status


def _parser() -> Parser:
    parser = Parser(
        prog="tower-sim",
        description="Drop cubes through board-game cube towers, with real physics.",
        epilog="Begin with: tower-sim play amerigo",
    )
    parser.add_argument("--version", action="version", version=version())
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)
    for command in _COMMANDS:
        command.add(commands)
    return parser
