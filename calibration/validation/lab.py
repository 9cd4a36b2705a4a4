"""How fast the tower lab plays whole games: in node, and in a browser's worker, with the page that is made now.

    python -m calibration.validation.lab

Prints processor seconds of one core for node (several repeats: mean and standard error), and for the page seconds by
the clock from the change of a slider to the first result and to the last; so run it on a machine
that does nothing else.
"""

from __future__ import annotations

import json
import math
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calibration.validation.script import option, script
from tests.support.browser import BROWSER, browsing
from tower_sim.apparatus.catalogue import load
from tower_sim.errors import UsageError
from tower_sim.surrogate.export import document, js_text
from tower_sim.surrogate.store import shipped
from tower_sim.web.lab import lab_page

PLAIN = """
import { AMERIGO, game } from "./sampler.mjs";
const time = () => process.cpuUsage().user / 1e6;
const found = [];
for (let i = 0; i < REPEATS; i++) {
  const start = time();
  for (let g = 0; g < GAMES; g++) game(AMERIGO, [1, 2, 3, 4], g);
  found.push(time() - start);
}
console.log(JSON.stringify(found));
"""
PAGE = """async () => {
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

FIND = """async () => {
  towerSim.choose({ b: null });
  const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
  while (towerSim.result().b || towerSim.result().done < towerSim.result().games) await wait();
  const [start, before] = [performance.now(), towerSim.found()];
  document.getElementById("wish-find").click();
  while (!towerSim.found() || towerSim.found() === before) await wait();
  return (performance.now() - start) / 1000;
}"""


def measure(games: int, repeats: int) -> None:
    node = shutil.which("node")
    if node is None or not BROWSER:
        raise UsageError("node or a browser is missing; allowed is a machine with both; install nodejs and chromium")
    shape = load("amerigo")
    plain = document(shipped(shape.name, shape.digest))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sampler.mjs").write_text(js_text(plain), "utf-8")
        few = max(games // 20, 1)
        (folder / "run.mjs").write_text(PLAIN.replace("GAMES", str(few)).replace("REPEATS", str(repeats)), "utf-8")
        done = subprocess.run([node, str(folder / "run.mjs")], capture_output=True, text=True, check=True)
        print_mean(f"node, the exported sampler, {few} games", json.loads(done.stdout), games / few)
        (folder / "lab.html").write_text(lab_page(), "utf-8")
        with browsing() as watched:
            page = watched.open(folder / "lab.html")
            page.wait_for_function("() => towerSim.result()?.done === 20000")
            times: list[Any] = [page.evaluate(PAGE) for _ in range(repeats)]
            finds: list[Any] = [page.evaluate(FIND) for _ in range(repeats)]
        print_mean("page, from Find me rules to the answer", finds, 1)
        for i, what in enumerate(("the first result", "all 20000 games")):
            print_mean(f"page, from the slider to {what}", [each[i] for each in times], 1)


def print_mean(what: str, seconds: Sequence[float], times: float) -> None:
    error = statistics.stdev(seconds) / math.sqrt(len(seconds))
    more = f"; {statistics.mean(seconds) * times:.2f} s for all" if times != 1 else ""
    print(f"{what}: {statistics.mean(seconds):.3f} +- {error:.3f} s (n = {len(seconds)}){more}")


main = script(
    __doc__,
    measure,
    option("--games", type=int, default=20_000, help="games to play in node (default: 20000)"),
    option("--repeats", type=int, default=7, help="how often (default: 7)"),
)

if __name__ == "__main__":
    raise SystemExit(main())
