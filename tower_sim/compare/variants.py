"""A house variant: a rules file, and the tower it is played with."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import names
from tower_sim.apparatus.parts import Tower, as_tower
from tower_sim.errors import UsageError, fault
from tower_sim.games.amerigo import SHIPPED, Rules

TOWER = "amerigo"  # what a variant is played with that names no apparatus


@dataclass(frozen=True, eq=False)
class Variant:
    """A game to compare: `rules` played with `tower`; `file` is what it was read from, `name` what tells it apart."""

    name: str
    file: str
    rules: Rules
    tower: Tower


@dataclass(frozen=True)
class Difference:
    """A key with another value in B than in A; `tower.` begins those of the profile. None: the key is not there."""

    key: str
    a: Any
    b: Any


def read_variant(file: str | Path) -> Variant:
    """Read a variant: a rules file that may have one more key, `apparatus`; or `amerigo`, the published game.

    `apparatus` is a shipped profile's name or a file; a relative path counts from the variant's directory.
    Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed.
    """
    said = str(file)
    if said in SHIPPED:
        return Variant(said, said, Rules.load(said), as_tower(load_apparatus(TOWER)))
    path = Path(file)
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        allowed = f"a TOML file in UTF-8 or one of {', '.join(SHIPPED)}"
        raise fault("variant file", said, allowed, f"check the path ({type(error).__name__})") from error
    try:
        rules, tower = _parse(text, path.parent)
    except UsageError as error:
        raise UsageError(f"variant file {said!r}: {error}") from None
    return Variant(path.stem, said, rules, tower)


def _parse(text: str, directory: Path) -> tuple[Rules, Tower]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML ({error}); allowed is 'key = value'; mend that line") from error
    apparatus = table.pop("apparatus", TOWER)
    known = ["apparatus", *(each.name for each in fields(Rules))]
    for key in table:
        if key not in known:
            raise fault("a key of the variant", key, f"one of {', '.join(known)}", "check its spelling")
    if not isinstance(apparatus, str):
        raise fault("apparatus", apparatus, f"one of {', '.join(names())} or the path of a TOML file")
    rules = Rules(**table)
    if rules.rounds == 0:
        raise fault("rounds", 0, "a whole number from 1 in a comparison", "the figures are of the phases")
    return rules, as_tower(load_apparatus(apparatus if apparatus in names() else directory / apparatus))


def differences(a: Variant, b: Variant) -> tuple[Difference, ...]:
    """Return what of B is other than in A: of the rules all but their name, of the tower the keys of its profile.

    None: the two play alike, and equal seeds give equal games.
    """
    rules = [each.name for each in fields(Rules) if each.name != "name"]
    found = [Difference(key, _plain(getattr(a.rules, key)), _plain(getattr(b.rules, key))) for key in rules]
    if a.tower.digest != b.tower.digest:
        old, new = (dict(_leaves(variant.tower.profile, "tower")) for variant in (a, b))
        found += [Difference(key, old.get(key), new.get(key)) for key in {**old, **new}]
    return tuple(each for each in found if each.a != each.b)


def _plain(value: Any) -> Any:
    """Return a value of the rules as TOML and JSON have it: lists for tuples."""
    return json.loads(json.dumps(value))


def _leaves(value: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from _leaves(inner, f"{prefix}.{key}")
    else:
        yield prefix, value
