"""What the tower gives the players in a phase: the figures of their game that no other tower has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.runs.figure import MEAN, PHASES, Figure
from tower_sim.runs.tower import GENERAL
from tower_sim.statistics import Estimate, Estimates, Resamples


@dataclass(frozen=True)
class PhaseYield:
    """What phases of one kind give: the mean of each of `figures`, and how often the first is 0, 1, ...; see Figure.

    Arrays have an entry for each kind of phase named in `names`, of which there are `phases`; `means` are by the key of
    the figure, `chances` has one for each of the first figure's `chances` and kind.
    """

    names: tuple[str, ...]
    figures: tuple[Figure, ...]
    phases: Array
    means: Mapping[str, Estimates]
    chances: Estimates

    def chance(self, kind: int, number: int) -> Estimate:
        """Return the chance of `number` (the last: or more) in phases of that kind."""
        return self.chances.at(kind * len(self.figures[0].chances) + number, int(self.phases[kind]))


def figures(campaign: Campaign) -> tuple[Figure, ...]:
    """Return the figures that the game takes from each phase, those with chances first; none without a set-up.

    Those of a mean over all phases, that the campaign tells, and that are not of every tower.
    """
    if campaign.game is None or not campaign.has_setup:
        return ()
    own = [
        figure
        for figure in campaign.game.figures()
        if (figure.take, figure.at, figure.among, figure.where) == (MEAN, PHASES, "1", "1")
        and figure.key not in GENERAL
        and figure.is_told(campaign.by_drop)
    ]
    return tuple(sorted(own, key=lambda figure: not figure.chances))


def given(campaign: Campaign, boot: Resamples, names: tuple[str, ...], kind: Array) -> PhaseYield:
    """Study the phases by kind: `kind` numbers into `names`, one a drop."""
    d, size, own = campaign.drops, len(names), figures(campaign)
    rows = d.drop > 0
    run, group = d.run[rows], kind[rows]
    by_phase = {figure.key: figure.by_phase(campaign.by_drop)[run, d.drop[rows] - 1] for figure in own}
    count = campaign.tally(run, group, size, np.ones(len(run)))
    choices = len(own[0].chances)
    hits = [
        campaign.tally(run, group, size, np.minimum(by_phase[own[0].key], choices - 1) == i) for i in range(choices)
    ]
    of_chances = np.stack(hits, 2).reshape(campaign.runs, -1) if choices else np.zeros((campaign.runs, 0))
    return PhaseYield(
        names=names,
        figures=own,
        phases=count.sum(0).astype(int),
        means={key: boot.ratios(campaign.tally(run, group, size, values), count) for key, values in by_phase.items()},
        chances=boot.shares(of_chances, np.repeat(count, choices, axis=1)),
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
