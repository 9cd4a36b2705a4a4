"""A file of compiled functions, and the digest of the source that it was made from, which it has in its own section."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECTION = "tower_sim"


@dataclass(frozen=True, slots=True)
class WasmFunction:
    """A function that a file exports, with examples of its arguments: tables, tuples with names of such, numbers.

    `gives` is what it returns. Of a table all but the number of rows is a constant of the module, unless it is 0 in the
    example. A number outside of a tuple has 32 bits if it is whole.
    """

    function: Callable[..., Any]
    takes: tuple[Any, ...]
    gives: type | None


@dataclass(frozen=True, slots=True)
class WasmFile:
    """A file of compiled functions at `path`, made of the source files `sources`; `exports` gives them by name."""

    path: Path
    sources: tuple[Path, ...]
    exports: Callable[[], dict[str, WasmFunction]]

    def digest(self) -> str:
        """Return the digest of the source that ships: of all that is compiled, and of what compiles it."""
        files = (*self.sources, Path(__file__).with_name("build.py"))
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def made_from(module: bytes) -> dict[str, Any]:
    """Return what a module says of itself: the `source` digest, and the versions of the packages that made it.

    Raises ValueError for a module without such a section.
    """
    at = 8  # after the magic number and the version
    while at < len(module):
        kind, size = module[at], 0
        size, at = _number(module, at + 1)
        if kind == 0:
            length, name = _number(module, at)
            if module[name : name + length].decode() == SECTION:
                return json.loads(module[name + length : at + size])
        at += size
    raise ValueError(f"a module without the section {SECTION!r}")


def section(plain: dict[str, Any]) -> bytes:
    """Return the section that says this, to put at a module's end."""
    name = SECTION.encode()
    content = _leb(len(name)) + name + json.dumps(plain, sort_keys=True).encode()
    return b"\0" + _leb(len(content)) + content


def _leb(number: int) -> bytes:
    """Write a whole number as WebAssembly does (LEB128): seven bits a byte, the lowest first."""
    written = b""
    while number > 127:
        written += bytes([128 | number & 127])
        number >>= 7
    return written + bytes([number])


def _number(module: bytes, at: int) -> tuple[int, int]:
    """Read a number that is written so; returns it and where it ends."""
    number = shift = 0
    while True:
        byte, at = module[at], at + 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at
