"""The lines of a log: one JSON object each, of which the bytes are signed as they stand, whatever language reads them.

    {"entry":{"number":3,"previous":"<SHA-256 of the line before>","kind":"draw",...},"signature":"<of the entry>"}

A line is ASCII. Every byte of it belongs to the frame, which is fixed, to the entry, which is signed, or to the
signature.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tower_sim.reading import check_bounds, refuse_constant

SCHEMA = "tower-sim/verifiable-log"
VERSION = 1
FIRST = "0" * 64
"""What stands in the first line for the hash of the line before."""

_CHANGED = "it has not the form of a line of such a log: something in it was changed"
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


class Malformed(ValueError):
    """What a line is that no line of a log can be; it says why."""


def taken_apart(line: bytes) -> LogLine:
    """Return a line's parts; raises Malformed for what has not the form of one, or what two readers may read otherwise.

    A key may be there once, and a whole number is written as JSON's own writers do: -0 is none.
    """
    found = _FRAME.fullmatch(line)
    if found is None:
        raise Malformed(_CHANGED)
    is_twice = False

    def table(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal is_twice
        is_twice |= len(dict(pairs)) < len(pairs)
        return dict(pairs)

    try:
        fields: dict[str, Any] = json.loads(
            found[1], object_pairs_hook=table, parse_int=_whole, parse_constant=refuse_constant
        )
        check_bounds(fields, "the entry")
    except (ValueError, RecursionError):
        raise Malformed(_CHANGED) from None
    if is_twice:
        raise Malformed("it says a key twice, so that two readers may read it otherwise")
    return LogLine(found[1], found[2].decode(), fields)


def _whole(digits: str) -> int:
    return refuse_constant(digits) if digits == "-0" else int(digits)
