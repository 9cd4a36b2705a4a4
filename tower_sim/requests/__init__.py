"""What may be asked for, each typed and checked once: a throw, a game, odds, a comparison's variant."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.requests import request
    from tower_sim.requests.request import (
        APPARATUS,
        FILES,
        GAME,
        AnyRequest,
        Odds,
        Play,
        Request,
        Throw,
        check,
        drop_document,
        fill,
        first_game,
        games,
        no_odds,
        outcome,
        play_document,
        read_rules,
        to_its_end,
        turns,
    )
    from tower_sim.requests.variants import DEFAULT, Variant, read_variant

__getattr__ = face(__name__)
