"""Write a tower's sampler as one Lua file that includes its table; see docs/surrogate.md."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tower_sim.errors import fault
from tower_sim.web import source

_HEAD = ("schema", "version", "apparatus", "apparatus_digest", "model")
_MARKER = "local MODEL = nil\n"


def text(document: Mapping[str, Any]) -> str:
    """Return the Lua file that samples from the table of a tower."""
    if "table" not in document:
        allowed = "a tower, which is a table of whole numbers"
        raise fault("what to export to lua", document["apparatus"], allowed, "export a board to js or json")
    table = document["table"]
    floors = [{**floor, "draws_effect": _draws_effect(floor)} for floor in table["floors"]]
    model = {key: document[key] for key in _HEAD} | table | {"floors": floors}
    before, after = source("tower_sim.clients", "lua/tower.lua").split(_MARKER)
    return f"{before}local MODEL = {_lua(model)}\n{after}"


def _draws_effect(floor: Mapping[str, Any]) -> bool:
    return any(entry for name in ("arriving_effect", "lying_effect") for row in floor[name] for entry in row)


def _lua(value: Any) -> str:
    if isinstance(value, str):
        return '"' + re.sub(r'[\x00-\x1f\x7f"\\]', lambda match: f"\\{ord(match[0]):03d}", value) + '"'
    if isinstance(value, int):
        return str(value).lower()  # true and false too
    if isinstance(value, Mapping):
        inner = [f"{key} = {_lua(entry)}" for key, entry in cast("Mapping[str, Any]", value).items()]
    else:
        entries = cast("Sequence[Any]", value)
        if all(isinstance(entry, int) for entry in entries):
            return "{\n" + textwrap.fill(", ".join(map(str, entries)), 100, break_long_words=False) + "\n}"
        inner = [_lua(entry) for entry in entries]
    return "{\n" + "".join(f"{entry},\n" for entry in inner) + "}"
