"""Whether recorded games of one tower agree with each other, whatever the tower is.

The weighted sum of squares around common values (Cochran, Biometrics 10 (1954) 101) is compared with that of simulated
games of one tower. It depends neither on the tower's means nor on the discrepancy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.law import Means, noise
from tower_sim.calibration.summaries import SUMMARIES, WHOLE, Array, Window
from tower_sim.calibration.towers import Towers

COMPARED = ("setup", "inside", "own", "spread")  # summaries, as far as the games have them
DOUBTED, HINTED = 0.01, 0.05  # probabilities
MOST, FEWEST = 100_000, 400  # simulated games, and records; 50 MB


@dataclass(frozen=True, slots=True)
class Unlike:
    """A game beside all others: the probability `p` of a game that is as unlike the others.

    `window` is the summary in which it differs most; `seen` here and `others` on average are in its unit.
    """

    name: str
    p: float
    window: Window
    seen: float
    others: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """The probability `p` that games of one tower differ as much as these, counted from `draws` simulated records."""

    p: float
    draws: int
    games: tuple[Unlike, ...]

    def says(self) -> str:
        head = f"of one tower, games that differ as much have the probability {self.p:.2g}"
        if self.p >= HINTED:
            return f"The {len(self.games)} games agree with each other: {head}."
        odd = min(self.games, key=lambda game: game.p)
        most = (
            f"least like the others is {odd.name} ({SUMMARIES[odd.window.summary].words} {odd.seen:.3g}, "
            f"{odd.others:.3g} in the others)"
        )
        begin = "do not agree" if self.p < DOUBTED else "agree badly"
        return (
            f"The {len(self.games)} games {begin} with each other: {head}; {most}. Was it the same tower, poured alike?"
        )


def compare_games(
    towers: Towers, games: Sequence[Evidence], drawn: Array, rng: np.random.Generator
) -> Agreement | None:
    """Compare recorded games, given towers `drawn` from the posterior (indices); None for fewer than two games.

    Random, from `rng`: a simulated record for each drawn tower.
    """
    known = Counter(window.summary for game in games for window in game.windows)
    shared = [name for name in COMPARED if known[name] > 1]
    games = [game for game in (_select_summaries(game, shared) for game in games) if game.windows]
    if len(games) < 2:
        return None
    drawn = drawn[: max(MOST // len(games), FEWEST)]
    rows, place = np.unique(drawn, return_inverse=True)
    of = Means(towers, Discrepancy())
    shape = (len(games), len(COMPARED))
    precision = np.zeros((len(rows), shape[0], shape[1], shape[1]))
    apart, fresh = np.zeros((len(rows), *shape)), np.zeros((len(drawn), *shape))
    like = towers.like(drawn, len(games), rng)  # a tower for each game of each record
    sign = rng.choice((-1.0, 1.0), like.shape)
    for i, game in enumerate(games):
        at = [COMPARED.index(window.summary) for window in game.windows]
        predictions = [towers.at(window) for window in game.windows]
        precision[:, i, np.array(at)[:, None], at] = np.linalg.inv(noise(game, of)[rows])
        apart[:, i, at] = np.array(game.values) - np.stack([each.mean for each in predictions], 1)[rows]
        scale = np.sqrt(game.doubt) * np.stack([each.games for each in predictions], 1)[drawn]
        fresh[:, i, at] = sign[:, i, None] * towers.deviations(game.windows)[like[:, i]] * scale
    mine, other = sum_squares(apart, precision)[place], sum_squares(fresh, precision[place])
    whole, *each = (mine <= other + 1e-9).mean(0).tolist()
    sds = {name: float(towers.at(WHOLE[name]).games[drawn].mean()) for name in COMPARED}
    return Agreement(whole, len(drawn), tuple(_compare_game(games, i, p, sds) for i, p in enumerate(each)))


def sum_squares(values: Array, precision: Array) -> Array:
    """Return the sum of squares around the common values, and what each of N games adds to it, shape (D, 1 + N).

    `values` (D, N, K) and `precision` (D, N, K, K) are 0 for summaries that a game lacks.
    """
    weighted = (precision @ values[..., None])[..., 0]
    own = (values * weighted).sum(-1)
    total, about = weighted.sum(1), precision.sum(1)
    left = np.concatenate([total[:, None], total[:, None] - weighted], 1)
    by = np.concatenate([about[:, None], about[:, None] - precision], 1) + 1e-9 * np.eye(values.shape[-1])
    common = (left * np.linalg.solve(by, left[..., None])[..., 0]).sum(-1)
    around = np.concatenate([own.sum(1)[:, None], own.sum(1)[:, None] - own], 1) - common
    return np.concatenate([around[:, :1], around[:, :1] - around[:, 1:]], 1)


def _select_summaries(game: Evidence, names: Sequence[str]) -> Evidence:
    kept = [i for i, window in enumerate(game.windows) if window.summary in names]
    return replace(game, windows=tuple(game.windows[i] for i in kept), values=tuple(game.values[i] for i in kept))


def _compare_game(games: Sequence[Evidence], number: int, p: float, sds: Mapping[str, float]) -> Unlike:
    others = [
        pair for i, game in enumerate(games) if i != number for pair in zip(game.windows, game.values, strict=True)
    ]
    parts: list[tuple[float, Window, float, float]] = []
    for window, value in zip(games[number].windows, games[number].values, strict=True):
        mean = float(np.mean([other for place, other in others if place.summary == window.summary]))
        parts.append((abs(value - mean) / sds[window.summary], window, value, mean))
    _, window, value, mean = max(parts)
    back = SUMMARIES[window.summary].back
    return Unlike(games[number].name, p, window, float(back(value)), float(back(mean)))
