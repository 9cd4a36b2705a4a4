"""The core by numba, by wasmtime, in JavaScript: are the documents of random drops the same, and how long they take.

TOWER_SIM_CORE=wasm python -m tests.measure.machines draw wasm.jsonl --drops 10000
python -m tests.measure.machines compare numba.jsonl wasm.jsonl
python -m tests.measure.machines time

`draw` draws what to throw from each number, 0, 1, ..., and writes a line of JSON: the apparatus, the cubes, the seed,
and the digest (SHA-256) of the document that `tower-sim drop --json` prints. Stopped and run again, it goes on. Another
machine reads what to throw from such a file and writes one of its own. `compare` counts the lines that differ; the
exit status is 1 when one does. `time` does the same drops by numba and by wasmtime, in turn, in one process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load, names
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.physics.core import machine
from tower_sim.requests import DropRequest, drop_document, outcome
from tower_sim.simulator import PhysicsModel

COLOURS = ("blue", "red", "green")
TIMED = (("amerigo", 49, 12), ("amerigo", 5, 30), ("dead_reckoning", 3, 40), ("wallenstein", 9, 15))
"""Apparatus, cubes, drops."""


def asked(number: int) -> dict[str, Any]:
    """Return what the drop with this number is: mostly a few cubes, at most 49 in a tower and 12 through a ship."""
    rng = np.random.default_rng([32, number])
    apparatus = str(rng.choice(names()))
    most = 12 if load(apparatus).board else 49
    counts = rng.multinomial(1 + int((most - 1) * rng.random() ** 3), [1 / len(COLOURS)] * len(COLOURS))
    return {"apparatus": apparatus, "cubes": dict(zip(COLOURS, counts.tolist(), strict=True)), "seed": str(number)}


@cache
def _model(apparatus: str) -> PhysicsModel:
    return PhysicsModel(load(apparatus))


def drawn(what: dict[str, Any]) -> dict[str, Any]:
    """Do a drop; returns what it is, with the digest of its document."""
    request = DropRequest(what["apparatus"], "physics", int(what["seed"]), what["cubes"])
    document = drop_document(request, outcome(request, _model(what["apparatus"])))
    return {**what, "digest": hashlib.sha256(json.dumps(document).encode()).hexdigest()}


def draw(file: Path, drops: int) -> None:
    """Append the drops that the file lacks."""
    with file.open("a+", encoding="utf-8") as lines:
        lines.seek(0)
        for number in range(len(lines.readlines()), drops):
            print(json.dumps(drawn(asked(number))), file=lines, flush=True)


def compare(files: Sequence[Path]) -> None:
    """Print how many drops differ; raises UsageError where one does, or where other cubes were thrown."""
    one, other = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files)
    number = min(len(one), len(other))
    if different := [a["seed"] for a, b in zip(one, other, strict=False) if a != b]:
        raise UsageError(f"{len(different)} of {number} drops differ, the first with seed {different[0]}")
    print(f"0 of {number} drops differ")


def timed() -> None:
    """Print the table."""
    from tower_sim.physics.core.wasm.machine import machine as by_wasmtime

    print("| CPU time of a drop, ms | numba | wasmtime | wasmtime / numba | drops |\n|---|---|---|---|---|")
    for name, cubes, drops in TIMED:
        spent: list[list[float]] = []
        models: list[PhysicsModel] = []
        for each in (machine.PYTHON, by_wasmtime()):
            machine.chosen = lambda each=each: each
            models.append(PhysicsModel(load(name)))
        for seed in range(-1, drops):
            spent.append([seconds(model, cubes, abs(seed)) for model in models])
        ours, theirs = np.array(spent[1:]).T * 1e3
        ratio = theirs.mean() / ours.mean()
        error = ratio * np.std(theirs / theirs.mean() - ours / ours.mean(), ddof=1) / np.sqrt(drops)
        row = f"{ours.mean():.1f} | {theirs.mean():.1f} | {ratio:.2f} +- {error:.2f} | {drops}"
        print(f"| {cubes} into `{name}` | {row} |", flush=True)


def seconds(model: PhysicsModel, cubes: int, seed: int) -> float:
    """Return the CPU time of a drop into the empty apparatus."""
    rng, thrown, begun = np.random.default_rng(seed), supply({"red": cubes}, model.cube_edge), time.process_time()
    model.drop(model.empty(), thrown, rng)
    return time.process_time() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; returns the exit status, see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    works = parser.add_subparsers(dest="what", required=True)
    one = works.add_parser("draw", help="do random drops and keep their digests")
    one.add_argument("file", type=Path)
    one.add_argument("--drops", type=int, default=10_000)
    one.set_defaults(run=lambda options: draw(options.file, options.drops))
    two = works.add_parser("compare", help="count the drops that differ")
    two.add_argument("files", type=Path, nargs=2)
    two.set_defaults(run=lambda options: compare(options.files))
    works.add_parser("time", help="time drops").set_defaults(run=lambda _: timed())
    options = parser.parse_args(arguments)
    return ended("machines", lambda: options.run(options))


if __name__ == "__main__":
    sys.exit(main())
