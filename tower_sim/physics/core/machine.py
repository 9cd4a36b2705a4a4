"""What runs the core: its functions that are called from outside, compiled or as they stand; the same bytes either way.

So nothing in this folder may reorder or fuse arithmetic: no fast-math, no threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tower_sim.apparatus import where
from tower_sim.compiled import CompiledFile, CompiledFunction, Memory, chosen, trig
from tower_sim.physics.core import arrays, drop, hand, overlap, run, step
from tower_sim.physics.core.arrays import Tables
from tower_sim.tools import portable, student

_NAMES = """
    build lay let_go put_down launch add_cube start go_on come_and_go judge set_gravity lie_still list_touches read
    changes did depth_of deepest_overlap deepest wake_row take_out
"""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: next(getattr(home, name) for home in (run, drop, hand, overlap, step) if hasattr(home, name))
    for name in _NAMES.split()
}
"""What is called from outside."""
Machine = SimpleNamespace
"""What runs the core: `make` is `arrays.make` without its last argument, the rest are the functions."""
PYTHON = Machine(make=arrays.make, **FUNCTIONS)


def machine_in(memory: type[Memory]) -> Machine:
    """Return the compiled functions, with tables that lie in such a memory."""

    def make(*numbers: int) -> Tables:
        home = memory(CORE)
        tables = arrays.make(*numbers, table=home.table)
        home.bind(tables)
        return tables

    def call(name: str, tables: Tables, *arguments: Any) -> Any:
        return tables.whole.base.memory.call(name, *arguments)

    memory(CORE)  # what takes long is done now
    return Machine(make=make, **{name: partial(call, name) for name in FUNCTIONS})


@cache
def chosen_machine() -> Machine:
    """Return the machine of this process: see `tower_sim.compiled.way`."""
    memory = chosen()
    return PYTHON if memory is None else machine_in(memory)


def _exports() -> dict[str, CompiledFunction]:
    """Return the functions with an example of each argument: by its type, or by its name if it is a table."""
    widths = {"poses": 7, "places": 2, "states": 2, "laid": 8, "rows": 15, "boxes": 12, "touches": run.TOUCH}
    examples: dict[str, Any] = {name: np.zeros((1, width)) for name, width in (widths | {"zones": 0, "on": 0}).items()}
    examples |= {"film": np.zeros((1, 0, 7))} | {name: np.zeros(1) for name in ("hulls", "ids", "draws")}
    examples |= {"Tables": arrays.make(1, 2), "int": 1, "float": 1.0}
    exports: dict[str, CompiledFunction] = {}
    for name, function in {**FUNCTIONS, "sin": portable.sin, "cos": portable.cos, "log": portable.log}.items():
        takes = dict(getattr(function, "py_func", function).__annotations__)
        gives = {"int": int, "float": float, "None": None}[takes.pop("return")]
        given = tuple(examples[k if kind == "T" else kind] for k, kind in takes.items())
        exports[name] = CompiledFunction(function, given, gives)
    return exports


def _about() -> dict[str, Any]:
    """Return what programs in other languages must know of the tables: their shapes, and names of places in them.

    A table of records is one of numbers there, and a field is the place where it begins in its row.
    """
    shapes: list[tuple[str, list[str | int]]] = []
    wholes: list[str] = []
    names: dict[str, float] = {"COLUMNS": arrays.BODY.itemsize // 8, "CUBE_COLUMNS": arrays.CUBE.itemsize // 8}
    for name, (rows, kind) in arrays.LAYOUT.items():
        row = np.dtype(kind)
        shapes.append((name, [rows, row.itemsize // 8] if row.names else [rows]))
        if (row[0].base if row.names else row) == np.int64:
            wholes.append(name)
        if name in ("whole", "drop", "plan", "flags", "marks", "cubes"):
            names |= {field.upper(): at // 8 for field, (_, at, *_) in (row.fields or {}).items()}
    for name, number in {**vars(where), **vars(run), **vars(drop), **vars(arrays)}.items():
        if name[0].isupper() and name.isupper() and type(number) in (int, float):
            names[name] = number
    return {"shapes": shapes, "whole_numbers": wholes, "names": names}


def sources() -> list[Path]:
    """Return the files of what is compiled: all of this folder but what calls it, and what it shares."""
    calls_it = ("__init__.py", "engine.py", "machine.py")
    here = [path for path in sorted(Path(__file__).parent.glob("*.py")) if path.name not in calls_it]
    return [*here, *(Path(str(each.__file__)) for each in (where, portable, student, trig))]


CORE = CompiledFile("core", tuple(sources()), _exports(), Path(__file__).with_name("core.wasm"), _about)
"""What core.wasm exports: the core's functions, and those of numbers that a hand draws by."""
