"""tower_sim: a rigid-body simulator of board-game cube towers.

    from tower_sim import Tower

    with Tower("amerigo", seed=7) as tower:
        tower.throw(blue=4, red=2)
        print(tower.out, "came out,", tower.inside, "are inside")

docs/python.md is the guide. Lengths are metres, masses kilograms, times seconds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tower_sim.tools.version import TOWER_SIM

if TYPE_CHECKING:
    from tower_sim.apparatus.catalogue import load, names
    from tower_sim.compare.search import Tuned, tune
    from tower_sim.drops.contract import BoardModel, DropModel
    from tower_sim.drops.repeat import TooManyFailedDraws, knock_then_drop, redo, until_landed
    from tower_sim.errors import UsageError
    from tower_sim.models import open_model
    from tower_sim.physics.settings import PhysicsSettings
    from tower_sim.simulator import PhysicsModel
    from tower_sim.surrogate.model import SurrogateModel
    from tower_sim.tower import Tower
    from tower_sim.values.cubes import Cube, count_by_colour, supply
    from tower_sim.values.outcome import Landing, Outcome, Status
    from tower_sim.values.state import BoardState, Pose, Resident, TowerState

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
_MODULES = {
    "apparatus.catalogue": "load names",
    "compare.search": "Tuned tune",
    "drops.contract": "BoardModel DropModel",
    "values.cubes": "Cube count_by_colour supply",
    "drops.repeat": "TooManyFailedDraws knock_then_drop redo until_landed",
    "errors": "UsageError",
    "models": "open_model",
    "values.outcome": "Landing Outcome Status",
    "physics.settings": "PhysicsSettings",
    "simulator": "PhysicsModel",
    "tower": "Tower",
    "values.state": "BoardState Pose Resident TowerState",
    "surrogate.model": "SurrogateModel",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The module of each public name. It is imported at first use, so that `tower-sim --help` stays fast."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, and return it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"tower_sim.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*globals(), *_HOME])
