"""Chains of throws as random as players': what was asked and what came of it, for other languages to repeat."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus, load, names
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings, document
from tower_sim.simulator import PhysicsModel
from tower_sim.values import COLOURS, Cube, Outcome, TowerState

SEED = "20261123"


@dataclass
class Chain:
    """One tower and what is done with it; `steps` hold what was asked, and the line that answers it."""

    apparatus: str
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def shipped() -> list[Apparatus]:
    return [load(name) for name in names()]


def profiles(settings: PhysicsSettings | None = None, shapes: Sequence[Apparatus] = ()) -> dict[str, Any]:
    """Return shapes, if there are none all shipped profiles, as data by name."""
    return {shape.name: document(shape, settings) for shape in shapes or shipped()}


def chains(
    steps: int, each: int = 5, settings: PhysicsSettings | None = None, shapes: Sequence[Apparatus] = ()
) -> Iterator[Chain]:
    """Yield chains of `each` steps, `steps` in all, over shapes, if there are none all shipped profiles, in turn."""
    models = [PhysicsModel(shape, settings) for shape in shapes or shipped()]
    for number in range(0, steps, each):
        model = models[number // each % len(models)]
        rng = np.random.default_rng([int(SEED), number])
        state, chain = model.empty(), Chain(model.apparatus)
        for i in range(min(each, steps - number)):
            step = _choose(model, state, rng) | {"seed": SEED, "key": [number + i]}
            try:
                outcome = _take(model, state, step)
            except UsageError as error:
                chain.steps.append(step | {"error": str(error)})
                continue
            line = json.dumps(outcome if isinstance(outcome, str) else outcome.to_json(7, COLOURS))
            chain.steps.append(step | {"line": line})
            state = TowerState.from_token(outcome) if isinstance(outcome, str) else outcome.state
        yield chain


def _choose(model: PhysicsModel, state: TowerState, rng: np.random.Generator) -> dict[str, Any]:
    board = model.shape.board
    there = [*state.cubes, *state.board.cubes]
    kinds = ["drop"] * 5 + ["knock", "hand"] + ["take"] * bool(there) + ["place", "again"] * (board is not None)
    kind = str(rng.choice(kinds))
    fresh = [[state.next_id + i, str(rng.choice(COLOURS))] for i in range(int(rng.integers(1, 20)))]
    if kind == "knock":
        return {"kind": kind, "strength": float(rng.choice([0.05, 0.5, 1.5, 4.0]))}
    if kind == "take":
        return {"kind": kind, "cubes": [cube.id for cube in there[:: int(rng.integers(1, 4))]]}
    if kind == "place":
        assert board is not None
        old = [[cube.id, cube.colour] for cube in state.board.cubes[:1] if rng.random() < 0.5]
        zone = board.zones[int(rng.integers(len(board.zones)))].name
        return {"kind": kind, "cube": (old or fresh)[0], "zone": zone}
    if kind == "again":  # cubes thrown again from the board, as in a battle
        return {"kind": "drop", "cubes": [[cube.id, cube.colour] for cube in state.board.cubes[::2]] + fresh[:3]}
    if kind == "hand":
        return {"kind": kind, "cubes": fresh[:6], "launches": [_launch(model, i, rng) for i in range(len(fresh[:6]))]}
    if rng.random() >= 0.9:
        fresh = [[state.next_id + i, str(rng.choice(COLOURS))] for i in range(70)]
    return {"kind": kind, "cubes": fresh}


def _launch(model: PhysicsModel, i: int, rng: np.random.Generator) -> list[float]:
    """Return how a hand lets a cube go over the rim; some are in each other's place, which is refused."""
    turn = rng.normal(size=4)
    turn /= np.sqrt((turn * turn).sum())
    side = float(rng.choice([0.004, 0.03]))
    place = [*(rng.random(2) * side - side / 2), model.shape.rim_top + 0.02 + 0.03 * rng.random()]
    return [float(x) for x in (8 * i, *place, *turn, *rng.normal(0, 0.2, 3), *rng.normal(0, 5, 3))]


def _take(model: PhysicsModel, state: TowerState, step: dict[str, Any]) -> Outcome | str:
    """Take a step; returns the outcome, of cubes taken out the token of the state."""
    draw = np.random.default_rng(np.random.SeedSequence(int(SEED), spawn_key=tuple(step["key"])))
    if step["kind"] == "take":
        ids = set(step["cubes"])
        return state.take(cube for cube in (*state.cubes, *state.board.cubes) if cube.id in ids).token()
    if step["kind"] == "knock":
        return model.knock(state, step["strength"], draw)
    if step["kind"] == "place":
        return model.place(state, _cubes(model, [step["cube"]])[0], step["zone"], draw)
    cubes = _cubes(model, step["cubes"])
    if step["kind"] == "hand":
        return model.throw_by_hand(state, cubes, step["launches"])
    return model.drop(state, cubes, draw)


def _cubes(model: PhysicsModel, plain: Sequence[Sequence[Any]]) -> list[Cube]:
    return [Cube(number, colour, model.cube_edge) for number, colour in plain]
