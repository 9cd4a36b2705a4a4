"""How fast the replay page draws in a browser without a graphics processor, how large it is, how soon it is there.

python -m calibration.validation.pages [--document FILE.html] [--seconds 4] [--level 2]
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from calibration.validation.script import option, script
from tests.support.browser import BROWSER
from tests.support.replays import tower_replay
from tower_sim.errors import UsageError
from tower_sim.web.replay import page_text

_WIDTH, _HEIGHT = 800, 600
_PLAY = """() => {
  const { style } = document.querySelector(".picture");
  [style.width, style.height, style.flex] = ["WIDTHpx", "HEIGHTpx", "none"];
  const speed = document.getElementById("speed");
  speed.value = "0.1";
  speed.dispatchEvent(new Event("change"));
  towerSim.seek(0);
  towerSim.play();
}""".replace("WIDTH", str(_WIDTH)).replace("HEIGHT", str(_HEIGHT))
_GAPS = """milliseconds => new Promise(done => {
  const gaps = [];
  let last = performance.now();
  const end = last + milliseconds;
  const next = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(next); else done(gaps);
  };
  requestAnimationFrame(next);
})"""
_FIRST = "() => performance.getEntriesByName('tower')[0].startTime"


def measure(document: Path, seconds: float, level: int) -> None:
    from playwright.sync_api import sync_playwright

    print(f"{document.stat().st_size} bytes; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--enable-unsafe-swiftshader"])
        firsts = [_first(browser, document) for _ in range(5)]
        print(f"first picture after {np.median(firsts):.0f} ms (median of {len(firsts)}, from {min(firsts):.0f})")
        page = browser.new_context(viewport={"width": 1200, "height": 830}).new_page()
        page.goto(document.resolve().as_uri())
        page.wait_for_function("() => window.towerSim?.isWhole")
        length, computed = page.evaluate("[towerSim.duration, performance.now() / 1000]")
        print(f"{length:.1f} s of replay are computed after {computed:.2f} s")
        page.evaluate("level => { towerSim.level = level; }", level)
        for _ in range(3):
            page.evaluate(_PLAY)
            before = page.evaluate("towerSim.frames")
            gaps = np.array(page.evaluate(_GAPS, 1000 * seconds))
            drawn = page.evaluate("towerSim.frames") - before
            print(
                f"{1000 * drawn / gaps.sum():.1f} pictures a second, {np.median(gaps):.1f} ms from one to the next "
                f"(median of {len(gaps)}; 95 % under {np.quantile(gaps, 0.95):.1f} ms)"
            )
        browser.close()


def _first(browser: Any, document: Path) -> float:
    page = browser.new_context(viewport={"width": 1200, "height": 830}).new_page()
    page.goto(document.resolve().as_uri())
    page.wait_for_function("() => performance.getEntriesByName('tower').length")
    found = page.evaluate(_FIRST)
    page.context.close()
    return float(found)


def run(document: Path | None, seconds: float, level: int) -> None:
    if not BROWSER:
        raise UsageError("no browser was found; allowed is Chromium; install it, or name it in TOWER_SIM_BROWSER")
    with tempfile.TemporaryDirectory() as folder:
        if document is None:
            document = Path(folder) / "replay.html"
            document.write_text(page_text(tower_replay()), "utf-8")
        measure(document, seconds, level)


main = script(
    __doc__,
    run,
    option("--document", type=Path, help="a page that `page replay` wrote"),
    option("--seconds", type=float, default=4.0),
    option("--level", type=int, default=2, help="how coarsely: 0 (still pictures) to 4; 2 is for no GPU"),
)

if __name__ == "__main__":
    raise SystemExit(main())
