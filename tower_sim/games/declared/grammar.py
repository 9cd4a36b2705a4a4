"""The grammar of a declared game's expressions: from a text, read from its left to its right, to a tree of trees.py.

Each name is checked. What binds least stands first: `or`, `and`, `not`, one comparison, + and -, * and /, a sign,
a number or a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
    Tree,
)
from tower_sim.games.declared.trees import COMPARISONS, node_of

MAX_TEXT = 200  # characters
MAX_NESTED = 20
FUNCTIONS = ("count", "max", "min", "sum", "ceil")
CONNECTIVES = ("and", "or", "not")
_OF_CUBES = {"count": "count", "max": "most", "min": "fewest"}

_TOKEN = re.compile(r"\s*(?:(\w+|==|!=|<=|>=|[-+*/()<>,.])|(\S))", re.ASCII)
_ALLOWED = "numbers, names, + - * / ( ), comparisons, and, or, not, count(), max(), min(), sum(), ceil()"


def read_expression(text: object, where: str, names: Names) -> Expression:
    """Read a number, or the text of an expression, of the key `where`; raises UsageError."""
    if isinstance(text, int) and not isinstance(text, bool):
        if abs(text) > MAX_NUMBER:
            raise fault(where, text, f"a whole number up to {MAX_NUMBER} in size")
        return Expression(str(text), where, text, node_of(text))
    reader = _Reader(text, where, names)
    kind, tree = reader.either()
    reader.end()
    reader.must(kind, NUMBER)
    return Expression(str(text), where, tree, node_of(tree))


def read_cubes(text: object, where: str, names: Names) -> CubesAt:
    """Read a set of cubes of the key `where`: a place, also with `.` and a colour, group or word; raises UsageError."""
    reader = _Reader(text, where, names)
    name = reader.name()
    if name not in names.places:
        raise unknown(where, name, names.places, "name a pool")
    found = reader.cubes(name)
    reader.end()
    return found


class _Reader:
    """Reads one text from its left to its right; every method that reads returns the kind and the tree."""

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

    def either(self) -> tuple[str, Tree]:
        self.depth += 1
        if self.depth > MAX_NESTED:
            raise fault(f"{self.where} ({shown(self.text)})", "nested deeper", f"up to {MAX_NESTED} deep", "shorten it")
        found = self._joined(self.both, "or")
        self.depth -= 1
        return found

    def both(self) -> tuple[str, Tree]:
        return self._joined(self.negated, "and")

    def _joined(self, inner: Callable[[], tuple[str, Tree]], *operators: str) -> tuple[str, Tree]:
        kind, tree = inner()
        while said := self.takes(*operators):
            self.must(kind, NUMBER)
            second, other = inner()
            self.must(second, NUMBER)
            kind, tree = NUMBER, (said, tree, other)
        return kind, tree

    def negated(self) -> tuple[str, Tree]:
        if not self.takes("not"):
            return self.comparison()
        times = 1
        while self.takes("not"):
            times += 1
        kind, tree = self.comparison()
        self.must(kind, NUMBER)
        negated = ("not", tree)
        return NUMBER, negated if times % 2 else ("not", negated)

    def comparison(self) -> tuple[str, Tree]:
        first = self.peek()
        kind, tree = self.added()
        said = self.takes(*COMPARISONS)
        if not said:
            return kind, tree
        if kind == WORD:
            word = self.name()
            if word not in (known := self.names.choices.get(first, ())):
                raise unknown(f"a word in {self.where}", word, known)
            other: Tree = word
        else:
            self.must(kind, NUMBER, COLOUR)
            second, other = self.added()
            self.must(second, kind)
        if kind != NUMBER and said not in ("==", "!="):
            raise self.wrong(said, "== and != between colours or words")
        return NUMBER, (said, tree, other)

    def added(self) -> tuple[str, Tree]:
        return self._joined(self.multiplied, "+", "-")

    def multiplied(self) -> tuple[str, Tree]:
        return self._joined(self.signed, "*", "/")

    def signed(self) -> tuple[str, Tree]:
        is_negative = False
        while self.takes("-"):
            is_negative = not is_negative
        kind, tree = self.single()
        if not is_negative:
            return kind, tree
        self.must(kind, NUMBER)
        return NUMBER, ("-", 0, tree)

    def single(self) -> tuple[str, Tree]:
        if self.takes("("):
            found = self.either()
            self.needs(")")
            return found
        name = self.name()
        if name.isdecimal():
            if len(name) > len(str(MAX_NUMBER)) or int(name) > MAX_NUMBER:
                raise fault(f"a number in {self.where}", name, f"a whole number up to {MAX_NUMBER}")
            return NUMBER, int(name)
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
            return CUBES, ("cubes", self.cubes(name))
        if kind == NUMBER:
            return NUMBER, ("number", name)
        is_colour = name in self.names.colours and name not in self.names.words
        return kind, name if is_colour else ("word", name)

    def cubes(self, place: str) -> CubesAt:
        """Read what follows the name of a place."""
        if not self.takes("."):
            return CubesAt(place)
        part = self.name()
        if part not in (known := self.names.parts()):
            raise unknown(f"what follows {place}. in {self.where}", part, known, "name a colour or a group")
        return CubesAt(place, part)

    def function(self, name: str) -> Tree:
        """Read what stands in the brackets of a function, the first of which is read."""
        if name == "sum":
            table = self.name()
            if table not in self.names.tables:
                raise unknown(f"a table in {self.where}", table, self.names.tables or ["none: there is no [values]"])
            self.needs(",")
            of = self._place()
            self.needs(")")
            return ("sum", table, of)
        if name == "ceil":
            kind, tree = self.either()
            self.must(kind, NUMBER)
            self.needs(")")
            return ("ceil", tree)
        if name != "count" and self.peek() not in self.names.places:
            return (name, *self._numbers())
        of = self._place()
        self.needs(")")
        return (_OF_CUBES[name], of)

    def _place(self) -> CubesAt:
        place = self.peek()
        if place not in self.names.places:
            raise self.wrong(place or "its end", f"a set of cubes there: {', '.join(self.names.places) or 'none here'}")
        return self.cubes(self.name())

    def _numbers(self) -> list[Tree]:
        trees: list[Tree] = []
        while not trees or self.takes(","):
            kind, tree = self.either()
            self.must(kind, NUMBER)
            trees.append(tree)
        self.needs(")")
        if len(trees) < 2:
            raise self.wrong(")", "two numbers or more, or one set of cubes")
        return trees
