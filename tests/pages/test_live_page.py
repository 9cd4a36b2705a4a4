"""The live page in a real browser: thrown by the seed, by hand and by keys, knocked, undone, linked, refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.browser import NO_WASM, NO_WEBGL, PAGES, PHONE, Watched, axe_violations, browsing, wait_for_picture
from support.cases import each_case
from support.web import document_in

from tower_sim import PhysicsModel, cli, load
from tower_sim.drops import redo
from tower_sim.games.amerigo import Rules, action_points, actions_allowed, gold_for_passing
from tower_sim.requests import Throw, outcome
from tower_sim.tools import registry
from tower_sim.values import TowerState
from tower_sim.web import live_page

pytestmark = PAGES


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("live") / "tower.html"
    path.write_text(live_page(["amerigo", "dead_reckoning", "wallenstein"]), "utf-8")
    return path


@pytest.fixture(scope="module")
def desk() -> Iterator[Watched]:
    with browsing(1000, 700, webgl=True, reduced_motion="reduce", color_scheme="light") as watched:
        yield watched


@pytest.fixture(scope="module")
def moving(desk: Watched) -> Iterator[Watched]:
    with desk.another(600, 500) as watched:
        yield watched


def open_page(desk: Watched, file: Path, hash: str = "") -> Any:
    desk.page.goto("about:blank")
    page = desk.open(file, hash)
    page.wait_for_function("() => window.towerSim")
    page.evaluate("document.getElementById('empty-hand').click()")
    return page


def wait_for_rest(page: Any) -> None:
    done = "(async () => { await towerSim.busy; await towerSim.finish(); await towerSim.busy; })()"
    late = "new Promise((_, fail) => setTimeout(() => fail(new Error('it never comes to rest')), 120000))"
    page.evaluate(f"() => Promise.race([{done}, {late}])")
    wait_for_picture(page)


KEYS = ("Enter", "Backspace", "Tab", "Escape", "Shift+1", "Shift+i", *"1112223456789gpnhu ijklacdwst+-0?")


def assert_throws(page: Any) -> None:
    """Throw one cube by keys, and check that it is in the state afterwards."""
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    wait_for_rest(page)
    for _ in range(5):  # a key may be lost while a dialog closes
        page.keyboard.press("Backspace")
        page.keyboard.press("1")
        if page.evaluate("towerSim.held") == [["blue", 1]]:
            break
        page.wait_for_timeout(200)
    before = read_log(page)
    page.keyboard.press("Enter")
    wait_for_rest(page)
    assert read_log(page) == [*before, ("drop", 1)]


def read_state(page: Any) -> TowerState:
    return TowerState.from_token(page.evaluate("towerSim.state"))


def read_log(page: Any) -> list[tuple[str, int]]:
    """Return the kind of each event, and how many cubes were thrown in it."""
    return [(event.kind, len(event.thrown)) for event in read_state(page).log]


def read_counts(page: Any) -> list[int]:
    """What the table says of all colours: in hand, inside, out."""
    wait_for_picture(page)
    return [int(text) for text in page.locator("#counts tfoot td").all_inner_texts()]


def play_along(page: Any, seed: str, throws: int) -> None:
    """Begin the game of the page by a seed, and throw as often."""
    page.click("#along-rules summary")
    page.fill("#along-seed", seed)
    page.click("#along-begin")
    wait_for_rest(page)
    for _ in range(throws):
        page.keyboard.press("Enter")
        wait_for_rest(page)


def token_after(throws: int, apparatus: str, **rules: Any) -> str:
    """Return the state after so many throws of a game of Amerigo by the seed 7, as Python plays it."""
    game = registry.get("game", "amerigo")
    with PhysicsModel(load(apparatus)) as model:
        *_, turn = islice(game.start(model, game.read(rules), 7, None), throws)
    return getattr(turn.state, "tower", turn.state).token()


def test_a_throw_by_its_seed_is_that_of_the_command_line(desk: Watched, file: Path):
    page = open_page(desk, file, "#profile=amerigo&seed=5&throw=blue:7,red:2")
    wait_for_rest(page)
    with PhysicsModel(load("amerigo")) as model:
        landed = outcome(Throw.of(seed=5, cubes={"blue": 7, "red": 2}), model)
    assert page.evaluate("towerSim.state") == landed.state.token()
    assert read_counts(page) == [0, len(landed.inside), len(landed.emerged)]
    desk.check()


def test_the_first_press_throws_seven_and_another_tower_loses_nothing(desk: Watched, file: Path):
    page = desk.open(file)
    page.wait_for_function("() => window.towerSim")
    page.click("#throw")
    wait_for_rest(page)
    state = read_state(page)
    assert read_log(page) == [("drop", 7)]
    assert page.inner_text("#result") == f"{7 - len(state.residents)} out, {len(state.residents)} inside"
    for name, log in (("dead_reckoning", ()), ("amerigo", state.log)):
        page.select_option("#profile", name)
        wait_for_rest(page)
        assert read_state(page).log == log
    page.click("#theme")
    page.reload()
    page.wait_for_function("() => window.towerSim")
    assert page.evaluate("document.documentElement.style.colorScheme") == "dark"
    page.click("#theme")
    desk.check()


def test_a_game_of_amerigo_is_played_along_by_its_rules(desk: Watched, file: Path):
    page, rules = open_page(desk, file), Rules()
    page.get_by_role("button", name="Play a game").click()
    for _ in range(4):
        page.keyboard.press("Enter")
        wait_for_rest(page)
    panel = page.locator("#game-panel").inner_text()
    setup, *phases = read_state(page).log
    colour_of = {cube.id: cube.colour for cube in setup.thrown}
    assert (len(setup.thrown), f"Set-up: {len(setup.emerged)} cubes came out." in panel) == (49, True)
    inside = {cube.id for cube in setup.thrown} - {*setup.emerged}
    for colour, event in zip(rules.colours, phases, strict=False):
        assert {cube.id for cube in event.thrown} == {i for i in colour_of if colour_of[i] == colour} - inside
        inside = (inside | {cube.id for cube in event.thrown}) - {*event.emerged}
        out = Counter(colour_of[number] for number in event.emerged)
        said = next(line for line in panel.splitlines() if line.startswith(f"Round 1, {colour} phase:"))
        if out:
            assert f"{action_points(out)} action point" in said
            assert f"pass for {gold_for_passing(out, rules.gold_divisor)} gold" in said
            assert all(each in said.partition("Choose")[2] for each in actions_allowed(out, rules))
    assert len(phases) == 3
    assert not page.is_visible("#palette")
    page.keyboard.press("1")
    assert page.evaluate("towerSim.held") == []
    page.keyboard.press("KeyU")
    wait_for_rest(page)
    assert f"Round 1 of 5, {rules.colours[2]} phase" in page.inner_text("#along-next")
    desk.check()


@each_case("apparatus", ["amerigo", "wallenstein"])
def test_a_game_played_along_by_a_seed_is_that_of_the_command_line(apparatus: str, desk: Watched, file: Path):
    """The same cubes in every throw, to the last digit; a link of it goes on with it."""
    page = open_page(desk, file)
    page.select_option("#profile", apparatus)
    wait_for_rest(page)
    assert "Other games run in Python: tower-sim play." in page.inner_text("#game-panel")
    play_along(page, "7", 3)
    assert page.evaluate("towerSim.state") == token_after(3, apparatus)
    lines, coming = page.inner_text("#along-list"), page.inner_text("#along-next")
    assert len(page.locator("#along-list > li").all()) == 3
    link = page.evaluate("towerSim.link(false)").partition("#")[2]
    assert "&game=amerigo:7" in link
    page = open_page(desk, file, f"#{link}")
    wait_for_rest(page)
    assert (page.inner_text("#along-list"), page.inner_text("#along-next")) == (lines, coming)
    desk.check()


@each_case("seed", ["5", "8"])
def test_a_battle_is_played_along_to_its_end_as_on_the_command_line(
    seed: str, desk: Watched, file: Path, capsys: pytest.CaptureFixture[str]
):
    assert cli.main(["play", "dead_reckoning", "--set", "cubes={purple=4,green=3}", "--seed", seed, "--json"]) == 0
    turns = json.loads(capsys.readouterr().out)["turns"]
    facts = turns[-1]["facts"]
    page = open_page(desk, file)
    page.select_option("#profile", "dead_reckoning")
    wait_for_rest(page)
    play_along(page, seed, 0)
    for _ in turns:
        assert page.inner_text("#along-next") != "The game is over."
        page.keyboard.press("Enter")
        wait_for_rest(page)
    assert page.inner_text("#along-next") == "The game is over."
    total = page.inner_text("#along-sum")
    for colour, side in (("purple", "active"), ("green", "other")):
        assert f"{colour} has {facts[f'strength_{side}']} strength, {facts[f'coins_{side}']} coin" in total
        assert f"takes {facts[f'damage_taken_{side}']} damage" in total
    assert f"{facts['winner'].capitalize()} wins" in total
    link = page.evaluate("towerSim.link(false)").partition("#")[2]
    page = open_page(desk, file, f"#{link}")
    wait_for_rest(page)
    assert page.inner_text("#along-sum") == total
    page.keyboard.press("KeyU")
    wait_for_rest(page)
    assert page.inner_text("#along-next") != "The game is over." or len(turns) == 1
    desk.check()


def test_what_a_hand_does_by_mouse_and_keys_is_recorded_and_python_does_it_again(desk: Watched, file: Path):
    page = open_page(desk, file)
    for _ in range(3):
        page.click('[data-colour="blue"]')
    page.keyboard.press("Digit3")
    assert read_counts(page) == [4, 0, 0]
    box = page.locator("#scene").bounding_box()
    x, y = page.evaluate("towerSim.handAt")
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 12, box["y"] + y - 30, steps=4)
    page.mouse.up()
    wait_for_rest(page)
    held = read_counts(page)[0]  # a cube stays in the hand where another is in its way when its turn comes
    assert held < 4
    page.keyboard.press("Digit2")
    page.keyboard.press("KeyI")
    page.keyboard.press("p")
    wait_for_rest(page)
    page.keyboard.press("n")
    wait_for_rest(page)
    state = read_state(page)
    assert read_log(page) == [("hand", 4 - held), ("hand", 1), ("knock", 0)]
    with PhysicsModel(load("amerigo")) as model:
        assert redo(model, state) == state
    inside = len(state.residents)
    page.keyboard.press("u")
    wait_for_rest(page)
    assert read_log(page) == [("hand", 4 - held), ("hand", 1)]
    assert page.evaluate("towerSim.link(false)").split("#")[1].startswith("profile=amerigo&state=TOWER3.")
    assert inside <= read_counts(page)[1]
    desk.check()


HEARD = """
window.heard = { bursts: 0 };
const { createBufferSource } = AudioContext.prototype;
AudioContext.prototype.createBufferSource = function () {
  window.heard.bursts += 1;
  window.heard.context = this;
  return createBufferSource.call(this);
};
"""


def test_on_a_telephone_a_finger_drags_the_cubes_a_shake_knocks_and_wood_is_heard(desk: Watched, file: Path):
    with desk.another(390, 844, HEARD, **PHONE) as phone:
        page = open_page(phone, file)
        for _ in range(3):
            page.tap('[data-colour="blue"]')
        finger = page.context.new_cdp_session(page)
        box = page.locator("#scene").bounding_box()
        x, y = (start + at for start, at in zip((box["x"], box["y"]), page.evaluate("towerSim.handAt"), strict=True))
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + 4, "y": y - 8}]),
            ("touchMove", [{"x": x + 8, "y": y - 16}]),
            ("touchEnd", []),
        ):
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        wait_for_rest(page)
        page.tap("#sound")
        page.tap('[data-colour="red"]')
        page.tap("#throw")
        page.wait_for_function("() => window.heard.bursts > 3 && window.heard.context.state === 'running'")
        wait_for_rest(page)
        page.tap("#shake")
        page.wait_for_function("() => document.getElementById('shake').getAttribute('aria-pressed') === 'true'")
        for much in (4, 25):  # m/s2: too little, and a knock of half as much
            page.evaluate(
                "z => window.dispatchEvent(new DeviceMotionEvent('devicemotion', { acceleration: { x: 0, y: 0, z } }))",
                much,
            )
        wait_for_rest(page)
        state = read_state(page)
        assert read_log(page) == [("hand", 3), ("drop", 1), ("knock", 0)]
        assert state.log[2].strength == 1.25  # g, in quarters
        with PhysicsModel(load("amerigo")) as model:
            assert redo(model, state) == state
        phone.check()


def test_who_waits_for_the_end_of_what_is_undone_need_not(desk: Watched, file: Path):
    page = open_page(desk, file, "#profile=amerigo&seed=5&throw=blue:7")
    wait_for_rest(page)
    state = page.evaluate("towerSim.state")
    waited = """async () => {
      document.getElementById("throw").click();
      await towerSim.busy;
      const over = towerSim.finish();
      document.getElementById("undo").click();
      await over;
      await towerSim.busy;
      return towerSim.state;
    }"""
    assert page.evaluate(waited) == state
    desk.check()


@each_case("button, key", [("#throw", "Enter"), ("#knock", "n")])
def test_undo_takes_back_the_last_throw_whether_it_is_computed_plays_or_is_over(
    button: str, key: str, moving: Watched, file: Path
):
    """Tray and link are as before, also where the physics is done and the picture still plays."""
    page = open_page(moving, file, "#profile=amerigo&seed=5&throw=blue:7,red:2")
    wait_for_rest(page)
    document = "() => ({ state: towerSim.state, counts: towerSim.counts(), link: towerSim.link(true) })"
    before = page.evaluate(document)
    assert sum(row["out"] for row in before["counts"].values()) > 0
    assert "throw=blue:7,red:2" in before["link"]
    for wait in (0, 100, 300, 900, 2000):
        page.click(button)
        page.wait_for_timeout(wait)
        page.click("#undo")
        page.evaluate("() => towerSim.busy")
        page.keyboard.press(key)
        page.wait_for_timeout(wait)
        page.keyboard.press("u")
        page.evaluate("() => towerSim.busy")
        wait_for_rest(page)
        assert page.inner_text("#message") == "Undone."
        assert page.evaluate(document) == before, wait
    page.click(button)
    page.keyboard.press("u")
    page.keyboard.press("u")
    wait_for_rest(page)
    assert read_log(page) == []
    assert page.is_disabled("#undo")
    page.click("#throw")  # the same cubes again
    page.click("#start-anew")  # comes after the throw, also where that still plays
    page.keyboard.press("u")
    wait_for_rest(page)
    assert read_log(page) == [("drop", 9)]
    page.click(button)
    page.select_option("#profile", "dead_reckoning")  # a throw that plays is kept, and can be taken back
    page.evaluate("() => towerSim.busy")
    page.select_option("#profile", "amerigo")
    page.evaluate("() => towerSim.busy")
    assert len(read_log(page)) == 2
    page.keyboard.press("u")
    wait_for_rest(page)
    assert read_log(page) == [("drop", 9)]
    moving.check()


def test_only_throws_of_as_many_cubes_stand_beside_the_usual_ones(desk: Watched, file: Path):
    page = open_page(desk, file)
    run = document_in(file, "live")["towers"][0]["long_run"]
    usual, cells = run["throws"]["3"], [[""]]
    for i, cubes in enumerate((7, 3, 2, 3)):  # the first is no set-up, 2 are hardly ever thrown in a game
        for _ in range(cubes):
            page.click("[data-colour=blue]")
        page.click("#throw")
        wait_for_rest(page)
        landed = read_state(page).log[i]
        cells = [row.split("\t") for row in page.inner_text("#long-run tbody").split("\n")]
        assert cells[0] == ["First throw, of 49 cubes: out", "–", f"{run['set_up']['out']:.1f}"]
        if cubes == 2:
            assert cells[1] == ["Later throws, of 2 cubes: out", str(len(landed.emerged)), "–"]
    log = read_state(page).log
    outs = [len(log[i].emerged) for i in (1, 3)]
    insides = [sum(len(event.thrown) - len(event.emerged) for event in log[:i]) for i in (2, 4)]
    for (name, here, often), own, key in zip(cells[1:], (outs, insides), ("out", "inside"), strict=True):
        assert name == {"out": "Later throws, of 3 cubes: out", "inside": "Inside after these"}[key]
        assert here == f"{sum(own) / 2:.1f} (mean of 2)"
        low, high = usual[f"{key}s"]
        assert often == f"{usual[key]:.1f} (9 in 10: {low} to {high})"
        assert low <= usual[key] <= high
    desk.check()


def test_a_link_is_opened_by_another_page_and_a_broken_one_loses_nothing(desk: Watched, file: Path):
    page = open_page(desk, file, "#profile=dead_reckoning&seed=7&throw=purple:4,green:3")
    wait_for_rest(page)
    token, link = page.evaluate("[towerSim.state, towerSim.link(true)]")
    assert "seed=7&throw=purple:4,green:3" in link
    page.click("#share")
    assert page.input_value("#share-link") == link
    assert link.startswith("#profile=")  # no folder of this disk
    assert page.inner_text("#share-needs").startswith("Send this text. Your friend needs a copy of this page,")
    assert axe_violations(page) == []
    again = open_page(desk, file, "#" + link.split("#")[1])
    wait_for_rest(again)
    assert again.evaluate("towerSim.state") == token
    for broken, says in (
        ("#profile=nowhere", "nowhere"),
        (f"#profile=amerigo&state={token}", "amerigo"),
        ("#profile=dead_reckoning&state=TOWER2.abc.def", "is not a tower_sim token"),
        (f"#profile=dead_reckoning&state={token[:-3]}xyz", "is damaged"),
        ("#seed=7", "a seed without a throw"),
        ("#profile=dead_reckoning&seed=7&throw=purple", "such as blue:4,red:2"),
        ("#profile=amerigo&seed=7&throw=blue:300,red:300", "1 to 500 cubes in all"),
        ("#profile=amerigo&game=amerigo:7:foo=3", "foo"),
        ("#what=7", "what"),
        (f"#profile=amerigo&state={token}{'A' * 10**6}", "characters; allowed are up to 250000"),
    ):
        again.evaluate("hash => { location.hash = hash; }", broken)
        again.wait_for_function("says => document.getElementById('trouble').textContent.includes(says)", arg=says)
        assert "\n" not in again.inner_text("#trouble")
        wait_for_rest(again)
        assert again.evaluate("[towerSim.profile, towerSim.state]") == ["dead_reckoning", token]
    desk.check()


def test_a_link_is_followed_though_the_page_is_loaded_again_before(moving: Watched, file: Path):
    page = open_page(moving, file, "#profile=amerigo&seed=7&throw=blue:3")
    page.evaluate("window.isOld = true")  # the throw ends and is kept before the link is followed
    page.evaluate("towerSim.listener = (word) => word === 'state' && location.reload()")
    page.evaluate("location.hash = '#profile=dead_reckoning&seed=7&throw=purple:4,green:3'")
    page.wait_for_function("() => window.towerSim && !window.isOld")
    wait_for_rest(page)
    assert page.evaluate("towerSim.profile") == "dead_reckoning"
    assert len(read_state(page).log) == 1


def test_a_reload_keeps_each_tower_with_its_undo_and_a_game_also_while_cubes_fall(moving: Watched, file: Path):
    page = open_page(moving, file, "#profile=dead_reckoning&seed=7&throw=purple:4,green:3")
    wait_for_rest(page)
    page.click("#knock")
    wait_for_rest(page)
    ship = page.evaluate("towerSim.state")
    page.select_option("#profile", "amerigo")
    wait_for_rest(page)
    page.evaluate("document.querySelector('#game-panel details').open = true")
    page.fill("#along-seed", "7")
    page.click("#along-begin")
    for _ in range(2):
        wait_for_rest(page)
        page.keyboard.press("Enter")
    page.wait_for_function("() => towerSim.moves")
    page.reload()  # in the middle of the second throw
    page.wait_for_function("() => window.towerSim")
    wait_for_rest(page)
    assert page.evaluate("[towerSim.profile, towerSim.state]") == ["amerigo", token_after(2, "amerigo")]
    assert page.inner_text("#along-next").startswith("Round 1 of 5, ")
    page.keyboard.press("u")
    wait_for_rest(page)
    assert page.evaluate("towerSim.state") == token_after(1, "amerigo")
    page.select_option("#profile", "dead_reckoning")
    wait_for_rest(page)
    assert page.evaluate("towerSim.state") == ship  # the link in the address was followed before: it is not again
    page.keyboard.press("u")
    wait_for_rest(page)
    assert [kind for kind, _ in read_log(page)] == ["drop"]
    moving.check()


@each_case(
    "presses", [(*"1111111", "Enter", 200, "1", "p", 40, "Backspace"), ("1", "p", "p", "Backspace"), ("1", "g", " ")]
)
def test_keys_that_empty_the_hand_while_it_pours_leave_a_page_that_plays_on(
    presses: tuple[str | int, ...], moving: Watched, file: Path
):
    page = open_page(moving, file)
    for press in presses:
        if isinstance(press, int):
            page.wait_for_timeout(press)
        else:
            page.keyboard.press(press)
    assert_throws(page)
    moving.check()


def test_after_two_thousand_random_keys_it_still_plays_a_throw(desk: Watched, file: Path):
    page, chance = open_page(desk, file), random.Random(45)
    for _ in range(2000):
        key = chance.choice(KEYS)
        if key == "p" and chance.random() < 0.5:
            page.keyboard.down("p")
        else:
            page.keyboard.press(key)
        if chance.random() < 0.02:
            page.wait_for_timeout(40)
    page.keyboard.up("p")
    page.keyboard.press("Escape")
    wait_for_rest(page)
    if not page.is_visible("#palette"):  # a game was begun
        page.evaluate("document.getElementById('along-begin').click()")
        wait_for_rest(page)
    page.evaluate("document.getElementById('start-anew').click()")  # a tower that is full to the brim lands no throw
    assert_throws(page)
    desk.check()


def test_enter_presses_a_button_reached_by_keys_and_throws_after_a_click(desk: Watched, file: Path):
    page = open_page(desk, file)
    page.click('[data-colour="blue"]')
    page.focus("#cut")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.focus('[data-colour="blue"]')
    page.keyboard.press("Enter")
    assert page.evaluate("towerSim.held") == [["blue", 2]]
    page.focus("#help-open")
    page.keyboard.press("Enter")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    wait_for_rest(page)
    assert read_log(page) == []
    page.click('[data-colour="blue"]')
    page.keyboard.press("Enter")
    wait_for_rest(page)
    assert read_log(page) == [("drop", 3)]
    desk.check()


def test_without_webassembly_it_says_so_in_one_line(desk: Watched, file: Path):
    with desk.another(1000, 700, NO_WASM) as other:
        page = other.open(file)
        page.wait_for_function("() => document.getElementById('trouble').textContent")
        assert "no WebAssembly or no workers" in page.inner_text("#trouble")


def test_without_webgl_it_says_so_and_plays_on(desk: Watched, file: Path):
    with desk.another(1000, 700, NO_WEBGL) as other:
        page = other.open(file)
        page.wait_for_function("() => window.towerSim")
        for _ in range(2):
            assert "has no WebGL 2" in page.inner_text("#no-picture")
            page.click("#throw")
            wait_for_rest(page)
        assert read_log(page) == [("drop", 7), ("drop", 7)]


def test_help_opens_at_its_top(desk: Watched, file: Path):
    page = open_page(desk, file)
    page.set_viewport_size({"width": 1000, "height": 300})
    for _ in range(2):
        page.keyboard.press("?")
        assert page.evaluate("document.getElementById('help').scrollTop") == 0
        page.evaluate("document.getElementById('help').scrollTop = 1000")
        assert page.evaluate("document.getElementById('help').scrollTop") > 0
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1000, "height": 700})
    desk.check()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_nothing_is_wider_than_a_telephone(desk: Watched, file: Path, scheme: str):
    desk.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page = open_page(desk, file, "#profile=amerigo&seed=5&throw=blue:7")
    wait_for_rest(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe_violations(page) == []
    page.set_viewport_size({"width": 1000, "height": 700})
    desk.check()


def test_a_game_by_house_rules_is_that_of_the_command_line(desk: Watched, tmp_path: Path):
    """Nine cubes of each colour; its link names the rules, and a page without them refuses it."""
    (tmp_path / "house.toml").write_text("cubes = 9\nrounds = 1\n", "utf-8")
    (tmp_path / "house.html").write_text(live_page(["amerigo"], tmp_path / "house.toml"), "utf-8")
    page = open_page(desk, tmp_path / "house.html")
    assert page.inner_text("#along-game") == "Amerigo by house"
    play_along(page, "7", 2)
    assert page.evaluate("towerSim.state") == token_after(2, "amerigo", rules={"cubes": 9, "rounds": 1})
    link = page.evaluate("towerSim.link(false)").partition("#")[2]
    assert "&game=amerigo-" in link
    desk.check()
