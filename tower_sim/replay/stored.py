"""Stored takes: recorded draws as bytes, of a replay document too."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tower_sim.cubes import Cube
from tower_sim.outcome import Status
from tower_sim.replay.takes import Happening, Lying, Take, Track
from tower_sim.state import Pose

VERSION = 1
"""Of the bytes; a dataset says with which it was written."""
FINEST = 1e-5
"""m: positions are not told finer than this."""
_TURN = 32767  # steps of a quaternion's part of 1
COLUMNS = 7
"""Of a pose."""
_HEAD = struct.Struct("<I")  # the length of the header that follows
_POSE = struct.Struct("<7d")


class Poses:
    """The exact poses of takes, each once, bit for bit, and their motion in steps of `unit` (m), in which all fit."""

    def __init__(self, tracks: Iterable[Track]) -> None:
        self.unit = unit_of(tracks)
        self.exact: dict[bytes, int] = {}
        self._motion = bytearray()

    @property
    def bytes(self) -> bytes:
        """The exact poses, rows of seven 64-bit numbers, x y z (m) and x y z w, then the motion."""
        return b"".join(self.exact) + self._motion

    def header(self, take: Take) -> dict[str, Any]:
        """Add a take; returns what a header says of it, but for what happened in it."""
        return {
            "kind": take.kind,
            "status": str(take.status),
            "frames": take.frames,
            "strength": take.strength,
            "redrawn": [str(status) for status in take.redrawn],
            "thrown": [cube.id for cube in take.thrown],
            "start": [[each.cube.id, each.place, self._row(each.pose)] for each in take.start],
            "rest": [[each.cube.id, each.place, self._row(each.pose)] for each in take.rest],
            "tracks": [self._moved(track) for track in take.tracks],
        }

    def _row(self, pose: Pose | None) -> int | None:
        """Return the row of an exact pose, which is added where it is not there."""
        if pose is None:
            return None
        return self.exact.setdefault(_POSE.pack(*pose.position, *pose.orientation), len(self.exact))

    def _moved(self, track: Track) -> list[int]:
        told = [track.cube, track.first, len(track.poses), len(self._motion) // 2]
        self._motion += encoded(track, self.unit)
        return told


def unit_of(tracks: Iterable[Track]) -> float:
    """Return the step of positions (m) of these tracks: 0.01 mm, or as much more as the largest coordinate needs."""
    most = max((float(np.abs(track.poses[:, :3]).max(initial=0.0)) for track in tracks), default=0.0)
    return max(FINEST, math.ceil(most / _TURN * 1e8 - 1e-6) / 1e8)


def encoded(track: Track, unit: float) -> bytes:
    """Return a track's columns one after the other as 16-bit numbers: each column's first value, then differences.

    Positions count in steps of `unit` (m), quaternions in steps of 1 / 32767; differences wrap around.
    """
    steps = np.array((unit,) * 3 + (1 / _TURN,) * 4)
    whole = np.rint(track.poses / steps).astype(np.int64)
    told = np.concatenate((whole[:1], np.diff(whole, axis=0)))
    return np.ascontiguousarray(told.T.astype(np.int16), "<i2").tobytes()


def decoded(tracks: Sequence[Sequence[int]], motion: bytes, unit: float) -> list[Track]:
    """Return the tracks of [cube, first, frames, offset] lists; `motion` are the bytes that offsets count in."""
    numbers = np.frombuffer(motion[: len(motion) // 2 * 2], "<i2")
    steps = np.array((unit,) * 3 + (1 / _TURN,) * 4)
    found: list[Track] = []
    for cube, first, frames, offset in tracks:
        told = numbers[offset : offset + COLUMNS * frames].reshape(COLUMNS, frames)
        whole = np.cumsum(told, axis=1, dtype=np.int16).T  # wraps around as it was told
        found.append(Track(cube, first, whole.astype(np.float64) * steps))
    return found


def packed(take: Take) -> bytes:
    """Return a take as bytes: the length of a JSON header, the header, exact poses, tracks.

    They are as in a replay document. Equal takes give equal bytes.
    """
    poses = Poses(take.tracks)
    cubes = {each.cube.id: each.cube for each in (*take.start, *take.rest)}
    said = poses.header(take)
    head = {key: said.pop(key) for key in ("kind", "status", "frames", "strength", "redrawn")}
    head |= {"unit": poses.unit, "cubes": [[cube.id, cube.colour, cube.edge] for _, cube in sorted(cubes.items())]}
    happenings = [[each.frame, each.word, each.cube, each.place] for each in take.happenings]
    header = head | said | {"happenings": happenings, "exact": len(poses.exact)}
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    return _HEAD.pack(len(text)) + text + poses.bytes


def unpacked(data: bytes) -> Take:
    """Read a take back: poses at rest bit for bit, tracks as fine as they are stored.

    Raises ValueError for bytes that `packed` did not write.
    """
    try:
        (length,) = _HEAD.unpack_from(data)
        header: dict[str, Any] = json.loads(data[_HEAD.size : _HEAD.size + length])
        first = _HEAD.size + length
        motion = first + _POSE.size * header["exact"]
        poses: list[Pose] = [Pose(each[:3], each[3:]) for each in _POSE.iter_unpack(data[first:motion])]
        cubes = {number: Cube(number, colour, edge) for number, colour, edge in header["cubes"]}

        def lying(several: list[Any]) -> tuple[Lying, ...]:
            return tuple(Lying(cubes[n], place, _pose(poses, row)) for n, place, row in several)

        return Take(
            header["kind"],
            Status(header["status"]),
            header["frames"],
            header["strength"],
            tuple(Status(status) for status in header["redrawn"]),
            tuple(cubes[number] for number in header["thrown"]),
            lying(header["start"]),
            lying(header["rest"]),
            tuple(decoded(header["tracks"], data[motion:], header["unit"])),
            tuple(Happening(*each) for each in header["happenings"]),
        )
    except (KeyError, IndexError, TypeError, AttributeError, struct.error, RecursionError) as error:
        raise ValueError(f"no stored take ({error!r})") from error


def _pose(poses: Sequence[Pose], row: int | None) -> Pose | None:
    return None if row is None else poses[row]
