"""Amerigo: the part of the game that its tower decides. The rules are in `phases`, READ FIRST."""

from tower_sim.games.amerigo.game import GAME, Played
from tower_sim.games.amerigo.options import (
    Choice,
    Options,
    Tokens,
    action_points,
    actions_allowed,
    gold_for_passing,
    options,
)
from tower_sim.games.amerigo.phases import (
    DROP_STREAM,
    KNOCK_STREAM,
    SCHEMA,
    VERSION,
    DropEntry,
    GameState,
    after,
    check_tower,
    cleared,
    game_json,
    knocked,
    knocks_of,
    play,
    start,
    throw_of,
)
from tower_sim.games.amerigo.rules import RULES_VERSION, SETUP, SHIPPED, Rules
from tower_sim.games.knocks import check_knocks, check_strength

__all__ = [
    "DROP_STREAM",
    "GAME",
    "KNOCK_STREAM",
    "RULES_VERSION",
    "SCHEMA",
    "SETUP",
    "SHIPPED",
    "VERSION",
    "Choice",
    "DropEntry",
    "GameState",
    "Options",
    "Played",
    "Rules",
    "Tokens",
    "action_points",
    "actions_allowed",
    "after",
    "check_knocks",
    "check_strength",
    "check_tower",
    "cleared",
    "game_json",
    "gold_for_passing",
    "knocked",
    "knocks_of",
    "options",
    "play",
    "start",
    "throw_of",
]
