"""The command line in a process of its own, or in this one, which takes a second less."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import typer

from tower_sim import cli
from tower_sim.cli.commands import app


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
    errors = "".join(line for line in err.getvalue().splitlines(True) if not line.startswith("... "))
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), errors)


def refusal(*arguments: str, cwd: Path | None = None) -> str:
    """Return the one short line of a command that is refused; nothing else is printed."""
    done = here(*arguments, cwd=cwd)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout + done.stderr
    line = done.stderr.removesuffix("\n")
    assert line.startswith("tower-sim: "), line
    assert line.isprintable(), line
    assert len(line) < 1100, line
    return line


def commands(group: Any, name: str = "") -> dict[str, Any]:
    """Return every command that does something, by its name."""
    found: dict[str, Any] = {}
    for inner, own in group.commands.items():
        full = f"{name} {inner}".strip()
        found |= commands(own, full) if hasattr(own, "commands") else {full: own}
    return found


WHOLE: Any = typer.main.get_command(app)
COMMANDS = commands(WHOLE)
