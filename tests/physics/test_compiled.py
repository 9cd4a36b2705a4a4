"""What is compiled in advance: files are those of the source, and each way to run them gives the same bytes."""

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
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import holds_in_a_fork

from tests.support.golden_scenes import ROUGH, SCENES, TINY, digest, kept
from tower_sim.apparatus import load
from tower_sim.apparatus.where import PLACES
from tower_sim.calibration.bets import BETS
from tower_sim.compiled import CompiledFile, Memory, by_native, choice, file
from tower_sim.compiled.marks import VARIABLE
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings
from tower_sim.physics.core import CoreEngine, arrays, machine
from tower_sim.physics.core.machine import CORE
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate.kernel import GAMES
from tower_sim.values import Pose, supply

by_wasm: Any = importlib.import_module("tower_sim.compiled.by_wasm") if importlib.util.find_spec("wasmtime") else None
needs_wasmtime = pytest.mark.skipif(by_wasm is None, reason="wasmtime is not installed")
needs_library = pytest.mark.skipif(by_native.library() is None, reason="this system has no native library")
CHILD = "from tests.support.golden_scenes import main; import sys; main(sys.argv[1:])"


@pytest.fixture(
    name="memory", params=[pytest.param("native", marks=needs_library), pytest.param("wasm", marks=needs_wasmtime)]
)
def _memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Memory]:
    memory = by_native.NativeMemory if request.param == "native" else by_wasm.WasmMemory
    monkeypatch.setattr(machine, "chosen_machine", lambda: machine.machine_in(memory))
    return memory


# Files


@each_case("each", [CORE, GAMES, BETS])
def test_a_file_is_that_of_the_source(each: CompiledFile):
    """After a change of what is compiled: python -m tower_sim.compiled.build."""
    assert each.path
    assert file.read_origin(each.path.read_bytes())["source"] == each.digest()


def test_the_native_libraries_are_those_of_the_source():
    folder = Path(by_native.__file__).with_name("native")
    origin = json.loads((folder / "origin.json").read_text())
    assert origin["sources"] == {each.name: each.digest() for each in (CORE, GAMES, PLACES, BETS)}
    assert {path.name for path in folder.iterdir()} == {*by_native.LIBRARIES.values(), "origin.json"}


def test_a_field_of_a_record_is_the_number_that_other_languages_find_by_its_name():
    about, world = CORE.about(), arrays.make(2, 3)
    names, numbers = about["names"], {name: getattr(world, name).view(np.int64) for name, _ in about["shapes"]}
    for name, (_, *width) in about["shapes"]:
        assert numbers[name].size == len(getattr(world, name)) * math.prod(width)
    world.drop[0].launches, world.marks[2].id, world.flags[4].number = 7, 8, 9
    world.cubes[1].out_pose[2], world.bodies[3].position[1] = -0.5, -0.5
    assert numbers["drop"][names["LAUNCHES"]] == 7
    assert numbers["marks"].reshape(3, -1)[2, names["ID"]] == 8
    assert numbers["flags"].reshape(5, -1)[4, names["NUMBER"]] == 9
    assert world.cubes.view(float)[names["CUBE_COLUMNS"] + names["OUT_POSE"] + 2] == -0.5
    assert world.bodies.view(float)[3 * names["COLUMNS"] + 1] == -0.5
    assert [name for name in numbers if name in about["whole_numbers"]] == [
        "whole", "flags", "pairs", "known_pairs", "todo", "cells", "listed", "drop", "marks",
    ]  # fmt: skip


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
    command = [sys.executable, "-m", "tower_sim.compiled.build", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# The same bytes


@each_case("name", SCENES)
def test_a_scene_is_to_the_last_digit_that_of_every_other_machine(name: str, memory: type[Memory]):
    assert digest(name) == kept()[name]


def test_in_threads_it_is_the_same(memory: type[Memory]):
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: {name: digest(name) for name in TINY}, range(4)):
            assert found == {name: kept()[name] for name in TINY}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_goes_on_with_the_tables_that_it_inherits(memory: type[Memory]):
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


@needs_library
@needs_wasmtime
@each_case("quick", [True, False], ids=["by the C interface", "as documented"])
def test_a_world_that_grows_and_a_film_of_it_are_the_same_in_each_memory(quick: bool, monkeypatch: pytest.MonkeyPatch):
    if not quick:
        monkeypatch.setattr(by_wasm, "_c", None)
    monkeypatch.setattr(machine, "chosen_machine", lambda: machine.machine_in(by_wasm.WasmMemory))
    in_wasm = drop_many()
    monkeypatch.setattr(machine, "chosen_machine", lambda: machine.machine_in(by_native.NativeMemory))
    assert in_wasm == drop_many()
    assert in_wasm == drop_many(is_film=False)
    assert np.any(in_wasm[0])


def test_a_table_that_lies_otherwise_in_memory_is_read_and_written_all_the_same(memory: type[Memory]):
    home, rows = memory(CORE), np.zeros((4, 16))
    rows[:, 7::8] = 1.0
    rows[:, 0] = rows[:, 3] = np.arange(4)
    tables = [(rows[:, :8], np.zeros((4, 4))[:, ::2]), (rows[:, :8].copy(), np.zeros((4, 2)))]
    world, zones, on = home.table((1,), float), np.zeros((4, 1)), np.zeros((4, 4))
    assert world.base.memory is home  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    rule = np.array(load("amerigo").rule)
    compiled = machine.machine_in(memory)
    model = compiled.make(1, 4, 1, len(rule), 0)
    model.rule[:], model.drop[0].run = rule, arrays.ALONE
    for given, places in tables:
        compiled.lay(model, given, np.zeros((0, 27)), 0)
        assert compiled.read(model, np.zeros((4, 2)), np.zeros((4, 7)), places, zones, on) == 4
    assert np.array_equal(tables[0][1], tables[1][1])
    assert np.any(tables[0][1])


def test_memory_goes_with_the_last_table_that_lies_in_it(memory: type[Memory]):
    gc.disable()  # what is only found by looking for circles would stay for long
    try:
        world: Any = machine.machine_in(memory).make(3, 2, 1, 1, 0)
        home, view = weakref.ref(world.whole.base.memory), world.bodies[1:]
        del world
        assert home() is not None
        view[0].mobile = 1.0
        del view
        assert home() is None
    finally:
        gc.enable()


@needs_wasmtime
def test_more_cubes_than_32_bits_can_address_are_refused_in_one_line():
    message = r"4 GiB that WebAssembly can address; allowed are about 1,000; try fewer, or "
    with pytest.raises(UsageError, match=message):
        machine.machine_in(by_wasm.WasmMemory).make(10, 2000, 1, 1, 2_000_000)


# What is kept in the cache


def test_a_damaged_file_of_the_cache_counts_as_missing_and_a_cache_that_takes_none_is_no_fault(
    tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(file, "user_cache", lambda: tmp_path / "kept")
    assert file.kept("a") is None
    file.keep("a", b"content")
    (path,) = (tmp_path / "kept").iterdir()
    whole = path.read_bytes()
    assert file.kept("a") == b"content"
    for damaged in (b"", whole[:-3], whole[:33] + b"x" + whole[34:]):
        path.write_bytes(damaged)
        assert file.kept("a") is None
    monkeypatch.setattr(file, "user_cache", lambda: path)  # a file in the folder's place
    file.keep("a", b"content")
    assert file.kept("a") is None


@needs_wasmtime
def test_what_wasmtime_compiled_is_kept_and_made_again_where_it_is_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(file, "user_cache", lambda: tmp_path)
    by_wasm._compile.__wrapped__(CORE.path)
    (path,) = tmp_path.iterdir()
    compilations: list[bytes] = []
    monkeypatch.setattr(by_wasm.wasmtime.Module, "__init__", lambda _, __, code: compilations.append(code))
    monkeypatch.setattr(by_wasm.wasmtime.Module, "serialize", lambda _: b"")
    by_wasm._compile.__wrapped__(CORE.path)
    assert not compilations
    file.keep(path.name, b"another's")
    by_wasm._compile.__wrapped__(CORE.path)
    assert len(compilations) == 1


# Which way runs


@each_case(
    "asked, doubt, has_wasm, way, line",
    [
        ("", "", True, "native", ""),
        (
            "",
            "lib.so computes other digits on this machine",
            True,
            "wasm",
            "other digits on this machine: core.wasm runs",
        ),
        ("", "lib.so computes other digits on this machine", False, "python", "plain Python runs instead"),
        ("wasm", "", True, "wasm", ""),
        ("python", "", True, "python", "some hundred times slower; try: "),
    ],
)
def test_the_fastest_that_is_sound_runs_unless_the_environment_says_which(
    asked: str,
    doubt: str,
    has_wasm: bool,
    way: str,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    set_up_ways(monkeypatch, asked, doubt, has_wasm)
    assert choice.way.__wrapped__() == way
    assert line in (err := capsys.readouterr().err)
    assert bool(line) == bool(err)


@each_case(
    "asked, line",
    [
        ("fast", "TOWER_SIM_CORE is 'fast'; allowed are native, wasm, python; try leaving it out"),
        ("native", "TOWER_SIM_CORE is 'native', but it fell; allowed are native, wasm, python; try leaving it out"),
        ("wasm", "TOWER_SIM_CORE is 'wasm', but wasmtime is not installed; try: "),
    ],
)
def test_a_way_that_is_not_there_is_refused_in_one_line(asked: str, line: str, monkeypatch: pytest.MonkeyPatch):
    set_up_ways(monkeypatch, asked, "it fell", has_wasm=False)
    with pytest.raises(UsageError) as caught:
        choice.way.__wrapped__()
    assert str(caught.value).startswith(line)


def set_up_ways(monkeypatch: pytest.MonkeyPatch, asked: str, doubt: str, has_wasm: bool) -> None:
    monkeypatch.setenv(VARIABLE, asked)
    monkeypatch.setattr(by_native, "doubt", lambda: doubt)
    monkeypatch.setattr(choice, "find_spec", lambda _: has_wasm or None)


@each_case("way", choice.WAYS)
def test_each_way_gives_the_bytes_of_every_other_machine(way: str):
    if (way == "wasm" and by_wasm is None) or (way == "native" and by_native.library() is None):
        pytest.skip("it does not run here")
    command = [sys.executable, "-c", CHILD, *TINY]
    done = subprocess.run(command, env=os.environ | {VARIABLE: way}, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{name: kept()[name]} for name in TINY]
    assert ("some hundred times slower" in done.stderr) == (way == "python")


# The trial


def test_a_trial_has_the_same_digest_in_each_memory(memory: type[Memory], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(choice, "chosen", lambda: memory)
    assert by_native.digest() == by_native.RIGHT


@needs_library
@each_case(
    "code, doubt, stays",
    [
        (by_native.TRIAL_CODE, "", True),
        ("print('wrong')", "computes other digits on this machine", True),
        ("import os; os.abort()", "does not run on this machine", True),
        ("import nothing_of_this_name", "does not run on this machine (ModuleNotFoundError", False),
        ("import time; time.sleep(9)", "cannot be tried (TimeoutExpired)", False),
    ],
    ids=["right", "wrong", "crash", "broken", "slow"],
)
def test_a_library_runs_after_its_trial_and_the_result_is_remembered(
    code: str, doubt: str, stays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(file, "user_cache", lambda: tmp_path)
    monkeypatch.setattr(by_native, "TRIAL_CODE", code)
    if "sleep" in code:
        monkeypatch.setattr(by_native, "_PATIENCE", 0.1)
    found = by_native.doubt.__wrapped__()
    assert doubt in found
    assert bool(doubt) == bool(found)
    assert len([*tmp_path.iterdir()]) == stays
    monkeypatch.setattr(by_native, "TRIAL_CODE", "print('another')")
    assert (by_native.doubt.__wrapped__() == found) == stays


@needs_library
@each_case("executable, frozen", [("", False), ("/opt/blender", False), (sys.executable, True)])
def test_without_a_python_for_its_trial_a_library_does_not_run(
    executable: str, frozen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(file, "user_cache", lambda: tmp_path)
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    assert "without a Python" in by_native.doubt.__wrapped__()


def test_a_system_without_a_library_says_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(by_native.platform, "machine", lambda: "riscv64")
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(choice.by_native, "doubt", by_native.doubt.__wrapped__)
    assert choice.way.__wrapped__() in ("wasm", "python")
    assert by_wasm is None or not capsys.readouterr().err
