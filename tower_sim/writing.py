"""Files whole or not at all: written aside in the same folder, synced, renamed; no kill and no full disk spoils one.

One rule for all commands: what this command did not make itself, or what was changed since, it replaces with --force
only; what people are asked to write into, never. Code in Python replaces what it names, as `open` does.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from tower_sim import made
from tower_sim.errors import UsageError, fault, shown

PART = ".part"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # Windows would write other line ends
CALLERS = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOENT, errno.ENAMETOOLONG,
    errno.ELOOP, errno.ENXIO, errno.EINVAL,
)  # fmt: skip
"""What is wrong with the place that was given, not with the disk under it."""


class WritingFailed(RuntimeError):
    """A disk that is full or fails, told in one line: nobody's mistake, so the exit status is 1."""


@dataclass(frozen=True, slots=True)
class _Rule:
    command: str
    is_forced: bool


_RULE: ContextVar[_Rule | None] = ContextVar("rule", default=None)


@contextmanager
def by(command: str, *, is_forced: bool = False) -> Generator[None]:
    """Have the block write files as `command`, under the rule above; `is_forced` where --force is given."""
    token = _RULE.set(_Rule(command, is_forced))
    try:
        yield
    finally:
        _RULE.reset(token)


def is_ruled() -> bool:
    """Say whether a command writes, under the rule; code in Python alone does not."""
    return _RULE.get() is not None


def write(path: str | Path, data: bytes | str, what: str = "file") -> None:
    """Put `data` (text as UTF-8) at `path`, called `what` in messages, whole or not at all; see `put`.

    Raises UsageError for a place that cannot be written and for a file that the command did not make, WritingFailed
    when the disk is full or fails.
    """
    path, data, rule = Path(path), data.encode() if isinstance(data, str) else data, _RULE.get()
    try:
        _refuse(path, what)
        put(path, data if rule is None else made.marked(data, path.suffix.lower(), rule.command))
    except (OSError, ValueError) as error:
        raise _said(path, error, what) from error


def renew(path: str | Path, data: bytes | str, what: str = "file") -> None:
    """Do what `write` does with a file that the caller knows to be its own by what is in it; raises the same."""
    try:
        put(Path(path), data.encode() if isinstance(data, str) else data)
    except (OSError, ValueError) as error:
        raise _said(path, error, what) from error


def check(path: str | Path, what: str = "file") -> None:
    """Refuse a place that `write` could not write, before any work is done for it; leaves nothing behind.

    Raises UsageError, or WritingFailed when the disk fails.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _refuse(path, what)
        if _is_special(path):
            os.close(_opened(path))
            return
        os.close(os.open(aside := _aside(path), _NEW, 0o666))
        aside.unlink()
    except (OSError, ValueError) as error:
        raise _said(path, error, what) from error


def _said(path: str | Path, error: OSError | ValueError, what: str) -> UsageError | WritingFailed:
    return error if isinstance(error, UsageError) else told(path, error, what)


def _refuse(path: Path, what: str) -> None:
    """Raise UsageError for a file that is there, and that the command may not replace."""
    rule = _RULE.get()
    if rule is None or rule.is_forced or _is_special(path) or not path.exists() or not path.stat().st_size:
        return
    found = made.maker(path)
    if found is None:
        why = f"nothing in it says that {rule.command} made it"
    elif not found.is_unchanged:
        why = f"it was changed since {found.command} made it"
    elif found.command != rule.command:
        why = f"{found.command} made it"
    else:
        return
    raise _kept(what, path, why, rule.command)


def _kept(what: str, path: Path, why: str, command: str) -> UsageError:
    return UsageError(
        f"{what} {shown(str(path))} is there already, and {why}; allowed is a new name, or a file that {command} made "
        "and nobody changed; give another name, or --force to replace it"
    )


def check_folder(
    folder: str | Path, names: Collection[str] = (), what: str = "folder", filled_in: Collection[str] = ()
) -> None:
    """Refuse, before any work, a folder in which a command may not replace what it would: `names`, and what it made.

    Forms, of the names `filled_in`, are not replaced and so not looked at: see `write_folder`.

    Raises UsageError, WritingFailed when the disk fails.
    """
    folder = Path(folder)
    try:
        if folder.is_dir():
            known = made.of_folder(folder)
            _refuse_in(folder, [name for name in (*names, *known.files) if name not in filled_in], known, what)
    except (OSError, ValueError) as error:
        raise _said(folder, error, what) from error


def write_folder(
    folder: str | Path, files: Mapping[str, bytes], what: str = "folder", filled_in: Collection[str] = ()
) -> tuple[str, ...]:
    """Put `files` (by name, / between a folder in it and its file) into `folder`, all or none; returns those kept.

    Kept are forms, of the names `filled_in`, that somebody has changed: they are left as they are, with --force too.
    The folder has a list of what was made (made.LIST). Raises UsageError for a place that cannot be written, for files
    that the command did not make, and for changed forms of other parts than those of `files`; WritingFailed when the
    disk is full or fails.
    """
    folder, rule = Path(folder), _RULE.get()
    try:
        known = made.of_folder(folder)
        kept = tuple(name for name in filled_in if _is_filled_in(folder, name, known))
        for name in kept:
            if not known.has(name, files[name]):
                raise UsageError(
                    f"{shown(str(folder / name))} is there already, for you to write into, and not of these parts; "
                    "allowed is a folder of their own; give another (--force does not replace it)"
                )
        _refuse_in(folder, [name for name in files if name not in filled_in], known, what)
        for place in {(folder / name).parent for name in files}:
            place.mkdir(parents=True, exist_ok=True)
        listed = known.with_files(folder, files, rule.command if rule else "tower_sim")
        _put_all(folder, {made.LIST: listed, **{name: files[name] for name in files if name not in kept}})
    except (OSError, ValueError) as error:
        raise _said(folder, error, what) from error
    return kept


def _is_filled_in(folder: Path, name: str, known: made.Made) -> bool:
    return (folder / name).exists() and not known.is_unchanged(folder, name)


def _refuse_in(folder: Path, names: Sequence[str], known: made.Made, what: str) -> None:
    rule = _RULE.get()
    if rule is None or rule.is_forced:
        return
    for name in names:
        path = folder / name
        if path.exists() and (known.command != rule.command or not known.is_unchanged(folder, name)):
            is_other = name in known.files and known.command != rule.command
            why = f"{known.command if is_other else rule.command} {'made' if is_other else 'did not make'} it"
            if known.command == rule.command and name in known.files:
                why = f"it was changed since {rule.command} made it"
            raise _kept(f"{what}'s file", path, why, rule.command)


def _put_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all aside, then rename them in their order; a full disk is met before the first is renamed."""
    asides: list[tuple[Path, Path]] = []
    try:
        for name, data in files.items():
            asides.append((aside := _aside(folder / name), folder / name))
            _written_aside(aside, data)
        for aside, path in asides:
            _renamed(aside, path)
        for place in {aside.parent for aside, _ in asides}:
            sync_directory(place)
    finally:
        for aside, _ in asides:
            with suppress(OSError):
                aside.unlink(missing_ok=True)


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
        _written_aside(aside, data)
        _renamed(aside, path)
        sync_directory(aside.parent)
    except BaseException:  # an interrupt too leaves nothing behind
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def _written_aside(aside: Path, data: bytes) -> None:
    with open(os.open(aside, _NEW, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _renamed(aside: Path, path: Path) -> None:
    target = os.path.realpath(path)
    with suppress(FileNotFoundError):
        shutil.copymode(target, aside)
    os.replace(aside, target)


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
