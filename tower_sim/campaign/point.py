"""One point of a campaign's design: its shape, model, rules, chain or combat, made from checked tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, cast

from tower_sim.apparatus.board import as_ship
from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.fields import refuse_unknown
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.errors import check_whole, fault
from tower_sim.games.abilities import Ability
from tower_sim.games.amerigo import Rules
from tower_sim.games.rulings import Rulings
from tower_sim.games.sides import PLAYER_SUPPLY, Setup, read_side
from tower_sim.models import Model, open_model
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.surrogate.store import shipped

MAX_CUBES = 500
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
        for name in ("drops", "throw", "most"):
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
    """Make a point from its resolved tables `profile`, `rules`, `settings`, `chain` and `battle`.

    Raises UsageError for a value that is not allowed and for an apparatus that this kind of campaign cannot use.
    """
    apparatus = from_tables(tables["profile"], name)
    return Point(
        apparatus=as_ship(apparatus) if kind == "battle" else as_tower(apparatus),
        model=model,
        settings=read_settings(tables["settings"]),
        rules=read_fields(Rules, tables["rules"], "rules"),
        chain=read_fields(Chain, tables["chain"], "chain"),
        setup=read_setup(tables["battle"]) if kind == "battle" else None,
    )


def read_fields(cls: Any, table: Mapping[str, Any], where: str) -> Any:
    """Make the dataclass `cls` from the fields that `table` has; raises UsageError for an unknown one."""
    refuse_unknown(table, {each.name: None for each in fields(cls)}, where)
    return cls(**table)


def read_settings(table: Mapping[str, Any]) -> PhysicsSettings:
    """Make settings; raises UsageError for an unknown field, or one that is no finite positive number."""
    defaults = asdict(PhysicsSettings())
    refuse_unknown(table, defaults, "settings")
    read: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(defaults[name], int):
            check_whole(f"settings.{name}", value, 1)
            read[name] = value
            continue
        number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
        if not (math.isfinite(number) and (number > 0 or (number == 0 and name == "residual"))):
            raise fault(f"settings.{name}", value, f"a positive number; the default is {defaults[name]:g}")
        read[name] = number
    return PhysicsSettings(**read)


def read_setup(table: Mapping[str, Any]) -> Setup:
    """Make a combat from a resolved `[battle]` table; raises UsageError for a combat that cannot be."""
    abilities: Mapping[str, Any] = table["abilities"]
    cubes: Mapping[str, Any] = table["cubes"]
    for colour in cubes:
        check_whole(f"battle.cubes.{colour}", cubes[colour], 0, PLAYER_SUPPLY)
    said: Mapping[str, Any] = table.get("sides", {})
    sides = tuple(
        read_side(colour, number, said.get(colour), read_abilities(abilities.get(colour, []), colour))
        for colour, number in cubes.items()
    )
    rulings, provoked = Rulings.from_mapping(table["rulings"]), table.get("provoked", False)
    return Setup(table["combat"], sides, table["active"], rulings, provoked)


def read_abilities(texts: object, colour: str) -> tuple[Ability, ...]:
    """Read the abilities of one side from a list of texts like `throw:2`; raises UsageError for anything else."""
    words = cast("Sequence[object]", texts) if isinstance(texts, list) else [None]
    if not all(isinstance(word, str) for word in words):
        raise fault(f"battle.abilities.{colour}", cast("object", texts), "a list of texts", 'write ["throw:2"]')
    return tuple(Ability.parse(str(word)) for word in words)
