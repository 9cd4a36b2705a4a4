"""How compiled functions take their arguments: the contract of by_native.py and by_wasm.py.

A function takes the address of one block of whole numbers of 64 bits: for each table, in the order of the arguments,
its address and its shape (a record is a row of numbers); for a whole number in a tuple itself. Other arguments follow
as they are, whole ones of 32 bits.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[Any]
WORD = 8  # bytes
WORDS = 256  # of the block: more than any function takes


class Memory(ABC):
    """Where tables lie that compiled functions work on; each table keeps it alive, as `table.base.memory`."""

    @abstractmethod
    def __init__(self, file: CompiledFile) -> None: ...

    @abstractmethod
    def table(self, shape: tuple[int, ...], kind: Any) -> Table:
        """Allocate a table of zeros."""

    @abstractmethod
    def bind(self, tables: tuple[Table, ...]) -> None:
        """Let every call begin with these tables of this memory."""

    @abstractmethod
    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function with the bound tables, and with tables, tuples of them, and numbers from anywhere."""


def is_table(argument: Any) -> TypeGuard[Table]:
    """Return whether an argument is a table."""
    return isinstance(argument, np.ndarray)


def split(arguments: Iterable[Any]) -> tuple[list[Table | int], list[float]]:
    """Return what goes into the block, tables and whole numbers of tuples, and the numbers that follow it."""
    tables: list[Table | int] = []
    numbers: list[float] = []
    for each in arguments:
        if is_table(each):
            tables.append(each)
        elif isinstance(each, tuple):
            tables += cast("tuple[Table | int, ...]", each)
        else:
            numbers.append(float(each) if isinstance(each, float) else int(each))
    return tables, numbers


def numbers_in(table: Table) -> tuple[int, ...]:
    """Return the shape of a table of numbers; one of records has those of a record in a row."""
    return (*table.shape, table.itemsize // WORD) if table.dtype.names else table.shape


def words_of(tables: Iterable[Table | int], start: int = 0) -> Iterator[int]:
    """Yield what the block says of tables, whose addresses count from `start`."""
    for each in tables:
        if is_table(each):
            yield each.ctypes.data - start
            yield from numbers_in(each)
        else:
            yield cast("int", each)


_HASH = 32  # bytes of SHA-256


def user_cache() -> Path:
    """Return the folder of tower_sim in the user's cache on this system."""
    homes = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~")}
    home = homes.get(sys.platform, os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(home).expanduser() / "tower_sim"


def keep(name: str, content: bytes) -> None:
    """Write `content` to a file of the cache, which is replaced as a whole; without a cache do nothing."""
    path = user_cache() / name
    begun = path.with_name(f"{name}.{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            begun.write_bytes(hashlib.sha256(content).digest() + content)
            begun.replace(path)
        finally:
            begun.unlink(missing_ok=True)


def kept(name: str) -> bytes | None:
    """Return what `keep` wrote under `name`; None if it is missing or damaged."""
    try:
        sealed = (user_cache() / name).read_bytes()
    except OSError:
        return None
    return sealed[_HASH:] if hashlib.sha256(sealed[_HASH:]).digest() == sealed[:_HASH] else None


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
