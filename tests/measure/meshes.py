"""Compare towers of boxes with their own files: what both keep, what it costs, and whether a cube gets out.

    python -m tests.measure.meshes --drops 400 --loose 2000

Each of three towers is exported as STL and imported again with its own surfaces and hand. 49 cubes are thrown into
both, and into the mesh whose prisms are solids for themselves: cubes catch on their seams, as on those of boxes. Then
`--loose` throws of 12 cubes each count cubes that are where none can be. A second call goes on: the counts stand in
docs/printed/kept.csv, a line for 20 throws. Times are CPU times of the same process, boxes and mesh in turn.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from tests.measure.script import ended, put
from tower_sim.apparatus.catalogue import from_tables, load
from tower_sim.apparatus.mesh.importing import import_mesh
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.printing import export
from tower_sim.simulator import PhysicsModel
from tower_sim.tools.pool import spread_out

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "docs/printed/kept.csv"
TOWERS = {
    "amerigo": "amerigo",
    "wallenstein": "wallenstein",
    "rulebook": str(ROOT / "tests/measure/towers/rulebook.toml"),
}
CUBES, FEW = 49, 12
COLUMNS = ("tower", "as", "cubes", "seed", "throws", "landed", "escaped", "inside", "squares", "seconds")
Row = tuple[str, str, int, int, int, int, int, int, int, float]


@cache
def shapes(name: str) -> dict[str, Apparatus]:
    """Return a tower of boxes, the same from its file, and that with prisms at whose seams cubes catch as at boxes."""
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
    tower = from_tables(tables, f"{name}-mesh")
    catching = tuple(dataclasses.replace(hull, least_cosines=()) for hull in tower.hulls)
    return {"boxes": boxes, "mesh": tower, "catching": dataclasses.replace(tower, hulls=catching, digest="catching")}


def throws(asked: tuple[str, int, range]) -> list[Row]:
    """Throw once for each seed into boxes and mesh, or with few cubes into the mesh alone."""
    name, cubes, seeds = asked
    rows: list[Row] = []
    for kind, shape in shapes(name).items():
        if kind != "mesh" and cubes == FEW:
            continue
        with PhysicsModel(shape) as model:
            thrown = supply({"red": cubes}, shape.cube_edge)
            model.drop(model.empty(), thrown[:1], np.random.default_rng(0))  # compiles, writes the solids
            start = time.process_time()
            outcomes = [model.drop(model.empty(), thrown, np.random.default_rng(seed)) for seed in seeds]
            took = time.process_time() - start
        inside = [len(outcome.state.residents) for outcome in outcomes if outcome.status.is_landing]
        escaped = sum(str(outcome.status) == "escaped" for outcome in outcomes)
        sums = sum(inside), sum(number * number for number in inside)
        rows.append((name, kind, cubes, seeds[0], len(seeds), len(inside), escaped, *sums, round(took, 3)))
    return rows


def known() -> list[Row]:
    """Return the pieces that are stored."""
    if not FILE.exists():
        return []
    with FILE.open(newline="") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    return [(row[0], row[1], *map(int, row[2:9]), float(row[9])) for row in rows]  # type: ignore[misc]


def play_on(drops: int, loose: int, workers: int) -> None:
    """Make the throws that are missing, and store them piece by piece."""
    stored = {row[:4] for row in known()}
    pieces = [
        (name, cubes, range(start, min(start + 20, number)))
        for cubes, number in ((CUBES, drops), (FEW, loose))
        for start in range(0, number, 20)
        for name in TOWERS
    ]
    left = [
        piece
        for piece in pieces
        if (piece[0], "catching" if piece[1] == CUBES else "mesh", piece[1], piece[2][0]) not in stored
    ]
    FILE.parent.mkdir(exist_ok=True)
    if not FILE.exists():
        FILE.write_text(",".join(COLUMNS) + "\n", "utf-8")
    for rows in spread_out(throws, left, workers, "pieces of 20 throws"):
        with FILE.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def table() -> Iterator[str]:
    """Yield the lines of the table in docs/printed.md."""
    rows = known()
    yield "| tower | boxes | mesh | difference | mesh that catches | time, mesh by boxes | throws | escaped |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in TOWERS:
        means: dict[str, tuple[float, float]] = {}
        for kind in ("boxes", "mesh", "catching"):
            own = [row for row in rows if row[:3] == (name, kind, CUBES)]
            number, total, squares = (sum(int(row[column]) for row in own) for column in (5, 7, 8))
            mean = total / number
            means[kind] = mean, ((squares / number - mean * mean) / (number - 1)) ** 0.5
        (a, ea), (b, eb), (c, ec) = means.values()
        one, two = (sum(r[9] for r in rows if r[:3] == (name, kind, CUBES)) for kind in ("boxes", "mesh"))
        meshes = [row for row in rows if row[:2] == (name, "mesh")]
        escaped = sum(row[6] for row in meshes)
        yield (
            f"| {name} | {a:.2f} ± {ea:.2f} | {b:.2f} ± {eb:.2f} | {b - a:+.2f} ± {(ea**2 + eb**2) ** 0.5:.2f} | "
            f"{c:.2f} ± {ec:.2f} | {two / one:.2f} | {number} | {escaped} of {sum(r[4] for r in meshes)} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Throw what is missing and write the table of docs/printed.md; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drops", type=int, default=400, help="throws of 49 cubes")
    parser.add_argument("--loose", type=int, default=2000, help="throws of 12 cubes into the mesh")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args(arguments)

    def run() -> None:
        play_on(options.drops, options.loose, options.workers)
        put(ROOT / "docs/printed.md", "meshes", "\n".join(table()))

    return ended("meshes", run)


if __name__ == "__main__":
    sys.exit(main())
