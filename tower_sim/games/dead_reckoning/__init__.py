"""Dead Reckoning: combats in the ship. combat.py has the meaning of a landing, battle.py the course of a battle.

"Line N" is that of the text of the French rulebook. "Silent" marks a ruling of this project where it says nothing.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.games.dead_reckoning.abilities import ZONE, Use, list_places
    from tower_sim.games.dead_reckoning.battle import Battle, Policy, advance, due, start, when_behind
    from tower_sim.games.dead_reckoning.game import GAME
    from tower_sim.games.dead_reckoning.picture import board_figure
    from tower_sim.games.dead_reckoning.sides import Setup

__getattr__ = face(__name__)
