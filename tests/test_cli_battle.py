"""`tower-sim battle` as other programs and people meet it."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import here, tower_sim

CUBES = ("--cubes", "purple=6,green=3")


@pytest.fixture(name="odds", scope="module")
def _odds() -> str:
    done = tower_sim("battle", *CUBES, "--games", "40", "--seed", "1", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    return done.stdout


@pytest.mark.whole
def test_many_battles_twice_in_two_processes_give_the_same_bytes(odds: str):
    assert tower_sim("battle", *CUBES, "--games", "40", "--seed", "1", "--json").stdout == odds


def test_the_odds_have_the_documented_keys_and_account_for_every_cube(odds: str):
    document = json.loads(odds)
    assert list(document) == [
        "schema", "version", "seed", "model", "apparatus", "kind", "active", "cubes", "sides", "provoked", "abilities",
        "rulings", "summary",
    ]  # fmt: skip
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/battle", 2, "1")
    assert (document["kind"], document["active"], document["cubes"]) == ("ship", "purple", {"purple": 6, "green": 3})
    summary = document["summary"]
    assert summary["games"] == 40
    for colour in ("purple", "green"):
        win = summary["win"][colour]
        assert win["n"] == 40
        assert win["interval"][0] < win["share"] < win["interval"][1]
    assert sum(summary["win"][colour]["count"] for colour in ("purple", "green")) == 40
    cubes = summary["cubes"]
    assert sum(cubes["by_place"].values()) == cubes["brought"] == 40 * 58
    assert cubes["by_place"]["hand"] == 0
    assert summary["draws"]["redraw_rate"] < 0.005


def test_the_first_of_many_battles_is_the_one_battle_of_that_seed(odds: str):
    one = json.loads(here("battle", *CUBES, "--seed", "1", "--json").stdout)
    many = json.loads(here("battle", *CUBES, "--seed", "1", "--games", "1", "--json").stdout)
    assert many["summary"]["win"][one["winner"]]["count"] == 1
    landed = Counter(x["place"] for x in one["steps"][-1]["landings"])
    final = many["summary"]["cubes"]["by_place"]
    assert {place: count for place, count in final.items() if ":" in place and count} == dict(landed)


def test_a_battle_tells_every_step_and_where_every_cube_lies():
    document = json.loads(
        here("battle", *CUBES, "--ability", "green=throw:2", "--active", "green", "--seed", "5", "--json").stdout
    )
    assert document["active"] == "green"
    assert document["abilities"] == {"purple": [], "green": ["throw:2"]}
    assert document["steps"][0]["kind"] == "throw"
    assert document["steps"][0]["thrown"] == {"purple": 6, "green": 3}
    present: set[int] = set()
    for step in document["steps"]:
        present |= set(step["cubes"])
        assert {x["cube"] for x in step["landings"]} == present
        assert all(x["place"].startswith(("zone:", "border", "table", "inside:")) for x in step["landings"])
    assert all(x["place"].startswith("zone:") for x in document["steps"][-1]["landings"])
    strengths = {colour: side["strength"] for colour, side in document["result"].items()}
    ahead = "green" if strengths["green"] >= strengths["purple"] else "purple"
    assert document["winner"] == ahead


@each_case("kind", ["ship", "merchant", "building", "tie_break"])
def test_people_get_a_line_a_step_and_the_result(kind: str):
    cubes = ("--cubes", "purple=6,green=5") if kind == "building" else CUBES
    done = here("battle", *cubes, "--kind", kind, "--seed", "7")
    assert done.returncode == 0
    assert "  0  throw" in done.stdout
    assert "wins" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 200


def test_people_get_the_odds_with_intervals():
    done = here("battle", *CUBES, "--games", "5", "--seed", "7")
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"(purple|green) wins about \d+ of 100 battles like this, \w+ \d+: .* (sure|5)\.", lines[0])
    assert re.fullmatch(r"On average purple has a strength of .* damage; green has .* damage\.", lines[1])
    assert lines[3:6] == [
        "Dead Reckoning, ship against ship: purple 6 against green 3 (purple is active)",
        "ship dead_reckoning, physics, seed 7",
        "5 battles; in brackets 95 % intervals",
    ]
    assert done.stderr == ""


def test_what_else_a_side_has_is_given_told_and_counts():
    words = ("--side", "green=supply:20,island:2,pirate", "--side", "green=damage:4", "--provoked")
    done = here("battle", *CUBES, *words, "--seed", "7", "--json")
    document = json.loads(done.stdout)
    every = ["throw", "explosion", "ability"]
    given = {"supply": 20, "island": 2, "island_for": every, "damage": 4, "pirate": True}
    assert (document["sides"]["green"], document["provoked"]) == (given, True)
    assert document["sides"]["purple"]["supply"] is None
    assert document["consequences"]["damage"]["green"] >= 4
    told = here("battle", *CUBES, *words, "--seed", "7").stdout.splitlines()
    assert told[1] == "green has supply 20, island 2, damage 4, pirate"


def test_a_surrogates_battles_are_drawn_by_zone(tmp_path: Path):
    for name, more in (("one.png", ()), ("many.png", ("--games", "20"))):
        seeded = ("--model", "surrogate", "--seed", "7", "--save-plot", name)
        done = here("battle", *CUBES, *seeded, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).stat().st_size > 10_000


def test_a_battle_and_the_densities_of_many_are_drawn(tmp_path: Path):
    for name, more in (("one.png", ()), ("many.svg", ("--games", "5"))):
        done = here("battle", *CUBES, "--seed", "7", "--save-plot", name, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).stat().st_size > 10_000
        assert f"plot: {name}" in done.stdout


def test_rulings_are_read_from_a_file_and_reported(tmp_path: Path):
    (tmp_path / "mine.toml").write_text('left_board = "lost"\n')
    done = here("battle", *CUBES, "--seed", "7", "--rulings", "mine.toml", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["rulings"]["left_board"] == "lost"


@each_case(
    ("arguments", "says"),
    [
        (
            ("--cubes", "purple=6"),
            "number of sides is 1; allowed is 2 in a ship combat; name both, as in purple=6,green=3",
        ),
        (("--cubes", "purple=0,green=0"), "cubes of a ship combat is 0; allowed is 1 or more"),
        ((*CUBES, "--side", "green=supply:2,supply:3"), "allowed is each word once"),
        ((*CUBES, "--side", "green=supply:2", "--side", "green=supply:3"), "says supply again"),
        (("--cubes", "purple=6,green=3,red=1"), "number of sides is 3; allowed is 2"),
        ((*CUBES, "--active", "red"), "active side is 'red'; allowed is one of purple, green"),
        ((*CUBES, "--kind", "duel"), "'duel'; allowed is one of ship, merchant"),
        ((*CUBES, "--games", "0"), "--games is 0; allowed is a whole number from 1 to 100000"),
        ((*CUBES, "--games", "1" + "0" * 12), "allowed is a whole number of up to 12 digits"),
        ((*CUBES, "--games", "100000000000"), "--games is 100000000000; allowed is a whole number from 1 to 100000"),
        ((*CUBES, "--kind", "building"), "cubes of green is 3; allowed is 2, 5, 7"),
        (("--cubes", "black=4,purple=6", "--kind", "merchant"), "active side is 'black'; allowed is purple"),
        (("--cubes", "purple=30,green=3"), "cubes of purple is 30; allowed is up to 29"),
        ((*CUBES, "--side", "red=pirate"), "--side 'red=pirate' names no side"),
        ((*CUBES, "--side", "green=sails:2"), "a side's word is 'sails:2'"),
        ((*CUBES, "--provoked"), "provoked is true"),
        ((*CUBES, "--apparatus", "amerigo"), "apparatus 'amerigo' has no board"),
        ((*CUBES, "--ability", "red=throw:2"), "--ability 'red=throw:2' names no side"),
        ((*CUBES, "--ability", "green=fly"), "ability is 'fly'; allowed is one of throw"),
        ((*CUBES, "--rulings", "none.toml"), "rulings file 'none.toml' cannot be read"),
        ((*CUBES, "--save-plot", "board.doc"), "ends in '.doc'"),
        (("--cubes", "purple=six"), "--cubes item 'purple=six'"),
        ((), "the following arguments are required: --cubes"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(arguments: tuple[str, ...], says: str, tmp_path: Path):
    done = here("battle", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
