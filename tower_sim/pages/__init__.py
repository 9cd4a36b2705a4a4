"""Pages that open from a file, without a network: how one is put together, and what cubes look like in it."""

from tower_sim.pages.html import Page
from tower_sim.pages.paint import Paint, paints

__all__ = ["Page", "Paint", "paints"]
