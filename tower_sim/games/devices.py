"""Decks, bags and dice: what a tower stands in for in a declared game, with exact chances as fractions.

    deck   drawn without replacement       1st, 2nd, ... card of a shuffled deck
    bag    drawn with replacement          a cube is put back before the next draw
    dice   thrown, their faces added up    a bag of the 36 ways that two dice fall

An event is a word; draws are counted from 1. Source of the laws (hypergeometric, binomial, geometric): Feller, An
Introduction to Probability Theory and Its Applications, volume 1, 1968, chapters 2 and 6.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import comb, factorial, prod
from typing import ClassVar

from tower_sim.errors import fault, near

NONE = Fraction(0)


@dataclass(frozen=True)
class Device(ABC):
    """Something that gives an event at each draw; `counts` says how many of each word it holds.

    `kinds` are several events that count as one too, under a word of their own: see `lumped`.
    Raises UsageError for a count that is negative, for nothing at all, and for a kind whose words are no events.
    """

    MOST: ClassVar[int] = 10_000  # cards

    counts: Mapping[str, int]
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def __post_init__(self) -> None:
        for word, count in self.counts.items():
            if not 0 <= count <= self.MOST:
                raise fault(f"counts.{word}", count, f"a whole number from 0 to {self.MOST}")
        if not 1 <= self.size <= self.MOST:
            raise fault("counts", self.size, f"1 to {self.MOST} in all", "count what it holds")
        seen: set[str] = set()
        for kind, words in self.kinds.items():
            for word in words:
                if word not in self.events or word in seen:
                    allowed = f"one of {', '.join(self.events)}, in one kind only"
                    raise fault(f"kinds.{kind}", word, allowed, f"check it{near(word, self.events)}")
                seen.add(word)
            if kind in self.events and kind not in words:
                raise fault("kinds", kind, "a word that is no event", "choose another")

    @property
    def size(self) -> int:
        """How many cards or cubes there are."""
        return sum(self.counts.values())

    @property
    def events(self) -> tuple[str, ...]:
        """The events in their order."""
        return tuple(self.counts)

    @abstractmethod
    def chances(self) -> dict[str, Fraction]:
        """Return the chance of each event at any one draw."""

    @abstractmethod
    def twice(self) -> Fraction:
        """Return the chance that a draw gives the event of the draw before it."""

    @abstractmethod
    def times(self, event: str, draws: int) -> dict[int, Fraction]:
        """Return the law of how often `event` comes in so many draws: the chance of each number."""

    @abstractmethod
    def orders(self, draws: int) -> int:
        """Return how many different sequences so many draws can give."""

    @abstractmethod
    def lumped(self) -> Device:
        """Return the device in which each of `kinds` is one event, at the place of the first of its words."""

    @abstractmethod
    def absent(self, event: str, draws: int) -> Fraction:
        """Return the chance that `event` does not come in so many draws."""

    @abstractmethod
    def mean_first(self, event: str, draws: int) -> Fraction:
        """Return the mean draw of the first `event`, taken as `draws` + 1 where it does not come in so many draws.

        It is the sum of the chances that the event did not come in 0, 1, ... `draws` draws.
        """

    def first(self, event: str, draws: int) -> list[Fraction]:
        """Return the chance that `event` comes for the first time at draw 1, 2, ... `draws`; the rest is later."""
        return [before - after for before, after in pairwise(self.absent(event, n) for n in range(draws + 1))]

    def _count(self, event: str) -> int:
        if event not in self.counts:
            raise fault("event", event, f"one of {', '.join(self.events)}", f"check it{near(event, self.events)}")
        return self.counts[event]


@dataclass(frozen=True)
class Deck(Device):
    """A shuffled deck; what was drawn does not return."""

    def chances(self) -> dict[str, Fraction]:
        """See Device: of a card that nobody has seen, wherever in the deck it lies."""
        return {word: Fraction(count, self.size) for word, count in self.counts.items()}

    def twice(self) -> Fraction:
        """See Device; 0 for a deck of one card."""
        pairs = self.size * (self.size - 1)
        return Fraction(sum(count * (count - 1) for count in self.counts.values()), pairs) if pairs else NONE

    def times(self, event: str, draws: int) -> dict[int, Fraction]:
        """See Device; after the last card there are no more."""
        count, draws = self._count(event), min(draws, self.size)
        possible = range(max(0, draws - self.size + count), min(count, draws) + 1)
        ways = comb(self.size, draws)
        return {n: Fraction(comb(count, n) * comb(self.size - count, draws - n), ways) for n in possible}

    def absent(self, event: str, draws: int) -> Fraction:
        """See Device; all cards of the event are among those that were not drawn."""
        count = self._count(event)
        return Fraction(comb(max(self.size - draws, 0), count), comb(self.size, count))

    def mean_first(self, event: str, draws: int) -> Fraction:
        """See Device; by the sum of binomial coefficients, of the whole deck (N + 1) / (k + 1)."""
        count, draws = self._count(event), min(draws, self.size)
        missing = comb(self.size + 1, count + 1) - comb(self.size - draws, count + 1)
        return Fraction(missing, comb(self.size, count))

    def orders(self, draws: int) -> int:
        """See Device; of the whole deck the multinomial coefficient."""
        if draws == self.size:
            return factorial(draws) // prod(factorial(count) for count in self.counts.values())
        return int(factorial(draws) * self._coefficient(draws, lambda count: Fraction(1, factorial(count))))

    def hands(self, draws: int) -> int:
        """Return how many different hands of so many cards there are, whatever their order."""
        return int(self._coefficient(draws, lambda count: Fraction(1)))

    def lumped(self) -> Deck:
        """See Device."""
        return Deck(_together(self.counts, self.kinds))

    def _coefficient(self, draws: int, weight: Callable[[int], Fraction]) -> Fraction:
        """Return the coefficient of x^draws in the product over events of the sums of weight(j) x^j, j to its count."""
        found = [Fraction(1)] + [NONE] * draws
        for count in self.counts.values():
            own = [weight(j) for j in range(min(count, draws) + 1)]
            found = [
                sum((found[n - j] * own[j] for j in range(min(n, len(own) - 1) + 1)), NONE) for n in range(draws + 1)
            ]
        return found[draws]


@dataclass(frozen=True)
class Bag(Device):
    """A bag from which one is drawn and put back before the next draw: no draw knows of another."""

    MOST: ClassVar[int] = 10**9

    def chances(self) -> dict[str, Fraction]:
        """See Device."""
        return {word: Fraction(count, self.size) for word, count in self.counts.items()}

    def twice(self) -> Fraction:
        """See Device."""
        return sum((chance**2 for chance in self.chances().values()), NONE)

    def times(self, event: str, draws: int) -> dict[int, Fraction]:
        """See Device."""
        p = Fraction(self._count(event), self.size)
        return {n: comb(draws, n) * p**n * (1 - p) ** (draws - n) for n in range(draws + 1)}

    def absent(self, event: str, draws: int) -> Fraction:
        """See Device."""
        return (1 - Fraction(self._count(event), self.size)) ** draws

    def mean_first(self, event: str, draws: int) -> Fraction:
        """See Device; a geometric sum."""
        absent = 1 - Fraction(self._count(event), self.size)
        return (1 - absent ** (draws + 1)) / (1 - absent) if absent < 1 else Fraction(draws + 1)

    def orders(self, draws: int) -> int:
        """See Device."""
        return sum(count > 0 for count in self.counts.values()) ** draws

    def lumped(self) -> Bag:
        """See Device."""
        return Bag(_together(self.counts, self.kinds))


def of_dice(dice: Sequence[Sequence[int]], kinds: Mapping[str, Sequence[str]] | None = None) -> Bag:
    """Return the bag of all ways to throw `dice`, each given by the numbers on its faces; an event is their sum.

    Raises UsageError for no dice, and for so many that there are over 10^9 ways.
    """
    if not dice or (ways := prod(len(faces) for faces in dice)) > Bag.MOST or not ways:
        raise fault("dice", f"{len(dice)} dice", f"1 or more, with up to {Bag.MOST} ways to throw them", "throw fewer")
    sums = Counter({0: 1})
    for faces in dice:
        thrown: Counter[int] = Counter()
        for total, number in sums.items():
            for face in faces:
                thrown[total + face] += number
        sums = thrown
    return Bag({str(total): number for total, number in sorted(sums.items())}, kinds or {})


def _together(counts: Mapping[str, int], kinds: Mapping[str, Sequence[str]]) -> dict[str, int]:
    kind_of = {word: kind for kind, words in kinds.items() for word in words}
    together: Counter[str] = Counter()
    for word, count in counts.items():
        together[kind_of.get(word, word)] += count
    return dict(together)
