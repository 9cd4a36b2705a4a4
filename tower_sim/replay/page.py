"""The replay page: a recorded drop, game or battle as one HTML file that draws itself (docs/replay.md)."""

from __future__ import annotations

from typing import Any, Protocol

from tower_sim.pages import Page
from tower_sim.pages.html import lean, source

_STYLES = (("tower_sim.pages", "common.css"), ("tower_sim.replay", "page/page.css"))
_SCRIPTS = (
    "algebra.js",
    "record.js",
    "words.js",
    "solids.js",
    "tray.js",
    "camera.js",
    "shaders.js",
    "gl.js",
    "prints.js",
    "renderer.js",
    "player.js",
    "panels.js",
    "hands.js",
    "marked.js",
    "main.js",
)


class Showable(Protocol):
    """What a page is made of: a replay document's `header`, as JSON has it, and its bytes, exact poses and motion."""

    @property
    def header(self) -> dict[str, Any]:
        """The document's header."""
        ...

    @property
    def data(self) -> bytes:
        """The exact poses, then the motion."""
        ...


def page_of(document: Showable) -> str:
    """Return the page that shows a replay document; equal documents give equal pages."""
    script = "\n".join(
        [source("tower_sim.pages", "common.js"), source("tower_sim.replay", *(f"page/{name}" for name in _SCRIPTS))]
    )
    return Page(
        str(document.header["title"]),
        source("tower_sim.replay", "page/body.html"),
        tuple(source(*where) for where in _STYLES),
        (f'(() => {{\n"use strict";\n{lean(script)}}})();\n',),
        data={"replay": document.header},
        blobs={"poses": document.data},
    ).text()
