"""The form of entries: which fields a line of each kind has, each of which form; logline.js for npm says it, too."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from typing import Any, cast

from tower_sim.errors import UsageError
from tower_sim.service.verifiable.draws import check_words
from tower_sim.service.verifiable.lines import SCHEMA, VERSION

_HEX = set(string.digits + "abcdef")
_PLAIN = re.compile(r"[A-Za-z0-9_]{1,40}")  # a field's name that can be shown as it stands
_MOST = 10**15  # every language has whole numbers up to here
_Form = Callable[[object], bool]


def is_hex(value: object) -> bool:
    """Say whether a value is a text of hexadecimal digits in small letters."""
    return isinstance(value, str) and not set(value) - _HEX


def wrong_form(fields: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the form of an entry: another field than its kind has, none, or one of another form."""
    kind = fields.get("kind")
    version = fields.get("version")
    if kind == "log" and not (fields.get("schema") == SCHEMA and _whole(version) and version == VERSION):
        return "it is of another kind or version of log than this program can check"
    if not isinstance(kind, str) or kind not in _FIELDS:
        return "it does not say what such a line must say"
    return _compared(fields, {**_EVERY, **_FIELDS[kind]})


def _compared(fields: Mapping[str, Any], forms: Mapping[str, _Form]) -> str | None:
    for name in sorted(fields.keys() - forms.keys()):
        return "it says more than such a line may say" + (f": '{name}'" if _PLAIN.fullmatch(name) else "")
    wrong = next((name for name, form in forms.items() if name not in fields or not form(fields[name])), None)
    return wrong and f"it does not say what such a line must say: look at its '{wrong}'"


def _hex(digits: int) -> _Form:
    return lambda value: is_hex(value) and len(cast("str", value)) == digits


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _is(*kinds: type[Any]) -> _Form:
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


def _words(value: object) -> bool:
    try:
        check_words(value)
    except UsageError:
        return False
    return True


def _of(forms: Mapping[str, _Form]) -> _Form:
    return lambda value: isinstance(value, dict) and _compared(cast("dict[str, Any]", value), forms) is None


def _succession(value: object) -> bool:
    link = _of({"old": _hex(64), "new": _hex(64), "signature": is_hex})
    return isinstance(value, list) and all(map(link, cast("list[object]", value)))


_text, _table, _number = _is(str), _is(dict), _is(int, float)
_EVERY: Mapping[str, _Form] = {"number": _whole, "previous": _hex(64), "kind": _text}
_ROUND: Mapping[str, _Form] = {"round": _hex(32)}
_BY = _of({"tower_sim": _text, "model": _text, "edge": _number})
_FIELDS: Mapping[str, Mapping[str, _Form]] = {
    "log": {
        "schema": _text, "version": _whole, "log": _hex(32), "tower_sim": _text, "key": _hex(64),
        "succession": _succession,
    },
    "key": {"succession": _succession},
    "round": {**_ROUND, "commitment": _hex(64)},
    "words": {**_ROUND, "words": _words},
    "draw": {**_ROUND, "index": _whole, "asked": _table, "answer": lambda _: True, "by": _BY},
    "reveal": {**_ROUND, "secret": _hex(64), "draws": _whole},
}  # fmt: skip
