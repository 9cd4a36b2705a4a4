"""How a command knows its own files again: a mark in a file with the digest of the rest, a list of them in a folder."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LIST = ".made-by-tower-sim.json"
"""Of a folder that a command fills: what it made there."""
_MARK = re.compile(rb"made by (tower-sim[a-z_ -]*), sha256 ([0-9a-f]{64})")
_TAIL = 512  # bytes at the end of a file, among which a mark is
_LARGEST_LIST = 1_000_000
_PAGE, _HASH, _SLASHES, _PERCENT = (b"<!-- ", b" -->\n"), (b"# ", b"\n"), (b"// ", b"\n"), (b"% ", b"\n")
_REMARKS = {
    ".html": _PAGE, ".svg": _PAGE, ".toml": _HASH, ".lua": (b"-- ", b"\n"),
    ".js": _SLASHES, ".mjs": _SLASHES, ".java": _SLASHES, ".php": _SLASHES,
    ".pdf": _PERCENT, ".ps": _PERCENT, ".eps": _PERCENT,
}  # fmt: skip
"""What stands around a mark that is a remark at a file's end; .json, .png and .glb have it in a place of theirs."""
_IEND = 12  # bytes of a PNG's last chunk
_GLB_SIZE = slice(8, 12)  # of a GLB: its length


@dataclass(frozen=True, slots=True)
class Maker:
    """The `command` that says in a file that it made it, and whether the file is as it was made."""

    command: str
    is_unchanged: bool


def marked(data: bytes, suffix: str, command: str) -> bytes:
    """Return a file's `data` with the mark of the `command` that makes it, or as it is where `suffix` has no place."""
    mark = f"made by {command}, sha256 {_digest(data)}".encode()
    if (piece := _piece(suffix, mark)) is None or (suffix in _REMARKS and not data.endswith(b"\n")):
        return data
    at = len(data)
    if suffix == ".png":
        at -= _IEND
    elif suffix == ".json":
        at = len(data[: data.rindex(b"}")].rstrip())
    return _sized(data[:at] + piece + data[at:], suffix)


def maker(path: Path) -> Maker | None:
    """Return who made the file at `path`, None where it has no mark; raises OSError."""
    with open(path, "rb") as file:
        file.seek(max(path.stat().st_size - _TAIL, 0))
        if not (marks := list(_MARK.finditer(file.read()))):
            return None
        file.seek(0)
        data = file.read()
    mark, suffix = marks[-1], path.suffix.lower()
    piece = _piece(suffix, mark[0])
    at = -1 if piece is None else data.rfind(piece)
    if piece is None or at < 0:
        return None
    plain = _sized(data[:at] + data[at + len(piece) :], suffix)
    return Maker(mark[1].decode(), _digest(plain).encode() == mark[2] and data == _sized(data, suffix))


def _piece(suffix: str, mark: bytes) -> bytes | None:
    """Return what is put into a file to mark it, None where it has no place for that."""
    if suffix == ".png":
        chunk = b"tEXtComment\0" + mark
        return struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    if suffix == ".glb":  # a chunk of a kind of our own, which readers skip
        padded = mark + b" " * (-len(mark) % 4)
        return struct.pack("<I", len(padded)) + b"MADE" + padded
    if suffix == ".json":
        return b',\n "made_by": "' + mark + b'"'
    around = _REMARKS.get(suffix)
    return around and around[0] + mark + around[1]


def _sized(data: bytes, suffix: str) -> bytes:
    """Return a file that says how long it is, saying how long it now is."""
    if suffix != ".glb":
        return data
    return data[: _GLB_SIZE.start] + struct.pack("<I", len(data)) + data[_GLB_SIZE.stop :]


@dataclass(frozen=True, slots=True)
class Made:
    """What a folder's list says: the `command` that fills it, and of each file by name the digests that it may have."""

    command: str = ""
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def is_unchanged(self, folder: Path, name: str) -> bool:
        """Say whether a file that is there is as it was made; raises OSError."""
        digests = self.files.get(name, ())
        return bool(digests) and _digest((folder / name).read_bytes()) in digests

    def has(self, name: str, data: bytes) -> bool:
        """Say whether a file was made with this `data`."""
        return _digest(data) in self.files.get(name, ())

    def with_files(self, folder: Path, files: Mapping[str, bytes], command: str) -> bytes:
        """Return the list as it is to be before `files` are written: what is there unchanged stays known till then."""
        known = {name: [_digest(data)] for name, data in files.items()}
        for name in self._there(folder):
            there = _digest((folder / name).read_bytes())
            known[name] = list(dict.fromkeys([*known.get(name, ()), there]))
        table = {"made_by": command, "files": dict(sorted(known.items()))}
        return (json.dumps(table, indent=1) + "\n").encode()

    def _there(self, folder: Path) -> Iterable[str]:
        return [name for name in self.files if (folder / name).is_file() and self.is_unchanged(folder, name)]


def of_folder(folder: Path) -> Made:
    """Return what a folder's list says; one that is missing or spoilt knows nothing."""
    try:
        with open(folder / LIST, "rb") as file:
            table: Any = json.loads(file.read(_LARGEST_LIST))
        files = {str(name): tuple(map(str, digests)) for name, digests in table["files"].items()}
        return Made(str(table["made_by"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Made()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
