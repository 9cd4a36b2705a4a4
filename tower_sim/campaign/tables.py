"""The two tables of a campaign's dataset: what each column means, and how rows are made and written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tower_sim.campaign.arrow import parquet_bytes
from tower_sim.landing import INSIDE
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState

VERSION = 2  # 2: the varied fields are columns of `drops`
READABLE = ("1", "2")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its Arrow type, whether it can be null, what it means."""

    name: str
    kind: str
    nullable: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class Varied:
    """A varied field as a column: its dotted name, its Arrow type, its value at each design point."""

    name: str
    kind: str
    values: tuple[Any, ...]


def varied_columns(points: Sequence[Mapping[str, Any]]) -> tuple[Varied, ...]:
    """Return a column for every varied field; all points vary the same ones.

    Its type follows from the values at all points: `bool`, `int64`, `float64` or `string`; lists, tables and mixtures
    are JSON.
    """
    return tuple(_varied(name, [point[name] for point in points]) for name in points[0])


def _varied(name: str, values: Sequence[Any]) -> Varied:
    kinds: set[type[Any]] = {type(value) for value in values}
    if kinds in ({bool}, {str}):
        return Varied(name, "bool" if bool in kinds else "string", tuple(values))
    if kinds <= {int, float}:
        whole = kinds == {int} and all(-(1 << 63) <= value < 1 << 63 for value in values)
        return Varied(name, "int64" if whole else "float64", tuple(values if whole else map(float, values)))
    return Varied(name, "string", tuple(json.dumps(value, ensure_ascii=False) for value in values))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the dataset: its folder's name and its columns."""

    name: str
    columns: tuple[Column, ...]

    def schema_name(self) -> str:
        """The name in each file's metadata."""
        return f"tower-sim/campaign-{self.name}"

    def to_parquet(
        self, rows: Sequence[Sequence[Any]], spec_digest: str, shard: int, varied: Sequence[Varied] = ()
    ) -> bytes:
        """Write rows, each with a value for every column, as a Parquet file of that shard.

        `varied` are columns more, whose value follows from the design point, which is the first of each row.
        """
        columns = {x.name: (x.kind, x.nullable, [row[i] for row in rows]) for i, x in enumerate(self.columns)}
        columns |= {x.name: (x.kind, False, [x.values[row[0]] for row in rows]) for x in varied}
        head = {"schema": self.schema_name(), "version": str(VERSION), "spec": spec_digest, "shard": str(shard)}
        return parquet_bytes(columns, head)


DROPS = Table(
    "drops",
    (
        Column("point", "int32", False, "design point, from 0"),
        Column("run", "int32", False, "game, chain or battle, numbered from 0 over all points"),
        Column("drop", "int32", False, "index in the run: of the drop, or of the battle's step"),
        Column("kind", "string", False, "`drop`; of a game also `knock`, after the drop of that number; of a battle the"
               " step: `throw`, `shake`, `rethrow`, `explosion`, `ability` or `pass`"),
        Column("attempt", "int8", False, "0 for the first draw; every draw that was no landing is a row too"),
        Column("status", "string", False, "`settled`, `jammed`, `timed_out` or `escaped`; `settled` also where"
               " nothing was drawn"),
        Column("drawn", "bool", False, "whether the model was asked; false when there was nothing to throw, for a pass,"
               " and for an ability that moves no cube"),
        Column("thrown", "int16", False, "cubes let go, or put into a zone by an ability"),
        Column("inside_before", "int16", False, "cubes inside before"),
        Column("emerged", "int16", True, "cubes that came out; null when it was no landing"),
        Column("inside_after", "int16", True, "cubes inside after; null when it was no landing"),
        Column("round", "int16", True, "round of the game, 0 for the set-up; null in other kinds"),
        Column("phase", "string", True, "colour of the phase or `setup`; null in other kinds"),
        Column("skipped", "bool", True, "nothing to throw, or nothing came out; null, as the three that follow,"
               " in other kinds and for a draw that was no landing"),
        Column("colours_out", "int16", True, "how many colours came out"),
        Column("action_points", "int16", True, "action points before any token, 0 for the set-up"),
        Column("gold", "int16", True, "gold for passing, 0 for the set-up"),
        Column("side", "string", True, "side that used the ability or passed; null in other kinds and steps"),
        Column("winner", "string", True, "winner, in the last row of a battle; null everywhere else"),
    ),
)  # fmt: skip

CUBES = Table(
    "cubes",
    (
        Column("point", "int32", False, "as in `drops`"),
        Column("run", "int32", False, "as in `drops`"),
        Column("drop", "int32", False, "as in `drops`"),
        Column("cube", "int32", False, "number of the cube in its run"),
        Column("colour", "string", False, "its colour"),
        Column("thrown", "bool", False, "just thrown, or put into a zone; else it was inside or lay on the board"),
        Column("age", "int16", False, "drops since it was thrown in; 0 when just thrown"),
        Column("before", "string", True, "where it was: `inside:REGION`, `zone:NAME`, `border` or `table`; null"
               " when thrown"),
        Column("after", "string", False, "where it is: those places or `tray`"),
    ),
)  # fmt: skip

TABLES = (DROPS, CUBES)


@dataclass(frozen=True, slots=True)
class Draw:
    """One call of the model: the state before it and what it did."""

    state: TowerState
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Facts:
    """What a kind of campaign adds to the row of a landed drop; round, phase and side also to those of failed draws."""

    kind: str = "drop"
    round: int | None = None
    phase: str | None = None
    skipped: bool | None = None
    colours_out: int | None = None
    action_points: int | None = None
    gold: int | None = None
    side: str | None = None
    winner: str | None = None


_OF_FAILED = ("round", "phase", "side")


@dataclass(slots=True)
class Rows:
    """The rows of one shard, in the order in which they were added."""

    drops: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    cubes: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    failures: int = 0

    def add(self, where: tuple[int, int, int], facts: Facts, draws: Sequence[Draw], state: TowerState) -> None:
        """Add drop `where` (point, run, drop): its `draws`, of which the last may be a landing.

        `state` is the tower's, for a drop for which the model was not asked.
        """
        told = asdict(facts)
        kind = told.pop("kind")
        for attempt, draw in enumerate(draws):
            self._add_draw(where, kind, told, attempt, draw)
        if not draws:
            inside = len(state.residents)
            self.drops.append((*where, kind, 0, "settled", False, 0, inside, 0, inside, *told.values()))

    def _add_draw(self, where: tuple[int, int, int], kind: str, told: dict[str, Any], attempt: int, draw: Draw) -> None:
        outcome, before = draw.outcome, len(draw.state.residents)
        head = (*where, kind, attempt, str(outcome.status), True, len(outcome.thrown), before)
        if not outcome.status.is_landing:
            known = [value if name in _OF_FAILED else None for name, value in told.items()]
            self.drops.append((*head, None, None, *known))
            self.failures += 1
            return
        self.drops.append((*head, len(outcome.emerged), len(outcome.inside), *told.values()))
        thrown, now = set(outcome.thrown), draw.state.drops
        places = {each.cube: (INSIDE + each.region, now - each.since) for each in draw.state.residents}
        places |= {each.cube: (each.region, now - each.since) for each in draw.state.board.lying}
        for x in sorted(outcome.landings, key=lambda x: x.cube.id):
            is_thrown = x.cube in thrown
            place, age = (None, 0) if is_thrown else places[x.cube]
            self.cubes.append((*where, x.cube.id, x.cube.colour, is_thrown, age, place, x.place))

    def to_parquet(self, spec_digest: str, shard: int, points: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """Write both tables, `drops` with the fields that `points` vary; equal rows give equal bytes."""
        return {
            DROPS.name: DROPS.to_parquet(self.drops, spec_digest, shard, varied_columns(points)),
            CUBES.name: CUBES.to_parquet(self.cubes, spec_digest, shard),
        }
