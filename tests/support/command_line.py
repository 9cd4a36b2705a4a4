"""The command line in a process of its own, or in this one, which takes a second less."""

import argparse
import contextlib
import io
import subprocess
import sys
from pathlib import Path

from tower_sim import cli
from tower_sim.cli.parser import Parser


def tower_sim(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; of standard error without the lines of progress, which come on a slow machine only."""
    done = subprocess.run(
        [sys.executable, "-m", "tower_sim", *arguments], capture_output=True, text=True, cwd=cwd, encoding="utf-8"
    )
    done.stderr = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("... "))
    return done


def here(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in this process: what `tower_sim` returns, for tests of which a process of its own is no part."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd or "."), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main(arguments)
    told = "".join(line for line in err.getvalue().splitlines(True) if not line.startswith("... "))
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), told)


def commands(parser: Parser, name: str = "") -> dict[str, Parser]:
    """Return every command that does something, by its name."""
    for action in parser.filled()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {
                full: leaf
                for inner, own in action.choices.items()
                for full, leaf in commands(own, f"{name} {inner}".strip()).items()
            }
    return {name: parser}


COMMANDS = commands(cli.parser())
