"""PhysicsModel: a throw from the hand above the tower to its outcome, as rigid-body physics. READ FIRST.

    apparatus -> scene -> hand -> drop -> where -> outcome

physics/scene.py builds the scene and reads it. The core (physics/core) lets cubes go and drops them: hand.py, drop.py.
apparatus/where.py says where they are.
"""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tower_sim.apparatus import Apparatus, Board, as_apparatus, with_board
from tower_sim.drops import BaseModel, Door, Draw, as_zone, go_on_there, knock_strength
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings, Scene, World, advice_by_digest, as_settings, plain, state_digest
from tower_sim.physics.core import CoreEngine
from tower_sim.physics.core.drop import MOST_OVERLAP
from tower_sim.tools import in_threads, portable
from tower_sim.values import (
    INSIDE,
    MAX_CUBES,
    Cube,
    Event,
    Outcome,
    Pose,
    Resident,
    TowerState,
    rng_text,
)

_ROUNDING = 1e-9  # m: poses are exact, but the engine converts them before it judges


class PhysicsModel(BaseModel):
    """A DropModel that drops rigid cubes through an apparatus with the engine of its settings.

    Every drop builds a new world. Cubes inside start asleep at their poses, and wake when a cube hits them or when a
    cube that touched them was taken away. An engine without contact memory wakes the cubes on a board that lean or lie
    on others. The model holds one engine: close it, or use a `with` block. Threads that share a model, or an engine
    with state for the whole process, wait for each other. A copy has its own engine.

    Args:
        apparatus: A tower or a ship, as `load` returns it.
        settings: None is the core with the accuracy of the apparatus, mostly the standard one.

    >>> from tower_sim import load, supply
    >>> with PhysicsModel(load("amerigo")) as model:
    ...     cubes = supply({"blue": 2}, model.cube_edge)
    ...     outcome = model.drop(model.empty(), cubes, np.random.default_rng(7))
    >>> print(outcome.status, [landing.place for landing in outcome.landings])
    settled ['tray', 'tray']
    """

    name = "physics"
    tells_contacts = True

    def __init__(self, apparatus: Apparatus, settings: PhysicsSettings | None = None) -> None:
        self.shape = as_apparatus(apparatus)
        self.settings = as_settings(settings, self.shape.accuracy)
        self._world = World(self.settings)
        self._door = _door(self.shape, self.settings)
        self._steps, self._seconds = 0, 0.0

    def __reduce__(self) -> tuple[type[PhysicsModel], tuple[Apparatus, PhysicsSettings]]:
        return type(self), (self.shape, self.settings)

    def close(self) -> None:
        """Close the engine."""
        self._world.close()

    @property
    def board(self) -> Board:
        """The board of the ship."""
        return with_board(self.shape).board

    @property
    def effort(self) -> tuple[int, float]:
        """The engine steps taken and the seconds simulated so far, for measurements."""
        return self._steps, self._seconds

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw cubes in; see `DropModel.drop`. Random: what `Scene.throw` draws."""
        thrown = self._door.check_throw(state, cubes)
        event = Event("drop", rng_text(rng), thrown, ())
        return self._run(state, thrown, event, lambda scene: scene.throw(thrown, rng))

    def drop_many(self, draws: Iterable[Draw], *, workers: int | None = None) -> Generator[Outcome, None, None]:
        """Drop independently in several threads; see `DropModel.drop_many`.

        Each thread has a copy of this model. Only the core drops in several threads at once.

        >>> from tower_sim import load, supply
        >>> with PhysicsModel(load("amerigo")) as model:
        ...     cubes = supply({"blue": 2}, model.cube_edge)
        ...     draws = [(model.empty(), cubes, seed) for seed in range(4)]
        ...     [len(outcome.emerged) for outcome in model.drop_many(draws, workers=1)]
        [1, 2, 0, 2]
        """
        if workers == 1 or not isinstance(self._world.engine, CoreEngine):
            yield from super().drop_many(draws)
            return
        mine, copies = threading.local(), list[PhysicsModel]()

        def drop(draw: Draw) -> Outcome:
            if not hasattr(mine, "model"):
                mine.model = copy.copy(self)
                copies.append(mine.model)
            return mine.model._drop_one(draw)

        try:
            with self._world.alone():  # is it open?
                pass
            yield from in_threads(drop, draws, workers)
        finally:
            for each in copies:
                each._world.engine.close()  # which ends a drop that goes on, after an error or an interrupt
                self._steps, self._seconds = self._steps + each._steps, self._seconds + each._seconds

    def throw_by_hand(self, state: TowerState, cubes: Sequence[Cube], launches: Sequence[Sequence[float]]) -> Outcome:
        """Throw cubes with given launches; see `HandModel.throw_by_hand`."""
        thrown = self._door.check_throw(state, cubes)
        rows = plain.read(thrown, launches)
        event = Event("hand", "", thrown, (), launches=rows)
        return self._run(state, thrown, event, lambda scene: scene.throw_by_hand(thrown, rows))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Knock on the table, `strength` in g; see `DropModel.knock`. Random: the direction."""
        self._door.enter(state)
        strength = knock_strength(strength)
        event = Event("knock", rng_text(rng), (), (), strength)
        shake = (strength, *draw_direction(rng))
        outcome = self._run(state, (), event, lambda _: None, shake)
        return replace(outcome, knocked_out=outcome.emerged)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """Put a cube into a zone; see `BoardModel.place`. Random: the place there and the turn about the vertical."""
        ship = with_board(self.shape)
        (cube,) = self._door.check_throw(state, (cube,))
        zone = as_zone(zone, [each.name for each in ship.board.zones])
        event = Event("place", rng_text(rng), (cube,), (), place=zone)
        return self._run(state, (cube,), event, lambda scene: scene.put_down(cube, zone, rng))

    def _run(
        self,
        state: TowerState,
        thrown: tuple[Cube, ...],
        event: Event,
        let_go: Callable[[Scene], None],
        shake: tuple[float, float, float] | None = None,
    ) -> Outcome:
        lying = tuple(resident for resident in state.board.lying if resident.cube not in thrown)
        left = tuple(resident.cube for resident in lying)
        with self._world.alone():  # one drop at a time in a process
            scene = self._world.scene(self.shape)
            scene.lay(_poses(state.residents), _poses(lying), state.touches)
            let_go(scene)
            status = scene.settle(shake)
            touches = scene.lie_still() if status.is_landing else ()
            read, there = scene.read(), scene.there
            self._steps, self._seconds = self._steps + scene.steps, self._seconds + scene.seconds
        landings = tuple(read[cube] for cube in (*state.cubes, *left, *thrown))
        outcome = Outcome(self.name, self.shape.name, status, thrown, landings, state, left, missed=scene.missed)
        if not status.is_landing:
            return outcome
        since = {resident.cube: resident.since for resident in (*state.residents, *lying)}
        rest = [
            Resident(cube, read[cube].place, since.get(cube, state.drops), read[cube].pose) for cube in there
        ]  # in the engine's order, on which the contacts rely
        inside = [replace(each, region=each.region.removeprefix(INSIDE)) for each in rest if _inside(each)]
        outside = [each for each in rest if not _inside(each)] if self.shape.board else []
        event = replace(event, emerged=tuple(sorted(cube.id for cube in outcome.emerged)))
        return replace(outcome, state=self._door.made(state.after(inside, event, outside, touches)))


def draw_direction(rng: np.random.Generator) -> tuple[float, float]:
    """Draw the x and y of a unit vector uniformly."""
    angle = 2 * math.pi * rng.random()
    return portable.cos(angle), portable.sin(angle)


def _door(shape: Apparatus, settings: PhysicsSettings) -> Door:
    regions = [region.name for region in shape.regions]
    places = shape.board.places if shape.board else ()
    return Door(
        PhysicsModel.name,
        shape.name,
        state_digest(shape, settings),
        shape.cube_edge,
        frozenset(regions),
        frozenset(places),
        _Check(shape, settings),
        MAX_CUBES,
        advise=partial(_advice, shape),
    )


class _Check(threading.local):
    def __init__(self, shape: Apparatus, settings: PhysicsSettings) -> None:
        self._shape, self._settings, self._core = shape, settings, CoreEngine(settings)

    def __call__(self, state: TowerState) -> None:
        scene = Scene(self._core, self._shape, self._settings)
        scene.lay(_poses((*state.residents, *state.board.lying)), {})
        deepest, most = scene.overlap(), MOST_OVERLAP * self._shape.cube_edge
        if deepest > most + _ROUNDING:
            raise UsageError(
                f"state has a cube that lies {deepest * 1e3:.3g} mm deep in another or in a part; allowed is up to "
                f"{most * 1e3:.3g} mm; take a state from an outcome"
            )


def _advice(shape: Apparatus, state: TowerState) -> str:
    return advice_by_digest(shape).get(state.digest) or go_on_there(state)


def _poses(residents: Sequence[Resident]) -> dict[Cube, Pose]:
    return {resident.cube: resident.pose for resident in residents if resident.pose}  # all have one: see the door


def _inside(resident: Resident) -> bool:
    return resident.region.startswith(INSIDE)
