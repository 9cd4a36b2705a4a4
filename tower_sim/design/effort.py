"""How long a search takes on this machine, from games that are timed before it begins."""

from __future__ import annotations

import math
import time

from tower_sim.apparatus import space
from tower_sim.design.book import LAST, SEARCH, Book
from tower_sim.design.played import Task
from tower_sim.design.search import BATCH, EACH, MORE, NEAREST, Evaluate
from tower_sim.progress import in_words

# What is not played takes as long as so many games: to learn the atlas's law of one figure, and to choose the towers of
# a round. Measured with 2,048 towers on two cores, where a game took 0.5 s.
LAW, CHOOSE = 4.5, 3.0


def seconds_a_game(evaluate: Evaluate, workers: int) -> float:
    """Return the seconds of a game in an ordinary tower while all `workers` play one; those before wake them."""
    tasks = [Task(tuple(space.usual().values()), 0, run) for run in range(workers)]
    list(evaluate(tasks))
    begun = time.perf_counter()
    list(evaluate(tasks))
    return time.perf_counter() - begun


def left(book: Book, rounds: int, games: int) -> tuple[int, int]:
    """Return what a search may have to play still: rounds of towers at most, and games after these."""
    searched = sum(each.kind == SEARCH for each in book.rounds)
    last = 0 if book.rounds and book.rounds[-1].kind == LAST else NEAREST * MORE
    confirmed = max(map(len, book.fresh.values()), default=0)
    return max(rounds - searched, 0), last + max(games - confirmed, 0)


def seconds(a_game: float, workers: int, rounds: int, games: int, figures: int) -> float:
    """Return about how long so many rounds and games take if a game takes `a_game` (s), where `figures` are wished."""
    together = rounds * math.ceil(BATCH * EACH / workers) + math.ceil(games / workers)
    return a_game * (together + LAW * figures + CHOOSE * rounds)


def plan(book: Book, rounds: int, games: int, workers: int, figures: int, a_game: float) -> str:
    """Say what will be played and about how long it takes."""
    more, after = left(book, rounds, games)
    whole = seconds(a_game, workers, more, after, figures)
    return (
        f"design: this plays {BATCH * EACH} games a round, for up to {more} rounds, then {after} games of the nearest "
        f"towers. About {in_words(whole)} on this machine if it needs every round ({workers} at work; a game takes "
        f"{a_game:.2f} s here). Stopped, the same command goes on."
    )
