"""Results of many runs: one array of counts, and one list of the statistics (figures) that are computed from it.

    Runs (run, drop, colour) ---by_drop---> ByDrop (run, drop) ---Figure---> a number per phase, per run, or over all

Each figure is defined once: in `tower.py` if it applies to every tower, else in the folder of its game. Studies,
comparisons, calibration, checks of surrogates and web pages use these definitions. READ array.py FIRST.
"""
