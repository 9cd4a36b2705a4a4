"""Amerigo: the part of the game that its tower decides. READ phases.py FIRST: it has the rules."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.games.amerigo.game import GAME
    from tower_sim.games.amerigo.phases import (
        DropEntry,
        after,
        cleared,
        drop,
        game_json,
        knocked,
        play,
        start,
        throw_of,
    )
    from tower_sim.games.amerigo.picture import game_figure
    from tower_sim.games.amerigo.rules import (
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
    from tower_sim.games.tower import DROP_STREAM, KNOCK_STREAM

__getattr__ = face(__name__)
