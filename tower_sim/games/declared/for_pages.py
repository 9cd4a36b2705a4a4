"""The declared games of a page: those of one's own files first, then all that ship."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tower_sim import registry
from tower_sim.errors import UsageError, shown
from tower_sim.games.declared import DECLARED
from tower_sim.games.declared.game import DeclaredGame


def declared_games(files: Sequence[str | Path] = ()) -> list[DeclaredGame]:
    """Return the games, each name once.

    Raises UsageError for a file that cannot be read or played by its usual rules, and for one whose game is called as
    another is.
    """
    found = {file: _opened(file) for file in dict.fromkeys(map(str, files))}
    known = registry.every("game").values()
    shipped = {each.name for each in known}
    names: set[str] = set()
    for file, game in found.items():
        if game.name in names or game.name in shipped:
            raise UsageError(
                f"game {shown(file)} is called {shown(game.name)}, which another one is too; allowed is each name "
                "once; change its name"
            )
        names.add(game.name)
    return [*found.values(), *(each for each in known if isinstance(each, DeclaredGame))]


def _opened(file: str) -> DeclaredGame:
    game = DECLARED.open(file)
    try:
        game.read({})
    except UsageError as error:
        raise UsageError(f"game {shown(file)}: {error}") from None
    return game
