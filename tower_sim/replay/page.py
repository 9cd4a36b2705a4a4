"""The replay page: a drop, game or battle as one HTML file that runs its physics again (docs/replay.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tower_sim import writing
from tower_sim.errors import UsageError, shown
from tower_sim.pages import Page, scene
from tower_sim.pages.bundle import physics_script
from tower_sim.pages.html import lean, source
from tower_sim.physics.plain import core

_WHAT = "replay"
_STYLES = (("tower_sim.pages", "common.css"), ("tower_sim.replay", "page/page.css"))
_SCRIPTS = tuple(f"page/{name}.js" for name in ("record", "words", "player", "panels", "marked", "main"))


def page_of(replay: dict[str, Any]) -> str:
    """Return the page that shows a replay; equal replays give equal pages."""
    script = "\n".join([source("tower_sim.pages", "common.js"), scene.script(), source("tower_sim.replay", *_SCRIPTS)])
    return Page(
        replay["title"],
        source("tower_sim.replay", "page/body.html"),
        tuple(source(*where) for where in _STYLES),
        (f'(() => {{\n"use strict";\n{lean(script)}}})();\n',),
        data={"replay": replay},
        blobs={"core": core(), "worker": _worker().encode()},
        compiles=True,
    ).text()


def _worker() -> str:
    """Return the script of the worker that runs the physics again."""
    own = source("tower_sim.pages.scene", "windows.js") + source("tower_sim.replay", "page/worker.js")
    return f'"use strict";\n{physics_script("replay")}{lean(own)}'


def check_path(path: str | Path) -> None:
    """Refuse a replay's path before any work is done for it; leaves nothing behind.

    Raises UsageError if its suffix is not .html, and if no file can be written there.
    """
    suffix = Path(path).suffix
    if suffix.lower() != ".html":
        raise UsageError(
            f"replay {shown(str(path))} ends in {shown(suffix)}; allowed is .html; try a name such as game.html"
        )
    writing.check(path, _WHAT)


def write(path: str | Path, replay: dict[str, Any]) -> None:
    """Write the page that shows a replay, whole or not at all.

    Raises UsageError as `check_path` does, WritingFailed when the disk is full or fails.
    """
    check_path(path)
    writing.write(path, page_of(replay).encode(), _WHAT)
