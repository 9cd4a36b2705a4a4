"""The worth of each term of the board's law: held-out log scores of simpler laws, and of a more general one."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.fitting.board.data import Throws, count_throws, find_ship
from tower_sim.fitting.board.fit import FOLDS, Terms, crowding, fit_changes, fit_landing, terms
from tower_sim.statistics import sum_by_unit, sum_error

_special: Any = importlib.import_module("scipy.special")  # has no type stubs
_optimize: Any = importlib.import_module("scipy.optimize")


@dataclass(frozen=True)
class BoardRung:
    """A law for one part, and its gain in log score over the rung before it (NaN for a first rung).

    `gain` (nats) is a sum over held-out throws, `error` its standard error over battles. After a rung that gave
    probability 0 to what happened, `gain` is infinite and `error` NaN.
    """

    part: str
    law: str
    gain: float
    error: float


def ladder(campaigns: Sequence[Campaign], folds: int = FOLDS) -> tuple[BoardRung, ...]:
    """Score the rungs by cross-validation; battle i is held out in fold i % `folds`. Nothing is random.

    A score is the log probability of a throw's counts by place. The last rung of landing is Dirichlet-multinomial:
    cubes of one throw tend to land together.
    """
    throws = count_throws(campaigns, find_ship(campaigns))
    landing = {
        "constant shares": _landing(throws, folds, lambda some: terms(some)[:, :1], None),
        "+ log thrown": _landing(throws, folds, lambda some: terms(some)[:, :2], None),
        "+ log (thrown + lying)": _landing(throws, folds, terms, None),
        "+ log (1 + lying at the place)": _landing(throws, folds, terms, crowding),
        "+ an effect shared by a throw": _landing(throws, folds, terms, crowding, shared=True),
    }
    displacement = {
        "none": np.where(throws.changed.sum(1) > 0, -math.inf, 0.0),
        "one chance for every lying cube": _changes(throws, folds, _same),
        "+ thrown (each as likely to hit)": _changes(throws, folds, _by_thrown),
        "+ place, and a free power of thrown": _changes(throws, folds, _by_place),
    }
    return (*_gains("landing", landing, throws), *_gains("displacement", displacement, throws))


def _gains(part: str, scores: dict[str, Array], throws: Throws) -> list[BoardRung]:
    rungs: list[BoardRung] = []
    for (_, before), (law, score) in pairwise([("", None), *scores.items()]):
        gain, error = math.nan if before is None else math.inf, math.nan
        if before is not None and np.isfinite(before).all():
            gain, error = sum_error(sum_by_unit(throws.run, score - before))
        rungs.append(BoardRung(part, law, gain, error))
    return rungs


def _cross_validate(throws: Throws, folds: int, score: Callable[[Throws, Throws], Array]) -> Array:
    scores = np.zeros(len(throws.run))
    for fold in range(folds):
        is_held = throws.run % folds == fold
        scores[is_held] = score(throws.take(~is_held), throws.take(is_held))
    return scores


def _landing(throws: Throws, folds: int, columns: Terms, beside: Terms | None, *, shared: bool = False) -> Array:
    def score(train: Throws, test: Throws) -> Array:
        (coefficients, _), (crowd, _) = fit_landing(train, columns, beside)

        def chances(of: Throws) -> Array:
            crowding_term = 0.0 if beside is None else crowd * beside(of)
            return np.asarray(_special.softmax(columns(of) @ coefficients.T + crowding_term, axis=1))

        if not shared:
            return (test.landed * np.log(chances(test))).sum(1)
        return _dirichlet(chances(test), test.landed, _size(chances(train), train.landed))

    return _cross_validate(throws, folds, score)


def _dirichlet(chances: Array, landed: Array, size: float) -> Array:
    """Return the log probabilities of sequences of landings with the counts `landed`, shape (throws,).

    They are Dirichlet-multinomial with the total concentration `size`. Source: Johnson, Kotz, Balakrishnan, Discrete
    Multivariate Distributions, 1997, section 35.13.1.
    """
    log = _special.gammaln
    a = chances * size
    return log(size) - log(landed.sum(1) + size) + (log(landed + a) - log(a)).sum(1)


def _size(chances: Array, landed: Array) -> float:
    def loss(at: float) -> float:
        return -float(_dirichlet(chances, landed, math.exp(at)).sum())

    best = _optimize.minimize_scalar(loss, bounds=(0.0, math.log(1e6)), method="bounded")
    return math.exp(float(best.x))


def _changes(throws: Throws, folds: int, law: Callable[[Throws, Throws], Array]) -> Array:
    def score(train: Throws, test: Throws) -> Array:
        rate = np.maximum(law(train, test), 1e-12)
        there, hit = test.lying.astype(float), test.changed.astype(float)
        there[:, -1] = hit[:, -1] = 0
        return (hit * np.log(-np.expm1(-rate)) - (there - hit) * rate).sum(1)

    return _cross_validate(throws, folds, score)


def _same(train: Throws, test: Throws) -> Array:
    rate = (train.changed.sum() + 0.5) / (train.lying.sum() + 1.0)
    return np.full(test.lying.shape, rate)


def _by_thrown(train: Throws, test: Throws) -> Array:
    rate = (train.changed.sum() + 0.5) / (train.thrown @ train.lying.sum(1) + 1.0)
    return np.broadcast_to(rate * test.thrown[:, None], test.lying.shape)


def _by_place(train: Throws, test: Throws) -> Array:
    (levels, _), (slope, _) = fit_changes(train)
    return np.exp(levels + slope * np.log(test.thrown)[:, None])
