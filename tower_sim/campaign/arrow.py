"""The one door to pyarrow, which is an extra and has no type stubs."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.extras import extra

_CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "float64": "d"}  # of array.array, which is as strict
_BITS = {None: 0, False: 0, True: 1}


def parquet_bytes(columns: dict[str, tuple[str, bool, list[Any]]], metadata: dict[str, str]) -> bytes:
    """Write one table as a Parquet file: `columns` holds for each name its type, whether null is allowed, the values.

    The options are fixed, so that equal arguments give equal bytes with one version of pyarrow.
    """
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    types = {name: getattr(arrow, kind + "_" if kind == "bool" else kind)() for name, (kind, _, _) in columns.items()}
    schema = arrow.schema(
        [arrow.field(name, types[name], nullable=nullable) for name, (_, nullable, _) in columns.items()],
        metadata=metadata,
    )
    arrays = [_array(arrow, types[name], kind, values) for name, (kind, _, values) in columns.items()]
    return _written(arrow, parquet, arrow.Table.from_arrays(arrays, schema=schema))


def relabelled(path: Path, metadata: dict[str, str]) -> bytes:
    """Return a file of `parquet_bytes` as it would be with this changed in its metadata."""
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    with parquet.ParquetFile(path) as file:
        table = file.read()
    changed = dict(table.schema.metadata) | {key.encode(): value.encode() for key, value in metadata.items()}
    return _written(arrow, parquet, table.replace_schema_metadata(changed))


def _written(arrow: Any, parquet: Any, table: Any) -> bytes:
    sink = arrow.BufferOutputStream()
    options = {"version": "2.6", "compression": "zstd", "compression_level": 3, "row_group_size": 1 << 20}
    parquet.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


def _array(arrow: Any, form: Any, kind: str, values: Sequence[Any]) -> Any:
    """Return what `arrow.array(values, form)` does, which first loads pandas, where that is installed: half a second.

    Raises TypeError, OverflowError, AttributeError or KeyError for a value that is not of the `kind`.
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


def parquet_metadata(path: Path) -> dict[str, str]:
    """Return what `parquet_bytes` was given as `metadata`, and `rows`; empty when a file is no Parquet file."""
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    try:
        metadata: Any = parquet.read_metadata(path)
        pairs: dict[bytes, bytes] = metadata.schema.to_arrow_schema().metadata or {}
    except (arrow.ArrowException, OSError):
        return {}
    texts = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in pairs.items()}
    return texts | {"rows": str(metadata.num_rows)}


def parquet_columns(path: Path, names: Sequence[str]) -> list[list[Any]] | None:
    """Return columns of a Parquet file as lists; None when it has no such columns."""
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    try:
        with parquet.ParquetFile(path) as file:  # read_table is for sets of files, and loads what takes half a second
            table = file.read(columns=list(names))
        return [table.column(name).to_pylist() for name in names]
    except (arrow.ArrowException, OSError, KeyError):
        return None
