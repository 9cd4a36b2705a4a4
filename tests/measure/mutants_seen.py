"""Which tests run which functions of the package: a plugin of pytest, and a hook in every process that tests start.

Each function gets a first statement that notes it, when its module is imported. Compiled functions are left as they
are, unless numba is told to compile nothing. A row of the map is one test: {"file", "hash", "test", "seconds", "ok",
"seen"}; a function is seen as `path:line`, a module's own statements as `path:0`. What another process saw, and what
was seen while a file was imported, is a row of the file alone, without "test". What runs it ends a file with "done".
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib.machinery
import json
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOMS = ("tower_sim", "calibration")
COMPILED = ("tower_sim/physics/core/", "tower_sim/surrogate/kernel")  # by numba
MAP = "MUTANTS_MAP"  # variable of the environment: the file that rows are added to
LONGEST = 8.0  # s: a test that takes longer is none that a mutant is tried with
LONGEST_FILE = 25.0  # s of all tests of a file: those after it are none either

ROOT = Path(__file__).resolve().parents[2]
_seen: set[str] = set()
_took: defaultdict[str, float] = defaultdict(float)  # s, by test file
_parent = os.environ.get("PYTEST_CURRENT_TEST", "")


def note(key: str) -> None:
    """Note a function; a process that a test started writes it down at once, since it may be killed."""
    if key not in _seen:
        _seen.add(key)
        if _parent:
            _write({"file": _parent.split("::")[0], "hash": _hash(_parent.split("::")[0]), "seen": [key]})


def start() -> None:
    """Have every module of the package that is imported from now on note what runs."""
    builtins.__dict__["note_seen"] = note
    sys.meta_path.insert(0, _Finder())


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        path = Path(self.path).relative_to(ROOT).as_posix()
        tree = ast.parse(Path(self.path).read_bytes())
        _mark(tree, f"{path}:0")
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                _mark(node, f"{path}:{node.lineno}")
        return compile(tree, self.path, "exec", dont_inherit=True)


def _mark(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef, key: str) -> None:
    """Put the note behind the docstring and what comes from __future__."""
    first = int(ast.get_docstring(node, clean=False) is not None)
    while first < len(node.body) and getattr(node.body[first], "module", "") == "__future__":
        first += 1
    node.body.insert(first, ast.parse(f"note_seen({key!r})").body[0])
    for each in ast.walk(node.body[first]):
        if isinstance(each, (ast.expr, ast.stmt)):
            each.lineno = each.end_lineno = getattr(node, "lineno", 1)


class _Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname.split(".")[0] not in ROOMS:
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is None or not (spec.origin or "").startswith(f"{ROOT}/") or not str(spec.origin).endswith(".py"):
            return spec
        if os.environ.get("NUMBA_DISABLE_JIT") == "1" or not any(part in str(spec.origin) for part in COMPILED):
            spec.loader = _Loader(fullname, str(spec.origin))
        return spec


def _write(row: dict[str, Any]) -> None:
    with open(os.environ[MAP], "ab", buffering=0) as file:
        file.write(json.dumps(row).encode() + b"\n")


def _hash(file: str) -> str:
    return hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]


# The plugin, a module that pytest takes as one


def pytest_configure(config: Any) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        config.workerinput = {}  # conftest.py then does not compile before the first test


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: Any) -> Iterator[None]:
    _seen.clear()
    report = yield
    if isinstance(collector, pytest.Module):
        _write_seen(collector.nodeid.split("::")[0])
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> Iterator[None]:
    file = item.nodeid.split("::")[0]
    _seen.clear()
    began, item.is_ok = time.monotonic(), _took[file] < LONGEST_FILE
    signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    result = yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.monotonic() - began
    _took[file] += seconds
    _write_seen(file, test=item.nodeid, seconds=round(seconds, 3), ok=item.is_ok)
    return result


def pytest_runtest_setup(item: Any) -> None:
    if not item.is_ok:
        pytest.skip(f"the tests of its file took over {LONGEST_FILE} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Iterator[None]:
    report: Any = yield
    item.is_ok = item.is_ok and report.passed
    return report


def _write_seen(file: str, **more: Any) -> None:
    _write({"file": file, "hash": _hash(file), **more, "seen": sorted(_seen)})


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"a test takes over {LONGEST} s")
