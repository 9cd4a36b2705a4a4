"""Amerigo: the part of the game that its tower decides. READ phases.py FIRST: it has the rules."""

from tower_sim.games.amerigo.game import GAME
from tower_sim.games.amerigo.phases import DropEntry, after, cleared, game_json, knocked, play, start, throw_of
from tower_sim.games.amerigo.rules import (
    Choice,
    Options,
    Rules,
    Tokens,
    action_points,
    actions_allowed,
    gold_for_passing,
    on_gold_track,
    options,
)
from tower_sim.games.tower import DROP_STREAM, KNOCK_STREAM

__all__ = [
    "DROP_STREAM",
    "GAME",
    "KNOCK_STREAM",
    "Choice",
    "DropEntry",
    "Options",
    "Rules",
    "Tokens",
    "action_points",
    "actions_allowed",
    "after",
    "cleared",
    "game_json",
    "gold_for_passing",
    "knocked",
    "on_gold_track",
    "options",
    "play",
    "start",
    "throw_of",
]
