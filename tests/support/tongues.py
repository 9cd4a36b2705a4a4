"""The interpreters of other languages, where they are installed, and what they answer of an exported sampler."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tower_sim.clients import tongues

FOLDER = Path(__file__).parent.parent / "tongues"


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language `to`, an interpreter of it with its own arguments, and the Debian package that has it."""

    to: str
    interpreter: str
    package: str
    options: Sequence[str] = ()

    @property
    def file(self) -> str:
        return {"lua": "tower.lua", "php": "CubeTower.php", "java": "CubeTower.java"}[self.to]

    def needed(self) -> None:
        """Skip the test where the interpreter is missing."""
        for program in (self.interpreter, *(["javac"] if self.to == "java" else [])):
            if shutil.which(program) is None:
                pytest.skip(f"no {program}: apt-get install {self.package}")

    def run(self, *words: str, at: Path) -> str:
        """Run the interpreter in the folder `at` and return what it prints; its own errors fail the test."""
        encoding = {"LC_ALL": "C.UTF-8", "JAVA_TOOL_OPTIONS": ""}
        command = [self.interpreter, *self.options, *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=at, env={**os.environ, **encoding})
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout


@dataclass(frozen=True, slots=True)
class Asked:
    """A sampler of one table in one language, put into a folder, to be asked; see tests/tongues."""

    tongue: Tongue
    folder: Path

    def __call__(self, what: str, *numbers: int, options: Sequence[str] = ()) -> list[str]:
        """Return the lines of its answer."""
        words = [what, *map(str, numbers)]
        if self.tongue.to == "java":
            command = ["-cp", str(self.folder), "Ask", *words]
        else:
            command = [*options, str(FOLDER / f"ask.{self.tongue.to}"), str(self.folder / self.tongue.file), *words]
        return self.tongue.run(*command, at=self.folder).splitlines()


def asked(tongue: Tongue, document: Mapping[str, Any], folder: Path) -> Asked:
    """Write the sampler of a document into an empty folder, and compile it where that is the custom."""
    tongue.needed()
    path = folder / tongue.file
    path.write_text(tongues.text(tongue.to, document, path), "utf-8")
    if tongue.to == "java":
        javac = ["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-J-XX:TieredStopAtLevel=1"]
        command = [*javac, "-d", str(folder), str(path), str(FOLDER / "Ask.java")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return Asked(tongue, folder)
