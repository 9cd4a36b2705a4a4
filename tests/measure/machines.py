"""The core by numba, by wasmtime, in JavaScript: are the documents of random drops the same, and how long they take.

TOWER_SIM_CORE=wasm python -m tests.measure.machines draw wasm.jsonl --drops 10000
python -m tests.measure.machines draw chromium.jsonl --by chromium
python -m tests.measure.machines compare numba.jsonl wasm.jsonl
python -m tests.measure.machines time

`draw` draws what to throw from each number, 0, 1, ..., and writes a line of JSON: the apparatus, the cubes, the seed,
and the digest (SHA-256) of the document that `tower-sim drop --json` prints, by Python, node or Chromium. Stopped and
run again, it goes on. `compare` counts the lines that differ; the exit status is 1 when one does. `time` does the
same drops by numba and by wasmtime, in turn, in one process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load, names
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.live.bundle import bundled
from tower_sim.physics.core import machine
from tower_sim.physics.plain import core, document
from tower_sim.requests import DropRequest, drop_document, outcome
from tower_sim.simulator import PhysicsModel

COLOURS = ("blue", "red", "green")
TIMED = (("amerigo", 49, 12), ("amerigo", 5, 30), ("dead_reckoning", 3, 40), ("wallenstein", 9, 15))
"""Apparatus, cubes, drops."""
AT_ONCE = 20  # drops of which a browser or node is asked at a time
_IN_JAVASCRIPT = """
const models = {};
async function drawn(asked) {
  const bytes = Uint8Array.from(atob(MADE.core), (letter) => letter.charCodeAt(0));
  const texts = [];
  for (const { apparatus, cubes, seed } of asked) {
    models[apparatus] ??= await physics.openPhysics(MADE.profiles[apparatus], bytes);
    texts.push(physics.documentText(physics.dropDocument(models[apparatus], { cubes, seed })));
  }
  return texts;
}
"""
_IN_NODE = """
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  console.log(JSON.stringify(await drawn(JSON.parse(line))));
});
"""
Asked = dict[str, Any]


def asked(number: int) -> Asked:
    """Return what the drop with this number is: mostly a few cubes, at most 49 in a tower and 12 through a ship."""
    rng = np.random.default_rng([32, number])
    apparatus = str(rng.choice(names()))
    most = 12 if load(apparatus).board else 49
    counts = rng.multinomial(1 + int((most - 1) * rng.random() ** 3), [1 / len(COLOURS)] * len(COLOURS))
    return {"apparatus": apparatus, "cubes": dict(zip(COLOURS, counts.tolist(), strict=True)), "seed": str(number)}


@cache
def _model(apparatus: str) -> PhysicsModel:
    return PhysicsModel(load(apparatus))


def by_python(asked: Sequence[Asked]) -> list[str]:
    """Do drops by the core that Python takes; returns the text of each document."""
    requests = [DropRequest(each["apparatus"], "physics", int(each["seed"]), each["cubes"]) for each in asked]
    return [json.dumps(drop_document(each, outcome(each, _model(each.apparatus)))) for each in requests]


def _javascript() -> str:
    made = {"core": b64encode(core()).decode(), "profiles": {name: document(load(name)) for name in names()}}
    physics = bundled("physics", resources.files("tower_sim.physics"), "js/index.js")
    return f"{physics}const MADE = {json.dumps(made)};\n{_IN_JAVASCRIPT}"


@contextmanager
def by_node() -> Iterator[Callable[[Sequence[Asked]], list[str]]]:
    """Give what does drops in node."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "draw.cjs"
        script.write_text(_javascript() + _IN_NODE, "utf-8")
        with subprocess.Popen(["node", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
            assert node.stdin is not None
            assert node.stdout is not None
            way_in, way_out = node.stdin, node.stdout

            def answer(asked: Sequence[Asked]) -> list[str]:
                print(json.dumps(asked), file=way_in, flush=True)
                return json.loads(way_out.readline())

            yield answer


@contextmanager
def by_chromium() -> Iterator[Callable[[Sequence[Asked]], list[str]]]:
    """Give what does drops in a page."""
    from tests.support.browser import browsing

    with browsing() as watched:
        watched.page.add_script_tag(content=f"{_javascript()}window.drawn = drawn;")
        yield lambda asked: watched.page.evaluate("asked => drawn(asked)", list(asked))


MACHINES = {"python": lambda: nullcontext(by_python), "node": by_node, "chromium": by_chromium}


def draw(file: Path, drops: int, by: str) -> None:
    """Append the drops that the file lacks."""
    with file.open("a+", encoding="utf-8") as lines, MACHINES[by]() as answer:
        lines.seek(0)
        for first in range(len(lines.readlines()), drops, AT_ONCE):
            asks = [asked(number) for number in range(first, min(first + AT_ONCE, drops))]
            for each, text in zip(asks, answer(asks), strict=True):
                print(json.dumps({**each, "digest": hashlib.sha256(text.encode()).hexdigest()}), file=lines)
            lines.flush()


def compare(files: Sequence[Path]) -> None:
    """Print how many drops differ; raises UsageError where one does, or where other cubes were thrown."""
    one, other = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files)
    number = min(len(one), len(other))
    if different := [a["seed"] for a, b in zip(one, other, strict=False) if a != b]:
        raise UsageError(f"{len(different)} of {number} drops differ, the first with seed {different[0]}")
    print(f"0 of {number} drops differ")


def timed() -> None:
    """Print the table."""
    from tower_sim.physics.core.by_wasm import machine as by_wasmtime

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
    one.add_argument("--by", choices=MACHINES, default="python")
    one.set_defaults(run=lambda options: draw(options.file, options.drops, options.by))
    two = works.add_parser("compare", help="count the drops that differ")
    two.add_argument("files", type=Path, nargs=2)
    two.set_defaults(run=lambda options: compare(options.files))
    works.add_parser("time", help="time drops").set_defaults(run=lambda _: timed())
    options = parser.parse_args(arguments)
    return ended("machines", lambda: options.run(options))


if __name__ == "__main__":
    sys.exit(main())
