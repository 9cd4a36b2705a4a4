"""numba, where it is installed: functions that it compiles, and the files in the user's cache that they are kept in.

numba keeps them, too, but as it reads them: a file that was cut, or whose pages a crash left empty, ends in a traceback
or kills the process in LLVM. So a file here begins with the hash of what is in it.
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

from tower_sim.terminal import warn

F = TypeVar("F", bound=Callable[..., Any])
_HASH = 32  # bytes of SHA-256
WAYS = ("numba", "wasm", "python")
"""What compiled functions can run by: compiled here, compiled before (by wasmtime), as plain Python."""
VARIABLE = "TOWER_SIM_CORE"
OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
"""Of functions that make no arrays: references to them are not counted, which would take most of the time."""


@cache
def is_compiled() -> bool:
    """Tell whether numba is installed, and not told to leave functions as they are."""
    return importlib.util.find_spec("numba") is not None and not importlib.import_module("numba").config.DISABLE_JIT


@cache
def way() -> str:
    """Return which of WAYS compiled functions run by: what the environment says (VARIABLE), else the fastest there is.

    A numba that is installed and told to leave functions as they are (NUMBA_DISABLE_JIT) leaves them plain Python.
    """
    if told := os.environ.get(VARIABLE):
        return told
    if importlib.util.find_spec("numba") is not None:
        return "numba" if is_compiled() else "python"
    return "wasm" if importlib.util.find_spec("wasmtime") is not None else "python"


def compiled(function: F, **options: Any) -> F:
    """Return a function that numba compiles when a compiled one first calls it, or itself without numba."""
    return importlib.import_module("numba").njit(**options)(function) if is_compiled() else function


def kept(function: F, **options: Any) -> F:
    """Return a function that numba compiles when it is first called and that is kept on disk, or itself without numba.

    What cannot be kept, or is damaged, is compiled again, and said in a line on standard error.
    """
    if is_compiled():
        dispatcher: Any = compiled(function, **options)
        dispatcher._cache = _kept_in(function)
        return dispatcher
    return function


def lies_on_disk(function: Any) -> bool:
    """Tell whether a compiled function was kept before."""
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
    """Have numba choose the user's cache, unless told where: pip leaves what lies in its folders.

    A folder that is left of an uninstalled package stands before one that is installed to be edited.
    """
    config = importlib.import_module("numba").config
    told = config.CACHE_DIR
    folder = Path(told) if told else user_cache()
    config.CACHE_DIR = str(folder)
    try:
        yield folder
    finally:
        config.CACHE_DIR = told


def user_cache() -> Path:
    """Return the folder where a user's cache is on this system."""
    homes = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~")}
    home = homes.get(sys.platform, os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(home).expanduser() / "tower_sim"


def seal(path: Path, content: bytes) -> None:
    """Keep what was compiled in a file that begins with its hash; raises OSError where that cannot be."""
    begun = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):  # the reason is that of the file
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        begun.write_bytes(hashlib.sha256(content).digest() + content)
        begun.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            begun.unlink()
        raise


def unsealed(sealed: bytes) -> bytes | None:
    """Return what was kept in such a file; None when it is damaged."""
    return sealed[_HASH:] if hashlib.sha256(sealed[_HASH:]).digest() == sealed[:_HASH] else None


class Shelf:
    """The files of one function, one for each of its signatures; numba asks it as it asks a cache of its own.

    `numbas` is the cache that knows where files lie and what is in them; None: there is no such place, and `folder` is
    where it was looked for.
    """

    def __init__(self, numbas: Any, folder: Path) -> None:
        self._numbas = numbas
        self._folder = folder

    @property
    def cache_path(self) -> str | None:
        """The folder of the files."""
        return None if self._numbas is None else self._numbas.cache_path

    def has_any(self) -> bool:
        """Tell whether there is a file."""
        return self._numbas is not None and any(Path(self._numbas.cache_path).glob(f"{self._base}.*.nbc"))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what was kept for a signature; None when it must be compiled."""
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
            if pickle.load(content) != self._of:
                return None
            return self._numbas._impl.rebuild(context, pickle.load(content))
        except Exception as error:  # whatever a file of another program's making may lead to
            return _set_aside(path, f"unreadable ({type(error).__name__})")

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled for a signature."""
        if self._numbas is None or not self._numbas._impl.check_cachable(result):
            return
        dumps = importlib.import_module("numba.core.serialize").dumps
        content = pickle.dumps(self._of) + dumps(self._numbas._impl.reduce(result))
        path = self._path(signature, result.codegen)
        try:
            seal(path, content)
        except OSError as error:
            if not path.is_file():  # one that is there is another process's, which Windows lets nobody replace
                _say_unkept(path.parent, error.strerror or str(error))

    @property
    def _of(self) -> tuple[str, Any]:
        """What a file is of: numba's version and the state of the source file."""
        return importlib.import_module("numba").__version__, self._numbas._impl.locator.get_source_stamp()

    @property
    def _base(self) -> str:
        return self._numbas._impl.filename_base

    def _path(self, signature: Any, codegen: Any) -> Path:
        key = hashlib.sha256(repr(self._numbas._index_key(signature, codegen)).encode()).hexdigest()[:16]
        return Path(self._numbas.cache_path) / f"{self._base}.{key}.nbc"


def _set_aside(path: Path, why: str) -> None:
    """Move a file away from where it would be read again; where that cannot be, each process compiles."""
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
        told = "each process compiles for itself; set NUMBA_CACHE_DIR to a folder that can be written"
        _say(f"compiled functions cannot be kept in {folder} ({why}): {told}")


@cache
def _say(line: str) -> None:
    """Say a line once."""
    warn(line)


def _why_unwritable(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return "numba finds no folder"
    except OSError as error:
        return error.strerror or str(error)
