"""Mutations for the fuzzers: of documents, value by value, and of text, character by character."""

from __future__ import annotations

import copy
import datetime
import json
import random
from typing import Any

NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 255, 256, 32767, 32768, 2**31, 2**63, 2**64, 10**30, -(10**30), 10**400,
    0.0, -0.0, 0.5, 1.0, -1.5, 1e-300, 1e6, 1e300, float("nan"), float("inf"), float("-inf"),
    "", "x", "blue", "\x00", "two\nlines", "\u2028", "\U0001f9ca", "é" * 300, "y" * 5000, "9" * 5000,
    "../../etc", "0x7", "/dev/zero", "nowhere", [], [[]], [1, 2], [None], ["blue", "blue"], [1.5] * 50, {}, {"": {}},
    {"low": 1, "high": 2}, {"a": [{"b": 1}]},
)  # fmt: skip
PIECES = (
    "=", "[", "]", "{", "}", '"', "'", ",", ".", "\n", "-", "\\", "#", "\x00", "nan", "inf", "true", "9" * 5000,
    "1e999", "2026-01-02", "1979-05-27T07:32:00Z", "a." * 5000, "[" * 3000, "x" * 5000, "\ufeff", "é", "0x", "_",
)  # fmt: skip
DATES = (datetime.date(2026, 1, 2), datetime.time(1, 2, 3), datetime.datetime(2026, 1, 2, 3, 4))


def nested(rng: random.Random) -> Any:
    value: Any = 1
    for _ in range(rng.choice((2, 10, 45, 90))):
        value = [value] if rng.random() < 0.5 else {"x": value}
    return value


def nasty(rng: random.Random, dates: bool = False) -> Any:
    """A value that somebody might write where another is due."""
    kind = rng.random()
    if kind < 0.05:
        return nested(rng)
    if dates and kind < 0.15:
        return rng.choice(DATES)
    if kind < 0.3:
        return rng.choice((rng.randint(-5, 60), rng.uniform(-5, 60), 10 ** rng.randint(0, 30)))
    return copy.deepcopy(rng.choice(NASTY))


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, each in inner for way in ((*at, key), *places(each, (*at, key)))]


def mutated(document: Any, rng: random.Random, dates: bool = False) -> Any:
    """A copy with one to three values replaced, removed, added, doubled, renamed or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        ways = places(document)
        if not ways:
            return document
        *way, last = rng.choice(ways)
        parent = document
        for key in way:
            parent = parent[key]
        kind = rng.randrange(6)
        if kind == 0:
            del parent[last]
        elif kind == 1 and isinstance(parent, dict):
            parent[rng.choice(["x", "", "two\nlines", "9", "k" * 400, last])] = nasty(rng, dates)
        elif kind == 1:
            parent.insert(last, nasty(rng, dates))
        elif kind == 2 and isinstance(parent[last], (int, float)) and not abs(parent[last]) > 10**300:
            parent[last] = rng.choice((bool, float, str, lambda x: -x, lambda x: x * 1000, lambda x: x + 1))(
                parent[last]
            )
        elif kind == 3:
            other = rng.choice(ways)
            found = document
            try:
                for key in other:
                    found = found[key]
            except (KeyError, IndexError, TypeError):
                continue
            parent[last] = copy.deepcopy(found)
        else:
            parent[last] = nasty(rng, dates)
    return document


def garbled(text: str, rng: random.Random) -> str:
    """A text with one to four pieces cut out, doubled, exchanged or put in."""
    for _ in range(rng.randint(1, 4)):
        a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        b = min(b, a + rng.choice((1, 3, 20, 200)))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:a] + text[b:]
        elif kind == 1:
            text = text[:b] + text[a:]
        else:
            text = text[:a] + rng.choice(PIECES) + text[a if kind == 2 else b :]
    return text


def _key(key: Any) -> str:
    return json.dumps(str(key))


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items() if each is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(each) for each in value if each is not None) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=True).replace("\\ud83e\\uddca", "\\U0001f9ca")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)
