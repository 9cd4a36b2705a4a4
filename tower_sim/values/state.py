"""TowerState, the state of a tower: its cubes, their poses, its history, and its text token."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from tower_sim.errors import UsageError, as_whole, check_kind, fault, quote
from tower_sim.tools import MAX_DIGITS, MOST_BYTES, pack, unpack
from tower_sim.values.cubes import MAX_CUBES, Cube, check_colour, count_by_colour, each_cube

MAX_SEED = 2**128 - 1
SHORT = 12  # digits of a seed that people type again
MOST_THERE = 10_000  # cubes inside, on a board, or thrown at once: what a model without physics lets in
LAUNCH = 14  # numbers of a cube that was let go by hand: see Event.launches
MOST_EVENTS = 50_000  # the longest game has 32,767 drops, and there may be knocks and cubes taken between
TOKEN_PREFIX = "TOWER3"
DROPS = ("drop", "hand")
"""The kinds of events that throw cubes in."""
_MOST = {  # a state's lists: what they hold, and how many
    "residents": ("cubes inside", MOST_THERE),
    "board": ("cubes on its board", MOST_THERE),
    "log": ("events in its past", MOST_EVENTS),
    "touches": ("touches", 64 * MAX_CUBES),
}
_TOO_LONG = 10**MAX_DIGITS
_RNG = re.compile("([0-9a-f]{1,32}):([0-9a-f]{1,32}):([0-9a-f]{0,8})")


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a cube.

    Args:
        position: Its centre (m, apparatus frame).
        orientation: A unit quaternion (x, y, z, w).

    >>> Pose((0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0)).position[2]
    0.1
    """

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Resident:
    """A cube at rest.

    Args:
        cube: The cube.
        region: A region inside the apparatus, or for a cube on a board its place there.
        since: The index of the drop that threw it in, from 0.
        pose: None if the model has no poses.

    >>> Resident(Cube(3, "blue", 0.009), "ramp", since=0).cube.colour
    'blue'
    """

    cube: Cube
    region: str
    since: int
    pose: Pose | None = None


@dataclass(frozen=True, slots=True)
class Touch:
    """Two bodies in contact at the end of a drop, with their contact forces, from which an engine starts its next drop.

    `cube` is a cube's number. `other` is another cube's number, or -1 - k for fixed box k. `forces` has three whole
    numbers (nN; x, y, z; apparatus frame) for each contact point, in the engine's order: the force on `cube`.
    """

    cube: int
    other: int
    forces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardState:
    """The cubes on a board, where later cubes can hit them.

    Args:
        lying: The cubes; their `region` is a place on the board.

    >>> board = BoardState((Resident(Cube(3, "blue", 0.009), "zone:cargo", 0),))
    >>> [cube.id for cube in board.cubes]
    [3]
    """

    lying: tuple[Resident, ...] = ()

    @property
    def cubes(self) -> tuple[Cube, ...]:
        """The cubes on the board, in the order of `lying`."""
        return tuple(resident.cube for resident in self.lying)

    def at(self, place: str) -> tuple[Cube, ...]:
        """Return the cubes at a place.

        Args:
            place: `zone:NAME`, `border` or `table`.

        Returns:
            The cubes, sorted by number.

        >>> BoardState((Resident(Cube(3, "blue", 0.009), "zone:cargo", 0),)).at("zone:cargo")
        (Cube(id=3, colour='blue', edge=0.009),)
        """
        check_kind("place", place, str, "a word", "write zone:NAME, border or table")
        return tuple(sorted(resident.cube for resident in self.lying if resident.region == place))

    @property
    def by_place(self) -> dict[str, dict[str, int]]:
        """The number of cubes by place and colour."""
        places = sorted({each.region for each in self.lying})
        return {place: count_by_colour(x.cube for x in self.lying if x.region == place) for place in places}

    def without(self, cubes: Iterable[Cube]) -> BoardState:
        """Return the board without `cubes`, which must lie on it."""
        gone = set(each_cube("cubes to take off", cubes))
        if strange := sorted(cube.id for cube in gone - set(self.cubes)):
            raise UsageError(
                f"cube {strange[0]} does not lie on the board; allowed are {sorted(c.id for c in self.cubes)}; "
                "take one of those"
            )
        return BoardState(tuple(resident for resident in self.lying if resident.cube not in gone))

    def placed(self, resident: Resident) -> BoardState:
        """Return the board with `resident` added or moved."""
        others = tuple(other for other in self.lying if other.cube != resident.cube)
        return BoardState((*others, resident))


@dataclass(frozen=True, slots=True)
class Event:
    """One event in a state's history, with everything needed to repeat it.

    `kind` is `drop`, `hand` (a throw with given launches), `knock`, `take` (cubes removed by hand) or `place` (a cube
    put into the zone `place`). `rng` is the PCG64 state before the event (hexadecimal `state:increment:buffered`).
    `strength` (g) is that of a knock. `thrown` are the cubes thrown, taken or placed; `emerged` are the numbers of the
    cubes that came out. `launches` has one row for each cube of a `hand`: release time (in windows of the settings),
    centre (m), unit quaternion (x, y, z, w), velocity (m/s) and spin (rad/s).
    """

    kind: str
    rng: str
    thrown: tuple[Cube, ...]
    emerged: tuple[int, ...]
    strength: float = 0.0
    place: str = ""
    launches: tuple[tuple[float, ...], ...] = field(default=(), repr=False)

    def to_plain(self) -> list[Any]:
        """Return the event as in a token."""
        thrown = [_cube_to_plain(cube) for cube in self.thrown]
        row = [self.kind, self.rng, thrown, list(self.emerged), self.strength, self.place]
        return [*row, [[int(windows), *numbers] for windows, *numbers in self.launches]] if self.launches else row


@dataclass(frozen=True, slots=True)
class TowerState:
    """The state of an apparatus between drops, immutable.

    `sound` marks a state that a model has made or checked. It does not count in comparisons, and a changed copy loses
    it.

    Args:
        model: The name of the model that made it.
        apparatus: The name of the apparatus.
        digest: The digest of the exact apparatus and settings.
        residents: The cubes inside.
        log: The history, everything needed to repeat it.
        board: The cubes that have come out and lie where later cubes can hit them.
        touches: The contacts at the end of the last drop, knock or placing; empty without contact memory. Cubes taken
            since then keep their contacts here, because the cubes on them must wake. If such a number is thrown next,
            it is a new cube.

    >>> from tower_sim import open_model
    >>> with open_model("amerigo", "surrogate") as model:
    ...     state = model.empty()
    >>> state.model, state.apparatus, state.cubes, state.drops, state.next_id
    ('surrogate', 'amerigo', (), 0, 0)
    """

    model: str
    apparatus: str
    digest: str
    residents: tuple[Resident, ...] = ()
    log: tuple[Event, ...] = ()
    board: BoardState = BoardState()
    touches: tuple[Touch, ...] = ()
    sound: bool = field(default=False, init=False, repr=False, compare=False)

    @property
    def cubes(self) -> tuple[Cube, ...]:
        """The cubes inside, in the order of `residents`."""
        return tuple(resident.cube for resident in self.residents)

    def __deepcopy__(self, memo: object) -> TowerState:
        return self

    @property
    def drops(self) -> int:
        """The number of drops in the history, random or by hand; knocks do not count."""
        return sum(event.kind in DROPS for event in self.log)

    @property
    def next_id(self) -> int:
        """The lowest number above those of all cubes in the state and its history."""
        cubes = (*self.cubes, *self.board.cubes, *(cube for event in self.log for cube in event.thrown))
        return max((cube.id for cube in cubes), default=-1) + 1

    def after(
        self,
        residents: Sequence[Resident],
        event: Event,
        lying: Sequence[Resident] = (),
        touches: Sequence[Touch] = (),
    ) -> TowerState:
        """Return the next state; `lying` are the cubes outside.

        `touches` replace all earlier contacts.
        """
        log, board = (*self.log, event), BoardState(tuple(lying))
        return TowerState(self.model, self.apparatus, self.digest, tuple(residents), log, board, tuple(touches))

    def take(self, cubes: Iterable[Cube]) -> TowerState:
        """Take cubes off the board or out of the tower by hand.

        Cubes that lay on them fall in the next drop. A throw of a cube on the board takes it off by itself.

        Args:
            cubes: Cubes inside or on the board.

        Returns:
            The state without these cubes.

        >>> from tower_sim import Tower
        >>> with Tower("amerigo", "surrogate", seed=7) as tower:
        ...     state = tower.throw(blue=7, red=7).state
        >>> len(state.cubes), len(state.take(state.cubes[:1]).cubes)
        (4, 3)
        """
        taken = tuple(sorted(each_cube("cubes to take", cubes)))
        gone, inside = set(taken), set(self.cubes)
        residents = tuple(resident for resident in self.residents if resident.cube not in gone)
        board = self.board.without(cube for cube in taken if cube not in inside)
        return replace(self, residents=residents, log=(*self.log, Event("take", "", taken, ())), board=board)

    def to_plain(self) -> dict[str, Any]:
        """Return the content of the token."""
        return {
            "model": self.model,
            "apparatus": self.apparatus,
            "digest": self.digest,
            "residents": [_resident_to_plain(r) for r in self.residents],
            "log": [event.to_plain() for event in self.log],
            "board": [_resident_to_plain(r) for r in self.board.lying],
            "touches": [[touch.cube, touch.other, *touch.forces] for touch in self.touches],
        }

    def token(self) -> str:
        """Return the state as one line of text: a prefix, the packed state, a digest."""
        return pack(TOKEN_PREFIX, self.to_plain())

    @staticmethod
    def from_token(token: str, most: int = MOST_BYTES) -> TowerState:
        """Read a token.

        Args:
            token: The text that `token` returned.
            most: The most bytes that it may unpack to.

        Returns:
            The state, equal to the original bit for bit.

        >>> from tower_sim import Tower
        >>> with Tower("amerigo", "surrogate", seed=7) as tower:
        ...     state = tower.throw(blue=7, red=7).state
        >>> TowerState.from_token(state.token()) == state
        True
        """
        return unpack(TOKEN_PREFIX, token, _from_plain, "state", "the 'state' value of an earlier drop", most)


def short_seed() -> int:
    """Return a seed from the system's randomness, of up to SHORT digits so that people can type it."""
    return secrets.randbelow(10**SHORT)


def check_seed(seed: object, what: str = "seed") -> int:
    """Return a seed from a whole number from 0 to 2^128 - 1, or from its decimal text."""
    text = seed if isinstance(seed, str) and seed.isascii() and seed.isdecimal() and len(seed) < 100 else ""
    number = int(text) if text else as_whole(seed)
    if number is None or not 0 <= number <= MAX_SEED:
        raise fault(what, seed, "a whole number from 0 to 2^128 - 1, or its text", "try 7")
    return number


def derive_seed(seed: int, number: int) -> int:
    """Return the seed of 64 bits that part `number` of a work with a root seed has."""
    return int(np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(1, np.uint64)[0])


def rng_text(rng: np.random.Generator) -> str:
    """Return the state of a PCG64 generator as text."""
    allowed, advice = "a numpy Generator with PCG64", "make it with numpy.random.default_rng(seed)"
    check_kind("rng", rng, np.random.Generator, allowed, advice)
    state = cast("dict[str, Any]", rng.bit_generator.state)
    if state["bit_generator"] != "PCG64":
        raise UsageError(
            f"rng uses {state['bit_generator']}; allowed is PCG64; make it with numpy.random.default_rng(seed)"
        )
    core = state["state"]
    buffered = f"{state['uinteger']:x}" if state["has_uint32"] else ""
    return f"{core['state']:x}:{core['inc']:x}:{buffered}"


def rng_from_text(text: str) -> np.random.Generator:
    """Return the generator of a text by `rng_text`."""
    if not isinstance(cast("object", text), str) or not (match := _RNG.fullmatch(text)):
        raise fault(
            "generator in the log", text, "hexadecimal state:increment:buffered", "take a state that a model made"
        )
    state, increment, buffered = match.groups()
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(state, 16), "inc": int(increment, 16)},
        "has_uint32": int(buffered != ""),
        "uinteger": int(buffered or "0", 16),
    }
    return np.random.Generator(bits)


def _cube_to_plain(cube: Cube) -> list[Any]:
    return [cube.id, cube.colour, cube.edge]


class _Cubes(dict[tuple[Any, ...], Cube]):
    def __missing__(self, values: tuple[Any, ...]) -> Cube:
        number, colour, edge = values
        cube = self[values] = Cube(_whole(number), check_colour("colour of a cube", colour), _real(edge))
        return cube

    def read(self, values: Sequence[Any]) -> Cube:
        number, colour, edge = values
        if type(number) is not int or type(edge) is not float:  # True and 1.0 are equal to 1
            number, edge = _whole(number), _real(edge)
        return self[number, colour, edge]


def _resident_to_plain(resident: Resident) -> list[Any]:
    pose = [*resident.pose.position, *resident.pose.orientation] if resident.pose else []
    return [*_cube_to_plain(resident.cube), resident.region, resident.since, *pose]


def _resident_from_plain(row: Sequence[Any], cubes: _Cubes) -> Resident:
    numbers = [_real(x) for x in row[5:]]
    if len(numbers) not in (0, 7):
        raise ValueError("a pose needs 7 finite numbers")
    x, y, z, *q = numbers or [0.0] * 7
    pose = Pose((x, y, z), (q[0], q[1], q[2], q[3])) if numbers else None
    return Resident(cubes.read(row[:3]), _text(row[3]), _whole(row[4]), pose)


def _event_from_plain(row: Sequence[Any], cubes: _Cubes) -> Event:
    kind, rng, thrown, emerged, strength, place, *by_hand = row
    if len(by_hand) > 1:
        raise ValueError("an event of more than seven parts")
    launches = tuple(tuple(map(_real, each)) for each in by_hand[0]) if by_hand else ()
    if len(thrown) > MOST_THERE or len(emerged) > MOST_THERE:
        raise ValueError(f"an event of more than {MOST_THERE} cubes")
    numbers = tuple(map(_whole, emerged))
    cubes_thrown = tuple(map(cubes.read, thrown))
    return Event(_text(kind), _text(rng), cubes_thrown, numbers, _real(strength), _text(place), launches)


def _from_plain(plain: dict[str, Any]) -> TowerState:
    for key, (what, most) in _MOST.items():
        if (number := len(plain[key])) > most:
            raise ValueError(f"it has {number} {what}; allowed are up to {most}")
    cubes = _Cubes()
    log = tuple(_event_from_plain(row, cubes) for row in plain["log"])
    residents, lying = (tuple(_resident_from_plain(row, cubes) for row in plain[key]) for key in ("residents", "board"))
    model, apparatus, digest = (_text(plain[key]) for key in ("model", "apparatus", "digest"))
    touches = tuple(map(_touch_from_plain, plain["touches"]))
    return TowerState(model, apparatus, digest, residents, log, BoardState(lying), touches)


def _touch_from_plain(row: Sequence[Any]) -> Touch:
    cube, other, *forces = map(_whole, row)
    return Touch(cube, other, tuple(forces))


def _whole(value: object) -> int:
    if type(value) is not int or abs(value) >= _TOO_LONG:
        raise ValueError(f"{quote(value)} is no whole number of up to {MAX_DIGITS} digits")
    return value


def _text(value: object) -> str:
    if type(value) is not str:
        raise ValueError(f"{quote(value)} is no text")
    return value


def _real(value: object) -> float:
    if (type(value) is not float and type(value) is not int) or not math.isfinite(value):
        raise ValueError(f"{quote(value)} is no number")
    return float(value)
