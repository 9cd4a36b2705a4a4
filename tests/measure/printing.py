"""Measure what a printed tower keeps, read back from its files, or one of panels, and its shape: docs/printing.md.

python -m tests.measure.printing amerigo --drops 3000
python -m tests.measure.printing amerigo --drops 1000 --panels 3
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.physics.core import arrays
from tower_sim.physics.film import Film
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.physics.world import GRAVITY, World
from tower_sim.pool import spread_out
from tower_sim.printing import folder, solid, walls
from tower_sim.printing.export import export
from tower_sim.printing.panels import built, panels
from tower_sim.simulator import PhysicsModel
from tower_sim.state import Pose
from tower_sim.statistics import mean_error

CUBES, LATER = 49, 6
_BATCH = 50  # drops between two readings of the files
_POSES = 3000  # of a throw
_ALIKE, _NEAR = 0.9998, 2e-5  # cosine of the angle between two normals, difference of two gaps (m)


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


def _batch(seeds: range, name: str, made: str | float | None) -> list[tuple[int, int] | None]:
    return kept(seeds, _tower(name, made))


def _tower(name: str, made: str | float | None) -> Apparatus:
    """Return a profile's tower; as it is printed in a folder, or made of panels of so many mm."""
    if isinstance(made, str):
        return folder.read(made).apparatus
    return load(name) if made is None else built(load(name), panels(load(name), made))


def beside(name: str, drops: int, workers: int, panels_of: float | None = None) -> str:
    """Say what the profile's tower and the printed one, or that of panels of so many mm, keep of the same throws."""
    with tempfile.TemporaryDirectory() as place:
        export(name, "stl", place)
        lines: list[str] = []
        means: list[list[tuple[float, float]]] = []
        other = ("printed", place) if panels_of is None else (f"panels of {panels_of:g} mm", panels_of)
        for words, how in (("simulated", None), other):
            batches = [range(start, min(start + _BATCH, drops)) for start in range(0, drops, _BATCH)]
            work = partial(_batch, name=name, made=how)
            rows = [row for batch in spread_out(work, batches, workers, "batches") for row in batch]
            found = np.array([row for row in rows if row])
            means.append([mean_error(found[:, k]) for k in range(2)])
            told = ", then ".join(f"{mean:.2f} ± {error:.2f}" for mean, error in means[-1])
            lines.append(f"{words}: {told} inside (n = {len(found)} of {drops}; others left over the rim)")
        for k, words in enumerate(("after 49", "after 6 more")):
            (a, p), (b, q) = means[0][k], means[1][k]
            lines.append(f"difference {words}: {b - a:+.2f} ± {float(np.hypot(p, q)):.2f}")
        return "\n".join(lines)


def touches(name: str, throws: int) -> str:
    """Say of how many contacts of cubes in the profile's tower, in flight and at rest, the printed one has none alike.

    Poses are 3,000 of each of so many throws of 49 cubes, drawn at random, and all cubes inside at the end. Contacts
    are alike whose normals are within a degree, and whose gaps within 0.02 mm.
    """
    film, rng = Film(), np.random.default_rng(3)
    own = load(name)
    with PhysicsModel(own, accuracy("core", STANDARD), film) as model:
        for seed in range(throws):
            model.drop(model.empty(), supply({"first": CUBES}, model.cube_edge), np.random.default_rng(seed))
    poses: list[list[float]] = []
    for shot in film.taken():
        seen = np.concatenate([strip.poses.reshape(-1, 7) for strip in shot.reel.strips]) if shot.reel else np.empty(0)
        poses += rng.permutation(seen)[:_POSES].tolist()
        rest = [resident.pose for resident in shot.outcome.state.residents if resident.pose]
        poses += [[*pose.position, *pose.orientation] for pose in rest]
    with tempfile.TemporaryDirectory() as place:
        export(name, "stl", place)
        both = [_contacts(tower, poses) for tower in (own, folder.read(place).apparatus)]
    told: list[str] = []
    for words, (one, other) in (("simulated", both), ("printed", both[::-1])):
        alone = Counter[str]()
        for here, there in zip(one, other, strict=True):
            for part, normal, gap in here:
                if not any(normal @ n > _ALIKE and abs(gap - g) < _NEAR for _, n, g in there):
                    alone[part] += 1
        of_parts = ", ".join(f"{part} {number}" for part, number in alone.most_common())
        told.append(f"of {sum(map(len, one))} {words} {alone.total()} have none alike ({of_parts})")
    return f"{name}: {len(poses)} poses; contacts: {'; '.join(told)}"


def _contacts(tower: Apparatus, poses: Sequence[Sequence[float]]) -> list[list[tuple[str, Any, float]]]:
    """Return for each pose of a cube which parts it touches, or nearly does: part, normal, least gap (m)."""
    found: list[list[tuple[str, Any, float]]] = []
    with World(accuracy("core", STANDARD)) as world:
        engine: Any = world.engine
        world.clear(tower.cube_edge, (0.0, 0.0, -GRAVITY))
        engine.add_boxes(tower.boxes, tower.surfaces, tower.between_cubes)
        engine.add_hulls(tower.hulls, tower.surfaces)
        engine.set_cubes(1e-3)
        row = len(tower.solids)
        engine.add_cube(Pose((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)))
        for pose in poses:
            tables: arrays.Tables = engine._world
            tables.bodies[row, arrays.POSITION : arrays.TURN + 4] = pose
            engine.lie_still()
            known = [(p, *tables.pairs[p, 1:3]) for p in range(tables.whole[arrays.PAIRS]) if tables.pairs[p, 2]]
            gaps = [tables.meets[p, arrays.POINT + 3 : arrays.POINT + 4 * points : 4].min() for p, _, points in known]
            found.append(
                [
                    (tower.solids[other].part, tables.meets[p, :3].copy(), float(gap))
                    for (p, other, _), gap in zip(known, gaps, strict=True)
                ]
            )
    return found


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
    parser.add_argument("--panels", type=float, metavar="MM", help="panels of so many mm instead of a print")
    parser.add_argument("--touches", type=int, default=0, metavar="THROWS", help="compare contacts, of so many throws")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args(arguments)

    def say() -> None:
        if options.panels is None:
            print(shape(options.tower))
        if options.touches:
            print(touches(options.tower, options.touches))
        if options.drops:
            print(beside(options.tower, options.drops, options.workers, options.panels))

    return ended("printing", say)


if __name__ == "__main__":
    sys.exit(main())
