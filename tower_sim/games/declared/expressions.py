"""What the expressions of a declared game speak of, and how they are worked out: exactly, as often as needed.

    money - ceil(money / 2)        count(out.attacker) > count(out.defender)        max(out)

A number is a whole number or a fraction; one that has no value (nothing came out) is None, and so is what is computed
with it, but a comparison with it is 0. grammar.py reads the text, once, into a tree, and says all there is;
trees.py works trees out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from tower_sim.cubes import Cube, in_order
from tower_sim.errors import UsageError

MAX_NUMBER = 10**9  # in size: what a column of a table holds
NUMBER, COLOUR, WORD, CUBES = "a number", "a colour", "a word", "a set of cubes"
OUT, TOWER, THROWN = "out", "tower", "thrown"  # sets of cubes beside the pools
PLACES = (OUT, TOWER, THROWN)
PHASE, ROUND, DROP, COLOURS = "phase", "round", "drop", "colours"

Number = int | Fraction
Value = Number | str | None


class Scope(Protocol):
    """What the names of an expression mean at one moment of a run."""

    @property
    def names(self) -> Names:
        """The names there are."""
        ...

    def number(self, name: str) -> Value:
        """Return the number called `name`."""
        ...

    def word(self, name: str) -> str | None:
        """Return the colour or the word called `name`; None where it has no value."""
        ...

    def cubes(self, place: str) -> Sequence[Cube]:
        """Return the cubes at a place."""
        ...


@dataclass(frozen=True)
class Names:
    """What an expression at one place of a file may name.

    `places` are the pools and those of `PLACES` there are; `numbers` and `words` (of colours) have values in the run;
    `choices` are readings whose value is one of these words; `tables` are look-ups by colour, `groups` several colours.
    """

    colours: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    places: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    tables: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])

    def kind(self, name: str) -> str:
        """Return what `name` stands for: NUMBER, COLOUR, WORD, CUBES; empty for an unknown one."""
        kinds = (
            (NUMBER, self.numbers), (COLOUR, self.words), (COLOUR, self.colours), (WORD, self.choices),
            (CUBES, self.places),
        )  # fmt: skip
        return next((kind for kind, known in kinds if name in known), "")

    def parts(self) -> tuple[str, ...]:
        """Return what may follow a place and a dot."""
        return (*self.colours, *self.groups, *sorted(self.words))


@dataclass(frozen=True, slots=True)
class CubesAt:
    """The cubes at `place` of one colour, group or word, the `part`; all of them where it is empty."""

    place: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.place}.{self.part}" if self.part else self.place

    def colours(self, scope: Scope) -> tuple[str, ...]:
        """Return the colours that are meant."""
        names = scope.names
        if not self.part or self.part in names.colours:
            return (self.part,) if self.part else names.colours
        if self.part in names.groups:
            return names.groups[self.part]
        word = scope.word(self.part)
        return (word,) if word in names.colours else ()

    def at(self, scope: Scope) -> tuple[Cube, ...]:
        """Return the cubes, by number."""
        cubes = scope.cubes(self.place)
        if self.part:
            meant = self.colours(scope)
            cubes = [cube for cube in cubes if cube.colour in meant]
        return tuple(in_order(cubes))

    def counts(self, scope: Scope) -> dict[str, int]:
        """Return how many cubes there are of each colour that is meant, zeros included."""
        counts = dict.fromkeys(self.colours(scope), 0)
        for cube in self.at(scope):
            counts[cube.colour] += 1
        return counts


Tree = int | str | tuple[object, ...]  # see trees.py
Node = Callable[[Scope], Any]


class TooLarge(Exception):
    """A number that is too large."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression: its `text`, the `where` of its key, its `tree`, and what that is worked out by."""

    text: str
    where: str
    tree: Tree = field(compare=False)
    node: Node = field(repr=False, compare=False)

    def value(self, scope: Scope) -> Number | None:
        """Work it out; raises UsageError for a division by 0 and a number over 10^9 in size."""
        try:
            return self.node(scope)
        except (TooLarge, ZeroDivisionError) as error:
            told = "a division by 0" if isinstance(error, ZeroDivisionError) else str(error)
            raise self._fault(told, f"a number up to {MAX_NUMBER}; mend it") from None

    def whole(self, scope: Scope, least: int = -MAX_NUMBER) -> int | None:
        """Work out a whole number from `least`; raises UsageError for another, and as `value` does."""
        value = self.value(scope)
        if value is None or (isinstance(value, int) and value >= least):
            return value
        allowed = "a whole number" + (f" from {least}" if least > -MAX_NUMBER else "")
        raise self._fault(str(value), f"{allowed}; write ceil(...) or max(0, ...)")

    def _fault(self, value: str, allowed: str) -> UsageError:
        return UsageError(f"{self.where} ({self.text}) is {value}; allowed is {allowed}")

    def holds(self, scope: Scope) -> bool:
        """Say whether it is another number than 0; one without a value is not."""
        return bool(self.value(scope))
