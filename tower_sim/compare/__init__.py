"""Comparison of house rules: two variants are played in pairs with equal seeds; a search for rules that meet a wish."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.compare.command import check_alone, compare_command, compare_files, wish_command
    from tower_sim.compare.paired import Comparison
    from tower_sim.compare.play import compare
    from tower_sim.compare.report import comparison_figure, comparison_report
    from tower_sim.compare.search import Tuned, tune
    from tower_sim.compare.tuned import Verdict, Wish, check_known, read_wishes, together
    from tower_sim.games import Row
    from tower_sim.requests import Variant, read_variant

__getattr__ = face(__name__)
