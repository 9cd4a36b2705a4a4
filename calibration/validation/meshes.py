"""Compare towers of boxes with their own files: what both keep, what it costs, and whether a cube gets out.

    python -m calibration.validation.meshes --drops 400 --loose 2000

Each of three towers is exported as STL and imported again with its own surfaces and hand. 49 cubes are thrown into
both, and into the mesh whose prisms are solids for themselves: cubes catch on their seams, as on those of boxes. Then
`--loose` throws of 12 cubes each count cubes that are where none can be. A second call goes on: the counts stand in
docs/printed/kept.csv, a line for 20 throws. Times are CPU times of the same process, boxes and mesh in turn.
"""

from __future__ import annotations

import dataclasses
import math
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from calibration.validation.script import ROOT, WORKERS, go_on, option, put, script, table_lines
from tests.support.towers import RULEBOOK
from tower_sim.apparatus import Apparatus, export, from_tables, load
from tower_sim.apparatus.mesh.importing import import_mesh
from tower_sim.simulator import PhysicsModel
from tower_sim.values import supply

FILE = ROOT / "docs/printed/kept.csv"
TOWERS = {
    "amerigo": "amerigo",
    "wallenstein": "wallenstein",
    "rulebook": RULEBOOK,
}
CUBES, FEW = 49, 12


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


def throw_cubes(key: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Throw cubes into an empty tower with seeds from `seed` on; return counts and sums for each way it is built."""
    rows: list[dict[str, Any]] = []
    for kind, shape in shapes(key["tower"]).items():
        if kind != "mesh" and key["cubes"] == FEW:
            continue
        with PhysicsModel(shape) as model:
            thrown = supply({"red": key["cubes"]}, shape.cube_edge)
            model.drop(model.empty(), thrown[:1], np.random.default_rng(0))  # compiles, writes the solids
            start = time.process_time()
            rngs = [np.random.default_rng(key["seed"] + k) for k in range(key["throws"])]
            outcomes = [model.drop(model.empty(), thrown, rng) for rng in rngs]
            seconds = round(time.process_time() - start, 3)
        inside = np.array([len(outcome.state.residents) for outcome in outcomes if outcome.status.is_landing])
        sums = {"inside": int(inside.sum()), "squares": int((inside**2).sum()), "seconds": seconds}
        escaped = sum(str(outcome.status) == "escaped" for outcome in outcomes)
        rows.append({"as": kind, "landed": len(inside), "escaped": escaped, **sums})
    return rows


def keys(drops: int, loose: int) -> Iterator[Mapping[str, Any]]:
    for cubes, number in ((CUBES, drops), (FEW, loose)):
        for start in range(0, number, 20):
            for name in TOWERS:
                yield {"tower": name, "cubes": cubes, "seed": start, "throws": min(20, number - start)}


def table() -> Iterator[str]:
    """Return the lines of the table of docs/printed.md, from the counts in docs/printed/kept.csv."""
    sums: Any = pd.read_csv(FILE).groupby(["tower", "as", "cubes"]).sum()
    sums["mean"] = sums["inside"] / sums["landed"]
    sums["error"] = ((sums["squares"] / sums["landed"] - sums["mean"] ** 2) / (sums["landed"] - 1)) ** 0.5
    head = ["tower", "boxes", "mesh", "difference", "mesh that catches", "time, mesh by boxes", "throws", "escaped"]
    return table_lines(head, map(partial(_row, sums), TOWERS))


def _row(sums: Any, name: str) -> Sequence[object]:
    boxes, mesh, catching = (sums.loc[name, kind, CUBES] for kind in ("boxes", "mesh", "catching"))
    means = [f"{each['mean']:.2f} ± {each['error']:.2f}" for each in (boxes, mesh, catching)]
    difference = f"{mesh['mean'] - boxes['mean']:+.2f} ± {math.hypot(boxes['error'], mesh['error']):.2f}"
    escaped, throws = (int(sums.loc[name, "mesh"][column].sum()) for column in ("escaped", "throws"))
    ratio = f"{mesh['seconds'] / boxes['seconds']:.2f}"
    return name, *means[:2], difference, means[2], ratio, int(mesh["landed"]), f"{escaped} of {throws}"


def measure(drops: int, loose: int, workers: int) -> None:
    go_on(FILE, keys(drops, loose), throw_cubes, workers=workers)
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
