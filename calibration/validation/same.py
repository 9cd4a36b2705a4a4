"""Measure what "the same bytes on every machine" and "a saved tower is a living one" rest on.

python -m calibration.validation.same compare [--python COMMAND ...] [--only WORDS]
python -m calibration.validation.same renew
python -m calibration.validation.same games --games 5

`compare` runs the forty golden scenes by the native library, as WebAssembly and as plain Python, each in a process of
its own, and compares their digests with those that are kept; `renew` keeps those of this machine (after a change that
is meant to change results). `games` plays whole games in a world that lives on and,
beside it, from states through text. The exit status is 1 when anything differs.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from calibration.validation.living import play_twins
from calibration.validation.script import ROOT, WORKERS, option, print_table, script
from tests.support.golden_scenes import HASHES, SCENES, STANDARD, digest, kept
from tests.support.pool import spread_out
from tests.support.towers import CLUB, RULEBOOK, called
from tower_sim.apparatus import load, names
from tower_sim.compiled import WAYS
from tower_sim.compiled.marks import VARIABLE
from tower_sim.errors import UsageError
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import write

FUSED = re.compile(r"^\s+(v?fn?m(?:add|sub)\w*|fml[as])\b", re.MULTILINE)
"""A fused multiply-add, which rounds once where a multiplication and an addition round twice: x86-64 and AArch64."""
_CHILD = "from calibration.validation import same; same.print_scenes()"


@dataclass(frozen=True)
class Way:
    name: str
    environment: Mapping[str, str]
    command: tuple[str, ...] = (sys.executable,)


def ways(pythons: Sequence[str] = ()) -> list[Way]:
    commands = {"": (sys.executable,)} | {f" of {python}": tuple(python.split()) for python in pythons}
    return [Way(f"{way}{of}", {VARIABLE: way}, command) for of, command in commands.items() for way in WAYS]


def run_scenes(way: Way) -> tuple[dict[str, str], dict[str, Any]]:
    """Run all scenes in one way, in a process of its own; raises UsageError when it fails.

    Returns the digests by scene, and what the process says of its machine.
    """
    own = {"PYTHONPATH": str(ROOT), **way.environment}
    words = [*way.command, "-c", _CHILD]
    done = subprocess.run(words, cwd=ROOT, env=os.environ | own, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise UsageError(f"{way.name} ended with status {done.returncode}; allowed is 0; see what it says above")
    *lines, about = map(json.loads, done.stdout.splitlines())
    return {name: found for line in lines for name, found in line.items()}, about


def print_scenes() -> None:
    """Print the digest of each scene as a line of JSON, then one about this process: what `run_scenes` reads."""
    for name in SCENES:
        print(json.dumps({name: digest(name)}), flush=True)
    print(json.dumps({"machine": platform.machine(), "python": platform.python_version()}))


def count_code(code: str) -> dict[str, int]:
    """Return the lines of machine code, and the fused multiply-adds in it."""
    return {"lines": code.count("\n"), "fused": len(FUSED.findall(code))}


def compare(pythons: Sequence[str], only: str) -> bool:
    """Print a table of all ways; tells whether everything is the same."""
    expected, faults = kept(), 0

    def row(way: Way) -> Sequence[str]:
        nonlocal faults
        began = time.monotonic()
        digests, about = run_scenes(way)
        other = [name for name in expected if digests[name] != expected[name]]
        faults += len(other)
        return (
            way.name,
            about["machine"],
            about["python"],
            f"{len(other)} of {len(expected)}{': ' * bool(other)}{'; '.join(other)}",
            f"{time.monotonic() - began:.0f}",
        )

    head = ["way", "machine", "Python", "scenes that differ", "seconds"]
    print_table(head, (row(way) for way in ways(pythons) if only in way.name))
    return not faults


def renew() -> None:
    before = kept() if HASHES.exists() else {}
    found = {name: digest(name) for name in SCENES}
    write(HASHES, json.dumps(found, indent=1) + "\n")
    print(f"{sum(before.get(name) != found[name] for name in found)} of {len(found)} scenes have changed")


def game(profile: str, seed: int) -> tuple[int, int]:
    """Play a whole game by twins; returns how many drops were played, and after how many both were the same."""
    with PhysicsModel(load(profile), STANDARD) as model:
        played = list(play_twins(model, seed))
    return len(played), sum(each.is_same for each in played)


def play_games(number: int, workers: int) -> bool:
    """Play whole games in every shipped tower and two more; tells whether all of them were the same throughout."""
    rows: list[Sequence[Any]] = []

    def play_tower(profile: str) -> Sequence[Any]:
        drops, same = map(sum, zip(*spread_out(partial(game, profile), range(number), workers), strict=True))
        rows.append((called(profile), number, drops, same))
        return rows[-1]

    towers = [profile for profile in (*names(), RULEBOOK, CLUB) if load(profile).board is None]
    print_table(["tower", "games", "drops", "the same after it, to the last digit"], map(play_tower, towers))
    return all(drops == same for _, _, drops, same in rows)


def measure(what: str, python: Sequence[str], only: str, games: int, workers: int) -> object:
    works: dict[str, Callable[[], object]] = {
        "compare": partial(compare, python, only),
        "renew": renew,
        "games": partial(play_games, games, workers),
    }
    return works[what]()


main = script(
    __doc__,
    measure,
    option("what", choices=["compare", "renew", "games"]),
    option("--python", action="append", default=[], metavar="COMMAND", help="another Python to compare"),
    option("--only", default="", metavar="WORDS", help="only ways whose name has these words in it"),
    option("--games", type=int, default=5, help="whole games of each tower"),
    WORKERS,
)

if __name__ == "__main__":
    raise SystemExit(main())
