"""Requests, checked once, and their answers. The command line and the service only read and write them.

    words, options, JSON --> DropRequest, PlayRequest or OddsRequest --> outcome, turns or odds --> words or a document

A request names its apparatus and its model. The caller opens both, and may keep them open.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tower_sim import registry
from tower_sim.apparatus.catalogue import names as profiles
from tower_sim.apparatus.parts import Apparatus
from tower_sim.contract import DropModel
from tower_sim.door import as_state
from tower_sim.errors import UsageError, check_kind, check_table, check_whole, fault, shown
from tower_sim.games.game import Game
from tower_sim.games.odds import ManyRuns
from tower_sim.games.turn import Turn
from tower_sim.games.ways import MAX_RUNS, Asked
from tower_sim.model import throw
from tower_sim.models import PHYSICS, settings_of
from tower_sim.outcome import Outcome
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.reading import RULES, as_path, read_text, refuse_other, toml_table
from tower_sim.state import TowerState, check_seed
from tower_sim.throwing import as_throw

GAME, APPARATUS = "game", "apparatus"  # keys of a rules file, beside those of its rules


@dataclass(frozen=True, slots=True)
class DropRequest:
    """A request for a throw of `cubes` (counts by colour), after an optional knock of strength `knock` (g).

    `state` is the state before (None: empty). `apparatus` and `model` are names or paths. `seed` is from 0 to
    2^128 - 1. `engine` and `accuracy` are names of the physics (None: the defaults).
    """

    apparatus: str
    model: str
    seed: int
    cubes: Mapping[str, int]
    state: TowerState | None = None
    knock: float | None = None
    engine: str | None = None
    accuracy: str | None = None

    def __post_init__(self) -> None:
        _check_named(self)
        if self.state is not None:
            as_state(self.state)
        cubes, knock = as_throw(self.cubes, self.state, self.knock)
        object.__setattr__(self, "cubes", cubes)
        object.__setattr__(self, "knock", knock)

    @property
    def colours(self) -> list[str]:
        """The colours in the order of all counts: first the colours thrown, then other colours in the state."""
        if self.state is None:
            return [*self.cubes]
        there = {cube.colour for cube in self.state.cubes}
        return [*self.cubes, *sorted(there - set(self.cubes))]

    @property
    def settings(self) -> PhysicsSettings | None:
        """The settings of the physics; None for another model."""
        return settings_of(self.model, self.engine, self.accuracy)


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A request for one run of `game` (a game, a name or a file) by `rules`, a result of the game's `read`.

    The other fields are the same as in a DropRequest.
    """

    game: str | Game
    rules: Any
    apparatus: str
    model: str
    seed: int
    engine: str | None = None
    accuracy: str | None = None

    def __post_init__(self) -> None:
        _check_named(self)
        if not isinstance(self.game, Game):
            object.__setattr__(self, "game", registry.get("game", self.game))
        if not self.apparatus:
            none = "" if self.played.apparatus else f", and {self.played.name} has none of its own"
            what = f"no apparatus is named{none}"
            raise UsageError(f"{what}; allowed is {allowed()}; name one (--tower, or the field apparatus)", APPARATUS)

    @property
    def played(self) -> Game:
        """The game itself."""
        return cast("Game", self.game)

    @property
    def settings(self) -> PhysicsSettings | None:
        """The settings of the physics; None for another model."""
        return settings_of(self.model, self.engine, self.accuracy)


@dataclass(frozen=True, slots=True)
class OddsRequest:
    """A request for the odds of `runs` runs; `one` describes a single run."""

    one: PlayRequest
    runs: int

    def __post_init__(self) -> None:
        if self.one.played.ways.odds() is None:
            telling = [game.name for game in games() if game.ways.odds() is not None]
            raise fault(
                "games", self.runs, f"none with {self.one.played.name}", f"{' and '.join(telling)} tell odds of many"
            )
        object.__setattr__(self, "runs", check_whole("games", self.runs, 1, MAX_RUNS))


@dataclass(frozen=True, slots=True)
class ChancesRequest:
    """A request for the chances of several possible throws, each thrown `runs` times from the same state.

    `options` has the cubes of each throw, as counts by colour. `one` is the request for the first throw.
    """

    one: DropRequest
    options: tuple[Mapping[str, int], ...]
    runs: int


Request = DropRequest | PlayRequest | OddsRequest


def one_of(request: Request | ChancesRequest) -> DropRequest | PlayRequest:
    """Return the request for a single drop or run within a request; it names the apparatus and the model."""
    return request if isinstance(request, (DropRequest, PlayRequest)) else request.one


def games() -> list[Game]:
    """Return the games that can be played, shipped games first, without those of packages that fail to load."""
    playable: list[Game] = []
    for name in registry.names("game"):
        try:
            playable.append(registry.get("game", name))
        except UsageError:
            continue
    return playable


def first_game() -> Game:
    """Return the first registered game, which is the default and the game in examples."""
    return registry.get("game", registry.names("game")[0])


def allowed() -> str:
    """Return the sentence that says which apparatus are allowed."""
    return f"one of {', '.join(profiles())} or the path of a TOML file"


def drawn_seed() -> int:
    """Return a 128-bit seed from the system's randomness, for programs; repeats are practically impossible."""
    return secrets.randbits(128)


def _check_named(request: DropRequest | PlayRequest) -> None:
    """Check the type of the apparatus's name and the model's name, and make the seed a plain number."""
    check_kind(APPARATUS, request.apparatus, str, allowed(), "name it by its text")
    object.__setattr__(request, "seed", check_seed(request.seed))
    settings_of(request.model, request.engine, request.accuracy)


# What a game is played with


def as_game(game: object) -> Game:
    """Check that the value is a game (not, for example, its name) and return it."""
    return check_kind(GAME, game, Game, "a Game", "get it by its name: tower_sim.registry.get('game', NAME)")


def read_rules(game: Game, file: str | Path) -> Asked:
    """Read a file of rules, or shipped rules by name: the published rules, or those of a profile for the game.

    A relative path of its apparatus starts at the file's directory.
    """
    as_game(game)
    said = str(file)
    if said == game.name or said in profiles():
        return Asked(game.read({}), "" if said == game.name else said)
    table, directory = read_table(file, "rules")
    with naming("rules", file):
        return rules_of(game, table, directory)


def read_table(file: str | Path, what: str) -> tuple[dict[str, Any], Path]:
    """Return the table of a rules file, called `what` in errors, and the directory where its relative paths start."""
    text = read_text(file, f"{what} file", advice=f"give a TOML file or one of {', '.join(profiles())}")
    named = f"{what} file {shown(str(file))}"
    refuse_other(text, named, RULES)
    return toml_table(text, named), Path(file).parent


@contextmanager
def naming(what: str, file: str | Path) -> Generator[None]:
    """Prefix errors raised in the block with the name of the file."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{what} {shown(str(file))}: {error}") from None


def rules_of(game: Game, table: Mapping[str, Any], directory: Path | None = None) -> Asked:
    """Read a table of rules: the keys of the game's first table, its other tables by name, `apparatus` and `game`.

    A relative path of the apparatus starts at `directory`, if that is given.
    """
    named = check_table("rules", table).get(GAME, as_game(game).name)
    is_it = named == game.name or (registry.is_file("game", named) and _opened(named, directory).source == game.source)
    if not is_it:
        raise fault(GAME, named, f"{game.name}, which is to be played", "play that game, or give other rules")
    if directory is not None:
        as_path("directory", directory)
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


def game_of_rules(table: Mapping[str, Any], directory: Path | None, default: str) -> Game:
    """Return the game of a rules file: its key `game` is a name, or a path that starts at `directory`."""
    named: object = table.get(GAME, default)
    return _opened(cast("str", named), directory) if registry.is_file("game", named) else registry.get("game", named)


def _opened(file: str, directory: Path | None) -> Game:
    return registry.get("game", file if directory is None else str(directory / file))


# The answers


def outcome(request: DropRequest, model: DropModel) -> Outcome:
    """Throw, or knock and throw. Raises TooManyFailedDraws if every drop fails."""
    return throw(model, request.state or model.empty(), request.cubes, request.seed, request.knock)


def drop_document(request: DropRequest, landed: Outcome) -> dict[str, Any]:
    """Return the document that answers a request for a drop."""
    return landed.to_json(request.seed, request.colours)


def check(request: PlayRequest, apparatus: Apparatus, model: DropModel) -> None:
    """Check, before the first throw, that the game can be played with this apparatus and model."""
    game = request.played
    if game.board and not hasattr(model, "place"):
        raise fault("model", request.model, "one that knows a board", f'leave it out for "{PHYSICS}"')
    game.check(apparatus)
    game.ways.check(model, request.rules)


def turns(request: PlayRequest, model: DropModel, run: int | None = None) -> Iterator[Turn]:
    """Play one run of a checked request and yield its turns; `run` as in `Game.start`.

    Raises TooManyFailedDraws if every drop of a turn fails.
    """
    return to_its_end(request.played.start(model, request.rules, request.seed, run))


def to_its_end(played: Iterator[Turn]) -> Iterator[Turn]:
    """Yield the turns unchanged. Raises TooManyFailedDraws if the run ends with a failed turn."""
    for turn in played:
        if turn.failed is not None:
            raise turn.failed
        yield turn


def play_document(request: PlayRequest, played: Sequence[Turn], model: DropModel) -> dict[str, Any]:
    """Return the document that answers a request for a single run."""
    names = {"apparatus": model.apparatus, "model": model.name}
    return request.played.ways.document_of(played, request.rules, **names, seed=request.seed)


def no_odds(request: OddsRequest) -> ManyRuns:
    """Return the odds of a request before its first run."""
    many = request.one.played.ways.odds()
    assert many is not None  # the request has looked
    many.rules, many.seed = request.one.rules, request.one.seed
    return many


def fill(many: ManyRuns, request: OddsRequest, model: DropModel, tell: Callable[[int], None]) -> None:
    """Add every run to the odds and call `tell` with the number done. After an interrupt the finished runs count."""
    for run in range(request.runs):
        many.add(list(turns(request.one, model, run)))
        tell(run + 1)


def answer(
    request: Request, apparatus: Apparatus, model: DropModel, tell: Callable[[int], None] = lambda done: None
) -> dict[str, Any]:
    """Return the document that answers a request; call `tell` with the number of runs done.

    Raises TooManyFailedDraws if every drop of a turn fails.
    """
    if isinstance(request, DropRequest):
        return drop_document(request, outcome(request, model))
    check(request.one if isinstance(request, OddsRequest) else request, apparatus, model)
    if isinstance(request, PlayRequest):
        return play_document(request, list(turns(request, model)), model)
    many = no_odds(request)
    fill(many, request, model, tell)
    return many.document()
