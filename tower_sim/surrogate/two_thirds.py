"""The rule that an online version of Wallenstein used for its tower: the baseline to beat."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.contract import BaseModel
from tower_sim.cubes import Cube
from tower_sim.door import Door, as_apparatus, no_knocks
from tower_sim.landing import INSIDE, TRAY
from tower_sim.outcome import Landing, Outcome, Status
from tower_sim.state import Event, Resident, TowerState, rng_text

THROWN_OUT = 2 / 3
RESIDENT_OUT = 1 / 3
REGION = "tower"


class TwoThirdsRule(BaseModel):
    """A DropModel without physics: each cube comes out by itself, one just thrown with 2/3, one inside with 1/3.

    It ignores how many are thrown, and knows no regions (all cubes inside are in `tower`) and no knocks.
    Source: bgdf.com/node/180.
    """

    name = "two_thirds"

    def __init__(self, shape: Apparatus) -> None:
        self.shape = as_tower(as_apparatus(shape))
        edge = self.shape.cube_edge
        digest = hashlib.sha256(f"{self.name} {edge!r}".encode()).hexdigest()[:16]
        self._door = Door(self.name, self.shape.name, digest, edge, frozenset([REGION]))

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw `cubes` in; see DropModel. Random: for every cube whether it comes out."""
        thrown = self._door.throw(state, cubes)
        written = rng_text(rng)
        chances = np.repeat([THROWN_OUT, RESIDENT_OUT], [len(thrown), len(state.residents)])
        is_out = rng.random(len(chances)) < chances
        since = {resident.cube: resident.since for resident in state.residents}
        landings = tuple(
            Landing(cube, TRAY if out else INSIDE + REGION)
            for cube, out in zip((*thrown, *state.cubes), is_out, strict=True)
        )
        outcome = Outcome(self.name, self.shape.name, Status.SETTLED, thrown, landings, state)
        inside = [Resident(x.cube, REGION, since.get(x.cube, state.drops)) for x in landings if x.inside]
        event = Event("drop", written, thrown, tuple(cube.id for cube in outcome.emerged))
        after = self._door.made(state.after(inside, event))
        return Outcome(self.name, self.shape.name, Status.SETTLED, thrown, landings, after)

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Refuse: the rule says nothing of knocks. Raises UsageError."""
        no_knocks(strength, f"{self.name} knows no knocks")
