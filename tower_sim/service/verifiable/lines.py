"""The lines of a log: one JSON object each, of which the bytes are signed as they stand, whatever language reads them.

    {"entry":{"number":3,"previous":"<SHA-256 of the line before>","kind":"draw",...},"signature":"<of the entry>"}

A line is ASCII. Every byte of it belongs to the frame, which is fixed, to the entry, which is signed, or to the
signature.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from tower_sim.reading import json_value

SCHEMA = "tower-sim/verifiable-log"
VERSION = 1
FIRST = "0" * 64
"""What stands in the first line for the hash of the line before."""

_FRAME = re.compile(rb'\{"entry":(\{[ -~]*\}),"signature":"([0-9a-f]{128})"\}')


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line taken apart: the `entry`'s bytes as signed, their `signature`, the `fields` of the entry."""

    entry: bytes
    signature: str
    fields: Mapping[str, Any]


def entry_bytes(number: int, previous: str, kind: str, fields: Mapping[str, Any]) -> bytes:
    """Return the bytes of an entry, all of them ASCII."""
    whole = {"number": number, "previous": previous, "kind": kind, **fields}
    return json.dumps(whole, separators=(",", ":"), allow_nan=False).encode()


def framed(entry: bytes, signature: str) -> str:
    """Return a line, without its end."""
    return f'{{"entry":{entry.decode()},"signature":"{signature}"}}'


def hashed(line: str | bytes) -> str:
    """Return the hash that the next line holds: SHA-256 of a line without its end, in hexadecimal."""
    return hashlib.sha256(line.encode() if isinstance(line, str) else line).hexdigest()


def taken_apart(line: bytes) -> LogLine | None:
    """Return a line's parts; None for what has not the form of one. Raises UsageError for an entry that is no JSON."""
    found = _FRAME.fullmatch(line)
    if found is None:
        return None
    fields = json_value(found[1], "the entry")
    return LogLine(found[1], found[2].decode(), cast("dict[str, Any]", fields))
