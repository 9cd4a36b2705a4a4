"""A house variant of Amerigo: a rules file and the tower it is played with, for `play`, `compare` and the service."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import names
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.errors import UsageError, fault, shown
from tower_sim.games.amerigo.rules import SHIPPED, Rules, rules_text
from tower_sim.reading import read_text, toml_table

TOWER = "amerigo"  # what a variant is played with that names no apparatus
KEY = "apparatus"


@dataclass(frozen=True, eq=False)
class Variant:
    """A game to compare: `rules` played with `tower`; `file` is what it was read from, `name` what tells it apart.

    `changes` were made to the file's keys, each written KEY=VALUE.
    """

    name: str
    file: str
    rules: Rules
    tower: Apparatus
    changes: tuple[str, ...] = ()


def read_rules(file: str | Path) -> tuple[Rules, str]:
    """Read a variant's rules, and what it says of its apparatus: a shipped profile's name or the path of a file.

    See `read_variant`; the apparatus is not opened here.
    """
    table, directory = _read(file, "rules")
    with _naming("rules", file):
        return _parse(table, directory)


def read_variant(file: str | Path, changes: Sequence[str] = ()) -> Variant:
    """Read a variant: a rules file that may have one more key, `apparatus`, or a shipped name.

    `apparatus` is a shipped profile's name or a file; a relative path counts from the variant's directory. A shipped
    name is `amerigo`, the published game, or another tower's, with which the published game is played. Each of
    `changes` is KEY=VALUE, a key of such a file (dotted for one in a table) with its value in TOML; a word needs no
    quotes, and a relative path counts from where the program runs.
    Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed.
    """
    said = str(file)
    table, directory = _read(file, "variant")
    with _naming("variant", file):
        for change in changes:
            _change(table, change)
        is_changed = any(change.partition("=")[0].strip() == KEY for change in changes)
        rules, apparatus = _parse(table, Path() if is_changed else directory)
        tower = as_tower(load_apparatus(apparatus))
    name = said if _ships(said) else Path(file).stem
    return Variant(" ".join([name, *changes]), said, rules, tower, tuple(changes))


@contextmanager
def _naming(what: str, file: str | Path) -> Generator[None]:
    """Put the name of the file in front of what is wrong with it."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{what} {shown(str(file))}: {error}") from None


def _ships(name: str) -> bool:
    return name in SHIPPED or name in names()


def _read(file: str | Path, what: str) -> tuple[dict[str, Any], Path]:
    """Return the table of a file, called `what`, and the directory that its relative paths count from."""
    said = str(file)
    if said in SHIPPED:
        return toml_table(rules_text(said), "the text"), Path()
    if said in names():
        return {KEY: said}, Path()
    text = read_text(file, f"{what} file", advice=f"give a TOML file or one of {', '.join(names())}")
    return toml_table(text, f"{what} file {shown(said)}"), Path(file).parent


def _parse(table: Mapping[str, Any], directory: Path) -> tuple[Rules, str]:
    apparatus = table.get(KEY, TOWER)
    rules = Rules.from_table({key: table[key] for key in table if key != KEY}, [KEY])
    if not isinstance(apparatus, str):
        raise fault(KEY, apparatus, f"one of {', '.join(names())} or the path of a TOML file")
    return rules, apparatus if apparatus in names() else str(directory / apparatus)


def _change(table: dict[str, Any], change: str) -> None:
    """Set one key of a variant's table."""
    key, equals, text = (part.strip() for part in change.partition("="))
    if not (key and equals):
        raise fault("a change", change, "KEY=VALUE with a key of a rules file", "try cubes=6")
    *path, last = key.split(".")
    inner = table
    for word in path:
        below = inner.get(word, {})
        inner[word] = dict(cast("dict[str, Any]", below)) if isinstance(below, dict) else {}
        inner = inner[word]
    try:
        inner[last] = toml_table(f"value = {text}", "the value")["value"]
    except UsageError:
        inner[last] = text  # a word without quotes
