"""The types of the documents of a battle and of many battles: see tower_sim/documents/answers.py."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tower_sim.documents import Answer, ApparatusName, Counts, LandingAnswer, Mean, ModelName, Seed, Share
from tower_sim.games.dead_reckoning.rules import Kind, Occasion

StepKind = Literal["throw", "shake", "rethrow", "explosion", "ability", "pass"]
Side = Annotated[str | None, Field(description="The colour of a side; null: of none.")]


class SideWords(Answer):
    """What a side has besides its cubes and abilities."""

    supply: int | None
    island: int
    island_for: list[Occasion]
    damage: int
    pirate: bool


class BattleHead(Answer):
    """The set-up of a battle."""

    game: Literal["dead_reckoning"]
    seed: Seed
    model: ModelName
    apparatus: ApparatusName
    kind: Kind
    active: Side
    cubes: Counts
    sides: Annotated[dict[str, SideWords], Field(description="What each side has.")]
    provoked: bool
    abilities: Annotated[dict[str, list[str]], Field(description="The abilities of each side.")]
    rulings: Annotated[dict[str, str], Field(description="The chosen answer to each question of the rules.")]


class Used(Answer):
    """An ability that a side used."""

    ability: str
    cube: int | None
    zone: str | None


class BattleLanding(LandingAnswer):
    """Where a cube came to rest; `also` names the other zones that it touches."""

    also: list[str]


class BattleStep(Answer):
    """One step of a battle."""

    kind: StepKind
    side: Side
    use: Used | None
    status: Literal["settled", "jammed", "timed_out", "escaped"]
    attempts: Annotated[int, Field(ge=0)]
    failures: list[str]
    cubes: Annotated[list[int], Field(description="The numbers of the cubes that were moved.")]
    thrown: Counts
    placed: Counts
    taken: Counts
    lost: Counts
    short: Counts
    landings: list[BattleLanding]


class Goods(Answer):
    """Plunder; of `choice` each is a coin or a cargo."""

    coins: int
    cargo: int
    choice: int


class SideFacts(Answer):
    """What a side has in the end."""

    strength: int
    plunder: Goods
    damage_given: int
    damage_taken: int


class Consequences(Answer):
    """What follows from a battle for the ships, the goods and the achievements."""

    legendary: Side
    encounter_effect: str | None
    merchant_mode: list[str]
    buildings_removed: bool
    damage: dict[str, int]
    sunk: list[str]
    terror: list[str]
    barred: Side
    to_place: dict[str, Goods]


class BattleAnswer(BattleHead):
    """One battle of Dead Reckoning; result, winner and consequences are null if it is not over."""

    schema: Literal["tower-sim/battle"]
    version: Literal[4]
    steps: list[BattleStep]
    result: dict[str, SideFacts] | None
    winner: Side
    consequences: Consequences | None


class Chains(Answer):
    """How many explosive shots followed one another."""

    length: Mean
    histogram: dict[str, int]


class PlaceShares(Answer):
    """The share of cubes at each place, as thrown and in the end."""

    landed: dict[str, Share]
    final: dict[str, Share]


class CubesBrought(Answer):
    """How many cubes were in play, and where they were in the end."""

    brought: int
    by_place: dict[str, int]


class BattleDraws(Answer):
    """How many throws there were, and how many were drawn again."""

    landed: int
    redrawn: int
    redraw_rate: float
    failures: dict[str, int]


class BattleSummary(Answer):
    """The odds of many battles; shares and means by side."""

    games: int
    confidence: float
    win: dict[str, Share]
    sink: dict[str, Share]
    legendary: dict[str, Share]
    buildings_removed: Share | None
    means: dict[str, dict[str, Mean]]
    explosion_chains: Chains
    places: PlaceShares
    cubes: CubesBrought
    draws: BattleDraws
    steps: dict[str, int]


class BattleOddsAnswer(BattleHead):
    """The odds of many battles of Dead Reckoning."""

    schema: Literal["tower-sim/battle-odds"]
    version: Literal[1]
    summary: BattleSummary
