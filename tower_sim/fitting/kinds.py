"""The kinds of surrogate: what each has to offer, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.campaign.data import Campaign
from tower_sim.fitting.board import pages as board_pages
from tower_sim.fitting.board.check import check_board
from tower_sim.fitting.board.fit import fit_board
from tower_sim.fitting.tower import pages as tower_pages
from tower_sim.fitting.tower.check import check_tower
from tower_sim.fitting.tower.fit import fit_tower
from tower_sim.report.page import Report
from tower_sim.surrogate.store import BOARD, TOWER, Fitted
from tower_sim.tools.progress import Telling


@dataclass(frozen=True)
class Kind:
    """How the surrogates of a kind are fitted and checked.

    `check(fitted, campaigns, seed, tell)` returns a result, from which `text` and `report` are made.
    """

    fit: Callable[[Sequence[Campaign], Apparatus, Callable[[], None]], Fitted]
    check: Callable[[Fitted, Sequence[Campaign], int, Telling], Any]
    text: Callable[[Any], str]
    report: Callable[[Any], Report]


KINDS = {
    TOWER: Kind(fit_tower, check_tower, tower_pages.text, tower_pages.report),
    BOARD: Kind(fit_board, check_board, board_pages.text, board_pages.report),
}
