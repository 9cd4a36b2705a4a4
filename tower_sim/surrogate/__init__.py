"""The tower without physics: probability distributions that are fitted to many simulated drops.

    campaign --fitting/--> law --store--> models/NAME.json --store--> law --> model --> outcome
                                                                       |
    of a tower   law and, rounded, Table: table.py                     +-> model.py: SurrogateModel
                     drops, knocks and plans, compiled: kernel.py; from JavaScript: games.js, sampler.js
    of a board   law: board_law.py                                     +-> ship.py: ShipSurrogate

`two_thirds.py` has a rule of thumb, `groups.py` the simpler distributions that the law is compared with. This
package knows no game. Files and towers that do not fit raise UsageError. READ model.py FIRST; docs/surrogate.md says
how close the surrogate is to physics.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.surrogate.board_law import TERMS, BoardLaw, Covered
    from tower_sim.surrogate.groups import (
        AGES,
        LOG_SIZE,
        LOG_SIZE_SD,
        AgeOdds,
        Array,
        BetaBinomial,
        GroupsLaw,
        chance,
        fit,
        fit_ages,
        fit_group,
        terms,
    )
    from tower_sim.surrogate.kernel import GAMES
    from tower_sim.surrogate.many import ManyTowers
    from tower_sim.surrogate.model import SurrogateModel
    from tower_sim.surrogate.ship import ShipSurrogate, document, games_text, js_text, json_text
    from tower_sim.surrogate.store import (
        BOARD,
        FAILED_NAME,
        TOWER,
        Fitted,
        RungScore,
        Source,
        beside,
        find_surrogate,
        fitted_or_shipped,
        has_fitted,
        load_fitted,
        shipped,
        shipped_names,
    )
    from tower_sim.surrogate.table import CROWD, FRESH, KNOCKS, Cascade, FloorLaw, Passing, Polyline, normal_scores
    from tower_sim.surrogate.two_thirds import REGION, RESIDENT_OUT, THROWN_OUT, TwoThirdsRule

__getattr__ = face(__name__)
