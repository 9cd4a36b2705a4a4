"""Measure what towers keep by the exact solver, which judges engines: kept of 49, drop after drop.

python -m calibration.validation.arbiter --drops 300 --step 1e-4 --store drops.csv
python -m calibration.validation.arbiter --restitution poisson --store drops.csv

Every drop is a line of the store; what is there already is not thrown again, whatever run threw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from calibration.validation.exact_solver import LOOK, Law, throw
from calibration.validation.script import go_on, option, print_table, script
from tests.support.bench import release
from tests.support.towers import CLUB, RULEBOOK, called
from tower_sim.apparatus import load
from tower_sim.errors import fault
from tower_sim.physics import GRAVITY
from tower_sim.results import mean_error
from tower_sim.values import supply

CUBES = 49
RESTITUTION = ("newton", "poisson")
FIRST_SEED = 900_000


def drop(key: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Throw 49 cubes into the empty tower; return what is known of the drop, a row of the store."""
    apparatus = load(key["profile"])
    edge, bounce = apparatus.cube_edge, float(RESTITUTION.index(key["restitution"]))
    cubes = supply({"any": CUBES}, edge)
    (launches,) = release(cubes, apparatus.hand, apparatus.rim_top, edge, 0.01, np.random.default_rng(key["seed"]))
    law = Law(edge, key["step"], (0.0, 0.0, -GRAVITY), restitution=bounce, tolerance=key["tolerance"])
    return [asdict(throw(apparatus, launches, law))]


def measure(profile: Sequence[str], drops: int, step: float, restitution: str, tolerance: float, store: Path) -> None:
    if drops < 2:
        raise fault("--drops", drops, "2 or more", "or there is no standard error")
    if not (1e-6 <= step <= LOOK) or abs(LOOK / step - round(LOOK / step)) > 1e-6:
        raise fault("--step", step, f"{LOOK} s divided by a whole number up to 10,000", "write 1e-4")
    law = {"step": step, "restitution": restitution, "tolerance": tolerance}
    digests = {name: load(name).digest for name in profile}
    seeds = range(FIRST_SEED, FIRST_SEED + drops)
    keys = [{"profile": name, "digest": digests[name], **law, "seed": seed} for seed in seeds for name in profile]
    table = go_on(store, keys, drop)
    own: Any = table[table["digest"].isin(digests.values()) & table["seed"].isin(seeds)]
    own = own[(own[list(law)] == pd.Series(law)).all(axis=1)]
    print(f"kept of {CUBES} by the exact solver, {restitution} restitution, step {step:g} s\n")

    def row(name: str) -> Sequence[object]:
        of = own[own["digest"] == digests[name]]
        landed = of["kept"][of["failed"].fillna("") == ""]
        mean, se = mean_error(landed.tolist())
        unsolved = of["unsolved"].sum() / (of["seconds"].sum() / step)
        return called(name), f"{mean:.2f} +- {se:.2f}", len(of) - len(landed), f"{unsolved:.3%}", len(of)

    print_table(["profile", "kept, mean +- se", "failed", "steps out of tolerance", "drops"], map(row, profile))


main = script(
    __doc__,
    measure,
    option("--profile", nargs="+", default=[RULEBOOK, CLUB], help="towers: shipped profiles' names, or files"),
    option("--drops", type=int, default=300, help="drops into each"),
    option("--step", type=float, default=1e-4, help="the fixed step (s)"),
    option("--restitution", choices=RESTITUTION, default=RESTITUTION[0], help="whose restitution"),
    option("--tolerance", type=float, default=1e-4, help="of the solver; see Law"),
    option("--store", type=Path, required=True, help="a file to keep the drops in, a line each (CSV)"),
    to_go_on="what is in the store is kept: run the same again",
)

if __name__ == "__main__":
    raise SystemExit(main())
