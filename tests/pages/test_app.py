"""A page from a server is an app that opens without a network; the text of a link goes to the phone's own sheet."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from support.browser import PAGES, PHONE, Watched, browsing

from tower_sim.calibration.recording import make_document
from tower_sim.web import live_page, read_built

pytestmark = PAGES
SHARE = "window.shared = []; navigator.share = async (what) => void shared.push(what)"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A folder of a server with the live page and what keeps it."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "live.html").write_text(live_page(["amerigo"], None, {"record": make_document()}), "utf-8")
    (folder / "offline.js").write_text(read_built("offline.js"), "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/live.html"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def phone() -> Iterator[Watched]:
    with browsing(390, 844, webgl=True, offline=False, reduced_motion="reduce", **PHONE) as watched:
        watched.page.add_init_script(SHARE)
        yield watched


def begin_night(page: Any) -> None:
    page.click("#begin")
    page.click("#out-blue-2")
    page.click("#done")
    page.evaluate("towerSim.settled()")


def test_a_night_begins_from_the_home_screen_without_a_network(phone: Watched, url: str):
    page = phone.page
    page.goto(f"{url}#record")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert (manifest["manifest"]["startUrl"], manifest["manifest"]["name"]) == (f"{url}#record", "Game night")
    page.context.set_offline(True)
    page.goto("about:blank")
    page.goto(f"{url}#record")
    begin_night(page)
    assert page.inner_text("#last-head") == "Set-up: 2 out"
    page.click("header a")
    page.wait_for_function("() => window.towerSim?.profile")
    page.click("#throw")
    page.wait_for_function("() => Object.values(towerSim.counts()).some(({ inside, out }) => inside + out)")
    assert phone.wrong == []


def test_the_link_of_a_night_goes_to_the_sheet_of_the_phone(phone: Watched, url: str):
    page = phone.page
    page.goto(f"{url}#record")
    begin_night(page)
    page.click("#share")
    page.wait_for_function("() => document.getElementById('share-link').value")
    page.click("#share-send")
    assert page.evaluate("shared") == [{"text": page.input_value("#share-link")}]  # of this computer alone: no address


def test_a_file_stays_one_file(tmp_path: Path):
    (tmp_path / "live.html").write_text(live_page(["amerigo"]), "utf-8")
    with browsing(390, 844, webgl=True) as watched:
        page = watched.open(tmp_path / "live.html")
        page.wait_for_function("() => window.towerSim")
        assert page.locator("link").count() == 0
        watched.check()
