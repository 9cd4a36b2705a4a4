"""Drops into one tower in a row, by no game's rules: what campaigns fit and study a tower with."""

from tower_sim.games.chain.game import GAME, Link
from tower_sim.games.chain.rules import COLOURS, POLICIES, Chain, chosen

__all__ = ["COLOURS", "GAME", "POLICIES", "Chain", "Link", "chosen"]
