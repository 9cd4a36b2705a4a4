"""The campaign file: what is run, how often and over which points, read from TOML into a frozen Spec."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import names
from tower_sim.apparatus.space import PREFIX, usual
from tower_sim.campaign.kinds import game_of, installed, kinds
from tower_sim.campaign.point import MAX_RECORDED, MAX_ROWS, Point, build, rows_of
from tower_sim.campaign.vary import DESIGNS, TOWER, Values, check_size, designed, fields_of, points, told
from tower_sim.errors import UsageError, check_kind, fault
from tower_sim.fields import refuse_unknown
from tower_sim.games.game import Game, game_seed
from tower_sim.models import BOARD_MODELS, MODELS
from tower_sim.physics.settings import read_settings
from tower_sim.progress import telling
from tower_sim.reading import as_path, json_value, read_text, toml_table
from tower_sim.state import MAX_SEED

SCHEMA = "tower-sim/campaign-spec"
VERSION = 1
_KIND = re.compile(r"[a-z][a-z0-9_]*")
_FIELDS = ("kind", "apparatus", "model", "seed", "runs", "shard", "profile", "settings", "design", "points")
FAST = 50  # times as many runs in a shard, nominally, where no bodies move: what takes as long must not be measured
RECORD = "record"  # a key that a spec's text has only where it is true
_ALWAYS = ("rules", "chain", "battle")  # tables that every spec's text has, empty where they are not its game's


@dataclass(frozen=True)
class Spec:
    """A campaign: `runs` runs of one `kind` at every design point, from the root `seed`, `shard` runs a shard.

    The `profile`, the `settings` and the game's `tables` are resolved: every default is in them and no path, so that a
    worker without the file can run it; `settings` are empty without physics. `points` holds the values of the varied
    fields at each point. Run r, counted over all points, is run r % `runs` of point r // `runs`, and draws only
    from SeedSequence(seed, spawn_key=(r, ...)). With `record` the dataset has a table of what every draw looked like.
    `shard_is_usual`: the file named no shard, so that a directory's own may take its place; it is not in the text.
    """

    kind: str
    apparatus: str
    model: str
    seed: int
    runs: int
    shard: int
    profile: Mapping[str, Any]
    settings: Mapping[str, Any]
    tables: Mapping[str, Mapping[str, Any]]
    design: str
    points: tuple[dict[str, Any], ...]
    record: bool = False
    shard_is_usual: bool = field(default=False, compare=False)

    @cached_property
    def canonical(self) -> str:
        """The spec as one line of JSON: the same text for the same campaign.

        Of the game's tables `rules`, `chain` and `battle` are always there, others where they are not empty; `record`
        is there where it is true.
        """
        always = {name: self.tables.get(name, {}) for name in _ALWAYS}
        more = {name: table for name, table in self.tables.items() if name not in _ALWAYS and table}
        document = {
            "schema": SCHEMA,
            "version": VERSION,
            "kind": self.kind,
            "apparatus": self.apparatus,
            "model": self.model,
            "seed": str(self.seed),
            "runs": self.runs,
            "shard": self.shard,
            "profile": self.profile,
            "rules": always["rules"],
            "settings": self.settings,
            "chain": always["chain"],
            "battle": always["battle"],
            "design": self.design,
            "points": self.points,
        }
        return canonical_json(document | more | ({RECORD: True} if self.record else {}))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of `canonical`, in hexadecimal."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @property
    def total(self) -> int:
        """The number of runs over all points."""
        return self.runs * len(self.points)

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.total // self.shard)

    def runs_of(self, index: int) -> range:
        """Return the numbers of the runs of shard `index`."""
        return range(index * self.shard, min((index + 1) * self.shard, self.total))

    @property
    def game(self) -> Game:
        """The game that is played; raises UsageError when it is not installed."""
        return game_of(self.kind).bound(self.tables)

    def game_seed(self, run: int) -> int:
        """Return the 128-bit seed of game `run`: `tower-sim play --seed` plays the same game with it."""
        return game_seed(self.seed, run)

    def point(self, number: int) -> Point:
        """Make design point `number`; raises UsageError, naming the point, for one that cannot be."""
        values = self.points[number]
        tables = {"profile": self.profile, "settings": self.settings, **self.tables}
        try:
            return build(self.game, self.apparatus, self.model, designed(tables, values))
        except UsageError as error:
            raise UsageError(f"point {number} ({told(values)}): {error}" if values else str(error)) from None

    @staticmethod
    def from_canonical(text: str) -> Spec:
        """Read `canonical` back. Raises UsageError for the text of another version, and for one that is no spec's."""
        plain: object = json_value(text, "the spec")
        table: dict[str, Any] = cast("dict[str, Any]", plain) if isinstance(plain, dict) else {}
        head = (table.pop("schema", None), table.pop("version", None))
        if head != (SCHEMA, VERSION):
            raise fault("schema and version of the spec", head, f"{(SCHEMA, VERSION)}", "use the version that made it")
        spec = _of_plain(table)
        if spec.canonical != text:
            raise fault("the spec", "written otherwise than ours", "what `canonical` gives", "use that")
        return spec


def canonical_json(document: Any) -> str:
    """Write a document as one line; tables keep their order, which is that of the sides and of the cubes' numbers."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def _of_plain(table: Mapping[str, Any]) -> Spec:
    """Make the spec of the fields of `canonical`; raises UsageError for what no spec has.

    Its points are not tried: that is `Spec.point`.
    """
    kind = table.get("kind")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise fault("spec.kind", kind, f"a word, such as {', '.join(kinds())}")
    game = installed(kind)
    own = [name for name in table if name not in (*_FIELDS, RECORD)] if game is None else [*game.tables]
    needed = dict.fromkeys([*_FIELDS, *_ALWAYS])
    refuse_unknown(table, needed | dict.fromkeys([*own, RECORD]), "spec")
    for key in needed:
        if key not in table:
            raise fault("keys of the spec", [*table], ", ".join(needed), "use what `canonical` gives")
    tables = {key: table.get(key, {}) for key in own}
    for key, inner in {"profile": table["profile"], "settings": table["settings"], **tables}.items():
        if not isinstance(inner, Mapping):
            raise fault(f"spec.{key}", inner, "a table")
    _word(table, "model", BOARD_MODELS if game and game.board else MODELS, None)
    _word(table, "design", ("", *DESIGNS), None)
    if table["model"] == "physics" and not isinstance(table["settings"].get("engine"), str):
        given = table["settings"].get("engine")
        raise fault("spec.settings.engine", given, "the name of an engine", "use what `canonical` gives")
    if not isinstance(table["apparatus"], str):
        raise fault("spec.apparatus", table["apparatus"], "a text")
    values: object = table["points"]
    if not isinstance(values, list) or not all(isinstance(point, dict) for point in cast("list[object]", values)):
        raise fault("spec.points", cast("object", values), "a list of tables")
    points = tuple(cast("list[dict[str, Any]]", values))
    check_size(len(points), table["runs"], table["shard"])
    head: dict[str, Any] = {key: table[key] for key in _FIELDS}
    plain: dict[str, Any] = {**head, "seed": _seed(table["seed"]), "points": points, "tables": tables}
    return Spec(**plain, record=_record(table, table["model"]))


def load(path: str | Path) -> Spec:
    """Read a campaign file; a relative apparatus path in it counts from the file's own directory.

    Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed; every
    point of the design is tried.
    """
    file = as_path("campaign file", path)
    text = read_text(file, "campaign file", advice="give a readable UTF-8 TOML file")
    try:
        return parse(text, file.parent)
    except UsageError as error:
        raise UsageError(f"campaign file {file}: {error}") from None


def parse(text: str, directory: Path = Path()) -> Spec:
    """Read the text of a campaign file that lies in `directory`; raises UsageError as `load` does."""
    check_kind("directory", directory, Path, "a Path", "write Path('...')")
    tables = toml_table(text, "the file")
    known_games = kinds().values()
    heads = ["kind", "apparatus", "model", "seed", *(game.runs for game in known_games), "shard", RECORD]
    inner = ["campaign", *(name for game in known_games for name in game.tables), "settings", "vary"]
    for name, table in tables.items():
        if name in heads:
            raise fault(name, table, "a key of [campaign]", f"write [campaign] on a line above {name} = ...")
        if name in inner and not isinstance(table, Mapping):
            raise fault(name, table, "a table", f"write it as [{name}]")
    head: Mapping[str, Any] = tables.get("campaign", {})
    game = game_of(head.get("kind"), directory).bound(tables)
    refuse_unknown(tables, dict.fromkeys(["campaign", *game.tables, "settings", "vary"]), "file")
    refuse_unknown(head, dict.fromkeys(["kind", "apparatus", "model", "seed", game.runs, "shard", RECORD]), "campaign")
    model = _word(head, "model", BOARD_MODELS if game.board else MODELS, "physics")
    if model != "physics" and "settings" in tables:
        raise fault("table", "settings", f"none: the model {model!r} has no settings", "remove it")
    record = _record(head, model)
    runs, shard = head.get(game.runs), head.get("shard", game.shard)
    of_time = game.shard * (1 if model == "physics" else FAST)
    check_size(1, runs, head.get("shard", of_time), game.runs)
    seed = _seed(head.get("seed"))
    name, profile = _profile(head.get("apparatus", game.apparatus or None), directory)
    vary: Mapping[str, Any] = tables.get("vary", {})
    resolved = game.resolved({key: tables.get(key, {}) for key in game.tables}, fields_of(vary))
    own = {key: resolved.get(key, {}) for key in game.tables}
    if own.get("knocks") and model != "physics":
        allowed = f"none: the model {model!r} knows no knocks"
        raise fault("table", "knocks", allowed, 'remove it, or write model = "physics"')
    settings = read_settings(tables.get("settings", {})).table() if model == "physics" else {}
    base = {"profile": profile, "settings": settings, TOWER: usual(), **own}
    design, values = points(vary, base, seed)
    check_size(len(values), runs, head.get("shard", of_time), game.runs)
    _check_varied(values[0], model, game)
    spec = Spec(game.kind, name, model, seed, cast("int", runs), shard, profile, settings, own, design, values, record)
    most, largest = MAX_RECORDED if record else MAX_ROWS, 1
    with telling("design points tried", len(values)) as tell:
        for number in range(len(values)):
            of_run = rows_of(spec.point(number))
            rows = of_run * min(spec.shard, spec.total)
            if rows > most:
                raise fault("rows of a shard", rows, f"up to {most}", "write a smaller campaign.shard")
            largest = max(largest, of_run)
            tell(number + 1)
    if "shard" in head:
        return spec
    fitting = max(spec.shard, min(of_time, most // largest))
    check_size(len(values), runs, fitting, game.runs)
    return replace(spec, shard=fitting, shard_is_usual=True)


def _word(table: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str | None) -> str:
    value = table.get(key, default)
    if value not in allowed:
        raise fault(f"campaign.{key}", value, f"one of {', '.join(allowed)}", f'write {key} = "{allowed[0]}"')
    return value


def _record(table: Mapping[str, Any], model: str) -> bool:
    value = table.get(RECORD, False)
    if not isinstance(value, bool):
        raise fault(f"campaign.{RECORD}", value, "true or false", f"write {RECORD} = true")
    if value and model != "physics":
        allowed = f"false: the model {model!r} has no cubes that fall"
        raise fault(f"campaign.{RECORD}", value, allowed, 'remove it, or write model = "physics"')
    return value


def _seed(value: object) -> int:
    allowed = "text of a whole number from 0 to 2^128 - 1, decimal or hexadecimal after 0x"
    try:
        seed = int(value, 16 if value.startswith("0x") else 10) if isinstance(value, str) else -1
    except ValueError:
        seed = -1
    if not 0 <= seed <= MAX_SEED:
        raise fault("campaign.seed", value, allowed, 'write seed = "7"')
    return seed


def _profile(value: object, directory: Path) -> tuple[str, dict[str, Any]]:
    if not isinstance(value, str):
        raise fault("campaign.apparatus", value, f"one of {', '.join(names())} or the path of a TOML file")
    apparatus = load_apparatus(value if value in names() else directory / value)
    return apparatus.name, _sorted(apparatus.profile)


def _sorted(value: Any) -> Any:
    """Return a copy with the keys of every table sorted: their order means nothing in a profile."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        return {key: _sorted(table[key]) for key in sorted(table)}
    return [_sorted(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _check_varied(values: Values, model: str, game: Game) -> None:
    """Refuse to vary what the model does not look at: all points would be the same tower."""
    for name in values:
        if model == "two_thirds" and name.startswith(("profile.", PREFIX)):
            allowed = f"a field of {game.tables[0]}: the model 'two_thirds' is the same for every tower"
            raise fault("a field of vary.fields", name, allowed, 'write model = "physics", or do not vary it')
