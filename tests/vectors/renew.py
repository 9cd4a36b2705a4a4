"""Write the conformance vectors anew: the made-up table, the first 200 vectors and the digest of 10,000.

python tests/vectors/renew.py

The table is no model's, so that the vectors stay as they are when a model is fitted anew; they change with the
algorithm only.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import make_plan
from tower_sim.surrogate import json_text, kernel
from tower_sim.surrogate.ship import table_document
from tower_sim.surrogate.table import LIMIT, UNIT, WORD, FloorTable, Table

FOLDER = Path(__file__).parent
SEED = (2026, 7, 31, 4294967295)
COUNT = 10_000
SHOWN = 200
Seed = tuple[int, int, int, int]


def mixed(x: int) -> int:
    """Return the finaliser of MurmurHash3 for a 32-bit word."""
    x = (x ^ (x >> 16)) * 0x85EBCA6B % WORD
    x = (x ^ (x >> 13)) * 0xC2B2AE35 % WORD
    return x ^ (x >> 16)


class WordStream:
    """The words of docs/surrogate.md, in plain Python; `state` has the four that come next ones from."""

    def __init__(self, seed: Sequence[int], stream: int = 0) -> None:
        a, b, c, d = (mixed((word + mixed((stream + 0x9E3779B9 * i) % WORD)) % WORD) for i, word in enumerate(seed, 1))
        self.state = (a, b, c, d | 1)

    def __call__(self) -> int:
        a, b, c, d = self.state
        x = b * 5 % WORD
        c, d, shifted = c ^ a, d ^ b, b << 9
        self.state = (a ^ d, b ^ c, (c ^ shifted) % WORD, (d << 11 | d >> 21) % WORD)
        return (x << 7 | x >> 25) * 9 % WORD


@dataclass(frozen=True, slots=True)
class Resting:
    """A cube inside: its floor, numbered from the top, its age in drops, and whether it came in a crowd."""

    floor: int
    age: int
    in_crowd: bool


LAWS: dict[int, tuple[Table, npt.NDArray[np.int32]]] = {}


def move(table: Table, resting: Sequence[Resting | None], word: Callable[[], int], step: int = 0) -> list[int]:
    """Return the floor where each cube ends after a drop or a knock, in the order of their numbers; None is thrown."""

    def more(count: int) -> npt.NDArray[np.uint32]:
        return np.array([word() for _ in range(count)], np.uint32)

    if id(table) not in LAWS:
        LAWS[id(table)] = table, kernel.law_of(table)
    cubes = [(kernel.OUT, 0, False) if cube is None else (cube.floor, cube.age, cube.in_crowd) for cube in resting]
    return kernel.drop(LAWS[id(table)][1], cubes, more(0), more, step) if cubes else []


# Of a vector: the most cubes inside and thrown, and how old those inside are; one of each is drawn.
_MOST = (98, 9, 5, 3, 2)
_AGES = (10, 300)


def numbers(length: int, most: int, salt: int) -> tuple[int, ...]:
    """Return whole numbers from -most to most without a pattern that matters."""
    return tuple((i * i * 7919 + (i + 1) * salt * 104729) % (2 * most + 1) - most for i in range(length))


def effects(rows: int, most: int, salt: int) -> tuple[tuple[int, ...], ...]:
    """Return `rows` lists of the 16 values of a shared effect."""
    return tuple(numbers(16, most, salt + row) for row in range(rows))


def made_up() -> Table:
    """Return a table with every case in it: floors with both effects, one, none; log-odds beyond the limits."""
    none = ((0,) * 16,)
    floors = [
        FloorTable(
            arriving_thrown=numbers(9 + 20 * i, 500, 1 + i),
            arriving_lying=numbers(5 + i, 300, 2 + i),
            arriving_fresh=numbers(4 + i, 300, 3 + i),
            arriving_effect=effects(3, 400, 4) if i == 0 else none,
            pushed=(250, -350, LIMIT + 800)[i],
            lying_thrown=numbers(40, 400, 5 + i),
            lying_lying=numbers(30, 400, 6 + i),
            lying_effect=none if i == 1 else effects(2, 500, 7 + i),
            age=(*numbers(6, 600, 8 + i), -400 * i),
            crowd=(*numbers(3, 600, 9 + i), -LIMIT * i),
        )
        for i in range(3)
    ]
    thresholds = tuple(round(WORD / (1 + math.exp(-i / UNIT))) for i in range(LIMIT + 1))
    return Table(("top", "middle", "bottom"), tuple(floors), thresholds)


@dataclass(frozen=True, slots=True)
class Case:
    """What a drop begins with: its words' `seed` and `stream`, the cubes `inside` and `thrown`, by number."""

    seed: Seed
    stream: int
    inside: Mapping[int, Resting]
    thrown: tuple[int, ...]


def case(table: Table, number: int, seed: Seed) -> Case:
    """Make up a drop: up to 98 cubes inside, on any floor, and up to 98 thrown.

    Random: words of stream `number` of `seed`. Even numbers have young cubes, odd ones old.
    """
    word = WordStream(seed, number)
    most = _MOST[word() % len(_MOST)]
    inside_left = word() % (most + 1)
    most = _MOST[word() % len(_MOST)]
    thrown_left = word() % (most + 1)
    inside: dict[int, Resting] = {}
    thrown: list[int] = []
    cube = 0
    while inside_left + thrown_left:
        cube += 1 + word() % 2
        if word() % (inside_left + thrown_left) < inside_left:
            inside_left -= 1
            floor = word() % len(table.floors)
            age = 1 + word() % _AGES[number % 2]
            inside[cube] = Resting(floor, age, word() % 2 == 1)
        else:
            thrown_left -= 1
            thrown.append(cube)
    return Case((word(), word(), word(), word()), word(), inside, tuple(thrown))


def vectors(table: Table, count: int, seed: Seed) -> Iterator[str]:
    """Yield `count` conformance vectors, each a line of JSON without its end; see docs/surrogate.md.

    `ends` has the floor of every cube, by number, after the drop; `next` is the word drawn after it, so that a sampler
    that draws too many words, or too few, fails. Cubes are listed backwards: their order is for the sampler to find.
    """
    for number in range(count):
        drop = case(table, number, seed)
        word = WordStream(drop.seed, drop.stream)
        ends = move(table, [drop.inside.get(cube) for cube in sorted((*drop.inside, *drop.thrown))], word)
        vector = {
            "seed": drop.seed,
            "stream": drop.stream,
            "inside": [[cube, x.floor, x.age, int(x.in_crowd)] for cube, x in [*drop.inside.items()][::-1]],
            "thrown": drop.thrown[::-1],
            "ends": ends,
            "next": word(),
        }
        yield json.dumps(vector, separators=(",", ":"))


def expected(table: Table) -> dict[str, object]:
    """Return what the samplers are compared with, but for the vectors' lines."""
    lines = "".join(f"{line}\n" for line in vectors(table, COUNT, SEED))
    plan = make_plan(Rules())
    colour = np.repeat(np.arange(len(plan.colours)), plan.cubes)
    _, emerged, _ = kernel.play_games(kernel.law_of(table), colour, np.array(plan.throws), 1, np.array(SEED), 3, 0.0)
    return {
        "seed": list(SEED),
        "vectors": COUNT,
        "sha256": hashlib.sha256(lines.encode()).hexdigest(),
        "words_of_stream_3": list(islice(iter(WordStream(SEED, 3), None), 8)),
        "emerged_of_game_3": [row.tolist() for row in emerged[0]],
    }


def main() -> None:
    table = made_up()
    document = table_document(table, "made up for the vectors", "none", "none")
    (FOLDER / "table.json").write_text(json_text(document), "utf-8")
    (FOLDER / "vectors.jsonl").write_text("".join(f"{line}\n" for line in vectors(table, SHOWN, SEED)), "utf-8")
    (FOLDER / "expected.json").write_text(json_text(expected(table)), "utf-8")
    print(json.loads((FOLDER / "expected.json").read_text("utf-8"))["sha256"])


if __name__ == "__main__":
    main()
