"""The games that a campaign can play: registered games, and games in Python files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from tower_sim import registry
from tower_sim.errors import UsageError, fault
from tower_sim.games.game import Game


def find_game(kind: str, code: Mapping[str, Any] | None = None) -> Game | None:
    """Return the game of a `kind`, if any, or run the game whose Python `file` and `text` are in `code`.

    Raises UsageError for a file without a game.
    """
    if code:
        from tower_sim.games.files import run_game_file as game_in

        return game_in(str(code.get("text")), str(code.get("file")))
    return next((game for game in every_game() if game.kind == kind), None)


def open_game(name: object, directory: str | Path = "") -> Game:
    """Return a game by its name or by the path of its file, which is relative to `directory`."""
    if isinstance(name, str) and registry.is_file("game", name):
        return cast("Game", registry.get("game", str(Path(directory, name))))
    known = registry.names("game")
    if not isinstance(name, str) or name not in known:
        allowed = f"one of {', '.join(known)} or the path of a game's Python file"
        raise fault("campaign.game", name, allowed, f'write game = "{known[0]}"')
    return cast("Game", registry.get("game", name))


def every_game() -> Iterator[Game]:
    """Yield the registered games that can be loaded, those of this package first, each loaded only when needed."""
    for name in registry.names("game"):
        with suppress(UsageError):  # a package that cannot be loaded
            yield registry.get("game", name)
