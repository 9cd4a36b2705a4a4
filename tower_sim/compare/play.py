"""Pairs of games: game g of both variants from one seed."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tower_sim.campaign.spec import game_seed
from tower_sim.compare.tally import CHUNK, Draws, Pairs, Tally
from tower_sim.contract import DropModel
from tower_sim.counts import RunSampler
from tower_sim.errors import check_whole
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.amerigo.many import Games, sample_games
from tower_sim.model import TooManyFailedDraws

MAX_GAMES = 100_000_000  # two hours or so with numba
_PLAIN_BATCH = 16  # games at once without numba: a second or less, so that it can be told and interrupted
_BATCH_COUNTS = 10_000_000  # numbers in a batch: drops times colours times games


def play_pairs(
    models: tuple[DropModel, DropModel],
    rules: tuple[Rules, Rules],
    games: int,
    seed: int,
    note: Callable[[int], None] = lambda done: None,
) -> Tally:
    """Play `games` pairs and add them up; `note` is told how many are done. See `batches`.

    Interrupted from the keyboard, what is done is returned.
    Raises UsageError for a number of games that is not allowed; TooManyFailedDraws when fewer than 2 pairs are left;
    KeyboardInterrupt when fewer than 2 were done.
    """
    check_whole("games", games, 2, MAX_GAMES)
    tally, failure = Tally.empty(rules), None
    try:
        for batch in batches(models, rules, games, seed):
            tally, failure = tally.add(batch), batch.failure or failure
            note(len(tally) + tally.left_out)
    except KeyboardInterrupt:
        tally = replace(tally, interrupted=True)
    if len(tally) >= 2:
        return tally
    if failure is not None and not tally.interrupted:
        raise failure
    raise KeyboardInterrupt


def batches(models: tuple[DropModel, DropModel], rules: tuple[Rules, Rules], games: int, seed: int) -> Iterator[Pairs]:
    """Play `games` pairs, A with the first model and rules, B with the second, and give them in order, some at a time.

    Two models that can sample games do so, game g of both from the g-th stream of `seed`; else pair g is played from
    `game_seed(seed, g)`, and is left out when a drop of either game fails 5 times. How many come at a time changes no
    game.
    """
    if all(isinstance(model, RunSampler) for model in models):
        samplers = [model for model in models if isinstance(model, RunSampler)]
        most = max(each.drops * len(each.colours) for each in rules)
        size = max(1, min(CHUNK if compiled() else _PLAIN_BATCH, _BATCH_COUNTS // most))
        for first in range(0, games, size):
            number = min(size, games - first)
            a, b = (
                sample_games(model, own, number, seed, first=first) for model, own in zip(samplers, rules, strict=True)
            )
            beyond = [int(model.extrapolated(own.counts).sum()) for model, own in zip(samplers, (a, b), strict=True)]
            yield Pairs(a, b, beyond=(beyond[0], beyond[1]))
        return
    for game in range(games):
        own = game_seed(seed, game)
        try:
            a, b = _played(models[0], rules[0], own), _played(models[1], rules[1], own)
        except TooManyFailedDraws as error:
            yield Pairs(Games.none(rules[0]), Games.none(rules[1]), left_out=1, failure=error)
        else:
            yield Pairs(a.counts, b.counts, draws=(a.draws, b.draws))


def compiled() -> bool:
    """Say whether whole games are played by compiled code: whether numba is installed."""
    from tower_sim.surrogate import kernel  # here, because it imports numba, which takes a while

    return not isinstance(kernel.play, types.FunctionType)


@dataclass(frozen=True, eq=False)
class _Game:
    """One game as arrays, and how its draws went."""

    counts: Games
    draws: Draws


def _played(model: DropModel, rules: Rules, seed: int) -> _Game:
    entries = list(play(model, rules, seed))
    landed = sum(entry.attempts > 0 for entry in entries)
    return _Game(Games.of([entries], rules), Draws(landed, sum(len(entry.failures) for entry in entries)))
