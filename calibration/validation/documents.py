"""Write docs/documents.md, every key of profiles, settings, rules, requests and answers and every column of a campaign.

python -m calibration.validation.documents
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from calibration.validation.script import ROOT, script
from tower_sim.apparatus.amerigo import AmerigoTower
from tower_sim.apparatus.combat_ship.profile import ShipAndBoard
from tower_sim.apparatus.mesh.profile import MeshTable
from tower_sim.apparatus.wallenstein import Given
from tower_sim.campaign import list_tables
from tower_sim.campaign.tables import CUBES, DROPS
from tower_sim.documents import ChancesAnswer, ThrowAnswer, describe_allowed
from tower_sim.documents.typed import iter_fields
from tower_sim.physics import PhysicsSettings
from tower_sim.physics.settings import NUMBERS
from tower_sim.requests import Odds, Play, Throw
from tower_sim.tools import registry, write

PAGE = ROOT / "docs/documents.md"
HEAD = """# Keys of documents

This page lists the keys of profiles, of the table `[settings]`, of rules of games, of [requests](http.md) and of
[answers](http.md#documents), and the columns of campaigns. The models that read them are
its source; `python -m calibration.validation.documents` writes it. A key that ends in a unit is in that unit. A key
without a default must be given.

In answers `NAME` stands for any name, such as a colour. A *Mean* has `n`, `mean` and `interval`, a *Share* `n`,
`count`, `share` and `interval`, an *Estimate* `value`, `low`, `high` and `confidence`. Intervals are of 95 %.
"""
KINDS: dict[str, type[BaseModel]] = {
    "amerigo_tower": AmerigoTower,
    "combat_ship": ShipAndBoard,
    "mesh_tower": MeshTable,
    "wallenstein_tower": Given,
}
EXAMPLE = "push_your_luck"  # a game of the usual form: each has answers like its own
FIGURES = {"Mean": "Mean", "Share": "Share", "EstimateAnswer": "Estimate"}
TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}


def page() -> str:
    """Return the page."""
    games = {name: registry.get("game", name) for name in registry.names("game")}
    parts = [HEAD]
    profiles = {f"Profile: {name}": [_row(*field) for field in iter_fields(kind)] for name, kind in KINDS.items()}
    parts += [_part(title, "key", rows) for title, rows in _once("Profile: every kind", profiles).items()]
    parts.append(_part("Settings", "key", _settings(), tuple(NUMBERS)))
    for name, game in games.items():
        rules: object = game.Rules
        if isinstance(rules, type) and issubclass(rules, BaseModel):
            parts.append(_part(f"Rules: {name}", "key", (_row(key, field) for key, field in iter_fields(rules))))
    for kind in (Throw, Play, Odds):
        parts.append(_part(f"Request: {kind.do}", "field", (_row(key, field) for key, field in iter_fields(kind))))
    for kind in (
        ThrowAnswer,
        ChancesAnswer,
        *games["amerigo"].ways.types()[:1],
        *games["dead_reckoning"].ways.types(),
        *games[EXAMPLE].ways.types(),
    ):
        schema = TypeAdapter(kind).json_schema()
        name = schema["properties"]["schema"]["const"].removeprefix("tower-sim/")
        title = f"Answer: {name}" + (f" of {schema['properties']['game']['const']}" if name.startswith("game-") else "")
        parts.append(_table(title, ("key", "type", "meaning"), _keys(schema, schema.get("$defs", {}))))
    tables = {
        f"Table of a campaign: {table.name}": [
            (f"`{c.name}`", f"{c.kind}, or null" if c.nullable else c.kind, c.meaning) for c in table.columns
        ]
        for table in (DROPS, CUBES, *(table for game in games.values() for table in list_tables(game)[2:]))
    }
    tables = _once("Table of a campaign: every table", tables)
    parts += [_table(title, ("column", "type", "meaning"), rows) for title, rows in tables.items()]
    return "\n".join(parts)


def _part(title: str, key: str, rows: Iterable[Sequence[str]], defaults: Sequence[str] = ("default",)) -> str:
    return _table(title, (key, "allowed", *defaults, "meaning"), rows)


def _once(title: str, tables: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, list[Sequence[str]]]:
    """Return tables without the rows that all of them have, which stand in a table of their own before them."""
    first, *others = tables.values()
    shared = [row for row in first if all(row in rows for rows in others)]
    return {title: shared} | {name: [row for row in rows if row not in shared] for name, rows in tables.items()}


def _join(rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Join rows that say the same of several keys."""
    keys: dict[tuple[str, ...], list[str]] = {}
    for key, *says in rows:
        keys.setdefault(tuple(says), []).append(key)
    return (("<br>".join(some), *says) for says, some in keys.items())


def _table(title: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *_join(rows)]
    return f"## {title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _row(key: str, field: FieldInfo) -> Sequence[str]:
    return f"`{key}`", describe_allowed(field), _default(field), field.description or ""


def _keys(schema: dict[str, Any], shared: dict[str, Any], before: str = "") -> Iterator[Sequence[str]]:
    for name, field in schema["properties"].items():
        path, kind = f"{before}{name}", field
        kind = next((each for each in kind.get("anyOf", ()) if each.get("type") != "null"), kind)
        while (items := kind.get("items")) or isinstance(kind.get("additionalProperties"), dict):
            path, kind = (f"{path}[]", items) if items else (f"{path}.NAME", kind["additionalProperties"])
        of = kind.get("$ref", "").rpartition("/")[2]
        if of in shared and of not in FIGURES and name not in ("rules", "battle"):
            yield from _keys(shared[of], shared, f"{path}.")
        else:
            words = ", ".join(map(str, kind.get("enum", [kind["const"]] if "const" in kind else ())))
            null = ", or null" if any(each.get("type") == "null" for each in field.get("anyOf", ())) else ""
            text = words or FIGURES.get(of) or TYPES.get(kind.get("type", ""), "table")
            yield f"`{path}`", text + null, field.get("description", "")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return ""
    value = field.get_default(call_default_factory=True)
    return "none" if value is None else f"`{json.dumps(value, default=lambda other: other.model_dump(mode='json'))}`"


def _settings() -> Iterator[Sequence[str]]:
    fields = cast("Any", PhysicsSettings).__pydantic_fields__
    for name, field in fields.items():
        if name == "engine":
            usual = [f"`{json.dumps(engine)}`" for engine in NUMBERS]
            text = f"one of {', '.join(registry.names('engine'))}"
        else:
            numbers = [engine.standard.get(name) for engine in NUMBERS.values()]
            usual, text = ["" if number is None else f"`{number:g}`" for number in numbers], describe_allowed(field)
        yield f"`{name}`", text, *usual, field.description


main = script(__doc__, lambda: write(PAGE, page(), "page"))

if __name__ == "__main__":
    raise SystemExit(main())
