"""Dead Reckoning: combats in the ship. combat.py has the meaning of a landing, battle.py the course of a battle.

"Line N" is that of the text of the French rulebook. "Silent" marks a ruling of this project where it says nothing.
"""

from tower_sim.games.dead_reckoning.game import GAME

__all__ = ["GAME"]
