"""Compare a tower's surrogate with games that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tower_sim.apparatus import as_tower
from tower_sim.campaign import Campaign
from tower_sim.errors import UsageError, fault
from tower_sim.models import open_surrogate
from tower_sim.results import Estimate, Results
from tower_sim.studies.fitting.data import find_apparatus, other_engine, run_starts
from tower_sim.studies.fitting.tower.data import read_rows
from tower_sim.studies.fitting.tower.fit import rungs, scores
from tower_sim.studies.fitting.tower.knocks import CHECKED, check_knocks, games_to_knock, play_knocks
from tower_sim.studies.fitting.tower.pages import TowerCheck, find_fan
from tower_sim.studies.fitting.tower.whole_games import (
    ENOUGH,
    SHIFT,
    compare_games,
    list_unseen_games,
    power,
    read_games,
    tell_apart,
)
from tower_sim.surrogate import Fitted, SurrogateModel
from tower_sim.tools import Telling, nothing

GAMES = 10_000  # of the surrogate: enough to make the errors of its means negligible
TRIALS = 20  # to measure the classifier's power


def check_tower(
    fitted: Fitted,
    campaigns: Sequence[Campaign],
    seed: int,
    tell: Telling | None = None,
    trials: int = TRIALS,
) -> TowerCheck:
    """Compare a tower's surrogate with games that it was not fitted to.

    Random, from `seed`, are the surrogate's games, the choice of as many of them as there are physics games, the tests'
    draws, and the `trials` that measure the classifier's power (0: not measured).
    """
    shape = find_apparatus(campaigns)
    open_surrogate(shape, fitted)  # refuses another apparatus
    if any(campaign.kind != "game" for campaign in campaigns):
        raise fault("campaign.kind", [campaign.kind for campaign in campaigns], "game", "give campaigns of games")
    model = SurrogateModel(as_tower(shape), fitted)
    law = fitted.cascade_of(model.shape.digest)
    own, _, _, *keys = np.random.SeedSequence(seed).spawn(6)  # two are free
    distances, classes, trial = map(np.random.default_rng, keys)
    chosen = [list_unseen_games(campaign, fitted) for campaign in campaigns]
    if any(campaign.spec.get("rules") != campaigns[0].spec.get("rules") for campaign in campaigns):
        raise UsageError("games have several sets of rules; allowed is one; keep them apart")
    physics = Results.together([read_games(campaign, runs) for campaign, runs in zip(campaigns, chosen, strict=True)])
    every, first = read_rows(campaigns, model.table.regions), run_starts(campaigns)
    rows = every.take(np.isin(every.run, np.concatenate([runs + a for runs, a in zip(chosen, first, strict=True)])))
    to_knock = games_to_knock(campaigns, chosen) if law.knocks else []
    if tell:
        tell.begin(len(to_knock) + trials)
    note = tell.step if tell else nothing
    knocks = play_knocks(to_knock, model.table.regions, CHECKED, note)
    words = int(own.generate_state(1, np.uint64)[0])
    games = model.sample_runs(physics.plan, max(GAMES, len(physics)), words)
    return TowerCheck(
        model=f"the surrogate of {fitted.apparatus} ({fitted.digest})",
        data=", ".join(campaign.digest[:16] for campaign in campaigns),
        drops=len(rows),
        games=len(physics),
        played=len(games),
        scores=scores(rungs(fitted.lower_rungs, law), rows),
        figures=compare_games(physics, games, distances),
        fans=[find_fan(side) for side in (physics, games)],
        answers=tell_apart(physics, games, classes),
        power=measure_power(model, physics, trials, trial, note) if trials else None,
        engines=other_engine(fitted, campaigns),
        knocks=check_knocks(law, knocks),
    )


def measure_power(
    model: SurrogateModel, like: Results, trials: int, rng: np.random.Generator, note: Callable[[], None] = nothing
) -> Estimate:
    """Return how often the classifier detects SHIFT, added to each thrown cube's probability of coming out.

    Each side has ENOUGH games, or as many as `like` if fewer. All are random, from `rng`.
    """
    games = min(len(like), ENOUGH)

    def pair(rng: np.random.Generator) -> tuple[Results, Results]:
        plain, other = (int(seed) for seed in rng.integers(0, 1 << 62, 2))
        return model.sample_runs(like.plan, games, plain), model.sample_runs(like.plan, games, other, shift=SHIFT)

    return power(pair, trials, rng, note)
