"""What decides a drop before any engine runs, as text with every digit: hands, knocks, places put down, boxes.

`python -m tests.support.bytes` prints the digests; they are pinned in tests/physics/test_same_everywhere.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np

from tests.support.bench import SHAKING, Shake, put_down, release
from tests.support.towers import CLUB, RULEBOOK, called
from tower_sim.apparatus import load, names, with_board
from tower_sim.apparatus.parts import Hand
from tower_sim.values import Pose, supply

EDGE, WINDOW = 0.008, 0.01
HANDFUL = Hand(0.005, 0.09, 0.1, 5.0)
POUR = Hand(0.005, 0.05, 0.1, 5.0, 12.5, 0.3)


def hands() -> Iterator[float]:
    """Yield all numbers of 5 hands: of 1, 5 and 49 cubes at once, of many over each other, and poured."""
    narrow = Hand(0.0, 0.03, 0.4, 20.0)
    for seed, (number, hand) in enumerate([(1, HANDFUL), (5, HANDFUL), (49, HANDFUL), (30, narrow), (9, POUR)]):
        for launch in release(supply({"any": number}, EDGE), hand, 0.22, EDGE, WINDOW, np.random.default_rng(seed))[0]:
            yield from (float(launch.cube.id), launch.windows * WINDOW, *launch.pose.position, *launch.pose.orientation)
            yield from (*launch.velocity, *launch.spin)


def knocks() -> Iterator[float]:
    """Yield the directions of 1,500 knocks and the gravity that each makes felt at 3 times.

    So many, since two ways to make a sine differ in about one value of a thousand.
    """
    rng = np.random.default_rng(0)
    for strength in (0.1, 1.0, 5.0):
        for _ in range(500):
            shake = Shake.draw(strength, rng)
            yield from (shake.x, shake.y)
            for _ in range(3):
                yield from shake.gravity(1.1 * SHAKING * rng.random())


def places() -> Iterator[float]:
    """Yield 3 places where a cube is put down in a zone of the shipped board: alone, beside others, on others."""
    ship = with_board(load("dead_reckoning"))
    laid: list[Pose] = []
    for seed, (zone, number) in enumerate([("damage_fore", 1), ("strength_2", 12), ("explosive_shot", 40)]):
        rng = np.random.default_rng(seed)
        for _ in range(number):
            laid.append(put_down(ship, zone, laid, rng))
        yield from (*laid[-1].position, *laid[-1].orientation)


def boxes(name: str) -> Iterator[float]:
    """Yield all numbers of the boxes of a tower, and the heights that a drop goes by."""
    shape = load(name)
    for box in shape.boxes:
        yield from (*box.centre, *box.half, *box.orientation)
    yield from (shape.rim_top, shape.passed, *(region.above for region in shape.regions))


def digests() -> dict[str, str]:
    """Return the digests of all of them by name."""
    found = {"hands": hands(), "knocks": knocks(), "places": places()}
    found |= {called(name): boxes(name) for name in (*names(), RULEBOOK, CLUB)}
    return {name: digest(numbers) for name, numbers in found.items()}


def digest(numbers: Iterable[float]) -> str:
    """Return a digest of every digit of some numbers; the two zeros are one."""
    text = " ".join((float(x) + 0.0).hex() for x in numbers)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


if __name__ == "__main__":
    for name, found in digests().items():
        print(f'    "{name}": "{found}",')
