"""Results of many runs: one table of throws, the figures that are computed from it, and statistics over runs.

    Results (a row is a throw) ---Figure---> a number a phase, a run, or over all ---statistics---> with its interval

Figures are defined in `tower.py` if they apply to every tower, else in the folder of their game. READ throws.py FIRST.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.results.figure import DROPS, MEAN, MOST, PHASES, SETUP, SHARE, SUM, Figure, by_key, check, table
    from tower_sim.results.numbers import (
        HOW_SURE,
        Cell,
        between,
        brief,
        capitalise,
        count_decimals,
        how_sure,
        percent,
        plain_share,
        plainly,
        show,
        tell,
        tell_share,
    )
    from tower_sim.results.statistics import (
        CONFIDENCE,
        FEWEST,
        Estimate,
        Estimates,
        Resamples,
        any_difference,
        average,
        averages,
        chi2_tail,
        clopper_pearson,
        contrast,
        difference,
        holm,
        mean_error,
        permutation_p,
        permuted,
        ratio_gaps,
        ratios_of_sums,
        student_quantile,
        sum_by_unit,
        sum_error,
        too_few,
        wilson,
    )
    from tower_sim.results.throws import (
        COUNTS,
        EVERY,
        NOWHERE,
        UNKNOWN,
        Array,
        Columns,
        Plan,
        Results,
        RunSampler,
        Words,
        join,
    )
    from tower_sim.results.tower import (
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
