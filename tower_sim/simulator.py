"""PhysicsModel: the pipeline from a hand over the tower to an outcome, as rigid-body physics. READ FIRST.

apparatus -> world -> release -> settle -> landing -> outcome
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

import numpy as np

from tower_sim import landing
from tower_sim.apparatus.board import Board, CombatShip, as_ship
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.outcome import Landing, Outcome
from tower_sim.physics.knock import MAX_STRENGTH, Shake
from tower_sim.physics.placing import put_down
from tower_sim.physics.release import Launch, release
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.physics.settle import settle
from tower_sim.physics.world import World
from tower_sim.state import Event, Pose, Resident, TowerState, rng_text


class PhysicsModel:
    """A DropModel that drops rigid cubes through an apparatus with PyBullet.

    Every drop builds the world anew in a cleared client, so that it depends on its arguments only; cubes inside start
    asleep where the state has them and wake when something hits them (docs/physics.md: what that does). Cubes on a
    board do too if they lie flat; those that lean or lie on others start awake, since what held them may be gone.
    Holds one engine client: close it, or use the model as a context manager.
    """

    name = "physics"
    tells_contacts = True

    def __init__(self, apparatus: Apparatus, settings: PhysicsSettings | None = None) -> None:
        self.shape = apparatus
        self.settings = settings or PhysicsSettings()
        self._world = World(self.settings)
        both = f"{apparatus.digest} {self.settings.digest()}"
        self._digest = hashlib.sha256(both.encode()).hexdigest()[:16]

    def __enter__(self) -> PhysicsModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the engine client back."""
        self._world.close()

    @property
    def apparatus(self) -> str:
        """The apparatus's name."""
        return self.shape.name

    @property
    def cube_edge(self) -> float:
        """The edge (m) of the cubes this apparatus is made for."""
        return self.shape.cube_edge

    @property
    def board(self) -> Board:
        """The board; raises UsageError when the apparatus has none."""
        return as_ship(self.shape).board

    @property
    def effort(self) -> tuple[int, float]:
        """Engine steps taken and seconds simulated so far; nothing depends on it."""
        return self._world.steps, self._world.seconds

    def empty(self) -> TowerState:
        """Return the state with no cube inside."""
        return TowerState(self.name, self.shape.name, self._digest)

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw `cubes` in; see DropModel. Random: what `release` draws; all else follows from the arguments."""
        self._check(state, cubes)
        written = rng_text(rng)
        launches = release(cubes, self.shape.hand, self.shape.rim_top, self.shape.cube_edge, rng)
        return self._run(state, tuple(cubes), launches, None, Event("drop", written, tuple(cubes), ()))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Knock on the table, `strength` in g; see DropModel. Random: the direction."""
        self._check(state, ())
        if not (math.isfinite(strength) and 0 <= strength <= MAX_STRENGTH):
            raise UsageError(
                f"knock strength = {strength:g}; allowed is 0 to {MAX_STRENGTH:g} (peak acceleration in g); "
                "try 0.5 for a light and 2 for a hard knock"
            )
        written = rng_text(rng)
        shake = Shake.draw(strength, rng)
        outcome = self._run(state, (), [], shake, Event("knock", written, (), (), strength))
        return replace(outcome, knocked_out=outcome.emerged)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """Put a cube into a zone; see BoardModel. Random: where in the zone, and the turn about the vertical."""
        ship = as_ship(self.shape)
        self._check(state, (cube,))
        if zone not in (names := [each.name for each in ship.board.zones]):
            raise UsageError(f"zone {zone!r} is unknown; allowed are {', '.join(names)}; check its spelling")
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
        """Build the world, let it run until all is still, look where the cubes are."""
        lying = tuple(resident for resident in state.board.lying if resident.cube not in thrown)
        left = tuple(resident.cube for resident in lying)
        scene = self._build((*state.residents, *lying))
        status = settle(scene, launches, shake)
        landings = self._look(scene, (*state.cubes, *left, *thrown))
        outcome = Outcome(self.name, self.shape.name, status, thrown, landings, state, left)
        if not status.is_landing:
            return outcome
        since = {resident.cube: resident.since for resident in (*state.residents, *lying)}
        rest = [Resident(x.cube, x.place, since.get(x.cube, state.drops), x.pose) for x in landings if x.pose]
        inside = [replace(each, region=each.region.removeprefix(landing.INSIDE)) for each in rest if _inside(each)]
        outside = [each for each in rest if not _inside(each)] if isinstance(self.shape, CombatShip) else []
        event = replace(event, emerged=tuple(sorted(cube.id for cube in outcome.emerged)))
        return replace(outcome, state=state.after(inside, event, outside))

    def _build(self, at_rest: Sequence[Resident]) -> Scene:
        """Build the apparatus and lay the cubes `at_rest` where the state has them."""
        scene = Scene(self._world, self.shape)
        scene.lay({resident.cube: _pose(resident) for resident in at_rest})
        return scene

    def _look(self, scene: Scene, cubes: Sequence[Cube]) -> tuple[Landing, ...]:
        """Say where each cube is; one that was swept away lies in the tray, one that never left the hand is lost."""
        motion = scene.motion()
        numbers = list(scene.bodies)
        places = landing.find(motion.position, motion.orientation, self.shape)
        found = {
            number: (place.place, scene.pose(number, motion, i), place.touches, tuple(numbers[j] for j in place.on))
            for i, (number, place) in enumerate(zip(numbers, places, strict=True))
        }
        elsewhere = dict.fromkeys(scene.swept, landing.TRAY)
        return tuple(
            Landing(cube, *found[cube.id]) if cube.id in found else Landing(cube, elsewhere.get(cube.id, landing.LOST))
            for cube in cubes
        )

    def _check(self, state: TowerState, cubes: Sequence[Cube]) -> None:
        """Refuse a foreign state, a cube twice and a cube of another size."""
        if (state.model, state.digest) != (self.name, self._digest):
            raise UsageError(
                f"state belongs to {state.model} of apparatus {state.apparatus!r} ({state.digest}); allowed is a state "
                f"of {self.name} of {self.shape.name!r} ({self._digest}); use that apparatus and version"
            )
        present = {cube.id for cube in (*state.cubes, *(set(state.board.cubes) - set(cubes)))}
        for cube in cubes:
            if cube.id in present:
                raise UsageError(f"cube {cube.id} is there already or thrown twice; allowed is each number once")
            present.add(cube.id)
            if not math.isclose(cube.edge, self.shape.cube_edge, rel_tol=1e-9):
                raise UsageError(
                    f"cube {cube.id} has edge {cube.edge * 1e3:g} mm; allowed is this apparatus's "
                    f"{self.shape.cube_edge * 1e3:g} mm; change the cube or [cubes] edge_mm of the profile"
                )


def _pose(resident: Resident) -> Pose:
    if resident.pose is None:
        raise UsageError(f"cube {resident.cube.id} in the state has no pose; give a state that physics has made")
    return resident.pose


def _inside(resident: Resident) -> bool:
    return resident.region.startswith(landing.INSIDE)
