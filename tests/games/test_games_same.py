"""Games are the same as ever: 408 runs of all eight, with published and changed rules and knocks, by both models."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tower_sim import open_model
from tower_sim.tools import registry

FILE = Path(__file__).with_name("same.json")
CHANGED: dict[str, list[dict[str, Any]]] = {
    "amerigo": [
        {"rules": {"cubes": 3, "rounds": 2, "phases": ["red", "blue"]}},
        {"rules": {"knocks": {"0": 1.0, "3": 2.0, "4": 0.8, "20": 3.0}}},
    ],
    "amazonas": [{}],
    "archipelago": [{}],
    "chain": [{"chain": {"policy": "cover", "supply": 98}}],
    "dead_reckoning": [{}],
    "push_your_luck": [{}],
    "seafarers": [{}],
    "wallenstein": [{"rules": {"edition": "shogun", "players": 3, "revolts": 1}}],
}
"""The tables of the rules beside the published ones."""


def digest(name: str, model: str, runs: int) -> str:
    """Return the digest of the facts, states and outcomes of all turns."""
    game = registry.get("game", name)
    found = hashlib.sha256()
    shape = "dead_reckoning" if game.board else "amerigo"  # which have fast models
    with open_model(shape, model) as tower:
        for tables in ({}, *CHANGED[name]):
            rules = game.read(tables)
            for run in range(runs):
                for turn in game.start(tower, rules, 7, run):
                    what = [turn.index, turn.kind, dict(sorted(turn.facts.items())), str(turn.failed)]
                    found.update(json.dumps(what).encode())
                    found.update(repr((turn.state, turn.outcomes)).encode())
    return found.hexdigest()


def known(name: str, model: str, runs: int) -> str:
    return json.loads(FILE.read_text("utf-8"))[f"{name}, {model}, {runs}"]


LONG = ("chain", "seafarers")  # games of hundreds of throws


@pytest.mark.parametrize("name", CHANGED)
def test_runs_are_the_same(name: str):
    assert digest(name, "surrogate", 3) == known(name, "surrogate", 3)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in CHANGED])
def test_runs_by_physics_are_the_same(name: str):
    assert digest(name, "physics", 1) == known(name, "physics", 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGED)
def test_many_runs_are_the_same(name: str):
    assert digest(name, "surrogate", 24) == known(name, "surrogate", 24)
