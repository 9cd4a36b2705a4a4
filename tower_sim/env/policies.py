"""Baseline policies for comparison with a solver: random, usual and search.

A policy is a function from an environment (`env.unwrapped`) to an allowed action.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tower_sim.env.environment import GameEnv
from tower_sim.errors import check_whole
from tower_sim.results import Array, Estimate, average
from tower_sim.values import check_seed

Policy = Callable[[Any], int]
usual: Policy = operator.methodcaller("usual")


def random(seed: int) -> Policy:
    """Return the policy that takes each allowed action with the same probability, drawn from `seed`."""
    rng = np.random.default_rng(check_seed(seed))
    return lambda env: int(rng.choice(np.flatnonzero(env.action_masks())))


def search(policy: Policy, rollouts: int, ahead: int, seed: int) -> Policy:
    """Return the policy that tries each allowed action in simulations and takes the best on average.

    It knows the tower's probabilities and its contents, but not what comes out next. In each of `rollouts` simulations
    `policy` continues for at most `ahead` steps. The random numbers, from `seed`, are the same for every action.
    """
    rollouts, ahead = check_whole("rollouts", rollouts, 1), check_whole("ahead", ahead, 0)
    rng = np.random.default_rng(check_seed(seed))

    def choose(env: GameEnv) -> int:
        here, allowed = env.clone(), np.flatnonzero(env.action_masks())
        if len(allowed) == 1:
            return int(allowed[0])
        seeds = [int(each) for each in rng.integers(1 << 63, size=rollouts)]  # the same for every action
        gains = [[_roll_out(env, here, int(action), policy, ahead, each) for each in seeds] for action in allowed]
        env.restore(here)
        return int(allowed[np.argmax(np.mean(gains, 1))])

    return choose


def _roll_out(env: GameEnv, here: Any, action: int, policy: Policy, ahead: int, seed: int) -> float:
    env.restore(here, seed=seed)
    _, gained, *ends, _ = env.step(action)
    for _ in range(ahead):
        if any(ends):
            break
        _, reward, *ends, _ = env.step(policy(env))
        gained += reward
    return gained


def returns(env: GameEnv, policy: Policy, games: int, seed: int) -> Array:
    """Play games and return the total reward of each.

    Args:
        env: The environment.
        policy: The policy.
        games: The number of games.
        seed: Game i begins with `reset(seed=seed + i)`.

    Returns:
        The rewards, shape (games,).

    >>> import gymnasium, tower_sim.env
    >>> env = gymnasium.make("tower_sim/PushYourLuck-v0").unwrapped
    >>> returns(env, random(1), 3, seed=7).tolist()
    [26.0, 28.0, 12.0]
    """
    games, seed = check_whole("games", games, 1), check_seed(seed)
    gained = np.zeros(games)
    for game in range(games):
        env.reset(seed=seed + game)
        is_over = False
        while not is_over:
            _, reward, terminated, truncated, _ = env.step(policy(env))
            gained[game] += reward
            is_over = terminated or truncated
    return gained


def value(env: GameEnv, policy: Policy, games: int, seed: int) -> Estimate:
    """Return the mean of `returns` with its 95 % interval."""
    return average(returns(env, policy, games, seed))
