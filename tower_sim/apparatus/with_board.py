"""An apparatus with a board that cubes fall onto."""

from __future__ import annotations

from dataclasses import dataclass

from tower_sim.apparatus.board import Board
from tower_sim.apparatus.parts import Apparatus, as_apparatus
from tower_sim.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class WithBoard(Apparatus):
    """An apparatus that cubes fall through, onto its `board`, where they stay until the game removes them."""

    board: Board  # pyright: ignore[reportGeneralTypeIssues]  # keyword only: it needs no default


def with_board(apparatus: object) -> WithBoard:
    """Return the apparatus; raise UsageError unless it has a board."""
    apparatus = as_apparatus(apparatus)
    if not isinstance(apparatus, WithBoard):
        raise UsageError(f"apparatus {apparatus.name!r} has no board; allowed is one with a board, such as a ship")
    return apparatus
