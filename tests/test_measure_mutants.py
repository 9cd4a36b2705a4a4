"""The tool of mutation: what it changes, what it leaves alone, which tests it takes, and how a mutant is tried."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.measure import mutants
from tests.measure.mutants import Seen, drawn, tell, tried
from tests.measure.mutants_sites import Mutant, mutants_of
from tower_sim.errors import UsageError

CODE = b'''"""Words: 1 < 2."""
from __future__ import annotations
import os

LIMIT: int = 5
NAME = "text" + "1"


def inside(a: list[int], low: float = 0.5) -> bool:
    """Say so if a < 3."""
    if not a:
        raise ValueError(f"{len(a) + 1} is not {1 < 2}")
    check(a)
    return min(a) < low and a[1:n] != ["x"]  # \xc3\xa9


def check(a: list[int]) -> None: ...
'''

CHANGED = {
    "LIMIT: int = 5": {"LIMIT: int = 6"},
    "def inside(a: list[int], low: float = 0.5) -> bool:": {"def inside(a: list[int], low: float = 1.0) -> bool:"},
    "if not a:": {"if (a):"},
    "check(a)": {"pass"},
    'return min(a) < low and a[1:n] != ["x"] # é': {
        "return None # é",
        "return (min(a) < low or a[1:n] != ['x']) # é",
        'return (min(a) <= low) and a[1:n] != ["x"] # é',
        'return (min(a) >= low) and a[1:n] != ["x"] # é',
        'return (max(a)) < low and a[1:n] != ["x"] # é',
        "return min(a) < low and (a[1:n] == ['x']) # é",
        'return min(a) < low and a[1:n - 1] != ["x"] # é',
        'return min(a) < low and a[2:n] != ["x"] # é',
    },
}


def test_every_place_of_the_code_is_changed_and_no_word_type_or_import():
    found: dict[str, set[str]] = {}
    for mutant in mutants_of("x.py", CODE):
        found.setdefault(mutant.was, set()).add(mutant.now)
        compile(CODE[: mutant.begin] + mutant.text.encode() + CODE[mutant.end :], "x.py", "exec")
    assert found == CHANGED
    assert {(mutant.inside, mutant.seen) for mutant in mutants_of("x.py", CODE)} == {
        ("", "x.py:0"), ("inside", "x.py:0"), ("inside", "x.py:9"),
    }  # fmt: skip


def test_the_same_seed_draws_the_same_mutants_and_none_twice():
    all_ = [mutant.name for mutant in drawn({"x.py": CODE}, 1)]
    assert len(all_) == len(set(all_)) == sum(map(len, CHANGED.values()))
    assert [mutant.name for mutant in islice(drawn({"x.py": CODE}, 1), 5)] == all_[:5]
    assert [mutant.name for mutant in islice(drawn({"x.py": CODE}, 2), 5)] != all_[:5]


def row(test: str, seconds: float, *seen: str, ok: bool = True) -> dict[str, Any]:
    return {"file": test.split("::")[0], "hash": "h", "test": test, "seconds": seconds, "ok": ok, "seen": list(seen)}


def test_a_mutant_is_tried_with_the_tests_that_run_its_function_then_with_the_others_of_a_quick_file():
    """Also where it ran in another process, or when its module was imported; never with tests that fail as it is."""
    rows = [
        row("near.py::slow", 5.0, "x.py:9"), row("near.py::quick", 0.1, "x.py:9"), row("near.py::else", 0.2, "x.py:20"),
        row("near.py::fails", 0.1, "x.py:9", ok=False), row("far.py::a", 0.1, "x.py:9"), row("apart.py::a", 3.0),
        row("old.py::a", 0.1, "x.py:9"), {"file": "apart.py", "hash": "h", "seen": ["x.py:9"]},
    ]  # fmt: skip
    seen = Seen(rows, dict.fromkeys(("far.py", "near.py", "apart.py"), "h") | {"old.py": "changed"})
    function = next(mutant for mutant in mutants_of("x.py", CODE) if mutant.first)
    module = next(mutant for mutant in mutants_of("x.py", CODE) if not mutant.first)
    assert seen.chosen(function, "near.py", 20.0) == ["near.py::quick", "near.py::slow", "near.py::else"]
    assert seen.chosen(function, "near.py", 8.0) == ["near.py::quick", "near.py::slow"]
    assert seen.chosen(function, "near.py", 1.0) == ["near.py::quick"]
    assert seen.chosen(function, "apart.py", 1.0) == ["apart.py::a"]
    assert seen.chosen(function, "old.py", 20.0) == []
    assert seen.chosen(module, "near.py", 1.0) == ["near.py::quick", "near.py::else"]


def only(was: str, text: str, source: bytes) -> Mutant:
    begin = source.index(was.encode())
    return Mutant("tower_sim/x.py", 1, begin, begin + len(was), text, "number", "", 0, was, text)


TEST = """from tower_sim.x import LIMIT, STEP

def test_x():
    n = 0
    while n < LIMIT:
        n += STEP
    assert n >= 3
"""


def test_a_mutant_is_caught_outlasted_or_survives_and_leaves_the_copy_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The only test counts to LIMIT and expects at least 3."""
    monkeypatch.setattr(mutants, "SLACK", 2.0)
    tree = tmp_path / "tree"
    (tree / "tower_sim").mkdir(parents=True)
    file, source = tree / "tower_sim" / "x.py", b"LIMIT = 3\nSTEP = 1\n"
    file.write_bytes(source)
    (tree / "pytest.ini").write_text("[pytest]\nmarkers = long: none here\n")
    (tree / "test_x.py").write_text(TEST)
    tests, ends = ["test_x.py::test_x"], []
    for was, text, seconds in (("3", "2", 60.0), ("3", "4", 60.0), ("1", "0", 0.0), ("3", "no_such_name", 60.0)):
        ends.append(tried(only(was, text, source), tests, seconds, tree))
        assert file.read_bytes() == source
    assert ends == [("caught", tests[0]), ("survived", ""), ("outlasted", ""), ("caught", "test_x.py")]
    with pytest.raises(UsageError, match="no test was run"):
        tried(only("3", "4", source), ["test_x.py::another"], 60.0, tree)


def test_shares_are_told_with_their_intervals_with_and_without_equivalents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    results = ["caught"] * 7 + ["outlasted"] + ["survived"] * 2
    rows = [
        {"name": f"tower_sim/a/x.py f: {i}", "path": "tower_sim/a/x.py", "line": i, "kind": "number", "tests": 3}
        | {"result": result}
        for i, result in enumerate(results)
    ]
    (tmp_path / "known.json").write_text(json.dumps([{"name": rows[9]["name"], "reason": "nobody reads it"}]))
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "known.json")
    tell(rows)
    told = capsys.readouterr().out
    assert "tower_sim/a/x.py:8 f: 8\n    3 tests run it" in told
    assert "tower_sim/a/x.py:9 f: 9\n    equivalent: nobody reads it" in told
    assert "tower_sim/a: 8 of 10" in told
    assert "caught of mutants: 8 of 10, 80.0 % (95 %: 49.0 to 94.3 %)" in told  # Wilson's, by hand
    assert "caught of mutants that are not equivalent: 8 of 9, 88.9 % (95 %: 56.5 to 98.0 %)" in told
