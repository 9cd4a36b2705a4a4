"""The files of a campaign: whole or not at all; documents that tell whether they were changed; one run at a time."""

from __future__ import annotations

import errno
import hashlib
import importlib
import json
import os
import platform
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import UsageError
from tower_sim.reading import check_bounds
from tower_sim.writing import CALLERS, WritingFailed, put, sync_directory

_LOCK = ".lock"


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


def _fcntl() -> Any:
    """Return the module that locks files; here, because a dataset can be read where there is none."""
    try:
        return importlib.import_module("fcntl")
    except ImportError:
        raise UsageError(
            f"campaign on {platform.system()}; allowed is Linux or macOS, whose locks keep other runs out; run it there"
        ) from None


@contextmanager
def locked(directory: Path) -> Generator[None, None, None]:
    """Keep every other process out of `directory`; the lock of a process that died is free.

    Raises UsageError when another process is at work there, and on a system without such locks.
    """
    fcntl = _fcntl()
    path = directory / _LOCK
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise told(path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = " ".join(os.read(descriptor, 200).decode("utf-8", "replace").split())
            os.close(descriptor)
            raise UsageError(
                f"{directory} is in use by {owner or 'another process'} ({error.strerror}); allowed is one run in a "
                "directory; wait for it or give another -o"
            ) from None
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                break
        os.close(descriptor)  # the owner before us removed the file between our open and our lock
    try:
        with suppress(OSError):  # who we are is a help for others; the lock holds without it, also on a full disk
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {platform.node()}".encode())
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(descriptor)
