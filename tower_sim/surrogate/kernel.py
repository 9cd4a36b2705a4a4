"""Whole games at once: the table's algorithm over arrays, compiled in advance.

What other files define (the law, FRESH, CROWD) comes as arguments, so that this file alone decides what is compiled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tower_sim.compiled import CompiledFile, CompiledFunction, call, paired, trig
from tower_sim.compiled.marks import aside
from tower_sim.surrogate.table import CROWD, EFFECTS, FRESH, WORD, Table
from tower_sim.tools import portable, student

Array = npt.NDArray[Any]

_MASK = 0xFFFFFFFF
_GOLDEN = 0x9E3779B9
_WORDS = 2.0**32
_AT_ONCE = 1 << 24  # bytes of counts, which WebAssembly keeps a copy of
# Plain numbers would make words of 64 bits of those of 32, and signed ones indices that may be negative: checks cost.
_1, _5, _7, _9, _11, _21, _25 = (np.uint32(i) for i in (1, 5, 7, 9, 11, 21, 25))


class Law(NamedTuple):
    """A Table as arrays; entries beyond the end of a list repeat the last one.

    By plane (0 arriving, 1 lying), floor and number: `thrown`, and `onto`, the sum of what lies there and of the
    effect, by the effect's number. By floor: `fresh` (then by number), `pushed`, `has_effect`. `age` has a row a floor
    for cubes of no crowd, then a row a floor for those of one. `thresholds` by log-odds, from the lowest to the
    highest. A word's bits from `effect_shift` on number an effect; `crowd_from` and `fresh_to` are CROWD and FRESH.
    """

    thrown: Array
    onto: Array
    fresh: Array
    age: Array
    pushed: Array
    has_effect: Array
    thresholds: Array
    effect_shift: int
    crowd_from: int
    fresh_to: int


class Work(NamedTuple):
    """Tables that games are played in.

    By cube: its floor (`place`), the drop that threw it in (`since`), its row of Law.age. The cubes inside, in order:
    `now` and `after`. By floor: cubes that `lying` there, those of them that are `fresh`, those that each drop threw in
    (`arrived`), and what `weigh` fills in. `state` is that of the words.
    """

    place: Array
    since: Array
    row: Array
    now: Array
    after: Array
    lying: Array
    fresh: Array
    arrived: Array
    enter: Array
    push: Array
    lie: Array
    state: Array


class Batch(NamedTuple):
    """Many towers at once, each with its own words; by tower and cube as in Work, with the cubes inside first.

    `colour` is each cube's. By tower: how many are `held`, drops `done`, and the `state` of its words.
    """

    place: Array
    since: Array
    row: Array
    colour: Array
    held: Array
    done: Array
    state: Array


def work_for(cubes: int, drops: int, floors: int) -> Work:
    """Return tables for games of so many cubes and drops in a tower of so many floors."""
    by_cube, by_floor = (cubes,), (floors,)
    shapes = (*[by_cube] * 3, (cubes + 1,), (cubes + 1,), by_floor, by_floor, (drops, floors), by_floor, by_floor)
    tables = [np.zeros(shape, np.uint32) for shape in shapes]
    return Work(*tables, lie=np.zeros(by_floor, np.int64), state=np.zeros(4, np.int64))


def law_of(table: Table, cubes: int, drops: int) -> Law:
    """Lay out a table for games of so many cubes and drops."""

    def planes(names: tuple[str, ...], length: int) -> Array:
        rows = [[getattr(floor, name) for floor in table.floors] for name in names]
        filled = [[[values[min(i, len(values) - 1)] for i in range(length)] for values in row] for row in rows]
        return np.array(filled, np.int32)

    lying = planes(("arriving_lying", "lying_lying"), cubes + 1)
    return Law(
        thrown=planes(("arriving_thrown", "lying_thrown"), cubes + 1).astype(np.int64),  # sums are, then
        onto=lying[..., None] + planes(("arriving_effect", "lying_effect"), cubes + 1),
        fresh=planes(("arriving_fresh",), cubes + 1)[0],
        age=planes(("age", "crowd"), drops + 1).reshape(-1, drops + 1),
        pushed=np.array([floor.pushed for floor in table.floors], np.int32),
        has_effect=np.array([floor.has_effect for floor in table.floors]),
        thresholds=np.array([WORD - x for x in table.thresholds[:0:-1]] + list(table.thresholds), np.uint32),
        effect_shift=32 - EFFECTS.bit_length() + 1,
        crowd_from=CROWD,
        fresh_to=FRESH,
    )


@aside
def mixed(x: int) -> int:
    """See generator.mixed."""
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & _MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & _MASK
    return x ^ (x >> 16)


@aside
def seeded(state: Array, seed: Array, stream: int) -> None:
    """Begin a stream of words; see generator.WordStream."""
    for i in range(4):
        state[i] = mixed((seed[i] + mixed((stream + _GOLDEN * (i + 1)) & _MASK)) & _MASK)
    state[3] |= 1


@aside
def step(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return the next word and the state after it, each an np.uint32; see generator.WordStream."""
    x = np.uint32(b * _5)
    drawn = np.uint32(np.uint32((x << _7) | (x >> _25)) * _9)
    shifted = np.uint32(b << _9)
    c ^= a
    d ^= b
    return drawn, np.uint32(a ^ d), np.uint32(b ^ c), np.uint32(c ^ shifted), np.uint32((d << _11) | (d >> _21))


@aside
def word(state: Array) -> Any:
    """Return the next word of a `state` of four, which moves on."""
    drawn, a, b, c, d = step(np.uint32(state[0]), np.uint32(state[1]), np.uint32(state[2]), np.uint32(state[3]))
    state[0], state[1], state[2], state[3] = a, b, c, d
    return drawn


@aside
def threshold(thresholds: Array, odds: int) -> Any:
    """See table.threshold."""
    last = len(thresholds) // 2
    return thresholds[min(max(odds, -last), last) + last]


@aside
def weigh(
    law: Law, count: int, lying: Array, fresh: Array, state: Array, enter: Array, push: Array, lie: Array
) -> None:
    """Draw the shared effects of a drop of `count` cubes and fill in by floor what decides it.

    By floor, `lying` are how many cubes lie there and `fresh` how many of them for a short time only. Thresholds to
    pass are `enter` for cubes just thrown and `push` for those that lay higher up; `lie` are the log-odds of those that
    lie there, but for their age.
    """
    for i in range(len(lie)):
        effect = np.int64(word(state)) >> law.effect_shift if law.has_effect[i] else 0
        m = lying[i]
        odds = law.thrown[0, i, count] + law.onto[0, i, m, effect] + law.fresh[i, fresh[i]]
        enter[i] = threshold(law.thresholds, odds)
        push[i] = threshold(law.thresholds, odds + law.pushed[i])
        lie[i] = law.thrown[1, i, count] + law.onto[1, i, m, effect]


@aside
def rescue_below(enter: Array, shift: float) -> float:
    """Return what a word is below if a thrown cube that would stay comes out, with chance greater by `shift`."""
    out = 1.0
    for limit in enter:
        out *= limit / _WORDS
    return shift / max(1 - out, shift) * _WORDS


@aside
def move(
    law: Law,
    drop: int,
    first: int,
    end: int,
    crowd: int,
    rescue: float,
    enter: Array,
    push: Array,
    lie: Array,
    inside: Array,
    count: int,
    after: Array,
    place: Array,
    since: Array,
    row: Array,
    lying: Array,
    fresh: Array,
    arrived: Array,
    state: Array,
    colour: Array,
    out: Array,
) -> int:
    """Do drop number `drop`, which throws the cubes from `first` to before `end` that are outside; see table.move.

    `inside` are the numbers of the `count` cubes inside, in order, then one above all; `after` becomes the same after
    the drop, and how many they are is returned; `out` counts by `colour` those that come out. A thrown cube that would
    stay comes out all the same if one more word is below `rescue`; with 0 none is drawn. `crowd` is 1 for a crowd, else
    0. For `enter`, `push` and `lie` see `weigh`; the other arrays are those of `play`.

    """
    floors, fresh_to, age, thresholds = len(lying), law.fresh_to, law.age, law.thresholds
    a, b, c, d = np.uint32(state[0]), np.uint32(state[1]), np.uint32(state[2]), np.uint32(state[3])
    i, kept, own = 0, 0, np.uint32(first)  # the next of `inside`, of `after`, of those that can be thrown
    while i < count or own < end:
        cube = inside[i]
        if cube < own or own >= end:
            i += 1
            start, begun = place[cube], since[cube]
            drawn, a, b, c, d = step(a, b, c, d)
            if drawn >= threshold(thresholds, lie[start] + age[row[cube], np.uint32(drop - begun)]):
                after[kept] = cube
                kept += 1
                continue
            floor = np.uint32(start + _1)
            while floor < floors:
                drawn, a, b, c, d = step(a, b, c, d)
                if drawn >= push[floor]:
                    break
                floor = np.uint32(floor + _1)
            is_fresh = np.uint32(drop - begun <= fresh_to)
            lying[start] -= _1
            fresh[start] -= is_fresh
            arrived[begun, start] -= _1
            row[cube] = np.uint32(np.uint32(row[cube] - start) + floor)
        elif cube == own:
            own = np.uint32(own + _1)
            continue
        else:
            cube = np.uint32(own)
            own = np.uint32(own + _1)
            floor = np.uint32(0)
            while floor < floors:
                drawn, a, b, c, d = step(a, b, c, d)
                if drawn >= enter[floor]:
                    break
                floor = np.uint32(floor + _1)
            if floor < floors and rescue > 0:
                drawn, a, b, c, d = step(a, b, c, d)
                if drawn < rescue:
                    floor = np.uint32(floors)
            if floor >= floors:
                out[colour[cube]] += 1
                continue
            begun, is_fresh = np.uint32(drop), _1
            since[cube] = drop
            row[cube] = crowd * floors + floor
        place[cube] = floor
        if floor >= floors:
            out[colour[cube]] += 1
        else:
            lying[floor] += _1
            fresh[floor] += is_fresh
            arrived[begun, floor] += _1
            after[kept] = cube
            kept += 1
    after[kept] = len(place)
    state[0], state[1], state[2], state[3] = a, b, c, d
    return kept


def play(
    law: Law,
    seed: Array,
    first: int,
    colour: Array,
    low: Array,
    phases: Array,
    shift: float,
    thrown: Array,
    emerged: Array,
    inside: Array,
    work: Work,
) -> None:
    """Play games `first`, `first` + 1, ... into the arrays `thrown`, `emerged` and `inside` (game, drop, colour).

    Cubes of colour k have the numbers from `low[k]` to before `low[k + 1]`; `phases` are the colours that the drops
    throw, -1 for all. With a `shift` every thrown cube's chance to come out is greater by it (or 1).
    """
    floors, cubes, drops = len(law.pushed), len(colour), len(phases)
    place, since, row, now, after = work.place, work.since, work.row, work.now, work.after
    lying, fresh, arrived, enter, push = work.lying, work.fresh, work.arrived, work.enter, work.push
    lie, state = work.lie, work.state
    for game in range(len(thrown)):
        seeded(state, seed, first + game)
        place[:] = floors
        lying[:] = 0
        fresh[:] = 0
        arrived[:] = 0
        now[0] = cubes
        drop = held = 0  # drops that threw something, cubes inside
        for i in range(drops):
            phase = phases[i]
            start: Any = 0 if phase < 0 else low[phase]
            end: Any = cubes if phase < 0 else low[phase + 1]
            count: Any = end - start - (held if phase < 0 else inside[game, i - 1, phase])
            if count > 0:
                if drop > law.fresh_to:
                    for floor in range(floors):
                        fresh[floor] -= arrived[drop - 1 - law.fresh_to, floor]
                weigh(law, count, lying, fresh, state, enter, push, lie)
                rescue = rescue_below(enter, shift) if shift > 0 else 0.0
                crowd = 1 if count >= law.crowd_from else 0
                held = move(
                    law, drop, start, end, crowd, rescue, enter, push, lie, now, held, after,
                    place, since, row, lying, fresh, arrived, state, colour, emerged[game, i],
                )  # fmt: skip
                now, after = after, now
                drop += 1
            if phase >= 0:
                thrown[game, i, phase] = count
            for k in range(len(low) - 1):
                had = inside[game, i - 1, k] if i > 0 else 0
                if phase < 0:
                    thrown[game, i, k] = low[k + 1] - low[k] - had
                inside[game, i, k] = had + thrown[game, i, k] - emerged[game, i, k]


def throw_each(law: Law, counts: Array, towers: Batch, work: Work, out: Array) -> None:
    """Throw `counts[i, k]` cubes of each colour k into each tower i; `out[i, k]` counts those that come out."""
    now, after, lying, fresh, enter = work.now, work.after, work.lying, work.fresh, work.enter
    for tower in range(len(counts)):
        place, since, row, colour = towers.place[tower], towers.since[tower], towers.row[tower], towers.colour[tower]
        held: Any = towers.held[tower]
        drop: Any = towers.done[tower]
        lying[:] = 0
        fresh[:] = 0
        for cube in range(held):
            now[cube] = cube
            lying[place[cube]] += _1
            if drop - since[cube] <= law.fresh_to:
                fresh[place[cube]] += _1
        now[held] = len(place)
        end: Any = held
        for k in range(counts.shape[1]):
            for _ in range(counts[tower, k]):
                colour[end] = k
                end += 1
        count = end - held
        if count > 0:
            state = towers.state[tower]
            weigh(law, count, lying, fresh, state, enter, work.push, work.lie)
            kept = move(
                law, drop, held, end, 1 if count >= law.crowd_from else 0, 0.0, enter, work.push, work.lie, now, held,
                after, place, since, row, lying, fresh, work.arrived, state, colour, out[tower],
            )  # fmt: skip
            for i in range(kept):  # those inside come first again, so that they need no numbers of their own
                cube = after[i]
                place[i], since[i], row[i], colour[i] = place[cube], since[cube], row[cube], colour[cube]
            towers.held[tower], towers.done[tower] = kept, drop + 1


def play_games(
    table: Table, colour: Array, phases: Array, games: int, seed: Array, first: int, shift: float, colours: int = 0
) -> tuple[Array, Array, Array]:
    """Play `games` whole games and return what was thrown, came out and is inside, shape (game, drop, colour).

    `colour` is each cube's, by number, and never falls; `phases` the colour that each drop throws, -1 for all; `seed`
    four words, of which game g draws from stream first + g. See `play` for `shift`. `colours` is how many there are,
    where the last ones have no cube.
    """
    low = np.searchsorted(colour, np.arange(1 + max(colours, 1 + int(colour.max(initial=-1)))))
    law, work = law_of(table, len(colour), len(phases)), work_for(len(colour), len(phases), len(table.floors))
    counts = [np.zeros((games, len(phases), len(low) - 1), np.int16) for _ in range(3)]
    at_once = max(_AT_ONCE // max(3 * counts[0][:1].nbytes, 1), 1)
    for begin in range(0, games, at_once):
        rows = [each[begin : begin + at_once] for each in counts]
        stream = (first + begin + (1 << 31)) % (1 << 32) - (1 << 31)
        cubes = colour.astype(np.uint32)
        call(GAMES, "play", law, seed, stream, cubes, low, phases, float(shift), *rows, work)
    return counts[0], counts[1], counts[2]


def _exports() -> dict[str, CompiledFunction]:
    """Return what is exported; tables with one number of nothing have widths that differ."""
    flat, square = (0,), (0, 0)
    law = Law(
        thrown=np.zeros((2, 0, 0), np.int64),
        onto=np.zeros((2, 0, 0, 0), np.int32),
        fresh=np.zeros(square, np.int32),
        age=np.zeros(square, np.int32),
        pushed=np.zeros(flat, np.int32),
        has_effect=np.zeros(flat, np.bool_),
        thresholds=np.zeros(flat, np.uint32),
        effect_shift=1,
        crowd_from=1,
        fresh_to=1,
    )
    words, plan, work = np.zeros(4, np.int64), np.zeros(flat, np.int64), work_for(0, 0, 0)
    counts = [np.zeros((0, 0, 0), np.int16)] * 3
    tables = [np.zeros(square, np.uint32)] * 4
    towers = Batch(*tables, held=plan, done=plan, state=np.zeros(square, np.int64))
    wide = np.zeros(square, np.int64)
    cubes = np.zeros(flat, np.uint32)
    return {
        "play": CompiledFunction(play, (law, words, 1, cubes, plan, plan, 1.0, *counts, work), None),
        "throw_each": CompiledFunction(throw_each, (law, wide, towers, work, wide), None),
        **paired.exports(),
    }


_SOURCES = tuple(Path(str(each)) for each in (__file__, *(part.__file__ for part in (paired, trig, portable, student))))
GAMES = CompiledFile("games", _SOURCES, _exports(), Path(__file__).with_name("games.wasm"))
