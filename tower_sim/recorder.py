"""A model that keeps what it was asked and what came of it: for datasets, and to count draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tower_sim.contract import Closing, DropModel
from tower_sim.cubes import Cube
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState


@dataclass(frozen=True, slots=True)
class Draw:
    """One call of the model: the state before it and what it did; `knock`: it was a knock on the table."""

    state: TowerState
    outcome: Outcome
    knock: bool = False


class Recorder(Closing):
    """A model that passes every call on and keeps what came of it; closed, it leaves the other one open."""

    def __init__(self, model: DropModel) -> None:
        self._model: Any = model
        self._draws: list[Draw] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @property
    def as_model(self) -> DropModel:
        """The recorder as the model that it is."""
        return cast("DropModel", self)

    def taken(self) -> list[Draw]:
        """Return the draws since the last call of this."""
        draws, self._draws = self._draws, []
        return draws

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._kept(state, self._model.drop(state, cubes, rng))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._kept(state, self._model.knock(state, strength, rng), knock=True)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """See BoardModel."""
        return self._kept(state, self._model.place(state, cube, zone, rng))

    def _kept(self, state: TowerState, outcome: Outcome, *, knock: bool = False) -> Outcome:
        self._draws.append(Draw(state, outcome, knock))
        return outcome
