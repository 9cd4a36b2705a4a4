"""What runs the core: functions that numba compiles here, core.wasm, or plain Python; the same bytes by each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from importlib.util import find_spec
from typing import Any

from tower_sim.errors import UsageError
from tower_sim.physics.core import arrays, compiled, run
from tower_sim.physics.core.compiled import Machine
from tower_sim.tools.extras import pip_install
from tower_sim.tools.jit import VARIABLE, WAYS, is_compiled, way

PYTHON = Machine(arrays.make, **{item.name: getattr(run, item.name) for item in fields(Machine) if item.name != "make"})
"""The functions as they stand there; where numba is the way, it has compiled them."""


def faster() -> str:
    """Return a line on what would run the core faster than core.wasm does; empty where that does not run it."""
    if way() != "wasm":
        return ""
    return f"physics runs without numba, with which it is some 1.7 times as fast; try: {pip_install('numba')}"


_NEEDS: dict[str, str] = dict(zip(WAYS, ("numba", "wasmtime", "numpy"), strict=True))


_SELDOM = (
    *("put_down", "depth_of", "wake_row", "take_out", "deepest", "deepest_overlap", "find_far_touch"),
    *("come_and_go", "judge", "set_gravity"),  # of a drop in an engine that only steps
)
"""What a drop by the core needs seldom or never; numba would compile large parts of the core again for each."""


def _combine() -> Machine:
    """Return what numba compiles, with core.wasm for `_SELDOM`.

    A world that is too large for WebAssembly has its tables elsewhere, and numba compiles all that it needs.
    """
    from tower_sim.physics.core.by_wasm import machine  # here, because it imports wasmtime

    wasm = machine()

    def make(*numbers: Any) -> arrays.Tables:
        try:
            return wasm.make(*numbers)
        except UsageError:
            return arrays.make(*numbers)

    def choose(name: str) -> Callable[..., Any]:
        inside, outside = getattr(wasm, name), getattr(PYTHON, name)

        def call(tables: arrays.Tables, *arguments: Any) -> Any:
            return (inside if hasattr(tables.whole.base, "memory") else outside)(tables, *arguments)

        return call

    return replace(PYTHON, make=make, **{name: choose(name) for name in _SELDOM})


@cache
def chosen() -> Machine:
    """Return the machine of this process, see `jit.way`, and say once, on standard error, what takes long in it."""
    asked, allowed = way(), ", ".join(WAYS)
    package = _NEEDS.get(asked)
    if package is None:
        raise UsageError(f"{VARIABLE} is {asked!r}; allowed are {allowed}; try leaving it out")
    if find_spec(package) is None or (asked == "numba" and not is_compiled()):
        raise UsageError(
            f"{VARIABLE} is {asked!r}, but {package} is not installed or switched off; allowed are {allowed}; "
            f"try: {pip_install(package)}"
        )
    if asked == "wasm":
        from tower_sim.physics.core.by_wasm import machine  # here, because it imports wasmtime

        return machine()
    if asked == "python":
        slow = f"physics runs as plain Python, some hundred times slower; try: {pip_install('wasmtime')}"
        print(slow, file=sys.stderr)
    elif not compiled.is_ready(run.go_on):
        print("compiling the physics, once on this machine (a minute or two) ...", file=sys.stderr, flush=True)
    return PYTHON if asked == "python" else _combine()
