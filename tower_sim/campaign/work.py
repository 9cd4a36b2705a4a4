"""The work of one shard: its runs, played with a model that keeps what it did, as the bytes of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

import numpy as np

from tower_sim.apparatus.board import Board
from tower_sim.campaign.point import Point
from tower_sim.campaign.spec import Spec
from tower_sim.campaign.tables import Draw, Rows
from tower_sim.contract import BoardModel, Closing, DropModel
from tower_sim.cubes import Cube
from tower_sim.games.game import Turn
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState


@dataclass(frozen=True, slots=True)
class Shard:
    """The result of shard `index`: the Parquet bytes and the number of rows of each table.

    `failures` draws were no landing; the runs `unfinished` end early because five draws in a row were none.
    """

    index: int
    tables: dict[str, bytes]
    rows: dict[str, int]
    failures: int
    unfinished: tuple[int, ...]


class Recorder(Closing):
    """A model that passes every call on and keeps what came of it."""

    def __init__(self, model: DropModel) -> None:
        self._model = model
        self._draws: list[Draw] = []

    def taken(self) -> list[Draw]:
        """Return the draws since the last call of this."""
        draws, self._draws = self._draws, []
        return draws

    @property
    def name(self) -> str:
        """See DropModel."""
        return self._model.name

    @property
    def apparatus(self) -> str:
        """See DropModel."""
        return self._model.apparatus

    @property
    def cube_edge(self) -> float:
        """See DropModel."""
        return self._model.cube_edge

    @property
    def board(self) -> Board:
        """See BoardModel."""
        return self._with_board.board

    @property
    def tells_contacts(self) -> bool:
        """See BoardModel."""
        return self._with_board.tells_contacts

    def empty(self) -> TowerState:
        """See DropModel."""
        return self._model.empty()

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._kept(state, self._model.drop(state, cubes, rng))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._kept(state, self._model.knock(state, strength, rng), knock=True)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """See BoardModel."""
        return self._kept(state, self._with_board.place(state, cube, zone, rng))

    @property
    def _with_board(self) -> BoardModel:
        return cast("BoardModel", self._model)

    def _kept(self, state: TowerState, outcome: Outcome, *, knock: bool = False) -> Outcome:
        self._draws.append(Draw(state, outcome, knock))
        return outcome


def run_shard(spec: Spec, index: int) -> Shard:
    """Play the runs of shard `index`; the result depends on `spec.digest` and `index` only, byte for byte."""
    rows, game = Rows(), spec.game
    unfinished: list[int] = []
    for number, runs in groupby(spec.runs_of(index), key=lambda run: run // spec.runs):
        point = spec.point(number)
        with point.open_model() as model:
            for run in runs:
                if not play_run(point, Recorder(model), spec.seed, (number, run), rows):
                    unfinished.append(run)
    counts = {name: len(of_table) for name, of_table in rows.by_table(game).items()}
    tables = rows.to_parquet(game, spec.digest, index, spec.points)
    return Shard(index, tables, counts, rows.failures, tuple(unfinished))


def play_run(point: Point, model: Recorder, seed: int, where: tuple[int, int], rows: Rows) -> bool:
    """Play run `where` (point, run) of the root `seed`, add its rows, and say whether it came to its end."""
    is_whole = True
    for turn in point.game.play(model, point.rules, seed, where[1]):
        _add((*where, turn.index), turn, model.taken(), rows)
        rows.tell((*where, turn.index), point.game, turn.facts)
        is_whole = turn.failed is None
    return is_whole


def _add(where: tuple[int, int, int], turn: Turn, draws: Sequence[Draw], rows: Rows) -> None:
    """Add the rows of a turn: of a drop, and of the knock after it if there was one; a knock alone throws no cube."""
    blows = [draw for draw in draws if draw.knock and turn.kind == "drop"]
    falls = [draw for draw in draws if not draw.knock or turn.kind != "drop"]
    rows.add(where, turn.kind, falls, blows[0].state if blows else turn.state)
    if blows:
        rows.add(where, "knock", blows, turn.state)
