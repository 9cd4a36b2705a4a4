"""The catalogue: load an apparatus from a shipped profile or a TOML file, and check it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.kind import ApparatusKind, Profile
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, fault, near, prints, quote, unknown
from tower_sim.tools import PROFILE, as_path, read_text, refuse_other, registry, toml_table

SCHEMA = "tower-sim/apparatus"
VERSION = 1
MAX_BYTES = 1_000_000
FITTED_WITH = "Fitted with the engine "  # such a comment line in a profile names the engine
_SHAPES = 1  # raise it when equal profiles start to mean another shape: old tokens must not fit the new one


def names() -> list[str]:
    """Return the names of the shipped profiles.

    >>> names()[:2]
    ['amerigo', 'amerigo-club']
    """
    return sorted(shipped())


@cache
def shipped() -> dict[str, str]:
    """Return the texts of all shipped profiles by name."""
    kinds: dict[str, ApparatusKind] = registry.every("apparatus")
    return {name: text for kind in reversed(kinds.values()) for name, text in kind.profiles().items()}


def fitted_with(text: str) -> str | None:
    """Return the engine that a profile's comment says it was fitted with, or None."""
    comment = re.search(rf"^# {FITTED_WITH}(\w+)", text, re.MULTILINE)
    return comment[1] if comment else None


def load(name_or_file: str | Path) -> Apparatus:
    """Load an apparatus.

    Args:
        name_or_file: The name of a shipped profile or the path of a TOML file.

    Returns:
        The apparatus, checked; lengths are in metres.

    >>> tower = load("amerigo")
    >>> print(tower.name, [region.name for region in tower.regions])
    amerigo ['funnel', 'upper_floor', 'lower_floor', 'ramp']
    """
    if str(name_or_file) in shipped():
        return parse(shipped()[str(name_or_file)], str(name_or_file))
    path = as_path("apparatus", name_or_file, f"write {names()[0]!r} or the path of a TOML file")
    if not os.path.lexists(path) and "\0" not in str(path):
        raise UsageError(
            f"apparatus {quote(str(name_or_file))} is neither a shipped profile nor a file; allowed are "
            f"{', '.join(names())} or the path of a TOML file{near(str(name_or_file), names())}"
        )
    text = read_text(path, "apparatus file", limit=MAX_BYTES, advice="give a readable UTF-8 TOML file")
    refuse_other(text, f"apparatus file {quote(str(path))}", PROFILE)
    return parse(text, path.stem, path)


def parse(text: str, name: str, file: str | Path | None = None) -> Apparatus:
    """Make an apparatus from the text of a profile.

    Args:
        text: TOML.
        name: The name of the apparatus.
        file: The file that the text was read from.

    Returns:
        The apparatus.

    >>> parse(shipped()["amerigo"], "mine").name
    'mine'
    """
    try:
        profile = toml_table(text, "the file")
    except UsageError as error:
        raise UsageError(f"profile {_short(name)}: {error}") from None
    return from_tables(profile, name, file)


def from_tables(profile: dict[str, Any], name: str, file: str | Path | None = None) -> Apparatus:
    """Make an apparatus from a profile's tables, which were read from `file`."""
    try:
        return _from_tables(profile, name, None if file is None else Path(file))
    except UsageError as error:
        raise UsageError(f"profile {_short(name)}: {error}") from None


def _from_tables(profile: dict[str, Any], name: str, file: Path | None) -> Apparatus:
    if not prints(name):  # it is printed, and written into pages and the files of printers
        raise fault("name of the profile", name, "one of characters that can be printed", "rename the file")
    for key, allowed in (("schema", SCHEMA), ("version", VERSION)):
        value = profile.get(key)
        if value != allowed:
            raise fault(key, value, repr(allowed), "write that line at the top")
    kind: object = profile.get("kind")
    kinds = registry.names("apparatus")
    if not isinstance(kind, str) or kind not in kinds:
        raise unknown("kind", kind, kinds, "write that line")
    of_kind: ApparatusKind = registry.get("apparatus", kind)
    profile = of_kind.attach(profile, file)
    try:
        canonical = json.dumps([_SHAPES, _drop_data(profile)], sort_keys=True, separators=(",", ":"))
    except TypeError as error:  # a date: TOML has more than JSON
        raise UsageError(f"a value is neither text nor number ({error}); allowed are these; change it") from error
    return of_kind.make(Profile(name, profile, hashlib.sha256(canonical.encode()).hexdigest()[:16], file))


def _drop_data(profile: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {
        key: {name: value for name, value in cast("dict[str, Any]", table).items() if name != "data"}
        for key, table in profile.items()
        if isinstance(table, dict) and "digest" in table
    }
    return profile | plain


def _short(name: str) -> str:
    return name if len(name) <= 60 else quote(name, 60)
