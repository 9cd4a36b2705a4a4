"""The command line: one module a command, each with `add` (its options) and what it runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from typing import Any

from tower_sim.cli import output
from tower_sim.cli.common import FILES, version
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError
from tower_sim.games.game import Game
from tower_sim.model import TooManyFailedDraws
from tower_sim.requests import first_game, games
from tower_sim.terminal import warn
from tower_sim.writing import CALLERS, WritingFailed, by

__all__ = ["main"]

_COMMANDS = {
    "play": "play the tower's part of a whole game",
    "drop": "throw cubes once, or knock on the table",
    "odds": "tell what comes out if this is thrown next, or that",
    "redo": "do again all that made a state, or what a link of a live page shows",
    "": "",  # here come the commands that games bring along
    "compare": "compare two variants of a game: what do house rules change?",
    "campaign": "run thousands of drops that survive anything, and check them",
    "study": "write a report on a campaign: statistics with intervals, tables, plots",
    "calibrate": "fit the tower to observations or to your own recorded drops",
    "fairness": "check whether your recorded tower behaves as a profile predicts",
    "design": "find a tower that does what you wish, and confirm it with physics",
    "live": "write a page to play with a tower in: real physics, by hand",
    "lab": "write a page to try house rules in: sliders, whole games, battles",
    "serve": "answer other programs: a JSON request a line, a JSON reply a line",
    "verify": "check the log of a service's draws offline: were they what was agreed?",
    "surrogate": "fit, check and export the fast stand-in for physics",
    "export": "write a tower to print or to cut: STL, 3MF, STEP, or panels as SVG",
    "show": "draw an apparatus: a 3D view and a dimensioned section",
    "list": "list apparatus, games, engines and models, also those of other packages",
    "completion": "print the script that makes a shell complete commands, options and names",
}
"""The module of each command is called like it."""


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
        options = parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int | None] = options.run
        is_due = any(vars(options).get(name) is not None for name in FILES)  # whatever becomes of what is printed
        going = output.going_on() if is_due else nullcontext()
        with going, by(options.prog, is_forced=getattr(options, "force", False)):
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
    warn(text)
    return status


def parser() -> Parser:
    """Return the parser of the whole command line; a command's own part is filled in when it is asked for."""
    whole = Parser(
        prog="tower-sim",
        description="Drop cubes through board-game cube towers, with real physics.",
        epilog=f"Begin with: tower-sim play {first_game().name}",
    )
    whole.add_argument("--version", action=_Version, help="show program's version number and exit")
    commands = whole.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)
    for name, about in _COMMANDS.items():
        if name:
            commands.add_parser(name, help=about, fill=partial(_fill, name))
        else:
            for command, playing in _of_games().items():
                told = playing[0].ways.command_help
                commands.add_parser(command, help=told, fill=partial(_fill_game, playing))
    return whole


class _Version(argparse.Action):
    """Tells the version, which is looked up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, **more)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and leave."""
        print(version())
        parser.exit()


def _of_games() -> dict[str, list[Game]]:
    """Return the commands that games bring along, each with its games."""
    commands: dict[str, list[Game]] = {}
    for game in games():
        if command := game.ways.command:
            commands.setdefault(command, []).append(game)
    return commands


def _fill_game(playing: Sequence[Game], parser: Parser) -> None:
    import_module("tower_sim.cli.play").add_command(parser, playing)


def _fill(name: str, parser: Parser) -> None:
    import_module(f"tower_sim.cli.{name}").add(parser)
