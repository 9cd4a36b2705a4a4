"""`tower-sim model fit`: fit a surrogate to campaigns and write its model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.campaign.data import Campaign
from tower_sim.campaign.reader import load_whole
from tower_sim.errors import UsageError, fault
from tower_sim.fitting.knocks import FITTED, fit_knocks, play_knocks
from tower_sim.fitting.ladder import climb, rungs, scores
from tower_sim.fitting.rows import Rows, held_out, rows_of
from tower_sim.fitting.ship_fit import fit_board
from tower_sim.surrogate.store import BOARD, TOWER, Fitted, RungScore, Source
from tower_sim.tools import writing
from tower_sim.tools.progress import nothing, telling

LEAST_RUNS = 10  # with fewer, no run would be held out
_ALIKE = 1.25  # numbers thrown up to this ratio apart count as similar for the range of the data


def fit(directories: Sequence[str | Path], note: Callable[[], None] = nothing) -> Fitted:
    """Fit a surrogate to the campaigns in `directories`, all of one apparatus; equal data give an equal model.

    Campaigns of battles give the law of a board. For a tower, the last 3 of every 10 runs are held out of the fit. They
    score the rungs of the ladder. Some of the other games are played again, to knock on copies of their states; see
    `play_knocks`. `note` is called at every step.

    Raises UsageError for a directory without a campaign, for campaigns that `apparatus_of` refuses, and for fewer than
    10 runs.
    """
    campaigns = [load_whole(directory) for directory in directories]
    apparatus = apparatus_of(campaigns)
    runs = sum(campaign.runs for campaign in campaigns)
    if runs < LEAST_RUNS:
        raise fault("runs of the campaigns", runs, f"{LEAST_RUNS} or more", "run more")
    if any(campaign.kind == "battle" for campaign in campaigns):
        return _fit_board(campaigns, apparatus)
    regions = [region.name for region in as_tower(apparatus).regions]
    rows = rows_of(campaigns, regions)
    is_held = np.concatenate([held_out(campaign) for campaign in campaigns])[rows.run]
    used, held = rows.take(~is_held), rows.take(is_held)
    lower, law = climb(used, note)
    chosen = [np.flatnonzero(~held_out(campaign)) for campaign in campaigns]
    knocks = fit_knocks(play_knocks(campaigns, chosen, regions, FITTED, note))
    return Fitted(
        TOWER,
        apparatus.name,
        apparatus.digest,
        sources(campaigns, used),
        covered(used),
        scores(rungs(lower, law), held),
        lower,
        replace(law, knocks=knocks),
        engine_of(campaigns),
    )


def fit_command(directories: Sequence[Path], output: Path) -> None:
    """Fit a surrogate, write its file and print the ladder.

    Raises as `fit` does, and UsageError if the file cannot be written.
    """
    writing.check(output, "model file")
    with telling("steps of the fit") as tell:
        fitted = fit(directories, tell.step)
    writing.write(output, fitted.to_json(), "model file")
    runs, drops = sum(source.runs for source in fitted.data), sum(source.drops for source in fitted.data)
    of = f" of the engine {fitted.engine}" if fitted.engine else ""
    print(f"{fitted.kind} {fitted.apparatus}: fitted to {runs} runs, {drops} drops{of}")
    if fitted.scores:
        print(ladder_text(fitted.scores))
    print(output)


def ladder_text(scored: Sequence[RungScore]) -> str:
    """Return the ladder as a table: mean log score per drop on held-out runs, and the gain over rung 0."""
    lines = [f"{'held-out log score a drop (nats)':34s} {'score':>18s} {'over rung 0':>18s}"]
    lines += [
        f"{rung.title:34s} {rung.score:9.4f} +- {rung.se:.4f} {rung.gain:+9.4f} +- {rung.gain_se:.4f}"
        for rung in scored
    ]
    best = max(scored, key=lambda rung: rung.score)
    if scored and best != scored[-1]:
        lines.append(f"more data needed: the model's rung, {scored[-1].title!r}, does not win here, but {best.title!r}")
    return "\n".join(lines)


def apparatus_of(campaigns: Sequence[Campaign]) -> Apparatus:
    """Return the one apparatus of physics campaigns.

    Raises UsageError for several apparatuses or engines, for a campaign that varies its profile or settings, and for
    the model two_thirds.
    """
    shapes: dict[str, Apparatus] = {}
    for campaign in campaigns:
        fields = {key for values in campaign.points for key in values}
        varied = sorted(key for key in fields if key.startswith(("profile.", "settings.")))
        if varied:
            raise fault("a field of vary.fields", varied[0], "none of profile or settings", "fit one point")
        if campaign.spec.get("model") == "two_thirds":
            raise fault("campaign.model", "two_thirds", "'physics'", "run it with physics")
        shape = from_tables(campaign.spec["profile"], str(campaign.spec["apparatus"]))
        shapes[shape.digest] = shape
    if len(shapes) != 1:
        names = ", ".join(f"{shape.name} ({digest})" for digest, shape in shapes.items())
        raise UsageError(f"campaigns are of {len(shapes)} apparatuses ({names}); allowed is one; fit each by itself")
    engine_of(campaigns)
    return next(iter(shapes.values()))


def engine_of(campaigns: Sequence[Campaign]) -> str:
    """Return the one physics engine of campaigns; an empty text if none has physics.

    Raises UsageError for several engines.
    """
    physics = (campaign.spec for campaign in campaigns if campaign.spec.get("model") == "physics")
    engines = list(dict.fromkeys(str(spec["settings"]["engine"]) for spec in physics))
    if len(engines) > 1:
        raise UsageError(f"campaigns are of the engines {', '.join(engines)}; allowed is one; fit each by itself")
    return engines[0] if engines else ""


def sources(campaigns: Sequence[Campaign], used: Rows) -> tuple[Source, ...]:
    """Return for each campaign how many of its runs and drops were used."""
    first = np.cumsum([0, *(campaign.runs for campaign in campaigns)])
    runs = [np.unique(used.run[(used.run >= a) & (used.run < b)]) for a, b in pairwise(first)]
    return tuple(
        Source(campaign.digest, len(own), int(np.isin(used.run, own).sum()))
        for campaign, own in zip(campaigns, runs, strict=True)
    )


def covered(rows: Rows) -> tuple[tuple[int, int, int], ...]:
    """Return the range of the number of cubes inside before a drop, for each number of cubes thrown in the data.

    Rows are (thrown, least, most). A range covers all drops with similar numbers thrown, at a ratio of up to 1.25.
    """
    inside = rows.lying.sum(1)
    ranges: list[tuple[int, int, int]] = []
    for thrown in np.unique(rows.thrown):
        alike = (rows.thrown <= thrown * _ALIKE) & (rows.thrown * _ALIKE >= thrown)
        ranges.append((int(thrown), int(inside[alike].min()), int(inside[alike].max())))
    return tuple(ranges)


def unseen(campaign: Campaign, fitted: Fitted) -> np.ndarray:
    """Return for each run of a campaign whether the model was not fitted to it, shape (runs,)."""
    seen = campaign.digest in {source.digest for source in fitted.data}
    return held_out(campaign) if seen else np.ones(campaign.runs, bool)


def _fit_board(campaigns: Sequence[Campaign], apparatus: Apparatus) -> Fitted:
    """Fit the law of a board to all battles; `ship_ladder` compares its terms by cross-validation."""
    fitted = fit_board(campaigns)
    used = tuple(Source(campaign.digest, campaign.runs, len(campaign.drops)) for campaign in campaigns)
    return Fitted(BOARD, apparatus.name, apparatus.digest, used, (), (), {}, fitted.law, engine_of(campaigns))
