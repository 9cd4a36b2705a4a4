"""A small bank: a campaign of short games with physics that records, and rules that such games are played by."""

from __future__ import annotations

from pathlib import Path

from tower_sim.campaign import parse, run

RULES = "cubes = 2\nrounds = 1\n"
BANK = f"""
[campaign]
kind = "game"
apparatus = "amerigo"
games = 10
shard = 5
seed = "17"
record = true

[rules]
{RULES}
"""


def bank_in(directory: Path) -> Path:
    """Record the campaign in a new folder of `directory`; returns the folder."""
    run(parse(BANK), directory / "bank")
    return directory / "bank"
