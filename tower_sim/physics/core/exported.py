"""What core.wasm exports: the core's entries, and the functions of numbers that a hand draws by."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.apparatus import where
from tower_sim.physics.core import arrays, drop, run
from tower_sim.physics.core.compiled import Machine, sources
from tower_sim.tools import portable
from tower_sim.wasm.file import WasmFile, WasmFunction


def exports() -> dict[str, WasmFunction]:
    """Return what is exported, by name."""
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
    names = [item.name for item in fields(Machine) if item.name != "make"]
    return {
        **{name: WasmFunction(getattr(run, name), (world, *takes.get(name, ())), gives.get(name)) for name in names},
        **{name: WasmFunction(getattr(portable, name), (1.0,), float) for name in ("sin", "cos", "log")},
    }


def about() -> dict[str, Any]:
    """Return what programs in other languages must know of the tables: their shapes, and names of places in them."""
    numbers = {**vars(where), **vars(run), **vars(drop), **vars(arrays)}
    names = {name: x for name, x in numbers.items() if name[0].isupper() and name.isupper() and type(x) in (int, float)}
    return {"shapes": list(arrays.SHAPES.items()), "whole_numbers": arrays.WHOLE_NUMBERS, "names": names}


CORE = WasmFile(Path(__file__).with_name("core.wasm"), tuple(sources()), exports, about)
