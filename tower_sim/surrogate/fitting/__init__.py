"""From campaigns to a surrogate: the fit, its check on games it has not seen, and their report."""

from __future__ import annotations

from tower_sim.surrogate.fitting.check import check, check_command
from tower_sim.surrogate.fitting.fit import fit, fit_command

__all__ = ["check", "check_command", "fit", "fit_command"]
