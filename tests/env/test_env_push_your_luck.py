"""Push your luck for solvers: Gymnasium's own checks, the game's rules, copies, bad input, and many games at once."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
import pytest
from support.cases import each_case
from support.fakes import CoinTower

import tower_sim.env  # noqa: F401 (it registers the environments)
from tower_sim import UsageError
from tower_sim.env.push_your_luck import STOP, THROW
from tower_sim.games.push_your_luck import GAME
from tower_sim.results import average

LUCK = "tower_sim/PushYourLuck-v0"


def make(**options: Any) -> Any:
    return gymnasium.make(LUCK, **options).unwrapped


def points(env: Any) -> int:
    return int(env.observation[env.names.index("points")])


def test_a_policy_of_the_game_banks_the_same_points_in_the_environment():
    env = make()
    env.reset()
    start = env.clone()
    for seed in range(5):
        env.restore(start, seed=seed)
        banked: list[float] = []
        while env.action_masks().any():
            stops = points(env) >= 5 or not env.action_masks()[THROW]
            banked.append(env.step(STOP if stops else THROW)[1])
        rules = env.rules.but(at=5)
        turns = list(GAME.start(env.model, rules, seed))
        assert sum(banked) == sum(turn.facts["banked"] for turn in turns)
        assert [(turn.state, turn.out) for turn in turns] == [(turn.state, turn.out) for turn in env.position.turns]


def test_the_observation_is_what_a_table_sees_and_more_or_less_on_request():
    names = {knowledge: make(knowledge=knowledge).names for knowledge in ("throw", "table", "state")}
    assert names["table"] == ("round", "points", "throws", "out_gold", "out_black", "inside_gold", "inside_black")
    assert names["throw"] == names["table"][:5]
    assert names["state"][:7] == names["table"]
    assert len(names["state"]) == 7 + 2 * 21
    env = make(knowledge="state")
    env.reset(seed=1)
    seen = dict(zip(env.names, env.step(THROW)[0].tolist(), strict=True))
    inside = seen["inside_gold"] + seen["inside_black"]
    assert inside == sum(seen[f"cube_{i}_place"] > 0 for i in range(21))
    assert inside == sum(seen[f"cube_{i}_age"] for i in range(21))
    assert inside + seen["out_gold"] + seen["out_black"] == env.rules.throw


def test_a_picture_has_one_size():
    env = make(render_mode="rgb_array")
    env.reset(seed=1)
    empty = env.render()
    env.step(THROW)
    assert (empty.shape, empty.dtype) == (env.render().shape, np.uint8)
    assert (empty != env.render()).any()


def test_physics_plays_too():
    env = make(model="physics", rules={"rounds": 1})
    env.reset(seed=1)
    _, _, _, truncated, info = env.step(THROW)
    assert not truncated
    assert sum(env.position.now.thrown.values()) == 4
    assert info["action_mask"].any()


def test_five_failed_draws_in_a_row_truncate_the_episode(monkeypatch: pytest.MonkeyPatch):
    env = make()
    env.reset(seed=1)
    monkeypatch.setattr(env, "model", CoinTower(failure_rate=1))
    env.restore(env.clone(), seed=1)  # which opens the model anew
    _, reward, terminated, truncated, info = env.step(THROW)
    assert (reward, terminated, truncated) == (0, False, True)
    assert "5 draws in a row" in info["failed"]
    with pytest.raises(UsageError, match="after the end"):
        env.step(THROW)


def test_bad_actions_and_states_are_told_in_one_line():
    env = make(rules={"rounds": 1})
    with pytest.raises(UsageError, match=r"not reset yet'; allowed is one that is; call reset"):
        env.action_masks()
    env.reset(seed=1)
    for action in (STOP, 2, -1, 0.5, "throw", None):
        with pytest.raises(UsageError, match=r"action is .*; allowed is one of 0 \(throw\); look at info"):
            env.step(action)
    copy = env.clone()
    for other in (make(), make(rules={"rounds": 1}, model="two_thirds")):
        with pytest.raises(UsageError, match="state is 'push_your_luck'; allowed is one of push_your_luck with these"):
            other.restore(copy)
    with pytest.raises(UsageError, match=r"state is 7; allowed is a state that clone\(\) gave"):
        env.restore(7)
    with pytest.raises(UsageError, match="seed is -1"):
        env.restore(copy, seed=-1)
    while env.action_masks().any():
        env.step(THROW if env.action_masks()[THROW] else STOP)
    with pytest.raises(UsageError, match=r"one after the end of the episode; allowed is none; call reset\(\)"):
        env.step(THROW)


def play_games(envs: Any, at: int, seed: int) -> np.ndarray:
    seen, info = envs.reset(seed=seed)
    banked, is_on = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    while is_on.any():
        stops = info["action_mask"][:, STOP] & ((seen[:, 1] >= at) | (info["action_mask"][:, THROW] == 0))
        seen, rewards, over, _, info = envs.step(stops.astype(int))
        banked += rewards * is_on
        is_on &= ~over
    return banked


def test_many_games_at_once_bank_what_single_ones_do():
    envs = gymnasium.make_vec(LUCK, num_envs=3000, vectorization_mode="vector_entry_point")
    many = average(play_games(envs, 5, 1))
    env = make()
    single = average(np.array([sum(turn.facts["banked"] for turn in GAME.start(env.model, env.rules, seed))
                               for seed in range(400)], float))  # fmt: skip
    assert single.low < many.high
    assert many.low < single.high
    assert (play_games(envs, 5, 1) == play_games(envs, 5, 1)).all()


def test_every_cube_is_outside_or_inside_in_each_of_many_games_and_a_game_that_is_over_begins_again():
    envs = gymnasium.make_vec(LUCK, num_envs=64, vectorization_mode="vector_entry_point", rules={"rounds": 1})
    seen, info = envs.reset(seed=1)
    over, inside = np.zeros(64, bool), seen[:, 5:]
    for _ in range(60):
        actions = np.where(info["action_mask"][:, THROW] > 0, THROW, STOP)
        now, _, ends, _, info = envs.step(actions)
        threw = (actions == THROW) & ~over
        balance = (inside.sum(1) + 4 - now[:, 3:5].sum(1) - now[:, 5:].sum(1))[threw]
        assert set(balance.tolist()) <= {0, *range(-20, 0)}
        assert (balance == 0).all()
        assert (now[over][:, 1:] == 0).all()
        assert (now[over][:, 0] == 1).all()
        over, inside = ends, now[:, 5:]


def test_a_bad_action_in_many_games_names_the_game():
    envs = gymnasium.make_vec(LUCK, num_envs=3, vectorization_mode="vector_entry_point")
    with pytest.raises(UsageError, match="not reset yet"):
        envs.step(np.zeros(3, int))
    envs.reset(seed=1)
    with pytest.raises(UsageError, match=r"action of game 1 is 1; allowed is one of its mask"):
        envs.step(np.array([0, 1, 0]))
    with pytest.raises(UsageError, match=r"actions is .*; allowed is 3 whole numbers"):
        envs.step(np.zeros(2, int))
    with pytest.raises(UsageError, match=r"model is 'two_thirds'; allowed is a surrogate"):
        gymnasium.make_vec(LUCK, num_envs=3, vectorization_mode="vector_entry_point", model="two_thirds")


@pytest.mark.slow
def test_many_games_make_a_hundred_thousand_decisions_a_second_of_one_core():
    envs = gymnasium.make_vec(LUCK, num_envs=4096, vectorization_mode="vector_entry_point")
    play_games(envs, 5, 1)
    _, info = envs.reset(seed=1)
    begun = time.process_time()
    for _ in range(50):
        _, _, _, _, info = envs.step(np.where(info["action_mask"][:, STOP] > 0, STOP, THROW))
    assert 50 * envs.num_envs / (time.process_time() - begun) > 100_000


@each_case(
    ("actions", "is_fine"),
    [([0, 0, 0], True), ([False] * 3, True), (np.zeros(3, np.uint8), True), ([False, True, False], False),
     ([0.0] * 3, False), ([0, 0], False), ([[0, 0, 0]], False), ([[0], [0, 0], [0]], False), ([0, 0, 2], False),
     ("000", False), (None, False), (0, False)],
)  # fmt: skip
def test_actions_of_many_games_are_whole_numbers_or_booleans_one_for_each(actions: object, is_fine: bool):
    games: Any = gymnasium.make_vec(LUCK, num_envs=3, vectorization_mode="vector_entry_point")
    games.reset(seed=np.int64(1))
    if is_fine:
        assert games.step(actions)[0][:, 2].tolist() == [1, 1, 1]  # each game has thrown once
        return
    with pytest.raises(UsageError, match=r"^action of game 1 is 1; |^actions is .*; allowed is 3 whole num"):
        games.step(actions)
