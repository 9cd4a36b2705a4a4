"""A house variant of a game: a rules file and the apparatus it is played with."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tower_sim import registry
from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import names
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, fault, shown
from tower_sim.games.game import Game
from tower_sim.reading import read_text, toml_table

DEFAULT = registry.names("game")[0]  # the game of a variant that names none
GAME, APPARATUS = "game", "apparatus"  # keys of a variant's file, beside those of its rules


@dataclass(frozen=True, eq=False)
class Variant:
    """What is compared: `game` by `rules` with `apparatus`; `file` is what was read, `name` what tells it apart.

    `changes` were made to the file's keys, each written KEY=VALUE.
    """

    name: str
    file: str
    game: Game
    rules: Any
    apparatus: Apparatus
    changes: tuple[str, ...] = ()


def read_variant(file: str | Path, changes: Sequence[str] = ()) -> Variant:
    """Read a variant: a rules file that may have two more keys, `game` and `apparatus`, or a shipped name.

    The other keys are those of the game's first table in a campaign file. `apparatus` is a shipped profile's name or a
    file; a relative path counts from the variant's directory. A shipped name is a game's, for the game as published
    with its own apparatus, or a profile's, with which the first game that can be played with it is, as published. Each
    of `changes` is KEY=VALUE, a key of such a file (dotted for one in a table) with its value in TOML; a word needs no
    quotes, and a relative path counts from where the program runs.
    Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed.
    """
    said = str(file)
    table, directory = _read(file, "variant")
    with _naming("variant", file):
        for change in changes:
            _change(table, change)
        is_changed = any(change.partition("=")[0].strip() == APPARATUS for change in changes)
        game, rules, named = _parse(table, Path() if is_changed else directory)
        apparatus = load_apparatus(named)
        game.check(apparatus)
    name = said if _ships(said) else Path(file).stem
    return Variant(" ".join([name, *changes]), said, game, rules, apparatus, tuple(changes))


@contextmanager
def _naming(what: str, file: str | Path) -> Generator[None]:
    """Put the name of the file in front of what is wrong with it."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{what} {shown(str(file))}: {error}") from None


def _ships(name: str) -> bool:
    return name in registry.names("game") or name in names()


def _read(file: str | Path, what: str) -> tuple[dict[str, Any], Path]:
    """Return the table of a file, called `what`, and the directory that its relative paths count from."""
    said = str(file)
    if said in registry.names("game"):
        return _published(registry.get("game", said)), Path()
    if said in names():
        return _published(_played_with(said)) | {APPARATUS: said}, Path()
    text = read_text(file, f"{what} file", advice=f"give a TOML file or one of {', '.join(names())}")
    return toml_table(text, f"{what} file {shown(said)}"), Path(file).parent


def _published(game: Game) -> dict[str, Any]:
    return game.published() | ({} if game.name == DEFAULT else {GAME: game.name})


def _played_with(profile: str) -> Game:
    """Return the first game that can be compared and played with a shipped apparatus; else the first of all."""
    apparatus = load_apparatus(profile)
    for name in registry.names("game"):
        game: Game = registry.get("game", name)
        try:
            game.check(apparatus)
        except UsageError:
            continue
        if game.figures():
            return game
    return registry.get("game", DEFAULT)


def _parse(table: Mapping[str, Any], directory: Path) -> tuple[Game, Any, str]:
    game: Game = registry.get("game", table.get(GAME, DEFAULT))
    if not game.figures():
        comparable = [name for name, other in registry.every("game").items() if other.figures()]
        raise fault("game", game.name, f"one that has figures: {' or '.join(comparable)}")
    own = {key: value for key, value in table.items() if key not in (GAME, APPARATUS)}
    rules = game.read_variant(own, [APPARATUS])
    apparatus = table.get(APPARATUS, game.apparatus)
    if not isinstance(apparatus, str) or not apparatus:
        raise fault(APPARATUS, apparatus, f"one of {', '.join(names())} or the path of a TOML file")
    return game, rules, apparatus if apparatus in names() else str(directory / apparatus)


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
