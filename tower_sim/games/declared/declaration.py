"""A declared game as data: what its file says, checked; made of a file's table in checked.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tower_sim.games.declared.expressions import COLOUR, NUMBER, CubesAt, Expression, Names
from tower_sim.games.declared.readings import Reading
from tower_sim.runs.figure import Figure

SCHEMA = "tower-sim/game"
VERSION = 1

MAX_FILE = 200_000  # bytes
MAX_COLOURS = 100
MAX_DROPS = 10_000  # throws of a run
MAX_AGAIN = 100  # throws of a phase

SETUP = "setup"
READ, SKIP, AGAIN = NOTHING_OUT = ("read", "skip", "again")


@dataclass(frozen=True, slots=True)
class TableParameter:
    """What a table may change: a whole number from `least` to `most`, or one of the colours `of`; `default` is it."""

    name: str
    default: int | str
    least: int = 0
    most: int = 0
    of: tuple[str, ...] = ()
    says: str = ""

    @property
    def kind(self) -> str:
        """NUMBER or COLOUR."""
        return COLOUR if self.of else NUMBER


@dataclass(frozen=True, slots=True)
class Policy:
    """What the caller chooses by name: one of several ways to read, all of one kind."""

    name: str
    default: str
    choices: Mapping[str, Reading]
    says: str = ""

    @property
    def kind(self) -> str:
        """The kind of all its choices."""
        return next(iter(self.choices.values())).kind


@dataclass(frozen=True, slots=True)
class Move:
    """Cubes that go to a pool: those `cubes`, or those that were `read`; at most `number`, the lowest numbers first."""

    to: str
    cubes: CubesAt | None = None
    read: str = ""
    number: Expression | None = None
    when: Expression | None = None


@dataclass(frozen=True, slots=True)
class EventEffect:
    """What an event does, in words, and how much."""

    event: str
    says: str
    amount: Expression | None = None


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of what was read under `on`, by its colour or word."""

    on: str
    by: Mapping[str, EventEffect]


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase: `throw` is what is thrown, `along` what goes with it; `read` are its readings in order.

    It is played once, or once for each colour of `each`. `nothing` says what is done where nothing came out, or none of
    a set that it `needs`: the readings are made all the same, left out, or made of another throw, for which the tower
    is emptied into the pool `unload` where nothing is left to throw.
    """

    name: str
    throw: tuple[CubesAt, ...]
    after: tuple[Move, ...]
    each: tuple[str, ...] = ()
    when: Expression | None = None
    before: tuple[Move, ...] = ()
    along: tuple[CubesAt, ...] = ()
    sample: Expression | None = None
    needs: tuple[CubesAt, ...] = ()
    nothing: str = READ
    unload: str = ""
    read: Mapping[str, Reading] = field(default_factory=dict[str, Reading])
    effects: Effects | None = None

    @property
    def most_throws(self) -> int:
        """How many throws it has at most."""
        return max(1, len(self.each)) * (MAX_AGAIN if self.nothing == AGAIN else 1)


@dataclass(frozen=True, slots=True)
class DeclaredDevice:
    """What the tower stands in for, or another deck of the box: `counts` by event, or the pool that has them at first.

    `kinds` are several events that count as one too, `deal` is how many are drawn (None: all of a deck, else one a
    turn), `dice` are the faces of each die.
    """

    name: str
    kind: str
    reads: str = ""
    counts: str | Mapping[str, Expression] = field(default_factory=dict[str, Expression])
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    deal: Expression | None = None
    dice: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Declaration:
    """A whole declared game. Two are equal where their files say the same, in the same order.

    `pools` have an expression over the parameters for each key: a colour, a group, `colours` or a colour parameter.
    `readings` are all those of the file, the first of each name. `paints` has the #rrggbb of some colours, `figures`
    are those of its own. `table` is the file itself.
    """

    table: Mapping[str, Any]
    name: str
    title: str
    about: str
    source: str
    apparatus: str
    names: Names
    parameters: Mapping[str, TableParameter]
    policies: Mapping[str, Policy]
    pools: Mapping[str, Mapping[str, Expression]]
    setup: Phase | None
    times: Expression
    until: Expression | None
    phases: tuple[Phase, ...]
    devices: Mapping[str, DeclaredDevice]
    knocked: str
    paints: Mapping[str, str]
    figures: tuple[Figure, ...] = ()

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours of the game, in their order."""
        return self.names.colours

    @cached_property
    def text(self) -> str:
        """The file's table as one line."""
        return json.dumps(self.table, separators=(",", ":"))

    @property
    def all_phases(self) -> tuple[Phase, ...]:
        """The set-up, if there is one, and the phases."""
        return self.phases if self.setup is None else (self.setup, *self.phases)

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """The readings of all phases by name."""
        found: dict[str, Reading] = {}
        for phase in self.all_phases:
            for name, reading in phase.read.items():
                found.setdefault(name, reading)
        return found

    @property
    def compared_with(self) -> DeclaredDevice | None:
        """The first device that says which reading it stands for."""
        return next((device for device in self.devices.values() if device.reads), None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declaration) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)
