"""Where the cubes of many runs of a game land on a ship's board, and where they lie at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tower_sim.apparatus import Apparatus, with_board
from tower_sim.documents import Answer, Share, make_type
from tower_sim.games.odds import ManyRuns, odds_type, plain_shares, shares_of
from tower_sim.games.tower import Turn
from tower_sim.results import Estimate, tell_share
from tower_sim.tools import count_noun
from tower_sim.values import ZONE

PLACES = {"border": "on a border", "table": "on the table", "inside:ship": "in the ship"}


def describe_place(place: str) -> str:
    """Return the name of a place for people."""
    return PLACES.get(place, place.removeprefix(ZONE).replace("_", " "))


VERSION = 3  # of `game-odds`: it has the places, which games in a tower lack


class PlaceShares(Answer):
    """The share of cubes at each place."""

    landed: Annotated[dict[str, Share], Field(description="As they were thrown.")]
    final: Annotated[dict[str, Share], Field(description="Those that lie on the board at the end.")]


def board_odds_type(game: Any) -> Any:
    """Return the type of the document of `ManyBoards`."""
    own = odds_type(game)
    more = {"version": Literal[VERSION], "places": PlaceShares}
    return make_type(own.__name__, own.__doc__, own.__annotations__ | more)


class ManyBoards(ManyRuns):
    """Statistics over many runs of a game on a ship's board: the figures, and the share of cubes at each place.

    `landed` has the places of the cubes as they were thrown, `final` of those that lie on the board at the end, and
    `thrown` the number of different cubes thrown, by run. `rests` has the x and y (m) of those that lie there.
    """

    def __init__(self, game: Any, rules: Any, seed: int) -> None:
        super().__init__(game, rules, seed)
        self.landed: list[Counter[str]] = []
        self.final: list[Counter[str]] = []
        self.thrown: list[int] = []
        self.rests: list[tuple[float, float]] = []

    def add(self, turns: Sequence[Turn]) -> None:
        super().add(turns)
        throws = [outcome for turn in turns for outcome in turn.outcomes if outcome.state.log[-1].kind != "place"]
        lying = turns[-1].state.board.lying
        self.landed.append(Counter(x.place for each in throws for x in each.landings if x.cube in {*each.thrown}))
        self.final.append(Counter(resident.region for resident in lying))
        self.thrown.append(len({cube for each in throws for cube in each.thrown}))
        self.rests += [resident.pose.position[:2] for resident in lying if resident.pose]

    def document(self) -> dict[str, Any]:
        places = {"landed": plain_shares(_shares(self.landed)), "final": plain_shares(_shares(self.final))}
        return super().document() | {"version": VERSION, "places": places}

    def words(self) -> str:
        landed, final = _shares(self.landed), _shares(self.final)
        lines = [super().words(), "", "share of cubes: as thrown, in the end"]
        for place, share in landed.items():
            end = tell_share(final[place]) if place in final else "none"
            lines.append(f"{describe_place(place):<17} {tell_share(share)}, {end}")
        return "\n".join(lines)

    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        from tower_sim.games.board import draw_densities

        ship, model = with_board(apparatus), self.names[0]
        counts = {zone.name: [places[ZONE + zone.name] for places in self.final] for zone in ship.board.zones}
        label = self.game.label(self.rules).partition(";")[0]
        parts = [self.game.title, ship.name, count_noun(self.runs, self.game.run), label, model, f"seed {self.seed}"]
        title = ", ".join(filter(None, parts))
        draw_densities(ship, self.rests, counts, self.thrown, path, title=title, run=self.game.run)


def _shares(runs: Sequence[Counter[str]]) -> dict[str, Estimate]:
    places = sorted({place for run in runs for place in run if run[place]})
    return dict(zip(places, shares_of(np.array([[run[place] for place in places] for run in runs])), strict=True))
