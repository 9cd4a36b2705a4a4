"""The kernel of whole games: the same games in each way, and colours of no cube."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest

from tower_sim.apparatus import load
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.results import Results
from tower_sim.surrogate import SurrogateModel, kernel, shipped

SHIFT = 0.2


@pytest.fixture(scope="module")
def model() -> SurrogateModel:
    shape = load("amerigo")
    return SurrogateModel(shape, shipped(shape.name, shape.digest))


def digest_of(games: Results) -> str:
    text = json.dumps(
        [each.tolist() for each in (games.each_colour("thrown"), games.each_colour("out"), games.each_colour("inside"))]
    )
    return hashlib.sha256(text.encode()).hexdigest()


def printed(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


MODEL = """
import sys
from tower_sim.apparatus.catalogue import load
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.store import shipped
shape = load("amerigo")
model = SurrogateModel(shape, shipped(shape.name, shape.digest))
"""


@pytest.mark.parametrize("way", ["native", "wasm", "python"])
def test_each_way_plays_the_same_games(model: SurrogateModel, way: str, monkeypatch: pytest.MonkeyPatch):
    found: list[str] = []
    for at_once in (kernel._AT_ONCE, 4000):  # bytes: two games
        monkeypatch.setattr(kernel, "_AT_ONCE", at_once)
        code = f"""{MODEL}
import hashlib, json
from tower_sim.surrogate import kernel
kernel._AT_ONCE = {at_once}
for shift in (0.0, {SHIFT}):
    games = sample_games(model, Rules(), 3, 17, first=2**32 - 2, shift=shift)
    text = json.dumps([games.each_colour(name).tolist() for name in ("thrown", "out", "inside")])
    print(hashlib.sha256(text.encode()).hexdigest())
"""
        monkeypatch.setenv("TOWER_SIM_CORE", way)
        found.append(printed(code))
    games = [sample_games(model, Rules(), 3, 17, first=2**32 - 2, shift=shift) for shift in (0.0, SHIFT)]
    assert found == ["\n".join(digest_of(each) for each in games)] * 2


def test_colours_without_cubes_have_zeros_also_at_the_end(model: SurrogateModel):
    rules = Rules(colours=("red", "white", "blue"), cubes={"red": 5, "white": 0, "blue": 0}, substitute="")
    games = sample_games(model, rules, 4, 3)
    fewer = sample_games(model, Rules(colours=("red", "white"), cubes={"red": 5, "white": 0}, substitute=""), 4, 3)
    assert games.each_colour("thrown").shape == (4, 16, 3)
    assert games.each_colour("thrown")[:, 0, 0].tolist() == [5] * 4
    assert not games.each_colour("thrown")[..., 1:].any()
    assert fewer.each_colour("thrown")[:, 1, 0].tolist() == games.each_colour("thrown")[:, 1, 0].tolist()
