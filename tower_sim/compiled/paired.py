"""Statistics of pairs of games, compiled in advance: means, differences with Student's intervals, p of all figures.

`sums` has a row for each of SUMS and a column for each figure. compare/paired.py says what the numbers mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tower_sim.compiled.file import CompiledFunction
from tower_sim.compiled.marks import T
from tower_sim.compiled.trig import beta_quantile, student_p, student_point

SUMS = ("mean a", "mean b", "mean difference", "squares a", "squares b", "squares difference", "largest")
"""Squares are of deviations from the means; the largest is that of the absolute values."""
COLUMNS = ("mean a", "sd a", "half a", "mean b", "sd b", "half b", "difference", "sd", "half", "p", "adjusted")
"""What `compare_pairs` writes; `half` is half of a 95 % interval, NaN if the difference is the same in all pairs."""
_NOTHING = 1e-12  # relative to the values: a smaller spread of differences is rounding error


def sum_pairs(a: T, b: T, sums: T) -> None:
    """Write the sums over pairs, both of shape (n, figures)."""
    n = len(a)
    for c in range(a.shape[1]):
        sums[:, c] = 0.0
        for i in range(n):
            x, y = a[i, c], b[i, c]
            sums[0, c] += x
            sums[1, c] += y
            sums[2, c] += y - x
            sums[6, c] = max(sums[6, c], max(abs(x), abs(y)))
        for k in range(3):
            sums[k, c] /= n
        for i in range(n):
            x, y, d = a[i, c] - sums[0, c], b[i, c] - sums[1, c], b[i, c] - a[i, c] - sums[2, c]
            sums[3, c] += x * x
            sums[4, c] += y * y
            sums[5, c] += d * d


def compare_pairs(sums: T, table: T, n: int) -> None:
    """Write COLUMNS for each figure of at least 2 pairs.

    p is Student's of the paired differences; if all are the same, 1 for a difference of 0, else that of the sign test.
    """
    point, figures, by_sign = student_point(0.95, n - 1.0), sums.shape[1], 1.0
    for _ in range(1, n):
        by_sign /= 2
    for c in range(figures):
        size, row = sums[6, c], table[c]
        for k in range(3):
            row[3 * k] = sums[k, c]
            row[3 * k + 1] = math.sqrt(sums[3 + k, c] / (n - 1))
            row[3 * k + 2] = point * (row[3 * k + 1] / math.sqrt(n))
        if row[7] <= _NOTHING * size:
            row[7], row[8], row[9] = 0.0, math.nan, 1.0 if abs(row[6]) <= _NOTHING * size else by_sign
        else:
            row[9] = student_p(row[6] / (row[7] / math.sqrt(n)), n - 1.0)
        row[10] = -1.0
    most = 0.0
    for step in range(figures):  # S. Holm, Scandinavian Journal of Statistics 6 (1979) 65
        least = -1
        for c in range(figures):
            if table[c, 10] < 0 and (least < 0 or table[c, 9] < table[least, 9]):
                least = c
        most = max(most, table[least, 9] * (figures - step))
        table[least, 10] = min(most, 1.0)


def exports() -> dict[str, CompiledFunction]:
    """Return what a file exports; tables with one number of nothing have widths that differ."""
    wide: Any = np.zeros((0, 0))
    return {
        "sum_pairs": CompiledFunction(sum_pairs, (wide, wide, wide), None),
        "compare_pairs": CompiledFunction(compare_pairs, (wide, np.zeros((0, 11)), 1), None),
        "student_point": CompiledFunction(student_point, (1.0, 1.0), float),
        "beta_quantile": CompiledFunction(beta_quantile, (1.0, 1.0, 1.0), float),
    }
