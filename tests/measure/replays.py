"""What recording costs, and how large replays are: the tables of docs/replay.md.

    python -m tests.measure.replays --drops 200

Of each drop the CPU time is compared with that of the same drop unrecorded, right before or after it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from tests.measure.script import ended
from tests.support.filmed import recorded
from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import Cube, supply
from tower_sim.model import until_landed
from tower_sim.pages.html import Page
from tower_sim.physics.film import Film
from tower_sim.physics.settings import PhysicsSettings, accuracy
from tower_sim.replay.compose import of_drop, of_play
from tower_sim.replay.document import HEADER, POSES, Replay
from tower_sim.replay.takes import takes
from tower_sim.requests import DropRequest, PlayRequest
from tower_sim.simulator import PhysicsModel

CUBES = 49
SEEDS = range(7, 17)
GAMES = ("amerigo", "wallenstein", "dead_reckoning")


class Pairs:
    """The CPU time of recorded drops in times of the same drops unrecorded."""

    def __init__(self) -> None:
        self.plain: list[float] = []
        self.ratios: dict[str, list[float]] = {"recorded": [], "recorded, and made takes": [], "unrecorded, again": []}

    def rows(self) -> Iterator[str]:
        for name, ratios in self.ratios.items():
            mean, error = statistics.mean(ratios), statistics.stdev(ratios) / math.sqrt(len(ratios))
            yield f"| {name} | {mean:.4f} | {error:.4f} | {len(ratios)} |"


def drop_seconds(model: PhysicsModel, cubes: Sequence[Cube], seed: int) -> float:
    """Return the CPU time of one drop into the empty tower."""
    rng, begun = np.random.default_rng(seed), time.process_time()
    model.drop(model.empty(), cubes, rng)
    return time.process_time() - begun


def cost(drops: int, settings: PhysicsSettings) -> Iterator[str]:
    """Give the table of what recording costs: each drop unrecorded, recorded, and unrecorded again, in turns."""
    shape, film, found = load("amerigo"), Film(), Pairs()
    cubes = supply({"any": CUBES}, shape.cube_edge)
    with PhysicsModel(shape, settings) as plain, PhysicsModel(shape, settings, film) as model:
        for seed in range(-3, drops):
            order = [plain, model] if seed % 2 else [model, plain]  # which is first alternates
            spent = {id(each): drop_seconds(each, cubes, seed + 3) for each in order}
            again = drop_seconds(plain, cubes, seed + 3)
            begun = time.process_time()
            takes(film.taken(), shape)
            made = time.process_time() - begun
            if seed < 0:
                continue  # what is loaded or made at the first calls
            base, filmed = spent[id(plain)], spent[id(model)]
            found.plain.append(base)
            for name, seconds in zip(found.ratios, (filmed, filmed + made, again), strict=True):
                found.ratios[name].append(seconds / base)
    yield f"{CUBES} cubes into {shape.name}, {settings.engine}: {1e3 * statistics.mean(found.plain):.1f} ms of CPU time"
    yield "| a drop | mean ratio to the same drop unrecorded | se | n |"
    yield "|---|---|---|---|"
    yield from found.rows()


def of_drops(shape: Apparatus, model: PhysicsModel, film: Film, seed: int) -> Replay:
    """Return the replay of a drop of 49 cubes into the empty tower."""
    request = DropRequest(shape.name, "physics", seed, {"blue": 20, "red": 20, "green": CUBES - 40})
    cubes = supply(request.cubes, shape.cube_edge)
    landed = until_landed(lambda rng: model.drop(model.empty(), cubes, rng), np.random.SeedSequence(seed))
    return of_drop(request, shape, landed, takes(film.taken(), shape))


def of_games(name: str, seed: int) -> Replay:
    """Return the replay of a whole game."""
    game, film = registry.get("game", name), Film()
    shape = load(game.apparatus)
    request = PlayRequest(game, game.read({}), shape.name, "physics", seed)
    with PhysicsModel(shape, record=film) as model:
        turns = list(recorded(game.start(model, request.rules, seed), film, shape))
        return of_play(request, shape, turns, model.name)


def sizes() -> Iterator[str]:
    """Give the table of sizes, kB; of each the mean over the seeds, and the largest."""
    shape, film = load("amerigo"), Film()
    with PhysicsModel(shape, record=film) as model:
        made = {f"{CUBES} cubes into amerigo": [of_drops(shape, model, film, seed) for seed in SEEDS]}
    for name in GAMES:
        made[f"play {name}"] = [of_games(name, seed) for seed in SEEDS]
    columns = ("takes", "seconds", "poses", "gzip of them", "header", "gzip of it", "document in a page")
    yield f"| n = {len(SEEDS)}; kB | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name, replays in made.items():
        columns = zip(*(list(figures(replay)) for replay in replays), strict=True)
        cells = [f"{statistics.mean(column):.1f} (to {max(column):.1f})" for column in columns]
        yield f"| {name} | {' | '.join(cells)} |"


def figures(replay: Replay) -> Iterator[float]:
    """Give the figures of one replay."""
    header = json.dumps(replay.header).encode()
    page = Page(replay.title, "", (), (), {HEADER: replay.header}, {POSES: replay.data}).text().encode()
    yield len(replay.takes())
    yield sum(take["frames"] for take in replay.takes()) / replay.header["rate"]
    for data in (replay.data, gzip.compress(replay.data, 9), header, gzip.compress(header, 9), page):
        yield len(data) / 1e3


def measure(drops: int, settings: PhysicsSettings) -> None:
    """Print both tables."""
    for line in (*cost(drops, settings), "", *sizes()):
        print(line, flush=True)
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drops", type=int, default=200, help="drops timed (default: 200)")
    parser.add_argument("--engine", default="core", help="engine (default: core)")
    options = parser.parse_args(arguments)
    return ended("replays", lambda: measure(options.drops, accuracy(options.engine, "standard")))


if __name__ == "__main__":
    sys.exit(main())
