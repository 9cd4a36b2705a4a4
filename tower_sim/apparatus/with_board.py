"""An apparatus with a board that cubes fall onto."""

from __future__ import annotations

from dataclasses import dataclass

from tower_sim.apparatus.board import Board
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, check_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class WithBoard(Apparatus):
    """An apparatus that cubes fall through, onto its `board`, where they stay until they are taken off."""

    board: Board  # pyright: ignore[reportGeneralTypeIssues]  # keyword only: it needs no default


def with_board(apparatus: Apparatus) -> WithBoard:
    """Return `apparatus`, known to have a board; raises UsageError for one that has none."""
    check_kind("apparatus", apparatus, Apparatus, "an Apparatus", "load one with tower_sim.load(NAME)")
    if not isinstance(apparatus, WithBoard):
        raise UsageError(f"apparatus {apparatus.name!r} has no board; allowed is one with a board, such as a ship")
    return apparatus
