"""Wheels of the pinned packages: for which Pythons and systems pip finds one, so that nothing has to be compiled.

    python -m tests.measure.wheels
    python -m tests.measure.wheels --python 3.14 --system "Windows x86-64"

Asks the package index by `pip install --dry-run`, some 20 seconds a Python and system, and installs nothing. The table
is that of docs/platforms.md; packages in plain Python, which fit every system, are only counted. Markers are left out:
a package is asked for everywhere, also where it is not needed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.measure.script import ended
from tower_sim.errors import UsageError
from tower_sim.progress import telling

PINS = Path(__file__).parent.parent / "constraints.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {  # name: tags; of manylinux pip takes no older ones along
    "Linux x86-64": [f"manylinux{tag}_x86_64" for tag in ("_2_28", "_2_27", "2014", "_2_17", "_2_12", "_2_5", "1")],
    "Linux aarch64": [f"manylinux{tag}_aarch64" for tag in ("_2_28", "_2_27", "_2_26", "2014", "_2_17")],
    "macOS 14 arm64": ["macosx_14_0_arm64"],
    "macOS 14 x86-64": ["macosx_14_0_x86_64"],
    "Windows x86-64": ["win_amd64"],
    "Windows arm64": ["win_arm64"],
}
_MISSING = re.compile(r"No matching distribution found for (\S+)")
Answers = Mapping[tuple[str, str], Mapping[str, str]]
"""For (Python, system) the wheel's file name of each pin that has one."""


def pins(text: str) -> list[str]:
    """Return the NAME==VERSION of a constraints file, the first of each name, without markers and comments."""
    first: dict[str, str] = {}
    for line in text.splitlines():
        if pin := re.split(r"[;#]", line)[0].strip():
            first.setdefault(pin.split("==")[0], pin)
    return list(first.values())


def wheels(python: str, system: str, wanted: Sequence[str]) -> dict[str, str]:
    """Return the file names of the wheels that pip would take for `wanted` (NAME==VERSION); those without lack.

    Raises UsageError when pip cannot say, as where there is no network.
    """
    left = list(wanted)
    while left:
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable, "-m", "pip", "install", "-q", "--dry-run", "--ignore-installed", "--no-deps",
                "--only-binary", ":all:", "--report", "-", "--target", folder, "--python-version", python,
                *(word for tag in SYSTEMS[system] for word in ("--platform", tag)),
            ]  # fmt: skip
            done = subprocess.run([*command, *left], capture_output=True, text=True, encoding="utf-8")
        if done.returncode == 0:
            found = (item["download_info"]["url"].rsplit("/", 1)[1] for item in json.loads(done.stdout)["install"])
            by_name = {_plain(file.split("-")[0]): file for file in found}
            return {pin: by_name[_plain(pin.split("==")[0])] for pin in left}
        missing = _MISSING.search(done.stderr)
        if not missing or missing[1] not in left:
            last = (done.stderr.strip().splitlines() or ["nothing said"])[-1]
            raise UsageError(f"pip for Python {python} on {system}: {last}; allowed is an answer; look at the network")
        left.remove(missing[1])
    return {}


def table(answers: Answers, wanted: Sequence[str], pythons: Sequence[str], systems: Sequence[str]) -> str:
    """Return the Markdown table: a row for each pin that is built for a system, or lacks a wheel somewhere."""
    lines = ["| package | " + " | ".join(systems) + " |", "|---" * (len(systems) + 1) + "|"]
    plain = 0
    for pin in wanted:
        found = {key: answers[key].get(pin, "") for key in answers}
        if all(file.endswith("-none-any.whl") for file in found.values()):
            plain += 1
            continue
        cells = [_told([python for python in pythons if found[python, system]], pythons) for system in systems]
        lines.append(f"| {pin.replace('==', ' ')} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", f"{plain} more packages are plain Python."])


def _told(there: Sequence[str], asked: Sequence[str]) -> str:
    if not there:
        return "none"
    return "all" if list(there) == list(asked) else ", ".join(there)


def _plain(name: str) -> str:
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(argv: Sequence[str] | None = None) -> int:
    """Ask for every Python and system, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", choices=PYTHONS, help="only this one; may be given again")
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="only this one; may be given again")
    options = parser.parse_args(argv)
    pythons, systems = options.python or list(PYTHONS), options.system or list(SYSTEMS)

    def work() -> None:
        wanted = pins(PINS.read_text("utf-8"))
        keys = [(python, system) for python in pythons for system in systems]
        answers: dict[tuple[str, str], dict[str, str]] = {}
        with telling("Pythons and systems", len(keys)) as tell:
            for number, key in enumerate(keys, 1):
                answers[key] = wheels(*key, wanted)
                tell(number)
        print(table(answers, wanted, pythons, systems))

    return ended("wheels", work)


if __name__ == "__main__":
    sys.exit(main())
