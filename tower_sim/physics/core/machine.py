"""What runs the core: the functions of run.py, compiled or as they stand there; the same bytes either way.

So nothing in this folder may reorder or fuse arithmetic: no fast-math, no threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.apparatus import where
from tower_sim.compiled import CompiledFile, CompiledFunction, Memory, chosen
from tower_sim.compiled.marks import T
from tower_sim.physics.core import arrays, drop, run
from tower_sim.physics.core.arrays import Tables
from tower_sim.tools import portable


@dataclass(frozen=True, slots=True)
class Machine:
    """What runs the core: `make` is `arrays.make` without its last argument, the rest are the functions of run.py."""

    make: Callable[[int, int, int, int, int], Tables]
    write_row: Callable[..., None]
    write_hulls: Callable[[Tables, T, int], None]
    lay_grid: Callable[[Tables], None]
    let_go: Callable[[Tables, T], int]
    put_down: Callable[[Tables, T, int], int]
    begin: Callable[[Tables, T], None]
    start: Callable[[Tables], None]
    go_on: Callable[[Tables, T, int, float, int], int]
    come_and_go: Callable[[Tables], None]
    judge: Callable[[Tables], int]
    set_gravity: Callable[[Tables], None]
    lie_still: Callable[[Tables], None]
    list_touches: Callable[[Tables, T], int]
    find_places: Callable[[Tables, T, T, T, T], None]
    find_far_touch: Callable[[Tables, T], int]
    depth_of: Callable[[Tables, int], float]
    deepest_overlap: Callable[[Tables], float]
    deepest: Callable[[Tables], float]
    wake_row: Callable[[Tables, int], None]
    take_out: Callable[[Tables, int], None]


_FUNCTIONS = [item.name for item in fields(Machine) if item.name != "make"]
PYTHON = Machine(arrays.make, **{name: getattr(run, name) for name in _FUNCTIONS})


def machine_in(memory: type[Memory]) -> Machine:
    """Return the compiled functions, with tables that lie in such a memory."""

    def make(*numbers: int) -> Tables:
        home = memory(CORE)
        tables = arrays.make(*numbers, table=home.table)
        home.bind(tables)
        return tables

    def call(name: str, tables: Tables, *arguments: Any) -> Any:
        return cast(Any, tables.whole.base).memory.call(name, *arguments)

    memory(CORE)  # what takes long is done now
    return Machine(make, **{name: partial(call, name) for name in _FUNCTIONS})


@cache
def chosen_machine() -> Machine:
    """Return the machine of this process: see `tower_sim.compiled.way`."""
    memory = chosen()
    return PYTHON if memory is None else machine_in(memory)


def _exports() -> dict[str, CompiledFunction]:
    world, film, poses = arrays.make(1, 2), np.zeros((1, 0, 7)), np.zeros((1, 7))
    touches, wide = np.zeros((1, run.TOUCH)), np.zeros((1, 0))
    takes: dict[str, tuple[Any, ...]] = {
        "write_row": (1, *[1.0] * 13),
        "write_hulls": (np.zeros(1), 1),
        "let_go": (np.zeros(1),),
        "put_down": (np.zeros(1), 1),
        "begin": (touches,),
        "go_on": (film, 1, 1.0, 1),
        "list_touches": (touches,),
        "find_places": (poses, np.zeros((1, 2)), wide, wide),
        "find_far_touch": (touches,),
        "depth_of": (1,),
        "wake_row": (1,),
        "take_out": (1,),
    }
    gives = {"depth_of": float, "deepest_overlap": float, "deepest": float} | dict.fromkeys(
        ("let_go", "put_down", "go_on", "judge", "list_touches", "find_far_touch"), int
    )
    exports = {name: CompiledFunction(getattr(portable, name), (1.0,), float) for name in ("sin", "cos", "log")}
    for name in _FUNCTIONS:
        exports[name] = CompiledFunction(getattr(run, name), (world, *takes.get(name, ())), gives.get(name))
    return exports


def _about() -> dict[str, Any]:
    """Return what programs in other languages must know of the tables: their shapes, and names of places in them."""
    numbers = {**vars(where), **vars(run), **vars(drop), **vars(arrays)}
    names = {name: x for name, x in numbers.items() if name[0].isupper() and name.isupper() and type(x) in (int, float)}
    return {"shapes": list(arrays.SHAPES.items()), "whole_numbers": arrays.WHOLE_NUMBERS, "names": names}


def sources() -> list[Path]:
    """Return the files of what is compiled: all of this folder but what calls it, and two that it shares."""
    calls_it = ("__init__.py", "engine.py", "machine.py")
    here = [path for path in sorted(Path(__file__).parent.glob("*.py")) if path.name not in calls_it]
    return [*here, Path(where.__file__), Path(portable.__file__)]


CORE = CompiledFile("core", tuple(sources()), _exports(), Path(__file__).with_name("core.wasm"), _about)
"""What core.wasm exports: the core's functions, and those of numbers that a hand draws by."""
