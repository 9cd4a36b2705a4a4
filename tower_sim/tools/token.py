"""Tokens: a value as one line of text that can be copied, sent and checked: PREFIX.<packed JSON>.<digest>."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from tower_sim.errors import UsageError, check_kind, fault
from tower_sim.tools.reading import refuse_constant

T = TypeVar("T")

_COMPACT = json.JSONEncoder(separators=(",", ":"))
MOST_BYTES = 8_000_000  # unpacked: a past of some 60,000 drops of few cubes, or 5,000 of 49
_PER_PART = 4  # bytes for each [, { and comma: a short cube, `[0,"red",0.008],`, has 16 for four


def pack(prefix: str, plain: Any) -> str:
    """Return a JSON value as a token: compressed, in base64, and with 16 digits of its SHA-256."""
    body = zlib.compress(_COMPACT.encode(plain).encode(), 9)
    text = base64.urlsafe_b64encode(body).decode().rstrip("=")
    return f"{prefix}.{text}.{_digest(prefix, text)}"


def unpack(prefix: str, token: str, read: Callable[[Any], T], what: str, source: str, most: int = MOST_BYTES) -> T:
    """Return the value of a token; `read` makes it from the unpacked plain data, and must check every number.

    Errors call the value `what` and say that tokens come from `source`. At most `most` bytes are unpacked, and no more
    values than an honest token of that size has.
    """
    allowed, advice = f"one line of text, '{prefix}.<{what}>.<digest>'", f"pass {source}, whole"
    if not check_kind(f"{what} token", token, str, allowed, advice).strip().isascii():
        raise fault(f"{what} token", token, allowed, advice)
    parts = token.strip().split(".", 3)
    if len(parts) != 3 or parts[0] != prefix:
        raise UsageError(
            f"{what} token {_short(token)!r} is not a tower_sim token; allowed is one line "
            f"'{prefix}.<{what}>.<digest>'; pass {source}, whole"
        )
    if _digest(prefix, parts[1]) != parts[2]:
        raise UsageError(
            f"{what} token {_short(token)!r} is damaged (its digest does not match); copy {source} again, whole"
        )
    try:
        body = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        text = zlib.decompressobj().decompress(body, most + 1)
        values = text.count(b"[") + text.count(b"{") + text.count(b",")
        if len(text) <= most and values <= most // _PER_PART:
            return read(json.loads(text.decode(), parse_constant=refuse_constant))
    except (zlib.error, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"{what} token {_short(token)!r} does not hold a {what} ({reason}); pass {source}, whole"
        ) from error
    raise UsageError(
        f"{what} token {_short(token)!r} unpacks to "
        + (f"more than {most} bytes" if len(text) > most else f"some {values} values")
        + f"; allowed are up to {most} bytes and {most // _PER_PART} values; go on from a {what} with a shorter past",
        what,
        "field.too_large",
    )


def _digest(prefix: str, text: str) -> str:
    return hashlib.sha256(f"{prefix}.{text}".encode()).hexdigest()[:16]


def _short(token: str) -> str:
    token = " ".join(token.split())
    return token if len(token) <= 24 else f"{token[:16]}...{token[-4:]}"
