"""The declared games of the tower lab's page, as plain trees: those of one's own files first, then all that ship."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tower_sim import registry
from tower_sim.errors import UsageError, shown
from tower_sim.games.declared import DECLARED
from tower_sim.games.declared.game import DeclaredGame
from tower_sim.games.declared.plain import plain


def trees(files: Sequence[str | Path] = ()) -> list[dict[str, Any]]:
    """Return the plain tree of each game (see games/declared/plain.py), each name once.

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
    every = [*found.values(), *(each for each in known if isinstance(each, DeclaredGame))]
    return [plain(game.declaration) for game in every]


def _opened(file: str) -> DeclaredGame:
    game = DECLARED.open(file)
    try:
        game.read({})
    except UsageError as error:
        raise UsageError(f"game {shown(file)}: {error}") from None
    return game
