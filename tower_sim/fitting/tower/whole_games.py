"""Whole games of two models compared: distances, means and autocorrelations. Also the games of a campaign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.errors import UsageError, fault
from tower_sim.fitting.numerics import LEVEL
from tower_sim.fitting.tower.data import unseen
from tower_sim.fitting.tower.distances import (
    SERIES,
    Distance,
    draw_splits,
    list_distances,
    memory_parts,
    statistics,
)
from tower_sim.runs.array import Array, Plan, Runs
from tower_sim.runs.tower import INSIDE, OUT
from tower_sim.statistics import Estimate, Estimates, average, averages, student_quantile
from tower_sim.surrogate.store import Fitted

PERMUTATIONS = 5000
FEWEST = 10  # games a side
INSIDE_WITHIN, OUT_WITHIN = 0.3, 0.1  # cubes: how close the means of a good surrogate must be
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class ComparedMean:
    """A mean over games and phases for both models, in cubes; `difference` is surrogate minus physics.

    `needed` is roughly how many physics games give an interval of the difference within `within`.
    """

    name: str
    physics: Estimate
    surrogate: Estimate
    difference: Estimate
    within: float
    needed: int

    @property
    def is_close(self) -> bool:
        """Whether the whole interval of the difference is closer to 0 than `within`."""
        return -self.within < self.difference.low and self.difference.high < self.within

    @property
    def is_apart(self) -> bool:
        """Whether the whole interval of the difference is at least `within` from 0."""
        return self.difference.low >= self.within or self.difference.high <= -self.within


@dataclass(frozen=True)
class Autocorrelation:
    """The autocorrelation of one series at lags 1 to 7, for both models."""

    name: str
    physics: Estimates
    surrogate: Estimates


@dataclass(frozen=True, eq=False)
class WholeGames:
    """The comparison of two models' games.

    The permutation tests used `compared` games on each side. `fans` has QUANTILES of the number inside after each drop,
    shape (2, 5, drops): physics, then the surrogate.
    """

    physics: int
    surrogate: int
    compared: int
    permutations: int
    distances: Sequence[Distance]
    means: Sequence[ComparedMean]
    curves: Sequence[Autocorrelation]
    fans: Array


def compare_games(
    physics: Runs, surrogate: Runs, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> WholeGames:
    """Compare two models' games.

    Random, from `rng`, are the games left out of the larger side, and the permutations.
    """
    check_pair(physics, surrogate)
    measures = statistics(physics.plan)
    if permutations < len(measures) / LEVEL:
        raise fault("permutations", permutations, f"a whole number from {math.ceil(len(measures) / LEVEL)}")
    a, b = balance(physics, surrogate, rng)
    splits = draw_splits(len(a), permutations, rng)
    values = [x.measure(np.concatenate([x.series(a), x.series(b)]), splits) for x in measures]
    sizes = [clearest(x.reduce(x.series(physics)), x.reduce(x.series(surrogate)), x.units) for x in measures]
    return WholeGames(
        physics=len(physics),
        surrogate=len(surrogate),
        compared=len(a),
        permutations=permutations,
        distances=list_distances([x.name for x in measures], values, sizes),
        means=means(physics, surrogate),
        curves=[
            Autocorrelation(name, *(averages(memory_parts(series(games))) for games in (physics, surrogate)))
            for name, series in SERIES.items()
        ],
        fans=np.stack([np.quantile(games.inside.sum(-1), QUANTILES, axis=0) for games in (physics, surrogate)]),
    )


def means(physics: Runs, surrogate: Runs) -> list[ComparedMean]:
    """Return the means of the number inside after a phase and of the number out in one."""
    pairs: list[ComparedMean] = []
    for figure, within in ((INSIDE, INSIDE_WITHIN), (OUT, OUT_WITHIN)):
        a, b = (figure.value(games.by_drop) for games in (physics, surrogate))
        needed = math.ceil((1.96 * float(a.std(ddof=1)) / within) ** 2) + 2  # 2: about the addition for Student's t
        pairs.append(ComparedMean(figure.title, average(a), average(b), difference(a, b), within, needed))
    return pairs


def check_pair(physics: Runs, surrogate: Runs) -> None:
    """Raise UsageError unless both sides have one plan of at least two drops, and at least 10 games each."""
    if physics.plan != surrogate.plan:
        raise fault("plan of the surrogate's games", surrogate.plan, "that of the physics games", "play that")
    if physics.plan.drops < 2:
        raise fault("drops of a game", physics.plan.drops, "2 or more, the set-up and a phase", "set rounds = 1")
    fewest = min(len(physics), len(surrogate))
    if fewest < FEWEST:
        raise fault("games on one side", fewest, f"{FEWEST} or more", "play more")


def balance(physics: Runs, surrogate: Runs, rng: np.random.Generator) -> tuple[Runs, Runs]:
    """Return equally many games of both sides, drawn without replacement."""
    n = min(len(physics), len(surrogate))
    first, second = (
        games if len(games) == n else games.take(np.sort(rng.permutation(len(games))[:n]))
        for games in (physics, surrogate)
    )
    return first, second


def difference(a: Array, b: Array, level: float = LEVEL) -> Estimate:
    """Return mean(b) - mean(a) with Welch's interval of confidence 1 - `level`; its n is that of both samples together.

    Source: Welch, Biometrika 34 (1947).
    """
    one, two = (float(side.var(ddof=1)) / len(side) for side in (a, b))
    mean, variance = float(b.mean() - a.mean()), one + two
    if variance == 0:
        return Estimate(mean, mean, mean, len(a) + len(b))
    freedom = variance**2 / (one**2 / (len(a) - 1) + two**2 / (len(b) - 1))
    reach = float(student_quantile(np.array(freedom), 1 - level / 2)) * math.sqrt(variance)
    return Estimate(mean, mean - reach, mean + reach, len(a) + len(b))


def clearest(a: Array, b: Array, units: Sequence[str]) -> tuple[Estimate, str]:
    """Return the difference of means in the column where it is clearest, and the column's unit.

    `a` and `b` have shape (games, columns). The interval is corrected for the choice of the column (Bonferroni).
    """
    if not units:
        return Estimate(0.0, math.nan, math.nan, len(a) + len(b)), "no lag"
    differences = [difference(a[:, i], b[:, i], LEVEL / len(units)) for i in range(len(units))]
    clear = [abs(difference.value) / max(difference.high - difference.value, 1e-12) for difference in differences]
    at = clear.index(max(clear))
    return differences[at], units[at]


# Games of a campaign


def list_finished_runs(campaign: Campaign) -> Array:
    """Return the numbers of the campaign's games that were played to the end, shape (games,)."""
    drops = np.bincount(campaign.drops.run, minlength=campaign.runs)
    return np.flatnonzero((drops == _find_plan(campaign).drops) & ~campaign.unfinished)


def list_unseen_games(campaign: Campaign, fitted: Fitted) -> Array:
    """Return the numbers of the finished games that a surrogate was not fitted to, shape (games,)."""
    return np.intersect1d(list_finished_runs(campaign), np.flatnonzero(unseen(campaign, fitted)))


def read_games(campaign: Campaign, runs: Array | None = None) -> Runs:
    """Return the campaign's finished games in the order of runs, or only those among `runs`."""
    plan, drops = _find_plan(campaign), campaign.drops
    if strange := sorted(set(campaign.colours) - set(plan.colours)):
        raise fault("colours of the campaign", strange, f"among {', '.join(plan.colours)}", "verify the campaign")
    chosen = list_finished_runs(campaign)
    if runs is not None:
        chosen = np.intersect1d(chosen, runs)
    of_plan = [plan.colours.index(colour) for colour in campaign.colours]
    # Drops are sorted by run and number, so those of a finished game follow one another.
    rows = np.flatnonzero(np.isin(drops.run, chosen))
    tables = np.zeros((3, len(rows), len(plan.colours)), np.int16)
    by_colour = (campaign.thrown_by_colour, campaign.out_by_colour, campaign.inside_by_colour)
    for table, counts in zip(tables, by_colour, strict=True):
        table[:, of_plan] = counts[rows]
    return Runs(plan, *tables.reshape(3, len(chosen), plan.drops, len(plan.colours)))


def _find_plan(campaign: Campaign) -> Plan:
    game = campaign.game
    plan = game and game.plan(game.read({name: campaign.spec[name] for name in game.tables if name in campaign.spec}))
    if plan is None:
        raise UsageError(f"campaign is of {campaign.unit}s; allowed is one of games; run one with game = 'amerigo'")
    varied = sorted({key for point in campaign.points for key in point if key.startswith("rules")})
    if varied:
        raise fault("fields of vary.fields", varied, "any but those of rules", "run one campaign for each")
    return plan
