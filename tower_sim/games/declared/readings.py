"""How the outcome of a throw is read in a declared game: a number, a colour, a word, or the colours there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from tower_sim.cubes import Cube
from tower_sim.errors import fault
from tower_sim.games.declared.expressions import COLOUR, NUMBER, WORD, CubesAt, Expression, Names, Scope
from tower_sim.games.declared.fields import fields, named, one_of
from tower_sim.games.declared.grammar import read_cubes, read_expression

SET = "several colours"
TIES = ("uniform", "first", "none")
_WAYS = {  # the key that says how: the kind, and what else may be there
    "one": (COLOUR, ()),
    "most": (COLOUR, ("tie",)),
    "set": (SET, ()),
    "value": (NUMBER, ("of",)),
    "which": (WORD, ()),
}
_ALLOWED = "an expression, a policy or one of { one, most, set, value, which = ... }"


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: a number, a colour, a word or several colours; None where nothing came out that has any.

    `cube` is the very cube, where one was picked.
    """

    value: int | str | tuple[str, ...] | None = None
    cube: Cube | None = None


NOTHING = Read()


class Moment(Scope, Protocol):
    """A scope that also knows what was read before and what the caller chose."""

    def read(self, name: str) -> Read:
        """Return what was read under `name`."""
        ...

    def chosen(self, policy: str) -> Reading:
        """Return the reading that the caller chose."""
        ...


class Reading(ABC):
    """A way to read an outcome; `kind` is that of its values: NUMBER, COLOUR, WORD or SET."""

    kind: str

    @abstractmethod
    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """Read the outcome of the moment; what is picked or decided by lot is drawn from `rng`."""

    def words(self) -> tuple[str, ...]:
        """Return the words that its values are, for one of the kind WORD."""
        return ()


@dataclass(frozen=True)
class WorkedOut(Reading):
    """A whole number; raises UsageError where the expression is another."""

    number: Expression
    kind = NUMBER

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        return Read(self.number.whole(at))


@dataclass(frozen=True)
class One(Reading):
    """One cube picked among some, each with the same chance; its colour."""

    cubes: CubesAt
    kind = COLOUR

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        cubes = self.cubes.at(at)
        if not cubes:
            return NOTHING
        cube = cubes[int(rng.integers(len(cubes)))]
        return Read(cube.colour, cube)


@dataclass(frozen=True)
class Most(Reading):
    """The most numerous colour; a `tie` is decided by lot, by the order of the colours, or not at all."""

    cubes: CubesAt
    tie: str = TIES[0]
    kind = COLOUR

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        counts = self.cubes.counts(at)
        most = max(counts.values(), default=0)
        first = [colour for colour in at.names.colours if most and counts.get(colour) == most]
        if not first or (len(first) > 1 and self.tie == "none"):
            return NOTHING
        return Read(first[int(rng.integers(len(first))) if self.tie == "uniform" else 0])


@dataclass(frozen=True)
class Present(Reading):
    """The colours there are, in their order."""

    cubes: CubesAt
    kind = SET

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        there = {cube.colour for cube in self.cubes.at(at)}
        return Read(tuple(colour for colour in at.names.colours if colour in there))


@dataclass(frozen=True)
class LookedUp(Reading):
    """The number that a table has for a colour that was read; 0 where it has none."""

    reading: str
    table: str
    kind = NUMBER

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        colour = at.word(self.reading)
        return NOTHING if colour is None else Read(at.names.tables[self.table].get(colour, 0))


@dataclass(frozen=True)
class Which(Reading):
    """The first word whose expression holds; nothing where none does."""

    by_word: Mapping[str, Expression]
    kind = WORD

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        return Read(next((word for word, expression in self.by_word.items() if expression.holds(at)), None))

    def words(self) -> tuple[str, ...]:
        """See Reading."""
        return tuple(self.by_word)


@dataclass(frozen=True)
class ByPolicy(Reading):
    """What the caller's choice of a policy reads."""

    policy: str
    kind: str
    of_words: tuple[str, ...] = ()

    def read(self, at: Moment, rng: np.random.Generator) -> Read:
        """See Reading."""
        return at.chosen(self.policy).read(at, rng)

    def words(self) -> tuple[str, ...]:
        """See Reading."""
        return self.of_words


def kind_of(way: object, where: str) -> str:
    """Return the kind of what a file says under a reading; raises UsageError for what is no way to read."""
    if isinstance(way, Mapping):
        for key, (kind, _) in _WAYS.items():
            if key in way:
                return kind
    elif isinstance(way, (int, str)) and not isinstance(way, bool):
        return NUMBER
    raise fault(where, cast("object", way), _ALLOWED, "count what came out, or pick one")


def words_of(way: object) -> tuple[str, ...]:
    """Return the words of what a file says under a reading of the kind WORD."""
    words: object = cast("Mapping[str, object]", way).get("which") if isinstance(way, Mapping) else None
    return tuple(cast("Mapping[str, object]", words)) if isinstance(words, Mapping) else ()


def read_reading(way: object, where: str, names: Names, policies: Mapping[str, ByPolicy]) -> Reading:
    """Read what a file says under a reading; raises UsageError, in one line with the key's path."""
    if isinstance(way, str) and way in policies and policies[way].kind != NUMBER:
        return policies[way]
    kind_of(way, where)
    if not isinstance(way, Mapping):
        return WorkedOut(read_expression(way, where, names))
    first = next(key for key in _WAYS if key in way)
    given = fields(cast("object", way), where, (first, *_WAYS[first][1]))
    inner = given[first]
    if first == "one":
        return One(read_cubes(inner, f"{where}.one", names))
    if first == "most":
        tie = one_of(given.get("tie", TIES[0]), f"{where}.tie", TIES)
        return Most(read_cubes(inner, f"{where}.most", names), tie)
    if first == "set":
        return Present(read_cubes(inner, f"{where}.set", names))
    if first == "value":
        if "of" not in given:
            raise fault(f"{where}.of", None, f"one of {', '.join(names.tables) or 'the tables in [values]'}", "add it")
        return LookedUp(
            one_of(inner, f"{where}.value", sorted(names.words)), one_of(given["of"], f"{where}.of", names.tables)
        )
    words = named(inner, f"{where}.which")
    if not words:
        raise fault(f"{where}.which", {}, "a word or more, each with an expression", 'write which = { yes = "a > 1" }')
    return Which({word: read_expression(said, f"{where}.which.{word}", names) for word, said in words.items()})
