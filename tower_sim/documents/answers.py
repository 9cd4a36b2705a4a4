"""The documents that answer requests, each typed once: what builds one returns its type, and pyright compares the two.

OpenAPI and the types of the npm package come from these types. A game of the usual form gets its own from what it
registers: see `games/odds.py`. Two games have documents of their own form; their folders have the types.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

EXACT = ConfigDict(extra="forbid")
"""The setting of every document: it has the declared fields and no others."""

Counts = Annotated[dict[str, int], Field(description="A number of cubes by colour.")]
Status = Annotated[Literal["settled", "jammed"], Field(description="Whether the cubes came to rest or jammed.")]
Whole = Annotated[int, Field(ge=0)]
Seed = Annotated[str, Field(description="The seed: the same request with it gets the same answer.")]
ModelName = Annotated[str, Field(description="The model that drew it.")]
ApparatusName = Annotated[str, Field(description="The tower or the ship.")]
Interval = Annotated[list[float], Field(min_length=2, max_length=2)] | None


def make_type(name: str, about: str, fields: dict[str, Any]) -> Any:
    """Return the type of a document that is made of what a game registers."""
    form: Any = TypedDict
    kind = form(name, fields)
    kind.__doc__, kind.__pydantic_config__ = about, EXACT
    return kind


@with_config(EXACT)
class Answer(TypedDict):
    """A document: its `schema` is a constant, by which programs tell documents apart."""


class LandingAnswer(Answer):
    """Where a cube came to rest."""

    cube: Annotated[int, Field(ge=0, description="The number of the cube.")]
    colour: Annotated[str, Field(description="Its colour.")]
    place: Annotated[str, Field(description="Where it lies, such as tray or inside:funnel.")]


class ThrowAnswer(Answer):
    """A throw, with everything needed to repeat it and to go on from it."""

    schema: Literal["tower-sim/outcome"]
    version: Literal[1]
    seed: Seed
    model: ModelName
    apparatus: ApparatusName
    status: Status
    attempts: Annotated[int, Field(ge=0, description="How many draws it took.")]
    thrown: Counts
    emerged: Counts
    inside: Counts
    knocked_out: Counts
    extrapolated: Annotated[bool, Field(description="Whether the model was fitted to no such counts.")]
    missed: Annotated[int, Field(ge=0, description="How often a cube fell next to the funnel and was thrown again.")]
    landings: Annotated[list[LandingAnswer], Field(description="Where each cube lies.")]
    state: Annotated[str, Field(description="The state to go on from.")]


class TurnAnswer(Answer):
    """One turn of a game; the type of each game says which `facts` it lists."""

    index: Annotated[int, Field(ge=0, description="Its number, from 0.")]
    kind: Annotated[str, Field(description="What happened: drop, or a word of the game.")]
    board: NotRequired[Annotated[dict[str, Counts], Field(description="What lies at each place of a ship's board.")]]
    thrown: Counts
    out: Counts
    inside: Counts
    facts: Annotated[dict[str, Any], Field(description="What the game lists, such as the event.")]
    says: Annotated[str, Field(description="The turn in words.")]


class Mean(Answer):
    """The mean of a figure."""

    n: Annotated[int, Field(ge=0, description="How many values there are.")]
    mean: float
    interval: Annotated[Interval, Field(description="Its 95 % interval; null: too few values.")]


class Share(Answer):
    """How often something was counted, as a share of all counts."""

    n: NotRequired[Annotated[int, Field(ge=0, description="How many counts there are.")]]
    count: Whole
    share: float
    interval: Annotated[Interval, Field(description="Its 95 % interval; null: too few values.")]


class EstimateAnswer(Answer):
    """A figure with its interval."""

    value: Annotated[float, Field(description="The figure.")]
    low: Annotated[float, Field(description="The lower end of its interval.")]
    high: Annotated[float, Field(description="The upper end.")]
    confidence: Annotated[float, Field(description="The confidence of the interval.")]


class ThrowChances(Answer):
    """The chances of one throw."""

    thrown: Counts
    draws: Annotated[int, Field(ge=0, description="How often it was thrown.")]
    left_out: Annotated[int, Field(ge=0, description="How many more throws failed.")]
    out: Annotated[EstimateAnswer, Field(description="How many cubes come out on average.")]
    by_number: Annotated[list[float], Field(description="The share of throws with 0, 1, 2, ... cubes out.")]
    shares: Annotated[
        dict[str, EstimateAnswer], Field(description="How often nothing, one or several colours come out.")
    ]
    each: Annotated[dict[str, EstimateAnswer], Field(description="How often at least one cube of a colour comes out.")]


class ChancesAnswer(Answer):
    """The chances of throws that could come next."""

    schema: Literal["tower-sim/chances"]
    version: Literal[1]
    seed: Seed
    model: ModelName
    apparatus: ApparatusName
    throws: Annotated[list[ThrowChances], Field(description="Those of each throw, in the order of the request.")]


class ProblemAnswer(Answer):
    """What is wrong (RFC 9457)."""

    type: Annotated[str, Field(description="A reference to the code in the OpenAPI document.")]
    title: Annotated[str, Field(description="What the code means.")]
    status: Annotated[int, Field(description="The HTTP status.")]
    detail: Annotated[str, Field(description="One line: what is wrong, what is allowed, what to do.")]
    code: Annotated[str, Field(description="A word for programs.")]
    path: NotRequired[Annotated[str, Field(description="The field that it is about, as in cubes.blue.")]]


class _About(Answer):
    name: Annotated[str, Field(description="What to write in a request.")]
    about: Annotated[str, Field(description="A plain sentence.")]


class ProfileFacts(_About):
    """A tower or a ship that can be asked for."""

    kind: Annotated[str, Field(description="Its kind.")]


class GameFacts(_About):
    """A game that can be played."""

    title: Annotated[str, Field(description="What people call it.")]
    apparatus: Annotated[str | None, Field(description="The apparatus that it is played with; null: name one.")]
    usual: Annotated[dict[str, Any], Field(description="Its rules as they are when none is changed.")]
    rules: Annotated[dict[str, Any] | None, Field(description="The JSON schema of its rules; null: it has none.")]


class ModelFacts(_About):
    """A model that can throw."""


Engines = Annotated[dict[str, list[str]], Field(description="The accuracies of each engine.")]


class Profiles(Answer):
    """The towers and ships there are."""

    schema: Literal["tower-sim/apparatus-list"]
    version: Literal[1]
    apparatus: Annotated[list[ProfileFacts], Field(description="Each of them.")]


class Games(Answer):
    """The games there are."""

    schema: Literal["tower-sim/games-list"]
    version: Literal[1]
    games: Annotated[list[GameFacts], Field(description="Each of them.")]


class Models(Answer):
    """The models there are, and the engines of physics."""

    schema: Literal["tower-sim/models-list"]
    version: Literal[1]
    models: Annotated[list[ModelFacts], Field(description="Each of them.")]
    engines: Engines


class Here(Answer):
    """What a service of JSON lines has."""

    schema: Literal["tower-sim/service"]
    version: Literal[3]
    tower_sim: Annotated[str, Field(description="The version of the program.")]
    do: Annotated[list[str], Field(description="The requests.")]
    models: Annotated[list[str], Field(description="The models.")]
    apparatus: Annotated[list[str], Field(description="The shipped profiles.")]
    games: Annotated[list[str], Field(description="The games.")]
    engines: Engines
    documents: Annotated[dict[str, int], Field(description="The version of each document, by its schema.")]


class Refusal(Answer):
    """The answer to a line that cannot be answered."""

    schema: Literal["tower-sim/error"]
    version: Literal[1]
    error: Annotated[str, Field(description="One line: what is wrong, what is allowed, what to do.")]
    code: Annotated[str, Field(description="A word for programs.")]
    path: Annotated[str, Field(description="The field that it is about; empty: none.")]


class Health(Answer):
    """Whether the service answers, or is ready."""

    status: Annotated[Literal["ok", "ready"], Field(description="What it is.")]
