"""The replay page in a real browser: what it computes and shows is what was played, by mouse, touch and keys."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import numpy.typing as npt
import pytest
from support.browser import NO_WASM, NO_WEBGL, PAGES, PHONE, Watched, axe_violations, browsing, saved, wait_for_picture
from support.replays import Replay, battle_replay, tower_replay, turns_of

from tower_sim import cli, load
from tower_sim.web.replay import page_text

pytestmark = PAGES

HOSTILE = '</script><img src=x onerror="window.ran=1"><script>window.ran=2</script>'
WIDTH = 1000
FRAME = 0.01  # s: a window of the physics
COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white")
Open = Callable[..., Any]


def opening(watched: Watched, folder: Path) -> Iterator[Open]:
    """Give what opens a replay and waits until it is whole; nothing may go wrong or leave the page."""

    def open_there(document: Replay) -> Any:
        page = watched.open(write_page(folder, document))
        page.wait_for_function("() => window.towerSim?.isWhole")
        return page

    watched.wrong.clear()
    watched.requests.clear()
    yield open_there
    watched.check()


def write_page(folder: Path, document: Replay) -> Path:
    (folder / "replay.html").write_text(page_text(document), "utf-8")
    return folder / "replay.html"


@pytest.fixture(scope="module")
def desk() -> Iterator[Watched]:
    with browsing(WIDTH, 600, webgl=True, reduced_motion="reduce", color_scheme="light") as watched:
        yield watched


@pytest.fixture
def at_desk(desk: Watched, tmp_path: Path) -> Iterator[Open]:
    desk.page.set_viewport_size({"width": WIDTH, "height": 600})
    desk.page.emulate_media(media="screen", reduced_motion="reduce")
    yield from opening(desk, tmp_path)


@pytest.fixture(scope="module")
def telephone(desk: Watched) -> Iterator[Watched]:
    looks = {"device_scale_factor": 2, "color_scheme": "dark", "reduced_motion": "reduce"}
    with desk.another(360, 600, **PHONE, **looks) as watched:
        yield watched


@pytest.fixture
def in_hand(telephone: Watched, tmp_path: Path) -> Iterator[Open]:
    yield from opening(telephone, tmp_path)


def read_table(page: Any) -> dict[str, list[int]]:
    """Return the table of counts as it stands on the page by colour: in hand, inside, out, and aside if any ever is."""
    rows = page.eval_on_selector_all(
        "#counts tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return {row[0].split()[-1]: [int(cell) for cell in row[1:]] for row in rows}


def seek(page: Any, time: float) -> None:
    """Go to a time (s), and wait until it is shown."""
    page.evaluate("time => towerSim.seek(time)", time)
    wait_for_picture(page)


def picture(page: Any, selector: str = "#scene") -> npt.NDArray[np.float64]:
    """Return what an element shows, finely drawn: shape (height, width, 3)."""
    page.wait_for_timeout(450)  # it is drawn finely once all is still
    return matplotlib.image.imread(io.BytesIO(page.locator(selector).screenshot()))[:, :, :3]


def wood(image: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return where a picture shows wood."""
    return np.abs(image[:, :, 0] - image[:, :, 2]) > 0.12


def middle(page: Any, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_it_opens_with_all_in_the_hand_and_says_in_a_plain_sentence_what_happens(at_desk: Open):
    page = at_desk(tower_replay())
    assert page.inner_text("h1") == page.title() == "Amerigo, tower amerigo, physics, seed 7"
    assert page.inner_text("#sentence") == "Drop 0: 49 cubes thrown, 49 in hand, 0 out, 0 inside."
    assert read_table(page) == {colour: [7, 0, 0, 0] for colour in COLOURS}
    facts = page.inner_text("#about")
    for word in ("amerigo", "physics", "core", "7", "tower_sim 0.1.0"):
        assert word in facts


@pytest.mark.parametrize("make", [tower_replay, battle_replay])
def test_at_the_end_of_each_step_every_cube_is_where_the_game_has_it(at_desk: Open, make: Callable[[], Replay]):
    """Poses to the last bit; the page itself compares its last state with the game's."""
    replay = make()
    page = at_desk(replay)
    begins = [*page.evaluate("towerSim.steps"), page.evaluate("towerSim.duration") + 0.3]
    for turn, end in zip(turns_of(replay), begins[1:], strict=True):
        seek(page, end - 0.85)  # nothing moves for 0.9 s before the next step
        rows = page.evaluate("towerSim.counts()")
        assert {row["name"]: row["inside"] for row in rows} == {
            row["name"]: sum(cube.colour == row["name"] for cube in turn.state.cubes) for row in rows
        }
        for resident in (*turn.state.residents, *turn.state.board.lying):
            assert resident.pose
            pose = page.evaluate("cube => towerSim.pose(cube)", resident.cube.id)
            assert pose == [*resident.pose.position, *resident.pose.orientation]


def test_cubes_in_hand_inside_out_and_aside_are_all_cubes_at_every_moment(at_desk: Open):
    page = at_desk(tower_replay())
    sums = page.evaluate(
        """() => {
          const sums = new Set();
          for (let time = 0; time <= towerSim.duration; time += 0.05) {
            towerSim.seek(time);
            sums.add(towerSim.counts().map((row) => row.hand + row.inside + row.out + row.aside).join(" "));
          }
          return [...sums];
        }"""
    )
    assert sums == ["7 7 7 7 7 7 7"]


def test_a_cube_is_marked_by_a_click_named_followed_and_its_way_is_listed(at_desk: Open):
    replay = tower_replay()
    cube = turns_of(replay)[0].state.residents[-1].cube
    name = f"{cube.colour.capitalize()} cube {cube.id}"
    page = at_desk(replay)
    seek(page, page.evaluate("towerSim.steps[1]") - 0.5)
    page.evaluate("cube => towerSim.mark(cube)", cube.id)
    wait_for_picture(page)
    x, y = middle(page, "#tag")
    page.keyboard.press("Escape")
    wait_for_picture(page)
    assert not page.is_visible("#tag")
    page.mouse.click(x, y)
    wait_for_picture(page)
    assert page.inner_text("#tag-name") == page.inner_text("#cube-name").strip()
    page.evaluate("cube => towerSim.mark(cube)", cube.id)
    assert page.inner_text("#cube-name").strip() == name
    way = page.eval_on_selector_all("#cube-way li", "all => all.map(each => each.innerText.trim())")
    assert way[0].startswith("Drop 0 thrown in, stays inside: ")
    page.click("#follow")
    wait_for_picture(page)
    assert middle(page, "#tag") == pytest.approx(middle(page, "#scene"), abs=2)
    page.click("#cube-way li:nth-child(1) button")
    assert page.evaluate("towerSim.time") == 0
    page.keyboard.press("m")
    wait_for_picture(page)
    assert page.inner_text("#tag-name") != name


def test_the_shape_and_what_is_thrown_fill_the_picture(at_desk: Open, desk: Watched):
    page = at_desk(tower_replay())
    for width, height in ((1000, 600), (390, 844)):
        desk.page.set_viewport_size({"width": width, "height": height})
        seek(page, 100)
        seen = wood(picture(page))
        spans = [np.ptp(np.flatnonzero(seen.any(axis=axis))) / seen.shape[1 - axis] for axis in (0, 1)]
        assert max(spans) > 0.75, "and there is room for the hand above"


def test_on_paper_the_tower_and_all_drops_are_there(at_desk: Open):
    page = at_desk(tower_replay())
    page.click("#theme")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.wait_for_function("() => document.getElementById('paper').complete")
    assert wood(picture(page, "#paper")).mean() > 0.05
    assert page.eval_on_selector("#steps", "steps => steps.scrollHeight - steps.clientHeight") == 0
    assert page.is_visible("#steps li:last-child")
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.is_visible("#paper")


def test_a_picture_is_saved_with_the_tower_on_it(at_desk: Open):
    page = at_desk(tower_replay() | {"title": "Two drops: A/B"})
    download = saved(page, "#save")
    assert download.suggested_filename == "Two_drops_A_B_0.00s.png", "it is of the moment"
    assert wood(matplotlib.image.imread(download.path())).mean() > 0.05


def test_play_is_on_the_screen_of_a_telephone_on_its_side_and_at_twice_the_size(at_desk: Open, desk: Watched):
    page = at_desk(tower_replay())
    for width, height in ((844, 390), (640, 400), (640, 360), (932, 430), (390, 844)):
        desk.page.set_viewport_size({"width": width, "height": height})
        wait_for_picture(page)
        box = page.locator("#play").bounding_box()
        assert box["y"] + box["height"] <= height
        assert box["x"] + box["width"] <= width
        assert page.locator("#scene").bounding_box()["height"] > 0.5 * height - 20
        edge = page.locator(".view").bounding_box()
        for what in ("#cut", "#clock", "#save"):
            one = page.locator(what).bounding_box()
            assert one["x"] + one["width"] <= edge["x"] + edge["width"], (what, width, height)
        assert page.evaluate("document.scrollingElement.scrollWidth") == width


def test_keys_alone_do_everything(at_desk: Open):
    page = at_desk(tower_replay())

    def after(*keys: str) -> float:
        for key in keys:
            page.keyboard.press(key)
        return page.evaluate("towerSim.time")

    for is_playing in (True, False):
        after("Space")
        assert page.evaluate("towerSim.playing") == is_playing
    events = sorted({round(event["time"], 9) for event in page.evaluate("towerSim.events")})
    assert after("Home", "n") == pytest.approx(events[1])
    wait_for_picture(page)
    assert "cube" in page.inner_text("#message")
    assert after("n", "p") == pytest.approx(events[1])
    assert after(".", ".", ",") == pytest.approx(events[1] + FRAME)
    assert after("]") == page.evaluate("towerSim.steps[1]")
    assert after("[") == 0
    assert after("ArrowRight") == pytest.approx(0.25)
    after(">", "c")
    wait_for_picture(page)
    assert (page.input_value("#speed"), page.input_value("#cut")) == ("1", "side")
    before = page.evaluate("towerSim.view")
    after("+", "d", "w")
    view = page.evaluate("towerSim.view")
    assert view["zoom"] > before["zoom"]
    assert view["turn"] != before["turn"]
    assert view["rise"] > before["rise"]
    after("0")
    assert page.evaluate("towerSim.view") == before
    for key, is_open in (("?", True), ("Escape", False)):
        after(key)
        assert page.is_visible("#help") == is_open


def test_the_heading_and_the_line_under_the_controls_tell_one_moment(at_desk: Open):
    page = at_desk(tower_replay())
    page.click("#step-on")
    wait_for_picture(page)
    assert page.inner_text("#message") == page.inner_text("#sentence")
    page.evaluate("towerSim.seek(towerSim.steps[3])")
    wait_for_picture(page)
    assert page.inner_text("#sentence").startswith("Drop 3: ")
    assert page.inner_text("#message").startswith("Drag the picture to turn it.")
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    wait_for_picture(page)
    assert page.inner_text("#message").endswith(" is marked.")  # which is of no moment


def test_every_control_is_reached_by_the_tab_key(at_desk: Open):
    page = at_desk(tower_replay())
    wanted = page.eval_on_selector_all(
        "button, select, input, canvas[tabindex]",
        "all => all.filter(each => each.checkVisibility() && !each.disabled).length",
    )
    reached: set[str] = set()
    for _ in range(wanted):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert len(reached) == wanted


def test_a_step_is_chosen_from_the_list_and_by_its_buttons(at_desk: Open):
    page = at_desk(tower_replay())
    page.click("#step-on")
    for button, step in (("#step-on", 2), ("#steps button:has-text('Drop 1')", 1), ("#step-back", 0)):
        page.click(button)
        wait_for_picture(page)
        assert page.inner_text("#sentence").startswith(f"Drop {step}: ")
        assert page.inner_text("#steps [aria-current=step] strong") == f"Drop {step}"


def test_a_section_cuts_the_shape_open_where_the_slider_says(at_desk: Open):
    page = at_desk(tower_replay())
    seek(page, 100)
    whole = picture(page)
    page.select_option("#cut", "side")
    cut = picture(page)
    page.focus("#depth")
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    deeper = picture(page)
    hatched = (np.abs(cut - np.array([0.36, 0.22, 0.16])).max(axis=2) < 0.03).sum()
    assert hatched > 300
    assert (np.abs(whole - cut).max(axis=2) > 0.1).mean() > 0.02
    assert (np.abs(deeper - cut).max(axis=2) > 0.1).mean() > 0.005


def test_the_theme_is_the_systems_until_the_button_is_pressed(at_desk: Open, desk: Watched):
    page = at_desk(tower_replay())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    dark = page.evaluate(ground)
    assert dark != light
    assert picture(page)[5, 5].mean() < 0.2
    page.keyboard.press("t")
    assert page.evaluate(ground) == light
    assert picture(page)[5, 5].mean() > 0.7


def test_nothing_is_drawn_while_nothing_changes(at_desk: Open):
    page = at_desk(tower_replay())
    page.wait_for_timeout(600)
    before = page.evaluate("towerSim.frames")
    page.wait_for_timeout(400)
    assert page.evaluate("towerSim.frames") == before
    page.keyboard.press("n")
    page.wait_for_function("before => towerSim.frames > before", arg=before)


def test_it_plays_at_once_unless_the_reader_wants_little_motion(at_desk: Open, desk: Watched):
    page = at_desk(tower_replay())
    assert not page.evaluate("towerSim.playing")
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    page.wait_for_function("() => window.towerSim && towerSim.time > 0")


def test_names_run_nothing(at_desk: Open):
    replay: Replay = tower_replay() | {"title": HOSTILE, "summary": f"{HOSTILE}\n\n{HOSTILE}   {HOSTILE}"}
    replay["colours"][0] |= {"name": HOSTILE, "letter": "<b>"}
    replay["steps"][0] |= {"title": HOSTILE, "text": HOSTILE}
    replay["about"] |= {"apparatus": HOSTILE, "seed": HOSTILE}
    page = at_desk(replay)
    seek(page, 0.5)
    page.keyboard.press("n")
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert page.inner_text("h1") == page.title() == HOSTILE
    assert page.eval_on_selector_all("img:not(#paper)", "all => all.length") == 0


def test_zones_light_up_as_cubes_come_to_rest_in_them(at_desk: Open):
    replay = battle_replay()
    page = at_desk(replay)
    assert page.eval_on_selector_all("#zones .lit", "all => all.length") == 0
    seek(page, page.evaluate("towerSim.duration"))
    words = page.eval_on_selector_all("#zones .lit", "all => all.map(each => each.innerText)")
    zones = {lying.region for lying in turns_of(replay)[-1].state.board.lying if lying.region.startswith("zone:")}
    plain = {zone.removeprefix("zone:").replace("_", " ") for zone in zones}
    assert plain == {next(zone for zone in sorted(plain, key=len, reverse=True) if w.startswith(zone)) for w in words}


def test_lines_of_a_log_stand_under_their_heading_and_steps_are_told_in_words(at_desk: Open):
    replay = tower_replay()
    page = at_desk(replay)
    page.click("#lines-panel summary")
    assert page.inner_text("#lines").strip().startswith(replay["heading"].strip())
    assert page.inner_text("#lines .now").strip() == replay["steps"][0]["text"].strip()
    assert page.inner_text("#steps li:nth-child(1)").startswith("Drop 0 49 cubes thrown, ")
    assert page.evaluate("document.scrollingElement.scrollWidth") == WIDTH


def test_a_step_without_a_drop_has_its_moment_too(at_desk: Open):
    replay = battle_replay()
    replay["steps"].append({"title": "Pass", "text": "nobody throws again", "takes": 0})
    page = at_desk(replay)
    seek(page, 100)
    assert page.inner_text("#steps [aria-current=step] strong") == "Pass"
    assert page.inner_text("#sentence").startswith("Pass: nothing moves, ")
    first = battle_replay()
    first["steps"][1:1] = [{"title": "Pass", "text": "nobody throws again", "takes": 0}]  # known with the first take
    assert len(at_desk(first).evaluate("towerSim.steps")) == len(first["steps"])


def test_a_state_that_the_physics_does_not_repeat_is_told_in_one_line(desk: Watched, tmp_path: Path):
    replay = tower_replay()
    replay["parts"][0]["after"] = battle_replay()["parts"][0]["after"]
    page = desk.open(write_page(tmp_path, replay))
    page.wait_for_function("() => document.getElementById('trouble').textContent")
    assert page.inner_text("#trouble").startswith("This replay cannot be shown: ")


def test_without_webassembly_the_tower_is_there_and_one_line_says_why_nothing_moves(desk: Watched, tmp_path: Path):
    with desk.another(WIDTH, 600, NO_WASM) as other:
        page = other.open(write_page(tmp_path, battle_replay()))
        page.wait_for_function("() => document.getElementById('trouble')?.textContent")
        assert "no WebAssembly or no workers" in page.inner_text("#trouble")
        assert page.locator("#scene").is_visible()


def test_without_a_3d_picture_counts_and_steps_work(desk: Watched, tmp_path: Path):
    with desk.another(WIDTH, 600, NO_WEBGL, reduced_motion="reduce") as other:
        page = other.open(write_page(tmp_path, tower_replay()))
        page.wait_for_function("() => window.towerSim?.isWhole")
        assert "WebGL 2" in page.inner_text("#trouble")
        page.keyboard.press("End")
        wait_for_picture(page)
        assert sum(row[2] for row in read_table(page).values()) > 0


@pytest.mark.parametrize("document", [tower_replay(), battle_replay()], ids=["tower", "battle"])
def test_axe_finds_nothing_on_a_desktop_in_either_theme(at_desk: Open, document: Replay):
    document["summary"] = "a table   of figures\n\nand   another"  # as Amerigo's: two landmarks
    page = at_desk(document)
    seek(page, 1.5)
    page.evaluate("towerSim.mark(1)")
    for _ in range(2):
        assert axe_violations(page) == []
        page.click("#theme")
    page.click("#help-open")
    assert axe_violations(page) == []


@pytest.mark.parametrize(
    "document",
    [tower_replay() | {"title": "An apparatus " + "of a very long name" * 6}, battle_replay()],
    ids=["tower", "battle"],
)
def test_nothing_scrolls_sideways_on_360_pixels_and_axe_finds_nothing(in_hand: Open, document: Replay):
    document["summary"] = "a table   of many columns   " * 20
    document["steps"][0]["text"] = "x" * 300
    page = in_hand(document)
    page.select_option("#cut", "side")
    wait_for_picture(page)
    assert page.evaluate("document.scrollingElement.scrollWidth") == 360
    inside = "all => all.filter(each => each.getBoundingClientRect().right > 360.5).map(each => each.id)"
    assert page.eval_on_selector_all("button, select, input, canvas, h1, p", inside) == []
    assert axe_violations(page) == []


def test_one_finger_turns_and_two_zoom(in_hand: Open, telephone: Watched):
    page = in_hand(tower_replay())
    touch = page.context.new_cdp_session(page)
    before = page.evaluate("towerSim.view")

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    fingers("touchStart", (100, 300))
    fingers("touchMove", (160, 300))
    fingers("touchEnd")
    turned = page.evaluate("towerSim.view")
    assert turned["turn"] < before["turn"] - 0.1
    assert turned["zoom"] == before["zoom"]
    fingers("touchStart", (150, 300), (200, 300))
    fingers("touchMove", (110, 300), (240, 300))
    fingers("touchEnd")
    assert page.evaluate("towerSim.view.zoom") > 1.5 * before["zoom"]
    assert page.evaluate("document.scrollingElement.scrollTop") == 0


def test_a_page_is_small_and_equal_replays_give_equal_pages():
    page = page_text(tower_replay())
    assert len(page.encode()) < 400_000
    assert page == page_text(tower_replay())


@pytest.mark.parametrize("seed", ["1", "2"])
def test_cubes_that_came_out_lie_where_they_came_to_rest(desk: Watched, tmp_path: Path, seed: str):
    path = tmp_path / "game.html"
    assert cli.main(["page", "replay", "amerigo", "--set", "rounds=1", "--seed", seed, "-o", str(path)]) == 0
    page = desk.open(path)
    page.wait_for_function("() => window.towerSim?.isWhole")
    edge, begins = load("amerigo").cube_edge, page.evaluate("towerSim.steps")
    out = {
        each["cube"] for each in page.evaluate("towerSim.events") if each["word"] == "out" and each["time"] < begins[1]
    }
    seek(page, begins[1] - 0.5)
    lying = {cube["cube"]: cube["pose"] for cube in page.evaluate("towerSim.shown()") if cube["cube"] in out}
    assert len(lying) == len(out) > 20
    assert max(pose[2] for pose in lying.values()) < 4 * edge
    assert len({tuple(pose[:3]) for pose in lying.values()}) == len(lying)
