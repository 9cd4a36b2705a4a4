"""Pairs of games, compared at once."""

from typing import Any

from tower_sim.compare.paired import Moments, Paired, paired_of


def paired(a: Any, b: Any) -> Paired:
    """Compare n pairs in k figures, `a` and `b` of shape (n, k), n from 2; see `paired_of`."""
    return paired_of(Moments.of(a, b))
