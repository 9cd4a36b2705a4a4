"""Results of many runs: one array of counts, and one list of the statistics (figures) that are computed from it.

    Runs (run, drop, colour) ---by_drop---> ByDrop (run, drop) ---Figure---> a number per phase, per run, or over all

Figures are defined in `tower.py` if they apply to every tower, else in the folder of their game. READ array.py FIRST.
"""
