"""Files whole or not at all: written aside in the same folder, synced, renamed; no kill and no full disk spoils one."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from tower_sim.errors import UsageError, fault

PART = ".part"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # Windows would write other line ends
CALLERS = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOENT, errno.ENAMETOOLONG,
    errno.ELOOP, errno.ENXIO, errno.EINVAL,
)  # fmt: skip
"""What is wrong with the place that was given, not with the disk under it."""


class WritingFailed(RuntimeError):
    """A disk that is full or fails, told in one line: nobody's mistake, so the exit status is 1."""


def write(path: str | Path, data: bytes | str, what: str = "file") -> None:
    """Put `data` (text as UTF-8) at `path`, called `what` in messages, whole or not at all; see `put`.

    Raises UsageError for a place that cannot be written, WritingFailed when the disk is full or fails.
    """
    try:
        put(Path(path), data.encode() if isinstance(data, str) else data)
    except (OSError, ValueError) as error:
        raise told(path, error, what) from error


def check(path: str | Path, what: str = "file") -> None:
    """Refuse a place that `write` could not write, before any work is done for it; leaves nothing behind.

    Raises UsageError, or WritingFailed when the disk fails.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if _is_special(path):
            os.close(_opened(path))
            return
        os.close(os.open(aside := _aside(path), _NEW, 0o666))
        aside.unlink()
    except (OSError, ValueError) as error:
        raise told(path, error, what) from error


def put(path: Path, data: bytes) -> None:
    """Write `data` aside, sync it, rename it, sync the folder; links are followed, pipes and devices written into.

    Raises OSError, or ValueError for a name that no file can have, and leaves nothing behind.
    """
    if _is_special(path):
        with open(_opened(path), "wb") as file:
            file.write(data)
        return
    aside = _aside(path)
    try:
        with open(os.open(aside, _NEW, 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        target = os.path.realpath(path)
        with suppress(FileNotFoundError):
            shutil.copymode(target, aside)
        os.replace(aside, target)
        sync_directory(aside.parent)
    except BaseException:  # an interrupt too leaves nothing behind
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def sync_directory(path: Path) -> None:
    """Make the names in a directory survive a power cut, where a directory can be opened."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def told(path: str | Path, error: OSError | ValueError, what: str = "file") -> UsageError | WritingFailed:
    """Return the error to raise when `path` could not be written."""
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    if isinstance(error, OSError) and error.errno not in CALLERS:
        return WritingFailed(
            f"{what} {str(path)!r} cannot be written ({why}); make room or mend the disk, and try again"
        )
    allowed = f"a file in an existing folder that you may write to ({why})"
    return fault(what, str(path), allowed, "make the folder or choose another")


def _is_special(path: Path) -> bool:
    """Whether a rename would do harm: `path` is there and no plain file, or another name of an open one."""
    if path.is_relative_to("/dev") or path.is_relative_to("/proc"):
        return path.exists()
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _opened(path: Path) -> int:
    """Open what is no plain file; a pipe that nobody reads is refused: waiting for a reader could take for ever."""
    if not hasattr(os, "O_NONBLOCK"):
        return os.open(path, os.O_WRONLY)
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def _aside(path: Path) -> Path:
    """Return a new name beside `path`, short enough where `path` itself is."""
    target = Path(os.path.realpath(path))
    os.lstat(target.parent)
    with suppress(FileNotFoundError):
        target.lstat()  # raises for a name that is too long
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target.with_name(f".{secrets.token_hex(8)}{PART}")
