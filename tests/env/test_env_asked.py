"""A stranger's game with a decision, in one file: commands, wish, replay and environment without a line more."""

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from support.fakes import CoinTower

from tower_sim import cli
from tower_sim.drops import Recorder
from tower_sim.env import BATTLE, GameEnv, win
from tower_sim.errors import UsageError
from tower_sim.games import Decision, Turn
from tower_sim.tools import registry

FILE = str(Path(__file__).parents[2] / "docs/games/two_piles.py")


def test_the_file_has_sixty_lines_at_most():
    assert len(Path(FILE).read_text("utf-8").splitlines()) <= 60


def test_the_usual_answers_decide_where_nobody_plays_and_else_the_player_does():
    game = registry.get("game", FILE)
    rules = game.read({})
    usual = list(game.start(CoinTower(), rules, 7))
    asked: list[Decision] = []

    def decide(question: Decision) -> str:
        asked.append(question)
        return question.usual

    assert list(game.start(CoinTower(), rules, 7, decide=decide)) == usual
    assert [turn.facts["choice"] for turn in usual] == [question.usual for question in asked]
    stops = list(game.start(CoinTower(), rules, 7, decide=lambda question: "stop"))
    assert [turn.facts["choice"] for turn in stops] == ["stop"] * rules.rounds
    with pytest.raises(UsageError, match="the answer before turn 0 is 'sit'; allowed is one of safe, bold, stop"):
        list(game.start(CoinTower(), rules, 7, decide=lambda question: "sit"))


def test_a_question_with_an_option_that_the_game_does_not_list_is_refused_with_its_line(tmp_path: Path):
    file = tmp_path / "wrong.py"
    file.write_text(Path(FILE).read_text("utf-8").replace('(*PILES, "stop")', "(*PILES,)", 1), "utf-8")
    game = registry.get("game", str(file))
    with pytest.raises(UsageError, match=r"wrong.py, line \d+: the question before turn \d+ of two_piles"):
        list(game.start(CoinTower(), game.read({}), 1))


@pytest.mark.parametrize(
    "words",
    [
        ["play", FILE, "--seed", "1"],
        ["play", FILE, "--games", "20", "--seed", "1"],
        ["compare", FILE, "--wish", "score=9", "--vary", "at=2..8", "--games", "600", "--seed", "1"],
    ],
)
def test_the_commands_take_it(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert cli.main([*words, "--model", "surrogate"]) == 0
    assert "point" in capsys.readouterr().out


def test_a_page_replays_it(tmp_path: Path):
    page = tmp_path / "replay.html"
    assert cli.main(["page", "replay", FILE, "--seed", "1", "--set", "rounds=1", "-o", str(page)]) == 0
    assert "throws from the" in page.read_text("utf-8")


def test_the_environment_keeps_gymnasiums_contract_and_is_the_game_with_these_answers():
    env = GameEnv(FILE, "banked", {"rounds": 8})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    env.reset(seed=3)
    random, total, kept = np.random.default_rng(1), 0.0, None
    while env.position.question is not None:
        mask = env.action_masks()
        assert [option for option, may in zip(env.actions, mask, strict=True) if may] == [
            *env.position.question.options
        ]
        total += env.step(int(random.choice(np.flatnonzero(mask))))[1]
        kept = kept or env.clone()
    answers = iter(env.position.answers)
    turns: list[Turn] = list(env.game.start(env.model, env.rules, env.position.seed, decide=lambda _: next(answers)))
    assert turns == [*env.position.turns]
    assert total == sum(turn.facts["banked"] for turn in turns) > 0
    assert kept is not None
    env.restore(kept)
    assert len(env.position.answers) == 1
    with pytest.raises(UsageError, match="reward is"):
        GameEnv(FILE, "choice")
    silent: Any = registry.get("game", "amazonas")
    with pytest.raises(UsageError, match="one that asks"):
        GameEnv(silent, "silver")


def test_gymnasium_makes_it_by_name_and_many_at_once():
    games = gymnasium.make_vec("tower_sim/Game-v0", num_envs=3, vectorization_mode="sync", of=FILE, reward="banked")
    seen, info = games.reset(seed=1)
    seen, rewards, *_ = games.step(np.zeros(3, int))
    assert (seen.shape, rewards.shape, info["action_mask"].shape) == ((3, 5), (3,), (3, 3))


def test_a_copy_of_a_run_whose_seed_changed_is_set_without_a_throw_and_goes_on_the_same():
    env, again = GameEnv(FILE, "banked"), GameEnv(FILE, "banked")
    env.reset(seed=3)
    for seed in (None, 8, 9):
        env.restore(env.clone(), seed=seed)
        env.step(0)
        env.step(0)
    copy, (seen, *_) = env.clone(), env.step(0)
    again.model = Recorder(again.model)
    assert (again.restore(copy)[0] != seen).any()
    assert (again.step(0)[0] == seen).all()
    assert len(again.model.take_draws()) == 1
    assert again.position == env.position


def test_the_answers_of_other_players_belong_to_a_copy():
    random = np.random.default_rng(1)
    env = GameEnv("dead_reckoning", win, BATTLE, others=lambda question: str(random.choice(question.options)))
    others = 0
    for seed in range(5):
        env.reset(seed=seed)
        own = 0
        while env.action_masks().any():
            copy, seen = env.clone(), env.observation
            env.step(env.usual())
            own += 1
            assert (env.restore(copy)[0] == seen).all()
            env.step(env.usual())
            assert env.position.answers[: len(copy.answers)] == copy.answers
        others += len(env.position.answers) - own
    assert others > 0
