"""The rules of a declared game as a table plays it: its parameters and policies by name, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from tower_sim.cubes import MAX_CUBES, Cube, supply
from tower_sim.errors import check_whole, fault, unknown
from tower_sim.fields import refuse_unknown
from tower_sim.games.declared.declaration import AGAIN, MAX_DROPS, Declaration
from tower_sim.games.declared.expressions import COLOURS, Expression, Names, Value
from tower_sim.games.knocks import read_knocks


@dataclass(frozen=True)
class DeclaredRules:
    """How a declared game is played: the value of every parameter, the choice of every policy, the knocks (g) by drop.

    Raises UsageError for a game of no cube or too many, and of too many throws.
    """

    declaration: Declaration
    values: Mapping[str, int | str] = field(hash=False)
    knocks: Mapping[int, float] = field(default_factory=dict[int, float], hash=False)

    def __post_init__(self) -> None:
        number = sum(sum(counts.values()) for counts in self.counts.values())
        if not 1 <= number <= MAX_CUBES:
            raise fault("number of cubes in pools", number, f"1 to {MAX_CUBES}", "change the counts")
        most = MAX_DROPS // sum(max(1, len(phase.each)) for phase in self.declaration.phases)
        least = 0 if self.declaration.setup else 1  # without a set-up nothing would be thrown
        if not least <= self.rounds <= most:
            advice = "play fewer rounds" if self.rounds > most else "play one round or more"
            raise fault("rounds.times", self.rounds, f"a whole number from {least} to {most}", advice)

    @cached_property
    def counts(self) -> dict[str, dict[str, int]]:
        """How many cubes of each colour each pool has at the start, in the order of the colours."""
        return {pool: self._counts(pool) for pool in self.declaration.pools}

    def _counts(self, pool: str) -> dict[str, int]:
        names, counts = self.declaration.names, dict.fromkeys(self.declaration.colours, 0)
        for key, number in self.declaration.pools[pool].items():
            many = self.at_start(number)
            of_parameter = str(self.values.get(key, key))
            for colour in names.colours if key == COLOURS else names.groups.get(key, (of_parameter,)):
                counts[colour] += many
            if many > MAX_CUBES:
                raise fault(number.where, many, f"up to {MAX_CUBES} cubes")
        return counts

    @cached_property
    def rounds(self) -> int:
        """How many rounds there are at most."""
        return self.at_start(self.declaration.times)

    def at_start(self, number: Expression) -> int:
        """Return a number from 0 that the parameters alone make; raises UsageError for another."""
        return number.whole(_Start(self.values), 0) or 0

    @property
    def most_throws(self) -> int:
        """How many throws a run has at most, those done again too."""
        phases = sum(phase.most_throws for phase in self.declaration.phases)
        return self.rounds * phases + (self.declaration.setup.most_throws if self.declaration.setup else 0)

    @property
    def usual_throws(self) -> int:
        """About how many throws a run has at most: a phase that throws again counts twice."""
        own = self.declaration.phases
        a_round = sum(max(1, len(phase.each)) * (2 if phase.nothing == AGAIN else 1) for phase in own)
        return max(1, self.rounds * a_round + (self.declaration.setup is not None))

    def supply(self, edge: float) -> dict[str, tuple[Cube, ...]]:
        """Make the cubes of every pool, of edge `edge` (m), numbered from 0: pool by pool, in each by colour."""
        pools: dict[str, tuple[Cube, ...]] = {}
        first = 0
        for pool, counts in self.counts.items():
            pools[pool] = supply(counts, edge, first_id=first)
            first += len(pools[pool])
        return pools

    @property
    def plain(self) -> dict[str, int | str]:
        """The value of every parameter and policy, ready for `json.dumps`."""
        return dict(self.values)


def read_rules(declaration: Declaration, rules: object, knocks: object) -> DeclaredRules:
    """Read what a table changes of a game's parameters and policies, and its knocks; raises UsageError in one line."""
    if not isinstance(rules, Mapping):
        raise fault("rules", rules, "a table of parameters and policies", "write it as [rules]")
    defaults = {one.name: one.default for one in (*declaration.parameters.values(), *declaration.policies.values())}
    given = dict(cast("Mapping[str, Any]", rules))
    refuse_unknown(given, defaults, "rules")
    values = defaults | given
    for name, one in declaration.parameters.items():
        if one.of:
            _check_one_of(name, values[name], one.of)
        else:
            check_whole(f"rules.{name}", values[name], one.least, one.most)
    for name, policy in declaration.policies.items():
        _check_one_of(name, values[name], list(policy.choices))
    made = DeclaredRules(declaration, values)
    read = read_knocks(knocks, made.most_throws)
    if read and not declaration.knocked:
        allowed = f"none: the game {declaration.name} does not say where cubes go that a knock releases"
        raise fault("knocks", sorted(read), allowed, 'write knocked = "POOL" in its file')
    return DeclaredRules(declaration, values, read)


def _check_one_of(name: str, value: object, words: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in words:
        raise unknown(f"rules.{name}", value, words)


@dataclass(frozen=True, slots=True)
class _Start:
    """What expressions mean before a run: the parameters alone."""

    values: Mapping[str, int | str]
    names: Names = Names()  # noqa: RUF009

    def number(self, name: str) -> Value:
        return self.values[name]

    def word(self, name: str) -> str | None:
        return None

    def cubes(self, place: str) -> Sequence[Cube]:
        return ()
