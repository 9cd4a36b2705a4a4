"""The replay page in a real browser: what it shows is what the document says, by mouse, touch and keys."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import numpy.typing as npt
import pytest
from support.browser import PAGES, Watched, axe_violations, browsing
from support.replays import battle_replay, tower_replay

from tower_sim import cli, load
from tower_sim.replay.document import Replay
from tower_sim.replay.page import page_of

pytestmark = PAGES

HOSTILE = '</script><img src=x onerror="window.ran=1"><script>window.ran=2</script>'
WIDTH = 1000
Open = Callable[..., Any]


def opener(watched: Watched, folder: Path) -> Open:
    """Return what opens a document in a browser and waits until it is shown."""

    def open_there(document: Replay) -> Any:
        path = folder / "replay.html"
        path.write_text(page_of(document), "utf-8")
        page = watched.open(path)
        page.wait_for_function("() => window.towerSim")
        return page

    return open_there


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with browsing(WIDTH, 600, webgl=True, reduced_motion="reduce", color_scheme="light") as watched:
        yield watched


@pytest.fixture
def at_desk(desk: Watched, tmp_path: Path) -> Iterator[Open]:
    """Opens a page on a desktop; afterwards nothing may have gone wrong or left the page."""
    desk.wrong.clear()
    desk.requests.clear()
    yield opener(desk, tmp_path)
    desk.check()
    desk.page.set_viewport_size({"width": WIDTH, "height": 600})
    desk.page.emulate_media(media="screen", reduced_motion="reduce")


@pytest.fixture(scope="module")
def telephone(desk: Watched) -> Iterator[Watched]:
    context = desk.page.context.browser.new_context(
        viewport={"width": 360, "height": 600},
        has_touch=True,
        is_mobile=True,
        device_scale_factor=2,
        color_scheme="dark",
        reduced_motion="reduce",
        offline=True,
    )
    yield Watched(context.new_page())
    context.close()


@pytest.fixture
def in_hand(telephone: Watched, tmp_path: Path) -> Iterator[Open]:
    """Opens a page on a telephone; afterwards nothing may have gone wrong or left the page."""
    telephone.wrong.clear()
    telephone.requests.clear()
    yield opener(telephone, tmp_path)
    telephone.check()


def table_of(page: Any) -> dict[str, list[int]]:
    """Return the table of counts as it stands on the page by colour: in hand, inside, out, and aside if any ever is."""
    rows = page.eval_on_selector_all(
        "#counts tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return {row[0].split()[-1]: [int(cell) for cell in row[1:]] for row in rows}


def seek(page: Any, time: float) -> None:
    """Go to a time (s), and wait until it is shown."""
    page.evaluate("time => towerSim.seek(time)", time)
    shown(page)


def shown(page: Any) -> None:
    """Wait for the next two pictures of the browser, so that what was asked for is there."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def expected(document: Replay, step: int, frame: float) -> dict[str, list[int]]:
    """Count by hand what is in the hand, inside, out and aside at a frame of a step of one take."""
    header = document.header
    (take,) = header["steps"][step]["takes"]
    colour = dict(header["cubes"])
    names = [each["name"] for each in header["colours"]]
    where = dict.fromkeys(take["thrown"], 0) | {cube: 1 for cube, _, _ in take["start"]}
    for cube, first, length, offset in take["tracks"]:
        lower = np.flatnonzero(decoded(document, offset, length)[:, 2] < header["apparatus"]["rim"])
        if cube in take["thrown"] and frame >= first + lower[0]:
            where[cube] = 1
    where |= {cube: 2 for at, word, cube, *_ in take["events"] if at <= frame and word == "out"}
    where |= {cube: 3 for cube, _ in header["cubes"] if cube not in where}
    columns = 4 if any(len(each["rest"]) < len(colour) for step in header["steps"] for each in step["takes"]) else 3
    counts = {name: [0] * columns for name in names}
    for cube, k in where.items():
        counts[names[colour[cube]]][k] += 1
    return counts


def decoded(document: Replay, offset: int, length: int) -> npt.NDArray[np.float64]:
    """Return a track's positions (m), shape (length, 3), by the format's own words."""
    motion = np.frombuffer(document.data, "<i2", offset=56 * document.header["exact"])
    columns = motion[offset : offset + 7 * length].reshape(7, length)
    return np.cumsum(columns, axis=1, dtype=np.int16)[:3].T * document.header["unit"]


def picture(page: Any) -> npt.NDArray[np.float64]:
    """Return what the canvas shows, finely drawn: shape (height, width, 3)."""
    page.wait_for_timeout(450)  # it is drawn finely once all is still
    return matplotlib.image.imread(io.BytesIO(page.locator("#scene").screenshot()))[:, :, :3]


def test_it_opens_with_all_in_the_hand_and_says_in_a_plain_sentence_what_happens(at_desk: Open):
    page = at_desk(tower_replay())
    assert page.inner_text("h1") == page.title() == "Two drops into amerigo"
    assert page.inner_text("#sentence") == "Drop 0: 5 blue and 4 red cubes thrown, 9 in hand, 0 out, 0 inside."
    assert table_of(page) == {"blue": [5, 0, 0, 0], "red": [4, 0, 0, 0], "green": [0, 0, 0, 3]}
    facts = page.inner_text("#about")
    for word in ("amerigo", "physics", "core", "0123456789abcdef", "7", "tower_sim 0.1.0"):
        assert word in facts


def test_counts_follow_the_scrubber_that_keys_move(at_desk: Open):
    document = tower_replay()
    page = at_desk(document)
    page.focus("#scrub")
    seen: set[str] = set()
    for number in range(9):
        page.keyboard.press("PageUp")
        for _ in range(number):
            page.keyboard.press("ArrowRight")
        shown(page)
        time = page.evaluate("towerSim.time")
        begins = page.evaluate("towerSim.steps")
        step = sum(begin <= time + 1e-9 for begin in begins) - 1
        assert table_of(page) == expected(document, step, round((time - begins[step]) * 60, 6))
        seen.add(str(table_of(page)))
    assert len(seen) > 3
    page.keyboard.press("End")
    shown(page)
    assert table_of(page) == expected(document, 1, 1e9)


@pytest.mark.parametrize("document", [tower_replay(), battle_replay()], ids=["tower", "battle"])
def test_poses_are_the_documents_exact_ones_at_rest_and_its_tracks_on_the_way(at_desk: Open, document: Replay):
    page = at_desk(document)
    table = np.frombuffer(document.data, "<f8", 7 * document.header["exact"]).reshape(-1, 7)
    for step, begin in enumerate(page.evaluate("towerSim.steps")):
        (take,) = document.header["steps"][step]["takes"]
        page.evaluate("time => towerSim.seek(time)", begin + take["frames"] / 60)
        for cube, _, row in take["rest"]:
            pose = page.evaluate("cube => towerSim.pose(cube)", cube)
            assert pose == (None if row is None else table[row].tolist())
        for cube, first, length, offset in take["tracks"]:
            positions = decoded(document, offset, length)
            for k in (0, length // 2, length - 1):
                page.evaluate("time => towerSim.seek(time)", begin + (first + k) / 60)
                pose = page.evaluate("cube => towerSim.pose(cube)", cube)
                assert pose[:3] == pytest.approx(positions[k], abs=1e-12)
                assert np.linalg.norm(pose[3:]) == pytest.approx(1, abs=1e-12)


def test_cubes_in_hand_inside_out_and_aside_are_all_cubes_at_every_frame(at_desk: Open):
    page = at_desk(tower_replay())
    sums = page.evaluate(
        """() => {
          const sums = new Set();
          for (let time = 0; time <= towerSim.duration; time += 1 / 60) {
            towerSim.seek(time);
            const each = towerSim.counts().map((row) => row.hand + row.inside + row.out + row.aside);
            sums.add(each.join(" "));
          }
          return [...sums];
        }"""
    )
    assert sums == ["5 4 3"]


def test_a_cube_is_marked_by_a_click_named_followed_and_its_way_is_listed(at_desk: Open):
    page = at_desk(tower_replay(({"blue": 3}, {"red": 2})))
    seek(page, page.evaluate("towerSim.steps[0]") + 2)
    (pose,) = [each["pose"] for each in page.evaluate("towerSim.shown()") if each["cube"] == 0]
    page.evaluate("towerSim.mark(0)")
    shown(page)
    ring = page.locator("#tag").bounding_box()
    x, y = ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2
    page.keyboard.press("Escape")
    shown(page)
    assert not page.is_visible("#tag")
    page.mouse.click(x, y)
    shown(page)
    assert page.inner_text("#tag-name") == page.inner_text("#cube-name").strip() == "Blue cube 0"
    way = page.eval_on_selector_all("#cube-way li", "all => all.map(each => each.innerText.trim())")
    assert way == ["Drop 0 thrown in, stays inside: lower floor", "Drop 1 lies still inside: lower floor"]
    page.click("#follow")
    shown(page)
    ring, scene = page.locator("#tag").bounding_box(), page.locator("#scene").bounding_box()
    assert ring["x"] + ring["width"] / 2 == pytest.approx(scene["x"] + scene["width"] / 2, abs=2)
    assert ring["y"] + ring["height"] / 2 == pytest.approx(scene["y"] + scene["height"] / 2, abs=2)
    page.click("#cube-way li:nth-child(2) button")
    assert page.evaluate("towerSim.time") == page.evaluate("towerSim.steps[1]")
    page.keyboard.press("m")
    shown(page)
    assert page.inner_text("#tag-name") == "Blue cube 2"
    assert pose == page.evaluate("towerSim.pose(0)")


def test_the_shape_and_what_is_thrown_fill_the_picture(at_desk: Open, desk: Watched):
    page = at_desk(tower_replay())
    for width, height in ((1000, 600), (390, 844)):
        desk.page.set_viewport_size({"width": width, "height": height})
        seek(page, 100)
        image = picture(page)
        wood = np.abs(image[:, :, 0] - image[:, :, 2]) > 0.12
        rows, columns = np.flatnonzero(wood.any(axis=1)), np.flatnonzero(wood.any(axis=0))
        tall, wide = np.ptp(rows) / image.shape[0], np.ptp(columns) / image.shape[1]
        assert max(tall, wide) > 0.85


def test_on_paper_the_tower_and_all_drops_are_there(at_desk: Open):
    page = at_desk(tower_replay(tuple({"blue": 1} for _ in range(40))))
    page.click("#theme")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.wait_for_function("() => document.getElementById('paper').complete")
    image = matplotlib.image.imread(io.BytesIO(page.locator("#paper").screenshot()))[:, :, :3]
    assert (np.abs(image[:, :, 0] - image[:, :, 2]) > 0.12).mean() > 0.05, "wood"
    assert page.evaluate("document.getElementById('steps').scrollHeight") == page.evaluate(
        "document.getElementById('steps').clientHeight"
    )
    assert page.is_visible("#steps li:last-child")
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.is_visible("#paper")


def test_a_picture_is_saved_with_the_tower_on_it(at_desk: Open):
    page = at_desk(tower_replay(title="Two drops: A/B"))
    with page.expect_download() as saved:
        page.click("#save")
    assert saved.value.suggested_filename == "Two_drops_A_B_0.00s.png", "it is of the moment"
    image = matplotlib.image.imread(saved.value.path())[:, :, :3]
    assert (np.abs(image[:, :, 0] - image[:, :, 2]) > 0.12).mean() > 0.05, "wood"


def test_play_is_on_the_screen_of_a_telephone_on_its_side_and_at_twice_the_size(at_desk: Open, desk: Watched):
    page = at_desk(tower_replay())
    for width, height in ((844, 390), (640, 400), (640, 360), (932, 430), (390, 844)):
        desk.page.set_viewport_size({"width": width, "height": height})
        shown(page)
        box = page.locator("#play").bounding_box()
        assert box["y"] + box["height"] <= height
        assert box["x"] + box["width"] <= width
        assert page.locator("#scene").bounding_box()["height"] > 0.5 * height - 20
        edge = page.locator(".view").bounding_box()
        for what in ("#cut", "#clock", "#save"):
            one = page.locator(what).bounding_box()
            assert one["x"] + one["width"] <= edge["x"] + edge["width"], (what, width, height)
        assert page.evaluate("document.scrollingElement.scrollWidth") == width


def test_marks_of_100_drops_are_told_apart(at_desk: Open):
    """Every second drop is shaded, and between two drops there is a gap in what came out."""
    page = at_desk(tower_replay(tuple({"blue": 2} for _ in range(100))))
    row = page.evaluate(
        """() => {
          const canvas = document.getElementById("marks");
          const data = canvas.getContext("2d").getImageData(0, canvas.height - 2, canvas.width, 1).data;
          return [...data].filter((_, i) => i % 4 === 3);
        }"""
    )
    strong = np.array(row) > 150
    assert 99 <= (np.diff(strong.astype(int)) == 1).sum() + strong[0] <= 101
    weak = (np.array(row) > 20) & ~strong
    assert weak.sum() > 50


def test_keys_alone_do_everything(at_desk: Open):
    page = at_desk(tower_replay())
    press = page.keyboard.press
    press("Space")
    assert page.evaluate("towerSim.playing")
    press("Space")
    assert not page.evaluate("towerSim.playing")
    press("Home")
    press("n")
    events = sorted({round(event["time"], 9) for event in page.evaluate("towerSim.events")})
    assert page.evaluate("towerSim.time") == pytest.approx(events[1])
    shown(page)
    assert page.inner_text("#said") == "A blue cube leaves the hand."
    press("n")
    press("p")
    assert page.evaluate("towerSim.time") == pytest.approx(events[1])
    press(".")
    press(".")
    press(",")
    assert page.evaluate("towerSim.time") == pytest.approx(events[1] + 1 / 60)
    press("]")
    assert page.evaluate("towerSim.time") == page.evaluate("towerSim.steps[1]")
    press("[")
    assert page.evaluate("towerSim.time") == 0
    press("ArrowRight")
    assert page.evaluate("towerSim.time") == pytest.approx(0.25)
    press(">")
    shown(page)
    assert page.input_value("#speed") == "1"
    press("c")
    shown(page)
    assert page.input_value("#cut") == "side"
    before = page.evaluate("towerSim.view")
    press("+")
    press("d")
    press("w")
    after = page.evaluate("towerSim.view")
    assert after["zoom"] > before["zoom"]
    assert after["turn"] != before["turn"]
    assert after["rise"] > before["rise"]
    press("0")
    assert page.evaluate("towerSim.view") == before
    press("?")
    assert page.is_visible("#help")
    press("Escape")
    assert not page.is_visible("#help")


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
    page = at_desk(tower_replay(({"blue": 2}, {"red": 2}, {"green": 2})))
    page.click("#step-on")
    page.click("#step-on")
    shown(page)
    assert page.inner_text("#sentence").startswith("Drop 2: 2 green cubes thrown")
    assert page.inner_text("#steps [aria-current=step] strong") == "Drop 2"
    page.click("#steps button:has-text('Drop 1')")
    shown(page)
    assert page.inner_text("#sentence").startswith("Drop 1: 2 red cubes thrown, 2 in hand, 0 out")
    page.click("#step-back")
    shown(page)
    assert page.inner_text("#sentence").startswith("Drop 0")


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
    document = tower_replay(({"blue": 3},), title=HOSTILE)
    header = document.header
    header["colours"][0]["name"] = HOSTILE
    header["colours"][0]["letter"] = "<b>"
    header["steps"][0] |= {"title": HOSTILE, "text": HOSTILE}
    header["summary"] = f"{HOSTILE}\n\n{HOSTILE}   {HOSTILE}"
    header["about"] |= {"apparatus": HOSTILE, "seed": HOSTILE}
    page = at_desk(document)
    seek(page, 0.5)
    page.keyboard.press("n")
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert page.inner_text("h1") == page.title() == HOSTILE
    assert page.eval_on_selector_all("img:not(#paper)", "all => all.length") == 0


def test_zones_light_up_as_cubes_come_to_rest_in_them(at_desk: Open):
    document = battle_replay()
    page = at_desk(document)
    assert page.eval_on_selector_all("#zones .lit", "all => all.length") == 0
    (take,) = document.header["steps"][0]["takes"]
    rests = [
        (frame, place)
        for frame, word, _, place in (event for event in take["events"] if len(event) > 3)
        if word == "rest"
    ]
    for number, (frame, _) in enumerate(rests, 1):
        seek(page, frame / 60)
        assert page.eval_on_selector_all("#zones .lit", "all => all.length") == number
    words = page.eval_on_selector_all("#zones .lit", "all => all.map(each => each.innerText)")
    assert {place.removeprefix("zone:").replace("_", " ") for _, place in rests} == {
        w.split("\n")[0].strip() for w in words
    }
    seek(page, 100)
    assert page.inner_text("#sentence").startswith("Step 1: 1 purple and 2 green cubes thrown, 6 on the board")
    assert table_of(page) == {"purple": [0, 0, 3, 0], "green": [0, 0, 3, 0]}
    zones = [zone["name"].replace("_", " ").capitalize() for zone in document.header["apparatus"]["zones"]]
    assert f"{zones[0]}: 1 purple; {zones[1].lower()}: 1 green; " in page.inner_text("#steps [aria-current=step]")
    assert page.inner_text("#caption").startswith(f"{zones[0]}: 1 purple; {zones[1].lower()}: 1 green; ")
    seek(page, 0.2)
    assert not page.is_visible("#caption")


def test_lines_of_a_log_stand_under_their_heading_and_steps_are_told_in_words(at_desk: Open):
    document = tower_replay()
    row = "  1/35     1 blue         5    8    3 |    7     1   .     .     .      .     . |   7    3"
    document.header["heading"] = (
        "  drop round phase   thrown  out   in | blue black red brown green yellow white |  AP gold"
    )
    document.header["steps"][0]["text"] = row
    document.header["steps"][1]["text"] = "  2   3  fire; every player receives half the silver"
    page = at_desk(document)
    page.click("#lines-panel summary")
    assert page.inner_text("#lines").strip().startswith(document.header["heading"].strip())
    assert page.inner_text("#lines .now").strip() == row.strip()
    assert "|" not in page.inner_text("#steps li:nth-child(1)")
    assert "fire; every player receives half the silver" in page.inner_text("#lines")
    assert page.inner_text("#steps li:nth-child(2)") == "Drop 1 3 green cubes thrown, 1 out, 7 inside"
    assert page.evaluate("document.scrollingElement.scrollWidth") == WIDTH


def test_a_step_without_a_drop_has_its_moment_too(at_desk: Open):
    document = battle_replay()
    document.header["steps"].append({"title": "Pass", "text": "nobody throws again", "takes": []})
    page = at_desk(document)
    seek(page, 100)
    assert page.inner_text("#steps [aria-current=step] strong") == "Pass"
    assert page.inner_text("#sentence") == "Pass: nothing moves, 6 on the board, 0 in the ship."
    assert page.eval_on_selector_all("#zones .lit", "all => all.length") == 6


def test_a_document_of_another_version_is_refused_in_one_line(desk: Watched, tmp_path: Path):
    document = tower_replay(({"blue": 1},))
    document.header["version"] = 2
    path = tmp_path / "replay.html"
    path.write_text(page_of(document), "utf-8")
    page = desk.open(path)
    page.wait_for_function("() => document.getElementById('trouble').textContent")
    assert "version 1" in page.inner_text("#trouble")


def test_without_a_3d_picture_counts_and_steps_work(desk: Watched, tmp_path: Path):
    path = tmp_path / "replay.html"
    path.write_text(page_of(tower_replay()), "utf-8")
    page = desk.page.context.new_page()
    page.add_init_script(
        "HTMLCanvasElement.prototype.getContext = (get => function (kind, ...more) {"
        " return kind === 'webgl2' ? null : get.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext)"
    )
    page.goto(path.as_uri())
    page.wait_for_function("() => window.towerSim")
    assert "WebGL 2" in page.inner_text("#trouble")
    page.keyboard.press("End")
    shown(page)
    assert sum(row[2] for row in table_of(page).values()) == 1
    page.close()


@pytest.mark.parametrize("document", [tower_replay(), battle_replay()], ids=["tower", "battle"])
def test_axe_finds_nothing_on_a_desktop_in_either_theme(at_desk: Open, document: Replay):
    document.header["summary"] = "a table   of figures\n\nand   another"  # as Amerigo's: two landmarks
    page = at_desk(document)
    seek(page, 1.5)
    page.evaluate("towerSim.mark(1)")
    for _ in range(2):
        assert axe_violations(page) == []
        page.click("#theme")
    page.click("#help-open")
    assert axe_violations(page) == []


def test_axe_finds_nothing_on_a_telephone(in_hand: Open):
    page = in_hand(battle_replay())
    assert axe_violations(page) == []


@pytest.mark.parametrize(
    "document",
    [tower_replay(title="An apparatus " + "of a very long name" * 6), battle_replay()],
    ids=["tower", "battle"],
)
def test_nothing_scrolls_sideways_on_360_pixels(in_hand: Open, document: Replay):
    document.header["summary"] = "a table   of many columns   " * 20
    document.header["steps"][0]["text"] = "x" * 300
    page = in_hand(document)
    page.select_option("#cut", "side")
    shown(page)
    assert page.evaluate("document.scrollingElement.scrollWidth") == 360
    inside = "all => all.filter(each => each.getBoundingClientRect().right > 360.5).map(each => each.id)"
    assert page.eval_on_selector_all("button, select, input, canvas, h1, p", inside) == []


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


def test_a_page_of_49_cubes_is_small_and_equal_documents_give_equal_pages():
    drops = ({"blue": 20, "red": 20, "green": 9},)
    page = page_of(tower_replay(drops))
    assert len(page.encode()) < 1_000_000
    assert page == page_of(tower_replay(drops))


@pytest.mark.parametrize("seed", ["1", "2"])
def test_cubes_that_came_out_lie_where_they_came_to_rest(desk: Watched, tmp_path: Path, seed: str):
    path = tmp_path / "game.html"
    assert cli.main(["page", "replay", "amerigo", "--set", "rounds=1", "--seed", seed, "-o", str(path)]) == 0
    page = desk.open(path)
    page.wait_for_function("() => window.towerSim")
    edge, begins = load("amerigo").cube_edge, page.evaluate("towerSim.steps")
    out = {
        each["cube"] for each in page.evaluate("towerSim.events") if each["word"] == "out" and each["time"] < begins[1]
    }
    seek(page, begins[1] - 0.5)
    lying = {cube["cube"]: cube["pose"] for cube in page.evaluate("towerSim.shown()") if cube["cube"] in out}
    assert len(lying) == len(out) > 20
    assert max(pose[2] for pose in lying.values()) < 4 * edge
    assert len({tuple(pose[:3]) for pose in lying.values()}) == len(lying)
