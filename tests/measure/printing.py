"""Measure what a printed tower keeps, read back from its files, and how its shape differs: docs/printing.md.

python -m tests.measure.printing amerigo --drops 3000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.pool import spread_out
from tower_sim.printing import folder, solid, walls
from tower_sim.printing.export import export
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import mean_error

CUBES, LATER = 49, 6
_BATCH = 50  # drops between two readings of the files


def kept(seeds: range, tower: Apparatus) -> list[tuple[int, int] | None]:
    """Throw 49 cubes into the empty tower and then six: what is inside after each; None where a drop is no landing."""
    counts: list[tuple[int, int] | None] = []
    with PhysicsModel(tower, accuracy("core", STANDARD)) as model:
        for seed in seeds:
            state, inside = model.empty(), list[int]()
            first = supply({"first": CUBES}, model.cube_edge)
            later = supply({"later": LATER}, model.cube_edge, first_id=CUBES)
            for drop, new in enumerate((first, later)):
                stream = np.random.SeedSequence(seed, spawn_key=(drop,))
                outcome = model.drop(state, new, np.random.default_rng(stream))
                if not outcome.status.is_landing:
                    break
                state = outcome.state
                inside.append(len(state.residents))
            counts.append((inside[0], inside[1]) if len(inside) == 2 else None)
    return counts


def _batch(seeds: range, name: str, place: str | None) -> list[tuple[int, int] | None]:
    return kept(seeds, folder.read(place).apparatus if place else load(name))


def beside(name: str, drops: int, workers: int) -> str:
    """Say what the profile's tower and the printed one keep of the same throws."""
    with tempfile.TemporaryDirectory() as place:
        export(name, "stl", place)
        lines: list[str] = []
        means: list[list[tuple[float, float]]] = []
        for words, where in (("simulated", None), ("printed", place)):
            batches = [range(start, min(start + _BATCH, drops)) for start in range(0, drops, _BATCH)]
            work = partial(_batch, name=name, place=where)
            rows = [row for batch in spread_out(work, batches, workers, "batches") for row in batch]
            found = np.array([row for row in rows if row])
            means.append([mean_error(found[:, k]) for k in range(2)])
            told = ", then ".join(f"{mean:.2f} ± {error:.2f}" for mean, error in means[-1])
            lines.append(f"{words}: {told} inside (n = {len(found)} of {drops}; others left over the rim)")
        for k, words in enumerate(("after 49", "after 6 more")):
            (a, p), (b, q) = means[0][k], means[1][k]
            lines.append(f"difference {words}: {b - a:+.2f} ± {float(np.hypot(p, q)):.2f}")
        return "\n".join(lines)


def shape(name: str, wall: float = walls.WALL) -> str:
    """Say how the printed shape differs from the boxes that are simulated, and how many hulls it is read back as."""
    tower = load(name)
    boxes = solid.halves(solid.union([piece.solid() for piece in walls.pieces(tower, None)]), (0.0, 0.0, 1.0), 0.0)[0]
    made = walls.whole(tower, wall)
    with tempfile.TemporaryDirectory() as place:
        export(name, "stl", place)
        again = folder.read(place)
    parts = solid.union([solid.from_mesh(mesh) for mesh in again.meshes])
    return (
        f"{name}: boxes {boxes.volume() / 1e3:.1f} cm3, printed {made.volume() / 1e3:.1f} cm3 and "
        f"{(parts - made).volume() / 1e3:.1f} cm3 of ears; only in the boxes {(boxes - made).volume() / 1e3:.1f}, only "
        f"in the print {(made - boxes).volume() / 1e3:.1f} cm3; {len(again.apparatus.hulls)} hulls, which miss "
        f"{again.missed:.1e} of the volume"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and say it; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tower", nargs="?", default="amerigo", help="a shipped profile or a TOML file")
    parser.add_argument("--drops", type=int, default=3000, help="set-ups of either tower; 0: the shape alone")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args(arguments)

    def say() -> None:
        print(shape(options.tower))
        if options.drops:
            print(beside(options.tower, options.drops, options.workers))

    return ended("printing", say)


if __name__ == "__main__":
    sys.exit(main())
