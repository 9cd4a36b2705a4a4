"""What comes next if this is thrown: against the rule of thumb, whose chances are known; the command, its refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import binom

from tower_sim import Cube, TowerState, cli, open_model
from tower_sim.drops import estimate_chances, is_more
from tower_sim.errors import UsageError
from tower_sim.results import Estimate

DRAWS = 4000


def filled() -> tuple[TowerState, dict[str, int]]:
    with open_model("amerigo", "two_thirds") as model:
        state = model.empty()
        number = 0
        while len(state.residents) < 3:
            state = model.drop(state, (Cube(number, "red", model.cube_edge),), np.random.default_rng(number)).state
            number += 1
    return state, {"red": len(state.residents)}


def holds(estimate: Estimate, truth: float) -> bool:
    """Four standard errors: a sound estimate fails in 1 of 16,000, one that is 10 % off passes in under 1 of 100."""
    half = (estimate.high - estimate.low) / 2
    return abs(estimate.value - truth) <= 4 / 1.96 * half + 1e-9


def test_the_chances_of_the_rule_of_thumb_are_those_by_hand():
    """Of cubes thrown 2/3 come out, of cubes inside 1/3, each by itself."""
    state, inside = filled()
    with open_model("amerigo", "two_thirds") as model:
        (found,) = estimate_chances(model, state, [{"blue": 4}], DRAWS, 7)
    kept = (2 / 3) ** inside["red"]
    assert found.colours == ("blue", "red")
    assert holds(found.number, 4 * 2 / 3 + inside["red"] / 3)
    assert holds(found.each["blue"], 1 - (1 / 3) ** 4)
    assert holds(found.each["red"], 1 - kept)
    assert holds(found.shares["nothing"], (1 / 3) ** 4 * kept)
    assert holds(found.shares["more than one colour"], (1 - (1 / 3) ** 4) * (1 - kept))
    assert sum(share.value for share in found.shares.values()) == pytest.approx(1)
    by_number = found.document()["by_number"]
    own, old = binom.pmf(range(5), 4, 2 / 3), binom.pmf(range(4), 3, 1 / 3)
    exact = np.convolve(own, old)
    assert by_number == pytest.approx(exact, abs=4 * float(np.sqrt(exact * (1 - exact) / DRAWS).max()))
    assert found.usual == tuple(int(np.searchsorted(exact.cumsum(), level)) for level in (0.05, 0.95)) == (2, 6)


def test_a_choice_is_called_more_only_where_it_is():
    state, _ = filled()
    with open_model("amerigo", "two_thirds") as model:
        four, five, again = estimate_chances(model, state, [{"blue": 4}, {"blue": 5}, {"blue": 4}], DRAWS, 3)
    assert is_more(five, four)
    assert not is_more(four, five)
    assert not is_more(four, again)
    assert four.out.tolist() != again.out.tolist()


CHANCES = ["throw", "amerigo", "--model", "surrogate", "--cubes", "blue=4", "--times", "300", "--seed", "5"]


def test_the_command_begins_with_what_a_player_understands_and_is_the_same_again(capsys: pytest.CaptureFixture[str]):
    texts: list[str] = []
    for _ in range(2):
        assert cli.main([*CHANCES, "--cubes", "blue=1,red=1"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    first, second = texts[0].splitlines()[:2]
    assert first.startswith("Throw 4 blue, and about 3.")
    assert first.endswith("in nine of ten throws; that is the most of these choices.")
    assert second.startswith("More than one colour comes out in 0 %")
    assert cli.main([*CHANCES, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["model"]) == ("tower-sim/chances", "surrogate")
    assert document["throws"][0]["draws"] == 300
    assert sum(document["throws"][0]["by_number"]) == pytest.approx(1)


def test_few_throws_are_said_to_be_too_few(capsys: pytest.CaptureFixture[str]):
    assert cli.main([*CHANCES[:6], "--times", "7", "--seed", "5"]) == 0
    text = capsys.readouterr().out
    assert " cubes come out: 7 throws, too few to tell how sure this is (an interval needs 8).\n" in text
    assert " to " not in text.split("\n\n")[1]


def test_a_state_of_physics_is_drawn_from_by_physics(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["throw", "amerigo", "--cubes", "blue=7,red=7", "--seed", "1", "--json"]) == 0
    token = json.loads(capsys.readouterr().out)["state"]
    words = ["--cubes", "green=2", "--times", "3", "--seed", "1", "--json"]
    assert cli.main(["throw", "amerigo", "--state", token, *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["apparatus"], document["model"]) == ("amerigo", "physics")
    assert set(document["throws"][0]["each"]) >= {"green"}


def test_draws_are_bounded():
    with open_model("amerigo", "two_thirds") as model, pytest.raises(UsageError, match="draws"):
        estimate_chances(model, model.empty(), [{"blue": 1}], 10**7, 1)
