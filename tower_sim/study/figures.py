"""The main figures of a campaign of games or chains, computed once for the campaign and once for the 2/3-1/3 rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.statistics import Estimate, Estimates, Resamples
from tower_sim.study import memory, retention, survival

LATE = 5  # drops: residents of this age or more are called old


@dataclass(frozen=True)
class Figures:
    """What sections 1, 3 and 4 tell of one campaign; `setup` masks the set-ups, `phases` the drops studied.

    `acf` has lags 1 to 7 of the inside count, then of each colour's; `shared` lag 1 averaged over colours.
    """

    campaign: Campaign
    boot: Resamples
    setup: Array
    phases: Array
    inside_setup: tuple[Estimate, Estimate] | None
    inside: tuple[Estimate, Estimate]
    out: tuple[Estimate, Estimate]
    colours_out: tuple[Estimate, Estimate]
    thrown_share: Estimate
    resident_share: Estimate
    slopes: Estimates
    survival: survival.Survival | None
    old_hazard: Estimate | None
    acf: Estimates
    information: memory.Information | None
    prediction: memory.Prediction | None

    @property
    def runs(self) -> int:
        """How many runs the figures are of."""
        return self.campaign.runs

    def rows(self) -> list[tuple[str, str, Estimate]]:
        """List the main figures: name, unit, estimate."""
        n = int(self.phases.sum())
        rows: list[tuple[str, str, Estimate]] = []
        if self.inside_setup:
            rows += [
                ("inside after the set-up, mean", "cubes", self.inside_setup[0]),
                ("inside after the set-up, standard deviation", "cubes", self.inside_setup[1]),
            ]
        rows += [
            ("inside after a drop, mean", "cubes", self.inside[0]),
            ("inside after a drop, standard deviation", "cubes", self.inside[1]),
            ("out of a drop, mean", "cubes", self.out[0]),
            ("out of a drop, standard deviation", "cubes", self.out[1]),
            ("share of the cubes just thrown that come out", "1", self.thrown_share),
            ("share of the residents that come out", "1", self.resident_share),
            ("more cubes out for one more thrown", "cubes/cube", self.slopes.at(1, n)),
            ("more cubes out for one more inside", "cubes/cube", self.slopes.at(2, n)),
            ("colours out of a drop, mean", "colours", self.colours_out[0]),
        ]
        if self.survival:
            rows += [
                ("stay of a cube that stays, median", "drops", self.survival.median),
                (f"stay, mean within {survival.WITHIN} drops", "drops", self.survival.mean_within),
                ("chance of release at age 1", "1", self.survival.hazard.at(0, int(self.survival.at_risk[0]))),
            ]
        if self.old_hazard:
            rows.append((f"chance of release at age {LATE} or more", "1", self.old_hazard))
        rows += [
            (f"autocorrelation of the number inside, lag {lag}", "1", self.acf.at(lag - 1, n))
            for lag in (1, 2, memory.LAGS)
        ]
        if self.information:
            rows.append(("information of the number out on the next", "bits", self.information.bits))
        if self.prediction:
            rows += [(f"gain of knowing: {gain.knows}", "bits/drop", gain.bits) for gain in self.prediction.gains]
        return rows


def figures(campaign: Campaign, boot: Resamples) -> Figures:
    """Compute the figures of `campaign`."""
    d, phases = campaign.drops, campaign.phases
    setup = (d.drop == 0) & (d.thrown > 0) & campaign.has_setup
    residents = survival.survival(campaign, boot)
    lags = np.column_stack([d.inside_after, campaign.inside_by_colour])
    return Figures(
        campaign=campaign,
        boot=boot,
        setup=setup,
        phases=phases,
        inside_setup=retention.moments(campaign, boot, d.inside_after, setup) if setup.any() else None,
        inside=retention.moments(campaign, boot, d.inside_after, phases),
        out=retention.moments(campaign, boot, d.emerged, phases),
        colours_out=retention.moments(campaign, boot, colours_out(campaign), phases),
        thrown_share=retention.cube_share(campaign, boot, phases, of_thrown=True),
        resident_share=retention.cube_share(campaign, boot, phases, of_thrown=False),
        slopes=retention.slopes(campaign, boot, phases),
        survival=residents,
        old_hazard=_old_hazard(campaign, boot),
        acf=memory.autocorrelation(campaign, boot, lags),
        information=memory.successive_information(campaign, campaign.rng("information")),
        prediction=memory.prediction(campaign, boot, campaign.rng("folds")),
    )


def colours_out(campaign: Campaign) -> Array:
    """How many different colours came out of each drop, shape (drops,)."""
    d = campaign.drops
    return campaign.by_drop.colours[d.run, d.drop]


def _old_hazard(campaign: Campaign, boot: Resamples) -> Estimate | None:
    cubes = campaign.cubes
    rows = survival.resident_rows(campaign)
    rows = rows[cubes.age[rows] >= LATE]
    if not len(rows):
        return None
    run = campaign.drops.run[cubes.row[rows]]
    released = np.bincount(run, cubes.out[rows], campaign.runs)
    return boot.ratio(released, np.bincount(run, minlength=campaign.runs).astype(float))
