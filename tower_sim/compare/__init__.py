"""Comparison of house rules: two variants are played in pairs with equal seeds; a search for rules that meet a wish."""

from tower_sim.compare.command import check_alone, compare_command, compare_files, wish_command
from tower_sim.compare.paired import Comparison, Pairs, Tally, compare
from tower_sim.compare.play import play_pairs
from tower_sim.compare.search import Tuned, tune
from tower_sim.compare.words import compare_report
from tower_sim.games.compared import Row
from tower_sim.requests.variants import Variant, read_variant

__all__ = [
    "Comparison",
    "Pairs",
    "Row",
    "Tally",
    "Tuned",
    "Variant",
    "check_alone",
    "compare",
    "compare_command",
    "compare_files",
    "compare_report",
    "play_pairs",
    "read_variant",
    "tune",
    "wish_command",
]
