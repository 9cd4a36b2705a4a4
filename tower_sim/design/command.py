"""`tower-sim design`: seek a tower, confirm it, write it; cut short it keeps what it has, and goes on when called."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from tower_sim import writing
from tower_sim.apparatus.catalogue import load
from tower_sim.design import answer as answers
from tower_sim.design.book import Book, opened
from tower_sim.design.effort import plan, seconds_a_game
from tower_sim.design.front import front, picture
from tower_sim.design.played import Player, Row, Task
from tower_sim.design.search import Evaluate, Search, Seen, Teller
from tower_sim.design.towers import SHIPPED, Towers, table_bytes, table_of
from tower_sim.design.wishes import Brief, listed_misses
from tower_sim.errors import check_whole, fault
from tower_sim.extras import extra
from tower_sim.games.game import Game
from tower_sim.interrupts import terminable
from tower_sim.physics.settings import ENGINE, STANDARD, accuracy
from tower_sim.pool import MOST_WORKERS, processes
from tower_sim.progress import Telling, telling
from tower_sim.requests import short_seed
from tower_sim.terminal import say, warn
from tower_sim.version import TOWER_SIM

ROUNDS, MOST_ROUNDS = 12, 500
GAMES, FEWEST_GAMES, MOST_GAMES = 120, 8, 5000


@dataclass(frozen=True)
class Commission:
    """What the command is to do: what is `asked`, how long to seek, how many fresh games confirm, what to write."""

    asked: Brief
    output: Path
    game: Game
    games: int = GAMES
    rounds: int = ROUNDS
    seed: int | None = None
    workers: int = 1
    atlas: Path | None = None
    plot: Path | None = None
    json: bool = False


def design_command(job: Commission) -> int:
    """Do it; returns the exit status: 0 also where no tower does all that was wished, 1 when it was interrupted.

    Raises UsageError for numbers out of bounds, files that cannot be, and where the extra `design` is not installed.
    """
    check_whole("--games", job.games, FEWEST_GAMES, MOST_GAMES)
    check_whole("--rounds", job.rounds, 1, MOST_ROUNDS)
    check_whole("--workers", job.workers, 1, MOST_WORKERS)
    threads: Any = extra("threadpoolctl", "design")
    if job.output.suffix != ".toml":
        raise fault("output", str(job.output), "a name that ends in .toml", "try mine.toml")
    writing.check(job.output, "profile")
    base = load(job.game.apparatus).profile
    towers, errors, book = begun(job, base)
    with (
        threads.threadpool_limits(1),  # sums in one order: the same bytes whatever the machine
        terminable(),
        players(Player(job.game.name, base), job.workers) as evaluate,
    ):
        _say(_plan(job, book, evaluate))
        search = Search(job.asked, towers, errors, book)
        try:
            found = sought(job, search, towers, evaluate)
        except KeyboardInterrupt:
            return _cut_short(job, search, base)
    writing.write(job.output, answers.profile(found, base), "profile")
    if job.plot is not None:
        picture(found.front, job.asked.wishes, found.estimates, job.plot)
    if job.json:
        print(json.dumps(answers.document(found)))
    else:
        say(answers.words(found))
        say(f"\nThe profile is {job.output}: tower-sim play {job.game.name} --apparatus {job.output}")
    return 0


def _plan(job: Commission, book: Book, evaluate: Evaluate) -> str:
    workers = min(job.workers, os.cpu_count() or 1)
    a_game = seconds_a_game(evaluate, workers)
    return plan(book, job.rounds, job.games, workers, len(job.asked.outputs), a_game)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def begun(job: Commission, base: Mapping[str, Any]) -> tuple[Towers, dict[str, Any], Book]:
    """Return the atlas's towers with their errors, and the book, which may be that of a search begun earlier."""
    table = job.atlas or SHIPPED
    data = table_bytes(table)
    towers, errors = table_of(data, str(table))
    head = {
        "wishes": {wish.kind.name: wish.wanted for wish in job.asked.wishes},
        "held": dict(sorted(job.asked.held.items())),
        "print_bed_mm": job.asked.bed,
        "game": job.game.name,
        "base": _digest(json.dumps(base, sort_keys=True, default=str).encode()),
        "atlas": _digest(data),
        "physics": accuracy(ENGINE, STANDARD).digest(),
    }
    return towers, errors, opened(book_of(job.output), head, job.seed, short_seed())


def book_of(output: Path) -> Path:
    """Return where the book of a search lies, beside its profile."""
    return output.with_suffix(".design.json")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@contextmanager
def players(player: Player, workers: int) -> Generator[Evaluate]:
    """Give in the block what plays tasks in so many processes."""
    with processes(workers) as pool:

        def evaluate(tasks: Sequence[Task]) -> Iterable[Row]:
            return pool.imap(player, tasks)

        yield evaluate


class _Progress(Teller):
    """Tells games as they are played, and after each round the nearest tower so far."""

    def __init__(self, tell: Telling, asked: Brief) -> None:
        self._tell, self._asked = tell, asked

    def game(self) -> None:
        self._tell.step()

    def round(self, seen: Seen) -> None:
        if seen.tried:
            mean, sd, _ = seen.of(seen.best(1)[0])
            self._tell.note(f"... {len(seen.tried)} towers tried; the nearest: {listed_misses(self._asked, mean, sd)}")


def sought(job: Commission, search: Search, towers: Towers, evaluate: Evaluate) -> answers.Answer:
    """Search, confirm the nearest tower, and return the answer."""
    with telling("games") as tell:
        progress = _Progress(tell, job.asked)
        seen = search.run(evaluate, job.rounds, progress)
        tried = seen.chosen()
        fresh = search.confirm(evaluate, tried, job.games, progress)
    return answers.Answer(
        job.asked, search.book, tried, tuple(fresh), front(search, seen, towers), len(towers), made_with(job)
    )


def made_with(job: Commission) -> dict[str, str]:
    """Return what decides the answer, beside the seed."""
    return {
        "tower_sim": TOWER_SIM,
        "numpy": metadata.version("numpy"),
        "rules": job.game.name,
        "model": "physics",
        "engine": f"{ENGINE} at its {STANDARD} accuracy",
    }


def _cut_short(job: Commission, search: Search, base: Mapping[str, Any]) -> int:
    seen = search.seen()
    kept = f"{len(seen.tried)} towers are kept in {book_of(job.output)}"
    if seen.tried and not (search.book.fresh and job.output.exists()):  # what is confirmed stays
        writing.write(job.output, answers.unconfirmed(search.book, seen.best(1)[0], base), "profile")
        kept += f" and the nearest so far, not confirmed, in {job.output}"
    warn(f"interrupted; {kept}; the same command goes on")
    return 1
