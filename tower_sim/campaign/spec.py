"""The campaign file: what is run, how often and over which points, read from TOML into a frozen Spec."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import names
from tower_sim.apparatus.fields import refuse_unknown
from tower_sim.campaign.point import Chain, Point, build, read_abilities, read_fields, read_settings
from tower_sim.campaign.vary import applied, check_size, fields_of, points, told
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.games.amerigo import Rules
from tower_sim.games.rulings import Rulings
from tower_sim.games.sides import read_side, side_words
from tower_sim.models import BOARD_MODELS, MODELS

SCHEMA = "tower-sim/campaign-spec"
VERSION = 1
MAX_SEED = 2**128 - 1
RUNS = {"game": "games", "chain": "chains", "battle": "battles"}
SHARD = {"game": 10, "chain": 10, "battle": 300}  # runs that take some tens of seconds
_TABLE_OF = {"game": "rules", "chain": "chain", "battle": "battle"}
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

    @cached_property
    def canonical(self) -> str:
        """The spec as one line of JSON: the same text for the same campaign."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
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
        tables = {name: getattr(self, name) for name in ("profile", "rules", "settings", "chain", "battle")}
        try:
            return build(self.kind, self.apparatus, self.model, applied(tables, values))
        except UsageError as error:
            raise UsageError(f"point {number} ({told(values)}): {error}" if values else str(error)) from None

    @staticmethod
    def from_canonical(text: str) -> Spec:
        """Read `canonical` back. Raises UsageError for the text of another version."""
        plain = json.loads(text)
        head = (plain.pop("schema", None), plain.pop("version", None))
        if head != (SCHEMA, VERSION):
            raise fault("schema and version of the spec", head, f"{(SCHEMA, VERSION)}", "use the version that made it")
        return Spec(**plain | {"seed": int(plain["seed"]), "points": tuple(plain["points"])})


def canonical_json(document: Any) -> str:
    """Write a document as one line; tables keep their order, which is that of the sides and of the cubes' numbers."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def load(path: str | Path) -> Spec:
    """Read a campaign file; a relative apparatus path in it counts from the file's own directory.

    Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed; every
    point of the design is tried.
    """
    file = Path(path)
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"campaign file {file} cannot be read ({error}); give a readable UTF-8 TOML file") from error
    try:
        return parse(text, file.parent)
    except UsageError as error:
        raise UsageError(f"campaign file {file}: {error}") from None


def parse(text: str, directory: Path = Path()) -> Spec:
    """Read the text of a campaign file that lies in `directory`; raises UsageError as `load` does."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML ({error}); correct the line") from error
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise fault(name, table, "a table", f"write it as [{name}]")
    head: Mapping[str, Any] = tables.get("campaign", {})
    kind = _word(head, "kind", tuple(RUNS), None)
    known = ["campaign", _TABLE_OF[kind], "settings", "vary"]
    refuse_unknown(tables, dict.fromkeys(known), "file")
    refuse_unknown(head, dict.fromkeys(["kind", "apparatus", "model", "seed", RUNS[kind], "shard"]), "campaign")
    model = _word(head, "model", BOARD_MODELS if kind == "battle" else MODELS, "physics")
    if model != "physics" and "settings" in tables:
        raise fault("table", "settings", f"none: the model {model!r} has no settings", "remove it")
    runs, shard = head.get(RUNS[kind]), head.get("shard", SHARD[kind])
    check_whole(f"campaign.{RUNS[kind]}", runs, 1)
    check_whole("campaign.shard", shard, 1)
    seed = _seed(head.get("seed"))
    name, profile = _profile(head.get("apparatus"), directory)
    base = {
        "profile": profile,
        "rules": _rules(tables.get("rules", {})) if kind == "game" else {},
        "settings": asdict(read_settings(tables.get("settings", {}))) if model == "physics" else {},
        "chain": _chain(tables) if kind == "chain" else {},
        "battle": _battle(tables.get("battle", {})) if kind == "battle" else {},
    }
    design, values = points(tables.get("vary", {}), base, seed)
    check_size(len(values), cast("int", runs))
    spec = Spec(kind, name, model, seed, cast("int", runs), shard, **base, design=design, points=values)
    for number in range(len(values)):
        spec.point(number)
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
    return plain


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
