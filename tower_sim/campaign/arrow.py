"""The one door to pyarrow, which is an extra and has no type stubs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tower_sim.extras import extra


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
    arrays = [arrow.array(values, types[name]) for name, (_, _, values) in columns.items()]
    sink = arrow.BufferOutputStream()
    parquet.write_table(
        arrow.Table.from_arrays(arrays, schema=schema),
        sink,
        version="2.6",
        compression="zstd",
        compression_level=3,
        row_group_size=1 << 20,
    )
    return sink.getvalue().to_pybytes()


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
        table = parquet.read_table(path, columns=list(names))
        return [table.column(name).to_pylist() for name in names]
    except (arrow.ArrowException, OSError, KeyError):
        return None
