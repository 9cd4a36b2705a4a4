"""The same game with a tower that remembers nothing, so that a study can say what the tower does and what the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus
from tower_sim.campaign.data import Campaign
from tower_sim.errors import UsageError
from tower_sim.games.stand_in import StandIn
from tower_sim.state import TowerState
from tower_sim.statistics import Resamples, holm, normal_share
from tower_sim.study.stand_ins import LEVEL, LEVEL_OF_MANY, Against, BesideExact, against_runs
from tower_sim.surrogate.two_thirds import TwoThirdsRule

GAMES = 300  # played in the tower without memory
_HALF = 1.96  # standard errors in half an interval
_MANY = ("shares", "first", "place", "never")


class Memoryless(TwoThirdsRule):
    """A tower from which every cube comes out by itself with one chance, whether it was just thrown or lay inside."""

    name = "memoryless"

    def __init__(self, shape: Apparatus, chance: float) -> None:
        super().__init__(shape)
        self.chance = chance

    def chances(self, state: TowerState) -> tuple[float, float]:
        """See TwoThirdsRule."""
        return self.chance, self.chance


@dataclass(frozen=True)
class Beside:
    """The same rules in a tower without memory, `rule`, and the events `apart` from it in the campaign, by figure."""

    rule: Against
    apart: Mapping[str, tuple[str, ...]]


def without_memory(campaign: Campaign, one: Against) -> Beside | None:
    """Play the game of a campaign of one design point in a tower without memory, and compare.

    None where no difference from the device is sure, and where it cannot be played.
    """
    if not any(row.differs for name in (*_MANY, "twice") for row in getattr(one, name)):
        return None
    try:
        runs = _played(campaign, one.stand_in)
    except UsageError:  # a board, knocks, rules that this version does not know
        return None
    boot = Resamples(np.zeros(len(runs), np.int64), campaign.rng("resamples without memory"))
    rule = against_runs(runs, boot, one)
    apart = _apart(one, rule, _MANY, LEVEL_OF_MANY) | _apart(one, rule, ("twice",), LEVEL)
    return Beside(rule, apart)


def _played(campaign: Campaign, stand_in: StandIn) -> list[list[str]]:
    """Return the events of each game."""
    game, spec, d = campaign.game, campaign.spec, campaign.drops
    assert game is not None  # it has a stand-in
    rules = game.read({name: spec[name] for name in game.tables if spec.get(name)})
    chance = float(d.emerged.sum() / max((d.thrown + d.inside_before).sum(), 1))
    model = Memoryless(from_tables(spec["profile"], str(spec["apparatus"])), chance)
    seed = int(campaign.rng("without memory").integers(1 << 62))
    runs: list[list[str]] = []
    for run in range(GAMES):
        facts = (turn.facts.get(stand_in.column) for turn in game.play(model, rules, seed, run))
        runs.append([fact if isinstance(fact, str) else str(int(fact)) for fact in facts if fact is not None])
    return runs


def _apart(one: Against, rule: Against, names: tuple[str, ...], level: float) -> dict[str, tuple[str, ...]]:
    """Return by figure the events of which the two surely differ, after Holm's adjustment for all of them."""
    pairs = [
        (name, a, b) for name in names for a in getattr(one, name) for b in getattr(rule, name) if a.name == b.name
    ]
    p = np.array([_chance(a, b) for _, a, b in pairs])
    tested = np.isfinite(p)
    p[tested] = holm(p[tested])
    return {name: tuple(a.name for (of, a, _), chance in zip(pairs, p, strict=True) if of == name and chance < level)
            for name in names}  # fmt: skip


def _chance(a: BesideExact, b: BesideExact) -> float:
    """Return the chance of a difference like theirs were there none; NaN where either has no interval."""
    half = float(np.hypot(a.tower.high - a.tower.low, b.tower.high - b.tower.low) / 2)
    if not (np.isfinite(half) and half > 0):
        return np.nan
    return 2 * float(normal_share(np.array([-abs(a.tower.value - b.tower.value) / half * _HALF]))[0])
