"""Pictures of an apparatus with its dimensions. Only matplotlib's object interface is used."""

from __future__ import annotations

from tower_sim.drawing.files import check_path
from tower_sim.drawing.picture import draw_apparatus

__all__ = ["check_path", "draw_apparatus"]
