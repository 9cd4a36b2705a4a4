"""Towers without physics, for tests: one that tosses coins and one that does what it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.drops import BaseModel, Door, knock_strength
from tower_sim.values import Cube, Event, Landing, Outcome, Resident, Status, TowerState, rng_text

REGION = "tower"
EDGE = 0.008


class Fake(BaseModel):
    """A model with a tower of its own: cubes inside are in REGION, those on a board at one of `places`."""

    def _open(self, apparatus: str, digest: str, places: Iterable[str] = ()) -> None:
        door = Door(self.name, apparatus, digest, EDGE, frozenset([REGION]), frozenset(places), most=20_000)
        object.__setattr__(self, "_door", door)  # of a frozen dataclass


@dataclass(frozen=True)
class CoinTower(Fake):
    """Every cube comes out independently: one just thrown with `p_out`, one already inside with `p_resident`.

    A knock releases each resident with probability min(1, strength). Either fails (times out) with `failure_rate`.
    """

    p_out: float = 2 / 3
    p_resident: float = 1 / 3
    failure_rate: float = 0.0
    name: str = "coin"

    def __post_init__(self) -> None:
        self._open("coin", f"{self.p_out}/{self.p_resident}/{self.failure_rate}")

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        cubes = self._door.check_throw(state, cubes)
        begun = rng_text(rng)
        if rng.random() < self.failure_rate:
            return _failed(state, cubes)
        chances = [self.p_out] * len(cubes) + [self.p_resident] * len(state.residents)
        tossed = rng.random(len(chances)) < chances
        out = [c for c, is_out in zip((*cubes, *state.cubes), tossed, strict=True) if is_out]
        return _outcome(state, "drop", begun, cubes, out)

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        self._door.enter(state)
        strength = knock_strength(strength)
        begun = rng_text(rng)
        if rng.random() < self.failure_rate:
            return _failed(state, ())
        tossed = rng.random(len(state.residents)) < min(1.0, strength)
        out = [c for c, is_out in zip(state.cubes, tossed, strict=True) if is_out]
        return _outcome(state, "knock", begun, (), out, strength)


@dataclass(frozen=True)
class ScriptedTower(Fake):
    """The n-th drop brings out `drops[n]`, the n-th knock `knocks[n]`: so many cubes of each colour, lowest first."""

    drops: tuple[Mapping[str, int], ...] = ()
    knocks: tuple[Mapping[str, int], ...] = ()
    name: str = "scripted"

    def __post_init__(self) -> None:
        self._open("script", "script")

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        cubes = self._door.check_throw(state, cubes)
        out = _pick((*cubes, *state.cubes), self.drops[state.drops])
        return _outcome(state, "drop", rng_text(rng), cubes, out)

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        self._door.enter(state)
        strength = knock_strength(strength)
        out = _pick(state.cubes, self.knocks[len(state.log) - state.drops])
        return _outcome(state, "knock", rng_text(rng), (), out, strength)


def _pick(cubes: Iterable[Cube], counts: Mapping[str, int]) -> list[Cube]:
    by_number = sorted(cubes)
    picked: list[Cube] = []
    for colour, count in counts.items():
        of_colour = [cube for cube in by_number if cube.colour == colour]
        assert len(of_colour) >= count, f"the script wants {count} {colour} of {len(of_colour)}"
        picked += of_colour[:count]
    return picked


def _outcome(
    state: TowerState, kind: str, begun: str, thrown: Sequence[Cube], out: Sequence[Cube], strength: float = 0.0
) -> Outcome:
    outside = set(out)
    inside = [r for r in state.residents if r.cube not in outside]
    inside += [Resident(cube, REGION, state.drops) for cube in thrown if cube not in outside]
    landings = [Landing(cube, "tray") for cube in out] + [Landing(r.cube, f"inside:{r.region}") for r in inside]
    event = Event(kind, begun, tuple(thrown), tuple(sorted(cube.id for cube in out)), strength)
    after = state.after(inside, event)
    return Outcome(state.model, state.apparatus, Status.SETTLED, tuple(thrown), tuple(landings), after)


def _failed(state: TowerState, thrown: Sequence[Cube]) -> Outcome:
    landings = [Landing(cube, "lost") for cube in thrown]
    landings += [Landing(r.cube, f"inside:{r.region}") for r in state.residents]
    return Outcome(state.model, state.apparatus, Status.TIMED_OUT, tuple(thrown), tuple(landings), state)


def brought_out(
    state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator, numbers: Collection[int]
) -> Outcome:
    """The drop that brings out the cubes of these numbers."""
    out = [cube for cube in (*cubes, *state.cubes) if cube.id in numbers]
    return _outcome(state, "drop", rng_text(rng), cubes, out)
