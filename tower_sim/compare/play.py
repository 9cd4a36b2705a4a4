"""Play pairs of runs: run r of both variants has the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tower_sim.compare.tally import CHUNK, Draws, Pairs, Tally
from tower_sim.contract import DropModel
from tower_sim.errors import check_whole
from tower_sim.games.compared import Compared, Values
from tower_sim.jit import way
from tower_sim.model import TooManyFailedDraws
from tower_sim.recorder import Recorder
from tower_sim.requests import to_its_end
from tower_sim.state import check_seed

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
    """Play `games` pairs and return their tally; see `batches`. `note` is called with the number of pairs done.

    An interrupt from the keyboard returns the pairs done so far.
    Raises UsageError for a number of games that is not allowed, TooManyFailedDraws if fewer than 2 pairs succeed, and
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
    """Play `games` pairs and yield them in order, some at a time. A uses the first model, B the second.

    If both models can sample runs of the game, run r of both draws from stream r of `seed`. Otherwise pair r is played
    as run r of `seed`, and is left out if a drop of either run fails 5 times. The size of a batch changes no run.
    """
    a_sampler, b_sampler = (compared.sampler(model) for model in models)
    if a_sampler and b_sampler:
        size = max(1, min(CHUNK if way() != "python" else _PLAIN_BATCH, _BATCH_COUNTS // compared.numbers()))
        for first in range(0, games, size):
            some = min(size, games - first)
            yield Pairs(a_sampler(0, some, seed, first), b_sampler(1, some, seed, first))
        return
    for run in range(games):
        try:
            (a, of_a), (b, of_b) = (_played(compared, model, side, seed, run) for side, model in enumerate(models))
        except TooManyFailedDraws as error:
            yield Pairs(compared.none(0), compared.none(1), left_out=1, failure=error)
        else:
            yield Pairs(a, b, draws=(of_a, of_b))


def _played(compared: Compared, model: DropModel, side: int, seed: int, run: int) -> tuple[Values, Draws]:
    """Play one run of a variant. Raises TooManyFailedDraws if the run is cut short."""
    recorder = Recorder(model)
    turns = list(to_its_end(compared.game.start(recorder.as_model, compared.rules[side], seed, run)))
    draws = recorder.taken()
    landed = sum(draw.outcome.status.is_landing for draw in draws)
    return compared.run(turns, side), Draws(landed, len(draws) - landed)
