"""The answers as typed data, shared by JSON lines and HTTP; docs/http.md explains their fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Counts = Annotated[dict[str, int], Field(description="A number of cubes by colour.")]
Status = Annotated[Literal["settled", "jammed"], Field(description="Whether the cubes came to rest or jammed.")]
Identifier = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{22}$", description="128 random bits: keep it secret.")]
Version = Annotated[int, Field(ge=1, description="The version of the schema.")]
Whole = Annotated[int, Field(ge=0)]


def _schema(name: str = "[a-z/-]+") -> Any:
    told = "The name of this kind of document."
    if name.startswith("["):
        return Field(alias="schema", pattern=f"^{name}$", description=told)
    return Field(name, alias="schema", pattern=f"^{name}$", description=told)


class Answer(BaseModel):
    """An answer: it cannot be changed, and has no field that is not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, serialize_by_alias=True)


class Identified(Answer):
    """What is kept under an identifier."""

    id: Identifier


class LandingAnswer(Answer):
    """Where a cube came to rest."""

    cube: Whole = Field(description="The number of the cube.")
    colour: str = Field(description="Its colour.")
    place: str = Field(description="Where it lies, such as tray or inside:funnel.")


class _Named(Answer):
    schema_: str = _schema()
    version: Version = 1


class ThrowFacts(_Named):
    """The facts of a throw that everybody at the table sees."""

    model: str = Field(description="The model that drew it.")
    apparatus: str = Field(description="The tower or the ship.")
    status: Status
    attempts: Whole = Field(description="How many draws it took.")
    thrown: Counts
    emerged: Counts
    inside: Counts
    knocked_out: Counts
    extrapolated: bool = Field(description="Whether the counts lie outside the data that the model was fitted to.")
    missed: Whole = Field(description="How often a cube fell next to the funnel and was thrown again.")
    landings: list[LandingAnswer] = Field(description="Where each cube lies.")


class _Seeded(_Named):
    seed: str = Field(description="The seed: the same request with it gets the same answer.")


class ThrowAnswer(ThrowFacts, _Seeded):
    """A throw, with everything needed to repeat it and to go on from it."""

    schema_: str = _schema("tower-sim/outcome")
    state: str = Field(description="The state to go on from.")


class Drop(ThrowAnswer, Identified):
    """A throw that is kept."""


class TowerDrop(Drop):
    """A throw into a tower that is kept, for the players' program."""

    tower: Identifier
    number: Whole = Field(description="Its number in the tower, from 0.")


class TableDrop(ThrowFacts):
    """A throw into a tower that is kept, for the table: without seed, state and identifier."""

    schema_: str = _schema("tower-sim/table-drop")
    tower: Identifier = Field(description="The tower's identifier for the table.")
    number: Whole = Field(description="Its number in the tower, from 0.")


class _PlayHead(_Seeded):
    model: str = Field(description="The model that drew it.")
    apparatus: str = Field(description="The tower or the ship.")


class TurnAnswer(Answer):
    """One turn of a game."""

    index: Whole = Field(description="Its number, from 0.")
    thrown: Counts
    out: Counts
    inside: Counts
    facts: dict[str, Any] = Field(description="What the game lists, such as the event.")
    says: str = Field(description="The turn in words.")


class Run(_PlayHead):
    """One run of a game; its other tables of rules, if it has any, are next to `rules`."""

    model_config = ConfigDict(extra="allow")

    schema_: str = _schema("tower-sim/game-run")
    game: str = Field(description="The name of the game.")
    game_version: Whole = Field(description="The version of the game.")
    rules: dict[str, Any] = Field({}, description="Every rule.")
    turns: list[TurnAnswer] = Field(description="The turns in order.")


class Odds(_PlayHead):
    """The odds of many runs of a game; its other tables of rules, if it has any, are next to `rules`."""

    model_config = ConfigDict(extra="allow")

    schema_: str = _schema("tower-sim/game-odds")
    game: str = Field(description="The name of the game.")
    rules: dict[str, Any] = Field({}, description="Every rule.")
    runs: Whole = Field(description="How many were played.")
    confidence: float = Field(description="The confidence of the intervals.")
    means: dict[str, Any] = Field(description="The mean of each figure, with its interval.")
    shares: dict[str, Any] = Field(description="The share of turns with each word of a fact, with its interval.")


class EstimateAnswer(Answer):
    """A figure with its interval."""

    value: float = Field(description="The figure.")
    low: float = Field(description="The lower end of its interval.")
    high: float = Field(description="The upper end.")
    confidence: float = Field(description="The confidence of the interval.")


class ThrowChances(Answer):
    """The chances of one throw."""

    thrown: Counts
    draws: Whole = Field(description="How often it was thrown.")
    left_out: Whole = Field(description="How many more throws failed.")
    out: EstimateAnswer = Field(description="How many cubes come out on average.")
    by_number: list[float] = Field(description="The share of throws with 0, 1, 2, ... cubes out.")
    shares: dict[str, EstimateAnswer] = Field(description="How often nothing, one colour, several colours come out.")
    each: dict[str, EstimateAnswer] = Field(description="How often at least one cube of a colour comes out.")


class ChancesAnswer(_PlayHead):
    """The chances of throws that could come next."""

    schema_: str = _schema("tower-sim/chances")
    throws: list[ThrowChances] = Field(description="Those of each throw, in the order of the request.")


class OwnDocument(_PlayHead):
    """A run or odds of a game that has a document of its own; docs/http.md has its other fields."""

    model_config = ConfigDict(extra="allow")


class KeptRun(Run, Identified):
    """One run of a game that is kept."""

    model_config = ConfigDict(extra="allow")


class KeptOdds(Odds, Identified):
    """The odds of many runs of a game that are kept."""

    model_config = ConfigDict(extra="allow")


class KeptDocument(OwnDocument, Identified):
    """A document of a game that is kept."""

    model_config = ConfigDict(extra="allow")


Played = KeptRun | KeptOdds | KeptDocument
_PLAYED: dict[str, type[Played]] = {"tower-sim/game-run": KeptRun, "tower-sim/game-odds": KeptOdds}
_LINE: dict[str, type[Answer]] = {
    "tower-sim/outcome": ThrowAnswer,
    "tower-sim/game-run": Run,
    "tower-sim/game-odds": Odds,
    "tower-sim/chances": ChancesAnswer,
}


def played(document: dict[str, Any]) -> dict[str, Any]:
    """Check a game's document that has an identifier against its model, and return it."""
    _PLAYED.get(document["schema"], KeptDocument).model_validate(document)
    return document


def line(document: dict[str, Any]) -> dict[str, Any]:
    """Check a document without an identifier against its model, and return it."""
    _LINE.get(document["schema"], OwnDocument).model_validate(document)
    return document


class _Standing(_Named):
    apparatus: str = Field(description="The tower or the ship.")
    model: str = Field(description="The model that draws its throws.")
    engine: str | None = Field(None, description="The rigid-body engine; null: the default.")
    accuracy: str | None = Field(None, description="How finely it computes; null: the default.")
    drops: Whole = Field(description="How many throws it has had.")
    inside: Counts


class TowerAnswer(_Standing, Identified):
    """A tower that is kept, for the players' program: it may throw with a seed, fork and delete."""

    schema_: str = _schema("tower-sim/tower")
    table: Identifier = Field(description="The tower's other identifier, for the table: it may look and throw.")
    state: str | None = Field(description="The state of its last throw; null: it is empty.")


class TableTower(_Standing, Identified):
    """A tower that is kept, for the table: without its state and without the program's identifier."""

    schema_: str = _schema("tower-sim/table")


class TableHistoryDrop(Answer):
    """A past throw, as the table sees it."""

    number: Whole = Field(description="Its number in the tower, from 0.")
    status: Status
    thrown: Counts
    emerged: Counts
    inside: Counts
    knocked_out: Counts


class HistoryDrop(TableHistoryDrop):
    """A past throw, with its identifier and its seed."""

    id: Identifier
    seed: str = Field(description="Its seed.")


class History(Answer):
    """The throws of a tower that is kept, a page of them; the table sees neither identifiers nor seeds."""

    tower: Identifier
    schema_: str = _schema("tower-sim/history")
    version: Version = 1
    of: Whole = Field(description="How many throws there are.")
    drops: list[HistoryDrop] | list[TableHistoryDrop] = Field(description="The throws from the number asked for.")


class ProblemAnswer(Answer):
    """What is wrong (RFC 9457)."""

    type: str = Field(description="A reference to the code in the OpenAPI document.")
    title: str = Field(description="What the code means.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="One line: what is wrong, what is allowed, what to do.")
    code: str = Field(description="A word for programs.")
    path: str | None = Field(None, description="The field that it is about, as in cubes.blue.")


class Job(Identified):
    """Long work that nobody waits for."""

    schema_: str = _schema("tower-sim/job")
    version: Version = 1
    status: Literal["queued", "running", "done", "failed", "cancelled"] = Field(description="How far it is.")
    done: Whole = Field(description="How many runs are done.")
    of: Whole = Field(description="How many runs there are.")
    location: str | None = Field(None, description="Where the answer is, once it is done.")
    problem: ProblemAnswer | None = Field(None, description="Why there is no answer.")


class ProfileFacts(Answer):
    """A tower or a ship that can be asked for."""

    name: str = Field(description="What to write as apparatus.")
    kind: str = Field(description="Its kind.")
    about: str = Field(description="A plain sentence.")


class Profiles(Answer):
    """The towers and ships there are."""

    schema_: str = _schema("tower-sim/apparatus-list")
    version: Version = 1
    apparatus: list[ProfileFacts] = Field(description="Each of them.")


class GameFacts(Answer):
    """A game that can be played."""

    name: str = Field(description="What to write as game.")
    title: str = Field(description="What people call it.")
    about: str = Field(description="A plain sentence.")
    apparatus: str | None = Field(description="The apparatus that it is played with; null: name one.")
    usual: dict[str, Any] = Field(description="Its rules as they are when none is changed.")
    rules: dict[str, Any] | None = Field(description="The JSON schema of its rules; null: it has none.")


class Games(Answer):
    """The games there are."""

    schema_: str = _schema("tower-sim/games-list")
    version: Version = 1
    games: list[GameFacts] = Field(description="Each of them.")


class ModelFacts(Answer):
    """A model that can throw."""

    name: str = Field(description="What to write as model.")
    about: str = Field(description="A plain sentence.")


class Models(Answer):
    """The models there are, and the engines of physics."""

    schema_: str = _schema("tower-sim/models-list")
    version: Version = 1
    models: list[ModelFacts] = Field(description="Each of them.")
    engines: dict[str, list[str]] = Field(description="The accuracies of each engine.")


class DocumentName(_Named):
    """The name and the version of a document."""


class Here(Answer):
    """What a service of JSON lines has."""

    schema_: str = _schema("tower-sim/service")
    version: Version = 2
    tower_sim: str = Field(description="The version of the program.")
    do: list[str] = Field(description="The requests.")
    models: list[str] = Field(description="The models.")
    apparatus: list[str] = Field(description="The shipped profiles.")
    games: list[str] = Field(description="The games.")
    engines: dict[str, list[str]] = Field(description="The accuracies of each engine.")
    documents: dict[str, list[DocumentName]] = Field(description="The documents of each request.")


class Refusal(Answer):
    """The answer to a line that cannot be answered."""

    schema_: str = _schema("tower-sim/error")
    version: Version = 1
    error: str = Field(description="One line: what is wrong, what is allowed, what to do.")
    code: str = Field(description="A word for programs.")
    path: str = Field("", description="The field that it is about; empty: none.")


class Health(Answer):
    """Whether the service answers, or is ready."""

    status: Literal["ok", "ready"] = Field(description="What it is.")
