"""Amerigo: the part of the game that its tower decides. READ game.py FIRST: it plays the game."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.games.amerigo.game import GAME, play_drop
    from tower_sim.games.amerigo.many import make_plan, sample_games
    from tower_sim.games.amerigo.picture import game_figure
    from tower_sim.games.amerigo.rules import (
        SETUP,
        Choice,
        Options,
        Rules,
        Tokens,
        action_points,
        actions_allowed,
        gold_for_passing,
        on_gold_track,
        options,
    )

__getattr__ = face(__name__)
