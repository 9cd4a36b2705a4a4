"""Whether recorded games of one tower agree with each other, whatever the tower is.

The weighted sum of squares around common values (Cochran, Biometrics 10 (1954) 101) is compared with that of simulated
games of one tower. It depends neither on the tower's means nor on the discrepancy.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from tower_sim.calibration import played
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.law import Means, noise
from tower_sim.calibration.observations import COLOURS, CUBES
from tower_sim.calibration.prior import Towers, tower
from tower_sim.calibration.summaries import BOTH, EVERY, FIGURES, GAME, SUMMARIES, WHOLE, Array, Discrepancy, Window
from tower_sim.campaign import load_whole, parse, run
from tower_sim.errors import fault
from tower_sim.results import Results, average, show
from tower_sim.studies import Verdict, Wish, check_known, fit, read_games, together
from tower_sim.surrogate import beside
from tower_sim.tools import report_progress, writing

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

    def format_sentence(self) -> str:
        """Return a sentence on whether the games agree; it names the game that is least like the others."""
        head = f"of one tower, games that differ as much have the probability {show(self.p)}"
        if self.p >= HINTED:
            return f"The {len(self.games)} games agree with each other: {head}."
        odd = min(self.games, key=lambda game: game.p)
        begin = "do not agree" if self.p < DOUBTED else "agree badly"
        return (
            f"The {len(self.games)} games {begin} with each other: {head}; least like the others is {odd.name} "
            f"({SUMMARIES[odd.window.summary].words} {show(odd.seen)}, {show(odd.others)} in the others). Was it the "
            "same tower, poured alike?"
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
    windows = (replace(game.windows[i], kind=BOTH) for i in kept)
    return replace(game, windows=tuple(windows), values=tuple(game.values[i] for i in kept))


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


ROUNDS = ((8, range(200, 204)), (3, range(204, 216)))
"""How many towers are played to choose one, and by which games: all, then the nearest."""
JUDGE = 200  # games that judge the tower, and that its surrogate is fitted to
NARROW = 0.05  # standard error of a wish as evidence, as a share of its value
_UNPREDICTED = ("skipped", "most_inside")  # figures that simulated towers do not predict well enough to be chosen by


@cache
def list_known() -> tuple[str, ...]:
    """Return the figures that one may wish of a tower."""
    own = (figure.key for figure in GAME.figures if figure.key in SUMMARIES and figure.key not in _UNPREDICTED)
    return (*own, "colours", "single")


def find_middle(wish: Wish) -> tuple[float, float]:
    """Return the value at which a wish is sought, and its standard error."""
    check_known([wish], list_known())
    least = 1 if wish.key == "colours" else 0
    most = 1 if FIGURES[wish.key].is_share else COLOURS if wish.key in ("colours", "actions") else CUBES
    for end in (wish.low, wish.high):
        if math.isfinite(end) and not least < end < most:
            allowed = f"a number above {least} and below {most}"
            raise fault(f"--wish {wish.key}", end, allowed, "write --wish inside=5")
    if wish.target is not None:
        return wish.target, NARROW * wish.target
    low, high = max(wish.low, least), min(wish.high, most)
    if math.isinf(wish.low) or math.isinf(wish.high):  # a limit: a little inside of it
        end = low if math.isinf(wish.high) else high
        inside = end + NARROW * (high - end) if end == low else end - NARROW * (end - low)
        return inside, NARROW * end
    return (low + high) / 2, max((high - low) / 4, 1e-3)


def choose(places: Sequence[int] | Array, towers: Towers, wishes: Sequence[Wish]) -> int:
    """Return which of the towers at `places` comes nearest to the wishes in games of physics."""
    left = np.array(sorted(places, key=lambda place: _predict_distance(int(place), towers, wishes)))
    games: dict[int, list[Results]] = {}
    with report_progress("towers played for the wish", sum(many for many, _ in ROUNDS)) as tell:
        for many, numbers in ROUNDS:
            left = left[:many]
            for place in map(int, left):
                shape = tower(towers.unit[place])
                games.setdefault(place, []).append(played.play(shape, int(towers.number[place]), numbers))
                tell.step()
            left = np.array(sorted(left, key=lambda place: _measure_distance(games[int(place)], wishes)))
    return int(left[0])


def judge(profile: str | Path, directory: str | Path, wishes: Sequence[Wish], of: int, seed: int) -> tuple[str, ...]:
    """Play new games of a profile, fit its surrogate to them, and return the sentences about the wish.

    `of` is the number of towers that it was chosen from. The surrogate is written beside the profile, the games into
    `directory`; a second call continues. Raises KeyboardInterrupt if interrupted.
    """
    profile = Path(profile)
    words = {"game": GAME.name, "apparatus": profile.name, "games": JUDGE, "shard": 10, "seed": str(seed)}
    lines = (f"{key} = {repr(value) if isinstance(value, str) else value}" for key, value in words.items())
    spec = parse("\n".join(["[campaign]", *lines, ""]), profile.parent)
    folder = Path(directory, f"games-{spec.digest[:12]}")
    with report_progress("new games of the tower") as tell:
        summary = run(spec, folder, os.cpu_count() or 1, tell=tell)
    if summary.interrupted:
        raise KeyboardInterrupt
    with report_progress("steps of the fit") as tell:
        writing.write(beside(profile), fit([folder], tell.step).to_json(), "fast model")
    counted = read_games(load_whole(folder))
    return tuple(format_sentences(counted, wishes, of))


def format_sentences(games: Results, wishes: Sequence[Wish], of: int) -> list[str]:
    """Return what games of the chosen tower say of the wishes: the verdict first."""
    means: list[str] = []
    results: list[Verdict] = []
    for wish in wishes:
        values = FIGURES[wish.key].value(games)
        values = values[np.isfinite(values)]
        mean = average(values)
        verdict = wish.verdict(mean.low, mean.high, float(values.std(ddof=1)))
        results.append(verdict)
        missed = "" if verdict is Verdict.MET else f", wished {wish.words}"
        means.append(f"{FIGURES[wish.key].title} {show(mean)}{missed}")
    is_one = len(wishes) == 1
    what, are = ("The wish", "is") if is_one else ("The wishes", "are")
    by = f"{' and '.join(means)}, in {games.runs} games of physics played afresh."
    verdict = together(results)
    if verdict is Verdict.MET:
        return [f"{what} {are} met: {by}"]
    if verdict is Verdict.OPEN:
        more = "A range, such as --wish inside=4.5..5.5, can be met by fewer games."
        return [f"Whether this tower meets the wish{'es' * (not is_one)} is too close to tell: {by}", more]
    return [f"{what} {are} not met; this is the nearest of {of} simulated towers: {by}"]


def _predict_distance(place: int, towers: Towers, wishes: Sequence[Wish]) -> float:
    off = 0.0
    for wish in wishes:
        at, summary = towers.at(EVERY[wish.key]), SUMMARIES[wish.key]
        value, wide = find_middle(wish)
        unit = abs(float(summary.scale(value)) - float(summary.scale(value - wide)))
        away = float(at.mean[place]) - float(summary.scale(value))
        off += (away**2 + float(at.error[place]) ** 2) / unit**2
    return off


def _measure_distance(games: Sequence[Results], wishes: Sequence[Wish]) -> float:
    off = 0.0
    for wish in wishes:
        value, wide = find_middle(wish)
        mean = float(np.nanmean(np.concatenate([FIGURES[wish.key].value(each) for each in games])))
        away = mean - value if wish.target is not None else wish.off(mean)
        off += (away / wide) ** 2
    return off
