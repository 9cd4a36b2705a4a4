"""What ships as WebAssembly: files are those of the source, and by wasmtime the core gives the same bytes."""

import gc
import importlib.util
import json
import math
import os
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import holds_in_a_fork

from tests.support.golden_scenes import ROUGH, SCENES, TINY, digest, kept
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.physics.core import CoreEngine, machine
from tower_sim.physics.core.exported import CORE
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.state import Pose
from tower_sim.surrogate.exported import GAMES
from tower_sim.tools import jit
from tower_sim.wasm import file
from tower_sim.wasm.file import WasmFile

needs_wasmtime = pytest.mark.skipif(importlib.util.find_spec("wasmtime") is None, reason="wasmtime is not installed")
CHILD = "import sys; sys.modules['numba'] = None; from tests.support.golden_scenes import main; main(sys.argv[1:])"


@pytest.fixture(name="wasm")
def _wasm(monkeypatch: pytest.MonkeyPatch) -> Any:
    wasm: Any = importlib.import_module("tower_sim.physics.core.by_wasm")
    monkeypatch.setattr(machine, "chosen", wasm.machine)
    return wasm


@pytest.fixture(name="memory")
def _memory() -> Any:
    return importlib.import_module("tower_sim.wasm.memory")


@each_case("each", [CORE, GAMES])
def test_a_file_is_that_of_the_source(each: WasmFile):
    """After a change of what is compiled: python -m tower_sim.wasm.build."""
    assert file.read_origin(each.path.read_bytes())["source"] == each.digest()


def test_a_module_that_says_nothing_of_itself_is_refused():
    head = b"\0asm\1\0\0\0"
    with pytest.raises(ValueError, match="without the section"):
        file.read_origin(head)
    long = {"source": "x" * 300}  # a length of two bytes
    assert file.read_origin(head + b"\0\3\2aa" + file.section(long)) == long


@pytest.mark.slow
def test_the_files_made_anew_are_to_the_byte_those_that_ship():
    for tool in ("numba", "ziglang"):
        pytest.importorskip(tool)
    command = [sys.executable, "-m", "tower_sim.wasm.build", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@needs_wasmtime
@each_case("name", SCENES)
def test_a_scene_is_to_the_last_digit_that_of_every_other_machine(name: str, wasm: Any):
    assert digest(name) == kept()[name]


@needs_wasmtime
def test_in_threads_it_is_the_same(wasm: Any):
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: {name: digest(name) for name in TINY}, range(4)):
            assert found == {name: kept()[name] for name in TINY}


@needs_wasmtime
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_goes_on_with_the_tables_that_it_inherits(wasm: Any):
    with PhysicsModel(load("amerigo"), ROUGH) as model:
        cubes = supply({"red": 3}, model.cube_edge)
        alone = model.drop(model.empty(), cubes, np.random.default_rng(1))
        assert holds_in_a_fork(lambda: model.drop(model.empty(), cubes, np.random.default_rng(1)) == alone)
        assert model.drop(model.empty(), cubes, np.random.default_rng(1)) == alone


def drop_many(is_film: bool = True) -> list[Any]:
    """150 cubes side by side, more than a world has room for at first, fall for some windows, on film as pages do."""
    engine, film = CoreEngine(PhysicsSettings()), np.zeros((4, 150, 7))
    engine.clear(0.01)
    engine.set_gravity((0.0, 0.0, -9.81))
    engine.set_effort(20, 1e-3, 0.02)
    engine.add_boxes([], {}, load("amerigo").between_cubes)
    engine.set_cubes(0.001)
    for k in range(150):
        engine.add_cube(Pose((0.02 * (k % 10), 0.011 * (k // 10), 0.0), (0.0, 0.0, 0.0, 1.0)))
        engine.set_velocity(k, (math.sin(k), 0.0, math.cos(k)), (1.0, k, 0.0))
    if is_film:
        assert engine.go_on(film, 4) == 4
    for window in film if not is_film else ():
        assert engine.run(1) == 1
        now = engine.motion(range(150))
        window[:] = np.concatenate((now.position, now.orientation), axis=1)
    counts = [engine.run(3), engine.steps]
    engine.remove(7)
    engine.lie_still()
    motion = engine.motion(range(8, 150))
    tables = [getattr(motion, each.name).tolist() for each in fields(motion)]
    return [film.tolist(), *counts, *tables, engine.overlap(), engine.touches()]


@needs_wasmtime
@each_case("quick", [True, False], ids=["by the C interface", "as documented"])
def test_a_world_that_grows_and_a_film_of_it_are_those_of_the_compiled_functions(
    quick: bool, wasm: Any, memory: Any, monkeypatch: pytest.MonkeyPatch
):
    if not quick:
        monkeypatch.setattr(memory, "_c", None)
    by_wasm = drop_many()
    monkeypatch.setattr(machine, "chosen", lambda: machine.PYTHON)
    assert by_wasm == drop_many()
    assert by_wasm == drop_many(is_film=False)
    assert np.any(by_wasm[0])


@needs_wasmtime
@pytest.mark.skipif(jit.way() != "numba", reason="numba is not what runs the core")
def test_a_world_that_webassembly_cannot_address_is_numbas_alone(memory: Any, monkeypatch: pytest.MonkeyPatch):
    usual = [drop_many(), CoreEngine(PhysicsSettings())]
    assert hasattr(usual[1].tables.whole.base, "memory")
    monkeypatch.setattr(memory, "_MOST", 0)
    assert not hasattr(CoreEngine(PhysicsSettings()).tables.whole.base, "memory")
    assert drop_many() == usual[0]


@needs_wasmtime
def test_memory_goes_with_the_last_table_that_lies_in_it(wasm: Any):
    gc.disable()  # what is only found by looking for circles would stay for long
    try:
        world = wasm.machine().make(3, 2, 1, 1, 0)
        home, view = weakref.ref(world.whole.base.memory), world.bodies[1:]
        del world
        assert home() is not None
        view[:] = 1.0
        del view
        assert home() is None
    finally:
        gc.enable()


@needs_wasmtime
def test_more_cubes_than_32_bits_can_address_are_refused_in_one_line(wasm: Any):
    message = r"4 GiB that WebAssembly can address; allowed are about 1,000; try fewer, or: "
    with pytest.raises(UsageError, match=message):
        wasm.machine().make(10, 2000, 1, 1, 2_000_000)


@needs_wasmtime
def test_what_was_compiled_is_kept_and_made_again_where_it_is_damaged(memory: Any, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(memory, "user_cache", lambda: tmp_path / "kept")
    compiled_anew: Any = partial(memory._compile.__wrapped__, CORE.path)
    compiled_anew()
    (path,) = (tmp_path / "kept").iterdir()
    whole = path.read_bytes()
    monkeypatch.setattr(memory.wasmtime, "Module", Read)
    compiled_anew()
    for content in (b"", whole[:-9], whole[:99] + bytes([whole[99] ^ 1]) + whole[100:]):
        path.write_bytes(content)
        with pytest.raises(Compiles):
            compiled_anew()
    memory.seal(path, b"another's")
    with pytest.raises(Compiles):
        compiled_anew()


class Compiles(Exception):
    """A module is compiled."""


class Read:
    """Stands for wasmtime's Module, which would compile for a second."""

    def __init__(self, *_: Any) -> None:
        raise Compiles

    deserialize = (
        importlib.import_module("wasmtime").Module.deserialize if importlib.util.find_spec("wasmtime") else None
    )


@needs_wasmtime
def test_where_nothing_can_be_kept_it_runs_all_the_same(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("in its place")
    monkeypatch.setattr(memory, "user_cache", lambda: tmp_path / "file")
    monkeypatch.setattr(memory.wasmtime.Module, "__init__", lambda *_: None)
    monkeypatch.setattr(memory.wasmtime.Module, "serialize", lambda _: b"")
    assert memory._compile.__wrapped__(CORE.path)


@each_case(
    "environment, packages, way",
    [
        ({}, {"numba", "wasmtime"}, "numba"),
        ({}, {"wasmtime"}, "wasm"),
        ({}, set(), "python"),
        ({"NUMBA_DISABLE_JIT": "1"}, {"numba", "wasmtime"}, "python"),
        ({"TOWER_SIM_CORE": "wasm"}, {"numba", "wasmtime"}, "wasm"),
        ({"TOWER_SIM_CORE": ""}, {"numba"}, "numba"),
    ],
)
def test_the_fastest_that_is_installed_runs_the_core_unless_the_environment_says_which(
    environment: dict[str, str], packages: set[str], way: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(jit.VARIABLE, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(jit.importlib.util, "find_spec", lambda name: name if name in packages else None)
    monkeypatch.setattr(jit, "is_compiled", lambda: "numba" in packages and "NUMBA_DISABLE_JIT" not in environment)
    assert jit.way.__wrapped__() == way


@each_case(
    "way, is_there, line",
    [
        ("fast", True, "TOWER_SIM_CORE is 'fast'; allowed are numba, wasm, python; try leaving it out"),
        ("numba", False, "TOWER_SIM_CORE is 'numba', but numba is not installed or switched off; allowed are"),
        ("wasm", False, "TOWER_SIM_CORE is 'wasm', but wasmtime is not installed or switched off; allowed are"),
    ],
)
def test_a_machine_that_is_not_there_is_refused_in_one_line(way: str, is_there: bool, line: str, monkeypatch):
    monkeypatch.setattr(machine, "way", lambda: way)
    monkeypatch.setattr(machine, "is_compiled", lambda: is_there)
    monkeypatch.setattr(machine, "find_spec", lambda _: is_there or None)
    with pytest.raises(UsageError) as caught:
        machine.chosen.__wrapped__()
    assert str(caught.value).startswith(line)


def tiny_scenes_in_a_process(code: str) -> str:
    """Run the tiny scenes in a process, which must give the bytes of every other machine; return its warning."""
    environment = os.environ | {jit.VARIABLE: ""}
    command = [sys.executable, "-c", code, *TINY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{name: kept()[name]} for name in TINY]
    return done.stderr


@needs_wasmtime
def test_where_numba_is_not_installed_wasmtime_runs_and_says_nothing():
    assert tiny_scenes_in_a_process(CHILD) == ""


def test_with_neither_plain_python_gives_the_same_bytes_and_says_that_it_is_slow():
    warning = tiny_scenes_in_a_process("import sys; sys.modules['wasmtime'] = None; " + CHILD)
    assert "plain Python, some hundred times slower; try: " in warning
    assert warning.rstrip().endswith("-m pip install wasmtime")
