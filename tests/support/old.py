"""Datasets of earlier schemas."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.towers import RULEBOOK

GAMES = """
[campaign]
kind = "game"
apparatus = "amerigo.toml"
model = "two_thirds"
games = 5
shard = 5
seed = "7"
[rules]
rounds = 1
[vary.fields]
"rules.cubes" = [5, 6]
"""
CHAINS = """
[campaign]
kind = "chain"
apparatus = "amerigo.toml"
model = "two_thirds"
chains = 6
shard = 6
seed = "7"
[chain]
drops = 8
policy = "cover"
"""
BATTLES = """
[campaign]
kind = "battle"
apparatus = "dead_reckoning"
model = "surrogate"
battles = 8
shard = 8
seed = "7"
[battle]
cubes = { purple = 6, green = 3 }
abilities = { green = ["throw:2", "move"], purple = ["take_off", "strength:1"] }
"""
OLD = {"v1_game": GAMES, "v2_game": GAMES, "v2_chain": CHAINS, "v2_battle": BATTLES}


def lay_tower(directory: Path) -> Path:
    """Put the tower into a directory that these campaigns count its file from: what `amerigo` was in their time."""
    shutil.copy(RULEBOOK, directory / "amerigo.toml")
    return directory
