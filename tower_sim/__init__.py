"""tower_sim: a rigid-body simulator of board-game cube towers.

    from tower_sim import Tower

    with Tower("amerigo", seed=7) as tower:
        tower.throw(blue=4, red=2)
        print(tower.out, "came out,", tower.inside, "are inside")

docs/python.md is the guide. Lengths are metres, masses kilograms, times seconds.
"""

from typing import TYPE_CHECKING

from tower_sim.tools import TOWER_SIM, face

if TYPE_CHECKING:
    from tower_sim.apparatus import load, names
    from tower_sim.drops import BoardModel, DropModel, TooManyFailedDraws, knock_then_drop, redo, until_landed
    from tower_sim.errors import UsageError
    from tower_sim.models import open_model
    from tower_sim.physics import PhysicsSettings
    from tower_sim.simulator import PhysicsModel
    from tower_sim.studies import Tuned, tune
    from tower_sim.surrogate import SurrogateModel
    from tower_sim.tower import Tower
    from tower_sim.values import (
        BoardState,
        Cube,
        Landing,
        Outcome,
        Pose,
        Resident,
        Status,
        TowerState,
        count_by_colour,
        supply,
    )

__version__ = TOWER_SIM

__all__ = [
    "BoardModel",
    "BoardState",
    "Cube",
    "DropModel",
    "Landing",
    "Outcome",
    "PhysicsModel",
    "PhysicsSettings",
    "Pose",
    "Resident",
    "Status",
    "SurrogateModel",
    "TooManyFailedDraws",
    "Tower",
    "TowerState",
    "Tuned",
    "UsageError",
    "count_by_colour",
    "knock_then_drop",
    "load",
    "names",
    "open_model",
    "redo",
    "supply",
    "tune",
    "until_landed",
]

__getattr__ = face(__name__)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted({*globals(), *__all__})
