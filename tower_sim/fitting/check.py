"""`tower-sim model check`: compare a surrogate with games or battles that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.campaign.data import Campaign
from tower_sim.campaign.reader import load_whole
from tower_sim.errors import UsageError, fault
from tower_sim.fitting import ladder
from tower_sim.fitting.cascade_fit import chances
from tower_sim.fitting.classifier import ENOUGH, SHIFT, Power, power, tell_apart
from tower_sim.fitting.fit import apparatus_of, engine_of, unseen
from tower_sim.fitting.knocks import CHECKED, check_knocks, play_knocks
from tower_sim.fitting.pages import TowerCheck, text, write_report
from tower_sim.fitting.pit import pit, reliability
from tower_sim.fitting.rows import Rows, rows_of
from tower_sim.fitting.ship_check import check_board
from tower_sim.fitting.ship_ladder import ladder as board_ladder
from tower_sim.fitting.ship_pages import board_text
from tower_sim.fitting.ship_pages import write_report as write_board_report
from tower_sim.fitting.whole_games import compare_games, finished_runs, games_of
from tower_sim.models import surrogate_of
from tower_sim.runs.array import Array, Runs
from tower_sim.study.report import opened
from tower_sim.surrogate.cascade import EFFECTS, Cascade
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.ship import ShipSurrogate
from tower_sim.surrogate.store import BOARD, Fitted, fitted_or_shipped
from tower_sim.tools.progress import nothing, telling

GAMES = 10_000  # of the surrogate: enough to make the errors of its means negligible
TRIALS = 20  # to measure the classifier's power
_AT_ONCE = 4_000_000  # numbers in memory at a time


def check(
    fitted: Fitted,
    campaigns: Sequence[Campaign],
    seed: int,
    trials: int = TRIALS,
    note: Callable[[], None] = nothing,
) -> TowerCheck:
    """Compare a tower's surrogate with the games of campaigns that it was not fitted to.

    Random, from `seed`, are the surrogate's games, the choice of as many of them as there are physics games, the tests'
    draws, and the `trials` that measure the classifier's power. With 0 trials the power is not measured. `note` is
    called after each trial, and after each game that is played again to knock on it.

    Raises UsageError for campaigns of another apparatus, without games, or with different rules, and for too few games.
    """
    model = SurrogateModel(as_tower(_checked(fitted, campaigns)), fitted)
    law = fitted.cascade_of(model.shape.digest)
    keys = iter(np.random.SeedSequence(seed).spawn(6))
    chosen = [np.intersect1d(finished_runs(own), np.flatnonzero(unseen(own, fitted))) for own in campaigns]
    if any(campaign.spec.get("rules") != campaigns[0].spec.get("rules") for campaign in campaigns):
        raise UsageError("games have several sets of rules; allowed is one; keep them apart")
    physics = Runs.together([games_of(campaign, runs) for campaign, runs in zip(campaigns, chosen, strict=True)])
    every = rows_of(campaigns, model.table.regions)
    first = np.cumsum([0, *(campaign.runs for campaign in campaigns)])
    rows = every.take(np.isin(every.run, np.concatenate([runs + a for runs, a in zip(chosen, first, strict=False)])))
    below, upto, mean, out = count_laws(law, rows)
    knocks = play_knocks(campaigns, chosen, model.table.regions, CHECKED, note) if law.knocks else None
    games = model.sample_runs(physics.plan, max(GAMES, len(physics)), _number(next(keys)))
    return TowerCheck(
        model=f"the surrogate of {fitted.apparatus} ({fitted.digest})",
        data=", ".join(campaign.digest[:16] for campaign in campaigns),
        drops=len(rows),
        games=len(physics),
        scores=ladder.scores(ladder.rungs(fitted.lower_rungs, law), rows),
        counts=pit(rows.run, below, upto, np.random.default_rng(next(keys))),
        reliability=reliability(rows.run, mean, out, np.random.default_rng(next(keys))),
        whole=compare_games(physics, games, np.random.default_rng(next(keys))),
        told=tell_apart(physics, games, np.random.default_rng(next(keys))),
        power=power_of(model, physics, trials, np.random.default_rng(next(keys)), note) if trials else None,
        engines=other_engine(fitted, campaigns),
        knocks=check_knocks(law, knocks) if knocks else (),
    )


def check_command(model: str, directories: Sequence[Path], out: Path | None, seed: int) -> None:
    """Check a surrogate, print the result, and write the report to `out` unless it is None; raises as `check` does."""
    fitted = fitted_or_shipped(model)
    campaigns = [load_whole(directory) for directory in directories]
    if out is not None:
        opened(out)  # refuses before the work a folder that cannot be written
    if fitted.kind == BOARD:
        _check_board(fitted, campaigns, out)
        return
    with telling("trials of the check", TRIALS) as tell:
        checked = check(fitted, campaigns, seed, note=tell.step)
    print(text(checked))
    if out is not None:
        write_report(checked, out)
        print(out / "report.md")


def _check_board(fitted: Fitted, campaigns: Sequence[Campaign], out: Path | None) -> None:
    seen = {source.digest for source in fitted.data}
    if any(campaign.digest in seen for campaign in campaigns):
        raise UsageError("campaign was fitted; allowed is one the surrogate has not seen; run one with another seed")
    model = surrogate_of(apparatus_of(campaigns), fitted)
    assert isinstance(model, ShipSurrogate)  # the kind of the law says so
    with telling("battles") as tell:
        checked = replace(check_board(model, campaigns, note=tell.step), engines=other_engine(fitted, campaigns))
    print(board_text(checked))
    if out is not None:
        write_board_report(checked, model.law, out, board_ladder(campaigns))
        print(out / "report.md")


def other_engine(fitted: Fitted, campaigns: Sequence[Campaign]) -> str:
    """Return a sentence if the campaigns' physics engine differs from the model's, else an empty text.

    Raises UsageError for campaigns of several engines.
    """
    engine = engine_of(campaigns)
    if not engine or not fitted.engine or engine == fitted.engine:
        return ""
    return (
        f"The model was fitted to drops of the engine {fitted.engine}, these are of {engine}: what differs "
        "is also what the engines differ by."
    )


def count_laws(law: Cascade, rows: Rows) -> tuple[Array, Array, Array, Array]:
    """Compare the predicted distribution of the number of cubes out with the observed number, for each drop.

    Returns the probability of fewer cubes than observed, the probability of at most as many, the predicted mean, and
    the observed number, each of shape (drops,). Given the shared effects, cubes come out independently, so the
    distribution is built up cube by cube.
    """
    counts = np.bincount(rows.drop, minlength=len(rows))
    number = np.bincount(rows.drop[rows.out], minlength=len(rows))
    below, upto, mean = np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(len(rows))
    order = np.argsort(counts, kind="stable")
    at = 0
    while at < len(order):
        most = int(counts[order[min(at + 200, len(order)) - 1]])
        some = order[at : at + max(_AT_ONCE // (EFFECTS**2 * (most + 1)), 1)]
        most = int(counts[some].max())
        is_some = np.zeros(len(rows), bool)
        is_some[some] = True
        chance, weights = chances(law, rows.take(is_some))
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
        law_of = weights @ laws
        reached = np.cumsum(law_of, 1)
        one = np.arange(len(place))
        upto[place] = reached[one, number[place]]
        below[place] = upto[place] - law_of[one, number[place]]
        mean[place] = law_of @ np.arange(most + 1)
        at += len(some)
    return below, upto, mean, number


def power_of(
    model: SurrogateModel, like: Runs, trials: int, rng: np.random.Generator, note: Callable[[], None] = nothing
) -> Power:
    """Return how often the classifier detects a known change of the surrogate.

    The change adds SHIFT to each thrown cube's probability of coming out. Each side has ENOUGH games, or as many as
    `like` if that has fewer. The games and the classifier's folds are random, from `rng`.
    """
    games = min(len(like), ENOUGH)

    def pair(rng: np.random.Generator) -> tuple[Runs, Runs]:
        seeds = [int(seed) for seed in rng.integers(0, 1 << 62, 2)]
        itself = model.sample_runs(like.plan, games, seeds[0])
        return itself, model.sample_runs(like.plan, games, seeds[1], shift=SHIFT)

    return power(pair, trials, rng, note)


def _checked(fitted: Fitted, campaigns: Sequence[Campaign]) -> Apparatus:
    apparatus = apparatus_of(campaigns)
    surrogate_of(apparatus, fitted)  # refuses another apparatus
    if any(campaign.kind != "game" for campaign in campaigns):
        raise fault("campaign.kind", [campaign.kind for campaign in campaigns], "game", "give campaigns of games")
    return apparatus


def _number(key: np.random.SeedSequence) -> int:
    return int(key.generate_state(1, np.uint64)[0])
