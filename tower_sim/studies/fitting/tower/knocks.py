"""Knocks on the states of a campaign's games: how many cubes they bring out, fitted and checked."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from tower_sim.campaign import Campaign, Spec, canonical_json
from tower_sim.drops import until_landed
from tower_sim.results import Array, ratios_of_sums, sum_by_unit
from tower_sim.studies.fitting.numerics import maximise
from tower_sim.surrogate import KNOCKS, Cascade, Polyline, SurrogateModel
from tower_sim.tools import nothing

GAMES = 100  # played again for the fit, and as many for the check; each takes about a minute on one core
FITTED = tuple(round(10 * 50 ** (i / 48)) for i in range(49))  # hundredths of g, from KNOCKS[0] to KNOCKS[-1]
CHECKED = (10, 20, 50)
_STREAM = 2  # of spawn keys: games use 0 for drops and 1 for their own knocks
_CURVE_SD, _FLOOR_SD = 5.0, 1.0  # normal penalties on log-odds: the curve's values, each floor's number
_special: Any = importlib.import_module("scipy.special")


@dataclass(frozen=True, eq=False)
class PlayedKnocks:
    """Knocks by `run` and `strength` (hundredths of g).

    `lying` counts the cubes before each knock and `out` those that came out, shape (knock, floor).
    """

    run: Array
    strength: Array
    lying: Array
    out: Array


@dataclass(frozen=True)
class KnockMeans:
    """A mean over `states` for both models, and the standard error of their difference."""

    name: str
    physics: float
    surrogate: float
    error: float
    states: int


def games_to_knock(campaigns: Sequence[Campaign], chosen: Sequence[Array]) -> list[tuple[Campaign, int]]:
    """Return up to GAMES of the runs `chosen` from each campaign of games, in turn from each design point."""
    points = [
        [(campaign, run) for run in runs[campaign.run_point[runs] == point].tolist()]
        for campaign, runs in zip(campaigns, chosen, strict=True)
        if campaign.kind == "game"
        for point in np.unique(campaign.run_point[runs])
    ]
    return [game for turn in zip_longest(*points) for game in turn if game][:GAMES]


def play_knocks(
    games: Sequence[tuple[Campaign, int]],
    regions: Sequence[str],
    strengths: Sequence[int],
    note: Callable[[], None] = nothing,
) -> PlayedKnocks:
    """Play games (campaign, run) again, and knock once on a copy of each state; `note` is called after each game.

    A knock's direction is random, from the campaign's seed; `strengths` (hundredths of g) are used evenly. A surrogate
    without knocks is left out.
    """
    rows: list[tuple[int, int, list[list[int]]]] = []
    for number, (campaign, run) in enumerate(games):
        spec = Spec.from_canonical(canonical_json(campaign.spec))
        point = spec.point(int(campaign.run_point[run]))
        with point.open_model() as model:
            has_knocks = not isinstance(model, SurrogateModel) or model.table.knocks
            for turn in point.game.start(model, point.rules, spec.seed, run) if has_knocks else ():
                strength = strengths[int(len(rows) * 0.6180339887498949 % 1 * len(strengths))]
                stream = np.random.SeedSequence(spec.seed, spawn_key=(run, turn.index, _STREAM))
                out = set(until_landed(partial(model.knock, turn.state, strength / 100), stream).emerged)
                floors = [[x.cube in out for x in turn.state.residents if x.region == region] for region in regions]
                rows.append((number, strength, [[len(floor), sum(floor)] for floor in floors]))
        note()
    counts = np.array([row[2] for row in rows], int).reshape(len(rows), len(regions), 2)
    runs, drawn_strengths = (np.array([row[i] for row in rows], int) for i in (0, 1))
    return PlayedKnocks(runs, drawn_strengths, counts[..., 0], counts[..., 1])


def fit_knocks(knocks: PlayedKnocks) -> tuple[Polyline, ...]:
    """Fit the log-odds that a cube comes out after a knock, by penalised maximum likelihood: a curve for each floor.

    Each floor adds a number to a common curve of the strength.
    """
    count, floors = knocks.lying.shape
    if not count:
        return ()
    hats = np.stack([np.interp(np.log(knocks.strength), np.log(KNOCKS), row) for row in np.eye(len(KNOCKS))], 1)
    x = np.hstack([np.repeat(hats, floors, 0), np.tile(np.eye(floors), (count, 1))])
    lying, out = knocks.lying.ravel(), knocks.out.ravel()
    penalty: Array = np.repeat([_CURVE_SD, _FLOOR_SD], [len(KNOCKS), floors]) ** -2.0

    def climb(at: Array) -> tuple[float, Array, Array]:
        odds = x @ at
        chance: Array = _special.expit(odds)
        value = float(out @ odds - lying @ np.logaddexp(0, odds) - penalty @ at**2 / 2)
        information: Array = (x.T * (lying * chance * (1 - chance))) @ x + np.diag(penalty)
        return value, x.T @ (out - lying * chance) - penalty * at, information

    best, covariance = maximise(climb, np.zeros(len(penalty)))
    curves: list[Polyline] = []
    for floor in np.eye(floors):
        of_floor = np.hstack([np.eye(len(KNOCKS)), np.tile(floor, (len(KNOCKS), 1))])
        errors = np.sqrt(np.diag(of_floor @ covariance @ of_floor.T))
        values, errors = (np.round(numbers, 4).tolist() for numbers in (of_floor @ best, errors))
        curves.append(Polyline(KNOCKS, tuple(values), tuple(errors)))
    return tuple(curves)


def check_knocks(law: Cascade, knocks: PlayedKnocks) -> list[KnockMeans]:
    """Compare physics and surrogate on knocks that the model was not fitted to, for each strength.

    A standard error combines the variation between games and the fitted curves' errors, as if fully correlated.
    """
    means: list[KnockMeans] = []
    for strength in np.unique(knocks.strength).tolist():
        rows = knocks.strength == strength
        lying, out, run = knocks.lying[rows], knocks.out[rows].sum(1), knocks.run[rows]
        chance: Array = _special.expit(law.knock_odds([strength])[:, 0])
        errors: list[Any] = [np.interp(strength, curve.knots, curve.errors) for curve in law.knocks]
        none = np.prod((1 - chance) ** lying, 1)
        for name, physics, foretold, slopes in (
            ("cubes lost", out, lying @ chance, lying * chance * (1 - chance)),
            ("share of states that lose one", out > 0, 1 - none, none[:, None] * lying * chance),
        ):
            sums = (sum_by_unit(run, part[:, None]) for part in (foretold - physics, np.ones(len(run))))
            error = np.hypot(ratios_of_sums(*sums)[1][0], slopes.mean(0) @ errors)
            title = f"knock of {strength / 100:g} g, {name}"
            means.append(KnockMeans(title, float(physics.mean()), float(foretold.mean()), float(error), len(run)))
    return means
