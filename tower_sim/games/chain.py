"""A chain of drops into one tower, without a game's rules, for studies of the tower itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from tower_sim.errors import fault
from tower_sim.games import Game, GameTower, Rules, Turn
from tower_sim.values import MAX_CUBES, Cube

COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white")
_Count = Annotated[int, Field(ge=0, le=MAX_CUBES)]
_POLICY_OF = {"throw": "fixed", "most": "uniform"}


class Chain(Rules):
    """The cubes of a chain of drops, the number of drops, and the choice of cubes for each drop."""

    table = "chain"
    supply: Annotated[int, Field(ge=1, le=MAX_CUBES)] | dict[str, _Count] = Field(
        49, description="cubes, spread evenly over seven colours, or a number for each colour"
    )
    drops: int = Field(36, ge=1, le=2**15 - 1, description="drops in a row")  # ages are written as int16
    policy: Literal["fixed", "uniform", "cover"] = Field(
        "fixed",
        description="which cubes a drop throws: the first `throw` of a queue, the first 1 to `most` of it, or of a part"
        " of the supply a random number, log-uniform from 1 to all",
    )
    throw: int = Field(7, ge=1, le=MAX_CUBES, description="cubes of a drop with the policy fixed")
    most: int = Field(14, ge=1, le=MAX_CUBES, description="most cubes of a drop with the policy uniform")

    @model_validator(mode="after")
    def _some(self) -> Chain:
        if not 1 <= sum(self.counts.values()) <= MAX_CUBES:
            raise fault("chain.supply", sum(self.counts.values()), f"1 to {MAX_CUBES} cubes")
        return self

    @property
    def counts(self) -> dict[str, int]:
        if isinstance(self.supply, Mapping):
            return dict(self.supply)
        share, rest = divmod(self.supply, len(COLOURS))
        return {colour: share + (i < rest) for i, colour in enumerate(COLOURS)}


class ChainOfDrops(Game):
    """drops into one tower in a row, without a game's rules"""

    name, title, run = "chain", "A chain of drops", "chain"
    tables = (Chain.table,)
    version = 2
    Rules = Chain

    def cubes(self, rules: Chain) -> dict[str, int]:
        return rules.counts

    def play(self, tower: GameTower, rules: Chain) -> Iterator[Turn]:
        queue = list(tower.cubes)
        if rules.policy == "cover":
            queue = _some(queue, int(tower.rng.integers(1, len(queue) + 1)), tower.rng)
        for _ in range(rules.drops):
            thrown = choose_cubes(rules, queue, tower.rng)
            if thrown:
                outcome = tower.throw_cubes(thrown)
                queue = [cube for cube in queue if cube not in {*thrown}] + list(outcome.emerged)
            yield Turn()

    def turns(self, rules: Chain) -> int:
        return rules.drops

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """Raises UsageError if `throw` or `most` is given and the policy does not use it."""
        chain, table = self.read(tables), tables.get("chain", {})
        for key, policy in _POLICY_OF.items():
            used = key in table or f"chain.{key}" in varied
            if used and chain.policy != policy and "chain.policy" not in varied:
                raise fault("policy of the chain", chain.policy, f"{policy} with chain.{key}", f"remove {key}")
        return self.plain(chain)


def choose_cubes(chain: Chain, outside: Sequence[Cube], rng: np.random.Generator) -> list[Cube]:
    """Return the cubes for the next drop, at random for the policies `uniform` and `cover`.

    `outside` is in queue order, and may be empty.
    """
    if chain.policy == "fixed" or not outside:
        return list(outside[: chain.throw])
    if chain.policy == "uniform":
        return list(outside[: int(rng.integers(1, min(chain.most, len(outside)) + 1))])
    number = int((len(outside) + 1) ** rng.random())  # log-uniform: u is below 1, so this is at most len(outside)
    return _some(outside, min(number, len(outside)), rng)


def _some(cubes: Sequence[Cube], number: int, rng: np.random.Generator) -> list[Cube]:
    places: list[int] = rng.choice(len(cubes), number, replace=False).tolist()
    return sorted(cubes[i] for i in places)


GAME = ChainOfDrops()
