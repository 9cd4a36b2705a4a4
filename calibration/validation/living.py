"""A tower that lives on: its world is never rebuilt between drops. The arbiter of what re-creating a state costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tests.support.bench import Shake, World
from tower_sim.drops import until_landed
from tower_sim.games.amerigo import Rules
from tower_sim.physics.core.drop import HOLD
from tower_sim.simulator import PhysicsModel
from tower_sim.values import INSIDE, BoardState, Cube, Event, Outcome, Pose, Resident, Touch, TowerState

Moment: TypeAlias = tuple[frozenset[tuple[int, str, Pose | None]], tuple[Touch, ...]]
"""What the next drop depends on: number, place and pose of each cube, and what the engine remembers of contacts."""


class LivingTower(AbstractContextManager["LivingTower"]):
    """The apparatus and settings of a PhysicsModel in one world that goes on from drop to drop.

    Use it as a context manager: it holds an engine client of its own.
    """

    def __init__(self, model: PhysicsModel) -> None:
        self.model = model
        self._world = World(model.settings)
        self._scene = self._world.scene(model.shape)
        self._touches: tuple[Touch, ...] = ()
        self.cubes: dict[int, Cube] = {}

    def __exit__(self, *_: object) -> None:
        self._world.close()

    def state(self) -> TowerState:
        scene = self._scene
        read = scene.read()
        places = [read[cube].place for cube in scene.there]
        at_rest = [
            Resident(cube, place.removeprefix(INSIDE), 0, read[cube].pose)
            for cube, place in zip(scene.there, places, strict=True)
        ]
        empty = self.model.empty()
        inside = [resident for resident, place in zip(at_rest, places, strict=True) if place.startswith(INSIDE)]
        outside = [resident for resident in at_rest if resident not in inside]
        past = Event("drop", "", tuple(each.cube for each in at_rest), ())  # all that a state needs to know of it
        board = BoardState(tuple(outside))
        return replace(empty, residents=tuple(inside), log=(past,), board=board, touches=self._touches)

    def drop(self, cubes: Sequence[Cube], rng: np.random.Generator) -> tuple[Cube, ...] | None:
        """Throw; returns the cubes that came out, or None when the draw is no landing (the tower is then spoilt)."""
        self.take(cube for cube in cubes if cube.id in self.cubes)
        self.cubes |= {cube.id: cube for cube in cubes}
        self._scene.throw(cubes, rng)
        return self._settle()

    def knock(self, strength: float, rng: np.random.Generator) -> tuple[Cube, ...] | None:
        return self._settle(Shake.draw(strength, rng))

    def take(self, cubes: Iterable[Cube]) -> None:
        for cube in cubes:
            self._scene.take(cube)
            del self.cubes[cube.id]

    def wake(self) -> int | None:
        """Wake all residents in place by the weakest knock; returns how many come out, None when it is no landing."""
        out = self._settle(Shake(HOLD, 1.0, 0.0))
        return None if out is None else len(out)

    def _settle(self, shake: Shake | None = None) -> tuple[Cube, ...] | None:
        if not self._scene.settle(shake.row if shake else None).is_landing:
            return None
        self._touches = self._scene.lie_still()
        read = self._scene.read()
        for cube in self._scene.there:  # of a jam: those that lie outside are taken out as it ends
            if not (self.model.shape.board or read[cube].place.startswith(INSIDE)):
                self._scene.take(cube)
        there = set(self._scene.there)
        out = [cube for cube in self.cubes.values() if cube not in there]
        return tuple(self.cubes.pop(cube.id) for cube in out)


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
    forks: tuple[Fork, ...]
    inside: tuple[int, ...]


def play_living(model: PhysicsModel, seed: int) -> LivingGame:
    """Play the throws of a published Amerigo game in a living tower, and each throw also from the re-created state.

    Both get equal generators, so that the hand does the same. The game ends early at a draw that is no landing.
    """
    forks: list[Fork] = []
    inside: list[int] = []
    with LivingTower(model) as tower:
        for i, hand in _hands(model, lambda: tower.cubes.values()):
            if hand:
                stream = np.random.SeedSequence(seed, spawn_key=(i,))
                again = model.drop(tower.state(), hand, np.random.default_rng(stream))
                residents = len(tower.cubes)
                out = tower.drop(hand, np.random.default_rng(stream))
                if out is None:
                    break
                if again.status.is_landing:
                    forks.append(Fork(i, len(hand), residents, len(out), len(again.emerged)))
            inside.append(len(tower.cubes))
    return LivingGame(tuple(forks), tuple(inside))


def _hands(
    model: PhysicsModel, inside: Callable[[], Iterable[Cube]], drops: int | None = None
) -> Iterator[tuple[int, list[Cube]]]:
    """Yield the number of each drop of a published Amerigo game, and its cubes: those that are not `inside`."""
    rules = Rules()
    for i in range(rules.drops if drops is None else drops):
        colour = rules.phases[(i - 1) % len(rules.phases)]
        storage = set(rules.supply(model.cube_edge)) - set(inside())
        yield i, sorted(cube for cube in storage if i == 0 or cube.colour == colour)


class Twins(AbstractContextManager["Twins"]):
    """One tower twice: in a world that lives on, and as a state that every drop is made again from, through its token.

    Both get equal generators. Use it as a context manager.
    """

    def __init__(self, model: PhysicsModel) -> None:
        self.model = model
        self.living = LivingTower(model)
        self.state = model.empty()

    def __exit__(self, *_: object) -> None:
        self.living.__exit__()

    @property
    def are_same(self) -> bool:
        """Tell whether both are the same to the last digit: where cubes are and how it presses on what it touches."""
        return moment(self.living.state()) == moment(self.state)

    def drop(self, cubes: Sequence[Cube], *seed: int) -> Outcome:
        """Throw cubes into both, in the first draw that is a landing: others spoil a tower that lives on."""
        return self._both(
            seed,
            lambda rng: self.model.drop(self._saved(), cubes, rng),
            lambda rng: self.living.drop(cubes, rng),
        )

    def knock(self, strength: float, *seed: int) -> Outcome:
        return self._both(
            seed,
            lambda rng: self.model.knock(self._saved(), strength, rng),
            lambda rng: self.living.knock(strength, rng),
        )

    def _both(
        self,
        seed: Sequence[int],
        saved: Callable[[np.random.Generator], Outcome],
        living: Callable[[np.random.Generator], object],
    ) -> Outcome:
        outcome = until_landed(saved, np.random.SeedSequence(seed))
        living(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(len(outcome.failures),))))
        self.state = outcome.state
        return outcome

    def take(self, cubes: Sequence[Cube]) -> None:
        self.state = self._saved().take(cubes)
        self.living.take(cubes)

    def _saved(self) -> TowerState:
        return TowerState.from_token(self.state.token())


def moment(state: TowerState) -> Moment:
    lying = (*state.residents, *state.board.lying)
    return frozenset((each.cube.id, each.region, each.pose) for each in lying), state.touches


@dataclass(frozen=True, slots=True)
class Kept:
    """A drop of a game that was played by twins: how many were inside before it, whether they are the same after it."""

    drop: int
    residents: int
    is_same: bool


def play_twins(model: PhysicsModel, seed: int, drops: int | None = None) -> Iterator[Kept]:
    """Play the throws of a published Amerigo game, or its first `drops`, by twins."""
    with Twins(model) as twins:
        for i, hand in _hands(model, lambda: twins.state.cubes, drops):
            if hand:
                residents = len(twins.state.cubes)
                twins.drop(hand, seed, i)
                yield Kept(i, residents, twins.are_same)
