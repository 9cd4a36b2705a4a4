"""Pages that open from a file, without a network: how one is put together, and what cubes look like in it."""

from tower_sim.drawing.paint import Paint, paints
from tower_sim.pages.html import Page

__all__ = ["Page", "Paint", "paints"]
