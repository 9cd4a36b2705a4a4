"""Expressions as trees: what grammar.py makes of a text, and what is worked out, here or in another language.

A tree is a whole number, a word (of a colour or of what is read), or a tuple that begins with what is done:

    ("number", NAME)  ("word", NAME)        what a name means at that moment
    ("+", a, b)  ("-", a, b)  ("*", a, b)  ("/", a, b)
    ("==", a, b), and so on with != < <= > >=
    ("or", a, b)  ("and", a, b)  ("not", a)
    ("ceil", a)  ("max", a, b, ...)  ("min", a, b, ...)
    ("count", CUBES)  ("most", CUBES)  ("fewest", CUBES)  ("sum", TABLE, CUBES)

"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any, cast

from tower_sim.games.declared.expressions import MAX_NUMBER, CubesAt, Node, Number, Scope, TooLarge, Tree

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_COMPUTED: dict[str, Callable[[Any, Any], Number]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": Fraction,
}  # fmt: skip


def node_of(tree: Tree) -> Node:
    """Return what works a tree out."""
    if isinstance(tree, (int, str)):
        return lambda scope: tree
    does, *parts = cast("tuple[Any, ...]", tree)
    if does in COMPARISONS:
        return _compared(node_of(parts[0]), node_of(parts[1]), COMPARISONS[does])
    if does in _COMPUTED:
        return _combined(node_of(parts[0]), node_of(parts[1]), _COMPUTED[does])
    return _MAKES[does](*parts)


def _compared(a: Node, b: Node, compare: Callable[[Any, Any], bool]) -> Node:
    def compared(scope: Scope) -> int:
        first, second = a(scope), b(scope)
        return int(first is not None and second is not None and compare(first, second))

    return compared


def _combined(a: Node, b: Node, combine: Callable[[Any, Any], Any]) -> Node:
    def combined(scope: Scope) -> Number | None:
        first, second = a(scope), b(scope)
        return None if first is None or second is None else _sized(combine(first, second))

    return combined


def _sized(value: Number) -> Number:
    if abs(value) > MAX_NUMBER:
        raise TooLarge(f"a number over {MAX_NUMBER}")
    return value.numerator if value.denominator == 1 else value


def _number(name: str) -> Node:
    return lambda scope: scope.number(name)


def _word(name: str) -> Node:
    return lambda scope: scope.word(name)


def _either(first: Tree, second: Tree) -> Node:
    a, b = node_of(first), node_of(second)
    return lambda scope: int(bool(a(scope) or b(scope)))


def _both(first: Tree, second: Tree) -> Node:
    a, b = node_of(first), node_of(second)
    return lambda scope: int(bool(a(scope) and b(scope)))


def _negated(inner: Tree) -> Node:
    a = node_of(inner)
    return lambda scope: int(not a(scope))


def _rounded_up(inner: Tree) -> Node:
    a = node_of(inner)
    return lambda scope: None if (value := a(scope)) is None else ceil(value)


def _of_numbers(most: Callable[[Any], Any]) -> Callable[..., Node]:
    def made(*parts: Tree) -> Node:
        nodes = [node_of(part) for part in parts]

        def of(scope: Scope) -> Number | None:
            values = [node(scope) for node in nodes]
            return None if None in values else most(values)

        return of

    return made


def _of_counts(most: Callable[..., int]) -> Callable[[CubesAt], Node]:
    return lambda cubes: lambda scope: most(cubes.counts(scope).values(), default=0)


def _count(cubes: CubesAt) -> Node:
    return lambda scope: len(cubes.at(scope))


def _sum(table: str, cubes: CubesAt) -> Node:
    def added(scope: Scope) -> Number:
        numbers = scope.names.tables[table]
        return _sized(sum(numbers.get(cube.colour, 0) for cube in cubes.at(scope)))

    return added


_MAKES: dict[str, Callable[..., Node]] = {
    "number": _number, "word": _word, "or": _either, "and": _both, "not": _negated, "ceil": _rounded_up,
    "max": _of_numbers(max), "min": _of_numbers(min), "count": _count, "most": _of_counts(max),
    "fewest": _of_counts(min), "sum": _sum,
}  # fmt: skip
