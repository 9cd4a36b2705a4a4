"""Results of many runs: one array of counts, and one list of the statistics (figures) that are computed from it.

    Runs (run, drop, colour) ---by_drop---> ByDrop (run, drop) ---Figure---> a number per phase, per run, or over all

Figures are defined in `tower.py` if they apply to every tower, else in the folder of their game. READ array.py FIRST.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.runs.array import EVERY, Array, Plan, Runs, RunSampler
    from tower_sim.runs.by_drop import COUNTS, UNKNOWN, ByDrop, after_setup, count_by_drop
    from tower_sim.runs.figure import MEAN, MOST, PHASES, SHARE, SUM, Figure, by_key, check, table
    from tower_sim.runs.statistics import (
        CONFIDENCE,
        FEWEST,
        Estimate,
        Estimates,
        Resamples,
        any_difference,
        apart,
        average,
        averages,
        chi2_tail,
        clopper_pearson,
        contrast,
        holm,
        log_sum_exp,
        mean_error,
        ratio_errors,
        ratio_of_sums,
        student_quantile,
        sum_by_unit,
        sum_error,
        too_few,
        wilson,
    )
    from tower_sim.runs.tower import (
        DETAILS,
        GENERAL,
        INSIDE,
        INSIDE_SETUP,
        MOST_INSIDE,
        OUT,
        SHARE_OUT,
        SKIPPED,
        THROWN_OUT,
        TOTALS,
        TOWER,
        many_key,
        single_key,
        some_out,
    )

__getattr__ = face(__name__)
