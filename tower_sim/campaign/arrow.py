"""The one door to pyarrow, which is an extra and has no type stubs."""

from __future__ import annotations

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


def parquet_metadata(data: bytes) -> dict[str, str]:
    """Return what `parquet_bytes` was given as `metadata`; empty when `data` is no Parquet file."""
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    try:
        found: Any = parquet.read_schema(arrow.BufferReader(data)).metadata
    except (arrow.ArrowException, OSError):
        return {}
    pairs: list[tuple[bytes, bytes]] = list(found.items()) if found else []
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in pairs}
