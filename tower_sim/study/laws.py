"""Quantiles and tails of the laws that intervals and tests use: now in `tower_sim.statistics`."""

from tower_sim.statistics import chi2_tail, normal_share, student_quantile

__all__ = ["chi2_tail", "normal_share", "student_quantile"]
