"""Environments for reinforcement learning and other solvers, for Gymnasium and PettingZoo. READ environment.py FIRST.

Importing this package registers `tower_sim/Game-v0`, `tower_sim/PushYourLuck-v0`, `tower_sim/AmerigoPhases-v0` and
`tower_sim/DeadReckoning-v0` with Gymnasium. It needs the extra `env`.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import extra, face

if TYPE_CHECKING:
    from tower_sim.env.battle import BATTLE, win
    from tower_sim.env.both_sides import GameAEC
    from tower_sim.env.environment import GameEnv
    from tower_sim.env.phases import PhasesGame
    from tower_sim.env.push_your_luck import PushYourLuckVectorEnv

_ENVIRONMENTS = {
    "AmerigoPhases": ("phases:phases_env", None),
    "DeadReckoning": ("battle:battle_env", None),
    "Game": ("environment:GameEnv", None),
    "PushYourLuck": ("push_your_luck:luck_env", "tower_sim.env.push_your_luck:PushYourLuckVectorEnv"),
}

_gymnasium = extra("gymnasium", "env")
for _name, (_alone, _many) in _ENVIRONMENTS.items():
    _gymnasium.register(f"tower_sim/{_name}-v0", "tower_sim.env." + _alone, vector_entry_point=_many)

__getattr__ = face(__name__)
