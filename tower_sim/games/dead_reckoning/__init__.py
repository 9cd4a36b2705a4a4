"""Dead Reckoning: combats in the ship. What a landing means is in `combat`, how a battle goes in `battle`.

Where a docstring says "rulebook, line N" it means line N of the French rulebook as text; "silent" marks a ruling of
this project.
"""

from tower_sim.games.dead_reckoning.game import GAME

__all__ = ["GAME"]
