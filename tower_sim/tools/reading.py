"""Describe the columns of a table."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from tower_sim.errors import UsageError, fault, quote


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, its Arrow type, whether it can be null, and its meaning.

    `studied`: whether studies report it, as they do not for a name of a drop or for the content of a figure.
    """

    name: str
    kind: str
    nullable: bool
    meaning: str
    studied: bool = True


MAX_BYTES = 4_000_000
MAX_DEPTH = 40  # tables and lists within each other
MAX_DIGITS = 60  # of a whole number
PROFILE, RULES, CAMPAIGN = "a profile of a tower or ship", "rules of a game", "a campaign file"
OBSERVATION, RECORDS, MODEL, STATE = "an observation", "records of drops", "a fitted model", "a state"
_KINDS = {  # of a file: what its text has, and what takes it
    PROFILE: (r"""^schema *= *["']tower-sim/apparatus""", "--tower, or in compare to --set apparatus=FILE"),
    CAMPAIGN: (r"^\[campaign\]", "tower-sim campaign run"),
    OBSERVATION: (r"^says *=[^\n]*\n+source *=|^source *=[^\n]*\n+says *=", "tower-sim tower fit"),
    RECORDS: (r"\A(#.*\n)*drop[,;\t]", "tower-sim tower fit or tower test"),
    MODEL: (r'^\s*\{?\s*"schema": *"tower-sim/surrogate"', "--model"),
    STATE: (r'\A\s*(TOWER\d+\.|\{.*"state": *"TOWER)', "--state as @FILE"),
    RULES: (r"^((rounds|cubes|phases|players|knocks|abilities) *=|\[rulings\])", "--rules"),
}
_A_FOLDER = "it is a folder; allowed is a regular file, such as one in it"
_TOO_LONG = 10**MAX_DIGITS
_CHAIN = re.compile(  # a key of more parts than tables may be in each other: reading a.a.a... takes time as its square
    r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){""" + f"{MAX_DEPTH}}}"
)


def read_bytes(path: str | Path, what: str, *, limit: int = MAX_BYTES, advice: str = "check the path") -> bytes:
    """Return the bytes of a regular file, at most `limit`; errors call it `what`."""
    as_path(what, path, advice)
    named = f"{what} {quote(str(path))}"
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                it_is = _A_FOLDER if stat.S_ISDIR(mode) else "it is a pipe or a device; allowed is a regular file"
                raise UsageError(f"{named} cannot be read: {it_is}; {advice}", what)
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(limit + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{named} cannot be read: {_why(error)}; {advice}", what) from error
    if len(data) > limit:
        raise fault(f"size of {what} {quote(str(path))}", f"more than {limit} bytes", "less", advice)
    return data


def as_path(what: str, path: object, advice: str = "check the path") -> Path:
    """Return a string or a Path as a Path; errors call it `what`."""
    if not isinstance(path, (str, Path)):
        raise fault(what, path, "a path in quotes", advice)
    return Path(path)


def _why(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return "no file has a name with such a character; check its path"
    known = {
        errno.ENOENT: "it is not there; check its spelling and the folder that you are in",
        errno.ENOTDIR: "a part of its path is a file, no folder; check its path",
        errno.EISDIR: _A_FOLDER,
        errno.EACCES: "you have no right to read it; give yourself the right, or copy it",
        errno.ENAMETOOLONG: "no file has so long a name; check its path",
    }
    return known.get(error.errno or 0, error.strerror or str(error))


def read_text(path: str | Path, what: str, *, limit: int = MAX_BYTES, advice: str = "check the path") -> str:
    """Return the text of a regular file in UTF-8; see `read_bytes`."""
    data = read_bytes(path, what, limit=limit, advice=advice)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{what} {quote(str(path))} is not UTF-8 (byte {error.start}); allowed is text in UTF-8; save it as UTF-8"
        ) from error


def toml_table(text: str, what: str) -> dict[str, Any]:
    """Return the table of a TOML text; errors call it `what`."""
    if not isinstance(cast("object", text), str):
        raise fault(what, text, "text", "read the file first")
    if found := _CHAIN.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise fault(f"line {line} of {what}", found[0], f"a key of up to {MAX_DEPTH} parts", "write tables")
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{what} is not TOML ({reason}); allowed is 'key = value'; mend that line") from error
    check_bounds(table, what)
    return table


def refuse_other(text: str, what: str, kind: str) -> None:
    """Refuse the text of a file, called `what`, that is plainly not of a `kind`, a key of _KINDS."""
    found = _find_kind(text) or kind
    if found != kind:
        raise UsageError(f"{what} is {found}; allowed is {kind}; give it to {_KINDS[found][1]}, or give another file")


def is_kind(kind: str, text: str) -> bool:
    """Return whether the text of a file is plainly of a kind, a key of _KINDS."""
    return _find_kind(text) == kind


def _find_kind(text: str) -> str | None:
    return next((each for each, (mark, _) in _KINDS.items() if re.search(mark, text, re.MULTILINE)), None)


def json_value(text: str | bytes, what: str) -> Any:
    """Return the value of a JSON text without NaN and infinity; errors call it `what`."""
    try:
        value: Any = json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{what} is not JSON ({reason}); allowed is one JSON value; make it anew") from error
    check_bounds(value, what)
    return value


def refuse_constant(word: str) -> NoReturn:
    """Raise ValueError for NaN and infinity; for use as `parse_constant`."""
    raise ValueError(f"{word} is no number")


def check_bounds(value: Any, what: str, path: str = "", depth: int = 0) -> None:
    """Check a value's nesting depth, that its numbers are finite, and the digits of whole numbers.

    Errors call it `what` and name the `path` of keys.
    """
    if depth > MAX_DEPTH:
        raise fault(f"depth of {what}", f"over {MAX_DEPTH}", f"up to {MAX_DEPTH} tables in each other", "flatten it")
    where = f"{path} of {what}" if path else what
    if isinstance(value, str):
        return
    if isinstance(value, list):
        for inner in cast("list[Any]", value):
            check_bounds(inner, what, path, depth + 1)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise fault(where, value, "a finite number", "change it")
    elif isinstance(value, int):
        if abs(value) >= _TOO_LONG:
            raise fault(where, value, f"one of up to {MAX_DIGITS} digits", "change it")
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            name = key if len(key) <= 40 and key.isprintable() else quote(key, 40)
            check_bounds(inner, what, f"{path}.{name}" if path else name, depth + 1)


def toml_text(value: Any) -> str:
    """Return a value as it is written in TOML."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_text(inner)}" for key, inner in table.items()) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_text, cast('Sequence[Any]', value)))}]"
    return json.dumps(value.item() if hasattr(value, "item") else value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(key: str) -> str:
    """Return a key as it is written in TOML."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key, ensure_ascii=False)
