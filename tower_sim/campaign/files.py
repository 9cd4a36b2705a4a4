"""Files that a kill cannot spoil: written aside, synced, renamed; documents that tell whether they were changed."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import platform
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import UsageError

PART = ".part"
_LOCK = ".lock"
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOENT)


class StoreError(RuntimeError):
    """A directory that can no longer be written, told in one line; what was finished is kept."""


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, whole or not at all: written aside in the same directory, synced, renamed, synced.

    Raises UsageError for a place that cannot be written, StoreError when the disk is full or fails.
    """
    aside = path.with_name(f".{path.name}{PART}")
    try:
        with open(aside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
        sync_directory(path.parent)
    except BaseException as error:  # an interrupt too leaves nothing behind
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise told(path, error) from error
        raise


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
    """Move a file within the file system; raises as `write` does."""
    make_directory(target.parent)
    try:
        os.replace(path, target)
    except OSError as error:
        raise told(path, error) from error


def sync_directory(path: Path) -> None:
    """Make the names in a directory survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def told(path: Path, error: OSError) -> UsageError | StoreError:
    """Return the error to raise when `path` could not be written."""
    why = error.strerror or str(error)
    if error.errno in _FORBIDDEN:
        return UsageError(f"{path} cannot be written ({why}); allowed is a writable directory; give another --out")
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
    except ValueError:
        return None
    if not isinstance(plain, dict):
        return None
    document = cast("dict[str, Any]", plain)
    document.pop("digest", None)
    return document if sealed(document) == data else None


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def locked(directory: Path) -> Generator[None, None, None]:
    """Keep every other process out of `directory`; the lock of a process that died is free.

    Raises UsageError when another process is at work there.
    """
    path = directory / _LOCK
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise told(path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.read(descriptor, 200).decode("utf-8", "replace").strip()
            os.close(descriptor)
            raise UsageError(
                f"{directory} is in use by {owner or 'another process'} ({error.strerror}); allowed is one run in a "
                "directory; wait for it or give another --out"
            ) from None
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                break
        os.close(descriptor)  # the owner before us removed the file between our open and our lock
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {platform.node()}".encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)
