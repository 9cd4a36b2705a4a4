"""Play pairs of runs: run r of both variants has the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from tower_sim.compare.tally import CHUNK, Draws, Pairs, Tally
from tower_sim.compiled import way
from tower_sim.contract import DropModel
from tower_sim.drops.recorder import Recorder
from tower_sim.drops.repeat import TooManyFailedDraws
from tower_sim.errors import check_whole
from tower_sim.games.compared import Compared, Values
from tower_sim.requests import to_its_end
from tower_sim.runs.array import Array
from tower_sim.state import check_seed
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.ship import ShipSurrogate

MAX_GAMES = 100_000_000  # about two hours
_PLAIN_BATCH = 16  # games in a batch in plain Python: about a second, so that it can be interrupted
_BATCH_COUNTS = 10_000_000  # numbers in a batch


def play_pairs(
    compared: Compared,
    models: tuple[DropModel, DropModel],
    games: int,
    seed: int,
    note: Callable[[int], None] = lambda done: None,
) -> Tally:
    """Play pairs of runs, see `batches`, and return the tally; after an interrupt that of the pairs done.

    `note` is called with the number of pairs done. Raises TooManyFailedDraws if fewer than 2 pairs succeed, and
    KeyboardInterrupt if fewer than 2 were done.
    """
    games, seed = check_whole("games", games, 2, MAX_GAMES), check_seed(seed)
    tally, failure = Tally.empty(compared), None
    try:
        for batch in batches(compared, models, games, seed):
            tally, failure = tally.add(batch), batch.failure or failure
            note(len(tally) + tally.left_out)
    except KeyboardInterrupt:
        tally = replace(tally, interrupted=True)
    if len(tally) >= 2:
        return tally
    if failure is not None and not tally.interrupted:
        raise failure
    raise KeyboardInterrupt


def batches(compared: Compared, models: tuple[DropModel, DropModel], games: int, seed: int) -> Iterator[Pairs]:
    """Play pairs and yield them in order, some at a time; A uses the first model.

    Run r of both draws from stream r of `seed` if both models can sample runs, else it is played as run r of `seed`. A
    pair with a drop that failed 5 times is left out. Equal variants with one model play a run once.
    """
    a_sampler, b_sampler = (compared.sampler(model) for model in models)
    is_same = models[0] is models[1] and compared.rules[0] == compared.rules[1]
    if a_sampler and b_sampler:
        for first, some in _split(compared, games):
            a = a_sampler(0, some, seed, first)
            yield Pairs(a, a if is_same else b_sampler(1, some, seed, first))
        return
    for run in range(games):
        try:
            a, of_a = _play(compared, models[0], 0, seed, run)
            b, of_b = (a, of_a) if is_same else _play(compared, models[1], 1, seed, run)
        except TooManyFailedDraws as error:
            yield Pairs(compared.none(0), compared.none(1), left_out=1, failure=error)
        else:
            yield Pairs(a, b, draws=(of_a, of_b))


def play_side(
    compared: Compared,
    model: DropModel,
    games: int,
    seed: int,
    first: int = 0,
    note: Callable[[int], None] = lambda games: None,
) -> Array:
    """Play runs of variant B alone, as `batches` does, from run `first` on; return their figures (run, figure).

    Runs with a drop that failed 5 times are left out. `note` is called with the games of each batch.
    """
    sampler = compared.sampler(model)
    parts = [compared.none(1).values]
    for start, some in _split(compared, games) if sampler else ((run, 1) for run in range(games)):
        with suppress(TooManyFailedDraws):
            many = sampler(1, some, seed, first + start) if sampler else None
            parts.append((many or _play(compared, model, 1, seed, first + start)[0]).values)
        note(some)
    return np.concatenate(parts)


def _split(compared: Compared, games: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(CHUNK if way() != "python" else _PLAIN_BATCH, _BATCH_COUNTS // compared.numbers()))
    for first in range(0, games, size):
        yield first, min(size, games - first)


def _play(compared: Compared, model: DropModel, side: int, seed: int, run: int) -> tuple[Values, Draws]:
    recorder = Recorder(model)
    turns = list(to_its_end(compared.game.start(recorder.as_model, compared.rules[side], seed, run)))
    draws = recorder.take_draws()
    landed = sum(draw.outcome.status.is_landing for draw in draws)
    values = compared.run(turns, side)
    if isinstance(model, SurrogateModel | ShipSurrogate):
        values = replace(values, drops=len(draws), beyond=sum(draw.outcome.extrapolated for draw in draws))
    return values, Draws(landed, len(draws) - landed)
