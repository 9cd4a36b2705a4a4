"""A trial of compiled functions on a machine: cubes fall, games are played; are all digits right?"""

from __future__ import annotations

import hashlib
import importlib
import os

from tower_sim.compiled.marks import TRIAL, VARIABLE

RIGHT = "f2b7ff0590adf3c9626374aa1a359131263e2ed9a338fdb2e4fac929090703a1"
"""The digest of all results, as WebAssembly and plain Python compute them."""
_PARTS = ("tower_sim.physics.core.engine", "tower_sim.surrogate.many")
"""Each has a function `trial` that returns tables."""


def digest() -> str:
    """Return the digest of the trial's results, as functions run in this process."""
    results = hashlib.sha256()
    for part in _PARTS:
        for table in importlib.import_module(part).trial():
            results.update(table.tobytes())
    return results.hexdigest()


def main() -> None:
    """Print whether all digits are right, as the native library computes them."""
    os.environ[VARIABLE] = TRIAL
    print("right" if digest() == RIGHT else "wrong")
