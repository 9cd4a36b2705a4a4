"""The p value of a permutation test, and the level of both checks."""

from __future__ import annotations

from tower_sim.runs.array import Array

LEVEL = 0.05  # probability of flagging any difference if the models are equal


def p_value(observed: float, drawn: Array) -> float:
    """Return (1 + number of values `drawn` that reach the observed one) / (1 + number drawn).

    Source: Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010).
    """
    # equal values may differ in the last bits, if sums are not of whole numbers
    reached = int((drawn >= observed * (1 - 1e-9)).sum())
    return (1 + reached) / (1 + len(drawn))
