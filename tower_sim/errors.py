"""The one exception for a caller's mistake, and how it is told."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from numbers import Real
from typing import Any, TypeVar, cast

_CHANGE = "change it or leave it out"
_LONGEST = 120  # characters of a received value that are quoted
_SHORT = 40  # digits of a number that are quoted
T = TypeVar("T")
# What a terminal or a page obeys and does not print: controls, soft hyphen, marks of direction and width, separators,
# halves of surrogates, tags.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


class UsageError(ValueError):
    """The caller's mistake, told in one line: what was received, what is allowed, what to try.

    The command line prints the line and exits with status 2; a notebook shows the line alone. `what` is wrong, in the
    words of the line, and `code` a word for programs, one of those that `service.codes` lists.
    """

    def __init__(self, text: str, what: str = "", code: str = "field.invalid") -> None:
        super().__init__(printable(" ".join(text.splitlines())))  # what was received may hold line breaks, in a key too
        self.what, self.code = what, code

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in the place of a traceback."""
        return [f"tower_sim: {self}"]


def printable(text: str) -> str:
    r"""Return `text` with what a terminal or a page would obey, not print, written out: \x1b, \u202e; lines stay."""
    return _OBEYED.sub(lambda found: found[0] if found[0] == "\n" else ascii(found[0])[1:-1], text)


def prints(text: str) -> bool:
    """Whether a terminal or a page prints all of `text`: no control character, half a surrogate, turn of direction.

    Which those are does not depend on the version of Unicode that this Python knows.
    """
    return text.isprintable() or _OBEYED.search(text) is None


def fault(what: str, value: object, allowed: str, advice: str = _CHANGE, code: str = "field.invalid") -> UsageError:
    """Return the error that `what` is `value` and what is allowed instead; `code` as in UsageError."""
    return UsageError(f"{what} is {shown(value)}; allowed is {allowed}; {advice}", what, code)


def shown(value: object, longest: int = _LONGEST) -> str:
    """Quote a received value in an error: its repr on one line, shortened in the middle to `longest` characters.

    What TOML and JSON write as true and false is written so, and what is not there as nothing.
    """
    if isinstance(value, int) and abs(value) >= 10**_SHORT:
        return f"a number of about {int((value.bit_length() - 1) * 0.30103) + 1} digits"
    if isinstance(value, str) and len(value) > 2 * longest:
        value = value[:longest] + value[-longest:]  # the middle is left out below anyway
    try:
        text = " ".join(_written(value).split())
    except (ValueError, RecursionError):  # a number too long to write, or too deep a table
        text = f"a {type(value).__name__} that cannot be written down"
    return text if len(text) <= longest else f"{text[: longest * 2 // 3]}...{text[-longest // 6 :]}"


def check_whole(what: str, value: object, least: int, most: int | None = None, advice: str = _CHANGE) -> None:
    """Raise UsageError unless `value` is a whole number from `least` (to `most`)."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
        raise fault(what, value, f"a whole number from {least}" + ("" if most is None else f" to {most}"), advice)


def check_kind(what: str, value: object, kind: type[T], allowed: str, advice: str) -> T:
    """Return `value`, known to be a `kind`; raises UsageError, saying what is `allowed`, for anything else."""
    if not isinstance(value, kind):
        raise fault(what, value, allowed, advice)
    return value


def check_number(what: str, value: object, least: float, most: float, advice: str = "change it") -> float:
    """Return `value`, a number from `least` to `most`; raises UsageError for anything else, and for nan."""
    is_number = isinstance(value, Real) and value is not True and value is not False
    if not (is_number and least <= cast("float", value) <= most):  # False for nan too
        raise fault(what, value, f"a number from {least:g} to {most:g}", advice)
    return cast("float", value)


def check_table(what: str, value: object, advice: str = 'write {"key": value}') -> Mapping[str, Any]:
    """Return `value`, a table with words for keys; raises UsageError for anything else."""
    if not isinstance(value, Mapping):
        raise fault(what, value, "a table", advice)
    table = cast("Mapping[object, Any]", value)
    for key in table:
        if not isinstance(key, str):
            raise fault(f"a key of {what}", key, "a word in quotes", advice)
    return cast("Mapping[str, Any]", table)


def word_list(what: str, value: object) -> Sequence[str]:
    """Return a list of words, called `what`; raises UsageError for anything else, such as a single word."""
    several = cast("Sequence[object]", value if isinstance(value, (list, tuple)) else [None])
    if not all(isinstance(word, str) for word in several):
        raise fault(what, cast("object", value), "a list of words", 'write ["blue", "red"]')
    return cast("Sequence[str]", several)


def check_one(what: str, word: object, known: Iterable[str]) -> str:
    """Return `word`, one of the `known`; raises UsageError for any other and for what is no word."""
    if not isinstance(word, str) or word not in known:
        raise unknown(what, word, known)
    return word


def near(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the known word nearest to `word`, or nothing when none is near."""
    found = difflib.get_close_matches(word[:_LONGEST], list(known), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""


def slipped(word: str, known: Iterable[str]) -> str:
    """Return the known word that `word` is with one slip, or nothing: a letter more, less, another, two exchanged."""
    typed = word.casefold()
    return next((each for each in known if typed.isalpha() and _one_slip(*sorted((typed, each), key=len))), "")


def _one_slip(short: str, long: str) -> bool:
    """Say whether two words, of which none is longer than `long`, are one slip apart, or none."""
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    a, b = short[same:], long[same:]
    is_swapped = a[:2] == b[1::-1] and a[2:] == b[2:]
    return len(long) > 2 and (a == b[1:] or (len(a) == len(b) and (a[1:] == b[1:] or is_swapped)))


def unknown(what: str, word: object, known: Iterable[str], advice: str = "check its spelling") -> UsageError:
    """Return the error that `what` is `word`, which is none of the `known` words; the nearest of them is suggested."""
    words = list(known)
    meant = near(word, words) if isinstance(word, str) else ""
    return fault(what, word, f"one of {', '.join(words)}", f"{advice}{meant}")


def _written(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    if type(value) is dict:
        table = cast("dict[object, object]", value)
        return "{" + ", ".join(f"{_written(key)}: {_written(inner)}" for key, inner in table.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(_written, cast("list[object]", value))) + "]"
    return value.isoformat() if isinstance(value, (date, time)) else repr(value)
