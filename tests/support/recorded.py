"""Recorded games, without physics."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tower_sim.calibration.records import DROP, MARK, OUT, THROW, THROWN, Record
from tower_sim.calibration.summaries import AgedDrop

WORDS = 'says = "x"\nsource = "y"\nkind = "impression"\nstrength = "weak: z"\n'
"""The least words of an observation."""
COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white")


def write_records(path: Path, records: Sequence[Record], remarks: Sequence[str] = ()) -> None:
    """Write `records` as a CSV that `calibration.records.read` reads, below `remarks` as lines that begin with #."""
    colours = list(records[0].thrown)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for remark in remarks for line in remark.splitlines() or [""])
        rows = csv.writer(file, lineterminator="\n")
        first = THROW if records[0].is_free else DROP
        rows.writerow([first, *(kind + colour for kind in (THROWN, OUT) for colour in colours), MARK])
        for record in records:
            counts = [kind.get(colour, "") for kind in (record.thrown, record.out) for colour in colours]
            rows.writerow([record.number, *counts, " ".join(record.marks)])


def game(rng: np.random.Generator, thrown_out: float = 0.71, sticky: float = 1.0) -> list[AgedDrop]:
    """Play Amerigo with cubes that toss coins: a thrown one leaves with `thrown_out`, one inside the less the older.

    The odds of white cubes are `sticky` times as great.
    """
    age = np.full(49, -1)  # -1: outside
    found: list[AgedDrop] = []
    colour = np.repeat(np.arange(7), 7)
    for drop in range(36):
        thrown = (age < 0) & ((colour == (drop - 1) % 7) | (drop == 0))
        if not thrown.any():
            continue
        age[thrown] = 0
        odds = np.where(age > 0, 0.3 / np.maximum(age, 1), thrown_out / (1 - thrown_out))
        odds = np.where(colour == 6, sticky, 1) * odds
        leaves = (age >= 0) & (rng.random(49) < odds / (1 + odds))
        stays = (age >= 0) & ~leaves
        thrown_by, out_by, inside_by = (
            {name: int((colour[rows] == i).sum()) for i, name in enumerate(COLOURS)} for rows in (thrown, leaves, stays)
        )
        out = tuple(age[leaves].tolist())
        now = Record(len(found), thrown_by, out_by, inside_by)
        found.append(AgedDrop(now, (*out, *age[stays].tolist()), out))
        age = np.where(stays, age + 1, -1)
    return found
