"""Read and play mutated files of declared games: never a traceback, never a cube that is lost.

python -m tests.measure.fuzz_games --mutations 10000 --seed 1

Each is a shipped game, or one of docs/games.md, with its bytes garbled, its values exchanged, dropped, renamed or
made nasty, or an expression spoilt. It must be refused in one line, or read; what is read is played with the two-thirds
rule for some throws, after each of which every cube must be in exactly one place.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tests.support.attacks import garbled, mutated, places, to_toml
from tests.support.declared import AMERIGO, dungeon
from tower_sim.apparatus.catalogue import load
from tower_sim.errors import UsageError
from tower_sim.games.declared import DeclaredGame, files
from tower_sim.games.declared.checked import declaration_of
from tower_sim.games.declared.play import Throw
from tower_sim.reading import toml_table
from tower_sim.surrogate.two_thirds import TwoThirdsRule

FOLDER = Path(files.__file__).parent
GAMES = {
    path.stem: path.read_text("utf-8") for path in sorted((*FOLDER.glob("*.toml"), AMERIGO), key=lambda path: path.stem)
} | {"dungeon": dungeon()}
THROWS = 60
LONGEST = 900  # characters of a line that refuses
SLOW = 5.0  # s of this process for one file
PIECES = (
    "count(", ")", "out", "tower", "/ 0", "- 9", "1000000000 * 2", "not", "and", ".", "phase", "max(", ",", "==",
    "(" * 30,
)  # fmt: skip


class Fuzz:
    """Mutates files one by one; `counts` says what came of them, `failures` what should not have."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.model = TwoThirdsRule(load("amerigo"))
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []

    def attack(self, number: int) -> None:
        """Make mutation `number`, read it and play it."""
        name = [*GAMES][number % len(GAMES)]
        text = self._mutated(GAMES[name])
        begun = time.process_time()
        try:
            self.counts[self._came_of(text)] += 1
        except UsageError as error:
            self.counts["refused"] += 1
            if len(str(error)) > LONGEST or "\n" in str(error):
                self.failures.append(f"{name} {number}: no short line: {str(error)[:300]!r}")
        except Exception:
            self.failures.append(f"{name} {number}: {traceback.format_exc()[-900:]} of {text[:2000]!r}")
        if (seconds := time.process_time() - begun) > SLOW:
            self.failures.append(f"{name} {number}: {seconds:.1f} s: {text[:2000]!r}")

    def _mutated(self, text: str) -> str:
        kind = self.rng.random()
        if kind < 0.2:
            return garbled(text, self.rng)
        document = tomllib.loads(text)
        if kind < 0.55:
            return to_toml(mutated(document, self.rng, dates=True))
        for _ in range(self.rng.choice((1, 1, 2))):
            self._spoil(document)
        return to_toml(document)

    def _spoil(self, document: dict[str, Any]) -> None:
        """Garble a text in the document, such as an expression or a name, or put another's there."""
        texts: list[tuple[Any, Any]] = []
        for *way, last in places(document):
            parent: Any = document
            for key in way:
                parent = parent[key]
            if isinstance(parent[last], (str, int)):
                texts.append((parent, last))
        parent, last = self.rng.choice(texts)
        said = str(parent[last])
        kind = self.rng.randrange(4)
        if kind == 0:
            parent[last] = garbled(said, self.rng)
        elif kind == 1:
            at = self.rng.randrange(len(said) + 1)
            parent[last] = f"{said[:at]} {self.rng.choice(PIECES)} {said[at:]}"
        elif kind == 2:
            other, key = self.rng.choice(texts)
            parent[last] = other[key]
        else:
            parent[last] = self.rng.choice((0, 1, 2, 3, 17, 100, "1 - 2", "3 / 2", "count(tower)", "round", "drop - 5"))

    def _came_of(self, text: str) -> str:
        game = DeclaredGame(declaration_of(toml_table(text, "the file")))
        rules = game.read({})
        assert game.read(game.plain(rules)) == rules
        cubes = sorted(cube for pool in rules.supply(self.model.cube_edge).values() for cube in pool)
        turns = 0
        try:
            for turn in islice(game.play(self.model, rules, turns), THROWS):
                throw: Throw = turn.entry
                there = [*turn.state.cubes, *throw.table.out]
                there += [cube for pool in throw.table.pools.values() for cube in pool]
                assert sorted(there) == cubes, f"throw {turn.index} lost a cube or doubled one"
                assert game.line(turn, rules)
                turns += 1
        except UsageError as error:
            if "\n" in str(error):
                raise AssertionError(str(error)) from error
            return "stopped in play"
        self.counts["throws"] += turns
        return "played"


def main(words: Sequence[str] | None = None) -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mutations", type=int, default=10_000, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn from (default: %(default)s)")
    options = parser.parse_args(words)
    fuzz, begun = Fuzz(options.seed), time.monotonic()
    for number in range(options.mutations):
        fuzz.attack(number)
    told = ", ".join(f"{what} {count}" for what, count in sorted(fuzz.counts.items()))
    seconds = f"{time.monotonic() - begun:.0f} s"
    print(f"{options.mutations} mutations of {len(GAMES)} games, seed {options.seed}: {told}; {seconds}")
    print(*fuzz.failures, f"failures: {len(fuzz.failures)}", sep="\n")
    sys.exit(bool(fuzz.failures))


if __name__ == "__main__":
    main()
