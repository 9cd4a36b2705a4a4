"""Requests, each typed and checked once; the command line, JSON lines and HTTP only read and write them.

    words, options, JSON --> Throw, Play or Odds --answer--> a document of tower_sim/documents/answers.py

A request that HTTP reads names what is installed. With the context FILES, and with `of`, it may name files.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from tower_sim.apparatus import Apparatus
from tower_sim.apparatus import names as profiles
from tower_sim.documents import ThrowAnswer, read
from tower_sim.drops import (
    HARDEST,
    DropModel,
    as_state,
    as_throw,
    estimate_chances,
    knock_strength,
    make_document,
    throw,
)
from tower_sim.errors import UsageError, check_kind, check_table, fault, quote, unknown
from tower_sim.games import MAX_RUNS, MAX_WORD, MAX_WORDS, Asked, Game, ManyRuns, Turn
from tower_sim.models import MODELS, PHYSICS, choose_settings
from tower_sim.physics import PhysicsSettings, accuracies
from tower_sim.tools import RULES, as_path, read_text, refuse_other, registry, toml_table
from tower_sim.values import MAX_CUBES, MAX_SEED, Outcome, TowerState, check_seed

GAME, APPARATUS = "game", "apparatus"  # keys of a rules file, beside those of its rules
FILES = {"files": True}  # the context of a reader whose callers may name files
MAX_STATE = 1_000_000  # bytes that a state's token unpacks to: a past of 2,000 drops of 12 cubes
MAX_TOKEN = 2**20  # characters of a token, before it is unpacked
MAX_CHOICES = 20  # throws whose chances are compared
MAX_DRAWS = 2_000  # of each of them
KINDS: dict[str, Callable[[], Sequence[str]]] = {
    "apparatus": profiles,
    "model": lambda: MODELS,
    "game": lambda: registry.names("game"),
    "engine": lambda: registry.names("engine"),
    "accuracy": lambda: tuple(dict.fromkeys(word for one in registry.names("engine") for word in accuracies(one))),
}
"""The allowed names, by field. `apparatus`, `model` and `game` may also be files where the context allows it."""
_ELSEWHERE = "files are not opened over HTTP: install the package that has it, or use tower-sim serve without --http"


def first_game() -> Game:
    """Return the default game."""
    return registry.get("game", registry.names("game")[0])


def games() -> list[Game]:
    """Return the games, shipped games first."""
    return list(registry.every("game").values())


def check_name(what: str, name: object, where: str = "") -> None:
    """Check that `name` is an installed name of the kind `what`."""
    known = KINDS[what]()
    if not isinstance(name, str) or name not in known:
        is_path = isinstance(name, str) and any(sign in name for sign in "./\\")
        raise unknown(where or what, name, known, _ELSEWHERE if is_path else "check its spelling")


def _may_be_files(info: ValidationInfo) -> bool:
    return bool(info.context and cast("dict[str, bool]", info.context).get("files"))


def _check_known(what: str) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        if what in ("engine", "accuracy") or not _may_be_files(info):
            check_name(what, name)
        return name

    return AfterValidator(check)


def _list_names(what: str) -> Any:
    def add_names(schema: dict[str, Any]) -> None:
        schema["enum"] = list(KINDS[what]())

    return Field(json_schema_extra=add_names)


def with_examples(*examples: Mapping[str, Any]) -> ConfigDict:
    """Return the setting that puts examples into a request's schema, and leaves out its defaults."""

    def add_examples(schema: dict[str, Any]) -> None:
        for field in schema["properties"].values():
            for key in ("default", "allowed"):
                field.pop(key, None)
        schema["examples"] = [*examples]

    return ConfigDict(json_schema_extra=add_examples)


def _check_state(state: object) -> object:
    if isinstance(state, str) and len(state) > MAX_TOKEN:
        raise fault("state", state, f"up to {MAX_TOKEN} characters", "start again without a state")
    if not isinstance(state, str | TowerState | None):
        raise fault("state", state, "the text that an earlier answer has as its state")
    return state


_DIGITS = {"type": "string", "pattern": "^[0-9]{1,39}$"}
_SEEDS = {"anyOf": [_DIGITS, {"type": "integer", "minimum": 0, "maximum": MAX_SEED}, {"type": "null"}]}
_TOKEN = {"anyOf": [{"type": "string", "maxLength": MAX_TOKEN}, {"type": "null"}]}
ApparatusName = Annotated[str, _check_known("apparatus"), _list_names("apparatus")]
ModelName = Annotated[str, _check_known("model"), _list_names("model")]
GameName = Annotated[str, _check_known("game"), _list_names("game")]
Engine = Annotated[str, _check_known("engine"), _list_names("engine")]
Accuracy = Annotated[str, _check_known("accuracy"), _list_names("accuracy")]
Seed = Annotated[
    int,
    BeforeValidator(lambda seed: secrets.randbits(128) if seed is None else check_seed(seed)),
    WithJsonSchema(_SEEDS),
]
MaybeSeed = Annotated[
    int | None, BeforeValidator(lambda seed: None if seed is None else check_seed(seed)), WithJsonSchema(_SEEDS)
]
State = Annotated[Any, BeforeValidator(_check_state), WithJsonSchema(_TOKEN)]
Count = Annotated[int, Field(ge=0, le=MAX_CUBES)]
Cubes = Annotated[dict[Annotated[str, Field(min_length=1, max_length=MAX_WORD)], Count], Field(max_length=MAX_WORDS)]
Knock = Annotated[float, BeforeValidator(knock_strength), Field(ge=0, le=HARDEST)]

_PLAYED: dict[str, Any] = {"game": registry.names("game")[0], "model": "surrogate"}
_ANY_SEED: dict[str, Any] = {"allowed": "a whole number from 0 to 2^128 - 1, or its text"}
SEED = "The seed of all that is random, best as text; null: it is drawn."
_APPARATUS = "The tower or the ship, a shipped profile; null:"


class Request(BaseModel):
    """A request: it cannot be changed, and takes no field that it does not know."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", strict=True)
    do: ClassVar[str] = ""  # its name in JSON lines

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """Return the checked request; names may be files."""
        request = read(cls, fields, context=FILES)
        request.check()
        return request

    def check(self) -> None:
        """Check the files, the states and the games that it names."""


class Modelled(Request):
    """A request that names an apparatus and a model."""

    apparatus: ApparatusName | None = Field(None, description=f"{_APPARATUS} that of the first game.")
    model: ModelName = Field(PHYSICS, description="How cubes are thrown: by physics, the default, or a fitted table.")
    engine: Engine | None = Field(None, description="The rigid-body engine of the model physics; null: the default.")
    accuracy: Accuracy | None = Field(
        None, description="How finely that engine computes; null: that of the profile, mostly standard."
    )

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        choose_settings(self.model, self.engine, self.accuracy)
        return self

    @property
    def tower(self) -> str:
        """The apparatus, a shipped profile or a file."""
        return self.apparatus or first_game().apparatus

    @property
    def settings(self) -> PhysicsSettings | None:
        """The settings of physics; None without physics, or for those of the apparatus."""
        return choose_settings(self.model, self.engine, self.accuracy)


class Seeded(Request):
    """A request with a seed."""

    seed: Seed = Field(None, validate_default=True, description=SEED, examples=["7"], json_schema_extra=_ANY_SEED)


class Thrown(Request):
    """What is thrown."""

    cubes: Cubes = Field({}, description=f"How many cubes of each colour, {MAX_CUBES} in all.", examples=[{"blue": 4}])
    knock: Knock | None = Field(None, description="A knock before the throw, its peak acceleration in g.")


class Stated(Modelled):
    """A request that goes on from a state."""

    state: State = Field(
        None,
        description="The state of an earlier answer; null: an empty tower.",
        json_schema_extra={"allowed": "a text"},
    )

    def check(self) -> None:
        """Read the state, and check the throws with it."""
        _ = self.before

    @property
    def choices(self) -> Sequence[tuple[Mapping[str, int], float | None]]:
        """The cubes and the knock of each throw."""
        return ()

    @cached_property
    def before(self) -> TowerState | None:
        """The state before the throw; None: an empty tower."""
        state: TowerState | None = (
            TowerState.from_token(self.state, MAX_STATE)
            if isinstance(self.state, str)
            else self.state and as_state(self.state)
        )
        for cubes, knock in self.choices:
            as_throw(cubes, state, knock)
        return state


class Throw(Seeded, Thrown, Stated):
    """A throw, or a knock and then a throw, into a tower that is empty or has a state."""

    model_config = with_examples({"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"})
    do: ClassVar[str] = "drop"

    @property
    def choices(self) -> Sequence[tuple[Mapping[str, int], float | None]]:
        """The cubes and the knock of the throw."""
        return [(self.cubes, self.knock)]

    @property
    def colours(self) -> list[str]:
        """The colours in the order of all counts: first the colours thrown, then other colours in the state."""
        there = {cube.colour for cube in self.before.cubes} if self.before else set[str]()
        return [*self.cubes, *sorted(there - set(self.cubes))]


class Odds(Seeded, Stated):
    """The chances of the next throw: what comes out if these cubes are thrown, or those."""

    model_config = with_examples({"throws": [{"blue": 4}, {"red": 4}], "model": "surrogate"})
    do: ClassVar[str] = "odds"
    throws: Annotated[list[Cubes], Field(min_length=1, max_length=MAX_CHOICES)] = Field(
        description="The throws to compare, each with its cubes by colour."
    )
    times: int = Field(200, ge=2, le=MAX_DRAWS, description="How often each is thrown; 200 by default.")

    @property
    def choices(self) -> Sequence[tuple[Mapping[str, int], float | None]]:
        """The cubes of each throw; nobody knocks."""
        return [(cubes, None) for cubes in self.throws]


class Play(Seeded, Modelled):
    """A game by its rules, or the odds of many."""

    model_config = with_examples(_PLAYED, _PLAYED | {"games": 20})
    do: ClassVar[str] = "play"
    game: GameName = Field(description="The name of the game.")
    rules: dict[str, Any] = Field({}, description="The rules to change, by name; GET /v1/games lists them.")
    games: Annotated[int, Field(ge=1, le=MAX_RUNS)] | None = Field(
        None, description="Play so many and answer with the odds; null: play one."
    )
    apparatus: ApparatusName | None = Field(None, description=f"{_APPARATUS} that of the rules, or of the game.")

    @model_validator(mode="after")
    def _check_files(self, info: ValidationInfo) -> Self:
        for what in () if _may_be_files(info) else (APPARATUS, GAME):
            if what in self.rules:
                check_name(what, self.rules[what], f"rules.{what}")
        return self

    def check(self) -> None:
        """Read the rules, and check that there is an apparatus, and odds if these are asked for."""
        _ = self.house
        if not self.tower:
            none = "" if self.played.apparatus else f", and {self.played.name} has none of its own"
            what = f"no apparatus is named{none}"
            raise UsageError(f"{what}; allowed is {allowed()}; name one (--tower, or the field apparatus)", APPARATUS)
        if self.games is not None and not self.played.figures:
            names = [game.name for game in games() if game.figures]
            none = f"none with {self.played.name}"
            raise fault("games", self.games, none, f"{' and '.join(names)} tell odds of many")

    @cached_property
    def played(self) -> Game:
        """The game itself."""
        return registry.get(GAME, self.game)

    @cached_property
    def house(self) -> Asked:
        """The rules as the game reads them, and their apparatus."""
        return parse_rules(self.played, self.rules)

    @property
    def tower(self) -> str:
        """The apparatus; "" if none is named and the game has none."""
        return self.apparatus or self.house.apparatus or self.played.apparatus


AnyRequest = Throw | Play | Odds


def allowed() -> str:
    """Return which apparatus are allowed."""
    return f"one of {', '.join(profiles())} or the path of a TOML file"


# What a game is played with


def as_game(game: object) -> Game:
    """Check that the value is a game, not its name."""
    return check_kind(GAME, game, Game, "a Game", "get it by its name: tower_sim.tools.registry.get('game', NAME)")


def read_rules(game: Game, file: str | Path) -> Asked:
    """Read a file of rules, or shipped rules by name: the published rules, or those of a profile for the game."""
    as_game(game)
    name = str(file)
    if name == game.name or name in profiles():
        return Asked(game.read({}), "" if name == game.name else name)
    table, directory = read_table(file, "rules")
    with naming("rules", file):
        return parse_rules(game, table, directory)


def read_table(file: str | Path, what: str) -> tuple[dict[str, Any], Path]:
    """Return the table of a rules file, called `what`, and its folder."""
    text = read_text(file, f"{what} file", advice=f"give a TOML file or one of {', '.join(profiles())}")
    named = f"{what} file {quote(str(file))}"
    refuse_other(text, named, RULES)
    return toml_table(text, named), Path(file).parent


@contextmanager
def naming(what: str, file: str | Path) -> Generator[None]:
    """Prefix errors with the name of the file."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{what} {quote(str(file))}: {error}") from None


def parse_rules(game: Game, table: Mapping[str, Any], directory: str | Path | None = None) -> Asked:
    """Read a table: the keys of the game's first table, its other tables by name, `apparatus` and `game`.

    A relative path of the apparatus starts at `directory`.
    """
    name = check_table("rules", table).get(GAME, as_game(game).name)
    is_it = name == game.name or (registry.is_file("game", name) and _open(name, directory).source == game.source)
    if not is_it:
        raise fault(GAME, name, f"{game.name}, which is to be played", "play that game, or give other rules")
    if directory is not None:
        directory = as_path("directory", directory)
    apparatus = table.get(APPARATUS, "")
    if not isinstance(apparatus, str):
        raise fault(APPARATUS, apparatus, allowed())
    if directory is not None and apparatus and apparatus not in profiles():
        apparatus = str(directory / apparatus)
    first, *others = game.tables
    tables = {name: table[name] for name in others if name in table}
    own = {key: value for key, value in table.items() if key not in (*others, GAME, APPARATUS)}
    if set(own) == {first} and isinstance(own[first], Mapping):  # as in a campaign file
        own = dict(cast("Mapping[str, Any]", own[first]))
    return Asked(game.read(tables | ({first: own} if own else {})), apparatus)


def choose_game(table: Mapping[str, Any], directory: str | Path | None, default: str) -> Game:
    """Return the game of a rules file."""
    name: object = table.get(GAME, default)
    return _open(cast("str", name), directory) if registry.is_file("game", name) else registry.get("game", name)


def _open(file: str, directory: str | Path | None) -> Game:
    return registry.get("game", file if directory is None else str(Path(directory, file)))


# The answers


def outcome(request: Throw, model: DropModel) -> Outcome:
    """Throw, or knock and throw. Raises TooManyFailedDraws if every drop fails."""
    return throw(model, request.before or model.empty(), request.cubes, request.seed, request.knock)


def drop_document(request: Throw, result: Outcome) -> ThrowAnswer:
    """Return the document of a throw."""
    return result.to_json(request.seed, request.colours)


def check(request: Play, apparatus: Apparatus, model: DropModel) -> None:
    """Check that the game can be played with this apparatus and model."""
    request.check()
    game = request.played
    if game.board and not hasattr(model, "place"):
        raise fault("model", request.model, "one that knows a board", f'leave it out for "{PHYSICS}"')
    game.check(apparatus)
    game.ways.check(model, request.house.rules)


def turns(request: Play, model: DropModel, run: int | None = None) -> Iterator[Turn]:
    """Yield the turns of one run; `run` as in `Game.start`. Raises TooManyFailedDraws."""
    return to_its_end(request.played.start(model, request.house.rules, request.seed, run))


def to_its_end(played: Iterator[Turn]) -> Iterator[Turn]:
    """Yield the turns. Raises TooManyFailedDraws if the last one failed."""
    for turn in played:
        if turn.failed is not None:
            raise turn.failed
        yield turn


def play_document(request: Play, played: Sequence[Turn], model: DropModel) -> Mapping[str, Any]:
    """Return the document of a single run."""
    names = {"apparatus": model.apparatus, "model": model.name}
    return request.played.ways.document_of(played, request.house.rules, **names, seed=request.seed)


def no_odds(request: Play) -> ManyRuns:
    """Return the odds before the first run."""
    return request.played.ways.odds(request.house.rules, request.seed)


def fill(many: ManyRuns, request: Play, model: DropModel, tell: Callable[[int], None]) -> None:
    """Add every run to the odds and call `tell` with the number done."""
    for run in range(request.games or 1):
        many.add(list(turns(request, model, run)))
        tell(run + 1)


def answer(
    request: AnyRequest, apparatus: Apparatus, model: DropModel, tell: Callable[[int], None] = lambda done: None
) -> Mapping[str, Any]:
    """Answer a request; call `tell` with the number of runs done. Raises TooManyFailedDraws."""
    if isinstance(request, Throw):
        return drop_document(request, outcome(request, model))
    if isinstance(request, Odds):
        odds = estimate_chances(
            model, request.before or model.empty(), request.throws, request.times, request.seed, tell
        )
        return make_document(odds, model, request.seed)
    check(request, apparatus, model)
    if request.games is None:
        return play_document(request, list(turns(request, model)), model)
    many = no_odds(request)
    fill(many, request, model, tell)
    return many.document()
