"""Tokens: a value as one line of text that can be copied, sent and checked: PREFIX.<packed JSON>.<digest>."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from tower_sim.errors import UsageError, check_kind, fault
from tower_sim.reading import json_value

T = TypeVar("T")

_COMPACT = json.JSONEncoder(separators=(",", ":"))
_MAX_BYTES = 8_000_000  # unpacked: a past of some 30,000 drops


def pack(prefix: str, plain: Any) -> str:
    """Return `plain` (what JSON can hold) as a token: compressed, base64, with the first 16 digits of its SHA-256."""
    body = zlib.compress(_COMPACT.encode(plain).encode(), 9)
    text = base64.urlsafe_b64encode(body).decode().rstrip("=")
    return f"{prefix}.{text}.{_digest(prefix, text)}"


def unpack(prefix: str, token: str, read: Callable[[Any], T], what: str, source: str) -> T:
    """Read a token back with `read`, which makes the value of plain data; `what` it is of, and its `source`, in words.

    Raises UsageError, in one line, when the token is not one of ours, of another version, or damaged.
    """
    prefix_of(token, (prefix,), what, source)
    parts = token.strip().split(".")
    if _digest(prefix, parts[1]) != parts[2]:
        raise UsageError(
            f"{what} token {_short(token)!r} is damaged (its digest does not match); copy {source} again, whole"
        )
    try:
        body = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        return read(json_value(zlib.decompressobj().decompress(body, _MAX_BYTES), f"the {what}"))
    except (zlib.error, ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"{what} token {_short(token)!r} does not hold a {what} ({reason}); pass {source}, whole"
        ) from error


def prefix_of(token: str, prefixes: tuple[str, ...], what: str, source: str) -> str:
    """Return with which of `prefixes`, of the versions that can be read, the newest first, a token begins.

    Raises UsageError, in one line, for what is no token and for another beginning; else as `unpack`.
    """
    allowed, advice = f"one line of text, '{prefixes[0]}.<{what}>.<digest>'", f"pass {source}, whole"
    if not check_kind(f"{what} token", token, str, allowed, advice).strip().isascii():
        raise fault(f"{what} token", token, allowed, advice)
    parts = token.strip().split(".")
    if len(parts) != 3 or parts[0] not in prefixes:
        raise UsageError(
            f"{what} token {_short(token)!r} is not a tower_sim token; allowed is one line "
            f"'{prefixes[0]}.<{what}>.<digest>'; pass {source}, whole"
        )
    return parts[0]


def _digest(prefix: str, text: str) -> str:
    return hashlib.sha256(f"{prefix}.{text}".encode()).hexdigest()[:16]


def _short(token: str) -> str:
    token = " ".join(token.split())
    return token if len(token) <= 24 else f"{token[:16]}...{token[-4:]}"
