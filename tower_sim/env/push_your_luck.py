"""Push your luck: one game, or many at once by the kernel of the surrogate (the fast fitted model)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tower_sim.env.environment import GameEnv
from tower_sim.errors import check_whole, fault
from tower_sim.games.push_your_luck import GAME, MOST_THROWS, LuckRules, after
from tower_sim.results import Array
from tower_sim.surrogate import ManyTowers
from tower_sim.values import check_seed

THROW, STOP = _ACTIONS = 0, 1
MOST_ENVS = 1_000_000


def luck_env(**options: Any) -> GameEnv:
    """Return an environment of push your luck; its reward is the points that are banked."""
    return GameEnv(GAME, "banked", **options)


class PushYourLuckVectorEnv(VectorEnv[Array, Array, Array]):
    """A vector of `num_envs` games of push your luck with the knowledge "table"; see `gymnasium.make_vec`.

    A finished game begins again in the next step (`AutoresetMode.NEXT_STEP`). `info["action_mask"]` has shape
    (num_envs, 2). With the same seed the games differ from those of `luck_env`.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        rules: Mapping[str, Any] | None = None,
        *,
        apparatus: str = "",
        model: str = "surrogate",
    ) -> None:
        alone = luck_env(rules=rules, apparatus=apparatus, model=model)
        if not hasattr(alone.model, "table"):
            raise fault("model", model, "a surrogate: many games are played by its kernel", "leave it out")
        self.num_envs, self._model = check_whole("num_envs", num_envs, 1, MOST_ENVS), alone.model
        self.rules: LuckRules = alone.rules
        self.names: tuple[str, ...] = alone.names
        self.single_observation_space, self.single_action_space = alone.observation_space, spaces.Discrete(2)
        self.observation_space = batch_space(alone.observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._cubes = np.array([*alone.cubes.values()])
        self._towers: ManyTowers | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """`options` are ignored."""
        super().reset(seed=None if seed is None else check_seed(seed))
        total = int(self._cubes.sum())
        self._towers = ManyTowers(self._model, self.num_envs, total, 2, self.np_random)
        self._round = np.ones(self.num_envs, int)
        self._points, self._throws = np.zeros((2, self.num_envs), int)
        self._out = np.zeros((self.num_envs, 2), int)
        return self._observation(), self._info()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Raises UsageError if the mask of a game that is not over forbids its action."""
        if self._towers is None:
            raise fault("the environment", "not reset yet", "one that is", "call reset() first")
        argument = actions
        try:
            actions = np.asarray(argument)
        except ValueError:  # lists of several lengths
            actions = np.array(None)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "biu" or not np.isin(actions, _ACTIONS).all():
            allowed = f"{self.num_envs} whole numbers or booleans, each 0 (throw) or 1 (stop)"
            raise fault("actions", cast("object", argument), allowed, "give one for each game")
        actions = actions.astype(int)
        over, mask = self._over, self._mask()
        if (wrong := np.flatnonzero(~mask[np.arange(self.num_envs), actions] & ~over)).size:
            what = f"action of game {wrong[0]}"
            raise fault(what, int(actions[wrong[0]]), "one of its mask", "look at info['action_mask']")
        stops, throws = (actions == STOP) & ~over, (actions == THROW) & ~over
        self._towers.empty(over)
        self._round[over] = 1
        self._out[over] = 0
        outside = self._cubes - self._towers.inside
        number = np.where(throws, np.minimum(self.rules.throw, outside.sum(1)), 0)
        gold = self.np_random.hypergeometric(outside[:, 0], outside[:, 1], number)
        out = self._towers.throw(np.stack([gold, number - gold], 1))
        self._out = np.where(throws[:, None], out, self._out)
        points, is_lost = after(self._points, out[:, 0], out[:, 1], self.rules)
        rewards = np.where(stops, self._points, 0).astype(float)
        is_round_over = stops | (throws & is_lost)
        self._round += is_round_over
        self._points = np.where(is_round_over | over, 0, points)
        self._throws = np.where(is_round_over | over, 0, self._throws + throws)
        return self._observation(), rewards, self._over, np.zeros(self.num_envs, bool), self._info()

    @property
    def _over(self) -> Array:
        return self._round > self.rules.rounds

    def _mask(self) -> Array:
        return np.stack([self._throws < MOST_THROWS, self._throws > 0], 1) & ~self._over[:, None]

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask().astype(np.int8)}

    def _observation(self) -> Array:
        assert self._towers is not None
        table = np.stack([self._round, self._points, self._throws], 1) * ~self._over[:, None]
        return np.hstack([table, self._out, self._towers.inside]).astype(np.float32)
