"""A game in a tower of the design space, with physics: what it did, as the atlas tells it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tower_sim import registry
from tower_sim.apparatus import space
from tower_sim.design.towers import JAMMED
from tower_sim.games.game import Turn
from tower_sim.physics.settings import ENGINE, STANDARD, accuracy
from tower_sim.recorder import Draw, Recorder
from tower_sim.simulator import PhysicsModel
from tower_sim.study.data import INSIDE, SETUP

TOLD = ("setup", "inside", "out", "colours", "exchange", "clogged")
"""The outputs that are told of a game, by their names in the atlas."""

Row = tuple[float, ...]
"""The value of each of TOLD in a game, NaN where it cannot be told."""


@dataclass(frozen=True, slots=True)
class Task:
    """Game number `run` of the root `seed` in the tower of `numbers`, in the order of space.NAMES."""

    numbers: tuple[float, ...]
    seed: int
    run: int


@dataclass(frozen=True, slots=True)
class Player:
    """Plays tasks: the game of the registry's name `game`, in towers made of the profile `base`."""

    game: str
    base: Mapping[str, Any]

    def __call__(self, task: Task) -> Row:
        """Play one, by the published rules, with the default engine at its standard accuracy."""
        game = registry.get("game", self.game)
        tower = space.tower(space.named(task.numbers), self.base)
        with PhysicsModel(tower, accuracy(ENGINE, STANDARD)) as model:
            recorder = Recorder(model)
            turns = game.play(recorder.as_model, game.read({}), task.seed, task.run)
            return told((turn, recorder.taken()) for turn in turns)


def told(turns: Iterable[tuple[Turn, Sequence[Draw]]]) -> Row:
    """Tell TOLD of a game, from its turns and the draws of each."""
    setup, supply, is_cut = math.nan, 0, False
    inside: list[int] = []
    out: list[int] = []
    colours: list[int] = []
    left = emerged = 0
    for turn, draws in turns:
        if turn.failed is not None:
            is_cut = True
            break
        supply = max(supply, turn.state.next_id)
        if turn.facts.get("phase") == SETUP:
            setup = float(len(turn.state.residents))
            continue
        gone = _gone(draws)
        inside.append(len(turn.state.residents))
        out.append(len(gone))
        colours.append(len({colour for colour, _ in gone}))
        left += sum(was_inside for _, was_inside in gone)
        emerged += len(gone)
    if not inside:
        return (setup, *[math.nan] * 4, 1.0)
    clogged = float(is_cut or inside[-1] > JAMMED * supply)
    exchange = left / emerged if emerged else math.nan
    return (setup, _mean(inside), _mean(out), _mean(colours), exchange, clogged)


def _gone(draws: Sequence[Draw]) -> list[tuple[str, bool]]:
    """Return the colour of each cube that came out in the last of a turn's draws, and whether it had been inside."""
    if not draws:
        return []
    before = {cube.id for cube in draws[-1].state.cubes}
    landings = draws[-1].outcome.landings
    return [(at.cube.colour, at.cube.id in before) for at in landings if not at.place.startswith(INSIDE)]


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
