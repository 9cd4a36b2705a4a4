"""Declared games played by Python with words of the portable generator: what other languages have to play as well."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

import tower_sim
from tower_sim.contract import DropModel
from tower_sim.cubes import count_by_colour
from tower_sim.errors import UsageError
from tower_sim.games.declared import play as playing
from tower_sim.games.declared.game import DeclaredGame
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.game import Turn
from tower_sim.surrogate import model as surrogate
from tower_sim.surrogate.generator import WordStream
from tower_sim.surrogate.table import WORD

Seed = tuple[int, int, int, int]
ASKS = Path(__file__).parent / "declared_asks.mjs"
PAGE = Path(tower_sim.__file__).parent / "games" / "declared"


class Page:
    """The page's declared games under node, which answers while this is open; see declared_asks.mjs."""

    def __init__(self, node: str, sampler: Path) -> None:
        command = [node, str(ASKS), str(PAGE), str(sampler)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, do: str, **given: Any) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"do": do, **given}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


class Picks:
    """What a game picks, of a stream of words: a number below n as Lemire's method has it, a sample one by one.

    Source: Lemire, Fast random integer generation in an interval, ACM Trans. Model. Comput. Simul. 29(1), 2019.
    """

    def __init__(self, word: WordStream) -> None:
        self.word = word

    def integers(self, n: int) -> int:
        product = self.word() * n
        while product % WORD < WORD % n:
            product = self.word() * n
        return product // WORD

    def choice(self, n: int, number: int, *, replace: bool) -> Any:
        assert not replace
        left = list(range(n))
        for i in range(number):
            j = i + self.integers(n - i)
            left[i], left[j] = left[j], left[i]
        return np.array(left[:number], int)


@contextmanager
def words_of(tower: WordStream | None, picks: WordStream) -> Iterator[None]:
    """Let surrogate towers draw from one stream (None: from numpy's, as they do), and what games pick from another."""
    made = Picks(picks)
    random = SimpleNamespace(default_rng=lambda seed: made, SeedSequence=np.random.SeedSequence)
    with patch.object(playing, "np", SimpleNamespace(random=random)):
        if tower is None:
            yield
        else:
            with patch.object(surrogate, "_words", lambda rng, most: tower):
                yield


def turns_of(
    game: DeclaredGame, rules: DeclaredRules, model: DropModel, tower: WordStream | None, picks: WordStream, most: int
) -> tuple[list[Turn], str]:
    """Play once, up to `most` throws: the turns, and the error in one line that ended it, or nothing."""
    turns: list[Turn] = []
    with words_of(tower, picks):
        try:
            turns.extend(islice(game.play(model, rules, 0), most))
        except UsageError as error:
            return turns, str(error)
    return turns, ""


def told(turn: Turn, colours: Sequence[str], regions: Sequence[str]) -> dict[str, Any]:
    """What `declared.play` tells of a throw in the page."""
    throw: Throw = turn.entry
    effect = throw.effect and {"event": throw.effect.event, "says": throw.effect.says, "amount": throw.amount}
    floors = [[r.cube for r in turn.state.residents if r.region == region] for region in regions]
    values = {name: read.value for name, read in throw.read.items()}
    return {
        "index": throw.index,
        "round": throw.round,
        "phase": throw.phase,
        "thrown": _counts(throw.thrown, colours),
        "out": _counts(throw.out, colours),
        "inside": _counts(throw.table.tower.cubes, colours),
        "floors": [_counts(cubes, colours) for cubes in floors],
        "pools": {pool: _counts(cubes, colours) for pool, cubes in throw.table.pools.items()},
        "isUnloaded": throw.unloaded,
        "read": {name: [*value] if isinstance(value, tuple) else value for name, value in values.items()},
        "effect": effect,
    }


def _counts(cubes: Any, colours: Sequence[str]) -> list[int]:
    counts: Mapping[str, int] = count_by_colour(cubes, colours)
    return [counts[colour] for colour in colours]
