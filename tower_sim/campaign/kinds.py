"""What a campaign can play: the registered games, by the kind that a campaign file says, and those of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tower_sim import registry
from tower_sim.errors import UsageError, fault
from tower_sim.games.game import Game


def kinds() -> dict[str, Game]:
    """Return the games by kind, ours first; one that cannot be loaded is left out, and a kind that is taken stays."""
    by_kind: dict[str, Game] = {}
    for game in _games():
        by_kind.setdefault(game.kind, game)
    return by_kind


def installed(kind: str) -> Game | None:
    """Return the game of a kind; None when there is none."""
    return next((game for game in _games() if game.kind == kind), None)


def game_of(kind: object, directory: Path = Path()) -> Game:
    """Return the game of a kind, or of a file, whose path counts from `directory`.

    Raises UsageError for an unknown kind, and for a file that is not right.
    """
    if isinstance(kind, str) and registry.is_file("game", kind):
        return registry.get("game", str(directory / kind))
    game = installed(kind) if isinstance(kind, str) else None
    if game is None:
        known = list(kinds())
        allowed = f"one of {', '.join(known)} or the path of a game's TOML file"
        raise fault("campaign.kind", kind, allowed, f'write kind = "{known[0]}"')
    return game


def _games() -> Iterator[Game]:
    """Give the games one by one, so that nobody else's package is loaded for one of ours.

    Last comes that of the kind of games in files, which is another game for each.
    """
    own = registry.OWN["game"]
    for name in own:
        yield registry.get("game", name)
    yield registry.get("opener", "game")
    for name in registry.names("game")[len(own) :]:
        with suppress(UsageError):
            yield registry.get("game", name)
