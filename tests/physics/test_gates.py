"""The gates: what is kept is not tried again, and a bound is called shown only when the figures show it."""

import json
from pathlib import Path

import pytest
from support.cases import each_case

from tests.measure import trials
from tests.measure.gates import ROWS, STANDARD, STEPS, finer, landed, verdict
from tests.measure.trials import Store, read
from tests.support.towers import BEFORE, CLUB, RULEBOOK
from tower_sim.apparatus.catalogue import load, shipped
from tower_sim.physics.settings import accuracy


def kept(tmp_path: Path, *seeds: int) -> Store:
    """Return a store that holds drops of `amerigo` with these seeds, each worth its seed."""
    store = Store(tmp_path)
    lines = [json.dumps({"seed": seed, "status": "settled", "value": seed, "cpu": 0.1}) for seed in seeds]
    store.path("drop", "amerigo", STANDARD).write_text("".join(line + "\n" for line in lines), "utf-8")
    return store


def test_kept_trials_are_given_and_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trials, "spread_out", lambda *_: pytest.fail("something was tried again"))
    assert landed(kept(tmp_path, 7, 5, 9).trials("drop", "amerigo", STANDARD, (5, 7))) == [5, 7]


def test_trials_are_found_under_another_name_of_the_same_tower(tmp_path: Path):
    """A tower that no longer ships under its name; another tower's file of that name is not taken."""
    store = kept(tmp_path, 1)
    there = store.path("drop", "amerigo", STANDARD)
    other = tmp_path / "mine.toml"
    other.write_text(shipped()["amerigo"], "utf-8")
    assert store.path("drop", str(other), STANDARD) == there
    assert store.path("wake", str(other), STANDARD) != there
    other.write_text(shipped()["amerigo"].replace("angle_deg = 30", "angle_deg = 31"), "utf-8")
    assert store.path("drop", str(other), STANDARD).name.startswith("drop-mine-")


def test_the_towers_of_the_tables_are_what_they_were_and_do_not_ship():
    assert {name: load(name).digest for name in (RULEBOOK, CLUB)} == {
        RULEBOOK: "9dcf88a814161191",
        CLUB: "1a90cefe1bf170aa",
    }
    assert {load(name).name for name in (RULEBOOK, CLUB)} == {*BEFORE}
    assert not {*BEFORE} & {*shipped()}


def test_only_what_is_not_kept_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []

    def tried(_: object, batches: list[list[int]], *__: object):
        for batch in batches:
            asked.extend(batch)
            yield [{"seed": seed, "status": "escaped", "value": None, "cpu": 0.1} for seed in batch]

    monkeypatch.setattr(trials, "spread_out", tried)
    store = kept(tmp_path, 0, 2)
    assert landed(store.trials("drop", "amerigo", STANDARD, range(4))) == [0, 2]
    assert asked == [1, 3]
    assert sorted(read(store.path("drop", "amerigo", STANDARD))) == [0, 1, 2, 3]


def test_a_line_that_was_cut_off_is_no_trial(tmp_path: Path):
    path = tmp_path / "drops.jsonl"
    path.write_text('{"seed": 1, "value": 3}\n{"seed": 2, "val', "utf-8")
    assert read(path) == {1: {"seed": 1, "value": 3}}


def test_other_settings_other_sources_and_other_towers_have_other_files(tmp_path: Path, monkeypatch):
    store = Store(tmp_path)
    paths = {store.path("drop", profile, each) for profile in ("amerigo", "amerigo-club") for each in ROWS.values()}
    assert len(paths) == 2 * len(ROWS)
    monkeypatch.setattr(trials.compiled, "digest", lambda: "others")
    assert store.path("drop", "amerigo", STANDARD) not in paths


def test_a_process_that_has_other_sources_than_the_command_stops():
    with pytest.raises(trials.UsageError, match="files are others"):
        trials._several("drop", "amerigo", STANDARD, "others", [1])


@each_case(
    ("away", "se", "said"),
    [
        (0.1, 0.1, "within"),
        (-0.1, 0.1, "within"),
        (0.2, 0.1, "not shown, figure within"),
        (-0.4, 0.1, "not shown, figure beyond"),
        (0.6, 0.1, "beyond"),
    ],
)
def test_a_bound_of_0_3_is_shown_by_intervals_and_not_by_figures(away: float, se: float, said: str):
    assert verdict(away, se, 0.3) == said


def test_a_step_is_all_that_limits_it_together():
    half = finer(1 / 2)
    for name in ("timestep", "step_travel", "passed_travel"):
        assert getattr(half, name) == getattr(STANDARD, name) / 2
    assert STANDARD == accuracy("core", "standard") == STEPS["standard"] == ROWS["standard"]
