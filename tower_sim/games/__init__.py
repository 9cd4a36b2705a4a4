"""Games that are played with a tower. READ game.py FIRST: it defines what a game is."""

from tower_sim.games.game import Game
from tower_sim.games.rules import Rules
from tower_sim.games.tower import GameTower, Turn
from tower_sim.runs.figure import Figure

__all__ = ["Figure", "Game", "GameTower", "Rules", "Turn"]
