"""How often a bank of recorded drops has one to show in the place of another: tables of docs/replay_bank.md.

python -m tests.measure.bank BANK [--games N] [--physics N] [--sizes N,N,...]

BANK is the directory of a campaign of whole games of Amerigo with `record = true`, such as that in docs/replay_bank.md.
Fresh games of other seeds are played by the surrogate and with physics, and every drop of theirs is looked for among
the first drops of the bank: how often each level is reached, with intervals over games, and how long a search takes.
300 and 100 games against five sizes take some ten minutes on one core.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.measure.script import ended
from tower_sim import load, open_model
from tower_sim.games.game import game_seed
from tower_sim.recorder import Recorder
from tower_sim.registry import get
from tower_sim.replay.bank import Bank
from tower_sim.replay.matching import LEVELS, Wanted, of_outcome
from tower_sim.statistics import Estimate, average, wilson

SEED = 1717  # of the fresh games; no bank may be of it
SIZES = (1000, 2000, 5000, 10_000, 20_000)
COUNTS = LEVELS.index("counts")
BANDS = ((0, 2), (3, 5), (6, 8), (9, 14), (15, 49))  # cubes inside before


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print tables in Markdown; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="bank", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path, metavar="BANK", help="the campaign's directory")
    parser.add_argument("--games", type=int, default=300, help="games by the surrogate")
    parser.add_argument("--physics", type=int, default=100, help="games with physics")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="how many of the bank's drops to search")
    options = parser.parse_args(arguments)
    return ended("bank", lambda: measure(options))


def measure(options: argparse.Namespace) -> None:
    """Print all tables."""
    sizes = [int(size) for size in options.sizes.split(",")]
    with Bank(options.bank) as bank:
        drops, size = bank.drops, sum(path.stat().st_size for path in (options.bank / "poses").glob("*.parquet"))
    print(f"bank: {drops} drops, {size / 1e6:.1f} MB, {size / drops / 1e3:.2f} kB a drop\n")
    for model, games in (("surrogate", options.games), ("physics", options.physics)):
        if games:
            played = [list(wanted_of(model, run)) for run in range(games)]
            tell(model, played, options.bank, [size for size in sizes if size <= drops] or [drops])


def wanted_of(model: str, run: int) -> Iterator[Wanted]:
    """Play a fresh whole game; yields what is wanted of each of its drops, the set-up first."""
    game = get("game", "amerigo")
    with open_model(load("amerigo"), model) as opened:
        recorder = Recorder(opened)
        for _ in game.play(recorder.as_model, game.read({}), game_seed(SEED, run)):
            for draw in recorder.taken():
                if draw.outcome.status.is_landing:
                    yield of_outcome(draw.state, draw.outcome)


@dataclass
class Searched:
    """What searches in a bank came to: shares of phases by level for each game, and milliseconds."""

    reached: list[list[int]] = field(default_factory=list[list[int]])
    setups: list[bool] = field(default_factory=list[bool])
    bands: dict[tuple[int, int], list[bool]] = field(default_factory=lambda: {band: [] for band in BANDS})
    far: list[int] = field(default_factory=list[int])
    searches: list[float] = field(default_factory=list[float])
    whole: list[float] = field(default_factory=list[float])

    def add(self, bank: Bank, game: Sequence[Wanted], rng: np.random.Generator) -> None:
        """Look for every drop of a game; every tenth is fetched with its poses, too."""
        self.reached.append([])
        for number, wanted in enumerate(game):
            begun = time.perf_counter()
            found = bank.find(wanted, rng)
            self.searches.append(1e3 * (time.perf_counter() - begun))
            if found is not None and number % 10 == 0:
                bank.take(found)
                self.whole.append(1e3 * (time.perf_counter() - begun))
            level = len(LEVELS) if found is None else LEVELS.index(found.level)
            if number == 0:
                self.setups.append(level <= COUNTS)
                continue
            self.reached[-1].append(level)
            self.bands[next(band for band in BANDS if band[0] <= wanted.size[0] <= band[1])].append(level <= COUNTS)
            if level > COUNTS:
                self.far.append(-1 if found is None else found.distance)

    def row(self) -> str:
        """Return the cells of the table."""
        shares = [[float(np.mean([each <= k for each in game])) for game in self.reached] for k in range(COUNTS + 1)]
        cells = [percent(average(share)) for share in shares]
        cells += [percent(wilson(sum(self.setups), len(self.setups)))]
        return " | ".join([*cells, f"{np.median(self.searches):.1f}", f"{np.median(self.whole):.1f}"])


def tell(model: str, played: list[list[Wanted]], directory: Path, sizes: Sequence[int]) -> None:
    """Print how often each level is reached by size of the bank, and in the last size by cubes inside."""
    phases = sum(len(game) - 1 for game in played)
    print(f"{len(played)} games by {model}, {phases} phases that throw something\n")
    print(
        "| drops | exact | floors or better | counts or better | set-up, counts | a search, ms | with its poses, ms |"
    )
    print("|---|---|---|---|---|---|---|")
    searched = Searched()
    for size in sizes:
        searched, rng = Searched(), np.random.default_rng(size)
        with Bank(directory, first=size) as bank:
            for game in played:
                searched.add(bank, game, rng)
        print(f"| {size} | {searched.row()} |", flush=True)
    known = {f"{a} to {b}": found for (a, b), found in searched.bands.items() if found}
    bands = ", ".join(f"{name}: {100 * np.mean(found):.1f} % of {len(found)}" for name, found in known.items())
    print(f"\nAt {sizes[-1]}, counts or better by cubes inside before: {bands}.")
    near = ", ".join(f"{far}: {searched.far.count(far)}" for far in sorted(set(searched.far)))
    print(f"The {len(searched.far)} others by distance (-1: nothing throws as many): {near or 'none'}.\n", flush=True)


def percent(share: Estimate) -> str:
    """Write a share as a percentage, with its 95 % interval."""
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f} to {100 * min(1.0, share.high):.1f})"


if __name__ == "__main__":
    sys.exit(main())
