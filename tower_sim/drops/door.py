"""Checks of a caller's states, cubes and strengths, shared by all models.

A state that a model has made itself is marked and not checked again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar, cast

import numpy as np

from tower_sim.errors import UsageError, check_kind, check_number, check_whole, fault, near, prints, quote
from tower_sim.values import (
    LAUNCH,
    MOST_THERE,
    BoardState,
    Cube,
    Event,
    Pose,
    Resident,
    Touch,
    TowerState,
    check_colour,
)

T = TypeVar("T")
HARDEST = 5  # g: the hardest knock on a table that a model takes
MAX_ID = 2**53 - 1  # what every reader of JSON can hold
_HONEST = "allowed is a state that the model has made; take one from an outcome or from empty()"
_FAR = 10.0  # m: further than any apparatus reaches
_UNIT = 1e-6  # how far from 1 the square of a unit quaternion may be; the engine's are within 1e-15
_STRONGEST = 10**15  # nN: a million newtons; cubes in a tower press with less than one
_POINTS = 8  # of contact between two boxes at most: two rectangles cut in no more corners
_ADVICE = "make it with Cube(id, colour, edge) or supply(...)"


def go_on_there(state: TowerState) -> str:
    """Return the advice for a state of another model: continue there."""
    return "go on with the model that made it"


@dataclass(frozen=True, slots=True)
class Door:
    """The arguments that a model accepts: states of `model` and `digest`, at most `most` cubes of `edge` (m).

    Cubes inside are in one of `regions`, cubes on a board at one of `places`. A model with poses checks them with
    `look`; without, cubes have neither poses nor contacts. `advise` returns the advice for a state of another digest.
    The checks find accidents (a damaged state, that of another tower), not forgeries: a log may say what it likes.
    """

    model: str
    apparatus: str
    digest: str
    edge: float
    regions: frozenset[str]
    places: frozenset[str] = frozenset()
    look: Callable[[TowerState], None] | None = None
    most: int = MOST_THERE
    advise: Callable[[TowerState], str] = go_on_there

    def check_throw(self, state: TowerState, cubes: Sequence[Cube]) -> tuple[Cube, ...]:
        """Check that `cubes` can be thrown into `state`, also off its board, and return plain cubes."""
        self.enter(state)
        thrown = tuple(map(self._plain, as_cubes(cubes)))
        numbers = {resident.cube.id for resident in state.residents}
        if state.board.lying:
            again = set(thrown)
            numbers.update(resident.cube.id for resident in state.board.lying if resident.cube not in again)
        present = len(numbers)
        numbers.update([cube.id for cube in thrown])
        if len(numbers) < present + len(thrown):
            _refuse_twice(state, thrown)
        if len(numbers) > self.most:
            raise fault("number of cubes", len(numbers), f"up to {self.most} at a time", "throw fewer")
        return thrown

    def enter(self, state: TowerState) -> None:
        """Check that this model can have made `state`."""
        as_state(state)
        if (state.model, state.digest) != (self.model, self.digest):
            raise foreign(state, self.model, self.apparatus, self.digest, self.advise(state))
        if not state.sound:
            self._look_through(state)
            _mark(state)

    def made(self, state: TowerState) -> TowerState:
        """Mark a new state of the model, so that it is not checked again."""
        _mark(state)
        return state

    def _plain(self, cube: Cube) -> Cube:
        if _is_plain(cube) and cube.edge == self.edge and 0 <= cube.id <= MAX_ID and prints(cube.colour):
            return cube
        check_kind("cube", cube, Cube, "a Cube", _ADVICE)
        number, colour, edge = cast("tuple[object, object, object]", (cube.id, cube.colour, cube.edge))
        number = check_whole("number (id) of a cube", number, 0, MAX_ID, _ADVICE)
        check_colour(f"colour of cube {number}", colour)
        if not isinstance(edge, float) or not math.isclose(edge, self.edge, rel_tol=1e-9):
            size = f"{edge * 1e3:.10g} mm" if isinstance(edge, float) else quote(edge)
            raise UsageError(
                f"cube {number} has edge {size}; allowed is this apparatus's {self.edge * 1e3:.10g} mm, in metres; "
                "change the cube or [cubes] edge_mm of the profile"
            )
        return Cube(number, cast("str", colour), float(edge))

    def _look_through(self, state: TowerState) -> None:
        check_shape(state)
        lying = (*state.residents, *state.board.lying)
        if len(lying) > self.most:
            raise fault("number of cubes in the state", len(lying), f"up to {self.most}", _HONEST)
        if state.board.lying and not self.places:
            raise _impossible(f"cubes on a board, which {self.apparatus!r} has not")
        for resident in lying:
            self._plain(resident.cube)
        for allowed, where in ((self.regions, state.residents), (self.places, state.board.lying)):
            for resident in where:
                if resident.region not in allowed:
                    text = f"one of {', '.join(sorted(allowed))}"
                    raise fault(f"region of cube {resident.cube.id} in the state", resident.region, text, _HONEST)
        if len({resident.cube.id for resident in lying}) < len(lying):
            raise _impossible("a cube twice")
        drops, inside = state.drops, len(state.residents)
        for i, resident in enumerate(lying):
            if not 0 <= resident.since < drops + (i >= inside):  # one may be put on a board after the last drop
                number, since = resident.cube.id, quote(resident.since)
                raise _impossible(f"cube {number} since drop {since}, of {drops} in its past, counted from 0")
            if (resident.pose is None) != (self.look is None):
                text = "a pose" if self.look is None else "no pose"
                raise _impossible(f"{text} for cube {resident.cube.id}, unlike those of {self.model}")
        if state.touches and self.look is None:
            raise _impossible(f"touches, unlike those of {self.model}")
        if self.look is not None and lying:
            self.look(state)


def as_state(state: object) -> TowerState:
    """Check that `state` is a state and return it."""
    return check_kind("state", state, TowerState, "a TowerState", "read a token with TowerState.from_token")


def as_cubes(cubes: Sequence[Cube]) -> Sequence[Cube]:
    """Check that `cubes` is a sequence and return it; a generator can be read only once."""
    if type(cubes) is tuple or type(cubes) is list:
        return cast("Sequence[Cube]", cubes)
    advice = "write tuple(cubes) for a generator or a set"
    if isinstance(cubes, (str, bytes, bytearray)):
        raise fault("cubes", cubes, "a list or tuple of Cube", advice)
    return cast("Sequence[Cube]", check_kind("cubes", cubes, Sequence, "a list or tuple of Cube", advice))


def as_model(model: T) -> T:
    """Check that `model` has the methods of a model and return it."""
    if isinstance(model, type) or not (hasattr(model, "drop") and hasattr(model, "empty")):
        raise fault("model", model, "a model", 'open one with tower_sim.open_model(NAME, "surrogate")')
    return model


def as_seed(seed: object) -> np.random.SeedSequence:
    """Check that `seed` is a SeedSequence and return it."""
    kind = np.random.SeedSequence
    return check_kind("seed", seed, kind, "a numpy SeedSequence", "write numpy.random.SeedSequence(7)")


def knock_strength(strength: object) -> float:
    """Check that the strength (g) of a knock is from 0 to HARDEST and return it."""
    advice = "try 0.5 for a light and 2 for a hard knock"
    return check_number("knock strength", strength, 0, HARDEST, advice, " (peak acceleration in g)")


def no_knocks(strength: object, why: str, advice: str = "") -> NoReturn:
    """Raise the error for a knock on a model without knocks."""
    raise fault("knock strength", strength, f"none: {why}", f"take the model physics{advice}")


def as_zone(zone: object, names: Sequence[str]) -> str:
    """Check that `zone` is a zone of the board and return it."""
    if not isinstance(zone, str) or zone not in names:
        hint = near(zone, names) if isinstance(zone, str) else ""
        raise UsageError(f"zone {quote(zone)} is unknown; allowed are {', '.join(names)}; check its spelling{hint}")
    return zone


def foreign(state: TowerState, model: str, apparatus: str, digest: str, advice: str = "") -> UsageError:
    """Return the error for a state of another model, apparatus or settings."""
    return UsageError(
        f"state belongs to {_word(state.model)} of apparatus {quote(state.apparatus)} ({_word(state.digest)}); "
        f"allowed is a state of {model} of {quote(apparatus)} ({_word(digest)}); {advice or go_on_there(state)}"
    )


_FIELDS: Mapping[type, Mapping[str, type | tuple[type, ...]]] = {
    TowerState: {"residents": tuple, "log": tuple, "board": BoardState, "touches": tuple, "apparatus": str},
    BoardState: {"lying": tuple},
    Resident: {"cube": Cube, "region": str, "since": int, "pose": (Pose, type(None))},
    Event: {
        "kind": str,
        "rng": str,
        "thrown": tuple,
        "emerged": tuple,
        "strength": (float, int),
        "place": str,
        "launches": tuple,
    },
    Cube: {"id": int, "colour": str, "edge": float},
    Pose: {"position": tuple, "orientation": tuple},
    Touch: {"cube": int, "other": int, "forces": tuple},
}


def check_shape(state: TowerState) -> None:
    """Check the declared types of all parts of a state, and that its numbers are finite."""
    _check_parts(state, TowerState, "state")
    _check_parts(state.board, BoardState, "board of the state")
    for resident in (*state.residents, *state.board.lying):
        _check_parts(resident, Resident, "a cube of the state")
        _check_parts(resident.cube, Cube, "a cube of the state")
        if resident.pose is not None:
            _check_pose(resident.pose)
    for event in state.log:
        _check_parts(event, Event, "an event in the log")
        if not math.isfinite(event.strength):
            raise fault("strength of an event in the log", event.strength, "a finite number", _HONEST)
        for cube in event.thrown:
            if not _is_plain(cube):
                _check_parts(cube, Cube, "a cube in the log")
        for number in event.emerged:
            _check_kind(number, int, "number of a cube in the log")
        for row in event.launches:
            _check_kind(row, tuple, "a launch in the log")
            if len(row) != LAUNCH or not all(isinstance(x, float) and math.isfinite(x) for x in row):
                raise fault("a launch in the log", row, f"{LAUNCH} numbers", _HONEST)
    for touch in state.touches:
        _check_parts(touch, Touch, "a touch of the state")
        _check_forces(touch)


def _is_plain(cube: Cube) -> bool:
    return type(cube) is Cube and type(cube.id) is int and type(cube.colour) is str and type(cube.edge) is float


def _check_pose(pose: Pose) -> None:
    _check_parts(pose, Pose, "pose of a cube in the state")
    numbers = (*pose.position, *pose.orientation)
    if (len(pose.position), len(numbers)) != (3, 7) or not all(isinstance(x, float) for x in numbers):
        raise fault("pose of a cube in the state", numbers, "7 numbers (x, y, z; x, y, z, w)", _HONEST)
    if not all(abs(x) < _FAR for x in pose.position):  # True for nan
        raise fault("position of a cube in the state", pose.position, f"within {_FAR:g} m", _HONEST)
    if not abs(math.fsum(q * q for q in pose.orientation) - 1) < _UNIT:
        raise fault("orientation of a cube in the state", pose.orientation, "a unit quaternion", _HONEST)


def _check_forces(touch: Touch) -> None:
    points, rest = divmod(len(touch.forces), 3)
    if rest or not 1 <= points <= _POINTS:
        allowed = f"3 for each of 1 to {_POINTS} points"
        raise fault("number of forces of a touch of the state", len(touch.forces), allowed, _HONEST)
    for force in touch.forces:
        _check_kind(force, int, "force of a touch of the state")
        if abs(force) > _STRONGEST:
            raise fault("force of a touch of the state", force, "within 10^15 nN", _HONEST)


def _check_parts(value: object, kind: type, what: str) -> None:
    _check_kind(value, kind, what)
    for name, allowed in _FIELDS[kind].items():
        _check_kind(getattr(value, name), allowed, f"{name} of {what}")


def _check_kind(value: object, kind: type | tuple[type, ...], what: str) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        names = " or ".join(part.__name__ for part in (kind if isinstance(kind, tuple) else (kind,)))
        raise fault(what, value, f"a {names}", _HONEST)


def _word(value: object) -> str:
    return value if isinstance(value, str) and value.replace("_", "").isalnum() and len(value) < 40 else quote(value)


def _impossible(what: str) -> UsageError:
    return UsageError(f"state has {what}; {_HONEST}")


def _refuse_twice(state: TowerState, thrown: Sequence[Cube]) -> NoReturn:
    here = {resident.cube.id for resident in state.residents}
    here |= {resident.cube.id for resident in state.board.lying if resident.cube not in thrown}
    for cube in thrown:
        if cube.id in here:
            raise UsageError(
                f"cube {cube.id} is there already or thrown twice; allowed is each number once; leave it out"
            )
        here.add(cube.id)
    raise AssertionError("no cube is there twice")


def _mark(state: TowerState) -> None:
    object.__setattr__(state, "sound", True)
