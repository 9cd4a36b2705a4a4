"""Compiled functions: what is exported, and the WebAssembly file, which holds the digest of its source."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECTION = "tower_sim"


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """A function that a file exports, with an example of each argument and the type of its result.

    An argument is a table, a named tuple of tables and whole numbers, or a number; a whole number by itself has 32
    bits. The module fixes all dimensions of a table but the first, except those that are 0 in the example.
    """

    function: Callable[..., Any]
    takes: tuple[Any, ...]
    gives: type | None


@dataclass(frozen=True, slots=True, eq=False)
class CompiledFile:
    """Compiled functions; `exports` has them by name, and `path` is their file for WebAssembly, if they have one.

    `about` returns what else a program that calls them must know, which is stored in that file.
    """

    name: str
    sources: tuple[Path, ...]
    exports: Mapping[str, CompiledFunction]
    path: Path | None = None
    about: Callable[[], dict[str, Any]] = dict

    def digest(self) -> str:
        """Return the digest of `sources` and of build.py, as installed."""
        files = (*self.sources, Path(__file__).with_name("build.py"))
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def read_origin(module: bytes) -> dict[str, Any]:
    """Return the last section: the digest `source` of a module's source, the versions of the packages that built it.

    Raises ValueError for a module without such a section.
    """
    _, mark, about = module.rpartition(SECTION.encode() + b"{")
    if not mark:
        raise ValueError(f"a module without the section {SECTION!r}")
    return json.loads(b"{" + about)


def section(plain: dict[str, Any]) -> bytes:
    """Return a WebAssembly section that holds `plain` as JSON, to append to a module."""
    name = SECTION.encode()
    content = _leb(len(name)) + name + json.dumps(plain, sort_keys=True).encode()
    return b"\0" + _leb(len(content)) + content


def _leb(number: int) -> bytes:
    """Return a whole number in LEB128: seven bits a byte, the lowest first."""
    written = b""
    while number > 127:
        written += bytes([128 | number & 127])
        number >>= 7
    return written + bytes([number])
