"""Compile functions with numba, if it is installed, and keep the compiled code in the user's cache.

numba has a cache of its own, but it trusts its files: a truncated or empty file ends in a traceback or crashes the
process in LLVM. So each file here begins with the hash of its content.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import io
import multiprocessing
import os
import pickle
import secrets
import sys
import tempfile
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy.typing as npt

from tower_sim.tools.terminal import warn

F = TypeVar("F", bound=Callable[..., Any])
T = npt.NDArray[Any]
"""A table that compiled functions work on."""
_HASH = 32  # bytes of SHA-256
WAYS = ("numba", "wasm", "python")
"""How functions can run: compiled here by numba, compiled in advance and run by wasmtime, or as plain Python."""
VARIABLE = "TOWER_SIM_CORE"
OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
"""numba's options for functions that make no arrays. `_nrt` is off: counting references would take most of the time."""


@cache
def is_compiled() -> bool:
    """Return whether numba is installed and its compiler is enabled."""
    return importlib.util.find_spec("numba") is not None and not importlib.import_module("numba").config.DISABLE_JIT


@cache
def way() -> str:
    """Return how functions run, one of WAYS: the way that TOWER_SIM_CORE names, or else the fastest one installed.

    If numba is installed but disabled (NUMBA_DISABLE_JIT), functions run as plain Python.
    """
    if name := os.environ.get(VARIABLE):
        return name
    if importlib.util.find_spec("numba") is not None:
        return "numba" if is_compiled() else "python"
    return "wasm" if importlib.util.find_spec("wasmtime") is not None else "python"


def compiled(function: F, **options: Any) -> F:
    """Return `function`, compiled by numba at its first call; without numba, return it unchanged."""
    return importlib.import_module("numba").njit(**options)(function) if is_compiled() else function


@contextlib.contextmanager
def from_zero() -> Generator[None]:
    """Let numba compile indices in the block as they are: none of them counts from the end.

    To ask each whether it is negative takes a twentieth of the time of a drop. numba has no option for this.
    """
    arrays: Any = importlib.import_module("numba.np.arrayobj")
    types = importlib.import_module("numba.core.types")

    def fix(context: Any, builder: Any, kind: Any, index: Any, *_: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    with importlib.import_module("numba.core.compiler_lock").global_compiler_lock:
        before = getattr(arrays, "fix_integer_index", fix)
        arrays.fix_integer_index = fix
        try:
            yield
        finally:
            arrays.fix_integer_index = before


def inner(function: F) -> F:
    """Compile a function that only compiled ones call; it is kept on disk as a part of those.

    It is compiled into its callers, and without the counting of references to tables, which nothing here makes or
    keeps: that would take most of the time.
    """
    return compiled(function, forceinline=True, **OPTIONS) if way() == "numba" else function


def aside(function: F) -> F:
    """Compile a function that compiled ones call seldom: it stays one of its own, so that they stay small."""
    return compiled(function, **OPTIONS) if way() == "numba" else function


def kept(function: F, **options: Any) -> F:
    """Return `function`, compiled by numba at its first call and kept on disk; without numba, return it unchanged.

    If the compiled code is damaged or cannot be kept, it is compiled again, and one line on standard error says so.
    """
    if is_compiled():
        dispatcher: Any = compiled(function, **options)
        dispatcher._cache = _kept_in(function)
        return dispatcher
    return function


def lies_on_disk(function: Any) -> bool:
    """Return whether compiled code of `function`, a result of `kept`, is on disk."""
    return function._cache.has_any()


def _kept_in(function: Any) -> Shelf:
    caching = importlib.import_module("numba.core.caching")
    with _kept_apart() as folder:
        try:
            return Shelf(caching.FunctionCache(function), folder)
        except RuntimeError:  # there is no folder that numba could keep compiled functions in
            return Shelf(None, folder)


@contextlib.contextmanager
def _kept_apart() -> Generator[Path]:
    """Make numba use the user's cache in the block, unless NUMBA_CACHE_DIR names another folder; yield the folder.

    By default numba writes into the package's own folder, and pip does not remove these files. The folder that is left
    after an uninstallation would hide an editable installation.
    """
    config = importlib.import_module("numba").config
    before = config.CACHE_DIR
    folder = Path(before) if before else user_cache()
    config.CACHE_DIR = str(folder)
    try:
        yield folder
    finally:
        config.CACHE_DIR = before


def user_cache() -> Path:
    """Return the folder of tower_sim in the user's cache on this system."""
    homes = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~")}
    home = homes.get(sys.platform, os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(home).expanduser() / "tower_sim"


def seal(path: Path, content: bytes) -> None:
    """Write `content` to the file `path`, after its SHA-256 hash; the file is replaced as a whole. Raises OSError."""
    begun = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):  # writing the file raises the reason
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        begun.write_bytes(hashlib.sha256(content).digest() + content)
        begun.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            begun.unlink()
        raise


def unsealed(sealed: bytes) -> bytes | None:
    """Return the content of a file that `seal` wrote, or None if the file is damaged."""
    return sealed[_HASH:] if hashlib.sha256(sealed[_HASH:]).digest() == sealed[:_HASH] else None


class Shelf:
    """The files of compiled code of one function, one file for each signature, with the interface of numba's cache.

    `numbas` is numba's cache, which knows where files lie and what is in them. It is None if numba found no folder that
    it can write to. `folder` is where numba looked.
    """

    def __init__(self, numbas: Any, folder: Path) -> None:
        self._numbas = numbas
        self._folder = folder

    @property
    def cache_path(self) -> str | None:
        """The folder of the files, or None if there is none."""
        return None if self._numbas is None else self._numbas.cache_path

    def has_any(self) -> bool:
        """Return whether there is a file of this function."""
        return self._numbas is not None and any(Path(self._numbas.cache_path).glob(f"{self._base}.*.nbc"))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the compiled code that was kept for a signature, or None if it must be compiled."""
        context.refresh()
        if self._numbas is None:
            return _say_unkept(self._folder, _why_unwritable(self._folder))
        path = self._path(signature, context.codegen())
        try:
            sealed = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            return _set_aside(path, error.strerror or str(error))
        if (whole := unsealed(sealed)) is None:
            return _set_aside(path, "damaged")
        content = io.BytesIO(whole)
        try:
            if pickle.load(content) != self._key:
                return None
            return self._numbas._impl.rebuild(context, pickle.load(content))
        except Exception as error:  # another program's file can raise anything
            return _set_aside(path, f"unreadable ({type(error).__name__})")

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the compiled code of a signature on disk."""
        if self._numbas is None or not self._numbas._impl.check_cachable(result):
            return
        dumps = importlib.import_module("numba.core.serialize").dumps
        content = pickle.dumps(self._key) + dumps(self._numbas._impl.reduce(result))
        path = self._path(signature, result.codegen)
        try:
            seal(path, content)
        except OSError as error:
            if not path.is_file():  # an existing file is another process's, and Windows lets nobody replace it
                _say_unkept(path.parent, error.strerror or str(error))

    @property
    def _key(self) -> tuple[str, Any]:
        """The key that a file must match: numba's version and the state of the source file."""
        return importlib.import_module("numba").__version__, self._numbas._impl.locator.get_source_stamp()

    @property
    def _base(self) -> str:
        return self._numbas._impl.filename_base

    def _path(self, signature: Any, codegen: Any) -> Path:
        key = hashlib.sha256(repr(self._numbas._index_key(signature, codegen)).encode()).hexdigest()[:16]
        return Path(self._numbas.cache_path) / f"{self._base}.{key}.nbc"


def _set_aside(path: Path, why: str) -> None:
    """Rename a bad file to `.damaged`, so that it is not read again, and say so on standard error."""
    try:
        path.replace(path.with_suffix(".damaged"))
    except FileNotFoundError:  # another process was faster, and has said so
        return
    except OSError as error:
        _say_unkept(path.parent, error.strerror or str(error))
        return
    _say(f"what was kept of compiled functions in {path.parent} is {why}: set aside as .damaged, compiled again")


def _say_unkept(folder: Path, why: str) -> None:
    if multiprocessing.current_process().name.rpartition("-")[2] in ("MainProcess", "1"):  # of workers only the first
        remedy = "each process compiles for itself; set NUMBA_CACHE_DIR to a folder that can be written"
        _say(f"compiled functions cannot be kept in {folder} ({why}): {remedy}")


@cache
def _say(line: str) -> None:
    """Print a line on standard error, each line only once."""
    warn(line)


def _why_unwritable(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return "numba finds no folder"
    except OSError as error:
        return error.strerror or str(error)
