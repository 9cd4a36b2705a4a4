"""The replay page: a recorded drop, game or battle as one HTML file that draws itself (docs/replay.md)."""

from __future__ import annotations

from tower_sim.pages import Page, scene
from tower_sim.pages.html import lean, source
from tower_sim.replay.document import Replay

_STYLES = (("tower_sim.pages", "common.css"), ("tower_sim.replay", "page/page.css"))
_SCRIPTS = tuple(f"page/{name}.js" for name in ("record", "words", "tray", "player", "panels", "marked", "main"))


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
