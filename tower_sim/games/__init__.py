"""Games that are played with a tower. READ game.py FIRST: it defines what a game is."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.games.board import board_figure
    from tower_sim.games.compared import (
        LEVEL,
        Compared,
        Course,
        Group,
        Picture,
        Row,
        Sampler,
        Values,
        how_sure,
        instead,
        leaves,
    )
    from tower_sim.games.files import run_game_file
    from tower_sim.games.game import KEY, Game
    from tower_sim.games.odds import ManyRuns
    from tower_sim.games.picture import figure
    from tower_sim.games.rules import Rules, describe_rules
    from tower_sim.games.running import check_knocks, count_words, record
    from tower_sim.games.tower import DROP_STREAM, Decision, GameTower, Turn
    from tower_sim.games.ways import (
        FEWEST_DRAWN,
        MAX_RUNS,
        MAX_WORD,
        MAX_WORDS,
        Asked,
        change,
        check_words,
        parse_value,
        set_value,
    )
    from tower_sim.results import Figure

__all__ = ["Decision", "Figure", "Game", "GameTower", "Rules", "Turn"]

__getattr__ = face(__name__)
