"""Combat ships without physics, for tests: one that throws dice and one that does what it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from support.fakes import REGION, Fake

from tower_sim.apparatus import Board, Zone
from tower_sim.drops import as_zone, knock_strength
from tower_sim.values import Cube, Event, Landing, Outcome, Resident, Status, TowerState, rng_text

STUCK = f"inside:{REGION}"
_SQUARE = ((0.0, 0.0), (0.1, 0.0), (0.1, 0.1), (0.0, 0.1))

#   bang | coin | cargo | both | choice | damage | one | two      in a row: each is next to those beside it
ZONES = (
    Zone("bang", _SQUARE, {"kind": "explosive"}),
    Zone("coin", _SQUARE, {"kind": "plunder", "coins": 1}),
    Zone("cargo", _SQUARE, {"kind": "plunder", "cargo": 1}),
    Zone("both", _SQUARE, {"kind": "plunder", "coins": 1, "cargo": 1}),
    Zone("choice", _SQUARE, {"kind": "plunder", "choice": 2}),
    Zone("damage", _SQUARE, {"kind": "damage"}),
    Zone("one", _SQUARE, {"kind": "strength", "strength": 1}),
    Zone("two", _SQUARE, {"kind": "strength", "strength": 2}),
)
_ROW = [zone.name for zone in ZONES]
BOARD = Board(
    ZONES,
    {name: tuple(_ROW[j] for j in (i - 1, i + 1) if 0 <= j < len(_ROW)) for i, name in enumerate(_ROW)},
    (0.0, 0.8),
    (0.0, 0.1),
    0.002,
    0.004,
)


def landing(cube: Cube, word: str) -> Landing:
    """Read `one` (that zone), `one+two` (touches both, nearer to one), `on:one` (on a cube there), or a place."""
    if word.startswith("on:"):
        return Landing(cube, f"zone:{word[3:]}", on=(999,))
    first, *_ = touched = tuple(word.split("+"))
    return Landing(cube, f"zone:{first}", touches=touched) if first in _ROW else Landing(cube, word)


@dataclass(frozen=True, kw_only=True)
class _Ship(Fake):
    name: str = "fake"
    ship: str = "fake_ship"
    board: Board = BOARD
    tells_contacts: bool = True

    def __post_init__(self) -> None:
        zones = (f"zone:{zone.name}" for zone in self.board.zones)
        self._open(self.ship, repr(self), [*zones, "border", "table"])

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        cubes = self._door.check_throw(state, cubes)
        return self._outcome(state, Event("drop", rng_text(rng), cubes, ()), rng)

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        self._door.enter(state)
        strength = knock_strength(strength)
        return self._outcome(state, Event("knock", rng_text(rng), (), (), strength), rng)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        (cube,) = self._door.check_throw(state, (cube,))
        zone = as_zone(zone, list(self.board.neighbours))
        return self._outcome(state, Event("place", rng_text(rng), (cube,), (), place=zone), rng)

    def _words(self, state: TowerState, event: Event, rng: np.random.Generator) -> dict[Cube, str]:
        """Say where each cube lands that is thrown, shaken out or pushed."""
        raise NotImplementedError

    def _fails(self, rng: np.random.Generator) -> bool:
        return False

    def _outcome(self, state: TowerState, event: Event, rng: np.random.Generator) -> Outcome:
        if self._fails(rng):
            return Outcome(self.name, self.apparatus, Status.TIMED_OUT, event.thrown, (), state)
        words = self._words(state, event, rng)
        stay = [each for each in state.board.lying if each.cube not in event.thrown]
        found = [Landing(each.cube, each.region) for each in stay if each.cube not in words]
        found += [Landing(cube, STUCK) for cube in state.cubes if cube not in words]
        found += [landing(cube, word) for cube, word in words.items()]
        since = {each.cube: each.since for each in (*state.residents, *stay)}
        inside = [Resident(x.cube, REGION, since.get(x.cube, state.drops)) for x in found if x.inside]
        lying = [Resident(x.cube, x.place, since.get(x.cube, state.drops)) for x in found if not x.inside]
        left = tuple(each.cube for each in stay)
        outcome = Outcome(self.name, self.apparatus, Status.SETTLED, event.thrown, tuple(found), state, left)
        event = replace(event, emerged=tuple(cube.id for cube in outcome.emerged))
        return replace(outcome, state=state.after(inside, event, lying))


@dataclass(frozen=True)
class ScriptedShip(_Ship):
    """The n-th time it is asked (thrown into, knocked, a cube placed) cubes land as `script[n]` says, by number.

    Those it does not name stay where they were; a cube placed lands where it was put.
    """

    script: tuple[Mapping[int, str], ...] = ()
    name: str = field(default="scripted", kw_only=True)

    def _words(self, state: TowerState, event: Event, rng: np.random.Generator) -> dict[Cube, str]:
        told = self.script[sum(each.kind != "take" for each in state.log)]
        there = {cube.id: cube for cube in (*state.board.cubes, *state.cubes, *event.thrown)}
        words = {there[number]: word for number, word in told.items()}
        if event.kind == "place":
            words.setdefault(event.thrown[0], event.place)
        assert set(event.thrown) <= set(words), f"the script is silent on {set(event.thrown) - set(words)}"
        return words


@dataclass(frozen=True)
class DiceShip(_Ship):
    """Every cube lands by itself, in a place drawn with `chances`; so does each cube inside when it is knocked.

    A cube on the board is hit with chance `pushed` and lands anew. A draw fails (times out) with `failure_rate`.
    """

    chances: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(_ROW, 1 / len(_ROW)))
    pushed: float = 0.0
    failure_rate: float = 0.0
    name: str = field(default="dice", kw_only=True)

    def _fails(self, rng: np.random.Generator) -> bool:
        return self.failure_rate > 0 and bool(rng.random() < self.failure_rate)

    def _words(self, state: TowerState, event: Event, rng: np.random.Generator) -> dict[Cube, str]:
        if event.kind == "place":
            return {event.thrown[0]: event.place}
        words, weights = list(self.chances), list(self.chances.values())
        landing_now = [*event.thrown, *(state.cubes if event.kind == "knock" else ())]
        for cube in state.board.cubes if self.pushed else ():
            if cube not in event.thrown and rng.random() < self.pushed:
                landing_now.append(cube)
        where = rng.choice(len(words), size=len(landing_now), p=weights)
        return {cube: words[i] for cube, i in zip(landing_now, where, strict=True)}
