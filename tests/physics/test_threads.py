"""Several models of physics in a process: threads, copies, closed and forgotten ones, interrupts, odd settings."""

import copy
import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import holds_in_a_fork

from tower_sim.apparatus import load
from tower_sim.documents.typed import bounds
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings
from tower_sim.physics.bullet.engine import LOCK, BulletEngine, load_bullet
from tower_sim.physics.settings import NUMBERS, list_settings
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Landing, supply

SHAPES = {name: load(name) for name in ("amerigo", "amerigo-club")}  # their cubes differ in edge
BULLET = PhysicsSettings(engine="bullet")
DROPS = 3
Landings = list[tuple[Landing, ...]]


def drop(model: PhysicsModel, number: int) -> tuple[Landing, ...]:
    cubes = supply({"red": 12}, model.cube_edge)
    return model.drop(model.empty(), cubes, np.random.default_rng([7, number])).landings


@pytest.fixture(name="engine", params=["core", pytest.param("bullet", marks=pytest.mark.bullet)], scope="module")
def _engine(request: pytest.FixtureRequest) -> PhysicsSettings:
    return PhysicsSettings(engine=request.param)


@pytest.fixture(name="alone", scope="module")
def _alone(engine: PhysicsSettings) -> dict[str, Landings]:
    found: dict[str, Landings] = {}
    for name, shape in SHAPES.items():
        with PhysicsModel(shape, engine) as model:
            found[name] = [drop(model, i) for i in range(DROPS)]
    return found


@each_case("order", [list(SHAPES), list(SHAPES)[::-1]], ids=" then ".join)
def test_models_that_take_turns_in_one_thread_give_what_each_gives_alone(
    order: list[str], engine: PhysicsSettings, alone: dict[str, Landings]
):
    with PhysicsModel(SHAPES[order[0]], engine) as first, PhysicsModel(SHAPES[order[1]], engine) as second:
        turns = [(drop(first, i), drop(second, i)) for i in range(DROPS)]
    assert dict(zip(order, map(list, zip(*turns, strict=True)), strict=True)) == alone


@each_case("order", [list(SHAPES), list(SHAPES)[::-1]], ids=" then ".join)
def test_models_in_two_threads_give_what_each_gives_alone(
    order: list[str], engine: PhysicsSettings, alone: dict[str, Landings]
):
    """Before drops waited for each other, 4 to 7 of 10 had other poses: of twelve all are right once in 500 times."""
    start = threading.Barrier(2)

    def work(name: str) -> Landings:
        with PhysicsModel(SHAPES[name], engine) as model:
            start.wait()
            return [drop(model, i) for i in range(DROPS)]

    with ThreadPoolExecutor(2) as crew:
        assert dict(zip(order, crew.map(work, order), strict=True)) == alone


def test_one_model_can_be_used_by_several_threads(engine: PhysicsSettings, alone: dict[str, Landings]):
    with PhysicsModel(SHAPES["amerigo"], engine) as model, ThreadPoolExecutor(DROPS) as crew:
        assert list(crew.map(partial(drop, model), range(DROPS))) == alone["amerigo"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_forked_while_another_thread_drops_can_drop(engine: PhysicsSettings, alone: dict[str, Landings]):
    """The fork waits for the end of the drop: otherwise the child would wait for a thread that it has not."""
    with PhysicsModel(SHAPES["amerigo"], engine) as model:
        busy = threading.Thread(target=lambda: [drop(model, i) for i in range(3)])
        busy.start()
        while busy.is_alive() and model.effort[0] == 0:  # until it drops
            time.sleep(0.001)
        assert holds_in_a_fork(lambda: drop(PhysicsModel(SHAPES["amerigo"], engine), 0) == alone["amerigo"][0])
        busy.join()


@each_case("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_is_a_model_of_its_own(
    copied: Callable[[PhysicsModel], PhysicsModel], engine: PhysicsSettings, alone: dict[str, Landings]
):
    with PhysicsModel(SHAPES["amerigo"], replace(engine, iterations=21)) as model, copied(model) as other:
        assert (other.empty(), other.settings) == (model.empty(), model.settings)
        model.close()
        assert other.drop(other.empty(), (), np.random.default_rng(1)).status.is_landing
    with PhysicsModel(SHAPES["amerigo"], engine) as model, copied(model) as other:
        assert drop(other, 0) == alone["amerigo"][0]


@each_case("workers", [1, 2, 5, None])
def test_many_drops_are_those_of_one_after_another_in_order_with_any_number_of_workers(
    workers: int | None, engine: PhysicsSettings
):
    with PhysicsModel(SHAPES["amerigo"], engine) as model:
        cubes = supply({"red": 3}, model.cube_edge)
        seeds: list[Any] = [*range(6), np.random.SeedSequence(1, spawn_key=(2,))]
        alone = [model.drop(model.empty(), cubes, np.random.default_rng(seed)) for seed in seeds]
        steps = model.effort[0]
        assert list(model.drop_many([(model.empty(), cubes, seed) for seed in seeds], workers=workers)) == alone
        assert model.effort[0] == 2 * steps


@each_case(
    ("wrong", "message"),
    [
        (lambda model: (model.empty(), (), -1), "^seed is -1; allowed is a whole number"),
        (lambda model: (model.empty(), (1,), 1), "^cube is 1;"),
        (lambda model: (1, 2), r"^draw is \(1, 2\); allowed is a state, cubes and a seed; "),
    ],
)
def test_a_wrong_draw_among_many_says_so_after_those_before_it(
    wrong: Callable[[PhysicsModel], Any], message: str, engine: PhysicsSettings
):
    with PhysicsModel(SHAPES["amerigo"], engine) as model:
        good = (model.empty(), supply({"red": 1}, model.cube_edge), 1)
        outcomes = model.drop_many([good, good, wrong(model), good], workers=2)
        assert [next(outcomes).status.is_landing for _ in range(2)] == [True, True]
        with pytest.raises(UsageError, match=message):
            next(outcomes)
        assert drop(model, 0)


def test_a_number_of_workers_that_is_none_is_refused():
    with PhysicsModel(SHAPES["amerigo"], PhysicsSettings(engine="core")) as model:
        for workers in (0, 513, 1.5):
            with pytest.raises(UsageError, match=r"^workers is [\d.]+; allowed is a whole number from 1 to 512"):
                next(model.drop_many([], workers=cast("Any", workers)))


@pytest.fixture
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_of_many_drops_ends_those_that_go_on(interruptible: None):
    endless = PhysicsSettings(engine="core", timestep=1e-5, residual=0)
    threads = set(threading.enumerate())
    with PhysicsModel(SHAPES["amerigo"], endless) as model:
        draws = [(model.empty(), supply({"red": 12}, model.cube_edge), seed) for seed in range(4)]
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            list(model.drop_many(draws, workers=2))
    for thread in set(threading.enumerate()) - threads:
        thread.join(30)
        assert not thread.is_alive()


def test_a_closed_model_says_so_in_one_line(engine: PhysicsSettings):
    with PhysicsModel(SHAPES["amerigo"], engine) as model:
        pass
    model.close()  # as often as one likes
    many = model.drop_many([(model.empty(), (), 1)])
    for call in (
        lambda: drop(model, 0),
        lambda: next(many),
        lambda: model.knock(model.empty(), 1.0, np.random.default_rng(1)),
    ):
        with pytest.raises(UsageError, match=r"^model is closed; allowed is one that is open; [^\n]*$"):
            call()


def client(model: PhysicsModel) -> int:
    return cast("BulletEngine", model._world.engine)._client


def connected(client: int) -> bool:
    return bool(load_bullet().getConnectionInfo(client)["isConnected"])


@pytest.mark.bullet
def test_a_model_that_nobody_holds_any_more_gives_its_client_back():
    """More models than the engine has clients (1,024): without that the last could not be made."""
    model = PhysicsModel(SHAPES["amerigo"], BULLET)
    number = client(model)
    assert connected(number)
    del model
    gc.collect()
    assert not connected(number)
    assert {client(PhysicsModel(SHAPES["amerigo"], BULLET)) for _ in range(20)} == {number}


def resident_kb() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the memory in use is told by Linux only")
def test_models_never_closed_keep_no_memory(engine: PhysicsSettings):
    drop(PhysicsModel(SHAPES["amerigo"], engine), 0)
    gc.collect()
    before = resident_kb()
    for i in range(10):
        drop(PhysicsModel(SHAPES["amerigo"], engine), i)
    gc.collect()
    assert resident_kb() - before < 60_000


def test_a_drop_can_be_interrupted_and_the_model_goes_on(
    interruptible: None, engine: PhysicsSettings, alone: dict[str, Landings]
):
    """SIGINT comes while a drop that would take minutes goes on; the next drop is as if nothing had been."""
    slow = replace(engine, timestep=1e-5, residual=0)
    with PhysicsModel(SHAPES["amerigo"], engine) as model, PhysicsModel(SHAPES["amerigo"], slow) as endless:
        turn = endless._world._turn()

        def interrupt() -> None:
            while turn.acquire(blocking=False):  # not while it drops
                turn.release()
                time.sleep(0.001)
            time.sleep(0.2)  # long enough for the first steps
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt, daemon=True)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            drop(endless, 0)
        thread.join()
        assert drop(model, 0) == alone["amerigo"][0]
        assert LOCK.acquire(blocking=False)
        LOCK.release()


NAN, INF = float("nan"), float("inf")
ODD: list[Any] = [NAN, INF, -INF, -1, -1e-9, 1e9, 10**400, None, "1", True, [1], 1j, np.zeros(2)]


@each_case(("engine", "name"), [(engine, name) for engine in NUMBERS for name in list_settings(engine)])
def test_a_setting_out_of_its_range_is_refused_with_the_range_in_one_line(engine: str, name: str):
    low, high = bounds(cast("Any", PhysicsSettings).__pydantic_fields__[name])
    for value in (*ODD, low / 2 - (low == 0), high * 1.01, *([0] if low > 0 else [])):
        with pytest.raises(UsageError) as refused:
            PhysicsSettings(**cast("Any", {name: value}), engine=engine)
        line = str(refused.value)
        assert re.search(rf"^settings\.{name} is .*; allowed is a (whole )?number from \S+ to \S+; ", line), line


def test_settings_of_equal_numbers_have_one_digest_whatever_their_type():
    one = PhysicsSettings(longest=np.float64(3), iterations=cast("int", np.int64(21)))
    other = PhysicsSettings(longest=3, iterations=21)
    assert (one, one.digest()) == (other, other.digest())
    assert (type(one.longest), type(one.iterations)) == (float, int)


@pytest.mark.bullet
def test_a_bounce_that_would_never_end_is_refused_and_the_least_allowed_one_ends():
    message = r"restitution_speed is 0\.005; allowed is 0\.0392 to 1 at a timestep of 0\.002"
    with pytest.raises(UsageError, match=message):
        PhysicsSettings(restitution_speed=0.005, engine="bullet")
    with pytest.raises(UsageError, match=r"allowed is 0\.0589 to 1 at a timestep of 0\.003"):
        PhysicsSettings(timestep=0.003, engine="bullet")
    with PhysicsModel(SHAPES["amerigo"], replace(BULLET, restitution_speed=0.0393, longest=6)) as model:
        cubes = supply({"red": 49}, model.cube_edge)
        ends = [model.drop(model.empty(), cubes, np.random.default_rng(seed)).status for seed in range(5)]
        assert ends == ["settled"] * 5


def test_time_to_be_quiet_must_be_shorter_than_the_drop():
    with pytest.raises(UsageError, match=r"settings.quiet_time is 3\.0; allowed is less than longest, 2;"):
        PhysicsSettings(quiet_time=3, longest=2)


@each_case("odd", [7, "amerigo", {"iterations": 5}, PhysicsSettings])
def test_what_is_no_settings_or_apparatus_is_refused_in_one_line(odd: Any):
    with pytest.raises(UsageError, match=r"^settings is .*allowed is PhysicsSettings"):
        PhysicsModel(SHAPES["amerigo"], odd)
    with pytest.raises(UsageError, match=r"^apparatus is .*allowed is an Apparatus; load it by name"):
        PhysicsModel(odd)


@pytest.mark.parametrize("engine", ["core"], indirect=True)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_forked_while_a_thread_drops_can_use_the_same_model(
    alone: dict[str, Landings], engine: PhysicsSettings
):
    model, crew = PhysicsModel(SHAPES["amerigo"], engine), ThreadPoolExecutor(1)
    world = model._world.alone()
    crew.submit(world.__enter__).result()  # as a drop that goes on, which the child has not
    same = holds_in_a_fork(lambda: drop(model, 0) == alone["amerigo"][0])
    crew.submit(world.__exit__, None, None, None)
    crew.shutdown()
    assert same


def test_the_example_in_the_docs_runs():
    text = (Path(__file__).parents[2] / "docs" / "speed.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert re.fullmatch(r"\[\d(, \d){7}\]\n", done.stdout), done.stderr
