"""Dead Reckoning: combats in the ship. rules.py has the sides, combat.py the meaning of a
landing, battle.py the course of a battle.

"Line N" is that of the text of the French rulebook. "Silent" marks a ruling of this project where it says nothing.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.games.dead_reckoning.battle import (
        Battle,
        Policy,
        Use,
        advance,
        due,
        start,
        when_behind,
    )
    from tower_sim.games.dead_reckoning.game import GAME
    from tower_sim.games.dead_reckoning.rules import Ability, BattleRules, Rulings, SideRules

__getattr__ = face(__name__)
