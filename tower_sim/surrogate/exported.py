"""What games.wasm exports: the kernel of whole games."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tower_sim.surrogate import by_wasm
from tower_sim.wasm.file import WasmFile, WasmFunction


def exports() -> dict[str, WasmFunction]:
    """Return what is exported, by name; tables with one number of nothing have widths that differ."""
    from tower_sim.surrogate import kernel  # here, because it imports numba

    flat, square = (0,), (0, 0)
    law = kernel.Law(
        thrown=np.zeros((2, 0, 0), np.int64),
        onto=np.zeros((2, 0, 0, 0), np.int32),
        fresh=np.zeros(square, np.int32),
        age=np.zeros(square, np.int32),
        pushed=np.zeros(flat, np.int32),
        has_effect=np.zeros(flat, np.bool_),
        thresholds=np.zeros(flat, np.uint32),
        effect_shift=1,
        crowd_from=1,
        fresh_to=1,
    )
    words, plan = np.zeros(4, np.int64), np.zeros(flat, np.int64)
    counts = [np.zeros((0, 0, 0), np.int16)] * 3
    takes = (law, words, 1, np.zeros(flat, np.uint32), plan, plan, 1.0, *counts, kernel.work_for(0, 0, 0))
    return {"play": WasmFunction(kernel.play, takes, None)}


_SOURCES = tuple(Path(__file__).with_name(name) for name in ("kernel.py", "exported.py"))
GAMES = WasmFile(by_wasm.GAMES, _SOURCES, exports)
