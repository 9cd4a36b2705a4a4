"""Read the dataset in a campaign's directory: the files of the shards that its manifest lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.campaign.running import spans
from tower_sim.campaign.store import Store
from tower_sim.errors import UsageError, quote
from tower_sim.games import KEY
from tower_sim.results import Array, Columns, Words
from tower_sim.tools import as_path, extra

LANDINGS = ("settled", "jammed")
_DROPS = (*KEY, "kind", "status", "drawn", "thrown", "inside_before", "emerged", "inside_after")
_CUBES = ("point", "run", "drop", "cube", "colour", "thrown", "age", "before", "after")
_WIDEST = 1 << 21  # runs of a point, and drops of a run, that a key holds


def read_campaign(directory: str | Path) -> Campaign:
    r"""Read the dataset of a campaign, also if shards were not played yet.

    Args:
        directory: The directory that `campaign.run` wrote. Its files are unchanged, its campaign has no knocks, and a
            drop succeeded.

    Returns:
        The dataset.

    >>> from tempfile import TemporaryDirectory
    >>> from tower_sim.campaign import parse, run
    >>> spec = parse('[campaign]\ngame = "amerigo"\nmodel = "surrogate"\nseed = "7"\ngames = 2\nshard = 1')
    >>> with TemporaryDirectory() as folder:
    ...     summary = run(spec, Path(folder, "data"))
    ...     campaign = read_campaign(Path(folder, "data"))
    >>> campaign.runs, len(campaign.rows), campaign.by_colour["thrown"].shape
    (2, 72, (72, 7))
    """
    store = Store.read(as_path("directory", directory))
    where = f"campaign {quote(str(directory))}"
    wrong = [*store.damaged, *(f"{name}: foreign: of no shard of it" for name in store.foreign())]
    wrong += [problem for index in store.lines for problem in store.problems(index)]
    if wrong:
        allowed = "allowed is a dataset as it was written; run the campaign again to mend it"
        raise UsageError(f"{where}: {wrong[0]}; {allowed}")
    if isinstance(store.head.spec["rules"].get("knocks"), dict):  # a knock changes the cubes inside between two drops
        raise UsageError(
            f"{where} has knocks; allowed is one without, since reports and fits follow cubes from drop to drop; read "
            "its Parquet tables yourself"
        )
    if not store.lines:
        raise UsageError(f"{where} has 0 of {store.spec.shards} shards; allowed is 1 or more; run the campaign first")
    missing = tuple(index for index in range(store.spec.shards) if index not in store.lines)
    others: dict[str, Any] = {"spec": store.head.spec, "points": store.spec.points, "digest": store.spec.digest}
    others |= {"made_with": store.head.versions, "shards": store.spec.shards, "missing": missing}
    return campaign_of(partial(_table, store), store.head.tables, where, **others)


def campaign_of(read: Callable[..., Any], names: Sequence[str], where: str, **others: Any) -> Campaign:
    """Return the campaign in the tables `names`; `others` are further fields of a Campaign.

    `read` returns an Arrow table by its name, all of it or some columns. Raises UsageError, which calls the campaign
    `where`, if no drop landed, or one is there twice.
    """
    columns = _arrays(read("drops", _DROPS), _DROPS)
    landed = columns["status"].among(*LANDINGS)
    if not landed.any():
        allowed = "allowed is one that landed; run the campaign first"
        raise UsageError(f"{where} has {len(landed)} drops that all failed; {allowed}")
    key = _key(columns)
    order = np.flatnonzero(landed)[np.argsort(key[landed], kind="stable")]
    if len(np.unique(key[order])) < len(order):
        raise UsageError(f"{where} holds a drop twice; allowed is each (point, run, drop) once; play it again")
    pair = columns["point"].astype(np.int64) * _WIDEST + columns["run"]
    known, run_of = np.unique(pair, return_inverse=True)
    facts = Columns()
    for own in names[2:]:
        facts = _facts(read(own), key[order], f"{own}/*.parquet of {where}")
    cubes = _cubes(_arrays(read("cubes", _CUBES), _CUBES), key[order])
    extra("pyarrow", "campaign").default_memory_pool().release_unused()  # 160 MB of 100,000 drops
    return Campaign.of(
        rows=_rows(columns, order, run_of, facts),
        cubes=cubes,
        facts=facts,
        run_point=known // _WIDEST,
        failed=Columns({"run": run_of, "drop": columns["drop"], "status": columns["status"]}).take(~landed),
        **others,
    )


def load_whole(directory: str | Path) -> Campaign:
    """Read a campaign as `load` does; raises UsageError also for a missing shard."""
    campaign = read_campaign(directory)
    if campaign.missing:
        raise UsageError(
            f"campaign {str(directory)!r} lacks shards {spans(campaign.missing)} of {campaign.shards}; allowed is a "
            "whole one; run the campaign to its end"
        )
    return campaign


def _facts(table: Any, order: Array, where: str) -> Columns:
    arrow = extra("pyarrow", "campaign")
    keys = _key({column: table.column(column).to_numpy() for column in KEY})
    by_key = np.argsort(keys, kind="stable")
    rows = by_key[np.searchsorted(keys, order, sorter=by_key).clip(max=len(keys) - 1)] if len(keys) else order
    if len(keys) < len(order) or not np.array_equal(keys[rows], order):
        raise UsageError(f"{where} lack a drop; allowed is a row for each that landed; check the campaign")
    facts = table.drop_columns(list(KEY)).take(arrow.array(rows))
    return Columns({column: _column(arrow, facts.column(column), np.nan) for column in facts.column_names})


def _rows(columns: dict[str, Any], order: Array, run_of: Array, facts: Columns) -> Columns:
    phase, winner = (
        column if isinstance(column := facts.by_name.get(name), Words) else Words.none(len(order))
        for name in ("phase", "winner")
    )
    by_drop = {int(d): int(c) for d, c in zip(columns["drop"][order], phase.codes, strict=True) if c >= 0}
    phases = list(dict.fromkeys(phase.names[by_drop[drop]] for drop in sorted(by_drop)))
    names = {"drop": "drop", "kind": "kind", "thrown": "thrown", "inside_before": "before", "emerged": "out",
             "inside_after": "inside", "drawn": "drawn"}  # fmt: skip
    return Columns(
        {"run": run_of[order]}
        | {short: columns[name][order] for name, short in names.items()}
        | {"phase": phase.ordered(phases), "winner": winner}
    )


def _cubes(columns: dict[str, Any], keys: Array) -> Columns:
    key = _key(columns)
    row = np.searchsorted(keys, key)
    row[row == len(keys)] = 0
    there = np.flatnonzero(keys[row] == key)
    order = there[np.argsort(row[there], kind="stable")]
    colour: Words = columns["colour"]
    least = np.full(len(colour.names), _WIDEST)
    np.minimum.at(least, colour.codes[there], columns["cube"][there])
    colours = sorted(colour.names, key=lambda name: (int(least[colour.names.index(name)]), name))
    return Columns(
        {"row": row[order].astype(np.int32)}
        | {name: columns[name][order] for name in ("cube", "thrown", "age", "before", "after")}
        | {"colour": colour[order].ordered(colours)}
    )


def _key(columns: dict[str, Any]) -> Array:
    return (columns["point"].astype(np.int64) * _WIDEST + columns["run"]) * _WIDEST + columns["drop"]


def _arrays(table: Any, wanted: Sequence[str]) -> dict[str, Any]:
    return {key: _column(extra("pyarrow", "campaign"), table.column(key), 0) for key in wanted}


def _table(store: Store, name: str, wanted: Sequence[str] | None = None) -> Any:
    arrow, dataset = extra("pyarrow", "campaign"), extra("pyarrow.dataset", "campaign")
    paths = [str(store.path(name, index)) for index in sorted(store.lines)]
    try:
        table = dataset.dataset(paths, format="parquet").to_table(columns=None if wanted is None else list(wanted))
        table.select(list(wanted or KEY))
    except (arrow.ArrowException, KeyError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UsageError(
            f"{name}/*.parquet of campaign {str(store.directory)!r} cannot be read ({reason}); allowed are files with "
            f"the columns {', '.join(wanted or KEY)}; check the campaign"
        ) from error
    return table


def _column(arrow: Any, column: Any, null: float) -> Array | Words:
    if arrow.types.is_string(column.type):
        coded = column.combine_chunks().dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int16)
        return Words(tuple(coded.dictionary.to_pylist()), codes).ordered(())
    is_bool = arrow.types.is_boolean(column.type)
    if column.null_count and null != 0:
        return (column.cast(arrow.int8()) if is_bool else column).cast(arrow.float64()).to_numpy()
    return (column.fill_null(False if is_bool else 0) if column.null_count else column).to_numpy()
