"""What players get: the designer's first figures against a count by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.campaigns import AMERIGO
from support.datasets import SPEC, coin_games, study_text, table, write

from tower_sim.campaign import parse, read_campaign, run
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import GOLD, GOLD_WITH_TOKEN
from tower_sim.report import Table
from tower_sim.results import HOW_SURE, Estimate, Figure, Resamples
from tower_sim.studies import study
from tower_sim.studies.retention.baseline import find_kit, play_beside
from tower_sim.studies.retention.questions import QUESTIONS, TowerQuestion
from tower_sim.studies.retention.tower import TowerFigures, phases_with, what_players_get

ROOT = Path(__file__).parents[2]
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


def players(directory: Path) -> dict[str, Table]:
    campaign = read_campaign(directory)
    section = what_players_get(TowerFigures(campaign, Resamples(campaign.strata, np.random.default_rng(1))))
    assert section
    return {part.table.name: part.table for part in section.all() if part.table}


def test_the_figures_are_those_counted_by_hand(games: Any, directory: Path):
    found: dict[Any, Any] = {row[0]: row[2] for row in players(directory)["players"].rows}
    phases = [row for row in games[0] if row["drop"] > 0]
    assert {each.n for each in found.values()} == {len(phases)} == {12 * 21}
    actions = np.array([row["colours_out"] for row in phases])
    assert (actions == 0).any()
    out = np.array([row["emerged"] for row in phases])
    counted = {f"chance of {name}": (actions == int(name[0])).mean() for name in ("0 actions", "1 action", "2 actions")}
    counted |= {
        "actions to choose from, mean": actions.mean(),
        "chance of 3 or more actions": (actions >= 3).mean(),
        "action points, mean": np.mean([row["action_points"] for row in phases]),
        "gold for passing, mean": np.ceil(out / 2).mean(),
        "gold with the token, mean": out.mean(),
    }
    assert {name: each.value for name, each in found.items()} == pytest.approx(counted)
    for name, each in found.items():
        assert each.low < each.value < each.high, name


def test_phases_are_told_apart_by_colour_and_by_number(games: Any, directory: Path):
    tables = players(directory)
    colours: dict[Any, Any] = {row[0]: row for row in tables["players_by_phase"].rows}
    numbers: dict[Any, Any] = {row[0]: row for row in tables["players_by_number"].rows}
    assert tuple(colours) == HOUSE.colours
    assert tuple(numbers) == tuple(str(i) for i in range(1, 22))
    red = [row["colours_out"] for row in games[0] if row["phase"] == "red"]
    assert colours["red"][2].value == pytest.approx(np.mean(red))
    third = [row["gold"] for row in games[0] if row["drop"] == 3]
    gold = tables["players_by_number"].head.index("gold for passing")
    assert numbers["3"][gold].value == pytest.approx(np.mean(third))
    assert numbers["3"][1] == 12


def test_the_rule_is_played_with_the_rules_of_the_campaign(directory: Path):
    campaign = read_campaign(directory)
    board = find_kit(campaign)
    assert board is not None
    assert (board.terms["gold_divisor"], board.terms["gold_divisor_with_token"]) == (2, 1)
    played = play_beside(campaign, np.random.default_rng(2))
    assert played is not None
    rows = played.rows.drop > 0
    gold = GOLD.by_phase(played).ravel()
    assert np.array_equal(gold, -(-played.rows.out[rows] // 2))
    assert np.array_equal(GOLD_WITH_TOKEN.by_phase(played).ravel(), played.rows.out[rows])
    assert not board.same(replace(board, terms={}))


def test_they_open_the_report_in_plain_words(games: Any, directory: Path, tmp_path: Path):
    text = study_text(directory, tmp_path)
    opening = text.splitlines()[2]
    assert opening.startswith("After the set-up ")
    assert "The players choose from " in opening
    assert "passing pays" in opening
    assert opening.endswith(f"These are means over 12 games; {HOW_SURE}.")
    assert text.index("## What the players get") < text.index("## What was run") < text.index("## Failed attempts")
    assert "gold for passing: cubes out divided by 2, rounded up; gold with the token: cubes out divided by 1" in text
    rows = table(tmp_path, "players")
    chances = [float(row["every phase"]) for row in rows[1:5]]
    assert sum(chances) == pytest.approx(1, abs=1e-5)
    assert all(row["every phase, low"] and row["2/3-1/3 rule"] for row in rows)
    assert len(table(tmp_path, "players_by_phase")) == 7


def test_what_never_was_is_told_in_a_sentence():
    nan = float("nan")
    never = phases_with(Estimate(0.0, 0.0, 0.31, 350), "none", "game")
    assert never == "in no phase of 350 was there none (at most 31 % of games have such a phase)"
    assert phases_with(Estimate(0.0, nan, nan, 35), "none", "game") == "in no phase of 35 was there none"
    some = phases_with(Estimate(0.2, 0.19, 0.21, 900), "only one", "game")
    assert some == "in 20 ± 1 % of phases there is only one"


@pytest.mark.parametrize("varied", ["", '[vary.fields]\n"rules.cubes" = [2, 3]\n'])
def test_a_study_tells_every_step_up_to_the_last(varied: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run(parse(f"{AMERIGO}games = 2\n[rules]\nrounds = 1\n{varied}"), tmp_path / "in")
    heard: list[tuple[str, int]] = []

    @contextmanager
    def report_progress(what: str, total: int) -> Generator[Callable[[int], None]]:
        heard.append((what, total))
        yield lambda done: heard.append((what, done))

    monkeypatch.setattr("tower_sim.studies.retention.making.report_progress", report_progress)
    study(tmp_path / "in", tmp_path / "out")
    (what, total), *steps = heard
    assert what == "steps"
    assert [done for _, done in steps] == sorted({done for _, done in steps})
    assert steps[-1] == ("steps", total)
    assert len(steps) == total == (3 if varied else 7)


def test_a_further_question_is_one_entry_with_its_number_counted_by_hand(games: Any, directory: Path, tmp_path: Path):
    """The last question is the entry that docs/statistics.md shows."""
    (entry,) = re.findall(r"```python\n(TowerQuestion\(.*?)```", (ROOT / "docs/statistics.md").read_text("utf-8"), re.S)
    assert eval(entry, {"TowerQuestion": TowerQuestion, "Figure": Figure}) == QUESTIONS[-1]
    text = study_text(directory, tmp_path)
    phases = [row for row in games[0] if row["drop"] > 0]
    empty = sum(row["inside_after"] == 0 for row in phases)
    (row,) = table(tmp_path, "empty_again")
    assert (int(row["n"]), float(row["value"])) == (empty, pytest.approx(len(phases) / empty, rel=1e-5))
    assert "8. How long until the tower is empty again? After " in text
