"""The one exception for a caller's mistake, its message, and the checks that raise it.

Every public function of tower_sim raises UsageError, in one line, when an argument, a file or a document is not
allowed. Docstrings do not repeat this. They name the other exceptions.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from numbers import Real
from typing import Any, TypeVar, cast

_CHANGE = "change it or leave it out"
_LONGEST = 120  # characters of a received value that are quoted
_SHORT = 40  # digits of a number that are quoted
T = TypeVar("T")
# Characters that a terminal or a page obeys instead of printing: controls, soft hyphen, marks of direction and width,
# separators, lone surrogates, tags.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


class UsageError(ValueError):
    """A caller's mistake, in one line: what was received, what is allowed, what to try.

    The command line prints the line and exits with status 2. A notebook shows only the line.

    Args:
        text: The line.
        what: The wrong argument or key.
        code: A word for programs; `service.codes` lists all codes.

    >>> from tower_sim import load
    >>> load("amerigoo")
    Traceback (most recent call last):
        ...
    tower_sim.errors.UsageError: apparatus 'amerigoo' is neither a shipped profile nor a file; ... did you mean amerigo?
    """

    def __init__(self, text: str, what: str = "", code: str = "field.invalid") -> None:
        super().__init__(printable(" ".join(text.splitlines())))  # what was received may hold line breaks, in a key too
        self.what, self.code = what, code

    def _render_traceback_(self) -> list[str]:
        return [f"tower_sim: {self}"]


def printable(text: str) -> str:
    r"""Replace control characters in `text` by escapes such as \x1b and \u202e; line breaks stay."""
    return _OBEYED.sub(lambda match: match[0] if match[0] == "\n" else ascii(match[0])[1:-1], text)


def prints(text: str) -> bool:
    """Return whether `text` has only characters that print, with every Unicode version of Python."""
    return text.isprintable() or _OBEYED.search(text) is None


def fault(what: str, value: object, allowed: str, advice: str = _CHANGE, code: str = "field.invalid") -> UsageError:
    """Return the error for `what` with the wrong `value`; the line says what is `allowed` and gives `advice`."""
    return UsageError(f"{what} is {quote(value)}; allowed is {allowed}; {advice}", what, code)


def quote(value: object, longest: int = _LONGEST) -> str:
    """Return a received value as an error quotes it: on one line, cut in the middle, with true, false and nothing."""
    value = plain(value)
    if isinstance(value, int) and abs(value) >= 10**_SHORT:
        return f"a number of about {int((value.bit_length() - 1) * 0.30103) + 1} digits"
    if isinstance(value, str) and len(value) > 2 * longest:
        value = value[:longest] + value[-longest:]  # the middle is left out below anyway
    try:
        text = " ".join(_write(value).split())
    except (ValueError, RecursionError):  # a number too long to write, or too deep a table
        text = f"a {type(value).__name__} that cannot be written down"
    return text if len(text) <= longest else f"{text[: longest * 2 // 3]}...{text[-longest // 6 :]}"


def check_whole(what: str, value: object, least: int, most: int | None = None, advice: str = _CHANGE) -> int:
    """Check that `value` is a whole number from `least` to `most`; return an int."""
    number = as_whole(value)
    if number is None or number < least or (most is not None and number > most):
        raise fault(what, value, f"a whole number from {least}" + ("" if most is None else f" to {most}"), advice)
    return number


def as_whole(value: object) -> int | None:
    """Return a whole number of any type as an int; None for any other value and for bool."""
    try:
        return None if isinstance(value, bool) else operator.index(cast("Any", value))
    except TypeError:
        return None


def check_kind(what: str, value: object, kind: type[T], allowed: str, advice: str) -> T:
    """Check that `value` is an instance of `kind` and return it."""
    if not isinstance(value, kind):
        raise fault(what, value, allowed, advice)
    return value


def check_number(
    what: str, value: object, least: float, most: float, advice: str = "change it", unit: str = ""
) -> float:
    """Check that `value` is a number from `least` to `most`; return a float."""
    is_number = isinstance(value, Real) and value is not True and value is not False
    if not (is_number and least <= cast("float", value) <= most):  # False for nan too
        raise fault(what, value, f"a number from {least:g} to {most:g}{unit}", advice)
    return float(cast("float", value))


def check_table(what: str, value: object, advice: str = 'write {"key": value}') -> dict[str, Any]:
    """Check that `value` is a table with strings for keys; return it `plain`."""
    table: object = plain(value)
    if not isinstance(table, dict):
        raise fault(what, value, "a table", advice)
    for key in cast("dict[object, Any]", table):
        if not isinstance(key, str):
            raise fault(f"a key of {what}", key, "a word in quotes", advice)
    return cast("dict[str, Any]", table)


def plain(value: Any, depth: int = 8) -> Any:
    """Return tables as dicts, and numbers and arrays of numpy and pandas as Python's, down to `depth` tables."""
    if isinstance(value, type) or not depth:
        return value
    if type(value) in (list, tuple):
        return type(value)(plain(inner, depth - 1) for inner in value)
    if isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        table = dict(cast("Mapping[object, object]", value))
        return {plain(key, depth - 1): plain(inner, depth - 1) for key, inner in table.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def word_list(what: str, value: object) -> Sequence[str]:
    """Check that `value` is a list or tuple of strings and return it."""
    several = cast("Sequence[object]", value if isinstance(value, (list, tuple)) else [None])
    if not all(isinstance(word, str) for word in several):
        raise fault(what, cast("object", value), "a list of words", 'write ["blue", "red"]')
    return cast("Sequence[str]", several)


def check_one(what: str, word: object, known: Iterable[str]) -> str:
    """Check that `word` is one of the `known` words and return it."""
    if not isinstance(word, str) or word not in known:
        raise unknown(what, word, known)
    return word


def near(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the nearest known word, or ""."""
    words, word = list(known), word[:_LONGEST]
    matches = difflib.get_close_matches(word, words, 1, 0.6) or difflib.get_close_matches(
        word.casefold(), words, 1, 0.6
    )
    return f"; did you mean {matches[0]}?" if matches else ""


def find_slip(word: str, known: Iterable[str]) -> str:
    """Return the known word that differs from `word` by one letter added, left out, replaced or exchanged, or ""."""
    letters = word.casefold()
    return next((each for each in known if letters.isalpha() and _one_slip(*sorted((letters, each), key=len))), "")


def _one_slip(short: str, long: str) -> bool:
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    a, b = short[same:], long[same:]
    is_swapped = a[:2] == b[1::-1] and a[2:] == b[2:]
    return len(long) > 2 and (a == b[1:] or (len(a) == len(b) and (a[1:] == b[1:] or is_swapped)))


def unknown(what: str, word: object, known: Iterable[str], advice: str = "check its spelling") -> UsageError:
    """Return the error for a word that is not `known`."""
    words = list(known)
    hint = near(word, words) if isinstance(word, str) else ""
    return fault(what, word, f"one of {', '.join(words)}", f"{advice}{hint}")


def _write(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    if type(value) is dict:
        table = cast("dict[object, object]", value)
        return "{" + ", ".join(f"{_write(key)}: {_write(inner)}" for key, inner in table.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(_write, cast("list[object]", value))) + "]"
    return value.isoformat() if isinstance(value, (date, time)) else repr(value)
