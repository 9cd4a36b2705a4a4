"""The tool of mutation: what it changes, what it leaves alone, which tests it takes, and how a mutant is tried."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from tests.measure import mutants
from tests.measure.mutants import Near, Trier, drawn, tell
from tests.measure.mutants_sites import Mutant, mutants_of
from tower_sim.errors import UsageError

pytestmark = pytest.mark.whole

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


def test_the_nearest_test_files_are_fewest_imports_away_and_named_alike_then_name_the_function_most(tmp_path: Path):
    files = {
        "tower_sim/a/x.py": "",
        "tower_sim/a/y.py": "from tower_sim.a import x",
        "tests/support/help.py": "from tower_sim.a.x import inside",
        "tests/test_far.py": "from tower_sim.a.y import other\ninside, inside",
        "tests/test_once.py": "import tower_sim.a.x\ninside",
        "tests/test_twice.py": "from tower_sim.a.x import inside\ninside",
        "tests/test_x.py": "from tower_sim.a import x",
        "tests/test_through.py": "from support.help import inside\ninside, inside, inside",
        "tests/test_other.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    mutant = next(mutant for mutant in mutants_of("tower_sim/a/x.py", CODE) if mutant.inside)
    order = ["x", "twice", "once", "through", "far", "other"]
    assert Near(tmp_path, ["tests/test_*.py"]).to(mutant) == [f"tests/test_{name}.py" for name in order]
    with pytest.raises(UsageError, match="--tests"):
        Near(tmp_path, ["tests/none_*.py"])


def only(was: str, text: str, source: bytes) -> Mutant:
    begin = source.index(was.encode())
    return Mutant("tower_sim/x.py", 1, begin, begin + len(was), text, "number", "", 0, was, text)


TESTS = """from tower_sim.x import LIMIT, STEP

def test_that_fails_anyhow():
    assert LIMIT < 0

def test_x():
    n = 0
    while n < LIMIT:
        n += STEP
    assert n >= 3
"""


def test_a_mutant_is_caught_or_survives_and_leaves_the_copy_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """One test counts to LIMIT and expects at least 3, for ever without a STEP; another fails as it is."""
    monkeypatch.setattr(mutants, "LONGEST", 2.0)
    tree = tmp_path / "tree"
    (tree / "tower_sim").mkdir(parents=True)
    file, source = tree / "tower_sim" / "x.py", b"LIMIT = 3\nSTEP = 1\n"
    file.write_bytes(source)
    (tree / "pytest.ini").write_text("[pytest]\nmarkers = long: none here\n")
    (tree / "test_x.py").write_text(TESTS)
    trier = Trier(tree, Near(tree, ["test_x.py"]), 1, 60.0)
    ends = []
    for was, text in (("3", "2"), ("3", "4"), ("1", "0"), ("3", "no_such_name")):
        ends.append(trier.judged(only(was, text, source)))
        assert file.read_bytes() == source
    by = "test_x.py::test_x"
    assert ends == [("caught", by), ("survived", ""), ("outlasted", by), ("caught", "test_x.py")]
    assert trier.sound == {
        ("test_x.py::test_that_fails_anyhow", False): False, (by, False): True, ("test_x.py", False): True
    }  # fmt: skip


def test_shares_are_told_with_their_intervals_with_and_without_equivalents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    results = ["caught"] * 7 + ["outlasted"] + ["survived"] * 2
    rows = [
        {"name": f"tower_sim/a/x.py f: {i}", "path": "tower_sim/a/x.py", "line": i, "kind": "number"}
        | {"result": result}
        for i, result in enumerate(results)
    ]
    (tmp_path / "known.json").write_text(json.dumps([{"name": rows[9]["name"], "reason": "nobody reads it"}]))
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "known.json")
    tell(rows)
    told = capsys.readouterr().out
    assert "tower_sim/a/x.py:8 f: 8\n" in told
    assert "tower_sim/a/x.py:9 f: 9\n    equivalent: nobody reads it" in told
    assert "tower_sim/a: 8 of 10" in told
    assert "caught of mutants: 8 of 10, 80.0 % (95 %: 49.0 to 94.3 %)" in told  # Wilson's, by hand
    assert "caught of mutants that are not equivalent: 8 of 9, 88.9 % (95 %: 56.5 to 98.0 %)" in told
