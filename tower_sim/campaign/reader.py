"""Read a campaign's directory: `manifest.json`, and of its tables what its receipts vouch for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.campaign.data import Array, Campaign, CubeEntries, Drops, Facts, Failed, Words
from tower_sim.campaign.dataset import Dataset, open_dataset, spans
from tower_sim.campaign.documents import OWN_TABLE
from tower_sim.errors import UsageError, shown
from tower_sim.extras import extra
from tower_sim.reading import as_path

LANDINGS = ("settled", "jammed")
_KEY = ("point", "run", "drop")
_DROPS = (*_KEY, "kind", "status", "drawn", "thrown", "inside_before", "emerged", "inside_after")
_CUBES = ("point", "run", "drop", "cube", "colour", "thrown", "age", "before", "after")
_WIDEST = 1 << 21  # runs of a point, and drops of a run, that a key holds


def load(directory: str | Path) -> Campaign:
    """Read the campaign in `directory`; its shards that were not run yet are its `missing`.

    Raises UsageError, in one line, when it is no campaign, a file is not as its receipt says, no drop landed, or
    pyarrow is not installed.
    """
    directory = as_path("directory", directory)
    dataset = open_dataset(directory)
    head, spec = dataset.store.head, dataset.store.spec
    _refuse_knocks(directory, head)
    if not dataset.done:
        raise UsageError(
            f"campaign {str(directory)!r} has 0 of {spec.shards} shards; allowed is 1 or more; run the campaign first"
        )
    columns = _read(dataset, "drops", _DROPS)
    landed = columns["status"].among(*LANDINGS)
    if not landed.any():
        raise UsageError(
            f"campaign {str(directory)!r} holds {len(landed)} drops that landed 0 times; allowed is 1 or more; "
            "run the campaign first"
        )
    key = _key(columns)
    order = np.flatnonzero(landed)[np.argsort(key[landed], kind="stable")]
    if len(np.unique(key[order])) < len(order):
        raise UsageError(
            f"campaign {str(directory)!r} holds a drop twice; allowed is each (point, run, drop) once; verify it"
        )
    pair = columns["point"].astype(np.int64) * _WIDEST + columns["run"]
    known, run_of = np.unique(pair, return_inverse=True)
    drops = _drops(columns, order, run_of, _facts(dataset, key, order))
    cubes = _cubes(_read(dataset, "cubes", _CUBES), key[order], drops)
    return Campaign(
        spec=cast("dict[str, Any]", head["spec"]),
        points=spec.points,
        digest=spec.digest,
        made_with={name: said for name, said in head["versions"].items() if name != OWN_TABLE},
        run_point=known // _WIDEST,
        drops=drops,
        cubes=cubes,
        failed=Failed(run_of[~landed], columns["drop"][~landed], columns["status"].take(np.flatnonzero(~landed))),
        shards=spec.shards,
        missing=dataset.missing,
    )


def load_whole(directory: str | Path) -> Campaign:
    """Read a campaign as `load` does; raises UsageError also when a shard of it was not run yet."""
    campaign = load(directory)
    if campaign.missing:
        raise UsageError(
            f"campaign {str(directory)!r} lacks shards {spans(campaign.missing)} of {campaign.shards}; allowed is a "
            "whole one; run the campaign to its end"
        )
    return campaign


def _refuse_knocks(directory: Path, head: dict[str, Any]) -> None:
    """Refuse games with knocks: what is inside between two drops is then not what the first left."""
    if head["spec"].get("knocks"):
        raise UsageError(
            f"campaign {shown(str(directory))} has knocks; allowed is one without, since reports and fits follow cubes "
            "from drop to drop; read its Parquet tables yourself"
        )


def _facts(dataset: Dataset, key: Array, order: Array) -> Facts:
    """Return what the game tells of the drops whose rows in `drops` are `order`; `key` are the keys of all its rows."""
    store = dataset.store
    if len(store.tables) == 2:
        return Facts()
    keys = _key(_read(dataset, store.tables[2], _KEY))
    by_key = np.argsort(keys, kind="stable")
    place = np.searchsorted(keys, key[order], sorter=by_key)
    place[place == len(keys)] = 0
    rows = by_key[place]
    if len(keys) < len(order) or not np.array_equal(keys[rows], key[order]):
        raise UsageError(
            f"{store.tables[2]}/*.parquet of campaign {str(store.directory)!r} lack a drop; allowed is a row for each "
            "that landed; verify the campaign"
        )
    names = [name for name in _arrow_table(dataset, store.tables[2]).column_names if name not in _KEY]
    return _told(dataset, store.tables[2], names, rows)


def _drops(columns: dict[str, Any], order: Array, run_of: Array, facts: Facts) -> Drops:
    phase = facts.words("phase", len(order))
    by_drop = {int(d): int(c) for d, c in zip(columns["drop"][order], phase.codes, strict=True) if c >= 0}
    phases = list(dict.fromkeys(phase.names[by_drop[drop]] for drop in sorted(by_drop)))
    return Drops(
        run=run_of[order],
        kind=columns["kind"].take(order),
        **{name: columns[name][order] for name in ("drop", "thrown", "inside_before", "emerged", "inside_after")},
        phase=phase.ordered(phases),
        winner=facts.words("winner", len(order)),
        drawn=columns["drawn"][order].astype(bool),
        facts=facts,
    )


def _cubes(columns: dict[str, Any], keys: Array, drops: Drops) -> CubeEntries:
    """Join the cubes to their drops; those of failed attempts have none and are left out."""
    key = _key(columns)
    row = np.searchsorted(keys, key)
    row[row == len(keys)] = 0
    there = np.flatnonzero(keys[row] == key)
    order = there[np.argsort(row[there], kind="stable")]
    colour: Words = columns["colour"]
    least = np.full(len(colour.names), _WIDEST)
    np.minimum.at(least, colour.codes[there], columns["cube"][there])
    colours = sorted(colour.names, key=lambda name: (int(least[colour.names.index(name)]), name))
    return CubeEntries(
        row=row[order].astype(np.int32),
        cube=columns["cube"][order],
        colour=columns["colour"].take(order).ordered(colours),
        thrown=columns["thrown"][order].astype(bool),
        age=columns["age"][order],
        before=columns["before"].take(order),
        after=columns["after"].take(order),
    )


def _key(columns: dict[str, Any]) -> Array:
    return (columns["point"].astype(np.int64) * _WIDEST + columns["run"]) * _WIDEST + columns["drop"]


def _read(dataset: Dataset, name: str, wanted: Sequence[str]) -> dict[str, Any]:
    """Read the columns `wanted` of a table's shards: numbers as arrays (null as 0), words as Words."""
    table, arrow = _arrow_table(dataset, name, wanted), _pyarrow()[0]
    return {key: _column(arrow, table.column(key)) for key in wanted}


def _told(dataset: Dataset, name: str, wanted: Sequence[str], rows: Array) -> Facts:
    """Read the columns `wanted` of a table at `rows`; numbers of which some are null as real ones, these as NaN."""
    table, arrow = _arrow_table(dataset, name, wanted), _pyarrow()[0]
    taken = table.take(arrow.array(rows))
    columns: dict[str, Any] = {}
    for key in wanted:
        column = taken.column(key)
        if column.null_count and not _are_words(arrow, column.type):
            column = column.cast(arrow.int8() if arrow.types.is_boolean(column.type) else column.type)
            columns[key] = column.cast(arrow.float64()).to_numpy()
        else:
            columns[key] = _column(arrow, column)
    return Facts(columns)


def _arrow_table(dataset: Dataset, name: str, wanted: Sequence[str] | None = None) -> Any:
    """Read a table's shards as one, its columns `wanted` or all; raises UsageError where they lack one."""
    arrow, parquet = _pyarrow()
    columns = None if wanted is None else list(wanted)
    try:
        tables = [parquet.read_table(arrow.BufferReader(data), columns=columns) for data in dataset.tables(name)]
        table = arrow.concat_tables(tables, promote_options="permissive")
        for key in columns or _KEY:
            table.column(key)
    except (arrow.ArrowException, KeyError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UsageError(
            f"{name}/*.parquet of campaign {str(dataset.store.directory)!r} cannot be read ({reason}); allowed are "
            f"files with the columns {', '.join(columns or _KEY)}; verify the campaign"
        ) from error
    return table


def _are_words(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    return any(test(kind) for test in (types.is_null, types.is_string, types.is_large_string, types.is_dictionary))


def _column(arrow: Any, column: Any) -> Any:
    kind = column.type
    if arrow.types.is_null(kind):
        return Words((), np.full(len(column), -1, np.int16))
    is_word = arrow.types.is_string(kind) or arrow.types.is_large_string(kind)
    if is_word or arrow.types.is_dictionary(kind):
        coded = (column.dictionary_encode() if is_word else column).unify_dictionaries().combine_chunks()
        if isinstance(coded, arrow.ChunkedArray):
            coded = coded.chunk(0)
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int16)
        names: list[str] = coded.dictionary.to_pylist()
        return Words(tuple(names), codes).ordered(())
    if column.null_count:
        column = column.fill_null(False if arrow.types.is_boolean(kind) else 0)
    return column.to_numpy()


def _pyarrow() -> tuple[Any, Any]:
    return extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
