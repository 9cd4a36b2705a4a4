"""The facts of battles with which a surrogate is checked, counted for each battle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np

from tower_sim.apparatus import WithBoard
from tower_sim.campaign import Campaign, ShardRows, Spec, campaign_of, canonical_json, play_run
from tower_sim.drops import BoardModel, Recorder
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.models import open_surrogate
from tower_sim.results import NOWHERE, Array, sum_by_unit, sum_error
from tower_sim.studies.fitting.board.fit import Throws, count_throws, find_ship, number_places
from tower_sim.studies.fitting.compared import Measured, SideBySide, compare
from tower_sim.studies.fitting.data import find_apparatus, other_engine, starts
from tower_sim.studies.retention.battles import chain_lengths, first_cubes
from tower_sim.surrogate import BoardLaw, Fitted, ShipSurrogate
from tower_sim.tools import Telling, extra, nothing
from tower_sim.values import ZONE

THROWN = (1, 2, 3, 5, 9)  # cubes thrown at once: the smallest number of each class
LONGEST = 6  # explosions in a row: longer chains count together
STEPS = ("throw", "rethrow", "explosion", "ability", "pass")


def list_facts(campaigns: Sequence[Campaign], ship: WithBoard) -> list[Measured]:
    """Count all facts for each battle; the battles of the second campaign follow those of the first, and so on."""
    parts = [_facts(campaign, ship) for campaign in campaigns]
    facts = [Measured.together(of_campaigns) for of_campaigns in zip(*parts, strict=True)]
    setups, wins = np.concatenate([_setups(campaign) for campaign in campaigns]), facts[-1]
    names = [*dict.fromkeys(setups.tolist())]
    is_of = setups[:, None] == names
    return [*facts, Measured("wins by set-up", wins.unit, names, wins.over * is_of, wins.under * is_of)]


def _facts(campaign: Campaign, ship: WithBoard) -> list[Measured]:
    rows, runs = campaign.rows, campaign.runs
    throws = count_throws([campaign], ship)
    short = [place.removeprefix(ZONE).replace("_", " ") for place in throws.places]
    group = np.eye(len(THROWN), dtype=int)[np.searchsorted(THROWN, throws.thrown, side="right") - 1]
    counted: list[Measured] = []

    def add(name: str, unit: str, cells: Sequence[str], over: Array, under: Array) -> None:
        counted.append(Measured(name, unit, list(cells), over, np.broadcast_to(under, over.shape)))

    def by_run(values: Array) -> Array:
        table = np.zeros((runs, values.shape[1]))
        np.add.at(table, throws.run, values)
        return table

    for name, is_class in zip(classes(), group.T, strict=True):
        landed = by_run(throws.landed * is_class[:, None])
        add(f"landing, {name} thrown", "share of thrown cubes", short, landed, landed.sum(1, keepdims=True))
    sides = (throws.changed, throws.lying)
    of_class = (by_run(group * side.sum(1, keepdims=True)) for side in sides)
    add("displacement", "share of lying cubes", [f"{name} thrown" for name in classes()], *of_class)
    add("displacement from places", "share of lying cubes", short[:-2], *(by_run(side[:, :-2]) for side in sides))
    run, length = chain_lengths(campaign)
    chain = campaign.tally(run, np.minimum(length, LONGEST), LONGEST + 1)
    add("chains", "share of throws", [*map(str, range(LONGEST)), f"{LONGEST}+"], chain, chain.sum(1, keepdims=True))
    kinds, ones = np.stack([rows.kind.among(kind) for kind in STEPS], 1), np.ones((runs, 1))
    add("steps", "steps a battle", STEPS, campaign.by_run(kinds), ones)
    final, strength = _final(campaign, ship)
    add("places at the end", "share of cubes", short, final, final.sum(1, keepdims=True))
    add("strength", "strength a battle", campaign.colours, strength, ones)
    won = campaign.tally(rows.run, rows.winner.codes + 1, len(rows.winner.names) + 1)[:, 1:]
    of_first = won[:, [name in campaign.colours[:1] for name in rows.winner.names]].sum(1, keepdims=True)
    add("wins", "share of battles", campaign.colours[:1], of_first, won.sum(1, keepdims=True))
    return counted


def _setups(campaign: Campaign) -> Array:
    """Return the numbers of first cubes of each run, as text."""
    first = first_cubes(campaign)
    medians = {point: np.median(first[campaign.run_point == point], 0) for point in np.unique(campaign.run_point)}
    return np.array([" : ".join(f"{number:.0f}" for number in medians[point]) for point in campaign.run_point])


def classes() -> list[str]:
    """Return the names of the classes of throws by the number of cubes thrown at once."""
    below = [str(low) if low == next_low - 1 else f"{low} to {next_low - 1}" for low, next_low in pairwise(THROWN)]
    return [*below, f"{THROWN[-1]} or more"]


def _final(campaign: Campaign, ship: WithBoard) -> tuple[Array, Array]:
    cubes, places = campaign.cubes, ship.board.places
    last = np.full(campaign.runs, NOWHERE)
    run = campaign.rows.run[cubes.row]
    np.maximum.at(last, run, cubes.row)
    rows = (cubes.row == last[run]) & (number_places(cubes.after, places) >= 0)
    after, run = number_places(cubes.after, places)[rows], run[rows]
    worth = np.array([*(zone.printed.get("strength", 0) for zone in ship.board.zones), 0, 0])[after]
    strength = campaign.tally(run, cubes.colour.codes[rows], len(campaign.colours), worth)
    return campaign.tally(run, after, len(places)), strength


TIMES = 4  # battles of the surrogate for one of physics


@dataclass(frozen=True)
class BoardCheck:
    """The facts compared on `battles` of physics and `played` battles of the surrogate.

    `extrapolated` is the share of the surrogate's throws outside its data. `gains` has each part's held-out log score
    over constant probabilities: the sum over throws (nats), and its standard error. `engines` is empty unless the
    engines differ.
    """

    ship: WithBoard
    law: BoardLaw
    battles: int
    played: int
    throws: int
    extrapolated: float
    facts: Sequence[SideBySide]
    gains: Mapping[str, tuple[float, float]]
    engines: str = ""


def check_board(fitted: Fitted, campaigns: Sequence[Campaign], seed: int, tell: Telling) -> BoardCheck:
    """Compare a board's surrogate with battles that it was not fitted to.

    `seed` has no effect: the campaigns' digests seed all that is random.
    """
    fitted_digests = {source.digest for source in fitted.data}
    if any(campaign.digest in fitted_digests for campaign in campaigns):
        raise UsageError("campaign was fitted; allowed is one the surrogate has not seen; run one with another seed")
    model = open_surrogate(find_apparatus(campaigns), fitted)
    assert isinstance(model, ShipSurrogate)  # the kind of the law says so
    tell.begin(TIMES * sum(campaign.runs for campaign in campaigns))
    check = check_law(model, campaigns, note=tell.step)
    return replace(check, engines=other_engine(fitted, campaigns))


def check_law(
    model: ShipSurrogate, campaigns: Sequence[Campaign], times: int = TIMES, note: Callable[[], None] = nothing
) -> BoardCheck:
    """Play the set-ups of `campaigns` with `model`, `times` as often, and test whether the facts differ.

    Random are the surrogate's battles, the permutations and the intervals, all seeded by the campaigns' digests.
    """
    check_whole("times", times, 1)
    ship = find_ship(campaigns)
    if ship.digest != model.shape.digest:
        allowed = f"that of the surrogate, {model.shape.name!r} ({model.shape.digest})"
        raise fault("ship of the campaign", f"{ship.name} ({ship.digest})", allowed, "check it on battles of its ship")
    again = [play_again(campaign, model, times, note) for campaign in campaigns]
    is_physics = np.repeat([True, False], [sum(campaign.runs for campaign in side) for side in (campaigns, again)])
    strata = np.concatenate([_strata(campaigns), _strata(again)])
    throws, drawn = count_throws(campaigns, ship), count_throws(again, ship)
    covered = [model.law.covers(*each) for each in zip(drawn.thrown, drawn.lying.sum(1), strict=True)]
    rng = campaigns[0].rng("check of the board")
    return BoardCheck(
        ship=ship,
        law=model.law,
        battles=int(is_physics.sum()),
        played=int((~is_physics).sum()),
        throws=len(throws.run),
        extrapolated=1 - float(np.mean(covered)),
        facts=compare(list_facts([*campaigns, *again], ship), is_physics, strata, rng),
        gains=_gains(model.law, throws),
    )


# The surrogate's battles


def play_again(campaign: Campaign, model: BoardModel, times: int, note: Callable[[], None] = nothing) -> Campaign:
    """Play each battle of a campaign `times` as often with `model`, at random from the campaign's digest."""
    spec = Spec.from_canonical(canonical_json(dict(campaign.spec)))
    seed = int(campaign.rng("surrogate's battles").integers(2**63))
    rows, recorder = ShardRows(), Recorder(model)
    run_point = np.repeat(campaign.run_point, times)
    points = {number: spec.point(number) for number in np.unique(run_point).tolist()}
    for point in points.values():
        point.game.start(model, point.rules, seed, 0)  # refuses before any work what the model cannot play
    for run, number in enumerate(run_point.tolist()):
        is_whole = play_run(points[number], recorder, seed, (number, run), rows)
        assert is_whole  # each of a surrogate's draws lands
        note()
    tables, parquet = rows.to_parquet(spec.game, spec.family, 0, spec.points), extra("pyarrow.parquet", "campaign")

    def read(name: str, columns: Sequence[str] | None = None) -> Any:
        return parquet.read_table(BytesIO(tables[name]), columns=columns and [*columns])

    like = {name: getattr(campaign, name) for name in ("spec", "points", "digest", "made_with")}
    again = campaign_of(read, [*tables], "the surrogate's battles", **like)
    colour = again.cubes.colour.ordered(campaign.colours)
    return again.changed(cubes=again.cubes.having(colour=colour))


def _strata(campaigns: Sequence[Campaign]) -> Array:
    first = starts(int(campaign.run_point.max(initial=0)) + 1 for campaign in campaigns)
    return np.concatenate([campaign.run_point + at for campaign, at in zip(campaigns, first, strict=True)])


def _gains(law: BoardLaw, throws: Throws) -> dict[str, tuple[float, float]]:
    n = throws.thrown
    shares = np.array([law.shares(int(k), lying) for k, lying in zip(n, throws.lying, strict=True)])
    changes = np.array([law.changes(int(k)) for k in n])
    constant = throws.landed.sum(0) / throws.landed.sum()
    steady = throws.changed.sum() / max(int(throws.lying.sum()), 1)
    stays = throws.lying - throws.changed

    def score(hit: Array, there: Array, chance: Any) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            hits, misses = hit * np.log(chance), there * np.log1p(-chance)
        return np.where(hit > 0, hits, 0).sum(1) + np.where(there > 0, misses, 0).sum(1)

    landing = (throws.landed * (np.log(shares) - np.log(np.maximum(constant, 1e-300)))).sum(1)
    displacement = score(throws.changed, stays, changes) - score(throws.changed, stays, steady)
    gains = {"landing": landing, "displacement": displacement}
    return {part: sum_error(sum_by_unit(throws.run, gain)) for part, gain in gains.items()}
