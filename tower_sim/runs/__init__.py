"""What came of many runs: one array of counts, and one register of the figures that are taken from it.

    Runs (run, drop, colour) ---by_drop---> ByDrop (run, drop) ---Figure---> a number a phase, a run, or of them all

A figure is written once, in `tower.py` where every tower has it, else in the folder of its game. Studies, comparisons,
calibration, checks of surrogates and pages read it from there. READ array.py FIRST.
"""
