"""Measure what towers keep by the exact solver, which judges engines: kept of 49, drop after drop.

python -m calibration.validation.arbiter --drops 300 --step 1e-4 --store drops.jsonl
python -m calibration.validation.arbiter --restitution poisson --store drops.jsonl

With `--store` every drop is a line of that file; what is there already is not thrown again, whatever run threw it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from calibration.validation.exact_solver import LOOK, Law, throw
from calibration.validation.script import option, print_table, script
from tests.support.bench import release
from tests.support.towers import CLUB, RULEBOOK, called
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.errors import UsageError, fault, quote
from tower_sim.physics.settings import GRAVITY
from tower_sim.statistics import mean_error
from tower_sim.tools.progress import report_progress

CUBES = 49
RESTITUTION = ("newton", "poisson")

Drop = Mapping[str, Any]


def drop(profile: str, seed: int, step: float, restitution: str, tolerance: float) -> Drop:
    """Throw 49 cubes into the empty tower of `profile` and return what is known of the drop, a line of the store."""
    apparatus = load(profile)
    hand, edge = apparatus.hand, apparatus.cube_edge
    cubes = supply({"any": CUBES}, edge)
    (launches,) = release(cubes, hand, apparatus.rim_top, edge, 0.01, np.random.default_rng(seed))
    law = Law(edge, step, (0.0, 0.0, -GRAVITY), restitution=float(RESTITUTION.index(restitution)), tolerance=tolerance)
    key = {"profile": profile, "digest": apparatus.digest, "step": step, "restitution": restitution}
    return key | {"tolerance": tolerance, "seed": seed} | asdict(throw(apparatus, launches, law))


def read(store: Path) -> list[Drop]:
    """Return the drops of a store, without a last line that has no end: its run was killed."""
    try:
        text = store.read_text("utf-8") if store.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        drops = [json.loads(line) for line in whole.splitlines()]
        if whole != text:
            store.write_text(whole, "utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"store {quote(str(store))}: {error}; allowed is a file of drops; name another") from error
    return drops


def measure(
    profile: Sequence[str],
    drops: int,
    step: float,
    restitution: str,
    tolerance: float,
    first_seed: int,
    store: Path | None,
) -> None:
    if drops < 2:
        raise fault("--drops", drops, "2 or more", "or there is no standard error")
    if not (1e-6 <= step <= LOOK) or abs(LOOK / step - round(LOOK / step)) > 1e-6:
        raise fault("--step", step, f"{LOOK} s divided by a whole number up to 10,000", "write 1e-4")
    law = {"step": step, "restitution": restitution, "tolerance": tolerance}
    digests = {load(name).digest: name for name in profile}
    known = {
        (digests[old["digest"]], old["seed"]): old
        for old in (read(store) if store else [])
        if old["digest"] in digests and law.items() <= old.items()
    }
    seeds = range(first_seed, first_seed + drops)
    keys = [(name, seed) for seed in seeds for name in profile]
    with report_progress("drops", len(keys)) as tell:
        tell.begin(len(keys), sum(key in known for key in keys))
        for key in keys:
            if key in known:
                continue
            known[key] = drop(*key, **law)
            if store:
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known[key]) + "\n")
            tell.step()
    print(f"kept of {CUBES} by the exact solver, {restitution} restitution, step {step:g} s\n")

    def row(name: str) -> Sequence[object]:
        own = [known[name, seed] for seed in seeds]
        landed = [each["kept"] for each in own if not each["failed"]]
        mean, se = mean_error(landed)
        unsolved = sum(each["unsolved"] for each in own) / sum(each["seconds"] / step for each in own)
        return called(name), f"{mean:.2f} +- {se:.2f}", len(own) - len(landed), f"{unsolved:.3%}", len(own)

    print_table(["profile", "kept, mean +- se", "failed", "steps out of tolerance", "drops"], map(row, profile))


main = script(
    __doc__,
    measure,
    option("--profile", nargs="+", default=[RULEBOOK, CLUB], help="towers: shipped profiles' names, or files"),
    option("--drops", type=int, default=300, help="drops into each"),
    option("--step", type=float, default=1e-4, help="the fixed step (s)"),
    option("--restitution", choices=RESTITUTION, default=RESTITUTION[0], help="whose restitution"),
    option("--tolerance", type=float, default=1e-4, help="of the solver; see Law"),
    option("--first-seed", type=int, default=900_000, help="the first drop's seed; the others follow"),
    option("--store", type=Path, help="a file to keep the drops in, a line each"),
    to_go_on="what is in the store is kept: run the same again",
)

if __name__ == "__main__":
    raise SystemExit(main())
