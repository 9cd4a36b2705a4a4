"""The DropModel contract: what games, campaigns and the command line know of a tower, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, cast

import numpy as np

from tower_sim.apparatus.board import Board
from tower_sim.cubes import Cube
from tower_sim.door import as_cubes, as_seed, as_state, foreign, placed
from tower_sim.errors import fault
from tower_sim.outcome import Outcome, Status
from tower_sim.state import TowerState, rng_from_text

MAX_ATTEMPTS = 5


class DropModel(Protocol):
    """A tower that can be thrown into: physics, a surrogate or a fake; what it is given passes a `door.Door` first.

    Every method depends on its arguments only and changes none of them except `rng`, which it draws from.
    """

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
        """The edge (m) of the cubes this apparatus is made for."""
        ...

    def empty(self) -> TowerState:
        """Return the state with no cube inside."""
        ...

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw `cubes` into the tower in `state`, draw what is random from `rng`, say where every cube is.

        A cube that lies on the board is taken off it first; cubes left there can be hit and moved.
        Always returns an Outcome; a draw that is no landing has a status that says so and the input state.
        Raises UsageError for the caller's mistakes: a foreign or impossible state, cubes that are none or no sequence
        of them, a cube twice, a cube of another size, too many, an rng that is not PCG64.
        """
        ...

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Knock on the table with `strength` (peak lateral acceleration in g); what is released is `knocked_out`.

        Raises UsageError for a negative, not finite or unfit strength, and as `drop` does.
        """
        ...


class BoardModel(DropModel, Protocol):
    """A DropModel whose cubes fall onto a board and stay there, in the state's `board`, until they are taken off."""

    @property
    def board(self) -> Board:
        """The board, with its zones; raises UsageError when the apparatus has none."""
        ...

    @property
    def tells_contacts(self) -> bool:
        """Whether landings say which zones a cube `touches` and which cubes it lies `on`; some rulings ask for it."""
        ...

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """Put `cube` into `zone`, flat, at a place drawn from `rng` among the free ones; `thrown` is that cube.

        A cube that lies on the board is moved; any other is new there. When the zone is too full the cube is laid
        upon those that lie there. The outcome says where it ended.
        Raises UsageError for an unknown zone, and as `drop` does.
        """
        ...


class TooManyFailedDraws(RuntimeError):
    """`MAX_ATTEMPTS` draws in a row were no landing; `outcome` is the last of them."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        statuses = ", ".join(str(status) for status in (*outcome.failures, outcome.status))
        super().__init__(f"{outcome.attempts} draws in a row were no landing ({statuses})")


def until_landed(draw: Callable[[np.random.Generator], Outcome], seed: np.random.SeedSequence) -> Outcome:
    """Call `draw` (a drop or a knock, all but its rng filled in) until it is a landing, at most 5 times.

    Attempt i draws from the child of `seed` with spawn key `(*seed.spawn_key, i)`, so any attempt can be done
    again by itself. The statuses of the failed draws are kept in the outcome's `failures`.
    Raises TooManyFailedDraws after the last attempt.
    """
    failures: list[Status] = []
    seed = as_seed(seed)
    while True:
        child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, len(failures)))
        outcome = replace(draw(np.random.default_rng(child)), failures=tuple(failures))
        if outcome.status.is_landing:
            return outcome
        if outcome.attempts == MAX_ATTEMPTS:
            raise TooManyFailedDraws(outcome)
        failures.append(outcome.status)


def knock_then_drop(
    model: DropModel, state: TowerState, strength: float, cubes: Sequence[Cube], seed: np.random.SeedSequence
) -> Outcome:
    """Knock, then throw `cubes` together with those that the knock released (which are `knocked_out` and `thrown`).

    The knock draws from the child of `seed` with one more key 1, the throw from that with 0; both until they land.
    """
    cubes, seed = as_cubes(cubes), as_seed(seed)
    streams = [np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, key)) for key in (0, 1)]
    knock = until_landed(lambda rng: model.knock(state, strength, rng), streams[1])
    thrown = (*cubes, *knock.emerged)
    if not cubes:
        return knock
    outcome = until_landed(lambda rng: model.drop(knock.state, thrown, rng), streams[0])
    return replace(outcome, knocked_out=knock.emerged)


def replay(model: DropModel, state: TowerState) -> TowerState:
    """Do again, from the empty tower, everything in `state.log`; the result equals `state`.

    Raises UsageError for a state of another model, and a log that this model cannot have written.
    """
    again, state = model.empty(), as_state(state)
    if (state.model, state.digest) != (again.model, again.digest):
        raise foreign(state, again.model, again.apparatus, again.digest)
    for event in state.log:
        if event.kind == "take":
            again = again.take(event.thrown)
            continue
        rng = rng_from_text(event.rng)
        if event.kind == "knock":
            again = model.knock(again, event.strength, rng).state
        elif event.kind == "drop":
            again = model.drop(again, event.thrown, rng).state
        elif event.kind == "place" and hasattr(model, "place"):
            again = cast("BoardModel", model).place(again, placed(event), event.place, rng).state
        else:
            raise fault("an event in the log", event.kind, "one of this model", "take a state that it has made")
    return again
