"""A house variant of a game: a rules file and the apparatus it is played with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tower_sim.apparatus import Apparatus, names
from tower_sim.apparatus import load as load_apparatus
from tower_sim.errors import UsageError, fault, prints, word_list
from tower_sim.games import Game, set_value
from tower_sim.requests.request import (
    APPARATUS,
    GAME,
    allowed,
    choose_game,
    first_game,
    games,
    naming,
    parse_rules,
    read_table,
)
from tower_sim.tools import PROFILE, is_kind, read_text, registry

DEFAULT = registry.names("game")[0]  # the game of a rules file without the key `game`


@dataclass(frozen=True, eq=False)
class Variant:
    """A game with its rules and its apparatus, to be compared with others.

    Args:
        name: The name in reports, with the changes.
        file: The file or the name that was read.
        game: The game.
        rules: Its rules.
        apparatus: The tower or ship.
        changes: The changes to its keys, each written KEY=VALUE.
    """

    name: str
    file: str
    game: Game
    rules: Any
    apparatus: Apparatus
    changes: tuple[str, ...] = ()


def read_variant(file: str | Path, changes: Sequence[str] = ()) -> Variant:
    """Read a variant of a game.

    Args:
        file: A rules file; or the name or file (.py) of a game, which means the game as published with its own
            apparatus; or the name or file of a profile, which means the first game that can be compared and played
            with it.
        changes: Changes KEY=VALUE in TOML, as after `--set`, at most one for a key. A relative path starts at the
            current directory.

    Returns:
        The variant.

    >>> variant = read_variant("amerigo", ["cubes=6"])
    >>> print(variant.name, "-", variant.rules.cubes, variant.apparatus.name)
    amerigo cubes=6 - 6 amerigo
    """
    name = str(file)
    is_file = registry.is_file("game", name)
    is_game = is_file or name in registry.names("game")
    if is_game:
        table, directory = _read_published(registry.get("game", name)), Path()
    elif name in names() or _is_profile(file):
        table, directory = _read_published(_find_game(name)) | {APPARATUS: name}, Path()
    else:
        table, directory = read_table(file, "variant")
    with naming("variant", file):
        keys: set[str] = set()
        for change in word_list("changes", changes):
            key = _apply_change(table, change)
            if key in keys:
                raise fault("a change", change, "each key once", f"leave out all but one of those of {key}")
            keys.add(key)
            if key == APPARATUS:
                directory = Path()
        game = registry.get(GAME, name) if is_file else choose_game(table, directory, DEFAULT)
        if not game.figures:
            comparable = [name for name, other in registry.every("game").items() if other.figures]
            raise fault("game", game.name, f"one that has figures: {' or '.join(comparable)}")
        house = parse_rules(game, {APPARATUS: game.apparatus} | table, directory)
        if not house.apparatus:
            raise fault(APPARATUS, house.apparatus, allowed())
        apparatus = load_apparatus(house.apparatus)
        game.check(apparatus)
    if not prints(Path(file).stem):
        raise fault("name of the variant", Path(file).stem, "one of characters that can be printed", "rename the file")
    title = name if (is_game and not is_file) or name in names() else Path(file).stem
    return Variant(" ".join([title, *changes]), name, game, house.rules, apparatus, tuple(changes))


def _is_profile(file: str | Path) -> bool:
    try:
        return is_kind(PROFILE, read_text(file, "variant file"))
    except UsageError:
        return False


def _read_published(game: Game) -> dict[str, Any]:
    plain = game.plain(game.read({}))
    own = plain[game.tables[0]]
    return own if game.name == DEFAULT else own | {GAME: game.name}


def _find_game(profile: str) -> Game:
    apparatus = load_apparatus(profile)
    for game in games():
        try:
            game.check(apparatus)
        except UsageError:
            continue
        if game.figures:
            return game
    return first_game()


def _apply_change(table: dict[str, Any], change: str) -> str:
    key, equals, text = (part.strip() for part in change.partition("="))
    if not (key and equals):
        raise fault("a change", change, "KEY=VALUE with a key of a rules file", "try cubes=6")
    set_value(table, key, text)
    return key
