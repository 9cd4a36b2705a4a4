"""Count how often `tower-sim tower test` accuses a tower that is as its profile says: the false alarms of the e-values.

python -m tests.measure.false_alarms --games 450 --apparatus tests/measure/towers/tower.toml

Of the simulated games some make a reference law and the others, end to end, records held against it; several times
over. The errors printed take records for independent, but they share games and reference laws.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load
from tower_sim.calibration.e_values import STRONG, check
from tower_sim.calibration.records import Record
from tower_sim.calibration.reference import learn
from tower_sim.calibration.watched import AgedDrop, observe


def false_alarms(
    games: Sequence[Sequence[AgedDrop]], references: int, of: int, drops: int, seed: int
) -> tuple[int, int, int]:
    """Count records of `drops` drops, made of simulated games, and those whose e ever reaches 20: numbers, colours.

    Each of `references` reference laws is learnt from `of` games, drawn without replacement; the others, end to end in
    random order, are the records held against it.
    """
    rng = np.random.default_rng(seed)
    records = numbers = colours = 0
    for _ in range(references):
        order = rng.permutation(len(games))
        law = learn("itself", [games[i] for i in order[:of]], seed)
        row: list[Record] = []
        for number, i in enumerate(order[of:], 1):
            row += [replace(drop.record, game=number) for drop in games[i]]
            if len(row) >= drops:
                verdict = check(row[:drops], law)
                records += 1
                numbers += max(verdict.e) >= STRONG
                colours += max(verdict.colours.e) >= STRONG
                row = []
    return records, numbers, colours


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure false alarms; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apparatus", default="amerigo", help="a profile's name, or a file")
    parser.add_argument("--games", type=int, default=450, help="simulated games in all")
    parser.add_argument("--of", type=int, default=24, help="games of a reference law")
    parser.add_argument("--references", type=int, default=8, help="reference laws")
    parser.add_argument("--drops", type=int, nargs="+", default=[60, 200], help="of a record; a row of the table each")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    def work() -> None:
        games = observe(load(options.apparatus), options.games, options.seed)
        print("| drops | records | e of numbers ever 20 | e of colours ever 20 |\n|---|---|---|---|")
        for drops in options.drops:
            records, *alarms = false_alarms(games, options.references, options.of, drops, options.seed)
            shares = [f"{n / records:.3f} +- {math.sqrt(n * (records - n) / records**3):.3f}" for n in alarms]
            print(f"| {drops} | {records} | {' | '.join(shares)} |")

    return ended("false_alarms", work)


if __name__ == "__main__":
    sys.exit(main())
