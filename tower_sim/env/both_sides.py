"""A game whose questions ask several players, by PettingZoo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv  # pyright: ignore[reportMissingTypeStubs]

from tower_sim.env.environment import GameEnv, Reward
from tower_sim.errors import fault
from tower_sim.games import Game
from tower_sim.results import Array


class GameAEC(AECEnv[str, Any, Any]):
    """A game in which agents answer for all players in turn, with the AEC interface of PettingZoo.

    The agents are the players. An observation is a dictionary with `observation` and `action_mask`. Arguments are those
    of `GameEnv`.
    """

    metadata: dict[str, Any] = {"name": "tower_sim_v0", "render_modes": ["rgb_array"], "is_parallelizable": False}

    def __init__(self, of: Game | str, reward: Reward, rules: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__()
        self.env = GameEnv(of, reward, rules, **options)
        self.env.asked = {*self.env.players}
        self.possible_agents, self.agents = [*self.env.players], list[str]()
        self.render_mode = self.env.render_mode
        mask = spaces.Box(0, 1, (len(self.env.actions),), np.int8)
        self._space = spaces.Dict({"observation": self.env.observation_space, "action_mask": mask})

    def action_space(self, agent: str) -> Any:
        return self.env.action_space

    def observation_space(self, agent: str) -> Any:
        return self._space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode. `options` are ignored."""
        self.env.reset(seed=seed)
        self.agents = [*self.possible_agents]
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._follow(0, "")

    def step(self, action: Any) -> None:
        """Take one step. The mask must allow the action."""
        if not self.agents:
            raise fault("the environment", "at its end, or not reset yet", "one that goes on", "call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        turns = len(self.env.position.turns)
        *_, info = self.env.step(action)
        self._cumulative_rewards[agent] = 0.0
        self._follow(turns, info.get("failed", ""))
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Array]:
        mask = self.env.action_masks() & (agent == self.agent_selection)
        return {"observation": self.env.observation, "action_mask": mask.astype(np.int8)}

    def render(self) -> Any:
        return self.env.render()

    def close(self) -> None:
        self.env.close()

    def _follow(self, turns: int, failed: str) -> None:
        position = self.env.position
        self.agent_selection = position.question.player if position.question else self.agents[0]
        self.rewards = {agent: self.env.worth(position.turns[turns:], agent) for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, position.question is None)
        self.truncations = dict.fromkeys(self.agents, bool(failed))
        self.infos = {agent: {"failed": failed} if failed else {} for agent in self.agents}
