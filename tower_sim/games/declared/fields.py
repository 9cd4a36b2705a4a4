"""What stands under the keys of a declared game's file, checked: one line with the key's path for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from tower_sim.errors import UsageError, check_whole, fault, unknown
from tower_sim.fields import refuse_unknown
from tower_sim.games.declared.expressions import COLOURS, DROP, PHASE, PLACES, ROUND
from tower_sim.games.declared.grammar import CONNECTIVES, FUNCTIONS

MAX_WORD = 40
MAX_TEXT = 400  # characters of what is said
MAX_ENTRIES = 50  # pools, phases, readings of a phase, moves, parameters, ...
RESERVED = frozenset([*FUNCTIONS, *CONNECTIVES, *PLACES, COLOURS, DROP, PHASE, ROUND, "on"])
_WORD = re.compile(r"[a-z0-9][a-z0-9_]*", re.ASCII)


def table(value: object, where: str, most: int = MAX_ENTRIES) -> dict[str, Any]:
    """Return a table of at most so many keys."""
    if not isinstance(value, Mapping):
        raise fault(where, value, "a table", f"write it as [{where}]")
    entries = dict(cast("Mapping[str, Any]", value))
    if len(entries) > most:
        raise fault(f"number of keys of {where}", len(entries), f"up to {most}", "take fewer")
    return entries


def fields(value: object, where: str, known: Iterable[str], needed: Iterable[str] = ()) -> dict[str, Any]:
    """Return a table that has no other keys than those `known`, and those that are `needed`."""
    entries = table(value, where)
    refuse_unknown(entries, dict.fromkeys(known), where)
    for key in needed:
        if key not in entries:
            raise UsageError(f"{where}.{key} is missing; allowed is a table with {', '.join(needed)}; add it")
    return entries


def named(value: object, where: str, most: int = MAX_ENTRIES, *, is_colour: bool = False) -> dict[str, Any]:
    """Return a table whose keys are words, of colours or of anything else."""
    entries = table(value, where, most)
    for key in entries:
        word(key, f"a key of {where}", is_colour=is_colour)
    return entries


def items(value: object, where: str, least: int = 0, most: int = MAX_ENTRIES) -> list[Any]:
    """Return a list of so many items."""
    if not isinstance(value, list):
        raise fault(where, value, "a list", "write it in [ ]")
    entries = cast("list[Any]", value)
    if not least <= len(entries) <= most:
        raise fault(f"number of items of {where}", len(entries), f"{least} to {most}", "write more or fewer")
    return entries


def text(value: object, where: str) -> str:
    """Return a text on one line."""
    if not isinstance(value, str) or len(value) > MAX_TEXT or not value.isprintable():
        raise fault(where, value, f"a text of up to {MAX_TEXT} characters on one line", "write it in quotes")
    return value


def word(value: object, where: str, *, is_colour: bool = False) -> str:
    """Return a word that may name something; that of a colour may begin with a digit."""
    is_word = isinstance(value, str) and len(value) <= MAX_WORD and _WORD.fullmatch(value)
    if not isinstance(value, str) or not is_word or not (is_colour or value[0].isalpha()):
        begun = "" if is_colour else ", a letter first"
        allowed = f"a word of up to {MAX_WORD} small letters, digits and _{begun}"
        raise fault(where, value, allowed, "choose another")
    if value in RESERVED:
        raise fault(where, value, f"a word other than {', '.join(sorted(RESERVED))}", "choose another")
    return value


def one_of(value: object, where: str, known: Iterable[str]) -> str:
    """Return one of the words `known`."""
    words = list(known)
    if not isinstance(value, str) or value not in words:
        raise unknown(where, value, words or ["none: there is no such thing"])
    return value


def some_of(value: object, where: str, known: Iterable[str], most: int = MAX_ENTRIES) -> tuple[str, ...]:
    """Return a list of different words, each of those `known`."""
    found = [one_of(each, where, known) for each in items(value, where, 1, most)]
    if len(set(found)) < len(found):
        raise fault(where, found, "each word once", "remove the second")
    return tuple(found)


def whole(value: object, where: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`."""
    check_whole(where, value, least, most)
    return cast("int", value)
