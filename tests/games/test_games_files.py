"""Games in files of their own: docs/games.md runs, and a bad file or game ends in one line with the file's line.

The page's example games are played, compared, run as campaigns and studied.
"""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.command_line import here
from support.fakes import CoinTower

from tower_sim import cli
from tower_sim.campaign import Spec, load, parse, read_campaign
from tower_sim.errors import UsageError
from tower_sim.games import Game, Turn, run_game_file
from tower_sim.models import open_model
from tower_sim.requests.request import choose_game
from tower_sim.tools import registry

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/games.md").read_text("utf-8")
Capture = pytest.CaptureFixture[str]

GOOD = '''"""A game."""
from pydantic import Field
from tower_sim.games import Figure, Game, Rules, Turn
class SnapRules(Rules):
    cubes: int = Field(3, ge=1, le=9, description="cubes of each colour")
class Snap(Game):
    """red cubes are points"""
    name, title, Rules = "snap", "Snap", SnapRules
    facts = {"points": int, "side": ("red", "blue")}
    figures = (Figure("score", "score", "points", of="points * cubes", take="sum"),)
    def cubes(self, rules):
        return {"red": rules.cubes, "blue": rules.cubes}
    def play(self, tower, rules):
        for _ in range(3):
            tower.throw(tower.outside)
            yield Turn("a turn", {"points": tower.out.get("red", 0), "side": "red"})
'''
THROW = "            tower.throw(tower.outside)\n"


def play_text(text: str) -> None:
    game = run_game_file(text, "snap.py")
    turns = list(game.start(CoinTower(), rules := game.read({}), 7))
    assert game.measured(turns, rules) == (sum(turn.facts["points"] for turn in turns) * rules.cubes,)
    assert game.summary(turns, rules)


def test_the_game_of_these_tests_is_good():
    play_text(GOOD)


def test_a_rules_file_names_a_game_by_a_path_that_starts_where_it_lies(tmp_path: Path):
    (tmp_path / "snap.py").write_text(GOOD, "utf-8")
    assert choose_game({"game": "snap.py"}, tmp_path, "amerigo").name == "snap"
    assert choose_game({"game": str(tmp_path / "snap.py")}, None, "amerigo").name == "snap"


@each_case(
    ("old", "new", "says"),
    [
        ("class Snap(Game):", "class Snap(Game:", r"^game file 'snap.py', line 6: .*; allowed is Python$"),
        ("from pydantic", "from pydantik", r"^game file 'snap.py', line 2: ModuleNotFoundError: No module named"),
        ("Snap(Game)", "Snap(object)", r"^the number of games in 'snap.py' is 0; allowed is 1: a class that is a Game"),
        ('name, title, Rules = "snap", "Snap", SnapRules', 'title, Rules = "Snap", SnapRules', r"Snap has no name; a"),
        ("def cubes", "def cubez", r"Snap has no cubes; a game needs name, title, Rules, cubes, play; add it$"),
        ('"snap", "Snap", SnapRules', '"Sn ap", "Snap", SnapRules', r"line 8: name is 'Sn ap'; allowed is small"),
        ('"snap", "Snap", SnapRules', '"snap", "Snap", 3', r"Rules is 3; allowed is a Rules class"),
        ('"points": int', '"drop": int', r"a fact of the game 'snap' is 'drop'; allowed is none of point, run, drop"),
        ('"points": int', '"points": list', r"the kind of the fact 'points' is .*; allowed is int, float, bool, str"),
        ("Field(3,", "Field(30,", r"a rule has no allowed default: rules.cubes is 30; allowed is a whole number from"),
        ('="points * cubes"', '="banked"', r"line 10: figure 'score' names 'banked'; allowed are .* points, cubes;"),
        ('="points * cubes"', '="point"', r"line 10: figure 'score' names 'point'; .*; did you mean points"),
        ('="points * cubes"', '="side"', r"line 10: figure 'score' names 'side'; allowed are"),
        ('="points * cubes"', '="points", where="x > 1"', r"line 10: figure 'score' names 'x'; allowed are"),
        ('="points * cubes"', '="red is blue"', r"line 10: figure 'score' is 'red is blue': .*; allowed are names"),
        ('of="points * cubes", ', "", r"line 10: figure 'score' has no formula; write of"),
        ('take="sum"', 'take="total"', r"line 10: take of figure 'score' is 'total'; allowed is one of mean"),
        ('{"points": int,', '{"points": int, "cubes": int,', r"line 10: figure 'score' names 'cubes', which is a"),
        (THROW, "            tower.throw(red=4)\n", r"^snap.py, line 15: the number of red cubes that turn 0 throws"),
        (THROW, "            tower.throw(green=1)\n", r"^snap.py, line 15: a colour is 'green'; allowed is one of red"),
        (THROW, THROW * 2, r"^snap.py, line 16: turn 0 has a throw before this throw; allowed is one throw, then one"),
        (THROW, "            1 / 0\n", r"^snap.py, line 15: ZeroDivisionError: division by zero$"),
        ('yield Turn("a turn", {', "yield ({", r"^snap.py, line 16: what turn 0 of snap yields is \{.*; allowed is"),
        ('{"points": tower', '{"score": 1, "points": tower', r"a fact of turn 0 of snap is 'score'; allowed is one of"),
        ('{"points": tower.out.get("red", 0)', '{"points": "many"', r"the fact points of turn 0 of snap is 'many'"),
        ('"side": "red"}', '"side": "rod"}', r"the fact side of turn 0 of snap is 'rod'; allowed is one of red, blue"),
        (f"for _ in range(3):\n{THROW}", "while True:\n", r"the number of turns of snap is 'over 20000'; allowed is"),
        *(
            (
                "    def cubes",
                f"    def {name}(self, turns, rules):\n        1 / 0\n    def cubes",
                r"^snap.py, line 12: Zero",
            )
            for name in ("summary",)
        ),
        ("for _ in range(3):\n", "return 3\n        for _ in range(0):\n", r"^$"),
        ('"blue": rules.cubes}', '"blue": 900}', r"the number of cubes of snap is 903; allowed is 1 to 500"),
        (f"{THROW}            yield Turn(", "            print(", r"the result of play of snap is nothing; allowed is"),
    ],
)
def test_a_bad_game_is_told_in_one_line_that_says_where(old: str, new: str, says: str):
    assert old in GOOD
    if says == "^$":
        play_text(GOOD.replace(old, new))
        return
    with pytest.raises(UsageError, match=says) as error:
        play_text(GOOD.replace(old, new))
    assert re.match(r"snap.py, line \d+: |game file 'snap.py', line \d+: |the number of games in", str(error.value))


def test_a_bad_game_on_the_command_line_ends_with_2_and_a_campaign_of_it_loses_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    late = GOOD.replace(THROW, "            tower.throw(red=4 if tower.own_seed % 3 == 0 else 1)\n")
    Path("snap.py").write_text(late)
    Path("spec.toml").write_text(
        '[campaign]\ngame = "snap.py"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 12\nshard = 1\nseed = "7"\n'
    )
    assert cli.main(["campaign", "run", "spec.toml", "-o", "data", "--workers", "1"]) == 2
    captured = capsys.readouterr()
    line_start = "snap.py, line 15: the number of red cubes that turn 0 throws is 4; allowed is 0 to 3"
    assert next(line for line in captured.err.splitlines() if line.startswith("tower-sim")).startswith(
        f"tower-sim: {line_start}"
    )
    assert "(6 of 12 shards failed, the others are kept)" in captured.err
    assert "6 of 12 games are done" in captured.out
    assert read_campaign(tmp_path / "data").runs == 6
    assert cli.main(["play", "no.py"]) == 2
    assert "no.py" in capsys.readouterr().err


def test_a_campaign_includes_the_text_of_its_game_and_needs_the_file_no_more(tmp_path: Path):
    (tmp_path / "snap.py").write_text(GOOD)
    text = '[campaign]\ngame = "snap.py"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 4\nseed = "7"\n'
    spec = parse(text, tmp_path)
    (tmp_path / "snap.py").unlink()
    again = Spec.from_canonical(spec.canonical)
    assert (again, again.game.title) == (spec, "Snap")
    (tmp_path / "snap.py").write_text(GOOD.replace("range(3)", "range(4)"))
    assert parse(text, tmp_path).digest != spec.digest


@each_case(("runs", "share", "begins"), [
    ([["red", "red", "blue"], ["blue", "red"]], 3 / 5,
     r"On average over 2 games, too few to tell how sure this is \(an interval needs 8\), the figure \"score\" is "),
    ([["red", "red", "blue"]] * 5 + [["red", "blue", "blue"]] * 3, 13 / 24,
     r"The most frequent side is red, with 54 % \(.*, before blue with 46 % \(.*: which .* is not sure. On average"),
    ([["red"] * (8 + i) + ["blue"] for i in range(8)], 92 / 100, "The most frequent side is red, .*: that is sure. "),
    ([["red", "blue"]] * 8, 1 / 2, 'On average over 8 games the figure "score" is 6 '),  # a deck: alike in every game
    ([["red", "red", "blue"]], 2 / 3, 'In this game the figure "score" is '),
])  # fmt: skip
def test_many_games_are_told_by_the_turns_of_all_and_not_by_their_last(
    runs: list[list[str]], share: float, begins: str
):
    game = run_game_file(GOOD, "snap.py")
    odds = game.ways.odds(game.read({}), 0)
    for sides in runs:
        odds.add([Turn(facts={"side": side, "points": 1}) for side in sides])
    assert odds.document()["shares"]["side"]["red"]["share"] == pytest.approx(share)
    assert re.match(begins, odds.words())


@pytest.mark.slow
def test_every_command_of_the_page_runs_and_its_output_is_that_of_the_page(tmp_path, capsys: Capture, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("docs", "tower_sim"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (spec,) = re.findall(r"<!-- campaign.toml -->\n```toml\n(.*?)```", DOC, re.S)
    (tmp_path / "campaign.toml").write_text(spec)
    assert tomllib.loads(spec)["campaign"]["games"] == load(tmp_path / "campaign.toml").runs
    lines = [line for block in re.findall(r"```sh\n(.*?)```", DOC, re.S) for line in block.splitlines()]
    printed = {}
    for line in lines:
        assert cli.main(shlex.split(line)[1:]) == 0, line
        printed[line] = capsys.readouterr().out
    (end,) = re.findall(r"<!-- its end -->\n```\n(.*?)```", DOC, re.S)
    assert printed[lines[0]].endswith(end)
    campaign = read_campaign(tmp_path / "luck")
    assert campaign.game
    assert campaign.game.title == "Push your luck"
    report = (tmp_path / "report/report.md").read_text("utf-8")
    assert "points in the end" in report


def test_the_page_shows_the_files_as_they_are_and_every_game():
    assert len((ROOT / "docs/games/plunder.py").read_text("utf-8").splitlines()) < 60
    luck = (ROOT / "tower_sim/games/push_your_luck.py").read_text("utf-8")
    assert f"has {len(luck.splitlines())} lines" in DOC
    for block in re.findall(r"```python\n(.*?)```", DOC, re.S):
        for line in block.splitlines():
            assert line.strip() == "..." or line in luck, line
    assert all(f"| `{name}` |" in DOC for name in registry.OWN["game"])


FILES = {path.stem: path for path in [*(ROOT / "docs/games").glob("*.py"), ROOT / "tower_sim/games/push_your_luck.py"]}
NAMES = sorted(FILES)
HOUSE = {"harvest": "locusts=2", "plunder": "board=keep", "push_your_luck": "at=10"}


def game(name: str) -> Game:
    return registry.get("game", str(FILES[name]))


def play(name: str, model: Any, seed: int = 7, **rules: Any) -> list[Turn]:
    return list(game(name).start(model, game(name).read({"rules": rules}), seed))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_played_by_its_file(name: str):
    outputs = [here("play", str(FILES[name]), "--model", "surrogate", "--seed", "7").stdout for _ in range(2)]
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith(game(name).title)


@pytest.mark.parametrize("name", HOUSE)
def test_a_house_rule_of_an_example_changes_something(name: str):
    words = here("compare", str(FILES[name]), "--set", HOUSE[name], "--games", "40", "--seed", "7").stdout
    assert words.startswith("B: ")
    assert "certain" in words.splitlines()[0]


@pytest.mark.usefixtures("unpainted_here")
@pytest.mark.parametrize("name", NAMES)
def test_a_campaign_of_an_example_is_studied(name: str, tmp_path: Path):
    head = f'game = "{FILES[name].as_posix()}"\nmodel = "surrogate"\ngames = 20\nseed = "7"\n'
    (tmp_path / "campaign.toml").write_text(f"[campaign]\n{head}", "utf-8")
    for words in (("campaign", "run", "campaign.toml", "-o", "data"), ("campaign", "report", "data", "-o", "report")):
        result = here(*words, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    report = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert all(fact in report for fact in game(name).facts)
    assert f"| {game(name).figures[0].title} |".lower() in report.lower()


def test_a_hungry_farmer_knocks_and_harvests_what_comes_out():
    turns = play("harvest", CoinTower(), knock=1.0, throw=4, seasons=40)
    assert {len(turn.outcomes) for turn in turns} == {1, 2}
    for turn in turns:
        grown = min(turn.out.get("sun", 0), turn.out.get("rain", 0))
        assert turn.facts["grain"] == max(0, grown - turn.out.get("locusts", 0))
        assert len(turn.outcomes) == 2 or turn.facts["grain"]


def test_a_player_stops_at_the_number_of_the_policy_or_loses_the_round():
    for policy in ("points", "throws", "memory"):
        points = throws = 0
        for turn in play("push_your_luck", CoinTower(), policy=policy, at=3, rounds=30):
            gold, black = turn.out.get("gold", 0), turn.out.get("black", 0)
            points, throws = points + gold, throws + 1
            seen = {"points": points, "throws": throws, "memory": turn.inside.get("black", 0)}[policy]
            choice = "lost" if black >= 2 else "stop" if seen >= 3 or throws == 20 else "again"
            assert (turn.facts["choice"], turn.facts["banked"]) == (choice, points * (choice == "stop"))
            points, throws = (points, throws) if choice == "again" else (0, 0)


def test_the_crew_with_most_cubes_in_a_zone_takes_its_goods_and_the_board_is_cleared_or_kept():
    with open_model("dead_reckoning", "surrogate") as model:
        raids = {rule: play("plunder", model, raids=3, board=rule) for rule in ("clear", "keep")}
    lead, last = 0, raids["keep"][-1]
    for zone, goods in (("cargo", 1), ("coins", 1), ("coins_and_cargo", 2), ("choice", 2)):
        lying = [cube.colour for cube in last.state.board.at(f"zone:{zone}")]
        lead += goods * int(np.sign(lying.count("purple") - lying.count("green")))
    assert last.facts["goods_purple"] - last.facts["goods_green"] == lead
    assert max(len(turn.state.board.cubes) for turn in raids["clear"]) <= 12 < len(last.state.board.cubes)
