"""Tower: a model with a memory, for scripts, notebooks and pages."""

from __future__ import annotations

import copy
import threading
from pathlib import Path
from typing import Any, Self, SupportsIndex

import numpy as np

from tower_sim.apparatus import Apparatus
from tower_sim.drops import Closing, Counts, Throwing, as_throw, foreign, redo, throw
from tower_sim.models import MODELS, PHYSICS, open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.values import SHORT, Outcome, TowerState, check_seed, short_seed

Seed = SupportsIndex | str | np.random.Generator | None


class Tower(Throwing, Closing):
    """A tower, or a ship with its board, that remembers what was thrown into it.

    New cubes are numbered after all cubes thrown before. Threads may share a tower: each throw, knock or undo ends
    before the next begins. Every throw and every knock has its own seed, `last_seed`. `tower-sim throw` with this
    `--seed`, and with the token before as `--state`, repeats it.

    Args:
        apparatus: A name (see `names`), the path of a profile, or an Apparatus.
        model: One of `physics`, `surrogate` and `two_thirds`, or the file of a fitted surrogate.
        seed: What the seeds of throws are drawn from, unless a call has its own: a whole number from 0 to 2^128 - 1,
            its text, or a generator. None takes the system's randomness.
        settings: The settings of physics.

    >>> with Tower("amerigo", "surrogate", seed=7) as tower:
    ...     outcome = tower.throw(blue=7, red=7)
    ...     print(tower.out, tower.inside)
    {'blue': 6, 'red': 4} {'blue': 1, 'red': 3}
    """

    def __init__(
        self,
        apparatus: Apparatus | str | Path,
        model: str = PHYSICS,
        *,
        seed: Seed = None,
        settings: PhysicsSettings | None = None,
    ) -> None:
        self._seeds = _seeds(seed)
        self.model = open_model(apparatus, model, settings)
        self.last: Outcome | None = None
        self.last_seed: int | None = None
        self._past: list[tuple[TowerState, Outcome | None, int | None]] = []
        self._state = self.model.empty()
        self._lock = threading.RLock()

    @classmethod
    def saved(
        cls, token: str, apparatus: Apparatus | str | Path | None = None, model: str | None = None, *, seed: Seed = None
    ) -> Self:
        """Open the tower that `save` wrote.

        Args:
            token: The text that `save` returned.
            apparatus: The profile, if it is a file.
            model: The fitted surrogate, if it is a file.
            seed: As for `Tower`. A whole number skips one seed for each throw and each knock in the token, even for a
                throw that had a seed of its own. So the tower goes on as if it had never been saved.

        Returns:
            The tower with the cubes and the history of the token.

        >>> with Tower("amerigo", "surrogate", seed=7) as tower:
        ...     outcome = tower.throw(blue=7, red=7)
        >>> with Tower.saved(tower.save(), seed=7) as again:
        ...     print(again.inside)
        {'blue': 1, 'red': 3}
        """
        state = TowerState.from_token(token)
        name = state.model if state.model in MODELS else PHYSICS
        tower = cls(apparatus or state.apparatus, model or name, seed=seed)
        empty = tower.state
        if (state.model, state.digest) != (empty.model, empty.digest):
            tower.close()
            raise foreign(state, empty.model, empty.apparatus, empty.digest)
        tower._state = state
        if tower._seeds is not None and tower._seeds is not seed:
            tower._seeds.integers(10**SHORT, size=sum(event.kind in ("drop", "knock") for event in state.log))
        return tower

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle of the tower holds: a fork with its own model, which draws the same seeds."""
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, own: dict[str, Any]) -> None:
        vars(self).update(own, _lock=threading.RLock())

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def close(self) -> None:
        """Close the model; the state can still be read."""
        self.model.close()

    def undo(self) -> bool:
        """Take back the last throw or knock.

        Returns:
            False if there was none since the tower was made or loaded.

        >>> with Tower("amerigo", "surrogate", seed=7) as tower:
        ...     outcome = tower.throw(blue=7)
        ...     print(tower.undo(), tower.undo(), tower.inside)
        True False {}
        """
        with self._lock:
            if not self._past:
                return False
            self._state, self.last, self.last_seed = self._past.pop()
            return True

    def save(self) -> str:
        """Return a token of the state and its history, one line of text for `Tower.saved`.

        >>> with Tower("amerigo", "surrogate") as tower:
        ...     tower.save().split(".")[0]
        'TOWER3'
        """
        return self._state.token()

    def reproduces(self) -> bool:
        """Return whether repeating the whole history from the empty tower leads to exactly this state.

        >>> with Tower("amerigo", "surrogate", seed=7) as tower:
        ...     outcome = tower.throw(blue=7, red=7)
        ...     tower.reproduces()
        True
        """
        with self._lock:
            return redo(self.model, self._state) == self._state

    def _do(self, counts: Counts, knock: float | None, seed: SupportsIndex | str | None) -> Outcome:
        with self._lock:
            number = self._next_seed() if seed is None else check_seed(seed)
            cubes, strength = as_throw(counts, self._state, knock)
            outcome = throw(self.model, self._state, cubes, number, strength)
            self._past.append((self._state, self.last, self.last_seed))
            self._state, self.last, self.last_seed = outcome.state, outcome, number
            return outcome

    def _next_seed(self) -> int:
        return short_seed() if self._seeds is None else int(self._seeds.integers(10**SHORT))


def _seeds(seed: Seed) -> np.random.Generator | None:
    if seed is None or isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(check_seed(seed))
