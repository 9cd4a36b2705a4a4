"""`tower-sim play`: rules by their keys, and the means of many games."""

import json

import pytest

from tower_sim import cli, registry

Capture = pytest.CaptureFixture[str]
PLAY = ("--model", "two_thirds", "--seed", "1", "--json")


def test_a_rule_is_changed_by_its_key(capsys: Capture):
    assert cli.main(["play", "chain", "--tower", "amerigo", "--set", "drops=2", "--set", "policy=cover", *PLAY]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["chain"] | {"drops": 2, "policy": "cover"} == document["chain"]
    assert len(document["turns"]) == 2


def test_many_games_are_told_with_the_mean_of_every_figure_and_its_interval(capsys: Capture):
    assert cli.main(["play", "amazonas", "--games", "30", *PLAY]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["version"], document["runs"]) == ("tower-sim/game-odds", 2, 30)
    assert [*document["means"]] == [figure.key for figure in registry.get("game", "amazonas").figures]
    for told in document["means"].values():
        low, high = told["interval"]
        assert low <= told["mean"] <= high
    assert sum(share["count"] for share in document["shares"]["event"].values()) == 30 * 18  # every event of every game
