"""The one exception for a caller's mistake, and how it is told."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from datetime import date, time
from typing import TypeVar, cast

_CHANGE = "change it or leave it out"
_LONGEST = 120  # characters of a received value that are quoted
_SHORT = 40  # digits of a number that are quoted
T = TypeVar("T")


class UsageError(ValueError):
    """The caller's mistake, told in one line: what was received, what is allowed, what to try.

    The command line prints the line and exits with status 2; a notebook shows the line alone. `what` is wrong, in the
    words of the line, and `code` a word for programs, one of those that `service.codes` lists.
    """

    def __init__(self, text: str, what: str = "", code: str = "field.invalid") -> None:
        super().__init__(" ".join(text.splitlines()))  # what was received may hold line breaks, in a key too
        self.what, self.code = what, code

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in the place of a traceback."""
        return [f"tower_sim: {self}"]


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


def near(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the known word nearest to `word`, or nothing when none is near."""
    found = difflib.get_close_matches(word[:_LONGEST], list(known), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""


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
