"""Write files whole or not at all. In a command, a file that is there and differs is kept unless --force is given."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from tower_sim.errors import UsageError, fault, quote

PART = ".part"
CALLERS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOENT,
           errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)  # fmt: skip
"""The error numbers that mean a wrong path. All others mean a failure of the disk."""


class WritingFailed(RuntimeError):
    """The error for a disk that is full or fails, which is no mistake of the caller."""


_written: ContextVar[set[Path] | None] = ContextVar("written", default=None)
"""In `keeping`: the files that were written in the block, which may be replaced in it."""
_differs: ContextVar[bool] = ContextVar("differs", default=False)


@contextmanager
def keeping(*, differs: bool = False) -> Generator[None]:
    """Keep in the block every file that is there and differs from what would replace it; UsageError names it.

    If what will be written `differs` for certain from every earlier file, `check` refuses a file that is there.
    """
    written, certain = _written.set(set()), _differs.set(differs)
    try:
        yield
    finally:
        _written.reset(written)
        _differs.reset(certain)


def write(path: str | Path, data: bytes | str, what: str = "file") -> None:
    """Write one file as `write_all` does."""
    write_all({path: data}, what)


def write_all(files: Mapping[str | Path, bytes | str], what: str = "file") -> None:
    """Write `files`, data by path (text as UTF-8), each whole or not at all, and make the folders that they need.

    First all are checked: that each can be written, and in `keeping` that none would replace a file that differs.
    Errors call a file `what`. Raises WritingFailed when the disk is full or fails.
    """
    every = {Path(path): data.encode() if isinstance(data, str) else data for path, data in files.items()}
    _refuse([path for path, data in every.items() if _is_other(path, data)], what)
    for path in every if len(every) > 1 else ():
        make_folder(path, what)
        replace(path, None, what)
    for path, data in every.items():
        replace(path, data, what)
        if (written := _written.get()) is not None:
            written.add(path)


def replace(path: Path, data: bytes | None, what: str = "file") -> None:
    """Write a file that only this program writes, whatever is there; for None, only check that it can be written."""
    try:
        put(path, data)
    except (OSError, ValueError) as error:
        raise writing_error(path, error, what) from error


def check(path: str | Path, what: str = "file") -> None:
    """Check, before any work is done, that `path` can be written; raises as `write_all` does."""
    replace(Path(path), None, what)
    if _differs.get():
        keep([Path(path)], what)


def keep(paths: Iterable[Path], what: str) -> None:
    """In `keeping`, refuse each of `paths` that is there, whatever would replace it."""
    _refuse([path for path in paths if _is_other(path, None)], what)


def make_folder(path: Path, what: str) -> None:
    """Make the folder of a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise writing_error(path.parent, error, what) from error


def _is_other(path: Path, data: bytes | None) -> bool:
    if (written := _written.get()) is None or path in written or not path.is_file():
        return False
    return data is None or path.stat().st_size != len(data) or path.read_bytes() != data


def _refuse(paths: list[Path], what: str) -> None:
    if paths:
        named = quote(str(paths[0])) + (f" (and {len(paths) - 1} more)" if len(paths) > 1 else "")
        hint = "allowed is a new name; give another, or --force to replace it"
        raise UsageError(f"{what} {named} is there already; {hint}")


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
