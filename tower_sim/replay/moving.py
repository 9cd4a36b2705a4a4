"""When cubes move and when they lie still, from where they are alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SPEED = 0.005
"""m/s: a cube that is faster between two windows moves."""
SPIN = 1.0
"""rad/s: the same of its turning."""
PAUSE = 0.2
"""s: a cube that did not move for so long has come to rest."""
SHOVE = 0.02
"""Of the edge, and rad: a cube at rest that moves by less was not woken."""


@dataclass(frozen=True, slots=True)
class Spell:
    """A cube moves after window `first` and no more after window `last`; windows are counted as passed."""

    first: int
    last: int


def spells(windows: Array, window: float, edge: float, thrown: Sequence[bool]) -> list[list[Spell]]:
    """Return when each cube moves.

    `windows` are poses after 0, 1, ... windows of `window` s, shape (windows, cubes, 7). Rows are not numbers while a
    cube is not there; quaternions keep their sign. A cube of edge `edge` (m) that is `thrown` moves from its first
    window on; one that moves when the windows end comes to rest there.
    """
    moving, pause = _moving(windows, window), round(PAUSE / window)
    there = ~np.isnan(windows[:-1, :, 0])
    for i in np.flatnonzero(thrown):
        moving[int(np.argmax(there[:, i])), i] = True
    return [_of_one(windows[:, i], moving[:, i], pause, edge, thrown[i]) for i in range(windows.shape[1])]


def _moving(windows: Array, window: float) -> npt.NDArray[np.bool_]:
    """Tell between which two windows each cube moves, shape (windows - 1, cubes)."""
    change = np.diff(windows, axis=0)
    speed = np.sqrt((change[:, :, :3] ** 2).sum(axis=2)) / window
    spin = 2 * np.sqrt((change[:, :, 3:] ** 2).sum(axis=2)) / window
    with np.errstate(invalid="ignore"):
        return (speed > SPEED) | (spin > SPIN)


def _of_one(poses: Array, moving: npt.NDArray[np.bool_], pause: int, edge: float, thrown: bool) -> list[Spell]:
    """Return the spells of one cube: fewer than `pause` windows apart they are one; slight ones are none."""
    at: list[int] = np.flatnonzero(moving).tolist()
    if not at:
        return []
    cuts = [k for k in range(1, len(at)) if at[k] - at[k - 1] > pause]
    found = [Spell(at[k], at[end - 1] + 1) for k, end in zip([0, *cuts], [*cuts, len(at)], strict=True)]
    kept = found[:1] if thrown else []
    return kept + [each for each in found[len(kept) :] if _is_shove(poses[each.first : each.last + 1], edge)]


def _is_shove(poses: Array, edge: float) -> bool:
    """Tell whether a cube at rest moves far enough to be seen."""
    away = np.abs(poses[:, :3] - poses[0, :3]).max()
    turned = 2 * np.abs(poses[:, 3:] - poses[0, 3:]).max()
    return bool(away > SHOVE * edge or turned > SHOVE)
