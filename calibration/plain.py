"""What a tower does, in a sentence that a player understands, from its own simulated games."""

from __future__ import annotations

import numpy as np

from tower_sim.calibration.summaries import Array
from tower_sim.runs.by_drop import ByDrop

MOST = 0.5  # share of phases that counts as most of them
USUAL = (0.1, 0.9)  # quantiles between which something usually lies
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")


def tower_in_words(games: ByDrop) -> str:
    """Say what whole games show: cubes kept after the set-up and in play, out of a phase, and colours to choose from.

    `games` are of one tower, shape (games, drops); those that ended early are left out.
    """
    whole = games.take((games.thrown[..., -1] >= 0,))
    if not len(whole.thrown):
        return "Nothing can be said of the tower of the profile: none of its simulated games came to its end."
    kept, out, colours = whole.inside[:, 1:], whole.out[:, 1:], whole.colours[:, 1:]
    setup = f"about {whole.inside[:, 0].mean():.0f} cubes after the set-up"
    return (
        f"The tower of the profile keeps {setup} and {_span(kept)} in play, lets {_span(out)} out in a phase, and "
        f"offers {_colours(colours[out > 0])}."
    )


def _span(counts: Array) -> str:
    """Say between which whole numbers four in five of `counts` lie."""
    low, high = np.quantile(counts, USUAL, method="closest_observation").astype(int)
    return f"mostly {low}" if low == high else f"mostly {low} to {high}"


def _colours(counts: Array) -> str:
    """Say how many colours, so actions, most phases let out: the fewest neighbouring numbers that most phases have."""
    if not len(counts) or counts.min() < 0:
        return "nobody knows how many colours"
    share = np.bincount(counts, minlength=len(NUMBERS)) / len(counts)
    spans = [(a, b) for width in range(len(share)) for a in range(1, len(share) - width) for b in [a + width]]
    of = {span: float(share[span[0] : span[1] + 1].sum()) for span in spans}
    width = min(b - a for (a, b), s in of.items() if s > MOST)
    low, high = max((span for span in of if span[1] - span[0] == width), key=lambda span: of[span])
    words = NUMBERS[low] if low == high else f"{NUMBERS[low]} {'or' if width == 1 else 'to'} {NUMBERS[high]}"
    return (
        f"{words} action{'' if high == 1 else 's'} to choose from in most phases ({100 * of[low, high]:.0f} % of those "
        "in which something comes out)"
    )
