"""Towers of boxes against their own files: do they keep as many cubes, what does it cost, and does any cube get out?

    python -m tests.measure.meshes --drops 400 --loose 2000

Each of three towers is exported as STL, imported again with its own surfaces and hand, and 49 cubes are thrown into
both. Then `--loose` throws of 12 cubes each count cubes that are where none can be. A second call goes on: the counts
stand in docs/printed/kept.csv, a line for every throw. Times are CPU times of the same process, boxes and mesh in turn.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import from_tables, load
from tower_sim.apparatus.mesh.importing import import_mesh
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.pool import spread_out
from tower_sim.printing import export
from tower_sim.simulator import PhysicsModel

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "docs/printed/kept.csv"
TOWERS = {
    "amerigo": "amerigo",
    "wallenstein": "wallenstein",
    "rulebook": str(ROOT / "tests/measure/towers/rulebook.toml"),
}
CUBES, FEW = 49, 12
COLUMNS = ("tower", "as", "cubes", "seed", "status", "inside", "seconds")
Row = tuple[str, str, int, int, str, int, float]


@cache
def both(name: str) -> tuple[Apparatus, Apparatus]:
    """Return a tower of boxes and the same from its file."""
    boxes = load(TOWERS[name])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{name}.stl")
        export(boxes, file)
        mesh = import_mesh(file, Path(folder, f"{name}.toml"), edge=1e3 * boxes.cube_edge).tower
    tables, own = dict(mesh.profile), boxes.profile
    surface = own["surfaces"]["cardboard"]
    tables["surfaces"] = {"cube": own["surfaces"]["cube"], "printed": surface, "pane": surface, "table": surface}
    tables["release"] = own["release"]
    tables["exit"] = {**tables["exit"], "emerged": own["exit"]["emerged"]}
    return boxes, from_tables(tables, f"{name}-mesh")


def throws(asked: tuple[str, int, range]) -> list[Row]:
    """Throw once for each seed into boxes and mesh, or with few cubes into the mesh alone."""
    name, cubes, seeds = asked
    rows: list[Row] = []
    for kind, shape in zip(("boxes", "mesh"), both(name), strict=True):
        if kind == "boxes" and cubes == FEW:
            continue
        with PhysicsModel(shape) as model:
            thrown = supply({"red": cubes}, shape.cube_edge)
            model.drop(model.empty(), thrown[:1], np.random.default_rng(0))  # compiles, writes the solids
            for seed in seeds:
                start = time.process_time()
                outcome = model.drop(model.empty(), thrown, np.random.default_rng(seed))
                took = time.process_time() - start
                inside = len(outcome.state.residents) if outcome.status.is_landing else -1
                rows.append((name, kind, cubes, seed, str(outcome.status), inside, round(took, 4)))
    return rows


def known() -> list[Row]:
    """Return the throws that are stored."""
    if not FILE.exists():
        return []
    with FILE.open(newline="") as file:
        return [
            (
                row["tower"],
                row["as"],
                int(row["cubes"]),
                int(row["seed"]),
                row["status"],
                int(row["inside"]),
                float(row["seconds"]),
            )
            for row in csv.DictReader(file)
        ]


def play_on(drops: int, loose: int, workers: int) -> None:
    """Make the throws that are missing, and store them piece by piece."""
    stored = {row[:4] for row in known()}
    pieces = [
        (name, cubes, range(start, min(start + 20, number)))
        for cubes, number in ((CUBES, drops), (FEW, loose))
        for start in range(0, number, 20)
        for name in TOWERS
    ]
    left = [piece for piece in pieces if (piece[0], "mesh", piece[1], piece[2][-1]) not in stored]
    FILE.parent.mkdir(exist_ok=True)
    if not FILE.exists():
        FILE.write_text(",".join(COLUMNS) + "\n", "utf-8")
    for rows in spread_out(throws, left, workers, "pieces of 20 throws"):
        with FILE.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def table() -> Iterator[str]:
    """Yield the lines of the table in docs/printed.md."""
    rows = known()
    yield "| tower | inside of 49, boxes | inside of 49, mesh | difference | time, mesh by boxes | throws | escaped |"
    yield "|---|---|---|---|---|---|---|"
    for name in TOWERS:
        kept = {kind: [r[5] for r in rows if r[:3] == (name, kind, CUBES) and r[5] >= 0] for kind in ("boxes", "mesh")}
        (a, ea), (b, eb) = ((np.mean(each), np.std(each, ddof=1) / len(each) ** 0.5) for each in kept.values())
        seconds = {kind: sum(r[6] for r in rows if r[:3] == (name, kind, CUBES)) for kind in kept}
        meshes = [r for r in rows if r[:2] == (name, "mesh")]
        escaped = sum(row[4] == "escaped" for row in meshes)
        yield (
            f"| {name} | {a:.2f} ± {ea:.2f} | {b:.2f} ± {eb:.2f} | {b - a:+.2f} ± {(ea**2 + eb**2) ** 0.5:.2f} | "
            f"{seconds['mesh'] / seconds['boxes']:.2f} | {len(kept['mesh'])} | {escaped} of {len(meshes)} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Throw what is missing and print the table; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drops", type=int, default=400, help="throws of 49 cubes")
    parser.add_argument("--loose", type=int, default=2000, help="throws of 12 cubes into the mesh")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args(arguments)

    def run() -> None:
        play_on(options.drops, options.loose, options.workers)
        print("\n".join(table()))

    return ended("meshes", run)


if __name__ == "__main__":
    sys.exit(main())
