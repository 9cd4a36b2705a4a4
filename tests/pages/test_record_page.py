"""The page of a game night on a phone: a whole game by script, its CSV, and the test of the tower. About 60 s."""

from __future__ import annotations

import base64
import csv
import datetime
import io
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import PAGES, Watched, axe_violations, browsing, saved
from support.cases import each_case
from support.command_line import refusal
from support.node import answered
from support.recorded import COLOURS, game
from support.web import bundled

from tower_sim import cli
from tower_sim.apparatus import load, shipped
from tower_sim.calibration import bets, make_document, recording, verdict
from tower_sim.calibration import records as recorded
from tower_sim.calibration.recording import GAMES, KEPT, SEED, to_plain
from tower_sim.calibration.records import Record
from tower_sim.calibration.reference import DropLaw, Reference, fit_reference
from tower_sim.calibration.summaries import PUBLISHED
from tower_sim.calibration.verdict import check, format_sentences, p_value
from tower_sim.errors import UsageError
from tower_sim.surrogate import AgeOdds, BetaBinomial, GroupsLaw, beside, fitted_or_shipped

pytestmark = PAGES

HOSTILE = "<img src=x onerror=window.hit=1>"
PHONE: dict[str, Any] = {"width": 390, "height": 844, "has_touch": True, "accept_downloads": True}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("record") / "night.html"
    assert cli.main(["page", "record", "-o", str(output)]) == 0
    assert output.stat().st_size < 500_000
    return output


@pytest.fixture(scope="module")
def browser(file: Path) -> Iterator[Watched]:
    with browsing(**PHONE) as watched:
        yield watched


@pytest.fixture
def page(browser: Watched, file: Path) -> Iterator[Any]:
    """The page as it opens in a browser that keeps nothing; nothing may go wrong on it, and nothing may leave it."""
    with browser.another(**PHONE) as watched:
        watched.page.goto(file.resolve().as_uri())
        for name in ("tap", "click"):
            setattr(watched.page, name, patiently(watched.page, getattr(watched.page, name)))
        yield watched.page
        assert watched.page.evaluate("window.hit") is None
        watched.check()


def patiently(page: Any, tap: Callable[[str], None]) -> Callable[[str], None]:
    """Tap, and wait until the page shows it. A tap elsewhere comes between taps, which are quicker than a finger."""

    def tap_and_wait(selector: str) -> None:
        page.evaluate("document.body.click()")
        tap(selector)
        page.evaluate("window.towerSim?.settled()")

    return tap_and_wait


def write_night(rows: list[Record], players: tuple[str, ...] = (), **about: Any) -> str:
    """The CSV of a night, by the rules of the page and not by its code."""
    head = {"game": "amerigo", "tower": "amerigo", "edge": 9, "colours": COLOURS, "counts": [7] * 7}
    head |= {"players": players, "date": datetime.datetime.now().astimezone().date().isoformat()}
    text = io.StringIO()
    text.write(f"# tower_sim night 1 {json.dumps(head | about, ensure_ascii=False, separators=(',', ':'))}\r\n")
    sheet = csv.writer(text)
    colours = list(rows[0].thrown)
    first = "throw" if rows[0].is_free else "drop"
    sheet.writerow([first, *(f"{kind}_{colour}" for kind in ("thrown", "out") for colour in colours), "mark", "note"])
    for i, row in enumerate(rows):
        who = players[i % len(players)] if players else ""
        sheet.writerow([row.number, *row.thrown.values(), *row.out.values(), " ".join(row.marks), who])
    return text.getvalue()


def form(page: Any) -> None:
    """Come to the form with which a night begins."""
    page.wait_for_selector("#begin, #share")
    if not page.is_visible("#begin"):
        page.click("#share")
        page.click("#new-night")


def open_night(page: Any, text: str | bytes) -> None:
    """Give the page a CSV as a file."""
    data = text.encode() if isinstance(text, str) else text
    page.wait_for_selector("#begin, #share")
    if page.is_visible("#begin"):
        page.click("#begin")
    if not page.is_visible("#share-dialog"):
        page.click("#share")
    page.set_input_files("#share-file", {"name": "night.csv", "mimeType": "text/csv", "buffer": data})
    page.wait_for_selector("#throws")


def tap_event(page: Any, button: str) -> None:
    """Tap a button of what happened, which is folded up as a rule."""
    if not page.is_visible(button):
        page.click("#happened summary")
    page.tap(button)


def read_night(page: Any, folder: Path) -> list[Record]:
    """Return the night of the page as Python reads its CSV."""
    (folder / "night.csv").write_text(page.evaluate("towerSim.csv()"), "utf-8", newline="")
    return recorded.read(folder / "night.csv")


def read_law(reference: dict[str, Any]) -> Reference:
    def group(row: list[float]) -> BetaBinomial:
        return BetaBinomial(tuple(row[:-1]), row[-1])

    later = reference["later"]
    drawn = tuple(
        DropLaw(GroupsLaw(group(a), group(b)), {int(n): group(laws[i]) for n, laws in reference["setups"].items()})
        for i, (a, b) in enumerate(zip(later["thrown"], later["resident"], strict=True))
    )
    ages = AgeOdds(**{key: tuple(odds) for key, odds in reference["ages"].items()})
    ends = {key: tuple(reference[key]) for key in ("thrown", "inside", "drops")}
    return Reference("amerigo", reference["games"], int(reference["seed"]), drawn[0], drawn, ages=ages, **ends)


def play_rows(seed: int) -> list[Record]:
    return [each.record for each in game(np.random.default_rng(seed))]


def test_a_whole_game_is_recorded_in_few_taps_with_reloads_between(page: Any, tmp_path: Path):
    """Of each throw the colours that came out are tapped; the page knows those that went in."""
    rows = play_rows(5)
    assert len(rows) == 36
    page.fill("#players", "Ann, Bo")
    page.click("#begin")
    taps = 0
    for row in rows:
        for colour, cubes in row.out.items():
            if cubes:
                page.tap(f"#out-{colour}-{cubes}")
                taps += 1
            if colour == "red" and row.number % 9 == 4:
                page.reload()  # in the middle of a throw
        page.tap("#done")
        taps += 1
        if row.number % 7 == 3:
            page.reload()
    assert taps / len(rows) <= 8
    assert page.inner_text("#due") == "The game is over"
    page.click("#tab-throws")
    page.click("#share")
    saved(page, "#save-csv").save_as(tmp_path / "night.csv")
    assert (tmp_path / "night.csv").read_bytes() == write_night(rows, ("Ann", "Bo")).encode()
    assert recorded.read(tmp_path / "night.csv") == rows


def test_what_happened_is_told_in_marks_and_read_as_it_was_meant(page: Any, tmp_path: Path):
    page.click("#begin")

    def throw(*taps: str) -> None:
        for tap in taps:
            tap_event(page, tap) if tap.startswith("#mark") else page.tap(tap)
        page.tap("#done")

    throw(*(f"#out-{colour}-5" for colour in COLOURS))  # 2 of each inside
    page.tap("#out-red-3")
    assert page.inner_text("#wrong").startswith("3 red out, and only 2 can be there (0 in, 2 inside). Count again")
    assert page.inner_text("#done") == "Keep as a miscount"
    throw("#out-blue-6")  # blue: 5 in, 6 out, 1 inside; red: 0 inside
    throw("#side-in", "#in-black-6", "#side-out", "#out-black-6", "#mark-beside")  # 6 lay outside, so 1 was inside
    throw("#side-in", "#in-red-0", "#side-out", "#out-white-1", "#mark-knock")
    throw("#out-red-7", "#mark-miscount")
    tap_event(page, "#empty")
    assert page.inner_text("#inside-head") == "Inside now: 0"
    tap_event(page, "#next-game")
    throw(*(f"#out-{colour}-7" for colour in COLOURS[:6]))
    found, rows = page.evaluate("towerSim.csv()"), read_night(page, tmp_path)
    marks = ["", "miscount", "beside miscount", "knock", "miscount", "emptied", ""]
    assert [" ".join(row.marks) for row in rows] == marks
    inside = ["".join(map(str, row.inside.values())) for row in rows]
    assert inside == ["2222222", "1202222", "1102222", "1102221", "1102221", "0000000", "0000007"]
    assert [row.game for row in rows] == [1] * 6 + [2]
    assert found == write_night(rows)
    open_night(page, found)
    assert page.evaluate("towerSim.csv()") == found


def test_an_old_throw_is_corrected_added_removed_and_all_is_undone_after_a_reload(page: Any):
    rows = play_rows(3)[:5]
    before = write_night(rows)
    open_night(page, before)
    page.click("#throws li:nth-child(3) button")
    colour = next(colour for colour, cubes in rows[2].out.items() if cubes)
    page.reload()
    page.tap(f"#out-{colour}-0")
    page.tap("#done")
    fewer = [row.split(",") for row in page.evaluate("towerSim.csv()").splitlines()[2:]]
    at = 8 + COLOURS.index(colour)
    assert [int(row[at]) for row in fewer] == [0 if i == 2 else row.out[colour] for i, row in enumerate(rows)]
    page.click("#tab-throws")
    page.click("#throws li:nth-child(2) button")
    tap_event(page, "#missing")
    assert page.inner_text("#due") == "Missing: Round 1 of 5, blue"
    page.tap("#done")
    assert len(page.evaluate("towerSim.csv()").splitlines()) == 2 + 6
    page.click("#tab-throws")
    page.click("#throws li:nth-child(1) button")
    tap_event(page, "#remove")
    assert page.evaluate("towerSim.csv()").splitlines()[2].startswith("0,")  # the next one is the set-up now
    page.reload()
    for _ in range(8):
        page.click("#undo")
    assert page.evaluate("towerSim.csv()") == before


TAP_TWICE = """async ([x, y, milliseconds]) => {
  const now = performance.now();
  for (const at of [now, now + milliseconds]) {
    const click = new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1, clientX: x, clientY: y });
    Object.defineProperty(click, "timeStamp", { value: at });
    document.elementFromPoint(x, y).dispatchEvent(click);
    await towerSim.settled();
  }
}"""


def tap_twice(page: Any, button: str, milliseconds: int) -> None:
    """Tap the place of a button and then, when the page has shown that, the same place; at these times by the clock."""
    page.evaluate("document.body.click()")
    page.locator(button).scroll_into_view_if_needed()
    box = page.locator(button).bounding_box()
    page.evaluate(TAP_TWICE, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, milliseconds])


def count_rows(page: Any) -> int:
    return len(page.evaluate("towerSim.csv()").splitlines()) - 2


def test_a_double_tap_is_one_tap_and_undo_and_more_cubes_take_each(page: Any):
    tap_twice(page, "#begin", 200)
    page.wait_for_selector("#done")
    assert (page.inner_text("#done"), page.locator("[aria-pressed=true].zero").count()) == ("Done: 0 out", 7)
    for rows, milliseconds in enumerate((100, 200, 300, 400), start=1):
        for colour in COLOURS:
            page.tap(f"#out-{colour}-{5 if rows == 1 else 1}")
        tap_twice(page, "#done", milliseconds)
        assert count_rows(page) == rows
    tap_twice(page, "#done", 800)
    assert count_rows(page) == 6
    tap_twice(page, "#undo", 100)
    assert count_rows(page) == 4
    page.click("#tab-throws")
    tap_twice(page, "#throws li:nth-child(4) button", 300)
    assert page.inner_text("#due").startswith("Correct: ")
    tap_twice(page, "#done", 300)
    assert count_rows(page) == 4
    page.click("#happened summary")
    tap_twice(page, "#mark-knock", 250)
    assert page.get_attribute("#mark-knock", "aria-pressed") == "true"


def test_in_another_game_a_double_tap_brings_no_throw_of_none_out(page: Any):
    page.select_option("#game", "free")
    page.click("#begin")
    tap_twice(page, "#in-red-7", 200)
    assert page.inner_text("#side-in") == "In: 8 red"
    tap_twice(page, "#done", 200)
    assert (page.inner_text("#done"), count_rows(page)) == ("Done: 0 out", 0)


def test_a_night_that_came_into_an_empty_browser_stays_at_undo(page: Any, browser: Watched, file: Path):
    for rows, due in ((3, "Round 1 of 5, red"), (36, "The game is over")):
        text = write_night(play_rows(4)[:rows])
        open_night(page, text)
        page.click("#share")
        page.wait_for_selector("#share-copy:enabled")
        with browser.another(**PHONE) as other:
            other.page.goto(file.resolve().as_uri() + page.input_value("#share-link"))
            other.page.click("#tab-record")
            assert other.page.inner_text("#due") == due
            assert other.page.is_disabled("#undo")
            assert other.page.evaluate("towerSim.csv()") == text


def test_a_correction_keeps_the_throw_that_is_half_told(page: Any):
    page.click("#begin")
    for tap in ("out-blue-5", "done", "out-blue-2", "done", "out-red-1"):
        page.tap(f"#{tap}")

    def correct() -> None:
        page.click("#tab-throws")
        page.click("#throws li:nth-child(2) button")
        page.wait_for_selector("#cancel")

    correct()
    page.reload()
    page.tap("#cancel")
    assert page.inner_text("#done") == "Done: 1 out"
    correct()
    assert page.inner_text("#inside-head") == "Inside before this throw: 44"
    page.tap("#out-blue-3")
    page.tap("#done")
    assert page.inner_text("#done") == "Done: 1 out"
    correct()
    tap_event(page, "#missing")
    page.tap("#cancel")
    assert page.inner_text("#done") == "Done: 1 out"
    correct()
    tap_event(page, "#remove")
    assert (page.inner_text("#done"), count_rows(page)) == ("Done: 1 out", 1)
    tap_event(page, "#empty")  # the throw that was half told is told
    assert [row.split(",")[-2] for row in page.evaluate("towerSim.csv()").splitlines()[2:]] == ["", "", "emptied"]
    page.click("#undo")
    assert page.inner_text("#done") == "Done: 1 out"
    tap_event(page, "#next-game")
    assert (page.inner_text("#due"), count_rows(page)) == ("Set-up", 2)
    correct()
    page.tap("#cancel")
    assert page.inner_text("#due") == "Set-up"


def test_a_knock_alone_takes_nobodys_turn(page: Any):
    page.fill("#players", "Ann, Bo")
    page.click("#begin")
    page.tap("#out-blue-5")
    page.tap("#done")
    assert page.input_value("#who") == "Bo"
    for tap in ("side-in", "in-blue-0", "side-out", "out-red-1"):
        page.tap(f"#{tap}")
    tap_event(page, "#mark-knock")
    assert page.input_value("#who") == ""
    page.tap("#done")
    assert page.input_value("#who") == "Bo"
    assert [row.split(",")[-1] for row in page.evaluate("towerSim.csv()").splitlines()[2:]] == ["Ann", ""]


def test_what_nobody_counted_follows_a_correction(page: Any, tmp_path: Path):
    """In throw 1 the page proposed what went in; in throw 2 somebody counted it, which contradicts another set-up."""
    page.click("#begin")
    setup = [f"out-{colour}-5" for colour in COLOURS]
    for tap in (*setup, "done", "out-blue-6", "done", "side-in", "in-black-6", "in-black-5", "side-out", "done"):
        page.tap(f"#{tap}")

    def correct(*taps: str) -> list[Record]:
        page.click("#tab-throws")
        page.click("#throws li:nth-child(1) button")
        for tap in (*taps, "done"):
            page.tap(f"#{tap}")
        return read_night(page, tmp_path)

    rows = correct("out-blue-4")
    assert (rows[1].thrown["blue"], rows[1].inside["blue"], rows[1].marks) == (4, 1, ())
    assert (rows[2].thrown["black"], rows[2].marks) == (5, ())
    rows = correct("out-blue-5", "out-black-4")
    assert (rows[1].thrown["blue"], rows[1].marks) == (5, ())
    assert (rows[2].thrown["black"], rows[2].marks) == (5, ("miscount",))
    text = page.evaluate("towerSim.csv()")
    open_night(page, text)  # a file says nothing of who counted: what contradicts nothing follows
    rows = correct("out-blue-4", "out-black-5")
    assert [row.marks for row in rows] == [(), (), ()]
    assert rows[1].thrown["blue"] == 4


def test_two_tabs_record_one_night_and_lose_no_tap(page: Any, file: Path):
    page.click("#begin")
    other = page.context.new_page()
    other.goto(file.resolve().as_uri())
    for i, colour in enumerate(COLOURS):
        (page, other)[i % 2].tap(f"#out-{colour}-5")
    page.wait_for_function("() => document.getElementById('done').textContent === 'Done: 35 out'")
    other.tap("#done")
    page.wait_for_function("() => document.getElementById('due').textContent === 'Round 1 of 5, blue'")
    page.click("#undo")
    other.wait_for_function("() => document.getElementById('due').textContent === 'Set-up'")
    kept = "localStorage.getItem('tower-sim:night')"
    assert page.evaluate(kept) == other.evaluate(kept)
    other.close()


def test_another_game_throws_what_it_likes_into_a_tower_of_ones_own(page: Any, tmp_path: Path):
    page.select_option("#game", "free")
    page.select_option("#tower", "mine")
    page.fill("#edge", "10.5")
    page.click("#begin")
    taps = "in-red-7 in-red-7 in-red-7 in-green-2 done out-red-5 done in-blue-1 done out-red-4 done"
    for tap in taps.split():
        page.tap(f"#{tap}")
    rows = read_night(page, tmp_path)
    assert [row.inside for row in rows] == [
        dict.fromkeys(rows[0].inside, 0) | {"red": 4, "green": 2},
        dict.fromkeys(rows[0].inside, 0) | {"blue": 1, "green": 2},
    ]
    colours = [*rows[0].thrown]
    about = {"game": "free", "tower": "mine", "edge": 10.5, "colours": colours, "counts": [0] * len(colours)}
    assert page.evaluate("towerSim.csv()") == write_night(rows, **about)


def marked_rows() -> list[Record]:
    """A game with a knock, a miscount and an emptied tower, then a second game."""
    rows = play_rows(8)
    rows[9] = replace(rows[9], marks=("knock",))
    rows[15] = replace(rows[15], marks=("miscount",))
    none = dict.fromkeys(rows[0].out, 0)
    rows = [*rows[:20], Record(20, none, rows[19].inside, none, marks=("emptied",))]
    return [*rows, *(replace(row, game=2) for row in play_rows(9)[:12])]


def late_rows() -> list[Record]:
    """A game whose record begins in its middle, and misses throws once more."""
    rows = [replace(row, number=i) for i, row in enumerate(play_rows(7)[12:])]
    for i in (0, 9):
        inside = rows[i].inside
        out = {colour: 7 - cubes for colour, cubes in inside.items()}
        rows[i] = Record(i, dict.fromkeys(COLOURS, 7), out, inside, marks=("recount",))
    return rows


@each_case("rows", [play_rows(1), play_rows(2)[:4], play_rows(2)[:1], marked_rows(), late_rows()], ids=len)
def test_the_page_tests_the_tower_as_python_does(page: Any, rows: list[Record], tmp_path: Path):
    """E-values, intervals, shares and p are the same to the last bit, and so are the sentences but for two words."""
    open_night(page, write_night(rows))
    again = read_night(page, tmp_path)
    assert len(again) == len(rows)
    for tower in make_document()["towers"][:2]:
        own = check(again, read_law(tower["reference"]))
        found = page.evaluate("name => towerSim.test(name)", tower["name"])
        assert shown(found) == told(own)
        words = [line.replace("profile amerigo", f"model {tower['name']}") for line in format_sentences(own)]
        assert found["says"] == [line.replace("drop", "throw") for line in words]
        assert (found["p"], found["pColours"]) == (p_value(own.e), p_value(own.colours.e))
    page.click("#tab-tower")
    assert page.inner_text("#p-numbers") == f"{page.evaluate('towerSim.test().p'):.3g}"


def told(own: verdict.ProfileCheck) -> dict[str, Any]:
    """What Python says of a night, as the page has it."""
    plain = json.loads(json.dumps({key: asdict(getattr(own, key)) for key in ("setup", "later")}))
    colours = {"e": [*own.colours.e], "drops": own.colours.drops, "out": [*own.colours.out.values()]}
    colours["expected"] = [*own.colours.expected.values()]
    return {**plain, "e": [*own.e], "colours": colours, "skipped": sum(own.skipped.values())}


def shown(found: dict[str, Any]) -> dict[str, Any]:
    colours = {key: value for key, value in found["colours"].items() if key != "most"}
    return {
        **{key: found[key] for key in ("setup", "later", "e")},
        "colours": colours,
        "skipped": len(found["skipped"]),
    }


LAW = """
import { readFileSync } from "node:fs";
import { check, openBets } from "SRC/record/law";
const { nights, reference, constants, wasm } = JSON.parse(readFileSync(0, "utf8"));
await openBets(readFileSync(wasm));
console.log(JSON.stringify(nights.map((rows) => check(rows, reference, constants))));
"""


def test_a_hundred_nights_are_judged_as_python_judges_them(tmp_path: Path):
    """To the last bit: nights of one or two games, some with a knock, of random lengths."""
    rng = np.random.default_rng(20)
    document = make_document()
    reference, nights = document["towers"][0]["reference"], list[list[Record]]()
    for seed in range(100):
        rows = [*play_rows(seed), *(replace(row, game=2) for row in play_rows(seed + 1))][: int(rng.integers(1, 60))]
        odd = int(rng.integers(len(rows)))
        nights.append(
            [replace(row, marks=("knock",) if i == odd and seed % 3 == 0 else ()) for i, row in enumerate(rows)]
        )
    counts = [("thrown", "thrown"), ("out", "out"), ("after", "inside")]
    plain = [
        [
            {key: [*getattr(row, name).values()] for key, name in counts}
            | {"marks": row.marks, "game": row.game, "isOdd": row.is_odd}
            for row in rows
        ]
        for rows in nights
    ]
    given = {"nights": plain, "reference": reference, "constants": document["constants"], "wasm": str(bets.BETS.path)}
    found = answered(bundled(tmp_path, LAW), given=given)
    law = read_law(reference)
    assert [shown(each) for each in found] == [told(check(rows, law)) for rows in nights]


def test_the_laws_kept_are_those_of_the_towers_that_ship():
    """A profile that changed has another digest: python -m calibration.validation.references."""
    towers = make_document()["towers"]
    kept = json.loads(KEPT.read_text("utf-8"))
    assert towers[0]["name"] == "amerigo"
    assert set(kept) == {load(tower["name"]).digest for tower in towers}
    assert {tower["reference"]["model"] for tower in towers} == {"physics"}


@pytest.mark.long
def test_the_laws_kept_are_fitted_again_from_games_by_physics():
    fitted = to_plain(fit_reference(load("amerigo"), GAMES, SEED))
    here = json.loads(KEPT.read_text("utf-8"))[load("amerigo").digest]
    assert fitted["ages"] == {key: pytest.approx(odds) for key, odds in here["ages"].items()}
    groups = [(fitted["setups"]["49"], here["setups"]["49"])]
    groups += [(fitted["later"][key], here["later"][key]) for key in ("thrown", "resident")]
    for laws, others in groups:
        assert np.array(laws) == pytest.approx(np.array(others), abs=1e-3)


def saved_again(text: str, separator: str, encoding: str, *, decimals: bool = False, quotes: bool = False) -> bytes:
    """A CSV as a spreadsheet reads and saves it: every line has as many cells as the longest."""
    rows = [next(csv.reader([line])) for line in text.splitlines()]
    if decimals:
        rows[1:] = [[f"{cell},00" if cell.isdigit() else cell for cell in row] for row in rows[1:]]
    wide = max(map(len, rows))
    again = io.StringIO()
    sheet = csv.writer(again, delimiter=separator, quoting=csv.QUOTE_ALL if quotes else csv.QUOTE_MINIMAL)
    sheet.writerows([*row, *[""] * (wide - len(row))] for row in rows)
    return again.getvalue().encode(encoding)


@each_case(
    "separator, encoding, more",
    [
        (";", "utf-8-sig", {}),
        (";", "cp1252", {"decimals": True}),
        (",", "utf-8", {"quotes": True}),
        ("\t", "utf-16", {}),
    ],
)
def test_a_csv_saved_again_by_a_spreadsheet_is_the_same_night(
    page: Any, separator: str, encoding: str, more: dict[str, bool], tmp_path: Path
):
    text = write_night(play_rows(6)[:9], ("Jörg", "Bo"), edge=10.5)
    data = saved_again(text, separator, encoding, **more)
    (tmp_path / "again.csv").write_bytes(data)
    open_night(page, data)
    assert page.evaluate("towerSim.csv()") == text
    assert recorded.read(tmp_path / "again.csv") == read_night(page, tmp_path)


def test_a_csv_that_the_page_did_not_write_opens_as_in_python(page: Any, tmp_path: Path):
    file = tmp_path / "other.csv"
    for text, kind in (
        ("sep=;\r\nMark;Drop;Out red;Thrown red\r\n;0;3;7\r\n\r\nknock;1;1;\r\n", "free"),
        ("# my tower\nthrow,thrown,out\n0,9,2\n1,4,5\n", "free"),
        (write_night(play_rows(6)[:9]).split("\n", 1)[1].replace("drop,", "Drop,"), "amerigo"),
    ):
        file.write_text(text, "utf-8")
        open_night(page, text)
        again = [(row.thrown, row.out, row.inside, row.marks) for row in read_night(page, tmp_path)]
        assert again == [(row.thrown, row.out, row.inside, row.marks) for row in recorded.read(file)]
        assert json.loads(page.evaluate("towerSim.csv()").split("\r\n")[0][20:])["game"] == kind
    for text, says in (
        ("drop,thrown_red\n0,7\n", "lacks the column out_red"),
        ("drop,thrown_red,out_red,weather\n0,7,3,fine\n", "has the column weather"),
        ("drop,thrown_red,out_red\n0,3.000,1\n", "Row 1 of the CSV, thrown_red: 3.000"),
        ("drop,thrown_red,out_red\n0,7,3,1,1\n", "has 5 cells; allowed are 3"),
        ("a letter\n", "This is no night"),
    ):
        before = page.evaluate("towerSim.csv()")
        page.click("#share")
        page.set_input_files("#share-file", {"name": "n.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.wait_for_function("says => document.getElementById('share-message').textContent.includes(says)", arg=says)
        assert page.evaluate("towerSim.csv()") == before
        page.click("#share-dialog > p:last-child button")


def test_the_command_for_the_same_test_judges_the_same_drops(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A free night of 12 throws, of which the published game has none of 20 cubes first; played by its laws."""
    rows = [
        {"thrown": 20, "out": 12},
        *({"thrown": 6, "out": 6}, {"thrown": 3, "out": 4}) * 5,
        {"thrown": 49, "out": 40},
    ]
    lines = [f"{i},{row['thrown']},{row['out']}" for i, row in enumerate(rows)]
    open_night(page, "throw,thrown_red,out_red\n" + "\n".join(lines))
    page.click("#tab-tower")
    command = page.inner_text("#same-test").split()
    page.click("#share")
    monkeypatch.chdir(tmp_path)
    download = saved(page, "#save-csv")
    download.save_as(tmp_path / download.suggested_filename)
    asked: list[Any] = []

    def reference(*arguments: Any) -> Reference:
        asked.append(arguments[4])
        return read_law(make_document()["towers"][0]["reference"])

    monkeypatch.setattr(verdict, "fit_reference", reference)
    assert command[0] == "tower-sim"
    assert cli.main([*command[1:], "--json"]) == 0
    document, found = json.loads(capsys.readouterr().out), page.evaluate("towerSim.test()")
    assert asked == [(PUBLISHED,)]
    assert [document[part]["drops"] for part in ("setup", "later")] == [
        found[part]["drops"] for part in ("setup", "later")
    ]
    assert sum(document["skipped"].values()) == len(found["skipped"]) > 0
    assert document["p"] == pytest.approx(found["p"], rel=1e-9)


def test_it_tells_how_many_nights_it_takes_and_seldom_accuses_the_model_itself(page: Any):
    open_night(page, write_night(play_rows(1)))
    page.click("#tab-tower")
    page.click("#power")
    page.wait_for_selector("#nights", timeout=120_000)
    rows = [row.split("\t") for row in page.inner_text("#nights tbody").splitlines()]
    kept = [float(words.split()[-1]) for words, *_ in rows]
    shares = [int(share.split()[0]) for _, share, _ in rows]
    assert len(rows) == 5
    assert kept == sorted(kept, reverse=True)
    assert shares[2] <= 5 < min(shares[0], shares[4])
    assert rows[2][2] == "–"


def test_a_link_carries_the_night_and_undo_brings_ones_own_back(page: Any):
    players = (HOSTILE[:20], "=Bo")
    text = write_night(play_rows(4)[:3], players).replace(",=Bo", ',"\'=Bo"')
    open_night(page, text)
    page.click("#share")
    page.wait_for_selector("#share-copy:enabled")
    link = page.input_value("#share-link")
    assert len(link) < 700
    page.click("#new-night")
    page.click("#begin")
    page.tap("#out-blue-3")
    own = page.evaluate("towerSim.csv()")
    page.evaluate("link => { location.hash = link }", link)
    page.wait_for_selector("#throws")
    assert (page.evaluate("towerSim.csv()"), page.evaluate("location.hash")) == (text, "#record")
    packer = zlib.compressobj(9, wbits=-15)
    bomb = base64.urlsafe_b64encode(packer.compress(bytes(20_000_000)) + packer.flush()).decode().rstrip("=")
    for wrong, says in (
        (link[:-9], "damaged"),
        ("#record=AAAA", "damaged"),
        ("#record=AwA", "no night"),
        (f"#record={bomb}", "damaged"),
        (f"#record={'A' * 10**6}", "allowed are up to 250000"),
    ):
        page.evaluate("link => { location.hash = link }", wrong)
        page.wait_for_function("says => document.getElementById('trouble').textContent.includes(says)", arg=says)
    assert page.evaluate("towerSim.csv()") == text
    page.click("#tab-record")
    while page.evaluate("towerSim.csv()") != own:
        page.click("#undo")


def test_the_live_page_has_the_view_too_and_each_keeps_its_own_look(browser: Watched):
    """The page in the repository, which test_live_command compares with what the command writes."""
    live = Path(__file__).parents[2] / "docs" / "live.html"
    assert live.stat().st_size < 500_000
    page = browser.open(live)
    page.click("#to-record")
    page.click("#begin")
    page.tap("#out-blue-5")
    assert page.evaluate("getComputedStyle(document.querySelector('main')).display") == "block"
    page.click("a[href='#']")
    page.wait_for_selector("#scene")
    assert page.evaluate("getComputedStyle(document.querySelector('main')).display") == "grid"
    page.go_back()
    page.wait_for_selector("#done")
    assert page.inner_text("#done") == "Done: 5 out"
    browser.check()


@each_case("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(page: Any, theme: str):
    found = {"begin": axe_violations(page)}
    page.emulate_media(color_scheme=theme)
    open_night(page, write_night(play_rows(6), ("Ann", "Bo")).replace(",7,7,7,7,7,7,7,", ",7,7,7,7,7,7,6,", 1))
    for tab in ("record", "throws", "night", "tower"):
        page.click(f"#tab-{tab}")
        found[tab] = axe_violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#tab-throws")
    page.click("#throws li:nth-child(2) button")
    page.tap("#out-white-7")
    found["wrong"] = axe_violations(page)
    page.click("#share")
    found["share"] = axe_violations(page)
    page.emulate_media(color_scheme="light")
    assert [*found.values()] == [[]] * len(found), found


def test_the_picture_is_saved_as_points_and_as_shapes(page: Any):
    open_night(page, write_night(play_rows(6), ("Ann", "Bo")))
    page.click("#tab-night")
    words = page.get_attribute("#picture", "aria-label")
    assert "Of 49 cubes of the set-up, " in words
    assert "The strangest throw: " in words
    for kind, head in {"png": b"\x89PNG", "svg": b"<svg"}.items():
        assert Path(saved(page, f"#picture-{kind}").path()).read_bytes().startswith(head)


UNFIT = """() => {
  const found = [...document.querySelectorAll("#picture text")];
  const texts = found.map((text) => [text.textContent, text.getBoundingClientRect()]);
  const whole = document.getElementById("picture").getBoundingClientRect();
  const leaves = texts.filter(([, at]) => at.left < whole.left || at.right > whole.right || at.bottom > whole.bottom);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const over = texts.flatMap(([one, a], i) =>
    texts.slice(i + 1).flatMap(([two, b]) => (meet(a, b) ? [`${one} | ${two}`] : [])));
  return [...leaves.map(([text]) => text), ...over];
}"""
WIDE_NAMES = ("W" * 20, "Maximiliane Alexandr", *(f"Player number {i}" for i in range(7)))


def test_in_the_picture_every_throw_has_its_name_and_no_text_meets_another(page: Any):
    rows = marked_rows()
    open_night(page, write_night(rows, WIDE_NAMES))
    page.click("#tab-night")
    assert page.evaluate(UNFIT) == []
    names = page.locator("#picture text[transform]").all_text_contents()
    assert names[:3] == ["set-up", "1 blue", "1 black"]
    assert (len(names), names.count("set-up"), names.count("emptied")) == (len(rows), 2, 1)


def test_another_game_has_none_of_amerigos_words_in_its_picture(page: Any):
    rows = [
        f"{i},{0 if i % 9 == 5 else 6},{3 if i % 9 else 6},{'knock spilled' if i % 9 == 5 else ''}" for i in range(80)
    ]
    head = {"game": "free", "tower": "amerigo-club", "edge": 9, "colours": ["red"], "counts": [0]}
    head |= {"players": WIDE_NAMES, "date": "2026-11-28"}
    told = [f"{row},{WIDE_NAMES[i % 9]}" for i, row in enumerate(rows)]
    lines = [f"# tower_sim night 1 {json.dumps(head)}", "throw,thrown_red,out_red,mark,note", *told]
    open_night(page, "\n".join(lines))
    page.click("#tab-night")
    assert page.evaluate(UNFIT) == []
    assert page.locator("#picture text[transform]").count() == 80
    words = " ".join(page.locator("#panel").all_text_contents()).lower()
    assert "another game" in words
    for word in ("amerigo", "round", "set-up", "phase", "action", "points"):
        assert word not in words, word


def test_a_tower_of_ones_own_is_played_by_its_fast_model_or_else_by_physics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As `tower fit` writes it, a tower has no fast model; 8 games of physics take some 10 s."""
    mine = tmp_path / "mine.toml"
    mine.write_text(shipped()["amerigo"], "utf-8")
    monkeypatch.setattr(recording, "KEPT", tmp_path / "none.json")
    (tmp_path / "none.json").write_text("{}", "utf-8")
    shape = load(mine)
    assert recording.find_reference(load("amerigo"))["model"] == "surrogate"
    monkeypatch.setattr(recording, "GAMES", 8)
    found = recording.find_reference(shape)
    assert (found["model"], found["games"], len(found["setups"]["49"]), found["drops"]) == ("physics", 8, 64, (1, 35))
    fitted = fitted_or_shipped("amerigo")
    beside(mine).write_text(fitted.to_json(), "utf-8")
    assert recording.find_reference(shape)["model"] == "surrogate"
    beside(mine).write_text(replace(fitted, apparatus_digest="0" * 16).to_json(), "utf-8")
    with pytest.raises(UsageError, match="was fitted for another"):
        recording.find_reference(shape)


def test_a_tower_of_ones_own_comes_first_and_a_board_is_refused(tmp_path: Path):
    mine = tmp_path / "mine.toml"
    mine.write_text(shipped()["amerigo"], "utf-8")
    for tower, says in (("dead_reckoning", "one with a tray"), ("nowhere", "neither a shipped profile nor a file")):
        assert says in refusal("page", "record", "--tower", tower, "-o", str(tmp_path / "x.html"))
    names = [tower["name"] for tower in make_document([mine, "wallenstein"])["towers"]]
    assert names == ["mine", "wallenstein", "amerigo", "amerigo-club", "amerigo-rulebook"]


def head_of(page: Any) -> dict[str, Any]:
    return json.loads(page.evaluate("towerSim.csv()").splitlines()[0].removeprefix("# tower_sim night 1 "))


FAMILY, PERSIAN = "\U0001f469\u200d\U0001f467", "\u0646\u06cc\u0645\u200c\u0641\u0627\u0635\u0644\u0647"
NAMES = {  # what is typed: the players, and whether a name is not as it was typed
    "Ann; Bo": (["Ann", "Bo"], False),
    "A,B,C,D,E,F,G,H,Ninth": ([*"ABCDEFGH", "Ninth"], False),
    "Ann, Bo, Ann, Ann": (["Ann", "Bo", "Ann 2", "Ann 3"], True),
    "Maximiliane Alexandra I, Maximiliane Alexandra II": (["Maximiliane Alexandr", "Maximiliane Alexan 2"], True),
    f"{FAMILY}, {PERSIAN}\u060c Bo": ([FAMILY, PERSIAN, "Bo"], False),
    "\u200d, ,, A\u0000nn\u202e": (["A nn"], False),
    "e\u0301" * 21: (["e\u0301" * 20], True),
    "'=Ann, =Ann": (["=Ann", "=Ann 2"], True),
}


@each_case("typed", NAMES)
def test_each_player_who_was_typed_plays_or_is_told_of(page: Any, typed: str, tmp_path: Path):
    names, is_told = NAMES[typed]
    form(page)
    page.select_option("#game", "free")
    page.fill("#players", typed)
    written = page.inner_text("#players-read")
    assert written.startswith(f"{len(names)} player{'s' if len(names) > 1 else ''}: {names[0]}")
    assert all(name in written for name in names)
    assert ("at most 20 letters" in written) == is_told
    page.reload()
    form(page)
    assert page.inner_text("#players-read") == written  # kept before the night begins
    page.click("#begin")
    assert head_of(page)["players"] == names
    for _ in names:
        for tap in ("#in-red-1", "#done", "#out-red-0", "#done"):
            page.tap(tap)
    text = page.evaluate("towerSim.csv()")
    open_night(page, text)
    assert page.evaluate("towerSim.csv()") == text
    page.click("#tab-record")
    page.tap("#in-red-1")
    assert page.input_value("#who") == names[0]
    assert len(read_night(page, tmp_path)) == len(names)


def test_too_many_players_are_refused_before_the_night_begins(page: Any):
    page.fill("#players", ",".join(map(str, range(25))))
    assert page.inner_text("#players-read") == "25 players; a night has at most 24: leave some out."
    assert page.is_disabled("#begin")


def test_players_join_leave_and_are_renamed_later_and_keep_their_throws(page: Any):
    open_night(page, write_night(play_rows(6)[:6], ("Ann", "Bo", "Cy")))
    page.click("#tab-record")
    page.click("#change")
    page.fill("#player-1", "Bo")
    page.fill("#player-2", "Ann")
    page.fill("#player-3", "")
    page.fill("#players", "Dee; Ann")
    assert page.inner_text("#players-read") == (
        "4 players: Bo, Ann, Dee and Ann 2. Each name is there once, with at most 20 letters."
    )
    page.click("#change-now")
    assert head_of(page)["players"] == ["Bo", "Ann", "Dee", "Ann 2"]
    rows = page.evaluate("towerSim.csv()").splitlines()[2:]
    assert [row.split(",")[-1] for row in rows] == ["Bo", "Ann", "Cy"] * 2
    page.click("#tab-night")
    assert [row.split("\t")[0] for row in page.inner_text("#luck tbody").splitlines()] == ["Bo", "Ann", "Cy"]
    page.click("#tab-record")
    page.click("#change")
    assert (page.input_value("#player-3"), page.input_value("#players")) == ("Dee", "")
    page.click("#back")
    page.click("#undo")
    assert head_of(page)["players"] == ["Ann", "Bo", "Cy"]


def test_another_game_has_colours_of_its_own_and_only_those(page: Any, tmp_path: Path):
    page.select_option("#game", "free")
    for colour in ("blue", "black", "brown", "green", "yellow", "white", "purple"):
        page.tap(f"#colour-{colour}")
    page.fill("#colours", "Pink; pink, red, zinnober")
    assert page.inner_text("#colours-read") == "3 colours: red, pink and zinnober."
    page.click("#begin")
    for tap in ["in-pink-4", "in-red-2", "done", "out-pink-1", "done"]:
        page.tap(f"#{tap}")
    assert [row.inside for row in read_night(page, tmp_path)] == [{"red": 2, "pink": 3, "zinnober": 0}]
    assert axe_violations(page) == []
    page.click("#change")
    page.tap("#colour-white")
    page.fill("#colours", "zinnober")
    page.click("#change-now")
    assert page.inner_text("#trouble").startswith("The night has pink cubes. Choose a game with these colours")
    page.fill("#colours", "pink")
    page.click("#change-now")
    assert [row.inside for row in read_night(page, tmp_path)] == [{"red": 2, "white": 0, "pink": 3}]


def test_edge_and_count_of_any_tower_are_told(page: Any):
    page.select_option("#tower", "wallenstein")
    page.fill("#edge", "8.5")
    page.fill("#cubes", "6")
    page.click("#begin")
    head = head_of(page)
    assert (head["tower"], head["edge"], head["counts"]) == ("wallenstein", 8.5, [6] * 7)
    page.click("#change")
    assert (page.input_value("#edge"), page.input_value("#cubes")) == ("8.5", "6")
    page.fill("#edge", "")
    page.fill("#cubes", "7")
    page.click("#change-now")
    head = head_of(page)
    assert (head["edge"], head["counts"]) == (10, [7] * 7)
    assert page.inner_text("#side-in") == "In: all 49"
    page.tap("#out-red-7")
    page.tap("#done")
    assert page.inner_text("#expected").startswith("The model expected ")


def test_a_wrong_game_and_tower_are_changed_after_the_night_began(page: Any, tmp_path: Path):
    page.select_option("#game", "free")
    page.click("#begin")
    for tap in (
        [f"in-{colour}-7" for colour in COLOURS]
        + ["done"]
        + [
            *(f"out-{colour}-6" for colour in COLOURS),
            *["done", "in-blue-1", "done", "done"],
        ]
    ):
        page.tap(f"#{tap}")
    page.click("#change")
    page.select_option("#game", "amerigo")
    page.select_option("#tower", "amerigo-club")
    page.click("#change-now")
    rows = read_night(page, tmp_path)
    assert [(row.is_free, [*row.thrown], row.marks) for row in rows] == [
        (False, [*COLOURS], ()),
        (False, [*COLOURS], ("miscount",)),
    ]
    assert page.inner_text("#due") == "Round 1 of 5, black"
    page.click("#tab-tower")
    assert page.input_value("#like") == "amerigo-club"
    page.click("#tab-record")
    page.click("#change")
    page.select_option("#game", "free")
    page.click("#change-now")
    assert page.inner_text("#due") == "Throw 3"
    assert [row.is_free for row in read_night(page, tmp_path)] == [True, True]


def test_a_night_begins_in_the_middle_of_a_game(page: Any, tmp_path: Path):
    page.fill("#players", "Ann, Bo")
    page.click("#begin-inside")
    for tap in ("inside-blue-3", "inside-red-2", "inside-white-4"):
        page.tap(f"#{tap}")
    page.select_option("#next", label="Round 3 of 5, red")
    page.evaluate("towerSim.settled()")
    page.reload()
    assert page.inner_text("#done") == "Done: 9 inside"
    assert axe_violations(page) == []
    page.tap("#done")
    assert (page.inner_text("#due"), page.inner_text("#side-in")) == ("Round 3 of 5, red", "In: 5 red")
    page.tap("#out-white-1")
    page.tap("#done")
    assert page.inner_text("#expected").startswith("The model expected ")
    assert page.inner_text("#due") == "Round 3 of 5, brown"
    page.tap("#out-blue-1")  # half a throw is told, then it is seen that throws are missing
    tap_event(page, "#recount")
    page.tap("#inside-red-0")
    page.select_option("#next", label="Round 4 of 5, blue")
    page.tap("#done")
    assert (page.inner_text("#due"), page.inner_text("#done")) == ("Round 4 of 5, blue", "Done: 1 out")
    text, rows = page.evaluate("towerSim.csv()"), read_night(page, tmp_path)
    assert [(row.marks, sum(row.inside.values())) for row in rows] == [(("recount",), 9), ((), 13), (("recount",), 6)]
    assert [line.split(",")[-1] for line in text.splitlines()[2:]] == ["phase 17", "Ann", "phase 22"]
    open_night(page, text)
    assert page.evaluate("towerSim.csv()") == text
    page.click("#throws li:nth-child(1) button")
    page.tap("#inside-red-3")
    page.tap("#done")
    assert sum(read_night(page, tmp_path)[1].inside.values()) == 13  # nobody counted what went in: 4 red now
    page.click("#tab-record")
    page.click("#change")
    page.select_option("#game", "free")
    page.click("#change-now")
    assert [sum(row.inside.values()) for row in read_night(page, tmp_path)] == [10, 13, 6]


def test_another_game_begins_with_cubes_inside(page: Any, tmp_path: Path):
    page.select_option("#game", "free")
    page.click("#begin-inside")
    for tap in ["inside-red-7", "inside-red-7", "done", "in-blue-2", "done", "out-red-7", "out-red-7", "done"]:
        page.tap(f"#{tap}")
    rows = read_night(page, tmp_path)
    assert [(row.is_free, row.marks) for row in rows] == [(True, ("recount",)), (True, ())]
    assert [(row.inside["red"], row.inside["blue"]) for row in rows] == [(8, 0), (0, 2)]
