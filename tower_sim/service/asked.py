"""The requests as typed data, checked once, and shared by JSON lines and HTTP. READ FIRST.

    JSON --> Throw, Play, Next, NewTower, ... --> DropRequest, PlayRequest, OddsRequest or ChancesRequest

A request that is read with the context `FILES` may name files. Without it, as over HTTP, a name must be installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, WithJsonSchema
from pydantic import model_validator as checked

from tower_sim import registry
from tower_sim.apparatus.catalogue import names
from tower_sim.cubes import MAX_CUBES
from tower_sim.door import HARDEST, knock_strength
from tower_sim.errors import fault, unknown
from tower_sim.games.ways import MAX_RUNS, MAX_WORD, MAX_WORDS, check_words
from tower_sim.models import MODELS, settings_of
from tower_sim.physics.settings import accuracies
from tower_sim.requests import (
    PHYSICS,
    ChancesRequest,
    DropRequest,
    OddsRequest,
    PlayRequest,
    drawn_seed,
    first_game,
    rules_of,
)
from tower_sim.state import MAX_SEED, TowerState, check_seed
from tower_sim.typed import read

# One request is answered before the next is read; longer work is a campaign's.
MAX_DROPS = 2_000
MAX_GAMES = MAX_RUNS
MAX_STATE = 1_000_000  # bytes that a state's token unpacks to: a past of 2,000 drops of 12 cubes
MAX_TOKEN = 2**20  # characters of a token, before it is unpacked
MAX_HANDLED = 400_000  # cubes times drops of a game: some seconds without physics
MAX_PHYSICS_CUBES = 80  # in the tower and thrown: packed full, drops of 80 took up to 2 s of CPU, of 100 up to 7 s
MAX_PHYSICS_GAMES = 1_000  # for battles, about a minute
MAX_PHYSICS_HANDLED = 20_000  # cubes times drops of a game: about half a minute
MAX_CHOICES = 20  # throws whose chances are compared
MAX_KEPT = 500  # drops of a tower that is kept: its state holds them all

FILES = {"files": True}  # the context of a reader whose callers may name files
KINDS: dict[str, Callable[[], tuple[str, ...]]] = {
    "apparatus": lambda: tuple(names()),
    "model": lambda: MODELS,
    "game": lambda: registry.names("game"),
    "engine": lambda: registry.names("engine"),
    "accuracy": lambda: tuple(dict.fromkeys(word for one in registry.names("engine") for word in accuracies(one))),
}
"""The allowed names, by field. `apparatus`, `model` and `game` may also be files where the context allows it."""
_ELSEWHERE = "files are not opened over HTTP: install the package that has it, or use tower-sim serve without --http"


def check_name(what: str, name: object, where: str = "") -> None:
    """Check that `name` is an installed name of the kind `what`; errors call it `where`, or `what` by default."""
    known = KINDS[what]()
    if not isinstance(name, str) or name not in known:
        is_path = isinstance(name, str) and any(sign in name for sign in "./\\")
        raise unknown(where or what, name, known, _ELSEWHERE if is_path else "check its spelling")


def _known(what: str) -> AfterValidator:
    """Return a validator for names of the kind `what`; it accepts files where the context allows them."""

    def check(name: str, info: ValidationInfo) -> str:
        if what in ("engine", "accuracy") or not _may_be_files(info):
            check_name(what, name)
        return name

    return AfterValidator(check)


def _listed(what: str) -> Any:
    """Return a field whose schema lists the installed names of the kind `what`."""

    def listed(schema: dict[str, Any]) -> None:
        schema["enum"] = list(KINDS[what]())

    return Field(json_schema_extra=listed)


def _may_be_files(info: ValidationInfo) -> bool:
    context = cast("dict[str, bool] | None", info.context)
    return bool(context and context.get("files"))


_DIGITS = {"type": "string", "pattern": "^[0-9]{1,39}$"}
_SEEDS = WithJsonSchema({"anyOf": [_DIGITS, {"type": "integer", "minimum": 0, "maximum": MAX_SEED}]})
Apparatus = Annotated[str, _known("apparatus"), _listed("apparatus")]
Model = Annotated[str, _known("model"), _listed("model")]
GameName = Annotated[str, _known("game"), _listed("game")]
Engine = Annotated[str, _known("engine"), _listed("engine")]
Accuracy = Annotated[str, _known("accuracy"), _listed("accuracy")]
Seed = Annotated[int, BeforeValidator(check_seed), _SEEDS]
Colour = Annotated[str, Field(min_length=1, max_length=MAX_WORD)]
Count = Annotated[int, Field(ge=0, le=MAX_CUBES)]
Cubes = Annotated[dict[Colour, Count], Field(max_length=MAX_WORDS)]
Knock = Annotated[float, BeforeValidator(knock_strength), Field(ge=0, le=HARDEST)]

_PLAYED: dict[str, Any] = {"game": registry.names("game")[0], "model": "surrogate"}
_APPARATUS = "The tower or the ship, a shipped profile."
_SAID = {
    "model": "How cubes are thrown: by rigid bodies or by a fitted table.",
    "engine": "The rigid-body engine of the model physics; null: the default.",
    "accuracy": "How finely that engine computes; null: standard.",
    "seed": "The seed of all that is random, best as text; null: it is drawn.",
    "cubes": f"How many cubes of each colour are thrown, up to {MAX_CUBES} in all.",
    "knock": "A knock on the table before the throw, its peak acceleration in g.",
    "state": "The state of an earlier answer; null: an empty tower.",
}


class RequestModel(BaseModel):
    """A request: it cannot be changed, and takes no field that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Modelled(RequestModel):
    model: Model = Field(PHYSICS, description=_SAID["model"])
    engine: Engine | None = Field(None, description=_SAID["engine"])
    accuracy: Accuracy | None = Field(None, description=_SAID["accuracy"])

    @checked(mode="after")
    def _check_settings(self) -> _Modelled:
        settings_of(self.model, self.engine, self.accuracy)
        return self


class _Thrown(RequestModel):
    cubes: Cubes = Field({}, description=_SAID["cubes"], examples=[{"blue": 4}])
    knock: Knock | None = Field(None, description=_SAID["knock"])
    seed: Seed | None = Field(None, description=_SAID["seed"], examples=["7"])

    @checked(mode="after")
    def _check_cubes(self) -> _Thrown:
        check_words("cubes", list(self.cubes))
        if (number := sum(self.cubes.values())) > MAX_CUBES:
            raise fault("number of cubes", number, f"up to {MAX_CUBES}", "throw fewer")
        if not self.cubes and self.knock is None:
            allowed = "a count by colour, unless there is a knock"
            raise fault("cubes", self.cubes, allowed, 'write "cubes": {"blue": 4}')
        return self


class Throw(_Thrown, _Modelled):
    """A throw, or a knock and then a throw, into a tower that is empty or has a state."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}]}
    )

    do: ClassVar[str] = "drop"
    apparatus: Apparatus | None = Field(None, description=_APPARATUS)
    state: str | None = Field(None, max_length=MAX_TOKEN, description=_SAID["state"])

    def request(self, before: TowerState | None = None) -> DropRequest:
        """Return the checked request; a state token is read here."""
        state = before if self.state is None else TowerState.from_token(self.state, MAX_STATE)
        apparatus = self.apparatus or first_game().apparatus
        seed = drawn_seed() if self.seed is None else self.seed
        how = self.engine, self.accuracy
        asked = DropRequest(apparatus, self.model, seed, self.cubes, state, self.knock, *how)
        there = len(state.residents) + len(state.board.lying) if state else 0
        _check_physics(self.model, "number of cubes, with those in the state", sum(self.cubes.values()) + there)
        return asked


class Play(_Modelled):
    """A game by its rules, or the odds of many."""

    model_config = ConfigDict(json_schema_extra={"examples": [_PLAYED, _PLAYED | {"games": 20}]})

    do: ClassVar[str] = "play"
    game: GameName = Field(description="The name of the game.")
    rules: dict[str, Any] = Field({}, description="The rules to change, by name; GET /v1/games lists them.")
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] | None = Field(
        None, description="Play so many and answer with the odds; null: play one."
    )
    apparatus: Apparatus | None = Field(None, description=f"{_APPARATUS} null: the game's own.")
    seed: Seed | None = Field(None, description=_SAID["seed"], examples=["7"])

    @checked(mode="after")
    def _check_files(self, info: ValidationInfo) -> Play:
        if not _may_be_files(info):
            for what in ("apparatus", "game"):
                if what in self.rules:
                    check_name(what, self.rules[what], f"rules.{what}")
        return self

    def request(self) -> PlayRequest | OddsRequest:
        """Return the checked request."""
        game = registry.get("game", self.game)
        asked = rules_of(game, self.rules)
        cubes, turns = game.cubes(asked.rules), game.turns(asked.rules)
        check_words("colours", list(cubes))
        number, is_physics = game.most_cubes(asked.rules), self.model == PHYSICS
        _check_most("number of drops", turns, MAX_DROPS)
        _check_physics(self.model, "number of cubes", number)
        most = MAX_PHYSICS_HANDLED if is_physics else MAX_HANDLED
        _check_most("number of cubes times drops", number * turns, most)
        apparatus = self.apparatus or asked.apparatus or game.apparatus
        seed = drawn_seed() if self.seed is None else self.seed
        one = PlayRequest(game, asked.rules, apparatus, self.model, seed, self.engine, self.accuracy)
        if self.games is None:
            return one
        _check_most("games", self.games, MAX_PHYSICS_GAMES if is_physics else MAX_GAMES)
        return OddsRequest(one, self.games)


class TowerNext(RequestModel):
    """The chances of the next throw: what comes out if these cubes are thrown, or those."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"throws": [{"blue": 4}, {"red": 4}]}]})

    throws: Annotated[list[Cubes], Field(min_length=1, max_length=MAX_CHOICES)] = Field(
        description="The throws to compare, each with its cubes by colour."
    )
    times: int = Field(200, ge=2, le=MAX_DROPS, description="How often each is thrown.")
    seed: Seed | None = Field(None, description=_SAID["seed"], examples=["7"])


class Next(TowerNext, _Modelled):
    """The chances of the next throw into a tower that is empty or has a state."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"throws": [{"blue": 4}], "model": "surrogate"}]})

    do: ClassVar[str] = "odds"
    apparatus: Apparatus | None = Field(None, description=_APPARATUS)
    state: str | None = Field(None, max_length=MAX_TOKEN, description=_SAID["state"])

    def request(self) -> ChancesRequest:
        """Return the checked request."""
        how = {"apparatus": self.apparatus, "model": self.model, "engine": self.engine, "accuracy": self.accuracy}
        seed = drawn_seed() if self.seed is None else self.seed
        asked = [how | {"cubes": cubes, "state": self.state, "seed": seed} for cubes in self.throws]
        one, *others = [read(Throw, each, context=FILES).request() for each in asked]
        handled = self.times * sum(sum(cubes.values()) for cubes in self.throws)
        most = MAX_PHYSICS_HANDLED if self.model == PHYSICS else MAX_HANDLED
        _check_most("number of cubes times throws", handled, most)
        return ChancesRequest(one, tuple(request.cubes for request in (one, *others)), self.times)


class Hello(RequestModel):
    """Asks a service of JSON lines what it has."""

    do: ClassVar[str] = "hello"


class NewTower(_Modelled):
    """A tower that the service keeps: empty, or with the state of an earlier answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"model": "surrogate"}]})

    apparatus: Apparatus | None = Field(None, description=_APPARATUS)
    state: str | None = Field(None, max_length=MAX_TOKEN, description=_SAID["state"])


class TowerThrow(_Thrown):
    """A throw, or a knock, into a tower that is kept; only the program's identifier may come with a seed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cubes": {"blue": 4}}, {"knock": 1}]})


class Fork(RequestModel):
    """Another tower that goes on from this one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"after": 0}, {}]})

    after: Annotated[int, Field(ge=0, le=MAX_KEPT)] | None = Field(
        None, description="The number of the drop to go on from; null: the last one."
    )


LINES: dict[str, type[Hello | Throw | Play | Next]] = {kind.do: kind for kind in (Hello, Throw, Play, Next)}
"""The kinds of request in JSON lines, by the value of the field `do`."""


def fields() -> dict[str, tuple[str, ...]]:
    """Return the names of the fields of each request, by its `do`; `id` and `do` are not among them."""
    return {do: tuple(kind.model_fields) for do, kind in LINES.items()}


def _check_most(what: str, value: int, most: int) -> None:
    if value > most:
        raise fault(what, value, f"up to {most} in one request", "ask for less, or run a campaign", "field.too_large")


def _check_physics(model: str, what: str, cubes: int) -> None:
    """Refuse more cubes than physics can handle while the caller waits; the other models are fast."""
    if model == PHYSICS:
        _check_most(what, cubes, MAX_PHYSICS_CUBES)
