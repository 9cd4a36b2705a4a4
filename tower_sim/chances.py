"""Chances: what comes next if this is thrown, or that, from one state: drawn many times by the state's own model.

state + cubes --draws--> counts out by colour --> number out, colours, none, one colour: each with its interval
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.contract import DropModel
from tower_sim.cubes import count_by_colour, supply
from tower_sim.errors import check_whole
from tower_sim.model import TooManyFailedDraws, first_landing
from tower_sim.requests import ChancesRequest, DropRequest
from tower_sim.state import TowerState
from tower_sim.statistics import CONFIDENCE, Estimate, average, clopper_pearson

SCHEMA, VERSION = "tower-sim/chances", 1
MOST_DRAWS = 1_000_000
_CUBE = 1e-4  # of a difference in a mean number of cubes: below that both are the same

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Chances:
    """What came of throwing `thrown` (counts by colour) again and again: `out` has the cubes out by draw and colour.

    `colours` are its columns; `left_out` draws, which are not in it, gave no landing five times in a row.
    """

    thrown: dict[str, int]
    colours: tuple[str, ...]
    out: Array
    left_out: int

    @property
    def number(self) -> Estimate:
        """How many come out, on average."""
        return average(self.out.sum(1))

    @property
    def usual(self) -> tuple[int, int]:
        """The least and the greatest number out in nine of ten throws."""
        low, high = np.quantile(self.out.sum(1), [0.05, 0.95], method="inverted_cdf")
        return int(low), int(high)

    def share(self, is_so: Array) -> Estimate:
        """Return the share of draws in which something is so."""
        return clopper_pearson(int(is_so.sum()), len(is_so))

    @property
    def shares(self) -> dict[str, Estimate]:
        """How likely it is that nothing, one colour alone, and more than one colour come out."""
        several = (self.out > 0).sum(1)
        return {
            "nothing": self.share(several == 0),
            "one colour": self.share(several == 1),
            "more than one colour": self.share(several > 1),
        }

    @property
    def each(self) -> dict[str, Estimate]:
        """How likely it is that at least one cube of a colour comes out."""
        return {colour: self.share(self.out[:, i] > 0) for i, colour in enumerate(self.colours)}

    def document(self) -> dict[str, Any]:
        """Return it as plain values; shares by number out from 0 on."""
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


def chances(
    model: DropModel,
    state: TowerState,
    options: Sequence[Mapping[str, int]],
    draws: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
) -> list[Chances]:
    """Throw each of `options` (counts by colour) `draws` times from `state`; `tell` hears how many throws are done.

    Random, from `seed`: draw k of option i is that of spawn key (i, k).
    """
    check_whole("draws", draws, 2, MOST_DRAWS, "try --draws 200")
    requests = [DropRequest(model.apparatus, "physics", seed, each, state) for each in options]
    there = sorted({cube.colour for cube in (*state.cubes, *state.board.cubes)})
    colours = tuple(dict.fromkeys([*(colour for each in options for colour in each), *there]))
    found: list[Chances] = []
    for i, request in enumerate(requests):
        cubes = supply(request.cubes, model.cube_edge, first_id=state.next_id)
        rows: list[list[int]] = []
        for k in range(draws):
            try:
                landed = first_landing(partial(model.drop, state, cubes), seed, (i, k))
            except TooManyFailedDraws:
                continue
            finally:
                tell(i * draws + k + 1)
            rows.append(list(count_by_colour(landed.emerged, colours).values()))
        out = np.array(rows, int).reshape(len(rows), len(colours))
        found.append(Chances(dict(request.cubes), colours, out, draws - len(rows)))
    return found


def chances_document(
    request: ChancesRequest, model: DropModel, tell: Callable[[int], None] = lambda done: None
) -> dict[str, Any]:
    """Return the document that answers a request for chances; see `chances`."""
    state = request.one.state or model.empty()
    return document_of(
        chances(model, state, request.options, request.runs, request.one.seed, tell), model, request.one.seed
    )


def document_of(found: Sequence[Chances], model: DropModel, seed: int) -> dict[str, Any]:
    """Return the document of chances that a model gave by a seed."""
    names = {"apparatus": model.apparatus, "model": model.name, "seed": str(seed)}
    return {"schema": SCHEMA, "version": VERSION, **names, "throws": [each.document() for each in found]}


def is_more(one: Chances, other: Chances) -> bool:
    """Tell whether more come out of one than of another, on average, beyond chance (their intervals apart)."""
    a, b = one.out.sum(1), other.out.sum(1)
    error = float(np.hypot(a.std(ddof=1) / len(a) ** 0.5, b.std(ddof=1) / len(b) ** 0.5))
    return float(a.mean() - b.mean()) > max(1.96 * error, _CUBE)


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "confidence": CONFIDENCE}
