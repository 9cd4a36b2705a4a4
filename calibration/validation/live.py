"""How fast the live page is: its size, when the tower is first seen, the pictures of a pour of 49 cubes.

python -m calibration.validation.live [--opened 10]

Opens the page with all that ships in Chromium, each time in a new context: the time from the beginning of the
navigation to the first picture of the tower, and to the physics being ready. In each it then throws 49 cubes and looks
at the time between two pictures while they move: one that comes later than after 1.5 times the usual (the median of
the still page's) is a missed one. Prints medians, with 95 % bootstrap intervals, and what draws: without a graphics
card that is the processor, which also runs the physics.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from calibration.validation.script import option, print_table, script
from tests.support.browser import browsing
from tower_sim.web.live import live_page

_GAPS = """(until) => new Promise((done) => {
  const gaps = [];
  let last = null;
  const look = (at) => {
    if (last !== null) gaps.push(at - last);
    last = at;
    if (until ? towerSim.moves : gaps.length < 60) requestAnimationFrame(look);
    else done(gaps);
  };
  requestAnimationFrame(look);
})"""
_RENDERER = """() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return gl ? gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "no WebGL 2";
}"""
_SET_UP = "profile=amerigo&seed=7&throw=" + ",".join(
    f"{colour}:7" for colour in ("blue", "black", "red", "brown", "green", "yellow", "white")
)


def open_page(page: Any, file: Path) -> dict[str, float]:
    """Open the page and throw; returns ms to the first picture and to readiness, ms a picture, percent missed."""
    page.goto(file.as_uri())
    page.wait_for_function("() => window.towerSim")
    ready = page.evaluate("performance.now()")
    (first,) = page.evaluate("performance.getEntriesByName('tower').map((mark) => mark.startTime)")
    usual = float(np.median(page.evaluate(_GAPS, False)))
    page.evaluate("hash => { location.hash = hash; }", _SET_UP)
    page.wait_for_function("() => towerSim.moves")
    gaps = np.array(page.evaluate(_GAPS, True))
    missed = np.round(gaps / usual - 1).clip(0)[gaps > 1.5 * usual].sum()
    return {
        "first picture, ms": first,
        "physics ready, ms": ready,
        "between two pictures of a still page, ms": usual,
        "between two pictures while 49 cubes move, ms": float(np.median(gaps)),
        "pictures missed while they move, %": 100 * float(missed / (missed + len(gaps))),
    }


def measure(opened: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tower.html"
        file.write_text(live_page(), "utf-8")
        found: list[dict[str, float]] = []
        renderer = ""
        for _ in range(opened):
            with browsing(webgl=True) as watched:
                found.append(open_page(watched.page, file))
                renderer = watched.page.evaluate(_RENDERER)
        print(f"{file.stat().st_size} bytes; drawn by {renderer}; opened {opened} times\n")

    def row(name: str) -> Sequence[str]:
        values = np.array([each[name] for each in found])
        interval = bootstrap((values,), np.median, method="percentile", rng=np.random.default_rng(1))
        low, high = interval.confidence_interval
        return name, f"{np.median(values):.1f}", f"{low:.1f} to {high:.1f}"

    print_table(["median", "", "95 %"], map(row, found[0]))


main = script(__doc__, measure, option("--opened", type=int, default=10, help="how many times (default: 10)"))

if __name__ == "__main__":
    raise SystemExit(main())
