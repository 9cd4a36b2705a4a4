"""Statistics of a campaign and their plots."""

from __future__ import annotations

from tower_sim.study.making import study

__all__ = ["study"]
