"""Baseline policies for comparison with a solver: random, greedy, search, and the exact solution of push your luck.

A policy is a function from an environment (`env.unwrapped`) to an allowed action.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from tower_sim.env.base import TowerEnv
from tower_sim.env.push_your_luck import STOP, THROW, PushYourLuckVectorEnv
from tower_sim.errors import check_number, check_whole, unknown
from tower_sim.games.push_your_luck import MOST_THROWS, after
from tower_sim.runs import Array, Estimate, average
from tower_sim.values import check_seed

Policy = Callable[[Any], int]
greedy: Policy = operator.methodcaller("greedy")


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

    def choose(env: TowerEnv[Any]) -> int:
        here, allowed = env.clone(), np.flatnonzero(env.action_masks())
        if len(allowed) == 1:
            return int(allowed[0])
        seeds = [int(each) for each in rng.integers(1 << 63, size=rollouts)]  # the same for every action
        gains = [[_roll_out(env, here, int(action), policy, ahead, each) for each in seeds] for action in allowed]
        env.restore(here)
        return int(allowed[np.argmax(np.mean(gains, 1))])

    return choose


def _roll_out(env: TowerEnv[Any], here: Any, action: int, policy: Policy, ahead: int, seed: int) -> float:
    env.restore(here, seed=seed)
    _, gained, *ends, _ = env.step(action)
    for _ in range(ahead):
        if any(ends):
            break
        _, reward, *ends, _ = env.step(policy(env))
        gained += reward
    return gained


def returns(env: TowerEnv[Any], policy: Policy, games: int, seed: int) -> Array:
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


def value(env: TowerEnv[Any], policy: Policy, games: int, seed: int) -> Estimate:
    """Return the mean of `returns` with its 95 % interval."""
    return average(returns(env, policy, games, seed))


class SolvedLuck:
    """The optimal policy of push your luck for a player who sees the points, the round and the columns `counts`.

    The outcomes of throws are counted, for each value of the columns, in `steps` simulated steps of many games from
    `seed`, in which players stop with the probability `stops`. Dynamic programming backwards from the last round gives
    the best choices.
    """

    def __init__(
        self, envs: PushYourLuckVectorEnv, counts: Sequence[str], steps: int = 400, seed: int = 0, stops: float = 0.25
    ) -> None:
        steps, seed, stops = check_whole("steps", steps, 1), check_seed(seed), check_number("stops", stops, 0, 1)
        if wrong := [name for name in counts if name not in envs.names]:
            raise unknown("a column of counts", wrong[0], envs.names)
        self._rules, self._columns = envs.rules, [envs.names.index(name) for name in counts]
        self._out = [i for i, name in enumerate(envs.names) if name.startswith("out")]
        self._most = MOST_THROWS * min(self._rules.throw, self._rules.gold)
        before, out, after_it = self._simulate(envs, steps, seed, stops)
        most: Array = cast("Any", envs).single_observation_space.high
        self._wide: Array = most[self._columns].astype(int) + 1
        here, there = (self._number_cell(each) for each in (before, after_it))
        rows, often = np.unique(np.stack([here, *out.T, there], 1), axis=0, return_counts=True)
        self._choices = self._solve(rows, often)

    def __call__(self, env: Any) -> int:
        return int(self.actions(env.observation[None], env.action_masks()[None])[0])

    def actions(self, seen: Array, mask: Array) -> Array:
        """Return the action for each of many games."""
        seen = seen.astype(int)
        left = np.clip(self._rules.rounds - seen[:, 0], 0, None)
        stops = self._choices[left, np.minimum(seen[:, 1], self._most), self._number_cell(seen[:, self._columns])]
        return np.where((stops & (mask[:, STOP] > 0)) | (mask[:, THROW] == 0), STOP, THROW)

    def play(self, envs: PushYourLuckVectorEnv, seed: int) -> Array:
        """Play one game in each of `envs` and return the points, shape (num_envs,)."""
        seen, info = envs.reset(seed=seed)
        banked, is_on = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
        while is_on.any():
            seen, rewards, over, _, info = envs.step(self.actions(seen, info["action_mask"]))
            banked += rewards * is_on
            is_on &= ~over
        return banked

    def _simulate(self, envs: PushYourLuckVectorEnv, steps: int, seed: int, stops: float) -> tuple[Array, Array, Array]:
        rng = np.random.default_rng(seed)
        seen, info = envs.reset(seed=seed)
        over = np.zeros(envs.num_envs, bool)
        rows: list[tuple[Array, Array, Array]] = []
        for _ in range(steps):
            mask = info["action_mask"] > 0
            actions = np.where((mask[:, STOP] & (rng.random(envs.num_envs) < stops)) | ~mask[:, THROW], STOP, THROW)
            now, _, ends, _, info = envs.step(actions)
            threw = (actions == THROW) & ~over
            rows.append((seen[threw][:, self._columns], now[threw][:, self._out], now[threw][:, self._columns]))
            seen, over = now, ends
        before, out, after_it = (np.concatenate(column).astype(int) for column in zip(*rows, strict=True))
        return before, out, after_it

    def _number_cell(self, counts: Array) -> Array:
        return np.asarray(np.ravel_multi_index(counts.T, self._wide)) if self._columns else np.zeros(len(counts), int)

    def _solve(self, rows: Array, often: Array) -> Array:
        here, gold, black, there = rows.T
        begins = np.flatnonzero(np.diff(here, prepend=-1))
        share = often / np.repeat(np.add.reduceat(often, begins), np.diff(begins, append=len(here)))
        cells = int(np.prod(self._wide)) if self._columns else 1
        points: Array = np.arange(self._most + 1)
        reached, is_lost = after(points[:, None], gold, black, self._rules)
        reached = np.minimum(reached, self._most)
        ahead, choices = np.zeros(cells), np.zeros((self._rules.rounds, len(points), cells), bool)
        for left in range(self._rules.rounds):
            stopped: Array = points[:, None] + ahead
            worth, thrown = stopped, np.full(stopped.shape, -np.inf)
            for _ in range(MOST_THROWS):
                gained = share * np.where(is_lost, ahead[there], worth[reached, there])
                thrown[:, here[begins]] = np.add.reduceat(gained, begins, axis=1)
                worth = np.maximum(stopped, thrown)
            choices[left] = stopped >= thrown
            ahead = np.where(np.isfinite(thrown[0]), thrown[0], ahead)  # a round begins with a throw
        return choices
