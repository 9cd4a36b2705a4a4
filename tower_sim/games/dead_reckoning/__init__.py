"""Dead Reckoning: combats in the ship. What a landing means is in `combat`, how a battle goes in `battle`."""

from tower_sim.games.dead_reckoning.game import GAME

__all__ = ["GAME"]
