"""Declared games by name and by file: what people and programs do with any game they do with these."""

from __future__ import annotations

import io
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex
from support.attacks import to_toml
from support.cases import each_case
from support.declared import AMERIGO, dungeon, phase
from support.fakes import CoinTower
from support.pictures import faults

from tower_sim import cli, registry
from tower_sim.campaign import load as load_campaign
from tower_sim.campaign import parse, run
from tower_sim.campaign.reader import load as load_study
from tower_sim.campaign.spec import Spec
from tower_sim.compare import read_variant
from tower_sim.drawing.paint import paints
from tower_sim.errors import UsageError
from tower_sim.games.declared import DeclaredGame
from tower_sim.games.declared.checked import declaration_of
from tower_sim.games.declared.picture import run_figure
from tower_sim.games.game import Game
from tower_sim.requests import PlayRequest, read_rules
from tower_sim.service import serve
from tower_sim.service.opened import Opened
from tower_sim.study.report import study

HEAD = 'apparatus = "amerigo"\nmodel = "two_thirds"\nseed = "7"\n'


@pytest.fixture(name="place")
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a game's file in it, where commands run."""
    (tmp_path / "mine.toml").write_text(dungeon())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """What a command prints on its output, or of its mistake."""
    assert cli.main([*words]) == status
    told = capsys.readouterr()
    return told.err if status else told.out


@pytest.mark.parametrize("game", ["amazonas", str(AMERIGO), "mine.toml"])
def test_a_declared_game_is_played_by_name_and_by_file_and_its_document_is_the_same_twice(
    game: str, place: Path, capsys: pytest.CaptureFixture[str]
):
    words = ("play", game, "--model", "two_thirds", "--seed", "7", "--json")
    document = said(capsys, *words)
    assert said(capsys, *words) == document
    read = json.loads(document)
    assert (read["schema"], read["version"]) == ("tower-sim/declared-game", 1)
    assert read["game"] == {"mine.toml": "dungeon"}.get(game, Path(game).stem)
    for before, after in zip(read["drops"], read["drops"][1:], strict=False):
        total = [sum(map(sum, (pool.values() for pool in drop["pools"].values()))) for drop in (before, after)]
        inside = [sum(drop["inside"].values()) for drop in (before, after)]
        assert total[0] + inside[0] == total[1] + inside[1]


def test_parameters_and_policies_are_set_by_option_and_by_a_file_of_rules(
    place: Path, capsys: pytest.CaptureFixture[str]
):
    (place / "house.toml").write_text('game = "mine.toml"\npick = "most"\n')
    common = ("--model", "two_thirds", "--seed", "7", "--json")
    by_option = said(capsys, "play", "mine.toml", "--set", "pick=most", *common)
    assert json.loads(by_option)["rules"] == {"pick": "most"}
    assert said(capsys, "play", "mine.toml", "--rules", "house.toml", *common) == by_option
    (place / "house.toml").write_text('game = "amazonas"\nmoney = 3\n')
    assert "is 'amazonas'; allowed is dungeon" in said(
        capsys, "play", "mine.toml", "--rules", "house.toml", *common, status=2
    )


@each_case(
    ("words", "told"),
    [
        (("play", "none.toml"), "game file 'none.toml' cannot be read"),
        (("play", "wrong.toml"), r"game 'wrong.toml': schema and version is [nothing, nothing]"),
        (("play", "amazona"), "did you mean amazonas?"),
        (("play", "mine.toml", "--set", "pick=all"), "rules.pick is 'all'; allowed is one of uniform, most"),
        (("play", "mine.toml", "--set", "pick"), "--set 'pick'; allowed is KEY=VALUE, each key once; the keys are"),
        (("play", "mine.toml", "--set", "rooms=3"), "rules.rooms is unknown; allowed are pick"),
        (("play", "mine.toml", "--rounds", "3"), "unknown option '--rounds'"),
        (("compare", "mine.toml", "amazonas", "--games", "2"), "the game of B is 'amazonas'; allowed is dungeon"),
        (("compare", "mine.toml", "--set", "pick=all", "--games", "2"), "variant 'mine.toml': rules.pick is 'all'"),
        (
            ("compare", "mine.toml", "--set", 'declared.phase=[]', "--games", "2"),
            "variant 'mine.toml': number of items of phase is 0",
        ),
        (("campaign", "run", "c.toml", "-o", "out"), "campaign file c.toml: game 'wrong.toml': schema"),
        (("campaign", "run", "d.toml", "-o", "out"), "the table declared is nothing; allowed is what a file of a game"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_one_line(
    words: tuple[str, ...], told: str, place: Path, capsys: pytest.CaptureFixture[str]
):
    (place / "wrong.toml").write_text('name = "x"\n')
    for name, kind in (("c", "wrong.toml"), ("d", "declared")):
        (place / f"{name}.toml").write_text(f'[campaign]\nkind = "{kind}"\ngames = 1\n{HEAD}')
    line = said(capsys, *words, status=2)
    assert told in line
    assert line.count("\n") == 1


# Campaigns and studies


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "name"), [("amazonas", "amazonas"), ("mine.toml", "dungeon")])
def test_a_campaign_by_name_and_by_file_is_run_told_and_studied_without_the_file(
    kind: str, name: str, place: Path, capsys: pytest.CaptureFixture[str]
):
    (place / "c.toml").write_text(
        f'[campaign]\nkind = "{kind}"\ngames = 6\nshard = 2\n{HEAD}[vary.fields]\n"rules.pick" = ["uniform", "most"]\n'
    )
    spec = load_campaign(place / "c.toml")
    said(capsys, "campaign", "run", "c.toml", "-o", "out", "--workers", "2")
    (place / "mine.toml").unlink()
    assert "6 done, 0 missing" in said(capsys, "campaign", "status", "out")
    said(capsys, "campaign", "verify", "out")
    assert Spec.from_canonical(spec.canonical).digest == spec.digest
    assert sorted(path.name for path in (place / "out" / name).iterdir()) == [f"0000{i}.parquet" for i in range(6)]
    campaign = load_study(place / "out")
    assert campaign.game == spec.game
    assert campaign.rules["pick"] == "uniform"
    assert set(campaign.facts) == {column.name for column in spec.game.columns}
    if kind == "mine.toml":
        return  # the walk in docs/games.md studies one of a file
    study(place / "out", place / "report", 0)
    report = (place / "report/report.md").read_text("utf-8")
    assert "What the game tells (" in report
    assert "as the game reads it" in report
    assert '"pools"' not in report


def test_a_game_may_stand_in_the_campaign_file_itself_and_its_numbers_may_vary(place: Path):
    text = to_toml({"declared": tomllib.loads(dungeon())})
    text += f'[campaign]\nkind = "declared"\ngames = 2\n{HEAD}'
    text += '[vary.fields]\n"declared.pools.deck.stairs" = [1, 3]\n'
    spec = parse(text)
    assert [spec.point(i).rules.counts["deck"]["stairs"] for i in range(2)] == [1, 3]
    store = run(spec, place / "out")
    assert store
    with pytest.raises(UsageError, match=r"point 1 .*with other readings'; allowed is dungeon with the columns"):
        parse(text.replace('"declared.pools.deck.stairs" = [1, 3]', '"declared.name" = ["dungeon", "cave"]'))


def test_the_same_campaign_has_the_same_digest_and_another_game_another(place: Path):
    text = f'[campaign]\nkind = "mine.toml"\ngames = 2\n{HEAD}'
    assert parse(text).digest == parse(text).digest
    first = parse(text).digest
    (place / "mine.toml").write_text(dungeon().replace("trap = 4", "trap = 5"))
    assert parse(text).digest != first


# Comparisons, requests, pictures


def test_another_way_to_read_is_compared(place: Path, capsys: pytest.CaptureFixture[str]):
    """Of a bag: every cube goes back, so that the most numerous is nearly always a monster."""
    put_away = '{ cubes = "room", number = 1, to = "explored" }, '
    assert put_away in dungeon()
    (place / "bag.toml").write_text(dungeon().replace(put_away, ""))
    words = ("compare", "bag.toml", "--set", "pick=most", "--games", "60", "--seed", "7", "--model", "two_thirds")
    document = json.loads(said(capsys, *words, "--json"))
    assert document["differs"] == [{"key": "pick", "a": "uniform", "b": "most"}]
    assert [row["key"] for row in document["figures"]] == ["room_again", "inside", "throws"]
    again, monster = document["figures"][0], document["shares"][0]
    assert monster["key"] == "share_monster"
    assert again["shown"]
    assert monster["shown"]
    assert monster["difference"] > 0.1
    assert sum(row["a"]["mean"] for row in document["shares"]) == pytest.approx(1)
    assert re.match(
        r"B: room is monster in \d+ % instead of \d+: certain; chance of room twice running", said(capsys, *words)
    )


def test_a_number_in_the_file_and_a_second_file_are_compared(place: Path, capsys: pytest.CaptureFixture[str]):
    (place / "other.toml").write_text(dungeon().replace("stairs = 1", "stairs = 3").replace("times = 15", "times = 17"))
    by_set = ("--set", "declared.pools.deck.stairs=3", "--set", "declared.rounds.times=17")
    common = ("--games", "20", "--seed", "7", "--model", "two_thirds", "--json")
    first = json.loads(said(capsys, "compare", "mine.toml", *by_set, *common))
    second = json.loads(said(capsys, "compare", "mine.toml", "other.toml", *common))
    assert first["differs"] == second["differs"]
    assert [change["key"] for change in first["differs"]] == ["declared.pools.deck.stairs", "declared.rounds.times"]
    assert first["figures"] == second["figures"]


def test_an_apparatus_beside_the_games_file_is_found_from_anywhere(place: Path, monkeypatch: pytest.MonkeyPatch):
    from tower_sim.apparatus.catalogue import shipped

    (place / "tower.toml").write_text(shipped()["amerigo"])
    (place / "mine.toml").write_text(dungeon().replace('"amerigo"', '"tower.toml"'))
    (place / "house").mkdir()
    (place / "house/rules.toml").write_text('game = "../mine.toml"\npick = "most"\n')
    variants = [read_variant("mine.toml"), read_variant("house/rules.toml")]
    assert [variant.apparatus.name for variant in variants] == ["tower"] * 2
    assert [variant.rules.values["pick"] for variant in variants] == ["uniform", "most"]
    assert variants[0].game == variants[1].game
    monkeypatch.chdir(place / "house")
    assert read_rules(registry.get("game", "../mine.toml"), "rules.toml").rules == variants[1].rules


def test_the_service_plays_a_file_with_rules_as_the_command_line_does(place: Path, capsys: pytest.CaptureFixture[str]):
    request = {"do": "play", "game": "mine.toml", "rules": {"pick": "most"}, "model": "two_thirds", "seed": 7}
    wrong: list[dict[str, Any]] = [{**request, "rules": {"pick": 3}}, {**request, "game": "none.toml"}]
    out = io.BytesIO()
    with Opened() as opened:
        serve(io.BytesIO("\n".join(map(json.dumps, [request, *wrong])).encode()), out, opened)
    right, *refused = [json.loads(line) for line in out.getvalue().splitlines()]
    own = json.loads(
        said(capsys, "play", "mine.toml", "--set", "pick=most", "--model", "two_thirds", "--seed", "7", "--json")
    )
    assert {key: value for key, value in right.items() if key != "id"} == own
    assert "rules.pick is 3; allowed is one of uniform, most" in refused[0]["error"]
    assert "game file 'none.toml' cannot be read" in refused[1]["error"]


def test_a_request_takes_a_game_by_its_name_its_file_or_itself(place: Path):
    game: Game = registry.get("game", "mine.toml")
    for given in ("mine.toml", game):
        assert PlayRequest(given, game.read({}), "amerigo", "two_thirds", 1).played == game


@pytest.mark.parametrize(
    "of", [phase(), phase(read={"n": "count(out)"}), phase(nothing="skip", sample=1, read={"a": {"most": "out"}})]
)
def test_a_picture_of_any_game_hides_nothing(of: dict[str, Any]):
    game = DeclaredGame(declaration_of(of | {"rounds": {"times": 30}}))
    rules = game.read({})
    turns = list(game.play(CoinTower(p_out=0.5), rules, 1))
    figure: Any = run_figure(turns, rules, "A game")
    rows = {text.get_text() for text in figure.axes[0].get_yticklabels()}
    assert rows == {cube.colour for turn in turns for cube in (*turn.entry.out, *turn.entry.table.tower.cubes)}
    found = faults(figure)
    found.pop("unnamed", None)  # rings and the dashes between rounds: named below
    assert found == {}
    with pytest.raises(UsageError, match="throws of the game are 0"):
        run_figure([], rules, "A game")


def test_a_file_says_what_its_kinds_are_painted_with():
    given = phase() | {"paints": {"red": "#f5c61e"}}
    game = DeclaredGame(declaration_of(given))
    rules = game.read({})
    figure: Any = run_figure(list(game.play(CoinTower(p_out=0.5), rules, 1)), rules, "A game")
    assert any(to_hex(patch.get_facecolor()) == "#f5c61e" for axes in figure.axes for patch in axes.patches)
    assert {paint.name: paint.rgb for paint in paints(["red", "sun"], game.paints(rules))}["red"] == "#f5c61e"
    for wrong, line in (({"rde": "#f5c61e"}, "paints"), ({"red": "yellow"}, r"paints\.red is 'yellow'; allowed is #")):
        with pytest.raises(UsageError, match=line):
            declaration_of(given | {"paints": wrong})


def test_a_file_names_figures_of_its_own():
    """By hand: of three throws of three red and a blue the second skips nothing."""
    of = {
        "spare": {
            "title": "cubes out beyond one",
            "unit": "cubes",
            "says": "cubes out but one",
            "of": "max(out - 1, 0)",
        },
        "mixed": {"of": "colours == 2", "where": "out > 0"},
        "fullest": {"of": "inside", "take": "most", "unit": "cubes"},
    }
    game = DeclaredGame(declaration_of(phase() | {"figures": of}))
    turns = list(game.play(CoinTower(p_out=0.5), game.read({}), 1))
    values = dict(zip([figure.key for figure in game.figures()], game.measured(turns, game.read({})), strict=True))
    out = [turn.entry.out for turn in turns if turn.entry.phase != "setup"]
    some = [cubes for cubes in out if cubes]
    assert values["spare"] == pytest.approx(sum(max(len(cubes) - 1, 0) for cubes in out) / len(out))
    assert values["mixed"] == pytest.approx(sum(len({c.colour for c in cubes}) == 2 for cubes in some) / len(some))
    assert values["fullest"] == max(len(turn.state.residents) for turn in turns if turn.entry.phase != "setup")
    for wrong, line in (
        ({"of": "old_out"}, r"a name in figures\.x\.of is 'old_out'; allowed is one of thrown, out"),
        ({"of": "out.red"}, r"figure 'x' is 'out\.red': .* is not understood; allowed are names"),
        ({"of": "out", "take": "median"}, r"figures\.x\.take is 'median'"),
        ({}, r"figures\.x\.of is missing"),
    ):
        with pytest.raises(UsageError, match=line):
            declaration_of(phase() | {"figures": {"x": wrong}})


def test_words_of_a_run_say_what_was_read_and_what_the_tower_held():
    for reads, told in (
        ({}, "mine was played, and nothing was read."),
        ({"n": "count(out)"}, "n was 5.0 on average, 5 to 5 in 2 readings."),
        ({"who": {"most": "out"}}, "who was read twice (red 2); it repeated the one before once."),
        ({"all": {"set": "out"}}, "all had 2.0 colours on average in 2 readings."),
    ):
        game = DeclaredGame(declaration_of(phase(read=reads) | {"rounds": {"times": 2}}))
        rules = game.read({})
        turns = list(game.play(CoinTower(p_out=1.0), rules, 1))
        assert game.summary(turns, rules) == (
            f"{told} The tower was thrown twice and held 0.0 cubes on average, 0 at the end."
        )
        assert game.summary([], rules) == "The game ended before anything was thrown. Nothing was read."
