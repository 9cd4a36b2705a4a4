"""The runs of `granular`: each is one unit of work, kept as rows of a small CSV file, so that a study goes on later."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.validation.granular_piles import Crosses, Pile, Spheres, bed, bulk_fraction, deepest, pile
from tower_sim.apparatus.parts import Surface
from tower_sim.errors import UsageError
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.tools.writing import write

SEED = 20261123
BOUNCE = 0.4
HOPPER, FULL = 6.6, 130
"""The hopper: its width (edges), and the cubes in it, which stand some five edges high.

The width is no whole number: rows of cubes would fit between the walls and wedge.
"""
MOST = 100
"""Cubes after which an avalanche is stopped as it is: it is known to be larger."""
CHAIN = 15
"""Avalanches in one run of a hopper."""
ROUND = 16
"""Corners of a hole that is as good as round: its area is 1.3 % larger than the circle's in it."""
PATIENCE = 1.0
"""Seconds without a grain that falls after which an avalanche of Bullet's has ended: balls roll on for long."""
RISE = {"brisk": 0.45, "gentle": 0.56}
"""How a hand that pours rises: as if cubes filled this share of the box. Less than they do lets them fall further."""
KNOCKS = 40
"""Knocks after which an arch is left standing."""
LOOKS = (0, 1, 2, 5, 10, 15, 20, 30, 40)
"""Taps after which the fraction of a pile is looked at."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unit:
    """One run: what tells it from the others, a row's first columns, and the seed's last number."""

    key: Mapping[str, float | int | str]
    work: Callable[[Unit], list[Row]]

    def rng(self, *more: int) -> np.random.Generator:
        numbers = [round(1000 * value) for value in self.key.values() if not isinstance(value, str)]
        return np.random.default_rng([SEED, *numbers, *more])


class Table:
    """A CSV file of rows, each headed by the key of its run; written whole after every run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, str]] = []
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                self.rows = list(csv.DictReader(file))

    def has(self, key: Mapping[str, Any]) -> bool:
        return any(all(row.get(name) == str(value) for name, value in key.items()) for row in self.rows)

    def add(self, rows: Iterable[Row]) -> None:
        """Add the rows of a run; raises UsageError when their columns are not those of the file."""
        self.rows += [{name: str(value) for name, value in row.items()} for row in rows]
        names = list(self.rows[0])
        if any(list(row) != names for row in self.rows):
            raise UsageError(
                f"{self.path} has other columns; allowed is a file of this script; write into a new folder"
            )
        text = io.StringIO()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        write(self.path, text.getvalue(), "table")

    def columns(self) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        for name in self.rows[0] if self.rows else ():
            values = [row[name] for row in self.rows]
            try:
                found[name] = np.array([float(value) for value in values])
            except ValueError:
                found[name] = np.array(values)
        return found


def make(units: Sequence[Unit], table: Table, minutes: float) -> bool:
    begun = time.process_time()
    for number, unit in enumerate(units):
        if table.has(unit.key):
            continue
        if time.process_time() - begun > 60 * minutes:
            return False
        at = time.process_time()
        table.add([{**unit.key, **row} for row in unit.work(unit)])
        print(f"{number + 1} of {len(units)}: {dict(unit.key)}, {time.process_time() - at:.1f} s", flush=True)
    return True


# Packing


def pack(unit: Unit) -> list[Row]:
    cubes, friction, taps, g = (unit.key[name] for name in ("cubes", "friction", "taps", "strength"))
    width = round(1.135 * float(cubes) ** (1 / 3), 2)
    rows: list[Row] = []
    at, rng = time.process_time(), unit.rng()
    with pile(accuracy("core", str(unit.key["accuracy"])), bed(width, Surface(float(friction), BOUNCE))) as heap:
        heap.pour(int(cubes), rng, RISE[str(unit.key["pour"])])
        for tap in range(int(taps) + 1):
            if tap:
                heap.tap(float(g), rng)
            if tap in LOOKS:
                rows.append({"after": tap, **_look(heap, width), "cpu": round(time.process_time() - at, 1)})
    return rows


def _look(heap: Pile, width: float) -> Row:
    motion = heap.motion()
    inner = {f"fraction_{margin}": round(bulk_fraction(motion, width, margin), 4) for margin in (1, 2, 3)}
    top = float(np.quantile(motion.position[:, 2], 0.95)) / heap.shape.cube_edge
    heap.scene.lie_still()
    depth = deepest(heap.scene) / heap.shape.cube_edge
    return {"status": str(heap.status), "width": width, "top": round(top, 2), **inner, "overlap": round(depth, 4)}


def packing() -> list[Unit]:
    def unit(cubes: int, friction: float, seed: int, taps: int = 0, g: float = 0.0, pour: str = "brisk") -> Unit:
        key = {"cubes": cubes, "friction": friction, "taps": taps, "strength": g}
        return Unit({**key, "accuracy": "fast", "pour": pour, "seed": seed}, pack)

    frictions = (0.4, 0.2, 0.6, 0.8, 0.1)
    loose = [unit(300, friction, seed) for seed in range(4) for friction in frictions[:4]]
    tapped = [unit(300, friction, 10, 20, 2.0) for friction in frictions[:3]]
    large = [*(unit(500, friction, 0) for friction in frictions), unit(1000, 0.4, 0), unit(2000, 0.4, 0)]
    gentle = [unit(500, friction, 0, pour="gentle") for friction in (0.4, 0.8)]
    more = [unit(300, 0.4, 11, 40, 2.0), unit(500, 0.4, 1), unit(500, 0.4, 1, pour="gentle"), unit(1000, 0.4, 1)]
    return [*large[:5], tapped[0], *loose[:3], *large[5:], *gentle, *loose[3:6], *tapped[1:], *loose[6:], *more]


# Avalanches


def hopper(unit: Unit) -> list[Row]:
    key = unit.key
    outlet = (float(key["outlet"]), float(key.get("length", key["outlet"])))
    shape = bed(HOPPER, Surface(float(key["friction"]), BOUNCE), outlet, int(key.get("corners", 4)))
    with pile(accuracy("core", str(key.get("accuracy", "fast"))), shape) as heap:
        return _chain(heap, unit.rng(), tilt=float(key.get("tilt", 0.0)))


def _chain(heap: Pile, rng: np.random.Generator, patience: float = math.inf, tilt: float = 0.0) -> list[Row]:
    rows: list[Row] = []
    _fill(heap, rng, patience)
    if tilt:
        heap.tilt(tilt)
        heap.flow(rng, MOST, patience)
    for number in range(CHAIN):
        pokes, fallen, ended = 0, 0, True
        while not fallen and pokes < 20:
            heap.take_out(heap.arch())
            heap.give_back(rng)
            pokes += 1
            fallen, ended = heap.flow(rng, MOST, patience)
        rows.append({"number": number, "size": fallen, "ended": int(ended), "pokes": pokes})
        if not ended:
            break  # the next would begin in the middle of this one
    return rows


def _fill(heap: Pile, rng: np.random.Generator, patience: float = math.inf) -> None:
    """Pour the hopper full and let it run until it clogs, or as long as the longest avalanche."""
    heap.pour(FULL, rng)
    heap.give_back(rng)
    heap.flow(rng, MOST, patience)


def avalanches() -> list[Unit]:
    def unit(outlet: float, length: float, friction: float, seed: int, how: str = "fast") -> Unit:
        return Unit({"outlet": outlet, "length": length, "friction": friction, "accuracy": how, "seed": seed}, hopper)

    cells = [(2.5, 0.4), (2.5, 0.2), (2.5, 0.6), (2.0, 0.4), (2.0, 0.2), (2.0, 0.6)]
    others = [(3.0, 0.4), (1.5, 0.4), (3.5, 0.4), (2.5, 0.8)]
    chains = [unit(width, width, friction, seed) for seed in range(8) for width, friction in cells]
    beside = [unit(width, width, friction, seed) for seed in range(4) for width, friction in others]
    check = [unit(2.5, 2.5, 0.4, seed, "standard") for seed in range(2)]
    slits = [unit(width, HOPPER, 0.4, seed) for seed in range(2) for width in (1.5, 2.0)]
    first = [*chains[:6], *beside[:3], *slits[:2], *chains[6:12], *beside[3:5]]
    return [*first, *chains[12:24], *beside[5:], *slits[2:], *check, *chains[24:]]


# Tilted hoppers, and round holes


def tilts() -> list[Unit]:
    def unit(outlet: float, tilt: float, seed: int) -> Unit:
        return Unit({"outlet": outlet, "friction": 0.4, "tilt": tilt, "seed": seed}, hopper)

    return [unit(outlet, tilt, seed) for outlet in (2.5, 2.0) for seed in range(4) for tilt in (45.0, 30.0, 15.0, 60.0)]


def holes() -> list[Unit]:
    def unit(outlet: float, seed: int) -> Unit:
        return Unit({"outlet": outlet, "corners": ROUND, "friction": 0.4, "seed": seed}, hopper)

    return [unit(outlet, seed) for seed in range(4) for side in (2.5, 2.0) for outlet in (side, _as_large(side))]


def _as_large(side: float) -> float:
    return round(side / math.sqrt(ROUND / 4 * math.tan(math.pi / ROUND)), 3)


# Shapes


def avalanches_of_grains(unit: Unit) -> list[Row]:
    key = unit.key
    side = float(key["outlet"])
    shape = bed(HOPPER, Surface(float(key["friction"]), BOUNCE), (side, side))
    grain = str(key["grain"])
    with pile(accuracy("bullet", STANDARD), shape, {"ball": Spheres, "cross": Crosses}.get(grain)) as heap:
        return _chain(heap, unit.rng(("cube", "ball", "cross").index(grain)), PATIENCE)


def shapes() -> list[Unit]:
    def unit(grain: str, outlet: float, friction: float, seed: int) -> Unit:
        return Unit({"grain": grain, "outlet": outlet, "friction": friction, "seed": seed}, avalanches_of_grains)

    balls = [unit("ball", 2.0, friction, seed) for seed in range(4) for friction in (0.4, 0.2, 0.6)]
    others = [unit("ball", outlet, 0.4, seed) for seed in range(2) for outlet in (1.5, 2.5)]
    cubes = [unit("cube", 2.0, friction, seed) for seed in range(3) for friction in (0.4, 0.2, 0.6)]
    kinds = [(2.0, 0.4), (1.5, 0.4), (2.0, 0.2), (2.0, 0.6)]
    crosses = [unit("cross", outlet, friction, seed) for seed in range(2) for outlet, friction in kinds]
    return [*balls[:6], *cubes[:1], *crosses[:1], *cubes[1:4], *crosses[1:], *cubes[4:], *others, *balls[6:]]


# Knocks


def break_arches(unit: Unit) -> list[Row]:
    key = unit.key
    side = float(key["outlet"])
    shape = bed(HOPPER, Surface(float(key["friction"]), BOUNCE), (side, side))
    rng, rows = unit.rng(1), list[Row]()
    with pile(accuracy("core", str(key["accuracy"])), shape) as heap:
        _fill(heap, rng)
        for arch in range(int(key["arches"])):
            knocks = 0
            while knocks < KNOCKS and not heap.out:
                heap.tap(float(key["strength"]), rng)
                knocks += 1
            fallen = len(heap.out)
            rows.append({"arch": arch, "knocks": knocks, "broke": int(fallen > 0), "fallen": fallen})
            if not fallen:
                heap.take_out(heap.arch())
            heap.give_back(rng)
            heap.flow(rng, MOST)
    return rows


def knocks() -> list[Unit]:
    def unit(strength: float, seed: int) -> Unit:
        key = {"outlet": 2.5, "friction": 0.4, "strength": strength, "arches": 8, "accuracy": "fast", "seed": seed}
        return Unit(key, break_arches)

    weak = [unit(strength, 0) for strength in (0.4, 0.7, 0.2)]
    return [*weak, *(unit(strength, seed) for seed in range(1, 10) for strength in (2.0, 1.0, 0.7))]


STUDIES: Mapping[str, Callable[[], list[Unit]]] = {
    "packing": packing,
    "avalanches": avalanches,
    "tilt": tilts,
    "holes": holes,
    "shapes": shapes,
    "knocks": knocks,
}
