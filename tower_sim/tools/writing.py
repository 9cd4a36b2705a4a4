"""Write files whole or not at all. A file that a person fills in is replaced only with --force, others always."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from tower_sim.errors import UsageError, fault, quote

PART = ".part"
CALLERS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOENT,
           errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)  # fmt: skip
"""The error numbers that mean a wrong path. All others mean a failure of the disk."""


class WritingFailed(RuntimeError):
    """The error for a disk that is full or fails, which is no mistake of the caller."""


def write(path: str | Path, data: bytes | str | None, what: str = "file") -> None:
    """Replace the file `path` by `data` (text as UTF-8); for None, only check that it can be written.

    Errors call the file `what`. Raises WritingFailed when the disk is full or fails.
    """
    try:
        put(Path(path), data.encode() if isinstance(data, str) else data)
    except (OSError, ValueError) as error:
        raise writing_error(path, error, what) from error


def check(path: str | Path, what: str = "file") -> None:
    """Check, before any work is done, that `path` can be written; raises as `write` does."""
    write(path, None, what)


def keep(path: Path, what: str) -> None:
    """Check that a file that a person fills in does not exist yet."""
    if path.exists():
        hint = "allowed is a new name; give another, or --force to replace it"
        raise UsageError(f"{what} {quote(str(path))} is there already; {hint}")


def put(path: Path, data: bytes | None) -> None:
    """Write as `write` does, to a file next to `path` that is renamed, or to a device. Raises OSError or ValueError."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.parent == Path("/dev") or (path.exists() and not path.is_file()):  # a device or a pipe
        if data is not None:
            path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    aside = target.with_name(f".{secrets.token_hex(8)}{PART}")
    try:
        with open(aside, "xb") as file:
            file.write(data or b"")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            open(target, "r+b").close()  # refuses a file that may not be written
            shutil.copymode(target, aside)
        if data is not None:
            os.replace(aside, target)
            sync_directory(target.parent)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def sync_directory(path: Path) -> None:
    """Write a directory's file names to the disk; do nothing on Windows."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def writing_error(path: str | Path, error: OSError | ValueError, what: str = "file") -> UsageError | WritingFailed:
    """Return the error for a `path` that cannot be written: WritingFailed if the disk failed, else UsageError."""
    why = getattr(error, "strerror", None) or str(error)
    if isinstance(error, OSError) and error.errno not in CALLERS:
        return WritingFailed(f"{what} {str(path)!r} cannot be written ({why}); make room or mend the disk, try again")
    allowed = f"a file in an existing folder that you may write to ({why})"
    return fault(what, str(path), allowed, "make the folder or choose another")
