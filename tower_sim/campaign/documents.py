"""What a manifest and a receipt must hold: read whole, sealed, of the right types, in agreement with their spec.

Their digests are no secret, so that anybody can seal anything: nothing of a document is used before it is checked here.
Documents are compared by their text, since in Python 1 == 1.0 == True.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from tower_sim.campaign.files import digest, unsealed
from tower_sim.campaign.spec import RECORD, Spec, canonical_json
from tower_sim.campaign.tables import CUBES, DROPS, POSES
from tower_sim.errors import UsageError
from tower_sim.reading import read_bytes

SCHEMA = "tower-sim/campaign"
VERSION = 1
RECEIPT = "tower-sim/campaign-receipt"
MANIFEST = "manifest.json"
RECEIPTS = "receipts"
OWN_TABLE = "own_table"
"""Among the versions of a manifest: the name of the game's own table, where it has one."""
MAX_BYTES = 50_000_000
"""Of a manifest, receipt or log: the manifest of as many shards as are allowed has some 15 MB."""
_HEAD = ("schema", "version", "spec", "spec_digest", "versions", "platform", "points", "campaign")
_RECEIPT = ("schema", "version", "campaign", "shard", "runs", "failed_draws", "unfinished_runs", "files")
_FACTS = ("sha256", "bytes", "rows")
_SHA256 = re.compile("[0-9a-f]{64}")
_TABLE = re.compile("[a-z][a-z0-9_]{0,99}")

Document = dict[str, Any]


def content(path: Path) -> bytes | None:
    """Return a document's bytes; None where there is no such file.

    Raises UsageError for what is no regular file, cannot be read or is too large for a document.
    """
    return read_bytes(path, "file", limit=MAX_BYTES) if os.path.lexists(path) else None


def same(one: object, other: object) -> bool:
    """Whether two documents are the same text: the same values of the same types in the same order."""
    try:
        return canonical_json(one) == canonical_json(other)
    except ValueError:  # not a number
        return False


def tables_in(head: Document) -> tuple[str, ...]:
    """Return the names of a dataset's tables, from its manifest."""
    own = head["versions"].get(OWN_TABLE)
    recorded = head["spec"].get(RECORD, False)
    return (DROPS.name, CUBES.name, *(() if own is None else (own,)), *((POSES.name,) if recorded else ()))


def names(index: int, tables: Sequence[str]) -> list[str]:
    """Return the names of the files of a shard's `tables`, within the directory."""
    return [f"{table}/{index:05d}.parquet" for table in tables]


def receipt_name(index: int) -> str:
    """Return the name of a shard's receipt, within the directory."""
    return f"{RECEIPTS}/{index:05d}.json"


def receipt_fault(receipt: Document, spec: Spec, index: int, tables: Sequence[str]) -> str:
    """Say what of a sealed receipt cannot be that of shard `index`, but for its campaign; empty when all can.

    `tables` are the names of the dataset's tables.
    """
    if wrong := _keys(receipt, _RECEIPT):
        return wrong
    runs = spec.runs_of(index)
    expected = {"schema": RECEIPT, "version": VERSION, "shard": index, "runs": [runs.start, runs.stop - 1]}
    for key, value in expected.items():
        if not same(receipt[key], value):
            return f"its {key} cannot be"
    if not _is_count(receipt["failed_draws"]):
        return "its failed_draws is no count"
    unfinished = receipt["unfinished_runs"]
    if not isinstance(unfinished, list) or not all(map(_is_count, cast("list[object]", unfinished))):
        return "its unfinished_runs are no list of runs"
    numbers = cast("list[int]", unfinished)
    if sorted(set(numbers)) != numbers or not all(number in runs for number in numbers):
        return "its unfinished_runs are not of the shard"
    files = receipt["files"]
    if not isinstance(files, Mapping) or list(cast("Mapping[str, object]", files)) != names(index, tables):
        return "its files are not those of the shard"
    return next((wrong for facts in cast("Mapping[str, object]", files).values() if (wrong := _facts_fault(facts))), "")


def _facts_fault(facts: object) -> str:
    if not isinstance(facts, Mapping) or tuple(cast("Mapping[str, object]", facts)) != _FACTS:
        return f"a file has other facts than {', '.join(_FACTS)}"
    table = cast("Mapping[str, object]", facts)
    if not isinstance(table["sha256"], str) or not _SHA256.fullmatch(table["sha256"]):
        return "a file's sha256 is none"
    return "" if _is_count(table["bytes"]) and _is_count(table["rows"]) else "a file's bytes or rows are no count"


def read_manifest(data: bytes) -> tuple[Document, Spec] | str:
    """Return a manifest (its `shards` not looked into) and its spec; a text that says what is wrong, if anything is.

    Raises UsageError for one of another version.
    """
    document = unsealed(data)
    if document is None:
        return "changed or truncated"
    if not same([document.get("schema"), document.get("version")], [SCHEMA, VERSION]):
        raise UsageError(
            f"{MANIFEST} is {document.get('schema')!r} version {document.get('version')!r}; "
            f"allowed is {SCHEMA!r} version {VERSION}; use the tower_sim that made it"
        )
    if wrong := _keys(document, (*_HEAD, "shards")):
        return f"changed: {wrong}"
    head = {key: document[key] for key in _HEAD if key != "campaign"}
    text = canonical_json(document["spec"])
    is_whole = same(document["spec_digest"], digest(text.encode()))
    if not is_whole or not same(document["campaign"], digest(canonical_json(head).encode())):
        return "changed: its digests do not match"
    try:
        spec = Spec.from_canonical(text)
    except UsageError as error:
        return f"changed: {error}"
    wrong = _head_fault(document, spec)
    return f"changed: {wrong}" if wrong else (document, spec)


def manifest_at(path: Path) -> tuple[Document, Spec] | None:
    """Read a manifest; None where there is none, or a damaged one. Raises UsageError for one of another version."""
    data = content(path)
    found = "" if data is None else read_manifest(data)
    return None if isinstance(found, str) else found


def _head_fault(head: Document, spec: Spec) -> str:
    for part in ("versions", "platform"):
        texts = head[part]
        if not isinstance(texts, Mapping) or not all(isinstance(x, str) for x in cast("Document", texts).values()):
            return f"its {part} are no texts"
    own = head["versions"].get(OWN_TABLE, "own")
    if not _TABLE.fullmatch(own) or own in (DROPS.name, CUBES.name, RECEIPTS, *((POSES.name,) if spec.record else ())):
        return "the name of its own table cannot be"
    points = head["points"]
    if not isinstance(points, list) or len(cast("list[object]", points)) != len(spec.points):
        return "its points are not those of the spec"
    for point, values in zip(cast("list[object]", points), spec.points, strict=True):
        if not isinstance(point, Mapping) or _keys(cast("Document", point), ("values", "apparatus", "settings")):
            return "its points are not those of the spec"
        table = cast("Document", point)
        digests = [table["apparatus"], "" if table["settings"] is None else table["settings"]]
        if not same(table["values"], values) or not all(isinstance(text, str) for text in digests):
            return "its points are not those of the spec"
    return ""


def _keys(document: Document, wanted: tuple[str, ...]) -> str:
    """Say that the keys of a document are others than `wanted`, in that order; empty when they are not."""
    return "" if tuple(document) == wanted else f"its keys are not {', '.join(wanted)}"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
