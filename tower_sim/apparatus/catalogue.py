"""The catalogue: load an apparatus by the name of a shipped profile or from a TOML file, and check it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from tower_sim.apparatus import amerigo, amerigo_boxes, combat_ship, combat_ship_boxes
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, near, shown
from tower_sim.reading import read_text, toml_table

SCHEMA = "tower-sim/apparatus"
VERSION = 1
MAX_BYTES = 1_000_000
_SHAPES = 1  # raised when the same profile comes to mean another shape: tokens of the old one are then foreign


def names() -> list[str]:
    """Return the names of the shipped profiles."""
    files = resources.files("tower_sim.apparatus.profiles").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def load(name_or_file: str | Path) -> Apparatus:
    """Load an apparatus: a shipped profile's name, or the path of a TOML file in the same format.

    Raises UsageError, in one line, for an unknown name, a file that cannot be read, and parameters that make no sense.
    """
    if str(name_or_file) in names():
        name = str(name_or_file)
        text = resources.files("tower_sim.apparatus.profiles").joinpath(f"{name}.toml").read_text("utf-8")
        return parse(text, name)
    path = Path(name_or_file)
    if not os.path.lexists(path) and "\0" not in str(path):
        raise UsageError(
            f"apparatus {shown(str(name_or_file))} is neither a shipped profile nor a file; allowed are "
            f"{', '.join(names())} or the path of a TOML file{near(str(name_or_file), names())}"
        )
    text = read_text(path, "apparatus file", limit=MAX_BYTES, advice="give a readable UTF-8 TOML file")
    return parse(text, path.stem)


def parse(text: str, name: str) -> Apparatus:
    """Make the apparatus called `name` from the text of a profile; raises UsageError naming profile and field."""
    try:
        profile = toml_table(text, "the file")
    except UsageError as error:
        raise UsageError(f"profile {_short(name)}: {error}") from None
    return from_tables(profile, name)


def from_tables(profile: dict[str, Any], name: str) -> Apparatus:
    """Make the apparatus called `name` from the tables of a profile; raises UsageError naming profile and field."""
    try:
        return _from_tables(profile, name)
    except UsageError as error:
        raise UsageError(f"profile {_short(name)}: {error}") from None


def _from_tables(profile: dict[str, Any], name: str) -> Apparatus:
    tables = dict(profile)
    for key, allowed in (("schema", SCHEMA), ("version", VERSION)):
        value = tables.pop(key, None)
        if value != allowed:
            raise UsageError(f"{key} = {shown(value)}; allowed is {allowed!r}; write that line at the top")
    kind: object = tables.pop("kind", None)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise UsageError(f"kind = {shown(kind)}; allowed is one of {', '.join(map(repr, _KINDS))}; write that line")
    try:
        canonical = json.dumps([_SHAPES, profile], sort_keys=True, separators=(",", ":"))
    except TypeError as error:  # a date: TOML has more than JSON
        raise UsageError(f"a value is neither text nor number ({error}); allowed are these; change it") from error
    return _KINDS[kind](tables, name, profile, hashlib.sha256(canonical.encode()).hexdigest()[:16])


def _short(name: str) -> str:
    return name if len(name) <= 60 else shown(name, 60)


def _amerigo(tables: dict[str, Any], name: str, profile: dict[str, Any], digest: str) -> Apparatus:
    return amerigo_boxes.build(amerigo.read(tables), name, profile, digest)


def _combat_ship(tables: dict[str, Any], name: str, profile: dict[str, Any], digest: str) -> Apparatus:
    return combat_ship_boxes.build(combat_ship.read(tables), name, profile, digest)


_KINDS: dict[str, Callable[[dict[str, Any], str, dict[str, Any], str], Apparatus]] = {
    "amerigo_tower": _amerigo,
    "combat_ship": _combat_ship,
}
