"""The contract of a model: all that games, campaigns and the command line know about a tower.

Derive a new model from `BaseModel` and check it with `tower_sim.testing.check_model`. Every method raises UsageError
for the caller's mistakes: a foreign or impossible state, the same cube twice, a cube of another size, too many cubes,
an rng that is not PCG64, an unknown zone, a launch into a place that is taken, a strength out of range.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from tower_sim.apparatus import Board
from tower_sim.drops.door import Door
from tower_sim.errors import fault
from tower_sim.values import Cube, Outcome, TowerState, check_seed

Draw = tuple[TowerState, Sequence[Cube], "int | np.random.SeedSequence"]
"""What a drop depends on: the state before it, the cubes that are thrown, and a seed."""


class DropModel(Protocol):
    """A tower that can be thrown into: physics, a surrogate or a fake. A `door.Door` checks its arguments first.

    Every method depends only on its arguments. It changes none of them except `rng`, from which it draws.
    A `with` block returns the model itself and closes it at the end.

    >>> from tower_sim import open_model, supply
    >>> def count_out(model: DropModel, seed: int) -> int:
    ...     cubes = supply({"blue": 7}, model.cube_edge)
    ...     return len(model.drop(model.empty(), cubes, np.random.default_rng(seed)).emerged)
    >>> with open_model("amerigo", "surrogate") as model:
    ...     [count_out(model, seed) for seed in range(5)]
    [5, 6, 4, 4, 6]
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def close(self) -> None:
        """Release resources such as an engine; closing twice is allowed. A copy of a model has its own resources."""
        ...

    @property
    def name(self) -> str:
        """The model's name: `physics`, `surrogate`, ..."""
        ...

    @property
    def apparatus(self) -> str:
        """The apparatus's name."""
        ...

    @property
    def cube_edge(self) -> float:
        """The edge (m) of the cubes that the apparatus is made for."""
        ...

    def empty(self) -> TowerState:
        """Return the state with no cube inside."""
        ...

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw cubes into the tower.

        Args:
            state: The state before the drop, made by an equal model.
            cubes: The cubes. One that lies on the board is taken off it first; cubes left there can be hit and moved.
            rng: The source of all chance; its bit generator is PCG64.

        Returns:
            The place of every cube, and the next state. A failed drop has a status that says so, and the input state.
        """
        ...

    def drop_many(self, draws: Iterable[Draw], *, workers: int | None = None) -> Generator[Outcome, None, None]:
        """Drop independently of each other, as often as there are draws.

        Args:
            draws: Each is (state, cubes, seed); its rng is numpy.random.default_rng(seed).
            workers: The number of threads; None is one for each core. It changes no outcome. The surrogate needs one.

        Yields:
            The outcome of each draw, in order.
        """
        ...

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Knock on the table.

        Args:
            state: The state before the knock, made by an equal model.
            strength: The peak lateral acceleration (g).
            rng: The source of all chance, as for `drop`.

        Returns:
            The outcome; the released cubes are `knocked_out`.
        """
        ...


class BoardModel(DropModel, Protocol):
    """A DropModel with a board: cubes that come out lie in the state's `board` until they are taken off.

    >>> from tower_sim import open_model
    >>> with open_model("dead_reckoning", "surrogate") as model:
    ...     [zone.name for zone in model.board.zones][:2]
    ['cargo', 'strength_1_fore']
    """

    @property
    def board(self) -> Board:
        """The board, with its zones."""
        ...

    @property
    def tells_contacts(self) -> bool:
        """Whether a landing has `touches` (the zones touched) and `on` (the cubes under it); some rulings need them."""
        ...

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """Put a cube flat into a zone.

        Args:
            state: The state before, made by an equal model.
            cube: A cube that lies on the board is moved; any other is new there.
            zone: The name of the zone. If it is too full, the cube is put on top of the cubes in it.
            rng: The source of the free place in the zone.

        Returns:
            The outcome, which says where the cube ended; this cube is the only one in `thrown`.
        """
        ...


class HandModel(DropModel, Protocol):
    """A DropModel that also takes throws with given launches."""

    def throw_by_hand(self, state: TowerState, cubes: Sequence[Cube], launches: Sequence[Sequence[float]]) -> Outcome:
        """Throw `cubes` with the given launches, one row for each cube: see `Event.launches`. Nothing is random."""
        ...


class Closing:
    """A context manager that calls `close` at its end; override `close` to release resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release resources; the base class has none."""


class BaseModel(Closing):
    """The base class of models: a subclass sets `name` and `_door` and defines `drop` and `knock`.

    The door checks states and cubes. Begin `drop` with `self._door.check_throw(state, cubes)` and `knock` with
    `self._door.enter(state)`. Return a new state through `self._door.made(state)`.
    """

    name: str
    _door: Door

    @property
    def apparatus(self) -> str:
        """The apparatus's name."""
        return self._door.apparatus

    @property
    def cube_edge(self) -> float:
        """The edge (m) of the cubes that the apparatus is made for."""
        return self._door.edge

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        raise NotImplementedError

    def drop_many(self, draws: Iterable[Draw], *, workers: int | None = None) -> Generator[Outcome, None, None]:
        """See DropModel; one drop follows another."""
        for draw in draws:
            yield self._drop_one(draw)

    def _drop_one(self, draw: Draw) -> Outcome:
        try:
            state, cubes, seed = draw
        except (TypeError, ValueError) as error:
            raise fault("draw", draw, "a state, cubes and a seed", "write (model.empty(), cubes, 7)") from error
        seed = seed if isinstance(seed, np.random.SeedSequence) else check_seed(seed)
        return self.drop(state, cubes, np.random.default_rng(seed))

    def empty(self) -> TowerState:
        """Return the state with no cube inside, and none on a board."""
        return self._door.made(TowerState(self._door.model, self._door.apparatus, self._door.digest))
