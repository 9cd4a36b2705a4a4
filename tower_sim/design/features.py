"""What decides what a tower does: its numbers as a Gaussian process sees them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import space

Array = npt.NDArray[np.float64]

_AT = {name: i for i, name in enumerate(space.NAMES)}


def features(numbers: Array) -> Array:
    """Return what decides what the towers at `numbers`, shape (T, parameters), do: shape (T, features), about 0 to 1.

    These are the numbers as shares of their ranges, those that play no part in a tower (the upper floor's where it has
    none, the slope of bars under cross bars) the same for all such towers; and how the floors are then cut: bars,
    ledges and the open share.
    """
    shares = space.shares(numbers).copy()
    at = space.by_name(numbers)
    single, barred = at["floors"] == 1, at["cross_bars"] == 1
    for name in ("upper_opening", "upper_bar", "floor_distance", "crossed"):
        shares[single, _AT[name]] = 0.5
    shares[barred, _AT["slope_deg"]] = 0.0
    cuts: list[Array] = []
    for floor in ("upper", "lower"):
        made = space.cut(at["tube"], at[f"{floor}_opening"], at[f"{floor}_bar"], at["ledge"])
        open_share = made.openings * at[f"{floor}_opening"] / at["tube"]
        cut = np.stack([made.bar / 3, made.ledge / 3, open_share], 1)
        if floor == "upper":
            cut[single] = (0.0, 0.0, 1.0)
        cuts.append(cut)
    return np.concatenate([shares, *cuts], 1)
