"""The law of a tower: which cubes come out in a drop, and after a knock."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.fitting.tower.whole_games import read_games

__getattr__ = face(__name__)
