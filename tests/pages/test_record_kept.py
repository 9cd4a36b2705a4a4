"""The night that a browser keeps: its process killed, its store emptied, two tabs. About 30 s."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.browser import BROWSER, PAGES, Watched, browsing
from support.cases import each_case

from tower_sim import cli

pytestmark = PAGES

PHONE: dict[str, Any] = {"width": 390, "height": 844, "has_touch": True}
EMPTIED = "The browser emptied its store while the page was open. The page wrote the night there again."
DELETE = "() => new Promise((done) => (indexedDB.deleteDatabase('tower-sim').onsuccess = done))"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("record") / "night.html"
    assert cli.main(["page", "record", "-o", str(output)]) == 0
    return output


@pytest.fixture(scope="module")
def browser() -> Iterator[Watched]:
    with browsing(**PHONE) as watched:
        yield watched


@pytest.fixture
def watched(browser: Watched, file: Path) -> Iterator[Watched]:
    """The page in a browser that keeps nothing yet, a game begun."""
    with browser.another(**PHONE) as watched:
        watched.page.goto(file.resolve().as_uri())
        watched.page.click("#begin")
        yield watched
        watched.check()


@contextmanager
def open_profile(folder: Path, file: Path) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    """Give a browser's process, whose profile is a folder, and the page in it."""
    from playwright.sync_api import sync_playwright

    port = folder / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    process = subprocess.Popen([BROWSER, *options, "about:blank"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            if port.is_file() and "\n" in port.read_text("utf-8"):
                break
            time.sleep(0.1)
        with sync_playwright() as tools:
            browser = tools.chromium.connect_over_cdp(f"http://127.0.0.1:{port.read_text('utf-8').split()[0]}")
            page = browser.contexts[0].new_page()
            page.goto(file.resolve().as_uri())
            page.wait_for_selector("#begin, #done")
            yield process, page
    finally:
        process.kill()
        process.wait()


def read_cubes(text: str) -> int:
    """Return the cubes of `In: 8 blue`."""
    words = text.removeprefix("In: ").split()
    return 0 if words == ["none"] else int(words[0])


def test_a_browser_killed_in_quick_tapping_keeps_all_that_was_shown(tmp_path: Path, file: Path):
    """Each tap adds a cube; what is shown is written down outside of the browser at once."""
    shown, seen = 0, list[str]()
    for _ in range(2):
        with open_profile(tmp_path, file) as (process, page):
            if page.query_selector("#begin"):
                page.select_option("#game", "free")
                page.click("#begin")
                page.click("#in-blue-7")
                page.wait_for_selector("#in-blue-7[aria-pressed=true]")
            assert read_cubes(page.inner_text("#side-in")) >= shown
            page.expose_function("see", lambda text: seen.append(text))
            page.evaluate(
                "() => new MutationObserver(() => see(document.getElementById('side-in').textContent))"
                ".observe(document.getElementById('side-in'), { characterData: true, childList: true, subtree: true })"
            )
            page.evaluate("() => void setInterval(() => document.getElementById('in-blue-7').click(), 100)")
            while not seen or read_cubes(seen[-1]) < shown + 6:
                page.wait_for_timeout(20)
            process.send_signal(signal.SIGKILL)
            process.wait()
        shown = read_cubes(seen[-1])
    with open_profile(tmp_path, file) as (_, page):
        assert read_cubes(page.inner_text("#side-in")) >= shown


def clear_data(page: Any) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"})


@each_case(
    "empty",
    [
        clear_data,
        lambda page: page.evaluate("localStorage.clear()"),
        lambda page: page.evaluate(DELETE),
        lambda page: (page.evaluate("localStorage.clear()"), page.evaluate(DELETE)),
    ],
    ids=lambda empty: empty.__name__,
)
def test_a_store_emptied_while_the_page_is_open_is_filled_again(watched: Watched, empty: Any):
    page = watched.page
    page.tap("#out-blue-3")
    page.evaluate("towerSim.settled()")
    empty(page)
    page.tap("#out-red-2")
    page.wait_for_function("says => document.getElementById('trouble').textContent.startsWith(says)", arg=EMPTIED)
    assert page.inner_text("#done") == "Done: 5 out"
    page.reload()
    page.wait_for_selector("#done")
    assert (page.inner_text("#done"), page.inner_text("#trouble")) == ("Done: 5 out", "")
    page.evaluate("localStorage.clear()")  # the database holds it too
    page.reload()
    page.wait_for_selector("#done")
    assert page.inner_text("#done") == "Done: 5 out"


def test_two_tabs_and_an_emptied_store_lose_neither_night(watched: Watched, file: Path):
    """A night begun in a second tab, in the emptied store, lies under the first one: Undo comes to it."""
    page = watched.page
    page.tap("#out-blue-3")
    page.evaluate("towerSim.settled()")
    night = page.evaluate("localStorage.getItem('tower-sim:night')")
    assert night
    other = page.context.new_page()
    other.goto(file.resolve().as_uri())
    night = night.replace('"tower":"amerigo"', '"tower":"mine"')
    other.evaluate("night => localStorage.setItem('tower-sim:night', night)", night)
    page.tap("#out-red-2")
    page.evaluate("towerSim.settled()")
    assert page.inner_text("#done") == "Done: 5 out"
    for _ in range(3):
        page.click("#undo")
    page.evaluate("towerSim.settled()")
    assert '"tower":"mine"' in page.evaluate("towerSim.csv()").splitlines()[0]
    assert page.inner_text("#done") == "Done: 3 out"
    other.close()


def test_a_slow_database_loses_no_night(watched: Watched):
    """The page waits a second for it, then begins; the night is there when it comes."""
    slow = "setTimeout(() => (globalThis.isFast = true), 2500);" + (
        "IDBFactory.prototype.open = ((open) => function (...more) { const asked = {}; setTimeout(() => {"
        " const real = open.apply(this, more); for (const name of ['onsuccess', 'onerror', 'onupgradeneeded'])"
        " real[name] = (event) => { asked.result = real.result; asked[name]?.(event); }; },"
        " globalThis.isFast ? 0 : 2500); return asked; })(IDBFactory.prototype.open);"
    )
    page = watched.page
    page.tap("#out-blue-3")
    page.evaluate("towerSim.settled()")
    page.evaluate("localStorage.clear()")
    page.add_init_script(slow)
    page.reload()
    page.wait_for_selector("#begin", timeout=2400)
    page.wait_for_selector("#done")
    assert page.inner_text("#done") == "Done: 3 out"


def test_it_asks_the_browser_to_keep_the_night_and_says_if_it_keeps_nothing(browser: Watched, file: Path):
    persists = "navigator.storage.persist = async () => { window.asked = (window.asked ?? 0) + 1; return true; };"
    keeps_nothing = (
        "for (const name of ['localStorage', 'indexedDB']) "
        "Object.defineProperty(window, name, { get() { throw new Error('kept from pages'); } });"
    )
    with browser.another(**PHONE, script=persists) as watched:
        watched.page.goto(file.resolve().as_uri())
        watched.page.wait_for_selector("#begin")
        assert watched.page.evaluate("window.asked") is None
        watched.page.click("#begin")
        watched.page.tap("#out-blue-3")
        assert watched.page.evaluate("window.asked") == 1
    with browser.another(**PHONE, script=keeps_nothing) as watched:
        watched.page.goto(file.resolve().as_uri())
        watched.page.click("#begin")
        watched.page.wait_for_selector("#trouble:not(:empty)")
        assert watched.page.inner_text("#trouble").startswith("This browser keeps nothing for the page.")
        watched.page.tap("#out-blue-3")
        watched.page.evaluate("towerSim.settled()")
        assert watched.page.inner_text("#done") == "Done: 3 out"
