"""The grammar of a declared game's expressions: a text read from its left to its right, each name checked.

What binds least stands first: `or`, `and`, `not`, one comparison, + and -, * and /, a sign, a number or a name.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from tower_sim.errors import UsageError, fault, near, shown, unknown
from tower_sim.games.declared.expressions import (
    COLOUR,
    CUBES,
    MAX_NUMBER,
    NUMBER,
    WORD,
    CubesAt,
    Expression,
    Names,
    Node,
    Number,
    Scope,
    TooLarge,
    Value,
)

MAX_TEXT = 200  # characters
MAX_NESTED = 20
FUNCTIONS = ("count", "max", "min", "sum", "ceil")
CONNECTIVES = ("and", "or", "not")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip

_TOKEN = re.compile(r"\s*(?:(\w+|==|!=|<=|>=|[-+*/()<>,.])|(\S))", re.ASCII)
_ALLOWED = "numbers, names, + - * / ( ), comparisons, and, or, not, count(), max(), min(), sum(), ceil()"


def read_expression(text: object, where: str, names: Names) -> Expression:
    """Read a number, or the text of an expression, of the key `where`; raises UsageError."""
    if isinstance(text, int) and not isinstance(text, bool):
        if abs(text) > MAX_NUMBER:
            raise fault(where, text, f"a whole number up to {MAX_NUMBER} in size")
        return Expression(str(text), where, _constant(text))
    reader = _Reader(text, where, names)
    kind, node = reader.either()
    reader.end()
    reader.must(kind, NUMBER)
    return Expression(str(text), where, node)


def read_cubes(text: object, where: str, names: Names) -> CubesAt:
    """Read a set of cubes of the key `where`: a place, also with `.` and a colour, group or word; raises UsageError."""
    reader = _Reader(text, where, names)
    name = reader.name()
    if name not in names.places:
        raise unknown(where, name, names.places, "name a pool")
    found = reader.cubes(name)
    reader.end()
    return found


def _constant(value: Value) -> Node:
    return lambda scope: value


def _sized(value: Number) -> Number:
    if abs(value) > MAX_NUMBER:
        raise TooLarge(f"a number over {MAX_NUMBER}")
    return value.numerator if value.denominator == 1 else value


class _Reader:
    """Reads one text from its left to its right; every method that reads returns the kind and what works it out."""

    def __init__(self, text: object, where: str, names: Names) -> None:
        if not isinstance(text, str) or not 0 < len(text) <= MAX_TEXT:
            raise fault(where, text, f"a whole number or an expression of up to {MAX_TEXT} characters")
        self.text, self.where, self.names = text, where, names
        self.tokens: list[str] = []
        self.at = self.depth = 0
        for found in _TOKEN.finditer(text):
            if found[2]:
                raise self.wrong(found[2])
            self.tokens.append(found[1])

    # Words of the text

    def wrong(self, token: str, allowed: str = _ALLOWED) -> UsageError:
        return UsageError(f"{self.where} ({shown(self.text)}) has {shown(token)}; allowed are {allowed}; mend it")

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def takes(self, *tokens: str) -> str:
        """Take the next token if it is one of these; else return nothing."""
        token = self.peek()
        if token and token in tokens:
            self.at += 1
            return token
        return ""

    def needs(self, token: str) -> None:
        if not self.takes(token):
            raise self.wrong(self.peek() or "its end", f"{token!r} there")

    def name(self) -> str:
        token = self.peek()
        if not token or not (token[0].isalnum() or token[0] == "_"):
            raise self.wrong(token or "its end", "a name there")
        self.at += 1
        return token

    def end(self) -> None:
        if self.peek():
            raise self.wrong(self.peek(), "an operator or the end there")

    def must(self, kind: str, *wanted: str) -> None:
        if kind not in wanted:
            advice = "; write count(...) of it" if kind == CUBES and NUMBER in wanted else ""
            told = f"{self.where} ({shown(self.text)}) has {kind} where {' or '.join(wanted)} is needed"
            raise UsageError(f"{told}; allowed is {' or '.join(wanted)}{advice or '; mend it'}")

    # The grammar, from what binds least

    def either(self) -> tuple[str, Node]:
        self.depth += 1
        if self.depth > MAX_NESTED:
            raise fault(f"{self.where} ({shown(self.text)})", "nested deeper", f"up to {MAX_NESTED} deep", "shorten it")
        found = self._joined(self.both, "or", lambda a, b: lambda scope: int(bool(a(scope) or b(scope))))
        self.depth -= 1
        return found

    def both(self) -> tuple[str, Node]:
        return self._joined(self.negated, "and", lambda a, b: lambda scope: int(bool(a(scope) and b(scope))))

    def _joined(
        self, inner: Callable[[], tuple[str, Node]], word: str, join: Callable[[Node, Node], Node]
    ) -> tuple[str, Node]:
        kind, node = inner()
        while self.takes(word):
            self.must(kind, NUMBER)
            second, other = inner()
            self.must(second, NUMBER)
            kind, node = NUMBER, join(node, other)
        return kind, node

    def negated(self) -> tuple[str, Node]:
        if not self.takes("not"):
            return self.comparison()
        times = 1
        while self.takes("not"):
            times += 1
        kind, node = self.comparison()
        self.must(kind, NUMBER)
        return NUMBER, lambda scope: int(bool(node(scope)) == (times % 2 == 0))

    def comparison(self) -> tuple[str, Node]:
        first = self.peek()
        kind, node = self.added()
        said = self.takes(*COMPARISONS)
        if not said:
            return kind, node
        compare = COMPARISONS[said]
        if kind == WORD:
            word = self.name()
            if word not in (known := self.names.choices.get(first, ())):
                raise unknown(f"a word in {self.where}", word, known)
            other = _constant(word)
        else:
            self.must(kind, NUMBER, COLOUR)
            second, other = self.added()
            self.must(second, kind)
        if kind != NUMBER and said not in ("==", "!="):
            raise self.wrong(said, "== and != between colours or words")
        return NUMBER, _compared(node, other, compare)

    def added(self) -> tuple[str, Node]:
        return self._computed(self.multiplied, {"+": operator.add, "-": operator.sub})

    def multiplied(self) -> tuple[str, Node]:
        return self._computed(self.signed, {"*": operator.mul, "/": Fraction})

    def _computed(
        self, inner: Callable[[], tuple[str, Node]], operators: Mapping[str, Callable[[Any, Any], Any]]
    ) -> tuple[str, Node]:
        kind, node = inner()
        while said := self.takes(*operators):
            self.must(kind, NUMBER)
            second, other = inner()
            self.must(second, NUMBER)
            kind, node = NUMBER, _combined(node, other, operators[said])
        return kind, node

    def signed(self) -> tuple[str, Node]:
        is_negative = False
        while self.takes("-"):
            is_negative = not is_negative
        kind, node = self.single()
        if not is_negative:
            return kind, node
        self.must(kind, NUMBER)
        return NUMBER, _combined(_constant(0), node, operator.sub)

    def single(self) -> tuple[str, Node]:
        if self.takes("("):
            found = self.either()
            self.needs(")")
            return found
        name = self.name()
        if name.isdecimal():
            if len(name) > len(str(MAX_NUMBER)) or int(name) > MAX_NUMBER:
                raise fault(f"a number in {self.where}", name, f"a whole number up to {MAX_NUMBER}")
            return NUMBER, _constant(int(name))
        if name in FUNCTIONS and self.takes("("):
            return NUMBER, self.function(name)
        kind = self.names.kind(name)
        if not kind:
            names = self.names
            known = [*names.numbers, *names.places, *names.words, *names.choices, *names.colours, *FUNCTIONS]
            what = f"a name in {self.where} ({shown(self.text)})"
            raise fault(
                what, name, "one of the game's own, declared above it", f"check its spelling{near(name, known)}"
            )
        if kind == CUBES:
            return CUBES, self.cubes(name).at
        if kind == NUMBER:
            return NUMBER, lambda scope: scope.number(name)
        is_colour = name in self.names.colours and name not in self.names.words
        return kind, _constant(name) if is_colour else lambda scope: scope.word(name)

    def cubes(self, place: str) -> CubesAt:
        """Read what follows the name of a place."""
        if not self.takes("."):
            return CubesAt(place)
        part = self.name()
        if part not in (known := self.names.parts()):
            raise unknown(f"what follows {place}. in {self.where}", part, known, "name a colour or a group")
        return CubesAt(place, part)

    def function(self, name: str) -> Node:
        """Read what stands in the brackets of a function, the first of which is read."""
        if name == "sum":
            table = self.name()
            if table not in self.names.tables:
                raise unknown(f"a table in {self.where}", table, self.names.tables or ["none: there is no [values]"])
            self.needs(",")
            numbers = self.names.tables[table]
            of_table = self._place()
            self.needs(")")
            return lambda scope: _sized(sum(numbers.get(cube.colour, 0) for cube in of_table.at(scope)))
        if name == "ceil":
            kind, node = self.either()
            self.must(kind, NUMBER)
            self.needs(")")
            return lambda scope: None if (value := node(scope)) is None else ceil(value)
        most = max if name == "max" else min
        if name != "count" and self.peek() not in self.names.places:
            return self._of_numbers(most)
        of = self._place()
        self.needs(")")
        if name == "count":
            return lambda scope: len(of.at(scope))
        return lambda scope: most(of.counts(scope).values(), default=0)

    def _place(self) -> CubesAt:
        place = self.peek()
        if place not in self.names.places:
            raise self.wrong(place or "its end", f"a set of cubes there: {', '.join(self.names.places) or 'none here'}")
        return self.cubes(self.name())

    def _of_numbers(self, most: Callable[[Any], Any]) -> Node:
        nodes: list[Node] = []
        while not nodes or self.takes(","):
            kind, node = self.either()
            self.must(kind, NUMBER)
            nodes.append(node)
        self.needs(")")
        if len(nodes) < 2:
            raise self.wrong(")", "two numbers or more, or one set of cubes")

        def of(scope: Scope) -> Number | None:
            values = [node(scope) for node in nodes]
            return None if None in values else most(values)

        return of


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
