"""Pictures: an apparatus with its dimensions, a board, and the course of a game; matplotlib's object interface only."""

from __future__ import annotations

from tower_sim.drawing.board import draw_board, draw_densities
from tower_sim.drawing.files import check_path
from tower_sim.drawing.game import draw_game
from tower_sim.drawing.tower import draw_apparatus

__all__ = ["check_path", "draw_apparatus", "draw_board", "draw_densities", "draw_game"]
