"""Datasets with known truths for the tests of the study, and that they are written and read back whole."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.datasets import coin_games, write

from tower_sim.campaign import read_campaign
from tower_sim.errors import UsageError
from tower_sim.games import amerigo


def test_a_dataset_is_read_back_with_its_failed_attempts(tmp_path: Path):
    drops, cubes = coin_games(6, failures=0.1)
    write(tmp_path, list(reversed(drops)), cubes)  # in any order
    campaign = read_campaign(tmp_path)
    d = campaign.rows
    assert campaign.runs == 6
    assert len(d) == 6 * 36
    assert len(campaign.failed.run) == len(drops) - len(d) > 0
    assert set(campaign.failed.status.names) >= {"timed_out"}
    assert np.array_equal(d.before + d.thrown, d.out + d.inside)
    assert np.array_equal(campaign.by_colour["out"].sum(1), d.out)
    assert np.array_equal(campaign.by_colour["inside"].sum(1), d.inside)
    assert campaign.colours == amerigo.Rules().colours
    assert not campaign.unfinished.any()


def test_a_phase_with_nothing_to_throw_changes_nothing_and_is_no_drop(tmp_path: Path):
    write(tmp_path, *coin_games(8, amerigo.Rules(cubes=1)))
    campaign = read_campaign(tmp_path)
    d = campaign.rows
    empty = (d.thrown == 0) & (d.drop > 0)
    assert empty.sum() > 20
    assert np.array_equal(campaign.by_colour["inside"].sum(1), d.inside)
    assert not (campaign.is_phase | d.drawn)[empty].any()


def test_a_run_that_ends_in_failed_attempts_is_unfinished(tmp_path: Path):
    drops, cubes = coin_games(6)
    drops = [row for row in drops if row["run"] < 5 or row["drop"] < 9]
    drops += [{"run": 5, "drop": 9, "status": "timed_out", "attempt": i, "thrown": 3} for i in range(5)]
    write(tmp_path, drops, [row for row in cubes if row["run"] < 5 or row["drop"] < 9])
    campaign = read_campaign(tmp_path)
    assert campaign.unfinished.tolist() == [False] * 5 + [True]
    assert np.isnan(campaign.grid(campaign.rows.out, np.nan)[5, 9:]).all()


def test_what_is_no_campaign_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(words: str, directory: Path) -> None:
        with pytest.raises(UsageError, match=words) as caught:
            read_campaign(directory)
        assert "\n" not in str(caught.value)

    refused("manifest.jsonl", tmp_path / "nowhere")
    drops, cubes = coin_games(1)
    write(tmp_path / "empty", [], [])
    refused("has 0 drops that all failed", tmp_path / "empty")
    write(tmp_path / "twice", [*drops, drops[3]], cubes)
    refused("twice", tmp_path / "twice")
    write(tmp_path / "none", drops, cubes, shards=())
    refused("has 0 of 1 shards", tmp_path / "none")

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    refused("pyarrow is not installed.*pip install", tmp_path / "twice")
