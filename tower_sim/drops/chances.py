"""Chances of the next throw, estimated by many throws from the same state.

    state + cubes --draws--> cubes out by draw and colour --> mean number out and shares

Means and shares have intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.answers import ChancesAnswer, EstimateAnswer, ThrowChances
from tower_sim.contract import DropModel
from tower_sim.cubes import count_by_colour, supply
from tower_sim.drops.repeat import TooManyFailedDraws, first_landing
from tower_sim.drops.throwing import as_throw
from tower_sim.errors import check_whole
from tower_sim.state import TowerState
from tower_sim.statistics import CONFIDENCE, Estimate, average, clopper_pearson

MOST_DRAWS = 1_000_000
_CUBE = 1e-4  # cubes: means that differ by less count as equal

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Chances:
    """The results of throwing the same cubes, `thrown` (counts by colour), many times from one state.

    `out` has the numbers of cubes out (draws, colours), without the `left_out` draws that failed five times in a row.
    """

    thrown: dict[str, int]
    colours: tuple[str, ...]
    out: Array
    left_out: int

    @property
    def number(self) -> Estimate:
        """The mean number of cubes out, with its interval; it does not go below 0."""
        mean = average(self.out.sum(1))
        return replace(mean, low=max(mean.low, 0.0))

    @property
    def usual(self) -> tuple[int, int]:
        """The 5 % and the 95 % quantile of the number of cubes out."""
        low, high = np.quantile(self.out.sum(1), [0.05, 0.95], method="inverted_cdf")
        return int(low), int(high)

    def share(self, is_so: Array) -> Estimate:
        """Return the share of draws in which `is_so` (draws,) is true, with its exact interval."""
        return clopper_pearson(int(is_so.sum()), len(is_so))

    @property
    def shares(self) -> dict[str, Estimate]:
        """The shares of draws in which nothing, one colour, or more come out."""
        several = (self.out > 0).sum(1)
        return {
            "nothing": self.share(several == 0),
            "one colour": self.share(several == 1),
            "more than one colour": self.share(several > 1),
        }

    @property
    def each(self) -> dict[str, Estimate]:
        """The share of draws in which at least one cube of a colour comes out, by colour."""
        return {colour: self.share(self.out[:, i] > 0) for i, colour in enumerate(self.colours)}

    def document(self) -> ThrowChances:
        """Return the results as plain JSON values; `by_number` has the shares with 0, 1, 2, ... cubes out."""
        counts = np.bincount(self.out.sum(1)) / len(self.out)
        return {
            "thrown": self.thrown,
            "draws": len(self.out),
            "left_out": self.left_out,
            "out": _plain(self.number),
            "by_number": counts.round(6).tolist(),
            "shares": {name: _plain(share) for name, share in self.shares.items()},
            "each": {colour: _plain(share) for colour, share in self.each.items()},
        }


def estimate_chances(
    model: DropModel,
    state: TowerState,
    options: Sequence[Mapping[str, int]],
    draws: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
) -> list[Chances]:
    """Throw each option (counts by colour) `draws` times, on all cores; `tell` gets the number of throws done.

    Random, from `seed`: draw k of option i has the spawn key (i, k).
    """
    draws = check_whole("draws", draws, 2, MOST_DRAWS, "try 200")
    thrown = [as_throw(each, state, None)[0] for each in options]
    there = sorted({cube.colour for cube in (*state.cubes, *state.board.cubes)})
    colours = tuple(dict.fromkeys([*(colour for each in options for colour in each), *there]))
    chances: list[Chances] = []
    for i, counts in enumerate(thrown):
        cubes = supply(counts, model.cube_edge, first_id=state.next_id)
        rows: list[list[int]] = []
        firsts = ((state, cubes, np.random.SeedSequence(seed, spawn_key=(i, k, 0))) for k in range(draws))
        for k, landed in enumerate(model.drop_many(firsts)):
            tell(i * draws + k + 1)
            if not landed.status.is_landing:
                try:
                    landed = first_landing(partial(model.drop, state, cubes), seed, (i, k))
                except TooManyFailedDraws:
                    continue
            rows.append(list(count_by_colour(landed.emerged, colours).values()))
        out = np.array(rows, int).reshape(len(rows), len(colours))
        chances.append(Chances(counts, colours, out, draws - len(rows)))
    return chances


def make_document(throws: Sequence[Chances], model: DropModel, seed: int) -> ChancesAnswer:
    """Return the document of the chances that were drawn with `model` and `seed`."""
    return {
        "schema": "tower-sim/chances",
        "version": 1,
        "apparatus": model.apparatus,
        "model": model.name,
        "seed": str(seed),
        "throws": [each.document() for each in throws],
    }


def is_more(one: Chances, other: Chances) -> bool:
    """Return whether the mean number out is greater for `one` than for `other`, by more than 1.96 standard errors."""
    a, b = one.out.sum(1), other.out.sum(1)
    error = float(np.hypot(a.std(ddof=1) / len(a) ** 0.5, b.std(ddof=1) / len(b) ** 0.5))
    return float(a.mean() - b.mean()) > max(1.96 * error, _CUBE)


def _plain(estimate: Estimate) -> EstimateAnswer:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "confidence": CONFIDENCE}
