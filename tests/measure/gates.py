"""Measure what the core must hold to: convergence, whole games, woken residents, overlap at rest and sleep.

python -m tests.measure.gates convergence --drops 1000 --store DIR
python -m tests.measure.gates choose --drops 1000 --store DIR
python -m tests.measure.gates games --games 100 --store DIR --others GAMES.jsonl
python -m tests.measure.gates woken --states 1000 --store DIR
python -m tests.measure.gates overlap --states 1000 --store DIR
python -m tests.measure.gates sleep --games 50 --store DIR
python -m tests.measure.gates all --percent 100 --store DIR

Each is of the tower tests/measure/towers/rulebook.toml, `choose` and `all` of five, or of those that `--profile` names:
shipped profiles, or files. `all` does everything, the most important first; with a small share of the sample sizes it
is a look.
Every trial is a line of a file in DIR, so the same command goes on where it was stopped, and adds to what there is. All
differences are those of independent samples: equal hands do not pair chaotic drops.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.measure.numerics import difference
from tests.measure.script import ended
from tests.measure.trials import Store, Trial
from tests.support.towers import BEFORE, CLUB, RULEBOOK, called
from tower_sim.physics.settings import PhysicsSettings, accuracies, accuracy
from tower_sim.statistics import clopper_pearson, mean_error

STANDARD = accuracy("core", "standard")
NEVER = replace(STANDARD, quiet_time=10.0, longest=12.0)
FIRST = 3_000_000
"""The first seed: what is tuned on seeds below is not judged on them."""
SHIP = "dead_reckoning"
PROFILES = (RULEBOOK, CLUB, "tests/measure/towers/tower.toml", "wallenstein", SHIP)
SIZES = {"choose": 1000, "convergence": 1000, "games": 100, "woken": 1000, "overlap": 1000, "sleep": 50}
BOUND, SHIP_BOUND = 0.3, 0.01  # cubes of 49; share of the strength


def finer(share: float, settings: PhysicsSettings = STANDARD) -> PhysicsSettings:
    """Return settings with this share of the step: the longest one, and how far a cube may travel in it."""
    steps = ("timestep", "step_travel", "passed_travel")
    return replace(settings, **{name: share * getattr(settings, name) for name in steps})


def _times(name: str, *shares: float) -> dict[str, PhysicsSettings]:
    """Return a row for each share of a setting, named by what it becomes."""
    values = [(share, share * getattr(STANDARD, name)) for share in shares]
    if name == "iterations":
        values = [(share, round(value)) for share, value in values]
    return {f"{name} times {share:g} ({value:g})": replace(STANDARD, **{name: value}) for share, value in values}


STEPS = {
    "4 times the step": finer(4),
    "twice the step": finer(2),
    "standard": STANDARD,
    "half the step": finer(1 / 2),
    "a quarter of the step": finer(1 / 4),
    "an eighth of the step": finer(1 / 8),
}
ROWS: dict[str, PhysicsSettings] = {
    **{name: STEPS[name] for name in ("standard", "half the step", "a quarter of the step", "twice the step")},
    **_times("restitution_speed", 0.5, 2),
    **_times("relaxation", 0.5, 2),
    **_times("residual", 0.1, 0.5, 2),
    **_times("iterations", 0.5, 2),
    **_times("slop", 0, 0.5, 2),
    **_times("window", 0.5, 2),
    **_times("quiet_time", 0.5, 2),
    **_times("quiet_speed", 0.5, 2),
    **_times("quiet_spin", 0.5, 2),
    "never sleep": NEVER,
    **_times("patch", 0, 0.5, 2),
    "4 times the step": STEPS["4 times the step"],
    "an eighth of the step": STEPS["an eighth of the step"],
}


def landed(trials: Sequence[Trial]) -> list[int]:
    """Return what each drop that was a landing came to."""
    return [trial["value"] for trial in trials if trial["value"] is not None]


def bound_of(profile: str, mean: float) -> float:
    """Return how far a figure may move: a share of the strength in the ship, cubes in a tower."""
    return SHIP_BOUND * mean if profile == SHIP else BOUND


def verdict(away: float, se: float, bound: float) -> str:
    """Say whether a difference is within its bound: whether 95 % intervals say so, or only where the figure lies."""
    if abs(away) + 1.96 * se < bound:
        return "within"
    if abs(away) - 1.96 * se > bound:
        return "beyond"
    return "not shown, figure within" if abs(away) < bound else "not shown, figure beyond"


def convergence(store: Store, profile: str, drops: int, rows: Sequence[str]) -> None:
    """Print what 49 cubes (nine in the ship) come to under settings that are half and double of the standard ones."""
    print(f"tower {called(profile)}, settings {STANDARD.digest()}\n")
    print("| settings | mean +- se | sd | minus standard | bound | landed | CPU a drop, ms |")
    print("|---|---|---|---|---|---|---|")
    seeds = range(FIRST, FIRST + drops)
    standard = landed(store.trials("drop", profile, STANDARD, seeds))
    bound = bound_of(profile, mean_error(standard)[0])
    for name, settings in ROWS.items():
        if rows and not name.startswith(tuple(rows)):
            continue
        trials = store.trials("drop", profile, settings, seeds)
        values = landed(trials)
        mean, se = mean_error(values)
        less, judged = "", ""
        if settings != STANDARD:
            away, of = difference(values, standard)
            less, judged = f"{away:+.2f} +- {of:.2f}", f"{bound:.2f}: {verdict(away, of, bound)}"
        print(
            f"| {name} | {mean:.2f} +- {se:.2f} | {np.std(values, ddof=1):.2f} | {less} | {judged} "
            f"| {len(values)} of {len(trials)} | {_cost(trials):.0f} |",
            flush=True,
        )


def _cost(trials: Sequence[Trial]) -> float:
    """Return the CPU time (ms) of the median trial, so that a busy machine hardly counts."""
    return 1e3 * float(np.median([trial["cpu"] for trial in trials]))


def choose(store: Store, profiles: Sequence[str], drops: int) -> None:
    """Print how far each step is from a quarter of the standard one, the coarsest that is near it, and costs."""
    print(
        "| profile | step | minus a quarter of the standard step | 95 % | bound | landed |\n|---|---|---|---|---|---|"
    )
    seeds = range(FIRST, FIRST + drops)
    near = dict.fromkeys(STEPS, True)
    for profile in profiles:
        finest = landed(store.trials("drop", profile, STEPS["a quarter of the step"], seeds))
        bound = bound_of(profile, mean_error(finest)[0])
        for name, settings in list(STEPS.items())[:-2]:
            values = landed(store.trials("drop", profile, settings, seeds))
            away, se = difference(values, finest)
            near[name] &= abs(away) < bound
            print(
                f"| {called(profile)} | {name} | {away:+.2f} +- {se:.2f} "
                f"| {away - 1.96 * se:+.2f} to {away + 1.96 * se:+.2f} "
                f"| {bound:.2f}: {verdict(away, se, bound)} | {len(values)} of {drops} |",
                flush=True,
            )
    print(f"\nthe coarsest step within the bounds of all of them: {next(name for name in STEPS if near[name])}")
    print("\n| CPU a drop, ms | " + " | ".join(accuracies("core")) + " |\n|---|" + "---|" * len(accuracies("core")))
    for profile in profiles:
        costs = [_cost(store.trials("drop", profile, accuracy("core", x), seeds[:100])) for x in accuracies("core")]
        print(f"| {called(profile)} | " + " | ".join(f"{cost:.0f}" for cost in costs) + " |", flush=True)


def figures(games: Sequence[Mapping[str, list[int]]]) -> dict[str, list[float]]:
    """Return what is compared of whole games: a list of one figure a game for each."""
    return {
        "inside after the set-up": [game["inside"][0] for game in games],
        "inside after round 1": [game["inside"][7] for game in games],
        "inside after round 3": [game["inside"][21] for game in games],
        "inside after 36 drops": [game["inside"][-1] for game in games],
        "inside after a phase": [float(np.mean(game["inside"][1:])) for game in games],
        "thrown a phase": [float(np.mean(game["thrown"])) for game in games],
        "out a phase": [float(np.mean(game["out"])) for game in games],
        "of them residents": [float(np.mean(game["old"])) for game in games],
        "redrawn a game": [float(game["redrawn"]) for game in games],  # type: ignore[arg-type]
    }


def games(store: Store, profile: str, number: int, others: Path | None, row: str = "standard") -> None:
    """Print what whole published games come to under one of ROWS, beside those of another engine that a file holds."""
    played = store.trials("game", profile, ROWS[row], range(FIRST, FIRST + number))
    own = figures(played)
    beside: list[Trial] = []
    if others is not None:
        name = Path(profile).stem
        names = {name, BEFORE.get(name)}
        beside = [each for each in map(json.loads, others.read_text("utf-8").splitlines()) if each["p"] in names]
    _compare(
        f"{called(profile)}, {row}, {number} games",
        own,
        f"{len(beside)} games of the other",
        figures(beside) if beside else {},
    )
    last = [game["woken"] for game in played]
    print("\nwoken after 36 drops:")
    _say_woken(last)


def _compare(name: str, own: Mapping[str, list[float]], other: str, others: Mapping[str, list[float]]) -> None:
    print(f"| {name} | mean +- se | {other} | difference |\n|---|---|---|---|")
    for figure, values in own.items():
        line = "| {} | {:.2f} +- {:.2f} |".format(figure, *mean_error(values))
        if others:
            beside = "{:.2f} +- {:.2f} | {:+.2f} +- {:.2f}"
            line += " " + beside.format(*mean_error(others[figure]), *difference(values, others[figure])) + " |"
        print(line if others else line + "  |  |")


def woken(store: Store, profile: str, states: int) -> None:
    """Print of how many states after a set-up something falls out when all residents are woken, nothing thrown."""
    trials = store.trials("wake", profile, STANDARD, range(FIRST, FIRST + states))
    _say_woken([trial for trial in trials if "residents" in trial])


def _say_woken(trials: Sequence[Trial]) -> None:
    print("| woken | states in which something fell (95 %) | cubes that fell | residents | no landing |")
    print("|---|---|---|---|---|")
    ways = {
        "bare": "only woken",
        "lively": "only woken, none sleeps for ten seconds",
        "forgotten": "only woken, what presses on what forgotten",
        "knocked": "by the weakest knock that wakes",
    }
    residents = sum(trial["residents"] for trial in trials)
    for key, words in ways.items():
        fell = [trial[key] for trial in trials if trial[key] is not None]
        count = sum(n > 0 for n in fell)
        share = clopper_pearson(count, len(fell))
        print(
            f"| {words} | {count} of {share.n}: {share.value:.2%} ({share.low:.2%} to {share.high:.2%}) "
            f"| {sum(fell)} | {residents} | {len(trials) - len(fell)} |"
        )
    moved = np.array([trial["moved"] for trial in trials])
    print(f"\nfurthest move of one that stayed, edges: median {np.median(moved):.4f}, most {moved.max():.4f}")


def overlap(store: Store, profile: str, states: int) -> None:
    """Print how deep cubes at rest overlap after set-up drops, from poses and the profile's edge alone."""
    trials = store.trials("wake", profile, STANDARD, range(FIRST, FIRST + states))
    depth = 100 * np.array([trial["overlap"] for trial in trials if "overlap" in trial])
    count = int((depth > 0.5).sum())
    over = clopper_pearson(count, len(depth))
    print("| deepest overlap in a set-up drop, % of the edge | median | 99 % | most | over 0.5 (95 %) | drops |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {called(profile)} | {np.median(depth):.2f} | {np.quantile(depth, 0.99):.2f} | {depth.max():.2f} "
        f"| {count}: {over.value:.1%} ({over.low:.1%} to {over.high:.1%}) | {len(depth)} |"
    )


def sleep(store: Store, profile: str, number: int) -> None:
    """Print whole games, and chains of thirteen drops, with sleep as it ships and with none for ten seconds."""
    seeds = range(FIRST, FIRST + number)
    ships, never = (figures(store.trials("game", profile, each, seeds)) for each in (STANDARD, NEVER))
    _compare(f"{called(profile)}, {number} games, never asleep", never, "as shipped", ships)
    ends: list[dict[str, list[float]]] = []
    for settings in (NEVER, STANDARD):
        chains = [each["inside"] for each in store.trials("chain", profile, settings, seeds)]
        whole = [inside for inside in chains if len(inside) == max(map(len, chains))]
        ends.append({f"inside after {len(whole[0])} drops": [inside[-1] for inside in whole]})
    _compare(f"{number} chains, never asleep", ends[0], "as shipped", ends[1])


def everything(store: Store, profiles: Sequence[str], percent: int, others: Path | None) -> None:
    """Print all tables, with this share of the sample sizes."""
    sizes = {name: max(percent * size // 100, 2) for name, size in SIZES.items()}
    towers = [profile for profile in profiles if profile != SHIP]
    choose(store, profiles, sizes["choose"])
    for profile in towers:
        print(f"\n## {called(profile)}")
        for measure in (woken, overlap, sleep):
            print()
            measure(store, profile, sizes[measure.__name__])
        print()
        games(store, profile, sizes["games"], others)
    for profile in profiles:
        print()
        convergence(store, profile, sizes["convergence"], [])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the measurements; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="gate")
    for name, unit, words in (
        ("convergence", "drops", "what 49 cubes come to at other settings"),
        ("choose", "drops", "the coarsest step that is near enough to the finest"),
        ("games", "games", "whole games"),
        ("woken", "states", "residents that fall though nothing hit them"),
        ("overlap", "states", "how deep cubes at rest overlap"),
        ("sleep", "games", "games and chains with sleep and without"),
        ("all", "percent", "all of these"),
    ):
        command = commands.add_parser(name, help=words)
        command.add_argument(f"--{unit}", type=int, dest="number", default=SIZES.get(name, 100))
        several = PROFILES if name in ("choose", "all") else PROFILES[:1]
        command.add_argument("--profile", nargs="+", default=several, help="shipped profiles' names, or files")
        command.add_argument("--store", type=Path, required=True, help="the folder of what was measured")
        command.add_argument("--workers", type=int, default=1, help="processes")
        if name in ("games", "all"):
            command.add_argument("--others", type=Path, help="a file of another engine's games, to compare")
    only = "only the rows whose names begin so"
    commands.choices["convergence"].add_argument("--rows", nargs="*", default=[], help=only)
    commands.choices["games"].add_argument("--rows", nargs="+", default=["standard"], choices=ROWS, help="settings")
    options = parser.parse_args(arguments)
    store = Store(options.store, options.workers)

    def work() -> None:
        if options.gate == "choose":
            return choose(store, options.profile, options.number)
        if options.gate == "all":
            return everything(store, options.profile, options.number, options.others)
        for profile in options.profile:
            if options.gate == "convergence":
                convergence(store, profile, options.number, options.rows)
            elif options.gate == "games":
                for row in options.rows:
                    games(store, profile, options.number, options.others, row)
            else:
                {"woken": woken, "overlap": overlap, "sleep": sleep}[options.gate](store, profile, options.number)
            print()
        return None

    return ended("gates", work)


if __name__ == "__main__":
    sys.exit(main())
