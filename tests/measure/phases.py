"""Time by phase: where the core spends a step, and what of a drop is Python around it; a table of docs/speed.md.

python -m tests.measure.phases --drops 20

Each hand is dropped twice: as always, which gives a drop's and a step's CPU time, and by an engine that looks at the
C library's clock of CPU time before and after each phase, less what that look takes. Needs numba; Linux or macOS.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import numpy as np

from tests.measure.script import ended
from tests.support.towers import RULEBOOK
from tower_sim import jit
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Upright
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.extras import pip_install
from tower_sim.physics.core import arrays, compiled, run, sleep
from tower_sim.physics.core.arrays import T, Tables
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel

SETTINGS = PhysicsSettings(engine="core")
SCENES = (("49 into rulebook.toml", RULEBOOK, 49), ("9 through the ship", "dead_reckoning", 9))
PHASES: Mapping[str, tuple[str, ...]] = {
    "broad phase: has anything moved far": ("have_moved",),
    "broad phase: who is near whom": ("seek_pairs",),
    "narrow phase": ("_find_contacts", "_list_active"),
    "solver: layout": ("prepare",),
    "solver: sweeps": ("solve",),
    "forces kept": ("keep_forces",),
    "overlap parted": ("push_apart",),
    "integration": ("integrate",),
    "sleep": ("fall_asleep",),
}
"""The functions of each phase, as run.py calls them, or sleep.py has them."""
REST = "gravity, choice of the step, the loop"

Run = Callable[[int, Sequence[Upright]], int]
Stamped = Callable[[Tables, int, T, T, float, int], int]


def stamping() -> Stamped:
    """Return `take_windows` made anew, so that it adds up what each phase takes, in clock ticks (us), and how often.

    They stand behind a world's own whole numbers: those of phase p are the (2 p)th and the next.
    """
    clock: Any = ctypes.CDLL(None).clock
    clock.argtypes, clock.restype = [], ctypes.c_long
    own = len(arrays.make(0, 1).whole)

    def stamped(function: Any, phase: int) -> Any:
        at = own + 2 * phase

        def phase_between_looks(*given: Any) -> Any:
            begun = clock()
            result = function(*given)
            whole = given[0]
            whole[at] += clock() - begun
            whole[at + 1] += 1
            return result

        return compiled.inner(phase_between_looks)

    own_run, own_sleep = another(run), another(sleep)  # the engine's stay as they are, also those kept on disk
    own_run.sleep = own_sleep
    for phase, names in enumerate(PHASES.values()):
        for name in names:
            module = own_run if hasattr(own_run, name) else own_sleep
            setattr(module, name, stamped(getattr(module, name), phase))
    return jit.compiled(own_run.take_windows.py_func, **jit.OPTIONS)


def another(module: ModuleType) -> Any:
    """Return a module made anew from its file; nothing of it is compiled yet."""
    assert module.__file__
    spec = spec_from_file_location(f"stamped_{module.__name__.rpartition('.')[2]}", module.__file__)
    assert spec
    assert spec.loader
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def look_seconds() -> float:
    """Return what of a phase's time is the look at the clock."""
    clock: Any = ctypes.CDLL(None).clock
    clock.argtypes, clock.restype = [], ctypes.c_long

    def looks(times: int) -> int:
        spent = 0
        for _ in range(times):
            begun = clock()
            spent += clock() - begun
        return spent

    compiled_looks: Any = jit.compiled(looks, **jit.OPTIONS)
    compiled_looks(1)
    return compiled_looks(100_000) * 1e-6 / 100_000


@dataclass(slots=True)
class Drops:
    """What drops of one scene took: CPU seconds in all, of these in compiled runs, steps; ticks and looks by phase."""

    seconds: float = 0.0
    compiled: float = 0.0
    steps: int = 0
    ticks: list[int] = field(default_factory=lambda: [0] * len(PHASES))
    looks: list[int] = field(default_factory=lambda: [0] * len(PHASES))


def watch(apparatus: str, cubes: int, drops: int, with_stamps: Stamped) -> Drops:
    """Do each drop twice, as always and with stamps."""
    found = Drops()
    with PhysicsModel(load(apparatus), SETTINGS) as model:
        engine: Any = model._world.engine
        as_always: Run = engine.run

        def throw(seed: int, run_so: Run) -> float:
            engine.run = run_so
            begun = time.process_time()
            model.drop(model.empty(), supply({"any": cubes}, model.cube_edge), np.random.default_rng(seed))
            return time.process_time() - begun

        def timed(windows: int, calm: Sequence[Upright]) -> int:
            begun, before = time.process_time(), engine.steps
            taken = as_always(windows, calm)
            found.compiled += time.process_time() - begun
            found.steps += engine.steps - before
            return taken

        def stamped(windows: int, calm: Sequence[Upright]) -> int:
            world: Tables = engine._world
            own = len(world.whole)
            whole = np.append(world.whole, np.zeros(2 * len(PHASES), np.int64))
            boxes, no_film = np.array(calm, np.float64).reshape(-1, 6), np.zeros((0, 0, 7))
            taken = with_stamps(world._replace(whole=whole), windows, boxes, no_film, 0.0, 0)
            world.whole[:] = whole[:own]
            for phase in range(len(PHASES)):
                found.ticks[phase] += int(whole[own + 2 * phase])
                found.looks[phase] += int(whole[own + 2 * phase + 1])
            return taken

        for seed in (0, 1):  # what is loaded or made at the first call
            throw(seed, as_always)
            throw(seed, stamped)
        found.ticks, found.looks = [0] * len(PHASES), [0] * len(PHASES)
        for seed in range(drops):
            found.seconds += throw(seed, timed)
            throw(seed, stamped)
    return found


def microseconds(found: Drops, look: float) -> dict[str, float]:
    """Return the CPU time (us) a step by phase; the last but one is what is left of a step, the last a whole step."""
    told = {
        name: 1e6 * (ticks * 1e-6 - looks * look) / found.steps
        for name, ticks, looks in zip(PHASES, found.ticks, found.looks, strict=True)
    }
    whole = 1e6 * found.compiled / found.steps
    return told | {REST: whole - sum(told.values()), "a step": whole}


def table(drops: int) -> Iterator[str]:
    """Give the lines of the table."""
    with_stamps, look = stamping(), look_seconds()
    found = {words: watch(apparatus, cubes, drops, with_stamps) for words, apparatus, cubes in SCENES}
    columns = {words: microseconds(each, look) for words, each in found.items()}
    yield f"| CPU time, us a step | {' | '.join(found)} |"
    yield f"|---|{'---|' * len(found)}"
    for name in next(iter(columns.values())):
        cells = [f"{column[name]:.2f} ({column[name] / column['a step']:.0%})" for column in columns.values()]
        yield f"| {name} | {' | '.join(cells)} |"
    lines: Mapping[str, Callable[[Drops], str]] = {
        "steps a drop": lambda each: f"{each.steps / drops:.0f}",
        "a drop, ms": lambda each: f"{1e3 * each.seconds / drops:.1f}",
        "of it Python around the compiled runs": lambda each: f"{1 - each.compiled / each.seconds:.0%}",
    }
    for name, of in lines.items():
        yield f"| {name} | {' | '.join(map(of, found.values()))} |"


def measure(drops: int) -> None:
    """Print the table."""
    if jit.way() != "numba":
        raise UsageError(f"numba does not run the core here, so no phase is compiled; try: {pip_install('numba')}")
    for line in table(drops):
        print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drops", type=int, default=20, help="drops of each kind")
    options = parser.parse_args(arguments)
    return ended("phases", lambda: measure(options.drops))


if __name__ == "__main__":
    sys.exit(main())
