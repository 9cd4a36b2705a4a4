"""Take the pictures of the pages that the documents show, in Chromium.

    python -m tests.measure.shots

docs/images/live.png after a throw, lab.png with an eighth cube of each colour in B, replay.png in a set-up.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from tests.measure.script import ended
from tests.support.browser import browsing
from tower_sim import cli

IMAGES = Path(__file__).parents[2] / "docs" / "images"
_THROW = "#profile=amerigo&seed=5&throw=blue:4,red:5,brown:2,green:5,white:1"
_LAB = """() => towerSim.choose({ b: { ...towerSim.state().a, name: "B", cubes: Array(7).fill(8) }, edit: "b" })"""
_LIVE = "(async () => { await towerSim.busy; await towerSim.finish(); })()"


def shots(folder: Path) -> None:
    """Write the pages into a folder, and a picture of each into the documents."""
    pages = {name: folder / f"{name}.html" for name in ("live", "lab", "replay")}
    for name, page in pages.items():
        with redirect_stdout(StringIO()):
            cli.main(["page", name, *(["amerigo", "--seed", "7"] if name == "replay" else []), "-o", str(page)])
    with browsing(1180, 720, webgl=True, reduced_motion="reduce", color_scheme="light") as watched:
        for name, page in pages.items():
            shown: Any = watched.open(page, _THROW if name == "live" else "")
            shown.wait_for_function("() => window.towerSim")
            if name == "live":
                shown.evaluate(_LIVE)
                for number in "1234567":
                    shown.keyboard.press(f"Digit{number}")
            elif name == "lab":
                shown.evaluate(_LAB)
                shown.wait_for_function("() => towerSim.result()?.b && towerSim.result().done === 20000")
            else:
                shown.wait_for_function("() => towerSim.isWhole")
                shown.evaluate("towerSim.seek(0.9)")
            shown.wait_for_timeout(1000)  # the fine picture is drawn when nothing changed for a moment
            shown.screenshot(path=str(IMAGES / f"{name}.png"))


def _shots() -> None:
    with tempfile.TemporaryDirectory() as name:
        shots(Path(name))


def main(arguments: list[str] | None = None) -> int:
    """Take them; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    return ended("shots", _shots)


if __name__ == "__main__":
    sys.exit(main())
