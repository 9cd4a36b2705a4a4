"""How fast the tower's surrogate is: run `python -m calibration.validation.benchmark_surrogate` (about a minute).

Prints Markdown. Times are CPU time of this one process, ratios are of things measured in turn, and each figure is the
median of the repeats with the least and the greatest.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.validation.timing import load_average, machine, spread, timed
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import Cube, supply
from tower_sim.drops.repeat import until_landed
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.amerigo.many import sample_games
from tower_sim.models import open_model
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.statistics import mean_error
from tower_sim.surrogate.cascade import CROWD
from tower_sim.surrogate.generator import WordStream
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.table import OUT, Resting, Table, move
from tower_sim.surrogate.two_thirds import RESIDENT_OUT, THROWN_OUT, TwoThirdsRule

RULES = Rules()
COLOUR = np.repeat(np.arange(len(RULES.colours)), [RULES.counts[each] for each in RULES.colours])
PHASES = [-1] + [RULES.colours.index(phase) for phase in RULES.phases] * RULES.rounds
Model = PhysicsModel | SurrogateModel | TwoThirdsRule
Array = npt.NDArray[Any]


def middle_of_a_game(model: Model, drops: int, inside: int) -> TowerState:
    """Return a state with a log of so many drops, of 30 cubes and then of 3, and so many cubes inside.

    Of more that stayed some are taken out by hand; where fewer stayed, another seed is tried.
    """
    for seed in range(100):
        state = model.empty()
        for number in range(drops):
            cubes = supply({"any": 3 if number else 30}, model.cube_edge, first_id=state.next_id)
            draw = partial(model.drop, state, cubes)
            state = until_landed(draw, np.random.SeedSequence([seed, number])).state
        if len(state.residents) >= inside:
            return state.take(state.cubes[inside:]) if len(state.residents) > inside else state
    raise RuntimeError(f"no state with {inside} cubes inside in 100 tries")


def drop_times(models: Sequence[tuple[Model, int]], repeats: int) -> list[list[float]]:
    """Time a drop (s) of 5 cubes onto 8 with each model, as many in a row as are given with it, in turn."""
    scenes: list[tuple[Model, int, TowerState, tuple[Cube, ...]]] = []
    for model, count in models:
        state = middle_of_a_game(model, 20, 8)
        scenes.append((model, count, state, supply({"any": 5}, model.cube_edge, first_id=state.next_id)))
    found: list[list[float]] = [[] for _ in models]
    for repeat in range(repeats):
        for times, (model, count, state, cubes) in zip(found, scenes, strict=True):
            drop = partial(model.drop, state, cubes, np.random.default_rng(repeat))
            times.append(timed(lambda drop=drop, count=count: [drop() for _ in range(count)]) / count)
    return found


class Counted(WordStream):
    drawn = 0

    def __call__(self) -> int:
        self.drawn += 1
        return super().__call__()


def words_of_a_game(table: Table, words: Counted) -> tuple[int, list[int]]:
    """Play a game drop by drop; return how many words it draws, and how many cubes come out in each drop."""
    inside: dict[int, tuple[int, int, bool]] = {}  # floor, number of the drop that threw it, in a crowd
    emerged = [0] * len(PHASES)
    drops = 0
    for i, phase in enumerate(PHASES):
        thrown = [cube for cube in range(len(COLOUR)) if cube not in inside and phase in (-1, COLOUR[cube])]
        if not thrown:
            continue
        cubes = sorted((*inside, *thrown))
        resting = {cube: Resting(floor, drops - since, crowd) for cube, (floor, since, crowd) in inside.items()}
        for cube, end in zip(cubes, move(table, [resting.get(cube) for cube in cubes], words), strict=True):
            _, since, crowd = inside.pop(cube, (OUT, drops, len(thrown) >= CROWD))
            emerged[i] += end == OUT
            if end != OUT:
                inside[cube] = (end, since, crowd)
        drops += 1
    return words.drawn, emerged


def words_a_game(model: SurrogateModel, games: int, seed: int) -> tuple[float, float]:
    """Return the mean number of words that the first games of a batch draw, and its standard error."""
    a, b, c, d = (int(word) for word in np.random.SeedSequence(seed).generate_state(4))
    batch = sample_games(model, RULES, games, seed).emerged.sum(-1)
    counts: list[int] = []
    for game in range(games):
        drawn, emerged = words_of_a_game(model.table, Counted((a, b, c, d), game))
        assert emerged == batch[game].tolist()  # they are the batch's games
        counts.append(drawn)
    return mean_error(counts)


def words_alone() -> Callable[[int, int, Array, Array], int]:
    """Return a compiled loop that draws so many words for each of so many games and compares each with a threshold."""
    numba: Any = importlib.import_module("numba")
    kernel: Any = importlib.import_module("tower_sim.surrogate.kernel")
    seeded, step = kernel.seeded, kernel.step

    def draw(games: int, words: int, seed: Array, thresholds: Array) -> int:
        passed = 0
        state = np.empty(4, np.int64)
        for game in range(games):
            seeded(state, seed, game)
            a, b, c, d = np.uint32(state[0]), np.uint32(state[1]), np.uint32(state[2]), np.uint32(state[3])
            for i in range(words):
                word, a, b, c, d = step(a, b, c, d)
                passed += word < thresholds[i % 4]
        return passed

    return numba.njit(draw)


def words_by_numpy(games: int, words: int, rng: np.random.Generator) -> int:
    """Draw so many words for each of so many games with PCG64, a hundred games at a time, and compare each."""
    return sum(
        int((rng.integers(0, 1 << 32, (min(100, games - begun), words), np.uint32) < np.uint32(0.9 * 2**32)).sum())
        for begun in range(0, games, 100)
    )


def two_thirds_in_numpy(games: int, rng: np.random.Generator) -> Array:
    """Play games of the 2/3-1/3 rule, all at once; return how many cubes come out, shape (game, drop, colour)."""
    emerged = np.empty((games, len(PHASES), len(RULES.colours)), np.int16)
    inside = np.zeros((games, len(COLOUR)), bool)
    for drop, phase in enumerate(PHASES):
        thrown = ~inside & ((phase == COLOUR) | (phase < 0))
        chance = thrown * THROWN_OUT + inside * RESIDENT_OUT
        out = rng.random(inside.shape) < chance
        inside = (inside | thrown) & ~out
        emerged[:, drop] = np.stack([out[:, k == COLOUR].sum(-1) for k in range(len(RULES.colours))], -1)
    return emerged


def physics_games(model: PhysicsModel, games: int, seed: int) -> None:
    for game in range(games):
        for _ in play(model, RULES, seed * games + game):
            pass


def batches(
    model: SurrogateModel, physics: PhysicsModel, games: int, repeats: int, physics_count: int
) -> tuple[dict[str, list[float]], tuple[float, float]]:
    """Time whole games (s each) the five ways in turn; return the times, and the words a game with their error."""
    mean, error = words_a_game(model, min(games, 200), 1)
    alone = words_alone()
    words = np.random.SeedSequence(1).generate_state(4).astype(np.int64)
    below = np.full(4, 0.9 * 2**32, np.uint32)
    alone(1, 1, words, below)  # compiles
    ways: list[tuple[str, int, Callable[[int], object]]] = [
        ("surrogate", games, lambda seed: sample_games(model, RULES, games, seed)),
        ("words", games, lambda _: alone(games, round(mean), words, below)),
        ("words_numpy", games, lambda seed: words_by_numpy(games, round(mean), np.random.default_rng(seed))),
        ("numpy", games, lambda seed: two_thirds_in_numpy(games, np.random.default_rng(seed))),
        ("physics", physics_count, lambda seed: physics_games(physics, physics_count, seed)),
    ]
    found: dict[str, list[float]] = {name: [] for name, _, _ in ways}
    for repeat in range(repeats):
        for name, count, work in ways:
            found[name].append(timed(partial(work, repeat)) / count)
    return found, (mean, error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000, help="games of a batch")
    parser.add_argument("--repeats", type=int, default=5, help="how often each thing is timed")
    parser.add_argument("--physics-games", type=int, default=1, help="games with physics in each repeat")
    options = parser.parse_args()
    print(
        f"{machine()}, numpy {np.__version__}, load at the start {load_average()}; one process, CPU time; "
        f"{options.repeats} repeats\n"
    )
    shape = load("amerigo")
    surrogate, two_thirds = open_model(shape, "surrogate"), open_model(shape, "two_thirds")
    assert isinstance(surrogate, SurrogateModel)
    assert isinstance(two_thirds, TwoThirdsRule)
    first = timed(lambda: sample_games(surrogate, RULES, 1, 1))
    with PhysicsModel(shape) as physics:
        drops = drop_times([(surrogate, 1000), (two_thirds, 1000), (physics, 2)], options.repeats)
        games, (words, error) = batches(surrogate, physics, options.games, options.repeats, options.physics_games)
    print("| one drop of 5 cubes onto 8, with a log of 20 drops | us |\n|---|---|")
    for name, times in zip(("surrogate", "two_thirds", "physics"), drops, strict=True):
        print(f"| {name} | {spread([1e6 * t for t in times], ',.0f')} |")
    print(
        f"\n| {options.games:,} whole games in a batch | games/s | time of the surrogate's over that |\n|---|---|---|"
    )
    titles = {
        "surrogate": "`sample_games`",
        "words": f"its random words alone in a compiled loop, {words:.0f} +- {error:.0f} a game",
        "words_numpy": "as many words of numpy's PCG64",
        "numpy": "the 2/3-1/3 rule in numpy",
        "physics": f"physics, {options.physics_games * options.repeats} games",
    }
    for name, title in titles.items():
        ratios = [ours / theirs for ours, theirs in zip(games["surrogate"], games[name], strict=True)]
        of_ratio, of_rate = (".2g", ",.2f") if name == "physics" else (".2f", ",.0f")
        ratio = "" if name == "surrogate" else spread(ratios, of_ratio)
        print(f"| {title} | {spread([1 / t for t in games[name]], of_rate)} | {ratio} |")
    longer = spread([theirs / ours for ours, theirs in zip(games["surrogate"], games["physics"], strict=True)], ",.0f")
    print(f"\nphysics takes {longer} times as long; first call, with compiling or loading: {first:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
