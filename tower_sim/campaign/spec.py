"""The games that a campaign can play: registered games, and games in Python files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, PlainSerializer, create_model, model_validator

from tower_sim.apparatus import Apparatus, from_tables, names
from tower_sim.apparatus import load as load_apparatus
from tower_sim.campaign.vary import MAX_POINTS, apply_values, describe, list_fields, points
from tower_sim.documents import Document, read, refuse_unknown
from tower_sim.errors import UsageError, check_table, fault, quote
from tower_sim.games import Game, check_knocks
from tower_sim.models import BOARD_MODELS, MODELS, Model, open_model
from tower_sim.physics import PhysicsSettings, read_settings
from tower_sim.requests import read_rules
from tower_sim.surrogate import SurrogateModel, shipped
from tower_sim.tools import (
    CAMPAIGN,
    as_path,
    json_value,
    read_text,
    refuse_other,
    registry,
    report_progress,
    toml_table,
)
from tower_sim.values import MAX_SEED


def find_game(kind: str, code: Mapping[str, Any] | None = None) -> Game | None:
    """Return the game of a `kind`, if any, or run the game whose Python `file` and `text` are in `code`.

    Raises UsageError for a file without a game.
    """
    if code:
        from tower_sim.games import run_game_file as game_in

        return game_in(str(code.get("text")), str(code.get("file")))
    return next((game for game in every_game() if game.kind == kind), None)


def open_game(name: object, directory: str | Path = "") -> Game:
    """Return a game by its name or by the path of its file, which is relative to `directory`."""
    if isinstance(name, str) and registry.is_file("game", name):
        return cast("Game", registry.get("game", str(Path(directory, name))))
    known = registry.names("game")
    if not isinstance(name, str) or name not in known:
        allowed = f"one of {', '.join(known)} or the path of a game's Python file"
        raise fault("campaign.game", name, allowed, f'write game = "{known[0]}"')
    return cast("Game", registry.get("game", name))


def every_game() -> Iterator[Game]:
    """Yield the registered games that can be loaded, those of this package first, each loaded only when needed."""
    for name in registry.names("game"):
        with suppress(UsageError):  # a package that cannot be loaded
            yield registry.get("game", name)


MAX_ROWS = 5_000_000  # of a shard's table of cubes, which takes a worker about 1 GB


@dataclass(frozen=True, slots=True)
class Point:
    """Everything that a shard needs to play a design point."""

    apparatus: Apparatus
    model: str
    settings: PhysicsSettings
    game: Game
    rules: Any

    def open_model(self) -> Model:
        """Return the model as a context manager."""
        return open_model(self.apparatus, self.model, self.settings)

    @property
    def model_digest(self) -> str | None:
        """The digest of physics settings or of a surrogate's law; None for other models."""
        if self.model == "physics":
            return self.settings.digest()
        return shipped(self.apparatus.name, self.apparatus.digest).digest if self.model == "surrogate" else None


def build(game: Game, name: str, model: str, tables: Mapping[str, Any]) -> Point:
    """Return a design point from its resolved tables: `profile`, `settings` and the tables of `game`.

    Raises UsageError for wrong values, an apparatus that does not fit the game, or one without a shipped surrogate.
    """
    apparatus = from_tables(tables["profile"], name)
    rules = game.read({key: tables[key] for key in game.tables})
    knocks = game.knocks(rules)
    if knocks and model == "two_thirds":
        allowed = f"none: the model {model!r} knows no knocks"
        raise fault(f"{game.tables[0]}.knocks", knocks, allowed, 'remove them, or write model = "physics"')
    if model == "surrogate":
        fitted = shipped(apparatus.name, apparatus.digest, 'write model = "physics"')
        if knocks:
            check_knocks(SurrogateModel(apparatus, fitted), knocks)
    game.check(apparatus)
    return Point(apparatus, model, read_settings(tables["settings"]), game, rules)


def count_rows(point: Point) -> int:
    """Return about how many rows a run adds to the table of cubes, or an upper bound."""
    return point.game.turns(point.rules) * point.game.most_cubes(point.rules)


SCHEMA = "tower-sim/campaign-spec"
VERSION = 1
FAST = 50  # factor on the runs in a shard without physics; a constant, since measured times would change the digest
MAX_RUNS = 2**31  # runs are numbered by int32
MAX_SHARDS = 20_000  # each has two to four files
_ALWAYS = ("rules", "settings", "chain", "battle")  # tables in the text of every spec, even if empty


def _seed(value: object) -> int:
    if not isinstance(value, str) or not 0 <= (seed := int(value, 16 if value.startswith("0x") else 10)) <= MAX_SEED:
        raise ValueError
    return seed


Seed = Annotated[int, BeforeValidator(_seed), PlainSerializer(str)]
_SEED: Any = Field(
    description="The root seed.",
    json_schema_extra={"allowed": "text of a whole number from 0 to 2^128 - 1, decimal or hexadecimal after 0x"},
)


class Spec(Document, frozen=True, extra="allow"):
    """A campaign: `runs` runs of one `kind` of game at each design point, `shard` of them in a shard, from `seed`.

    The tables include all defaults and no paths. `points` has the values of the varied fields. Run r, counted over all
    points, is run r % `runs` of point r // `runs`, and draws only from SeedSequence(seed, spawn_key=(r, ...)). `code`
    has the Python file of a game that is in no package.
    """

    kind: str = Field(pattern="^[a-z][a-z0-9_]*$")
    apparatus: str
    model: Literal["physics", "surrogate", "two_thirds"]
    seed: Seed = _SEED
    runs: int = Field(ge=1, le=MAX_RUNS - 1)
    shard: int = Field(ge=1)
    profile: dict[str, Any]
    rules: dict[str, Any] = Field({})
    settings: dict[str, Any] = Field({})
    chain: dict[str, Any] = Field({})
    battle: dict[str, Any] = Field({})
    design: Literal["", "grid", "list", "latin_hypercube", "sobol"] = ""
    points: tuple[dict[str, Any], ...] = Field(({},), strict=False, min_length=1, max_length=MAX_POINTS)
    code: dict[str, str] = Field({})

    @model_validator(mode="after")
    def _check_size(self) -> Spec:
        if self.total >= MAX_RUNS:
            what, allowed = f"number of runs at {len(self.points)} points", f"fewer than {MAX_RUNS} in all"
            raise fault(what, self.total, allowed, "ask for fewer, or run two campaigns")
        if self.shards > MAX_SHARDS:
            raise fault("number of shards", self.shards, f"up to {MAX_SHARDS}", "write a larger campaign.shard")
        if self.model == "physics" and not isinstance(engine := self.settings.get("engine"), str):
            raise fault("spec.settings.engine", engine, "the name of an engine", "use what `canonical` gives")
        for name, table in (self.model_extra or {}).items():
            check_table(f"spec.{name}", table)
        return self

    @property
    def plain(self) -> dict[str, Any]:
        """The spec for JSON, without empty fields that only some specs have."""
        dump = self.model_dump()
        always = (*Spec.model_fields, *_ALWAYS)
        kept = {key: value for key, value in dump.items() if value or (key in always and key != "code")}
        return {"schema": SCHEMA, "version": VERSION, **kept}

    @property
    def canonical(self) -> str:
        """The spec as one line of JSON; equal campaigns have equal text."""
        return canonical_json(self.plain)

    @property
    def digest(self) -> str:
        """The SHA-256 of `canonical` in hexadecimal."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @property
    def family(self) -> str:
        """The digest of the spec without its number of runs."""
        return hashlib.sha256(canonical_json(self.plain | {"runs": None}).encode()).hexdigest()

    @property
    def total(self) -> int:
        """The number of runs over all points."""
        return self.runs * len(self.points)

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.total // self.shard)

    def runs_of(self, index: int) -> range:
        """Return the numbers of the runs in shard `index`."""
        return range(index * self.shard, min((index + 1) * self.shard, self.total))

    @property
    def game(self) -> Game:
        """The game of this kind; raises UsageError if it is not installed."""
        game = find_game(self.kind, self.code)
        if game is None:
            known = ", ".join(each.kind for each in every_game())
            raise fault("spec.kind", self.kind, f"the kind of a game that is installed: {known}", "install its package")
        return game

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """The tables of the game, by name."""
        return {name: getattr(self, name, {}) for name in self.game.tables}

    def point(self, number: int) -> Point:
        """Return a design point; raises UsageError for values that are not allowed."""
        values = self.points[number]
        tables = {"profile": self.profile, "settings": self.settings, **self.tables}
        try:
            return build(self.game, self.apparatus, self.model, apply_values(tables, values))
        except UsageError as error:
            raise UsageError(f"point {number} ({describe(values)}): {error}" if values else str(error)) from None

    @staticmethod
    def of(table: Mapping[str, Any]) -> Spec:
        """Return the spec for a document such as `plain`."""
        head, fields = (table.get("schema"), table.get("version")), dict(table)
        if head != (SCHEMA, VERSION):
            raise fault("schema and version of the spec", head, f"{(SCHEMA, VERSION)}", "use the version that made it")
        del fields["schema"], fields["version"]
        return read(Spec, fields, "spec")

    @staticmethod
    def from_canonical(text: str) -> Spec:
        """Restore a spec from the text of `canonical`; raises UsageError for any other text."""
        spec = Spec.of(check_table("the spec", json_value(text, "the spec")))
        if spec.canonical != text:
            raise fault("the spec", "written otherwise than ours", "what `canonical` gives", "use that")
        return spec


def canonical_json(document: Any) -> str:
    """Return a document as one line of JSON. Tables keep their order: that of sides and colours matters."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def load(path: str | Path) -> Spec:
    """Read a campaign file and check each point of its design.

    Args:
        path: A TOML file; paths in it are relative to its directory.

    Returns:
        The campaign; `parse` has an example.
    """
    file = as_path("campaign file", path)
    text = read_text(file, "campaign file", advice="give a readable UTF-8 TOML file")
    refuse_other(text, f"campaign file {quote(str(file))}", CAMPAIGN)
    try:
        return parse(text, file.parent)
    except UsageError as error:
        raise UsageError(f"campaign file {file}: {error}") from None


def parse(text: str, directory: str | Path = "") -> Spec:
    r"""Read the text of a campaign file.

    Args:
        text: TOML.
        directory: Where paths in the text start.

    Returns:
        The campaign.

    >>> spec = parse('[campaign]\ngame = "amerigo"\nseed = "7"\ngames = 8\nshard = 4')
    >>> print(spec.model, spec.total, spec.shards)
    physics 8 2
    """
    directory = as_path("directory", directory)
    tables = toml_table(text, "the file")
    table = check_table("campaign", tables.get("campaign"), "write [campaign] above its keys")
    game = open_game(table.get("game"), directory)
    tables, table = _with_rules(game, tables, table, directory)
    refuse_unknown(tables, dict.fromkeys(["campaign", *game.tables, "settings", "vary"]), "file")
    for name, inner in tables.items():
        check_table(name, inner, f"write it as [{name}]")
    head: Any = read(_head(game), table, "campaign")
    if head.model != "physics" and "settings" in tables:
        raise fault("table", "settings", f"none: the model {head.model!r} has no settings", "remove it")
    apparatus = load_apparatus(head.apparatus if head.apparatus in names() else directory / head.apparatus)
    profile = cast("dict[str, Any]", _sort_keys(apparatus.profile))
    vary: Mapping[str, Any] = tables.get("vary", {})
    settings = read_settings(tables.get("settings", {}), apparatus.accuracy).table() if head.model == "physics" else {}
    own = game.resolved({name: tables.get(name, {}) for name in game.tables}, list_fields(vary))
    design, values = points(vary, {"profile": profile, "settings": settings, **own}, head.seed)
    varied = next((name for name in values[0] if name.startswith("profile.")), None)
    if head.model == "two_thirds" and varied:
        allowed = f"a field of {game.tables[0]}: the model 'two_thirds' is the same for every tower"
        raise fault("a field of vary.fields", varied, allowed, 'write model = "physics", or do not vary it')
    fields = {
        "kind": game.kind, "apparatus": apparatus.name, "model": head.model, "seed": str(head.seed),
        "runs": getattr(head, game.runs), "profile": profile, "settings": settings, **own, "design": design,
        "points": values,
        "code": {"file": Path(game.file).name, "text": game.source} if game.source else {},
    }  # fmt: skip
    of_time = game.shard * (1 if head.model == "physics" else FAST)
    spec = read(Spec, fields | {"shard": head.shard or of_time}, "spec")
    largest = 1
    with report_progress("design points tried", len(values)) as tell:
        for number in range(len(values)):
            largest = max(largest, count_rows(spec.point(number)))
            tell(number + 1)
    shard = head.shard or max(game.shard, min(of_time, MAX_ROWS // largest))
    if (rows := largest * min(shard, spec.total)) > MAX_ROWS:
        raise fault("rows of a shard", rows, f"up to {MAX_ROWS}", "write a smaller campaign.shard")
    return read(Spec, fields | {"shard": shard}, "spec")


def _with_rules(
    game: Game, tables: dict[str, Any], table: dict[str, Any], directory: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    file = table.get("rules")
    if not isinstance(file, str):
        return tables, table
    if both := next((name for name in game.tables if name in tables), None):
        raise fault("table", both, "none beside campaign.rules", f"write it into {quote(file)}")
    asked = read_rules(game, directory / file)
    named = {"apparatus": asked.apparatus if asked.apparatus in names() else str(Path(asked.apparatus).absolute())}
    return {**tables, **game.plain(asked.rules)}, {**(named if asked.apparatus else {}), **table}


def _head(game: Game) -> type[Document]:
    model: Any = Literal[BOARD_MODELS if game.board else MODELS]
    known = f"one of {', '.join(names())} or the path of a TOML file"
    fields: dict[str, Any] = {
        "game": (str, ...),
        "apparatus": (str, Field(game.apparatus or ..., json_schema_extra={"allowed": known})),
        "rules": (str, Field("", description="A rules file, instead of the tables of the game.")),
        "model": (model, "physics"),
        "seed": (Seed, _SEED),
        game.runs: (int, Field(ge=1, le=MAX_RUNS - 1)),
        "shard": (int | None, Field(None, ge=1)),
    }
    return create_model("Head", __base__=Document, **fields)


def _sort_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        return {key: _sort_keys(table[key]) for key in sorted(table)}
    return [_sort_keys(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value
