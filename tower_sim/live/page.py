"""The live page's file: its own scripts, the scene's, and the physics for its worker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tower_sim.javascript import rules_modules
from tower_sim.live.contents import contents
from tower_sim.pages import Page, scene
from tower_sim.pages.bundle import bundled, physics_script
from tower_sim.pages.html import lean, source
from tower_sim.physics.plain import core
from tower_sim.writing import check, write

_PARTS = (
    "tower",
    "hand",
    "sound",
    "link",
    "words",
    "panels",
    "course",
    "along_amerigo",
    "along_battle",
    "along",
    "main",
)


def live_command(output: Path, given: Sequence[str | Path] = ()) -> None:
    """Write the page into `output`, with the apparatus `given`, or all that ship.

    Raises UsageError as `contents` does, and for a file that cannot be written; WritingFailed when the disk is full.
    """
    check(output, "output")
    write(output, live_page(given), "output")


def live_page(given: Sequence[str | Path] = ()) -> str:
    """Return the page's text; raises UsageError as `contents` does."""
    return Page(
        title="Cube tower",
        body=source("tower_sim.live", "page/body.html"),
        styles=(source("tower_sim.pages", "common.css") + source("tower_sim.live", "page/live.css"),),
        scripts=(_script(),),
        data={"live": contents(given)},
        blobs={"core": core(), "worker": worker().encode()},
        compiles=True,
    ).text()


def worker() -> str:
    """Return the script of a worker that has the physics."""
    return f'"use strict";\n{physics_script("live")}{lean(source("tower_sim.live", "page/worker.js"))}'


def rules() -> str:
    """Return the script of the constant `gameRules`: what page/rules.js asks of the npm package."""
    modules = rules_modules() | {"lib/along.js": source("tower_sim.live", "page/rules.js")}
    return bundled("gameRules", modules, "lib/along.js")


def _script() -> str:
    parts = source("tower_sim.live", *(f"page/{name}.js" for name in _PARTS))
    battles = source("tower_sim.games.dead_reckoning", "battle.js")
    own = "\n".join((source("tower_sim.pages", "common.js"), scene.script(), rules(), battles, parts))
    return f'(() => {{\n"use strict";\n{lean(own)}}})();\n'
