"""What a campaign can play: the registered games, and games in files of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from tower_sim import registry
from tower_sim.errors import UsageError, fault
from tower_sim.games.game import Game


def installed(kind: str, code: Mapping[str, Any] | None = None) -> Game | None:
    """Return the game of a kind; with `code`, the file and the text of a game, run that text. None for an unknown kind.

    Raises UsageError if the code holds no game.
    """
    if code:
        from tower_sim.games.files import game_of as game_in

        return game_in(str(code.get("text")), str(code.get("file")))
    return next((game for game in every_game() if game.kind == kind), None)


def game_of(name: object, directory: Path = Path()) -> Game:
    """Return a game by its name, or from the path of its file, which counts from `directory`."""
    if isinstance(name, str) and registry.is_file("game", name):
        return cast("Game", registry.get("game", str(directory / name)))
    known = registry.names("game")
    if not isinstance(name, str) or name not in known:
        allowed = f"one of {', '.join(known)} or the path of a game's Python file"
        raise fault("campaign.game", name, allowed, f'write game = "{known[0]}"')
    return cast("Game", registry.get("game", name))


def every_game() -> Iterator[Game]:
    """Yield the games, ours first, so that no other package is loaded for one of ours."""
    for name in registry.names("game"):
        with suppress(UsageError):  # a package that cannot be loaded
            yield registry.get("game", name)
