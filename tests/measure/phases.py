"""Measure how the phases of the core share the time of a drop.

    python -m tests.measure.phases [--tower amerigo] [--cubes 5 49 196] [--drops 20]

It prints a table: microseconds of a step by phase, and milliseconds of a drop. numba compiles the loop of a drop with a
reading of the processor's clock at each comment of `take_step`, which takes a minute or two.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.physics.core import CoreEngine, machine, run, step
from tower_sim.physics.settings import accuracy
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import jit

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

    @jit.inner
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
    step.take_step = jit.inner(_made("take_step", source, vars(step) | {"tick": tick}))
    source = inspect.getsource(cast("Any", run.go_on).py_func)
    phases.append("sleep")
    source, number = re.subn(
        r"\n( +)(all_sleep = .*)", rf"\n\1tick(w.room, 0)\n\1\2\n\1tick(w.room, {len(phases) - 1})", source
    )
    assert number == 1
    loop = _made("go_on", source, vars(run) | {"tick": tick})
    machine.PYTHON = replace(machine.PYTHON, go_on=jit.compiled(loop, **jit.OPTIONS))
    return phases


def _made(name: str, source: str, around: dict[str, Any]) -> Any:
    """Return a function of another source, without its decorator, among the same names."""
    exec(source[source.index("def ") :], around)
    return around[name]


def measured(tower: str, cubes: int, drops: int, phases: int) -> tuple[list[float], float, float]:
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tower", default="amerigo")
    parser.add_argument("--cubes", type=int, nargs="+", default=[5, 49, 196])
    parser.add_argument("--drops", type=int, default=20)
    options = parser.parse_args(arguments)

    def measure() -> None:
        phases = put_clocks_in()
        columns = [measured(options.tower, cubes, options.drops, len(phases)) for cubes in options.cubes]
        print(f"| phase | {' | '.join(f'{cubes} cubes' for cubes in options.cubes)} |")
        print("|---|" + "---|" * len(columns))
        for k, phase in enumerate(phases):
            print(f"| {phase} | {' | '.join(f'{100 * sums[k] / sum(sums):.0f} %' for sums, _, _ in columns)} |")
        print(f"| steps a drop | {' | '.join(f'{steps:.0f}' for _, steps, _ in columns)} |")
        print(f"| ms a drop | {' | '.join(f'{ms:.3g}' for _, _, ms in columns)} |")

    return ended("phases", measure)


if __name__ == "__main__":
    sys.exit(main())
