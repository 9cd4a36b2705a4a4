"""The shards of a campaign: the work on one, and the tables that it leaves."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import numpy as np

from tower_sim.campaign.spec import Point, Spec
from tower_sim.drops import RecordedDrop, Recorder
from tower_sim.errors import check_kind, check_whole
from tower_sim.games import KEY, Game, Turn
from tower_sim.tools import Column, extra
from tower_sim.values import INSIDE, TowerState


@dataclass(frozen=True, slots=True)
class Shard:
    """The Parquet bytes and the number of rows of each table of shard `index`."""

    index: int
    tables: dict[str, bytes]
    rows: dict[str, int]


def run_shard(spec: Spec, index: int) -> Shard:
    r"""Play the runs of a shard; every byte depends only on the arguments.

    Args:
        spec: The campaign.
        index: The number of the shard, from 0.

    Returns:
        Its tables as Parquet files, and their numbers of rows.

    >>> from tower_sim.campaign import parse
    >>> spec = parse('[campaign]\ngame = "amerigo"\nmodel = "surrogate"\nseed = "7"\ngames = 4\nshard = 2')
    >>> run_shard(spec, 1).rows["drops"]
    72
    """
    check_kind("spec", spec, Spec, "a Spec", "read one with campaign.load(PATH) or campaign.parse(TEXT)")
    index = check_whole("index", index, 0, spec.shards - 1)
    rows = ShardRows()
    for number, runs in groupby(spec.runs_of(index), key=lambda run: run // spec.runs):
        point = spec.point(number)
        with point.open_model() as model:
            for run in runs:
                play_run(point, Recorder(model), spec.seed, (number, run), rows)
    counts = {name: len(of_table) for name, of_table in rows.by_table(spec.game).items()}
    return Shard(index, rows.to_parquet(spec.game, spec.family, index, spec.points), counts)


def play_run(point: Point, model: Recorder, seed: int, where: tuple[int, int], rows: ShardRows) -> bool:
    """Play run `where` (point, run), add its rows, and return whether it came to its end."""
    is_whole = True
    for turn in point.game.start(model.as_model, point.rules, seed, where[1]):
        _add((*where, turn.index), turn, model.take_draws(), rows)
        rows.tell((*where, turn.index), point.game, turn.facts)
        is_whole = turn.failed is None
    return is_whole


def _add(where: tuple[int, int, int], turn: Turn, draws: Sequence[RecordedDrop], rows: ShardRows) -> None:
    blows = [draw for draw in draws if draw.knock and turn.kind == "drop"]
    falls = [draw for draw in draws if not draw.knock or turn.kind != "drop"]
    rows.add(where, turn.kind, falls, blows[0].state if blows else turn.state)
    if blows:
        rows.add(where, "knock", blows, turn.state)


VERSION = 4
_CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "float64": "d"}  # of array.array, which is as strict
_BITS = {None: 0, False: 0, True: 1}


class VariedColumn(NamedTuple):
    """A varied field as a column: its name, Arrow type and value at each design point."""

    name: str
    kind: str
    values: tuple[Any, ...]


def varied_columns(points: Sequence[Mapping[str, Any]]) -> tuple[VariedColumn, ...]:
    """Return one column for each varied field; lists, tables and mixed types become JSON strings."""
    return tuple(_make_column(name, [point[name] for point in points]) for name in points[0])


def _make_column(name: str, values: Sequence[Any]) -> VariedColumn:
    kinds: set[type[Any]] = {type(value) for value in values}
    if kinds in ({bool}, {str}):
        return VariedColumn(name, "bool" if bool in kinds else "string", tuple(values))
    if kinds <= {int, float}:
        whole = kinds == {int} and all(-(1 << 63) <= value < 1 << 63 for value in values)
        return VariedColumn(name, "int64" if whole else "float64", tuple(values if whole else map(float, values)))
    return VariedColumn(name, "string", tuple(json.dumps(value, ensure_ascii=False) for value in values))


@dataclass(frozen=True, slots=True)
class TableKind:
    """A table of the dataset: the name of its folder, and its columns."""

    name: str
    columns: tuple[Column, ...]

    def to_parquet(
        self, rows: Sequence[Sequence[Any]], family: str, shard: int, varied: Sequence[VariedColumn] = ()
    ) -> bytes:
        """Return rows, each beginning with its design point, as the bytes of a Parquet file."""
        arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
        columns = [(x.name, x.kind, x.nullable, [row[i] for row in rows]) for i, x in enumerate(self.columns)]
        columns += [(x.name, x.kind, False, [x.values[row[0]] for row in rows]) for x in varied]
        head = {"schema": f"tower-sim/campaign-{self.name}", "version": str(VERSION), "spec": family}
        types = {kind: getattr(arrow, kind + "_" if kind == "bool" else kind)() for _, kind, _, _ in columns}
        schema = arrow.schema(
            [arrow.field(name, types[kind], nullable) for name, kind, nullable, _ in columns],
            metadata=head | {"shard": str(shard)},
        )
        arrays = [_array(arrow, types[kind], kind, values) for _, kind, _, values in columns]
        sink = arrow.BufferOutputStream()
        options = {"version": "2.6", "compression": "zstd", "compression_level": 3, "row_group_size": 1 << 20}
        parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), sink, **options)
        return sink.getvalue().to_pybytes()


def _array(arrow: Any, form: Any, kind: str, values: Sequence[Any]) -> Any:
    """Return the same as `arrow.array(values, form)`, which would first load pandas if it is installed (half a second).

    A value of another type raises an error.
    """
    absent = [value is None for value in values]
    valid = arrow.py_buffer(np.packbits(np.logical_not(absent), bitorder="little")) if any(absent) else None
    if kind in ("string", "binary"):
        parts = [b"" if value is None else value.encode() if kind == "string" else value for value in values]
        buffers = [array("i", accumulate(map(len, parts), initial=0)), b"".join(parts)]
    elif kind == "bool":
        buffers = [np.packbits(array("B", [_BITS[value] for value in values]), bitorder="little")]
    else:
        buffers = [array(_CODES[kind], [0 if value is None else value for value in values])]
    return arrow.Array.from_buffers(form, len(values), [valid, *map(arrow.py_buffer, buffers)], sum(absent))


DROPS = TableKind(
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
    ),
)  # fmt: skip

_KEY = tuple(Column(name, "int32", False, "as in `drops`") for name in KEY)

CUBES = TableKind(
    "cubes",
    (
        *_KEY,
        Column("cube", "int32", False, "number of the cube in its run"),
        Column("colour", "string", False, "its colour"),
        Column("thrown", "bool", False, "just thrown, or put into a zone; else it was inside or lay on the board"),
        Column("age", "int16", False, "drops since it was thrown in; 0 when just thrown"),
        Column("before", "string", True, "where it was: `inside:REGION`, `zone:NAME`, `border` or `table`; null"
               " when thrown"),
        Column("after", "string", False, "where it is: those places or `tray`"),
    ),
)  # fmt: skip


def list_tables(game: Game) -> tuple[TableKind, ...]:
    """Return the tables of a campaign of `game`; a third one has the game's own columns, if it has any."""
    own = (TableKind(game.name, (*_KEY, *game.columns)),) if game.columns else ()
    return (DROPS, CUBES, *own)


@dataclass(slots=True)
class ShardRows:
    """The rows of one shard; `own` are those of the game's own table."""

    drops: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    cubes: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    own: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    def add(self, where: tuple[int, int, int], kind: str, draws: Sequence[RecordedDrop], state: TowerState) -> None:
        """Add the rows of drop `where` (point, run, drop); `state` is its state if the model was not called."""
        for attempt, draw in enumerate(draws):
            self._add_draw(where, kind, attempt, draw)
        if not draws:
            inside = len(state.residents)
            self.drops.append((*where, kind, 0, "settled", False, 0, inside, 0, inside))

    def _add_draw(self, where: tuple[int, int, int], kind: str, attempt: int, draw: RecordedDrop) -> None:
        outcome, before = draw.outcome, len(draw.state.residents)
        head = (*where, kind, attempt, str(outcome.status), True, len(outcome.thrown), before)
        if not outcome.status.is_landing:
            self.drops.append((*head, None, None))
            return
        self.drops.append((*head, len(outcome.emerged), len(outcome.inside)))
        thrown, now = set(outcome.thrown), draw.state.drops
        places = {resident.cube: (INSIDE + resident.region, now - resident.since) for resident in draw.state.residents}
        places |= {lying.cube: (lying.region, now - lying.since) for lying in draw.state.board.lying}
        for x in sorted(outcome.landings, key=lambda x: x.cube.id):
            is_thrown = x.cube in thrown
            place, age = (None, 0) if is_thrown else places[x.cube]
            self.cubes.append((*where, x.cube.id, x.cube.colour, is_thrown, age, place, x.place))

    def tell(self, where: tuple[int, int, int], game: Game, facts: Mapping[str, Any]) -> None:
        """Add the game's own columns for a drop; raises ValueError for a fact that is no column."""
        known = [column.name for column in game.columns]
        if strange := sorted(set(facts) - set(known)):
            raise ValueError(f"fact {strange[0]!r} is no column of the game {game.name}")
        if known:
            self.own.append((*where, *(facts.get(name) for name in known)))

    def by_table(self, game: Game) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each table, by the table's name."""
        rows = (self.drops, self.cubes, *([self.own] if game.columns else []))
        return {table.name: of for table, of in zip(list_tables(game), rows, strict=True)}

    def to_parquet(self, game: Game, family: str, shard: int, points: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """Return the bytes of all tables by name; `drops` also gets the fields that vary."""
        varied, rows = varied_columns(points), self.by_table(game)
        return {
            table.name: table.to_parquet(rows[table.name], family, shard, varied if table is DROPS else ())
            for table in list_tables(game)
        }
