"""Trials that are kept: what one drop, game or waking came to, a JSON line each, so that a measurement goes on later.

A file holds one kind of trial in one apparatus under one table of settings and one state of the engine's sources; it
is never read for others. Every seed is tried once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tests.measure.overlap import deepest_of
from tests.support.bench import World
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.dead_reckoning.worths import worth
from tower_sim.physics.core import compiled
from tower_sim.physics.core.drop import HOLD
from tower_sim.physics.engine import version_of
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState

Trial = dict[str, Any]
CUBES = {"dead_reckoning": 9}  # thrown at once; 49 into any other
LATER, THROWN = 12, 6  # drops of a chain after its first, and cubes in each


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of trials, and how many processes fill it."""

    folder: Path
    workers: int = 1

    def path(self, kind: str, profile: str, settings: PhysicsSettings) -> Path:
        """Return the file of a kind of trial: its name says on what the trials depend.

        What a tower was called does not count: a file that is there under another name is that file.
        """
        made_of = f"{load(profile).digest[:8]}-{settings.digest()}-{settings.engine}-{sources(settings)}"
        path = self.folder / f"{kind}-{Path(profile).stem}-{made_of}.jsonl"
        return path if path.exists() else next(iter(sorted(self.folder.glob(f"{kind}-*-{made_of}.jsonl"))), path)

    def trials(self, kind: str, profile: str, settings: PhysicsSettings, seeds: Sequence[int]) -> list[Trial]:
        """Return the trials of `seeds`, in their order; those that are not kept yet are made and kept."""
        path = self.path(kind, profile, settings)
        kept = read(path)
        missing = [seed for seed in seeds if seed not in kept]
        if missing:
            self.folder.mkdir(parents=True, exist_ok=True)
            size = 1 if kind in ("game", "chain") else 10
            batches = [missing[i : i + size] for i in range(0, len(missing), size)]
            work = partial(_several, kind, profile, settings, sources(settings))
            for done in spread_out(work, batches, self.workers, f"tens of {kind}s" if size > 1 else f"{kind}s"):
                with path.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(trial) + "\n" for trial in done)
                kept |= {trial["seed"]: trial for trial in done}
        return [kept[seed] for seed in seeds]


def sources(settings: PhysicsSettings) -> str | None:
    """Return what of the engine trials depend on: a digest of the core's files, another engine's version."""
    return compiled.digest() if settings.engine == "core" else version_of(settings.engine)


def read(path: Path) -> dict[int, Trial]:
    """Return the trials of a file by their seeds; a last line that was cut off is none."""
    if not path.exists():
        return {}
    lines = path.read_text("utf-8").split("\n")
    trials = [json.loads(line) for line in lines[:-1] if line]
    return {trial["seed"]: trial for trial in trials}


def _several(
    kind: str, profile: str, settings: PhysicsSettings, expected: str | None, seeds: Sequence[int]
) -> list[Trial]:
    if sources(settings) != expected:  # the files changed since the command began
        raise UsageError("the engine's files are others than when this began; run it again, from files at rest")
    done: list[Trial] = []
    with PhysicsModel(load(profile), settings) as model:
        for seed in seeds:
            began = time.process_time()
            trial = KINDS[kind](model, seed)
            done.append({"seed": seed, **trial, "cpu": round(time.process_time() - began, 5)})
    return done


def drop(model: PhysicsModel, seed: int) -> Trial:
    """Throw 49 cubes into the empty tower: `value` is how many stay. Of the ship: nine, and the strength they bring."""
    shape = model.shape
    cubes = supply({"any": CUBES.get(shape.name, 49)}, model.cube_edge)
    outcome = model.drop(model.empty(), cubes, np.random.default_rng(seed))
    value = _strength(shape, [x.place for x in outcome.landings])
    if value is None:
        value = len(outcome.state.residents)
    return {"status": str(outcome.status), "value": value if outcome.status.is_landing else None}


def _strength(shape: Apparatus, places: Sequence[str]) -> int | None:
    """Return the strength that cubes at `places` bring in the ship's battle, None for a tower."""
    if not isinstance(shape, CombatShip):
        return None
    strengths = {f"zone:{zone.name}": worth(zone).strength for zone in shape.board.zones}
    return sum(strengths.get(place, 0) for place in places)


def wake(model: PhysicsModel, seed: int) -> Trial:
    """Throw 49 cubes, then wake the residents: see `woken`."""
    cubes = supply({"any": 49}, model.cube_edge)
    outcome = model.drop(model.empty(), cubes, np.random.default_rng(seed))
    status = {"status": str(outcome.status)}
    return status | woken(model, outcome.state, seed) if outcome.status.is_landing else status


def woken(model: PhysicsModel, state: TowerState, seed: int) -> Trial:
    """Wake all residents of a state in four ways; says how many there are and how many fall out of each.

    `bare`: nothing but waking. `forgotten`: likewise, but what pressed on what is not known. `lively`: likewise, but
    nobody goes to sleep again for eleven seconds. `knocked`: by the weakest knock that wakes. None: no landing.
    `overlap`: the deepest at rest (edges), from poses alone; `moved`: the furthest that one went in `bare` (edges).
    """
    poses = [resident.pose for resident in state.residents if resident.pose]
    moved, bare = _fallen(model.settings, model.shape, state)
    knocked = model.knock(state, HOLD, np.random.default_rng(seed))
    return {
        "residents": len(state.residents),
        "bare": bare,
        "moved": round(moved, 6),
        "forgotten": _fallen(model.settings, model.shape, replace(state, touches=()))[1],
        "lively": _fallen(replace(model.settings, quiet_time=10.0, longest=12.0), model.shape, state)[1],
        "knocked": len(knocked.emerged) if knocked.status.is_landing else None,
        "overlap": round(deepest_of(poses, model.shape.cube_edge, model.shape.boxes) / model.shape.cube_edge, 6),
    }


def _fallen(settings: PhysicsSettings, shape: Apparatus, state: TowerState) -> tuple[float, int | None]:
    """Wake all residents without any swing: how far (edges) the furthest went that stays, and how many fall out."""
    world = World(settings)
    with world.alone():
        scene = world.scene(shape)
        poses = {each.cube: each.pose for each in state.residents if each.pose}
        scene.lay(poses, {}, state.touches)
        before = {cube: np.array(pose.position) for cube, pose in poses.items()}
        status = scene.settle((HOLD, 0.0, 0.0))
        after = dict(zip(scene.there, scene.motion().position, strict=True))
        fallen = len(scene.out())
    world.close()
    moved = max((float(np.linalg.norm(at - before[cube])) for cube, at in after.items()), default=0.0)
    return moved / shape.cube_edge, fallen if status.is_landing else None


def game(model: PhysicsModel, seed: int) -> Trial:
    """Play a published game: each drop's cubes inside, out, thrown and residents out; its last state, woken."""
    entries = list(play(model, Rules(), seed))
    old = [
        len({cube.id for cube in now.state.central} & {cube.id for cube in before.state.tower.cubes})
        for before, now in pairwise(entries)
    ]
    took = time.process_time()
    last = woken(model, entries[-1].state.tower, seed)
    return {
        "inside": [sum(entry.inside.values()) for entry in entries],
        "out": [sum(entry.emerged.values()) for entry in entries[1:]],
        "thrown": [sum(entry.thrown.values()) for entry in entries[1:]],
        "old": old,
        "redrawn": sum(len(entry.failures) for entry in entries),
        "woken": last,
        "waking": round(time.process_time() - took, 5),
    }


def chain(model: PhysicsModel, seed: int) -> Trial:
    """Throw 49 cubes, then twelve times six: cubes inside after each. It ends early at a draw that is no landing."""
    inside: list[int] = []
    state, new = model.empty(), supply({"first": 49}, model.cube_edge)
    for i in range(LATER + 1):
        outcome = model.drop(state, new, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,))))
        if not outcome.status.is_landing:
            break
        state = outcome.state
        inside.append(len(state.residents))
        new = supply({"later": THROWN}, model.cube_edge, first_id=49 + i * THROWN)
    return {"inside": inside}


KINDS: dict[str, Callable[[PhysicsModel, int], Trial]] = {"drop": drop, "wake": wake, "game": game, "chain": chain}
