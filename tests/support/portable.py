"""The stored vectors of the portable surrogate and the table that they are of, shipped towers, odd rules of Amerigo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus import load
from tower_sim.games.amerigo import Rules
from tower_sim.surrogate import SurrogateModel, shipped
from tower_sim.surrogate.table import FloorTable, Table

VECTORS = Path(__file__).parent.parent / "vectors"
MADE_UP: dict[str, Any] = json.loads((VECTORS / "table.json").read_text("utf-8"))
EXPECTED: dict[str, Any] = json.loads((VECTORS / "expected.json").read_text("utf-8"))
SEED = cast("tuple[int, int, int, int]", tuple(EXPECTED["seed"]))
ODD: dict[str, Any] = {
    "colours": ["red", "white", "blue"],
    "cubes": {"red": 30, "white": 0, "blue": 1},
    "phases": ["blue", "red", "red"],
    "rounds": 4,
}
ODD_RULES = Rules(**ODD)


def model_of(tower: str) -> SurrogateModel:
    shape = load(tower)
    return SurrogateModel(shape, shipped(shape.name, shape.digest))


def made_up() -> Table:
    plain = MADE_UP["table"]
    floors = [FloorTable(**{name: _tuples(value) for name, value in floor.items()}) for floor in plain["floors"]]
    return Table(tuple(plain["regions"]), tuple(floors), tuple(plain["thresholds"]))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
