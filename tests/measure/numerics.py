"""Measure the numerical choices: the tables of docs/physics.md, each row with its sample size and standard error.

python -m tests.measure.numerics convergence --drops 400
python -m tests.measure.numerics overlap --drops 500
python -m tests.measure.numerics carry-over --games 60
python -m tests.measure.numerics knock --states 300
python -m tests.measure.numerics games --games 20

Each is of the tower tests/measure/towers/rulebook.toml, or of the one that `--profile NAME` (or a file) names, which
stands before its name; `convergence` also takes `--rows TEXT ...`, the rows whose names begin so. Of these,
`convergence` and `overlap` are Bullet's (the core's are in `gates`); the others take `--engine`.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing as mp
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from tests.measure.living import LivingGame, LivingTower, play_living
from tests.measure.overlap import deepest_at_rest
from tests.measure.script import ended
from tests.support.towers import RULEBOOK, called
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.games.amerigo import DropEntry, Rules, play
from tower_sim.model import until_landed
from tower_sim.outcome import Status
from tower_sim.physics.core.drop import HOLD
from tower_sim.physics.settings import ENGINE, PhysicsSettings, accuracy
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import clopper_pearson, mean_error

SETTINGS = accuracy("bullet", "standard")
FIXED = replace(SETTINGS, step_travel=10, passed_travel=10)


def finer(share: float) -> PhysicsSettings:
    """Return Bullet's settings with this share of the step: the longest one, and how far a cube may travel in it."""
    return replace(
        SETTINGS,
        timestep=share * SETTINGS.timestep,
        step_travel=share * SETTINGS.step_travel,
        passed_travel=share * SETTINGS.passed_travel,
    )


VARIANTS: dict[str, PhysicsSettings] = {
    "as shipped": SETTINGS,
    "half the step": finer(1 / 2),
    "a quarter of the step": finer(1 / 4),
    "an eighth of the step": finer(1 / 8),
    "a sixteenth of the step": finer(1 / 16),
    "an eighth of the step, 100 iterations, no early stop": replace(finer(1 / 8), iterations=100, residual=0.0),
    "no bounce below 4 cm/s": replace(SETTINGS, restitution_speed=0.04),
    "no bounce below 10 cm/s": replace(SETTINGS, restitution_speed=0.1),
    "no bounce below 20 cm/s": replace(SETTINGS, restitution_speed=0.2),
    "a quarter of the step, no bounce below 2 cm/s": replace(finer(1 / 4), restitution_speed=0.02),
    "a quarter of the step, no bounce below 20 cm/s": replace(finer(1 / 4), restitution_speed=0.2),
    "the finest: step travel 0.03, longest step 1/2000 s, 50 iterations": replace(
        SETTINGS, step_travel=0.03, passed_travel=0.06, timestep=1 / 2000, iterations=50
    ),
    "step travel 0.05 edge": replace(SETTINGS, step_travel=0.05),
    "step travel 0.2 edge": replace(SETTINGS, step_travel=0.2),
    "step travel 0.1 edge on the way out too": replace(SETTINGS, passed_travel=0.1),
    "fixed step 1/4000 s": replace(FIXED, timestep=1 / 4000),
    "fixed step 1/2000 s": replace(FIXED, timestep=1 / 2000),
    "fixed step 1/1000 s": replace(FIXED, timestep=1 / 1000),
    "fixed step 1/500 s": replace(FIXED, timestep=1 / 500),
    "relaxation 0.02 s": replace(SETTINGS, relaxation=0.02),
    "relaxation 0.1 s": replace(SETTINGS, relaxation=0.1),
    "relaxation 0.005 s": replace(SETTINGS, relaxation=0.005),
    "10 iterations": replace(SETTINGS, iterations=10),
    "100 iterations, no early stop": replace(SETTINGS, iterations=100, residual=0.0),
    "quiet for 0.5 s": replace(SETTINGS, quiet_time=0.5),
    "contact breaking 0.5 % of the edge": replace(SETTINGS, contact_breaking=0.005),
    "contact breaking 5 % of the edge": replace(SETTINGS, contact_breaking=0.05),
}


def difference(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return the mean of `values` minus that of `others`, independent samples, and its standard error."""
    (mean, se), (other, other_se) = mean_error(values), mean_error(others)
    return mean - other, math.hypot(se, other_se)


def first_drop(profile: str, settings: PhysicsSettings, seed: int) -> tuple[Status, int, int]:
    """Throw 49 cubes into the empty tower of `profile`: status, how many stay, how many of them on the floors."""
    with PhysicsModel(load(profile), settings) as model:
        cubes = supply({"any": 49}, model.cube_edge)
        outcome = model.drop(model.empty(), cubes, np.random.default_rng(seed))
    floors = sum(resident.region.endswith("floor") for resident in outcome.state.residents)
    return outcome.status, len(outcome.state.residents), floors


def overlap_at_rest(profile: str, repair: bool, seed: int) -> float | None:
    """Throw 49 cubes into the empty tower; the deepest overlap (edges) once all rest, None when it is no landing.

    Without `repair` no cube counts as wedged that overlaps by less than a fifth of its edge, and none does by more.
    """
    settings = SETTINGS if repair else replace(SETTINGS, rest_overlap=0.2)
    with PhysicsModel(load(profile), settings) as model:
        cubes = supply({"any": 49}, model.cube_edge)
        outcome = model.drop(model.empty(), cubes, np.random.default_rng(seed))
        return deepest_at_rest(outcome, model.shape) if outcome.status.is_landing else None


def _model(profile: str, engine: str) -> PhysicsModel:
    return PhysicsModel(load(profile), accuracy(engine, "standard"))


def living_game(profile: str, engine: str, seed: int) -> LivingGame:
    """Play a game with forks; see `play_living`."""
    with _model(profile, engine) as model:
        return play_living(model, seed)


def game(profile: str, engine: str, seed: int) -> list[DropEntry]:
    """Play a published game in the tower of `profile`."""
    with _model(profile, engine) as model:
        return list(play(model, Rules(), seed))


def woken(profile: str, engine: str, seed: int) -> tuple[int, int, int] | None:
    """Throw 49 cubes, then wake the residents in place, and re-created: residents, and how many came out of each."""
    with _model(profile, engine) as model, LivingTower(model) as tower:
        if tower.drop(supply({"any": 49}, model.cube_edge), np.random.default_rng(seed)) is None:
            return None
        state = tower.state()
        again = model.knock(state, HOLD, np.random.default_rng(seed))
        out = tower.wake()
        return None if out is None else (len(state.residents), out, len(again.emerged))


KNOCK_CUBES = 42  # leaves about 15 residents in tower.toml, 13 in `amerigo`
STRENGTHS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0)


def knocked(profile: str, engine: str, strengths: Sequence[float], seed: int) -> tuple[int, list[int]]:
    """Throw some cubes, then knock on forks of that state: residents, and how many each strength released."""
    with _model(profile, engine) as model:
        cubes = supply({"any": KNOCK_CUBES}, model.cube_edge)
        state = until_landed(partial(model.drop, model.empty(), cubes), np.random.SeedSequence(seed)).state
        released = [
            len(until_landed(partial(model.knock, state, x), np.random.SeedSequence(seed, spawn_key=(i,))).emerged)
            for i, x in enumerate(strengths)
        ]
    return len(state.residents), released


def convergence(profile: str, drops: int, workers: int, rows: Sequence[str]) -> None:
    """Print how many of 49 cubes the tower of `profile` keeps under other numerical settings.

    Every row throws the same hands, which does not pair them: drops are chaotic. `alike` is the correlation of a row's
    counts with the first row's, hand by hand, and the difference's standard error is that of independent samples.
    """
    print(f"tower {called(profile)}, settings {SETTINGS.digest()}\n")
    print("| settings | kept of 49, mean +- se | sd | minus shipped | alike | on the floors | failed draws | drops |")
    print("|---|---|---|---|---|---|---|---|")
    shipped: dict[int, int] = {}
    for name, settings in VARIANTS.items():
        if settings != SETTINGS and rows and not name.startswith(tuple(rows)):
            continue
        results = list(spread_out(partial(first_drop, profile, settings), range(drops), workers, "drops"))
        kept = {seed: kept for seed, (status, kept, _) in enumerate(results) if status.is_landing}
        floors = sum(on for status, _, on in results if status.is_landing) / max(sum(kept.values()), 1)
        shipped = shipped or kept
        mean, se = mean_error(list(kept.values()))
        less, alike = "", ""
        if settings != SETTINGS:
            less = "{:+.2f} +- {:.2f}".format(*difference(list(kept.values()), list(shipped.values())))
            both = [seed for seed in kept if seed in shipped]
            alike = f"{np.corrcoef([kept[seed] for seed in both], [shipped[seed] for seed in both])[0, 1]:+.2f}"
        sd = np.std(list(kept.values()), ddof=1)
        print(
            f"| {name} | {mean:.2f} +- {se:.2f} | {sd:.2f} | {less} | {alike} | {floors:.1%} "
            f"| {drops - len(kept)} | {drops} |",
            flush=True,
        )


def overlap(profile: str, drops: int, workers: int) -> None:
    """Print how deep cubes at rest overlap after set-up drops, with the repair of wedges and without."""
    limit = SETTINGS.rest_overlap
    print(
        "| deepest overlap in a set-up drop, % of the edge | median | 99 % of drops | most | over the limit | drops |"
    )
    print("|---|---|---|---|---|---|")
    for name, repair in (("with the repair of wedges", True), ("without", False)):
        deepest = spread_out(partial(overlap_at_rest, profile, repair), range(drops), workers, "drops")
        depth = np.array([edges for edges in deepest if edges is not None])
        over = clopper_pearson(int((depth > limit).sum()), len(depth))
        median, most = 100 * np.median(depth), 100 * depth.max()
        print(
            f"| {called(profile)}, {name} | {median:.2f} | {100 * np.quantile(depth, 0.99):.2f} | {most:.2f} "
            f"| {over.value:.1%} (95 %: {over.low:.1%} to {over.high:.1%}) | {len(depth)} |",
            flush=True,
        )


@dataclass(frozen=True, slots=True)
class CarryOver:
    """What re-creating the state does, measured: lists of one figure a game, and counts of woken states.

    `out_differences[g]`: for each fork of game g, cubes out of the re-created tower minus the living one.
    `inside_living`, `inside_recreated`: inside after a whole game. `woken`: residents, fallen when woken in place,
    fallen when re-created awake, of each state.
    """

    out_differences: list[list[int]]
    inside_living: list[int]
    inside_recreated: list[int]
    woken: list[tuple[int, int, int]]

    def out_difference(self) -> tuple[float, float]:
        """Mean and standard error over games, whose forks share a history; a game may have failed before its first."""
        forked = [forks for forks in self.out_differences if forks]
        mean = float(np.mean([d for forks in forked for d in forks]))
        return mean, mean_error([float(np.mean(forks)) for forks in forked])[1]

    def inside_difference(self) -> tuple[float, float]:
        """Mean of re-created minus living games, and its standard error."""
        return difference(self.inside_recreated, self.inside_living)


def measure_carry_over(profile: str, games: int, workers: int, engine: str = ENGINE) -> CarryOver:
    """Play `games` living games with forks and as many ordinary ones, and wake up to 300 set-up states."""
    living = list(spread_out(partial(living_game, profile, engine), range(games), workers, "games"))
    ordinary = list(spread_out(partial(game, profile, engine), range(10_000, 10_000 + games), workers, "games"))
    return CarryOver(
        [[f.recreated_out - f.living_out for f in each.forks if f.drop > 0] for each in living],
        [each.inside[-1] for each in living if len(each.inside) == Rules().drops],
        [sum(each[-1].inside.values()) for each in ordinary],
        [
            each
            for each in spread_out(partial(woken, profile, engine), range(min(5 * games, 300)), workers, "states")
            if each is not None
        ],
    )


def carry_over(profile: str, games: int, workers: int, engine: str) -> None:
    """Print the difference that re-creating the state makes: forks of the same states, whole games, bare waking."""
    measured = measure_carry_over(profile, games, workers, engine)
    mean, se = measured.out_difference()
    print(
        f"{sum(map(len, measured.out_differences))} forks of {games} games: out of the re-created minus the living "
        f"tower {mean:+.3f} +- {se:.3f} (95 %: {mean - 1.96 * se:+.3f} to {mean + 1.96 * se:+.3f})"
    )
    (a, sa), (b, sb) = mean_error(measured.inside_living), mean_error(measured.inside_recreated)
    mean, se = measured.inside_difference()
    print(
        f"inside after 36 drops: living {a:.2f} +- {sa:.2f} ({len(measured.inside_living)} games), re-created {b:.2f} "
        f"+- {sb:.2f} ({len(measured.inside_recreated)} games), difference {mean:+.2f} +- {se:.2f}"
    )
    for name, column in (("in place", 1), ("re-created", 2)):
        cubes, states = (
            sum(state[column] for state in measured.woken),
            sum(state[column] > 0 for state in measured.woken),
        )
        residents = sum(state[0] for state in measured.woken)
        fell = clopper_pearson(states, len(measured.woken))
        print(
            f"all residents woken {name}: {cubes} of {residents} fell out ({cubes / residents:.2%}), "
            f"in {states} of {fell.n} states ({fell.value:.1%}, 95 %: {fell.low:.1%} to {fell.high:.1%})"
        )


def measure_knock(
    profile: str, states: int, workers: int, engine: str = ENGINE
) -> tuple[list[int], dict[float, list[int]]]:
    """Knock on `states` states with each of `STRENGTHS`: residents of each, and cubes released by strength."""
    results = list(spread_out(partial(knocked, profile, engine, STRENGTHS), range(states), workers, "states"))
    return [each[0] for each in results], {x: [each[1][i] for each in results] for i, x in enumerate(STRENGTHS)}


def knock(profile: str, states: int, workers: int, engine: str) -> None:
    """Print the chance that a knock releases a cube, by strength."""
    residents, released = measure_knock(profile, states, workers, engine)
    mean, se = mean_error(residents)
    print(f"residents before the knock: {mean:.1f} +- {se:.1f} ({states} states)\n")
    print(
        "| strength, g | at least one falls (95 % interval) | cubes released, mean +- se | states |\n|---|---|---|---|"
    )
    for strength, counts in released.items():
        any_falls = clopper_pearson(sum(cubes > 0 for cubes in counts), states)
        mean, se = mean_error(counts)
        chance = f"{any_falls.value:.1%} ({any_falls.low:.1%} to {any_falls.high:.1%})"
        print(f"| {strength} | {chance} | {mean:.2f} +- {se:.2f} | {states} |")


def games(profile: str, number: int, workers: int, engine: str) -> None:
    """Print what whole published games in the tower of `profile` look like."""
    played = list(spread_out(partial(game, profile, engine), range(number), workers, "games"))
    inside = np.array([[sum(entry.inside.values()) for entry in entries] for entries in played])
    rows: dict[str, Sequence[float]] = {
        "inside after the set-up": inside[:, 0].tolist(),
        "inside after round 1": inside[:, 7].tolist(),
        "inside after round 3": inside[:, 21].tolist(),
        "inside after round 5": inside[:, 35].tolist(),
        "thrown a phase": [_mean(sum(e.thrown.values()) for e in entries[1:]) for entries in played],
        "out a phase": [_mean(sum(e.emerged.values()) for e in entries[1:]) for entries in played],
        "of them residents": [_old_out(entries) for entries in played],
        "actions a phase": [_mean(len(e.actions) for e in entries[1:]) for entries in played],
        "action points a phase": [_mean(e.action_points for e in entries[1:]) for entries in played],
        "skipped phases a game": [sum(e.skipped for e in entries[1:]) for entries in played],
    }
    print(f"| {number} games | mean +- se over games |\n|---|---|")
    for name, values in rows.items():
        print("| {} | {:.2f} +- {:.2f} |".format(name, *mean_error(values)))
    skipped = [sum(e.skipped for e in entries[1:]) for entries in played]
    draws = sum(e.attempts for entries in played for e in entries)
    redrawn = sum(len(e.failures) for entries in played for e in entries)
    jammed = sum(e.status is Status.JAMMED for entries in played for e in entries)
    no_landing = clopper_pearson(redrawn, draws)
    print(
        f"\nmost phases skipped in a game: {max(skipped)}; games with at most 5: {sum(s <= 5 for s in skipped)}; "
        f"draws that were no landing: {redrawn} of {draws} (95 %: {no_landing.low:.2%} to {no_landing.high:.2%}); "
        f"jammed: {jammed}"
    )


def _mean(values: Iterable[int]) -> float:
    return float(np.mean(list(values)))


def _old_out(entries: Sequence[DropEntry]) -> float:
    """Mean number of cubes a phase that came out and were not thrown in it."""
    old = [
        len({cube.id for cube in now.state.central} & {cube.id for cube in before.state.tower.cubes})
        for before, now in pairwise(entries)
    ]
    return float(np.mean(old))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the measurements; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=mp.cpu_count(), help="processes")
    parser.add_argument("--profile", default=RULEBOOK, help="the tower: a shipped profile's name, or a file")
    commands = parser.add_subparsers(required=True, dest="measure")
    for name, unit, number, words in (
        ("convergence", "drops", 400, "cubes kept at other numerical settings"),
        ("overlap", "drops", 500, "how deep cubes at rest overlap"),
        ("carry-over", "games", 60, "what re-creating a state costs"),
        ("knock", "states", 300, "what knocks bring out"),
        ("games", "games", 20, "whole games"),
    ):
        commands.add_parser(name, help=words).add_argument(f"--{unit}", type=int, dest="number", default=number)
    for name in ("carry-over", "knock", "games"):
        commands.choices[name].add_argument("--engine", default=ENGINE, help="default: %(default)s")
    only = "only the rows whose names begin so, beside the shipped"
    commands.choices["convergence"].add_argument("--rows", nargs="*", default=[], help=only)
    options = parser.parse_args(arguments)
    measures = {"carry-over": carry_over, "knock": knock, "games": games}

    def work() -> None:
        if options.measure == "convergence":
            convergence(options.profile, options.number, options.workers, options.rows)
        elif options.measure == "overlap":
            overlap(options.profile, options.number, options.workers)
        else:
            measures[options.measure](options.profile, options.number, options.workers, options.engine)

    return ended("numerics", work)


if __name__ == "__main__":
    sys.exit(main())
