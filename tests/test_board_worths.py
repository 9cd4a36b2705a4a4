"""The worths of the shipped board against the rulebook's worked example (lines 1066-1101), by enumeration.

The example's icons are lost in the text; what survives are the numbers. Which of two numbers of plunder are coins and
which cargo is therefore open, and both readings are tried; at least one must be possible for both sides at once.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import pytest

from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.with_board import with_board
from tower_sim.games.dead_reckoning.abilities import Worth
from tower_sim.games.dead_reckoning.combat import worth

BOARD = with_board(load("dead_reckoning")).board
ENDS = tuple({worth(zone): zone for zone in BOARD.zones if zone.kind != "explosive"})  # where a cube may lie at the end


def totals(cubes: int) -> Iterator[tuple[tuple[Worth, ...], Worth]]:
    """Every way in which so many cubes can end on the board, and what they bring."""
    for ways in combinations_with_replacement(ENDS, cubes):
        yield ways, sum(ways, Worth())


def green(coins: int, cargo: int) -> list[tuple[Worth, ...]]:
    """Green's 3 thrown, 2 of an ability and 1 extra of explosive shot: 3 strength, 1 damage, plunder."""
    wanted = Worth(strength=3, damage=1, coins=coins, cargo=cargo)
    return [ways for ways, total in totals(6) if total == wanted]


def violet(coins: int, cargo: int) -> list[tuple[Worth, ...]]:
    """Violet's 6 thrown and 2 of an ability: 2 strength (1 more is an ability's), plunder and a choice of 2, no damage.

    One cube lies where a zone gives two things: "the zone of plunder ... + ...".
    """
    wanted = Worth(strength=2, coins=coins, cargo=cargo, choice=2)
    return [ways for ways, total in totals(8) if total == wanted and any(w.coins and w.cargo for w in ways)]


@pytest.mark.parametrize(("five", "two"), [("coins", "cargo"), ("cargo", "coins")])
def test_the_shipped_board_can_end_as_the_worked_example_does_whichever_icon_is_which(five: str, two: str):
    assert green(coins=1, cargo=1)
    assert violet(**{five: 5, two: 2})


def test_a_zone_of_two_coins_as_once_shipped_cannot_end_so():
    """The fault that was mended: with it Green's six cubes never bring 1 coin and 1 cargo beside the rest."""
    as_it_was = {Worth(coins=2) if way == Worth(coins=1) else way for way in ENDS}
    for ways in combinations_with_replacement(sorted(as_it_was, key=repr), 6):
        assert sum(ways, Worth()) != Worth(strength=3, damage=1, coins=1, cargo=1)


def test_one_coin_is_the_smallest_change_to_the_board_as_it_was_that_lets_both_sides_end_so():
    """Of all boards with one number of one plunder zone other than it was, up to 3, only that of one coin will do."""
    was = [Zone(z.name, z.kind, z.corners, z.strength, 2 if z.name == "coins" else z.coins, z.cargo, z.choice)
           for z in BOARD.zones]  # fmt: skip
    found = []
    for zone, key, value in product(was, ("coins", "cargo", "choice"), range(4)):
        if zone.kind == "plunder" and getattr(zone, key) not in (0, value) and value:
            ends = {worth(z) for z in was if z is not zone and z.kind != "explosive"}
            ends.add(Worth(**{"coins": zone.coins, "cargo": zone.cargo, "choice": zone.choice} | {key: value}))
            if can(ends, 6, [Worth(3, 1, 1, 0, 1)]) and can(ends, 8, [Worth(2, 5, 2, 2)]):
                found.append((zone.name, key, value))
    assert found == [("coins", "coins", 1)]


def can(ends: set[Worth], cubes: int, wanted: list[Worth]) -> bool:
    return any(sum(ways, Worth()) in wanted for ways in combinations_with_replacement(sorted(ends, key=repr), cubes))
