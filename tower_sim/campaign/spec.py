"""The campaign file: what is run, how often and over which points, read from TOML into a frozen Spec."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import names
from tower_sim.apparatus.fields import refuse_unknown
from tower_sim.campaign.point import (
    MAX_ROWS,
    Chain,
    Point,
    build,
    read_abilities,
    read_fields,
    read_settings,
    rows_of,
)
from tower_sim.campaign.vary import DESIGNS, Values, applied, check_size, fields_of, points, told
from tower_sim.errors import UsageError, fault
from tower_sim.games.amerigo import Rules
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import read_side, side_words
from tower_sim.models import BOARD_MODELS, MODELS
from tower_sim.progress import telling
from tower_sim.reading import json_value, read_text, toml_table
from tower_sim.state import MAX_SEED

SCHEMA = "tower-sim/campaign-spec"
VERSION = 1
RUNS = {"game": "games", "chain": "chains", "battle": "battles"}
SHARD = {"game": 10, "chain": 10, "battle": 300}  # runs that take some tens of seconds
_TABLE_OF = {"game": "rules", "chain": "chain", "battle": "battle"}
_HEAD = ("kind", "apparatus", "model", "seed", *RUNS.values(), "shard")
_TABLES = ("campaign", *_TABLE_OF.values(), "knocks", "settings", "vary")
_POLICY_OF = {"throw": "fixed", "most": "uniform"}


def game_seed(root: int, game: int) -> int:
    """Return the 128-bit seed of game `game` of the root seed `root`: 32 bits a word of its own SeedSequence."""
    words = np.random.SeedSequence(root, spawn_key=(game,)).generate_state(4, np.uint32)
    return sum(int(word) << (32 * i) for i, word in enumerate(words))


@dataclass(frozen=True)
class Spec:
    """A campaign: `runs` runs of one `kind` at every design point, from the root `seed`, `shard` runs a shard.

    The tables are resolved: every default is in them and no path, so that a worker without the file can run it.
    `points` holds the values of the varied fields at each point. Run r, counted over all points, is run r % `runs` of
    point r // `runs`, and draws only from SeedSequence(seed, spawn_key=(r, ...)).
    """

    kind: str
    apparatus: str
    model: str
    seed: int
    runs: int
    shard: int
    profile: Mapping[str, Any]
    rules: Mapping[str, Any]
    settings: Mapping[str, Any]
    chain: Mapping[str, Any]
    battle: Mapping[str, Any]
    design: str
    points: tuple[dict[str, Any], ...]
    knocks: Mapping[str, float] = field(default_factory=dict[str, float])

    @cached_property
    def canonical(self) -> str:
        """The spec as one line of JSON: the same text for the same campaign."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        if not self.knocks:  # so that specs of before there were any keep their digests
            del plain["knocks"]
        return canonical_json({"schema": SCHEMA, "version": VERSION} | plain | {"seed": str(self.seed)})

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

    def game_seed(self, run: int) -> int:
        """Return the 128-bit seed of game `run`: `tower-sim play amerigo --seed` plays the same game with it."""
        return game_seed(self.seed, run)

    def point(self, number: int) -> Point:
        """Make design point `number`; raises UsageError, naming the point, for one that cannot be."""
        values = self.points[number]
        tables = {name: getattr(self, name) for name in ("profile", "rules", "settings", "chain", "battle", "knocks")}
        try:
            return build(self.kind, self.apparatus, self.model, applied(tables, values))
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
    table = {"knocks": {}, **table}  # left out where there are none
    refuse_unknown(table, known := dict.fromkeys(each.name for each in fields(Spec)), "spec")
    for key in known:
        if key not in table:
            raise fault("keys of the spec", [*table], ", ".join(known), "use what `canonical` gives")
    for key in ("profile", "rules", "settings", "chain", "battle", "knocks"):
        if not isinstance(table[key], Mapping):
            raise fault(f"spec.{key}", table[key], "a table")
    kind = _word(table, "kind", tuple(RUNS), None)
    _word(table, "model", BOARD_MODELS if kind == "battle" else MODELS, None)
    _word(table, "design", ("", *DESIGNS), None)
    if not isinstance(table["apparatus"], str):
        raise fault("spec.apparatus", table["apparatus"], "a text")
    values: object = table["points"]
    if not isinstance(values, list) or not all(isinstance(each, dict) for each in cast("list[object]", values)):
        raise fault("spec.points", cast("object", values), "a list of tables")
    points = tuple(cast("list[dict[str, Any]]", values))
    check_size(len(points), table["runs"], table["shard"])
    plain: dict[str, Any] = {**table, "seed": _seed(table["seed"]), "points": points}
    return Spec(**plain)


def load(path: str | Path) -> Spec:
    """Read a campaign file; a relative apparatus path in it counts from the file's own directory.

    Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed; every
    point of the design is tried.
    """
    file = Path(path)
    text = read_text(file, "campaign file", advice="give a readable UTF-8 TOML file")
    try:
        return parse(text, file.parent)
    except UsageError as error:
        raise UsageError(f"campaign file {file}: {error}") from None


def parse(text: str, directory: Path = Path()) -> Spec:
    """Read the text of a campaign file that lies in `directory`; raises UsageError as `load` does."""
    tables = toml_table(text, "the file")
    for name, table in tables.items():
        if name in _HEAD:
            raise fault(name, table, "a key of [campaign]", f"write [campaign] on a line above {name} = ...")
        if name in _TABLES and not isinstance(table, Mapping):
            raise fault(name, table, "a table", f"write it as [{name}]")
    head: Mapping[str, Any] = tables.get("campaign", {})
    kind = _word(head, "kind", tuple(RUNS), None)
    known = ["campaign", _TABLE_OF[kind], *(["knocks"] if kind == "game" else []), "settings", "vary"]
    refuse_unknown(tables, dict.fromkeys(known), "file")
    refuse_unknown(head, dict.fromkeys(["kind", "apparatus", "model", "seed", RUNS[kind], "shard"]), "campaign")
    model = _word(head, "model", BOARD_MODELS if kind == "battle" else MODELS, "physics")
    if model != "physics" and "settings" in tables:
        raise fault("table", "settings", f"none: the model {model!r} has no settings", "remove it")
    runs, shard = head.get(RUNS[kind]), head.get("shard", SHARD[kind])
    check_size(1, runs, shard, RUNS[kind])
    seed = _seed(head.get("seed"))
    name, profile = _profile(head.get("apparatus"), directory)
    base: dict[str, dict[str, Any]] = {
        "profile": profile,
        "rules": _rules(tables.get("rules", {})) if kind == "game" else {},
        "settings": read_settings(tables.get("settings", {})).table() if model == "physics" else {},
        "chain": _chain(tables) if kind == "chain" else {},
        "battle": _battle(tables.get("battle", {})) if kind == "battle" else {},
    }
    base["knocks"] = _knocks(tables.get("knocks", {}), model)
    design, values = points(tables.get("vary", {}), base, seed)
    check_size(len(values), runs, shard, RUNS[kind])
    _check_varied(values[0], model)
    spec = Spec(kind, name, model, seed, cast("int", runs), shard, **base, design=design, points=values)
    with telling("design points tried", len(values)) as tell:
        for number in range(len(values)):
            rows = rows_of(spec.point(number)) * min(spec.shard, spec.total)
            if rows > MAX_ROWS:
                raise fault("rows of a shard", rows, f"up to {MAX_ROWS}", "write a smaller campaign.shard")
            tell(number + 1)
    return spec


def _word(table: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str | None) -> str:
    value = table.get(key, default)
    if value not in allowed:
        raise fault(f"campaign.{key}", value, f"one of {', '.join(allowed)}", f'write {key} = "{allowed[0]}"')
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


def _rules(table: Mapping[str, Any]) -> dict[str, Any]:
    rules: Rules = read_fields(Rules, table, "rules")
    plain: dict[str, Any] = json.loads(json.dumps(asdict(rules)))  # lists for tuples, as TOML has them
    if rules.rulings == Rules().rulings:  # so that specs of before there were any keep their digests
        del plain["rulings"]
    return plain


def _knocks(table: Mapping[str, Any], model: str) -> dict[str, Any]:
    if table and model != "physics":
        raise fault(
            "table", "knocks", f"none: the model {model!r} knows no knocks", 'remove it, or write model = "physics"'
        )
    return {str(drop): table[drop] for drop in table}


def _check_varied(values: Values, model: str) -> None:
    """Refuse to vary what the model does not look at: all points would be the same tower."""
    for field_ in values:
        if model == "two_thirds" and field_.startswith("profile."):
            allowed = "a field of rules or chain: the model 'two_thirds' is the same for every tower"
            raise fault("a field of vary.fields", field_, allowed, 'write model = "physics", or do not vary it')


def _chain(tables: Mapping[str, Any]) -> dict[str, Any]:
    table: Mapping[str, Any] = tables.get("chain", {})
    chain: Chain = read_fields(Chain, table, "chain")
    varied = fields_of(tables.get("vary", {}))
    for key, policy in _POLICY_OF.items():
        used = key in table or f"chain.{key}" in varied
        if used and chain.policy != policy and "chain.policy" not in varied:
            raise fault("policy of the chain", chain.policy, f"{policy} with chain.{key}", f"remove {key}")
    return asdict(chain)


def _battle(table: Mapping[str, Any]) -> dict[str, Any]:
    refuse_unknown(
        table, dict.fromkeys(["cubes", "combat", "active", "sides", "provoked", "abilities", "rulings"]), "battle"
    )
    cubes, sides, abilities, rulings = (
        _table(table, key, example)
        for key, example in (
            ("cubes", "{ purple = 6, green = 3 }"),
            ("sides", "{ green = { supply = 20, island = 2, damage = 1, pirate = true } }"),
            ("abilities", '{ green = ["throw:2"] }'),
            ("rulings", '{ two_zones = "nearest" }'),
        )
    )
    refuse_unknown(abilities, cubes, "battle.abilities")
    refuse_unknown(sides, cubes, "battle.sides")
    # What most battles do not have is left out, so that the digests of older campaigns stay theirs.
    said = {"sides": {colour: side_words(read_side(colour, 0, sides[colour])) for colour in sides}}
    return {
        "cubes": dict(cubes),
        "combat": table.get("combat", "ship"),
        "active": table.get("active", ""),
        "abilities": {
            colour: [ability.text for ability in read_abilities(abilities.get(colour, []), colour)] for colour in cubes
        },
        "rulings": dict(Rulings.from_mapping(rulings).choices),
        **(said if sides else {}),
        **({} if table.get("provoked", False) is False else {"provoked": table["provoked"]}),
    }


def _table(table: Mapping[str, Any], key: str, example: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise fault(f"battle.{key}", value, "a table", f"write {key} = {example}")
    return cast("Mapping[str, Any]", value)
