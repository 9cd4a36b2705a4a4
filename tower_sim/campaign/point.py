"""One point of a campaign's design: its shape, model, rules, chain or combat, made from checked tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, cast

from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.fields import refuse_unknown
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.apparatus.with_board import with_board
from tower_sim.cubes import MAX_CUBES
from tower_sim.errors import check_whole, fault, shown
from tower_sim.games.amerigo import Rules, knocks_of
from tower_sim.games.dead_reckoning.abilities import Ability
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import PLAYER_SUPPLY, Kind, Setup, read_side
from tower_sim.models import Model, open_model
from tower_sim.physics.knock import MAX_STRENGTH
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.surrogate.store import shipped

MAX_DROPS = 2**15 - 1  # of a run: ages and rounds are written as int16
MAX_ROWS = 5_000_000  # of a shard's table of cubes, which takes a worker about 1 GB
MAX_WORD = 40
POLICIES = ("fixed", "uniform", "cover")
_COLOURS = tuple(Rules().colours)


@dataclass(frozen=True, slots=True)
class Chain:
    """Drops into one tower in a row: which cubes there are, how many drops, and how the cubes to throw are chosen.

    `supply` is a number, spread evenly over the seven colours of Amerigo, or a number for each colour. `policy`
    `fixed`: the first `throw` cubes of a queue, and what came out goes to its end; `uniform`: the same with 1 to `most`
    cubes, at random; `cover`: so many of the supply as a random number says are in the game, and of those outside a
    random number (log-uniform from 1 to all) is thrown.
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
        share, rest = divmod(self.supply, len(_COLOURS))
        return {colour: share + (i < rest) for i, colour in enumerate(_COLOURS)}


@dataclass(frozen=True, slots=True)
class Point:
    """What a shard needs of a design point; the fields of other kinds of campaign keep their defaults."""

    apparatus: Apparatus
    model: str
    settings: PhysicsSettings
    rules: Rules
    chain: Chain
    setup: Setup | None
    knocks: Mapping[int, float] = field(default_factory=dict[int, float], hash=False)

    def open_model(self) -> Model:
        """Return the model that drops the cubes; use it as a context manager. Raises what models.open_model does."""
        return open_model(self.apparatus, self.model, self.settings)

    @property
    def model_digest(self) -> str | None:
        """What identifies the numbers that the model works with: the settings of physics, a surrogate's law."""
        if self.model == "physics":
            return self.settings.digest()
        return shipped(self.apparatus.name, self.apparatus.digest).digest if self.model == "surrogate" else None


def build(kind: str, name: str, model: str, tables: Mapping[str, Any]) -> Point:
    """Make a point from its resolved tables `profile`, `rules`, `settings`, `chain`, `battle` and `knocks`.

    Raises UsageError for a value that is not allowed, for an apparatus that this kind of campaign cannot use, and where
    no surrogate ships for it.
    """
    apparatus = from_tables(tables["profile"], name)
    rules: Rules = read_fields(Rules, tables["rules"], "rules")
    if model == "surrogate":
        shipped(apparatus.name, apparatus.digest, 'write model = "physics"')
    return Point(
        apparatus=with_board(apparatus) if kind == "battle" else as_tower(apparatus),
        model=model,
        settings=read_settings(tables["settings"]),
        rules=rules,
        chain=read_fields(Chain, tables["chain"], "chain"),
        setup=read_setup(tables["battle"]) if kind == "battle" else None,
        knocks=read_knocks(tables["knocks"], rules),
    )


def read_knocks(table: Mapping[str, Any], rules: Rules) -> dict[int, float]:
    """Read the knocks of a game from the table `knocks`; raises UsageError for a drop or a strength out of range."""
    knocks = knocks_of(table, rules)
    for drop, strength in knocks.items():
        if strength > MAX_STRENGTH:
            raise fault(f"knocks.{drop}", strength, f"0 to {MAX_STRENGTH:g} (peak acceleration in g)", "try 0.5")
    return knocks


def read_fields(cls: Any, table: Mapping[str, Any], where: str) -> Any:
    """Make the dataclass `cls` from the fields that `table` has; raises UsageError for an unknown one."""
    refuse_unknown(table, {each.name: None for each in fields(cls)}, where)
    return cls(**table)


def read_settings(table: Mapping[str, Any]) -> PhysicsSettings:
    """Make settings; raises UsageError for an unknown field, or a value that PhysicsSettings does not allow."""
    return read_fields(PhysicsSettings, table, "settings")


def read_setup(table: Mapping[str, Any]) -> Setup:
    """Make a combat from a resolved `[battle]` table; raises UsageError for a combat that cannot be."""
    abilities, cubes, rulings = (_table(table, key) for key in ("abilities", "cubes", "rulings"))
    for colour in cubes:
        check_whole(f"battle.cubes.{shown(colour)[1:-1]}", cubes[colour], 0, PLAYER_SUPPLY)
    if (number := sum(cubes.values())) > MAX_CUBES:
        raise fault("number of cubes in battle.cubes", number, f"up to {MAX_CUBES} in all", "take fewer")
    said: Mapping[str, Any] = _table(table, "sides") if "sides" in table else {}
    sides = tuple(
        read_side(colour, number, said.get(colour), read_abilities(abilities.get(colour, []), colour))
        for colour, number in cubes.items()
    )
    provoked = cast("bool", table.get("provoked", False))
    kind, active = cast("Kind", table.get("combat")), cast("str", table.get("active"))
    return Setup(kind, sides, active, Rulings.from_mapping(rulings), provoked)


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value: object = table.get(key)
    if not isinstance(value, Mapping):
        raise fault(f"battle.{key}", value, "a table")
    return cast("Mapping[str, Any]", value)


def rows_of(point: Point) -> int:
    """Return the most rows that a run adds to the table of cubes; of a battle a guess, 100 steps of all its cubes."""
    if point.setup is not None:
        return 100 * sum(side.cubes for side in point.setup.sides)
    return max(
        point.rules.drops * sum(point.rules.counts.values()), point.chain.drops * sum(point.chain.counts.values())
    )


def read_abilities(texts: object, colour: str) -> tuple[Ability, ...]:
    """Read the abilities of one side from a list of texts like `throw:2`; raises UsageError for anything else."""
    words = cast("Sequence[object]", texts) if isinstance(texts, list) else [None]
    if not all(isinstance(word, str) and len(word) <= MAX_WORD for word in words):
        allowed = f"a list of texts of up to {MAX_WORD} characters"
        raise fault(f"battle.abilities.{shown(colour)[1:-1]}", cast("object", texts), allowed, 'write ["throw:2"]')
    return tuple(Ability.parse(str(word)) for word in words)
