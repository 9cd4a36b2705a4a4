"""Matching: which recorded drop can be shown in the place of one that only counts are known of, and as which cubes.

    recorded cubes, without colours          wanted cubes, with colours
    lay on / thrown -> lie on / out          lay on / thrown -> lie on / out (as far as it is known)
            level_of: do the counts come out right for some choice of colours?
            relabelled: such a choice, as numbers of the wanted cubes

Cubes are alike but for their colours, and a hand throws them in any order, so that the colours of a recorded drop may
be given anew: what is left is a drop that could have been. The levels, from the best:

- `exact`: as many cubes of each colour go from each floor, or from the hand, to each floor and out;
- `floors`: as many cubes of each colour are thrown, come out and lie on each floor afterwards;
- `counts`: as many cubes of each colour are inside before, thrown and out;
- `nearest`: none of these; `distance` says how far from it.

Nothing here is random.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from tower_sim.errors import fault
from tower_sim.outcome import Outcome
from tower_sim.places import INSIDE
from tower_sim.replay.transport import transport
from tower_sim.state import TowerState

THROWN = "thrown"
"""Where a cube was that is thrown now; any other was at a place `inside:REGION`, or INSIDE, somewhere there."""
OUT = "out"
"""Where a cube is that has come out, in the tray or beside it."""
LEVELS = ("exact", "floors", "counts", "nearest")

Move = tuple[str, str]
"""From where to where a cube went: its place before, or THROWN, and its place after, or OUT."""
Key = tuple[str, str]
"""A move as a level looks at it: places that it does not tell apart are one."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a cube of a recorded drop: its number there and its move; `still`: it never left its place."""

    number: int
    before: str
    after: str
    still: bool = False


@dataclass(frozen=True, slots=True)
class Sought:
    """A cube of the drop that is to be shown: `before` as in a Move (INSIDE: nobody knows on which floor).

    `after` is None where it is not known of this cube whether it came out.
    """

    number: int
    colour: str
    before: str
    after: str | None = None


@dataclass(frozen=True)
class Wanted:
    """The drop that is to be shown: all its cubes, and how many of each colour come out.

    Raises UsageError where more cubes of a colour come out than there are, and where `out` is not that of the cubes.
    """

    cubes: tuple[Sought, ...]
    out: Mapping[str, int]

    def __post_init__(self) -> None:
        there = self.inside + self.thrown
        for colour, count in self.out.items():
            if not 0 <= count <= there[colour]:
                raise fault(f"cubes of {colour} that come out", count, f"0 to {there[colour]}, which are there")
        told = Counter(cube.colour for cube in self.cubes if cube.after == OUT)
        if self.is_told and told != Counter({colour: count for colour, count in self.out.items() if count}):
            raise fault("cubes that come out", dict(self.out), f"{dict(told)}, as the cubes have it")

    @cached_property
    def inside(self) -> Counter[str]:
        """How many cubes of each colour are inside before."""
        return Counter(cube.colour for cube in self.cubes if cube.before != THROWN)

    @cached_property
    def thrown(self) -> Counter[str]:
        """How many cubes of each colour are thrown."""
        return Counter(cube.colour for cube in self.cubes if cube.before == THROWN)

    @cached_property
    def size(self) -> tuple[int, int, int]:
        """How many cubes are inside before, thrown, and out, of any colour."""
        return self.inside.total(), self.thrown.total(), sum(self.out.values())

    @cached_property
    def is_told(self) -> bool:
        """Whether it is known of each cube where it is afterwards."""
        return all(cube.after not in (None, INSIDE) for cube in self.cubes)

    @cached_property
    def after(self) -> Counter[tuple[str, str]] | None:
        """How many cubes of each colour are at each place afterwards, by colour and place; None where it is unknown."""
        return Counter((cube.colour, cube.after or "") for cube in self.cubes) if self.is_told else None

    @cached_property
    def moves(self) -> Counter[tuple[str, Move]] | None:
        """How many cubes of each colour make each move; None where it is not known of all of them."""
        if not self.is_told or any(cube.before == INSIDE for cube in self.cubes):
            return None
        return Counter((cube.colour, (cube.before, cube.after or "")) for cube in self.cubes)

    @cached_property
    def after_in_all(self) -> Counter[str]:
        """`after`, of all colours together; empty where it is unknown."""
        return _summed(self.after or Counter(), 1)

    @cached_property
    def moves_in_all(self) -> Counter[Move]:
        """`moves`, of all colours together; empty where they are unknown."""
        total: Counter[Move] = Counter()
        for (_, move), count in (self.moves or {}).items():
            total[move] += count
        return total


def of_outcome(before: TowerState, outcome: Outcome) -> Wanted:
    """Return what is wanted of the outcome of a drop into a tower in the state `before`, of a model that tells places.

    Raises UsageError for an outcome that is no landing.
    """
    if not outcome.status.is_landing:
        raise fault("status of the outcome", str(outcome.status), "a landing", "draw again with until_landed")
    lay = {resident.cube: INSIDE + resident.region for resident in before.residents} | dict.fromkeys(
        outcome.thrown, THROWN
    )
    cubes = tuple(
        Sought(x.cube.id, x.cube.colour, lay[x.cube], x.place if x.inside else OUT)
        for x in sorted(outcome.landings, key=lambda x: x.cube.id)
    )
    return Wanted(cubes, Counter(cube.colour for cube in outcome.emerged))


def moves_of(cubes: Iterable[Recorded]) -> Counter[Move]:
    """Count the moves of a recorded drop: all that matching asks of it."""
    return Counter((cube.before, cube.after) for cube in cubes)


def moves_text(moves: Mapping[Move, int]) -> str:
    """Write moves down: equal ones as the same text."""
    return json.dumps(sorted([*move, count] for move, count in moves.items() if count), separators=(",", ":"))


def read_moves(text: str) -> Counter[Move]:
    """Read what `moves_text` wrote; raises ValueError for what it did not write."""
    rows: object = json.loads(text)
    if not isinstance(rows, list):
        raise ValueError("moves are no list")
    moves: Counter[Move] = Counter()
    for row in cast("list[object]", rows):
        match row:
            case [str(before), str(after), int(count)] if count > 0:
                moves[before, after] += count
            case _:
                raise ValueError(f"{row!r} is no move")
    return moves


def level_of(wanted: Wanted, moves: Mapping[Move, int]) -> str | None:
    """Return the best level at which a recorded drop of these moves can be shown; None below `counts`.

    Colours exist for `counts` exactly where sum of max(0, o - b) <= thrown cubes that came out <= sum of min(o, t),
    over the colours, of which b are inside before, t thrown and o out.
    """
    size, leaving, falling = _size(moves)
    if size != wanted.size or _matched(wanted, leaving, falling) < wanted.size[2]:
        return None
    if wanted.moves is not None and dict(wanted.moves_in_all) == dict(moves):
        return "exact"
    return "floors" if _floors(wanted, moves) is not None else "counts"


def distance(wanted: Wanted, moves: Mapping[Move, int]) -> int | None:
    """Return how far a recorded drop of these moves is from the wanted one, in cubes: 0 for a match of counts.

    It is |inside before - that of the recorded one|, cubes that are left out or missing, plus the sum over colours of
    |out - out as shown|, for the choice of colours that makes it least. None where it cannot be shown: it throws
    another number of cubes, or more come out from inside than are there.
    """
    (inside, thrown, out), leaving, falling = _size(moves)
    if thrown != wanted.size[1] or leaving > wanted.size[0]:
        return None
    return abs(inside - wanted.size[0]) + out + wanted.size[2] - 2 * _matched(wanted, leaving, falling)


def relabelled(wanted: Wanted, cubes: Sequence[Recorded], level: str) -> dict[int, int]:
    """Return as which wanted cube, by number, each cube of a recorded drop is shown at a level that it reaches.

    A thrown cube is shown as a thrown one, one from inside as one from inside. At `nearest` a recorded cube that is to
    be left out has no entry: one that stays inside, and lies still if there is such a one; and a wanted one may be
    missing among the values. Wherever it is free, a cube is shown as one that makes the same move, ends at the same
    place or has the same fate, in the order of numbers.
    Raises ValueError for a level that the drop does not reach.
    """
    moves = moves_of(cubes)
    shares = _shares(wanted, moves, level)
    key = _KEYS[level]
    free = list(wanted.cubes)
    waiting = _shown(wanted, cubes)
    numbers: dict[int, int] = {}
    for is_like in _LIKE:
        for cube in list(waiting):
            quota = shares[key((cube.before, cube.after))]
            for other in free:
                same_hand = (other.before == THROWN) == (cube.before == THROWN)
                if same_hand and quota[other.colour] and is_like(cube, other):
                    quota[other.colour] -= 1
                    numbers[cube.number] = other.number
                    free.remove(other)
                    waiting.remove(cube)
                    break
    return numbers


def _shown(wanted: Wanted, cubes: Sequence[Recorded]) -> list[Recorded]:
    """Return the recorded cubes by number, without those from inside that are too many."""
    staying = [cube for cube in cubes if cube.before != THROWN and cube.after != OUT]
    too_many = max(0, sum(cube.before != THROWN for cube in cubes) - wanted.size[0])
    left_out = sorted(staying, key=lambda cube: (not cube.still, cube.number))[:too_many]
    return sorted((cube for cube in cubes if cube not in left_out), key=lambda cube: cube.number)


def _same_move(cube: Recorded, other: Sought) -> bool:
    return (cube.before, cube.after) == (other.before, other.after)


def _same_place(cube: Recorded, other: Sought) -> bool:
    return cube.after == other.after


def _same_fate(cube: Recorded, other: Sought) -> bool:
    return other.after is not None and (cube.after == OUT) == (other.after == OUT)


def _any(cube: Recorded, other: Sought) -> bool:
    return True


_LIKE = (_same_move, _same_place, _same_fate, _any)


def _by_move(move: Move) -> Key:
    return move


def _by_floor(move: Move) -> Key:
    return THROWN if move[0] == THROWN else INSIDE, move[1]


def _by_fate(move: Move) -> Key:
    return THROWN if move[0] == THROWN else INSIDE, OUT if move[1] == OUT else INSIDE


_KEYS: dict[str, Callable[[Move], Key]] = {
    "exact": _by_move,
    "floors": _by_floor,
    "counts": _by_fate,
    "nearest": _by_fate,
}


def _shares(wanted: Wanted, moves: Mapping[Move, int], level: str) -> dict[Key, Counter[str]]:
    """Say how many cubes of each colour are among those of each key of a level."""
    if level != "nearest" and (reached := level_of(wanted, moves)) not in LEVELS[: LEVELS.index(level) + 1]:
        raise ValueError(f"a recorded drop reaches the level {reached}, not {level}")
    if level == "exact":
        shares: dict[Key, Counter[str]] = {}
        for (colour, move), count in (wanted.moves or {}).items():
            shares.setdefault(move, Counter())[colour] += count
        return shares
    if level == "floors":
        found = _floors(wanted, moves)
        if found is None:
            raise ValueError("a recorded drop has other floors than the wanted one")
        return found
    return _fates(wanted, moves)


def _floors(wanted: Wanted, moves: Mapping[Move, int]) -> dict[Key, Counter[str]] | None:
    """Share the colours so that each place has as many of each as it should; None where that cannot be."""
    after = wanted.after
    if after is None or _summed(moves, 1) != wanted.after_in_all:
        return None
    stayed: Counter[str] = Counter()
    for (before, place), count in moves.items():
        if before != THROWN:
            stayed[place] += count
    cells = {(place, colour): count for (colour, place), count in after.items()}
    flow = transport(stayed, wanted.inside, cells)
    if sum(flow.values()) < wanted.size[0]:
        return None
    shares: dict[Key, Counter[str]] = {}
    for (place, colour), count in cells.items():
        from_inside = flow.get((place, colour), 0)
        shares.setdefault((INSIDE, place), Counter())[colour] = from_inside
        shares.setdefault((THROWN, place), Counter())[colour] = count - from_inside
    return shares


def _fates(wanted: Wanted, moves: Mapping[Move, int]) -> dict[Key, Counter[str]]:
    """Share the colours so that as many cubes as can be of those that should come out do so."""
    (inside, thrown, _), leaving, falling = _size(moves)
    if thrown != wanted.size[1] or leaving > wanted.size[0]:
        raise ValueError("a recorded drop throws another number of cubes, or more come out from inside than are there")
    out = {INSIDE: leaving, THROWN: falling}
    there = {INSIDE: wanted.inside, THROWN: wanted.thrown}
    shown = {INSIDE: min(inside, wanted.size[0]), THROWN: thrown}
    cells = {(hand, colour): count for hand in there for colour, count in there[hand].items()}
    flow = transport(out, wanted.out, cells)
    shares: dict[Key, Counter[str]] = {}
    for hand, by_colour in there.items():
        leave = Counter({colour: flow.get((hand, colour), 0) for colour in by_colour})
        _take(leave, by_colour - leave, out[hand] - leave.total())
        stay: Counter[str] = Counter()
        _take(stay, by_colour - leave, shown[hand] - out[hand])
        shares[hand, OUT], shares[hand, INSIDE] = leave, stay
    return shares


def _take(to: Counter[str], pool: Counter[str], number: int) -> None:
    """Add `number` cubes of those in the pool, one by one of the colour that has most left there."""
    for _ in range(number):
        colour = max(sorted(pool), key=lambda each: pool[each])
        pool[colour] -= 1
        to[colour] += 1


def _size(moves: Mapping[Move, int]) -> tuple[tuple[int, int, int], int, int]:
    """Return how many cubes are inside before, thrown and out, and of these how many from inside and of the thrown."""
    inside = thrown = leaving = falling = 0
    for (before, after), count in moves.items():
        if before == THROWN:
            thrown += count
            falling += count * (after == OUT)
        else:
            inside += count
            leaving += count * (after == OUT)
    return (inside, thrown, leaving + falling), leaving, falling


def _matched(wanted: Wanted, leaving: int, falling: int) -> int:
    """Return how many of the cubes that should come out can do so, when so many leave from inside and from the hand.

    It is the greatest flow from these two, through the colours' numbers there, to the colours' numbers out: the least
    of four cuts.
    """
    from_inside = sum(min(count, wanted.inside[colour]) for colour, count in wanted.out.items())
    from_hand = sum(min(count, wanted.thrown[colour]) for colour, count in wanted.out.items())
    return min(leaving + falling, leaving + from_hand, falling + from_inside, wanted.size[2])


def _summed(table: Mapping[tuple[str, str], int], which: int) -> Counter[str]:
    """Add a table up by one of the words of its keys."""
    total: Counter[str] = Counter()
    for key, count in table.items():
        total[key[which]] += count
    return total
