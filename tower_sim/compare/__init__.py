"""Comparison of house rules: two variants of a game are played in pairs with equal seeds."""

from tower_sim.compare.command import compare_command, compare_files
from tower_sim.compare.comparison import Comparison, compare
from tower_sim.compare.play import play_pairs
from tower_sim.compare.tally import Pairs, Tally
from tower_sim.compare.words import compare_report
from tower_sim.games.compared import Row
from tower_sim.variants import Variant, read_variant

__all__ = [
    "Comparison",
    "Pairs",
    "Row",
    "Tally",
    "Variant",
    "compare",
    "compare_command",
    "compare_files",
    "compare_report",
    "play_pairs",
    "read_variant",
]
