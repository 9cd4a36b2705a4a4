"""Intervals by resampling whole runs: now in `tower_sim.statistics`."""

from tower_sim.statistics import CONFIDENCE, FEWEST, RESAMPLES, Estimate, Estimates, Resamples, percentiles

__all__ = ["CONFIDENCE", "FEWEST", "RESAMPLES", "Estimate", "Estimates", "Resamples", "percentiles"]
