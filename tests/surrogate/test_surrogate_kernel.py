"""The kernel of whole games: without numba, without a folder for what is compiled, with colours of no cube."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest

from tower_sim.apparatus.catalogue import load
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.runs.array import Runs
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.store import shipped
from tower_sim.tools.jit import kept

SHIFT = 0.2


@pytest.fixture(scope="module")
def model() -> SurrogateModel:
    shape = load("amerigo")
    return SurrogateModel(shape, shipped(shape.name, shape.digest))


def digest_of(games: Runs) -> str:
    text = json.dumps([each.tolist() for each in (games.thrown, games.emerged, games.inside)])
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


@pytest.mark.parametrize("way", ["wasm", "python"])
def test_without_numba_the_same_games_are_played(model: SurrogateModel, way: str):
    if way == "wasm":
        pytest.importorskip("wasmtime")
    code = f"""{MODEL}
import hashlib, json, os
sys.modules["numba"] = None  # an import of it fails then
os.environ["TOWER_SIM_CORE"] = "{way}"
from tower_sim.surrogate import by_wasm
by_wasm._AT_ONCE = 4000  # bytes: two games
for shift in (0.0, {SHIFT}):
    games = sample_games(model, Rules(), 3, 17, first=2**32 - 2, shift=shift)
    text = json.dumps([each.tolist() for each in (games.thrown, games.emerged, games.inside)])
    print(hashlib.sha256(text.encode()).hexdigest())
"""
    games = [sample_games(model, Rules(), 3, 17, first=2**32 - 2, shift=shift) for shift in (0.0, SHIFT)]
    assert printed(code).split() == [digest_of(each) for each in games]


def test_numba_is_imported_when_games_are_played_and_not_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TOWER_SIM_CORE", raising=False)
    code = f'{MODEL}\nprint("numba" in sys.modules)\nsample_games(model, Rules(), 1, 1)\nprint("numba" in sys.modules)'
    assert printed(code) == "False\nTrue"


def test_a_function_that_numba_cannot_keep_on_disk_is_compiled_all_the_same():
    numba = pytest.importorskip("numba")
    result: dict[str, Any] = {}
    exec(compile("def doubled(x):\n    return 2 * x", "<no file>", "exec"), result)  # numba has no folder for no file
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(result["doubled"])
    compiled = kept(result["doubled"])
    assert compiled(21) == 42
    assert compiled is not result["doubled"]


def test_colours_without_cubes_have_zeros_also_at_the_end(model: SurrogateModel):
    rules = Rules(colours=("red", "white", "blue"), cubes={"red": 5, "white": 0, "blue": 0}, substitute="")
    games = sample_games(model, rules, 4, 3)
    fewer = sample_games(model, Rules(colours=("red", "white"), cubes={"red": 5, "white": 0}, substitute=""), 4, 3)
    assert games.thrown.shape == (4, 16, 3)
    assert games.thrown[:, 0, 0].tolist() == [5] * 4
    assert not games.thrown[..., 1:].any()
    assert fewer.thrown[:, 1, 0].tolist() == games.thrown[:, 1, 0].tolist()
