"""Replays of short games, with the turns that they show."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

from tower_sim import load, open_model
from tower_sim.games import Turn
from tower_sim.requests import Play, turns
from tower_sim.tools import registry
from tower_sim.web.replay import describe_play

Replay = dict[str, Any]
RULES = {"amerigo": {"rounds": 1}, "dead_reckoning": {"cubes": {"purple": 3, "green": 3}}}


@cache
def _played(name: str) -> tuple[Replay, Sequence[Turn]]:
    game = registry.get("game", name)
    request = Play.of(game=name, rules=RULES[name], seed=7)
    shape = load(game.apparatus)
    with open_model(shape) as model:
        played = list(turns(request, model))
    return describe_play(request, shape, played), played


def tower_replay() -> Replay:
    """A round of Amerigo: the set-up and seven drops."""
    return deepcopy(_played("amerigo")[0])


def battle_replay() -> Replay:
    """A battle of three cubes against three."""
    return deepcopy(_played("dead_reckoning")[0])


def turns_of(replay: Replay) -> Sequence[Turn]:
    return _played(replay["about"]["game"])[1]
