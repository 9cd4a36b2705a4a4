"""The work of one shard: its runs, played with a model that keeps what it did, as the bytes of two tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import cast

import numpy as np

from tower_sim.apparatus.board import Board
from tower_sim.campaign.point import Chain, Point
from tower_sim.campaign.spec import Spec
from tower_sim.campaign.tables import Draw, Facts, Rows
from tower_sim.contract import BoardModel, Closing, DropModel
from tower_sim.cubes import Cube, supply
from tower_sim.games import amerigo
from tower_sim.games.dead_reckoning import battle, policies
from tower_sim.model import TooManyFailedDraws, until_landed
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState

# Third word of a chain's spawn keys: what a drop draws, and which cubes are thrown.
DROP_STREAM = 0
CHOICE_STREAM = 1


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
        return self._kept(state, self._model.knock(state, strength, rng))

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """See BoardModel."""
        return self._kept(state, self._with_board.place(state, cube, zone, rng))

    @property
    def _with_board(self) -> BoardModel:
        return cast("BoardModel", self._model)

    def _kept(self, state: TowerState, outcome: Outcome) -> Outcome:
        self._draws.append(Draw(state, outcome))
        return outcome


def run_shard(spec: Spec, index: int) -> Shard:
    """Play the runs of shard `index`; the result depends on `spec.digest` and `index` only, byte for byte."""
    rows = Rows()
    unfinished: list[int] = []
    for number, runs in groupby(spec.runs_of(index), key=lambda run: run // spec.runs):
        point = spec.point(number)
        with point.open_model() as model:
            for run in runs:
                if not _PLAY[spec.kind](spec, point, Recorder(model), number, run, rows):
                    unfinished.append(run)
    counts = {"drops": len(rows.drops), "cubes": len(rows.cubes)}
    return Shard(index, rows.to_parquet(spec.digest, index, spec.points), counts, rows.failures, tuple(unfinished))


def _game(spec: Spec, point: Point, model: Recorder, number: int, run: int, rows: Rows) -> bool:
    """Play a game and say whether it came to its end."""
    state = amerigo.start(model, point.rules)
    try:
        for entry in amerigo.play(model, point.rules, spec.game_seed(run), point.knocks):
            facts = Facts(
                round=entry.round,
                phase=entry.phase,
                skipped=entry.skipped,
                colours_out=sum(n > 0 for n in entry.emerged.values()),
                action_points=entry.action_points,
                gold=entry.gold,
            )
            _add_phase((number, run, entry.index), facts, model.taken(), entry.state.tower, rows)
            state = replace(entry.state, index=entry.index + 1)
    except TooManyFailedDraws:
        facts = Facts(round=state.round, phase=state.phase)
        _add_phase((number, run, state.index), facts, model.taken(), state.tower, rows)
        return False
    return True


def _add_phase(where: tuple[int, int, int], facts: Facts, draws: Sequence[Draw], state: TowerState, rows: Rows) -> None:
    """Add the row of a phase, and one of the knock after it if there was one; a knock alone throws no cube."""
    falls = [draw for draw in draws if draw.outcome.thrown]
    blows = [draw for draw in draws if not draw.outcome.thrown]
    rows.add(where, facts, falls, blows[0].state if blows else state)
    if blows:
        rows.add(where, Facts(kind="knock", round=facts.round, phase=facts.phase), blows, state)


def _chain(spec: Spec, point: Point, model: Recorder, number: int, run: int, rows: Rows) -> bool:
    """Do a chain of drops and say whether it came to its end."""
    chain, state = point.chain, model.empty()
    queue = list(supply(chain.counts, model.cube_edge))
    if chain.policy == "cover":
        rng = np.random.default_rng(np.random.SeedSequence(spec.seed, spawn_key=(run,)))
        queue = _some(queue, int(rng.integers(1, len(queue) + 1)), rng)
    for drop in range(chain.drops):
        rng = np.random.default_rng(np.random.SeedSequence(spec.seed, spawn_key=(run, drop, CHOICE_STREAM)))
        thrown = chosen(chain, queue, rng)
        if thrown:
            seed = np.random.SeedSequence(spec.seed, spawn_key=(run, drop, DROP_STREAM))
            try:
                outcome = until_landed(partial(model.drop, state, thrown), seed)
            except TooManyFailedDraws:
                rows.add((number, run, drop), Facts(), model.taken(), state)
                return False
            queue = [cube for cube in queue if cube not in set(thrown)] + list(outcome.emerged)
            state = outcome.state
        rows.add((number, run, drop), Facts(), model.taken(), state)
    return True


def chosen(chain: Chain, outside: Sequence[Cube], rng: np.random.Generator) -> list[Cube]:
    """Return the cubes that the next drop throws, of those `outside`, in queue order; none when there are none."""
    if chain.policy == "fixed" or not outside:
        return list(outside[: chain.throw])
    if chain.policy == "uniform":
        return list(outside[: int(rng.integers(1, min(chain.most, len(outside)) + 1))])
    number = int((len(outside) + 1) ** rng.random())  # log-uniform: u is below 1, so this is at most len(outside)
    return _some(outside, min(number, len(outside)), rng)


def _some(cubes: Sequence[Cube], number: int, rng: np.random.Generator) -> list[Cube]:
    """Return so many of the cubes at random, in the order of their numbers."""
    picked: list[int] = rng.choice(len(cubes), number, replace=False).tolist()
    return sorted(cubes[i] for i in picked)


def _battle(spec: Spec, point: Point, model: Recorder, number: int, run: int, rows: Rows) -> bool:
    """Fight a battle and say whether it came to its end."""
    assert point.setup is not None
    now = first = battle.start(model, point.setup, spec.seed, run)
    chosen = dict.fromkeys(point.setup.colours, policies.when_behind)
    try:
        for now in battle.play(model, first, chosen):
            step = now.steps[-1]
            facts = Facts(kind=step.kind, side=step.side or None, winner=now.result().winner if now.over else None)
            rows.add((number, run, len(now.steps) - 1), facts, model.taken(), now.state)
    except TooManyFailedDraws:
        side = now.turn if battle.due(now) == "ability" else None
        rows.add((number, run, len(now.steps)), Facts(kind=battle.due(now), side=side), model.taken(), now.state)
        return False
    return True


_PLAY = {"game": _game, "chain": _chain, "battle": _battle}
