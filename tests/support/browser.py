"""A real browser without a window, where one is installed: pages from files, no network, nothing unnoticed."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = os.environ.get("TOWER_SIM_BROWSER") or next((path for name in _NAMES if (path := shutil.which(name))), "")
NODE_MODULES = os.environ.get("TOWER_SIM_NODE_MODULES", "")

PAGES = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not BROWSER or importlib.util.find_spec("playwright") is None,
        reason="no browser: install Chromium (apt-get install chromium) and playwright, or name one in "
        "TOWER_SIM_BROWSER",
    ),
]
"""The marks of a test that needs a browser."""
_FLAT = ["--no-sandbox", "--disable-gpu"]
_SOFTWARE = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"]


PHONE: dict[str, Any] = {"has_touch": True, "is_mobile": True}
NO_WASM = "delete window.WebAssembly"
NO_WORKER = "window.Worker = function () { throw new Error('none here'); };"
NO_WEBGL = """HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...more) {
  return kind === "webgl2" ? null : get.call(this, kind, ...more);
})(HTMLCanvasElement.prototype.getContext);"""


def needs_browser(test: Callable[..., None]) -> Callable[..., None]:
    for mark in PAGES:
        test = mark(test)
    return test


FORGET = "Storage.prototype.setItem = () => {}; localStorage.clear(); sessionStorage.clear()"
"""Empties the stores of a page, which writes nothing more before it is loaded again."""


class Watched:
    """A page in a browser, and what went wrong there: messages on its console, errors, requests that it made."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning") and "GPU stall due to ReadPixels" not in message.text:
            self.wrong.append(f"{message.type}: {message.text}")

    def open(self, path: Path, hash: str = "") -> Any:
        self.page.goto(path.resolve().as_uri() + hash)
        if self.page.evaluate("localStorage.length + sessionStorage.length"):  # what an earlier test chose and threw
            self.page.evaluate(FORGET)
            self.page.reload()
        return self.page

    @property
    def left(self) -> list[str]:
        """The requests that left the page: all but files it was opened from, and what it made itself."""
        return [url for url in self.requests if not url.startswith(("file:", "blob:", "data:"))]

    @contextmanager
    def another(self, width: int, height: int, script: str = "", **more: Any) -> Iterator[Watched]:
        """Give a page of another context of the same browser, in which a script runs before those of a page."""
        context = self.page.context.browser.new_context(
            viewport={"width": width, "height": height}, **{"offline": True, **more}
        )
        if script:
            context.add_init_script(script)
        yield Watched(context.new_page())
        context.close()

    def check(self) -> None:
        """Raise AssertionError for anything on the console and any request that left the page."""
        wrong, self.wrong = self.wrong, []  # the next test has its own
        assert not wrong, "\n".join(wrong)
        assert not self.left, self.left


@contextmanager
def browsing(width: int = 1280, height: int = 800, *, webgl: bool = False, **more: Any) -> Iterator[Watched]:
    """Give a new page of a new browser; `more` are playwright's options of a context, such as `has_touch`.

    `webgl` is for pages that draw in three dimensions: done by the processor it slows every picture of any page.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=BROWSER, args=_SOFTWARE if webgl else _FLAT)
        try:
            context = browser.new_context(viewport={"width": width, "height": height}, **{"offline": True, **more})
            yield Watched(context.new_page())
        finally:
            browser.close()


def axe_violations(page: Any) -> list[str]:
    """Return what axe-core finds wrong with a page, a line each; skips the test where axe-core is not installed."""
    source = Path(NODE_MODULES) / "axe-core" / "axe.min.js"
    if not NODE_MODULES or not source.is_file():
        pytest.skip("no axe-core: npm install axe-core, and name its node_modules in TOWER_SIM_NODE_MODULES")
    page.evaluate(source.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{each['id']}: {each['help']}: {[node['html'] for node in each['nodes']][:3]}" for each in found]


def wait_for_picture(page: Any) -> None:
    """Wait until what was asked for so far is in a picture: pages draw in the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def saved(page: Any, button: str) -> Any:
    """Click a button that saves a file; return the download."""
    with page.expect_download() as download:
        page.click(button)
    return download.value


@contextmanager
def clean(browser: Watched, file: Path, settled: Callable[[Any], None], hash: str = "", tab: str = "") -> Iterator[Any]:
    """Give a page opened anew in a browser that tests share, at a tab, settled; no script of a name may run on it."""
    browser.page.goto("about:blank")
    found = browser.open(file, hash)
    if tab:
        found.click(tab)
    settled(found)
    yield found
    assert found.evaluate("window.hit") is None
    browser.check()
