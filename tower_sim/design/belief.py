"""What is believed of towers that were never played: a Gaussian process of the atlas, and what was tried since.

Each tower's figure is the process at its features and something of its own, a part of which it shares with towers that
are built nearly like it, seen through the noise of its games. Source of the formulas: Rasmussen and Williams, Gaussian
Processes for Machine Learning, 2006, sections 2.2 and 5.4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.design.features import features
from tower_sim.design.towers import Towers
from tower_sim.gaussian import GaussianProcess, Matern, fit

Array = npt.NDArray[np.float64]

MOST = 2048  # towers of the atlas that are learnt from: the time grows with their cube
LEAST = 30
ALIKE = 0.1  # of the ranges, over all features: the length over which towers share what is their own
ALONE = 0.1  # of what is a tower's own: the share that no other has, however alike
GUESSED = 2.0  # games that the noise told by the atlas counts for, beside those that were tried


@dataclass(frozen=True)
class Prior:
    """What the atlas tells of one output: its process, and two variances.

    `noise` is that of a game about its tower's figure, `own` that of towers about the process.
    """

    emulator: GaussianProcess
    noise: float
    own: float


def prior(towers: Towers, value: Array, errors: Array, rng: np.random.Generator, kernel: Matern | None = None) -> Prior:
    """Learn a figure from the first MOST towers that tell it: its `value` with their standard `errors`, both (T,).

    Where its `kernel` is not known it is sought. Random: what `gaussian.fit` draws.
    """
    mine = np.flatnonzero(~np.isnan(value))[:MOST]
    noise = np.nan_to_num(errors[mine]) ** 2
    emulator = fit(features(towers.numbers[mine]), value[mine], noise, rng, kernel)
    of_a_game = float((noise * towers.runs[mine]).mean())
    return Prior(emulator, of_a_game or emulator.kernel.nugget, emulator.kernel.nugget + _overlooked(emulator))


def of_own(given: Prior, x: Array, value: Array, noise: Array) -> Array:
    """Return what is believed of towers of the atlas at `x`, shape (n, F), by the process and by their own games.

    Their games came to `value`, with variances `noise`. What a tower has of its own is told by what its games are off
    the process, as far as that is not noise. Returns shape (n,).
    """
    mean = given.emulator.means(x)[:, 0]
    return mean + given.own / (given.own + noise) * (value - mean)


@dataclass(frozen=True)
class OfAtlas:
    """Towers of the atlas at `x`, shape (n, F), whose games came to `value`, with the variances `noise`: each (n,)."""

    x: Array
    value: Array
    noise: Array


def _overlooked(emulator: GaussianProcess) -> float:
    """Return by how much towers, each told by all others, are further off than the process knows (a variance)."""
    variance = 1 / np.diag(emulator.inverse)
    error = emulator.weights[:, 0] * variance
    return max(0.0, float((error**2 - variance).mean()))


@dataclass(frozen=True)
class Belief:
    """What is believed of one output after towers with the features `x`, shape (n, F), were seen.

    The first `tried` of them were tried, the others are of the atlas. `solved` is what makes means of the
    covariance with them, `inverse` that of the covariance of what was seen.
    """

    prior: Prior
    x: Array
    noise: Array
    seen: Array
    solved: Array
    inverse: Array
    tried: int

    def together(self, x: Array) -> tuple[Array, Array]:
        """Return means and covariance of the figures of towers at `x`, shape (m, F), that were not tried: (m,), (m, m).

        What a tower has of its own alone is among its variance.
        """
        covariance = between(self.prior, x, x)
        if len(self.x):
            cross = between(self.prior, x, self.x)
            covariance = covariance - cross @ self.inverse @ cross.T
        return self.means(x), covariance

    def means(self, x: Array) -> Array:
        """Return the means of the figures of towers at `x`, shape (m, F), that were not tried: shape (m,)."""
        mean = self.prior.emulator.means(x)[:, 0]
        return mean + between(self.prior, x, self.x) @ self.solved if len(self.x) else mean

    def of_tried(self) -> tuple[Array, Array]:
        """Return the mean and the sd of the figures of those tried: each (tried,)."""
        emulator = self.prior.emulator
        before, _ = emulator.at(self.x)
        own = between(self.prior, self.x, self.x)
        gain = own @ self.inverse
        mean, sd = before + gain @ (self.seen - before), np.sqrt(np.maximum(np.diag(own - gain @ own), 0.0))
        return mean[: self.tried], sd[: self.tried]


def between(prior: Prior, x: Array, y: Array) -> Array:
    """Return the covariance of towers' figures at `x`, shape (n, F), and `y`, shape (m, F), given the atlas: (n, m)."""
    kernel, known = prior.emulator.kernel, prior.emulator.x
    of_process = kernel.between(x, y) - kernel.between(x, known) @ (prior.emulator.inverse @ kernel.between(known, y))
    shared = Matern((1 - ALONE) * prior.own, np.array([ALIKE] * len(kernel.lengths)), 0.0)
    return of_process + shared.between(x, y) + ALONE * prior.own * (x[:, None] == y).all(2)


def believed(prior: Prior, x: Array, seen: Array, noise: Array, tried: int) -> Belief:
    """Return what is believed after `seen`, shape (n,), at `x`, with `noise`, the variance of each; see `Belief`."""
    if not len(x):
        empty = np.empty(0)
        return Belief(prior, x, noise, seen, empty, np.empty((0, 0)), tried)
    emulator = prior.emulator
    covariance = between(prior, x, x) + np.diag(noise + 1e-9)
    inverse = np.asarray(np.linalg.inv(covariance), np.float64)
    return Belief(prior, x, noise, seen, inverse @ (seen - emulator.at(x)[0]), inverse, tried)


def given(covariance: Array, which: int, noise: float) -> Array:
    """Return the covariance of towers once the one of number `which` has been seen with a variance of `noise`."""
    cross = covariance[:, which]
    return covariance - np.outer(cross, cross) / (cross[which] + noise)


def after(prior: Prior, x: Array, games: Sequence[Array], known: OfAtlas) -> Belief:
    """Return what is believed after `games`, the values of each game of each tower at `x`; each tower has one or more.

    The variance of a game is pooled over towers, with what the atlas tells of it. Towers of the atlas that are `known`
    come behind: the process has their games already, but not what these tell of the towers themselves.
    """
    counts = np.array([len(values) for values in games], float)
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in games)
    variance = (GUESSED * prior.noise + squares) / (GUESSED + float(np.maximum(counts - 1, 0).sum()))
    seen = np.array([float(values.mean()) for values in games])
    noise = variance / np.maximum(counts, 1.0)
    return believed(
        prior, np.vstack([x, known.x]), np.append(seen, known.value), np.append(noise, known.noise), len(games)
    )
