"""The replay page: a recorded drop, game or battle as one HTML file that draws itself (docs/replay.md)."""

from __future__ import annotations

from pathlib import Path

from tower_sim import writing
from tower_sim.errors import UsageError, shown
from tower_sim.pages import Page, scene
from tower_sim.pages.html import lean, source
from tower_sim.replay.document import Replay

_WHAT = "replay"
_STYLES = (("tower_sim.pages", "common.css"), ("tower_sim.replay", "page/page.css"))
_SCRIPTS = tuple(f"page/{name}.js" for name in ("record", "words", "player", "panels", "marked", "main"))


def page_of(document: Replay) -> str:
    """Return the page that shows a replay document; equal documents give equal pages."""
    script = "\n".join([source("tower_sim.pages", "common.js"), scene.script(), source("tower_sim.replay", *_SCRIPTS)])
    return Page(
        document.title,
        source("tower_sim.replay", "page/body.html"),
        tuple(source(*where) for where in _STYLES),
        (f'(() => {{\n"use strict";\n{lean(script)}}})();\n',),
        data={"replay": document.header},
        blobs={"poses": document.data},
    ).text()


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


def write(path: str | Path, document: Replay) -> None:
    """Write the page that shows a replay document, whole or not at all.

    Raises UsageError as `check_path` does, WritingFailed when the disk is full or fails.
    """
    check_path(path)
    writing.write(path, page_of(document).encode(), _WHAT)
