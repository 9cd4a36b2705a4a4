"""The surrogate's drop and knock, and whole games of a plan, compiled in advance for Python and for JavaScript.

Lists of a table lie one after the other in one array, a law; see `law_of`. A place is the number of a floor, or OUT.
The algorithm is that of docs/surrogate.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.compiled import CompiledFile, CompiledFunction, call, paired, trig
from tower_sim.compiled.marks import aside, inner
from tower_sim.surrogate import generator
from tower_sim.surrogate.generator import draw, seeded
from tower_sim.surrogate.table import CROWD, EFFECTS, FRESH, KNOCKS, MAX_FLOORS, FloorTable, Table
from tower_sim.tools import portable, student

Array = npt.NDArray[Any]

OUT = -1
_WORDS = 1 << 32
_AT_ONCE = 1 << 24  # bytes of counts, which WebAssembly keeps a copy of
_EFFECT_SHIFT = 32 - EFFECTS.bit_length() + 1  # a word's first bits number an effect

_FLOORS, _CROWD_FROM, _FRESH_TO, _KNOCK_FROM, _LAST, _THRESHOLDS = range(6)  # in a law; _LAST is of the thresholds
_LISTS = 10
# Rows of `work`, by floor: where its lists begin, in the order of FloorTable, then those of knocks; what `throw` notes;
# and the state of the words.
_THROWN, _ON, _NEW, _EFFECT, _PUSHED, _LYING_THROWN, _LYING_ON, _LYING_EFFECT, _AGE, _IN_CROWD, _KNOCK = range(11)
_HAS_EFFECT, _HELD, _FRESH, _ENTER, _PUSH, _LIE, _STATE = range(11, 18)


def work_for() -> Array:
    """Return the table that a drop works in: a row for each of the above, a column for each floor."""
    return np.zeros((_STATE + 1, MAX_FLOORS), np.int64)


def law_of(table: Table) -> Array:
    """Return a table as one array of words of 32 bits.

    Behind four numbers, named above, come lists: the thresholds, then by floor those of FloorTable, then knocks by
    floor. Each has the index of its last entry in front.
    """
    knock_from = KNOCKS[0] if table.knocks else 0
    floors = [[_flat(getattr(floor, name)) for name in FloorTable.__slots__] for floor in table.floors]
    lists = [table.thresholds, *chain(*floors), *table.knocks]
    numbers = [len(floors), CROWD, FRESH, knock_from, *chain(*((len(each) - 1, *each) for each in lists))]
    law = np.array(numbers, np.int64).astype(np.int32)
    law.flags.writeable = False
    return law


def _flat(value: Any) -> Sequence[int]:
    if isinstance(value, int):
        return (value,)
    return [*chain(*value)] if isinstance(value[0], tuple) else value


@aside
def find(law: Array, work: Array) -> None:
    """Fill in where the lists of each floor begin, and whether it has a shared effect."""
    begin = _THRESHOLDS + law[_LAST] + 2
    for i in range(law[_FLOORS]):
        for k in range(_LISTS):
            work[k, i] = begin
            begin += law[begin - 1] + 2
        work[_HAS_EFFECT, i] = 0
        for k in (_EFFECT, _LYING_EFFECT):
            start = work[k, i]
            for j in range(start, start + law[start - 1] + 1):
                if law[j] != 0:
                    work[_HAS_EFFECT, i] = 1
                    break
    if law[_KNOCK_FROM] > 0:
        for i in range(law[_FLOORS]):
            work[_KNOCK, i] = begin
            begin += law[begin - 1] + 2


@inner
def entry(law: Array, start: Any, index: Any) -> Any:
    """Return an entry of the list that begins at `start`; beyond its end the last."""
    return np.int64(law[start + min(index, law[start - 1])])


@inner
def effect_at(law: Array, start: Any, held: Any, effect: Any) -> Any:
    """Return a shared effect for a floor on which `held` cubes lie."""
    last = law[start - 1] // EFFECTS  # of the rows
    return np.int64(law[start + EFFECTS * min(held, last) + effect])


@inner
def chance(law: Array, odds: int) -> Any:
    """Return the chance of log-odds, times 2^32."""
    found = np.int64(law[_THRESHOLDS + min(abs(odds), law[_LAST])]) & (_WORDS - 1)
    return found if odds >= 0 else _WORDS - found


@aside
def rescue_below(work: Array, floors: int, shift: float) -> float:
    """Return what a word is below if a thrown cube that would stay comes out, with chance greater by `shift`."""
    out = 1.0
    for i in range(floors):
        out *= work[_ENTER, i] / _WORDS
    return shift / max(1 - out, shift) * _WORDS


@aside
def throw(
    law: Array,
    words: Array,
    cubes: Array,
    place: Array,
    since: Array,
    crowd: Array,
    work: Array,
    drop: int,
    shift: float,
) -> int:
    """Do drop number `drop` with `cubes`, whose numbers rise: those inside, and those outside, which are thrown.

    By number are a cube's `place`, the drop that threw it in (`since`) and whether many were thrown with it (`crowd`),
    here before the drop, and then after it. With a `shift` every thrown cube's chance to come out is greater by it (or
    1). Returns how many of the `words` it took; if there are too few, minus how many more it needs at least, with
    tables that are of no use then. If nothing is thrown, nothing moves.
    """
    floors, enough, left, at = law[_FLOORS], len(words), len(cubes), 0
    for i in range(floors):
        work[_HELD, i] = work[_FRESH, i] = 0
    thrown = left
    for i in range(left):
        floor = place[cubes[i]]
        if floor >= 0:
            thrown -= 1
            work[_HELD, floor] += 1
            work[_FRESH, floor] += drop - since[cubes[i]] <= law[_FRESH_TO]
    if thrown == 0:
        return 0
    for i in range(floors):
        effect = 0
        if work[_HAS_EFFECT, i]:
            if at == enough:
                return -left
            effect = np.int64(words[at]) >> _EFFECT_SHIFT
            at += 1
        held = work[_HELD, i]
        odds = entry(law, work[_THROWN, i], thrown) + entry(law, work[_ON, i], held)
        odds += entry(law, work[_NEW, i], work[_FRESH, i]) + effect_at(law, work[_EFFECT, i], held, effect)
        work[_ENTER, i] = chance(law, odds)
        work[_PUSH, i] = chance(law, odds + law[work[_PUSHED, i]])
        work[_LIE, i] = entry(law, work[_LYING_THROWN, i], thrown) + entry(law, work[_LYING_ON, i], held)
        work[_LIE, i] += effect_at(law, work[_LYING_EFFECT, i], held, effect)
    rescue = rescue_below(work, floors, shift) if shift > 0 else 0.0
    for i in range(len(cubes)):
        cube = cubes[i]
        floor, limits = place[cube] + 1, _PUSH
        if floor > 0:
            if at == enough:
                return -left
            odds = work[_LIE, floor - 1]
            odds += entry(law, work[_AGE + crowd[cube], floor - 1], drop - since[cube])
            at += 1
            if words[at - 1] >= chance(law, odds):
                left -= 1
                continue
        else:
            since[cube], crowd[cube], limits = drop, thrown >= law[_CROWD_FROM], _ENTER
        while floor < floors:
            if at == enough:
                return -left
            at += 1
            if words[at - 1] >= work[limits, floor]:
                break
            floor += 1
        if floor < floors and limits == _ENTER and rescue > 0:
            if at == enough:
                return -left
            at += 1
            if words[at - 1] < rescue:
                floor = floors
        place[cube] = floor if floor < floors else OUT
        left -= 1
    return at


def move(law: Array, words: Array, cubes: Array, work: Array, step: int) -> int:
    """Throw all cubes that are outside, or knock with `step` hundredths of g if that is above 0.

    `cubes` has rows: by cube its place, since, crowd, and one to work in; the drop has number 0. A weak knock moves
    nothing and takes no word. Returns what `throw` does.
    """
    find(law, work)
    place, numbers = cubes[0], cubes[3]
    for cube in range(len(place)):
        numbers[cube] = cube
    if step == 0:
        return throw(law, words, numbers, place, cubes[1], cubes[2], work, 0, 0.0)
    if step < law[_KNOCK_FROM]:
        return 0
    if len(words) < len(place):
        return len(words) - len(place)
    for cube in range(len(place)):
        if words[cube] < chance(law, entry(law, work[_KNOCK, place[cube]], step)):
            place[cube] = OUT
    return len(place)


def play(
    law: Array, seed: Array, colour: Array, throws: Array, counts: Array, cubes: Array, words: Array, work: Array,
    first: int, shift: float,
) -> None:  # fmt: skip
    """Play games `first`, `first` + 1, ... of a plan: each throw takes the cubes of its colour that are outside.

    `colour` is each cube's, and `throws` are colours, -1 for all. `counts`, shape (3, game, throw, colour), are of
    cubes thrown, come out and inside. `cubes` has the rows of `move`, and `words` room for twice what a drop takes at
    most. A throw of nothing makes no cube older.
    """
    find(law, work)
    place, since, crowd, numbers, state, room = cubes[0], cubes[1], cubes[2], cubes[3], work[_STATE], len(words)
    for game in range(counts.shape[1]):
        seeded(state, seed, first + game)
        at, drop = room, 0
        for cube in range(len(place)):
            place[cube] = OUT
        for i in range(len(throws)):
            thrown, out, inside = counts[0, game, i], counts[1, game, i], counts[2, game, i]
            many = 0
            for cube in range(len(place)):
                is_thrown = (place[cube] < 0) & ((throws[i] < 0) | (colour[cube] == throws[i]))
                numbers[many] = cube
                many += (place[cube] >= 0) | is_thrown
                thrown[colour[cube]] += is_thrown
            if 2 * at > room:  # keep the words that are left
                for k in range(at, room):
                    words[k - at] = words[k]
                draw(state, words, room - at, room)
                at = 0
            used = throw(law, words[at:], numbers[:many], place, since, crowd, work, drop, shift)
            at += used
            drop += used > 0
            for k in range(many):
                cube = numbers[k]
                out[colour[cube]] += place[cube] < 0
                inside[colour[cube]] += place[cube] >= 0


def throw_each(law: Array, counts: Array, towers: Array, own: Array, out: Array, words: Array, work: Array) -> None:
    """Throw `counts[i, k]` cubes of each colour k into each tower i; `out[i, k]` counts those that come out.

    By tower are a row of `towers`, with those of `move` and the cubes' colours, those inside first; and of `own`:
    cubes held, drops done, and the state of its words.
    """
    find(law, work)
    for tower in range(len(counts)):
        cubes, mine, before = towers[tower], own[tower], work[_STATE]
        place, since, crowd, numbers, colour = cubes[0], cubes[1], cubes[2], cubes[3], cubes[4]
        end: Any = mine[0]
        for k in range(counts.shape[1]):
            for _ in range(counts[tower, k]):
                place[end], colour[end] = OUT, k
                end += 1
        if end == mine[0]:
            continue
        for cube in range(end):
            numbers[cube] = cube
        for k in range(4):
            before[k] = mine[2 + k]
        draw(before, words, 0, law[_FLOORS] * (end + 1))  # as many as it can take
        used = throw(law, words, numbers[:end], place, since, crowd, work, mine[1], 0.0)
        draw(mine[2:], words, 0, used)
        kept = 0
        for cube in range(end):
            if place[cube] < 0:
                out[tower, colour[cube]] += 1
            else:  # those inside come first again
                place[kept], since[kept] = place[cube], since[cube]
                crowd[kept], colour[kept] = crowd[cube], colour[cube]
                kept += 1
        mine[0] = kept
        mine[1] += 1


def room_for_words(law: Array, cubes: int) -> Array:
    """Return room for twice as many words as a drop of so many cubes takes at most."""
    return np.zeros(2 * int(law[_FLOORS]) * (cubes + 1) + 2 * cubes, np.uint32)


def play_games(
    law: Array, colour: Array, throws: Array, games: int, seed: Array, first: int, shift: float, colours: int = 0
) -> Array:
    """Play `games` whole games and return counts of cubes thrown, come out and inside, shape (3, game, throw, colour).

    `colour` is each cube's, by number; `throws` the colour that each drop throws, -1 for all; `seed` four words, of
    which game g draws from stream first + g. See `throw` for `shift`. `colours` is how many there are, where the last
    ones have no cube.
    """
    colours = max(colours, 1 + int(colour.max(initial=-1)))
    counts = np.zeros((3, games, len(throws), colours), np.int16)
    cubes, words = np.zeros((4, len(colour)), np.int32), room_for_words(law, len(colour))
    given = (seed.astype(np.uint32), colour.astype(np.int32), throws.astype(np.int32))
    at_once = max(_AT_ONCE // max(counts[:, :1].nbytes, 1), 1)
    for begin in range(0, games, at_once):
        some = counts[:, begin : begin + at_once]
        stream = (first + begin + (1 << 31)) % (1 << 32) - (1 << 31)
        call(GAMES, "play", law, *given, some, cubes, words, work_for(), stream, float(shift))
    return counts


def drop(
    law: Array, cubes: Sequence[tuple[int, int, bool]], words: Array, more: Callable[[int], Array], step: int = 0
) -> list[int]:
    """Do a drop, or a knock of `step` hundredths of g, and return the place of each cube after it.

    `cubes`, in the order of their numbers, have a place, an age in drops, and whether many were thrown with it; each
    that is outside is thrown. `words` are random ones; `more(n)` returns the next n or more, while these are too few.
    """
    before = np.zeros((4, len(cubes)), np.int32)
    before[:3] = np.array(cubes).T
    np.negative(before[1], before[1])
    while True:
        after = before.copy()
        taken = call(GAMES, "move", law, words, after, work_for(), step)
        if taken >= 0:
            return after[0].tolist()
        words = np.concatenate([words, more(-taken)])


def _exports() -> dict[str, CompiledFunction]:
    """Return what is exported; tables with one number of nothing have widths that differ."""
    law, words, work = np.zeros(0, np.int32), np.zeros(0, np.uint32), work_for()
    counts, wide, cubes = np.zeros((0, 0, 0, 0), np.int16), np.zeros((0, 0), np.int64), np.zeros((0, 0), np.int32)
    towers, own = np.zeros((0, 5, 0), np.int32), np.zeros((0, 6), np.int64)
    return {
        "move": CompiledFunction(move, (law, words, cubes, work, 1), int),
        "play": CompiledFunction(play, (law, words, law, law, counts, cubes, words, work, 1, 1.0), None),
        "throw_each": CompiledFunction(throw_each, (law, wide, towers, own, wide, words, work), None),
        **paired.exports(),
    }


_PARTS = (generator, paired, trig, portable, student)
_SOURCES = tuple(Path(str(each)) for each in (__file__, *(part.__file__ for part in _PARTS)))
GAMES = CompiledFile("games", _SOURCES, _exports(), Path(__file__).with_name("games.wasm"))
