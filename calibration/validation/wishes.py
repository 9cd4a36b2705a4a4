"""Whether a wish finds rules again: ten wishes with a known answer, and five that nothing meets.

    python -m calibration.validation.wishes [--only NUMBER ...]

For each of ten hidden rules it plays 20,000 games, wishes for the means of some figures, searches, and plays 5,000
fresh games of what was found. A wish is found again if each mean lies within two standard errors (of the difference) of
the wished one. Every wish has seeds of its own.
Writes a table into docs/compare.md. Takes a quarter of an hour on two cores.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from pathlib import Path

from calibration.validation.script import ROOT, option, put, script, table_text
from tower_sim.models import open_model
from tower_sim.requests import Variant, read_variant
from tower_sim.studies import Verdict, read_wishes
from tower_sim.studies.comparison.play import play_side, read_vary, varied_by
from tower_sim.studies.comparison.search import search_rules
from tower_sim.studies.comparison.tuned import Tuned, sentences
from tower_sim.tools import report_progress

PAGE = ROOT / "docs/compare.md"
HARVEST = "docs/games/harvest.py"
TRUTH, FRESH = 20_000, 5_000  # games
SEARCH, SEARCH_BY_DROPS = 200_000, 10_000  # games of a search
SEEDS = 100, 200, 300  # of the hidden rules' games, of the search, and of the fresh games: each plus the wish's number
RULES = ("cubes=4..14", "rounds=3..10", "gold_divisor=2..6", "gold_divisor_with_token=1..4")
KNOWN: tuple[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    ("amerigo", ("cubes=9",), ("actions",), ("cubes=5..12",)),
    ("amerigo", ("cubes=5",), ("action_points",), ("cubes=4..12", "gold_divisor=2..6")),
    ("amerigo", ("rounds=8",), ("inside",), ("cubes=5..9", "rounds=3..10")),
    ("amerigo", ("gold_divisor=2",), ("gold",), ("gold_divisor=1..6",)),
    ("amerigo", ("cubes=8", "gold_divisor=4"), ("actions", "gold"), ("cubes=5..12", "gold_divisor=2..6")),
    ("amerigo", ("apparatus=amerigo-club", "cubes=8"), ("inside", "out"), ("apparatus=amerigo-club", "cubes=5..10")),
    ("amerigo", ("cubes=6", "rounds=3", "gold_divisor=5"), ("inside", "actions", "gold"), RULES),
    ("amerigo", ("cubes=10",), ("setup",), RULES),
    (HARVEST, ("locusts=3", "sun=16"), ("grain",), ("locusts=0..8", "sun=8..20..2")),
    ("dead_reckoning", ("cubes.green=5",), ("active_wins",), ("cubes.green=2..7", "cubes.purple=4..7")),
)
"""The game, the hidden changes, the figures that are wished for, and what may vary."""
NEVER: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("amerigo", ("actions=6",), ("cubes=5..12",)),
    ("amerigo", ("inside<=2",), ("cubes=5..12", "rounds=3..10")),
    ("amerigo", ("actions>=3", "action_points<=4.5"), RULES),
    (HARVEST, ("famine<=0",), ("locusts=2..8", "sun=8..16..2")),
    ("dead_reckoning", ("active_wins<=0.05",), ("cubes.green=4..7",)),
)
"""The game, wishes that nothing meets, and what may vary."""


def means(
    variant: Variant, base: Variant, keys: Sequence[str], games: int, seed: int
) -> dict[str, tuple[float, float]]:
    compared = variant.game.compared((base.rules, variant.rules))
    every = [figure.key for group in compared.groups for figure in group.figures]
    with open_model(variant.apparatus, "surrogate") as model:
        values = play_side(compared, model, games, seed)
    columns = {key: values[:, every.index(key)] for key in keys}
    return {key: (float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x))) for key, x in columns.items()}


def searched(game: str, wish: Sequence[str], vary: Sequence[str], seed: int) -> tuple[Tuned, float]:
    began = time.monotonic()
    games, workers = SEARCH if game == "amerigo" else SEARCH_BY_DROPS, os.cpu_count() or 1
    varied = [read_vary(text) for text in vary]
    found = search_rules(
        read_variant(game), read_wishes(wish), varied, games, "surrogate", None, seed, workers, report_progress
    )
    return found, time.monotonic() - began


def known(number: int) -> list[str]:
    game, hidden, keys, vary = KNOWN[number]
    base = read_variant(game)
    first, second, third = (seed + number for seed in SEEDS)
    truth = means(varied_by(base, dict(each.split("=", 1) for each in hidden)), base, keys, TRUTH, first)
    found, seconds = searched(game, [f"{key}={truth[key][0]:.6g}" for key in keys], vary, second)
    fresh = means(found.best.variant, base, keys, FRESH, third)
    off = {key: (fresh[key][0] - truth[key][0]) / (math.hypot(fresh[key][1], truth[key][1]) or 1.0) for key in keys}
    is_found = all(abs(each) <= 2 for each in off.values())
    wished = ", ".join(f"`{key}` {truth[key][0]:.3f}" for key in keys)
    got = ", ".join(f"{fresh[key][0]:.3f} ± {fresh[key][1]:.3f}" for key in keys)
    changes = ", ".join(f"{key}={value}" for key, value in found.changes.items()) or "none"
    far = ", ".join(f"{each:+.1f}" for each in off.values())
    return [Path(game).stem, ", ".join(hidden), wished, changes.replace('"', ""), got, far, "yes" if is_found else "no",
            str(found.verdict), f"{seconds:.0f}"]  # fmt: skip


def never(number: int) -> list[str]:
    game, wish, vary = NEVER[number]
    found, seconds = searched(game, wish, vary, SEEDS[1] + len(KNOWN) + number)
    first = sentences(found)[0]
    is_told = found.verdict is Verdict.MISSED and first.startswith(("The wish is not met", "The wishes are not met"))
    return [Path(game).stem, ", ".join(f"`{each}`" for each in wish), "yes" if is_told else "no", f"{seconds:.0f}"]


def measure(only: Sequence[int] | None) -> None:
    rows: dict[int, list[str]] = {}
    for i in range(len(KNOWN) + len(NEVER)) if only is None else only:
        rows[i] = known(i) if i < len(KNOWN) else never(i - len(KNOWN))
        print(i, " | ".join(rows[i]), flush=True)
    if only is None:
        head = ["game", "hidden rules", "wished means", "found", "5,000 fresh games", "standard errors off"]
        first = table_text([*head, "within 2", "verdict", "seconds"], [rows[i] for i in range(len(KNOWN))])
        second = table_text(["game", "wish", "told first", "seconds"], [rows[i] for i in range(len(KNOWN), len(rows))])
        put(PAGE, "wishes", f"{first}\n\n{second}")


main = script(
    __doc__,
    measure,
    option("--only", type=int, nargs="+", metavar="NUMBER", help="of the ten, from 0; the five from 10"),
)


if __name__ == "__main__":
    raise SystemExit(main())
