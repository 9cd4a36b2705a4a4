"""The command line as other programs and people meet it; in processes of its own where these are a part of it."""

import json
from pathlib import Path

import pytest
from support.command_line import here, refusal, tower_sim

from tower_sim.games.amerigo import Rules
from tower_sim.physics import Scene
from tower_sim.tools import registry
from tower_sim.values import Status

COLOURS = list(Rules().colours)
PLAY = ("--model", "two_thirds", "--seed", "1", "--json")


@pytest.fixture(name="game", scope="module")
def _game() -> str:
    done = tower_sim("play", "amerigo", "--seed", "7", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    return done.stdout


def test_a_game_played_twice_in_two_processes_gives_the_same_bytes(game: str):
    assert tower_sim("play", "amerigo", "--seed", "7", "--json").stdout == game


def test_a_game_has_36_turns_that_account_for_every_cube(game: str):
    document = json.loads(game)
    assert list(document) == [
        "schema", "version", "seed", "model", "apparatus", "game", "game_version", "rules", "turns",
    ]  # fmt: skip
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/game-run", 2, "7")
    assert len(document["turns"]) == 36
    inside = dict.fromkeys(COLOURS, 0)
    for i, turn in enumerate(document["turns"]):
        assert (turn["index"], turn["facts"]["round"]) == (i, -(-i // 7))
        assert turn["facts"]["phase"] == (COLOURS[(i - 1) % 7] if i else "setup")
        for counts in ("thrown", "out", "inside"):
            assert list(turn[counts]) == COLOURS
        for colour in COLOURS:
            assert inside[colour] + turn["thrown"][colour] == turn["out"][colour] + turn["inside"][colour]
            assert 0 <= turn["inside"][colour] <= 7
        inside = turn["inside"]


def test_play_prints_a_line_a_drop_and_a_summary_and_saves_the_plot(tmp_path: Path):
    done = here("play", "amerigo", "--set", "rounds=1", "--seed", "3", "--save-plot", str(tmp_path / "game.png"))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "seed 3" in lines[0]
    assert [line.split()[0] for line in lines[3:11]] == [f"{i}:" for i in range(8)]
    assert "inside" in done.stdout
    assert "Over this game, on average: the players choose from " in done.stdout
    assert (tmp_path / "game.png").stat().st_size > 10_000


def test_a_seed_that_was_drawn_is_printed_and_plays_the_same_again():
    first = json.loads(here("play", "amerigo", "--set", "rounds=1", "--json").stdout)
    again = json.loads(here("play", "amerigo", "--set", "rounds=1", "--json", "--seed", first["seed"]).stdout)
    assert first == again
    assert int(first["seed"]) < 10**12  # it is typed by hand


def test_a_token_printed_by_one_drop_continues_in_another_process(tmp_path: Path):
    first = json.loads(tower_sim("throw", "amerigo", "--cubes", "blue=20,red=10", "--seed", "1", "--json").stdout)
    inside = first["inside"]
    assert sum(inside.values()) > 0
    by_token = tower_sim("throw", "amerigo", "--cubes", "green=4", "--state", first["state"], "--seed", "2", "--json")
    second = json.loads(by_token.stdout)
    for colour in ("blue", "red", "green"):
        before = inside.get(colour, 0) + second["thrown"].get(colour, 0)
        assert before == second["emerged"].get(colour, 0) + second["inside"].get(colour, 0)
    (tmp_path / "state").write_text(first["state"])
    (tmp_path / "outcome.json").write_text(json.dumps(first))
    for file in ("state", "outcome.json"):
        arguments = ["--cubes", "green=4", "--state", f"@{tmp_path / file}", "--seed", "2", "--json"]
        assert here("throw", "amerigo", *arguments).stdout == by_token.stdout


def test_cubes_that_a_knock_released_are_thrown_with_the_next():
    first = json.loads(here("throw", "amerigo", "--cubes", "blue=49", "--seed", "1", "--json").stdout)
    words = ["--cubes", "red=2", "--state", first["state"], "--knock", "3", "--seed", "2", "--json"]
    second = json.loads(here("throw", "amerigo", *words).stdout)
    assert second["knocked_out"]["blue"] > 0
    assert second["thrown"] == {"red": 2, "blue": second["knocked_out"]["blue"]}
    assert first["inside"]["blue"] == second["emerged"]["blue"] + second["inside"]["blue"]


@pytest.fixture(name="token", scope="module")
def _token() -> str:
    return json.loads(here("throw", "amerigo", "--cubes", "blue=20", "--seed", "1", "--json").stdout)["state"]


def test_a_token_of_another_apparatus_exits_2_with_one_line(token: str, tmp_path: Path):
    shipped = Path(__file__).parents[2] / "tower_sim/apparatus/amerigo/profiles/amerigo.toml"
    (tmp_path / "other.toml").write_text(shipped.read_text().replace("rim_mm = 120", "rim_mm = 121"))
    line = refusal("throw", str(tmp_path / "other.toml"), "--cubes", "blue=1", "--state", token)
    assert "state belongs to" in line


def test_cubes_that_never_land_exit_1_with_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Scene, "settle", lambda *_, **__: Status.ESCAPED)
    done = here("throw", "amerigo", "--cubes", "blue=60", "--seed", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "5 draws in a row were no landing (escaped, escaped, escaped, escaped, escaped)" in done.stderr


def test_export_says_what_it_wrote_and_show_its_file_alone(token: str, tmp_path: Path):
    for line, says in (
        ("model export amerigo --to json -o table.json", "amerigo, its table as JSON: table.json\n"),
        ("tower show amerigo -o empty.png", "empty.png\n"),
        (f"tower show amerigo -o full.png --state {token}", "full.png\n"),
    ):
        done = here(*line.split(), cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, says, "")
    assert (tmp_path / "empty.png").read_bytes() != (tmp_path / "full.png").read_bytes()


def test_many_games_are_told_with_the_mean_of_every_figure_and_its_interval():
    document = json.loads(here("play", "amazonas", "--games", "30", *PLAY).stdout)
    assert (document["schema"], document["version"], document["runs"]) == ("tower-sim/game-odds", 2, 30)
    assert [*document["means"]] == [figure.key for figure in registry.get("game", "amazonas").figures]
    for mean in document["means"].values():
        low, high = mean["interval"]
        assert low <= mean["mean"] <= high
    assert sum(share["count"] for share in document["shares"]["event"].values()) == 30 * 18  # every event of every game


SPEC = '[campaign]\ngame = "amerigo"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 30\nshard = 10\nseed = "5"\n'


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign")
    (place / "spec.toml").write_text(SPEC)
    done = tower_sim("campaign", "run", "spec.toml", "--output", "done", "--workers", "2", cwd=place)
    assert done.returncode == 0, done.stderr
    return place


def test_status_and_verify_tell_that_all_is_done_and_whole(place: Path):
    assert "3 done, 0 missing" in here("campaign", "status", "done", cwd=place).stdout
    verified = here("campaign", "check", "done", cwd=place)
    assert (verified.returncode, verified.stdout) == (0, "done: every file is whole\n")


def test_a_damaged_file_is_named_with_status_1(place: Path):
    file = place / "done/drops/00001.parquet"
    before = file.read_bytes()
    file.write_bytes(before[:100])
    verified = here("campaign", "check", "done", cwd=place)
    assert verified.returncode == 1
    assert "drops/00001.parquet" in verified.stdout
    file.write_bytes(before)


@pytest.mark.slow
def test_a_study_writes_report_tables_and_plots(place: Path):
    done = here("campaign", "report", "done", "--output", "report", cwd=place)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("After the set-up ")
    assert last == "report/report.html  (the same as Markdown, with its tables: report/report.md)"
    text = (place / "report/report.md").read_text("utf-8")
    assert "Questions about the tower" in text
    assert "30 of 30 planned" in text
    assert len(list((place / "report/plots").glob("*.svg"))) >= 5
    assert len(list((place / "report/tables").glob("*.csv"))) >= 10
