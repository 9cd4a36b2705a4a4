"""Towers in the place of a deck and of dice: what a campaign's study says first, and whether that is true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.datasets import series

from tower_sim import registry
from tower_sim.apparatus.catalogue import load as apparatus
from tower_sim.campaign import parse, run
from tower_sim.campaign.data import Facts, Words
from tower_sim.models import open_model
from tower_sim.statistics import Estimate, Resamples
from tower_sim.study import sections_device, study
from tower_sim.study.stand_ins import Against, BesideExact, against

pytestmark = pytest.mark.usefixtures("unpainted")

SPEC = """
[campaign]
kind = "amazonas"
apparatus = "amerigo"
model = "two_thirds"
games = 12
shard = 12
seed = "5"
[vary.fields]
"rules.pick" = ["uniform", "most"]
"""


def played(name: str, games: int, **changed: Any) -> Against:
    """Games by the 2/3-1/3 rule against what their tower stands in for."""
    game = registry.get("game", name)
    rules = game.read({"rules": changed})
    stand_in = game.stand_in(rules)
    model = open_model(apparatus("amerigo"), "two_thirds")
    events = [
        [turn.facts.get(stand_in.column) for turn in game.play(model, rules, 5, number)] for number in range(games)
    ]
    made = series(np.zeros((games, max(map(len, events))), int))
    padded = [each + [None] * (made.drops.drop.max() + 1 - len(each)) for each in events]
    facts = Facts({stand_in.column: Words.of([event for each in padded for event in each])})
    made = replace(made, drops=replace(made.drops, facts=facts))
    return against(made, Resamples(made.strata, np.random.default_rng(1), 500), stand_in)


@pytest.mark.whole
def test_a_tower_keeps_a_deck_whole_whatever_it_keeps_back() -> None:
    """300 games of Amazonas by the rule of thumb: the order is that of a shuffled deck.

    Power: a mean first draw that is 1 off would be 3 standard errors or more.
    """
    one = played("amazonas", 300)
    assert one.whole == 300
    assert not any(row.differs for row in (*one.first, *one.place, *one.repeats, *one.shares))
    assert max(row.tower.high - row.tower.low for row in one.first) / 4 < 1 / 3


@pytest.mark.whole
def test_a_tower_remembers_where_dice_do_not() -> None:
    """150 games of Seafarers: 1.5 points more repeats are 4 standard errors; the shares stay those of two dice."""
    one = played("seafarers", 150)
    assert one.twice[0].differs
    assert one.twice[0].tower.low > one.twice[0].exact == pytest.approx(146 / 1296)
    assert not any(row.differs for row in one.shares)


def test_the_most_numerous_colour_is_another_game() -> None:
    one = played("seafarers", 20, pick="most")
    seven = next(row for row in one.shares if row.name == "7")
    assert seven.differs
    assert seven.tower.low > 1.5 * seven.exact


def studied(name: str, place: Path, games: int, **rules: str) -> str:
    """The first paragraph of the study of games by the 2/3-1/3 rule."""
    spec = SPEC.partition("[vary.fields]")[0].replace("amazonas", name).replace("= 12", f"= {games}")
    spec += "".join(f'[rules]\n{key} = "{value}"\n' for key, value in rules.items())
    run(parse(spec), place / "c", 1)
    study(place / "c", place / "r")
    lines = (place / "r" / "report.md").read_text("utf-8").splitlines()
    return next(line for line in lines[1:] if line)


@pytest.mark.whole
def test_a_rule_that_no_tower_could_play_fairly_is_not_blamed_on_the_tower(tmp_path: Path) -> None:
    """The most numerous colour of 10 cubes is seldom iron (9 of 82), also where no cube remembers anything."""
    most = studied("archipelago", tmp_path / "most", 60, pick="most")
    assert most.startswith("The way an event is picked does not keep the odds of the bag: ")
    assert ", by the same rule in a tower without memory " in most
    assert "The tower does not keep" not in most
    assert "is not seen to add to that" in most
    assert studied("archipelago", tmp_path / "one", 60).startswith("The tower keeps the odds of the bag")
    head = (tmp_path / "most" / "r" / "tables" / "device_shares.csv").read_text("utf-8").splitlines()[0]
    assert head.endswith(',p,without memory,"without memory, low","without memory, high"')


def test_an_event_that_the_rule_never_gives_is_the_rules_doing() -> None:
    """The same in every run has no spread and no test: its interval says that it is off."""
    never = BesideExact("2", Estimate(1.0, 0.99, 1.0, 300), 0.184, np.nan)
    assert sections_device._is_off(never)
    assert not sections_device._is_off(replace(never, exact=0.995))
    assert not sections_device._is_off(BesideExact("2", Estimate(np.nan, np.nan, np.nan, 0), 0.2, np.nan))


@pytest.mark.whole
def test_the_study_of_a_campaign_begins_with_the_odds_for_every_choice(tmp_path: Path) -> None:
    run(parse(SPEC), tmp_path / "c", 1)
    study(tmp_path / "c", tmp_path / "r")
    lines = [line for line in (tmp_path / "r" / "report.md").read_text("utf-8").splitlines() if line]
    assert lines[0] == "# Study of a campaign of games"
    assert [line.split(":")[0] for line in lines[1:3]] == ["With pick = uniform", "With pick = most"]
    assert "(12 games; in brackets what 95 % intervals reach.)" in lines[1]
    assert lines[3].startswith("## The tower and the ")
    rows = (tmp_path / "r" / "tables" / "device_repeats.csv").read_text("utf-8").splitlines()
    assert rows[0].startswith('which,event,tower,"tower, low","tower, high",deck,p')
    assert (tmp_path / "r" / "plots" / "device.png").exists()
    study(tmp_path / "c", tmp_path / "one", point=0)
    told = (tmp_path / "one" / "report.md").read_text("utf-8").splitlines()
    assert told[2][:40].lower() in lines[1].lower()


def test_a_game_with_a_winner_and_no_board_is_studied_as_a_tower(tmp_path: Path) -> None:
    """Wallenstein's column `winner` is one of its own; Dead Reckoning's battles alone are on a board."""
    spec = SPEC.partition("[vary.fields]")[0].replace("amazonas", "wallenstein").replace("amerigo", "wallenstein")
    run(parse(spec.replace("games = 12", "games = 6")), tmp_path / "c", 1)
    study(tmp_path / "c", tmp_path / "r")
    text = (tmp_path / "r" / "report.md").read_text("utf-8")
    assert "come out in the same drop" in text.splitlines()[2]
    assert "| winner | " in text
    assert "explosion" not in text
