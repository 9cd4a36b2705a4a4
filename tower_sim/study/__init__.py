"""Statistics of a campaign and their plots."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.study.battles import chain_lengths, first_cubes, through_ship
    from tower_sim.study.making import study

__getattr__ = face(__name__)
