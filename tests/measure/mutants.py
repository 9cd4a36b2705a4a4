"""How many small faults the tests catch: mutants drawn at random, each tried with the tests that are nearest to it.

    python -m tests.measure.mutants --number 300 --seed 1
    python -m tests.measure.mutants --number 300 --seed 1 --again --near 8 --budget 60

A mutant changes one place of the Python code that ships, outside of words, types and imports: a comparison, a sign, a
whole number by one, a condition, what is returned, an argument, a bound. Lines are drawn, then one of a line's mutants.
All is done in a copy of the checkout, `tree` in `--folder`. A mutant is tried with `--near` test files, one after the
other: those fewest imports away from its module, and alike in name, each for `--budget` seconds, tests that name its
function first. A test that fails catches it, unless it fails without it, too, which is tried. Farther tests may catch
what survives, so the share is a lower bound. Stopped and run again, it goes on. `--again` tries survivors once more,
with the tests as they are now: that share is too good, since tests were written for them. Draw others for an honest
one, by another seed.

mutants.json has the survivors that no test could see, with the reason; shares with and without them are told.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import inspect
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
import types
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.measure.mutants_sites import Mutant, mutants_of
from tests.measure.script import ended
from tower_sim.errors import UsageError
from tower_sim.statistics import wilson

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("mutants.json")
ROOMS = ("tower_sim", "calibration")
WITHOUT = "tower_sim/testing/"  # tests themselves
COMPILED = ("tower_sim/physics/core/", "tower_sim/surrogate/kernel")  # by numba, whose mutants run as plain Python
PRELOADED = (
    "numpy", "scipy.stats", "scipy.optimize", "scipy.spatial", "numba", "matplotlib.figure", "asyncio", "sqlite3",
    "matplotlib.backends.backend_agg", "hypothesis.strategies", "sklearn.gaussian_process", "cryptography",
)  # fmt: skip
"""What every mutant's process is forked with, so that it imports the package alone."""
OPTIONS = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not long", "--strict-markers")
_NOT_IMPORTED = 2  # pytest's status for a file that could not be imported
_NOT_RUN = (4, 5)  # pytest's status for what it was called with, and for no test at all
LONGEST = 5.0  # s of one test: it is broken off then
_TOO_LONG = "TOO LONG "
_NONE = ("survived", "")
SLACK = 20.0  # s that a file may take besides, to be imported and ended


class Near:
    """The test files of a copy of the checkout, by how near they are to a module."""

    def __init__(self, tree: Path, patterns: Sequence[str]) -> None:
        files = sorted({file for pattern in patterns for file in tree.glob(pattern)})
        if not files:
            raise UsageError(f"--tests {patterns} names no file of a checkout; allowed are patterns as tests/test_*.py")
        self.texts = {file.relative_to(tree).as_posix(): file.read_text("utf-8") for file in files}
        others = [file for part in (*ROOMS, "tests/support") for file in (tree / part).rglob("*.py")]
        imports = {file.relative_to(tree).as_posix(): _imports(file, tree) for file in [*others, *files]}
        self.users: defaultdict[str, set[str]] = defaultdict(set)
        for name, used in imports.items():
            for each in used:
                self.users[each].add(name)

    def to(self, mutant: Mutant) -> list[str]:
        """Return test files, the nearest first: by imports less words that names share, then by naming its function."""
        away, ring = {mutant.path: 0}, [mutant.path]
        while ring:
            found = sorted({user for each in ring for user in self.users[each]} - away.keys())
            away |= dict.fromkeys(found, away[ring[0]] + 1)
            ring = found
        about, words = set(re.split("[/_.]", mutant.path)), words_of(mutant)

        def rank(file: str) -> tuple[int, int, int]:
            shared = len(about & set(re.split("[/_.]", file))) - 1
            named = sum(len(re.findall(rf"\b{word}\b", self.texts[file])) for word in words)
            return away.get(file, 99) - shared, -named, len(self.texts[file])

        return sorted(self.texts, key=rank)


def words_of(mutant: Mutant) -> list[str]:
    """Return the names of a mutant's function, of its class and of its module that a test may call it by."""
    words = (word.strip("_") for word in (*mutant.inside.split("."), Path(mutant.path).stem))
    return [word for word in words if len(word) > 2]


def _imports(file: Path, tree: Path) -> set[str]:
    """Return the files of the copy that one imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    paths = {name.replace(".", "/") for name in found}
    paths |= {f"tests/{path}" for path in paths if path.startswith("support/")}
    return {path for stem in paths for path in (f"{stem}.py", f"{stem}/__init__.py") if (tree / path).is_file()}


def copied(tree: Path) -> None:
    """Lay a copy of what git knows and does not ignore; what is equal stays, so that compiled files stay good."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        here, there = ROOT / name, tree / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists() or there.read_bytes() != here.read_bytes():
            shutil.copy2(here, there)
    for path in tree.rglob("*.py"):
        if path.relative_to(tree).as_posix() not in names:
            path.unlink()


class Trier:
    """Tries mutants in a copy of the checkout, each with test files in a process forked for it."""

    def __init__(self, tree: Path, near: Near, files: int, budget: float) -> None:
        self.tree, self.near, self.files, self.budget = tree, near, files, budget
        self.sound: dict[tuple[str, bool], bool] = {}  # tests, and whether as plain Python: do they pass as it is?

    def judged(self, mutant: Mutant) -> tuple[str, str]:
        """Return `caught`, `outlasted` or `survived`, and by which test or file."""
        for file in self.near.to(mutant)[: self.files]:
            result, by = self.tried(mutant, file)
            if result != "survived":
                return result, by
        return _NONE

    def tried(self, mutant: Mutant, file: str) -> tuple[str, str]:
        """Run a test file on the mutant, without the tests that fail anyhow; returns as `judged`."""
        plain = mutant.path.startswith(COMPILED)
        without = {test for (test, as_plain), is_sound in self.sound.items() if as_plain == plain and not is_sound}
        with mutated(self.tree / mutant.path, mutant):
            status, told = self.run(file, Some(words_of(mutant), without, self.budget), plain)
        if status in (0, *_NOT_RUN):
            hung = re.findall(rf"^{_TOO_LONG}(.+)$", told, re.M)[:1]
            return next((("outlasted", test) for test in hung if self.is_sound(test, test, plain, LONGEST / 4)), _NONE)
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", told, re.M)
        by = failed[0] if failed else file
        only = by if "::" in by else "none" if status == _NOT_IMPORTED else ""  # else it died: the whole file
        if self.is_sound(by, only, plain):
            return ("outlasted" if status is None else "caught"), by
        return self.tried(mutant, file) if "::" in by and by not in without else _NONE

    def is_sound(self, by: str, only: str, plain: bool, longest: float = 0.0) -> bool:
        """Tell whether a test, or with no `only` the file `by`, passes without a mutant, and within `longest` s."""
        if (by, plain) not in self.sound:
            status, told = self.run(by.split("::")[0], Some([], set(), self.budget, only, longest), plain)
            self.sound[by, plain] = status in (0, *_NOT_RUN) and (not only or _TOO_LONG not in told)
        return self.sound[by, plain]

    def run(self, file: str, some: Some, plain: bool) -> tuple[int | None, str]:
        """Run tests of a file in a child with a group of its own; returns pytest's status, None if it took too long."""
        sys.stdout.flush()
        log, child = self.tree.parent / "last.log", os.fork()
        if not child:
            os.setsid()
            with open(log, "w", encoding="utf-8") as told:
                os.dup2(told.fileno(), 1)
                os.dup2(told.fileno(), 2)
                sys.stdout = sys.stderr = told
                status = _tested(self.tree, file, some, plain)
            os._exit(status)
        until = time.monotonic() + self.budget + LONGEST + SLACK
        while not (end := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < until:
            time.sleep(0.02)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # also what it may have left running
        if not end[0]:
            os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(end[1]) if end[0] else None, log.read_text("utf-8", "replace")


@contextlib.contextmanager
def mutated(file: Path, mutant: Mutant) -> Iterator[None]:
    """Have the mutant in its file; then as it was, to the time on it, so that what was compiled of it is good again."""
    source, times = file.read_bytes(), file.stat()
    file.write_bytes(source[: mutant.begin] + mutant.text.encode() + source[mutant.end :])
    try:
        yield
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def _tested(tree: Path, file: str, some: Some, plain: bool) -> int:
    """Run tests of the copy in this process, which was forked for it; returns pytest's status."""
    for name in list(sys.modules):
        if name.partition(".")[0] in (*ROOMS, "tests", "support"):
            del sys.modules[name]
    os.environ |= {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": str(int(plain))}
    os.chdir(tree)
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(ROOT), str(tree)))]
    sys.argv, sys.modules["__main__"], sys.dont_write_bytecode = ["pytest"], types.ModuleType("__main__"), True
    importlib.import_module("numba").config.DISABLE_JIT = int(plain)
    try:
        return int(pytest.main([*OPTIONS, "-x", "--tb=line", file], [some]))
    except BaseException:
        traceback.print_exc()
        return 1


class Some:
    """A plugin: runs tests for `budget` s, those first that name most of `words`; none `without`, or `only` one.

    A test that takes over `longest` s is broken off, and named at the end.
    """

    def __init__(
        self, words: Sequence[str], without: set[str], budget: float, only: str = "", longest: float = 0.0
    ) -> None:
        self.words, self.without, self.budget, self.only = words, without, budget, only
        self.longest = longest or LONGEST
        self.hung: list[str] = []
        self.began = 0.0

    def pytest_configure(self, config: Any) -> None:
        config.workerinput = {}  # conftest.py then compiles nothing before the first test

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [each for each in items if each.nodeid not in self.without and self.only in ("", each.nodeid)]
        items[:] = sorted(kept, key=self.rank)
        self.began = time.monotonic()

    def rank(self, item: Any) -> int:
        text = f"{item.nodeid} {inspect.getsource(item.function)}"
        return -sum(bool(re.search(rf"(\b|_){word}(\b|_)", text)) for word in self.words)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        def broken_off(*_: Any) -> None:
            self.hung.append(item.nodeid)
            pytest.skip("it takes too long")

        signal.signal(signal.SIGALRM, broken_off)
        signal.setitimer(signal.ITIMER_REAL, self.longest)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for test in self.hung:
            terminalreporter.write_line(f"{_TOO_LONG}{test}")

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() > self.began + self.budget:
            pytest.skip("the tests of its file took too long")


def drawn(sources: dict[str, bytes], seed: int) -> Iterator[Mutant]:
    """Yield mutants in the order of `seed`: a line of all that can be changed, then one of its changes; none twice."""
    lines: defaultdict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for path in sorted(sources):
        for mutant in mutants_of(path, sources[path]):
            lines[path, mutant.line].append(mutant)
    rng, told = random.Random(seed), set[str]()
    places = list(lines)
    names = {mutant.name for some in lines.values() for mutant in some}
    while len(told) < len(names):
        mutant = rng.choice(lines[rng.choice(places)])
        if mutant.name not in told:
            told.add(mutant.name)
            yield mutant


def run(folder: Path, number: int, seed: int, again: bool, budget: float, near: int, tests: Sequence[str]) -> None:
    """Try mutants, and print what came of them; goes on where it was stopped. Raises UsageError for no tests."""
    tree = folder / "tree"
    copied(tree)
    trier = Trier(tree, Near(tree, tests), near, budget)
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    paths = [file for part in ROOMS for file in (tree / part).rglob("*.py")]
    sources = {file.relative_to(tree).as_posix(): file.read_bytes() for file in paths}
    wanted = list(
        islice(drawn({path: sources[path] for path in sources if not path.startswith(WITHOUT)}, seed), number)
    )
    rows, into = rows_of(folder / f"seed_{seed}.jsonl"), folder / f"seed_{seed}{'_again' * again}.jsonl"
    if again:
        wanted = [mutant for mutant in wanted if mutant.name in rows]
        rows = {name: row for name, row in rows.items() if row["result"] != "survived"} | rows_of(into)
    for mutant in wanted:
        if mutant.name in rows:
            continue
        began = time.monotonic()
        result, by = trier.judged(mutant)
        row = {"name": mutant.name, "path": mutant.path, "line": mutant.line, "kind": mutant.kind, "result": result}
        rows[mutant.name] = row | {"by": by, "seconds": round(time.monotonic() - began, 1)}
        with into.open("a", encoding="utf-8") as file:
            file.write(json.dumps(rows[mutant.name], ensure_ascii=False) + "\n")
        print(f"{len(rows)} {result} {by}: {mutant.name}", flush=True)
    tell([rows[mutant.name] for mutant in wanted])


def rows_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return what came of mutants, by name."""
    rows = map(json.loads, path.read_text("utf-8").splitlines()) if path.exists() else ()
    return {row["name"]: row for row in rows}


def tell(rows: Sequence[dict[str, Any]]) -> None:
    """Print who survived, and the shares that were caught: by room and kind, of all and without equivalent ones."""
    reasons = {each["name"]: each["reason"] for each in json.loads(EQUIVALENT.read_text("utf-8"))}
    caught = [row for row in rows if row["result"] != "survived"]
    print("\nSurvived:")
    for row in sorted(rows, key=lambda row: (row["path"], row["line"])):
        if row["result"] == "survived":
            reason = f"\n    equivalent: {reasons[row['name']]}" if row["name"] in reasons else ""
            print(f"{row['path']}:{row['line']} {row['name'].partition(' ')[2]}{reason}")
    for what, of in (("room", room), ("kind", lambda row: row["kind"])):
        print(f"\nCaught of those tried, by {what}")
        tries, hits = Counter(map(of, rows)), Counter(map(of, caught))
        print("\n".join(f"{name}: {hits[name]} of {tries[name]}" for name in sorted(tries)))
    print()
    for what, some in (("", rows), (" that are not equivalent", [row for row in rows if row["name"] not in reasons])):
        hits = sum(row["result"] != "survived" for row in some)
        share = wilson(hits, len(some))
        span = f"95 %: {100 * share.low:.1f} to {100 * share.high:.1f} %"
        print(f"caught of mutants{what}: {hits} of {len(some)}, {100 * share.value:.1f} % ({span})")


def room(row: dict[str, Any]) -> str:
    """Return the folder that a mutant lies in, of `tower_sim` one below."""
    parts = row["path"].split("/")
    return "/".join(parts[: 1 if parts[0] != "tower_sim" else 2]) if len(parts) > 2 else parts[0]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--number", type=int, default=300, help="mutants (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (default: 1)")
    parser.add_argument("--again", action="store_true", help="those of this seed that survived, with the tests of now")
    parser.add_argument("--near", type=int, default=3, help="test files a mutant (default: 3)")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests a file (default: 20)")
    parser.add_argument("--tests", nargs="+", default=["tests/test_*.py"], help="patterns of files (default: all)")
    parser.add_argument("--folder", type=Path, default=ROOT / "out/mutants", help="what is kept (default: out/mutants)")
    asked = parser.parse_args(argv)
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    given = (asked.number, asked.seed, asked.again, asked.budget, asked.near, asked.tests)
    return ended("mutants", lambda: run(folder, *given))


if __name__ == "__main__":
    raise SystemExit(main())
