"""The command line: `commands` declares all commands, the other modules implement them."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tower_sim.cli import output
from tower_sim.errors import UsageError, near, quote
from tower_sim.tools import CALLERS, WritingFailed, warn

__all__ = ["main"]

_FILES = ("-o", "--output", "--save-plot")  # options that name a file to write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 for success, 2 for the caller's mistake, else 1."""
    if reason := output.prepare():
        return _fail(reason, 1)
    status = output.end(_run(arguments))
    if arguments is None:  # the process ends: a second Ctrl-C would leave the workers' semaphores behind
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return status


def _run(arguments: Sequence[str] | None) -> int:
    import sys

    from typer import Abort
    from typer.exceptions import TyperException

    from tower_sim.cli.commands import run_command

    words = [*(sys.argv[1:] if arguments is None else arguments)]
    is_due = words[:1] == ["page"] or any(
        word.partition("=")[0] in _FILES for word in words
    )  # such a file is written even if printing fails
    try:
        with output.defer_failure() if is_due else nullcontext():
            return run_command(words)
    except TyperException as error:
        return _explain_misuse(error)
    except UsageError as error:
        return _fail(str(error), 2)
    except WritingFailed as error:
        return _fail(str(error), 1)
    except (KeyboardInterrupt, Abort):
        return _fail("interrupted", 1)
    except BrokenPipeError:  # the reader of our output has gone
        output.forget()
        return 1
    except OSError as error:
        callers = error.filename is not None and error.errno in CALLERS
        return _fail(output.failure(error), 2 if callers else 1)
    except MemoryError:
        return _fail("out of memory; ask for less at once", 1)
    except RuntimeError as error:
        from tower_sim.drops import TooManyFailedDraws

        if not isinstance(error, TooManyFailedDraws):
            raise
        return _fail(f"{error}; throw fewer cubes or change the apparatus", 1)


def _explain_misuse(error: Any) -> int:
    context: Any = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help())
        return 0
    text = " ".join(error.format_message().split()).removesuffix(".")
    unknown = re.match(r"No such (option|command):? '?([^' ]+)'?", text)
    if unknown and context:
        kind, word = unknown.groups()
        options = [name for param in context.command.params for name in param.opts if name.startswith("--")]
        text = f"unknown {kind} {quote(word)}{near(word, options) if kind == 'option' else _suggest(word, context)}"
    return _fail(f"{text}; see {context.command_path if context else 'tower-sim'} --help", 2)


def _suggest(word: str, context: Any) -> str:
    commands: dict[str, Any] = context.command.commands
    inner = [f"{name} {each}" for name, group in commands.items() for each in getattr(group, "commands", ())]
    return next((f"; did you mean {path}?" for path in inner if path.endswith(f" {word}")), near(word, commands))


def _fail(text: str, status: int) -> int:
    warn(text)
    return status
