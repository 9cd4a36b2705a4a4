"""A model that records its calls and their outcomes, for data sets and to count draws."""

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
    """One call of a model: the state before it and its outcome; `knock` is true for a knock on the table."""

    state: TowerState
    outcome: Outcome
    knock: bool = False


class Recorder(Closing):
    """A model that passes every call on to `model` and records it. Closing it leaves `model` open."""

    def __init__(self, model: DropModel) -> None:
        self._model: Any = model
        self._draws: list[Draw] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @property
    def as_model(self) -> DropModel:
        """The recorder itself, with the type of a model."""
        return cast("DropModel", self)

    def take_draws(self) -> list[Draw]:
        """Return the draws since the last call of `take_draws`."""
        draws, self._draws = self._draws, []
        return draws

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._keep(state, self._model.drop(state, cubes, rng))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._keep(state, self._model.knock(state, strength, rng), knock=True)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """See BoardModel."""
        return self._keep(state, self._model.place(state, cube, zone, rng))

    def _keep(self, state: TowerState, outcome: Outcome, *, knock: bool = False) -> Outcome:
        self._draws.append(Draw(state, outcome, knock))
        return outcome
