"""The scene: an apparatus with its cubes, drawn in a page; whoever shows one gives it poses."""

from __future__ import annotations

from tower_sim.pages.html import source

_SCRIPTS = ("algebra", "solids", "camera", "shaders", "gl", "prints", "renderer", "stage", "hands", "windows")


def script() -> str:
    """Return what draws a scene, for after pages/common.js: stage.js is where its users begin."""
    return source("tower_sim.pages.scene", *(f"{name}.js" for name in _SCRIPTS))
