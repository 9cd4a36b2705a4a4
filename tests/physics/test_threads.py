"""Threads that drop with the core: each model by itself, those that share one in turn, each as if it were alone."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.outcome import Outcome
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel

SETTINGS = PhysicsSettings(engine="core")
SHAPE = load("amerigo")
CUBES = 3
HANDS = range(12)


def drop(model: PhysicsModel, hand: int) -> Outcome:
    return model.drop(model.empty(), supply({"red": CUBES}, model.cube_edge), np.random.default_rng(hand))


def drops_of_an_own_model(hands: range) -> list[Outcome]:
    with PhysicsModel(SHAPE, SETTINGS) as model:
        return [drop(model, hand) for hand in hands]


@pytest.fixture(name="alone", scope="module")
def _alone() -> list[Outcome]:
    """What one thread gives."""
    return drops_of_an_own_model(HANDS)


@pytest.fixture(name="model")
def _model() -> Iterator[PhysicsModel]:
    with PhysicsModel(SHAPE, SETTINGS) as model:
        yield model


def test_models_in_four_threads_give_what_one_gives_alone(alone: list[Outcome]):
    with ThreadPoolExecutor(4) as crew:
        assert list(crew.map(drops_of_an_own_model, [HANDS] * 4)) == [alone] * 4


def test_threads_that_share_a_model_give_what_one_gives_alone(model: PhysicsModel, alone: list[Outcome]):
    """Without taking turns they raised ValueError, or had other poses."""
    with ThreadPoolExecutor(4) as crew:
        assert list(crew.map(lambda hand: drop(model, hand), HANDS)) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_forked_while_a_thread_drops_can_use_the_same_model(model: PhysicsModel, alone: list[Outcome]):
    drops, stop = threading.Event(), threading.Event()

    def drop_until_told() -> None:
        with model._world.alone():  # as a drop that goes on, which the child has not
            drops.set()
            stop.wait()

    busy = threading.Thread(target=drop_until_told)
    busy.start()
    drops.wait()
    child = os.fork()
    if child == 0:
        same = False
        signal.alarm(300)  # it would wait for ever
        try:
            same = drop(model, 0) == alone[0]
        finally:
            os._exit(0 if same else 1)
    stop.set()
    busy.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_example_in_the_docs_runs():
    text = (Path(__file__).parents[2] / "docs" / "speed.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert re.fullmatch(r"\[\[\d(, \d){3}\], \[\d(, \d){3}\]\]\n", done.stdout), done.stderr
