"""The rules of a battle of Dead Reckoning as typed data: the sides, their cubes and abilities, and the rulings."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, model_validator

from tower_sim.documents import refuse_unknown
from tower_sim.errors import fault
from tower_sim.games.dead_reckoning.abilities import Ability, Rulings
from tower_sim.games.dead_reckoning.sides import OCCASIONS, PLAYER_SUPPLY, SINKS_AT, Kind, Occasion, Setup, Side
from tower_sim.games.rules import Rules
from tower_sim.games.ways import MAX_WORD
from tower_sim.values import MAX_CUBES

Count = Annotated[int, Field(ge=0, le=PLAYER_SUPPLY)]
Text = Annotated[str, Field(max_length=MAX_WORD), AfterValidator(lambda text: Ability.parse(text).text)]


class SideRules(Rules):
    """What a side has in addition to its cubes and abilities. Source: see `Side`."""

    table: ClassVar[str] = "battle.sides"
    supply: Count | None = Field(
        default=None, description="cubes at hand, those taken included; else all but those on islands"
    )
    island: Count = Field(default=0, description="cubes that can be taken off islands when the supply runs out")
    island_for: Annotated[tuple[Occasion, ...], Field(strict=False)] = Field(
        default=OCCASIONS, description="when cubes are taken off islands"
    )
    damage: int = Field(default=0, ge=0, le=SINKS_AT - 1, description="damage that its ship has already")
    pirate: bool = Field(default=False, description="whether its ship is in pirate mode")


class BattleRules(Rules):
    """The sides of a battle, their cubes and abilities, and the rulings. Source: see `Setup`."""

    table: ClassVar[str] = "battle"
    unsaid: ClassVar[tuple[str, ...]] = ("sides", "provoked")
    cubes: dict[str, Count] = Field(
        default={"purple": 6, "green": 3}, description="cubes that each side takes at first"
    )
    combat: Kind = Field(
        default="ship", description="ship against ship, a non-player (merchant) or buildings; or a tie-break"
    )
    active: str = Field(default="", description="the side whose turn it is; empty: the first")
    abilities: dict[str, Annotated[tuple[Text, ...], Field(strict=False)]] = Field(
        default={}, description='abilities of a side, as in abilities.green = ["throw:2"]'
    )
    rulings: Rulings = Field(default=Rulings(), description="choices where the rulebook is silent or unclear")
    sides: dict[str, SideRules] = Field(
        default={}, description="what else a side has, as in sides.green = { damage = 1 }"
    )
    provoked: bool = Field(default=False, description="whether the active ship moved onto the other, a pirate")

    @model_validator(mode="after")
    def _one_form(self) -> BattleRules:
        if (number := sum(self.cubes.values())) > MAX_CUBES:
            raise fault("number of cubes in battle.cubes", number, f"up to {MAX_CUBES} in all", "take fewer")
        refuse_unknown({key: 0 for key, texts in self.abilities.items() if texts}, self.cubes, "battle.abilities")
        nothing = SideRules()
        refuse_unknown({key: 0 for key, of in self.sides.items() if of != nothing}, self.cubes, "battle.sides")
        abilities = {colour: self.abilities.get(colour, ()) for colour in self.cubes}
        object.__setattr__(self, "abilities", abilities)
        _ = self.setup  # raises UsageError for a combat that is impossible
        return self

    @cached_property
    def setup(self) -> Setup:
        abilities = {colour: tuple(map(Ability.parse, texts)) for colour, texts in self.abilities.items()}
        more = {colour: self.sides.get(colour, SideRules()).model_dump() for colour in self.cubes}
        sides = (
            Side(colour, cubes, abilities=abilities[colour], **more[colour]) for colour, cubes in self.cubes.items()
        )
        return Setup(self.combat, tuple(sides), self.active, self.rulings, self.provoked)
