"""Campaigns of every kind, as files, and what a directory then holds."""

from __future__ import annotations

import sys
from pathlib import Path

from tower_sim.campaign import parse, run, verify

RUNNING = sys.modules["tower_sim.campaign.running"]
SEED = "0x0123456789abcdef0123456789abcdef"
GAMES = f"""
[campaign]
game = "amerigo"
apparatus = "amerigo"
model = "two_thirds"
games = 12
shard = 2
seed = "{SEED}"
"""
AMERIGO = '[campaign]\ngame = "amerigo"\napparatus = "amerigo"\nmodel = "two_thirds"\nseed = "7"\n'
CHAINS = """
[campaign]
game = "chain"
apparatus = "amerigo"
model = "two_thirds"
chains = 6
shard = 4
seed = "7"

[chain]
policy = "cover"
"""
BATTLES = """
[campaign]
game = "dead_reckoning"
apparatus = "dead_reckoning"
battles = 12
shard = 4
seed = "7"

[battle]
cubes = { purple = 6, green = 3 }
abilities = { green = ["throw:2", "move"], purple = ["take_off", "strength:1"] }
"""
DROPS_IN_PHYSICS = """
[campaign]
game = "chain"
apparatus = "amerigo"
chains = 2
seed = "7"

[chain]
supply = 12
drops = 6
throw = 6
"""
ALL = {"games": GAMES, "chains": CHAINS, "battles": BATTLES, "physics": DROPS_IN_PHYSICS}


def run_whole(text: str, directory: Path) -> dict[str, bytes]:
    """Run a campaign in this process, without an interruption; return its files."""
    run(parse(text), directory)
    assert verify(directory) == []
    return tree(directory)


def tree(directory: Path) -> dict[str, bytes]:
    """Every file of a campaign but its lock, which is empty."""
    files = {str(path.relative_to(directory)): path for path in sorted(directory.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name != ".lock.db"}
