"""Measure in Chromium how fast and how large the pages lab, live and replay are: docs/lab.md, live.md and replay.md.

    python -m calibration.validation.pages lab
    python -m calibration.validation.pages live --repeats 10
    python -m calibration.validation.pages replay

Each opens the page with all that ships, `--repeats` times, and prints medians with the least and the
greatest. Times are by the clock, so run it on a machine that does nothing else. Without a graphics card the processor
draws.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibration.validation.script import option, print_table, script
from tests.support.browser import BROWSER, browsing
from tests.support.replays import tower_replay
from tower_sim.errors import UsageError
from tower_sim.web import lab_page, live_page
from tower_sim.web.replay import page_text

_FIRST = "() => performance.getEntriesByName('tower')[0]?.startTime"
_GAPS = """(goesOn) => new Promise((done) => {
  const [gaps, until] = [[], eval(goesOn)];
  let last = performance.now();
  const look = (at) => {
    gaps.push(at - last);
    last = at;
    if (until(gaps)) requestAnimationFrame(look);
    else done(gaps.slice(1));
  };
  requestAnimationFrame(look);
})"""
_SLIDER = """async () => {
  const start = performance.now();
  const slider = document.querySelector("#controls input[type=range]");
  slider.value = Number(slider.value) === 7 ? 8 : 7;
  slider.dispatchEvent(new Event("input"));
  const wanted = JSON.stringify(towerSim.state().a);
  let first = 0;
  for (;;) {
    const found = towerSim.result();
    if (JSON.stringify(found.a) === wanted) {
      first ||= performance.now() - start;
      if (found.done === found.games) return [first / 1000, (performance.now() - start) / 1000];
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}"""
_FIND = """async () => {
  towerSim.choose({ b: null });
  const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
  while (towerSim.result().b || towerSim.result().done < towerSim.result().games) await wait();
  const [start, before] = [performance.now(), towerSim.found()];
  document.getElementById("wish-find").click();
  while (!towerSim.found() || towerSim.found() === before) await wait();
  return (performance.now() - start) / 1000;
}"""
_SET_UP = "profile=amerigo&seed=7&throw=" + ",".join(
    f"{colour}:7" for colour in ("blue", "black", "red", "brown", "green", "yellow", "white")
)
_PLAY = """() => {
  const { style } = document.querySelector(".picture");
  [style.width, style.height, style.flex] = ["800px", "600px", "none"];
  const speed = document.getElementById("speed");
  speed.value = "0.1";
  speed.dispatchEvent(new Event("change"));
  towerSim.level = 2;
  towerSim.seek(0);
  towerSim.play();
}"""


def lab(page: Any) -> dict[str, float]:
    page.wait_for_function("() => window.towerSim?.result()?.done === 20000")
    first, last = page.evaluate(_SLIDER)
    found = page.evaluate(_FIND)
    return {
        "slider to the first result, s": first,
        "slider to all 20,000 games, s": last,
        "Find me rules to the answer, s": found,
    }


def live(page: Any) -> dict[str, float]:
    """Throw 49 cubes; a picture later than 1.5 times the usual time of a still page is a missed one."""
    page.wait_for_function("() => window.towerSim")
    ready = page.evaluate("performance.now()")
    usual = float(np.median(page.evaluate(_GAPS, "(gaps) => gaps.length < 60")))
    page.evaluate("hash => { location.hash = hash; }", _SET_UP)
    page.wait_for_function("() => towerSim.moves")
    gaps = np.array(page.evaluate(_GAPS, "() => towerSim.moves"))
    missed = np.round(gaps / usual - 1).clip(0)[gaps > 1.5 * usual].sum()
    return {
        "first picture, ms": page.evaluate(_FIRST),
        "physics ready, ms": ready,
        "a picture of a still page, ms": usual,
        "a picture while 49 cubes move, ms": float(np.median(gaps)),
        "pictures missed while they move, %": 100 * float(missed / (missed + len(gaps))),
    }


def replay(page: Any) -> dict[str, float]:
    page.wait_for_function("() => window.towerSim?.isWhole")
    length, computed = page.evaluate("[towerSim.duration, performance.now() / 1000]")
    page.evaluate(_PLAY)
    before = page.evaluate("towerSim.frames")
    seconds = sum(page.evaluate(_GAPS, "(gaps) => gaps.reduce((sum, gap) => sum + gap, 0) < 4000")) / 1000
    return {
        "first picture, ms": page.evaluate(_FIRST),
        "length of the replay, s": length,
        "all of it computed, s": computed,
        "pictures a second, 800 by 600 pixels": (page.evaluate("towerSim.frames") - before) / seconds,
    }


PAGES: Mapping[str, tuple[Callable[[], str], Callable[[Any], dict[str, float]]]] = {
    "lab": (lab_page, lab),
    "live": (live_page, live),
    "replay": (lambda: page_text(tower_replay()), replay),
}


def measure(name: str, repeats: int, document: Path | None) -> None:
    if not BROWSER:
        raise UsageError("no browser was found; allowed is Chromium; install it, or name it in TOWER_SIM_BROWSER")
    text, watch = PAGES[name]
    found: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = document or Path(folder) / "page.html"
        if document is None:
            file.write_text(text(), "utf-8")
        print(f"{file.stat().st_size} bytes; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
        with browsing(1200, 830, webgl=name == "live") as browser:
            for _ in range(repeats):
                with browser.another(1200, 830) as watched:
                    watched.page.goto(file.resolve().as_uri())
                    found.append(watch(watched.page))
    by_name = {key: [each[key] for each in found] for key in found[0]}
    rows = ((key, f"{statistics.median(of):.3g}", f"{min(of):.3g} to {max(of):.3g}") for key, of in by_name.items())
    print_table([f"n = {repeats}", "median", "least to greatest"], rows)


main = script(
    __doc__,
    measure,
    option("name", choices=[*PAGES]),
    option("--repeats", type=int, default=7, help="how often (default: 7)"),
    option("--document", type=Path, help="a page that `tower-sim page` wrote, such as a longer replay"),
)

if __name__ == "__main__":
    raise SystemExit(main())
