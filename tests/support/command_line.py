"""The command line in a process of its own."""

import argparse
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
