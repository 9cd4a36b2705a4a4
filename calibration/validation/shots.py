"""Take the pictures of the pages that the documents show, in Chromium.

    python -m calibration.validation.shots

docs/images/live.png after a throw, lab.png with an eighth cube of each colour in B, replay.png in a set-up.
"""

from __future__ import annotations

import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from calibration.validation.script import ROOT, script
from tests.support.browser import browsing
from tower_sim import cli

IMAGES = ROOT / "docs/images"
_THROW = "#profile=amerigo&seed=5&throw=blue:4,red:5,brown:2,green:5,white:1"
_LAB = """() => towerSim.choose({ b: { ...towerSim.state().a, name: "B", cubes: Array(7).fill(8) }, edit: "b" })"""
_LIVE = "(async () => { await towerSim.busy; await towerSim.finish(); })()"


def shots() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        browsing(1180, 720, webgl=True, reduced_motion="reduce", color_scheme="light") as watched,
    ):
        for name in ("live", "lab", "replay"):
            page = Path(folder) / f"{name}.html"
            with redirect_stdout(StringIO()):
                cli.main(["page", name, *(["amerigo", "--seed", "7"] if name == "replay" else []), "-o", str(page)])
            view: Any = watched.open(page, _THROW if name == "live" else "")
            view.wait_for_function("() => window.towerSim")
            if name == "live":
                view.evaluate(_LIVE)
                for number in "1234567":
                    view.keyboard.press(f"Digit{number}")
            elif name == "lab":
                view.evaluate(_LAB)
                view.wait_for_function("() => towerSim.result()?.b && towerSim.result().done === 20000")
            else:
                view.wait_for_function("() => towerSim.isWhole")
                view.evaluate("towerSim.seek(0.9)")
            view.wait_for_timeout(1000)  # the fine picture is drawn when nothing changed for a moment
            view.screenshot(path=str(IMAGES / f"{name}.png"))


main = script(__doc__, shots)

if __name__ == "__main__":
    raise SystemExit(main())
