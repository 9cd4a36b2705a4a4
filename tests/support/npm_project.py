"""A project that has the npm package, made by the commands of its own README, and the files that the README shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import NODE_MODULES
from tests.support.node import NODE, answered

NPM = shutil.which("npm")
ROOT = Path(__file__).parent.parent.parent
README = (resources.files("tower_sim.clients") / "npm/README.md").read_text("utf-8")
QUIET = {f"npm_config_{key}": "false" for key in ("audit", "fund", "update_notifier")}


def shown() -> dict[str, str]:
    return dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?\n)```", README, re.S))


def steps(name: str) -> list[str]:
    (found,) = re.findall(rf"<!-- {name} -->\n```sh\n(.*?)```", README, re.S)
    return found.splitlines()


def make(folder: Path) -> Path:
    """Do what the README says a new user does, word for word; return the project's folder. No registry is asked.

    Skips the test where node or npm is not installed.
    """
    if not (NODE and NPM):
        pytest.skip("node or npm is not installed here: apt-get install npm")
    project, programs = folder / "project", folder / "bin"
    project.mkdir()
    programs.mkdir()
    command = programs / "tower-sim"  # of this very tree
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m tower_sim "$@"\n', "utf-8")
    command.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(folder), "npm_config_cache": str(folder / "cache"), "npm_config_offline": "true"}
    done = subprocess.run(
        ["sh", "-euc", "\n".join(steps("install"))],
        cwd=project,
        env={**os.environ, **QUIET, **home, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for name, text in shown().items():
        (project / name).write_text(text, "utf-8")
    return project


def node(project: Path, *words: str) -> str:
    done = subprocess.run([str(NODE), *words], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask(project: Path, *requests: Mapping[str, Any]) -> list[Any]:
    """Ask the package; see clients_ask.mjs."""
    file = Path(__file__).parent / "clients_ask.mjs"
    return answered(file, given=requests, cwd=project)


STRICT = ("--strict", "--module", "nodenext", "--target", "es2022")


def check_types(folder: Path, *words: str) -> None:
    """Run TypeScript's compiler, which must find nothing; skips the test where it is not installed."""
    compiler = Path(NODE_MODULES or "none", "typescript/bin/tsc")
    if not compiler.is_file():
        pytest.skip("no typescript: npm install typescript, and name its node_modules in TOWER_SIM_NODE_MODULES")
    assert node(folder, str(compiler.resolve()), *words) == ""
