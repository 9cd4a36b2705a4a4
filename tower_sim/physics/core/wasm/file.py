"""The file core.wasm, and the digest of the source that it was made from, which it carries in a section of its own."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tower_sim import portable
from tower_sim.physics.core.compiled import sources

CORE = Path(__file__).parent / "core.wasm"
SECTION = "tower_sim"


def digest() -> str:
    """Return the digest of the source that ships: of all that is compiled, and of what compiles it."""
    files = (*sources(), Path(portable.__file__), Path(__file__).parent / "build.py")
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
