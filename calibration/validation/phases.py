"""Measure how the phases of the core share the time of a drop.

    python -m calibration.validation.phases [--tower amerigo] [--cubes 5 49 196] [--drops 20]

It prints a table: microseconds of a step by phase, and milliseconds of a drop. numba compiles the loop of a drop with a
reading of the processor's clock at each comment of `take_step`, which takes a minute or two.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import time
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from tower_sim.compiled import inner
from tower_sim.compiled.marks import BUILD, VARIABLE, compiled

if __name__ == "__main__":  # an import must not change how others run the core
    os.environ[VARIABLE] = BUILD  # before what numba compiles is imported

from calibration.validation.script import option, print_table, script
from tower_sim.apparatus import load
from tower_sim.physics import accuracy
from tower_sim.physics.core import CoreEngine, machine, run, step
from tower_sim.simulator import PhysicsModel
from tower_sim.values import supply

_LAST = 4070  # of Tables.room, behind all that a step keeps there: the last reading; then the sum of each phase


def put_clocks_in() -> list[str]:
    """Compile the loop of a drop with clocks; return the names of the phases."""
    packages = ("llvmlite.ir", "numba.core.types", "numba.extending")
    ir, types, extending = (importlib.import_module(each) for each in packages)

    @extending.intrinsic
    def cycles(_: Any) -> Any:
        def code(_: Any, builder: Any, *__: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(64), [])
            return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), [])

        return types.int64(), code

    @inner
    def tick(room: Any, phase: int) -> None:
        now = float(cycles())
        if room[_LAST] > 0.0:
            room[_LAST + 1 + phase] += now - room[_LAST]
        room[_LAST] = now

    phases = ["the loop around"]

    def mark(comment: re.Match[str]) -> str:
        phases.append(comment[1].split(",")[0].lower())
        return f"    tick(w.room, {len(phases) - 2})\n"

    source = re.sub(r"    # (.*)\n", mark, inspect.getsource(cast("Any", step.take_step).py_func))
    source = source.replace("    return True\n", f"    tick(w.room, {len(phases) - 1})\n    return True\n")
    step.take_step = inner(_compile("take_step", source, vars(step) | {"tick": tick}))
    source = inspect.getsource(run.go_on)
    phases.append("sleep")
    source, number = re.subn(
        r"\n( +)(all_sleep = .*)", rf"\n\1tick(w.room, 0)\n\1\2\n\1tick(w.room, {len(phases) - 1})", source
    )
    assert number == 1
    loop = _compile("go_on", source, vars(run) | {"tick": tick})
    for name, function in (machine.FUNCTIONS | {"go_on": loop}).items():
        setattr(machine.PYTHON, name, function if hasattr(function, "py_func") else compiled(function))
    return phases


def _compile(name: str, source: str, around: dict[str, Any]) -> Any:
    exec(source[source.index("def ") :], around)
    return around[name]


def time_drops(tower: str, cubes: int, drops: int, phases: int) -> tuple[list[float], float, float]:
    """Return microseconds of a step by phase, how many steps a drop has, and how long (ms) it takes."""
    with PhysicsModel(load(tower), accuracy("core", "standard")) as model:
        engine = model._world.engine
        assert isinstance(engine, CoreEngine)
        thrown = supply({"blue": cubes}, model.cube_edge)
        model.drop(model.empty(), thrown, np.random.default_rng(drops))
        sums, steps, seconds = np.zeros(phases), model.effort[0], 0.0
        for seed in range(drops):
            engine.tables.room[_LAST:] = 0.0
            began = time.process_time()
            model.drop(model.empty(), thrown, np.random.default_rng(seed))
            seconds += time.process_time() - began
            sums += engine.tables.room[_LAST + 1 : _LAST + 1 + phases]
        return sums.tolist(), (model.effort[0] - steps) / drops, 1e3 * seconds / drops


def measure(tower: str, cubes: Sequence[int], drops: int) -> None:
    phases = put_clocks_in()
    columns = [time_drops(tower, number, drops, len(phases)) for number in cubes]
    rows = [
        [phase, *(f"{100 * sums[k] / sum(sums):.0f} %" for sums, _, _ in columns)] for k, phase in enumerate(phases)
    ]
    rows.append(["steps a drop", *(f"{steps:.0f}" for _, steps, _ in columns)])
    rows.append(["ms a drop", *(f"{ms:.3g}" for _, _, ms in columns)])
    print_table(["phase", *(f"{number} cubes" for number in cubes)], rows)


main = script(
    __doc__,
    measure,
    option("--tower", default="amerigo"),
    option("--cubes", type=int, nargs="+", default=[5, 49, 196]),
    option("--drops", type=int, default=20),
)

if __name__ == "__main__":
    raise SystemExit(main())
