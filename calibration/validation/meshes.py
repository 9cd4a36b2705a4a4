"""Compare towers of boxes with their own files: what both keep, what it costs, and whether a cube gets out.

    python -m calibration.validation.meshes --drops 400 --loose 2000

Each of three towers is exported as STL and imported again with its own surfaces and hand. 49 cubes are thrown into
both, and into the mesh whose prisms are solids for themselves: cubes catch on their seams, as on those of boxes. Then
`--loose` throws of 12 cubes each count cubes that are where none can be. A second call goes on: the counts stand in
docs/printed/kept.csv, a line for 20 throws. Times are CPU times of the same process, boxes and mesh in turn.
"""

from __future__ import annotations

import csv
import dataclasses
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from calibration.validation.script import ROOT, WORKERS, option, put, script, table_lines
from tests.support.pool import spread_out
from tests.support.towers import RULEBOOK
from tower_sim.apparatus.catalogue import from_tables, load
from tower_sim.apparatus.mesh.importing import import_mesh
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.printing import export
from tower_sim.simulator import PhysicsModel

FILE = ROOT / "docs/printed/kept.csv"
TOWERS = {
    "amerigo": "amerigo",
    "wallenstein": "wallenstein",
    "rulebook": RULEBOOK,
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


def throw_cubes(piece: tuple[str, int, range]) -> list[Row]:
    name, cubes, seeds = piece
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


def read_rows() -> list[Row]:
    if not FILE.exists():
        return []
    with FILE.open(newline="") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    return [(row[0], row[1], *map(int, row[2:9]), float(row[9])) for row in rows]  # type: ignore[misc]


def play_on(drops: int, loose: int, workers: int) -> None:
    stored = {row[:4] for row in read_rows()}
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
    for rows in spread_out(throw_cubes, left, workers, "pieces of 20 throws"):
        with FILE.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def table() -> Iterator[str]:
    rows = read_rows()
    head = ["tower", "boxes", "mesh", "difference", "mesh that catches", "time, mesh by boxes", "throws", "escaped"]
    return table_lines(head, map(partial(_row, rows), TOWERS))


def _row(rows: Sequence[Row], name: str) -> Sequence[object]:
    means: list[tuple[float, float]] = []
    seconds: list[float] = []
    number = 0
    for kind in ("boxes", "mesh", "catching"):
        own = [row for row in rows if row[:3] == (name, kind, CUBES)]
        number, total, squares = (sum(int(row[column]) for row in own) for column in (5, 7, 8))
        mean = total / number
        means.append((mean, ((squares / number - mean * mean) / (number - 1)) ** 0.5))
        seconds.append(sum(row[9] for row in own))
    (boxes, _), (mesh, _), _ = means
    of_boxes, of_mesh, of_catching = (f"{mean:.2f} ± {error:.2f}" for mean, error in means)
    difference = f"{mesh - boxes:+.2f} ± {math.hypot(means[0][1], means[1][1]):.2f}"
    escaped, throws = (sum(int(row[i]) for row in rows if row[:2] == (name, "mesh")) for i in (6, 4))
    ratio = f"{seconds[1] / seconds[0]:.2f}"
    return name, of_boxes, of_mesh, difference, of_catching, ratio, number, f"{escaped} of {throws}"


def measure(drops: int, loose: int, workers: int) -> None:
    play_on(drops, loose, workers)
    put(ROOT / "docs/printed.md", "meshes", "\n".join(table()))


main = script(
    __doc__,
    measure,
    option("--drops", type=int, default=400, help="throws of 49 cubes"),
    option("--loose", type=int, default=2000, help="throws of 12 cubes into the mesh"),
    WORKERS,
)

if __name__ == "__main__":
    raise SystemExit(main())
