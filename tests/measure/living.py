"""A tower that lives on: its world is never rebuilt between drops. The arbiter of what re-creating a state costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tower_sim import landing
from tower_sim.cubes import Cube
from tower_sim.games.amerigo import Rules
from tower_sim.physics.knock import HOLD, Shake
from tower_sim.physics.release import release
from tower_sim.physics.scene import Scene
from tower_sim.physics.settle import settle
from tower_sim.physics.world import World
from tower_sim.simulator import PhysicsModel
from tower_sim.state import BoardState, Event, Resident, TowerState


class LivingTower:
    """The apparatus and settings of a PhysicsModel in one world that goes on from drop to drop.

    Use it as a context manager: it holds an engine client of its own.
    """

    def __init__(self, model: PhysicsModel) -> None:
        self.model = model
        self._scene = Scene(World(model.settings), model.shape)
        self.cubes: dict[int, Cube] = {}

    def __enter__(self) -> LivingTower:
        return self

    def __exit__(self, *_: object) -> None:
        self._scene.world.close()

    def state(self) -> TowerState:
        """Return the state of this moment, as the model would re-create it."""
        shape, motion = self.model.shape, self._scene.motion()
        places = [each.place for each in landing.find(motion.position, motion.orientation, shape)]
        at_rest = [
            Resident(self.cubes[number], place.removeprefix(landing.INSIDE), 0, motion.pose(i))
            for i, (number, place) in enumerate(zip(self._scene.bodies, places, strict=True))
        ]
        empty = self.model.empty()
        inside = [resident for resident, place in zip(at_rest, places, strict=True) if place.startswith(landing.INSIDE)]
        outside = [resident for resident in at_rest if resident not in inside]
        past = Event("drop", "", tuple(each.cube for each in at_rest), ())  # all that a state needs to know of it
        return replace(empty, residents=tuple(inside), log=(past,), board=BoardState(tuple(outside)))

    def drop(self, cubes: Sequence[Cube], rng: np.random.Generator) -> tuple[Cube, ...] | None:
        """Throw; returns the cubes that came out, or None when the draw is no landing (the tower is then spoilt)."""
        shape = self.model.shape
        self.cubes |= {cube.id: cube for cube in cubes}
        self._scene.swept.clear()
        launches = release(cubes, shape.hand, shape.rim_top, shape.cube_edge, rng)
        if not settle(self._scene, launches).is_landing:
            return None
        return tuple(self.cubes.pop(number) for number in self._scene.swept)

    def wake(self) -> int | None:
        """Wake all residents in place by the weakest knock; returns how many come out, None when it is no landing."""
        self._scene.swept.clear()
        if not settle(self._scene, [], Shake(HOLD, 1.0, 0.0)).is_landing:
            return None
        for number in self._scene.swept:
            del self.cubes[number]
        return len(self._scene.swept)


@dataclass(frozen=True, slots=True)
class Fork:
    """One throw made twice from the same moment of a game: in the world that lives on, and in a re-created one."""

    drop: int
    thrown: int
    residents: int
    living_out: int
    recreated_out: int


@dataclass(frozen=True, slots=True)
class LivingGame:
    """An Amerigo game played in a living tower: its forks, and how many were inside after each drop."""

    forks: tuple[Fork, ...]
    inside: tuple[int, ...]


def play_living(model: PhysicsModel, seed: int) -> LivingGame:
    """Play the throws of a published Amerigo game in a living tower, and each throw also from the re-created state.

    Both get equal generators, so that the hand does the same. The game ends early at a draw that is no landing.
    """
    rules = Rules()
    storage = set(rules.supply(model.cube_edge))
    forks: list[Fork] = []
    inside: list[int] = []
    with LivingTower(model) as tower:
        for i in range(rules.drops):
            colour = rules.phases[(i - 1) % len(rules.phases)]
            hand = sorted(cube for cube in storage if i == 0 or cube.colour == colour)
            if hand:
                stream = np.random.SeedSequence(seed, spawn_key=(i,))
                again = model.drop(tower.state(), hand, np.random.default_rng(stream))
                residents = len(tower.cubes)
                out = tower.drop(hand, np.random.default_rng(stream))
                if out is None:
                    break
                if again.status.is_landing:
                    forks.append(Fork(i, len(hand), residents, len(out), len(again.emerged)))
                storage = (storage - set(hand)) | set(out)
            inside.append(len(tower.cubes))
    return LivingGame(tuple(forks), tuple(inside))
