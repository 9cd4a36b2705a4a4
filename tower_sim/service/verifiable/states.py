"""States of towers in a log: told whole once where they were brought, and else by their hash; the check carries them.

The hash is of what a state holds, not of its token, which other machines compress otherwise. The past is hashed event
by event, so that a hash takes no longer because many drops came before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tower_sim.errors import UsageError
from tower_sim.state import Event, TowerState

DIGITS = 64  # of a hash
MOST_KNOWN = 16  # states that a ledger tells by their hash: those it told last


@dataclass(frozen=True, slots=True)
class Traced:
    """A `state` and the hash of its `past`: "" without events, else SHA-256 of the hash before and the last event."""

    state: TowerState
    past: str

    @classmethod
    def of(cls, state: TowerState) -> Traced:
        """Trace a state."""
        return cls(state, _past("", state.log))

    def to(self, after: TowerState) -> Traced:
        """Trace the state that a drop has left which began with this one."""
        return Traced(after, _past(self.past, after.log[len(self.state.log) :]))

    @property
    def hash(self) -> str:
        """SHA-256 of the state as its token holds it, with the hash of the past in the past's place; hexadecimal."""
        return _hash(_json(replace(self.state, log=()).to_plain() | {"log": self.past}))


@lru_cache(64)  # the state after a drop is mostly that before the next
def hash_of_token(token: str) -> str:
    """Return the hash of the state that a token holds; raises UsageError as `TowerState.from_token`."""
    return Traced.of(TowerState.from_token(token)).hash


def shortened(
    asked: Mapping[str, Any], answer: Mapping[str, Any], known: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return a drop's request and answer with hashes in the place of states, and the hashes then `known`.

    The state asked with is left as it is where it is not known: one that was brought, or not told for long.
    """
    request, document, told = dict(asked), dict(answer), list[str]()
    if (token := request.get("state")) is not None:
        told.append(hash_of_token(token))
        if told[0] in known:
            request["state"] = told[0]
    if (token := document.get("state")) is not None:
        told.append(hash_of_token(token))
        document["state"] = told[-1]
    return request, document, (*(one for one in known if one not in told), *dict.fromkeys(told))[-MOST_KNOWN:]


class ToldStates:
    """The states that a log's lines have told so far, by hash; `brought` counts draws from one that none had left."""

    def __init__(self) -> None:
        self._known: dict[str, Traced] = {}
        self._left: set[str] = set()
        self.brought = 0

    def before(self, asked: Mapping[str, Any]) -> Traced | None:
        """Return the state that a draw began with, None for an empty tower.

        Raises UsageError for a hash that no line before it has told, and for what is no token.
        """
        told = asked.get("state")
        if told is None:
            return None
        if len(told) == DIGITS:
            if told not in self._known:
                raise UsageError(f"no line before it tells the state {told[:16]}... that it began with, or not rightly")
            name = told
        else:
            traced = Traced.of(TowerState.from_token(told))
            name = traced.hash
            self._known.setdefault(name, traced)
        self.brought += name not in self._left
        return self._known[name]

    def add(self, name: str, after: Traced) -> None:
        """Add the state that a draw has left."""
        self._known[name] = after
        self._left.add(name)


def _past(before: str, events: Sequence[Event]) -> str:
    for event in events:
        before = _hash(before.encode() + _json(event.to_plain()))
    return before


def _json(plain: object) -> bytes:
    return json.dumps(plain, separators=(",", ":")).encode()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
