"""Dead Reckoning: combats in the ship. combat.py has the meaning of a landing, battle.py the course of a battle.

"Rulebook, line N" is line N of the text of the French rulebook. "Silent" marks a ruling of this project where the
rulebook says nothing.
"""

from tower_sim.games.dead_reckoning.game import GAME

__all__ = ["GAME"]
