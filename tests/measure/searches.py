"""What searches for towers believe, against what fresh games did, and how much of its own a tower shares with its like.

python -m tests.measure.searches play DIR [--workers 2]
python -m tests.measure.searches told DIR
python -m tests.measure.searches weigh DIR
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from tests.measure.script import ended
from tower_sim import cli
from tower_sim.apparatus.catalogue import load
from tower_sim.design import belief, wishes
from tower_sim.design.belief import Belief, after, believed
from tower_sim.design.command import Commission, begun
from tower_sim.design.features import features
from tower_sim.design.played import TOLD
from tower_sim.design.search import Search
from tower_sim.errors import UsageError
from tower_sim.games.game import Game
from tower_sim.registry import get

Array = npt.NDArray[np.float64]

SEARCHES: tuple[tuple[str, int], ...] = (
    ("keep=12 colours=2.5", 1),
    ("keep=12 colours=2.5", 2),
    ("keep=12 out=5 colours=2.5", 7),
    ("keep=12 out=6.5", 7),
    ("keep=12 colours=2.5", 7),
    ("keep=12 colours=2.5", 3),
    ("inside=12 out=5 colours=2.5", 7),
    ("keep=12 out=5 colours=2.5", 2),
    ("keep=20", 1),
    ("inside=18 exchange=0.4", 1),
    ("colours=2.8", 1),
    ("out=4.5 exchange=0.25", 1),
)
"""Wishes and seeds: those of docs/design.md, and others."""
ALONE = (0.02, 0.1, 0.4, 1.0)
ALIKE = (0.05, 0.1, 0.2, 0.4, 0.8)


@dataclass(frozen=True)
class Searched:
    """A search of the folder that is over: what it was of, and its state."""

    words: str
    seed: int
    search: Search


def _wished(words: str) -> dict[str, float]:
    return {name: float(value) for name, _, value in (word.partition("=") for word in words.split())}


def _profile(folder: Path, words: str, seed: int) -> Path:
    return folder / f"{words.replace(' ', '_')}_{seed}.toml"


def play(folder: Path, workers: int) -> None:
    """Do the searches that are not done; each goes on where it stood."""
    folder.mkdir(parents=True, exist_ok=True)
    for words, seed in SEARCHES:
        wished = [part for name, value in _wished(words).items() for part in (f"--{name}", f"{value:g}")]
        output = str(_profile(folder, words, seed))
        print(f"\n{words}, seed {seed}", flush=True)
        if cli.main(["design", *wished, "--seed", str(seed), "--workers", str(workers), "-o", output]):
            raise KeyboardInterrupt


def done(folder: Path) -> Iterator[Searched]:
    """Give the searches of the folder that are over; raises UsageError where there is none."""
    found = False
    game = get("game", "amerigo")
    assert isinstance(game, Game)
    base = load(game.apparatus).profile
    for words, seed in SEARCHES:
        output = _profile(folder, words, seed)
        if output.exists():
            found = True
            towers, errors, book = begun(Commission(wishes.asked(_wished(words)), output, game, seed=seed), base)
            yield Searched(
                words, seed, Search(book=book, asked=wishes.asked(_wished(words)), towers=towers, errors=errors)
            )
    if not found:
        raise UsageError(f"{folder} has no search; allowed is a folder of `play`; run that first")


def told(folder: Path) -> None:
    """Print what was believed of each tower chosen, by wish, what fresh games did, and by how many sd these differ."""
    print("| wish, seed | towers | of | believed | fresh games | off, in sd |\n|---|---|---|---|---|---|")
    off: list[float] = []
    for each in done(folder):
        asked, book, seen = each.search.asked, each.search.book, each.search.seen()
        trial = seen.chosen()
        mean, sd, _ = seen.of(trial)
        rows = np.array(book.fresh[trial], float)
        for i, wish in enumerate(asked.wishes):
            fresh = rows[:, TOLD.index(wish.kind.output)]
            fresh = fresh[~np.isnan(fresh)]
            error = max(float(fresh.std(ddof=1)) / np.sqrt(len(fresh)), wish.kind.grain / 20)
            z = (float(fresh.mean()) - mean[i]) / np.hypot(sd[i], error)
            off.append(float(z))
            print(
                f"| {each.words}, {each.seed} | {len(seen.tried)} | {wish.kind.name} | {mean[i]:.2f} ± {sd[i]:.2f} | "
                f"{fresh.mean():.2f} ± {error:.2f} | {z:+.1f} |"
            )
    spread = float(np.sqrt(np.mean(np.square(off))))
    print(
        f"\nroot mean square of {len(off)}: {spread:.2f} ± {spread / np.sqrt(2 * len(off)):.2f} (1 where sd are right)"
    )


def evidence(given: Belief) -> float:
    """Return the logarithm of the likelihood of what was seen, but for a constant."""
    off = given.seen - given.prior.emulator.at(given.x)[0]
    return 0.5 * float(np.linalg.slogdet(given.inverse)[1] - off @ given.inverse @ off)


def evidences(search: Search) -> Array:
    """Return the evidence of the games of all trials, fresh ones too, given what the atlas tells: shape (wishes,)."""
    trials = [
        (trial.numbers, [*trial.games, *search.book.fresh.get(i, [])]) for i, trial in enumerate(search.book.trials)
    ]
    columns = [TOLD.index(name) for name in search.asked.outputs]
    figures = [np.array(games, float)[:, columns] for _, games in trials]
    x = features(np.array([numbers for numbers, _ in trials]))
    values = [search.asked.parted(each[~np.isnan(each).any(1)]) for each in figures]
    some = [i for i, each in enumerate(values) if len(each)]
    every: list[float] = []
    for k, (prior, known) in enumerate(zip(search.priors, search.known, strict=True)):
        whole = after(prior, x[some], [values[i][:, k] for i in some], known)
        of_atlas = believed(prior, known.x, known.value, known.noise, 0)
        every.append(evidence(whole) - evidence(of_atlas))
    return np.array(every)


def weigh(folder: Path) -> None:
    """Print, by ALONE and ALIKE, the evidence of all searches, less that of the values in use."""
    searches = list(done(folder))
    usual = [evidences(each.search) for each in searches]
    names = sorted({name for each in searches for name in each.search.asked.outputs})
    print(f"| ALIKE | ALONE | {' | '.join(names)} | all ± standard error | n |\n|{'---|' * (len(names) + 4)}")
    for alike in ALIKE:
        for alone in ALONE:
            with patch.object(belief, "ALONE", alone), patch.object(belief, "ALIKE", alike):
                gains = [evidences(each.search) - was for each, was in zip(searches, usual, strict=True)]
            of: dict[str, float] = dict.fromkeys(names, 0.0)
            for each, gain in zip(searches, gains, strict=True):
                for name, one in zip(each.search.asked.outputs, gain.tolist(), strict=True):
                    of[name] += one
            sums = np.array([gain.sum() for gain in gains])
            error = float(sums.std(ddof=1)) * np.sqrt(len(sums)) if len(sums) > 1 else float("nan")
            cells = " | ".join(f"{of[name]:+.1f}" for name in names)
            print(f"| {alike:g} | {alone:g} | {cells} | {sums.sum():+.1f} ± {error:.1f} | {len(sums)} |", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Do what is asked; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="searches", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("play", "told", "weigh"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args(argv)
    work = {
        "play": lambda: play(args.folder, args.workers),
        "told": lambda: told(args.folder),
        "weigh": lambda: weigh(args.folder),
    }
    return ended("searches", work[args.what])


if __name__ == "__main__":
    sys.exit(main())
