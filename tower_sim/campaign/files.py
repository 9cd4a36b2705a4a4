"""The files of a campaign: whole or not at all; documents that tell whether they were changed; one run at a time."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import UsageError
from tower_sim.reading import check_bounds, read_bytes
from tower_sim.writing import CALLERS, WritingFailed, put, sync_directory

_LOCK = ".lock.db"
_OWNER = ".owner"
LOCKS = (_LOCK, _OWNER)
"""What may lie in a directory that is or was locked."""


class StoreError(WritingFailed):
    """A directory that can no longer be written, told in one line; what was finished is kept."""


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, whole or not at all.

    Raises UsageError for a place that cannot be written, StoreError when the disk is full or fails.
    """
    try:
        put(path, data)
    except OSError as error:
        raise told(path, error) from error


def make_directory(path: Path) -> None:
    """Make a directory and those above it, where they are missing; raises as `write` does."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        sync_directory(path.parent)
    except OSError as error:
        raise told(path, error) from error


def remove(path: Path) -> None:
    """Take a file away, if it is there; raises as `write` does."""
    try:
        path.unlink(missing_ok=True)
        sync_directory(path.parent)
    except OSError as error:
        raise told(path, error) from error


def move(path: Path, target: Path) -> None:
    """Move a file within the file system, onto nothing that is there; raises as `write` does."""
    make_directory(target.parent)
    try:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(path, target)
    except OSError as error:
        raise told(path, error) from error


def told(path: Path, error: OSError) -> UsageError | StoreError:
    """Return the error to raise when `path` could not be written."""
    why = error.strerror or str(error)
    if error.errno in CALLERS:
        return UsageError(f"{path} cannot be written ({why}); allowed is a writable directory; give another -o")
    return StoreError(f"{path} cannot be written ({why}); finished shards are kept; mend that, run the same again")


def to_text(document: Any) -> bytes:
    """Write a document as JSON: the same bytes for equal documents."""
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode()


def sealed(document: dict[str, Any]) -> bytes:
    """Write a document with the SHA-256 digest of itself as its last entry."""
    return to_text(document | {"digest": digest(to_text(document))})


def unsealed(data: bytes) -> dict[str, Any] | None:
    """Read a sealed document; None when it was changed or is none."""
    try:
        plain: object = json.loads(data)
        if not isinstance(plain, dict):
            return None
        document = cast("dict[str, Any]", plain)
        check_bounds(document, "it")
        document.pop("digest", None)
        return document if sealed(document) == data else None
    except (ValueError, RecursionError):  # no JSON, not a number, tables without end
        return None


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def locked(directory: Path) -> Generator[None, None, None]:
    """Keep every other process, and every other thread of this one, out of `directory` in the block.

    The lock is a transaction of SQLite in a file that stays empty: one call on Linux, macOS and Windows, and the system
    ends it with a process that dies. The file is never removed: who waits to open it could lock one that is gone.

    Raises UsageError when another is at work there, and as `write` does.
    """
    try:
        import sqlite3  # here, because a dataset can be read by a Python that was built without it
    except ImportError:
        raise UsageError(
            "campaign in a Python without sqlite3; allowed is one with it, whose locks keep other runs out; take it "
            "from python.org, uv, conda or the system"
        ) from None
    path, owner = directory / _LOCK, directory / _OWNER
    try:
        database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise _not_locked(path, error) from error
    with closing(database):
        try:
            database.execute("PRAGMA journal_mode = MEMORY")  # no file beside it
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise UsageError(
                    f"{directory} is in use by {_owner_in(owner)}; allowed is one run in a directory; wait for it or "
                    "give another -o"
                ) from None
            raise _not_locked(path, error) from error
        try:
            with suppress(OSError):  # who we are is a help for others; the lock holds without it, also on a full disk
                owner.write_text(f"process {os.getpid()} on {platform.node()}", "utf-8")
            yield
        finally:
            with suppress(OSError):
                owner.unlink(missing_ok=True)


def _owner_in(path: Path) -> str:
    try:
        return " ".join(read_bytes(path, "file", limit=200).decode("utf-8", "replace").split())
    except UsageError:  # it has not come to say so yet
        return "another process"


def _not_locked(path: Path, error: Exception) -> UsageError | StoreError:
    """Return the error to raise; SQLite does not say why a file cannot be opened, opening it does.

    Nobody of this process holds the lock then: closing a second handle of the file would end it.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o644))
    except OSError as found:
        return told(path, found)
    return told(path, OSError(errno.EIO, str(error)))
