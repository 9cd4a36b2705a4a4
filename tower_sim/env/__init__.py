"""Environments for reinforcement learning and other solvers, for Gymnasium and PettingZoo. READ base.py FIRST.

Importing this package registers `tower_sim/PushYourLuck-v0`, `tower_sim/AmerigoPhases-v0` and
`tower_sim/DeadReckoning-v0` with Gymnasium. It needs the extra `env`.
"""

from tower_sim.tools import extra

_WHERE = "tower_sim.env."
_ENVIRONMENTS = {
    "AmerigoPhases": ("amerigo:AmerigoPhasesEnv",),
    "DeadReckoning": ("battle:DeadReckoningEnv",),
    "PushYourLuck": ("push_your_luck:PushYourLuckEnv", "push_your_luck:PushYourLuckVectorEnv"),
}

_gymnasium = extra("gymnasium", "env")
for _name, (_alone, *_many) in _ENVIRONMENTS.items():
    _vector = _WHERE + _many[0] if _many else None
    _gymnasium.register(f"tower_sim/{_name}-v0", _WHERE + _alone, vector_entry_point=_vector)
