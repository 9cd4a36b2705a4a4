"""What came of many runs: counts drop by drop against loops, figures by hand, formulas in Python and in JavaScript."""

import ast
import json
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tower_sim.errors import UsageError
from tower_sim.results import (
    COUNTS,
    INSIDE_SETUP,
    MOST,
    OUT,
    SHARE_OUT,
    SKIPPED,
    SUM,
    THROWN_OUT,
    UNKNOWN,
    Figure,
    Results,
    some_out,
)
from tower_sim.results.figure import SPREAD, formula, script
from tower_sim.results.tower import RESIDENTS_OUT

NODE = shutil.which("node")


@st.composite
def games(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts of one run, of three colours in two to six drops: thrown, out and inside after, shape (drop, colour)."""
    inside = np.zeros(3, int)
    rows: list[tuple[Any, ...]] = []
    for _ in range(draw(st.integers(2, 6))):
        thrown = np.array(draw(st.lists(st.integers(0, 4), min_size=3, max_size=3)))
        out = np.array([draw(st.integers(0, int(n))) for n in inside + thrown])
        inside = inside + thrown - out
        rows.append((thrown, out, inside))
    thrown, out, inside = (np.array([row[i] for row in rows]) for i in range(3))
    return thrown, out, inside


def counted(thrown: Any, out: Any, inside: Any, **more: Any) -> Results:
    return Results.of_counts({"thrown": thrown, "out": out, "inside": inside}, **more)


@given(games())
def test_every_column_is_that_of_a_loop_over_drops_and_colours(game: Any):
    thrown, out, inside = game
    found = counted(thrown, out, inside)
    held = [0, 0, 0]
    for drop in range(len(thrown)):
        own = [k for k in range(3) if thrown[drop, k]]
        others = [int(out[drop, k]) for k in range(3) if k not in own]
        expected = {
            "thrown": sum(thrown[drop]), "out": sum(out[drop]), "inside": sum(inside[drop]),
            "own": sum(thrown[drop, k] + held[k] for k in own), "own_out": sum(out[drop, k] for k in own),
            "colours": sum(n > 0 for n in out[drop]), "lead": max(others, default=0), "old_out": UNKNOWN,
        }  # fmt: skip
        assert {name: found.grid(name)[drop] for name in COUNTS} == expected
        assert found.grid("before")[drop] == sum(held)
        held = inside[drop].tolist()


def two_runs() -> Results:
    """Two runs of a set-up and three phases; the second ends before its last."""
    thrown = np.array([[[4, 4], [2, 0], [0, 3], [0, 0]], [[4, 4], [1, 0], [0, 0], [0, 0]]])
    out = np.array([[[2, 3], [2, 1], [0, 0], [0, 0]], [[1, 0], [3, 2], [0, 0], [0, 0]]])
    inside = np.array([[[2, 1], [2, 0], [2, 3], [2, 3]], [[3, 4], [1, 2], [1, 2], [0, 0]]])
    old = np.array([[0, 2, 0, 0], [0, 5, 0, 0]])
    return counted(thrown, out, inside, old_out=old, terms={"divisor": 2.0}).take_rows(np.arange(7))


def test_figures_are_those_worked_out_by_hand():
    runs = two_runs()
    assert INSIDE_SETUP.value(runs).tolist() == [3, 7]
    assert [each.tolist() for each in OUT.sums(runs)] == [[3, 5], [3, 2]]  # of three phases, and of two
    assert SKIPPED.value(runs).tolist() == [2, 1]
    assert SHARE_OUT.value(runs) == pytest.approx([3 / ((2 + 3) + (3 + 2) + (0 + 5)), 5 / ((1 + 7) + (0 + 3))])
    assert [each.tolist() for each in RESIDENTS_OUT.sums(runs)] == [[2, 5], [3 + 2, 7]]  # where something is thrown
    assert THROWN_OUT.value(runs) == pytest.approx([1 / 5, 0 / 1])
    most, spread = (Figure("x", "x", "cubes", of="out", take=take) for take in (MOST, SPREAD))
    assert most.value(runs).tolist() == [3, 5]
    assert spread.value(runs) == pytest.approx([np.std([3, 0, 0]), np.std([5, 0])])
    gold = Figure("gold", "gold", "gold", of="ceil(out / divisor)", where="out > 0")
    assert gold.value(runs).tolist() == [2, 3]
    rare = Figure("rare", "rare", "1", of="colours == 2", where="out > 4", take=SUM)
    assert rare.value(runs, none=-1).tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("limits", "phases", "told"),
    [
        ({}, [1, 1], "phases with something out"),
        ({"least": 4}, [0, 1], "phases with 4 or more out"),
        ({"most": 3}, [1, 0], "phases with 1 to 3 out"),
        ({"least": 0, "most": 0}, [2, 1], "phases with 0 to 0 out"),
        ({"least": 0}, [3, 2], "phases with 0 or more out"),
        ({"where": "colours >= 2"}, [1, 1], "phases with something out and two or more colours"),
        ({"least": 6, "where": "colours >= 2"}, [0, 0], "phases with 6 or more out and two or more colours"),
    ],
)
def test_phases_are_chosen_by_both_limits_of_the_cubes_out(limits: Any, phases: list[int], told: str):
    figure = some_out("x", "x", "cubes", "out", **limits)
    assert figure.title == f"x, of {told}"
    assert figure.sums(two_runs())[1].tolist() == phases


def test_what_a_figure_is_has_the_numbers_of_the_rules_and_keeps_every_other_brace():
    figure = Figure("x", "x", "x", says="cubes by {divisor}, {} and {more")
    assert figure.meaning({"divisor": 3.0}) == "cubes by 3, {} and {more"


def test_what_is_inside_before_a_throw_is_right_when_the_tower_was_emptied_for_it():
    runs = counted(np.array([[4], [4]]), np.array([[1], [3]]), np.array([[3], [1]]))
    assert (runs.grid("before").tolist(), runs.grid("own").tolist()) == ([0, 0], [4, 4])


def test_a_drop_whose_column_is_not_known_does_not_count():
    thrown, out, inside = (np.array([[[3], [1], [1]]]) for _ in range(3))
    runs = counted(thrown, out, inside, old_out=np.array([[0, 1, UNKNOWN]]))
    old = Figure("old", "old", "cubes", of="old_out")
    assert [each.tolist() for each in old.sums(runs)] == [[1], [1]]
    assert old.is_known(runs)
    assert not old.is_known(counted(thrown, out, inside))
    assert not INSIDE_SETUP.is_known(counted(thrown, out, inside).take_rows(np.arange(1, 3)))
    assert not Figure("x", "x", "x", of="divisor").is_known(runs)


def test_runs_of_two_tables_stand_one_below_the_other_and_are_taken_out_again():
    ones, twos = (np.full((2, 3, 1), number) for number in (1, 2))
    both = Results.together([counted(ones, ones, ones), counted(twos, twos, twos)])
    assert both.grid("out").tolist() == [[1] * 3] * 2 + [[2] * 3] * 2
    assert both.take([3, 0]).grid("out").tolist() == [[2] * 3, [1] * 3]
    assert both.take_rows(both.rows.drop < both.rows.run).grid("out").tolist() == [
        [UNKNOWN] * 3,
        [1, UNKNOWN, UNKNOWN],
        [2, 2, UNKNOWN],
        [2] * 3,
    ]


def test_a_table_of_towers_and_their_games_keeps_its_shape():
    counts = np.arange(24).reshape(2, 3, 4)  # of 2 towers, 3 games, 4 drops
    games = Results.of_counts(thrown=counts, out=counts, inside=counts)
    assert OUT.value(games).tolist() == [[2, 6, 10], [14, 18, 22]]
    assert OUT.value(games, drops=(1, 3)).tolist() == [[1.5, 5.5, 9.5], [13.5, 17.5, 21.5]]
    assert games.take(np.array([False, True])).grid("out").tolist() == [counts[1].tolist()]
    with pytest.raises(UsageError, match=r'out is not counted by colour here; .*; take grid\("out"\)'):
        _ = games.each_colour("out")


def test_a_frame_has_a_row_for_each_throw():
    frame = two_runs().frame()
    assert list(zip(frame["run"], frame["drop"], strict=True)) == [(r, d) for r in range(2) for d in range(4)][:7]
    assert frame.groupby("run")["out"].sum().tolist() == two_runs().grid("out", 0).sum(-1).tolist()


numbers = st.integers(0, 9)
names = st.sampled_from(["out", "thrown", "inside"])
formulas = st.recursive(
    st.one_of(names, numbers.map(str)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "and", "or"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        inner.map(lambda x: f"ceil({x} / 3)"),
        inner.map(lambda x: f"floor({x} / 2)"),
        inner.map(lambda x: f"(not {x})"),
        inner.map(lambda x: f"(-{x})"),
    ),
    max_leaves=6,
)
AT = {"out": 5, "thrown": 7, "inside": 0}


def by_python(text: str) -> float:
    """What Python's own arithmetic gives; `and` and `or` tell whether, as they do in a figure."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp):
            node.values = [ast.Call(ast.Name("bool", ast.Load()), [value], []) for value in node.values]
    code = compile(ast.fix_missing_locations(tree), "formula", "eval")
    from math import ceil, floor

    return float(eval(code, {"ceil": ceil, "floor": floor, "max": max, "min": min, "bool": bool} | AT))


@settings(max_examples=12, deadline=None)  # each starts node
@given(st.lists(formulas.filter(lambda text: len(text) <= 200), min_size=40, max_size=80))
def test_a_formula_is_the_number_that_python_and_javascript_make_of_it(texts: list[str]):
    read = [formula(text) for text in texts]
    found = [float(each.of(lambda name: np.array(AT[name], float))) for each in read]
    assert found == [by_python(text) for text in texts]
    assert all(not each.is_whole or value == int(value) for each, value in zip(read, found, strict=True))
    if NODE:
        values = ", ".join(f"Number({each.javascript(lambda name: f'd.{name}')})" for each in read)
        code = f"const d = {json.dumps(AT)}; console.log(JSON.stringify([{values}]))"
        result = subprocess.run([NODE, "-e", code], capture_output=True, text=True, check=True)
        assert json.loads(result.stdout) == pytest.approx(found)


def test_what_is_no_formula_is_refused_in_one_line():
    for text in (
        "", "out +", "out.red", "__import__('os')", "out[0]", "f(out)", "lambda: 1", "'red'", "1 < out < 3", "out ** 9",
        "[out for out in (1, 2)]", "max()", "ceil(1, 2)", "max(out, key=1)", "1+" * 150 + "1",
        "out := 1", "True",
    ):  # fmt: skip
        with pytest.raises(UsageError, match="figure is"):
            formula(text)


def test_the_script_of_figures_is_javascript_that_gives_their_values():
    figures = (OUT, SKIPPED, Figure("gold", "gold", "gold", of="ceil(out / divisor)"))
    if NODE is None:
        pytest.skip("node is not installed here")
    ask = "const f = %s; console.log(JSON.stringify(f.map(({ key, of }) => [key, of({ out: 5 }, { divisor: 2 })])))"
    result = subprocess.run(
        [NODE, "-e", ask % script(figures, ("divisor",))], capture_output=True, text=True, check=True
    )
    assert json.loads(result.stdout) == [["out", 5], ["skipped", 0], ["gold", 3]]
