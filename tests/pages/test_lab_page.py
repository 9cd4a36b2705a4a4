"""The tower lab in a real browser: its numbers are Python's, keys alone do, what leaves it is read back. About 25 s."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import NO_WASM, NO_WORKER, PAGES, PHONE, Watched, axe_violations, browsing, clean, saved
from support.cases import each_case
from support.portable import model_of

from tower_sim import cli
from tower_sim.apparatus import load, shipped
from tower_sim.drawing import paints
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import FIGURES, sample_games
from tower_sim.requests import read_variant
from tower_sim.results import Results, table
from tower_sim.studies.comparison.paired import rows as compared
from tower_sim.surrogate import shipped as shipped_surrogate
from tower_sim.tools import registry
from tower_sim.web import lab_page

pytestmark = PAGES

COLOURS = Rules().colours
KEYS = [figure.key for figure in FIGURES]
HOSTILE = "<img src=x onerror=window.hit=1>"
EVIL = f"</script>{HOSTILE}<script>window.hit=2</script>"
FEW = "#lab=1&games=2000"
TABS = ("rules", "whole", "fight")
ODD: dict[str, Any] = {
    "name": 'Odd "rules" = 1',
    "tower": "amerigo-club",
    "cubes": [3, 9, 0, 12, 1, 7, 20],
    "phases": [6, 0, 2, 1, 5, 4, 3],
    "rounds": 3,
    "gold": 4,
    "token": 1,
}
ODD_RULES = Rules(
    cubes=dict(zip(COLOURS, ODD["cubes"], strict=True)),
    phases=("white", "blue", "red", "black", "yellow", "green", "brown"),
    rounds=3,
    gold_divisor=4,
    gold_divisor_with_token=1,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, with a tower of one's own whose name would be a picture, and run a script, if it were HTML."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / f"{HOSTILE}.toml").write_text(shipped()["amerigo"], "utf-8")
    surrogate = shipped_surrogate("amerigo", load("amerigo").digest).to_json()
    (folder / f"{HOSTILE}.surrogate.json").write_text(surrogate, "utf-8")
    (folder / "lab.html").write_text(lab_page([str(folder / f"{HOSTILE}.toml")]), "utf-8")
    return folder / "lab.html"


@pytest.fixture(scope="module")
def browser(file: Path) -> Iterator[Watched]:
    with browsing(1280, 900) as watched:
        yield watched


@pytest.fixture
def page(browser: Watched, file: Path) -> Iterator[Any]:
    """The page as it opens; nothing may go wrong on it, and nothing may leave it."""
    with clean(browser, file, settle, FEW) as found:
        yield found


def settle(page: Any) -> None:
    page.wait_for_function(
        "() => { const { result, state } = window.towerSim ?? {}; const done = result?.(); const now = state?.(); "
        "const same = (x, y) => JSON.stringify(x) === JSON.stringify(y); "
        "return done && done.done === now.games && same(done.a, now.a) && same(done.b, now.b) && "
        "document.getElementById('rules-busy').hidden; }"
    )


def choose(page: Any, **part: Any) -> None:
    page.evaluate("part => towerSim.choose(part)", part)
    settle(page)


def sample(rules: Rules, tower: str, games: int, seed: int) -> Results:
    return sample_games(model_of(tower), rules, games, seed)


def by_drop(values: Any, size: int) -> list[int]:
    """How often each number came, by drop and number."""
    return np.concatenate([np.bincount(values[:, i], minlength=size + 1) for i in range(values.shape[1])]).tolist()


def count_numbers(side: Any, games: Results) -> dict[str, list[int]]:
    """What the page counts, from Python's games; of the set-up, which has no action points, all that came out."""
    out, inside = games.each_colour("out").astype(int), games.each_colour("inside").astype(int)
    numbers = {
        "actions": (out > 0).sum(-1),
        "action_points": np.concatenate([out[:, :1].sum(-1), out[:, 1:].max(-1)], 1),
        "gold": -(-out.sum(-1) // int(games.plan.terms["gold_divisor"])),
        "gold_with_token": -(-out.sum(-1) // int(games.plan.terms["gold_divisor_with_token"])),
        "inside": inside.sum(-1),
        "out": out.sum(-1),
    }
    numbers |= {f"out {k}": out[:, :, k] for k in range(7)} | {f"inside {k}": inside[:, :, k] for k in range(7)}
    return {key: by_drop(values, side["sizes"][key]) for key, values in numbers.items()}


RESULT = """() => { const { sides, rows } = towerSim.result(); return { rows, sides: sides.map((side) => ({ ...side,
  counts: Object.fromEntries(Object.entries(side.counts).map(([key, counts]) => [key, [...counts]])) })) }; }"""


def test_every_number_on_the_page_is_that_of_sample_games(page: Any):
    usual = page.evaluate("towerSim.state().a") | {"name": "Published", "tower": "amerigo"}
    choose(page, a=usual, b=ODD, seed="340282366920938463463374607431768211455")
    found = page.evaluate(RESULT)
    seed = 2**128 - 1
    sides = [sample(Rules(), "amerigo", 2000, seed), sample(ODD_RULES, "amerigo-club", 2000, seed)]
    for side, games, tower in zip(found["sides"], sides, ("amerigo", "amerigo-club"), strict=True):
        assert (side["games"], side["drops"]) == (2000, games.plan.drops)
        assert side["counts"] == count_numbers(side, games)
        assert side["beyond"] == pytest.approx(model_of(tower).extrapolated(games).mean(), abs=1e-12)
    # the figures of `compare`, their differences and intervals
    expected = compared(table(sides[0], FIGURES), table(sides[1], FIGURES), FIGURES)
    rows = {row["key"]: row for row in found["rows"]}
    assert {*rows} == {figure.key for figure in FIGURES}
    for i, figure in enumerate(FIGURES):
        row = rows[figure.key]
        assert (row["title"], row["unit"]) == (figure.title, figure.unit)
        assert row["a"]["mean"] == pytest.approx(expected[i].mean_a, rel=1e-12)
        assert row["b"]["mean"] == pytest.approx(expected[i].mean_b, rel=1e-12)
        assert row["difference"]["low"] == pytest.approx(expected[i].difference.low, rel=1e-6, abs=1e-9)
        assert row["difference"]["high"] == pytest.approx(expected[i].difference.high, rel=1e-6, abs=1e-9)
        assert row["adjusted"] == pytest.approx(expected[i].p_adjusted, rel=1e-3, abs=1e-12)


def test_the_difference_is_said_first_in_plain_words_or_that_there_is_none(page: Any):
    usual = page.evaluate("towerSim.state().a")
    choose(page, a=usual, b=usual | {"name": "B", "cubes": [10] * 7})
    first = page.inner_text("#rules-lead p >> nth=0")
    assert re.match(r"B: \d\.\d instead of \d\.\d cubes stay in the tower; .*: certain\.", first)
    assert "2,000 games of each, in pairs" in page.inner_text("#rules-sure")
    assert "fitted to" in page.inner_text("#rules-beyond")  # so many cubes are outside of what the model was fitted to
    choose(page, b=usual | {"name": "B"})
    assert "every game is the same" in page.inner_text("#rules-lead")
    choose(page, b=usual | {"name": "B", "gold": usual["gold"] + 1})  # the actions are the same in every game
    assert page.inner_text("#rules-sure").endswith("as far as they throw alike.")
    row = next(row for row in page.inner_text("#figures").split("\n") if row.startswith("actions to choose from"))
    assert row.split("\t")[3:] == ["0", "-", "the same"]


def test_the_histogram_moves_while_the_slider_is_held(page: Any):
    page.check("#compare")
    settle(page)
    slider = page.get_by_label("Cubes of every colour")
    box = slider.bounding_box()
    before = page.inner_html("#histogram")
    page.mouse.move(box["x"] + box["width"] * 7 / 30, box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.3, 0.5, 0.66):
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2, steps=3)
        cubes = page.evaluate("towerSim.state().b.cubes[0]")
        page.wait_for_function("cubes => towerSim.result().b.cubes[0] === cubes", arg=cubes)
        now = page.inner_html("#histogram")
        assert now != before
        before = now
    assert cubes == pytest.approx(20, abs=2)
    assert slider.input_value() == str(cubes)  # it is still the one that is held
    page.mouse.up()
    settle(page)


def test_a_browser_that_makes_no_worker_plays_the_same_games(page: Any, browser: Watched, file: Path):
    with_worker = page.evaluate(RESULT)
    with browser.another(1280, 900, NO_WORKER) as other:
        settle(other.open(file, FEW))
        assert other.page.evaluate(RESULT) == with_worker


def test_a_browser_without_webassembly_says_so_in_one_line(browser: Watched, file: Path):
    with browser.another(1280, 900, NO_WASM) as other:
        page = other.open(file)
        page.wait_for_function("() => document.getElementById('trouble')?.textContent")
        assert page.inner_text("#trouble").startswith("This browser has no WebAssembly, which plays the games")


def test_one_game_is_shown_drop_by_drop_as_it_was_counted(page: Any):
    choose(page, tab="whole", whole={"side": "a", "game": 17, "drop": 0}, seed="5")
    game = page.evaluate("towerSim.game()")
    games = sample(Rules(), "amerigo", 18, 5)
    colour = np.repeat(np.arange(7), 7)
    for name, expected in (("thrown", games.each_colour("thrown")[17]), ("out", games.each_colour("out")[17])):
        assert [np.bincount(colour[drop], minlength=7).tolist() for drop in game[name]] == expected.tolist()
    inside = [[cube for cube, spot in enumerate(spots) if spot and spot[0] != "tray"] for spots in game["spots"]]
    assert [np.bincount(colour[drop], minlength=7).tolist() for drop in inside] == games.each_colour("inside")[
        17
    ].tolist()
    page.click("#whole-next")
    out = int(games.each_colour("out")[17, 1].sum())
    assert (
        f"Round 1, the blue phase: {games.each_colour('thrown')[17, 1].sum()} cubes are thrown, {out} come"
        in page.inner_text("#whole-words")
    )
    assert page.locator("#tower .cube").count() == 49
    page.click("#whole-play")  # plays by itself, and stops when asked
    page.wait_for_function("() => document.getElementById('whole-drop').value > 1")
    page.click("#whole-play")
    assert page.inner_text("#whole-play") == "Play"


def test_battles_of_two_forces_have_odds(page: Any):
    page.click("#tab-fight")
    page.wait_for_function("() => towerSim.battles()?.games === 10000")
    odds = page.evaluate("towerSim.battles()")
    assert sum(odds["wins"]) == 10000
    assert "Purple wins" in page.inner_text("#fight-lead p >> nth=0")
    bars = "#fight-histogram [fill^='#']"
    fills = f'() => [...new Set([...document.querySelectorAll("{bars}")].map((bar) => bar.getAttribute("fill")))]'
    paint = {each.name: each.rgb for each in paints(["purple", "green", "black"])}
    assert page.evaluate(fills) == [paint["green"], paint["purple"]]  # the hatching's ground, the bars
    titles = {figure.title.removesuffix(" (active)") for figure in registry.get("game", "dead_reckoning").figures}
    assert {*page.locator("#fight-table tbody th").all_inner_texts()} <= titles
    choose(page, fight={"ship": "dead_reckoning", "kind": "merchant", "cubes": [0, 8], "damage": [0, 0]})
    page.wait_for_function("() => { const b = towerSim.battles(); return b.games === 10000 && b.wins[0] < 2000; }")
    assert "Black" in page.inner_text("#fight-table")
    assert page.evaluate(fills) == [paint["black"], paint["purple"]]
    assert page.evaluate("towerSim.battles().sides[1].coins.sum") == 0  # the merchant does not plunder
    page.locator("#fight-controls input[type=range]").nth(1).fill("0")  # of black: nobody would have a cube
    assert page.inner_text("#fight-note") == "A battle has one cube or more."
    assert page.evaluate("towerSim.state().fight.cubes") == [0, 8]


# Keys alone


def test_keys_alone_do(page: Any):
    def press(target: Any, *keys: str) -> None:
        (page.locator(target) if isinstance(target, str) else target).focus()
        for key in keys:
            page.keyboard.press(key)

    reached: list[str] = []
    while "series" not in reached and len(reached) < 40:
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "() => document.activeElement.id || document.activeElement.getAttribute('aria-label') || "
                "document.activeElement.textContent"
            )
        )
    assert {"share", "about-open", "theme", "tab-rules", "series", "compare"} <= {*reached}
    press("#compare", "Space")
    page.wait_for_function("() => towerSim.state().b !== null")
    before = page.evaluate("towerSim.state().b.cubes")
    press(page.get_by_label("Cubes of every colour"), "ArrowRight")
    settle(page)
    after = page.evaluate("towerSim.state()")
    assert after["b"]["cubes"] == [count + 1 for count in before]
    assert after["a"]["cubes"] == before
    press(page.get_by_text("Order of the colours", exact=True), "Enter", "Tab")
    for _ in range(3):  # that moves the first colour later, thrice: the focus stays on it
        press(page.get_by_role("button", name="Move blue later"), "Enter")
    assert page.evaluate("towerSim.state().b.phases") == [1, 2, 3, 0, 4, 5, 6]
    settle(page)
    press("#tab-rules", "ArrowRight")
    assert page.evaluate("[towerSim.state().tab, document.activeElement.id]") == ["whole", "tab-whole"]
    press("#whole-drop", "ArrowRight")
    assert page.evaluate("towerSim.state().whole.drop") == 1
    press("#about-open", "Enter")
    assert page.locator("#about").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#about").is_visible()
    press("#theme", "Enter")
    assert page.evaluate("document.documentElement.style.colorScheme") == "dark"
    page.keyboard.press("Enter")


def test_colours_are_put_in_order_by_dragging(page: Any):
    page.get_by_text("Order of the colours", exact=True).click()
    first, last = page.locator(".order .grip").first.bounding_box(), page.locator(".order .grip").last.bounding_box()
    page.mouse.move(first["x"] + 5, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(first["x"] + 5, (first["y"] + last["y"]) / 2, steps=5)
    page.mouse.move(last["x"] + 5, last["y"] + 25, steps=5)
    page.mouse.up()
    assert page.evaluate("towerSim.state().a.phases") == [1, 2, 3, 4, 5, 6, 0]
    settle(page)


# What leaves the page, and what comes in by the address


def test_a_link_opens_what_was_chosen(page: Any, browser: Watched, file: Path):
    fight = {"ship": "dead_reckoning", "kind": "building", "cubes": [9, 7], "damage": [2, 0]}
    whole = {"side": "b", "game": 5, "drop": 3}
    name = f"{EVIL} & Ñ = % + #"
    choose(page, b=ODD | {"name": name[:60]}, series="gold", seed="12", games=2000, whole=whole, fight=fight)
    state = page.evaluate("towerSim.state()")
    link = page.evaluate("towerSim.link()")
    page.goto("about:blank")
    again = browser.open(file, link)
    settle(again)
    assert again.evaluate("towerSim.state()") == state | {"edit": "a"}
    assert again.inner_text("#trouble") == ""
    again.click("#share")
    assert again.input_value("#share-link") == link
    again.evaluate("towerSim.choose({ a: { ...towerSim.state().a, rounds: 2 } })")
    for wrong in ("", "file:///home/somebody/lab.html", "#lab=1&a.rounds=99"):
        again.fill("#share-given", wrong)
        again.keyboard.press("Enter")
        assert again.inner_text("#share-message").startswith("The link cannot be read: ")
        assert again.evaluate("towerSim.state().a.rounds") == 2
    again.fill("#share-given", f"https://example.org/labs/mine.html{link}")
    again.keyboard.press("Enter")
    assert again.evaluate("towerSim.state()") == state | {"edit": "a"}
    assert not again.locator("#share-dialog").is_visible()
    settle(again)


def test_the_page_is_saved_with_what_is_chosen(page: Any, browser: Watched, tmp_path: Path):
    choose(page, a=ODD | {"name": f"{EVIL} & Ñ"[:60]}, b=ODD, seed="12", games=2000, tab="fight")
    state = page.evaluate("towerSim.state()")
    page.click("#share")
    saved(page, "#share-page").save_as(tmp_path / "saved.html")
    again = browser.open(tmp_path / "saved.html")
    settle(again)
    assert again.evaluate("towerSim.state()") == state
    again.click("#share")  # a page that was saved can be saved again, as it was or changed
    assert Path(saved(again, "#share-page").path()).read_bytes() == (tmp_path / "saved.html").read_bytes()
    assert again.evaluate("window.hit") is None


def test_what_was_chosen_comes_back_step_by_step(page: Any):
    assert page.locator("#undo").is_disabled()
    usual = page.evaluate("towerSim.state()")
    page.check("#compare")
    slider = page.get_by_label("Rounds")
    slider.focus()
    for _ in range(3):  # as fast as a slider is dragged: one step
        page.keyboard.press("ArrowRight")
    page.click("#tab-fight")
    page.get_by_label("Cubes of Green").fill("9")
    assert page.evaluate("towerSim.state().b.rounds") == usual["a"]["rounds"] + 3
    page.click("#undo")
    assert page.evaluate("towerSim.state().fight") == usual["fight"]
    assert page.get_by_label("Cubes of Green").input_value() == "4"
    page.click("#undo")  # it goes to where that was chosen
    assert page.evaluate("[towerSim.state().tab, towerSim.state().b.rounds]") == ["rules", usual["a"]["rounds"]]
    assert slider.input_value() == str(usual["a"]["rounds"])
    slider.focus()
    page.keyboard.press("Control+z")
    assert page.evaluate("towerSim.state()") == usual
    assert page.locator("#undo").is_disabled()
    assert page.evaluate("document.activeElement.getAttribute('type')") == "range"  # the focus stays where it was
    for _ in range(3):
        page.click("#redo")
    found = page.evaluate("towerSim.state()")
    assert (found["b"]["rounds"], found["fight"]["cubes"], found["tab"]) == (usual["a"]["rounds"] + 3, [6, 9], "fight")
    assert page.locator("#redo").is_disabled()
    settle(page)


def test_choose_moves_the_controls_of_every_tab_and_refuses_nonsense(page: Any):
    fight = {"ship": "dead_reckoning", "kind": "merchant", "cubes": [3, 8], "damage": [1, 0]}
    for tab in ("fight", "rules"):  # tabs that were looked at before show what is new too
        page.click(f"#tab-{tab}")
    choose(page, a=ODD, b=None, seed="12", fight=fight)
    assert page.get_by_label("Cubes for one gold, with the token").input_value() == "1"
    assert page.input_value("#seed") == "12"
    page.click("#tab-fight")
    assert page.get_by_label("Cubes of Black").input_value() == "8"
    page.wait_for_function("() => towerSim.battles()?.sides[1].coins.sum === 0")  # a merchant's
    before = page.evaluate("towerSim.state()")
    for nonsense in ({"seed": "x"}, {"a": ODD | {"rounds": 99}}, {"games": 7}, {"tab": "nowhere"}):
        with pytest.raises(Exception, match="allowed is"):
            page.evaluate("part => towerSim.choose(part)", nonsense)
    assert page.evaluate("towerSim.state()") == before


GARBAGE = [
    "#x", "#lab=2", "#lab=1&a.cubes=7", "#lab=1&a.cubes=0.0.0.0.0.0.0", "#lab=1&a.cubes=7.7.7.7.7.7.999",
    "#lab=1&a.phases=0.0.0.0.0.0.0", "#lab=1&a.tower=nowhere", "#lab=1&a.rounds=-1", "#lab=1&seed=1e9",
    "#lab=1&games=7",
    "#lab=1&whole=b.0.0", "#lab=1&fight=brawl", "#lab=1&fight=building&forces=3.3",
    "#lab=1&ship=dead_reckoning&forces=0.0", "#lab=1&tab=others",
    "#lab=1&tab=__proto__", "#lab=1&a.tower=constructor", "#%E0%A4%A", f"#lab=1&tab={EVIL}", "#lab=1&seed=" + "9" * 500,
    "#lab=1&a.name=" + "x" * 10**6,
]  # fmt: skip


WRITE = "hash => { location.hash = hash; }"
OVERWRITE = "hash => { location.hash = hash; history.replaceState(null, '', towerSim.link()); }"


@pytest.mark.parametrize(("write", "garbage"), [(WRITE, GARBAGE), (OVERWRITE, ["#lab=1&a.cubes=7"])])
def test_garbage_in_the_address_gives_one_clear_line(page: Any, write: str, garbage: list[str]):
    """Also where the page writes over the address at once, before it is followed."""
    usual = page.evaluate("towerSim.state()")
    for hash_ in garbage:
        page.evaluate(WRITE, FEW)
        page.wait_for_function("() => document.getElementById('trouble').textContent === ''")
        page.evaluate(write, hash_)
        page.wait_for_function("() => document.getElementById('trouble').textContent !== ''")
        line = page.inner_text("#trouble")
        assert "cannot be read" in line, hash_
        assert "\n" not in line
        assert len(line) < 400
        assert page.evaluate("towerSim.state()") == usual, hash_
        assert line.endswith("What was chosen stays.")
    page.evaluate(write, "#lab=1&a.rounds=3&games=2000")
    page.wait_for_function("() => towerSim.state().a.rounds === 3")
    assert page.inner_text("#trouble") == ""
    settle(page)


def test_a_page_that_is_opened_with_garbage_shows_the_usual_rules(page: Any, browser: Watched, file: Path):
    usual = page.evaluate("towerSim.state()")
    page.goto("about:blank")
    again = browser.open(file, "#lab=1&games=2000&a.cubes=%00")
    settle(again)
    line = again.inner_text("#trouble")
    assert line.startswith("The address cannot be read: a.cubes is")
    assert line.endswith("The page shows the usual rules.")
    assert again.evaluate("towerSim.state()") == usual | {"games": 20000}


@pytest.mark.parametrize("name", ["Ten each", EVIL[:60], 'a "quoted" \\ name', "  Ünïcode 🎲  ", ""])
def test_the_rules_file_is_read_by_compare_and_by_play(page: Any, name: str, tmp_path: Path, capsys: Any):
    choose(page, a=ODD | {"name": name})
    download, file = saved(page, "#save-toml-a"), tmp_path / "variant.toml"
    download.save_as(file)
    assert Path(download.suggested_filename).suffix == ".toml"
    assert "/" not in download.suggested_filename
    variant = read_variant(file)
    assert variant.rules == ODD_RULES.but(name=name.strip() or "house rules")
    assert variant.apparatus.name == "amerigo-club"
    assert cli.main(["play", "amerigo", "--rules", str(file), "--model", "surrogate", "--seed", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["apparatus"] == "amerigo-club"


def test_the_rules_file_of_ones_own_tower_names_its_file(page: Any, file: Path):
    choose(page, a=page.evaluate("towerSim.state().a") | {"tower": HOSTILE})
    text = page.evaluate("towerSim.toml('a')")
    (file.parent / "own.toml").write_text(text, "utf-8")
    assert read_variant(file.parent / "own.toml").apparatus.digest == load("amerigo").digest


def test_the_figures_are_saved_as_csv(page: Any):
    choose(page, b=ODD | {"name": '=HYPERLINK("x"), B'})
    rows = list(csv.reader(io.StringIO(Path(saved(page, "#save-csv").path()).read_text("utf-8"))))
    assert len({len(row) for row in rows}) == 1
    head = rows[0]
    assert head[4:6] == ["a: A", 'b: =HYPERLINK("x"), B']
    mean = next(row for row in rows if row[:2] == ["mean over games", "actions"])
    row = next(row for row in page.evaluate("towerSim.result().rows") if row["key"] == "actions")
    assert float(mean[4]) == row["a"]["mean"]
    assert float(mean[6]) == row["difference"]["mean"]
    phases = [row for row in rows if row[:2] == ["phases", "gold"]]
    assert sum(int(row[4]) for row in phases) == 2000 * 35
    assert not any(cell[:1] in "=+@" for row in rows for cell in row if cell)


@each_case(
    ("address", "begins", "needs"),
    [
        ("", "#lab=1&", "Send this text. Your friend needs a copy of this page, presses Share there"),
        ("http://localhost:8000/lab.html", "#lab=1&", "Send this text. Your friend needs a copy of this page"),
        ("http://towers.example/lab.html", "http://towers.example/lab.html#lab=1&", "Send this link. Your friend"),
    ],
)
def test_a_friend_can_open_what_is_sent_and_learns_no_folder(
    browser: Watched, file: Path, address: str, begins: str, needs: str
):
    with browser.another(1280, 900, offline=False) as other:
        page = other.page
        page.route("**/lab.html", lambda route: route.fulfill(path=file, content_type="text/html"))
        page.goto((address or file.resolve().as_uri()) + FEW)
        settle(page)
        page.click("#share")
        assert page.input_value("#share-link").startswith(begins)
        assert page.inner_text("#share-needs").startswith(needs)


# Anybody, anywhere


def test_nobodys_name_runs_anything(page: Any, file: Path):
    text = file.read_text("utf-8")
    assert HOSTILE not in text
    assert "'unsafe" not in text.split("<title>")[0]
    assert len(text) < 1_000_000
    assert text.count("<script") == 3  # its data, the compiled games, its script
    evil = page.evaluate("towerSim.state().a") | {"name": EVIL[:60], "tower": HOSTILE}
    choose(page, a=evil, b=evil | {"name": HOSTILE, "rounds": 4}, edit="b")
    assert HOSTILE in page.inner_text("#legend")
    assert HOSTILE in page.inner_text("#model-short")
    for tab in TABS:
        page.click(f"#tab-{tab}")
    assert page.locator("main img").count() == 0
    assert page.evaluate("window.hit") is None


def test_axe_finds_nothing_in_light_and_dark_and_every_axis_has_a_name(page: Any):
    choose(page, b=ODD)
    for _ in range(2):
        for tab in TABS:
            page.click(f"#tab-{tab}")
            page.wait_for_timeout(150)
            assert axe_violations(page) == [], tab
            for chart in page.locator(f"#panel-{tab} .chart svg").all():
                assert all(name.strip() for name in chart.locator(".axis-name").all_text_contents())
                assert chart.locator(".axis-name").count() == 2
        page.click("#share")
        assert axe_violations(page) == [], "share"
        page.keyboard.press("Escape")
        page.click("#theme")


def test_a_telephone_never_scrolls_sideways(browser: Watched, file: Path):
    with browser.another(360, 740, **PHONE) as phone:
        page = phone.open(file, FEW)
        settle(page)
        choose(page, b=ODD | {"name": "W" * 60}, games=2000, a=page.evaluate("towerSim.state().a") | {"tower": HOSTILE})
        for tab in TABS:
            page.tap(f"#tab-{tab}")
            page.wait_for_timeout(300)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab
        phone.check()


SEEN = """([slider, sentence, at, block]) => {
  const control = document.querySelectorAll(slider)[at];
  control.scrollIntoView({ block });
  return [control, ...document.querySelectorAll(sentence)].map((element) => {
    const { left, top, bottom, width, height } = element.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    return top > -1 && bottom < innerHeight + 1 && element.contains(over);
  });
}"""
SLIDERS = {
    "rules": ("#panel-rules input[type=range]", "#rules-lead p, #rules-seen svg", 11),
    "whole": ("#whole-drop", "#whole-words", 1),
    "fight": ("#panel-fight input[type=range]", "#fight-lead p, #fight-seen svg", 4),
}


@each_case("screen", [(1280, 800), (390, 844), (844, 390), (390, 450)])  # the last: a keyboard takes the lower half
def test_any_slider_is_seen_with_the_sentences_that_it_changes(browser: Watched, file: Path, screen: tuple[int, int]):
    with browser.another(*screen) as other:
        page = other.open(file, FEW)
        settle(page)
        choose(page, b=page.evaluate("towerSim.state().a") | {"name": "B", "cubes": [8] * 7})
        for tab, (slider, sentence, count) in SLIDERS.items():
            page.click(f"#tab-{tab}")
            if tab == "fight":
                page.wait_for_function("() => towerSim.battles()?.games === 10000")
            page.evaluate(
                "tab => document.querySelectorAll(`#panel-${tab} details`).forEach((f) => (f.open = true))", tab
            )
            assert page.locator(slider).count() == count
            for at, block in product(range(count), ("start", "end", "center")):
                seen = page.evaluate(SEEN, [slider, sentence, at, block])
                if screen in ((1280, 800), (390, 450)):
                    seen = seen[:2]  # the slider and the first sentence; the chart is hidden, or there is a large one
                assert all(seen), (tab, at, block)


def test_rules_of_a_file_open_beside_the_published_ones(browser: Watched, tmp_path: Path):
    (tmp_path / "house.toml").write_text("cubes = 9\nrounds = 4\ngold_divisor = 2\n", "utf-8")
    (tmp_path / "lab.html").write_text(lab_page(rules=tmp_path / "house.toml"), "utf-8")
    page = browser.open(tmp_path / "lab.html")
    settle(page)
    now = page.evaluate("towerSim.state()")
    assert (now["b"]["name"], now["b"]["cubes"], now["b"]["rounds"], now["b"]["gold"]) == ("house", [9] * 7, 4, 2)
    assert now["a"]["cubes"] == [7] * 7
    page.evaluate("location.hash = '#lab=1&games=2000'")  # a link says all: it has no B
    page.wait_for_function("() => towerSim.state().b === null")
    browser.check()


def wish(page: Any, relation: str, number: str, key: str) -> list[str]:
    """Wish for something with the form, and return the lines of the answer."""
    page.select_option("#wish-relation", relation)
    page.fill("#wish-number", number)
    page.select_option("#wish-key", key)
    page.click("#wish-find")
    page.wait_for_function("() => towerSim.found() && !document.getElementById('wish-find').disabled")
    return page.inner_text("#wish-told").split("\n\n")


def test_on_a_phone_a_wish_becomes_a_link_with_rules_that_meet_it(browser: Watched, file: Path):
    """From three actions to the link by what stands on the page; its numbers are those of games in Python."""
    browser.page.set_viewport_size({"width": 390, "height": 844})
    page = browser.open(file, FEW)
    settle(page)
    assert page.locator("#wish-find").bounding_box()["y"] < 844  # seen without scrolling
    page.get_by_role("spinbutton", name="Number").fill("3")
    page.get_by_role("button", name="Find me rules").click()
    page.wait_for_function("() => towerSim.found()")
    first, also, *_ = page.inner_text("#wish-told").split("\n\n")
    assert first.startswith("The wish is met by ")
    assert " in 5,000 games played afresh." in first
    assert also.startswith("It also changes ")
    page.get_by_role("button", name="Share them").click()
    link = page.input_value("#share-link")
    now = page.evaluate("towerSim.state().b")
    assert f"&b.cubes={'.'.join(map(str, now['cubes']))}" in link
    rules = Rules(cubes=dict(zip(COLOURS, now["cubes"], strict=True)), rounds=now["rounds"])
    model = model_of("amerigo")
    fresh = table(sample_games(model, rules, 5000, 7, first=1 << 26), FIGURES)[:, KEYS.index("actions")]
    mean, half = fresh.mean(), 1.96044 * fresh.std(ddof=1) / np.sqrt(5000)
    assert f"actions to choose from {mean:.3f} ({mean - half:.3f} to {mean + half:.3f})" in first
    assert mean - half >= 2.85
    assert mean + half <= 3.15
    page = browser.open(file, link[link.index("#") :])
    settle(page)
    assert page.evaluate("towerSim.state().b.cubes") == now["cubes"]
    browser.check()
    page.set_viewport_size({"width": 1280, "height": 900})


def test_rules_changed_during_a_search_stay_and_a_wish_without_a_number_says_so(page: Any):
    page.fill("#wish-number", "")
    page.click("#wish-find")
    assert page.inner_text("#wish-told") == "The wish has no number; allowed is a number from 0 to 1000; write one."
    page.fill("#wish-number", "3")
    page.click("#wish-find")
    page.evaluate("towerSim.choose({ b: { ...towerSim.state().a, name: 'mine', rounds: 3 } })")
    page.wait_for_function("() => towerSim.found()")
    mine = page.evaluate("towerSim.state().b")
    assert (mine["name"], mine["rounds"]) == ("mine", 3)
    page.click("text=Make B of what was found")
    found = page.evaluate("[towerSim.state().b, towerSim.found().variant]")
    assert found[0] == found[1] | {"name": "Found"}
    page.click("#undo")
    assert page.evaluate("towerSim.state().b") == mine


def test_a_wish_that_nothing_meets_is_told_so_first(page: Any):
    first, also, way, *_ = wish(page, "=", "6", "actions")
    assert first.startswith("The wish is not met; the nearest of ")
    assert also.startswith("It also changes ")
    assert way.startswith("What stands in its way: actions to choose from goes from 1.8 to 3.5 in the ways")
    lines = wish(page, ">", "2.4", "actions")
    assert lines[0].startswith("The wish is met without a change: actions to choose from 2.5")
    assert not any(line.startswith("It also changes ") for line in lines)
    lines = wish(page, "<", "2", "gold")  # of all rules the gold alone moves nothing else
    assert "cubes for one gold instead of 3" in lines[0]
    assert "rounds" not in lines[0]
