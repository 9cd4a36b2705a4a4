"""Takes: what one draw looked like, at 60 frames a second, and what happened in it; no engine is known here.

film of physics --> take: tracks of the cubes that moved, events --> replay document
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tower_sim import landing
from tower_sim.apparatus.parts import Apparatus, as_apparatus
from tower_sim.cubes import Cube
from tower_sim.errors import check_kind
from tower_sim.outcome import Status
from tower_sim.physics.film import Reel, Shot
from tower_sim.replay.moving import Spell, spells
from tower_sim.state import Pose

Array = npt.NDArray[np.float64]

RATE = 60
"""Frames a second: frame f is at f / RATE s."""
NEAR = 1e-5
"""m: a cube nearer than this to where it lay, or will lie, is drawn there."""
TURNED = 1e-4
"""Of a quaternion's parts: the same for its turn; 0.01 degrees."""
_SLACK = 1e-6  # of a frame: rounding
_WORDS = ("knocked", "woken", "thrown", "rest", "out")  # the order of events in one frame


@dataclass(frozen=True, slots=True)
class Lying:
    """A cube at rest before or after a take: its place as in a `Landing`, its pose if it has one."""

    cube: Cube
    place: str
    pose: Pose | None


@dataclass(frozen=True, slots=True)
class Track:
    """Where one cube is in frames `first`, `first` + 1, ...: `poses`, shape (frames, 7), x y z (m) and x y z w.

    Quaternions are of length 1 and keep their sign from frame to frame.
    """

    cube: int
    first: int
    poses: Array


@dataclass(frozen=True, slots=True)
class Happening:
    """Something in a frame: `word` is thrown, out, rest, woken or knocked (of no cube).

    `place` is where a cube that comes to rest then is, and where one that comes out ends.
    """

    frame: int
    word: str
    cube: int | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Take:
    """One draw that was a landing: its `kind` (drop, knock, place), how it ended, its length in `frames`.

    `strength` (g) is a knock's, `redrawn` how the draws before it ended, `start` and `rest` are the cubes inside and on
    the board before, and all cubes after; `tracks` those of the cubes that moved or were thrown, `happenings` are in
    the order of frames. Before its track a cube of `start` lies there and a thrown one is in the hand; after it, in the
    last frame at the latest, it lies as `rest` says, or is gone where that has no pose. One without a track lies there
    all the time.
    """

    kind: str
    status: Status
    frames: int
    strength: float
    redrawn: tuple[Status, ...]
    thrown: tuple[Cube, ...]
    start: tuple[Lying, ...]
    rest: tuple[Lying, ...]
    tracks: tuple[Track, ...]
    happenings: tuple[Happening, ...]


def takes(shots: Sequence[Shot], apparatus: Apparatus) -> tuple[Take, ...]:
    """Return the landings of these draws as takes; the draws that failed before one are named in it."""
    as_apparatus(apparatus)
    found: list[Take] = []
    failed: list[Status] = []
    allowed, advice = "Shots", "take those of a film: film.taken()"
    check_kind("shots", shots, Sequence, allowed, advice)
    for shot in shots:
        check_kind("one of shots", shot, Shot, allowed, advice)
        if shot.reel is None:
            failed.append(shot.outcome.status)
        else:
            found.append(replace(take(shot, shot.reel, apparatus), redrawn=tuple(failed)))
            failed = []
    return tuple(found)


def take(shot: Shot, reel: Reel, apparatus: Apparatus) -> Take:
    """Return one landing as a take."""
    state, outcome = shot.state, shot.outcome
    thrown = {cube.id for cube in outcome.thrown}
    lying = [each for each in state.board.lying if each.cube.id not in thrown]
    start = [
        *(Lying(each.cube, landing.INSIDE + each.region, each.pose) for each in state.residents),
        *(Lying(each.cube, each.region, each.pose) for each in lying),
    ]
    rest = tuple(Lying(each.cube, each.place, each.pose) for each in outcome.landings)
    shown = _Shown(reel, apparatus, {each.cube.id: each for each in start}, {each.cube.id: each for each in rest})
    events = shown.happenings({each.cube.id for each in lying})
    if shot.kind == "knock":
        events.append(Happening(0, "knocked"))
    events.sort(key=lambda each: (each.frame, _WORDS.index(each.word), -1 if each.cube is None else each.cube))
    return Take(
        shot.kind,
        outcome.status,
        shown.frames,
        shot.strength,
        (),
        outcome.thrown,
        tuple(start),
        rest,
        tuple(shown.tracks()),
        tuple(events),
    )


class _Shown:
    """A reel while it is made a take: its windows, and its frames."""

    def __init__(self, reel: Reel, apparatus: Apparatus, start: Mapping[int, Lying], rest: Mapping[int, Lying]) -> None:
        self.reel = reel
        self.apparatus = apparatus
        self.start = start
        self.rest = rest
        self.numbers = list(dict.fromkeys((*start, *reel.let_go)))
        self.windows = _windows(reel, self.numbers, start)
        self.seen = _frames(self.windows, reel.window)
        self.frames = len(self.seen)
        self._end = self.frames - 1

    def tracks(self) -> Iterator[Track]:
        """Yield the tracks of the cubes that moved, and of those thrown."""
        for i, number in enumerate(self.numbers):
            before, after = self.start.get(number), self.rest[number].pose
            first, end = self._first(number), self._end_of(number)
            poses = self.seen[first:end, i]
            off = _first(_off(poses, before.pose)) if before and before.pose else 0
            end = len(poses) - (_first(_off(poses, after)[::-1]) if after else 0)
            if off >= end and (before is None or before.pose != after):  # hardly moved, but is not where it was
                off = max(min(off, len(poses) - 2), 0)
                end = off + 1
            if off < end:
                yield Track(number, first + off, poses[off:end])

    def happenings(self, lay_outside: set[int]) -> list[Happening]:
        """Return what happened to the cubes; those of `lay_outside` cannot come out again."""
        found: list[Happening] = []
        thrown = [number in self.reel.let_go for number in self.numbers]
        moved = spells(self.windows, self.reel.window, self.apparatus.cube_edge, thrown)
        for i, number in enumerate(self.numbers):
            rest = self.rest[number]
            if thrown[i]:
                found.append(Happening(self._first(number), "thrown", number))
            found += self._moves(number, moved[i], thrown[i])
            if not rest.place.startswith(landing.INSIDE) and number not in lay_outside:
                found.append(Happening(self._out(i, number), "out", number, rest.place))
        return found

    def _moves(self, number: int, moved: Sequence[Spell], thrown: bool) -> Iterator[Happening]:
        """Yield when a cube was woken and when it came to rest."""
        for k, spell in enumerate(moved):
            if k or not thrown:
                yield Happening(self._frame(spell.first), "woken", number)
            if k + 1 < len(moved):
                yield Happening(self._frame(spell.last), "rest", number, self._place(number, spell.last))
            elif self.rest[number].pose is not None:
                yield Happening(self._frame(spell.last), "rest", number, self.rest[number].place)

    def _place(self, number: int, window: int) -> str:
        """Say where a cube lies that is shoved again later."""
        there = np.flatnonzero(~np.isnan(self.windows[window, :, 0]))
        now = self.windows[window, there]
        places = landing.find(now[:, :3], now[:, 3:], self.apparatus)
        return places[int(np.searchsorted(there, self.numbers.index(number)))].place

    def _out(self, i: int, number: int) -> int:
        """Return the frame from which on a cube has come out."""
        inside = ~landing.emerged(self.seen[self._first(number) : self._end_of(number), i, :3], self.apparatus)
        last = np.flatnonzero(inside)
        return min(self._first(number) + (int(last[-1]) + 1 if len(last) else 0), self._end)

    def _first(self, number: int) -> int:
        """Return the first frame in which a cube is seen."""
        passed, _ = self.reel.let_go.get(number, (0, None))
        return self._frame(passed)

    def _end_of(self, number: int) -> int:
        """Return the first frame in which a cube is gone, or lies for good: the last, for one that stays."""
        if number not in self.reel.swept:
            return max(self._end, 1)
        last = self.reel.swept[number] * self.reel.window * RATE
        return min(math.floor(last + _SLACK) + 1, self._end)

    def _frame(self, window: int) -> int:
        """Return the first frame that is not before a window."""
        return min(math.ceil(window * self.reel.window * RATE - _SLACK), self._end)


def _windows(reel: Reel, numbers: Sequence[int], start: Mapping[int, Lying]) -> Array:
    """Return where cubes are after 0, 1, ... windows, shape (windows, cubes, 7); not a number where they are not."""
    place = {number: i for i, number in enumerate(numbers)}
    table = np.full((reel.windows + 1, len(numbers), 7), np.nan)
    for strip in reel.strips:
        columns = [place[number] for number in strip.numbers]
        table[strip.first : strip.first + len(strip.poses), columns] = strip.poses
    for number, lying in start.items():
        if lying.pose:
            table[0, place[number]] = _row(lying.pose)
    for number, (passed, pose) in reel.let_go.items():
        table[passed, place[number]] = _row(pose)
    return the_short_way(table)


def _frames(windows: Array, window: float) -> Array:
    """Return where cubes are in each frame: linear between windows, quaternions too, and these made length 1.

    The last frame is the last window.
    """
    last = len(windows) - 1
    number = math.ceil(last * window * RATE - _SLACK) + 1
    at = np.minimum(np.arange(number) / (RATE * window), last)
    below = np.floor(at + _SLACK).astype(np.int64)
    share = np.maximum(at - below, 0.0)[:, None, None]
    low, high = windows[below], windows[np.minimum(below + 1, last)]
    found = np.where(share > _SLACK, low + share * (high - low), low)
    found[:, :, 3:] /= np.sqrt((found[:, :, 3:] ** 2).sum(axis=2))[:, :, None]
    return the_short_way(found)


def the_short_way(poses: Array) -> Array:
    """Return poses, shape (moments, cubes, 7), each quaternion with the sign that is nearer to the one before."""
    turns = poses[:, :, 3:]
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=2) < 0, -1.0, 1.0)
    turns[1:] *= np.cumprod(flips, axis=0)[:, :, None]
    return poses


def _off(poses: Array, pose: Pose) -> npt.NDArray[np.bool_]:
    """Tell in which frames a cube is not at `pose`."""
    row = _row(pose)
    turn = poses[:, 3:]
    away = np.abs(poses[:, :3] - row[:3]).max(axis=1) > NEAR
    apart = np.minimum(np.abs(turn - row[3:]).max(axis=1), np.abs(turn + row[3:]).max(axis=1))
    return away | (apart > TURNED)


def _first(which: npt.NDArray[np.bool_]) -> int:
    """Return the place of the first that is true; how many there are if none is."""
    return int(np.argmax(which)) if which.any() else len(which)


def _row(pose: Pose) -> Array:
    return np.array((*pose.position, *pose.orientation))
