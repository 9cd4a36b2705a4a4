"""Drops of any model: repeated until one lands, recorded, thrown by hand, and thrown many times for the odds."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.drops.contract import BaseModel, BoardModel, Closing, Draw, DropModel
    from tower_sim.drops.door import (
        HARDEST,
        Door,
        as_model,
        as_state,
        as_zone,
        foreign,
        go_on_there,
        knock_strength,
        no_knocks,
    )
    from tower_sim.drops.repeat import (
        MAX_ATTEMPTS,
        MOST_DRAWS,
        Chances,
        TooManyFailedDraws,
        estimate_chances,
        is_more,
        knock_then_drop,
        make_document,
        redo,
        throw,
        until_landed,
    )
    from tower_sim.drops.throwing import Counts, RecordedDrop, Recorder, Throwing, as_throw, merge_counts

__getattr__ = face(__name__)
