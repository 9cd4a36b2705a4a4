"""Read a campaign's directory: `manifest.json`, and of `drops/` and `cubes/` what its receipts vouch for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.campaign.dataset import Dataset, open_dataset, spans
from tower_sim.errors import UsageError, shown
from tower_sim.extras import extra
from tower_sim.study.data import Array, Campaign, Cubes, Drops, Failed, Words

LANDINGS = ("settled", "jammed")
_COUNTS = ("thrown", "inside_before", "emerged", "inside_after", "colours_out", "action_points", "gold")
_DROPS = ("point", "run", "drop", "kind", "status", "drawn", "phase", "winner", *_COUNTS)
_CUBES = ("point", "run", "drop", "cube", "colour", "thrown", "age", "before", "after")
_WIDEST = 1 << 21  # runs of a point, and drops of a run, that a key holds


def load(directory: str | Path) -> Campaign:
    """Read the campaign in `directory`; its shards that were not run yet are its `missing`.

    Raises UsageError, in one line, when it is no campaign, a file is not as its receipt says, no drop landed, or
    pyarrow is not installed.
    """
    directory = Path(directory)
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
    drops = _drops(columns, order, run_of)
    cubes = _cubes(_read(dataset, "cubes", _CUBES), key[order], drops)
    return Campaign(
        spec=cast("dict[str, Any]", head["spec"]),
        points=spec.points,
        digest=spec.digest,
        made_with=cast("dict[str, str]", head.get("versions", {})),
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


def _drops(columns: dict[str, Any], order: Array, run_of: Array) -> Drops:
    phase: Words = columns["phase"].take(order)
    by_drop = {int(d): int(c) for d, c in zip(columns["drop"][order], phase.codes, strict=True) if c >= 0}
    phases = list(dict.fromkeys(phase.names[by_drop[drop]] for drop in sorted(by_drop)))
    return Drops(
        run=run_of[order],
        drop=columns["drop"][order],
        kind=columns["kind"].take(order),
        thrown=columns["thrown"][order],
        inside_before=columns["inside_before"][order],
        emerged=columns["emerged"][order],
        inside_after=columns["inside_after"][order],
        phase=phase.ordered(phases),
        colours_out=columns["colours_out"][order],
        action_points=columns["action_points"][order],
        gold=columns["gold"][order],
        winner=columns["winner"].take(order),
        drawn=columns["drawn"][order].astype(bool),
    )


def _cubes(columns: dict[str, Any], keys: Array, drops: Drops) -> Cubes:
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
    return Cubes(
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
    arrow, parquet = _pyarrow()
    try:
        tables = [parquet.read_table(arrow.BufferReader(data), columns=list(wanted)) for data in dataset.tables(name)]
        table = arrow.concat_tables(tables, promote_options="permissive")
        return {key: _column(arrow, table.column(key)) for key in wanted}
    except (arrow.ArrowException, KeyError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UsageError(
            f"{name}/*.parquet of campaign {str(dataset.store.directory)!r} cannot be read ({reason}); allowed are "
            f"files with the columns {', '.join(wanted)}; verify the campaign"
        ) from error


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
