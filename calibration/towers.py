"""Towers that were played, weighted by the evidence: the posterior that its own towers agree with.

A tower's long-run means are known by its own games and, as far as these are few, by all other towers: a normal law for
each tower. Its likelihood is the mean of the evidence's over that law, so the noise of its games is allowed for; the
emulator's error at towers that nobody played plays no part. Sources: Beaumont, Genetics 164 (2003) 1139, and Andrieu
and Roberts, Annals of Statistics 37 (2009) 697, for weights with noise of their own; Owen and Zhou, Journal of the
American Statistical Association 95 (2000) 135, for points of several distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.emulator import Emulator, Predicted, correlated
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.fit import Sampled, kept
from tower_sim.calibration.law import TARGETS, TOLD, JointLaw, law
from tower_sim.calibration.summaries import EVERY, WHOLE, Array, Window, seventh

FIRST = 8  # draws of the means of every tower
MORE = 16_000  # draws in all, of towers that weigh
WEIGH = 0.999  # share of all weight that these have
UNKNOWN = 1e3  # sd of a summary that no game of a tower tells


@dataclass(frozen=True, slots=True)
class Means:
    """Long-run means of S points as they are known: a `Predicts` that asks for no point but its own, in their order.

    `mean` and `error` (S, K) are of `windows`, `games` (S, K) is the sd between games; `emulator` says how summaries of
    a game hang together.
    """

    emulator: Emulator
    windows: tuple[Window, ...]
    mean: Array
    error: Array
    games: Array

    def at(self, window: Window, unit: Array) -> Predicted:
        """Return a summary of each of the points; what comes out follows from what stays and from the turn."""
        if window.summary == "out":
            inside, turn = (self.windows.index(replace(window, summary=name)) for name in ("inside", "turn"))
            mean, error = seventh(self.mean[:, inside]) + self.mean[:, turn], self.error[:, turn]
        else:
            column = self.windows.index(window)
            mean, error = self.mean[:, column], self.error[:, column]
        return Predicted(mean, error, self.games[:, self.windows.index(window)])

    def correlation(self, windows: Sequence[Window]) -> Array:
        """Return the correlation of n summaries over games of one tower, shape (n, n)."""
        return self.emulator.correlation(windows)

    def take(self, rows: Array) -> Means:
        """Return the means of points `rows`."""
        return Means(self.emulator, self.windows, self.mean[rows], self.error[rows], self.games[rows])


def means(emulator: Emulator, windows: Sequence[Window]) -> tuple[Means, Array]:
    """Return what is known of the long-run means of every tower of the emulator's design, and their covariance.

    What all other towers say of a tower, and what its own games say: two normal laws, multiplied.
    """
    windows = _with_turns(windows)
    told = [emulator.left_out(window) if window.summary != "out" else None for window in windows]
    nothing = np.zeros(len(emulator.design.unit))
    mean, error, score = (
        np.stack([nothing + UNKNOWN * (k == 1) if each is None else each[k] for each in told], 1) for k in range(3)
    )
    games = np.stack([emulator.at(window, emulator.design.unit).games for window in windows], 1)
    of = np.stack([window.of(emulator.design.games) for window in windows], 2)
    count = (~np.isnan(of)).sum(1)
    seen = np.where(count > 0, np.nansum(of, axis=1) / np.maximum(count, 1), mean)
    noise = np.where(count > 0, games / np.sqrt(np.maximum(count, 1)), UNKNOWN)
    before = correlated(score) * error[:, :, None] * error[:, None, :]
    chance = emulator.correlation(windows) * noise[:, :, None] * noise[:, None, :]
    gain = np.linalg.solve(before + chance, before).transpose(0, 2, 1)
    mean = mean + (gain @ (seen - mean)[..., None])[..., 0]
    covariance = before - gain @ before
    covariance = (covariance + covariance.transpose(0, 2, 1)) / 2
    sd = np.sqrt(np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0.0))
    return Means(emulator, tuple(windows), mean, sd, games), covariance


def _with_turns(windows: Sequence[Window]) -> list[Window]:
    """Return the windows, each once, with those that what comes out follows from."""
    needed: list[Window] = []
    for window in windows:
        needed.append(window)
        if window.summary == "out":
            needed += [replace(window, summary=name) for name in ("inside", "turn")]
    return list(dict.fromkeys(needed))


def needed(evidence: Sequence[Evidence]) -> list[Window]:
    """Return the windows that the law of the evidence is about, and the targets."""
    of_evidence = [window for entry in evidence for window in entry.windows]
    of_clues = [window for entry in evidence for clue in entry.clues for window in clue.windows]
    return [*WHOLE.values(), *of_evidence, *of_clues, *(EVERY[name] for name in (*TARGETS, *TOLD))]


def sampled(
    emulator: Emulator,
    density: Array,
    evidence: Sequence[Evidence],
    off: Discrepancy,
    rng: np.random.Generator,
    more: int = MORE,
) -> Sampled:
    """Return the towers of the emulator's design as points that a fit can weigh, with draws of their means.

    `density` (towers) is the one that each was drawn from, over the even one, over how often it was drawn. Towers with
    nearly all of the weight have most of the draws. Random, from `rng`: the draws.
    """
    known, covariance = means(emulator, needed(evidence))
    values, _, keep = kept(evidence)
    unit = emulator.design.unit
    score = law(known, evidence, off, unit).scores(values, keep) - np.log(density)
    weight = np.exp(score - score.max())
    order = np.argsort(-weight)
    heavy = order[: 1 + int(np.searchsorted(np.cumsum(weight[order]) / weight.sum(), WEIGH))]
    number = np.full(len(unit), FIRST)
    number[heavy] += more // len(heavy)
    tower = np.repeat(np.arange(len(unit)), number)
    values_of, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values_of, 0.0))[:, None, :]
    drawn = known.mean[tower] + (root[tower] @ rng.normal(size=(len(tower), root.shape[2], 1)))[..., 0]
    rows = Means(emulator, known.windows, drawn, np.zeros_like(drawn), known.games[tower])
    each = density * number / number.mean()  # over the even one, as if every row were a point of its own

    def further(at: Array, names: Sequence[str]) -> JointLaw:
        return law(rows.take(at), evidence, off, unit[tower[at]], names)

    return Sampled(law(rows, evidence, off, unit[tower]), values, each[tower], further, tower)
