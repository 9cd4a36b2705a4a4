"""A game that no section knows is studied by what it tells: the general sections, and one on its own columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import Field
from support.datasets import study_text, table

from tower_sim.campaign import parse, read_campaign, run
from tower_sim.games import Game, Rules, Turn
from tower_sim.results import Resamples, Words, average
from tower_sim.studies import study
from tower_sim.studies.retention.design import OWN, own_columns, quantities
from tower_sim.tools import registry

RUNS = 12
TEXT = """
[campaign]
game = "{kind}"
apparatus = "{apparatus}"
model = "{model}"
evenings = {runs}
shard = 4
seed = "7"
[rules]
cubes = 8
"""
BY_THROWS = """
[vary.fields]
"rules.throws" = [2, 5]
"""


class QuoitsRules(Rules):
    """The rules of Quoits."""

    cubes: int = Field(6, ge=1, description="red cubes")
    throws: int = Field(4, ge=1, description="throws of an evening")


class Quoits(Game):
    """throw all that is out, so often; the score of a throw is how many come out, its mood how that was"""

    name, title, run, Rules, apparatus = "quoits", "Quoits", "evening", QuoitsRules, "amerigo"
    facts = {"score": int, "mood": ("good", "bad"), "even": bool, "evening": int}

    def cubes(self, rules: Any) -> dict[str, int]:
        return {"red": rules.cubes}

    def play(self, tower: Any, rules: Any) -> Iterator[Turn]:
        for _ in range(rules.throws):
            evening = {"evening": tower.own_seed % 10}
            if not tower.outside["red"]:
                yield Turn(facts=evening | {"score": 0})
                continue
            score = len(tower.throw(tower.outside).emerged)
            mood = "good" if score > rules.cubes / 2 else "bad"
            yield Turn(facts=evening | {"score": score, "mood": mood, "even": score % 2 == 0})


class OnBoard(Quoits):
    """the same with a ship, once: what is thrown lies on the board"""

    name, title, apparatus = "marbles", "Marbles", "dead_reckoning"

    def play(self, tower: Any, rules: Any) -> Iterator[Turn]:
        return itertools.islice(super().play(tower, rules), 1)


GAME, ON_BOARD = Quoits(), OnBoard()


@pytest.fixture(name="games", scope="module", autouse=True)
def _games() -> Iterator[None]:
    names = {"quoits": "GAME", "marbles": "ON_BOARD"}
    points = [metadata.EntryPoint(game, f"{__name__}:{name}", "tower_sim.game") for game, name in names.items()]
    real = metadata.entry_points
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            registry.metadata, "entry_points", lambda group: points if group == "tower_sim.game" else real(group=group)
        )
        registry._entry_points.cache_clear()
        registry._load.cache_clear()
        yield
    registry._entry_points.cache_clear()
    registry._load.cache_clear()


@pytest.fixture(name="quoits", scope="module")
def _quoits(games: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("quoits") / "c"
    run(parse(TEXT.format(kind="quoits", apparatus="amerigo", model="two_thirds", runs=RUNS)), place)
    return place


@pytest.mark.slow
def test_a_number_has_its_mean_and_a_word_its_share_by_run(quoits: Path, tmp_path: Path):
    study(quoits, tmp_path)
    campaign = read_campaign(quoits)
    score, mood = campaign.facts.score, campaign.facts.mood
    assert isinstance(score, np.ndarray)
    assert isinstance(mood, Words)
    rows = {(row["column"], row["what"]): row for row in table(tmp_path, "own_columns")}
    assert [*rows] == [("score", "mean"), ("mood", "bad"), ("mood", "good"), ("even", "share"), ("evening", "mean")]
    assert float(rows["score", "mean"]["value"]) == pytest.approx(score.mean())
    known = mood.codes >= 0
    good = (mood.codes == mood.names.index("good")).sum() / known.sum()
    assert float(rows["mood", "good"]["value"]) == pytest.approx(good)
    assert float(rows["mood", "good"]["value"]) + float(rows["mood", "bad"]["value"]) == pytest.approx(1)
    assert float(rows["even", "share"]["value"]) == pytest.approx((score[known] % 2 == 0).mean())
    assert rows["score", "mean"]["drops"] == str(RUNS * 4)
    assert rows["mood", "good"]["drops"] == str(known.sum())
    assert {row["meaning"] for row in rows.values()} == {column.meaning for column in GAME.columns}


def test_the_interval_is_that_of_runs_and_not_of_drops(quoits: Path):
    """The last digit of a run's seed is the same in all its drops: 48 drops tell no more than 12 runs."""
    campaign = read_campaign(quoits)
    (part,) = next(parts for name, _, parts in own_columns(campaign) if name == "evening").values()
    boot = Resamples(campaign.strata, campaign.rng("resamples"))
    digits = campaign.facts.evening
    assert isinstance(digits, np.ndarray)
    by_run = average(digits[:: len(digits) // RUNS])
    estimate = boot.ratio(part.over, part.under)
    assert estimate.high - estimate.low == pytest.approx(by_run.high - by_run.low, rel=0.15)
    by_drop = average(digits)
    assert estimate.high - estimate.low > 1.6 * (by_drop.high - by_drop.low)


@pytest.mark.slow
def test_the_general_sections_are_there_and_those_of_other_games_are_not(quoits: Path, tmp_path: Path):
    text = study_text(quoits, tmp_path)
    assert text.startswith("# Study of a campaign of evenings")
    headings = "What was run", "Failed attempts", "1. Questions about the tower", "4. Memory", "What the game tells"
    for heading in headings:
        assert f"\n## {heading}" in text
    assert text.index("## What the game tells (Quoits)") > text.index("## 6. Beside the 2/3-1/3 rule")
    assert '| rules | `{"cubes": 8, "throws": 4}` |' in text
    for word in ("action points", "gold", "battle", "wins", "set-up with"):
        assert word not in text
    assert "The rule is played beside games only" in text


def test_what_the_game_tells_is_told_for_every_point(tmp_path: Path):
    text = TEXT.format(kind="quoits", apparatus="amerigo", model="two_thirds", runs=6) + BY_THROWS
    run(parse(text), tmp_path / "c")
    study(tmp_path / "c", tmp_path / "report")
    campaign = read_campaign(tmp_path / "c")
    score = campaign.facts.score
    assert isinstance(score, np.ndarray)
    of_points = table(tmp_path / "report", "points")
    assert len(of_points) == 2
    for point, row in enumerate(of_points):
        of_point = campaign.run_point[campaign.rows.run] == point
        assert float(row["score [mean]"]) == pytest.approx(score[of_point].mean())
        assert float(row["mood good [1]"]) <= 1
    assert (tmp_path / "report" / "plots" / "curves_own.svg").exists()
    names = [x.name for x in quantities(campaign) if x.about == OWN]
    assert names == ["score", "mood bad", "mood good", "even", "evening"]


@pytest.mark.slow
def test_a_game_that_is_not_installed_is_studied_by_its_table(quoits: Path, tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr("tower_sim.campaign.data.find_game", lambda kind, code: None)
    study(quoits, tmp_path)
    rows = {(row["column"], row["what"]): row for row in table(tmp_path, "own_columns")}
    assert ("score", "mean") in rows
    assert {row["meaning"] for row in rows.values()} == {""}
    assert "# Study of a campaign of runs" in (tmp_path / "report.md").read_text("utf-8")


def test_a_game_on_a_board_without_winners_has_the_sections_of_the_board(tmp_path: Path):
    run(parse(TEXT.format(kind="marbles", apparatus="dead_reckoning", model="surrogate", runs=8)), tmp_path / "c")
    text = study_text(tmp_path / "c", tmp_path / "report")
    assert "64 cubes went through the ship in 8 evenings." in text
    assert sum(int(row["landed [cubes]"]) for row in table(tmp_path / "report", "landings")) == 64
    for word in ("Explosions", "Who wins", "Questions about the tower"):
        assert word not in text
    assert "## What the game tells (Marbles)" in text


def test_games_whose_columns_other_sections_tell_have_no_such_section(tmp_path: Path):
    for game, kind, apparatus, model, own in (
        ("amerigo", "game", "amerigo", "two_thirds", "rules]\nrounds = 1"),
        ("dead_reckoning", "battle", "dead_reckoning", "surrogate", "battle]\ncubes = {purple = 6, green = 3}"),
    ):
        text = f'[campaign]\ngame = "{game}"\napparatus = "{apparatus}"\nmodel = "{model}"\n{kind}s = 4\nshard = 4\n'
        run(parse(text + f'seed = "7"\n[{own}\n'), tmp_path / kind)
        assert own_columns(read_campaign(tmp_path / kind)) == []
        assert read_campaign(tmp_path / kind).facts
