"""Expressions of declared games are what Python's fractions say, readings what all outcomes one by one say."""

from __future__ import annotations

import ast
import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from support.cases import each_case
from support.declared import NUMBERS, At, cubes, expressions

from tower_sim.errors import UsageError
from tower_sim.games.declared.expressions import MAX_NUMBER, Value
from tower_sim.games.declared.grammar import MAX_NESTED, read_cubes, read_expression
from tower_sim.games.declared.readings import read_reading


def oracle(node: ast.expr) -> Any:
    """What an expression is, by Python's own reading of it; raises ArithmeticError where it is nothing we allow."""
    match node:
        case ast.Constant(value=int(value)):
            return Fraction(value)
        case ast.Name(id=name):
            value = NUMBERS[name]
            return None if value is None else Fraction(value)
        case ast.BoolOp(op=op, values=values):
            held = [bool(oracle(value)) for value in values]  # all of them: a part that is wrong is wrong
            return Fraction(all(held) if isinstance(op, ast.And) else any(held))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return Fraction(not oracle(inner))
        case ast.UnaryOp(operand=inner):
            value = oracle(inner)
            return None if value is None else -value
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            a, b = oracle(left), oracle(right)
            if a is None or b is None:
                return Fraction(0)
            order = {"Eq": a == b, "NotEq": a != b, "Lt": a < b, "LtE": a <= b, "Gt": a > b, "GtE": a >= b}
            return Fraction(order[type(op).__name__])
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [oracle(arg) for arg in args]
            if None in values:
                return None
            return Fraction(math.ceil(values[0])) if name == "ceil" else {"max": max, "min": min}[name](values)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = oracle(left), oracle(right)
            if a is None or b is None:
                return None
            kind = type(op).__name__
            value = a / b if kind == "Div" else {"Add": a + b, "Sub": a - b, "Mult": a * b}[kind]
            if abs(value) > MAX_NUMBER:
                raise OverflowError
            return value
    raise AssertionError(ast.dump(node))


@settings(max_examples=500, deadline=None)
@given(text=expressions())
def test_an_expression_is_what_fractions_in_python_are(text: str):
    at = At(numbers=NUMBERS)
    read = read_expression(text, "x", at.names)
    try:
        expected = oracle(ast.parse(text, mode="eval").body)
    except ArithmeticError:
        return  # `and` and `or` may leave out the part that is wrong, as Python's do: see below
    value = read.value(at)
    assert value == expected
    assert isinstance(value, int) == (expected is not None and expected.denominator == 1)


@each_case("text", ["1 / 0", "a / b", "1000000000 * 2", "1 + 1 / (a - 3)", "ceil(1 / b)", "0 - 1 / 0"])
def test_a_division_by_nothing_and_a_number_too_large_are_told_with_the_keys_path(text: str):
    at = At(numbers=NUMBERS)
    with pytest.raises(UsageError, match=r"^phase\[0\]\.read\.x \(.*\) is (a division by 0|a number over 1000000000);"):
        read_expression(text, "phase[0].read.x", at.names).value(at)


def test_and_and_or_stop_where_they_know():
    at = At(numbers=NUMBERS)
    for text, value in (("a == 0 and 1 / b", 0), ("a == 3 or 1 / b", 1)):
        assert read_expression(text, "x", at.names).value(at) == value


@each_case("text", ["5 / 2", "half", "a / 2"])
def test_a_fraction_is_refused_where_a_whole_number_is_needed(text: str):
    at = At(numbers=NUMBERS)
    with pytest.raises(UsageError, match=r"^x \(.*\) is \d/2; allowed is a whole number from 0;"):
        read_expression(text, "x", at.names).whole(at, 0)


@each_case(
    ("text", "value"),
    [
        ("count(out)", 6), ("count(out.warm)", 3), ("count(bag)", 1), ("count(thrown)", 0), ("count(out.who)", 2),
        ("max(out)", 3), ("min(out)", 1), ("max(out.cold)", 2), ("min(bag)", 0), ("max(tower)", 0),
        ("sum(pips, out)", 5), ("sum(pips, out.cold)", -4), ("who == blue", 1), ("who == red", 0), ("who != red", 1),
        ("winner == attacker", 1), ("winner == tie", 0), ("nobody == red", 0), ("count(out.nobody)", 0),
        ("nobody != red", 0), ("max(out) + count(out) / 4", Fraction(9, 2)),
    ],
)  # fmt: skip
def test_sets_of_cubes_colours_and_words_are_counted_and_compared(text: str, value: Value):
    at = At(
        words={"who": "blue", "nobody": None, "winner": "attacker"},
        choices={"winner": ("attacker", "tie")},
        places={"out": cubes(red=3, blue=2, green=1), "bag": cubes(green=1)},
    )
    assert read_expression(text, "x", at.names).value(at) == value


@each_case(
    ("text", "told"),
    [
        ("", "allowed is a whole number or an expression of up to 200 characters"),
        ("1" * 201, "of up to 200 characters"),
        (True, "x is true"),
        (1.5, "x is 1.5"),
        (None, "x is nothing"),
        ([], r"x is \[\]"),
        (10**10, "x is 10000000000; allowed is a whole number up to 1000000000 in size"),
        ("99999999999", "a number in x is '99999999999'"),
        ("cuont(out)", "did you mean count"),
        ("a +", "has 'its end'; allowed are a name there"),
        ("a b", "has 'b'; allowed are an operator or the end there"),
        ("a == b == c", "has '=='"),
        ("(a", r"has 'its end'; allowed are '\)' there"),
        ("a ** 2", r"has '\*'"),
        ("a // 2", "has '/'"),
        ("'a'", 'has "\'"; allowed are numbers, names'),
        ("a[0]", r"has '\['"),
        ("a.b", r"has '\.'"),
        ("lambda: 1", "has ':'"),
        ("__import__(a)", "is '__import__'"),
        ("a = 1", "has '='"),
        ("a\u00a0+ 1", "allowed are numbers"),
        ("éa", "allowed are numbers"),
        ("out", r"has a set of cubes where a number is needed; allowed is a number; write count"),
        ("count(a)", "allowed are a set of cubes there: bag, out, tower, thrown"),
        ("count(out.purple)", r"what follows out\. in x is 'purple'; allowed is one of red, blue, green"),
        ("sum(out)", "a table in x is 'out'; allowed is one of pips"),
        ("sum(pips, a)", "allowed are a set of cubes there"),
        ("max(a)", "allowed are two numbers or more"),
        ("who", "has a colour where a number is needed"),
        ("who == 3", "has a number where a colour is needed"),
        ("who < red", "allowed are == and != between colours or words"),
        ("winner == red", "a word in x is 'red'; allowed is one of attacker, tie"),
        ("and", "is 'and'"),
        ("not", "has 'its end'"),
        ("warm", "a name in x .* is 'warm'"),
    ],
)
def test_what_is_no_expression_is_refused_in_one_line_with_the_keys_path(text: object, told: str):
    at = At(numbers=NUMBERS, words={"who": "blue", "winner": "tie"}, choices={"winner": ("attacker", "tie")})
    with pytest.raises(UsageError, match=told) as caught:
        read_expression(text, "x", at.names)
    assert "\n" not in str(caught.value)


def test_brackets_may_be_so_deep_and_no_deeper():
    at = At()
    for deep, is_right in ((MAX_NESTED - 1, True), (MAX_NESTED, False)):
        for opened in ("(", "ceil("):
            text = opened * deep + "1" + ")" * deep
            if is_right:
                assert read_expression(text, "x", at.names).value(at) == 1
            else:
                with pytest.raises(UsageError, match="nested deeper"):
                    read_expression(text, "x", at.names)
    assert read_expression("-" * 150 + "1", "x", at.names).value(at) == 1
    assert read_expression("not " * 45 + "1", "x", at.names).value(at) == 0


@each_case("text", ["out", "bag.red", "out.cold", "thrown.2"])
def test_a_set_of_cubes_is_written_as_it_was_read(text: str):
    at = At(colours=("red", "blue", "green", "2"))
    assert str(read_cubes(text, "x", at.names)) == text


# Readings, against every outcome of up to three cubes of each of three colours


class Lots:
    """Draws whole numbers: the one it was made with, and how many there could have been."""

    def __init__(self, drawn: int) -> None:
        self.drawn, self.asked = drawn, 1

    def integers(self, many: int) -> int:
        self.asked = many
        return self.drawn


OUTCOMES = [
    dict(zip(("red", "blue", "green"), counts, strict=True)) for counts in itertools.product(range(4), repeat=3)
]


def read(way: object, counts: dict[str, int], drawn: int = 0) -> tuple[Any, Any, int]:
    """What a way reads of an outcome, the cube it remembers, and among how many it drew."""
    at, rng = Moment(places={"out": cubes(**counts)}, words={"event": "blue"}, numbers={"x": 1}), Lots(drawn)
    found = read_reading(way, "r", at.names, {}).read(at, rng)  # pyright: ignore[reportArgumentType]
    return found.value, found.cube, rng.asked


class Moment(At):
    def read(self, name: str) -> Any:
        raise AssertionError(name)

    chosen = read


def every(way: object, counts: dict[str, int]) -> Counter[Any]:
    """How often a way reads what, over all that can be drawn, each once."""
    return Counter(read(way, counts, drawn)[0] for drawn in range(read(way, counts)[2]))


@each_case("counts", OUTCOMES, ids=lambda counts: "-".join(map(str, counts.values())))
def test_every_reading_of_every_outcome_is_what_counting_says(counts: dict[str, int]):
    there = [colour for colour, count in counts.items() for _ in range(count)]
    most = max(counts.values())
    first = [colour for colour, count in counts.items() if count == most > 0]
    assert every({"one": "out"}, counts) == (Counter(there) or Counter([None]))
    assert every({"most": "out"}, counts) == Counter(first or [None])
    assert every({"most": "out", "tie": "first"}, counts) == Counter(first[:1] or [None])
    assert every({"most": "out", "tie": "none"}, counts) == Counter(first if len(first) == 1 else [None])
    assert every({"one": "out.cold"}, counts) == (Counter(x for x in there if x != "red") or Counter([None]))
    assert read({"set": "out"}, counts)[0] == tuple(colour for colour in counts if counts[colour])
    assert read("count(out)", counts)[0] == len(there)
    assert read("max(out)", counts)[0] == most
    assert read("min(out)", counts)[0] == min(counts.values())
    assert read("sum(pips, out)", counts)[0] == 3 * counts["red"] - 2 * counts["blue"]
    assert read("ceil(count(out) / 3)", counts)[0] == -(-len(there) // 3)
    assert read({"value": "event", "of": "pips"}, counts)[0] == -2
    words = {"many": "count(out) > 5", "some": "count(out) > 0"}
    assert read({"which": words}, counts)[0] == ("many" if len(there) > 5 else "some" if there else None)


def test_one_cube_is_picked_by_its_number_and_remembered():
    picked = [read({"one": "out"}, {"red": 2, "blue": 2, "green": 0}, drawn)[1] for drawn in range(4)]
    assert [cube.id for cube in picked] == [0, 1, 2, 3]
