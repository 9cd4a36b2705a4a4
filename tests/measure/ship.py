"""Measure the combat ship: the tables of docs/physics.md on it, each row with its sample size and standard error.

python -m tests.measure.ship convergence --throws 600
python -m tests.measure.ship board --throws 600
python -m tests.measure.ship stuck --throws 500
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from tests.measure.living import LivingTower
from tests.measure.numerics import SETTINGS, VARIANTS
from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.cubes import supply
from tower_sim.games.dead_reckoning.worths import worth
from tower_sim.outcome import Landing, Outcome
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import clopper_pearson, mean_error

SHIP = cast("CombatShip", load("dead_reckoning"))
CUBES = 9
BATCH = 20  # throws in one task
_COMPARED = ("as shipped", "the finest", "step travel 0.05", "step travel 0.2", "fixed step 1/2000", "relaxation 0.02")
COMPARED = {
    name: settings
    for name, settings in VARIANTS.items()
    if name.startswith(_COMPARED) or name in ("10 iterations", "100 iterations, no early stop")
}


@dataclass(frozen=True, slots=True)
class Throw:
    """What one throw of nine cubes onto the empty board came to: `places` counted, the strength that lies there, mean
    distance (m) of the cubes from the ship's side; whether it was a landing.
    """

    is_landing: bool
    places: Counter[str]
    strength: int
    away: float


def throws(settings: PhysicsSettings, batch: int) -> list[Throw]:
    """Throw nine cubes onto the empty board, the hands numbered on from those of the batches before."""
    strengths = {f"zone:{zone.name}": worth(zone).strength for zone in SHIP.board.zones}
    thrown: list[Throw] = []
    with PhysicsModel(SHIP, settings) as model:
        cubes = supply({"any": CUBES}, model.cube_edge)
        for seed in range(batch * BATCH, (batch + 1) * BATCH):
            outcome = model.drop(model.empty(), cubes, np.random.default_rng(seed))
            places = Counter(x.place for x in outcome.landings)
            away = float(np.mean([x.pose.position[0] for x in outcome.landings if x.pose])) - SHIP.hull_x
            strength = sum(strengths.get(place, 0) * count for place, count in places.items())
            thrown.append(Throw(outcome.status.is_landing, places, strength, away))
    return thrown


def convergence(number: int, workers: int) -> None:
    """Print what nine cubes come to under other numerical settings, the same hands in each."""
    print("| settings | strength of 9, mean +- se | minus shipped | from the ship, mm | on borders | explosive |")
    print("|---|---|---|---|---|---|")
    shipped: list[Throw] = []
    for name, settings in COMPARED.items():
        thrown = _all(partial(throws, settings), number, workers)
        shipped = shipped or thrown
        mean, se = mean_error([throw.strength for throw in thrown])
        difference, of = mean_error([a.strength - b.strength for a, b in zip(thrown, shipped, strict=True)])
        away, away_se = mean_error([throw.away * 1e3 for throw in thrown])
        borders, explosive = (
            mean_error([throw.places[place] / CUBES for throw in thrown]) for place in ("border", "zone:explosive_shot")
        )
        failed = sum(not throw.is_landing for throw in thrown)
        print(
            f"| {name}{f' ({failed} failed draws)' if failed else ''} | {mean:.2f} +- {se:.2f} "
            f"| {'' if thrown is shipped else f'{difference:+.2f} +- {of:.2f}'} | {away:.1f} +- {away_se:.1f} "
            f"| {borders[0]:.1%} +- {borders[1]:.1%} | {explosive[0]:.1%} +- {explosive[1]:.1%} |",
            flush=True,
        )
    print(f"\n{len(shipped)} throws each")


@dataclass(frozen=True, slots=True)
class Twice:
    """Nine cubes thrown onto nine others: how many of the earlier ones changed their place in the world that lived on
    (None: no landing) and in the re-created one; and how many did when nothing was thrown.
    """

    living: int | None
    again: int
    untouched: int
    loose: int


def twice(batch: int) -> list[Twice]:
    """Throw twice, in a world that lives on and in one re-created between the throws, with the same second hand."""
    pairs_of_throws: list[Twice] = []
    with PhysicsModel(SHIP, SETTINGS) as model:
        first, second = supply({"any": CUBES}, model.cube_edge), supply({"any": CUBES}, model.cube_edge, first_id=CUBES)
        for seed in range(batch * BATCH, (batch + 1) * BATCH):
            with LivingTower(model) as tower:
                if tower.drop(first, np.random.default_rng([0, seed])) is None:
                    continue
                state = tower.state()
                before = {r.cube: r.region for r in state.board.lying}
                untouched = model.drop(state, (), np.random.default_rng([1, seed]))
                again = model.drop(state, second, np.random.default_rng([1, seed]))
                lives = tower.drop(second, np.random.default_rng([1, seed])) is not None
                after = {r.cube: r.region for r in tower.state().board.lying}
            floor = SHIP.board.floor + SHIP.cube_edge / 2
            loose = sum(abs(r.pose.position[2] - floor) > 2e-4 for r in state.board.lying if r.pose)
            living = sum(after[cube] != place for cube, place in before.items()) if lives else None
            pairs_of_throws.append(Twice(living, _changed(before, again), _changed(before, untouched), loose))
    return pairs_of_throws


def _changed(before: dict, outcome: Outcome) -> int:
    after: dict = {x.cube: x.place for x in outcome.landings}
    return sum(after[cube] != place for cube, place in before.items())


def board(number: int, workers: int) -> None:
    """Print what re-creating the board between throws does to the cubes on it."""
    every = _all(twice, number, workers)
    pairs = [pair for pair in every if pair.living is not None]
    for name, values in (
        ("living", [pair.living or 0 for pair in pairs]),
        ("re-created", [pair.again for pair in pairs]),
        ("re-created minus living", [pair.again - (pair.living or 0) for pair in pairs]),
    ):
        print("earlier cubes of 9 that changed place, {}: {:.3f} +- {:.3f}".format(name, *mean_error(values)))
    moved, loose = sum(pair.untouched for pair in every), sum(pair.loose for pair in every)
    print(
        f"when nothing was thrown: {moved} of {len(every) * CUBES} cubes changed place "
        f"({loose} did not lie flat on a floor); {len(pairs)} pairs of throws"
    )


def landings(cubes: int, batch: int) -> list[tuple[str, tuple[Landing, ...]]]:
    """Throw `cubes` cubes onto the empty board."""
    with PhysicsModel(SHIP, SETTINGS) as model:
        thrown = supply({"any": cubes}, model.cube_edge)
        outcomes = [
            model.drop(model.empty(), thrown, np.random.default_rng([2, cubes, seed]))
            for seed in range(batch * BATCH, (batch + 1) * BATCH)
        ]
    return [(str(outcome.status), outcome.landings) for outcome in outcomes]


def stuck(number: int, workers: int) -> None:
    """Print how many cubes stay in the ship, how draws end and where cubes land, by how many are thrown at once."""
    print(
        "| thrown at once | cubes | stuck, upper 95 % bound | failed draws | border | table | smallest zone | largest |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for cubes in (3, 9, 20, 40):
        draws = _all(partial(landings, cubes), number, workers)
        places = Counter(x.place for _, lying in draws for x in lying)
        total = places.total()
        inside = sum(count for place, count in places.items() if place.startswith("inside"))
        upper = clopper_pearson(inside, total, 0.9).high  # one-sided, of 95 %
        failed = sum(status not in ("settled", "jammed") for status, _ in draws)
        zones = {zone.name: places[f"zone:{zone.name}"] for zone in SHIP.board.zones}
        low, high = min(zones, key=lambda name: zones[name]), max(zones, key=lambda name: zones[name])
        of = [f"{places[place] / total:.1%}" for place in ("border", "table")]
        ends = [f"{name} {100 * zones[name] / total:.1f} %" for name in (low, high)]
        print(f"| {cubes} | {total} | {inside}, {upper:.2%} | {failed} of {len(draws)} | {' | '.join([*of, *ends])} |")


def _all(work: Callable[[int], list], number: int, workers: int) -> list:
    batches: Sequence[int] = range(-(-number // BATCH))
    return [each for batch in spread_out(work, batches, workers) for each in batch]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["convergence", "board", "stuck"])
    parser.add_argument("--throws", type=int, default=600, help="throws of each row")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)

    def work() -> None:
        print(f"settings {SETTINGS.digest()}, ship {SHIP.digest}\n")
        {"convergence": convergence, "board": board, "stuck": stuck}[options.what](options.throws, options.workers)

    return ended("ship", work)


if __name__ == "__main__":
    sys.exit(main())
