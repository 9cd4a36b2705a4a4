"""Pairs of games, compared at once."""

from typing import Any

from tower_sim.compare.paired import Moments, Paired, compute_paired


def paired(a: Any, b: Any) -> Paired:
    """Compare n pairs in k figures, `a` and `b` of shape (n, k), n from 2; see `compute_paired`."""
    return compute_paired(Moments.of(a, b))
