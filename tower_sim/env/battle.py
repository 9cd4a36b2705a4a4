"""Battles of Dead Reckoning for solvers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tower_sim.env.environment import GameEnv
from tower_sim.games import Turn
from tower_sim.games.dead_reckoning import GAME

BATTLE: Mapping[str, Any] = {
    "cubes": {"purple": 6, "green": 6},
    "abilities": dict.fromkeys(("purple", "green"), ("throw:2", "move", "strength:1", "take_off")),
}
"""The battle when no rules are given. The game's own default has no abilities, and so no choices."""


def battle_env(rules: Mapping[str, Any] | None = None, **options: Any) -> GameEnv:
    """Return an environment of a battle for one side, without `rules` those of BATTLE; its reward is `win`."""
    return GameEnv(GAME, win, rules or BATTLE, **options)


def win(turn: Turn, player: str) -> float:
    """Return 1 if the side wins in this turn, -1 if another side wins, and 0 else."""
    winner = turn.facts.get("winner")
    return 0.0 if winner is None else 1.0 if winner == player else -1.0
