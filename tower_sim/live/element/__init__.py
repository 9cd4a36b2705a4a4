"""The custom element <cube-tower>: scene and physics of the live page as one module for other people's pages."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

from tower_sim import web
from tower_sim.live.contents import contents
from tower_sim.pages.html import source
from tower_sim.physics.plain import core


def element_module(given: Sequence[str | Path] = ()) -> str:
    """Return the module, one file that asks for no other, with the apparatus `given`, or all that ship.

    Raises UsageError as `contents` does.
    """
    filled = contents(given)
    made = {
        "towers": [{key: tower[key] for key in ("name", "edge", "profile")} for tower in filled["towers"]],
        "paints": filled["paints"],
        "core": base64.b64encode(core()).decode("ascii"),
        "worker": web.text_of("live-worker.js"),
    }
    return f"const MADE = {json.dumps(made, separators=(',', ':'))};\n{web.text_of('element.js')}"


def element_types() -> str:
    """Return the module's types."""
    return source("tower_sim.live.element", "element.d.ts")
