"""The main figures of a campaign with one design point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.results import (
    INSIDE,
    INSIDE_SETUP,
    OUT,
    Array,
    Estimate,
    Estimates,
    Figure,
    Resamples,
    capitalise,
    how_sure,
    plain_share,
    plainly,
)
from tower_sim.studies.retention import retention
from tower_sim.studies.retention.baseline import play_beside
from tower_sim.studies.retention.design import estimate, other_figures, phase_figures
from tower_sim.studies.retention.retention import LATE, WITHIN, grouped, histogram

NAMES = "simulated", "2/3-1/3 rule"


class TowerFigures:
    """The main figures of a campaign with one design point; `rule` has those of the 2/3-1/3 rule, if playable.

    Pairs are a mean and a standard deviation over phases. `lags` are autocorrelations of the number inside, in total
    and by colour, shape (1 + colours, lags).
    """

    def __init__(self, campaign: Campaign, boot: Resamples, rule: TowerFigures | None = None) -> None:
        d, rows = campaign.rows, campaign.is_phase
        self.campaign, self.boot, self.rule = campaign, boot, rule
        self.setup: Array = (d.drop == 0) & (d.thrown > 0) & campaign.has_setup
        self.inside_setup = self.moments(d.inside, self.setup) if self.setup.any() else None
        self.inside, self.out = self.moments(d.inside), self.moments(d.out)
        self.colours_out = self.moments(retention.colours_out(campaign))
        self.thrown_out, self.residents_out = (retention.cube_share(campaign, boot, rows, of) for of in (True, False))
        self.slopes = retention.slopes(campaign, boot, rows)
        self.stays = retention.survival(campaign, boot)
        counts = np.column_stack([d.inside, campaign.by_colour["inside"]])
        self.lags = retention.autocorrelation(campaign, boot, counts).reshape(-1, retention.LAGS)

    @staticmethod
    def of(campaign: Campaign, boot: Resamples) -> TowerFigures:
        """Return the figures of a campaign and of the rule."""
        played = play_beside(campaign, campaign.rng("rule"))
        rule = TowerFigures(played, Resamples(played.strata, campaign.rng("rule resamples"))) if played else None
        return TowerFigures(campaign, boot, rule)

    def moments(self, values: Array, rows: Array | None = None) -> tuple[Estimate, Estimate]:
        """Return the mean and standard deviation of `values` (drops,) over phases or the drops of a mask."""
        return retention.moments(self.campaign, self.boot, values, self.campaign.is_phase if rows is None else rows)

    def shares(self, values: Array, rows: Array | None = None) -> Estimates:
        """Return the share of phases (or of the drops of a mask) with each value 0, 1, ..."""
        chosen = self.campaign.is_phase if rows is None else rows
        return histogram(self.campaign, self.boot, self.campaign.rows.run[chosen], values[chosen].astype(np.int64))

    def figures(self) -> dict[str, tuple[str, Estimate]]:
        """Return the unit and the estimate of each figure, by name."""
        n, stay = int(self.campaign.is_phase.sum()), self.stays
        moments = ("inside after the set-up", self.inside_setup), ("inside after a drop", self.inside)
        every: dict[str, tuple[str, Estimate | None]] = {
            f"{what}, {name}": ("cubes", pair and pair[i])
            for what, pair in (*moments, ("out of a drop", self.out))
            for i, name in enumerate(("mean", "standard deviation"))
        }
        every |= {
            "share of the cubes just thrown that come out": ("1", self.thrown_out),
            "share of the residents that come out": ("1", self.residents_out),
            "more cubes out for one more thrown": ("cubes/cube", self.slopes.at(1, n)),
            "more cubes out for one more inside": ("cubes/cube", self.slopes.at(2, n)),
            "colours out of a drop, mean": ("colours", self.colours_out[0]),
            "stay of a cube that stays, median": ("drops", stay and stay.median),
            f"stay, mean within {WITHIN} drops": ("drops", stay and stay.mean_within),
            "chance of release at age 1": ("1", stay and stay.hazard.at(0)),
            f"chance of release at age {LATE} or more": ("1", stay and stay.old_hazard),
        }
        for lag in (1, 2, retention.LAGS):
            every[f"autocorrelation of the number inside, lag {lag}"] = "1", self.lags.at((0, lag - 1), n)
        return {name: (unit, value) for name, (unit, value) in every.items() if value}


# The opening


def plain(campaign: Campaign, boot: Resamples) -> list[str]:
    """Return up to three sentences on what a player experiences."""
    sure = how_sure(campaign.runs, campaign.unit)
    others = [
        f"{figure.title}: {plainly(estimate(campaign, boot, figure), '' if figure.is_share else figure.unit)}"
        for figure in other_figures(campaign)
    ]
    sentences = [f"{capitalise('; '.join(others))}. ({sure}.)"] if others else []
    d = campaign.rows
    if phase_figures(campaign):
        if (d.drop > 0).any():
            setup, out, stay = (plainly(estimate(campaign, boot, figure)) for figure in (INSIDE_SETUP, OUT, INSIDE))
            sentences.append(
                f"After the set-up {setup} of {d.thrown[d.drop == 0].mean():g} cubes are still in the tower; in a "
                f"phase {out} come out, and {stay} stay inside.{_own_sentences(campaign, boot)} These are means "
                f"over {sure}."
            )
    elif campaign.is_phase.any():
        rows = campaign.is_phase
        thrown, residents = (plain_share(retention.cube_share(campaign, boot, rows, of)) for of in (True, False))
        inside = plainly(retention.moments(campaign, boot, d.inside, rows)[0])
        sentences.append(
            f"Of the cubes thrown {thrown} come out in the same drop, of those already inside {residents}. After a "
            f"drop {inside} cubes are in the tower on average. ({sure}.)"
        )
    return sentences


@dataclass(frozen=True)
class PhaseMeans:
    """The means of one of the game's own figures, or the chances of a value, by kind of phase."""

    figure: Figure
    title: str
    is_chance: bool
    means: Estimates


def phase_means(campaign: Campaign, boot: Resamples, kind: Array | None = None, kinds: int = 1) -> list[PhaseMeans]:
    """Return the means of the game's own figures; `kind` (drops,) has the kind of each phase."""
    d, (first, *rest) = campaign.rows, phase_figures(campaign)
    rows = d.drop > 0
    group = np.zeros(rows.sum(), int) if kind is None else kind[rows]
    found: list[PhaseMeans] = []
    for figure in (first, *first.shares(), *rest):
        values = figure.by_row(campaign)[rows]
        is_chance = figure not in (first, *rest)
        title = figure.title.replace("phases with", "chance of") if is_chance else figure.title
        means = grouped(campaign, boot, d.run[rows], group, kinds, values, share=is_chance)
        found.append(PhaseMeans(figure, title, is_chance, means))
    return found


def _own_sentences(campaign: Campaign, boot: Resamples) -> str:
    first: list[str] = []
    rest: list[str] = []
    every, unit = phase_means(campaign, boot), campaign.unit
    for one in every:
        if one.is_chance or not one.figure.sentence:
            continue
        sentence = one.figure.sentence.format(plainly(one.means.at(0)))
        if one is every[0] and one.figure.chances:
            none, single = (chance.means.at(0) for chance in every[1:3])
            first.append(f"{sentence}; {phases_with(single, 'only one', unit)}, and {phases_with(none, 'none', unit)}")
        else:
            rest.append(sentence)
    return "".join(f" {capitalise(text)}." for text in (*first, "; ".join(rest)) if text)


def phases_with(share: Estimate, what: str, unit: str) -> str:
    """Return in words the share of phases that have `what`; if none, the most that the interval allows."""
    if share.value:
        return f"in {plain_share(share)} of phases there is {what}"
    most = f" (at most {100 * share.high:.2g} % of {unit}s have such a phase)" if share.high > 0 else ""
    return f"in no phase of {share.n} was there {what}{most}"
