"""How many small faults the tests catch: mutants drawn at random, each tried by the tests that run its function.

    python -m tests.measure.mutants --number 300 --seed 1
    python -m tests.measure.mutants --again

A mutant changes one place of the Python code that ships, outside of words, types and imports: a comparison, a sign, a
whole number by one, a condition, what is returned, an argument, a bound. Lines are drawn, then one of a line's mutants.
All is done in a copy of the checkout, `tree` in `--folder`. A mutant is tried with the test files that are nearest to
its module by name, one after the other, `--near` of them: of each with those tests that run its function, for up to
`--budget` seconds. Which they are is found by a run of the file before it is first needed. Farther tests may catch what
survives, so the share is a lower bound; a mutant that takes four times as long as its tests counts as caught. Stopped
and run again, it goes on. `--again` tries the survivors once more, with the tests as they are now: that share is too
good, since tests were written for them. Draw others, by another seed.

mutants.json has the survivors that no test could see, with the reason; shares with and without them are told.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.measure.mutants_seen import COMPILED, MAP, ROOMS
from tests.measure.mutants_sites import Mutant, mutants_of
from tests.measure.script import ended
from tower_sim.errors import UsageError
from tower_sim.statistics import wilson

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("mutants.json")
WITHOUT = ("tower_sim/testing/",)  # tests themselves
PLAIN = ("test_core_*.py", "test_surrogate_kernel.py")
"""Test files that run what numba compiles as plain Python, for its mutants: each would have to be compiled."""
PRELOADED = (
    "numpy", "scipy.stats", "scipy.optimize", "scipy.spatial", "numba", "matplotlib.figure", "pytest", "asyncio",
    "matplotlib.backends.backend_agg", "hypothesis.strategies", "sklearn.gaussian_process", "sqlite3", "cryptography",
)  # fmt: skip
"""What every mutant's process is forked with, so that it imports the package alone."""
OPTIONS = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not long", "--strict-markers")
_NOTHING = (4, 5)  # pytest's status for what it was called with, and for no test at all
_NAMES = {False: "map.jsonl", True: "plain.jsonl"}
_HOOK = """import os

if os.environ.get("MUTANTS_MAP"):
    from tests.measure.mutants_seen import start

    start()
"""
SLACK = 20.0  # s that a mutant may take besides


class Seen:
    """The map: by test its seconds, by function its tests, by file what it saw and all its tests."""

    def __init__(self, rows: Iterable[dict[str, Any]], hashes: dict[str, str]) -> None:
        self.seconds: dict[str, float] = {}
        self.tests: defaultdict[str, set[str]] = defaultdict(set)  # by what they see
        self.files: defaultdict[str, set[str]] = defaultdict(set)  # by what was seen, apart from any test
        self.of: defaultdict[str, list[str]] = defaultdict(list)
        self.done: set[str] = set()
        for row in rows:
            file = row["file"]
            if hashes.get(file) != row["hash"]:
                continue
            if "done" in row:
                self.done.add(file)
            elif "test" not in row:
                for key in row["seen"]:
                    self.files[key].add(file)
            elif row["ok"] and row["test"] not in self.seconds:
                self.seconds[row["test"]] = row["seconds"]
                self.of[file].append(row["test"])
                for key in row["seen"]:
                    self.tests[key].add(row["test"])

    def chosen(self, mutant: Mutant, file: str, budget: float) -> list[str]:
        """Return the tests of a file to try a mutant with: those that run its function, then others if it is quick.

        What a fixture did is seen by its first test alone, and a module's own statements run when it is imported.
        """
        hits = self.tests[mutant.seen] & set(self.of[file])
        whole = sum(self.seconds[test] for test in self.of[file])
        if not mutant.first or file in self.files[mutant.seen] or (hits and whole < budget / 2):
            others = [test for test in self.of[file] if test not in hits]
        else:
            others = []
        found: list[str] = []
        for test in sorted(hits, key=self.seconds.__getitem__) + sorted(others, key=self.seconds.__getitem__):
            budget -= self.seconds[test]
            if budget < 0 and found:
                break
            found.append(test)
        return found


def copied(tree: Path) -> None:
    """Lay a copy of what git knows and does not ignore; what is equal stays, so that compiled files stay good."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        here, there = ROOT / name, tree / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists() or there.read_bytes() != here.read_bytes():
            shutil.copy2(here, there)
    for path in tree.rglob("*.py"):
        if path.relative_to(tree).as_posix() not in names:
            path.unlink()


class Maps:
    """The maps of test files, of compiled functions and of plain ones, each file's made when it is first asked for."""

    def __init__(self, folder: Path, patterns: Sequence[str]) -> None:
        self.tree, self.folder = folder / "tree", folder
        files = sorted(file for pattern in patterns for file in self.tree.glob(pattern))
        if not files:
            raise UsageError(f"--tests {patterns} names no file of a checkout; allowed are patterns as tests/test_*.py")
        self.texts = {file.relative_to(self.tree).as_posix(): file.read_text("utf-8") for file in files}
        self.hashes = {name: sha256((self.tree / name).read_bytes()).hexdigest()[:16] for name in self.texts}
        self.of = {is_plain: self.read(is_plain) for is_plain in (False, True)}
        (self.tree / "sitecustomize.py").write_text(_HOOK, "utf-8")

    def read(self, is_plain: bool) -> Seen:
        path = self.folder / _NAMES[is_plain]
        rows = map(json.loads, path.read_text("utf-8").splitlines()) if path.exists() else ()
        return Seen(rows, self.hashes)

    def nearest(self, mutant: Mutant, most: int) -> list[str]:
        """Return the test files that name a mutant's module, then those that name its folder, shorter ones first."""
        if mutant.path.startswith(COMPILED):
            return [file for file in self.texts if any(fnmatch(file, f"*/{pattern}") for pattern in PLAIN)]
        room, _, stem = mutant.path.removesuffix(".py").rpartition("/")
        dotted = room.replace("/", ".")
        module = re.compile(rf"{re.escape(dotted)}\.{stem}\b|from {re.escape(dotted)} import [^\n]*\b{stem}\b")
        ranks = ((file, not module.search(text), dotted not in text) for file, text in self.texts.items())
        near = sorted((apart, far, len(self.texts[file]), file) for file, apart, far in ranks if not (apart and far))
        return [file for *_, file in near[:most]]

    def seen(self, file: str, is_plain: bool) -> Seen:
        """Return the map with this file in it."""
        if file not in self.of[is_plain].done:
            path = self.folder / _NAMES[is_plain]
            more = {MAP: str(path), "NUMBA_DISABLE_JIT": str(int(is_plain))}
            status, _ = forked(lambda: mapped(self.tree, file, more), self.folder / "map.log", 3600.0)
            if status not in (0, 1, *_NOTHING):
                raise UsageError(f"pytest ended with {status} on {file}; see {self.folder / 'map.log'}; run it again")
            with path.open("a", encoding="utf-8") as rows:
                rows.write(json.dumps({"file": file, "hash": self.hashes[file], "done": True}) + "\n")
            self.of[is_plain] = self.read(is_plain)
        return self.of[is_plain]


def mapped(tree: Path, file: str, more: dict[str, str]) -> int:
    """Run a test file of the copy in this process, which was forked for it, and note what runs."""
    moved(tree, more)
    seen = importlib.import_module("tests.measure.mutants_seen")
    seen.start()
    return int(pytest.main([*OPTIONS, file], [seen]))


def tried(mutant: Mutant, tests: Sequence[str], seconds: float, tree: Path) -> tuple[str, str]:
    """Run the tests on the mutant in another process; returns `caught`, `outlasted` or `survived`, and by which."""
    file = tree / mutant.path
    source, times = file.read_bytes(), file.stat()
    more = {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": str(int(mutant.path.startswith(COMPILED)))}
    log = tree.parent / "last.log"
    file.write_bytes(source[: mutant.begin] + mutant.text.encode() + source[mutant.end :])
    try:
        status, told = forked(lambda: tested(tests, tree, more), log, 4 * seconds + SLACK)
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # so that what was compiled of it is good again
    if status in _NOTHING:
        raise UsageError(f"no test was run for {mutant.name}; see {log}; make the map anew")
    if status is None or not status:
        return ("outlasted" if status is None else "survived"), ""
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", told, re.M)
    return "caught", failed[0] if failed else ""


def forked(work: Callable[[], int], log: Path, longest: float) -> tuple[int | None, str]:
    """Do `work` in a child with a group of its own; returns its status, None after `longest` s, and what it printed."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.setsid()
        status = 1
        with open(log, "w", encoding="utf-8") as told:
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
            sys.stdout = sys.stderr = told
            try:
                status = work()
            except BaseException:
                traceback.print_exc()
        os._exit(status)
    until = time.monotonic() + longest
    while not (end := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < until:
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # also what it may have left running
    if not end[0]:
        os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(end[1]) if end[0] else None, log.read_text("utf-8", "replace")


def moved(tree: Path, more: dict[str, str]) -> None:
    """Have this process, a forked one, import what the copy of the checkout has."""
    for name in list(sys.modules):
        if name.partition(".")[0] in (*ROOMS, "tests", "support", "sitecustomize"):
            del sys.modules[name]
    os.environ.update({"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | more)
    os.chdir(tree)
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(ROOT), str(tree)))]
    sys.argv, sys.modules["__main__"] = ["pytest"], types.ModuleType("__main__")
    importlib.import_module("numba").config.DISABLE_JIT = int(more["NUMBA_DISABLE_JIT"])


def tested(tests: Sequence[str], tree: Path, more: dict[str, str]) -> int:
    """Run tests of the copy in this process, which was forked for it; returns pytest's status."""
    moved(tree, more)
    sys.dont_write_bytecode = True
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    return int(pytest.main([*OPTIONS, "-x", "--tb=line", *files], [Only(tests)]))


class Only:
    """A plugin: runs these tests and no others, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.place = {test: i for i, test in enumerate(tests)}

    def pytest_configure(self, config: Any) -> None:
        config.workerinput = {}  # conftest.py then compiles nothing before the first test

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (each for each in items if each.nodeid in self.place), key=lambda each: self.place[each.nodeid]
        )


def drawn(sources: dict[str, bytes], seed: int) -> Iterator[Mutant]:
    """Yield mutants in the order of `seed`: a line of all that can be changed, then one of its changes; none twice."""
    lines: defaultdict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for path in sorted(sources):
        for mutant in mutants_of(path, sources[path]):
            lines[path, mutant.line].append(mutant)
    rng, told = random.Random(seed), set[str]()
    places = list(lines)
    while len(told) < sum(map(len, lines.values())):
        mutant = rng.choice(lines[rng.choice(places)])
        if mutant.name not in told:
            told.add(mutant.name)
            yield mutant


def run(folder: Path, number: int, seed: int, again: bool, budget: float, near: int, tests: Sequence[str]) -> None:
    """Try mutants, and print what came of them; goes on where it was stopped. Raises UsageError for no tests."""
    tree = folder / "tree"
    copied(tree)
    maps = Maps(folder, tests)
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
        rows = {name: row for name, row in rows.items() if row["result"] != "survived"} | rows_of(into)
    for mutant in wanted:
        if mutant.name in rows:
            continue
        began = time.monotonic()
        result, by, met = judged(mutant, maps, near, budget)
        row = {"name": mutant.name, "path": mutant.path, "line": mutant.line, "kind": mutant.kind, "result": result}
        rows[mutant.name] = row | {"by": by, "tests": met, "seconds": round(time.monotonic() - began, 1)}
        with into.open("a", encoding="utf-8") as file:
            file.write(json.dumps(rows[mutant.name], ensure_ascii=False) + "\n")
        print(f"{len(rows)} {result} by {by or f'none of {met}'}: {mutant.name}", flush=True)
    tell([rows[mutant.name] for mutant in wanted])


def judged(mutant: Mutant, maps: Maps, near: int, budget: float) -> tuple[str, str, int]:
    """Try a mutant with one test file after the other; returns what came of it, by which test, and how many it met."""
    tests = 0
    for file in maps.nearest(mutant, near):
        seen = maps.seen(file, mutant.path.startswith(COMPILED))
        if chosen := seen.chosen(mutant, file, budget):
            tests += len(chosen)
            result, by = tried(mutant, chosen, sum(seen.seconds[test] for test in chosen), maps.tree)
            if result != "survived":
                return result, by, tests
    return "survived", "", tests


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
            said = f"equivalent: {reasons[row['name']]}" if row["name"] in reasons else f"{row['tests']} tests run it"
            print(f"{row['path']}:{row['line']} {row['name'].partition(' ')[2]}\n    {said}")
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
    parser.add_argument("--budget", type=float, default=25.0, help="seconds of tests a mutant (default: 25)")
    parser.add_argument("--near", type=int, default=4, help="test files a mutant, nearest first (default: 4)")
    parser.add_argument("--tests", nargs="+", default=["tests/test_*.py"], help="patterns of files (default: all)")
    parser.add_argument("--folder", type=Path, default=ROOT / "out/mutants", help="what is kept (default: out/mutants)")
    asked = parser.parse_args(argv)
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    given = (asked.number, asked.seed, asked.again, asked.budget, asked.near, asked.tests)
    return ended("mutants", lambda: run(folder, *given))


if __name__ == "__main__":
    raise SystemExit(main())
