"""Measure how wide the games of the surrogate of `amerigo` are beside those of physics, and what its law leaves over.

python -m calibration.validation.spread FITTED HELD --terms

Prints figures of docs/surrogate.md from two campaigns of games with physics:

    tower-sim campaign run docs/surrogate/amerigo-fit.toml -o FITTED
    tower-sim campaign run docs/surrogate/amerigo-held.toml -o HELD

Those of both that it was not fitted to are compared with games of the surrogate that ships, or of --model. With
--terms, laws with other terms are fitted to FITTED and scored on HELD, which takes some minutes a law. ± is one
standard error over games.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from calibration.validation.script import option, print_table, script
from tower_sim import load as load_apparatus
from tower_sim.calibration.summaries import GAME, PLAN, RULES
from tower_sim.campaign import read_campaign
from tower_sim.games import record
from tower_sim.results import Results, sum_error
from tower_sim.studies import read_games
from tower_sim.studies.fitting.numerics import maximise
from tower_sim.studies.fitting.tower import fit
from tower_sim.studies.fitting.tower.data import Rows, read_rows
from tower_sim.studies.fitting.tower.whole_games import list_unseen_games, tell_apart
from tower_sim.surrogate import Cascade, SurrogateModel, fitted_or_shipped, normal_scores
from tower_sim.surrogate import model as surrogate_model
from tower_sim.surrogate.table import EFFECTS

Array = npt.NDArray[np.float64]

SAMPLED, SEED = 20_000, 46
PLAYED = 1000  # games with one effect a drop
AT_ONCE = 4_000_000  # numbers in memory at a time
FULL = 24  # cubes inside: more is a full tower
LAGS = (1, 2, 3, 5)  # phases
HEAPS = ((0, 4), (5, 9), (10, 14), (15, 98))  # cubes inside
FLOORS = (1, 2)  # those on which cubes lie
SPREAD_OUT = "spread of out"  # the standard deviation of the cubes out of a phase, over the phases of a game
FIGURES: dict[str, Callable[[Array], float]] = {
    "inside after the set-up": lambda counts: float(counts[:, 0, 0].mean()),
    "its standard deviation": lambda counts: float(counts[:, 0, 0].std()),
    "inside in play": lambda counts: float(counts[:, 1:, 0].mean()),
    "its standard deviation over games and phases": lambda counts: float(counts[:, 1:, 0].std()),
    f"games with more than {FULL} inside after some phase": lambda counts: float(
        (counts[:, 1:, 0].max(1) > FULL).mean()
    ),
    "standard deviation of the cubes out of a phase, within a game": lambda counts: float(
        counts[:, 1:, 1].std(1).mean()
    ),
}
"""Figures of the numbers inside and out, shape (games, drops, 2)."""


SEEN = {
    "all": "",
    f"'{SPREAD_OUT}' alone": f"^{SPREAD_OUT}$",
    f"all but '{SPREAD_OUT}'": f"^(?!{SPREAD_OUT}$)",
    "cubes of each colour out and inside, by drop": " drop ",
    "the same of the set-up and the first seven phases": " drop [0-7]$",
    "the same of the set-up": " drop 0$",
    "products of phases 1 to 7 apart": " times phase ",
    "sums, shares and spreads of the game": "^(?!.*( drop | phase [0-9]))",
}
"""What classifiers are shown, and a regular expression for the names of its features."""


def jackknife(figure: Callable[[Array], float], inside: Array) -> tuple[float, float]:
    """Return a figure of the games `inside` (games, drops), and its standard error over 50 groups of games."""
    groups = np.arange(len(inside)) % 50
    without = np.array([figure(inside[groups != group]) for group in range(50)])
    return figure(inside), float(np.sqrt(49 * without.var()))


def compare(physics: Results, model: SurrogateModel) -> None:
    sides = {
        "physics": physics,
        "surrogate": model.sample_runs(physics.plan, SAMPLED, SEED),
        "one effect a drop": play_with_one_effect(model),
    }
    counts = [np.stack([of.grid("inside"), of.grid("out")], 2).astype(float) for of in sides.values()]
    rows = [
        [name, *("{:.3f} ± {:.3f}".format(*jackknife(figure, side)) for side in counts)]
        for name, figure in FIGURES.items()
    ]
    print_table(["figure", *(f"{name}, {len(of)} games" for name, of in sides.items())], rows)
    print()
    others = list(sides)[1:]
    print_table(["a classifier that sees", "features", *others], _classify(physics, [sides[name] for name in others]))


def play_with_one_effect(model: SurrogateModel) -> Results:
    """Play games of the surrogate as if both floors had the same effect e in a drop, instead of one each."""

    effects = [np.array([*floor.arriving_effect, *floor.lying_effect]) for floor in model.table.floors]
    drawn = sum(map(np.any, effects))  # each by one of the first words
    drop = surrogate_model.drop

    def with_one(law: Array, cubes: Sequence[tuple[int, int, bool]], words: Array, *others: Any) -> list[int]:
        return drop(law, cubes, np.concatenate([np.repeat(words[:1], drawn - 1), words]), *others)

    with mock.patch.object(surrogate_model, "drop", with_one):
        runs = [list(GAME.start(model, RULES, SEED, run)) for run in range(PLAYED)]
    return replace(record(GAME, runs, RULES), shape=(PLAYED,), plan=PLAN)


def _classify(physics: Results, others: Sequence[Results]) -> Iterator[Sequence[object]]:
    for words, pattern in SEEN.items():
        only = re.compile(pattern).search
        seen = [tell_apart(physics, other, np.random.default_rng(SEED), only) for other in others]
        right = [each.accuracy for each in seen]
        yield words, seen[0].features, *(f"{each.value:.1%} ({each.low:.1%} to {each.high:.1%})" for each in right)


def count_laws(law: Cascade, rows: Rows) -> tuple[Array, Array, Array, npt.NDArray[np.intp]]:
    """Compare the predicted distribution of the number of cubes out with the observed number, for each drop.

    Returns the probabilities of fewer cubes than observed and of at most as many, the predicted mean, and the observed
    number, each of shape (drops,).
    """
    counts = np.bincount(rows.drop, minlength=len(rows))
    number = np.bincount(rows.drop[rows.out], minlength=len(rows))
    below, upto, mean = np.zeros((3, len(rows)))
    order = np.argsort(counts, kind="stable")
    at = 0
    while at < len(order):
        most = int(counts[order[min(at + 200, len(order)) - 1]])
        some = order[at : at + max(AT_ONCE // (EFFECTS**2 * (most + 1)), 1)]
        most = int(counts[some].max())
        is_some = np.zeros(len(rows), bool)
        is_some[some] = True
        chance, weights = fit.chances(law, rows.take(is_some))
        place = np.flatnonzero(is_some)
        start = np.cumsum(counts[place]) - counts[place]
        laws = np.zeros((len(place), len(weights), most + 1))
        laws[:, :, 0] = 1
        for cube in range(most):
            has = counts[place] > cube
            p = np.zeros((len(place), len(weights), 1))
            p[has, :, 0] = chance[start[has] + cube]
            laws[:, :, 1:] = laws[:, :, 1:] * (1 - p) + laws[:, :, :-1] * p
            laws[:, :, :1] *= 1 - p
        counts_law = weights @ laws
        reached = np.cumsum(counts_law, 1)
        one = np.arange(len(place))
        upto[place] = reached[one, number[place]]
        below[place] = upto[place] - counts_law[one, number[place]]
        mean[place] = counts_law @ np.arange(most + 1)
        at += len(some)
    return below, upto, mean, number


def residuals(rows: Rows, model: SurrogateModel) -> None:
    """Print the mean of the cubes out less the foretold ones, and how its scores correlate along a game."""
    law = model.fitted.cascade_of(model.shape.digest)
    below, upto, mean, out = count_laws(law, rows)
    score = np.sqrt(12) * ((below + upto) / 2 - 0.5)
    inside = rows.lying.sum(1)

    def row(heap: tuple[int, int]) -> Sequence[object]:
        drops = np.flatnonzero((inside >= heap[0]) & (inside <= heap[1]) & (rows.thrown < 15))
        correlations: list[str] = []
        for lag in LAGS:
            pair = drops[drops >= lag]
            pair = pair[(rows.run[pair] == rows.run[pair - lag]) & (rows.thrown[pair - lag] < 15)]
            correlations.append(correlate(score[pair - lag], score[pair]))
        apart = (out - mean)[drops]
        residual = f"{apart.mean():+.3f} ± {apart.std() / np.sqrt(len(drops)):.3f}"
        return f"{heap[0]} to {heap[1]}", len(drops), residual, ", ".join(correlations)

    print()
    lags = f"correlation of scores at lag {', '.join(map(str, LAGS))}"
    print_table(["inside before", "drops", "out less foretold", lags], map(row, HEAPS))


def correlate(x: Array, y: Array) -> str:
    return f"{np.corrcoef(x, y)[0, 1]:+.3f} ± {1 / np.sqrt(len(x)):.3f}"


def across(rows: Rows, law: Cascade) -> None:
    """Print how the cubes that pass the upper floor go together with those that lie on the lower one, in one phase."""
    effects = np.array(normal_scores())
    upper, lower = FLOORS
    groups = {
        "lie on the lower floor": (lower, rows.start == lower),
        "lie on the upper floor": (upper, rows.start == upper),
        "are thrown and come to the upper floor": (upper, (rows.start < 0) & (rows.end >= upper)),
        "are thrown and come to the lower floor": (lower, (rows.start < 0) & (rows.end >= lower)),
    }
    scores: list[Array] = []
    for floor, there in groups.values():
        chance = fit._passes(law.floors[floor], floor, rows, effects)[there]
        mean, variance = (np.zeros((len(rows), len(effects))) for _ in range(2))
        np.add.at(mean, rows.drop[there], chance)
        np.add.at(variance, rows.drop[there], chance * (1 - chance))
        passed = np.bincount(rows.drop[there], rows.end[there] > floor, len(rows))
        spread = variance.mean(1) + mean.var(1)
        scores.append(np.where(spread > 0, passed - mean.mean(1), np.nan) / np.sqrt(np.where(spread > 0, spread, 1)))
    table: list[Sequence[str]] = []
    for name, score in list(zip(groups, scores, strict=True))[1:]:
        both = ~np.isnan(scores[0] + score) & (rows.thrown < 15)
        table.append((name, correlate(scores[0][both], score[both])))
    print()
    print_table(["cubes that", "correlation with those that lie on the lower floor"], table)


Cells = Callable[[Rows, int], fit._Cells]


def by_lying(rows: Rows, floor: int) -> fit._Cells:
    """Return the cells of the law: one effect a floor, whose sd for arriving cubes follows the number lying there."""
    return fit._cells(rows, floor)


def alike(rows: Rows, floor: int) -> fit._Cells:
    """Return cells with one effect a floor, whose sd for arriving cubes is the same for any number lying there."""
    cells = by_lying(rows, floor)
    return replace(cells, spread=cells.spread @ csr_array(np.diag([1.0] * cells.spread.shape[1]) + _to_first(cells)))


def apart(rows: Rows, floor: int) -> fit._Cells:
    """Return cells with an effect for the cubes that arrive, and another one for those that lie there."""
    return _regroup(alike(rows, floor), lambda cells, lies: 2 * cells.drop + lies)


def by_throw(rows: Rows, floor: int) -> fit._Cells:
    return _regroup(alike(rows, floor), lambda cells, lies: np.arange(len(lies)))


def _to_first(cells: fit._Cells) -> Array:
    change = np.zeros((cells.spread.shape[1],) * 2)
    for i in range(1, len(fit.ARRIVING_SPREAD)):
        change[i, 0], change[i, i] = 1, -1
    return change


def _regroup(cells: fit._Cells, key: Callable[[fit._Cells, npt.NDArray[Any]], npt.NDArray[Any]]) -> fit._Cells:
    lies = cells.spread[:, [0]].toarray()[:, 0] == 0
    group = key(cells, lies)
    order = np.argsort(group, kind="stable")
    parts = (cells.cubes[order], cells.passed[order], cells.x[order], cells.spread[order])
    return fit._Cells(group[order], *parts)


LAWS: dict[str, Cells] = {
    "one effect a floor": alike,
    "its sd for arriving cubes by the number lying there": by_lying,
    "an effect for arriving cubes, another for those that lie there": apart,
    "an effect for each group thrown together": by_throw,
}


def fit_floor(cells: fit._Cells) -> Array:
    penalty = fit._penalty()

    def climb(at: Array) -> tuple[float, Array, Array]:
        value, slope, information = fit._log_likelihood(at, cells)
        return value - float(at @ penalty @ at) / 2, slope - penalty @ at, information + penalty

    begin = np.where(np.arange(fit._SIZE) < fit._SPLIT, 0.0, 0.3)
    return maximise(climb, begin, np.where(begin > 0, 0.0, -np.inf))[0]


def scores(at: Array, make: Cells, rows: Rows, floor: int) -> Array:
    """Return the log score of each run: the chance of which cubes passed the floor."""
    one = [rows.take(rows.run == run) for run in np.unique(rows.run)]
    return np.array([fit._log_likelihood(at, make(each, floor))[0] for each in one])


def compare_laws(used: Rows, held: Rows) -> None:
    print()
    head = ["law", "nats over the first law, all held-out games", "standard deviations of the effects"]
    print_table(head, _score_laws(used, held))


def _score_laws(used: Rows, held: Rows) -> Iterator[Sequence[str]]:
    base: Array | None = None
    for name, make in LAWS.items():
        cells = {floor: make(used, floor) for floor in FLOORS}
        at = {floor: fit_floor(cells[floor]) for floor in FLOORS}
        score = np.sum([scores(at[floor], make, held, floor) for floor in FLOORS], axis=0)
        base = score if base is None else base
        gain, error = sum_error(score - base)
        first = fit._SPLIT
        used_sds = {floor: np.flatnonzero(np.asarray(cells[floor].spread.sum(0)) > 0) for floor in FLOORS}
        sds = ["/".join(f"{sd:.2f}" for sd in at[floor][first:][used_sds[floor]]) for floor in FLOORS]
        yield name, f"{gain:+.1f} ± {error:.1f}", ", ".join(sds)


def measure(fitted: Path, held: Path, model: str, terms: bool) -> None:
    campaigns = read_campaign(fitted), read_campaign(held)
    with SurrogateModel(load_apparatus("amerigo"), fitted_or_shipped(model)) as surrogate:
        unseen = [read_games(each, list_unseen_games(each, surrogate.fitted)) for each in campaigns]
        compare(Results.together(unseen), surrogate)
        used_rows, held_rows = (read_rows([each], surrogate.table.regions) for each in campaigns)
        residuals(held_rows, surrogate)
        across(held_rows, surrogate.fitted.cascade_of(surrogate.shape.digest))
        if terms:
            compare_laws(used_rows, held_rows)


main = script(
    __doc__,
    measure,
    option("fitted", type=Path, metavar="FITTED", help="a campaign of games with physics"),
    option("held", type=Path, metavar="HELD", help="another one"),
    option("--model", default="amerigo", help="a model file, or the surrogate that ships (default)"),
    option("--terms", action="store_true", help="fit and score laws with other terms"),
)

if __name__ == "__main__":
    raise SystemExit(main())
