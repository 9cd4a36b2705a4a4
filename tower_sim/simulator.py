"""PhysicsModel: a throw from the hand above the tower to its outcome, as rigid-body physics. READ FIRST.

    apparatus -> world -> release -> settle -> landing -> outcome

Each word names the module that does this step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tower_sim import landing
from tower_sim.apparatus.board import Board
from tower_sim.apparatus.parts import Apparatus, as_apparatus
from tower_sim.apparatus.with_board import with_board
from tower_sim.contract import BaseModel
from tower_sim.cubes import MAX_CUBES, Cube
from tower_sim.door import Door, as_zone, go_on_there, knock_strength
from tower_sim.outcome import Landing, Outcome
from tower_sim.physics import by_hand
from tower_sim.physics.at_rest import check_at_rest
from tower_sim.physics.belonging import advice_by_digest, digest_of
from tower_sim.physics.knock import Shake
from tower_sim.physics.placing import put_down
from tower_sim.physics.release import Launch, release
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import PhysicsSettings, as_settings
from tower_sim.physics.settle import settle
from tower_sim.physics.world import World
from tower_sim.state import Event, Pose, Resident, Touch, TowerState, rng_text


class PhysicsModel(BaseModel):
    """A DropModel that drops rigid cubes through an apparatus with the engine of its settings.

    Every drop builds a new world in a cleared engine, so that it depends only on its arguments. Cubes inside start
    asleep at their poses. They wake when a cube hits them or when a cube that touched them was taken away. An engine
    without contact memory wakes the cubes on a board that lean or lie on others, because their support may be gone.
    The model holds one engine: close it, or use a `with` block. Threads that share a model wait for each other; so do
    threads whose models share an engine with state for the whole process. A copy has its own engine.
    """

    name = "physics"
    tells_contacts = True

    def __init__(self, apparatus: Apparatus, settings: PhysicsSettings | None = None) -> None:
        self.shape = as_apparatus(apparatus)
        self.settings = as_settings(settings)
        self._world = World(self.settings)
        self._door = _door(self.shape, self.settings)

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
        return self._world.steps, self._world.seconds

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw `cubes` in; see DropModel. Random: what `release` draws. Everything else follows from the arguments."""
        thrown = self._door.throw(state, cubes)
        written = rng_text(rng)
        launches = release(thrown, self.shape.hand, self.shape.rim_top, self.shape.cube_edge, self.settings.window, rng)
        return self._run(state, thrown, launches, None, Event("drop", written, thrown, ()))

    def throw_by_hand(self, state: TowerState, cubes: Sequence[Cube], launches: Sequence[Sequence[float]]) -> Outcome:
        """Throw `cubes` with the given launches; see HandModel. Nothing is random."""
        thrown = self._door.throw(state, cubes)
        made = by_hand.read(thrown, launches, self.settings.window, self.shape)
        rows = tuple(tuple(map(float, row)) for row in launches)
        return self._run(state, thrown, made, None, Event("hand", "", thrown, (), launches=rows))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Knock on the table, `strength` in g; see DropModel. Random: the direction."""
        self._door.enter(state)
        strength = knock_strength(strength)
        written = rng_text(rng)
        shake = Shake.draw(strength, rng)
        outcome = self._run(state, (), [], shake, Event("knock", written, (), (), strength))
        return replace(outcome, knocked_out=outcome.emerged)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """Put a cube into a zone; see BoardModel. Random: the place in the zone and the turn about the vertical."""
        ship = with_board(self.shape)
        (cube,) = self._door.throw(state, (cube,))
        zone = as_zone(zone, [each.name for each in ship.board.zones])
        written = rng_text(rng)
        others = [_pose(resident) for resident in state.board.lying if resident.cube != cube]
        launch = Launch(cube, 0.0, put_down(ship, zone, others, rng), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        return self._run(state, (cube,), [launch], None, Event("place", written, (cube,), (), place=zone))

    def _run(
        self,
        state: TowerState,
        thrown: tuple[Cube, ...],
        launches: Sequence[Launch],
        shake: Shake | None,
        event: Event,
    ) -> Outcome:
        """Build the world, run it until all cubes are at rest, and return the outcome."""
        lying = tuple(resident for resident in state.board.lying if resident.cube not in thrown)
        left = tuple(resident.cube for resident in lying)
        with self._world.alone():  # one drop at a time in a process
            scene = self._build((*state.residents, *lying), state.touches)
            status = settle(scene, launches, shake, is_checked=event.kind == "hand")
            touches = scene.lie_still() if status.is_landing else ()
            landings = self._look(scene, (*state.cubes, *left, *thrown))
            order = {number: i for i, number in enumerate(scene.bodies)}
        outcome = Outcome(self.name, self.shape.name, status, thrown, landings, state, left, missed=scene.missed)
        if not status.is_landing:
            return outcome
        since = {resident.cube: resident.since for resident in (*state.residents, *lying)}
        rest = [
            Resident(x.cube, x.place, since.get(x.cube, state.drops), x.pose)
            for x in landings
            if x.pose and x.cube.id in order
        ]
        rest.sort(key=lambda each: order[each.cube.id])  # in the engine's order, on which the contacts rely
        inside = [replace(each, region=each.region.removeprefix(landing.INSIDE)) for each in rest if _inside(each)]
        outside = [each for each in rest if not _inside(each)] if self.shape.board else []
        event = replace(event, emerged=tuple(sorted(cube.id for cube in outcome.emerged)))
        return replace(outcome, state=self._door.made(state.after(inside, event, outside, touches)))

    def _build(self, at_rest: Sequence[Resident], touches: Sequence[Touch]) -> Scene:
        """Build the apparatus and lay the cubes `at_rest` at their poses, with the contact forces in `touches`."""
        scene = Scene(self._world, self.shape)
        scene.lay({resident.cube: _pose(resident) for resident in at_rest}, touches)
        return scene

    def _look(self, scene: Scene, cubes: Sequence[Cube]) -> tuple[Landing, ...]:
        """Return the landing of each cube.

        A cube that was cleared away has the place it had then. A cube that never left the hand is lost.
        """
        motion = scene.motion()
        numbers = list(scene.bodies)
        places = landing.find(motion.position, motion.orientation, self.shape)
        rows = {number: (i, place) for i, (number, place) in enumerate(zip(numbers, places, strict=True))}

        def of(cube: Cube) -> Landing:
            if cube.id not in rows:
                return Landing(cube, *scene.out.get(cube.id, (landing.LOST, None)))
            i, place = rows[cube.id]
            pose, on = scene.pose(cube.id, motion, i), tuple(numbers[j] for j in place.on)
            return Landing(cube, place.place, pose, place.touches, on)

        return tuple(of(cube) for cube in cubes)


def _door(shape: Apparatus, settings: PhysicsSettings) -> Door:
    """Return the door of physics: cubes inside have poses, and cubes that came out of a ship lie on its board."""
    regions = [region.name for region in shape.regions]
    zones = [landing.ZONE + zone.name for zone in shape.board.zones] if shape.board else []
    places = [*zones, landing.BORDER, landing.TABLE] if zones else []
    look = partial(check_at_rest, apparatus=shape)
    return Door(
        PhysicsModel.name,
        shape.name,
        digest_of(shape, settings),
        shape.cube_edge,
        frozenset(regions),
        frozenset(places),
        look,
        MAX_CUBES,
        boxes=len(shape.solids),
        advise=partial(_advice, shape),
    )


def _advice(shape: Apparatus, state: TowerState) -> str:
    """Suggest the engine that produced a foreign state, if its digest is known."""
    return advice_by_digest(shape).get(state.digest) or go_on_there(state)


def _pose(resident: Resident) -> Pose:
    assert resident.pose is not None  # the door has seen to that
    return resident.pose


def _inside(resident: Resident) -> bool:
    return resident.region.startswith(landing.INSIDE)
