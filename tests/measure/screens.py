"""The pictures of the pages in README and documents: a game falling, a tower to play with, and the lab.

python -m tests.measure.screens [-o docs/images]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.measure.script import ended
from tests.support.browser import BROWSER
from tower_sim.cli import main as tower_sim
from tower_sim.errors import UsageError

_WAIT = 60_000  # ms


def screens(folder: Path) -> None:
    """Write `replay.png`, `battle_replay.png`, `live.png` and `lab.png` into `folder`."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as made, sync_playwright() as tools:
        game, battle, live, lab = (Path(made) / f"{name}.html" for name in ("game", "battle", "live", "lab"))
        tower_sim(["play", "amerigo", "--seed", "7", "--replay", str(game)])
        tower_sim(["battle", "--cubes", "purple=6,green=4", "--seed", "7", "--replay", str(battle)])
        tower_sim(["live", "-o", str(live)])
        tower_sim(["lab", "-o", str(lab)])
        browser = tools.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--enable-unsafe-swiftshader"])
        _replay(browser, game, 0.42, 2, folder / "replay.png")
        _replay(browser, battle, 0.55, 0, folder / "battle_replay.png")
        _live(browser, live, folder / "live.png")
        _lab(browser, lab, folder / "lab.png")
        browser.close()


def _opened(browser: Any, page: Path, height: int, link: str = "") -> Any:
    opened = browser.new_context(viewport={"width": 1180, "height": height}, reduced_motion="reduce").new_page()
    opened.goto(page.as_uri() + link)
    opened.wait_for_function("() => window.towerSim", timeout=_WAIT)
    return opened


def _replay(browser: Any, page: Path, seconds: float, nearer: int, picture: Path) -> None:
    """Take a picture of a replay, stopped `seconds` after its beginning, so many steps nearer than it begins."""
    opened = _opened(browser, page, 720)
    opened.evaluate("seconds => { towerSim.pause(); towerSim.level = 0; towerSim.seek(seconds); }", seconds)
    for _ in range(nearer):
        opened.keyboard.press("+")
    opened.wait_for_timeout(1500)
    opened.screenshot(path=str(picture))
    print(picture)


def _live(browser: Any, page: Path, picture: Path) -> None:
    """Take a picture of the live page: a throw lies in the tray and inside, the next one hangs over the funnel."""
    opened = _opened(browser, page, 720, "#profile=amerigo&seed=7&throw=blue:4,red:4,green:4")
    opened.wait_for_function("() => document.body.innerText.includes('came out')", timeout=_WAIT)
    for key in "1335567":
        opened.keyboard.press(key)
    opened.wait_for_timeout(1500)
    opened.screenshot(path=str(picture))
    print(picture)


def _lab(browser: Any, page: Path, picture: Path) -> None:
    """Take a picture of the lab, with a second variant of eight cubes a colour."""
    opened = _opened(browser, page, 720)
    opened.get_by_label("Compare with a second variant").check()
    slider = opened.get_by_label("Cubes of every colour")
    slider.focus()
    slider.press("ArrowRight")
    opened.wait_for_timeout(15_000)
    opened.evaluate("() => document.activeElement.blur()")
    opened.screenshot(path=str(picture))
    print(picture)


def main(arguments: list[str] | None = None) -> None:
    """Make the pictures."""
    parser = argparse.ArgumentParser(prog="screens", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/images"))
    options = parser.parse_args(arguments)
    if not BROWSER:
        raise UsageError("no browser was found; allowed is Chromium; install it, or name it in TOWER_SIM_BROWSER")
    screens(options.output)


if __name__ == "__main__":
    sys.exit(ended("screens", main))
