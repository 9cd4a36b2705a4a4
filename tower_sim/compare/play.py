"""Pairs of games: game g of both variants from one seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tower_sim.campaign.spec import game_seed
from tower_sim.errors import check_whole
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.many import Array, Games
from tower_sim.model import DropModel, TooManyFailedDraws


@runtime_checkable
class GameSampler(Protocol):
    """A model that plays many games at once."""

    def sample_games(self, rules: Rules, games: int, seed: int) -> Games:
        """Play `games` games; game g draws from its own stream of `seed`, whatever the rules."""
        ...

    def extrapolated(self, games: Games) -> Array:
        """Say of each drop, shape (game, drop), whether it is outside of what the model was fitted to."""
        ...


@dataclass(frozen=True)
class Draws:
    """How the draws of one variant's games went: `landed` drops, and draws made again since they were no landing."""

    landed: int
    redrawn: int


@dataclass(frozen=True, eq=False)
class Pairs:
    """Games of two variants, game g of `a` and of `b` from one seed; of failed pairs only the number, `left_out`.

    `draws` are of A and of B, None when the model does not tell; `extrapolated` the shares of
    their drops outside of what a fitted model covers, None for others; `interrupted`: fewer pairs than were asked for.
    """

    a: Games
    b: Games
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    extrapolated: tuple[float, float] | None = None
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.a)


def play_pairs(
    models: tuple[DropModel, DropModel],
    rules: tuple[Rules, Rules],
    games: int,
    seed: int,
    note: Callable[[int], None] = lambda done: None,
) -> Pairs:
    """Play `games` pairs, A with the first model and rules, B with the second; all that is random comes from `seed`.

    Two models that can sample games do so, both from `seed`; else pair g is played from `game_seed(seed, g)`, and
    `note` is told how many are done. A pair is left out when a drop of either game fails 5 times. Interrupted from
    the keyboard, the pairs that are done are returned.
    Raises UsageError for fewer than 2 games; TooManyFailedDraws when that leaves fewer than 2 pairs;
    KeyboardInterrupt when fewer than 2 were done.
    """
    check_whole("games", games, 2)
    if all(isinstance(model, GameSampler) for model in models):
        samplers = [model for model in models if isinstance(model, GameSampler)]
        a, b = (model.sample_games(own, games, seed) for model, own in zip(samplers, rules, strict=True))
        beyond = [float(model.extrapolated(own).mean()) for model, own in zip(samplers, (a, b), strict=True)]
        return Pairs(a, b, extrapolated=(beyond[0], beyond[1]))
    done: list[tuple[_Game, _Game]] = []
    failed: list[TooManyFailedDraws] = []
    interrupted = False
    try:
        for game in range(games):
            own = game_seed(seed, game)
            try:
                done.append((_played(models[0], rules[0], own), _played(models[1], rules[1], own)))
            except TooManyFailedDraws as error:
                failed.append(error)
            note(game + 1)
    except KeyboardInterrupt:
        interrupted = True
    if len(done) < 2:
        raise KeyboardInterrupt if interrupted else failed[-1]
    a, b = ([pair[i] for pair in done] for i in (0, 1))
    together = [Games.together([game.counts for game in side]) for side in (a, b)]
    return Pairs(together[0], together[1], len(failed), (_draws(a), _draws(b)), interrupted=interrupted)


@dataclass(frozen=True, eq=False)
class _Game:
    """One game as arrays, with its draws that landed and those made again."""

    counts: Games
    landed: int
    redrawn: int


def _played(model: DropModel, rules: Rules, seed: int) -> _Game:
    entries = list(play(model, rules, seed))
    landed = sum(entry.attempts > 0 for entry in entries)
    return _Game(Games.of([entries], rules), landed, sum(len(entry.failures) for entry in entries))


def _draws(games: Sequence[_Game]) -> Draws:
    return Draws(sum(game.landed for game in games), sum(game.redrawn for game in games))
