"""The facts of battles with which a surrogate is checked, counted for each battle."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tower_sim.apparatus import WithBoard
from tower_sim.campaign import Campaign, ShardRows, Spec, canonical_json, list_tables, play_run
from tower_sim.drops import BoardModel, RecordedDrop, Recorder
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.fitting.board.fit import Throws, count_throws, find_ship, number_places
from tower_sim.fitting.data import find_apparatus, other_engine, starts
from tower_sim.fitting.numerics import LEVEL, p_value
from tower_sim.models import open_surrogate
from tower_sim.results import (
    NOWHERE,
    Array,
    Columns,
    Estimates,
    Resamples,
    Words,
    holm,
    sum_by_unit,
    sum_error,
)
from tower_sim.study import chain_lengths, first_cubes
from tower_sim.surrogate import BoardLaw, Fitted, ShipSurrogate
from tower_sim.tools import Telling, nothing
from tower_sim.values import ZONE

THROWN = (1, 2, 3, 5, 9)  # cubes thrown at once: the smallest number of each class
LONGEST = 6  # explosions in a row: longer chains count together
STEPS = ("throw", "rethrow", "explosion", "ability", "pass")


@dataclass(frozen=True)
class Fact:
    """For each cell, the ratio of the sums over battles of `over` and `under`, of shape (battles, cells)."""

    name: str
    unit: str
    cells: tuple[str, ...]
    over: Array
    under: Array


def list_facts(campaigns: Sequence[Campaign], ship: WithBoard) -> tuple[Fact, ...]:
    """Count all facts for each battle; the battles of the second campaign follow those of the first, and so on."""
    by_campaign = [{fact.name: fact for fact in _facts(campaign, ship, i)} for i, campaign in enumerate(campaigns)]
    joined: list[Fact] = []
    for name in dict.fromkeys(name for named in by_campaign for name in named):
        one = next(named[name] for named in by_campaign if name in named)
        over, under = (
            np.concatenate(
                [
                    getattr(named[name], side) if name in named else np.zeros((campaign.runs, len(one.cells)))
                    for named, campaign in zip(by_campaign, campaigns, strict=True)
                ]
            )
            for side in ("over", "under")
        )
        joined.append(replace(one, over=over, under=under))
    return tuple(joined)


def _facts(campaign: Campaign, ship: WithBoard, number: int) -> list[Fact]:
    d, runs = campaign.rows, campaign.runs
    throws = count_throws([campaign], ship)
    short = tuple(place.removeprefix(ZONE).replace("_", " ") for place in throws.places)
    group = np.searchsorted(THROWN, throws.thrown, side="right") - 1
    counted: list[Fact] = []

    def add(name: str, unit: str, cells: Sequence[str], over: Array, under: Array) -> None:
        over = over.reshape(runs, -1).astype(float)
        under = np.broadcast_to(under.reshape(runs, -1), over.shape).astype(float)
        counted.append(Fact(name, unit, tuple(cells), over, under))

    def by_run(values: Array, rows: Array) -> Array:
        table = np.zeros((runs, values.shape[1]))
        np.add.at(table, throws.run[rows], values[rows])
        return table

    for i, name in enumerate(classes()):
        landed = by_run(throws.landed, group == i)
        add(f"landing, {name} thrown", "share of thrown cubes", short, landed, landed.sum(1))
    groups = np.eye(len(THROWN))[group]
    changed, lying = (by_run(groups * table.sum(1)[:, None], group >= 0) for table in (throws.changed, throws.lying))
    add("displacement", "share of lying cubes", [f"{name} thrown" for name in classes()], changed, lying)
    add("displacement from places", "share of lying cubes", short[:-2],
        *(by_run(table[:, :-2], group >= 0) for table in (throws.changed, throws.lying)))  # fmt: skip
    run, length = chain_lengths(campaign)
    chain = campaign.tally(run, np.minimum(length, LONGEST), LONGEST + 1)
    add("chains", "share of throws", [*map(str, range(LONGEST)), f"{LONGEST}+"], chain, chain.sum(1))
    kinds = np.stack([np.bincount(d.run, d.kind.among(kind), runs) for kind in STEPS], 1)
    add("steps", "steps a battle", STEPS, kinds, np.ones(runs))
    final, strength = _final(campaign, ship)
    add("places at the end", "share of cubes", short, final, final.sum(1))
    colours = campaign.colours
    add("strength", "strength a battle", colours, strength, np.ones(runs))
    won = _won(campaign)
    add("wins", "share of battles", colours[:1], won[:, :1], won.sum(1))
    setups = campaign.run_point[:, None] == np.unique(campaign.run_point)[None]
    first = first_cubes(campaign)
    names = [" : ".join(str(int(n)) for n in np.median(first[rows], 0)) for rows in setups.T]
    of = f", campaign {number + 1}" if number else ""
    add(f"wins by set-up{of}", "share of battles", names, won[:, :1] * setups, won.sum(1)[:, None] * setups)
    return counted


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


def _won(campaign: Campaign) -> Array:
    d = campaign.rows
    won = np.zeros((campaign.runs, len(campaign.colours)))
    rows = np.flatnonzero(d.winner.codes != NOWHERE)
    colour = np.array([campaign.colours.index(name) for name in d.winner.names])
    won[d.run[rows], colour[d.winner.codes[rows]]] = 1
    return won


PERMUTATIONS = 1999
TIMES = 4  # battles of the surrogate for one of physics


@dataclass(frozen=True)
class ComparedFact:
    """One fact for physics and for the surrogate.

    `n` is the denominator of each cell with physics. `gap` is surrogate minus physics, `gap_sd` its standard deviation
    without a difference. `p` belongs to the sum over cells of (gap / gap_sd)^2; `holm` is corrected for all facts.
    """

    name: str
    unit: str
    cells: tuple[str, ...]
    physics: Estimates
    surrogate: Estimates
    n: Array
    gap: Array
    gap_sd: Array
    p: float
    holm: float = math.nan

    @property
    def differs(self) -> bool:
        """Whether `holm` is below 0.05."""
        return self.holm < LEVEL


@dataclass(frozen=True)
class BoardCheck:
    """The facts compared on `battles` of physics and `played` battles of the surrogate.

    `extrapolated` is the share of the surrogate's draws outside its data. `gains` has each part's held-out log score
    over constant probabilities: the sum over throws (nats), and its standard error. `engines` is empty unless the
    engines differ.
    """

    ship: WithBoard
    law: BoardLaw
    battles: int
    played: int
    throws: int
    extrapolated: float
    facts: tuple[ComparedFact, ...]
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

    Sources: Good, Permutation, Parametric and Bootstrap Tests of Hypotheses, 2005, chapter 3, for labels permuted
    within each set-up; Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    check_whole("times", times, 1)
    ship = find_ship(campaigns)
    if ship.digest != model.shape.digest:
        allowed = f"that of the surrogate, {model.shape.name!r} ({model.shape.digest})"
        raise fault("ship of the campaign", f"{ship.name} ({ship.digest})", allowed, "check it on battles of its ship")
    played = [play_again(campaign, model, times, note) for campaign in campaigns]
    again = [campaign for campaign, _ in played]
    of, other = _strata(campaigns), _strata(again)
    rng = campaigns[0].rng("check of the board")
    draws = sum(draws for _, (draws, _) in played)
    throws = count_throws(campaigns, ship)
    return BoardCheck(
        ship=ship,
        law=model.law,
        battles=len(of),
        played=len(other),
        throws=len(throws.run),
        extrapolated=sum(beyond for _, (_, beyond) in played) / max(draws, 1),
        facts=compare_facts(list_facts(campaigns, ship), list_facts(again, ship), of, other, rng),
        gains=_gains(model.law, throws),
    )


# The surrogate's battles


class Noting(Recorder):
    """A recorder that also counts the draws, and those that were extrapolated."""

    def __init__(self, model: BoardModel) -> None:
        super().__init__(model)
        self.counted = (0, 0)

    def take_draws(self) -> list[RecordedDrop]:
        """Return the draws since the last call, and count them."""
        draws = super().take_draws()
        beyond = sum(draw.outcome.extrapolated for draw in draws)
        self.counted = (self.counted[0] + len(draws), self.counted[1] + beyond)
        return draws


def play_again(
    campaign: Campaign, model: BoardModel, times: int, note: Callable[[], None] = nothing
) -> tuple[Campaign, tuple[int, int]]:
    """Play each battle of a campaign `times` as often with `model`, at random from the campaign's digest.

    Returns the battles as a campaign, and how many draws there were and how many were extrapolated.
    """
    spec = Spec.from_canonical(canonical_json(dict(campaign.spec)))
    seed = int(campaign.rng("surrogate's battles").integers(2**63))
    rows, noting = ShardRows(), Noting(model)
    run_point = np.repeat(campaign.run_point, times)
    points = {number: spec.point(number) for number in np.unique(run_point).tolist()}
    for point in points.values():
        point.game.start(model, point.rules, seed, 0)  # refuses before any work what the model cannot play
    for run, number in enumerate(run_point.tolist()):
        is_whole = play_run(points[number], noting, seed, (number, run), rows)
        assert is_whole  # each of a surrogate's draws lands
        note()
    return _campaign(campaign, rows, run_point), noting.counted


def _campaign(like: Campaign, rows: ShardRows, run_point: Array) -> Campaign:
    game = like.game
    assert game is not None  # it was played
    d, c, facts_table = (
        dict(zip([column.name for column in table.columns], zip(*part, strict=True), strict=True))
        for table, part in zip(list_tables(game), (rows.drops, rows.cubes, rows.own), strict=True)
    )
    facts = dict[str, Any]()
    for name, kind in ((column.name, column.kind) for column in game.columns):
        known = like.facts.by_name.get(name)
        words = known.names if isinstance(known, Words) else ()
        facts[name] = Words.of(facts_table[name], words) if kind == "string" else np.array(facts_table[name], float)
    row_of = {key: i for i, key in enumerate(zip(d["run"], d["drop"], strict=True))}
    short = {"inside_before": "before", "emerged": "out", "inside_after": "inside"}
    numbers = ("run", "drop", "thrown", "drawn", *short)
    words = {"kind": Words.of(d["kind"])} | {
        name: facts.get(name, Words.none(len(d["run"]))) for name in ("phase", "winner")
    }
    return Campaign.of(
        rows=Columns({short.get(name, name): np.array(d[name]) for name in numbers} | words),
        cubes=Columns(
            {"row": np.array([row_of[key] for key in zip(c["run"], c["drop"], strict=True)], np.int32)}
            | {name: np.array(c[name]) for name in ("cube", "thrown", "age")}
            | {name: Words.of(c[name]) for name in ("before", "after")}
            | {"colour": Words.of(c["colour"], like.colours)}
        ),
        facts=Columns(facts),
        spec=like.spec,
        points=like.points,
        run_point=run_point,
        digest=like.digest,
        made_with=like.made_with,
    )


def _strata(campaigns: Sequence[Campaign]) -> Array:
    first = starts(int(campaign.run_point.max(initial=0)) + 1 for campaign in campaigns)
    return np.concatenate([campaign.run_point + at for campaign, at in zip(campaigns, first, strict=True)])


# The tests


def compare_facts(
    physics: Sequence[Fact], surrogate: Sequence[Fact], of: Array, other: Array, rng: np.random.Generator
) -> tuple[ComparedFact, ...]:
    """Compare the facts of two sets of battles, of which `of` and `other` are the strata."""
    label = np.repeat([True, False], [len(of), len(other)])
    weights = permute(label, np.concatenate([of, other]), rng)
    boots = [Resamples(strata, rng, 1000) for strata in (of, other)]
    facts_compared: list[ComparedFact] = []
    for a, b in zip(physics, surrogate, strict=True):
        if a.cells != b.cells:
            raise fault(f"cells of {b.name}", b.cells, str(a.cells), "compare battles of the same set-ups")
        gap, sd, p = _test_fact(np.vstack([a.over, b.over]), np.vstack([a.under, b.under]), label, weights)
        values = [
            boot.shares(x.over, x.under) if x.unit.startswith("share") else boot.ratios(x.over, x.under)
            for boot, x in zip(boots, (a, b), strict=True)
        ]
        facts_compared.append(ComparedFact(a.name, a.unit, a.cells, values[0], values[1], a.under.sum(0), gap, sd, p))
    adjusted: list[float] = holm([fact.p for fact in facts_compared]).tolist()
    return tuple(replace(fact, holm=p) for fact, p in zip(facts_compared, adjusted, strict=True))


def permute(label: Array, strata: Array, rng: np.random.Generator, count: int = PERMUTATIONS) -> Array:
    """Return `count` random permutations of the booleans `label` within each stratum, shape (count, battles)."""
    labels = np.empty((count, len(label)), bool)
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        order = np.argsort(rng.random((count, len(members))), axis=1)
        labels[:, members] = label[members][order]
    return labels


def _test_fact(over: Array, under: Array, label: Array, weights: Array) -> tuple[Array, Array, float]:
    def gaps(chosen: Array) -> Array:
        w = chosen.astype(float)
        up, down = w @ over, w @ under
        with np.errstate(divide="ignore", invalid="ignore"):
            # a cell without data on either side has the gap 0
            return np.nan_to_num((over.sum(0) - up) / (under.sum(0) - down) - up / down)

    gap, null = gaps(label[None])[0], gaps(weights)
    sd = np.sqrt((null**2).mean(0))
    scale = np.where(sd > 0, sd, 1.0)
    return gap, sd, p_value(((gap / scale) ** 2).sum(), ((null / scale) ** 2).sum(1))


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
