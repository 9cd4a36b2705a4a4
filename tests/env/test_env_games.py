"""Games for solvers: checks by Gymnasium and PettingZoo, the rules, copies, bad input."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from support.amerigo import play
from support.cases import each_case

import tower_sim.env  # noqa: F401 (it registers the environments)
from tower_sim import UsageError
from tower_sim.env import BATTLE as RULES
from tower_sim.env import GameAEC, win
from tower_sim.games import amerigo
from tower_sim.games.dead_reckoning import GAME, battle

LUCK, PHASES, BATTLE = (f"tower_sim/{name}-v0" for name in ("PushYourLuck", "AmerigoPhases", "DeadReckoning"))


def both(**options: Any) -> GameAEC:
    return GameAEC(GAME, win, RULES, **options)


def make(name: str, **options: Any) -> Any:
    return gymnasium.make(name, **options).unwrapped


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{}, *({"knowledge": k, "illegal": "first"} for k in ("throw", "table", "state"))])
@pytest.mark.parametrize("name", [LUCK, PHASES, BATTLE])
def test_gymnasium_finds_nothing_to_complain_about(name: str, options: dict[str, str]):
    check_env(make(name, **options, render_mode="rgb_array"))


@pytest.mark.parametrize("name", [LUCK, PHASES, BATTLE])
def test_a_copy_goes_on_as_the_original_and_with_another_seed_as_another(name: str):
    env, again, other = make(name), make(name), make(PHASES if name == BATTLE else BATTLE)
    env.reset(seed=3)
    copy, action = env.clone(), env.usual()
    original = tuple(env.step(action)[0].tolist())
    futures = {original}
    for seed in (None, None, 1, 2, 3, 4):
        env.restore(copy, seed=seed)
        assert env.clone() == copy or seed is not None
        futures.add(future := tuple(env.step(action)[0].tolist()))
        assert future == original or seed is not None
    assert len(futures) > 1 or name == BATTLE  # where strength is added, nothing is thrown
    again.restore(copy)
    assert (again.observation == env.restore(copy)[0]).all()
    with pytest.raises(UsageError, match=f"state is '{env.game.name}'; allowed is one of {other.game.name} with these"):
        other.restore(copy)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    with pytest.raises(UsageError, match=rf"action is {illegal}; allowed is one of 0 \((gold|pass|throw)\)"):
        env.step(illegal)


def test_the_phases_are_those_of_a_game_of_amerigo_and_the_options_those_of_its_rules():
    env = make(PHASES, rules={"rounds": 2})
    env.reset()
    env.restore(env.clone(), seed=5)
    env._put(env._begin(5))
    rewards, need = 0.0, dict.fromkeys(env.rules.colours, 20)
    for entry, turn in zip(play(env.model, env.rules, 5), amerigo.GAME.start(env.model, env.rules, 5), strict=True):
        if entry.skipped or not entry.index:
            continue
        assert (turn.state, turn.outcomes) == (env.position.now.state, env.position.now.outcomes)
        allowed = {env.actions[i] for i in np.flatnonzero(env.action_masks())}
        assert allowed == {"gold", "token", *(f"action {colour}" for colour in entry.actions)}
        colour = entry.actions[0]
        reward = env.step(1 + env.rules.colours.index(colour))[1]
        assert reward == min(entry.action_points, need[colour])
        need[colour] -= int(reward)
        rewards += reward
    assert not env.action_masks().any()
    assert rewards == sum(20 - left for left in need.values())


def test_the_token_is_spent_once_and_gold_pays_by_the_cubes_that_are_out():
    env = make(PHASES, rules={"gold": 0.25})
    env.reset(seed=1)
    out = sum(env.position.now.out.values())
    assert env.step(len(env.actions) - 1)[1] == 0.25 * out
    assert not env.action_masks()[-1]
    out = sum(env.position.now.out.values())
    assert env.step(0)[1] == 0.25 * -(-out // 3)


def test_a_battle_of_the_games_own_policy_ends_as_the_game_says():
    env = make(BATTLE)
    env.reset()
    rules = GAME.read({"battle": RULES})
    for seed in range(5):
        env._put(env._begin(seed))
        reward = 0.0
        while env.action_masks().any():
            reward = env.step(env.usual())[1]
        begun = battle.start(env.model, rules, seed)
        *_, whole = battle.play(env.model, begun, dict.fromkeys(rules.cubes, battle.when_behind))
        assert env.position.turns[-1].entry == whole
        assert reward == {"purple": 1, "green": -1, None: 0}[whole.result().winner]


def test_every_use_of_an_ability_is_an_action():
    env = make(BATTLE, player="green")
    for seed in range(5):
        env.reset(seed=seed)
        while env.action_masks().any():
            now = env.position.turns[-1].entry
            uses = now.uses("green")
            assert 1 < env.action_masks().sum() <= 1 + len(uses)
            allowed = {int(env.actions[i][0]) for i in np.flatnonzero(env.action_masks()) if i}
            assert {use.ability for use in uses} == allowed
            seen = dict(zip(env.names, env.observation, strict=True))
            used = {use.ability for side, use in now.used if side == "green"}
            abilities = range(len(now.rules.abilities["green"]))
            assert all(seen[f"green_ability_{i}"] == (i not in used) for i in abilities)
            env.step(env.action_space.sample())


def test_pettingzoo_finds_nothing_to_complain_about():
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        for words in ("Observation space for each", "We recommend agents", "Observation is not a NumPy"):
            warnings.filterwarnings("ignore", words)  # an observation with its mask, and sides named by their colour
        api_test(both(), num_cycles=60)
        seed_test(both, num_cycles=20)


def test_both_sides_of_a_battle_play_in_turn_and_one_wins():
    env = both(render_mode="rgb_array")
    with pytest.raises(UsageError, match="at its end, or not reset yet"):
        env.step(0)
    env.reset(seed=4)
    assert np.shape(env.render())[2] == 3
    with pytest.raises(UsageError, match="action is 99; allowed is one of 0"):
        env.step(99)
    gained = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        gained[agent] += reward
        is_over = terminated or truncated
        assert seen is not None
        env.step(None if is_over else env.action_space(agent).sample(seen["action_mask"]))
    assert sorted(gained.values()) in ([-1, 1], [0, 0])
    env.close()


@each_case(
    ("name", "options", "part"),
    [
        (BATTLE, {"player": "red"}, "player is 'red'; allowed is one of purple, green"),
        (BATTLE, {"rules": {"cubes": {"purple": 99}}}, "battle.cubes.purple is 99"),
        (BATTLE, {"apparatus": "amerigo"}, "board"),
        (PHASES, {"rules": {"need": -1}}, "rules.need is -1"),
        (LUCK, {"rules": {"gold": 99}}, "rules.gold is 99; allowed is a whole number from 1 to 40"),
        (LUCK, {"knowledge": "all"}, "knowledge is 'all'; allowed is one of throw, table, state"),
        (LUCK, {"illegal": "pass"}, "illegal is 'pass'; allowed is one of error, first"),
        (LUCK, {"model": "magic"}, "model is 'magic'; allowed is one of physics"),
        (LUCK, {"render_mode": "ansi"}, "render_mode is 'ansi'; allowed is one of rgb_array"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode.*")
def test_bad_arguments_are_told_in_one_line(name: str, options: dict[str, Any], part: str):
    with pytest.raises(UsageError, match=part):
        make(name, **options)
