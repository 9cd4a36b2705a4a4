"""What decides what a tower does: its numbers as a Gaussian process sees them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tower_sim.design import space

Array = npt.NDArray[np.float64]

_AT = {name: i for i, name in enumerate(space.NAMES)}


def features(numbers: Array) -> Array:
    """Return what decides what the towers at `numbers`, shape (T, parameters), do: shape (T, features), about 0 to 1.

    These are the numbers as shares of their ranges, those that play no part in a tower (the upper floor's where it has
    none, the slope of bars under cross bars) the same for all such towers; and how the floors are then cut: bars,
    ledges and the open share.
    """
    shares = space.shares(numbers).copy()
    at = {name: numbers[:, i] for name, i in _AT.items()}
    single, barred = at["floors"] == 1, at["cross_bars"] == 1
    for name in ("upper_opening", "upper_bar", "floor_distance", "crossed"):
        shares[single, _AT[name]] = 0.5
    shares[barred, _AT["slope_deg"]] = 0.0
    cuts: list[Array] = []
    for floor in ("upper", "lower"):
        number, bar, ledge = cut_all(at["tube"], at[f"{floor}_opening"], at[f"{floor}_bar"], at["ledge"])
        open_share = number * at[f"{floor}_opening"] / at["tube"]
        cut = np.stack([bar / 3, ledge / 3, open_share], 1)
        if floor == "upper":
            cut[single] = (0.0, 0.0, 1.0)
        cuts.append(cut)
    return np.concatenate([shares, *cuts], 1)


def cut_all(tube: Array, opening: Array, bar: Array, ledge: Array) -> tuple[Array, Array, Array]:
    """Do as `space.cut` for many floors: return the numbers of openings, the bars and the ledges (cube edges)."""
    number = np.clip(np.rint((tube + bar * (1 - 2 * ledge)) / (opening + bar)), 1, space.MOST_OPENINGS)
    for _ in range(space.MOST_OPENINGS):
        parts = number - 1 + 2 * ledge
        fits = (number == 1) | (tube - number * opening >= space.LEAST_BAR * parts)
        number = np.where(fits, number, number - 1)
    closed = tube - number * opening
    fitted = closed / np.where(number == 1, 1.0, number - 1 + 2 * ledge)
    narrow = fitted * ledge < space.LEAST_LEDGE
    bars = np.where(narrow, closed / np.maximum(number - 1, 1), fitted)
    ledges = np.where(narrow, 0.0, fitted * ledge)
    return number, np.where(number == 1, 0.0, bars), np.where(number == 1, closed / 2, ledges)
