"""Measure what towers keep by the exact solver in tests/support, which judges engines: kept of 49, drop after drop.

python -m tests.measure.arbiter --drops 300 --step 1e-4 --store drops.jsonl
python -m tests.measure.arbiter --restitution poisson --store drops.jsonl

With `--store` every drop is a line of that file; what is there already is not thrown again, whatever run threw it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tests.measure.script import ended
from tests.support.bench import release
from tests.support.exact_solver import LOOK, Law, throw
from tests.support.towers import CLUB, RULEBOOK, called
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.errors import UsageError, fault, quote
from tower_sim.physics.settings import GRAVITY
from tower_sim.statistics import mean_error
from tower_sim.tools.progress import telling

CUBES = 49
RESTITUTION = ("newton", "poisson")

Drop = Mapping[str, Any]


def drop(profile: str, step: float, restitution: str, tolerance: float, seed: int) -> Drop:
    """Throw 49 cubes into the empty tower of `profile` and return what is known of the drop, a line of the store."""
    apparatus = load(profile)
    hand, edge = apparatus.hand, apparatus.cube_edge
    cubes = supply({"any": CUBES}, edge)
    launches = release(cubes, hand, apparatus.rim_top, edge, 0.01, np.random.default_rng(seed))
    law = Law(edge, step, (0.0, 0.0, -GRAVITY), restitution=float(RESTITUTION.index(restitution)), tolerance=tolerance)
    asked = {"profile": profile, "digest": apparatus.digest, "step": step, "restitution": restitution}
    return asked | {"tolerance": tolerance, "seed": seed} | asdict(throw(apparatus, launches, law))


def read(store: Path) -> list[Drop]:
    """Read the drops of a store, none if it is not there; raises UsageError for a file of something else.

    A last line without an end, of a run that was killed in it, is taken away.
    """
    try:
        text = store.read_text("utf-8") if store.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        drops = [json.loads(line) for line in whole.splitlines()]
        if whole != text:
            store.write_text(whole, "utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"store {quote(str(store))}: {error}; allowed is a file of drops; name another") from error
    return drops


def measure(options: argparse.Namespace) -> None:
    """Throw what is missing, the profiles in turn, and print a row a profile."""
    if options.drops < 2:
        raise fault("--drops", options.drops, "2 or more", "or there is no standard error")
    if not (1e-6 <= options.step <= LOOK) or abs(LOOK / options.step - round(LOOK / options.step)) > 1e-6:
        raise fault("--step", options.step, f"{LOOK} s divided by a whole number up to 10,000", "write 1e-4")
    store: Path | None = options.store
    wanted = {"step": options.step, "restitution": options.restitution, "tolerance": options.tolerance}
    digests = {load(profile).digest: profile for profile in options.profile}
    drops = {
        (digests[old["digest"]], old["seed"]): old
        for old in (read(store) if store else [])
        if old["digest"] in digests and all(old[key] == value for key, value in wanted.items())
    }
    seeds = range(options.first_seed, options.first_seed + options.drops)
    keys = [(profile, seed) for seed in seeds for profile in options.profile]
    with telling("drops", len(keys)) as tell:
        tell.begin(len(keys), sum(key in drops for key in keys))
        for profile, seed in keys:
            if (profile, seed) in drops:
                continue
            drops[profile, seed] = drop(profile, options.step, options.restitution, options.tolerance, seed)
            if store:
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(drops[profile, seed]) + "\n")
            tell.step()
    print(f"kept of {CUBES} by the exact solver, {options.restitution} restitution, step {options.step:g} s\n")
    print("| profile | kept, mean +- se | failed | steps out of tolerance | drops |\n|---|---|---|---|---|")
    for profile in options.profile:
        row = [drops[profile, seed] for seed in seeds]
        landed = [old for old in row if not old["failed"]]
        mean, se = mean_error([old["kept"] for old in landed])
        unsolved = sum(old["unsolved"] for old in row) / sum(old["seconds"] / options.step for old in row)
        print(
            f"| {called(profile)} | {mean:.2f} +- {se:.2f} | {len(row) - len(landed)} | {unsolved:.3%} | {len(row)} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the arguments say; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--profile", nargs="+", default=[RULEBOOK, CLUB], help="towers: shipped profiles' names, or files"
    )
    parser.add_argument("--drops", type=int, default=300, help="drops into each")
    parser.add_argument("--step", type=float, default=1e-4, help="the fixed step (s)")
    parser.add_argument("--restitution", choices=RESTITUTION, default=RESTITUTION[0], help="whose restitution")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of the solver; see Law")
    parser.add_argument("--first-seed", type=int, default=900_000, help="the first drop's seed; the others follow")
    parser.add_argument("--store", type=Path, help="a file to keep the drops in, a line each")
    options = parser.parse_args(arguments)
    return ended("arbiter", lambda: measure(options), "what is in the store is kept: run the same again")


if __name__ == "__main__":
    sys.exit(main())
