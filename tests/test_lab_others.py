"""The lab's tab of other games in a real browser: its figures, its words, games of one's own. About 6 s."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import Watched, axe_violations, browsing, clean, needs_browser
from support.declared import dungeon
from support.played import Seed, turns_of
from support.portable import model_of

from tower_sim import cli, registry
from tower_sim.errors import UsageError
from tower_sim.games.declared.for_pages import declared_games
from tower_sim.games.declared.plain import plain
from tower_sim.surrogate.generator import WordStream

HOSTILE = "</script><img src=x onerror=window.hit=1>"
GAMES = 2000


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, made by the command, with the game of docs/games.md under a title that would run a script."""
    folder = tmp_path_factory.mktemp("lab")
    text = dungeon().replace('title = "Dungeon"', f"title = '{HOSTILE}'").replace("the 15 rooms", HOSTILE)
    (folder / "dungeon.toml").write_text(text, "utf-8")
    words = ["lab", "--output", str(folder / "lab.html"), "--game", str(folder / "dungeon.toml")]
    assert cli.main(words) in (None, 0)
    return folder / "lab.html"


@pytest.fixture(scope="module")
def browser(file: Path) -> Iterator[Watched]:
    with browsing(1280, 900) as watched:
        yield watched


@pytest.fixture
def page(browser: Watched, file: Path) -> Iterator[Any]:
    """The page at its tab of other games, of which those of Dungeon are played; nothing may go wrong."""
    with clean(browser, file, settled, tab="#tab-others") as found:
        yield found


def settled(page: Any) -> None:
    page.wait_for_function(
        "games => { const found = towerSim.others(); const now = towerSim.state().others; const same = (x, y) => "
        "JSON.stringify(x) === JSON.stringify(y); return found && found.done === games && same(found.a, now.a) && "
        "same(found.b, now.b) && found.tree.name === now.game && found.tower === now.tower; }",
        arg=GAMES,
    )


def choose(page: Any, **others: Any) -> None:
    page.evaluate("others => towerSim.choose({ others: { ...towerSim.state().others, ...others } })", others)
    settled(page)


def words_of(seed: int, game: int) -> tuple[WordStream, WordStream]:
    a, b, c, d = (int(word) for word in np.random.SeedSequence(seed).generate_state(4))
    four: Seed = (a, b, c, d)
    return WordStream(four, game), WordStream(four, game + 2**31)


@needs_browser
def test_figures_and_words_are_pythons_and_b_has_the_same_luck(page: Any):
    choose(page, game="amazonas", a={}, b={"pick": "most", "money": 9})
    game, tower = registry.get("game", "amazonas"), model_of("amerigo")
    sides = page.evaluate(
        "towerSim.others().sides.map(({ figures }) => figures.map((values) => [...values.slice(0, 30)]))"
    )
    for side, choices in zip(sides, ({}, {"pick": "most", "money": 9}), strict=True):
        rules = game.read({"rules": choices})
        for number in range(30):
            turns, _ = turns_of(game, rules, tower, *words_of(7, number), 10**6)
            assert [values[number] for values in side] == [*game.measured(turns, rules)]
    page.fill("#others-game-number", "3")
    page.keyboard.press("Enter")
    turns, _ = turns_of(game, game.read({}), tower, *words_of(7, 3), 10**6)
    assert page.inner_text("#others-game-words") == game.summary(turns, game.read({}))
    assert page.locator("#others-game-list tbody tr").count() == len(turns)
    page.select_option("#panel-others .more select", "b")
    assert page.inner_text("#others-game-words") != game.summary(turns, game.read({}))
    first = page.inner_text("#others-lead p >> nth=0")
    assert first.startswith("B: ")
    assert "amount of all effects" in first


@needs_browser
def test_a_game_of_ones_own_is_first_and_its_deck_stands_beside_it(page: Any):
    assert HOSTILE in page.inner_text("#others-about")
    assert page.input_value("#others-controls select >> nth=0") == "dungeon"
    lead = page.inner_text("#others-lead")
    assert "In a whole game each room comes as often as the deck has it." in lead
    assert re.search(
        r"twice running with a chance of 2\d\.\d+ %, with the deck of 25\.7\d* %: ", lead
    )  # (6 * 5 + 4 * 3 + 4 * 3) / (15 * 14)
    assert "9/35" in page.inner_text("#others-table")


@needs_browser
def test_axe_finds_nothing_on_the_tab_with_a_and_b(page: Any):
    page.check("#others-compare")
    settled(page)
    assert axe_violations(page) == []


@needs_browser
def test_keys_alone_choose_a_game_its_rules_and_a_picture(page: Any):
    page.focus("#others-controls select >> nth=0")
    page.keyboard.type("Seaf")
    settled(page)
    assert page.evaluate("towerSim.state().others.game") == "seafarers"
    assert "the dice" in page.inner_text("#others-lead")
    page.focus("#others-controls input[type=text]")
    page.keyboard.press("Control+A")
    page.keyboard.type("301")
    assert "allowed is a whole number from 1 to 300" in page.inner_text("#others-note")
    page.keyboard.press("Backspace")
    settled(page)
    assert page.evaluate("towerSim.state().others.a") == {"turns": 30}
    assert page.inner_text("#others-note") == ""
    page.focus("#others-show")
    page.keyboard.type("number")
    labels = page.locator("#others-chart text.end").all_text_contents()
    assert labels == [str(number) for number in range(2, 13)]
    page.keyboard.press("End")
    assert page.locator("#others-chart text.end").all_text_contents() == ["30"]
    page.keyboard.press("ArrowUp")
    bars = page.locator("#others-chart text.small").all_text_contents()
    assert sum(float(bar.split()[0]) for bar in bars) == pytest.approx(100, abs=0.05 * len(bars))


@needs_browser
def test_what_is_chosen_comes_back_with_the_address_and_the_figures_with_csv(page: Any, browser: Watched, file: Path):
    choose(page, game="archipelago", tower="amerigo-club", a={"sample": 12}, b={"sample": 12, "pick": "most"})
    hash_, wanted = page.evaluate("towerSim.link()"), page.evaluate("towerSim.state().others")
    rows = page.evaluate("towerSim.others().rows.map(({ key, a, b }) => [key, a.mean, b.mean])")
    with page.expect_download() as download:
        page.click("#others-csv")
    read = [*csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8")))]
    assert [[row["key"], float(row["a"]), float(row["b"])] for row in read] == rows
    page.goto("about:blank")
    again = browser.open(file, hash_)
    settled(again)
    assert again.evaluate("towerSim.state().others") == wanted
    assert again.evaluate("towerSim.others().rows.map(({ key, a, b }) => [key, a.mean, b.mean])") == rows


def test_no_word_of_a_game_points_to_a_line_that_the_reader_has_not():
    words = re.findall(r'"((?:[^"\\\\]|\\\\.)*)"', json.dumps([plain(game.declaration) for game in declared_games()]))
    assert len(words) > 500
    assert [word for word in words if re.search(r"\blines? \d", word)] == []


def test_a_game_that_cannot_be_played_or_has_anothers_name_is_refused(tmp_path: Path):
    for text, told in (
        (dungeon().replace("times = 15", "times = 99999"), "rounds.times is 99999; allowed is"),
        (dungeon().replace('"dungeon"', '"amazonas"'), "is called 'amazonas', which another one is too; allowed is"),
    ):
        (tmp_path / "game.toml").write_text(text, "utf-8")
        with pytest.raises(UsageError, match=re.escape(told)) as refused:
            declared_games([tmp_path / "game.toml"])
        assert "game.toml" in str(refused.value)
        assert "\n" not in str(refused.value)
