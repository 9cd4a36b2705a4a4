"""Statistics of a campaign and their plots: `study(directory, out)` writes a report, CSV tables and pictures."""

from __future__ import annotations

from tower_sim.study.making import study

__all__ = ["study"]
