"""Studies: questions that are asked of the results of many runs, a folder for each study.

comparison  two variants of a game, played in pairs with equal seeds; a search for rules that meet a wish
retention   the report on a campaign: what stays, what comes out, what a varied field does
fitting     the fit of a surrogate to campaigns, and its check on runs that it was not fitted to
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.studies.comparison.command import check_alone, compare_command, compare_files, wish_command
    from tower_sim.studies.comparison.paired import Comparison
    from tower_sim.studies.comparison.play import compare
    from tower_sim.studies.comparison.report import comparison_figure, comparison_report
    from tower_sim.studies.comparison.search import Tuned, tune
    from tower_sim.studies.comparison.tuned import Verdict, Wish, check_known, read_wishes, together
    from tower_sim.studies.fitting.command import check_command, fit, fit_command
    from tower_sim.studies.fitting.tower.whole_games import read_games
    from tower_sim.studies.retention.battles import chain_lengths, first_cubes, through_ship
    from tower_sim.studies.retention.making import study

__getattr__ = face(__name__)
