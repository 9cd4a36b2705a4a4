"""The command line: one module a command, each with `add` (its options) and what it runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from tower_sim.cli import (
    battle,
    calibrate,
    campaign,
    compare,
    drop,
    fairness,
    output,
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
from tower_sim.writing import CALLERS, WritingFailed

__all__ = ["main"]

_COMMANDS = (play, drop, battle, compare, campaign, study, calibrate, fairness, serve, surrogate, show)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 2 the caller's mistake, 1 anything else."""
    if closed := output.prepare():
        return _told(closed, 1)
    try:
        return output.end(_run(arguments))
    except SystemExit as leaving:  # --help and --version print and leave
        if output.end(0):
            return 1
        raise leaving


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int | None] = options.run
        return run(options) or 0
    except UsageError as error:
        return _told(str(error), 2)
    except TooManyFailedDraws as error:
        return _told(f"{error}; throw fewer cubes or change the apparatus", 1)
    except WritingFailed as error:
        return _told(str(error), 1)
    except KeyboardInterrupt:
        return _told("interrupted", 1)
    except BrokenPipeError:  # the reader of our output has gone
        output.forget()
        return 1
    except OSError as error:
        callers = error.filename is not None and error.errno in CALLERS
        return _told(output.failure(error), 2 if callers else 1)
    except MemoryError:
        return _told("out of memory; ask for less at once", 1)


def _told(text: str, status: int) -> int:
    output.tell(text)
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
