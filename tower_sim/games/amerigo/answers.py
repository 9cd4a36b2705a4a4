"""The type of the document of a game: see tower_sim/answers.py."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tower_sim.answers import Answer, ApparatusName, Counts, ModelName, Seed, Status


class AmerigoDrop(Answer):
    """One drop of a game of Amerigo; the counts list every colour."""

    index: Annotated[int, Field(ge=0, description="Its number; 0 is the set-up.")]
    round: int
    phase: Annotated[str, Field(description="The colour whose phase it is, or setup.")]
    status: Status
    attempts: int
    skipped: Annotated[bool, Field(description="Whether there was no cube to throw, or none came out.")]
    thrown: Counts
    emerged: Counts
    inside: Counts
    waiting: Annotated[dict[str, int], Field(description="The cubes that a knock released.")]
    actions: list[str]
    action_points: int
    gold: int


class AmerigoGame(Answer):
    """One game of Amerigo, drop by drop."""

    schema: Literal["tower-sim/amerigo-game"]
    version: Literal[2]
    game: Literal["amerigo"]
    seed: Seed
    model: ModelName
    apparatus: ApparatusName
    rules: Annotated[str, Field(description="The name of the rules.")]
    knocks: Annotated[dict[str, float], Field(description="The strength (g) of the knock after a drop, by its number.")]
    drops: Annotated[list[AmerigoDrop], Field(description="The drops in order.")]
