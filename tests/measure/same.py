"""Measure what "the same bytes on every machine" and "a saved tower is a living one" rest on.

python -m tests.measure.same compare [--python COMMAND ...] [--only WORDS]
python -m tests.measure.same renew
python -m tests.measure.same games --games 5

`compare` runs the forty golden scenes compiled in several ways, as WebAssembly and as plain Python, each in a process
of its own that compiles everything itself, and compares their digests with those that are kept; `renew` keeps those of
this machine (after a change that is meant to change results). `games` plays whole games in a world that lives on and,
beside it, from states through text. The exit status is 1 when anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.measure.living import play_twins
from tests.measure.script import ended
from tests.support.golden_scenes import HASHES, SCENES, STANDARD, digest, kept
from tests.support.towers import CLUB, RULEBOOK, called
from tower_sim.apparatus.catalogue import load, names
from tower_sim.errors import UsageError
from tower_sim.physics.core import run
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import jit
from tower_sim.tools.pool import spread_out
from tower_sim.tools.writing import write

ROOT = Path(__file__).parents[2]
FUSED = re.compile(r"^\s+(v?fn?m(?:add|sub)\w*|fml[as])\b", re.MULTILINE)
"""A fused multiply-add, which rounds once where a multiplication and an addition round twice: x86-64 and AArch64."""
_REGISTER = re.compile(r"\b([xyz])mm\d")
_WITHOUT = {"WebAssembly": "wasm", "plain Python": "python"}
_CHILD = "from tests.measure import same; same.tell()"


@dataclass(frozen=True)
class Way:
    """A way to run the scenes: a Python, and variables of the environment."""

    name: str
    environment: Mapping[str, str]
    command: tuple[str, ...] = (sys.executable,)


@dataclass(frozen=True)
class Told:
    """What a process told: digests by scene, about its machine and code, seconds that it took."""

    digests: Mapping[str, str]
    about: Mapping[str, Any]
    seconds: float


def ways(pythons: Sequence[str] = ()) -> list[Way]:
    """Return all ways there are here, and both ways of some more Pythons."""
    found = [Way("as installed", {})]
    found += [Way(f"optimisation level {level}", {"NUMBA_OPT": level}) for level in "012"]
    found.append(Way("for any processor of this kind", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}))
    if platform.machine() in ("x86_64", "AMD64"):
        features = "+avx,+avx2,+fma,+bmi,+bmi2,+lzcnt,+movbe,+f16c,+popcnt,+sse4.2"
        found.append(Way("for x86-64-v3", {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": features}))
    found += [Way(name, {jit.VARIABLE: core}) for name, core in _WITHOUT.items()]
    for python in pythons:
        command = tuple(python.split())
        found.append(Way(python, {}, command))
        found += [Way(f"{python}, {name}", {jit.VARIABLE: core}, command) for name, core in _WITHOUT.items()]
    return found


def ask(way: Way) -> Told:
    """Run all scenes in one way, in a process that compiles everything itself; raises UsageError when it fails."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        own = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": folder, **way.environment}
        words = [*way.command, "-c", _CHILD]
        done = subprocess.run(words, cwd=ROOT, env=os.environ | own, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise UsageError(f"{way.name} ended with status {done.returncode}; allowed is 0; see what it says above")
    *lines, about = map(json.loads, done.stdout.splitlines())
    return Told({name: found for line in lines for name, found in line.items()}, about, time.monotonic() - began)


def tell() -> None:
    """Print the digest of each scene as a line of JSON, then one about this process: what `ask` reads."""
    for name in SCENES:
        print(json.dumps({name: digest(name)}), flush=True)
    numba = sys.modules["numba"].__version__ if jit.way() == "numba" else "none"
    about = {"machine": platform.machine(), "python": platform.python_version(), "numba": numba}
    print(json.dumps(about | counted(machine_code())))


def machine_code() -> str:
    """Return the assembly of all that was compiled in this process; none of plain Python."""
    functions = [each for each in vars(run).values() if getattr(each, "signatures", ())]
    return "\n".join(text for each in functions for text in each.inspect_asm().values())


def counted(code: str) -> dict[str, Any]:
    """Return the lines of machine code, the fused multiply-adds in it, and the widest registers of x86-64 it uses."""
    widest = max(_REGISTER.findall(code), default="")
    return {"lines": code.count("\n"), "fused": len(FUSED.findall(code)), "registers": widest and f"{widest}mm"}


def compare(pythons: Sequence[str], only: str) -> bool:
    """Print a table of all ways; tells whether everything is the same."""
    expected = kept()
    print("| way | machine | Python, numba | scenes that differ | lines of code, fused multiply-adds | seconds |")
    print("|---|---|---|---|---|---|")
    all_same = True
    for way in ways(pythons):
        if only not in way.name:
            continue
        told = ask(way)
        about = told.about
        other = [name for name in expected if told.digests[name] != expected[name]]
        all_same = all_same and not other and not about["fused"]
        print(
            f"| {way.name} | {about['machine']} {about['registers']} | {about['python']}, {about['numba']} "
            f"| {len(other)} of {len(expected)}{': ' * bool(other)}{'; '.join(other)} "
            f"| {about['lines']}, {about['fused']} | {told.seconds:.0f} |",
            flush=True,
        )
    return all_same


def renew() -> bool:
    """Keep the digests of this machine."""
    before = kept() if HASHES.exists() else {}
    found = {name: digest(name) for name in SCENES}
    write(HASHES, json.dumps(found, indent=1) + "\n")
    print(f"{sum(before.get(name) != found[name] for name in found)} of {len(found)} scenes have changed")
    return True


def game(profile: str, seed: int) -> tuple[int, int]:
    """Play a whole game by twins; returns how many drops were played, and after how many both were the same."""
    with PhysicsModel(load(profile), STANDARD) as model:
        played = list(play_twins(model, seed))
    return len(played), sum(each.is_same for each in played)


def games(number: int, workers: int) -> bool:
    """Play whole games in every shipped tower and two more; tells whether all of them were the same throughout."""
    print("| tower | games | drops | the same after it, to the last digit |")
    print("|---|---|---|---|")
    all_same = True
    for profile in (*names(), RULEBOOK, CLUB):
        if load(profile).board is not None:
            continue
        played = list(spread_out(partial(game, profile), range(number), workers))
        drops, same = (sum(column) for column in zip(*played, strict=True))
        all_same = all_same and drops == same
        print(f"| {called(profile)} | {number} | {drops} | {same} |", flush=True)
    return all_same


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; returns the exit status: 1 when something differs, else see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "renew", "games"])
    parser.add_argument("--python", action="append", default=[], metavar="COMMAND", help="another Python to compare")
    parser.add_argument("--only", default="", metavar="WORDS", help="only ways whose name has these words in it")
    parser.add_argument("--games", type=int, default=5, help="whole games of each tower")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    works: dict[str, Callable[[], bool]] = {
        "compare": partial(compare, options.python, options.only),
        "renew": renew,
        "games": partial(games, options.games, options.workers),
    }
    results: list[bool] = []
    status = ended("same", lambda: results.append(works[options.what]()))
    return status or (0 if all(results) else 1)


if __name__ == "__main__":
    sys.exit(main())
