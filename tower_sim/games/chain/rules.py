"""Which cubes a chain of drops has, how many drops, and which cubes each of them throws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tower_sim.cubes import MAX_CUBES, Cube
from tower_sim.errors import check_whole, fault

COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white")
POLICIES = ("fixed", "uniform", "cover")
MAX_DROPS = 2**15 - 1  # ages are written as int16


@dataclass(frozen=True, slots=True)
class Chain:
    """Drops into one tower in a row: which cubes there are, how many drops, and how the cubes to throw are chosen.

    `supply` is a number, spread evenly over seven colours, or a number for each colour. `policy` `fixed`: the first
    `throw` cubes of a queue, and what came out goes to its end; `uniform`: the same with 1 to `most` cubes, at random;
    `cover`: so many of the supply as a random number says are in the game, and of those outside a random number
    (log-uniform from 1 to all) is thrown.
    """

    supply: int | Mapping[str, int] = field(default=49, hash=False)
    drops: int = 36
    policy: str = "fixed"
    throw: int = 7
    most: int = 14

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise fault("chain.policy", self.policy, f"one of {', '.join(POLICIES)}")
        check_whole("chain.drops", self.drops, 1, MAX_DROPS)
        for name in ("throw", "most"):
            check_whole(f"chain.{name}", getattr(self, name), 1)
        if isinstance(self.supply, Mapping):
            for colour, number in self.supply.items():
                check_whole(f"chain.supply.{colour}", number, 0)
        else:
            check_whole("chain.supply", self.supply, 1)
        for name, number in (("supply", sum(self.counts.values())), ("throw", self.throw), ("most", self.most)):
            if not 1 <= number <= MAX_CUBES:
                raise fault(f"chain.{name}", number, f"1 to {MAX_CUBES} cubes")

    @property
    def counts(self) -> dict[str, int]:
        """How many cubes of each colour there are."""
        if isinstance(self.supply, Mapping):
            return dict(self.supply)
        share, rest = divmod(self.supply, len(COLOURS))
        return {colour: share + (i < rest) for i, colour in enumerate(COLOURS)}


def chosen(chain: Chain, outside: Sequence[Cube], rng: np.random.Generator) -> list[Cube]:
    """Return the cubes that the next drop throws, of those `outside`, in queue order; none when there are none."""
    if chain.policy == "fixed" or not outside:
        return list(outside[: chain.throw])
    if chain.policy == "uniform":
        return list(outside[: int(rng.integers(1, min(chain.most, len(outside)) + 1))])
    number = int((len(outside) + 1) ** rng.random())  # log-uniform: u is below 1, so this is at most len(outside)
    return some(outside, min(number, len(outside)), rng)


def some(cubes: Sequence[Cube], number: int, rng: np.random.Generator) -> list[Cube]:
    """Return so many of the cubes at random, in the order of their numbers."""
    picked: list[int] = rng.choice(len(cubes), number, replace=False).tolist()
    return sorted(cubes[i] for i in picked)
