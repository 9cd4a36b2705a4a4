"""What players get: the designer's first figures against a count by hand."""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.datasets import SPEC, coin_games, write

from tower_sim.campaign import parse, run
from tower_sim.campaign.reader import load
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.figures import GOLD
from tower_sim.statistics import Estimate, Resamples
from tower_sim.study import players, report, study
from tower_sim.study.baseline import kit_of, play_beside
from tower_sim.study.sections_players import _phases
from tower_sim.study.sheets import HOW_SURE

pytestmark = pytest.mark.usefixtures("unpainted")

HOUSE = Rules(cubes=2, rounds=3, gold_divisor=2, gold_divisor_with_token=1)
HOUSE_SPEC = SPEC + "[rules]\ncubes = 2\nrounds = 3\ngold_divisor = 2\ngold_divisor_with_token = 1\n"


@pytest.fixture(name="games", scope="module")
def _games() -> Any:
    """Twelve games of a house rule so small that phases with nothing to throw and without an action are common."""
    return coin_games(12, HOUSE)


@pytest.fixture(name="directory", scope="module")
def _directory(games: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("games") / "in"
    write(directory, *games, spec=HOUSE_SPEC)
    return directory


def test_the_figures_are_those_counted_by_hand(games: Any, directory: Path):
    campaign = load(directory)
    found = players.over_all(campaign, Resamples(campaign.strata, np.random.default_rng(1)))
    phases = [row for row in games[0] if row["drop"] > 0]
    assert found.phases.tolist() == [len(phases)] == [12 * 21]
    actions = np.array([row["colours_out"] for row in phases])
    assert (actions == 0).any()
    assert found.means["actions"].value[0] == pytest.approx(actions.mean())
    shares = [(actions == 0).mean(), (actions == 1).mean(), (actions == 2).mean(), (actions >= 3).mean()]
    assert found.chances.value == pytest.approx(shares)
    assert found.means["action_points"].value[0] == pytest.approx(np.mean([row["action_points"] for row in phases]))
    out = np.array([row["emerged"] for row in phases])
    assert found.means["gold"].value[0] == pytest.approx(np.ceil(out / 2).mean())
    assert found.means["gold_with_token"].value[0] == pytest.approx(out.mean())
    for each in found.means.values():
        assert each.low[0] < each.value[0] < each.high[0]


def test_phases_are_told_apart_by_colour_and_by_number(games: Any, directory: Path):
    campaign = load(directory)
    boot = Resamples(campaign.strata, np.random.default_rng(1))
    colours, numbers = players.by_colour(campaign, boot), players.by_number(campaign, boot)
    assert colours.names == HOUSE.colours
    assert numbers.names == tuple(str(i) for i in range(1, 22))
    red = [row["colours_out"] for row in games[0] if row["phase"] == "red"]
    assert colours.means["actions"].value[2] == pytest.approx(np.mean(red))
    third = [row["gold"] for row in games[0] if row["drop"] == 3]
    assert numbers.means["gold"].value[2] == pytest.approx(np.mean(third))
    assert numbers.chance(2, 0).n == 12


def test_the_rule_is_played_with_the_rules_of_the_campaign(directory: Path):
    campaign = load(directory)
    board = kit_of(campaign)
    assert board is not None
    assert (board.terms["gold_divisor"], board.terms["gold_divisor_with_token"]) == (2, 1)
    played = play_beside(campaign, np.random.default_rng(2))
    assert played is not None
    rows = played.drops.drop > 0
    gold = GOLD.by_phase(played.by_drop).ravel()
    assert np.array_equal(gold, -(-played.drops.emerged[rows] // 2))


def test_they_open_the_report_in_plain_words(games: Any, directory: Path, tmp_path: Path):
    study(directory, tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    opening = text.splitlines()[2]
    assert opening.startswith("After the set-up ")
    assert "The players choose from " in opening
    assert "passing pays" in opening
    assert opening.endswith(f"These are means over 12 games; {HOW_SURE}.")
    assert text.index("## What the players get") < text.index("## What was run") < text.index("## Failed attempts")
    assert "gold for passing: cubes out divided by 2, rounded up; gold with the token: cubes out divided by 1" in text
    rows = list(csv.DictReader((tmp_path / "tables" / "players.csv").read_text("utf-8").splitlines()))
    chances = [float(row["every phase"]) for row in rows[1:5]]
    assert sum(chances) == pytest.approx(1, abs=1e-5)
    assert all(row["every phase, low"] and row["2/3-1/3 rule"] for row in rows)
    assert len(list(csv.DictReader((tmp_path / "tables" / "players_by_phase.csv").read_text().splitlines()))) == 7


def test_what_never_was_is_told_in_a_sentence():
    share = Estimate(0.0, 0.0, 0.46, 35)
    assert _phases(share, "none") == "in no phase of 35 was there none (it may be up to 46 % of them)"
    assert _phases(Estimate(0.2, 0.19, 0.21, 900), "only one") == "in 20 ± 1 % of phases there is only one"


@pytest.mark.parametrize("varied", ["", '[vary.fields]\n"rules.cubes" = [2, 3]\n'])
def test_a_study_tells_every_step_up_to_the_last(varied: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    head = '[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\nseed = "7"\ngames = 2\n'
    run(parse(f"{head}[rules]\nrounds = 1\n{varied}"), tmp_path / "in")
    heard: list[tuple[str, int]] = []

    @contextmanager
    def telling(what: str, total: int) -> Generator[Callable[[int], None]]:
        heard.append((what, total))
        yield lambda done: heard.append((what, done))

    monkeypatch.setattr(report, "telling", telling)
    study(tmp_path / "in", tmp_path / "out")
    (what, total), *told = heard
    assert what == "steps"
    assert [done for _, done in told] == sorted({done for _, done in told})
    assert told[-1] == ("steps", total)
    assert len(told) >= 5
