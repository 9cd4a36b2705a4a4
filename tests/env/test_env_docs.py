"""docs/solvers.md runs block by block, and its policies are as good as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest

import tower_sim.env  # noqa: F401 (it registers the environments)
from tower_sim.env import PushYourLuckVectorEnv, policies
from tower_sim.games.push_your_luck import MOST_THROWS, after

PAGE = (Path(__file__).parents[2] / "docs/solvers.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
CELLS = json.loads((Path(__file__).parents[2] / "notebooks/solvers.ipynb").read_text("utf-8"))["cells"]
RULES = {"gold": 6, "black": 3, "throw": 4, "curse": 2}


def test_the_blocks_of_the_page_run(capsys: pytest.CaptureFixture[str]):
    ran = [exec(compile(block, "solvers.md", "exec"), {}) for block in BLOCKS if "sb3" not in block]
    assert len(ran) == 4
    assert "'inside_gold'" in capsys.readouterr().out


@pytest.mark.slow
def test_the_agent_of_the_page_learns_to_be_better_than_chance():
    pytest.importorskip("sb3_contrib")
    (block,) = (block for block in BLOCKS if "sb3" in block)
    names: dict[str, object] = {}
    exec(compile(block, "solvers.md", "exec"), names)
    env: Any = gymnasium.make("tower_sim/PushYourLuck-v0").unwrapped
    trained = policies.value(env, cast("policies.Policy", names["trained"]), 200, 10_000)
    assert trained.low > policies.value(env, policies.random(1), 200, 10_000).high


@pytest.mark.slow
def test_who_remembers_what_went_in_banks_more_and_both_more_than_chance():
    (solver,) = ("".join(cell["source"]) for cell in CELLS if cell["id"] == "solver")
    names: dict[str, Any] = {"np": np, "MOST_THROWS": MOST_THROWS, "after": after}
    exec(compile(solver, "solvers.ipynb", "exec"), names)
    games = PushYourLuckVectorEnv(4096, RULES)
    env: Any = gymnasium.make("tower_sim/PushYourLuck-v0", rules=RULES).unwrapped
    chance = policies.value(env, policies.random(1), 200, 1)
    solved = [names["SolvedLuck"](games, columns, 200) for columns in ((), ("inside_gold", "inside_black"))]
    of = [np.concatenate([policy.play(games, seed) for seed in range(3)]) for policy in solved]
    error = np.hypot(*(each.std() / len(each) ** 0.5 for each in of))
    assert of[1].mean() - of[0].mean() > 4 * error
    assert of[0].mean() > chance.high
    alone = policies.value(env, solved[0], 200, 1)
    assert alone.low < of[0].mean() < alone.high


@pytest.mark.parametrize("name", ["PushYourLuck", "AmerigoPhases", "DeadReckoning"])
def test_a_search_leaves_the_table_as_it_is_and_takes_what_is_allowed(name: str):
    env: Any = gymnasium.make(f"tower_sim/{name}-v0").unwrapped
    env.reset(seed=1)
    search = policies.search(policies.usual, 2, 2, seed=1)
    for policy in (search, policies.random(1)):
        copy = env.clone()
        action = policy(env)
        assert env.clone() == copy
        assert env.action_masks()[action]
        env.step(action)
