"""What the tower gives the players in a phase: actions to choose from, action points, gold for passing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.games.amerigo import Rules
from tower_sim.study.bootstrap import Estimate, Estimates, Resamples
from tower_sim.study.data import Array, Campaign

CHANCES = ("0", "1", "2", "3 or more")  # actions to choose from


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
class Given:
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


def divisors(spec: Mapping[str, Any]) -> tuple[int, int]:
    """Return by how much the cubes are divided into gold without and with the token, from the campaign's rules."""
    rules: Mapping[str, Any] = spec.get("rules") or {}
    published = Rules()
    names = ("gold_divisor", "gold_divisor_with_token")
    without, with_token = (int(rules.get(name, getattr(published, name))) for name in names)
    return without, with_token


def columns(campaign: Campaign) -> Columns:
    """Return what each phase of a campaign of games, of one design point, gives."""
    d = campaign.drops
    _, with_token = divisors(campaign.spec)
    return Columns(d.drop > 0, d.colours_out, d.action_points, d.gold, -(-d.emerged // with_token))


def given(campaign: Campaign, boot: Resamples, names: tuple[str, ...], kind: Array) -> Given:
    """Study the phases by kind: `kind` numbers into `names`, one a drop."""
    found = columns(campaign)
    rows, size = found.phase, len(names)
    code = campaign.drops.run[rows].astype(np.int64) * size + kind[rows]
    cells = campaign.runs * size

    def summed(values: Array) -> Array:
        return np.bincount(code, values[rows].astype(float), cells).reshape(-1, size)

    count = summed(np.ones(len(rows)))
    choices = np.minimum(found.actions, len(CHANCES) - 1)
    hits = np.stack([summed(choices == i) for i in range(len(CHANCES))], 2).reshape(campaign.runs, -1)
    return Given(
        names=names,
        phases=count.sum(0).astype(int),
        actions=boot.ratios(summed(found.actions), count),
        chances=boot.shares(hits, np.repeat(count, len(CHANCES), axis=1)),
        points=boot.ratios(summed(found.points), count),
        gold=boot.ratios(summed(found.gold), count),
        token_gold=boot.ratios(summed(found.token_gold), count),
    )


def over_all(campaign: Campaign, boot: Resamples) -> Given:
    """Study all phases together."""
    return given(campaign, boot, ("every phase",), np.zeros(len(campaign.drops), int))


def by_colour(campaign: Campaign, boot: Resamples) -> Given:
    """Study the phases by the colour whose phase it is, in the order of play."""
    phase = campaign.drops.phase
    used = [i for i in range(len(phase.names)) if (phase.codes[campaign.drops.drop > 0] == i).any()]
    place = np.zeros(len(phase.names) + 1, int)
    place[used] = np.arange(len(used))
    return given(campaign, boot, tuple(phase.names[i] for i in used), place[phase.codes])


def by_number(campaign: Campaign, boot: Resamples) -> Given:
    """Study the phases by their number in the game, from 1."""
    last = int(campaign.drops.drop.max(initial=0))
    names = tuple(str(i) for i in range(1, last + 1))
    return given(campaign, boot, names, np.maximum(campaign.drops.drop - 1, 0))
