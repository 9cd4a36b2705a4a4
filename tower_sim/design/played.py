"""A game in a tower of the design space, with physics: what it did, as the atlas tells it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim import registry
from tower_sim.apparatus import space
from tower_sim.campaign.data import SETUP
from tower_sim.cubes import Cube
from tower_sim.design.towers import JAMMED, OUTPUTS
from tower_sim.games.game import Turn
from tower_sim.physics.settings import ENGINE, STANDARD, accuracy
from tower_sim.recorder import Draw, Recorder
from tower_sim.runs.by_drop import ByDrop, after_setup, by_drop
from tower_sim.simulator import PhysicsModel

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
    drops: list[tuple[Sequence[Cube], Sequence[Cube], Sequence[Cube], int]] = []
    supply, is_cut, has_setup = 0, False, False
    for turn, draws in turns:
        if turn.failed is not None:
            is_cut = True
            break
        supply = max(supply, turn.state.next_id)
        has_setup |= turn.facts.get("phase") == SETUP
        thrown, gone = (draws[-1].outcome.thrown, draws[-1].outcome.emerged) if draws else ((), ())
        before = {cube.id for cube in draws[-1].state.cubes} if draws else set[int]()
        drops.append((thrown, gone, turn.state.cubes, sum(cube.id in before for cube in gone)))
    if len(drops) <= has_setup:
        setup = float(len(drops[0][2])) if drops else math.nan
        return (setup, *[math.nan] * 4, 1.0)
    runs = _counted(drops, has_setup)
    clogged = float(is_cut or len(drops[-1][2]) > JAMMED * supply)
    figures = [output.figure for output in OUTPUTS if output.figure]
    return (*(float(figure.value(runs)) for figure in figures), clogged)


def _counted(drops: Sequence[tuple[Sequence[Cube], Sequence[Cube], Sequence[Cube], int]], has_setup: bool) -> ByDrop:
    """Return a run by its drops: the cubes thrown, out and inside after each, and how many of those out were old."""
    colours = list(dict.fromkeys(cube.colour for thrown, *_ in drops for cube in thrown))
    of_drops = [[[[cube.colour for cube in cubes].count(colour) for colour in colours] for cubes in drop[:3]]
                for drop in drops]  # fmt: skip
    thrown, out, inside = np.moveaxis(np.array(of_drops, np.int16), 1, 0)
    phases = after_setup(len(drops)) if has_setup else np.ones(len(drops), bool)
    return by_drop(thrown, out, inside, old_out=np.array([drop[3] for drop in drops]), phases=phases)
