"""An apparatus with settings as data, from which programs in other languages drop cubes with the core.

apparatus, settings --document--> JSON --web/src/physics + core.wasm--> the drops of PhysicsModel, byte for byte
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tower_sim.apparatus import Apparatus, as_apparatus, where
from tower_sim.errors import UsageError, fault
from tower_sim.physics.core import CoreEngine
from tower_sim.physics.core.machine import CORE
from tower_sim.physics.scene import Scene, state_digest
from tower_sim.physics.settings import PhysicsSettings, as_settings
from tower_sim.values import LAUNCH, Cube

SCHEMA = "tower-sim/physics"
VERSION = 3


def core_wasm() -> bytes:
    """Return the bytes of core.wasm, which drops the cubes of a document."""
    assert CORE.path
    return CORE.path.read_bytes()


def document(apparatus: Apparatus, settings: PhysicsSettings | None = None) -> dict[str, Any]:
    """Return all that decides a drop into an apparatus, as plain values; `settings` must be the core's."""
    shape = as_apparatus(apparatus)
    settings = as_settings(settings, shape.accuracy)
    if settings.engine != "core":
        raise UsageError(
            f"settings are of the engine {settings.engine}; allowed is the core, which is the only one that runs in "
            "other languages; leave the engine out"
        )
    if not shape.rule:
        raise UsageError(
            f"apparatus {shape.name!r} is of a kind that decides in Python where its cubes are; allowed is one that "
            "gives its rule as numbers, such as those that ship"
        )
    board, tables = shape.board, Scene(CoreEngine(settings), shape, settings).tables
    is_tower = shape.rule[0] == where.TOWER
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "name": shape.name,
        "digest": state_digest(shape, settings),
        "settings": settings.table(),
        "cube": {"edge": shape.cube_edge},
        "surfaces": {name: _fields(surface, "friction restitution") for name, surface in shape.surfaces.items()},
        "hand": _fields(shape.hand, "height spread speed spin rate fall"),
        "swept": shape.swept,
        "exit": {"x": shape.rule[1], "top": shape.rule[8]} if is_tower else None,
        "board": _fields(board, "x y floor border_top") if board else None,
        "real": [number if math.isfinite(number) else None for number in tables.real.view(float).tolist()],
        "plan": tables.plan.view(float).tolist(),
        "rule": shape.rule,
        "kind": "board" if board else "tower",
        "rim": shape.rim_top,
        "passed": shape.passed if math.isfinite(shape.passed) else None,
        "boxes": [_fields(box, "part surface centre half", turn=box.orientation) for box in shape.boxes],
        "hulls": [
            _fields(hull, "part surface vertices faces" + " least_cosines" * bool(hull.least_cosines))
            for hull in shape.hulls
        ],
        "regions": [_fields(region, "name above") for region in shape.regions],
        "floor": board.floor if board else None,
        "zones": [_fields(x, "name corners", says=_zone_text(x.printed)) for x in (board.zones if board else ())],
    }


def text(plain: Mapping[str, Any]) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(plain, separators=(",", ":"), allow_nan=False)


def _fields(thing: object, names: str, **more: Any) -> dict[str, Any]:
    values = {name: getattr(thing, name) for name in names.split()} | more
    return {name: _lists(value) for name, value in values.items()}


def _lists(value: Any) -> Any:
    return [_lists(each) for each in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value


def _zone_text(values: Mapping[str, Any]) -> str:
    numbers = {key: value for key, value in values.items() if not isinstance(value, str)}
    words: Sequence[str] = [value for value in values.values() if isinstance(value, str) and value not in numbers]
    return ", ".join((*words, *(f"{value} {key}" for key, value in numbers.items())))


_ADVICE = "take a throw that a page or a state has recorded"


def read(cubes: Sequence[Cube], launches: object) -> tuple[tuple[float, ...], ...]:
    """Return the launches of `cubes` from a row of numbers for each: see `Event.launches`."""
    if not isinstance(launches, (list, tuple)):
        raise fault("launches", launches, "a list of rows, one a cube", _ADVICE)
    rows = cast("Sequence[object]", launches)
    if not cubes or len(rows) != len(cubes):
        raise fault("launches", len(rows), f"one row for each of the {len(cubes)} cubes, at least one", _ADVICE)
    return tuple(map(_numbers, rows))


def _numbers(row: object) -> tuple[float, ...]:
    if isinstance(row, (list, tuple)):
        parts = cast("Sequence[object]", row)
        numbers = tuple(float(x) for x in parts if isinstance(x, (int, float)) and not isinstance(x, bool))
        if len(numbers) == len(parts) == LAUNCH and all(map(math.isfinite, numbers)):
            return numbers
    raise fault(
        "a launch", cast("object", row), f"{LAUNCH} numbers (windows; x, y, z; x, y, z, w; m/s; rad/s)", _ADVICE
    )
