"""What the tower gives the players in a phase: actions to choose from, action points, gold for passing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.statistics import Estimate, Estimates, Resamples
from tower_sim.study.data import Array, Campaign

CHANCES = ("0", "1", "2", "3 or more")  # actions to choose from
DIVISORS = ("gold_divisor", "gold_divisor_with_token")  # of the rules: cubes for a gold, without and with the token
FACTS = ("colours_out", "action_points", "gold")  # what a game tells of its phases, if its players get any of this


@dataclass(frozen=True)
class Columns:
    """One value a phase of a game, before any token; `phase` masks the drops that are phases, with and without cubes.

    `actions` are the colours that came out, each of which allows its action; `token_gold` is for passing with the
    token. Source: Amerigo rulebook, course of the game, gold instead of an action.
    """

    phase: Array
    actions: Array
    points: Array
    gold: Array
    token_gold: Array


@dataclass(frozen=True)
class PhaseYield:
    """What phases of one kind give: means and the chances of 0, 1, 2, 3 or more actions; `phases` counts them.

    Arrays have an entry for each kind of phase named in `names`; `chances` has four for each.
    """

    names: tuple[str, ...]
    phases: Array
    actions: Estimates
    chances: Estimates
    points: Estimates
    gold: Estimates
    token_gold: Estimates

    def chance(self, kind: int, number: int) -> Estimate:
        """Return the chance of `number` actions (3: or more) in phases of that kind."""
        return self.chances.at(kind * len(CHANCES) + number, int(self.phases[kind]))


def are_told(campaign: Campaign) -> bool:
    """Whether the game tells what its players get: actions, action points and gold in phases after a set-up."""
    return campaign.has_setup and all(name in campaign.facts for name in FACTS) and divisors(campaign) is not None


def divisors(campaign: Campaign) -> tuple[int, int] | None:
    """Return by how much the cubes are divided into gold without and with the token; None: the rules do not say."""
    rules = campaign.rules
    if not all(name in rules for name in DIVISORS):
        return None
    without, with_token = (int(rules[name]) for name in DIVISORS)
    return without, with_token


def columns(campaign: Campaign) -> Columns:
    """Return what each phase of a campaign of games, of one design point, gives."""
    d = campaign.drops
    _, with_token = divisors(campaign) or (1, 1)
    return Columns(d.drop > 0, d.colours_out, d.action_points, d.gold, -(-d.emerged // with_token))


def given(campaign: Campaign, boot: Resamples, names: tuple[str, ...], kind: Array) -> PhaseYield:
    """Study the phases by kind: `kind` numbers into `names`, one a drop."""
    per_phase = columns(campaign)
    rows, size = per_phase.phase, len(names)

    def summed(values: Array) -> Array:
        return campaign.tally(campaign.drops.run[rows], kind[rows], size, values[rows])

    count = summed(np.ones(len(rows)))
    choices = np.minimum(per_phase.actions, len(CHANCES) - 1)
    hits = np.stack([summed(choices == i) for i in range(len(CHANCES))], 2).reshape(campaign.runs, -1)
    return PhaseYield(
        names=names,
        phases=count.sum(0).astype(int),
        actions=boot.ratios(summed(per_phase.actions), count),
        chances=boot.shares(hits, np.repeat(count, len(CHANCES), axis=1)),
        points=boot.ratios(summed(per_phase.points), count),
        gold=boot.ratios(summed(per_phase.gold), count),
        token_gold=boot.ratios(summed(per_phase.token_gold), count),
    )


def over_all(campaign: Campaign, boot: Resamples) -> PhaseYield:
    """Study all phases together."""
    return given(campaign, boot, ("every phase",), np.zeros(len(campaign.drops), int))


def by_colour(campaign: Campaign, boot: Resamples) -> PhaseYield:
    """Study the phases by the colour whose phase it is, in the order of play."""
    phase = campaign.drops.phase
    used = [i for i in range(len(phase.names)) if (phase.codes[campaign.drops.drop > 0] == i).any()]
    place = np.zeros(len(phase.names) + 1, int)
    place[used] = np.arange(len(used))
    return given(campaign, boot, tuple(phase.names[i] for i in used), place[phase.codes])


def by_number(campaign: Campaign, boot: Resamples) -> PhaseYield:
    """Study the phases by their number in the game, from 1."""
    last = int(campaign.drops.drop.max(initial=0))
    names = tuple(str(i) for i in range(1, last + 1))
    return given(campaign, boot, names, np.maximum(campaign.drops.drop - 1, 0))
