"""What core.wasm exports: the core's entries, and the functions of numbers that a hand draws by."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tower_sim import portable
from tower_sim.physics.core import arrays
from tower_sim.physics.core.compiled import sources
from tower_sim.wasm.file import WasmFile, WasmFunction


def exports() -> dict[str, WasmFunction]:
    """Return what is exported, by name."""
    from tower_sim.physics.core import run  # here, because it imports numba

    world, calm, film = arrays.make(1, 2), np.zeros((1, 6)), np.zeros((1, 0, 7))
    return {
        "take_windows": WasmFunction(run.take_windows, (world, 1, calm, film, 1.0, 1), int),
        "lie_still": WasmFunction(run.lie_still, (world,), None),
        "wake_row": WasmFunction(run.wake_row, (world, 1), None),
        "take_out": WasmFunction(run.take_out, (world, 1), None),
        "face_row": WasmFunction(run.face_row, (world, 1), None),
        "deepest": WasmFunction(run.deepest, (world,), float),
        **{name: WasmFunction(getattr(portable, name), (1.0,), float) for name in ("sin", "cos", "log")},
    }


CORE = WasmFile(Path(__file__).with_name("core.wasm"), (*sources(), Path(portable.__file__)), exports)
